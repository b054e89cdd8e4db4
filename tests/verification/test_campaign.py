"""The campaign: cases that follow from their number, a ledger that survives, verdicts that are right."""

import contextlib
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

import verification.campaign
from hydranoc import load
from hydranoc.lockstep.bench_source import BuiltSimulator, NotFromRegisters, SimulatorFailed
from tb.common.job import LockstepResult
from tests.each import each
from tests.tb.mutations import Mutation, copy_hardware
from topology.common.errors import MachineTrouble
from verification.campaign import run as campaign_run
from verification.campaign.__main__ import Progress, main
from verification.campaign.cases import (
    FAMILIES,
    PARTS_FROM,
    RUNS,
    STEPS_FROM,
    Campaign,
    cases_of,
    configuration_of,
    digest_of,
    family_of,
)
from verification.campaign.ledger import Entry, Ledger
from verification.campaign.run import EQUAL, MISMATCH, TROUBLE, Found, Runner
from verification.campaign.shares import Shares
from verification.campaign.situations.watch import SITUATIONS
from verification.campaign.summary import summary
from verification.campaign.versions import sources_digest

ROOT = Path(__file__).parents[2]
SMALL = {"spam": 120, "torus": 144, "hypercube": 112, "min": 488, "harts": 136}
"""First cases over networks of one to seven routers."""
SCALE = 0.005


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "verification.campaign", "--scale", str(SCALE), *arguments]


def environment(*folders: Path) -> dict[str, str]:
    """With folders in which Python looks for packages before all others."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT)))}


def start(arguments: Sequence[str], *folders: Path) -> subprocess.Popen:
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    where = folders[0] if folders else ROOT  # in which Python looks even before those of PYTHONPATH
    return subprocess.Popen(command(*arguments), cwd=where, env=environment(*folders), **piped)


def run(arguments: Sequence[str], *folders: Path) -> subprocess.CompletedProcess:
    process = start(arguments, *folders)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


ENTRY = Entry(3, "spam", "0123456789ab", 10, 1000, 50, 2, EQUAL, "0.1.0-abc-5.48.0", "buffer-full=7")

FAULT = Mutation(
    "changes a flit that waits on the link",
    "parts/output_register.py",
    "with m.If(self.free):",
    "with m.If(self.free | link.valid):",
)


@each("family", FAMILIES)
def test_a_case_is_the_same_each_time(family):
    case = cases_of(family, 2)[3]
    again = Campaign(SCALE)
    again.design_of(case - 1)  # what was drawn before does not matter
    first, second = Campaign(SCALE).design_of(case), again.design_of(case)
    assert configuration_of(first) == configuration_of(second)
    assert digest_of(first) == digest_of(second)
    assert digest_of(Campaign(SCALE).design_of(case + 1)) != digest_of(first)


@each("family", FAMILIES)
def test_networks_of_a_family_differ_and_are_its_own(family):
    campaign = Campaign(SCALE)
    designs = [campaign.network_of(cases_of(family, turn)[0]) for turn in range(12)]
    assert {design.family.name for design in designs} == {family}
    assert len({digest_of(design) for design in designs}) == len(designs)


def test_cases_of_the_kept_ledger_are_drawn_as_they_were():
    """Options that came later, like headers of parts, are drawn behind the cases that were there."""
    campaign, ledger = Campaign(SCALE), Ledger(Path(verification.campaign.__file__).parent / "ledger.csv", Entry)
    before, behind = (
        [campaign.network_of(number * RUNS).config.source.data["network"].get("header") for number in numbers]
        for numbers in (range(0, PARTS_FROM, 10), range(PARTS_FROM, PARTS_FROM + 40))
    )
    assert set(before) == {None}
    assert behind.count("parts") >= 2
    later = [campaign.network_of(cases_of("spam", STEPS_FROM // len(FAMILIES) + turn)[0]) for turn in range(8)]
    assert any("age_step_cycles" in design.config.source.data["network"] for design in later)
    kept = {entry.case // RUNS: entry for entry in ledger.entries() if entry.family in ("spam", "min")}
    for entry in kept.values():
        assert digest_of(Campaign().design_of(entry.case)) == entry.configuration


def test_families_take_turns():
    assert [family_of(network * RUNS) for network in range(5)] == list(FAMILIES)
    assert cases_of("min", 1) == range(6 * RUNS, 7 * RUNS)


def test_cases_that_are_done_or_too_early_are_not_handed_out():
    spam = cases_of("spam", 0)
    assert Shares(["spam"], {}, set(spam[:3])).next_network() == list(spam[3:])
    assert Shares(["spam"], {}, set(spam)).next_network() == list(cases_of("spam", 1))
    assert Shares(["spam"], {}, set(), first_case=spam[5]).next_network() == list(spam[5:])


def test_a_ledger_gives_back_what_was_added(tmp_path):
    ledger = Ledger(tmp_path / "ledger.csv", Entry)
    assert ledger.entries() == []
    others = [replace(ENTRY, case=4, situations=""), replace(ENTRY, case=5, verdict=TROUBLE)]
    for entry in (ENTRY, *others):
        ledger.add(entry)
    assert ledger.entries() == [ENTRY, *others]
    assert ENTRY.seen == {"buffer-full": 7}
    assert ENTRY.router_cycles == 10_000


def test_a_line_that_was_cut_off_costs_one_case(tmp_path):
    ledger = Ledger(tmp_path / "ledger.csv", Entry)
    ledger.add(ENTRY)
    whole = ledger.path.read_text()
    ledger.path.write_text(whole + "4,spam,0123")
    assert ledger.entries() == [ENTRY]
    ledger.add(replace(ENTRY, case=4))
    assert ledger.entries() == [ENTRY, replace(ENTRY, case=4)]


COLUMNS = ",".join(field.name for field in fields(Entry))


@pytest.mark.parametrize(
    ("text", "message"),
    [("case,family\n", "must begin with the columns"), (COLUMNS + "\nx" + 9 * ",1" + "\n", "whole numbers")],
)
def test_what_is_no_ledger_is_bad_input(text, message, tmp_path, capsys):
    path = tmp_path / "ledger.csv"
    path.write_text(text)
    assert main(["--summary", "--ledger", str(path)]) == 2
    assert message in capsys.readouterr().err


@each("folder", ["rtl", "hydranoc/families/spam", "hydranoc/config/schema", "hydranoc/design", "hydranoc/lockstep"])
def test_the_versions_are_those_of_all_that_decides_about_a_case(folder, tmp_path):
    file = tmp_path / folder / "part.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("before")
    before = sources_digest(tmp_path)
    file.write_text("after")
    assert sources_digest(tmp_path) != before


def test_results_of_changed_sources_are_not_recorded(tmp_path):
    """The hardware of a case may be newer than the model in memory."""
    ledger = Ledger(tmp_path / "ledger.csv", Entry)
    progress = Progress(Namespace(), ledger, "0.1.0-of-yesterday", 0.0)
    with pytest.raises(MachineTrouble, match="Sources have changed"):
        progress.take(Found(7, "spam", "0123456789ab", 4, 100, 5, "mismatch", 1.0, {}))
    assert not list(ledger.entries())


def test_the_summary_adds_up_and_names_what_was_never_seen():
    text = summary([ENTRY, replace(ENTRY, case=9, family="min", cycles=500, situations="", verdict=TROUBLE)])
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line}
    assert lines["spam"][1:7] == ["1", "1", "50", "1,000", "10,000", "0.01"]
    assert lines["all"][5:] == ["15,000", "0.00", "0", "1"]
    assert lines["buffer-full"] == ["buffer-full", "7", "1"]
    assert "never seen: injector-waits, " in text
    assert "0.1.0-abc-5.48.0" in text


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=[] if name == "torus" else [pytest.mark.slow]) for name in SMALL]
)
def test_a_sample_of_cases_is_equal(family, require_tool):
    require_tool("verilator")
    runner, seen = Runner(Campaign(SCALE)), 0
    for case in range(SMALL[family], SMALL[family] + 3):
        found = runner.run(case)
        assert (found.verdict, found.report) == (EQUAL, "")
        assert found.cycles > 100
        assert found.family == family
        assert list(found.situations) == list(SITUATIONS[family])
        seen += sum(found.situations.values())
    assert seen > 0


UNREGISTERED = "module part: outputs depend on inputs within a cycle"


@each(
    "second, report",
    [
        (LockstepResult(compared_cycles=9, mismatches=1, report="first difference"), "first difference"),
        (LockstepResult(compared_cycles=9), UNREGISTERED),
        (SimulatorFailed("it was killed"), UNREGISTERED),
    ],
)
def test_outputs_that_are_not_from_registers_are_a_mismatch(second, report, monkeypatch):
    """The comparison without blocks may find a difference in a cycle; it need not."""
    built = []

    def build(source, **options):
        built.append(options)
        return BuiltSimulator("verilator", source.top, Path(), "5", 0.0, waves=False)

    def compare(*_):
        if not built[-1]:
            raise NotFromRegisters(UNREGISTERED)
        if isinstance(second, Exception):
            raise second
        return second

    monkeypatch.setattr(campaign_run, "DirectBench", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(campaign_run, "build_directly", build)
    monkeypatch.setattr(campaign_run, "compare_directly", compare)
    found = Runner(Campaign(SCALE)).run(SMALL["torus"])
    assert (found.verdict, built) == (MISMATCH, [{}, {"allow_blocks": False}])
    assert report in found.report
    assert UNREGISTERED in found.report
    assert found.reproducer.startswith("network:")


def test_a_fault_of_the_hardware_is_a_mismatch_with_a_reproducer(require_tool, tmp_path):
    """The fault is put into a copy of the hardware, which the campaign and the command find before the sound one."""
    require_tool("verilator")
    copy_hardware(tmp_path, FAULT)
    options = ["--family", "spam", "--from", str(SMALL["spam"]), "--cases", "1", "-o", str(tmp_path / "out")]
    done = run([*options, "--ledger", str(tmp_path / "ledger.csv")], tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    (entry,) = Ledger(tmp_path / "ledger.csv", Entry).entries()
    assert entry.verdict == "mismatch"
    reproducer = tmp_path / "out" / f"case-{entry.case}.yaml"
    assert f"hydranoc compare {reproducer}" in done.stderr
    assert "first difference in cycle" in reproducer.with_suffix(".txt").read_text()
    design = load(reproducer)
    assert digest_of(design) == entry.configuration
