"""Verdicts on mutants, a line of JSON each, so that a run can continue an earlier one."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

KILLED, SURVIVED, NO_HARDWARE, NOT_IN_THE_SET = "killed", "survived", "no hardware", "not in the reference set"
COUNTED = (KILLED, SURVIVED)
"""Verdicts on mutants that change the hardware; the others are replaced by further mutants."""


@dataclass(frozen=True)
class Verdict:
    """A mutant and its verdict.

    Members:
        file, line, operator, before, after (see ``Mutant``)
        start, end (int): Range of the replaced bytes.
        verdict: One of the above.
        killer: Detector: ``elaboration``, or kind and name of a reference or test.
        said: Message of the detector.
        asked: All detectors that ran.
        seconds: CPU time.
    """

    file: str
    line: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    verdict: str
    killer: str = ""
    said: str = ""
    asked: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, int, int, str]:
        """Key of the mutant."""
        return self.file, self.start, self.end, self.after

    @property
    def place(self) -> str:
        """File, line and change, as text."""
        return f"{self.file}:{self.line}: `{self.before}` -> `{self.after}`"


def append(file: Path, verdict: Verdict) -> None:
    """Append a verdict."""
    with file.open("a") as rows:
        rows.write(json.dumps(asdict(verdict)) + "\n")


def read(file: Path) -> list[Verdict]:
    """Return all verdicts of a file; of a repeated mutant the last one, in its first place."""
    rows: dict[tuple[str, int, int, str], Verdict] = {}
    for text in file.read_text().splitlines() if file.exists() else ():
        verdict = Verdict(**json.loads(text))
        rows[verdict.key] = verdict
    return list(rows.values())


def summary(verdicts: Iterable[Verdict], judged: Mapping[str, str]) -> list[str]:
    """Return a table of Markdown: a row per folder of ``rtl/``, and the sum.

    Parameters:
        judged (mapping of str to str): By the place of a survivor: ``equivalent``, ``closed`` or ``open``.
    """
    rows: dict[str, dict[str, int]] = {}
    for verdict in verdicts:
        folder = "/".join(verdict.file.split("/")[:2])
        for name in (folder, "all"):
            counts = rows.setdefault(name, {})
            for column in _columns(verdict, judged):
                counts[column] = counts.get(column, 0) + 1
    lines = ["| folder | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    for name in [*sorted(name for name in rows if name != "all"), *(["all"] if rows else [])]:
        lines.append(f"| {name} | " + " | ".join(str(rows[name].get(column, 0)) for column in COLUMNS) + " |")
    return lines


COLUMNS = (
    "mutants",
    "elaboration",
    "proof",
    "lock-step",
    "test",
    "out of time",
    "equivalent",
    "closed",
    "survived",
    "others",
)
"""Columns: mutants that change the hardware, those found by each kind, and survivors; then the others."""


def _columns(verdict: Verdict, judged: Mapping[str, str]) -> tuple[str, ...]:
    if verdict.verdict not in COUNTED:
        return ("others",)
    if verdict.verdict == SURVIVED:
        looked_at = judged.get(verdict.place)
        return "mutants", looked_at if looked_at in COLUMNS else "survived"
    kind = verdict.killer.partition(":")[0]
    return "mutants", kind
