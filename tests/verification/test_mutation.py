"""Mutants are made from the syntax tree, and killed, equivalent and surviving ones are distinguished."""

import argparse
import ast
import errno
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.back import rtlil
from amaranth.sim import Simulator

from hydranoc.exit_codes import TROUBLE
from hydranoc.lockstep.bench_source import SimulatorFailed
from hydranoc.lockstep.tools import ToolMissing
from tests.each import each
from topology.common.errors import MachineTrouble
from verification.mutation import __main__ as command
from verification.mutation import by_tests, workshop
from verification.mutation.baseline import measure, tree_digest
from verification.mutation.judge import MutantRunner
from verification.mutation.mutants import Mutant, draw, mutants_of, shares, statements_of
from verification.mutation.rare import OPERATORS
from verification.mutation.separate import separately
from verification.mutation.sound import complaints
from verification.mutation.survivors import read_survivors
from verification.mutation.verdicts import KILLED, NO_HARDWARE, NOT_IN_THE_SET, SURVIVED, Verdict, append, read, summary

FILE = "rtl/sample.py"
SAMPLE = b'''"""Counts 0, 1, 2, 3, 0, ..."""

from amaranth.hdl import Module, Mux, Signal

LIMIT = 3


def part(limit=LIMIT):
    if limit < 1:
        raise ValueError(f"Limit is {limit}; it must be at least {1}")
    m, count, wraps, seen = Module(), Signal(3), Signal(), Signal()
    m.d.comb += wraps.eq(count == limit)
    m.d.sync += [
        count.eq(Mux(wraps, 0, count + 1)),
        seen.eq(seen | wraps),
    ]
    return m, count, seen


def other(values):
    return values[1:len(values)], [value for value in range(len(values)) if not value]
'''


class Sample:
    """The sample as files in a folder."""

    name, kind = "sample", "proof"

    def __init__(self, file: Path):
        self.file = file

    def made(self):
        names: dict = {}
        exec(compile(self.file.read_bytes(), str(self.file), "exec"), names)
        return names["part"]()

    @property
    def text(self) -> str:
        m, count, seen = self.made()
        return rtlil.convert(m, ports=[count, seen])


def miscounted(reference: Sample, _folder: Path) -> str | None:
    """Looks at the count alone."""
    m, count, _ = reference.made()
    seen = []

    async def testbench(ctx):
        for _ in range(9):
            seen.append(ctx.get(count))
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return None if seen == [0, 1, 2, 3, 0, 1, 2, 3, 0] else f"counted {seen}"


@pytest.fixture
def court(tmp_path) -> MutantRunner:
    (tmp_path / "rtl").mkdir()
    (tmp_path / FILE).write_bytes(SAMPLE)

    def references():
        return [Sample(tmp_path / FILE)]

    baseline = measure(tmp_path, tmp_path / "sound", references)
    return MutantRunner(tmp_path, tmp_path / "work", baseline, [], references, miscounted)


@each("name", ["rtl/sample.py", "examples/soc/network.yaml", "examples/cluster.anynet"])
def test_a_baseline_is_of_all_files_that_references_are_made_from(name, tmp_path):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("before")
    before = tree_digest(tmp_path)
    file.write_text("after")
    assert tree_digest(tmp_path) != before


def changes() -> dict[tuple[str, str], Mutant]:
    return {(mutant.before, mutant.after): mutant for mutant in mutants_of(FILE, SAMPLE)}


PLANTED = {
    ("count == limit", "(count) != (limit)"): KILLED,
    ("m.d.comb += wraps.eq(count == limit)", "pass"): KILLED,
    ("count + 1", "(count) - (1)"): KILLED,
    ("count.eq(Mux(wraps, 0, count + 1))", "*()"): KILLED,
    ("seen | wraps", "(seen) & (wraps)"): SURVIVED,  # nothing reads it
    ("3", "4"): SURVIVED,  # of Signal(3): the counter never reaches it
    ("limit < 1", "(limit) <= (1)"): NO_HARDWARE,
    ("range(len(values))", "range((len(values)) + 1)"): NOT_IN_THE_SET,
}


@each("change, verdict", PLANTED.items())
def test_verdicts(change, verdict, court):
    planted = changes()[change]
    seen = court.judge(planted)
    assert (seen.verdict, seen.killer) == (verdict, "proof: sample" if verdict == KILLED else "")
    assert (court.root / FILE).read_bytes() == SAMPLE


RIGHT = "tests/rtl/test_count.py", "tests/rtl/test_seen.py"


def jury_of(root: Path, monkeypatch, tests: Sequence[str]) -> by_tests.Jury:
    """Tests of the sample: a good one and one that sees nothing, one that always fails, one that breaks off."""

    def failed_test(asked, _folder):
        (test,) = asked
        if "crash" in test:
            os._exit(1)
        wrong = "broken" in test or ("count" in test and miscounted(Sample(root / FILE), root))
        return f"FAILED {test}" if wrong else None

    monkeypatch.setitem(sys.modules, "verification.mutation.killers", SimpleNamespace(failed_test=failed_test))
    costs = {test: {"seconds": number, "uses": [FILE]} for number, test in enumerate(tests)}
    return by_tests.Jury(root, root / "tried", costs)


@each(
    "after, tests, said, error",
    [
        ("(count) - (1)", RIGHT, "FAILED tests/rtl/test_count.py", ""),
        ("(seen) & (wraps)", RIGHT, "", ""),
        ("(count) - (1)", ["tests/rtl/test_broken.py", *RIGHT], "FAILED tests/rtl/test_count.py", ""),
        ("(seen) & (wraps)", ["tests/rtl/test_broken.py", *RIGHT], "", ""),
        ("(count) - (1)", ["tests/rtl/test_crash.py", *RIGHT], "", "crashed"),
    ],
)
def test_only_a_test_that_passes_on_sound_hardware_finds_a_mutant(after, tests, said, error, court, monkeypatch):
    (planted,) = (mutant for (_, changed), mutant in changes().items() if changed == after)
    verdict = Verdict(FILE, planted.line, "", "", "", planted.start, planted.end, KILLED, "proof: sample")
    seen = jury_of(court.root, monkeypatch, tests).judge(planted, verdict)
    assert (seen["said"], seen["error"]) == (said, error)
    assert (court.root / FILE).read_bytes() == SAMPLE


def test_what_detected_a_fault_is_asked_first():
    planted, costs = changes()[("count + 1", "(count) - (1)")], {RIGHT[0]: {"seconds": 1, "uses": [FILE]}}
    for killer, first in {
        "proof: a": "tests/proofs/test_proofs.py::test_properties_hold_by_induction[a]",
        "lock-step: mesh empty lanes": "tests/tb/test_resets.py::test_resets_under_load[torus]",
        "test: tests/rtl/test_seen.py": "tests/rtl/test_seen.py",
        "elaboration": "tests/tb/test_resets.py::test_resets_under_load[sample.py]",
    }.items():
        order = by_tests.in_order(planted, Verdict(FILE, 1, "", "", "", 0, 1, KILLED, killer), costs)
        assert (order[0], order[-1]) == (first, RIGHT[0])


def test_a_test_that_does_not_exist_finds_nothing(tmp_path):
    def asked():
        from verification.mutation.killers import failed_test

        return failed_test(["tests/rtl/test_nowhere.py"], tmp_path)

    assert separately(asked, tmp_path / "trial", 60.0).value is None


def test_equal_constants_of_a_line_are_judged_one_by_one(tmp_path, monkeypatch):
    twins = [m for m in mutants_of(FILE, SAMPLE) if m.after == "Signal(init=1)"]
    for m in twins:
        append(tmp_path / "verdicts.jsonl", Verdict(FILE, m.line, "", m.before, m.after, m.start, m.end, KILLED))
    jury = SimpleNamespace(
        judge=lambda _, v: {"place": v.place, "start": v.start, "said": "x", "error": "", "seconds": 0}
    )
    monkeypatch.setattr(command, "import_libraries", lambda: None)
    monkeypatch.setattr(command, "hardware_files", lambda _root: {FILE: SAMPLE})
    monkeypatch.setattr(by_tests, "kept_costs", lambda _root: {})
    monkeypatch.setattr(by_tests, "Jury", lambda *_: jury)
    options = argparse.Namespace(results=tmp_path, workshop=tmp_path, stay=True, minutes=None, only="rtl")
    for _ in range(2):  # a second run judges none of them again
        assert command.ask_the_tests(options) == 0
        assert (tmp_path / "by_tests.jsonl").read_text().count("Signal(init=1)") == len(twins) == 2


def test_closed_survivors_are_faults_and_name_their_test():
    rows = [Verdict(FILE, line, "", "a", "b", line, line, verdict) for line, verdict in enumerate((KILLED, SURVIVED))]
    closed = {rows[1].place: ("closed", "now seen (tests/rtl/test_seen.py)")}
    assert [row.said for row in by_tests.faults(rows, closed)] == ["", "now seen (tests/rtl/test_seen.py)"]
    assert [*by_tests.faults(rows, {rows[1].place: ("equivalent", "")})] == rows[:1]


def test_sound_hardware_is_asked_about(tmp_path, court):
    def said():
        return list(complaints(court.references, miscounted, "proof", tmp_path / "asked"))

    assert said() == [("sample", None)]
    file = tmp_path / FILE
    file.write_bytes(changes()[("count + 1", "(count) - (1)")].apply(SAMPLE))
    ((name, wrong),) = said()
    assert name == "sample"
    assert wrong.startswith("counted [0, 7")


def test_a_mutant_that_is_not_generated_is_killed_by_elaboration(court):
    planted = next(m for m in mutants_of(FILE, SAMPLE) if (m.before, m.after, m.line) == ("3", "4", 11))
    broken = Mutant(**{**vars(planted), "after": "'three'"})
    seen = court.judge(broken)
    assert (seen.verdict, seen.killer) == (KILLED, "elaboration")
    assert seen.said.startswith("TypeError: ")


def test_a_mutant_that_does_not_end_is_killed(tmp_path):
    def endless():
        while True:
            pass

    answer = separately(endless, tmp_path, wall_seconds=0.3)
    assert (answer.value, answer.error) == (None, "out of time")


@each(
    "number, error, environment",
    [
        (signal.SIGXCPU, "out of time", False),
        (signal.SIGKILL, "was killed (SIGKILL)", True),
        (signal.SIGUSR1, "was killed (SIGUSR1)", False),
    ],
)
def test_only_the_limits_are_out_of_time(number, error, environment, tmp_path):
    answer = separately(lambda: os.kill(os.getpid(), number), tmp_path, wall_seconds=30)
    assert (answer.value, answer.error, answer.environment) == (None, error, environment)


def test_a_process_whose_answer_cannot_be_written_has_not_crashed(tmp_path):
    answer = separately(lambda: os.mkdir(tmp_path / "answer.part"), tmp_path, wall_seconds=30)
    assert (answer.error, answer.environment) == ("could not write its answer", True)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
ENVIRONMENT = [
    FULL,
    ToolMissing("icarus was not found"),
    MachineTrouble("cannot keep a simulator: no space left on device"),
    SimulatorFailed("icarus did not finish: it was killed (SIGKILL)"),
]
OF_MUTANTS = [
    SimulatorFailed("icarus did not build the network: it ended with code 2"),
    SimulatorFailed("icarus did not finish: it was killed (SIGXCPU)"),
    FileNotFoundError(errno.ENOENT, "no such file", "result.json"),
    KeyError("routes"),
]


@each("error, stage", [(error, stage) for stage in ("proof: sample", "elaboration") for error in ENVIRONMENT])
def test_an_environment_failure_is_no_verdict(error, stage, court, monkeypatch):
    def fail(*_):
        raise error

    planted = changes()[("count + 1", "(count) - (1)")]
    monkeypatch.setattr(court, "complaint", fail)
    if stage == "elaboration":
        monkeypatch.setattr(court, "references", fail)
    with pytest.raises(MachineTrouble, match=f"^{stage}: {type(error).__name__}: .*; no verdict on {FILE}:"):
        court.judge(planted)
    assert (court.root / FILE).read_bytes() == SAMPLE


def test_complaints_are_not_about_the_environment(tmp_path, monkeypatch):
    def asked():
        from verification.mutation import killers, references

        (name, make), *_ = references.COMPARED.items()
        reference, said = references.ComparedNetwork(name, make), []

        def fail(*_):
            raise error

        monkeypatch.setattr(killers, "_different", fail)
        for error in ENVIRONMENT + OF_MUTANTS:
            try:
                said.append(killers.complaint(reference, tmp_path).partition(":")[0])
            except type(error):
                said.append("raised")
        return said

    answer = separately(asked, tmp_path / "trial", 60.0)
    assert answer.value == [*(["raised"] * len(ENVIRONMENT)), *(type(error).__name__ for error in OF_MUTANTS)]


def test_an_environment_failure_ends_the_command(tmp_path, monkeypatch, capsys):
    def fail(_):
        raise MachineTrouble("lock-step: no space left on device; no verdict on rtl/sample.py:1")

    monkeypatch.setattr(command, "run", fail)
    monkeypatch.setattr(workshop, "move_in", lambda *_, **_options: None)
    monkeypatch.setattr(sys, "argv", ["mutation", "--results", str(tmp_path)])
    assert command.main() == TROUBLE
    assert capsys.readouterr().err.startswith("error: lock-step: no space left")


def test_mutants_are_python_and_keep_the_lines():
    mutants = mutants_of(FILE, SAMPLE)
    assert len(mutants) > 30
    assert {m.operator for m in mutants} >= {"comparison", "arithmetic", "bitwise", "constant", "statement", "reset"}
    assert {m.operator for m in mutants} >= {"condition", "branches", "range", "slice", "inversion"}
    for mutant in mutants:
        changed = mutant.apply(SAMPLE)
        ast.parse(changed)
        assert changed != SAMPLE
        assert changed.count(b"\n") == SAMPLE.count(b"\n")
    assert not [m for m in mutants if m.line == 10]  # the message of an error
    assert [m.line for m in mutants if m.at_import] == [5, 5]


RARE = b'''"""Counts requests while open, at most one in a cycle."""


def part(bits):
    m, count, full, opens = Module(), Signal(bits), Signal(), Signal()
    m.d.comb += full.eq(count == 9)
    with m.If(clear):
        m.d.sync += count.eq(0)
    with m.Elif(request & (opens | late)):
        m.d.sync += count.eq(Mux(full, count, Mux(twice, count + 2, count + 1)))
    return m
'''


def test_rare_faults():
    found = {(m.operator, m.after) for m in mutants_of(FILE, RARE, rare=True)}
    assert {operator for operator, _ in found} == set(OPERATORS)
    assert found >= {
        ("cap", "Signal(min(bits, 8))"),
        ("late", "m.d.sync"),
        ("operand", "opens | late"),
        ("operand", "late"),
        ("priority", "((opens) & (request)) | (late)"),
        ("priority", "Mux(twice, count + 2, Mux(full, count, count + 1))"),
        ("priority", "m.If(((clear) != 0) & ((request & (opens | late)) == 0))"),
        ("coincidence", "count.eq(Mux(request & (opens | late), count, 0))"),
        ("extreme", "count.eq(Mux(count.all(), count, 0))"),
    }
    assert not [after for _, after in found if after.startswith("m.Elif")]  # the one before it is false there
    for mutant in mutants_of(FILE, RARE, rare=True):
        ast.parse(mutant.apply(RARE))
    usual = {mutant.operator for mutant in mutants_of(FILE, RARE)}
    assert not usual & set(OPERATORS)


def test_rare_faults_are_drawn_with_their_operators_in_turn():
    drawn = draw({FILE: RARE, "rtl/short.py": b"ONE = 1\n"}, 12, 1, rare=True)
    assert set(drawn.slots) == {FILE}  # the other file has no place for one
    assert {mutant.operator for mutant in drawn.candidates[FILE][: len(OPERATORS)]} == set(OPERATORS)


def test_mutants_are_spread_in_proportion_and_the_same_each_time():
    assert shares({"a": 30, "b": 10, "c": 1}, 10) == {"a": 7, "b": 3, "c": 0}
    files = {FILE: SAMPLE, "rtl/short.py": b"ONE = 1\n"}
    assert statements_of(SAMPLE) == 9
    one, same, other = draw(files, 26, 1), draw(files, 26, 1), draw(files, 26, 2)
    assert one == same
    assert one.slots.count("rtl/short.py") == 3
    assert one.candidates[FILE] != other.candidates[FILE]


def test_verdicts_are_kept_and_summed_up(court, tmp_path):
    kept, looked_at = tmp_path / "verdicts.jsonl", tmp_path / "survivors.tsv"
    for change in PLANTED:
        append(kept, court.judge(changes()[change]))
    verdicts = read(kept)
    equivalent = next(v.place for v in verdicts if v.before == "3")
    looked_at.write_text(f"{equivalent}\tequivalent\tit never counts so far\n")
    judged = read_survivors(looked_at)
    assert judged == {equivalent: ("equivalent", "it never counts so far")}
    kinds = "elaboration | proof | lock-step | test | out of time | equivalent | closed | survived | others |"
    assert summary(verdicts, {equivalent: "equivalent"})[0].endswith(f" | mutants | {kinds}")
    assert summary(verdicts, {equivalent: "equivalent"})[-1] == "| all | 6 | 0 | 4 | 0 | 0 | 0 | 1 | 0 | 1 | 2 |"


def test_the_list_of_survivors_is_sound(tmp_path):
    read_survivors()
    wrong = tmp_path / "survivors.tsv"
    wrong.write_text("place\tperhaps\twhy\n")
    with pytest.raises(ValueError, match=r"survivors.tsv:1: must be place, verdict \(equivalent, closed, open\)"):
        read_survivors(wrong)
