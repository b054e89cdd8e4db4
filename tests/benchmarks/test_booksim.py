"""The comparison with BookSim: its output is understood, its failures are clear, and both get the same load."""

import stat
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks import beside_booksim, booksim_hypercube, booksim_torus
from benchmarks.booksim import FASTEST, THROUGHPUT, BookSim, PeerNetwork, Probe, parse_rows, parse_totals
from benchmarks.booksim_hypercube import peer_cube
from benchmarks.booksim_torus import peer_torus
from benchmarks.load import PACKET_FLITS, TRANSPOSE, UNIFORM, LoadedModel, Window, mean_links, pairs, patterns_of
from benchmarks.peer_program import PeerError
from benchmarks.torus_load import links_between, loaded_torus
from sim_model.hypercube.model import HypercubeModel
from sim_model.torus.model import TorusModel
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.operations import turns_of
from topology.torus.routing import BALANCED, DALLY_SEITZ, TorusRouting

WINDOW = Window(300, 900)
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
pair_sent(1,:) = [ 9 1 0 0 1 9 0 3 0 3 9 1 0 0 1 9 ];
pair_plat(1,:) = [ 5 30 -nan -nan 40 5 nan 50 nan 60 5 30 nan nan 40 5 ];
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


PEER = PeerNetwork(4, {"topology": "torus", "k": "2"})


def torus(side: int = 4, rule: str = DALLY_SEITZ) -> LoadedModel:
    return loaded_torus(TorusModel(TorusRouting(TorusNetwork(Grid(side, side), 2), 32, rule)))


def cube(dimensions: int) -> LoadedModel:
    return LoadedModel(HypercubeModel(HypercubeRouting(HypercubeNetwork(dimensions, 3), 32)))


def test_totals_are_those_of_the_whole_run():
    totals = parse_totals(TOTALS)
    assert totals == {
        "cycles": 1200,
        FASTEST: 21,
        "Packet latency": 40.5,
        "Network latency": 38,
        "Accepted flit rate": 0.25,
        "Hops": 3,
    }


def test_rows_of_figures():
    rows = parse_rows(FIGURES)
    assert rows["accepted_flits"].tolist() == [0.4, 0.2, 0.3, 0.4]
    assert len(rows["pair_plat"]) == 16


def test_packets_to_their_own_node_do_not_count(tmp_path):
    peer = BookSim(program(tmp_path), PEER, 2, 4)
    transpose = peer.run(TRANSPOSE, 0.2, WINDOW)
    assert transpose.latency == pytest.approx((30 + 40 + 3 * 50 + 3 * 60 + 30 + 40) / 10)
    assert transpose.accepted == pytest.approx((0.2 + 0.3) / 2)
    assert told(tmp_path)["injection_rate"] == "0.200000"
    uniform = peer.run(UNIFORM, 0.3, WINDOW)
    assert uniform.accepted == pytest.approx(1.3 / 4 * 3 / 4)
    assert told(tmp_path)["injection_rate"] == "0.400000"


def test_flit_hops_count_all_channels_and_cycles(tmp_path):
    run = BookSim(program(tmp_path), PEER, 2, 4).run(UNIFORM, 0.2, WINDOW, kind=THROUGHPUT)
    assert run.flit_hops == pytest.approx(0.25 * 4 * 1200 * (3 + 1))
    assert run.cpu_seconds >= 0


def test_booksim_is_told_the_setting(tmp_path):
    peer = BookSim(program(tmp_path), PEER, 3, 5, {"routing_delay": "0"})
    peer.run(UNIFORM, 0.2, WINDOW)
    keys = told(tmp_path)
    wanted = {"topology": "torus", "k": "2", "num_vcs": "3", "vc_buf_size": "5", "packet_size": "16"}
    assert wanted.items() <= keys.items()
    assert (keys["sample_period"], keys["warmup_periods"], keys["routing_delay"]) == ("300", "1", "0")


def test_two_probes_give_the_cycles_of_a_link_and_of_all_else(tmp_path):
    path = program(tmp_path)
    farther = 'sed "$(grep -q tornado "$1" && echo s/21/27/)" '  # 6 cycles more over its two links more
    path.write_text(path.read_text().replace("cat ", farther, 1))
    assert BookSim(path, PEER, 2, 4).zero_load(Probe("neighbor", 2), Probe("tornado", 4), WINDOW) == (3, 15)


def test_probes_of_one_length_are_refused():
    with pytest.raises(ValueError, match="Ways of neighbor and tornado must have different lengths, not 2 links both"):
        peer_torus(4)


def test_networks_in_booksim():
    assert peer_torus(8).keys.items() >= {"topology": "torus", "k": "8", "n": "2"}.items()
    assert (peer_torus(8).nodes, peer_torus(8).far.links) == (64, 6)
    assert peer_cube(6).keys == {"topology": "mesh", "k": "2", "n": "6", "routing_function": "min_adapt"}
    assert (peer_cube(6).nodes, peer_cube(6).near.links, peer_cube(6).far.links) == (64, 0, 6)


@pytest.mark.parametrize("benchmark", [booksim_torus, booksim_hypercube])
def test_missing_program_is_refused_in_one_line(tmp_path, capsys, benchmark):
    with pytest.raises(SystemExit) as stop:
        benchmark.main(["--booksim", str(tmp_path / "nothing")])
    assert stop.value.code == f"error: BookSim must be an executable file, not {str(tmp_path / 'nothing')!r}"
    assert capsys.readouterr().out == ""


def test_file_that_cannot_be_run_is_refused(tmp_path):
    path = tmp_path / "booksim"
    path.write_text("text")
    with pytest.raises(PeerError, match=r"BookSim cannot be run: Permission denied: .*booksim"):
        BookSim(path, PEER, 2, 4).run(UNIFORM, 0.1, WINDOW)


def test_run_without_an_end_says_what_was_printed_last(tmp_path):
    peer = BookSim(program(tmp_path, "BEGIN\nParse error : Unknown field: x\n"), PEER, 2, 4)
    with pytest.raises(PeerError, match=r"BookSim has not come to its end: Parse error : Unknown field: x$"):
        peer.run(UNIFORM, 0.1, WINDOW)


def test_transpose_goes_to_the_mirrored_node_and_leaves_out_the_diagonal():
    grid = Grid(4, 4)
    messages = torus().offered_messages(TRANSPOSE, 0.5, 500)
    for source, destination in zip(messages.source, messages.destinations, strict=True):
        assert grid.position(int(source)) == grid.position(int(destination))[::-1]
    assert len(set(messages.source.tolist())) == 12


def test_uniform_load_is_what_was_asked_for_and_even():
    cycles = 20_000
    messages = torus().offered_messages(UNIFORM, 0.4, cycles)
    assert len(messages) * PACKET_FLITS / cycles / 16 == pytest.approx(0.4, rel=0.03)
    counts = np.bincount(messages.source * 16 + messages.destinations, minlength=256).reshape(16, 16)
    assert counts.diagonal().sum() == 0
    expected = len(messages) / 240
    assert abs(counts[~np.eye(16, dtype=bool)] - expected).max() < 6 * expected**0.5


def test_ways_are_shortest_and_ties_are_broken_evenly():
    grid = Grid(4, 4)
    messages = torus().offered_messages(UNIFORM, 0.5, 5_000)
    negative, ties = 0, 0
    for message in range(len(messages)):
        source, destination = int(messages.source[message]), int(messages.destinations[message])
        turns, plain = turns_of(int(messages.operation[message])), grid.shortest(source, destination)
        assert turns is not None
        assert sum(1 for _ in grid.path(source, destination, turns)) == sum(1 for _ in grid.path(source, destination))
        if (destination - source) % 4 == 2:
            ties, negative = ties + 1, negative + turns.y_negative
        elif (destination - source) % 4:
            assert turns.y_negative == plain.y_negative
    assert negative == pytest.approx(ties / 2, rel=0.15)


def test_light_load_has_the_latency_of_a_lone_message():
    # 2 channels of the host and links between: 1 + R cycles for each switch, 1 for the delivery buffer, 16 flits
    lone = torus().zero_load_latency(UNIFORM)
    links = mean_links(UNIFORM, 16, partial(links_between, Grid(4, 4)))
    assert lone == pytest.approx((links + 1) * 2 + 1 + 1 + 16)
    run = torus().measure(UNIFORM, 0.01, Window(500, 6_000))
    assert run.latency == pytest.approx(lone, rel=0.05)
    assert run.accepted == pytest.approx(0.01, rel=0.25)


def test_overload_accepts_less_than_is_offered_and_has_no_latency():
    run = torus().measure(UNIFORM, 1.0, WINDOW)
    assert 0.2 < run.accepted < 0.9
    assert np.isnan(run.latency)


@pytest.mark.slow
def test_balanced_lanes_accept_a_tenth_more_uniform_traffic():
    # throughput beyond saturation varies with the seed; with this one it is a sixth more
    plain, balanced = (
        torus(8, rule).measure(UNIFORM, 1.0, beside_booksim.QUICK).accepted for rule in (DALLY_SEITZ, BALANCED)
    )
    assert balanced > 1.1 * plain


def test_a_cube_has_its_own_latency_and_mirrors_halves_of_numbers():
    # 5 cycles for each switch but the first, 8 at the ends and 15 for the flits behind the head
    links = mean_links(UNIFORM, 8, booksim_hypercube.links_between)
    assert links == pytest.approx(12 / 7)
    assert cube(3).zero_load_latency(UNIFORM) == pytest.approx(5 * links + 8 + 15)
    ways = pairs(TRANSPOSE, 16)
    assert len(ways) == 12
    assert all(destination == source >> 2 | (source & 3) << 2 for source, destination in ways)


def test_nodes_that_are_no_square_have_no_transpose_traffic():
    assert patterns_of(32) == (UNIFORM,)
    assert patterns_of(64) == (UNIFORM, TRANSPOSE)
    with pytest.raises(ValueError, match="Nodes must be a square number for transpose traffic, not 32"):
        pairs(TRANSPOSE, 32)


def test_saturation_is_where_loads_are_no_more_carried():
    class Carries:
        def __init__(self, load):
            self.accepted = min(load, 0.31)

    side = beside_booksim.Side("", lambda *_: None, lambda _, load: Carries(load), lambda _: 0.0)
    assert side.saturation(UNIFORM) == pytest.approx(0.31 / beside_booksim.CARRIED, abs=beside_booksim.FINEST)


def test_table_has_both_sides_and_a_dash_beyond_saturation(capsys):
    class Run:
        flit_hops, cpu_seconds = 8e6, 2.0

        def __init__(self, load, latency):
            self.accepted, self.latency = min(load, 0.5), latency

    def side(slope, seconds):
        def run(_pattern, load):
            return Run(load, 10 + slope * load if load < 0.4 else float("nan"))

        def throughput(_pattern, load):
            found = Run(load, 0)
            found.cpu_seconds = seconds
            return found

        return beside_booksim.Side("", run, throughput, lambda _: 10.0)

    beside_booksim.compare(UNIFORM, side(100, 2.0), side(50, 8.0))
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.strip().startswith("0.262")).split()
    assert row == ["0.262", "36.2", "23.1", "26.2", "13.1", "+100%", "0.2617", "0.2617"]
    assert next(line for line in lines if line.strip().startswith("0.471")).split()[1:6] == ["-"] * 5
    assert sum("4.00 and 1.00 million flit-hops per CPU s, ratio 4.0" in line for line in lines) == 3
