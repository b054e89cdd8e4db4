"""Routing tables as CSV: written, edited, read again, and checked as the family's own are."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from tests.each import each

EXAMPLES = Path(__file__).parents[2] / "examples"
WITH_TABLES = ["fig1.yaml", "campus.yaml", "anynet.yaml", "min.yaml", "mesh.yaml"]
NETWORK = """network:
  family: spam
  topology: {switches: 3, edges: [[0, 1], [1, 2], [2, 0]], processors: [0, 1, 2]}
  routing: own.csv
traffic: {kind: random, cycles: 500, messages_per_node_per_cycle: 0.01, flits: 8}
"""


def with_tables(folder: Path, name: str, tables: Path):
    """An example with the tables of a file."""
    text = (EXAMPLES / name).read_text()
    family = next(line for line in text.splitlines() if line.strip().startswith("family:"))
    for other in EXAMPLES.iterdir():
        if other.is_file() and other.suffix not in (".yaml", ".py"):
            (folder / other.name).write_bytes(other.read_bytes())
    path = folder / name
    path.write_text(text.replace(family, f"{family}\n  routing: {tables}"))
    return load(path)


@pytest.mark.parametrize("name", WITH_TABLES)
def test_what_was_written_is_read_again(name, tmp_path):
    own = load(EXAMPLES / name)
    rows = own.write_tables(tmp_path / "own.csv")
    lines = (tmp_path / "own.csv").read_text().splitlines()
    assert lines[0] == "switch,arrival,key,output"
    assert len(lines) == rows + 1
    assert rows == np.bitwise_count(own.routing.routes).sum() + own.routing.reach.sum()
    read = with_tables(tmp_path, name, Path("own.csv"))
    np.testing.assert_array_equal(read.routing.routes, own.routing.routes)
    np.testing.assert_array_equal(read.routing.reach, own.routing.reach)
    assert read.check() == own.check()


def test_model_and_hardware_look_up_what_was_read(tmp_path):
    (tmp_path / "net.yaml").write_text(NETWORK.replace("  routing: own.csv\n", ""))
    own = load(tmp_path / "net.yaml")
    own.write_tables(tmp_path / "own.csv")
    text = (tmp_path / "own.csv").read_text()
    assert "s1,up,p2,s1->s2\n" in text
    (tmp_path / "own.csv").write_text(text.replace("s1,up,p2,s1->s2\n", "s1,up,p2,s1->s0\n"))
    (tmp_path / "net.yaml").write_text(NETWORK)
    design = load(tmp_path / "net.yaml")
    copied = pickle.loads(pickle.dumps(design))
    assert copied.check().right
    np.testing.assert_array_equal(copied.routing.routes, design.routing.routes)
    assert design.simulate().results.flit_hops > own.simulate().results.flit_hops
    verilog = design.verilog().files["noc.v"]
    assert verilog != own.verilog().files["noc.v"]
    assert pickle.loads(pickle.dumps(design)).verilog().files["noc.v"] == verilog


def test_a_missing_row_is_found(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(NETWORK.replace("  routing: own.csv\n", ""))
    assert run(["check", str(tmp_path / "net.yaml"), "--tables", str(tmp_path / "own.csv")]) == 0
    assert f"tables: {tmp_path / 'own.csv'}, " in capsys.readouterr().out
    rows = (tmp_path / "own.csv").read_text()
    assert "s0,up,p2,s0->s2\n" in rows
    (tmp_path / "own.csv").write_text(rows.replace("s0,up,p2,s0->s2\n", ""))
    (tmp_path / "net.yaml").write_text(NETWORK)
    assert run(["check", str(tmp_path / "net.yaml")]) == 1
    out = capsys.readouterr().out
    assert "a header for p2 that arrives on p0->s0 has no output" in out
    assert "FAILS for 1 of 6 pairs: p0 to p2" in out


@each(
    "rows, line, problem",
    [
        ("", 1, r"the first line is ''; it must be switch,arrival,key,output"),
        ("switch,arrival,key\n", 1, "the first line is 'switch,arrival,key'; it must be switch,arrival,key,output"),
        ("s0,up,p2\n", 2, r"A row must have 4 fields \(switch, arrival, key, output\), not 3"),
        ("s7,up,p2,s0->s2\n", 2, "switch is 's7'; it must be one of s0, s1, s2"),
        ("s0,in,p2,s0->s2\n", 2, "arrival is 'in'; it must be one of up, cross, tree, branch"),
        ("s0,up,p2,s0->s2\ns0,up,p3,s0->s2\n", 3, "key is 'p3'; it must be one of s0, s1, s2, p0, p1, p2"),
        ("s0,up,p2,s1->s2\n", 2, "output is 's1->s2'; it must be one of s0->s1, s0->s2, s0->p0; did you mean"),
        ("s0,branch,s2,s0->s2\n", 2, "key of a branch is 's2'; it must be one of p0, p1, p2"),
        ("s1,branch,p0,s1->s0\n", 2, "output of a branch is 's1->s0'; it must be one to which worms can branch"),
        ("s0,up,p2,s0->s2\ns0,up,p2,s0->s2\n", 3, "a row must be there once, not twice: 's0,up,p2,s0->s2'"),
        ("s0,branch,p2,s0->s2\ns0,branch,p2,s0->s2\n", 3, "a row must be there once, not twice"),
        ("\xff\n", 1, "A table file must be UTF-8 text"),
        ("s0,up,p2,s0->s2\0\n", 2, ".*(NUL|is 's0->s2)"),
        ("x" * 2_000_000, 2, "field larger than field limit"),
    ],
)
def test_what_is_wrong_has_its_line(rows, line, problem, tmp_path):
    heading = "" if line == 1 else "switch,arrival,key,output\n"
    (tmp_path / "own.csv").write_bytes((heading + rows).encode("latin-1"))
    (tmp_path / "net.yaml").write_text(NETWORK)
    with pytest.raises(ConfigError, match=f"own.csv:{line}: {problem}"):
        load(tmp_path / "net.yaml").check()


def test_two_channels_of_one_name_are_refused(tmp_path):
    """A row of a table file could mean either channel."""
    topology = """
    switches: 3
    edges: [[0, 1], [0, 1], [0, 2], [1, 2]]
    parallel_links: channels
    names:
      - a
      - b
      - "b#2"
"""
    (tmp_path / "net.yaml").write_text(f"network:\n  family: spam\n  topology:{topology}")
    with pytest.raises(ConfigError, match=r"net.yaml:10: Channels have the name 'a->b#2' twice"):
        load(tmp_path / "net.yaml")


def test_two_nodes_of_one_name_are_refused(tmp_path):
    topology = "switches: 3, names: [a, p1, c], edges: [[0, 1], [0, 2]], processors: [0, 2]}"
    text = re.sub("switches: 3, edges.*", topology, NETWORK)
    (tmp_path / "net.yaml").write_text(text)
    (tmp_path / "own.csv").write_text("switch,arrival,key,output\n")
    with pytest.raises(ConfigError, match="a table file needs names that differ, and two nodes have the name 'p1'"):
        load(tmp_path / "net.yaml").check()


@pytest.mark.parametrize("name", ["harts.yaml", "torus-lanes.yaml", "hypercube.yaml"])
def test_families_without_tables_say_so(name, tmp_path, capsys):
    assert run(["check", str(EXAMPLES / name), "--tables", str(tmp_path / "results" / "own.csv")]) == 2
    assert "has no routing tables: its routers work out the way from the header" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match="has no routing tables"):
        with_tables(tmp_path, name, Path("own.csv")).check()
