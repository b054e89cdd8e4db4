"""Headers of parts: their flits bit by bit, round trips, lengths of one set and of many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat, bits_for
from topology.common.part_headers import BIT_STRING, PARTS, PartsFormat, header_format

FIELDS = (("lca", 7), ("source", 6))
WIDEST_SEARCHED = 48


@st.composite
def formats(draw):
    """Any fields, widths and processors for which there are parts."""
    fields = tuple(("key" if k == 0 else f"f{k}", draw(st.integers(1, 20))) for k in range(draw(st.integers(1, 3))))
    processors, flit_bits = draw(st.integers(1, 300)), draw(st.integers(12, 80))
    return PartsFormat(fields, processors, flit_bits)


@st.composite
def messages(draw):
    """A format, values of its fields, and a set of two destinations or more, as bits."""
    header = draw(formats())
    values = tuple(draw(st.integers(0, (1 << width) - 1)) for _, width in header.fields)
    return (
        header,
        values,
        draw(st.integers(0, (1 << header.destinations) - 1).filter(lambda bits: bits.bit_count() > 1)),
    )


def processors_of(bits: int) -> list[int]:
    return [processor for processor in range(bits.bit_length()) if bits >> processor & 1]


def test_64_processors_in_16_bit_flits():
    """Twelve bits, three for the number of one of six parts, and a last bit."""
    header = PartsFormat(FIELDS, 64, 16)
    assert (header.part_processors, header.parts, header.part_bits, header.last_bit) == (12, 6, 3, 15)
    assert (header.key_flits, header.unicast_flits, header.multicast_flits) == (1, 1, 7)
    assert header.buffer_depth_flits(2) == 8
    value = header.pack((100, 63), 1 << 63 | 1 << 13 | 1 << 12)
    flits = header.to_flits(value, 3)
    assert flits == [63 << 7 | 100, 0b11 | 1 << 12, 1 << 3 | 5 << 12 | 1 << 15]
    assert header.flits_of([12, 13, 63]) == 3
    assert sum(flit << 16 * k for k, flit in enumerate(flits)) == value
    assert header.unpack(value) == ((100, 63), 1 << 63 | 1 << 13 | 1 << 12)
    assert header.unpack(header.pack((100, 63))) == ((100, 63), 0)


@given(messages())
@settings(deadline=None)
def test_round_trip(message):
    header, values, bits = message
    value = header.pack(values, bits)
    assert header.unpack(value) == (values, bits)
    count = header.flits_of(processors_of(bits))
    assert count <= header.multicast_flits
    assert value >> count * header.flit_bits == 0


@given(messages())
@settings(deadline=None)
def test_flits_say_what_the_page_says(message):
    """The fixed fields as in a unicast; then parts with a destination, ascending, the last one marked."""
    header, values, bits = message
    flits = header.to_flits(header.pack(values, bits), header.flits_of(processors_of(bits)))
    fixed, sets = flits[: header.unicast_flits], flits[header.unicast_flits :]
    assert fixed == header.to_flits(header.pack(values), header.unicast_flits)
    size, named, numbers = header.part_processors, 0, []
    for flit in sets:
        assert flit % (1 << size), "a part without a destination has no flit"
        numbers.append(flit >> size & (1 << bits_for(header.parts)) - 1)
        named |= flit % (1 << size) << size * numbers[-1]
    assert named == bits
    assert numbers == sorted(set(numbers))
    assert [flit >> header.last_bit for flit in sets] == [0] * (len(sets) - 1) + [1]


@given(st.integers(1, 3000), st.integers(8, WIDEST_SEARCHED))
@settings(deadline=None)
def test_a_part_is_as_large_as_a_flit_can_name(processors, flit_bits):
    fits = [w for w in range(1, processors + 1) if w + bits_for(-(-processors // w)) + 1 <= flit_bits]
    if not fits:
        with pytest.raises(TopologyError, match=r"^Flit must have at least \d+ bits to name parts of"):
            PartsFormat(FIELDS, processors, flit_bits)
        return
    header = PartsFormat(FIELDS, processors, flit_bits)
    assert header.part_processors == max(fits)
    named = [processor for word in header.set_words for processor in word.processors]
    assert named == list(range(processors))
    assert len(header.set_words) == header.parts
    assert header.unicast_flits + header.parts == header.multicast_flits


def test_the_width_that_would_do_is_named():
    with pytest.raises(TopologyError, match="at least 9 bits to name parts of 65 processors, not 8 bits"):
        PartsFormat(FIELDS, 65, 8)
    assert PartsFormat(FIELDS, 65, 9).part_processors == 3
    assert PartsFormat(FIELDS, 64, 8).part_processors == 2


@pytest.mark.parametrize("kind", [BIT_STRING, PARTS])
def test_lengths_of_many_sets_are_those_of_each(kind):
    random, header = np.random.default_rng(1), header_format(kind, FIELDS, 64, 16)
    sets = [np.sort(random.choice(64, count, replace=False)) for count in random.integers(1, 64, 300)]
    offsets = np.cumsum([0, *map(len, sets)])
    lengths = header.flits_of_sets(offsets, np.concatenate(sets))
    assert lengths.tolist() == [header.flits_of(one.tolist()) for one in sets]
    assert header.flits_of_sets(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)).tolist() == []


@given(st.integers(1, 3), st.integers(1, 200), st.integers(8, 70))
def test_words_of_a_bit_string_are_its_flits(fields, processors, flit_bits):
    header = HeaderFormat((("key", 5),) * fields, processors, flit_bits)
    for processor in range(processors):
        (place,) = [
            (flit, word.shift + processor - word.processors.start)
            for flit, word in enumerate(header.set_words)
            if processor in word.processors
        ]
        assert place == divmod(5 * fields + processor, flit_bits)
        assert place[1] < header.scan_bits


def test_there_are_two_kinds():
    assert header_format(BIT_STRING, FIELDS, 64, 16) == HeaderFormat(FIELDS, 64, 16)
    assert header_format(PARTS, FIELDS, 64, 16) == PartsFormat(FIELDS, 64, 16)
    assert HeaderFormat(FIELDS, 64, 16) != PartsFormat(FIELDS, 64, 16)
    with pytest.raises(ValueError, match=r"^Header must be one of bit_string, parts, not 'tree'$"):
        header_format("tree", FIELDS, 64, 16)
