"""Measurements that documents cite: figures, start-up, scale, choice of a router, whole processes."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from benchmarks import end_to_end, figures_page, scale, start_up, workload
from benchmarks.choosing import CHOICES, HEAD, Effort, line, measured, overtaken
from benchmarks.end_to_end import MESH, measure, mesh
from benchmarks.figures_page import MARK, PAGES, page_with_tables
from benchmarks.lockstep_scale import NETWORKS, SIZES, configuration
from benchmarks.router_rows import ROWS as ALL_ROWS
from benchmarks.router_table import XILINX, xilinx_line
from benchmarks.router_table import measured as router_measured
from benchmarks.sandbox import BenchmarkError, Sandbox
from benchmarks.start_up import Command, Measured
from fpga.common.devices import NO_CLOCK
from hydranoc import load
from hydranoc.design import Design
from hydranoc.families.registry import FAMILIES
from hydranoc.fpga.baseline import read_baseline
from hydranoc.reports.summary import summary_of
from hydranoc.studies.common import measured as figures_measured
from hydranoc.studies.common.measured import MEASURED, measured_names
from hydranoc.studies.registry import REPRODUCTIONS
from sim_model.engines.simulation import Simulation
from tests.each import each

DOCUMENT = (Path(__file__).parents[2] / "docs" / "do" / "choosing.md").read_text()
LITTLE = Effort(sources=32, seeds=2, warmup_cycles=300, cycles=700)


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


@pytest.mark.parametrize("name", ["spam-mesh", pytest.param("hypercube", marks=pytest.mark.slow)])
def test_a_line(name):
    """Copies that routers make cost one start-up; by software there are six, one after the other."""
    choice = next(choice for choice in CHOICES if choice.name == name)
    row = measured(choice, LITTLE)
    startups = 1 if name == "spam-mesh" else 6
    assert row.latency_with_startup == pytest.approx(row.latency + 1000 * startups, rel=0.05)
    assert row.binomial_with_startup > 6000
    assert 0 < row.unicast.mean < row.broadcast.mean < 4
    assert line(choice, row).count("|") == HEAD.split("\n")[0].count("|")


@pytest.mark.slow
def test_one_way_keeps_packets_in_order_and_several_do_not():
    effort = Effort(warmup_cycles=0, cycles=3_000)
    late = {
        choice.name: overtaken(choice.design, effort) for choice in CHOICES if choice.name in ("torus", "spam-mesh")
    }
    assert late["torus"] == 0
    assert late["spam-mesh"] > 0


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


def test_costs_are_told_apart_and_printed(capsys, monkeypatch):
    cost = measure(lambda: mesh(16, 0.2, 500))
    parts = (cost.messages_seconds, cost.state_seconds, cost.run_seconds, cost.statistics_seconds)
    assert cost.flit_hops > 10_000
    assert all(seconds >= 0 for seconds in parts)
    assert cost.seconds == pytest.approx(sum(parts))
    assert cost.ratio == pytest.approx(cost.seconds / cost.run_seconds)
    monkeypatch.setattr(end_to_end, "FLITS", (5,))
    monkeypatch.setattr(end_to_end, "MAX_RATIO", 1.0)
    end_to_end.main(quick=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2::2]] == [["5", "0.1"], ["5", "0.2"]]
    assert lines[3] == "    more than 1.0 times the run alone"


def test_the_page_is_up_to_date():
    pages = [path.read_text(encoding="utf-8") for path in PAGES]
    assert list(map(page_with_tables, pages)) == pages, "python -m benchmarks.figures_page --write"


def test_every_kept_figure_stands_on_the_page_once():
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    names = [name for mark in MARK.finditer(text) for name in mark["names"].split()]
    assert sorted(names) == measured_names()


@each("name", measured_names())
def test_kept_figures_are_full_runs_of_figures_that_there_are(name):
    assert any(name in figures for figures in REPRODUCTIONS.values())
    assert json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))["quick"] is False


@pytest.fixture
def one_kept(tmp_path, monkeypatch):
    claims = [
        {"claim": "less", "measured": "more", "holds": False, "note": "The cause is unknown."},
        {"claim": "more", "measured": "more", "holds": True, "note": ""},
    ]
    (tmp_path / "one.json").write_text(json.dumps({"title": "One", "quick": False, "claims": claims}))
    (tmp_path / "one.csv").write_text("x\n1\n")
    monkeypatch.setattr(figures_measured, "MEASURED", tmp_path)


@pytest.mark.usefixtures("one_kept")
def test_tables_are_made_of_what_is_kept():
    old = "# Page\n\n<!-- measured: one -->\n| name |\n|---|\n| old |\n\nText.\n"
    new = page_with_tables(old)
    assert new == (
        "# Page\n\n<!-- measured: one -->\n| name | claim of the paper | measured |\n|---|---|---|\n"
        "| `one` | less | **does not hold**: more. The cause is unknown |\n| | more | more |\n\nText.\n"
    )
    assert page_with_tables(new) == new


@pytest.mark.usefixtures("one_kept")
def test_a_figure_that_is_not_kept_is_refused():
    with pytest.raises(ValueError, match=r"pages must name figures that are kept, not 'two'"):
        page_with_tables("<!-- measured: two -->\n")


@pytest.mark.usefixtures("one_kept")
def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    page = tmp_path / "figures.md"
    page.write_text("<!-- measured: one -->\n")
    monkeypatch.setattr(figures_page, "PAGES", [page])
    for arguments in ([], ["--write"]):
        monkeypatch.setattr("sys.argv", ["figures_page", *arguments])
        figures_page.main()
    assert page.read_text() == capsys.readouterr().out
    assert "| `one` | less |" in page.read_text()


NODES_OF_HARTS = dict(zip(SIZES, (61, 271, 919), strict=True))


@pytest.mark.parametrize("nodes", SIZES[:2])
@pytest.mark.parametrize("kind", NETWORKS)
def test_networks_have_so_many_nodes(kind, nodes, tmp_path):
    file = tmp_path / "network.yaml"
    file.write_text(yaml.safe_dump(configuration(kind, nodes, 100)))
    assert len(load(file).network.processors) == (NODES_OF_HARTS[nodes] if kind == "harts" else nodes)


def _ran(monkeypatch, tmp_path, *results: tuple[int, str]):
    """Run the command for a torus of 16 and one of 64 nodes, whose processes end with given exit codes."""
    left = list(results)

    def run(command, **_):
        code, output = left.pop(0)
        return subprocess.CompletedProcess(command, code, output, "Traceback")

    monkeypatch.setattr(scale.subprocess, "run", run)
    arguments = ["scale", "--only", "torus", "--most-nodes", "64", "--no-checks", "-o", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    scale.main()


def _point(nodes: int) -> str:
    measured = {name: 1.0 for name in scale.COLUMNS if name not in ("check_seconds", "check_mb")}
    return json.dumps(measured | {"family": "torus", "nodes": nodes, "cycles": 1000})


def test_a_point_that_the_system_ends_is_said_and_left_out(monkeypatch, tmp_path, capsys):
    _ran(monkeypatch, tmp_path, (0, _point(16)), (-signal.SIGKILL, ""))
    assert "torus      64 nodes: ended by the system" in capsys.readouterr().out
    rows = (tmp_path / "scale.csv").read_text().splitlines()
    assert [row.split(",")[:3] for row in rows[1:]] == [["16", "torus", "16"]]
    assert (tmp_path / "scale.png").exists()


def test_a_point_that_fails_ends_it_with_what_the_process_said(monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match=r"(?s)--point torus 16 .* failed:\nTraceback"):
        _ran(monkeypatch, tmp_path, (1, ""))


def test_all_bars_of_a_command_are_asked_for():
    command = Command(("model", "/somewhere/demo.yaml"), cold=8.0, warm=1.2)
    assert Measured(command, 8.0, 1.2).missed == []
    assert Measured(command, 9.0, 1.3).missed == [
        "model demo.yaml, with empty caches: 9.00 CPU s; at most 8",
        "model demo.yaml, warm: 1.30 CPU s; at most 1.2",
    ]
    assert Measured(Command(("--help",), warm=0.4), 99.0, 0.1).missed == []


def test_runs_are_in_pairs_and_the_first_has_empty_caches(tmp_path):
    runs = []

    class Counted(Sandbox):
        def seconds(self, arguments):
            runs.append((arguments, self.caches.name))
            return 10.0 - len(runs)

    chosen = [Command(("--version",)), Command(("--help",))]
    found = list(start_up.measured(Counted(tmp_path), chosen, 2))
    assert [(one.cold, one.warm) for one in found] == [(7.0, 6.0), (3.0, 2.0)]
    assert [arguments for arguments, _ in runs] == [("--version",)] * 4 + [("--help",)] * 4
    assert [caches for _, caches in runs[::2]] == [caches for _, caches in runs[1::2]]
    assert len({caches for _, caches in runs}) == 4


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


def test_every_family_has_a_first_run():
    examples = {command.arguments[1].rpartition("/")[2] for command in start_up.commands() if command.cold}
    assert examples == {"demo.yaml", "min.yaml", "harts.yaml", "torus-lanes.yaml", "hypercube.yaml"}


XILINX_DOCUMENT = (Path(__file__).parents[2] / "docs" / "understand" / "fpga.md").read_text()
ROWS = {family: rows[0] for family, rows in ALL_ROWS.items()}
QUICK = "spam"
OTHERS = [family for family in ROWS if family != QUICK]


def hold(family: str, require_tool) -> None:
    require_tool("yosys")
    assert f"\n{xilinx_line(ROWS[family], router_measured(ROWS[family], 1, XILINX))}\n" in XILINX_DOCUMENT


@pytest.mark.slow
def test_the_spam_router_costs_what_the_document_says(require_tool):
    hold(QUICK, require_tool)


@pytest.mark.slow
@pytest.mark.parametrize("family", OTHERS)
def test_the_other_routers_cost_what_the_document_says(family, require_tool):
    hold(family, require_tool)


def test_the_document_has_all_lines_and_says_that_there_is_no_clock():
    assert all(f"\n| `{row.name}` | " in XILINX_DOCUMENT for row in ROWS.values())
    assert NO_CLOCK.removeprefix("not given, ") in " ".join(XILINX_DOCUMENT.split())
