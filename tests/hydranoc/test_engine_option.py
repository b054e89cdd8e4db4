"""``model --engine``: the same files from both engines, and one clear line where worms cannot be moved."""

from pathlib import Path

import pytest

from hydranoc.cli import run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("example", ["min", "fig1"])
def test_both_engines_write_the_same(example, tmp_path):
    config = str(EXAMPLES / f"{example}.yaml")
    for engine in ("worm", "cycle"):
        assert run(["model", config, "-o", str(tmp_path / engine), "--engine", engine]) == 0
    files = sorted(path.name for path in (tmp_path / "worm").iterdir())
    assert files == ["channels.csv", "messages.csv", "summary.json"]
    for name in files:
        assert (tmp_path / "worm" / name).read_bytes() == (tmp_path / "cycle" / name).read_bytes()


@pytest.mark.parametrize(
    ("example", "why"),
    [
        ("torus-lanes", "for these routers"),
        ("long-links", "for links with register stages"),
        ("backpressure", "for hosts that hold back"),
    ],
)
def test_worms_that_cannot_be_moved(example, why, tmp_path, capsys):
    folder = tmp_path / "results"
    assert run(["model", str(EXAMPLES / f"{example}.yaml"), "-o", str(folder), "--engine", "worm"]) == 2
    said = capsys.readouterr().err
    assert f"error: Invalid value for --engine: Engine must be 'cycle' {why}, not 'worm'" in said
    assert "Traceback" not in said
    assert not folder.exists()
