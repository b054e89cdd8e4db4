"""Timing and block diagrams of the pages, as SVG: ``python -m docs.diagrams`` writes ``docs/images``.

Timing diagrams are drawn from recordings of the golden model, which equals the hardware in every cycle. Blocks name the
parts of the routers.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hydranoc.api import load
from hydranoc.pictures.draw import drawing_style, render
from hydranoc.studies.common.measured import MEASURED
from rtl.collectives.combiner import Combiner
from rtl.collectives.credits import GroupCredits
from rtl.collectives.scheduler import PlaneScheduler
from rtl.collectives.word_buffers import WordBuffers
from rtl.harts.header_store import HeaderStore
from rtl.harts.page_pool import PagePool
from rtl.harts.page_queues import PageQueues
from rtl.harts.receiver_bank import ReceiverBank
from rtl.harts.relay_rules import RelayRules
from rtl.harts.transmitter_bank import TransmitterBank
from rtl.hypercube.adaptive_input import AdaptiveInput
from rtl.hypercube.adaptive_output import AdaptiveOutput
from rtl.hypercube.vc_allocator import VcAllocator
from rtl.min.branch_queues import BranchQueues
from rtl.min.tokens import TokenStation
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.output_register import OutputRegister
from rtl.routed.header_decoder import HeaderDecoder
from rtl.routed.route_unit import RouteUnit
from rtl.spam.ocrq import OutputRequestQueues
from rtl.vc.delivery_buffer import DeliveryBuffer
from rtl.vc.random_order import RandomOrder
from rtl.vc.round_robin_selector import RoundRobinSelector
from rtl.vc.vc_input import VcInput
from rtl.vc.vc_output import VcOutput
from sim_model.collective_plane.contributions import of_all_members
from sim_model.collective_plane.model import CollectivePlane
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree

IMAGES = Path(__file__).parent / "images"
INK, LINE, FAINT, GROUND = "#1f2d3d", "#5d7286", "#d5dde5", "#ffffff"
WORMS = ("#1f5f99", "#b8591c", "#2e7d4f", "#7b3f98")
FONT = "font-family='Helvetica, Arial, DejaVu Sans, sans-serif'"
LEFT, ROW, TOP = 118, 30, 34
PANELS = ("n = 6, V = 2, M = 32", "n = 6, V = 4, M = 32")
"""Parts of the hypercube paper's figure 1."""


@dataclass(frozen=True)
class Timing:
    """A run whose channels a timing diagram shows.

    Members:
        network, messages (str): Sections of the configuration, in YAML.
        cycles: Columns.
        rows: Names of channels, from above; a side wire is ``SWITCH.OUTPUT``.
        cell: Width of a column in pixels.
        frame: Distance of heavy lines in cycles.
    """

    network: str
    messages: str
    cycles: int
    rows: tuple[str, ...]
    cell: int = 27
    frame: int = 5


TIMINGS = {
    "spam": Timing(
        "{family: spam, topology: {switches: 3, edges: [[0, 1], [0, 2]], processors: [1, 0, 2, 2]}}",
        "[{source: 0, destinations: [1, 2], flits: 5}, {source: 3, destinations: [2], flits: 3, start_cycle: 2}]",
        15,
        ("p0->s1", "s1->s0", "s0->p1", "s0->s2", "p3->s2", "s2->p2"),
    ),
    "min": Timing(
        "{family: min, topology: {kind: baseline, radix: 2, stages: 2}}",
        "[{source: 0, destinations: [1, 2], flits: 4}, {source: 1, destinations: [0, 2, 3], flits: 4}]",
        18,
        ("p0->s0_0", "p1->s0_0", "0.token_out", "1.token_out", "s0_0->s1_0", "s0_0->s1_1", "s1_0->p0", "s1_0->p1",
         "s1_1->p2", "s1_1->p3"),
    ),
    "harts": Timing(
        "{family: harts, topology: {kind: hexmesh, size: 2}, flit_bits: 64, packet_flits: 4}",
        "[{source: 0, destinations: [2], flits: 3}]",
        67,
        ("p0->s0", "s0->s2", "s2->p2"),
        cell=12,
        frame=8,
    ),
    "torus": Timing(
        "{family: torus, topology: {kind: mesh, rows: 1, columns: 3}, virtual_channels: 1, buffer_flits: 2}",
        "[{source: 0, destinations: [2], flits: 6}]",
        21,
        ("p0->s0", "s0->s1", "1.credits_0", "s1->s2", "2.credits_0", "s2->p2"),
    ),
    "hypercube": Timing(
        "{family: hypercube, topology: {kind: hypercube, dimensions: 2}, virtual_channels: 2, buffer_flits: 4}",
        "[{source: 0, destinations: [3], flits: 4}]",
        23,
        ("p0->s0", "s0->s1.0", "1.credits_0", "1.releases_0", "s1->s3.0", "3.credits_1", "s3->p3"),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Blocks:
    """Blocks and arrows of a router.

    Members:
        blocks (dict of str to (column, row, classes)): Place of each block by its title, and the parts that it stands
            for.
        arrows (tuple of (str, str, str)): From, to, and a label; the ends of links have no block.
    """

    blocks: dict[str, tuple[int, int, tuple[type, ...]]]
    arrows: tuple[tuple[str, str, str], ...]


_TABLES = {
    "header decoder": (0, 1, (HeaderDecoder,)),
    "input buffers": (1, 1, (InputBuffer,)),
    "route unit": (1, 0, (RouteUnit,)),
    "crossbar": (2, 1, (ReplicatingCrossbar,)),
    "output registers": (3, 1, (OutputRegister,)),
}
_TABLE_ARROWS = (
    ("", "header decoder", ""), ("header decoder", "input buffers", ""), ("input buffers", "route unit", "header"),
    ("input buffers", "crossbar", "flits"), ("crossbar", "output registers", ""), ("output registers", "", ""),
)  # fmt: skip
ROUTERS = {
    "spam": Blocks(
        {**_TABLES, "request queues": (2, 0, (OutputRequestQueues,))},
        (*_TABLE_ARROWS, ("route unit", "request queues", "requests"), ("request queues", "crossbar", "grants")),
    ),
    "min": Blocks(
        {**_TABLES, "branch queues": (2, 0, (BranchQueues,)), "token station": (3, 0, (TokenStation,))},
        (
            *_TABLE_ARROWS, ("route unit", "branch queues", "requests"), ("branch queues", "crossbar", "grants"),
            ("token station", "branch queues", "token"), ("token station", "", "ring"),
        ),
    ),
    "harts": Blocks(
        {
            "input buffers": (0, 1, (InputBuffer,)),
            "receivers": (1, 1, (ReceiverBank,)),
            "relay rules": (0, 0, (RelayRules,)),
            "page queues": (1, 0, (PageQueues,)),
            "page pool": (2, 0, (PagePool,)),
            "packet memory": (2, 2, (HeaderStore,)),
            "transmitters": (2, 1, (TransmitterBank,)),
            "output registers": (3, 1, (OutputRegister,)),
        },
        (
            ("", "input buffers", ""), ("input buffers", "receivers", "slot"), ("receivers", "transmitters", "bus"),
            ("receivers", "packet memory", "store"), ("packet memory", "transmitters", "read"),
            ("relay rules", "page queues", "outputs"), ("page queues", "transmitters", "next"),
            ("page pool", "transmitters", "pages"), ("transmitters", "output registers", ""),
            ("output registers", "", ""),
        ),
    ),
    "torus": Blocks(
        {
            "VC buffers": (0, 1, (VcInput,)),
            "VC selection": (1, 1, (VcInput, RoundRobinSelector)),
            "output arbiters": (2, 1, (VcOutput, RoundRobinSelector)),
            "credits": (2, 0, (VcOutput,)),
            "output registers": (3, 1, (OutputRegister,)),
            "delivery buffer": (3, 2, (DeliveryBuffer,)),
        },
        (
            ("", "VC buffers", ""), ("VC buffers", "VC selection", "heads"),
            ("VC selection", "output arbiters", "request"), ("output arbiters", "output registers", "flit"),
            ("output arbiters", "delivery buffer", "flit"), ("credits", "output arbiters", ""),
            ("output registers", "", ""), ("delivery buffer", "", ""),
        ),
    ),
    "hypercube": Blocks(
        {
            "VC buffers": (0, 1, (AdaptiveInput,)),
            "VC selection": (1, 1, (AdaptiveInput,)),
            "VC allocator": (1, 0, (VcAllocator,)),
            "random order": (0, 0, (RandomOrder,)),
            "free VCs": (2, 0, (AdaptiveOutput,)),
            "output arbiters": (2, 1, (AdaptiveOutput,)),
            "output registers": (3, 1, (OutputRegister,)),
            "delivery buffer": (3, 2, (DeliveryBuffer,)),
        },
        (
            ("", "VC buffers", ""), ("VC buffers", "VC selection", "worms"), ("random order", "VC allocator", ""),
            ("free VCs", "VC allocator", ""), ("VC allocator", "VC selection", "VC"),
            ("VC selection", "output arbiters", "request"), ("output arbiters", "output registers", "flit"),
            ("output arbiters", "delivery buffer", "flit"), ("output registers", "", ""), ("delivery buffer", "", ""),
        ),
    ),
    "plane": Blocks(
        {
            "branch buffers": (0, 1, (WordBuffers,)),
            "combiner": (1, 1, (Combiner,)),
            "up register": (2, 1, ()),
            "scheduler": (1, 0, (PlaneScheduler,)),
            "credits": (2, 0, (GroupCredits,)),
            "parent buffer": (0, 2, (WordBuffers,)),
            "down register": (2, 2, ()),
        },
        (
            ("", "branch buffers", ""), ("branch buffers", "combiner", "words"), ("combiner", "up register", ""),
            ("up register", "", ""), ("", "parent buffer", ""), ("parent buffer", "down register", ""),
            ("combiner", "down register", "at the top"), ("down register", "", ""),
            ("scheduler", "combiner", "group"), ("credits", "scheduler", ""),
        ),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class PlaneTiming:
    """An all-reduce on a plane of two switches, p0 at the root s0 and p1 at s1.

    Members:
        words (tuple of tuple of int): Words of each processor.
        cycles: Columns.
    """

    words: tuple[tuple[int, ...], ...]
    cycles: int


PLANE_TIMING = PlaneTiming(((10, 20, 30), (1, 2, 3)), 20)


def plane_timing_diagram(timing: PlaneTiming) -> str:
    """Return the SVG of an operation: a row per link and stream, with ``H`` for headers, and words as numbers."""
    tables = PlaneTables(PlaneTree({0: None, 1: 0}, (0, 1)), groups_of([(0, 1)]))
    trace = CollectivePlane(tables, contributions=of_all_members(tables, 0, timing.words)).record(timing.cycles)
    branch = {(one.switch, one.is_processor): at for at, one in enumerate(tables.tree.branches)}
    taken = np.where(trace.ready != 0, trace.beat_marks, -1)
    rows = [("p1, stream in", taken[:, 1], trace.beat_words[:, 1], False)]
    for name, end in (("p1 -> s1", (1, True)), ("p0 -> s0", (0, True)), ("s1 -> s0", (0, False))):
        rows.append((name, trace.up_marks[:, branch[end]], trace.up_words[:, branch[end]], True))
    for name, end in (("s0 -> s1", (0, False)), ("s0 -> p0", (0, True)), ("s1 -> p1", (1, True))):
        rows.append((name, trace.down_marks[:, branch[end]], trace.down_words[:, branch[end]], True))
    rows.append(("p1, stream out", trace.result_marks[:, 1], trace.result_words[:, 1], False))
    grid = Timing("", "", timing.cycles, tuple(name for name, *_ in rows))
    width, height = LEFT + grid.cycles * grid.cell + 12, TOP + len(rows) * ROW + 8
    parts = list(_grid(grid, height))
    for number, row in enumerate(rows):
        parts += _words(*row, TOP + number * ROW, grid.cell, WORMS[0 if number < 4 else 2])
    return _svg(width, height, parts)


def _words(
    name: str, marks: np.ndarray, words: np.ndarray, has_headers: bool, y: int, cell: int, colour: str
) -> Iterator[str]:
    yield _text(LEFT - 10, y + 19, name.replace("->", "\u2192"), anchor="end")
    yield _line(LEFT, y + ROW / 2, LEFT + len(marks) * cell, y + ROW / 2, FAINT, 1.2)
    begins = has_headers
    for cycle in np.flatnonzero(marks >= 0):
        x = LEFT + int(cycle) * cell
        yield f"<rect x='{x + 1}' y='{y + 4}' width='{cell - 2}' height='{ROW - 8}' rx='3' fill='{colour}'/>"
        yield _text(x + cell / 2, y + 19.5, "H" if begins else str(words[cycle]), size=12, colour=GROUND)
        begins = has_headers and bool(marks[cycle] & 1)


def timing_diagram(timing: Timing) -> str:
    """Return the SVG of a run: a row per channel with its flits, a row per side wire with its level."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.yaml"
        path.write_text(f"network: {timing.network}\ntraffic: {{kind: list, messages: {timing.messages}}}\n")
        design = load(path)
        simulation = design.simulation(engine="cycle")
        trace = simulation.record(timing.cycles)
    channels = {channel.name: number for number, channel in enumerate(design.network.channels)}
    wires, bit = {}, 0
    for wire in simulation.model.side_wires:
        wires[f"{wire.source}.{wire.output}"] = trace.signals[:, bit : bit + wire.bits].any(axis=1)
        bit += wire.bits
    width, height = LEFT + timing.cycles * timing.cell + 12, TOP + len(timing.rows) * ROW + 8
    parts = list(_grid(timing, height))
    for number, name in enumerate(timing.rows):
        y = TOP + number * ROW
        if name in channels:
            parts += _channel(name, trace.flits[:, channels[name]], y, timing.cell)
        else:
            parts += _wire(f"s{name.replace('.', ' ').rstrip('_0123456789')}", wires[name], y, timing.cell)
    return _svg(width, height, parts)


def _grid(timing: Timing, height: int) -> Iterator[str]:
    step = timing.frame if timing.cell < 20 else 1
    for cycle in range(timing.cycles + 1):
        x = LEFT + cycle * timing.cell
        heavy = cycle % timing.frame == 0
        yield _line(x, TOP - 6, x, height - 6, LINE if heavy else FAINT, 0.8 if heavy else 0.6)
        if cycle % step == 0 and cycle < timing.cycles:
            yield _text(x + timing.cell / 2, TOP - 12, str(cycle), size=11, colour=LINE)
    yield _text(LEFT - 10, TOP - 12, "cycle", size=11, colour=LINE, anchor="end")


def _channel(name: str, flits: np.ndarray, y: int, cell: int) -> Iterator[str]:
    yield _text(LEFT - 10, y + 19, name.replace("->", " \u2192 "), anchor="end")
    yield _line(LEFT, y + ROW / 2, LEFT + len(flits) * cell, y + ROW / 2, FAINT, 1.2)
    for cycle in np.flatnonzero(flits >= 0):
        flit = int(flits[cycle])
        index, x = flit >> INDEX_SHIFT & INDEX_MASK, LEFT + int(cycle) * cell
        label = "T" if flit & TAIL else "H" if index == 0 else str(index)
        colour = WORMS[(flit >> MESSAGE_SHIFT) % len(WORMS)]
        yield f"<rect x='{x + 1}' y='{y + 4}' width='{cell - 2}' height='{ROW - 8}' rx='3' fill='{colour}'/>"
        yield _text(x + cell / 2, y + 19.5, label, size=12 if cell > 20 else 10, colour=GROUND)


def _wire(name: str, levels: np.ndarray, y: int, cell: int) -> Iterator[str]:
    yield _text(LEFT - 10, y + 19, name, anchor="end", colour=LINE)
    high, low = y + 8, y + ROW - 8
    points = []
    for cycle, level in enumerate(levels):
        points += [(LEFT + cycle * cell, high if level else low), (LEFT + (cycle + 1) * cell, high if level else low)]
    path = " ".join(f"{x},{place}" for x, place in points)
    yield f"<polyline points='{path}' fill='none' stroke='{LINE}' stroke-width='1.6'/>"


BOX, GAP_X, GAP_Y = (128, 44), 58, 34
MARGIN = (46, 20)


def block_diagram(router: Blocks) -> str:
    """Return the SVG of a router's blocks and the arrows between them."""
    columns = 1 + max(column for column, _, _ in router.blocks.values())
    rows = 1 + max(row for _, row, _ in router.blocks.values())
    width = 2 * MARGIN[0] + columns * BOX[0] + (columns - 1) * GAP_X
    height = 2 * MARGIN[1] + rows * BOX[1] + (rows - 1) * GAP_Y
    parts = []
    for title, (column, row, _) in router.blocks.items():
        x, y = _corner(column, row)
        parts += [
            f"<rect x='{x}' y='{y}' width='{BOX[0]}' height='{BOX[1]}' rx='6' fill='#eef3f8' stroke='{INK}'/>",
            _text(x + BOX[0] / 2, y + BOX[1] / 2 + 5, title, size=14),
        ]
    for arrow in router.arrows:
        parts += _arrow(router, *arrow)
    return _svg(width, height, parts)


def _corner(column: int, row: int) -> tuple[int, int]:
    return MARGIN[0] + column * (BOX[0] + GAP_X), MARGIN[1] + row * (BOX[1] + GAP_Y)


def _arrow(router: Blocks, source: str, sink: str, label: str) -> Iterator[str]:
    """Yield an arrow between neighbours, or over the edge of the picture for a link."""
    if not source or not sink:
        x, y = _corner(*router.blocks[source or sink][:2])
        left = x + BOX[0] if source else x - 36
        yield _pointer(left, y + BOX[1] / 2, left + 36, y + BOX[1] / 2)
        if label:
            yield _text(left + 16, y + BOX[1] / 2 - 7, label, size=11, colour=LINE)
        return
    (a, i), (b, j) = router.blocks[source][:2], router.blocks[sink][:2]
    (ax, ay), (bx, by) = _corner(a, i), _corner(b, j)
    if i == j:
        start, end = (ax + BOX[0], bx) if b > a else (ax, bx + BOX[0])
        yield _pointer(start, ay + BOX[1] / 2, end, by + BOX[1] / 2)
        if label:
            yield _text((start + end) / 2, ay + BOX[1] / 2 - 7, label, size=11, colour=LINE)
        return
    start, end = (ay + BOX[1], by) if j > i else (ay, by + BOX[1])
    x1, x2 = ax + BOX[0] / 2 + (24 if b > a else -24 if b < a else 0), bx + BOX[0] / 2 - (34 if b > a else 0)
    yield _pointer(x1, start, x2, end)
    if label:
        beside, above = (6, -4) if x1 == x2 else (20, 3)  # a slanted arrow goes below its label
        yield _text((x1 + x2) / 2 + beside, (start + end) / 2 - above, label, size=11, colour=LINE, anchor="start")


def _pointer(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f"<line x1='{x1:g}' y1='{y1:g}' x2='{x2:g}' y2='{y2:g}' stroke='{INK}' stroke-width='1.5' "
        "marker-end='url(#end)'/>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    ends = f"x1='{x1:g}' y1='{y1:g}' x2='{x2:g}' y2='{y2:g}'"
    return f"<line {ends} stroke='{colour}' stroke-width='{width:g}'/>"


def _text(x: float, y: float, text: str, *, size: int = 13, colour: str = INK, anchor: str = "middle") -> str:
    place = f"x='{x:g}' y='{y:g}' text-anchor='{anchor}'"
    return f"<text {place} font-size='{size}' fill='{colour}'>{escape(text)}</text>"


def _svg(width: float, height: float, parts: list[str]) -> str:
    """Return the file; the ground is white, so that it can be read on dark pages."""
    marker = (
        "<defs><marker id='end' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='8' markerHeight='8' orient='auto'>"
        f"<path d='M0 0 L8 4 L0 8 z' fill='{INK}'/></marker></defs>"
    )
    size = f"width='{width:g}' height='{height:g}' viewBox='0 0 {width:g} {height:g}'"
    ground = f"<rect width='{width:g}' height='{height:g}' fill='{GROUND}'/>"
    return "".join((f"<svg xmlns='http://www.w3.org/2000/svg' {size} {FONT}>", marker, ground, *parts, "</svg>\n"))


def pictures() -> Iterator[tuple[str, str]]:
    """Yield name and content of each picture."""
    for family, timing in TIMINGS.items():
        yield f"timing_{family}.svg", timing_diagram(timing)
    yield "timing_plane.svg", plane_timing_diagram(PLANE_TIMING)
    for family, router in ROUTERS.items():
        yield f"router_{family}.svg", block_diagram(router)


def paper_figure() -> bytes:
    """Return two panels of a kept figure as PNG: the equations of a paper, and our simulation beside them."""
    plot = json.loads((MEASURED / "hypercube-fig1.json").read_text(encoding="utf-8"))["plot"]
    with drawing_style():
        canvas = Figure(figsize=(10, 4), layout="constrained")
        for axes, title in zip(canvas.subplots(1, 2), PANELS, strict=True):
            number = plot["panels"].index(title)
            for series in plot["series"]:
                if series.get("panel", 0) == number and series["name"].startswith(("printed", "simulated")):
                    style = {"color": WORMS[series["colour"]], "label": series["name"]}
                    if "error" in series:
                        axes.errorbar(series["x"], series["y"], series["error"], fmt="o", markersize=4, **style)
                    else:
                        axes.plot(series["x"], series["y"], linewidth=1.4, **style)
            axes.set(title=title, xlabel=plot["x_label"], ylabel="latency, cycles", ylim=(0, None))
            axes.legend(fontsize=9)
        return render(canvas)["png"]


def main() -> None:
    """Write all pictures."""
    (IMAGES / "hypercube_fig1.png").write_bytes(paper_figure())
    for name, content in pictures():
        (IMAGES / name).write_text(content, encoding="utf-8")
        sys.stdout.write(f"{IMAGES / name}\n")


if __name__ == "__main__":
    main()
