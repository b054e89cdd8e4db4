"""Over 500 odd inputs and environment failures: no traceback, no hang, the right exit code, nothing half-written."""

import contextlib
import os
import resource
import shutil
import signal
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.lockstep import tools
from rtl.generator.rtlil import yosys
from tests.hydranoc.test_bad_input import ARGUMENTS, WRONG
from tests.hydranoc.test_bad_input import TRACES as BROKEN_TRACES
from tests.hydranoc.test_odd_input import ODD
from tests.hydranoc.test_odd_input import TRACES as ODD_TRACES

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 4}\n"
RANDOM = {"kind": "random", "cycles": "100", "messages_per_node_per_cycle": "0.01", "flits": "8"}
MESSAGE = {"source": "0", "destinations": "[1]", "flits": "8"}
LONG_NAME = "n" * 300


@dataclass(frozen=True)
class Case:
    """Input of a command, in a folder of its own.

    Members
    -------
    arguments : tuple of str
        The configuration is ``c.yaml``.
    code : int
        Exit code that it has to end with.
    files : dict of str to bytes
    trouble : str
        Of the machine; see ``test_odd_table``.
    """

    arguments: tuple[str, ...]
    code: int = 2
    files: dict[str, bytes] = field(default_factory=dict)
    trouble: str = ""


def _configuration(text: str | bytes, **files: bytes) -> Case:
    content = text if isinstance(text, bytes) else text.encode()
    return Case(("model", "c.yaml", "-o", "out"), files={"c.yaml": content, **files})


def _flow(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


OF_NO_TYPE = {
    "nothing": "~",
    "text": "many",
    "no letters": "''",
    "mapping": "{a: 1}",
    "mappings": "[{a: 1}]",
    "date": "2001-01-01",
    "tag": "!!int 4",
    "Python": "!!python/object/apply:os.system [ls]",
    "alias of nothing": "*x",
    "alias of itself": "&x [*x]",
    "open": "[",
}
NO_WHOLE_NUMBERS = {
    **OF_NO_TYPE,
    "list": "[1]",
    "truth": "true",
    "fraction": "1.5",
    "no number": ".nan",
    "without end": ".inf",
    "negative": "-1",
    "large": "1" + "0" * 40,
    "larger": "9" * 5000,
}
NO_NUMBERS = {**OF_NO_TYPE, "list": "[0.5]", "truth": "true", "no number": ".nan", "without end": ".inf", "below": "-1"}
NO_LISTS = {
    **{name: value for name, value in OF_NO_TYPE.items() if name != "nothing"},
    "truth": "true",
    "number": "7",
    "empty": "[]",
    "list of lists": "[[[1]]]",
    "list of text": "[a, b]",
    "list of nothing": "[~]",
    "list of fractions": "[0.5]",
    "list of large numbers": f"[{10**30}, {10**30}]",
    "list of negative numbers": "[-1, -2]",
}


def _values() -> Iterator[tuple[str, Case]]:
    """Every odd value in every key of its type."""
    for key in ("flit_bits", "buffer_flits", "routing_cycles", "link_cycles", "watchdog_flits"):
        for name, value in NO_WHOLE_NUMBERS.items():
            yield f"network.{key}: {name}", _configuration(f"{NETWORK}  {key}: {value}\n")
    for name, value in NO_WHOLE_NUMBERS.items():
        text = NETWORK.replace("switches: 4", f"switches: {value}")
        yield f"network.topology.switches: {name}", _configuration(text)
        for key in ("cycles", "flits"):
            traffic = _flow({**RANDOM, key: value})
            yield f"traffic.{key}: {name}", _configuration(f"{NETWORK}traffic: {traffic}\n")
    for name, value in NO_NUMBERS.items():
        for key in ("messages_per_node_per_cycle", "multicast_fraction"):
            traffic = _flow({**RANDOM, key: value})
            yield f"traffic.{key}: {name}", _configuration(f"{NETWORK}traffic: {traffic}\n")
        for key in ("pause", "stall"):
            yield f"hosts.{key}: {name}", _configuration(f"{NETWORK}hosts: {{{key}: {value}}}\n")
    for name, value in NO_LISTS.items():
        message = _flow({**MESSAGE, "destinations": value})
        yield f"destinations: {name}", _configuration(f"{NETWORK}traffic: {{kind: list, messages: [{message}]}}\n")
        yield f"messages: {name}", _configuration(f"{NETWORK}traffic: {{kind: list, messages: {value}}}\n")
        for key, others in {"shape": "kind: mesh", "edges": "switches: 2"}.items():
            text = NETWORK.replace("kind: ring, switches: 4", f"{others}, {key}: {value}")
            if (key, name) != ("edges", "empty"):  # that is: two switches without a link
                yield f"{key}: {name}", _configuration(text)


TEXTS: dict[str, bytes] = {
    "nothing": b"",
    "a byte-order mark": b"\xef\xbb\xbf",
    "UTF-16": NETWORK.encode("utf-16"),
    "no UTF-8": b"\xff\xfe\xfd",
    "zeros": b"\0" * 1000,
    "a document mark": b"---\n",
    "two documents": NETWORK.encode() + b"---\n" + NETWORK.encode(),
    "a version to come": b"%YAML 9.9\n---\n" + NETWORK.encode(),
    "a directive": b"%TAG ! tag:a,2000:\n--- !x\n" + NETWORK.encode(),
    "an open text": b"network: 'spam\n",
    "an open comment": b"# network\n",
    "a tab": b"network:\n\tfamily: spam\n",
    "brackets": b"[" * 100_000,
    "braces": b"{a: " * 5000,
    "dashes": b"- " * 100_000,
    "a long line": b"network: " + b"x" * 1_000_000,
    "a long key": b"k" * 100_000 + b": 1\n",
    "many keys": b"".join(b"k%d: 1\n" % i for i in range(20_000)),
    "a number": b"7\n",
    "a text": b"spam\n",
    "a key of a list": b"? [1, 2]\n: 3\n",
    "a key of a number": b"1.5: 3\n",
    "two merges": b"<<: [1, 2]\n",
    "a merge of itself": b"&a\n<<: *a\n",
    "a bomb": b"a: &a [1,1,1,1,1,1,1,1,1]\n"
    + b"".join(b"b%d: &b%d [%s]\n" % (i, i, b",".join([b"*b%d" % (i - 1) if i else b"*a"] * 9)) for i in range(12)),
    "XML": b"<?xml version='1.0'?><network/>",
    "JSON of another kind": b'{"a": [1, 2, {"b": null}]}',
    "ELF": b"\x7fELF\x02\x01\x01" + bytes(range(256)),
    "an escape": b'network: "\\xZZ"\n',
    "carriage returns": b"network:\r  family: spam\r  topology: 4\r",
}
NETWORK_FILES: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t\n",
    "no UTF-8": b"0 1\n\xff\xff\n",
    "zeros": b"\0" * 100,
    "a node alone": b"0\n",
    "a link to itself": b"0 0\n",
    "three ends": b"0 1 2 3 4\n",
    "an open mark": b"<graphml><graph><node id='a'>",
    "another root": b"<a/>",
    "no graph": b"<graphml/>",
    "a bomb": b'<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY b%d "%s">' % (i, (b"&b%d;" % (i - 1) if i else b"&a;") * 10) for i in range(9))
    + b"]><graphml><graph><node id='&b8;'/></graph></graphml>",
    "a file from elsewhere": b'<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>',
    "deep": b"<a>" * 10_000 + b"</a>" * 10_000,
    "an edge without an end": b"<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
    "router": b"router",
    "routers without numbers": b"router x router y\n",
}
TRACE_LINES: dict[str, bytes] = {
    "nothing": b"",
    "a head alone": b"cycle,source,destinations,flits\n",
    "another head": b"time,from,to,length\n",
    "no UTF-8": b"0,0,1,8\n\xff\n",
    "an open quote": b'0,0,"1,8\n',
    "few fields": b"0,0,1\n",
    "many fields": b"0,0,1,8,9,10\n",
    "negative": b"-1,0,1,8\n",
    "a fraction": b"0,0,1,8.5\n",
    "words": b"zero,one,two,three\n",
    "large": b"0,0,1," + b"9" * 18 + b"\n",
    "far": b"0,0,99,8\n",
    "to itself": b"0,0,0,8\n",
    "without a source": b"0,,1,8\n",
    "without a destination": b"0,0,,8\n",
    "no flits": b"0,0,1,0\n",
    "a long field": b"0,0," + b"1 " * 100_000 + b",8\n",
    "a long line": b"0" * 2_000_000,
    "a formula": b"=1+1,0,1,8\n",
    "other digits": "\u0660,\u0660,\u0661,\u0668\n".encode(),
}


def _files() -> Iterator[tuple[str, Case]]:
    for name, content in TEXTS.items():
        yield f"configuration: {name}", _configuration(content)
    for name, content in NETWORK_FILES.items():
        for suffix in ("edges", "graphml", "anynet"):
            if (name, suffix) != ("a link to itself", "anynet"):
                text = NETWORK.replace("kind: ring, switches: 4", f"file: n.{suffix}")
                yield f"network file: {name}, .{suffix}", _configuration(text, **{f"n.{suffix}": content})
    for name, content in TRACE_LINES.items():
        yield (
            f"trace: {name}",
            _configuration(f"{NETWORK}traffic: {{kind: trace, file: t.csv}}\n", **{"t.csv": content}),
        )
    for name, path in {"no file": "none", "a folder": ".", "no name": "''", "a device": "/dev/zero"}.items():
        yield f"trace: {name}", _configuration(f"{NETWORK}traffic: {{kind: trace, file: {path}}}\n")
        yield (
            f"network file: {name}",
            _configuration(NETWORK.replace("kind: ring, switches: 4", f"file: {path}")),
        )


ODD_CONFIGURATIONS = {
    "no file": "none.yaml",
    "a folder": ".",
    "no name": "",
    "a device without end": "/dev/zero",
    "a device without content": "/dev/null",
    "below a file": "c.yaml/c.yaml",
    "a long name": LONG_NAME,
    "a longer path": "/".join(["p" * 200] * 30),
    "a name with a zero": "a\0b.yaml",
    "a name of two lines": "a\nb.yaml",
}
ODD_FOLDERS = {
    "a file": "c.yaml",
    "below a file": "c.yaml/out",
    "below a device": "/dev/null/out",
    "no name": "",
    "a long name": LONG_NAME,
    "a longer path": "/".join(["p" * 200] * 30),
    "a name with a zero": "a\0b",
}
GOOD = {"c.yaml": f"{NETWORK}traffic: {_flow(RANDOM)}\n".encode()}
WITH_FOLDER = ("draw", "verilog", "model", "compare")


def _command_lines() -> Iterator[tuple[str, Case]]:
    for verb in ("check", *WITH_FOLDER):
        for name, path in ODD_CONFIGURATIONS.items():
            yield f"{verb}: {name}", Case((verb, path), files=GOOD)
        for name, extra in {"unknown option": "--fast", "one too many": "d.yaml", "no folder": "-o"}.items():
            yield f"{verb}: {name}", Case((verb, "c.yaml", extra), files=GOOD)
        yield f"{verb}: no configuration", Case((verb,))
    for verb in WITH_FOLDER:
        for name, path in ODD_FOLDERS.items():
            yield f"{verb}: results in {name}", Case((verb, "c.yaml", "-o", path), files=GOOD)
    for top in ("", "1", "a b", "module", "a\nb", "é", "a" * 201, "a" * 100_000, "\\a ", "$a", "../a"):
        yield (
            f"verilog: top {top[:20]!r}, {len(top)} letters",
            Case(("verilog", "c.yaml", "--top", top, "-o", "out"), files=GOOD),
        )
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


def _troubles() -> Iterator[tuple[str, Case]]:
    for size in (500, 1000, 2000, 4000):
        for verb in ("draw", "verilog"):
            yield f"{verb}: disk for {size}", Case((verb, "c.yaml", "-o", "out"), 3, GOOD, f"disk {size}")
    for verb in ("check", *WITH_FOLDER):
        yield f"{verb}: no more open files", Case((verb, "c.yaml"), 3, GOOD, "files 0")
    for end in ("kill -9 $$", "kill -11 $$", "kill -6 $$", "kill -15 $$", "exit 1", "exit 127", "echo no >&2; exit 2"):
        yield f"verilog: {end}", Case(("verilog", "c.yaml", "-o", "out"), 3, GOOD, f"yosys {end}")
    for end in ("kill -9 $$", "kill -11 $$", "exit 1", "echo 'error: no space left on device'; exit 1"):
        yield f"compare: {end}", Case(("compare", "c.yaml", "--sim", "icarus", "-o", "out"), 3, GOOD, f"icarus {end}")
    for place in ("/dev/null", "/dev/null/cache", "c.yaml", LONG_NAME, "/".join(["p" * 200] * 30)):
        yield (
            f"compare: cache {place[:20]}, {len(place)} letters",
            Case(("compare", "c.yaml", "--sim", "icarus", "-o", "out"), 3, GOOD, f"cache {place}"),
        )
        yield (
            f"cache: in {place[:20]}, {len(place)} letters",
            Case(("cache", "--limit", "1"), 3, GOOD, f"cache {place}"),
        )
    for verb in ("compare", "fpga"):
        yield f"{verb}: no programs", Case((verb, "c.yaml", "-o", "out"), 3, GOOD, "programs none")


def _other_tables() -> Iterator[tuple[str, Case]]:
    for name, (text, *_) in {**WRONG, **ODD}.items():
        yield f"told: {name}", _configuration(text)
    for name, (text, *_) in {**BROKEN_TRACES, **ODD_TRACES}.items():
        yield (
            f"told: trace {name}",
            _configuration(f"{NETWORK}traffic: {{kind: trace, file: t.csv}}\n", **{"t.csv": text.encode()}),
        )
    for name, (arguments, _) in ARGUMENTS.items():
        yield f"told: {name}", Case(tuple(arguments))


TABLE: dict[str, Case] = {}
for _made in (_values, _files, _command_lines, _troubles, _other_tables):
    for _name, _case in _made():
        assert _name not in TABLE, _name
        TABLE[_name] = _case


MAX_CPU_SECONDS = 5
MAX_SECONDS = 120
"""Limit of waiting without work; a busy machine may take long for five seconds of CPU time."""


def _too_slow(*_: object) -> None:
    raise AssertionError("not done in time")


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    """Fail a command that works or waits too long."""
    before = {number: signal.signal(number, _too_slow) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _limited(what: int, most: int) -> Iterator[None]:
    before = resource.getrlimit(what)
    resource.setrlimit(what, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


def _program(path: Path, end: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n[ $# -gt 1 ] && {{ {end}; }}\necho Version 1\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def _trouble(text: str, patch: pytest.MonkeyPatch) -> contextlib.AbstractContextManager[None]:
    """Cause the environment failure of ``Case.trouble``."""
    kind, _, how = text.partition(" ")
    if kind == "disk":
        return _limited(resource.RLIMIT_FSIZE, int(how))
    if kind == "files":
        return _limited(resource.RLIMIT_NOFILE, int(how))
    if kind == "yosys":
        patch.setattr(yosys.sys, "executable", str(_program(Path("bin/python").absolute(), how)))
    if kind == "icarus":
        program = _program(Path("bin/iverilog").absolute(), how)
        patch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    if kind == "cache":
        patch.setenv("HYDRANOC_CACHE", how)
    if kind == "programs":
        patch.setattr(tools.importlib.util, "find_spec", lambda _: None)
        patch.setattr(shutil, "which", lambda *_, **__: None)
    return contextlib.nullcontext()


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory):
    """Load and compile once, so that the first case does not count as a hang."""
    folder = tmp_path_factory.mktemp("warm")
    for file, content in GOOD.items():
        (folder / file).write_bytes(content)
    for verb in ("model", "draw", "verilog"):
        assert run([verb, str(folder / "c.yaml"), "-o", str(folder / verb)]) == 0


def test_there_are_more_than_500():
    assert len(TABLE) > 500


@pytest.mark.parametrize("name", TABLE)
def test_odd_things_end_well(name, tmp_path, capfd, monkeypatch):
    case: Case = TABLE[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    for file, content in case.files.items():
        Path(file).write_bytes(content)
    with _trouble(case.trouble, monkeypatch), _timed():
        code = run([*case.arguments])
    out, err = capfd.readouterr()
    assert (code, out) == (case.code, ""), err
    assert err.startswith("error: "), err
    assert err.count("\n") == 1, err
    assert len(err) < 2000
    left = {path.name for path in tmp_path.iterdir()} - {*case.files, "bin", "cache"}
    assert not left, "half-written results"
