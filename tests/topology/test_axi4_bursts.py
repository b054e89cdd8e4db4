"""Beats of AXI4 bursts, by worked cases."""

from typing import Any

import numpy as np

from tests.each import each
from topology.axi4.bursts import Bursts, lanes_of_beats
from topology.axi4.words import FIXED, INCR, WRAP

CASES: dict[str, Any] = {
    "whole": (0x1000, INCR, 2, [0x1000, 0x1004, 0x1008], 4, [0xF, 0xF, 0xF]),
    "unaligned": (0x1003, INCR, 2, [0x1003, 0x1004, 0x1008], 4, [0x8, 0xF, 0xF]),
    "narrow": (0x1006, INCR, 1, [0x1006, 0x1008, 0x100A], 8, [0xC0, 0x03, 0x0C]),
    "narrow, unaligned": (0x1005, INCR, 1, [0x1005, 0x1006, 0x1008], 8, [0x20, 0xC0, 0x03]),
    "bytes": (0x1002, INCR, 0, [0x1002, 0x1003, 0x1004], 4, [0x4, 0x8, 0x1]),
    "wrap": (0x1038, WRAP, 2, [0x1038, 0x103C, 0x1030, 0x1034], 4, [0xF, 0xF, 0xF, 0xF]),
    "narrow wrap": (0x1006, WRAP, 1, [0x1006, 0x1004], 8, [0xC0, 0x30]),
    "fixed": (0x1004, FIXED, 2, [0x1004, 0x1004], 8, [0xF0, 0xF0]),
    "unaligned fixed": (0x1005, FIXED, 2, [0x1005, 0x1005], 8, [0xE0, 0xE0]),
    "widest": (0x2020, INCR, 6, [0x2020, 0x2040], 64, [(1 << 64) - (1 << 32), (1 << 64) - 1]),
}


@each("name", CASES)
def test_beats(name):
    address, burst, size, addresses, word_bytes, lanes = CASES[name]
    count = len(addresses)
    one = Bursts(*(np.array([value]) for value in (np.uint64(address), burst, size, count)))
    found = one.beat_addresses(np.zeros(count, dtype=np.int64), np.arange(count))
    assert found.tolist() == addresses
    assert lanes_of_beats(found, np.full(count, size), word_bytes).tolist() == lanes
