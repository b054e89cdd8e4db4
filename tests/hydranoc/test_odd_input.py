"""Input that no one writes on purpose: odd YAML, absurd numbers, names and files; always one line and exit code 2."""

import xml.etree.ElementTree as ElementTree

import pytest

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
    "control character": (NETWORK + "  root: \x01\n", 4, "not valid YAML: special characters are not allowed"),
    "nothing": ("network:\n", 1, "network must be a mapping, not nothing"),
    "deep": ("network: " + "{a: " * 300 + "1" + "}" * 300 + "\n", None, "not valid YAML: nested too deeply"),
    "long number": (NETWORK + f"  flit_bits: {LARGE_HEX}\n", 4, "a whole number must have at most 1024 bits"),
    "longer number": (
        NETWORK + f"  flit_bits: {'9' * 5000}\n",
        None,
        "not valid YAML: Exceeds the limit (4300 digits)",
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
        _topology("{kind: mesh, shape: [30, 30], processors_per_switch: 30}"),
        3,
        "a network must have at most 4096 processors, not 27000",
    ),
    "arity": (
        _topology("{kind: tree, arity: 99999999999999, levels: 10}"),
        3,
        "network.topology.arity must be at most 1024, not 99999999999999",
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


def test_a_cache_that_cannot_be_written_is_trouble(tmp_path, monkeypatch, capsys, require_tool):
    require_tool("icarus")
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "taken"))
    (tmp_path / "good.yaml").write_text(_message("{source: 0, destinations: [1], flits: 8}"))
    assert run(["compare", str(tmp_path / "good.yaml"), "--sim", "icarus", "-o", str(tmp_path / "out")]) == 3
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path / 'taken'}: cannot keep a simulator (HYDRANOC_CACHE says where): ")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()
