"""docs/do/coming_from.md: its files are written and its commands run, in its order, in an empty folder."""

import re
from pathlib import Path

import pytest

from hydranoc.verbs import VERBS
from tests.hydranoc.shells import passes

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "do" / "coming_from.md").read_text()
BENCH = "make -C bench"
ENVIRONMENT = 'eval "$(hydranoc env)"'
SLOW = (BENCH, "hydranoc compare ")
"""Commands that build a simulator."""
STEPS = re.compile(
    r"`(?P<file>[\w.]+)`:\n\n```\w+\n(?P<text>.*?)```|^    (?P<block>hydranoc[^\n]*|make[^\n]*|eval[^\n]*)$"
    r"|`(?P<inline>(?:hydranoc \w+|make -C)\s[^`]*?)`",
    re.MULTILINE | re.DOTALL,
)


def steps() -> list[tuple[str, str]]:
    """Files with their texts, and commands with nothing, as they follow one another; each once."""
    found = []
    for step in STEPS.finditer(PAGE):
        command = step["block"] or re.sub(r"\s+", " ", step["inline"] or "")
        found.append((step["file"], step["text"]) if step["file"] else (command, ""))
    return list(dict.fromkeys(found))


def is_general(command: str) -> bool:
    """True for a command that is a template, or of a negative control."""
    return "CONFIG" in command or "deadlock-" in command


def commands() -> list[str]:
    return [name for name, text in steps() if not text and not is_general(name)]


def test_nothing_on_the_page_is_left_out():
    assert [name for name, text in steps() if text] == [
        "own.anynet", "own.yaml", "tabled.yaml", "mesh.yaml", "mine.py", "trace.csv", "trace.yaml", "multicast.yaml",
    ]  # fmt: skip
    assert len(re.findall(r"^```\w", PAGE, re.M)) == 8
    found = commands()
    assert all(re.match(r"hydranoc \w+ |make -C bench|eval ", command) for command in found), found
    assert {command.split()[1] for command in found if command.startswith("hydranoc ")} <= set(VERBS)
    assert len(found) >= 20


@pytest.mark.parametrize("tool", ["BookSim2", "Noxim", "Garnet", "FlooNoC"])
def test_every_tool_has_a_table_and_a_command(tool):
    part = PAGE.partition(f"\n## From {tool}\n")[2].partition("\n## ")[0]
    rows = [re.split(r"\s*\|\s*", line)[1:-1] for line in part.splitlines() if line.startswith("| ")]
    assert len(rows) > 10
    assert {len(row) for row in rows} == {3}
    assert "hydranoc " in part


def run_them(folder: Path, chosen: list[str]) -> str:
    for name, text in steps():
        if text:
            (folder / name).write_text(text)
    return passes("\n".join(chosen), folder)


def test_its_commands_work(tmp_path, require_package):
    require_package("pyarrow")
    run_them(tmp_path, [command for command in commands() if not command.startswith((*SLOW, "eval"))])
    for name in ("tables.csv", "curve/sweep.csv", "curve/latency.svg", "one_router/router.v", "rtl/noc.v"):
        assert (tmp_path / name).stat().st_size > 100


@pytest.mark.slow
def test_its_benches_work(tmp_path, require_tool):
    require_tool("verilator")
    wanted = [command for command in commands() if command.startswith((*SLOW, "eval", "hydranoc bench"))]
    assert [command.split()[0] for command in wanted].count("make") == 2
    out = run_them(tmp_path, wanted)
    assert "FAIL=0" in out
    assert "hardware and golden model are equal" in out
