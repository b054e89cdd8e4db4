"""Runs one mutant: compares the hardware, then runs the detectors, the cheapest first."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from topology.common.errors import MachineTrouble
from verification.mutation.baseline import Baseline, digest
from verification.mutation.environment import is_environment_failure
from verification.mutation.line_map import MappedTest, cpu_seconds
from verification.mutation.mutants import Mutant
from verification.mutation.separate import OUT_OF_TIME, limit_cpu, separately
from verification.mutation.verdicts import KILLED, NO_HARDWARE, NOT_IN_THE_SET, SURVIVED, Verdict
from verification.mutation.workshop import changed

ELABORATION = "elaboration"
CPU_SECONDS = 120
"""Limit for all references, or one detector; with the unmodified hardware the longest takes half of that."""
GENERATION_SECONDS = 8.0
"""CPU time after which no more references are generated for a mutant that has already differed."""
TEST_CPU_SECONDS = 300
"""Limit for all tests of a mutant together in their own process."""
WALL_SECONDS = 2_400.0
USUAL_SECONDS = {"proof": 4.0, "lock-step": 6.0, "test": 30.0}
"""Assumed cost of a detector before its first run."""


@dataclass(frozen=True)
class MutantBudget:
    """Budget of a mutant.

    Members:
        test_seconds: CPU time, by earlier runs, of the tests that are run if no other detector has found it.
        most_differing: Limit of differing references, of all kinds; at the limit no more are generated, and no others
            checked.
    """

    test_seconds: float = 90.0
    most_differing: int = 8


@dataclass
class MutantRunner:
    """Inputs of judging.

    Members:
        root: The copy of the tree for mutants.
        folder: Working folder.
        baseline
        tests: Passing tests, with the lines that they run.
        references: Returns all references; called in a process that judges one mutant, in which it imports ``rtl``.
        complaint: Returns the fault of a reference, see ``killers.complaint``.
        effort
    """

    root: Path
    folder: Path
    baseline: Baseline
    tests: Sequence[MappedTest]
    references: Callable[[], Sequence[Any]]
    complaint: Callable[[Any, Path], str | None]
    effort: MutantBudget = MutantBudget()

    def judge(self, mutant: Mutant) -> Verdict:
        """Return the verdict on a mutant.

        Raises:
            MachineTrouble: If there is none, because the environment has failed.
        """
        row = mutant.file, mutant.line, mutant.operator, mutant.before, mutant.after, mutant.start, mutant.end
        if mutant.refuses:
            return Verdict(*row, NO_HARDWARE)
        touched = self.baseline.touched_by(mutant)
        if not touched:
            return Verdict(*row, NOT_IN_THE_SET)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        file = self.root / mutant.file
        with changed(file, mutant.apply(file.read_bytes())):
            answer = separately(lambda: self._trial(mutant, touched), self.folder / "trial", WALL_SECONDS)
        verdict = Verdict(*row, KILLED, seconds=answer.cpu_seconds)
        if answer.error:
            stage = _stage(self.folder)
            if answer.environment:
                raise MachineTrouble(f"{stage}: {answer.error}; no verdict on {verdict.place}")
            killer = OUT_OF_TIME if answer.error == OUT_OF_TIME else stage
            return replace(verdict, killer=killer, said=f"{stage}: {answer.error}")
        for killer, seconds in answer.value.pop("cost").items():
            self.baseline.cpu_seconds[killer] = seconds
        return replace(verdict, **answer.value)

    def _trial(self, mutant: Mutant, touched: Sequence[str]) -> dict[str, Any]:
        """Return the result of a trial in another process, with the mutant in ``rtl``."""
        limit_cpu(CPU_SECONDS)
        stage = _Stage(self.folder)
        stage.enter(ELABORATION)
        try:
            differing = self._differing(touched)
        except Exception as error:  # a mutant may raise any error but those of the environment
            if is_environment_failure(error):
                raise
            return stage.ended(KILLED, ELABORATION, f"{type(error).__name__}: {error}")
        if not differing:
            return stage.ended(NOT_IN_THE_SET)
        return self._ask(mutant, differing, stage)

    def _differing(self, touched: Sequence[str]) -> list[Any]:
        sound = {known.name: known.digest for known in self.baseline.references}
        wanted = [reference for reference in self.references() if reference.name in touched]
        differing: list[Any] = []
        for reference in in_turns(wanted):
            if digest(reference.text) != sound[reference.name]:
                differing.append(reference)
            if len(differing) == self.effort.most_differing or (differing and cpu_seconds() > GENERATION_SECONDS):
                break
        return differing

    def _ask(self, mutant: Mutant, differing: Sequence[Any], stage: "_Stage") -> dict[str, Any]:
        costs = self.baseline.cpu_seconds
        asked = [reference for reference in differing if reference.kind != "test"]
        for reference in sorted(asked, key=lambda r: costs.get(f"{r.kind}: {r.name}", USUAL_SECONDS[r.kind])):
            stage.enter(f"{reference.kind}: {reference.name}")
            found = self.complaint(reference, stage.work())
            if found:
                return stage.ended(KILLED, stage.name, found)
        return self._run_tests(self._tests_for(mutant, differing), stage)

    def _run_tests(self, tests: Sequence[str], stage: "_Stage") -> dict[str, Any]:
        limit_cpu(TEST_CPU_SECONDS)
        for test in tests:
            from verification.mutation.killers import failed_test  # imports the hardware

            stage.enter(f"test: {test}")
            found = failed_test([test], stage.work())
            if found:
                return stage.ended(KILLED, stage.name, found)
        return stage.ended(SURVIVED)

    def _tests_for(self, mutant: Mutant, differing: Sequence[Any]) -> list[str]:
        """Return tests of the references that differ, and those that run the mutant's statement, within the effort."""
        costs, file = self.baseline.cpu_seconds, mutant.file.removeprefix("rtl/")
        prices = {name: costs.get(f"test: {name}", USUAL_SECONDS["test"]) for r in differing for name in _tests(r)}
        for test in self.tests:
            mask = test.lines.get(file, 0)
            lines = range(mutant.first_line, mutant.last_line + 1)
            if mask and (mutant.at_import or any(mask >> line & 1 for line in lines)):
                prices[test.name] = costs.get(f"test: {test.name}", test.cpu_seconds)
        chosen, left = [], self.effort.test_seconds
        for name in sorted(prices, key=lambda name: prices[name]):
            left -= prices[name]
            if left < 0 and chosen:
                break
            chosen.append(name)
        return chosen


def in_turns(references: Sequence[Any]) -> list[Any]:
    """Return the references by kind in turn, so that the first few are of all kinds."""
    kinds: dict[str, list[Any]] = {}
    for reference in references:
        kinds.setdefault(reference.kind, []).append(reference)
    ranked = [(place, reference) for group in kinds.values() for place, reference in enumerate(group)]
    return [reference for _, reference in sorted(ranked, key=lambda pair: pair[0])]


class _Stage:
    """Stage of a trial, on disk, so that it survives the process; and the cost of each stage."""

    def __init__(self, folder: Path):
        self.folder, self.name = folder, ""
        self.cost: dict[str, float] = {}
        self._began = 0.0

    def enter(self, name: str) -> None:
        self._account()
        self.name = name
        (self.folder / "stage.txt").write_text(name)

    def work(self) -> Path:
        """Return an empty folder for this stage."""
        work = self.folder / f"work{len(self.cost)}"
        work.mkdir()
        return work

    def ended(self, verdict: str, killer: str = "", said: str = "") -> dict[str, Any]:
        self._account()
        asked = [name for name in self.cost if name != ELABORATION]
        return {"verdict": verdict, "killer": killer, "said": said[:300], "asked": asked, "cost": self.cost}

    def _account(self) -> None:
        now = cpu_seconds()
        if self.name:
            self.cost[self.name] = round(now - self._began, 2)
        self._began = now


def _tests(reference: Any) -> Sequence[str]:
    return getattr(reference, "tests", ())


def _stage(folder: Path) -> str:
    file = folder / "stage.txt"
    return file.read_text() if file.exists() else ELABORATION
