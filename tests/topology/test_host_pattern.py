"""The pattern of host back-pressure."""

import numpy as np
import pytest

from topology.common.host_pattern import (
    EAGER,
    LEVELS,
    PERIOD_CYCLES,
    RECEIVER,
    SOURCE,
    Blockade,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    level_of,
    next_state,
    next_state_masks,
    positions_in_ring,
    ring_of_states,
)


def test_the_register_runs_through_all_states_but_0():
    ring = ring_of_states()
    assert sorted(ring.tolist()) == list(range(1, PERIOD_CYCLES + 1))
    assert next_state(int(ring[-1])) == int(ring[0]) == 1
    assert (ring[positions_in_ring()[1:]] == np.arange(1, PERIOD_CYCLES + 1)).all()
    assert next_state(0) == 0


def test_a_step_of_a_plain_galois_register_by_hand():
    """x^16 + x^14 + x^13 + x^11 + 1: what falls out on the right comes back at bits 15, 13, 12 and 10."""
    states = [0x0001]
    for _ in range(8):
        bits = [states[-1] >> position & 1 for position in range(16)]
        out, shifted = bits[0], [*bits[1:], 0]
        for tap in (15, 13, 12, 10):
            shifted[tap] ^= out
        states.append(sum(bit << position for position, bit in enumerate(shifted)))
    assert states[1] == 0xB400
    assert next_state(1) == states[8]


def test_masks_say_what_a_state_becomes():
    masks = next_state_masks()
    for state in (1, 0x8000, 0x1234, 0xFFFF):
        assert sum(((state & mask).bit_count() & 1) << row for row, mask in enumerate(masks)) == next_state(state)


@pytest.mark.parametrize("level", [0, 1, 77, 230, 255])
def test_levels_are_probabilities_and_cycles_independent(level):
    held = np.array([holds_back(state, level) for state in ring_of_states().tolist()], dtype=float)
    assert held.mean() == pytest.approx(level / LEVELS, abs=1e-4)
    if level:
        for distance in range(1, 9):
            assert abs(np.corrcoef(held[:-distance], held[distance:])[0, 1]) < 0.05


@pytest.mark.parametrize("seed", [0, 4, 0xFFFF])
def test_endpoints_of_large_networks_begin_at_different_states(seed):
    salts = [endpoint_salt(role, number) for role in (SOURCE, RECEIVER) for number in range(4096)]
    states = {first_state(seed, salt) for salt in salts}
    assert 0 not in states
    assert len(states) >= len(salts) - 1


def test_levels_of_probabilities():
    assert [level_of(p) for p in (0, 1 / 256, 0.3, 0.9, 255 / 256)] == [0, 1, 77, 230, 255]
    for wrong in (0.001, 0.999, 1.0, -0.5):
        with pytest.raises(ValueError, match=r"Probability must be 0, or 1/256 to 255/256, not"):
            level_of(wrong)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HostBehaviour(pause_level=256), "Pause level must be 0 to 255, not 256"),
        (lambda: HostBehaviour(stall_level=-1), "Stall level must be 0 to 255, not -1"),
        (lambda: HostBehaviour(seed=65_536), "Seed of the hosts must be 0 to 65535, not 65536"),
        (lambda: Blockade(-1, 0, 1), "Blocked processor must be at least 0, not -1"),
        (lambda: Blockade(0, -1, 1), "Start of a blockade must be at least cycle 0, not -1"),
        (lambda: Blockade(0, 0, 0), "A blockade must take at least 1 cycle, not 0"),
    ],
)
def test_wrong_behaviour_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_who_stalls():
    assert not EAGER.stalls
    assert not HostBehaviour(pause_level=1).stalls
    assert HostBehaviour(stall_level=1).stalls
    assert HostBehaviour(blocked=(Blockade(0, 5, 7),)).stalls
    assert Blockade(0, 5, 7).end_cycle == 12
