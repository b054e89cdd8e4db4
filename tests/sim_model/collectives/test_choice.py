"""The choice of algorithms by size, and bandwidths."""

import pytest

from sim_model.collectives.algorithm import Case
from sim_model.collectives.bandwidth import bus_factor
from sim_model.collectives.choice import HOP_CYCLES, best_segments, choose
from sim_model.collectives.closed_forms import form_of
from sim_model.collectives.registry import OPERATIONS


def in_software(operation, members, flits, startup_cycles=0):
    known = OPERATIONS[operation]
    return choose(operation, Case(members), flits, startup_cycles, is_allowed=lambda name: not known[name].in_hardware)


def test_short_vectors_take_few_rounds_and_long_ones_few_flits():
    assert in_software("all-reduce", 64, 1, 100) == "recursive-doubling"
    assert in_software("all-reduce", 64, 1_000, 100) == "rabenseifner"
    assert in_software("all-gather", 60, 60) == "bruck"
    assert in_software("all-to-all", 64, 64, 1_000) == "bruck"
    assert in_software("all-to-all", 64, 65_536) == "pairwise"
    assert in_software("broadcast", 64, 1, 1_000) == "binomial"
    assert choose("broadcast", Case(64), 1, 1_000) == "multicast"
    assert choose("barrier", Case(64), 0, 1_000) == "dissemination"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_choice_has_the_least_estimate(operation):
    for members in (2, 3, 16, 60):
        for flits in (1, 50, 5_000):
            times = {
                name: form_of(operation, name, Case(members)).cycles(flits, 40, HOP_CYCLES, 0.5)
                for name in OPERATIONS[operation]
            }
            assert times[choose(operation, Case(members), flits, 40, 0.5)] == min(times.values())


def test_segments_of_a_chain_take_the_least_time():
    for members, flits, startup in ((16, 1_000, 0), (64, 4_096, 100), (3, 10, 0)):
        best = best_segments(members, flits, startup)

        def cycles(segments, members=members, flits=flits, startup=startup):
            return form_of("broadcast", "chain", Case(members, 0, segments)).cycles(flits, startup, HOP_CYCLES, 0)

        assert cycles(best) <= min(cycles(max(best - 1, 1)), cycles(best + 1))
    assert best_segments(2, 100, 0) == best_segments(64, 1, 0) == 1


def test_bus_bandwidth_has_the_factors_of_nccl():
    assert bus_factor("all-reduce", 4) == 1.5
    for operation in ("all-gather", "reduce-scatter", "all-to-all", "gather", "scatter"):
        assert bus_factor(operation, 4) == 0.75
    assert bus_factor("broadcast", 4) == bus_factor("reduce", 4) == 1
    assert bus_factor("barrier", 4) is bus_factor("scan", 4) is None
