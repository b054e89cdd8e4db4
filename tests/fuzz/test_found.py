"""Faults that fuzzing has found, each with its shortest input; more are rows of tables of refused input."""

import io
import json
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.errors import ConfigError
from hydranoc.report_page.given import read_sweep
from sim_model.programs.msccl import read_msccl
from sim_model.programs.netrace import HEADER, MAGIC, read_netrace
from sim_model.programs.program import ProgramError
from topology.common.graphml import parse_graphml

NETWORK = "network:\n  family: spam\n  topology: {kind: ring, switches: 3}\n"
TRAFFIC = "traffic: {kind: random, cycles: 100, messages_per_node_per_cycle: 0.05, flits: 6}\n"
NOT_PRINTABLE = "\x1b[31m"


@pytest.fixture
def configuration(tmp_path, monkeypatch):
    """Writes a configuration into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, **files: str) -> str:
        for name, content in files.items():
            (tmp_path / f"{name}.py").write_text(content)
        (tmp_path / "network.yaml").write_text(text)
        return "network.yaml"

    return write


def refused(capsys, *arguments: str) -> str:
    """The one line of a command that ends with exit code 2."""
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said[:-1].isprintable()
    return said


@pytest.mark.parametrize("encoding", ["missing", "zlib_codec", "idna", "utf-7", "big5"])
def test_xml_may_declare_any_encoding(encoding):
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    graph = parse_graphml(f'{declaration}<graphml><graph><node id="a"/></graph></graphml>')
    assert list(graph.switches) == ["a"]
    algorithm = '<algo ngpus="1" coll="a" nchunksperloop="1"/>'
    assert read_msccl(f"{declaration}{algorithm}".encode(), 1).ranks == 1
    with pytest.raises(ProgramError, match="not valid XML: not well-formed"):
        read_msccl(f'{declaration}<algo coll="'.encode() + b"\xe9" + b'"/>', 1)


class _Asked(io.BytesIO):
    """A file that records the size of each read."""

    most = 0

    def read(self, size=-1):
        self.most = max(self.most, size)
        return super().read(size)


def _header(notes: int, regions: int = 0, nodes: int = 4) -> bytes:
    return HEADER.pack(MAGIC, 1.0, b"", nodes, 0, 0, notes, regions)


def test_a_trace_whose_header_lies_takes_no_memory():
    file = _Asked(_header(notes=2**32 - 1))
    with pytest.raises(ProgramError, match="byte 72: the trace is cut off in the list of regions"):
        read_netrace(file)
    assert file.most <= 2**20


def test_a_region_beyond_all_files_is_refused():
    data = _header(notes=0, regions=1) + (2**64 - 1).to_bytes(8, "little") + bytes(16)
    with pytest.raises(ProgramError, match=r"Offset of region 0 is 18446744073709551615; it must be at most \d+"):
        read_netrace(io.BytesIO(data), region=0)


def test_errors_are_printable(configuration, capsys):
    assert refused(capsys, "check", f"{NOT_PRINTABLE}.yaml").startswith("error: \\x1b[31m.yaml: cannot read")
    path = configuration("network: {family: spam, topology: {file: a.edges}}\n")
    Path("a.edges").write_text(f"switch a\n{NOT_PRINTABLE} a\n")
    assert "Link \\x1b[31m - a names unknown node \\x1b[31m" in refused(capsys, "check", path)


HEADING = "network.buffer_flits,verdict,unicast_mean,unicast_half_width\n"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("", ": must be a table of 'hydranoc sweep', with a row for each point; it has none"),
        ("1,a,3,2\n,a,3,2\n", ":3: network.buffer_flits is nothing; it must be a number from -1e+100 to 1e+100"),
        ("1,a,3,b\n", ":2: unicast_half_width is 'b'; it must be a number from -1e+100 to 1e+100"),
        ("1,a,1e308,2\n2,a,-1e308,2\n", ":2: unicast_mean is 1e+308; it must be a number from -1e+100 to 1e+100"),
        ("1,a,3,2,5,6\n", ": must be a table of 'hydranoc sweep'; its rows have more values than the heading"),
        ("1,a,inf,2\n", ":2: unicast_mean is inf; it must be a number from -1e+100 to 1e+100"),
    ],
)
def test_a_table_that_cannot_be_drawn_is_refused(tmp_path, rows, message):
    path = tmp_path / "sweep.csv"
    path.write_text(HEADING + rows)
    with pytest.raises(ConfigError) as failure:
        read_sweep(path)
    assert str(failure.value) == f"{path}{message}"


PATTERN = NETWORK + TRAFFIC.replace("}", ", pattern: 'mine.py:f'}")
TOPOLOGY = "network: {family: spam, topology: {kind: 'mine.py:f'}}\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise SystemExit(4)", "'mine.py' cannot be imported: SystemExit: 4"),
        ("def __getattr__(name): raise ValueError(name)", "'mine.py' cannot be imported: ValueError: f"),
        ("def f(*a): exit(3)", "'mine.py:f' fails: SystemExit: 3"),
        (
            "class Odd(Exception):\n    def __str__(self): raise ValueError\ndef f(*a): raise Odd()",
            "'mine.py:f' fails: Odd",
        ),
    ],
)
@pytest.mark.parametrize("content", [PATTERN, TOPOLOGY], ids=["pattern", "topology"])
def test_functions_from_outside_may_fail_in_any_way(configuration, capsys, content, source, message):
    path = configuration(content, mine=source)
    said = refused(capsys, *(("model", path) if "traffic" in content else ("check", path)))
    assert said.startswith("error: network.yaml:")
    assert message.lower() in said.lower()


@pytest.mark.parametrize("source", ["f = type('T', (), {'__call__': 1})()", "def f(*a): return 1"])
def test_functions_that_tell_nothing_of_their_parameters_are_called(configuration, capsys, source):
    said = refused(capsys, "check", configuration(TOPOLOGY, mine=source))
    assert "network.topology.kind: 'mine.py:f' " in said


@pytest.mark.parametrize(
    ("family", "topology", "message"),
    [
        ("torus", "kind: torus, rows: 2, columns: 2", "must give tables of family 'torus' with "),
        ("spam", "kind: ring, switches: 4", "must give tables of this network, a Network with 16 channels and 4"),
    ],
)
def test_tables_of_another_network_are_refused(configuration, capsys, family, topology, message):
    text = f"network: {{family: {family}, topology: {{{topology}}}, routing: 'mine.py:f'}}\n"
    source = """from topology.common.graph import Network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
def f(section, network):
    return SpamRouting(SpamLabels(Network(2, [(0, 1)], [0, 1])), section.flit_bits)
"""
    said = refused(capsys, "check", configuration(text, mine=source))
    assert said.startswith("error: network.yaml:1: network.routing: 'mine.py:f' ")
    assert message in said


def test_a_trace_cannot_take_the_place_of_a_folder(configuration, capsys, tmp_path):
    """The results of the run were written by then, and the command had failed."""
    path = configuration(NETWORK + TRAFFIC)
    (tmp_path / "folder").mkdir()
    said = refused(capsys, "model", path, "-o", "results", "--perfetto", "folder")
    assert said == "error: folder: cannot write results: is a directory\n"
    assert not (tmp_path / "results").exists()


def test_tables_that_do_not_reach_all_lose_messages(configuration, capsys):
    """The way up of a multicast ended at the last stage, where there is no further output."""
    Path("a.csv").write_text("switch,arrival,key,output\ns0_0,forward,p0,s0_0->p0\n")
    topology = "network: {family: min, topology: {kind: bi-butterfly, stages: 2}, routing: a.csv}\n"
    message = "traffic: {kind: list, messages: [{source: 0, destinations: [1, 2], flits: 6}]}\n"
    assert run(["model", configuration(topology + message), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["lost"] == 2


@pytest.mark.parametrize("cycles", [10**15, 10**18])
def test_bursts_may_be_longer_than_any_run(configuration, capsys, cycles):
    """Sums of lengths of bursts, or of gaps between messages, did not fit into 64 bits."""
    injection = f"{{kind: bursts, rate_in_bursts: 0.06, mean_burst_cycles: {cycles}}}"
    path = configuration(NETWORK + TRAFFIC.replace("}", f", injection: {injection}}}"))
    assert run(["model", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lost"] == 0


BUTTERFLY = "network: {family: min, topology: {kind: bi-butterfly, radix: 2, stages: 2}"


@pytest.mark.parametrize(
    ("row", "instead", "code", "message"),
    [
        ("s0_0,backward,p1,s0_0->p1", "s0_0,backward,p1,s0_0->s1_0", 1, "p2 to p1"),
        ("", "s0_0,backward,p3,s0_0->s1_0", 0, "reachability            proved for all 12 pairs"),
    ],
    ids=["and-there-they-stay", "that-never-come-there"],
)
def test_tables_may_lead_headers_round_and_round(configuration, capsys, row, instead, code, message):
    """A switch sends up again what came down. That was followed without end, even where no message comes."""
    assert run(["check", configuration(f"{BUTTERFLY}}}"), "--tables", "a.csv"]) == 0
    tables = Path("a.csv").read_text()
    assert f"{row}\n" in tables
    Path("a.csv").write_text(tables.replace(f"{row}\n", f"{instead}\n") if row else f"{tables}{instead}\n")
    capsys.readouterr()
    assert run(["check", configuration(f"{BUTTERFLY}, routing: a.csv}}")]) == code
    said = capsys.readouterr()
    assert message in said.out + said.err
