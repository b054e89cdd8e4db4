"""Whole commands from empty caches: what is counted, and that a missed bar is an error."""

import pytest

from benchmarks import start_up
from benchmarks.sandbox import BenchmarkError, Sandbox
from benchmarks.start_up import Command, Measured


def test_all_bars_of_a_command_are_asked_for():
    command = Command(("model", "/somewhere/demo.yaml"), cold=8.0, warm=1.2)
    assert Measured(command, 8.0, 1.2).missed == []
    assert Measured(command, 9.0, 1.3).missed == [
        "model demo.yaml, with empty caches: 9.00 CPU s; at most 8",
        "model demo.yaml, warm: 1.30 CPU s; at most 1.2",
    ]
    assert Measured(Command(("--help",), warm=0.4), 99.0, 0.1).missed == []


def test_runs_are_in_pairs_and_the_first_has_empty_caches(tmp_path):
    runs = []

    class Counted(Sandbox):
        def seconds(self, arguments):
            runs.append((arguments, self.caches.name))
            return 10.0 - len(runs)

    chosen = [Command(("--version",)), Command(("--help",))]
    found = list(start_up.measured(Counted(tmp_path), chosen, 2))
    assert [(one.cold, one.warm) for one in found] == [(7.0, 6.0), (3.0, 2.0)]
    assert [arguments for arguments, _ in runs] == [("--version",)] * 4 + [("--help",)] * 4
    assert [caches for _, caches in runs[::2]] == [caches for _, caches in runs[1::2]]
    assert len({caches for _, caches in runs}) == 4


def test_a_command_runs_with_caches_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("HYDRANOC_LOOPS", "/elsewhere")
    sandbox = Sandbox(tmp_path)
    environment = sandbox.environment
    assert not {"PYTHONDONTWRITEBYTECODE", "HYDRANOC_LOOPS"} & environment.keys()
    places = [environment[name] for name in ("HYDRANOC_CACHE", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")]
    assert all(place.startswith(str(sandbox.caches)) for place in places)
    (sandbox.caches / "hydranoc" / "loops").mkdir(parents=True)
    (sandbox.caches / "hydranoc" / "loops" / "run-1.o").touch()
    assert sandbox.compilations() == 1
    sandbox.empty_caches()
    assert sandbox.compilations() == 0


def test_a_command_that_fails_is_no_figure(tmp_path):
    with pytest.raises(BenchmarkError) as stop:
        Sandbox(tmp_path).seconds(("check", "nothing.yaml"))
    assert str(stop.value).startswith("hydranoc check nothing.yaml ended with 2: error: nothing.yaml")


def test_the_command_prints_and_fails_at_a_missed_bar(monkeypatch, capsys):
    for bar, code, last in ((60.0, 0, "all bars are reached"), (0.0, 1, "missed: --version, warm: ")):
        monkeypatch.setattr(start_up, "commands", lambda bar=bar: [Command(("--version",), warm=bar)])
        with pytest.raises(SystemExit) as stop:
            start_up.main(["--only", "version", "--repeats", "1"])
        assert stop.value.code == code
        assert capsys.readouterr().out.splitlines()[-1].startswith(last)
    with pytest.raises(SystemExit) as stop:
        start_up.main(["--repeats", "0"])
    assert stop.value.code == "error: --repeats must be at least 1"


def test_every_family_has_a_first_run():
    examples = {command.arguments[1].rpartition("/")[2] for command in start_up.commands() if command.cold}
    assert examples == {"demo.yaml", "min.yaml", "harts.yaml", "torus-lanes.yaml", "hypercube.yaml"}
