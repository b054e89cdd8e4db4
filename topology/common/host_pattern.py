"""Host back-pressure: sources that pause and receivers that stall, the same in hardware and golden model.

Each endpoint has a linear feedback shift register of 16 bits (Galois form, maximal), which makes eight steps per cycle.
The endpoint pauses or stalls in every cycle in which the lowest eight bits are less than a level, so the level is a
probability in 256ths, and one cycle does not predict the next. All endpoints run through the same ring of 65,535
states; they differ in where they begin, which a seed decides.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

SEED_BITS = 16
LEVEL_BITS = 8
LEVELS = 1 << LEVEL_BITS
PERIOD_CYCLES = (1 << SEED_BITS) - 1
_FEEDBACK = 0xB400  # bits 16, 14, 13 and 11
_SALT_STEP = 0x9E37  # odd, so that all salts differ

# What an endpoint is.
SOURCE, RECEIVER = 0, 1


@dataclass(frozen=True)
class Blockade:
    """A receiver that is blocked for a time.

    Parameters:
        processor: None of the channels into it is read.
        start_cycle: First cycle.
        cycles: Number of cycles, at least 1.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    processor: int
    start_cycle: int
    cycles: int

    def __post_init__(self):
        if self.processor < 0:
            raise ValueError(f"Blocked processor is {self.processor!r}; it must be at least 0")
        if self.start_cycle < 0:
            raise ValueError(f"Start of a blockade is {self.start_cycle!r}; it must be at least cycle 0")
        if self.cycles < 1:
            raise ValueError(f"A blockade must take at least 1 cycle, not {self.cycles!r}")

    @property
    def end_cycle(self) -> int:
        """First cycle in which the receiver accepts flits again."""
        return self.start_cycle + self.cycles


@dataclass(frozen=True)
class HostBehaviour:
    """Back-pressure of hosts. By default sources never pause and receivers never stall.

    Parameters:
        pause_level, stall_level (int): Cycles of 256, on average, in which a source has no new word, and a receiver
            takes no flit; 0 to 255.
        seed: Seed of the patterns; 0 to 65,535.
        blocked

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    pause_level: int = 0
    stall_level: int = 0
    seed: int = 0
    blocked: tuple[Blockade, ...] = ()

    def __post_init__(self):
        for name, level in (("Pause level", self.pause_level), ("Stall level", self.stall_level)):
            if not 0 <= level < LEVELS:
                raise ValueError(f"{name} is {level!r}; it must be 0 to {LEVELS - 1}")
        if not 0 <= self.seed < 1 << SEED_BITS:
            raise ValueError(f"Seed of the hosts is {self.seed!r}; it must be 0 to {(1 << SEED_BITS) - 1}")

    @property
    def stalls(self) -> bool:
        """True if any receiver ever stalls."""
        return bool(self.stall_level or self.blocked)


EAGER = HostBehaviour()
"""Hosts without back-pressure."""


def level_of(probability: float) -> int:
    """Return the level whose probability is nearest.

    Raises:
        ValueError: If the level would be that of an endpoint that never, or always, holds back, but the probability is
            not 0.
    """
    level = round(probability * LEVELS)
    if probability and not 0 < level < LEVELS:
        raise ValueError(f"Probability is {probability!r}; it must be 0, or 1/{LEVELS} to {LEVELS - 1}/{LEVELS}")
    return level


def endpoint_salt(role: int, number: int) -> int:
    """Return the salt that separates an endpoint's seed from the others'.

    Parameters:
        role: ``SOURCE`` or ``RECEIVER``.
        number: Number of a source's injector; position of a receiver's channel among the delivery channels.
    """
    return (2 * number + role) * _SALT_STEP % (1 << SEED_BITS)


def first_state(seed: int, salt: int) -> int:
    """Return the state of an endpoint's register in cycle 0; never 0, which would stay."""
    return seed ^ salt or 1


def next_state(state: int) -> int:
    """Return the state of the register one cycle later."""
    for _ in range(LEVEL_BITS):
        state = state >> 1 ^ (_FEEDBACK if state & 1 else 0)
    return state


def next_state_masks() -> tuple[int, ...]:
    """Return the bits of a state whose parity is each bit of the next one, as masks."""
    images = [next_state(1 << bit) for bit in range(SEED_BITS)]
    return tuple(sum((image >> row & 1) << bit for bit, image in enumerate(images)) for row in range(SEED_BITS))


def holds_back(state: int, level: int) -> bool:
    """Return whether an endpoint with this state pauses or stalls."""
    return state % LEVELS < level


@functools.cache
def ring_of_states() -> np.ndarray:
    """Return all states in their order, beginning with 1, uint16[``PERIOD_CYCLES``]."""
    ring = np.empty(PERIOD_CYCLES, dtype=np.uint16)
    state = 1
    for position in range(PERIOD_CYCLES):
        ring[position] = state
        state = next_state(state)
    ring.flags.writeable = False
    return ring


@functools.cache
def positions_in_ring() -> np.ndarray:
    """Return the position of each state in the ring, int64[65,536]; that of 0 has no meaning."""
    positions = np.zeros(PERIOD_CYCLES + 1, dtype=np.int64)
    positions[ring_of_states()] = np.arange(PERIOD_CYCLES)
    positions.flags.writeable = False
    return positions


def ring_of_levels(hosts: HostBehaviour) -> np.ndarray:
    """Return what is compared with the levels, uint8[``PERIOD_CYCLES``]; empty if no host ever holds back."""
    states = ring_of_states() if hosts.pause_level or hosts.stalls else np.empty(0)
    return (states % LEVELS).astype(np.uint8)


def first_positions(seed: int, endpoints: Iterable[tuple[int, int]]) -> np.ndarray:
    """Return the positions of endpoints in the ring in cycle 0, int64.

    Parameters:
        seed
        endpoints: Role and number of each, see ``endpoint_salt``.
    """
    states = [first_state(seed, endpoint_salt(role, number)) for role, number in endpoints]
    if not states:  # the ring takes longer than a short run
        return np.zeros(0, dtype=np.int64)
    return positions_in_ring()[states]
