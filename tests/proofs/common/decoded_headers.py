"""Claims about what the route unit decodes of header flits on their way in: they agree with the tables."""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.parts.selection import concat
from rtl.routed.header_decoder import decoded_layout
from tests.proofs.claims import Claims
from tests.proofs.inside import Inside
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

MEANING = "a header flit is decoded as the tables say"


class ArrivingHeader:
    """Follows the flits of a link.

    Members
    -------
    position : Signal
        Number of the flit on the link within its message; the header's length for flits behind the header.
    key : Value
        The routing key, if this flit is its last one.
    """

    def __init__(self, claims: Claims, unit: Any, i: int):
        p = unit.parameters
        flits, key_flits = p.header_flits, p.header.key_flits
        self.position: Any = Signal(range(flits + 1), name=f"position_{i}")
        self.following: Any = Signal(range(flits + 1), name=f"following_{i}", init=flits)
        self.earlier: Any = Signal((key_flits - 1) * p.flit_bits, name=f"earlier_{i}")
        data = unit.arriving[i]
        if flits > 1:
            claims.m.d.comb += self.position.eq(Mux(unit.arriving_head[i], 0, self.following))
            with claims.m.If(unit.arriving_valid[i]):
                behind = self.position + (self.position < flits)
                claims.m.d.sync += [
                    self.following.eq(behind),
                    self.earlier.eq(concat((self.earlier, data))[p.flit_bits :]),
                ]
        self.key = claims.named(concat((self.earlier, data))[: p.key_bits], f"key_{i}")


def prove_decoded(claims: Claims, inside: Inside, unit: Any) -> None:
    """Adds the claims for all inputs."""
    p = unit.parameters
    for i in range(p.inputs):
        header = ArrivingHeader(claims, unit, i)
        decoded: Any = decoded_layout(p)(unit.arriving_decoded[i])
        ends_key = header.position == p.header.key_flits - 1
        first_of_set = p.header.unicast_flits if p.header.part_processors else p.header.key_flits - 1
        in_split_part = (header.position >= first_of_set) & (header.position < p.header_flits)
        row = Mux(header.key < p.keys, _table_row(unit, i, header.key), 0)
        splits = (header.key >= p.multicast_keys.start) & (header.key < p.multicast_keys.stop)
        candidates = claims.named(Mux(ends_key, row, 0), f"candidates_{i}")
        ended = unit.arriving_tail[i] if p.header_flits > 1 else 0
        last = (header.position == p.header_flits - 1) | candidates.any() | ended | ends_key & ~splits
        if p.header.part_processors:
            last = last | in_split_part & unit.arriving[i][p.header.last_bit]
        known = claims.named(header.position < p.header_flits, f"known_{i}")
        reached = _reached(unit, unit.arriving[i], header.position)
        branches = Mux(in_split_part & (~ends_key | splits), reached, 0)
        claims.always(MEANING, ~known | (decoded.candidates == candidates))
        claims.always(MEANING, ~known | (decoded.last == last))
        claims.always(MEANING, ~known | (decoded.branches == branches))
        _tie_decoder(claims, inside, p, header, f"decoder_{i}")


def _tie_decoder(claims: Claims, inside: Inside, p: Any, header: ArrivingHeader, instance: str) -> None:
    if p.header_flits > 1:
        behind = header.following == p.header_flits
        counted = inside.register("following", instance) == header.following
        claims.invariant("header flits are counted", behind | counted)
        claims.invariant("a header has its length", header.following <= p.header_flits)
    if p.header.key_flits > 1:
        kept = inside.register("earlier_key_flits", instance) == header.earlier
        claims.invariant("the key's first flits are kept", kept)


def _table_row(unit: Any, i: int, key: Any) -> Value:
    """Candidate outputs for a routing key, by the class of input i."""
    p = unit.parameters
    rows = [unit.routes.word_select(k, p.outputs) for k in range(p.classes * p.keys)]
    kind = unit.port_class.word_select(i, p.class_bits) if p.class_bits else 0
    return Value.cast(Array(rows)[kind * p.keys + key[: (p.keys - 1).bit_length()]])


def _names(header: HeaderFormat, data: Any, position: Any, processor: int) -> Value:
    """True if a flit names a processor; only flits of destination sets can."""
    if isinstance(header, PartsFormat):
        part, bit = divmod(processor, header.part_processors)
        return (data[header.part_position] == part) & data[bit]
    number, bit = divmod(header.fixed_bits + processor, header.flit_bits)
    return (position == number) & data[bit]


def _reached(unit: Any, data: Any, position: Any) -> Value:
    """Outputs behind which a flit names a destination, one destination bit after the other."""
    p = unit.parameters
    hits: list[list[Any]] = [[] for _ in range(p.outputs)]
    for processor in range(p.processors):
        named = _names(p.header, data, position, processor)
        for o in range(p.outputs):
            hits[o].append(named & unit.reach[o * p.processors + processor])
    return concat(concat(of_output).any() for of_output in hits)
