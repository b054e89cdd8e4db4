"""Files around the code: one version, metadata, automatic runs that call what there is."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import hydranoc
from rtl.version import VERSION

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" timestamp="2026-01-02T03:04:05+00:00">
<testcase classname="tests.tb.test_a" name="one" time="30"/>
<testcase classname="tests.tb.test_a" name="two" time="60"><failure message="x">y</failure></testcase>
<testcase classname="tests.rtl.test_b" name="three" time="6"><skipped message="slow"/></testcase>
<testcase classname="tests.rtl.test_b" name="four" time="0"><error message="x"/></testcase>
<testcase classname="tests.test_c" name="five" time="0.5"/>
</testsuite></testsuites>
"""


def test_the_version_stands_in_one_place():
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    assert hydranoc.__version__ == VERSION
    folders = SETTINGS["tool"]["pyright"]["include"]
    sources = [ROOT / "pyproject.toml", *(path for folder in folders for path in (ROOT / folder).rglob("*.py"))]
    assert [str(path.relative_to(ROOT)) for path in sources if f'"{VERSION}"' in path.read_text()] == ["rtl/version.py"]


def test_what_is_installed_says_who_made_it():
    assert PROJECT["authors"] == [{"name": "HydraNoC developers"}]
    assert PROJECT["license"] == "Apache-2.0"
    assert "urls" not in PROJECT
    assert metadata.version("hydranoc") == VERSION


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_automatic_runs_call_what_there_is(path):
    workflow = yaml.safe_load(path.read_text())
    oldest = PROJECT["requires-python"].removeprefix(">=")
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 360
        commands = [step["run"] for step in job["steps"] if "run" in step]
        made = [target for command in commands for target in re.findall(r"\bmake ([a-z-]+)", command)]
        assert made
        assert set(made) <= targets()
        versions = [step["with"]["python-version"] for step in job["steps"] if "setup-python" in step.get("uses", "")]
        assert versions == [oldest]


def test_the_nightly_run_leaves_no_folder_out():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text())
    folders = workflow["jobs"]["long-tests"]["strategy"]["matrix"]["folder"]
    assert set(folders) == {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}


def summarise(path: Path):
    return subprocess.run(
        [sys.executable, "-m", "tests.summary", path], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_files_of_the_night_exist():
    rows = [line for line in (ROOT / "tests" / "nightly.txt").read_text().splitlines() if line[0] != "#"]
    assert rows == sorted(set(rows))
    assert [row for row in rows if not (ROOT / row.partition("::")[0]).is_file()] == []  # tests/conftest.py: the tests


def test_a_summary_counts_what_passed(tmp_path):
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    assert summarise(path).stdout.splitlines()[2:] == [
        "| folder | passed | failed | skipped | minutes |",
        "|---|---|---|---|---|",
        "| tests | 1 | 0 | 0 | 0.0 |",
        "| tests/rtl | 0 | 1 | 1 | 0.1 |",
        "| tests/tb | 1 | 1 | 0 | 1.5 |",
        "| all | 2 | 2 | 1 | 1.6 |",
        "",
        "* failed: `tests.tb.test_a::two`",
        "* failed: `tests.rtl.test_b::four`",
    ]


@pytest.mark.parametrize("text", ["", "<testsuites>", None], ids=["empty", "cut off", "missing"])
def test_a_summary_of_a_damaged_file_is_refused(tmp_path, text):
    path = tmp_path / "report.xml"
    if text is not None:
        path.write_text(text)
    outcome = summarise(path)
    assert outcome.returncode == 1
    assert outcome.stderr.startswith(f"error: {path}: must be a JUnit file of pytest: ")
