"""Pictures: layouts, marks, loads on links, deterministic bytes, no overlaps."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.path import Path
from matplotlib.transforms import Bbox

from hydranoc import load
from hydranoc.cli import run
from hydranoc.config.schema import Section
from hydranoc.families.registry import FAMILIES
from hydranoc.families.reports import LinkClasses
from hydranoc.pictures import draw
from hydranoc.pictures.channel_lines import UNDRAWN, channel_lines_of, moved_aside
from hydranoc.pictures.draw import CROSS, ROOT, TREE, draw_network
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.load import BESIDE, palette
from hydranoc.pictures.placement import Placement, name_half, place
from hydranoc.pictures.plots import COLOURS, plot_figure
from hydranoc.replay.use import Use
from hydranoc.studies.common.figure import Claim, Figure, Series
from tests.each import each
from tests.hydranoc.report.networks import CONFIGURATIONS
from tests.sampled import sampled
from topology.common.graph import Network
from topology.common.lattice import irregular_network, lattice_network
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network, tree_network
from topology.harts.graph import HexMesh
from topology.hypercube.graph import HypercubeLinks
from topology.min.graph import MinNetwork
from topology.torus.graph import TorusLinks
from topology.torus.grid import Grid


def test_tree_cross_links_and_root_are_told_apart():
    network, links = picture("spam", torus_network([3, 3]))
    drawn = draw_network(network, links, "torus")
    assert drawn == draw_network(network, links, "torus")
    text = drawn["svg"].decode()
    assert all(colour in text for colour in (TREE, CROSS, ROOT))
    assert "cross link (10)" in text
    assert "<dc:date>" not in text


def test_links_bend_around_switches_in_their_way():
    network = Network(4, [(0, 1), (0, 2), (2, 3)], [0], positions=np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]]))
    lines = place(network, LinkClasses()).lines
    assert {link: len(line) > 2 for link, line in lines.items()} == {(0, 1): False, (0, 2): True, (2, 3): False}


@pytest.mark.parametrize("bars", [False, True])
def test_plots_mark_the_claims_of_the_paper(bars):
    figure = Figure(
        title="latency",
        x_label="destinations",
        y_label="us",
        series=(Series("hardware", [1.0], [12.0], [0.1]), Series("software", [1.0], [80.0])),
        claims=(Claim("under 14 us", "12 us", True, level=14.0), Claim("ninefold", "six", False)),
        columns=(),
        rows=(),
        bars=bars,
    )
    text = plot_figure(figure)["svg"].decode()
    assert "paper: under 14 us" in text
    assert "does not hold: ninefold (measured: six)" in text


STRANGE, DRAWN = "a$_$b\udcff\x01\x02\ufffe\U0001f600", "a$_$b????\U0001f600"
"""A name with half formulas and characters that no XML may contain, and its text in pictures."""


def _texts(svg: bytes) -> list[str | None]:
    return [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@each("form", [{}, {"bars": True}, {"x_names": (STRANGE, "two")}, {"panels": (STRANGE,), "one_legend": True}])
def test_names_in_plots_are_text(form):
    series = Series(STRANGE, [1.0], [2.0])
    claims = (Claim(STRANGE, STRANGE, True, level=1.5),)
    texts = _texts(plot_figure(Figure(*(STRANGE, STRANGE, STRANGE, (series,), claims, (), ()), **form))["svg"])
    # title, labels of the axes, name of the curve, claim in the plot and below it
    assert sum(DRAWN in (text or "") for text in texts) == 6 + ("x_names" in form or "panels" in form)


def test_names_in_pictures_are_text():
    network = Network(2, [(0, 1)], [0, 1], switch_names=[STRANGE, "b"])
    texts = _texts(draw_network(network, LinkClasses(root=0), STRANGE)["svg"])
    assert DRAWN in texts
    assert f"root ({DRAWN})" in texts


def test_series_are_joined_and_marked_as_they_say():
    def strokes(**shown):
        series = Series("measured", [1.0, 2.0], [10.0, 20.0], **shown)
        return plot_figure(Figure("latency", "rate", "cycles", (series,), (), (), ()))["svg"].decode().count(COLOURS[0])

    joined, marked = strokes(marked=False), strokes(joined=False)
    assert strokes(joined=False, marked=False) == 0
    assert 0 < joined < marked
    assert strokes() == joined + marked


def test_receiving_ends_of_multistage_networks_are_drawn():
    one_way = MinNetwork("omega", 2, 3)
    assert arrivals(one_way) == [(8 + node // 2, node) for node in range(8)]
    text = draw_network(one_way, LinkClasses(), "omega")["svg"].decode()
    assert "receiving" in text
    assert "processor, sending (8)" in text
    assert arrivals(MinNetwork("bi-butterfly", 2, 3)) == []


NAMED = Network(3, [(0, 1), (1, 2)], [0, 1, 2], switch_names=["library", "canteen", "gate"])
SMALL = {
    "lattice": ("spam", lambda: lattice_network(30, seed=2)),
    "irregular, in levels": ("spam", lambda: irregular_network(12, seed=2)),
    "irregular": ("spam", lambda: irregular_network(40, seed=2)),
    "mesh with three processors each": ("spam", lambda: mesh_network([4, 4], processors_per_switch=3)),
    "torus of three dimensions": ("spam", lambda: torus_network([3, 3, 3])),
    "hypercube of switches": ("spam", lambda: hypercube_network(5)),
    "tree": ("spam", lambda: tree_network(3, 3)),
    "ring": ("spam", lambda: ring_network(24)),
    "long names": ("spam", lambda: NAMED),
    "omega": ("min", lambda: MinNetwork("omega", 2, 3)),
    "bidirectional": ("min", lambda: MinNetwork("bi-butterfly", 4, 2)),
    "private consumption channels": ("min", lambda: MinNetwork("bi-butterfly", 2, 3, 2)),
    "hexagonal mesh 3": ("harts", lambda: HexMesh(3)),
    "torus": ("torus", lambda: TorusLinks(Grid(4, 6, wraps=True))),
    "torus of a row": ("torus", lambda: TorusLinks(Grid(1, 4, wraps=True))),
    "mesh": ("torus", lambda: TorusLinks(Grid(5, 3, wraps=False))),
    **{f"hypercube {n}": ("hypercube", lambda n=n: HypercubeLinks(n)) for n in (1, 4, 6)},
}
LARGE = {
    "lattice of 256": ("spam", lambda: lattice_network(256, seed=1)),
    "hexagonal mesh of 919": ("harts", lambda: HexMesh(18)),
    "torus of 1,024": ("torus", lambda: TorusLinks(Grid(32, 32, wraps=True))),
    "hypercube of 256": ("hypercube", lambda: HypercubeLinks(8)),
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


@each("name", [*SMALL, "lattice of 256", "hypercube of 256"])
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


@pytest.mark.parametrize("name", sampled(LARGE, ("hypercube of 256",)))
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


def _drawn(family: str, network, seed: int = 1):
    """A picture in which channels carry something at random, some nothing: (network, links, use, lines)."""
    found, links = picture(family, network)
    random = np.random.default_rng(seed)
    flits = random.uniform(0, 0.5, len(found.channels)) * (random.random(len(found.channels)) > 0.1)
    use = Use(100, 2000, flits, np.zeros(len(flits)))
    figure = draw._figure(found, links, "load", use)
    (lines,) = [c for c in figure.axes[0].collections if isinstance(c, LineCollection) and c.get_array() is not None]
    return found, links, use, figure, lines


def _carried(network, use) -> dict[tuple[int, int], float]:
    sums: dict[tuple[int, int], float] = {}
    for channel in network.channels:
        ends = (channel.source, channel.sink)
        sums[ends] = sums.get(ends, 0) + use.flits_per_cycle[channel.index]
    return sums


@each("name", SMALL)
def test_every_direction_that_carries_something_has_its_line(name):
    family, build = SMALL[name]
    network, links, use, _, lines = _drawn(family, build())
    ways, carried = channel_lines_of(network, links, place(network, links)), _carried(network, use)
    wanted = sorted(
        (flits, len(way.pieces)) for ends, way in ways.items() if (flits := carried[ends]) and way.kind != UNDRAWN
    )
    values = lines.get_array()
    assert values is not None
    assert values.tolist() == [flits for flits, pieces in wanted for _ in range(pieces)]
    assert (np.diff(lines.get_linewidths()) >= 0).all()
    assert lines.norm.vmin == 0
    assert lines.norm.vmax == max(carried.values())


@each("name", SMALL)
def test_lines_meet_nothing_that_they_do_not_belong_to(name):
    family, build = SMALL[name]
    network, links, *_ = _drawn(family, build())
    placement, found = place(network, links), []
    boxes = _boxes(placement, network)
    corners = np.array([[*box.p0, *box.p1] for _, _, box in boxes])
    for (source, sink), way in channel_lines_of(network, links, placement).items():
        if way.kind == UNDRAWN:
            continue
        for piece in way.pieces:
            line = moved_aside(piece, BESIDE)
            low, high = line.min(axis=0), line.max(axis=0)
            beside = (corners[:, :2] <= high).all(axis=1) & (corners[:, 2:] >= low).all(axis=1)
            for number in np.flatnonzero(beside).tolist():
                what, switch, box = boxes[number]
                own = what == "switch" and switch in (source, sink)
                # its own processor: the one at the end of this line
                own |= (
                    what == "processor"
                    and max(source, sink) >= network.switches
                    and any(box.contains(*point) for point in (piece[0], piece[-1]))
                )
                if not own and Path(line).intersects_bbox(box, filled=False):
                    found.append(f"{source} to {sink} meets {what} of {switch}")
    assert found == []


def test_the_scale_has_units_and_the_colours_of_the_lines():
    network, _, use, figure, lines = _drawn("torus", SMALL["torus"][1]())
    (bar,) = figure.axes[0].child_axes
    assert bar.get_ylabel() == "flits per cycle, cycles 100 to 1,999"
    assert bar.get_ylim() == (0, pytest.approx(max(_carried(network, use).values())))
    lines.update_scalarmappable()
    assert np.allclose(lines.get_edgecolor()[-1], palette()(1.0))
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in palette()(np.linspace(0, 1, 20))]
    assert (np.diff(light) < 0).all()  # distinguished by brightness alone


@pytest.mark.parametrize("name", ["spam, links of 3 cycles", "harts", "hypercube"])
def test_a_run_is_drawn_from_its_messages(name, tmp_path, capsys):
    config = tmp_path / "small.yaml"
    config.write_text(json.dumps(CONFIGURATIONS[name]))
    assert run(["model", str(config), "-o", str(tmp_path)]) == 0
    plain = load(config).draw()["svg"]
    assert run(["draw", str(config), "-o", str(tmp_path), "--load", str(tmp_path / "messages.csv")]) == 0
    svg = (tmp_path / "small.svg").read_bytes()
    assert svg != plain
    last = min(600, json.loads((tmp_path / "summary.json").read_text())["cycles"]) - 1
    assert f"flits per cycle, cycles 0 to {last}".encode() in svg
    assert capsys.readouterr().out.endswith("small.png\n")


@each(
    "changed, said",
    [
        (lambda text: text.replace("\n", "\n9", 3), r"messages.csv:2: must be messages.csv of a run of this"),
        (lambda text: text[: text.rindex("\n", 0, -1) + 1], r"messages.csv:\d+: .* here, not the end$"),
        (lambda text: text + "1,2,3,4,5,6\n", r"messages.csv:\d+: .* with the end here, not '1,2,3,4,5,6'$"),
        (lambda _: "", r"messages.csv:1: .* with 'message,source,.*' here, not the end$"),
    ],
)
def test_messages_of_another_run_are_refused(changed, said, tmp_path, capsys):
    config, messages = tmp_path / "small.yaml", tmp_path / "messages.csv"
    config.write_text(json.dumps(CONFIGURATIONS["spam"]))
    run(["model", str(config), "-o", str(tmp_path)])
    messages.write_text(changed(messages.read_text()))
    capsys.readouterr()
    assert run(["draw", str(config), "-o", str(tmp_path / "out"), "--load", str(messages)]) == 2
    assert re.search(said, capsys.readouterr().err.strip())
    assert not (tmp_path / "out").exists()
