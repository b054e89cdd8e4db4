"""Measurements that documents cite: figures, start-up, scale, choice of a router, whole processes."""

import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks import end_to_end, plane, start_up, workload
from benchmarks.choosing import CHOICES, HEAD, ChoiceSettings, line, measured
from benchmarks.end_to_end import MESH
from benchmarks.figures_page import MARK, PAGES, page_with_tables
from benchmarks.router_rows import ROWS as ALL_ROWS
from benchmarks.router_table import CELL_TABLES
from benchmarks.router_table import measured as router_measured
from benchmarks.sandbox import BenchmarkError, Sandbox
from benchmarks.start_up import Command
from fpga.common.devices import DEVICES, NO_CLOCK
from hydranoc import load
from hydranoc.design import Design
from hydranoc.families.registry import FAMILIES
from hydranoc.fpga.baseline import read_baseline
from hydranoc.reports.summary import summary_of
from hydranoc.studies.common.measured import MEASURED, measured_names
from hydranoc.studies.registry import REPRODUCTIONS
from hydranoc.surveys.registry import SURVEYS
from sim_model.engines.simulation import Simulation
from tests.each import each

DOCUMENT = (Path(__file__).parents[2] / "docs" / "do" / "choosing.md").read_text()


def test_every_family_is_compared():
    assert {choice.design.family.name for choice in CHOICES} == set(FAMILIES)


@each("choice", CHOICES)
def test_about_64_nodes_and_a_router_of_the_baseline(choice):
    design = choice.design
    assert 61 <= len(design.network.processors) <= 64
    (router,) = (entry for entry in read_baseline() if entry.name == choice.router)
    assert router.family == design.family.name


def test_the_document_has_the_table():
    assert HEAD in DOCUMENT
    titles = re.findall(r"\n\| ([^|]+?) \| [\d,]+ \| [\d,]+ \| [\d,]+ \| \d\.\d\d ± ", DOCUMENT)
    assert titles == [choice.title for choice in CHOICES]


def test_a_line():
    """Copies that routers make cost one start-up."""
    (choice,) = (choice for choice in CHOICES if choice.name == "spam-mesh")
    row = measured(choice, ChoiceSettings(sources=32, seeds=2, warmup_cycles=300, cycles=700))
    assert row.latency_with_startup == pytest.approx(row.latency + 1000, rel=0.05)
    assert row.binomial_with_startup > 6000
    assert 0 < row.unicast.mean < row.broadcast.mean < 4
    assert line(choice, row).count("|") == HEAD.split("\n")[0].count("|")


def test_costs_are_printed(capsys, monkeypatch):
    monkeypatch.setattr(end_to_end, "FLITS", (5,))
    monkeypatch.setattr(end_to_end, "MAX_RATIO", 1.0)
    end_to_end.main(quick=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2::2]] == [["5", "0.1"], ["5", "0.2"]]
    assert lines[3] == "    more than 1.0 times the run alone"


def test_speeds_of_planes_are_printed(capsys, monkeypatch):
    monkeypatch.setattr(plane, "REPEATS", 1)
    monkeypatch.setattr(plane, "LOADS", (plane.PlaneLoad("3 all-reduces", 3, 8), plane.PlaneLoad("a barrier", 1, 0)))
    monkeypatch.setattr(plane, "MIN_MILLION_WORD_HOPS", 10**6)
    plane.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2::2]] == [["3", "all-reduces"], ["a", "barrier"]]
    assert lines[3] == "    less than 1000000 million for the run alone"
    assert lines[4].split()[-1] == "38"


FEW, MANY = 1_500, 6_000
CONFIGURATIONS = {"mesh": MESH, **workload.NETWORKS}


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


@each("name", CONFIGURATIONS)
def test_four_times_as_many_unicasts_take_no_more_calls(name):
    (few, before), (many, after) = calls(design_of(name, FEW)), calls(design_of(name, MANY))
    assert many - few > 3_000
    assert after - before < 100


def test_the_page_is_up_to_date():
    pages = [path.read_text(encoding="utf-8") for path in PAGES]
    assert list(map(page_with_tables, pages)) == pages, "python -m benchmarks.figures_page --write"


def test_every_kept_figure_stands_on_the_page_once():
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    names = [name for mark in MARK.finditer(text) for name in mark["names"].split()]
    assert sorted(names) == measured_names()


@each("name", measured_names())
def test_kept_figures_are_full_runs_of_figures_that_there_are(name):
    assert any(name in figures for figures in (*REPRODUCTIONS.values(), SURVEYS))
    assert json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))["quick"] is False


def test_a_command_runs_with_caches_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("HYDRANOC_LOOPS", "/elsewhere")
    sandbox = Sandbox(tmp_path)
    environment = sandbox.environment
    assert not {"PYTHONDONTWRITEBYTECODE", "HYDRANOC_LOOPS"} & environment.keys()
    places = [environment[name] for name in ("HYDRANOC_CACHE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")]
    assert all(place.startswith(str(sandbox.caches)) for place in places)
    (sandbox.caches / "hydranoc" / "loops").mkdir(parents=True)
    (sandbox.caches / "hydranoc" / "loops" / "run-1.o").touch()
    assert sandbox.compilations() == 1
    sandbox.empty_caches()
    assert sandbox.compilations() == 0


def test_a_command_that_fails_is_no_figure(tmp_path):
    with pytest.raises(BenchmarkError) as stop:
        Sandbox(tmp_path).seconds(("check", "nothing.yaml"))
    assert str(stop.value).startswith("hydranoc check nothing.yaml ended with 2: error: nothing.yaml")


def test_the_command_prints_and_fails_at_a_missed_bar(monkeypatch, capsys):
    for bar, code, last in ((60.0, 0, "all bars are reached"), (0.0, 1, "missed: --version, warm: ")):
        monkeypatch.setattr(start_up, "commands", lambda bar=bar: [Command(("--version",), warm=bar)])
        with pytest.raises(SystemExit) as stop:
            start_up.main(["--only", "version", "--repeats", "1"])
        assert stop.value.code == code
        assert capsys.readouterr().out.splitlines()[-1].startswith(last)
    with pytest.raises(SystemExit) as stop:
        start_up.main(["--repeats", "0"])
    assert stop.value.code == "error: --repeats must be at least 1"


CELLS_DOCUMENT = (Path(__file__).parents[2] / "docs" / "understand" / "fpga_cells.md").read_text()
ROWS = {family: rows[0] for family, rows in ALL_ROWS.items()}


@pytest.mark.slow
@each("device", CELL_TABLES)
@each("family", ROWS)
def test_routers_cost_what_the_document_says(family, device, require_tool):
    require_tool("yosys")
    _, line_of = CELL_TABLES[device]
    assert f"\n{line_of(ROWS[family], router_measured(ROWS[family], 1, DEVICES[device]))}\n" in CELLS_DOCUMENT


def test_the_document_has_all_lines_and_says_that_there_is_no_clock():
    assert all(CELLS_DOCUMENT.count(f"\n| `{row.name}` | ") == len(CELL_TABLES) for row in ROWS.values())
    assert NO_CLOCK.removeprefix("not given, ") in " ".join(CELLS_DOCUMENT.split())
