"""Negative controls deadlock in model and hardware in the same cycle; with the rule kept, neither deadlocks."""

from dataclasses import replace

import pytest

from hydranoc.lockstep.compare import compare_network
from sim_model.messages.messages import Message
from tests.networks import ring
from tests.tb.spam_workloads import Shape, comparison, model_results
from topology.common.graph import Network

FLITS = 24


def conflicting_multicasts() -> list[Message]:
    """Two worms that request the same four outputs of one switch, from inputs between them."""
    return [Message(source, (1, 2, 4, 5), FLITS) for source in (0, 3)]


def all_around() -> list[Message]:
    """Every processor of a ring sends two hops in the same direction."""
    return [Message(source, ((source + 2) % 5,), FLITS) for source in range(5)]


CONTROLS = [
    pytest.param(
        Network(1, [], [0] * 6),
        Shape(enqueue="split"),
        {"enqueue": "atomic"},
        conflicting_multicasts(),
        id="non-atomic",
    ),
    pytest.param(ring(5), Shape(up_after_down=True), {"up_after_down": False}, all_around(), id="up-after-down"),
]


@pytest.mark.parametrize(("network", "shape", "rule", "records"), CONTROLS)
def test_negative_control(network, shape, rule, records, tmp_path, require_tool):
    require_tool("icarus")
    broken = comparison(shape.routing(network), shape, records, cycles=2_000)
    assert model_results(broken).deadlocked
    outcome = compare_network(broken, "icarus", tmp_path)
    assert outcome.result.report is None, "hardware and model stop in the same cycle, with the same flits delivered"

    kept = replace(shape, **rule)
    restored = comparison(kept.routing(network), kept, records)
    assert not model_results(restored).deadlocked
    assert compare_network(restored, "icarus", tmp_path).result.report is None
