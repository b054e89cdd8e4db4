"""Comparison with other simulators: their builds, their output, and the rows from both."""

import io
import stat
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.cnsim import CnSim
from benchmarks.peer_builds import BOOKSIM2, CNSIM, built, tarball_of
from benchmarks.peer_program import PeerError, PeerRun
from benchmarks.peer_table import OURS, RUN_ALONE
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
    tarred = sources(tmp_path)
    program = built(PEER, tarred)
    assert program.read_text() == "program\n"
    assert built(PEER, tarred) == program
    assert (tmp_path / "count").read_text() == "built\n"
    assert sorted(path.name for path in program.parent.iterdir()) == ["booksim", "build.log", "whole.json"]
    assert [kept.name for kept in kept_simulators()] == [program.parent.name]


def test_folder_without_the_tarball(tmp_path):
    sources(tmp_path)
    with pytest.raises(PeerError, match=r"must hold cnsim\.tar\.gz, the sources of CNSim, not only booksim2\.tar\.gz$"):
        tarball_of(CNSIM, tmp_path)
    with pytest.raises(SystemExit) as stop:
        peers.main(["--peers", str(tmp_path / "missing")])
    assert str(stop.value.code).endswith("missing'; it must be a folder with booksim2.tar.gz")


def test_damaged_tarball(tmp_path):
    path = sources(tmp_path)
    path.write_bytes(path.read_bytes()[:100])
    assert wrong(PEER, path).startswith(f"{path} cannot be unpacked: ")


def test_tarball_that_writes_elsewhere_is_not_unpacked(tmp_path):
    path = tarball(tmp_path / BOOKSIM2.tarball, {"booksim2/src/build": BUILD, "../../../escaped": ""})
    assert "cannot be unpacked" in wrong(PEER, path)
    assert not list(tmp_path.rglob("escaped"))


def test_build_that_fails_says_why_and_keeps_its_log(tmp_path):
    path = sources(tmp_path, "echo first; echo 'x.h:1: fatal error: boost/x.hpp: No such file'; echo last; exit 2")
    said, _, log = wrong(PEER, path).partition("; its log is ")
    assert said == "BookSim2 cannot be built, sh ended with 2: x.h:1: fatal error: boost/x.hpp: No such file"
    assert "first\n" in Path(log).read_text()
    assert not list((tmp_path / "cache").glob("peer-*"))
    said = wrong(PEER, sources(tmp_path, "echo nothing to be done"))
    assert said.startswith("BookSim2 was built without its program booksim2/src/booksim: nothing to be done; its log")
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


def test_ours_counts_what_the_network_did():
    found = peers.run_ours(peers.Setting(8, 16, 0.2, 2_000))
    whole, alone = found[OURS], found[RUN_ALONE]
    assert whole.flit_hops == alone.flit_hops
    assert whole.cpu_seconds > alone.cpu_seconds > 0
    # 16/3 links between uniform nodes of an 8 x 8 mesh other than their own, and two channels at the ends
    assert whole.flit_hops / (whole.accepted * 64 * 2_000) == pytest.approx(16 / 3 + 2, rel=0.08)
    assert whole.accepted == pytest.approx(0.2, rel=0.1)


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
