"""Claims about ``KeepPacker`` and ``KeepUnpacker``: the bytes at the input appear at the output."""

from typing import Any

from rtl.parts.byte_count import BYTE_BITS, KeepPacker, KeepUnpacker
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside


def byte_count(count: int) -> Describe:
    """Claims about the two ends of words of some bytes, one behind the other; and about the second one alone."""

    def describe(claims: Claims) -> None:
        packer: Any = KeepPacker(count)
        unpacker: Any = KeepUnpacker(count)
        alone: Any = KeepUnpacker(count)
        for name, part in (("packer", packer), ("unpacker", unpacker), ("alone", alone)):
            Inside(claims, part, name=name)
        claims.free_inputs(packer)
        claims.free_inputs(alone)
        claims.m.d.comb += unpacker.word.eq(packer.word)
        for byte in range(count):
            there = claims.named(packer.tkeep[: byte + 1].all(), f"byte_{byte}_is_there")
            claims.always("bytes below the first gap are there, and no others", unpacker.tkeep[byte] == there)
            same = unpacker.tdata.word_select(byte, BYTE_BITS) == packer.tdata.word_select(byte, BYTE_BITS)
            claims.always("bytes that are there are not altered", ~there | same)
            below = alone.tkeep[:byte].all() if byte else 1
            claims.always("whatever the word, its bytes have no gap", ~alone.tkeep[byte] | below)
        full = packer.tkeep.all()
        claims.always("the highest bit marks a word that is not full", packer.word[-1] == ~full)
        claims.possible("a word without any byte", ~unpacker.tkeep.any())
        claims.possible("a full word", unpacker.tkeep.all() & (unpacker.tdata.all()))
        if count > 1:
            claims.possible("a byte above a gap", packer.tkeep[-1] & ~unpacker.tkeep[-1] & unpacker.tkeep[0])

    return describe
