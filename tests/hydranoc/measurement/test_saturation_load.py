"""The search for saturation, on a queue and on a network whose capacities are known."""

import pytest

from hydranoc.measurement.network import UNICAST_ONLY, NetworkExperiment
from hydranoc.measurement.point import Plan, carries_load
from hydranoc.measurement.saturation import find_saturation
from hydranoc.measurement.whole_runs import finish, prepare
from sim_model.messages.messages import Message
from sim_model.traffic import random_traffic
from tests.hydranoc.measurement.queue import FixedServiceQueue
from tests.sim_model.builders import spam_model
from topology.common.graph import Network

FLITS = 16


@pytest.mark.parametrize("seed", range(8))
def test_a_queue_saturates_at_load_1(seed):
    found = find_saturation(lambda load: carries_load(FixedServiceQueue(load, seed), Plan(200_000)), 0.5, 1.5)
    assert found.carried == pytest.approx(1, rel=0.02)
    assert found.diverging == pytest.approx(1, rel=0.02)
    assert found.carried < found.middle < found.diverging


def _two_nodes():
    return spam_model(Network(2, [(0, 1)], [0, 1]))


def _cycles_per_message() -> float:
    """Cycles per message on the path between two nodes while many messages wait at their source."""
    few, many = (
        finish(prepare(_two_nodes(), [Message(0, [1], FLITS) for _ in range(count)])).cycles for count in (100, 200)
    )
    return (many - few) / 100


def test_a_network_saturates_where_its_slowest_channel_is_busy_all_the_time():
    capacity = 1 / _cycles_per_message()
    assert 1 / (FLITS + 4) < capacity <= 1 / FLITS

    def stable(rate: float) -> bool:
        def traffic(_model, seed: int, cycles: int):
            return random_traffic(
                processors=2,
                cycles=cycles,
                seed=seed,
                messages_per_node_per_cycle=rate,
                multicast_fraction=0,
                destinations=1,
                flits=FLITS,
            )

        return carries_load(NetworkExperiment([_two_nodes()], traffic, seed=1, kinds=UNICAST_ONLY), Plan(20_000))

    found = find_saturation(stable, 0.02, 0.2, relative_width=0.01)
    assert found.carried == pytest.approx(capacity, rel=0.02)
    assert found.diverging == pytest.approx(capacity, rel=0.02)


def test_ends_of_the_search_that_do_not_enclose_it():
    assert find_saturation(lambda load: load < 1, 2, 3).carried == 0
    assert find_saturation(lambda load: load < 1, 2, 3).diverging == 2
    assert find_saturation(lambda load: load < 1, 0.1, 0.5).carried == 0.5
    assert find_saturation(lambda load: load < 1, 0.1, 0.5).middle == float("inf")


def test_the_interval_is_as_narrow_as_asked():
    asked = []
    found = find_saturation(lambda load: asked.append(load) or load < 0.777, 0.1, 2, relative_width=0.001)
    assert found.carried < 0.777 <= found.diverging
    assert found.diverging - found.carried <= 0.001 * found.diverging
    assert len(asked) < 20


@pytest.mark.parametrize(
    ("low", "high", "width", "text"),
    [
        (0, 1, 0.1, "must be 0 < low < high, not 0 and 1"),
        (2, 1, 0.1, "must be 0 < low < high, not 2 and 1"),
        (1, 2, 0, "must be between 0 and 1, not 0"),
    ],
)
def test_wrong_searches_are_refused(low, high, width, text):
    with pytest.raises(ValueError, match=text):
        find_saturation(lambda _: True, low, high, relative_width=width)
