"""Overhead of a run beside its cycles: no Python work per message in any family, and the benchmark of that."""

import sys

import pytest

from benchmarks import end_to_end, workload
from benchmarks.end_to_end import MESH, measure, mesh
from hydranoc import load
from hydranoc.design import Design
from hydranoc.reports.summary import summary_of
from sim_model.engines.simulation import Simulation

FEW, MANY = 1_500, 6_000
CONFIGURATIONS = {"mesh": MESH, **{path.stem: path for path in workload.NETWORKS}}


def design_of(name, messages):
    config = load(CONFIGURATIONS[name]).config
    nodes, rate = len(config.network.processors), config.traffic.messages_per_node_per_cycle
    alone = {"multicast_fraction": 0.0, "algorithm": None, "cycles": round(messages / nodes / rate)}
    return Design(type(config)(**{**vars(config), "traffic": config.traffic.model_copy(update=alone)}))


def calls(design):
    """Messages, and calls of functions from configuration to statistics, but for the cycles of the network."""
    _ = design.model
    counted = 0

    def count(_frame, event, _argument):
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        simulation = Simulation(design.model, design.messages)
    finally:
        sys.setprofile(None)
    simulation.run()
    sys.setprofile(count)
    try:
        summary_of(simulation.results(), warmup_cycles=0)
    finally:
        sys.setprofile(None)
    return len(design.messages), counted


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_four_times_as_many_unicasts_take_no_more_calls(name):
    (few, before), (many, after) = calls(design_of(name, FEW)), calls(design_of(name, MANY))
    assert many - few > 3_000
    assert after - before < 100


def test_costs_are_told_apart_and_printed(capsys, monkeypatch):
    cost = measure(lambda: mesh(16, 0.2, 500))
    parts = (cost.messages_seconds, cost.state_seconds, cost.run_seconds, cost.statistics_seconds)
    assert cost.flit_hops > 10_000
    assert all(seconds >= 0 for seconds in parts)
    assert cost.seconds == pytest.approx(sum(parts))
    assert cost.ratio == pytest.approx(cost.seconds / cost.run_seconds)
    monkeypatch.setattr(end_to_end, "FLITS", (5,))
    monkeypatch.setattr(end_to_end, "MAX_RATIO", 1.0)
    end_to_end.main(quick=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2::2]] == [["5", "0.1"], ["5", "0.2"]]
    assert lines[3] == "    more than 1.0 times the run alone"
