"""Directions of a message as its operation."""

import pytest

from topology.torus.grid import Turns
from topology.torus.operations import SHORTEST, operation, turns_of


def test_operations_are_one_more_than_the_turns():
    assert operation(None) == SHORTEST == 0
    assert [operation(Turns(y, x)) for x in (False, True) for y in (False, True)] == [1, 2, 3, 4]
    assert operation(Turns(y_negative=True, x_negative=False)) == 2


def test_turns_come_back():
    assert turns_of(SHORTEST) is None
    for turns in (Turns(y, x) for y in (False, True) for x in (False, True)):
        assert turns_of(operation(turns)) == turns


@pytest.mark.parametrize("number", [-1, 5])
def test_other_numbers_are_refused(number):
    with pytest.raises(ValueError, match=f"Operation must be 0 to 4, not {number}"):
        turns_of(number)
