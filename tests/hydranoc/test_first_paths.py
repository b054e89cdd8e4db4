"""Paths of a new user: the tutorial and docs/do/coming_from.md print what the pages show, in an empty folder."""

import re
from pathlib import Path

import pytest

from hydranoc.verbs import VERBS
from tests.hydranoc.shells import passes

ROOT = Path(__file__).parents[2]
LEARN = ROOT / "docs" / "learn"
PAGES = ("first_network", "own_traffic", "compare", "export_verilog", "reproduce_figure")
PATH = "".join((LEARN / f"{name}.md").read_text() for name in PAGES)
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```yaml\n(.*?)```", PATH, flags=re.DOTALL))
INDENTED = [line.strip() for line in re.sub(r"```.*?```", "", PATH, flags=re.DOTALL).splitlines() if line[:4] == "    "]
STARTS = ("hydranoc ", "cat ")
COMMANDS = [line.partition(" #")[0].strip() for line in INDENTED if line.startswith(STARTS)]
BESIDE = ("make ", "export ", "mkdir ", "eval ", "python ")
"""Commands that install tools or need them."""
PRINTED = [line for line in INDENTED if not line.startswith((*STARTS, *BESIDE))]
LONG = ("hydranoc compare ", "hydranoc bench ", "hydranoc fpga ", "hydranoc reproduce ")
"""Commands that take long, or need tools."""
EQUAL = re.compile(r"compared cycles|mismatches|hardware and golden model|holds: |results/spam-fig2")
SIZE = re.compile(r" [\d,]+ bytes")


def spaced(text: str) -> str:
    """Without what depends on the width of a column, and on the release."""
    return SIZE.sub("", re.sub(r"[ \t]+", " ", text))


def run_them(folder: Path, commands: list[str]) -> str:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return spaced(passes("\n".join(commands), folder))


def missing(printed: list[str], out: str) -> list[str]:
    return [line for line in printed if spaced(line) not in out]


def test_the_path_has_all_its_steps():
    verbs = [command.split()[1] for command in COMMANDS if command.startswith("hydranoc ")]
    assert verbs[:5] == ["check", "model", "report", "model", "sweep"]
    assert {"compare", "verilog", "bench", "fpga", "reproduce"} <= set(verbs)
    assert list(FILES) == ["own.yaml", "list.yaml", "stalled.yaml"]
    assert len(PRINTED) == 3 + 7 + 1 + 5 + 8 + 3 + 1 + 4


def test_its_commands_print_what_the_page_says(tmp_path, require_package):
    require_package("pyarrow")
    out = run_them(tmp_path, [command for command in COMMANDS if not command.startswith(LONG)])
    assert missing([line for line in PRINTED if not EQUAL.match(line)], out) == []


@pytest.mark.slow
def test_its_hardware_is_equal(tmp_path, require_tool):
    require_tool("verilator")
    chosen = [command for command in COMMANDS if command.startswith(("hydranoc compare ", "hydranoc reproduce spam"))]
    assert missing([line for line in PRINTED if EQUAL.match(line)], run_them(tmp_path, chosen)) == []


COMING_FROM_PAGE = "".join(
    (ROOT / "docs" / "do" / f"{name}.md").read_text() for name in ("coming_from", "coming_from_tools")
)
BENCH = "make -C bench"
SLOW = (BENCH, "hydranoc compare ")
"""Commands that build a simulator."""
STEPS = re.compile(
    r"`(?P<file>[\w.]+)`:\n\n```\w+\n(?P<text>.*?)```|^    (?P<block>(?:hydranoc|make|eval)(?:\\\n|[^\n])*)$"
    r"|`(?P<inline>(?:hydranoc \w+|make -C)\s[^`]*?)`",
    re.MULTILINE | re.DOTALL,
)


def steps() -> list[tuple[str, str]]:
    """Files with their texts, and commands with nothing, as they follow one another; each once."""
    found = []
    for step in STEPS.finditer(COMING_FROM_PAGE):
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
    assert len(re.findall(r"^```\w", COMING_FROM_PAGE, re.M)) == 8
    found = commands()
    assert all(re.match(r"hydranoc \w+ |make -C bench|eval ", command) for command in found), found
    assert {command.split()[1] for command in found if command.startswith("hydranoc ")} <= set(VERBS)
    assert len(found) >= 20


def coming_from_run_them(folder: Path, chosen: list[str]) -> str:
    for name, text in steps():
        if text:
            (folder / name).write_text(text)
    return passes("\n".join(chosen), folder)


@pytest.mark.slow
def test_its_commands_work(tmp_path, require_package):
    require_package("pyarrow")
    coming_from_run_them(tmp_path, [command for command in commands() if not command.startswith((*SLOW, "eval"))])
    for name in ("tables.csv", "curve/sweep.csv", "curve/latency.svg", "one_router/router.v", "rtl/noc.v"):
        assert (tmp_path / name).stat().st_size > 100


@pytest.mark.slow
def test_its_benches_work(tmp_path, require_tool):
    require_tool("verilator")
    wanted = [command for command in commands() if command.startswith((*SLOW, "eval", "hydranoc bench"))]
    assert [command.split()[0] for command in wanted].count("make") == 2
    out = coming_from_run_them(tmp_path, wanted)
    assert "FAIL=0" in out
    assert "hardware and golden model are equal" in out
