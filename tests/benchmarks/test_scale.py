"""``benchmarks.scale`` goes on where the system ends the process of a point."""

import json
import signal
import subprocess

import pytest

from benchmarks import scale


def _ran(monkeypatch, tmp_path, *results: tuple[int, str]):
    """Run the command for a torus of 16 and one of 64 nodes, whose processes end with given exit codes."""
    left = list(results)

    def run(command, **_):
        code, output = left.pop(0)
        return subprocess.CompletedProcess(command, code, output, "Traceback")

    monkeypatch.setattr(scale.subprocess, "run", run)
    arguments = ["scale", "--only", "torus", "--most-nodes", "64", "--no-checks", "-o", str(tmp_path)]
    monkeypatch.setattr("sys.argv", arguments)
    scale.main()


def _point(nodes: int) -> str:
    measured = {name: 1.0 for name in scale.COLUMNS if name not in ("check_seconds", "check_mb")}
    return json.dumps(measured | {"family": "torus", "nodes": nodes, "cycles": 1000})


def test_a_point_that_the_system_ends_is_said_and_left_out(monkeypatch, tmp_path, capsys):
    _ran(monkeypatch, tmp_path, (0, _point(16)), (-signal.SIGKILL, ""))
    assert "torus      64 nodes: ended by the system" in capsys.readouterr().out
    rows = (tmp_path / "scale.csv").read_text().splitlines()
    assert [row.split(",")[:3] for row in rows[1:]] == [["16", "torus", "16"]]
    assert (tmp_path / "scale.png").exists()


def test_a_point_that_fails_ends_it_with_what_the_process_said(monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match=r"(?s)--point torus 16 .* failed:\nTraceback"):
        _ran(monkeypatch, tmp_path, (1, ""))
