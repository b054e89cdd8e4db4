"""Pictures with loads: every direction of a link has its line, on its side, in its colour, and without overlaps."""

import json
import re

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.path import Path

from hydranoc import load
from hydranoc.cli import run
from hydranoc.pictures import draw
from hydranoc.pictures.load import BESIDE, palette
from hydranoc.pictures.placement import place
from hydranoc.pictures.ways import LINE, UNDRAWN, moved_aside, ways_of
from hydranoc.replay.use import Use
from tests.hydranoc.report.networks import CONFIGURATIONS
from tests.hydranoc.test_picture_geometry import LARGE, SMALL, _boxes, picture


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


@pytest.mark.parametrize("name", SMALL)
def test_every_direction_that_carries_something_has_its_line(name):
    family, build = SMALL[name]
    network, links, use, _, lines = _drawn(family, build())
    ways, carried = ways_of(network, links, place(network, links)), _carried(network, use)
    wanted = sorted(
        (flits, len(way.pieces)) for ends, way in ways.items() if (flits := carried[ends]) and way.kind != UNDRAWN
    )
    values = lines.get_array()
    assert values is not None
    assert values.tolist() == [flits for flits, pieces in wanted for _ in range(pieces)]
    assert (np.diff(lines.get_linewidths()) >= 0).all()
    assert lines.norm.vmin == 0
    assert lines.norm.vmax == max(carried.values())


@pytest.mark.parametrize("name", [*SMALL, "torus of 256 switches", "hypercube of 256"])
def test_lines_meet_nothing_that_they_do_not_belong_to(name):
    family, build = (SMALL | LARGE)[name]
    network, links, *_ = _drawn(family, build())
    placement, found = place(network, links), []
    boxes = _boxes(placement, network)
    corners = np.array([[*box.p0, *box.p1] for _, _, box in boxes])
    for (source, sink), way in ways_of(network, links, placement).items():
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


def test_the_measure_finds_lines_too_far_aside():
    """Moved by a fifth of the distance of two switches, lines run over processors."""
    network, links, *_ = _drawn("torus", SMALL["torus"][1]())
    placement = place(network, links)
    processors = [box for what, _, box in _boxes(placement, network) if what == "processor"]
    ways = [way for ends, way in ways_of(network, links, placement).items() if max(ends) < network.switches]
    far = [moved_aside(piece, 0.2) for way in ways for piece in way.pieces]
    assert any(Path(line).intersects_bbox(box, filled=False) for line in far for box in processors)


@pytest.mark.parametrize("name", ["lattice", "bidirectional", "torus", "hypercube 4"])
def test_directions_are_on_their_right_hand_sides(name):
    family, build = SMALL[name]
    network, links, *_ = _drawn(family, build())
    for (source, sink), way in ways_of(network, links, place(network, links)).items():
        for piece in way.pieces if way.kind == LINE else ():
            along, aside = piece[-1] - piece[0], moved_aside(piece, BESIDE) - piece
            assert np.allclose(np.hypot(*aside.T), BESIDE)
            middle = aside[len(aside) // 2]
            assert along[0] * middle[1] - along[1] * middle[0] < 0, (source, sink)


def test_the_scale_has_units_and_the_colours_of_the_lines():
    network, _, use, figure, lines = _drawn("torus", SMALL["torus"][1]())
    (bar,) = figure.axes[0].child_axes
    assert bar.get_ylabel() == "flits per cycle, cycles 100 to 1,999"
    assert bar.get_ylim() == (0, pytest.approx(max(_carried(network, use).values())))
    lines.update_scalarmappable()
    assert np.allclose(lines.get_edgecolor()[-1], palette()(1.0))
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in palette()(np.linspace(0, 1, 20))]
    assert (np.diff(light) < 0).all()  # distinguished by brightness alone


def test_nothing_carried_is_drawn_without_lines():
    network, links = picture("torus", SMALL["torus"][1]())
    zeros = np.zeros(len(network.channels))
    pictures = draw.draw_network(network, links, "idle", Use(0, 5, zeros, zeros))
    assert b"flits per cycle, cycles 0 to 4" in pictures["svg"]


@pytest.mark.parametrize("name", CONFIGURATIONS)
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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            lambda text: text.replace("\n", "\n9", 3),
            r"messages.csv:2: must be messages.csv of a run of this",
        ),
        (lambda text: text[: text.rindex("\n", 0, -1) + 1], r"messages.csv:\d+: .* here, not the end$"),
        (lambda text: text + "1,2,3,4,5,6\n", r"messages.csv:\d+: .* with the end here, not '1,2,3,4,5,6'$"),
        (
            lambda _: "",
            r"messages.csv:1: .* with 'message,source,.*' here, not the end$",
        ),
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


def test_a_file_that_is_not_there_is_told(tmp_path, capsys):
    config = tmp_path / "small.yaml"
    config.write_text(json.dumps(CONFIGURATIONS["spam"]))
    assert run(["draw", str(config), "--load", str(tmp_path / "none.csv")]) == 2
    assert "none.csv: cannot be read: no such file" in capsys.readouterr().err
