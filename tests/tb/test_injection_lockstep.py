"""Networks whose processors have several injection channels in lock-step with their golden model."""

import pytest

from tests.tb.comparisons import assert_equal
from tests.tb.injection_workloads import injecting_job, injecting_routing
from topology.common.host_pattern import EAGER, HostBehaviour

PAUSING = HostBehaviour(pause_level=90, stall_level=70, seed=9)


@pytest.mark.parametrize(
    ("rows", "columns", "wraps", "channels", "hosts", "settings"),
    [
        (1, 4, True, 2, EAGER, {}),
        (1, 4, True, 2, PAUSING, {"injection_priority": "low"}),
        (2, 2, False, 3, PAUSING, {"buffer_flits": 2, "routing_cycles": 2}),
    ],
    ids=["ring-of-4-with-2", "ring-of-4-with-2-pausing", "mesh-of-4-with-3-pausing"],
)
def test_small_networks_under_icarus(rows, columns, wraps, channels, hosts, settings, tmp_path, require_tool):
    require_tool("icarus")
    routing = injecting_routing(rows, columns, channels, wraps=wraps)
    assert_equal(injecting_job(routing, 150, hosts, **settings), "icarus", tmp_path)
