"""A summary of a run of the tests in Markdown, from pytest's JUnit file: ``python -m tests.summary FILE``."""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from rtl.version import VERSION

OUTCOMES = ("passed", "failed", "skipped")


def outcome_of(case: ElementTree.Element) -> str:
    """Outcome of a test: an error counts as a failure."""
    tags = {child.tag for child in case}
    if tags & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in tags else "passed"


def room_of(case: ElementTree.Element) -> str:
    """The folder below ``tests`` that a test is in; files beside the folders are one room."""
    parts = case.get("classname", "").split(".")
    return f"tests/{parts[1]}" if len(parts) > 2 else "tests"


def summary(report: ElementTree.Element) -> list[str]:
    """Lines of a table: tests by folder and outcome, and how long they took one after the other.

    Parameters:
        report (Element): The root of a JUnit file.
    """
    cases = list(report.iter("testcase"))
    lines = ["| folder | passed | failed | skipped | minutes |", "|---|---|---|---|---|"]
    rooms = {room: [case for case in cases if room_of(case) == room] for room in sorted(map(room_of, cases))}
    for room, members in {**rooms, "all": cases}.items():
        found = Counter(outcome_of(case) for case in members)
        minutes = sum(float(case.get("time", 0)) for case in members) / 60
        counts = " | ".join(f"{found[outcome]:,}" for outcome in OUTCOMES)
        lines.append(f"| {room} | {counts} | {minutes:,.1f} |")
    failures = [case for case in cases if outcome_of(case) == "failed"]
    lines += ["", *(f"* failed: `{case.get('classname')}::{case.get('name')}`" for case in failures)]
    return lines


def main() -> None:
    """Print the summary of a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.summary", description="Summary of a run of the tests.")
    parser.add_argument("file", type=Path, help="what pytest wrote with --junitxml")
    path = parser.parse_args().file
    try:
        report = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"error: {path}: must be a JUnit file of pytest: {error}")
    suite = report if report.tag == "testsuite" else report.find("testsuite")
    begun = "" if suite is None else suite.get("timestamp", "")[:10]
    title = f"HydraNoC {VERSION}, Python {sys.version_info.major}.{sys.version_info.minor}, {begun}"
    sys.stdout.write("\n".join([title, "", *summary(report)]).rstrip() + "\n")


if __name__ == "__main__":
    main()
