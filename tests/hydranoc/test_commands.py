"""The verbs: output, files, engines, and exit codes."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hydranoc import Design, __version__, load
from hydranoc.cli import run
from hydranoc.config.reference.page import json_schema
from hydranoc.errors import ConfigError
from hydranoc.families.registry import FAMILIES
from hydranoc.locks import locked_if_free
from hydranoc.reports import output
from hydranoc.reports.histogram import histograms
from hydranoc.reports.output import result_folder
from hydranoc.reports.summary import latency_figures
from hydranoc.verbs import VERBS
from tests.each import each
from tests.hydranoc.report.networks import CONFIGURATIONS
from tests.hydranoc.shells import python

EXAMPLES = Path(__file__).parents[2] / "examples"
NEGATIVE = sorted(path.name for path in EXAMPLES.glob("deadlock-*.yaml"))
NO_SUMMARY = {"init", "examples", "schema", "tool", "daemon"}
"""Verbs whose output other programs read, or that have verbs of their own."""
AXI4 = "axi4.yaml"
"""Its traffic is no messages."""
RIGHT = sorted(path.name for path in EXAMPLES.glob("*.yaml") if path.name not in NEGATIVE)


def _json(capsys) -> dict:
    return json.loads(capsys.readouterr().out)


@each("name", RIGHT)
def test_examples_are_proved_right(name, capsys):
    assert run(["check", str(EXAMPLES / name), "--json"]) == 0
    summary = _json(capsys)
    assert summary["right"]
    assert summary["unreached_pairs"] == []
    assert summary["deadlock"]["free"]
    assert {"links", "flit_bits", "buffer_flits"} <= summary["sizes"].keys()


@each("name", NEGATIVE)
def test_negative_controls_are_found_by_check(name, capsys):
    assert run(["check", str(EXAMPLES / name)]) == 1
    out = capsys.readouterr().out
    assert "deadlock" in out
    assert "waits for" in out


@each("name", NEGATIVE)
def test_negative_controls_deadlock_in_the_model(name, tmp_path, capsys):
    assert run(["model", str(EXAMPLES / name), "-o", str(tmp_path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["deadlocked"]
    assert json.loads(out)["lost"] > 0
    assert err.startswith("deadlock in cycle ")
    assert "waits for" in err


@each("name", NEGATIVE)
def test_negative_controls_do_not_deadlock_without_their_fault(name, tmp_path):
    lines = (EXAMPLES / name).read_text().splitlines()
    kept = [line for line in lines if "negative_control" not in line and "vc_reallocation: non-atomic" not in line]
    (tmp_path / "right.yaml").write_text("\n".join(kept))
    assert run(["check", str(tmp_path / "right.yaml")]) == 0
    assert run(["model", str(tmp_path / "right.yaml"), "-o", str(tmp_path)]) == 0


@each("name", RIGHT)
def test_examples_deliver_everything_once(name, tmp_path, capsys):
    assert run(["model", str(EXAMPLES / name), "-o", str(tmp_path / "out"), "--json"]) == 0
    summary = _json(capsys)
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary
    assert not summary["deadlocked"]
    if name == AXI4:
        assert (summary["unfinished"], summary["latency_cycles"]["multicast_write"]["count"] > 0) == (0, True)
        return
    assert summary["lost"] == summary["duplicated"] == 0
    for kind in ("unicast", "multicast"):
        assert summary["latency_cycles"][kind].keys() == {"count", "mean", "p50", "p99", "p99.9", "max"}
    rows = list(csv.DictReader((tmp_path / "out" / "messages.csv").open()))
    assert len(rows) == summary["deliveries"]
    assert list(rows[0])[:6] == ["message", "source", "destination", "flits", "start_cycle", "arrival_cycle"]
    assert all(int(row["arrival_cycle"]) > int(row["start_cycle"]) for row in rows)
    files = ["channels.csv", "messages.csv", "summary.json"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files


def test_verilog_writes_what_it_lists(tmp_path, capsys):
    assert run(["verilog", str(EXAMPLES / "fig1.yaml"), "-o", str(tmp_path), "--top", "figure1", "--json"]) == 0
    files = [Path(name) for name in _json(capsys)["files"]]
    assert sorted(path.name for path in files) == ["figure1.core", "figure1.v", "figure1.vlt", "manifest.json"]
    text, manifest = (tmp_path / "figure1.v").read_text(), json.loads((tmp_path / "manifest.json").read_text())
    assert "module figure1" in text
    assert "axis" not in text
    assert manifest["family"] == "spam"
    assert "axi_stream" not in manifest


def test_a_network_too_large_for_the_hardware_is_bad_input(tmp_path, capsys):
    """1,000 vertices and 24 ports in a switch: a routing table of 72,000 bits."""
    edges = ", ".join(f"[0, {switch}]" for switch in range(1, 24))
    chain = ", ".join(f"[{switch}, {switch + 1}]" for switch in range(23, 499))
    processors = ", ".join(str(switch) for switch in range(500))
    (tmp_path / "large.yaml").write_text(
        "network:\n  family: spam\n"
        f"  topology: {{switches: 500, edges: [{edges}, {chain}], processors: [{processors}]}}\n"
    )
    assert run(["verilog", str(tmp_path / "large.yaml"), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert "large.yaml:3:" in error
    assert "Routing table of a switch with 24 ports must have at most 65536 bits" in error
    assert not (tmp_path / "out").exists()


def test_compare_finds_hardware_and_model_equal(tmp_path, capsys, require_tool):
    require_tool("icarus")
    assert (
        run(["compare", str(EXAMPLES / "deadlock-enqueue.yaml"), "-o", str(tmp_path), "--sim", "icarus", "--json"]) == 1
    )
    summary = _json(capsys)
    assert summary["mismatches"] == 0  # it deadlocks, but hardware and model do so alike
    assert summary["deadlocked"]
    assert summary["compared_cycles"] > summary["cycles"]
    assert summary["cycles_per_second"] > 0
    assert "Icarus" in summary["simulator"]


def test_hosts_that_hold_back_are_compared_and_named(tmp_path, capsys, require_tool):
    """With two channels into each processor."""
    require_tool("icarus")
    hosts = {"pause": 0.5, "stall": 0.25, "seed": 4, "blocked": [{"processor": 1, "start_cycle": 50, "cycles": 300}]}
    path = tmp_path / "min.yaml"
    path.write_text(
        "network:\n  family: min\n  topology: {kind: baseline, radix: 2, stages: 2, consumption_channels: 2}\n"
        "traffic: {kind: random, cycles: 300, messages_per_node_per_cycle: 0.02, flits: 12}\n"
        f"hosts: {json.dumps(hosts)}\n"
    )
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"]) == 0
    summary = _json(capsys)
    assert summary["hosts"] == hosts
    assert summary["mismatches"] == 0
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 0
    assert "blocked p1 for 300 cycles from cycle 50 on" in capsys.readouterr().out


def test_compare_reports_hardware_that_differs(tmp_path, capsys, require_tool, monkeypatch):
    """Hardware with one routing cycle more than the model: the first head leaves its router too late."""
    require_tool("icarus")

    def slower(design: Design):
        section = design.config.network_section.model_copy(update={"routing_cycles": 2})
        return design.family.build_plan(section, design.routing)

    monkeypatch.setattr(Design, "plan", property(slower))
    (tmp_path / "one.yaml").write_text(
        "network:\n  family: spam\n  topology: {switches: 1, edges: [], processors: [0, 0]}\n"
        "traffic: {kind: list, messages: [{source: 0, destinations: [1], flits: 8}]}\n"
    )
    folder = tmp_path / "out"
    assert run(["compare", str(tmp_path / "one.yaml"), "-o", str(folder), "--sim", "icarus", "--json"]) == 1
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert summary["mismatches"] == 1
    assert summary["compared_cycles"] < summary["cycles"]
    assert err.startswith(f"first difference in cycle {summary['compared_cycles']}")
    assert "channel s0->p1: hardware no flit moved, model a flit moved" in err
    assert (folder / "mismatch.txt").read_text() == err
    assert [path.stem for path in folder.iterdir()].count("waves") == 1


@each(
    "arguments, kept",
    [
        (["model", "one.yaml", "--goal"], True),
        (["model", "one.yaml"], False),
        (["model", str(EXAMPLES.resolve() / AXI4)], False),
        (["compare", "one.yaml", "--sim", "icarus"], False),
    ],
)
def test_programs_of_earlier_runs_are_removed(arguments, kept, tmp_path, monkeypatch, require_tool):
    require_tool("icarus")
    monkeypatch.chdir(tmp_path)
    Path("one.yaml").write_text(
        "network: {family: spam, topology: {switches: 1, edges: [], processors: [0, 0]}}\n"
        "traffic: {kind: list, messages: [{source: 0, destinations: [1], flits: 8}]}\n"
    )
    assert run(["model", "one.yaml", "-o", "out", "--goal"]) == 0
    assert run([*arguments, "-o", "out"]) == 0
    assert Path("out/messages.goal").exists() == kept


def test_help_and_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"hydranoc {__version__}\n"
    for verb in VERBS:
        assert run([verb, "--help"]) == 0
        out = capsys.readouterr().out
        assert "Example" in out
        assert "--json" in out or verb in NO_SUMMARY
    assert run(["--help"]) == 0
    assert "hydranoc check examples/demo.yaml" in capsys.readouterr().out


def test_the_command_alone_prints_its_help(capsys):
    assert run([]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Usage: hydranoc ")
    assert err == ""


def test_the_installed_command_ends_with_its_code_and_no_traceback(tmp_path):
    (tmp_path / "bad.yaml").write_text("network: 1\n")
    ended = python("-m", "hydranoc", "check", tmp_path / "bad.yaml")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr == f"error: {tmp_path / 'bad.yaml'}:1: network is 1; it must be a mapping\n"


def test_packages_of_the_current_folder_are_left_alone(tmp_path, require_tool):
    """Designs have folders of these names; modules of the standard library's names are found as easily."""
    require_tool("icarus")
    for name in ("tb", "rtl", "topology", "wasmtime"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the wrong package')\n")
    (tmp_path / "queue.py").write_text("raise RuntimeError('the wrong module')\n")
    (tmp_path / "good.yaml").write_text(
        "network:\n  family: spam\n  topology: {kind: ring, switches: 3}\n"
        "traffic: {kind: list, messages: [{source: 0, destinations: [1, 2], flits: 8}]}\n"
    )
    for arguments in (["verilog"], ["compare", "--sim", "icarus"]):
        ended = python("-m", "hydranoc", *arguments, "good.yaml", folder=tmp_path, PYTHONPATH=str(EXAMPLES.parent))
        assert (ended.returncode, ended.stderr) == (0, "")


def test_unused_data_of_a_network_file_is_named_on_stderr(tmp_path, capsys):
    edge = '<edge source="a" target="b"><data key="k">10</data></edge>'
    key = '<key id="k" for="edge" attr.name="LinkSpeed"/>'
    nodes = '<graph><node id="a"/><node id="b"/>'
    (tmp_path / "a.graphml").write_text(f"<graphml>{key}{nodes}{edge}{edge}</graph></graphml>")
    text = "network: {family: spam, topology: {file: a.graphml, parallel_links: channels}}\n"
    (tmp_path / "a.yaml").write_text(text)
    assert run(["draw", str(tmp_path / "a.yaml"), "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().err == "remark: a.graphml: edge data 'LinkSpeed' is ignored\n"
    assert ">x2<" in (tmp_path / "a.svg").read_text().replace("<!-- x2 -->", ">x2<")
    (tmp_path / "a.yaml").write_text(text.replace("channels", "refuse"))
    assert run(["check", str(tmp_path / "a.yaml")]) == 2
    error = capsys.readouterr().err
    assert "a.graphml:1: Link a - b is a duplicate of line 1" in error
    assert "parallel_links: channels" in error


def test_written_out_networks_may_have_parallel_links(tmp_path, capsys):
    text = "network: {{family: spam, topology: {{switches: 2, edges: [[0, 1], [1, 0]]{}}}}}\n"
    for option, code, links in (("", 2, 0), (", parallel_links: merge", 0, 1), (", parallel_links: channels", 0, 2)):
        (tmp_path / "a.yaml").write_text(text.format(option))
        assert run(["check", str(tmp_path / "a.yaml"), "--json"]) == code
        out, err = capsys.readouterr()
        assert "parallel_links: channels allows several" in err if code else json.loads(out)["sizes"]["links"] == links


@each("example, fast", [("min", "worm"), ("torus-lanes", "planes")])
def test_both_engines_write_the_same(example, fast, tmp_path):
    config = str(EXAMPLES / f"{example}.yaml")
    for engine in (fast, "cycle"):
        assert run(["model", config, "-o", str(tmp_path / engine), "--engine", engine]) == 0
    files = sorted(path.name for path in (tmp_path / fast).iterdir())
    assert files == ["channels.csv", "messages.csv", "summary.json"]
    for name in files:
        assert (tmp_path / fast / name).read_bytes() == (tmp_path / "cycle" / name).read_bytes()


@pytest.mark.parametrize(
    ("example", "engine", "why"),
    [
        ("torus-lanes", "worm", "for these routers"),
        ("long-links", "worm", "for links with register stages"),
        ("backpressure", "worm", "for hosts that hold back"),
        ("harts", "planes", "for these routers"),
    ],
)
def test_an_engine_that_cannot_do_it(example, engine, why, tmp_path, capsys):
    folder = tmp_path / "results"
    assert run(["model", str(EXAMPLES / f"{example}.yaml"), "-o", str(folder), "--engine", engine]) == 2
    said = capsys.readouterr().err
    assert f"error: Invalid value for --engine: Engine is {engine!r}; it must be 'cycle' {why}" in said
    assert "Traceback" not in said
    assert not folder.exists()


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_newcomer_needs_no_argument(empty, capsys):
    assert run(["init"]) == 0
    assert capsys.readouterr().out == "network.yaml\nhydranoc.schema.json\n\nnext: hydranoc check network.yaml\n"
    assert run(["check", "network.yaml"]) == 0
    assert json.loads((empty / "hydranoc.schema.json").read_text()) == json_schema(FAMILIES)
    assert (empty / "network.yaml").read_text().startswith("# yaml-language-server: $schema=hydranoc.schema.json\n")


@pytest.mark.parametrize("family", FAMILIES)
def test_first_configurations_are_right(family, empty):
    assert run(["init", "first.yaml", "--family", family]) == 0
    design = load("first.yaml")
    assert design.family.name == family
    assert design.check().right
    outcome = design.simulate()
    assert outcome.right
    assert outcome.figures["latency_cycles"]["unicast"]["count"] > 100
    assert max(len(line) for line in (empty / "first.yaml").read_text().splitlines()) <= 120


@pytest.mark.parametrize("family", FAMILIES)
def test_keys_that_are_left_out_have_the_value_that_stands_there(family, empty):
    assert run(["init", "first.yaml", "--family", family]) == 0
    text = (empty / "first.yaml").read_text()
    full = re.sub(r"^( *)#(\w+:(?: .*)?)$", r"\1\2", text, flags=re.MULTILINE)
    assert full != text
    (empty / "full.yaml").write_text(full)
    first, second = load("first.yaml").config, load("full.yaml").config
    assert (first.network_section, first.traffic, first.hosts) == (second.network_section, second.traffic, second.hosts)
    section = FAMILIES[family].network_section
    assert all(re.search(rf"^ *#?{key}:", text, flags=re.MULTILINE) for key in section.model_fields)


def test_nothing_is_overwritten(empty, capsys):
    (empty / "network.yaml").write_text("mine\n")
    assert run(["init"]) == 2
    assert capsys.readouterr().err == ("error: network.yaml: is there already; name another file, or move it away\n")
    assert (empty / "network.yaml").read_text() == "mine\n"
    assert not (empty / "hydranoc.schema.json").exists()


def test_an_unknown_family_is_refused(empty, capsys):
    assert run(["init", "--family", "spm"]) == 2
    assert "spam" in capsys.readouterr().err
    assert list(empty.iterdir()) == []


def _fail_in(folder):
    with result_folder(folder) as scratch:
        (scratch / "one.txt").write_text("half")
        raise RuntimeError


def _write_three(folder):
    with result_folder(folder) as scratch:
        (scratch / "deep").mkdir()
        for name in ("one.txt", "two.txt", "deep/three.txt"):
            (scratch / name).write_text("")


def test_files_appear_together_at_the_end(tmp_path):
    folder = tmp_path / "a" / "b"
    with result_folder(folder) as scratch:
        (scratch / "one.txt").write_text("1")
        assert not (folder / "one.txt").exists()
        (scratch / "deep").mkdir()
        (scratch / "deep" / "two.txt").write_text("2")
    assert sorted(path.name for path in folder.rglob("*")) == ["deep", "one.txt", "two.txt"]


def test_after_an_error_everything_is_as_it_was(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "one.txt").write_text("old")
    for folder in (kept, tmp_path / "new" / "newer"):
        with pytest.raises(RuntimeError):
            _fail_in(folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "one.txt"]
    assert (kept / "one.txt").read_text() == "old"


def test_what_only_an_earlier_run_had_goes_with_the_next_one(tmp_path):
    with result_folder(tmp_path, stale=["mismatch.txt"]) as scratch:
        (scratch / "mismatch.txt").write_text("different")
    assert (tmp_path / "mismatch.txt").exists()
    with result_folder(tmp_path, stale=["mismatch.txt"]) as scratch:
        (scratch / "one.txt").write_text("1")
    assert [path.name for path in tmp_path.iterdir()] == ["one.txt"]


@pytest.mark.parametrize(
    ("taken", "text"),
    [("two.txt/", "two.txt: cannot write results: is a directory"), ("deep", "deep: cannot write results: not a dir")],
)
def test_a_result_whose_place_is_taken_leaves_the_others_unwritten(taken, text, tmp_path):
    (tmp_path / taken).mkdir() if taken.endswith("/") else (tmp_path / taken).write_text("")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ConfigError, match=text):
        _write_three(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_only_leftovers_of_killed_runs_are_removed(tmp_path):
    for name in (".hydranoc-notes", ".hydranoc-scratch-", ".hydranoc-scratch-plan", ".hydranoc-scratch-a_b1c2d3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("")
    with result_folder(tmp_path):
        pass
    left = [".hydranoc-notes", ".hydranoc-scratch-", ".hydranoc-scratch-plan"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


def test_a_run_in_the_same_folder_removes_no_result_on_its_way(tmp_path, monkeypatch):
    publish = output._publish

    def while_another_begins(scratch, folder, stale):
        with locked_if_free(scratch, make=False) as free:
            assert not free
        with locked_if_free(folder) as free:
            assert not free
        publish(scratch, folder, stale)

    monkeypatch.setattr(output, "_publish", while_another_begins)
    with result_folder(tmp_path) as scratch:
        (scratch / "one.txt").write_text("1")
    assert [path.name for path in tmp_path.iterdir()] == ["one.txt"]


def test_a_leftover_that_vanishes_is_not_made_again(tmp_path):
    with pytest.raises(FileNotFoundError), locked_if_free(tmp_path / "gone", make=False):
        pass
    assert list(tmp_path.iterdir()) == []


@each(
    "words, text",
    [
        ("model c.yaml -o out --perfetto out", "--perfetto must not be out, which the run's other results need"),
        ("model c.yaml -o a/out --perfetto a", "--perfetto must not be a, which"),
        ("compare c.yaml -o out --perfetto out/summary.json", "--perfetto must not be out/summary.json, which"),
        ("check c.yaml --tables f --digests ./f", "--tables and --digests must not both write f"),
        ("check c.yaml --certificate f --digests f_plane", "--certificate and --digests must not both write f_plane"),
        ("verilog c.yaml --router 0 --no-moved", "--router is one router without ends: --no-moved is of a network"),
        ("verilog c.yaml --axi4 --no-moved", "--axi4 and --no-moved cannot be given together"),
        ("init hydranoc.schema.json", "hydranoc.schema.json: is the name of the JSON Schema"),
        (["bench", "c.yaml", "-o", ""], "Invalid value for '-o' / '--output': a file or folder must have a name"),
    ],
)
def test_options_that_contradict_each_other_are_refused(words, text, empty, capsys):
    (empty / "c.yaml").write_text((EXAMPLES / "demo.yaml").read_text())
    assert run(words.split() if isinstance(words, str) else words) == 2
    assert text in capsys.readouterr().err
    assert [path.name for path in empty.iterdir()] == ["c.yaml"]


@pytest.mark.parametrize("folder", ["taken", "taken/below", "/proc/missing"])
def test_a_folder_that_cannot_be_written_is_noticed_first(tmp_path, folder):
    (tmp_path / "taken").write_text("")
    worked = []
    with pytest.raises(ConfigError, match="cannot write results: "), result_folder(tmp_path / folder):
        worked.append(1)
    assert not worked


@pytest.mark.parametrize("name", ["_remove_leftovers", "Path"])
def test_an_interrupt_before_the_work_begins_leaves_nothing(name, tmp_path, monkeypatch):
    def interrupted(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(output, name, interrupted)
    with pytest.raises(KeyboardInterrupt), result_folder(tmp_path / "new" / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


MESH = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "traffic": {
        "kind": "list",
        "messages": [{"source": 0, "destinations": [1, 3], "flits": 8}, {"source": 2, "destinations": [0], "flits": 5}],
    },
}


@pytest.fixture(scope="module")
def outcome():
    return load(MESH).simulate()


def test_deliveries_as_a_table_equal_the_file(outcome, tmp_path, require_package):
    require_package("pandas")
    table = outcome.results.to_pandas()
    outcome.write_messages(tmp_path / "messages.csv")
    with (tmp_path / "messages.csv").open(encoding="ascii") as file:
        header, *rows = csv.reader(file)
    assert list(table.columns) == [*header, "latency_cycles"]
    assert table[header].to_numpy().tolist() == [[int(value) for value in row] for row in rows]
    assert (table["latency_cycles"] == table["arrival_cycle"] - table["start_cycle"]).all()
    assert set(map(str, table.dtypes)) == {"int64"}


@pytest.fixture(params=["spam", "harts"])
def design(request):
    made = dict(CONFIGURATIONS[request.param])
    return load({**made, "traffic": {**made["traffic"], "warmup_cycles": 100}})


def test_rare_percentile_is_an_observed_value():
    figures = latency_figures(np.arange(1, 2001))
    assert figures == {"count": 2000, "mean": 1000.5, "p50": 1000, "p99": 1980, "p99.9": 1998, "max": 2000}
    assert list(figures) == ["count", "mean", "p50", "p99", "p99.9", "max"]
    assert latency_figures(np.zeros(0, dtype=np.int64))["p99.9"] is None


def test_histogram_counts_every_message_once_in_its_class(design):
    outcome = design.simulate()
    for kind, several in (("unicast", False), ("multicast", True)):
        latencies = outcome.results.complete_latencies(multicast=several, warmup_cycles=100).tolist()
        found = outcome.figures["latency_histogram"][kind]
        first, width, counts = found["first_cycles"], found["width_cycles"], found["messages"]
        wanted = [sum(first + i * width <= x < first + (i + 1) * width for x in latencies) for i in range(len(counts))]
        assert counts == wanted
        assert sum(counts) + found["beyond"] == len(latencies) > 3
    assert histograms(outcome.results, 10**9) == []


def test_channels_are_counted_between_warmup_and_the_end_of_traffic(design):
    outcome = design.simulate(channels=True)
    moved = np.array([design.simulation().record(600).moved[100:600, : len(design.network.channels)].sum(axis=0)])[0]
    assert outcome.use is not None
    assert outcome.use.flits_per_cycle == pytest.approx(moved / 500)
    said = outcome.figures["utilisation"]
    assert (said["first_cycle"], said["last_cycle"]) == (100, 599)
    assert said["mean"] == pytest.approx(moved.mean() / 500)
    assert said["max"] == pytest.approx(moved.max() / 500)
    busiest = [channel.name for channel in design.network.channels if moved[channel.index] == moved.max()]
    assert said["busiest"] in busiest


def test_it_is_the_use_that_a_report_shows_and_counting_changes_nothing(design):
    counted, plain = design.simulate(channels=True), design.simulate()
    again, _ = design.channel_use(plain.results)
    assert (counted.use.flits_per_cycle == again.flits_per_cycle).all()
    assert (counted.use.stalled_share == again.stalled_share).all()
    told = design.simulate(lambda *_: None, channels=True)
    assert told.figures == counted.figures == {**plain.figures, "utilisation": counted.figures["utilisation"]}


def test_command_writes_and_prints_them(tmp_path, capsys):
    assert run(["model", "examples/torus.yaml", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    summary = json.loads((tmp_path / "summary.json").read_text())
    rows = list(csv.DictReader((tmp_path / "channels.csv").open()))
    shares = [float(row["measured_utilisation"]) for row in rows]
    use = summary["utilisation"]
    assert max(shares) == pytest.approx(use["max"], abs=1e-4)
    assert np.mean(shares) == pytest.approx(use["mean"], abs=1e-4)
    assert f"flits per cycle, at most {use['max']:.4f} ({use['busiest']})" in printed
    assert "p99.9" in printed
    letters = printed.partition("[")[2].partition("]")[0]
    kind = summary["latency_histogram"]["unicast"]
    assert len(letters) == len(kind["messages"])
    assert letters[int(np.argmax(kind["messages"]))] == "@"
    assert all((letter == " ") == (count == 0) for letter, count in zip(letters, kind["messages"], strict=True))
