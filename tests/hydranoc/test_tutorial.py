"""The first path of docs/learn/tutorial.md: its commands, in an empty folder, print the output on the page."""

import re
from pathlib import Path

import pytest

from tests.hydranoc.shells import passes

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "learn" / "tutorial.md"
PATH = PAGE.read_text().partition("\n## From nothing to a report and Verilog\n")[2]
PATH = PATH.partition("\n## ")[0]
INDENTED = [line.strip() for line in re.sub(r"```.*?```", "", PATH, flags=re.DOTALL).splitlines() if line[:4] == "    "]
COMMANDS = [line.partition(" #")[0].strip() for line in INDENTED if line.startswith("hydranoc ")]
INSTALLING = ("python3 ", "env/bin/pip ", "export ")
PRINTED = [line for line in INDENTED if not line.startswith(("hydranoc ", *INSTALLING))]
SIMULATOR = "hydranoc compare "
EQUAL = "hardware and golden model are equal"
SIZE = re.compile(r" [\d,]+ bytes")


def spaced(text: str) -> str:
    """Without what depends on the width of a column, and on the release."""
    return SIZE.sub("", re.sub(r"[ \t]+", " ", text))


def run_them(folder: Path, commands: list[str]) -> str:
    (configuration,) = re.findall(r"```yaml\n(.*?)```", PATH, flags=re.DOTALL)
    (folder / "own.yaml").write_text(configuration)
    return spaced(passes("\n".join(commands), folder))


def test_the_path_has_all_its_steps():
    assert [command.split()[1] for command in COMMANDS] == ["check", "sweep", "report", "verilog", "compare"]
    assert len(PRINTED) == 3 + 8 + 1 + 1 + 1


def test_its_commands_print_what_the_page_says(tmp_path, require_package):
    require_package("pyarrow")
    out = run_them(tmp_path, [command for command in COMMANDS if not command.startswith(SIMULATOR)])
    missing = [line for line in PRINTED if not line.startswith(EQUAL) and spaced(line) not in out]
    assert missing == []


@pytest.mark.slow
def test_its_hardware_is_equal(tmp_path, require_tool):
    require_tool("verilator")
    out = run_them(tmp_path, [command for command in COMMANDS if command.startswith(SIMULATOR)])
    assert [line in out for line in PRINTED if line.startswith(EQUAL)] == [True]
