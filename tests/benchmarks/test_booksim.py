"""BookSim2 as a peer: its output is understood, its failures are clear, and it gets the setting."""

import stat
from pathlib import Path

import pytest

from benchmarks.booksim import BookSim, parse_accepted, parse_totals
from benchmarks.peer_program import PeerError

TOTALS = """\
Packet latency average = 99
\tminimum = 98
Time taken is 1200 cycles
====== Overall Traffic Statistics ======
====== Traffic class 0 ======
Packet latency average = 40.5 (1 samples)
\tminimum = 21 (1 samples)
\tmaximum = 77 (1 samples)
Network latency average = 38 (1 samples)
\tminimum = 20 (1 samples)
Accepted flit rate average = 0.25 (1 samples)
\tminimum = 0.125 (1 samples)
Hops average = 3 (1 samples)
"""
FIGURES = """\
%k = 2;
hops(1,:) = [ 0 4 ];
accepted_flits(1,:) = [ 0.4 0.2 0.3 0.4 ];
"""


def program(folder: Path, output: str = TOTALS, figures: str = FIGURES) -> Path:
    """Stand-in for BookSim: prints its output, writes its figures to the given file, and keeps its arguments."""
    (folder / "output").write_text(output)
    (folder / "figures").write_text(figures)
    path = folder / "booksim"
    path.write_text(
        f'#!/bin/sh\ncp "$1" {folder}/told\ncat {folder}/output\n'
        f"cp {folder}/figures $(sed -n 's/^stats_out = \\(.*\\);/\\1/p' \"$1\")\nexit 255\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def told(folder: Path) -> dict[str, str]:
    return dict(line.rstrip(";").split(" = ") for line in (folder / "told").read_text().splitlines())


def booksim(path: Path, vcs: int = 2, settings: dict[str, str] | None = None) -> BookSim:
    return BookSim(path, 4, {"topology": "torus", "k": "2"}, vcs, 5, 16, settings or {})


def test_totals_are_those_of_the_whole_run():
    totals = parse_totals(TOTALS)
    latencies = {"Packet latency": 40.5, "Network latency": 38}
    assert totals == {"cycles": 1200, **latencies, "Accepted flit rate": 0.25, "Hops": 3}


def test_accepted_flits_of_each_node():
    assert parse_accepted(FIGURES).tolist() == [0.4, 0.2, 0.3, 0.4]


def test_packets_to_their_own_node_do_not_count(tmp_path):
    run = booksim(program(tmp_path)).run(0.3, 300, 900)
    assert run.accepted == pytest.approx(1.3 / 4 * 3 / 4)
    assert told(tmp_path)["injection_rate"] == "0.400000"


def test_booksim_is_told_the_setting(tmp_path):
    booksim(program(tmp_path), 3, {"routing_delay": "0"}).run(0.2, 300, 900)
    keys = told(tmp_path)
    wanted = {"topology": "torus", "k": "2", "num_vcs": "3", "vc_buf_size": "5", "packet_size": "16"}
    assert wanted.items() <= keys.items()
    assert (keys["sample_period"], keys["warmup_periods"], keys["routing_delay"]) == ("300", "1", "0")


def test_missing_program_is_refused(tmp_path):
    with pytest.raises(PeerError, match=r"BookSim is .*nothing'; it must be an executable file"):
        booksim(tmp_path / "nothing")


def test_run_without_an_end_says_what_was_printed_last(tmp_path):
    peer = booksim(program(tmp_path, "BEGIN\nParse error : Unknown field: x\n"))
    with pytest.raises(PeerError, match=r"BookSim has not come to its end: Parse error : Unknown field: x$"):
        peer.run(0.1, 300, 900)
