"""Input that no one writes on purpose: odd YAML, absurd numbers, names and files; always one line and exit code 2."""

import json
import time
import xml.etree.ElementTree as ElementTree

import pytest

from hydranoc import load
from hydranoc.cli import run

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 4}\n"
LARGE_HEX = "0x" + "f" * 5000


def _topology(text: str) -> str:
    return f"network:\n  family: spam\n  topology: {text}\n"


def _message(text: str) -> str:
    return f"{NETWORK}traffic:\n  kind: list\n  messages: [{text}]\n"


ODD = {
    "list as key": (NETWORK + "  ? [1, 2]\n  : 1\n", 4, "a key must be text, not "),
    "list as key on top": ("? [1, 2]\n: 1\n" + NETWORK, 1, "a key must be text, not "),
    "nothing as key": (NETWORK + "  ~: 1\n", 4, "a key must be text, not nothing"),
    "truth as key": (NETWORK + "  true: 1\n", 4, "a key must be text, not "),
    "date": (NETWORK + "  root: 2001-01-01\n", 4, "a value must be a number, text, true or false, a list or a mapping"),
    "tag": (
        NETWORK + "  root: !switch 3\n",
        4,
        "a value must be a number, text, true or false, a list or a mapping, no",
    ),
    "tag of a mapping": (
        _topology("!ring {kind: ring, switches: 4}"),
        3,
        "a value must be a number, text, true or false, a list or a mapping, not one with the YAML tag '!ring'",
    ),
    "tag of a list": (
        _topology("{kind: mesh, shape: !!set [2, 2]}"),
        3,
        "a value must be a number, text, true or false, a list or a mapping, not one with the YAML tag",
    ),
    "tag of YAML itself": (NETWORK + "  flit_bits: !!int 16\n", 4, "a value must be a number, text, "),
    "alias of itself": (
        "network: &all\n  family: spam\n  topology: *all\n",
        3,
        "alias *all must stand behind what it repeats, not inside of it",
    ),
    "alias of nothing": (_topology("*ring"), 3, "alias *ring has no anchor &ring before it"),
    "merged text": ("<<: text\n" + NETWORK, 1, "<< must be a mapping or a list of mappings, not 'text'"),
    "aliases of aliases": (
        f"x0: &x0 [{'1, ' * 9}1]\n"
        + "".join(f"x{i + 1}: &x{i + 1} [{f'*x{i}, ' * 9}*x{i}]\n" for i in range(9))
        + NETWORK,
        6,
        "aliases must repeat at most 1,000,000 values in all, not 1,",
    ),
    "two documents": (NETWORK + "---\n" + NETWORK, 4, "not valid YAML: expected a single document"),
    "no number": (
        f"{NETWORK}traffic: {{kind: random, cycles: 100, messages_per_node_per_cycle: 0.1, flits: 8,\n"
        "  multicast_fraction: .nan}\n",
        5,
        "traffic.multicast_fraction must be a finite number, not nan",
    ),
    "stages without end": (
        "network:\n  family: min\n  topology: {kind: omega, stages: 100000000000}\n",
        3,
        "Stages of 2 x 2 switches must be 1 to 16 (at most 65,536 processors), not 100000000000",
    ),
    "dimensions without end": (
        _topology(f"{{kind: mesh, shape: [{'1, ' * 99_999}1]}}"),
        3,
        "network.topology.shape must be a list of at most 16, not [1, 1, 1, ",
    ),
    "control character": (NETWORK + "  root: \x01\n", 4, "not valid YAML: control characters are not allowed"),
    "nothing": ("network:\n", 1, "network must be a mapping, not nothing"),
    "deep": ("network: " + "{a: " * 300 + "1" + "}" * 300 + "\n", 1, "not valid YAML: nested too deeply"),
    "long number": (NETWORK + f"  flit_bits: {LARGE_HEX}\n", 4, "a whole number must have at most 1024 bits"),
    "longer number": (
        NETWORK + f"  flit_bits: {'9' * 5000}\n",
        4,
        "a whole number must have at most 1024 bits",
    ),
    "long value": (
        NETWORK + f"  flit_bits: {'a' * 500}\n",
        4,
        f"network.flit_bits must be a whole number, not '{'a' * 79}...",
    ),
    "processors": (
        _topology("{kind: ring, switches: 4, processors_per_switch: 1000000000}"),
        3,
        "network.topology.processors_per_switch must be at most 1024, not 1000000000",
    ),
    "processors in all": (
        _topology("{kind: mesh, shape: [60, 60], processors_per_switch: 30}"),
        3,
        "a network must have at most 65,536 processors, not 108000",
    ),
    "arity": (
        _topology("{kind: tree, arity: 99999999999999, levels: 10}"),
        3,
        "network.topology.arity must be at most 65536, not 99999999999999",
    ),
    "blank name": (
        _topology("{switches: 2, edges: [[0, 1]], names: [a, ' ']}"),
        3,
        "a name must be printable text, not ' '",
    ),
    "name of two lines": (
        _topology('{switches: 2, edges: [[0, 1]], names: ["a\\nb", c]}'),
        3,
        "a name must be printable text, not 'a\\nb'",
    ),
    "file with a zero": (
        _topology('{file: "a\\0.edges"}'),
        3,
        "cannot read network file 'a\\x00.edges': its name holds characters that no file can have",
    ),
    "trace with a zero": (
        NETWORK + 'traffic: {kind: trace, file: "a\\0.csv"}\n',
        4,
        "cannot read trace 'a\\x00.csv': its name holds characters that no file can have",
    ),
    "folder as trace": (NETWORK + "traffic: {kind: trace, file: .}\n", 4, "cannot read trace '.': is a directory"),
    "infinite spread": (
        NETWORK + "traffic: {kind: random, cycles: 100, messages_per_node_per_cycle: 0.1, flits: 8,\n"
        "  destinations: {mean: 2, stddev: .inf}}\n",
        5,
        "traffic.destinations.stddev must be a finite number, not inf",
    ),
    "far source": (
        _message(f"{{source: {2**70}, destinations: [1], flits: 8}}"),
        6,
        f"traffic.messages[0]: source must be a processor, 0 to 3, not {2**70}",
    ),
}


def test_mappings_and_lists_may_be_repeated(tmp_path, capsys):
    """With the line of the value itself, not of its alias."""
    (tmp_path / "good.yaml").write_text(
        f"{NETWORK}traffic:\n  kind: list\n  messages:\n"
        "    - &first {source: 0, destinations: &both [1, 2], flits: 8}\n"
        "    - {<<: *first, source: 3}\n"
        "    - {source: 0, destinations: *both, flits: 9}\n"
    )
    assert run(["model", str(tmp_path / "good.yaml"), "-o", str(tmp_path / "out")]) == 0
    assert "deliveries  6" in capsys.readouterr().out
    (tmp_path / "bad.yaml").write_text((tmp_path / "good.yaml").read_text().replace("[1, 2]", "[1, 7]"))
    assert run(["model", str(tmp_path / "bad.yaml"), "-o", str(tmp_path / "out")]) == 2
    assert "bad.yaml:7: traffic.messages[0]: destinations must be processors, 0 to 3, not 7" in capsys.readouterr().err


def test_much_yaml_is_read_in_seconds(tmp_path, capsys):
    """160,000 messages, 10 MB, took more than two minutes before; this is a tenth of that."""
    count = 16_000
    messages = "".join(f"    - {{source: 0, destinations: [1], flits: 8, start_cycle: {i}}}\n" for i in range(count))
    path = tmp_path / "long.yaml"
    path.write_text(f"{NETWORK}traffic:\n  kind: list\n  messages:\n{messages}")
    started = time.process_time()
    design = load(path)
    assert len(design.messages) == count
    assert time.process_time() - started < 4
    path.write_text(path.read_text().replace("flits: 8", "flits: none"))
    started = time.process_time()
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 2
    assert time.process_time() - started < 4
    assert ":7: traffic.messages[0].flits must be a whole number, not 'none'" in capsys.readouterr().err


def test_many_messages_are_told_of_traces(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("hydranoc.verbs.options.MANY_MESSAGES", 1)
    (tmp_path / "good.yaml").write_text(_message("{source: 0, destinations: [1], flits: 8}"))
    assert run(["model", str(tmp_path / "good.yaml"), "-o", str(tmp_path / "out"), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["messages"] == 1
    assert err == "1 messages in YAML: as 'kind: trace' they would be read several times as fast\n"


def test_a_file_without_end_is_refused(tmp_path, capsys):
    for suffix in ("yaml", "csv", "edges"):
        (tmp_path / f"endless.{suffix}").symlink_to("/dev/zero")
    (tmp_path / "trace.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: endless.csv}}\n")
    (tmp_path / "network.yaml").write_text(_topology("{file: endless.edges}"))
    for name, message in {
        "endless": "A configuration must have at most 64 MB; more messages belong in a trace",
        "trace": "A line must have at most 1,000,000 letters",
        "network": "A network file must have at most 64 MB",
    }.items():
        assert run(["model", str(tmp_path / f"{name}.yaml"), "-o", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("case", ODD)
def test_odd_configuration_is_told_in_one_line(case, tmp_path, capsys):
    text, line, message = ODD[case]
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    place = f"{path}:{line}:" if line else f"{path}:"
    assert err.startswith(f"error: {place} {message}"), err
    assert err.count("\n") == 1
    assert len(err) < len(str(path)) + 400
    assert not (tmp_path / "out").exists()


TRACES = {
    "endless field": ("0,0," + "1 " * 100_000 + ",8\n", "A line must be comma-separated values; field larger than"),
    "long number": ("9" * 5000 + ",0,1,8\n", "Field cycle must have at most 18 digits, not 5000"),
    "beyond the clock": (f"{2**59},0,1,8\n", f"Start cycle must be at most 1000000000000, not {2**59}"),
    "zero byte": ("\0,0,1,8\n", "Field cycle must be a whole number, not '\\x00'"),
}


@pytest.mark.parametrize("case", TRACES)
def test_odd_trace_is_told_in_one_line(case, tmp_path, capsys):
    text, message = TRACES[case]
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "odd.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: t.csv}}\n")
    assert run(["model", str(tmp_path / "odd.yaml"), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 't.csv'}:1: {message}")


def test_a_trace_from_a_spreadsheet_is_read(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfcycle,source,destinations,flits\r\n0,0,1 2,8\r\n")
    (tmp_path / "good.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: t.csv}}\n")
    assert run(["model", str(tmp_path / "good.yaml"), "-o", str(tmp_path / "out")]) == 0
    assert "deliveries  2" in capsys.readouterr().out


DRAWN = {
    "formula": ["$\\frac{$", "a$b$"],
    "other script": ["日本", "Zürich"],
    "markup": ["<b>&amp;", '"'],
}


@pytest.mark.parametrize("case", DRAWN)
def test_any_printable_name_can_be_drawn(case, tmp_path, capsys, recwarn):
    names = ", ".join(f"'{name}'" for name in DRAWN[case])
    (tmp_path / "names.yaml").write_text(_topology(f"{{switches: 2, edges: [[0, 1]], names: [{names}]}}"))
    assert run(["draw", str(tmp_path / "names.yaml"), "-o", str(tmp_path)]) == 0
    assert not recwarn
    assert capsys.readouterr().err == ""
    picture = ElementTree.parse(tmp_path / "names.svg")
    assert {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")} >= set(DRAWN[case])


POSITIONS = {
    "all in one place": ((0, 0), (0, 0), (0, 0)),
    "far and near": ((0, 0), (1e-9, 0), (1e9, 0)),
}


@pytest.mark.parametrize("case", POSITIONS)
def test_any_positions_can_be_drawn(case, tmp_path, recwarn):
    nodes = "".join(
        f'<node id="n{i}"><data key="x">{x}</data><data key="y">{y}</data></node>\n'
        for i, (x, y) in enumerate(POSITIONS[case])
    )
    edges = '<edge source="n0" target="n1"/><edge source="n1" target="n2"/><edge source="n0" target="n2"/>'
    (tmp_path / "n.graphml").write_text(f"<graphml><graph>{nodes}{edges}</graph></graphml>")
    (tmp_path / "places.yaml").write_text(_topology("{file: n.graphml}"))
    assert run(["draw", str(tmp_path / "places.yaml"), "-o", str(tmp_path)]) == 0
    assert not recwarn


def test_a_file_name_that_is_no_text_can_be_drawn(tmp_path):
    path = tmp_path / "a\udcff$x$.yaml"
    path.write_text(NETWORK)
    assert run(["draw", str(path), "-o", str(tmp_path / "out")]) == 0
    assert sorted(file.suffix for file in (tmp_path / "out").iterdir()) == [".png", ".svg"]


@pytest.mark.parametrize("cache", ["taken", "taken/within", "/proc/self"])
def test_a_cache_that_cannot_be_written_is_told_before_the_model_runs(
    cache, tmp_path, monkeypatch, capsys, require_tool
):
    """The last one is an existing folder without write access."""
    require_tool("icarus")
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / cache))
    monkeypatch.setattr("hydranoc.design.Design.simulate", lambda *_: pytest.fail("the model runs"))
    (tmp_path / "good.yaml").write_text(_message("{source: 0, destinations: [1], flits: 8}"))
    assert run(["compare", str(tmp_path / "good.yaml"), "--sim", "icarus", "-o", str(tmp_path / "out")]) == 3
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path / cache}: cannot keep a simulator (HYDRANOC_CACHE says where): ")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()
