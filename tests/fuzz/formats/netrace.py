"""Netrace traces, damaged before compression and after it."""

import bz2
import struct

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.formats.programs import program_format
from tests.sim_model.programs.writers import L1D, L2, MEMORY, netrace, packet

FIELDS = struct.Struct("<If30sBxQQII8x")
LYING = (0, 1, 2, 255, 2**16, 2**16 + 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


@st.composite
def traces(draw: DrawFn, nodes: int = 4) -> bytes:
    """Packets, of which some wait for others."""
    count = draw(st.integers(1, 5))
    packets = []
    for number in range(count):
        a, b = draw(st.permutations(range(nodes)))[:2]
        types = draw(st.sampled_from(((L1D, L2), (L2, MEMORY), (MEMORY, L2))))
        kind = draw(st.sampled_from((1, 2, 5, 30)))
        packets.append(packet(draw(st.integers(0, 300)), number, a, b, kind=kind, types=types))
    return netrace(packets, nodes=nodes)


@st.composite
def lying(draw: DrawFn) -> bytes:
    """A trace whose header contradicts its content."""
    data = draw(traces())
    fields = list(FIELDS.unpack_from(data))
    place = draw(st.sampled_from((3, 4, 5, 6, 7)))
    value = draw(st.sampled_from(LYING))
    fields[place] = value & {3: 0xFF, 4: 2**64 - 1, 5: 2**64 - 1, 6: 2**32 - 1, 7: 2**32 - 1}[place]
    return FIELDS.pack(*fields) + data[FIELDS.size :]


plain = st.one_of(traces(), lying(), lying(), damaged(traces()), damaged(traces()))
compressed = plain.map(bz2.compress)
ZEROS = bz2.compress(bytes(30_000_000))
contents = st.one_of(compressed, compressed, compressed, damaged(compressed), st.just(ZEROS), plain)
SAMPLE = bz2.compress(netrace([packet(0, 0, 0, 1), packet(5, 1, 1, 0)], nodes=4))


def _with_keys(keys: str):
    return program_format("netrace", "netrace", "a.tra.bz2", contents, SAMPLE, keys)


FORMAT = _with_keys("")
REGIONS = _with_keys(", region: 0, packets: 3, memory_controllers: wrap")
