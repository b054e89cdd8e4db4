"""Statements of the plane's specification, and two of the documentation, against the measured cycles.

All limits were fixed before the runs.
"""

from collections.abc import Iterator

from hydranoc.studies.common.figure import Claim
from hydranoc.surveys.collectives.networks import MESH, NETWORKS, TORUS, WIDE_TORUS
from hydranoc.surveys.collectives.points import ALL_REDUCE, CollectivePoint, CollectivePoints
from sim_model.collectives.registry import OPERATIONS
from sim_model.collectives.schedule import BARRIER

BARRIER_LIMIT_CYCLES = 40
BARRIER_FACTORS = {0: 3, 100: 20}
"""Specified factors between the best barrier by messages and the plane, by start-up."""
SHORT_WORDS, LONG_WORDS = 16, 4096
RING = "ring"
AUTO_FACTOR = 1.5
"""Largest allowed ratio of the algorithm that ``auto`` takes to the best one."""
BARRIER_NOTES = {
    0: "Messages of a barrier are headers alone, to partners at 1 to 4 links: a round takes 9 cycles, 20 were expected",
    100: "With a start-up for the plane, too, the factor is at most the 6 rounds of messages",
}
RING_NOTE = (
    "Each member sends and receives 2 (p - 1) / p vectors in a ring, and one on the plane, so messages can be faster "
    "only if a flit has more than two words"
)


def all_claims(points: CollectivePoints) -> tuple[Claim, ...]:
    """Return all claims."""
    return (
        barrier_claim(points),
        *(barrier_factor_claim(points, 0, alone=alone) for alone in (True, False)),
        barrier_factor_claim(points, 100, alone=True, counted=False),
        *(barrier_factor_claim(points, 100, alone=alone) for alone in (True, False)),
        form_claim(points),
        short_claim(points),
        ring_claim(points, TORUS, "flits of one word"),
        ring_claim(points, WIDE_TORUS, "flits of four words"),
        multicast_claim(points, BARRIER),
        multicast_claim(points, ALL_REDUCE),
        auto_claim(points),
    )


def barrier_claim(points: CollectivePoints) -> Claim:
    """Check the cycles of a barrier in the mesh."""
    point = points.one(network=MESH, operation=BARRIER, startup_cycles=0)
    cycles, alone = _on_plane(point), _on_barrier_plane(point)
    return Claim(
        f"a barrier of all nodes of an 8x8 mesh takes at most {BARRIER_LIMIT_CYCLES} cycles on the plane",
        f"{cycles} cycles, {alone} on a plane of barriers alone",
        max(cycles, alone) <= BARRIER_LIMIT_CYCLES,
    )


def barrier_factor_claim(points: CollectivePoints, startup: int, *, alone: bool, counted: bool = True) -> Claim:
    """Check the specified factor between the best barrier by messages in the mesh and a plane.

    Parameters:
        points
        startup: Of a host per message.
        alone: On a plane of barriers alone.
        counted: A barrier on the plane takes a start-up, too. Its request is a wire, which needs none.
    """
    point, factor = points.one(network=MESH, operation=BARRIER, startup_cycles=startup), BARRIER_FACTORS[startup]
    plane = (_on_barrier_plane(point) if alone else _on_plane(point)) - (0 if counted else startup)
    kind = "a plane of barriers alone" if alone else "the plane"
    cost = f"start-up {startup}" + ("" if counted or not startup else ", none for the wire of the plane")
    holds = point.best_cycles >= factor * plane
    return Claim(
        f"that barrier is at least {factor} times faster on {kind} than by messages, {cost}",
        f"{point.best_cycles / plane:.1f} times: {point.best_cycles} cycles by {point.best}, {plane} on the plane",
        holds,
        note="" if holds else BARRIER_NOTES[startup],
    )


def form_claim(points: CollectivePoints) -> Claim:
    """Check the closed forms of the plane; see ``CollectivePoint.forms``."""
    equal = [point.cycles[plane] == form for point in points.all for plane, form in point.forms.items()]
    return Claim(
        "operations on the planes take their start-up and the closed form",
        f"{sum(equal)} of {len(equal)} equal",
        all(equal),
    )


def short_claim(points: CollectivePoints) -> Claim:
    """Check that the plane is the fastest for barriers and short vectors."""
    own = [point for point in points.all if point.plane is not None and point.words <= SHORT_WORDS]
    factors = [point.best_cycles / _on_plane(point) for point in own]
    slower = [point for point, factor in zip(own, factors, strict=True) if factor <= 1]
    return Claim(
        f"the plane is the fastest for barriers and all-reduces of up to {SHORT_WORDS} words, in all networks",
        f"at {sum(factor > 1 for factor in factors)} of {len(own)} points, "
        f"{min(factors):.1f} to {max(factors):.1f} times faster than the best by messages",
        not slower,
        note="; ".join(f"{_on_plane(point)} cycles against {point.best_cycles} in {point.network}" for point in slower),
    )


def ring_claim(points: CollectivePoints, network: str, kind: str) -> Claim:
    """Check that a ring of messages beats the plane with long vectors in a torus, without start-ups."""
    point = points.one(network=network, operation=ALL_REDUCE, words=LONG_WORDS, startup_cycles=0)
    plane, ring = _on_plane(point), point.cycles[RING]
    return Claim(
        f"a ring is faster than the plane for all-reduces of {LONG_WORDS:,} words in an 8x8 torus with {kind}",
        f"{ring:,} cycles, {plane:,} on the plane",
        ring < plane,
        note="" if ring < plane else RING_NOTE,
    )


def multicast_claim(points: CollectivePoints, operation: str) -> Claim:
    """Check that algorithms with multicasts in hardware are the fastest by messages."""
    names = [name for name, network in NETWORKS.items() if network.multicasts]
    own = [point for point in points.find(operation=operation) if point.network in names]
    faster = [point for point in own if OPERATIONS[operation][point.best].in_hardware]
    gains = [point.cycles[point.best_of_unicasts] / point.best_cycles for point in faster]
    measured = f"at {len(faster)} of {len(own)} points"
    if faster:
        measured += f", up to {max(gains):.2f} times: {'; '.join(_places(faster))}"
    return Claim(
        f"multicasts in hardware make {operation}s by messages faster where routers have them",
        measured,
        len(faster) == len(own),
    )


def _places(points: list[CollectivePoint]) -> Iterator[str]:
    """Yield the networks of points, with the number of points."""
    for name in NETWORKS:
        own = [point for point in points if point.network == name]
        if own:
            yield f"{len(own)} in {name}"


def auto_claim(points: CollectivePoints) -> Claim:
    """Check the choice of ``auto`` in networks without a plane."""
    ratios = [point.cycles[point.chosen] / point.best_cycles for point in points.all]
    worst = points.all[ratios.index(max(ratios))]
    best, near = (sum(ratio <= most for ratio in ratios) for most in (1, AUTO_FACTOR))
    size = f" of {worst.words:,} words" if worst.words else ""
    return Claim(
        f"in a network without a plane, `auto` takes at most {AUTO_FACTOR} times as long as the best algorithm",
        f"at {near} of {len(ratios)} points, and the best one at {best}; at worst {max(ratios):.1f} times: "
        f"{worst.chosen} for {worst.best}, {worst.operation}{size} in {worst.network}, start-up {worst.startup_cycles}",
        near == len(ratios),
    )


def _on_barrier_plane(point: CollectivePoint) -> int:
    assert point.barrier_plane is not None
    return point.barrier_plane


def _on_plane(point: CollectivePoint) -> int:
    assert point.plane is not None
    return point.plane
