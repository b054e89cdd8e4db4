"""Peers are built once from their tarballs, and a faulty tarball is reported in one line."""

import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.peer_builds import BOOKSIM2, CNSIM, built, tarball_of
from benchmarks.peer_program import PeerError
from hydranoc.lockstep.kept import kept_simulators
from tests.benchmarks.peer_programs import tarball

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
