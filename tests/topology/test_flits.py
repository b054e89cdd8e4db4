"""Flit, header and payload formats."""

import pytest

from topology.common.flits import FlitFormat, HeaderFormat, bits_for
from topology.common.pattern import payload_seed, payload_word


@pytest.mark.parametrize("flit_bits", [8, 32, 512])
def test_flit_round_trip(flit_bits):
    layout = FlitFormat(flit_bits)
    data = (1 << flit_bits) - 3
    for head in (False, True):
        for tail in (False, True):
            assert layout.unpack(layout.pack(data=data, head=head, tail=tail)) == (data, head, tail)
    assert layout.width == sum(width for _, width in layout.fields)


@pytest.mark.parametrize("flit_bits", [7, 513])
def test_flit_width_is_checked(flit_bits):
    with pytest.raises(ValueError, match=f"Flit width must be 8 to 512 bits, not {flit_bits}"):
        FlitFormat(flit_bits)


def test_header_of_64_processors_in_16_bit_flits():
    header = HeaderFormat((("lca", 7), ("source", 6)), 64, 16)
    assert (header.key_flits, header.unicast_flits, header.multicast_flits) == (1, 1, 5)
    value = header.pack((100, 63), 0x8000_0000_0000_0001)
    assert header.unpack(value) == ((100, 63), 0x8000_0000_0000_0001)
    flits = header.to_flits(value, 5)
    assert sum(flit << 16 * k for k, flit in enumerate(flits)) == value
    assert max(flits) < 1 << 16


def test_key_longer_than_a_flit():
    header = HeaderFormat((("lca", 10), ("source", 9)), 512, 8)
    assert (header.key_flits, header.unicast_flits, header.multicast_flits) == (2, 3, 67)


def test_header_field_must_fit():
    with pytest.raises(ValueError, match="Header field source must fit in 6 bits, not 64"):
        HeaderFormat((("lca", 7), ("source", 6)), 64, 16).pack((0, 64))


def test_bits_for():
    assert [bits_for(n) for n in (1, 2, 3, 4, 5, 1024)] == [1, 1, 2, 2, 3, 10]


def test_payload_words_differ_within_and_between_messages():
    words = {payload_word(payload_seed(m), k, 32) for m in range(50) for k in range(200)}
    assert len(words) == 50 * 200
    assert payload_word(payload_seed(3), 5, 8) == payload_word(payload_seed(3), 5, 512) & 0xFF
    wide = payload_word(payload_seed(3), 5, 64)
    assert wide >> 32 != wide & 0xFFFF_FFFF
