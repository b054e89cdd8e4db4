"""Bad input and environment failures: one clear line, the right exit code, no hang, nothing half-written.

Every test runs a table of cases and lists all that end in another way.
"""

import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.sax import saxutils

import pytest

from hydranoc import load
from hydranoc.cli import run
from tests.each import each
from tests.fuzz.watch import watched

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 4}\n"
LISTED = "traffic:\n  kind: list\n  messages:\n"
BLOCKS = {
    "$GUARDED": f"{NETWORK}  worm_guard: true\n  watchdog_flits: 7\n",
    "$SPAM": NETWORK,
    "$TORUS": "network:\n  family: torus\n  topology: {kind: torus, rows: 4, columns: 4}\n",
    "$VCS": "network:\n  family: torus\n  topology: {kind: torus, rows: 16, columns: 16}\n",
    "$CUBE": "network:\n  family: hypercube\n  topology: {kind: hypercube, dimensions: 8}\n",
    "$HARTS": "network:\n  family: harts\n  topology: {kind: hexmesh, size: 3}\n",
    "$RANDOM": "traffic:\n  kind: random\n  cycles: 100\n  messages_per_node_per_cycle: 0.01\n  flits: 8\n",
    "$GRID": "network: {family: torus, topology: {kind: mesh, rows: 4, columns: 4}}\n",
    "$RATE": "traffic:\n  kind: random\n  cycles: 2000\n  messages_per_node_per_cycle: 0.02\n",
    "$LIST": f"{LISTED}    - {{source: 0, destinations: [1], flits: 8}}\n    - ",
}
"""Blocks of ``refused.txt``; traffic of a spam network starts on line 4."""
RANDOM = {"kind": "random", "cycles": "100", "messages_per_node_per_cycle": "0.01", "flits": "8"}
MESSAGE = {"source": "0", "destinations": "[1]", "flits": "8"}
LONG_NAME, LONG_PATH = "n" * 300, "/".join(["p" * 200] * 30)


@dataclass(frozen=True)
class Case:
    """A command in a folder of its own with ``files``: its exit code, and the beginning of its line on stderr."""

    arguments: tuple[str, ...]
    code: int = 2
    files: dict[str, bytes] = field(default_factory=dict)
    said: str = "error: "


Cases = Iterable[tuple[str, Case]]


def _configuration(text: str | bytes, said: str = "error: ", **files: bytes) -> Case:
    content = text if isinstance(text, bytes) else text.encode()
    return Case(("model", "c.yaml", "-o", "out"), files={"c.yaml": content, **files}, said=said)


def _flow(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def _trace(content: str | bytes, said: str = "error: ", more: str = "") -> Case:
    data = content if isinstance(content, bytes) else content.encode()
    return _configuration(f"{NETWORK}traffic: {{kind: trace, file: t.csv{more}}}\n", said, **{"t.csv": data})


GOOD = {"c.yaml": f"{NETWORK}traffic: {_flow(RANDOM)}\n".encode()}


def _refused() -> Cases:
    for row in Path(__file__).with_name("refused.txt").read_text(encoding="ascii").splitlines()[1:]:
        text, line, message = row.split(" | ")
        for name, block in BLOCKS.items():
            text = text.replace(f"{name} ", block.replace("\n", "\\n"))
        yield row, _configuration(text.encode().decode("unicode_escape"), f"error: c.yaml:{line}: {message}")


def _long_configurations() -> Cases:
    bomb = "".join(f"x{i + 1}: &x{i + 1} [{f'*x{i}, ' * 9}*x{i}]\n" for i in range(9))
    ones = NETWORK.replace("ring, switches: 4", f"mesh, shape: [{'1, ' * 99_999}1]")
    for text, line, message in (
        (f"x0: &x0 [{'1, ' * 9}1]\n{bomb}{NETWORK}", 6, "aliases must repeat at most 1,000,000 values in all, not 1,"),
        (ones, 3, f"network.topology.shape is [{'1, ' * 26}1...; it must be a list of at most 16"),
        ("network: " + "{a: " * 300 + "1" + "}" * 300 + "\n", 1, "not valid YAML: nested too deeply"),
        (f"{NETWORK}  flit_bits: 0x{'f' * 5000}\n", 4, "a whole number must have at most 1024 bits"),
        (f"{NETWORK}  flit_bits: {'9' * 5000}\n", 4, "a whole number must have at most 1024 bits"),
        (f"{NETWORK}  flit_bits: {'a' * 500}\n", 4, f"network.flit_bits is '{'a' * 79}...; it must be a whole number"),
    ):
        yield message, _configuration(text, f"error: c.yaml:{line}: {message}")
    yield "no UTF-8 in line 2", _configuration(b"network:\n  \xff\n", "error: c.yaml:2: A configuration must be UTF-8")


NETWORK_ERRORS = {
    "n.edges": ("0 1\n1 1\n", 2, "Link 1 - 1 is a loop"),
    "n.graphml": ("<graphml>\n<graph>\n</graphml>\n", 3, "The file is not well-formed XML: mismatched tag"),
    "n.anynet": ("router 0 node 0 router 1\nrouter 1 node 1 router 0 77\n", 2, "The latency of link router 1"),
}
TRACE_ERRORS = (
    ("0,zero,1,8\n", 1, "Field source is 'zero'; it must be a whole number"),
    ("0,0,1,8\n\n5,0,1 9,8\n", 3, "Destination is 9; it must be a processor, 0 to 3"),
    ("# empty\n", 1, "the trace has no messages"),
    ("0,0," + "1 " * 100_000 + ",8\n", 1, "A line must be comma-separated values; field larger than"),
    ("9" * 5000 + ",0,1,8\n", 1, "Field cycle must have at most 18 digits, not 5000"),
    (f"{2**59},0,1,8\n", 1, f"Start cycle is {2**59}; it must be at most 1000000000000"),
)


def _named_files() -> Cases:
    """Errors that name the network file or the trace."""
    for name, (text, line, message) in NETWORK_ERRORS.items():
        network = NETWORK.replace("kind: ring, switches: 4", f"file: {name}")
        yield name, _configuration(network, f"error: {name}:{line}: {message}", **{name: text.encode()})
    for text, line, message in TRACE_ERRORS:
        for more in ("", ", software: binomial"):
            yield f"{message}{more}", _trace(text, f"error: t.csv:{line}: {message}", more)


OF_NO_TYPE = (
    *("~", "many", "''", "{a: 1}", "[{a: 1}]", "2001-01-01", "!!int 4", "!!python/object/apply:os.system [ls]"),
    *("*x", "&x [*x]", "["),
)
NO_WHOLE_NUMBERS = (*OF_NO_TYPE, "[1]", "true", "1.5", ".nan", ".inf", "-1", "1" + "0" * 40, "9" * 5000)
NO_NUMBERS = (*OF_NO_TYPE, "[0.5]", "true", ".nan", ".inf", "-1")
NO_LISTS = (
    *(value for value in OF_NO_TYPE if value != "~"),
    *("true", "7", "[]", "[[[1]]]", "[a, b]", "[~]", "[0.5]", f"[{10**30}, {10**30}]", "[-1, -2]"),
)


def _values() -> Cases:
    """Every odd value in every key of its type."""
    for key in ("flit_bits", "buffer_flits", "routing_cycles", "link_cycles", "watchdog_flits"):
        for value in NO_WHOLE_NUMBERS:
            yield f"network.{key}: {value[:20]}", _configuration(f"{NETWORK}  {key}: {value}\n")
    for value in NO_WHOLE_NUMBERS:
        text = NETWORK.replace("switches: 4", f"switches: {value}")
        yield f"network.topology.switches: {value[:20]}", _configuration(text)
        for key in ("cycles", "flits"):
            traffic = _flow({**RANDOM, key: value})
            yield f"traffic.{key}: {value[:20]}", _configuration(f"{NETWORK}traffic: {traffic}\n")
    for value in NO_NUMBERS:
        for key in ("messages_per_node_per_cycle", "multicast_fraction"):
            traffic = _flow({**RANDOM, key: value})
            yield f"traffic.{key}: {value[:20]}", _configuration(f"{NETWORK}traffic: {traffic}\n")
        for key in ("pause", "stall"):
            yield f"hosts.{key}: {value[:20]}", _configuration(f"{NETWORK}hosts: {{{key}: {value}}}\n")
    for value in NO_LISTS:
        message = _flow({**MESSAGE, "destinations": value})
        yield (
            f"destinations: {value[:20]}",
            _configuration(f"{NETWORK}traffic: {{kind: list, messages: [{message}]}}\n"),
        )
        yield f"messages: {value[:20]}", _configuration(f"{NETWORK}traffic: {{kind: list, messages: {value}}}\n")
        for key, others in {"shape": "kind: mesh", "edges": "switches: 2"}.items():
            text = NETWORK.replace("kind: ring, switches: 4", f"{others}, {key}: {value}")
            if (key, value) != ("edges", "[]"):  # that is: two switches without a link
                yield f"{key}: {value[:20]}", _configuration(text)


TEXTS = (
    *(b"", NETWORK.encode("utf-16"), b"\0" * 1000, NETWORK.encode() + b"---\n" + NETWORK.encode()),
    *(b"network: " + b"x" * 1_000_000, b"k" * 100_000 + b": 1\n", b"".join(b"k%d: 1\n" % i for i in range(20_000))),
    *(b"? [1, 2]\n: 3\n", b"1.5: 3\n", b'network: "\\xZZ"\n', b"network:\r  family: spam\r  topology: 4\r"),
)
"""Others are drawn at random (``tests/fuzz``), as are network files and traces."""


def _files() -> Cases:
    for content in TEXTS:
        yield f"configuration: {content[:20]!r}", _configuration(content)
    for path in ("none", ".", "''", "/dev/zero"):
        yield f"trace: {path}", _configuration(f"{NETWORK}traffic: {{kind: trace, file: {path}}}\n")
        yield f"network file: {path}", _configuration(NETWORK.replace("kind: ring, switches: 4", f"file: {path}"))


ODD_CONFIGURATIONS = (
    *("none.yaml", ".", "", "/dev/zero", "/dev/null", "c.yaml/c.yaml", LONG_NAME, LONG_PATH, "a\0b.yaml", "a\nb.yaml"),
)
ODD_FOLDERS = ("c.yaml", "c.yaml/out", "/dev/null/out", "", LONG_NAME, LONG_PATH, "a\0b")
WITH_FOLDER = ("draw", "verilog", "model", "compare")


ARGUMENTS = (
    ("check missing.yaml", "missing.yaml: cannot read the configuration: no such file or directory"),
    ("check .", ".: cannot read the configuration: is a directory"),
    ("chekc x.yaml", "No such command 'chekc'"),
    ("check x.yaml --fast", "No such option"),
    ("model", "Missing argument 'CONFIG'"),
    ("reproduce spam-fig9", "Invalid value: there is no figure 'spam-fig9'; did you mean 'spam-fig"),
    ("reproduce spam-fig", "Invalid value: there is no figure 'spam-fig'; did you mean 'spam-fig2' or 'spam-fig3'?"),
    (["draw", "x.yaml", "-o", ""], "Invalid value for '-o' / '--output': a file or folder must have a name, "),
    (["check", ""], "Invalid value for 'CONFIG': a file or folder must have a name, not ''"),
    ("compare x.yaml --sim modelsim", "Invalid value for '--sim': 'modelsim' is not one"),
)


def _command_lines() -> Cases:
    for verb in ("check", *WITH_FOLDER):
        for path in ODD_CONFIGURATIONS:
            yield f"{verb}: {path[:20]!r}", Case((verb, path), files=GOOD)
        for extra in ("--fast", "d.yaml", "-o"):
            yield f"{verb}: {extra}", Case((verb, "c.yaml", extra), files=GOOD)
        yield f"{verb}: no configuration", Case((verb,))
    for verb in WITH_FOLDER:
        for path in ODD_FOLDERS:
            yield f"{verb}: results in {path[:20]!r}", Case((verb, "c.yaml", "-o", path), files=GOOD)
    for top in ("", "1x", "a b", "module", "bit", "a\nb", "é", "a" * 201, "a" * 100_000, "\\a ", "$a", "../a"):
        said = "error: Invalid value: the top module" + (" must have a Verilog identifier" if len(top) < 200 else "")
        yield f"top {top[:20]!r}", Case(("verilog", "c.yaml", "--top", top, "-o", "out"), files=GOOD, said=said)
    for option in (["--axi-stream"], ["--axi-stream", "x"], ["--tkeep"], ["--axi-clocks", "shared"]):
        yield f"verilog: {' '.join(option)}", Case(("verilog", "c.yaml", "-o", "out", *option), files=GOOD)
    for seeds in ("0", "-1", "1.5", "many", "101", "", str(10**30)):
        yield f"fpga: {seeds!r} seeds", Case(("fpga", "c.yaml", "--seeds", seeds, "-o", "out"), files=GOOD)
    for option in ("--device", "--board"):
        yield f"fpga: {option}", Case(("fpga", "c.yaml", option, "none", "-o", "out"), files=GOOD)
    for figure in ("", "none", "spam-fig", "\0", "SPAM-FIG2", "f" * 10_000):
        yield f"reproduce: {figure[:20]!r}", Case(("reproduce", figure, "-o", "out"))
    for limit in ("-1", "nan", "inf", "much", ""):
        yield f"cache: limit {limit!r}", Case(("cache", "--limit", limit))
    for arguments in (["chekc"], [""], ["-x"], ["--version=2"], ["check", "--", "-c"], ["\0"]):
        yield f"command: {arguments!r}", Case(tuple(arguments))
    for words, said in ARGUMENTS:
        yield said, Case(tuple(words.split()) if isinstance(words, str) else tuple(words), said=f"error: {said}")


def wrong_with(case: Case, folder: Path) -> str:
    """Return how a case ends otherwise than it has to, or an empty text."""
    folder.mkdir()
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv("HYDRANOC_CACHE", str(folder / "cache"))
        for file, content in case.files.items():
            Path(file).write_bytes(content)
        ended = watched(lambda: run([*case.arguments]))
    left = {path.name for path in folder.iterdir()} - {*case.files, "cache"}
    right = (ended.code, ended.trouble, ended.said.count("\n"), left) == (case.code, "", 1, set())
    fits = ended.said.startswith(case.said) and len(ended.said) < 2000
    return "" if right and fits else f"{ended.code} {ended.trouble}{ended.said[:400]}{left or ''}"


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Load and compile once, so that the first case does not count as a hang."""
    folder = tmp_path_factory.mktemp("warm")
    for file, content in GOOD.items():
        (folder / file).write_bytes(content)
    for verb in ("model", "draw", "verilog"):
        assert run([verb, str(folder / "c.yaml"), "-o", str(folder / verb)]) == 0


TABLES = {
    "refused": (_refused, 260),
    "long": (_long_configurations, 7),
    "named files": (_named_files, 15),
    "values": (_values, 291),
    "files": (_files, 19),
    "command lines": (_command_lines, 150),
}


@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("table", TABLES)
def test_everything_odd_ends_in_one_line(table, tmp_path):
    make, count = TABLES[table]
    cases = [*make()]
    ended = [(name, wrong_with(case, tmp_path / str(number))) for number, (name, case) in enumerate(cases)]
    assert not [f"{name[:200]}\n  {wrong}" for name, wrong in ended if wrong]
    assert len(cases) == count


def test_a_result_that_is_wrong_is_seen(tmp_path):
    """The runner of the tables reports another line, another code and files that are left."""
    ended = [Case(("check", "c.yaml"), files=GOOD), Case(("check", "d.yaml"), 3), Case(("check", "d.yaml"), said="no")]
    left = Case(("draw", "c.yaml", "-o", "out"), 0, GOOD)
    assert all(wrong_with(case, tmp_path / str(number)) for number, case in enumerate([*ended, left]))


def _topology(text: str) -> str:
    return f"network:\n  family: spam\n  topology: {text}\n"


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
    assert (
        "bad.yaml:7: traffic.messages[0]: destination is 7; it must be a processor, 0 to 3" in capsys.readouterr().err
    )


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
    assert ":7: traffic.messages[0].flits is 'none'; it must be a whole number" in capsys.readouterr().err


def test_many_messages_are_told_of_traces(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("hydranoc.verbs.options.MANY_MESSAGES", 1)
    (tmp_path / "good.yaml").write_text(f"{NETWORK}traffic: {{kind: list, messages: [{_flow(MESSAGE)}]}}\n")
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


def test_a_trace_from_a_spreadsheet_is_read(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfcycle,source,destinations,flits\r\n0,0,1 2,8\r\n")
    (tmp_path / "good.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: t.csv}}\n")
    assert run(["model", str(tmp_path / "good.yaml"), "-o", str(tmp_path / "out")]) == 0
    assert "deliveries  2" in capsys.readouterr().out


NAMES = ["$\\frac{$", "日本", "<b>&amp;\"'"]


@each("places", [((0, 0), (0, 0), (0, 0)), ((0, 0), (1e-9, 0), (1e9, 0))])
def test_any_printable_name_and_any_positions_can_be_drawn(places, tmp_path, capsys, recwarn):
    names = [saxutils.quoteattr(name) for name in NAMES]
    nodes = "".join(
        f'<node id={name}><data key="x">{x}</data><data key="y">{y}</data></node>'
        for name, (x, y) in zip(names, places, strict=True)
    )
    edges = "".join(f"<edge source={names[a]} target={names[b]}/>" for a, b in ((0, 1), (1, 2), (0, 2)))
    (tmp_path / "n.graphml").write_text(f"<graphml><graph>{nodes}{edges}</graph></graphml>")
    (tmp_path / "names.yaml").write_text(_topology("{file: n.graphml}"))
    assert run(["draw", str(tmp_path / "names.yaml"), "-o", str(tmp_path)]) == 0
    assert not recwarn
    assert capsys.readouterr().err == ""
    picture = ElementTree.parse(tmp_path / "names.svg")
    assert {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")} >= set(NAMES)


def test_a_file_name_that_is_no_text_can_be_drawn(tmp_path):
    path = tmp_path / "a\udcff\x01$x$.yaml"
    path.write_text(NETWORK)
    assert run(["draw", str(path), "-o", str(tmp_path / "out")]) == 0
    assert sorted(file.suffix for file in (tmp_path / "out").iterdir()) == [".png", ".svg"]
    picture = ElementTree.parse(tmp_path / "out" / f"{path.stem}.svg")
    assert "a??$x$" in {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("cache", ["taken", "taken/within", "/proc/self"])
def test_a_cache_that_cannot_be_written_is_told_before_the_model_runs(
    cache, tmp_path, monkeypatch, capsys, require_tool
):
    """The last one is an existing folder without write access."""
    require_tool("icarus")
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / cache))
    monkeypatch.setattr("hydranoc.design.Design.simulate", lambda *_: pytest.fail("the model runs"))
    (tmp_path / "good.yaml").write_text(f"{NETWORK}traffic: {{kind: list, messages: [{_flow(MESSAGE)}]}}\n")
    assert run(["compare", str(tmp_path / "good.yaml"), "--sim", "icarus", "-o", str(tmp_path / "out")]) == 3
    err = capsys.readouterr().err
    assert err.startswith(f"error: {tmp_path / cache}: cannot keep a simulator (HYDRANOC_CACHE says where): ")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()
