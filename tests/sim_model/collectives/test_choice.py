"""The choice of algorithms by size and distances, and bandwidths."""

import pytest

from sim_model.collectives.algorithm import Case
from sim_model.collectives.bandwidth import bus_factor
from sim_model.collectives.choice import best_segments, choose, contention_of
from sim_model.collectives.closed_forms import AHEAD, ALL, NEXT, ONE_BIT, PARTNERS, Costs, form_of
from sim_model.collectives.registry import OPERATIONS


def in_software(operation, members, flits, startup_cycles=0, contention=None):
    known, costs = OPERATIONS[operation], Costs(startup_cycles, contention=contention or {})
    return choose(operation, Case(members), flits, costs, lambda name: not known[name].in_hardware)


def test_short_vectors_take_few_rounds_and_long_ones_few_flits():
    assert in_software("all-reduce", 64, 1, 100) == "recursive-doubling"
    assert in_software("all-reduce", 64, 1_000, 100) == "rabenseifner"
    assert in_software("all-gather", 60, 60) == "bruck"
    assert in_software("all-to-all", 64, 64, 1_000) == "bruck"
    assert in_software("all-to-all", 64, 65_536) == "pairwise"
    assert in_software("broadcast", 64, 1, 1_000) == "binomial"
    assert choose("broadcast", Case(64), 1, Costs(1_000)) == "multicast"
    assert choose("barrier", Case(64), 0, Costs(1_000)) == "dissemination"


def mesh_distances(side):
    places = [divmod(node, side) for node in range(side**2)]
    return [[abs(a - c) + abs(b - d) for c, d in places] for a, b in places]


def test_distant_partners_share_links():
    contention = contention_of(mesh_distances(6))
    assert contention[NEXT] == pytest.approx((30 + 5 * 6 + 10) / 36)
    assert 1 < contention[NEXT] < contention[ONE_BIT] < contention[AHEAD] < contention[ALL] == pytest.approx(4)
    cube = contention_of([[(a ^ b).bit_count() for b in range(32)] for a in range(32)])
    assert cube[ONE_BIT] == 1
    assert in_software("all-reduce", 32, 4_096, contention=cube) == "rabenseifner"
    assert in_software("all-reduce", 36, 4_096, contention=contention) == "ring"


def test_distances_count_in_those_of_the_nearest_members():
    """In a multistage network all members are equally far: no exchange shares more links than another."""
    assert contention_of([[6 * (a != b) for b in range(8)] for a in range(8)]) == dict.fromkeys(PARTNERS, 1.0)
    assert contention_of([[0, 0], [0, 0]]) == dict.fromkeys(PARTNERS, 1.0)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_choice_has_the_least_estimate(operation):
    costs = Costs(40, 0.5, contention_of(mesh_distances(4)))
    for members in (2, 3, 16, 60):
        for flits in (1, 50, 5_000):
            times = {
                name: form_of(operation, name, Case(members)).cycles(flits, costs) for name in OPERATIONS[operation]
            }
            assert times[choose(operation, Case(members), flits, costs)] == min(times.values())


def test_segments_of_a_chain_take_the_least_time():
    for members, flits, startup in ((16, 1_000, 0), (64, 4_096, 100), (3, 10, 0)):
        best = best_segments(members, flits, startup)

        def cycles(segments, members=members, flits=flits, startup=startup):
            return form_of("broadcast", "chain", Case(members, 0, segments)).cycles(flits, Costs(startup))

        assert cycles(best) <= min(cycles(max(best - 1, 1)), cycles(best + 1))
    assert best_segments(2, 100, 0) == best_segments(64, 1, 0) == 1


def test_bus_bandwidth_has_the_factors_of_nccl():
    assert bus_factor("all-reduce", 4) == 1.5
    for operation in ("all-gather", "reduce-scatter", "all-to-all", "gather", "scatter"):
        assert bus_factor(operation, 4) == 0.75
    assert bus_factor("broadcast", 4) == bus_factor("reduce", 4) == 1
    assert bus_factor("barrier", 4) is bus_factor("scan", 4) is None
