"""Places of processors, as ``check`` prints them."""

import json
from pathlib import Path

from hydranoc.cli import run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def test_every_processor_is_named_with_its_switch_and_port(capsys):
    assert run(["check", str(EXAMPLES / "campus.yaml"), "--json"]) == 0
    processors = json.loads(capsys.readouterr().out)["processors"]
    assert [entry["processor"] for entry in processors] == list(range(20))
    assert processors[0]["sends_to"] == processors[0]["receives_from"]
    assert set(processors[0]["sends_to"][0]) == {"switch", "port"}


def test_lines_are_limited(capsys):
    assert run(["check", str(EXAMPLES / "campus.yaml")]) == 0
    lines = capsys.readouterr().out.split("processors:\n")[1].splitlines()
    assert len([line for line in lines if line.startswith("  p")]) == 16
    assert lines[16] == "  ... 4 more: --json lists all"


def test_multistage_networks_send_and_receive_at_other_switches(capsys):
    assert run(["check", str(ROOT / "benchmarks/choices/min-uni.yaml")]) == 0
    first = capsys.readouterr().out.split("processors:\n")[1].splitlines()[0]
    assert first.startswith("  p0  ")
    assert "sends to" in first
    assert "receives from" in first
