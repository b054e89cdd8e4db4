"""Elements of a picture overlap only those that they belong to; large networks stay readable.

What is drawn is measured with Matplotlib's own geometry, and not with that of the placement.
"""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from hydranoc.config.schema import Section
from hydranoc.families.registry import FAMILIES
from hydranoc.pictures import draw
from hydranoc.pictures.placement import Placement, name_half, place
from topology.common.graph import Network
from topology.common.lattice import irregular_network, lattice_network
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network, tree_network
from topology.harts.graph import HexMesh
from topology.hypercube.graph import HypercubeLinks
from topology.min.graph import MinNetwork
from topology.torus.graph import TorusLinks
from topology.torus.grid import Grid

SMALL = {
    "lattice": ("spam", lambda: lattice_network(30, seed=2)),
    "irregular, in levels": ("spam", lambda: irregular_network(12, seed=2)),
    "irregular": ("spam", lambda: irregular_network(40, seed=2)),
    "mesh with three processors each": ("spam", lambda: mesh_network([4, 4], processors_per_switch=3)),
    "torus with two processors each": ("spam", lambda: torus_network([4, 4], processors_per_switch=2)),
    "torus of three dimensions": ("spam", lambda: torus_network([3, 3, 3])),
    "hypercube of switches": ("spam", lambda: hypercube_network(5)),
    "tree": ("spam", lambda: tree_network(3, 3)),
    "ring": ("spam", lambda: ring_network(24)),
    "long names": (
        "spam",
        lambda: Network(3, [(0, 1), (1, 2)], [0, 1, 2], switch_names=["library", "canteen", "gate"]),
    ),
    "omega": ("min", lambda: MinNetwork("omega", 2, 3)),
    "baseline of 4 x 4": ("min", lambda: MinNetwork("baseline", 4, 3)),
    "bidirectional": ("min", lambda: MinNetwork("bi-butterfly", 4, 2)),
    "private consumption channels": ("min", lambda: MinNetwork("bi-butterfly", 2, 3, 2)),
    "hexagonal mesh 2": ("harts", lambda: HexMesh(2)),
    "hexagonal mesh 3": ("harts", lambda: HexMesh(3)),
    "hexagonal mesh 5": ("harts", lambda: HexMesh(5)),
    "torus": ("torus", lambda: TorusLinks(Grid(4, 6, wraps=True))),
    "torus of a row": ("torus", lambda: TorusLinks(Grid(1, 4, wraps=True))),
    "mesh": ("torus", lambda: TorusLinks(Grid(5, 3, wraps=False))),
    **{f"hypercube {n}": ("hypercube", lambda n=n: HypercubeLinks(n)) for n in range(1, 7)},
}
LARGE = {
    "lattice of 256": ("spam", lambda: lattice_network(256, seed=1)),
    "torus of 256 switches": ("spam", lambda: torus_network([16, 16])),
    "bidirectional, 256 nodes": ("min", lambda: MinNetwork("bi-butterfly", 4, 4)),
    "hexagonal mesh of 919": ("harts", lambda: HexMesh(18)),
    "torus of 1,024": ("torus", lambda: TorusLinks(Grid(32, 32, wraps=True))),
    "hypercube of 256": ("hypercube", lambda: HypercubeLinks(8)),
    "hypercube of 512": ("hypercube", lambda: HypercubeLinks(9)),
    "hypercube of 1,024": ("hypercube", lambda: HypercubeLinks(10)),
}
MIN_LETTERS_POINTS, MAX_DOTS = 5.0, 6400


def picture(family: str, network):
    """The network as the family draws it, and its links."""
    section: Section = FAMILIES[family].network_section(family=family, topology={})
    routing = FAMILIES[family].build_routing(section, network)
    return routing.network, FAMILIES[family].link_classes(routing)


def _boxes(placement: Placement, network) -> list[tuple[str, int | None, Bbox]]:
    """Elements with a width: kind, the switch that it belongs to, and where it is."""
    side = np.array([placement.side, placement.side]) / 2
    found = [("switch", i, c, h) for i, (c, h) in enumerate(zip(placement.switches, placement.halves, strict=True))]
    found += [("processor", home, c, side) for home, c in zip(placement.homes, placement.processors, strict=True)]
    found += [("name", s.switch, s.name_at, name_half(network.switch_names[s.other])) for s in placement.stubs]
    return [(what, switch, Bbox([centre - half, centre + half])) for what, switch, centre, half in found]


def _lines(placement: Placement) -> list[tuple[str, tuple[int, ...], np.ndarray]]:
    """Elements without a width: kind, the switches that it may meet, and its points. Lines to processors end just
    before them."""
    found = [(f"link {link}", link, line) for link, line in placement.lines.items()]
    for stub in placement.stubs:
        line = np.stack([placement.switches[stub.switch], stub.tip])
        found.append((f"stub of {stub.switch}", (stub.switch,), line))
    for home, processor in zip(placement.homes, placement.processors, strict=True):
        start, along = placement.switches[home], processor - placement.switches[home]
        end = processor - along * placement.side / np.hypot(*along)
        found.append((f"line to processor of {home}", (home,), np.stack([start, end])))
    return found


def _faults(placement: Placement, network) -> list[str]:
    """Pairs of elements that overlap."""
    boxes, found = _boxes(placement, network), []
    order = sorted(boxes, key=lambda box: box[2].x0)
    for i, (what, switch, box) in enumerate(order):
        for other, near, second in order[i + 1 :]:
            if second.x0 >= box.x1:
                break
            if box.y0 < second.y1 and second.y0 < box.y1:
                found.append(f"{what} of {switch} and {other} of {near} overlap")
    corners = np.array([[*box.p0, *box.p1] for _, _, box in boxes])
    for what, own, line in _lines(placement):
        low, high = line.min(axis=0), line.max(axis=0)
        beside = (corners[:, :2] <= high).all(axis=1) & (corners[:, 2:] >= low).all(axis=1)
        for number in np.flatnonzero(beside).tolist():
            other, switch, box = boxes[number]
            if not (other == "switch" and switch in own) and Path(line).intersects_bbox(box, filled=False):
                found.append(f"{what} meets {other} of {switch}")
    return found


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_nothing_meets_anything(name):
    family, build = (SMALL | LARGE)[name]
    network, links = picture(family, build())
    placement = place(network, links)
    assert _faults(placement, network) == []
    drawn = set(placement.lines) | {stub.link for stub in placement.stubs}
    assert drawn == set(network.edges) - (links.around if links.rule else frozenset())
    assert len(placement.processors) >= len(network.processors)


def test_the_measure_finds_faults():
    network, links = picture("torus", TorusLinks(Grid(4, 4, wraps=True)))
    placement = place(network, links)
    assert _faults(placement, network) == []
    placement.processors[5] = placement.processors[6]
    assert any("processor of 5 and processor of 6 overlap" in fault for fault in _faults(placement, network))
    placement.processors[5] = (placement.switches[5] + placement.switches[6]) / 2
    assert any(fault == "link (5, 6) meets processor of 5" for fault in _faults(placement, network))
    placement.lines[0, 3] = placement.switches[[0, 3]]
    assert any(fault == "link (0, 3) meets switch of 1" for fault in _faults(placement, network))


@pytest.mark.parametrize("name", LARGE)
def test_large_networks_stay_readable(name):
    family, build = LARGE[name]
    network, links = picture(family, build())
    figure = draw._figure(network, links, name)
    numbers = [text for text in figure.axes[0].texts if text.get_text() in map(draw.short_name, network.switch_names)]
    assert len(numbers) >= network.switches
    assert min(text.get_fontsize() for text in numbers) >= MIN_LETTERS_POINTS
    assert max(figure.get_size_inches()) * draw.PNG_DOTS_PER_INCH < MAX_DOTS


def test_what_is_not_drawn_is_said():
    network, links = picture("hypercube", HypercubeLinks(9))
    far = {(a, a | 1 << bit) for a in range(512) for bit in range(4, 9) if not a >> bit & 1}
    assert links.around == far
    legend = draw._figure(network, links, "nine").axes[0].get_legend()
    assert legend is not None
    said = "link to another cube (1280, not drawn) where one of the bits 4 to 8 of the number differs"
    assert said in [text.get_text() for text in legend.get_texts()]


def test_no_two_switches_of_a_picture_have_one_place():
    for family, build in SMALL.values():
        network, links = picture(family, build())
        switches = place(network, links).switches
        assert min(np.hypot(*(switches[a] - switches[b])) for a, b in combinations(range(len(switches)), 2)) > 0.74
