"""Networks that deadlock: the project writes no certificate, and the checker refuses the best forged one."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from hydranoc import Design, load
from hydranoc.families.registry import FAMILIES
from tests.hydranoc.certificates.networks import Certified, best_order, named, verdict
from topology.common.channel_order import NoOrder
from topology.hypercube.deadlock import Waiting
from topology.hypercube.ways import Ways
from topology.min.certificate import min_evidence
from topology.min.deadlock import min_dependencies
from topology.spam.certificate import spam_evidence
from topology.spam.deadlock import spam_dependencies
from topology.torus.deadlock import torus_dependencies


def lane_names(design: Design) -> list[str]:
    return [channel.name for channel in design.network.channels]


def torus(design: Design) -> dict[str, Any]:
    return {"order": best_order(lane_names(design), torus_dependencies(design.routing)[0])}


def hypercube(design: Design) -> dict[str, Any]:
    """Equivalent lanes side by side, and the existing escape channels."""
    ways = Ways(design.routing)
    waiting = Waiting(ways, design.model.lane_reuse)
    names = lane_names(design)

    def alike(lanes):
        return [names[ways.shifted(lane, shift)] for lane in lanes for shift in ways.shifts]

    return {"escapes": alike(waiting.escape_lanes), "order": alike(waiting.graph)}


def spam_routing(design: Design) -> dict[str, Any]:
    """Certainly the branches are those of the tree; up links follow down links."""
    network, path = design.network, spam_dependencies(design.routing).path
    branches = [c.index for c in network.channels if design.routing.labels.channel_class[c.index] == 2]
    names = lane_names(design)
    into = {network.channels[branch].sink: names[branch] for branch in branches}
    nesting = {names[branch]: into.get(network.channels[branch].source) for branch in branches}
    return {"order": best_order(names, path), "nesting": nesting}


def without_tokens(design: Design) -> dict[str, Any]:
    return {"order": best_order(lane_names(design), min_dependencies(design.routing)[0]), "tokens": []}


def pages(design: Design) -> dict[str, Any]:
    sound = design.config.network_section.model_copy(update={"negative_control": None})
    return FAMILIES["harts"].evidence(sound, design.routing)


CONTROLS: list[tuple[str, Callable[[Design], dict[str, Any]], str]] = [
    ("deadlock-torus-one-lane", torus, "waits for s.*, which does not come later in the order"),
    ("deadlock-hypercube-adaptive-only", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-hypercube-wrong-escape", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-hypercube-tail", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-routing", spam_routing, "waits for s.*, which does not come later in the order"),
    (
        "deadlock-enqueue",
        lambda design: spam_evidence(design.routing),
        "noc_spam_router_p4 enters the requests of a header one by one, and not all at once",
    ),
    ("deadlock-token", without_tokens, "worms of several inputs may branch at s0_0 at a time: it has no token"),
    (
        "printed-release",
        lambda design: min_evidence(design.routing, 1),
        "s0_0 gives the token on after 4 flits, and 5 are needed",
    ),
    ("deadlock-pages", pages, "router_s0 gives any page to packets of any level, which wait for each other's pages"),
]


@pytest.mark.parametrize(("name", "forged", "why"), CONTROLS, ids=[name for name, _, _ in CONTROLS])
def test_what_may_deadlock_gets_no_certificate(name, forged, why, tmp_path):
    design = named(name)
    with pytest.raises(NoOrder):
        design.family.evidence(design.config.network_section, design.routing)
    code, line = verdict(Certified(design.verilog().files, forged(design)), tmp_path)
    assert code == 1
    assert line.startswith("refused: ")
    assert re.search(why, line), line


def test_a_mesh_with_faults_gets_none(tmp_path):
    design = load(
        {
            "network": {
                "family": "harts",
                "topology": {"kind": "hexmesh", "size": 2},
                "packet_flits": 3,
                "faults": {"dead_links": [[0, 1]]},
            }
        }
    )
    with pytest.raises(NoOrder, match="failed"):
        design.family.evidence(design.config.network_section, design.routing)
    forged = {"order": [f"level {level}" for level in range(design.routing.levels + 1)]}
    code, line = verdict(Certified(design.verilog().files, forged), tmp_path)
    assert (code, line) == (1, "refused: router_s0 has faults, so not everything can be delivered")
