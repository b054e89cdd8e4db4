"""``model --engine``: the same files from all engines, and one clear line where an engine lacks a feature."""

from pathlib import Path

import pytest

from hydranoc.cli import run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize(("example", "fast"), [("min", "worm"), ("fig1", "worm"), ("torus-lanes", "planes")])
def test_both_engines_write_the_same(example, fast, tmp_path):
    config = str(EXAMPLES / f"{example}.yaml")
    for engine in (fast, "cycle"):
        assert run(["model", config, "-o", str(tmp_path / engine), "--engine", engine]) == 0
    files = sorted(path.name for path in (tmp_path / fast).iterdir())
    assert files == ["channels.csv", "messages.csv", "summary.json"]
    for name in files:
        assert (tmp_path / fast / name).read_bytes() == (tmp_path / "cycle" / name).read_bytes()


@pytest.mark.parametrize(
    ("example", "engine", "why"),
    [
        ("torus-lanes", "worm", "for these routers"),
        ("long-links", "worm", "for links with register stages"),
        ("backpressure", "worm", "for hosts that hold back"),
        ("harts", "planes", "for these routers"),
    ],
)
def test_an_engine_that_cannot_do_it(example, engine, why, tmp_path, capsys):
    folder = tmp_path / "results"
    assert run(["model", str(EXAMPLES / f"{example}.yaml"), "-o", str(folder), "--engine", engine]) == 2
    said = capsys.readouterr().err
    assert f"error: Invalid value for --engine: Engine must be 'cycle' {why}, not {engine!r}" in said
    assert "Traceback" not in said
    assert not folder.exists()
