"""Operations on vectors, and on lists, are the same with and without Numba."""

import numpy as np
import pytest

from sim_model.engines.cycle.records import aligned_words
from sim_model.engines.plane.layout import PlaneLayout
from sim_model.loops.bits import enter
from sim_model.loops.compiled import compiled_loop
from sim_model.loops.vector_operations import (
    cube_operations,
    memory_operations,
    move_operations,
    turn_operations,
    word_operations,
)
from sim_model.torus.planes import find_route
from tests.sim_model.torus_traffic import simulate, torus_model

ROWS = 13
INPUTS = 7


@pytest.mark.parametrize(("width", "dimensions"), [(8, 6), (16, 3)])
def test_compiled_operations_are_those_of_python(width, dimensions):
    names = {**memory_operations(width, INPUTS), **word_operations(width), **move_operations(width)}
    vector_at, put, splat, gathered = (names[name] for name in ("vector_at", "put", "splat", "gathered"))
    any_of, places_of, count_all = (names[name] for name in ("any_of", "places_of", "count_all"))
    filled, lowest_of, above = (names[name] for name in ("filled", "lowest_of", "above"))
    alone = names["alone"]
    crossed, before, behind = (names[name] for name in ("crossed", "before", "behind"))
    exchanged, rotated = cube_operations(width, dimensions)["exchanged"], turn_operations(width)["rotated"]

    def work(row, found, number, turns):
        one, other = vector_at(row, 0), vector_at(row, width + 1)
        put(found, 0, one & ~other | (one ^ other))
        put(found, width, crossed(one, number))
        put(found, 2 * width, before(other))
        put(found, 3 * width, behind(other))
        put(found, 4 * width, exchanged(one))
        put(found, 5 * width, gathered(row, 0))
        put(found, 6 * width, splat(row[number]))
        put(found, 7 * width, rotated(one, vector_at(turns, 0)))
        put(found, 8 * width, filled(other))
        put(found, 9 * width, lowest_of(other))
        put(found, 10 * width, above(lowest_of(other)))
        put(found, 11 * width, alone(row[number], number))
        last = 12 * width
        found[last], found[last + 1], found[last + 2] = any_of(other), places_of(other), count_all(one)

    random, compiled = np.random.default_rng(3), compiled_loop(work)
    for number in range(width):
        row = random.integers(-(2**63), 2**63 - 1, width * width, dtype=np.int64)
        row[random.integers(len(row), size=width * width // 3)] = 0
        turns = random.permutation([0, 1, 31, 32, 62, 63, *range(2, width - 4)])
        expected, found = np.zeros((2, ROWS * width), dtype=np.int64)
        work(row, expected, number, turns)
        compiled(row, found, number, turns)
        assert (found == expected).all()


def test_the_lowest_bit_of_each_word_and_what_is_above_it():
    names = word_operations(8)
    vector = np.array([0, 1, 6, -8, 1 << 62, -(1 << 63), -1, 0], dtype=np.int64)
    lowest = names["lowest_of"](vector)
    assert lowest.tolist() == [0, 1, 2, 8, 1 << 62, -(1 << 63), 1, 0]
    assert names["above"](lowest).tolist() == [0, -2, -4, -16, -(1 << 63), 0, -2, 0]
    assert names["filled"](vector).tolist() == [0, -1, -1, -1, -1, -1, -1, 0]


def test_numbers_are_entered_in_lists():
    def fill(numbers, position, number):
        enter(numbers[1], position, number)

    plain, found = np.zeros((2, 2, 4), dtype=np.uint32)
    for position, number in ((0, 7), (3, 2**32 - 1)):
        fill(plain, position, number)
        compiled_loop(fill)(found, position, number)
    assert plain.tolist() == found.tolist() == [[0, 0, 0, 0], [7, 0, 0, 2**32 - 1]]


def test_exchanged_bits_are_those_of_neighbours():
    vector = np.zeros(8, dtype=np.int64)
    vector[[0, 4, 5]] = 1 << 5
    exchanged = cube_operations(8, 5)["exchanged"](vector)
    assert exchanged.tolist() == [1 << 4, 0, 0, 0, 1 << 21, 0, 0, 0]


def test_gathered_words_are_those_of_rows():
    operations = memory_operations(8, 2)
    row = np.zeros(16, dtype=np.int64)
    row[[1, 6, 9]] = 1, 4, 8
    assert operations["gathered"](row, 0).tolist() == [5, 8, 0, 0, 0, 0, 0, 0]


def test_vectors_lie_in_lines_of_the_cache():
    """With vectors that lie in two, runs took a seventh longer, and no result shows it."""
    assert all(aligned_words(rows, 24).ctypes.data % 64 == 0 for rows in (1, 2, 5) for _ in range(20))
    family = simulate(torus_model(3, 3, 2), []).router_state
    assert all(words.ctypes.data % 64 == 0 for words in (family.words, family.target_masks, family.port_vcs))
    at = PlaneLayout(5, 3, 4, find_route)
    sizes = ("PORTS", "HOST", "VCS", "ROOM", "MIN_DEPTH", "CREDIT_BITS", "CHANNELS", "FIRST_HOST", "HOST_OUTPUT")
    offsets = {name: value for name, value in vars(at).items() if name.isupper() and name not in sizes}
    assert {name: offset for name, offset in offsets.items() if offset % at.WIDTH} == {}
