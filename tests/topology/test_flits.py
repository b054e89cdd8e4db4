"""Flits, their signature, and headers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from topology.common.ages import AGE, ROUND_ROBIN, STEPS_CYCLES, step_shifts
from topology.common.errors import TopologyError
from topology.common.flit_signature import (
    LANE_BITS,
    LANE_MASK,
    MULTIPLIER,
    flit_signature,
    flit_signatures,
    lanes_of,
    rotation,
)
from topology.common.flits import MAX_FLIT_BITS, FlitFormat, HeaderFormat, bits_for
from topology.common.lattice import lattice_network
from topology.common.part_headers import BIT_STRING, HEADER_KINDS, PARTS, PartsFormat, header_format
from topology.common.pattern import payload_seed, payload_word
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def random_flits(width: int, count: int, seed: int) -> list[int]:
    random = np.random.default_rng(seed)
    return [int.from_bytes(random.bytes(-(-width // 8)), "little") >> -width % 8 for _ in range(count)]


@each("flit_bits", [8, 32, 512])
def test_flit_round_trip(flit_bits):
    layout = FlitFormat(flit_bits)
    data = (1 << flit_bits) - 3
    for head in (False, True):
        for tail in (False, True):
            assert layout.unpack(layout.pack(data=data, head=head, tail=tail)) == (data, head, tail)
    assert layout.width == sum(width for _, width in layout.fields)


@pytest.mark.parametrize("flit_bits", [7, 513])
def test_flit_width_is_checked(flit_bits):
    with pytest.raises(ValueError, match=f"Flit width is {flit_bits}; it must be 8 to 512 bits"):
        FlitFormat(flit_bits)


def test_header_of_64_processors_in_16_bit_flits():
    header = HeaderFormat((("lca", 7), ("source", 6)), 64, 16)
    assert (header.key_flits, header.unicast_flits, header.multicast_flits) == (1, 1, 5)
    value = header.pack((100, 63), 0x8000_0000_0000_0001)
    assert header.unpack(value) == ((100, 63), 0x8000_0000_0000_0001)
    flits = header.to_flits(value, 5)
    assert sum(flit << 16 * k for k, flit in enumerate(flits)) == value
    assert max(flits) < 1 << 16


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


FLIT_BITS = (8, 16, 30, 31, 32, 63, 64, 200, 512)


def lanes_of_flits(flits: list[int], width: int) -> np.ndarray:
    lanes = range(lanes_of(width))
    return np.array([[flit >> LANE_BITS * lane & LANE_MASK for lane in lanes] for flit in flits], dtype=np.uint32)


def test_worked_example():
    """34 bits: tail, head, and data 0x80000001; the second lane is rotated by 5 bits."""
    flit = FlitFormat(32).pack(data=0x8000_0001, head=True, tail=True)
    assert flit == 0x3_8000_0001
    word = 0x8000_0001 ^ 0x3 << 5
    assert flit_signature(flit, 34) == (word * MULTIPLIER >> 24) % 256 == 0x30


@each("flit_bits", FLIT_BITS)
def test_many_at_once_are_as_one_by_one(flit_bits):
    width = FlitFormat(flit_bits).width
    flits = [0, (1 << width) - 1, *random_flits(width, 200, seed=flit_bits)]
    signatures = flit_signatures(lanes_of_flits(flits, width))
    assert signatures.dtype == np.uint8
    assert signatures.tolist() == [flit_signature(flit, width) for flit in flits]


@each("flit_bits", FLIT_BITS)
def test_every_single_bit_changes_the_signature(flit_bits):
    width = FlitFormat(flit_bits).width
    for flit in random_flits(width, 20, seed=flit_bits):
        right = flit_signature(flit, width)
        assert all(flit_signature(flit ^ 1 << bit, width) != right for bit in range(width))


@each("lanes", range(1, lanes_of(MAX_FLIT_BITS) + 1))
def test_rotated_copies_of_a_word_do_not_cancel(lanes):
    """The rank of the map from a pattern's word to the XOR of its rotated copies."""
    basis: list[int] = []
    for bit in range(LANE_BITS):
        image = 0
        for lane in range(lanes):
            image ^= 1 << (bit + rotation(lane)) % LANE_BITS
        for member in basis:
            image = min(image, image ^ member)
        if image:
            basis.append(image)
    assert len(basis) >= 28


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
    with pytest.raises(ValueError, match=r"^Header is 'tree'; it must be one of bit_string, parts$"):
        header_format("tree", FIELDS, 64, 16)


@each(
    "routing",
    [
        make(kind)
        for make in (
            lambda kind: SpamRouting(SpamLabels(lattice_network(16, seed=7)), 16, header_kind=kind),
            lambda kind: MinRouting(MinNetwork("omega", 2, 4), 16, kind),
        )
        for kind in HEADER_KINDS
    ],
)
def test_only_headers_for_several_name_a_set(routing):
    """With parts of thirteen and of twelve processors, 2 and 9 are in one of them; 15 is in the other."""
    assert routing.header.unicast_flits < routing.header.multicast_flits
    assert routing.destinations_of(3, [9, 3, 2, 9]) == (2, 9)
    longer = 3 if routing.header.part_processors else 2
    sets = (((9,), routing.header.unicast_flits, 0), ((2, 9), 2, 1 << 2 | 1 << 9), ((2, 15), longer, 1 << 2 | 1 << 15))
    for destinations, flits, bits in sets:
        assert routing.header_flits(destinations) == flits
        (key, source), string = routing.header.unpack(routing.header_value(3, destinations))
        assert (key, source, string) == (routing.routing_key(3, destinations), 3, bits)


def test_age_has_a_place_behind_the_key():
    labels = SpamLabels(lattice_network(9, seed=1))
    plain, aged = (SpamRouting(labels, 16, arbitration=arbitration) for arbitration in (ROUND_ROBIN, AGE))
    assert plain.header.bits_of(AGE) is None
    assert aged.header.bits_of(AGE) == slice(5, 9)
    values, _ = aged.header.unpack(aged.header_value(3, [7]))
    assert values == (aged.routing_key(3, [7]), 0, 3)


def test_older_messages_never_get_younger_than_others():
    """Long steps of ages are multiples of short ones."""
    for step in STEPS_CYCLES:
        short, long = step_shifts(step)
        assert 1 << short == step
        assert long >= short


@each("step", [0, 12, 512])
def test_other_steps_of_ages_are_refused(step):
    right = "it must be one of 4, 8, 16, 32, 64, 128, 256"
    with pytest.raises(ValueError, match=f"Step of ages is {step} cycles; {right}"):
        step_shifts(step)
