"""Situations of contention: made on purpose, each is counted; in an idle network none is."""

import re
from collections import Counter
from itertools import chain
from pathlib import Path

from hydranoc import load
from tests.each import each
from verification.campaign.situations.watch import SITUATIONS, Watch

STAR = {"switches": 4, "edges": [[0, 1], [0, 2], [0, 3]], "processors": [0, 1, 2, 3]}
NETWORKS = {
    "spam": {"family": "spam", "topology": STAR, "flit_bits": 32},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}, "flit_bits": 32},
    "harts": {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 17},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 3, "columns": 3}},
    "hypercube": {
        "family": "hypercube",
        "topology": {"kind": "hypercube", "dimensions": 3},
        "vc_reallocation": "non-atomic",
    },
}


def seen(family: str, messages: list[dict], look_every: int = 7, cycles: int = 1600, **more) -> Counter:
    """Counts of a run that is sampled often."""
    network = {**NETWORKS[family], **more.pop("network", {})}
    design = load({"network": network, "traffic": {"kind": "list", "messages": messages}, **more})
    watch, simulation = Watch(family, design.network), design.simulation()
    for _ in range(cycles // look_every):
        watch(simulation, simulation.record(look_every))
    return +watch.counts


def to_one(destination: int, sources: list[int], flits: int = 40, count: int = 4) -> list[dict]:
    """Messages of several sources to one destination, all at once."""
    return [{"source": s, "destinations": [destination], "flits": flits} for s in sources for _ in range(count)]


def multicasts(processors: int, count: int = 3) -> list[dict]:
    """Everybody sends to everybody else, all at once."""
    everyone = range(processors)
    return [
        {"source": s, "destinations": [d for d in everyone if d != s], "flits": 24}
        for s in everyone
        for _ in range(count)
    ]


@each("family", SITUATIONS)
def test_a_lone_message_is_in_no_contention(family):
    calm = {"cut-through", "tee", "ring-closed", "host-sends-on-all", "all-outputs-move", "no-page-kept"}
    calm |= {"injector-waits"} if family == "harts" else set()  # whose nodes take a flit in eight cycles
    found = seen(family, [{"source": 0, "destinations": [1], "flits": 12}])
    assert not set(found) - calm, found


HEXAGONS = {"topology": {"kind": "hexmesh", "size": 3}}
"""Copies go straight on through a node."""
BROADCASTS = [{"source": s, "algorithm": "6-bcast", "flits": 17} for s in range(7) for _ in range(4)]
SINGLE = [{"source": s, "algorithm": "sbcast", "flits": 17, "start_cycle": 40 * s} for s in range(19)]
CROWD, SHORT = to_one(4, [0, 1, 3, 5, 7, 8], 9, 30), {"buffer_flits": 2}
AGES = {"topology": {"kind": "mesh", "shape": [3, 3]}, "arbitration": "age"}
ODD = [
    {"source": s, "destinations": [(1, 3, 5, 7)[(s + k) % 4]], "flits": 9}
    for s in range(8)
    for k in range(60)
    if s != (1, 3, 5, 7)[(s + k) % 4]
]
"""Three worms with a VC of their own request one output, and each has flits."""
ON_PURPOSE = [
    ("spam", to_one(1, [0, 2, 3]), {}, "three-want-one injector-waits buffer-full"),
    ("spam", multicasts(4), {}, "multicasts-cross three-in-queues waits-for-older to-all-others"),
    (
        *("spam", to_one(0, [*range(1, 9)], 200, 3), {"cycles": 4000, "network": AGES}),
        "overtaken-by-older head-has-age age-saturated",
    ),
    ("min", multicasts(8), {}, "token-held-and-wanted token-wanted-by-all half-copied"),
    (
        *("harts", BROADCASTS, {"cycles": 6000}),
        "three-wait-for-host to-three packet-wishes no-free-page page-for-urgent",
    ),
    ("harts", SINGLE, {"cycles": 2000, "network": HEXAGONS}, "cut-through tee owned-while-wanted"),
    ("torus", CROWD, {"network": SHORT}, "worm-without-credit head-without-lane three-request-one"),
    ("torus", to_one(4, [0, 2, 6, 8], 3, 30), {"network": SHORT}, "tail-without-credit"),
    ("torus", CROWD, {"network": {"injection_priority": "low"}}, "injection-yields"),
    (
        *("hypercube", to_one(0, [1, 2, 3, 4, 5, 6, 7], 9, 30), {}),
        "no-adaptive-lane escape-picked all-lanes-held two-worms-in-a-buffer tail-without-credit",
    ),
    ("hypercube", ODD, {"look_every": 2, "cycles": 800, "network": {"virtual_channels": 4}}, "three-request-one"),
]


@each("family, messages, more, names", ON_PURPOSE)
def test_situations_made_on_purpose_are_counted(family, messages, more, names):
    found = seen(family, messages, **more)
    assert not [name for name in names.split() if not found[name]]


def test_what_was_not_made_is_not_counted():
    found = seen("spam", to_one(1, [0, 2, 3]))
    assert not found["multicasts-cross"]
    assert not found["all-inputs-want-one"]  # no message starts at the common destination
    assert not seen("torus", CROWD, network=SHORT)["injection-yields"]


def test_a_receiver_that_is_blocked():
    hosts = {"blocked": [{"processor": 1, "start_cycle": 10, "cycles": 900}]}
    for family in SITUATIONS:
        found = seen(family, to_one(1, [0, 2], 12), hosts=hosts)
        assert found["receiver-blocked"], family
        assert not seen(family, to_one(1, [0, 2], 12))["receiver-blocked"], family


def test_a_source_that_pauses():
    for family in SITUATIONS:
        assert seen(family, to_one(1, [0], 12), hosts={"pause": 0.7})["source-pauses"], family


def test_the_page_says_what_each_is():
    page = (Path(__file__).parents[2] / "docs" / "understand" / "campaign.md").read_text()
    assert set(chain(*SITUATIONS.values())) == set(re.findall(r"(?m)^\| `([\w-]+)` \|", page))
