"""Comparison with other simulators: their builds, their output, and the rows from both."""

import csv
import io
import json
import stat
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from benchmarks import peers
from benchmarks.booksim import BookSim
from benchmarks.cnsim import CnSim, parse_first_load
from benchmarks.peer_builds import BOOKSIM2, CNSIM, built, tarball_of
from benchmarks.peer_processes import AGAIN, DAEMON, FIRST, SETTINGS, OurProcesses, missed_processes
from benchmarks.peer_program import PeerError, PeerRun
from benchmarks.peer_table import COLUMNS, OURS, RUN_ALONE, Row, write_csv
from benchmarks.sandbox import Sandbox
from hydranoc.lockstep.kept import kept_simulators

CNSIM_OUTPUT = """\
         Config File:
     Packet Length: 5
Single Chip 2D-mesh, 8x8

Time elapsed: 0.05s
Injection rate:0.1 flits/(node*cycle)    Injected:5600    Arrived:  5601    Timeout:  30075
Average latency: 41.4931  Average receiving rate: 0.100018
Internal Hops: 5.25   Parallel Hops: 0   Serial Hops: 0   Other Hops: 0

Time elapsed: 0.15s
Injection rate:0.2 flits/(node*cycle)    Injected:11200    Arrived:  99    Timeout:  30075
Average latency: 999  Average receiving rate: 0.2
Internal Hops: 9   Parallel Hops: 0   Serial Hops: 0   Other Hops: 0

Saturation point!
"""


def printing(folder: Path, name: str, output: str) -> Path:
    """A program that keeps its configuration as ``told`` and prints ``output``."""
    (folder / "output").write_text(output)
    path = folder / name
    path.write_text(f'#!/bin/sh\ncp "$1" {folder}/told\ncat {folder}/output\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def tarball(path: Path, files: dict[str, str]) -> Path:
    """A tarball with these files."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


PEER = replace(BOOKSIM2, steps=(("sh", "booksim2/src/build"),))
BUILD = "echo built >> $HYDRANOC_CACHE/../count; echo program > booksim2/src/booksim"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))


def sources(folder, build=BUILD):
    return tarball(folder / BOOKSIM2.tarball, {"booksim2/src/build": build + "\n"})


def wrong(peer, path):
    with pytest.raises(PeerError) as stop:
        built(peer, path)
    assert "\n" not in str(stop.value)
    return str(stop.value)


def test_program_is_built_once_and_kept_alone(tmp_path):
    program = built(PEER, sources(tmp_path))
    assert program.read_text() == "program\n"
    assert built(PEER, sources(tmp_path)) == program
    assert (tmp_path / "count").read_text() == "built\n"
    assert sorted(path.name for path in program.parent.iterdir()) == ["booksim", "build.log", "whole.json"]
    assert [kept.name for kept in kept_simulators()] == [program.parent.name]


def test_other_sources_or_steps_are_built_anew(tmp_path):
    first = built(PEER, sources(tmp_path))
    second = built(PEER, sources(tmp_path, BUILD + "; true"))
    third = built(replace(PEER, steps=(*PEER.steps, ("true",))), sources(tmp_path))
    assert len({first, second, third}) == 3


def test_folder_without_the_tarball(tmp_path):
    with pytest.raises(PeerError) as stop:
        tarball_of(BOOKSIM2, tmp_path)
    assert str(stop.value).endswith("must hold booksim2.tar.gz, the sources of BookSim2, not only nothing")
    sources(tmp_path)
    with pytest.raises(PeerError, match=r"must hold cnsim\.tar\.gz, the sources of CNSim, not only booksim2\.tar\.gz$"):
        tarball_of(CNSIM, tmp_path)
    missing = tmp_path / "missing"
    with pytest.raises(PeerError) as stop:
        tarball_of(BOOKSIM2, missing)
    assert str(stop.value) == f"--peers must be a folder with booksim2.tar.gz, not {str(missing)!r}"


def test_command_says_it_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        peers.main(["--peers", str(tmp_path / "missing")])
    assert str(stop.value.code).startswith("error: --peers must be a folder with booksim2.tar.gz")
    assert capsys.readouterr().out == ""


def test_damaged_tarball(tmp_path):
    path = sources(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert wrong(PEER, path).startswith(f"{path} cannot be unpacked: ")
    path.write_text("no archive")
    assert wrong(PEER, path).startswith(f"{path} cannot be unpacked: ")


def test_tarball_that_writes_elsewhere_is_not_unpacked(tmp_path):
    path = tarball(tmp_path / BOOKSIM2.tarball, {"booksim2/src/build": BUILD, "../../../escaped": ""})
    assert "cannot be unpacked" in wrong(PEER, path)
    assert not list(tmp_path.rglob("escaped"))


def test_tarball_with_a_link_is_not_unpacked(tmp_path):
    path = tmp_path / BOOKSIM2.tarball
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("booksim2/src")
        link.type, link.linkname = tarfile.SYMTYPE, "/"
        archive.addfile(link)
    assert "'booksim2/src' must be a file or folder of its own" in wrong(PEER, path)


def test_tarball_of_something_else(tmp_path):
    path = tarball(tmp_path / BOOKSIM2.tarball, {"other/readme": ""})
    assert wrong(PEER, path) == f"{path} must hold a folder booksim2/src, with the sources of BookSim2"


def test_build_that_fails_says_why_and_keeps_its_log(tmp_path):
    path = sources(tmp_path, "echo first; echo 'x.h:1: fatal error: boost/x.hpp: No such file'; echo last; exit 2")
    said, _, log = wrong(PEER, path).partition("; its log is ")
    assert said == "BookSim2 cannot be built, sh ended with 2: x.h:1: fatal error: boost/x.hpp: No such file"
    assert "first\n" in Path(log).read_text()
    assert not list((tmp_path / "cache").glob("peer-*"))


def test_build_without_a_program(tmp_path):
    path = sources(tmp_path, "echo nothing to be done")
    said = wrong(PEER, path)
    assert said.startswith("BookSim2 was built without its program booksim2/src/booksim: nothing to be done; its log")


def test_missing_tool_is_named(tmp_path):
    said = wrong(replace(PEER, steps=(("no-such-make",),)), sources(tmp_path))
    assert said == "BookSim2 cannot be built: no-such-make: No such file or directory"


BOOKSIM_SCRIPT = """\
#!/bin/sh
echo 'Time taken is 800 cycles
= Overall Traffic Statistics =
Packet latency average = 40.5 (1 samples)
	minimum = 21 (1 samples)
Accepted flit rate average = 0.1 (1 samples)
Hops average = 6.25 (1 samples)'
echo 'accepted_flits(1,:) = [ 0.1 ];' > $(sed -n 's/^stats_out = \\(.*\\);/\\1/p' "$1")
"""


def run(flit_hops, seconds, accepted=0.1, latency=20.0):
    return PeerRun(latency, accepted, flit_hops, seconds)


def test_first_load_of_cnsim_is_what_counts():
    found = parse_first_load(CNSIM_OUTPUT)
    assert found["Arrived"] == 5601
    assert found["Average latency"] == 41.4931
    assert found["Internal Hops"] == 5.25


def test_flit_hops_of_cnsim_are_of_all_cycles_and_channels(tmp_path):
    made = CnSim(printing(tmp_path, "cnsim", CNSIM_OUTPUT), 8, 2, 16).run(0.1, 21_000)
    assert made.flit_hops == pytest.approx(5601 * 16 * 1.5 * (5.25 + 2))
    assert made.accepted == pytest.approx(5601 * 16 / 14_000 / 64)
    assert made.latency == 41.4931
    assert made.cpu_seconds > 0


def test_cnsim_is_told_the_setting_and_to_end_behind_its_first_load(tmp_path):
    CnSim(printing(tmp_path, "cnsim", CNSIM_OUTPUT), 16, 2, 64).run(0.05, 30_000)
    told = (tmp_path / "told").read_text().splitlines()
    wanted = {"scale = 16", "vc_number = 2", "buffer_size = 64", "packet_length = 64", "injection_increment = 0.05"}
    assert wanted | {"simulation_time = 20000", "timeout_threshold = 1", "threads = 1"} <= set(told)


@pytest.mark.parametrize("output", ["", "No such a topology!\n", CNSIM_OUTPUT.partition("Internal")[0]])
def test_cnsim_without_an_end_says_what_was_printed_last(tmp_path, output):
    program = printing(tmp_path, "cnsim", output)
    last = (output.strip().splitlines() or ["it printed nothing"])[-1]
    with pytest.raises(PeerError) as stop:
        CnSim(program, 8, 2, 16).run(0.1, 300)
    assert str(stop.value) == f"CNSim has not come to its end: {last}"


def test_booksim_is_told_the_length_of_packets(tmp_path):
    path = printing(tmp_path, "booksim", "")
    path.write_text(BOOKSIM_SCRIPT + f'cp "$1" {tmp_path}/told\n')
    booksim = BookSim(path, 64, {"topology": "mesh"}, 2, 4, packet_flits=5)
    made = booksim.run(0.1, 200, 600)
    assert "packet_size = 5;" in (tmp_path / "told").read_text()
    assert made.flit_hops == pytest.approx(0.1 * 64 * 800 * 7.25)


def test_times_are_of_runs_that_followed_another():
    ours, theirs = [run(30e6, 1), run(10e6, 1), run(20e6, 1)], [run(2e6, 1), run(1e6, 1), run(2e6, 2)]
    row = Row(8, 16, 0.1, 1000, {OURS: ours, BOOKSIM2.name: theirs})
    assert row.speeds(BOOKSIM2.name) == [2, 1, 1]
    assert row.times(BOOKSIM2.name) == 15  # of 15, 10 and 20


def test_all_run_in_turn():
    order = []

    def runner(name):
        def one(setting):
            order.append((name, setting.flits))
            return {name: run(1e6, 1)}

        return one

    settings = [peers.Setting(8, flits, 0.1, 100) for flits in (5, 16)]
    rows = list(peers.measured([runner("a"), runner("b")], settings, 2))
    assert order == [("a", 5), ("b", 5)] * 2 + [("a", 16), ("b", 16)] * 2
    assert [(row.flits, len(row.runs["a"]), len(row.runs["b"])) for row in rows] == [(5, 2, 2), (16, 2, 2)]


def test_ours_counts_what_the_network_did():
    found = peers.run_ours(peers.Setting(8, 16, 0.2, 2_000))
    whole, alone = found[OURS], found[RUN_ALONE]
    assert whole.flit_hops == alone.flit_hops
    assert whole.cpu_seconds > alone.cpu_seconds > 0
    # 16/3 links between uniform nodes of an 8 x 8 mesh other than their own, and two channels at the ends
    assert whole.flit_hops / (whole.accepted * 64 * 2_000) == pytest.approx(16 / 3 + 2, rel=0.08)
    assert whole.accepted == pytest.approx(0.2, rel=0.1)


def test_table_is_written(tmp_path):
    runs = {OURS: [run(30e6, 1), run(30e6, 2)], BOOKSIM2.name: [run(2e6, 1, latency=float("nan"))] * 2}
    write_csv([Row(8, 16, 0.1, 1000, runs)], tmp_path / "new" / "peers.csv")
    with (tmp_path / "new" / "peers.csv").open() as file:
        ours, theirs = csv.DictReader(file)
    assert tuple(ours) == COLUMNS
    assert (ours["simulator"], ours["nodes"], ours["mean_latency_cycles"]) == (OURS, "64", "20.00")
    speeds = [ours[name] for name in COLUMNS[-4:-1]]
    assert speeds == ["22.5000", "15.0000", "30.0000"]
    assert (theirs["mean_latency_cycles"], theirs["times_slower_than_ours"]) == ("", "11.250")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with tarballs whose programs print figures at once."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    makefile = "all:\n\tcp script booksim; chmod +x booksim\n"
    (tmp_path / "peers").mkdir()
    tarball(
        tmp_path / "peers" / BOOKSIM2.tarball,
        {"booksim2/src/Makefile": makefile, "booksim2/src/script": BOOKSIM_SCRIPT},
    )
    cnsim = "#!/bin/sh\ncat <<END\n" + CNSIM_OUTPUT + "END\n"
    tarball(tmp_path / "peers" / CNSIM.tarball, {"cnsim/src/script": cnsim})
    steps = (("mkdir", "cnsim/build"), ("cp", "cnsim/src/script", CNSIM.program), ("chmod", "+x", CNSIM.program))
    monkeypatch.setattr(peers, "CNSIM", replace(CNSIM, steps=steps))
    return tmp_path / "peers"


def test_command_builds_measures_prints_and_writes(folder, tmp_path, capsys):
    table = tmp_path / "peers.csv"
    common = ["--peers", str(folder), "--cycles", "400", "--repeats", "1", "--flits", "16", "--without-processes"]
    with pytest.raises(SystemExit) as stop:
        peers.main([*common, "--load", "0.1", "-o", str(table)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "mesh of 8 x 8 nodes, uniform unicasts, 400 cycles, medians of 1 repeats"
    row = next(line for line in lines if line.startswith("     16    0.1")).split()
    assert len(row) == 11
    assert "-" not in row
    assert lines[-2 if stop.value.code == 0 else -3] == str(table)
    assert (stop.value.code == 0) == (lines[-1] == "every bar is reached")
    assert len(table.read_text().splitlines()) == 1 + 4


def test_each_length_has_its_bars():
    fast, slow = row_with(0.1, 60.0, cnsim=30.0), row_with(0.1, 35.0, cnsim=30.0)
    assert peers.missed_bars(fast) == []
    assert peers.missed_bars(slow) == [
        "8 x 8 nodes, 16 flits, load 0.1: 35.00 times as fast as BookSim2, and 40 is the bar",
        "8 x 8 nodes, 16 flits, load 0.1: 1.17 times as fast as CNSim, and 1.5 is the bar",
    ]
    assert peers.missed_bars(replace(slow, side=16)) == []
    assert len(peers.missed_bars(replace(row_with(0.1, 12.0), side=16))) == 1


def row_with(accepted, million_flit_hops, cnsim=None):
    """A row at a load of 0.1 flits, in which BookSim2 moves a million flit-hops per CPU second."""
    runs = {OURS: [PeerRun(1.0, accepted, million_flit_hops * 1e6, 1.0)], BOOKSIM2.name: [PeerRun(1.0, 0.1, 1e6, 1.0)]}
    if cnsim is not None:
        runs[CNSIM.name] = [PeerRun(1.0, 0.1, cnsim * 1e6, 1.0)]
    return Row(8, 16, 0.1, 400, runs)


def test_command_does_without_cnsim_and_larger_meshes_have_less_load(folder, tmp_path, capsys):
    (folder / CNSIM.tarball).unlink()
    common = ["--peers", str(folder), "--cycles", "200", "--repeats", "1", "--flits", "16", "--without-processes"]
    with pytest.raises(SystemExit):
        peers.main([*common, "--without-cnsim", "--side", "16", "-o", str(tmp_path / "peers.csv")])
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("     16")]
    assert [row[1] for row in rows] == ["0.05", "0.1", "0.15"]
    assert [row[5] for row in rows] == ["-"] * 3


@pytest.mark.parametrize("wrong", [["--cycles", "3"], ["--repeats", "0"]])
def test_too_few_cycles_or_repeats_are_refused(folder, wrong):
    with pytest.raises(SystemExit) as stop:
        peers.main(["--peers", str(folder), *wrong])
    assert stop.value.code == "error: --cycles and --repeats must be at least 4 and 1"


def test_whole_processes_are_held_against_their_own_bars():
    def rows(seconds):
        runs = {AGAIN: [run(2e6, seconds)] * 2, BOOKSIM2.name: [run(1e6, 1.0)] * 2}
        return [Row(8, setting.flits, setting.load, setting.cycles, runs) for setting in SETTINGS]

    assert missed_processes(rows(0.4)) == []
    assert missed_processes(rows(0.5)) == [
        "whole process, 16 flits, load 0.1, 30,000 cycles: 4.00 times as fast as BookSim2, and 5 is the bar"
    ]
    assert len(missed_processes(rows(2.5))) == 2


def test_our_processes_are_first_again_and_by_the_daemon(tmp_path, monkeypatch):
    caches = []

    def seconds(sandbox, arguments):
        caches.append(sandbox.caches.name)
        (sandbox.folder / "results").mkdir(exist_ok=True)
        config = yaml.safe_load(Path(arguments[1]).read_text())
        assert config["traffic"]["cycles"] == 3_000
        assert config["traffic"]["messages_per_node_per_cycle"] == 0.01 / 16
        summary = {"deliveries": 120, "cycles": 3_000, "flit_hops": 14_000, "latency_cycles": {"unicast": {"mean": 30}}}
        (sandbox.folder / "results" / "summary.json").write_text(json.dumps(summary))
        return float(len(caches))

    monkeypatch.setattr(Sandbox, "seconds", seconds)
    monkeypatch.setattr(Sandbox, "daemon_seconds", seconds)
    monkeypatch.setattr(Sandbox, "import_modules", lambda _sandbox: None)
    processes = OurProcesses(tmp_path)
    for first in (1.0, 4.0):
        found = processes(peers.Setting(8, 16, 0.01, 3_000))
        assert [(name, one.cpu_seconds) for name, one in found.items()] == [
            (FIRST, first),
            (AGAIN, first + 1),
            (DAEMON, first + 2),
        ]
        assert found[AGAIN].accepted == pytest.approx(0.01)
    assert caches[0] == caches[1] == caches[2] != caches[3] == caches[4] == caches[5]
