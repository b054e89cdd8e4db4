"""Reviewed survivors: ``survivors.tsv``, a line each, place, verdict and reason, between tabs."""

from pathlib import Path

FILE = Path(__file__).with_name("survivors.tsv")
EQUIVALENT, CLOSED = "equivalent", "closed"
VERDICTS = (EQUIVALENT, CLOSED, "open")
"""No fault at all; a blind spot that has a test by now; a blind spot that has none yet."""


def read_survivors(file: Path = FILE) -> dict[str, tuple[str, str]]:
    """Return verdict and reason by the place of a mutant, see ``Verdict.place``.

    Raises:
        ValueError: If a line does not have three parts, or its verdict is unknown.
    """
    judged = {}
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else (), 1):
        parts = line.split("\t")
        if len(parts) != 3 or parts[1] not in VERDICTS:
            raise ValueError(f"{file}:{number}: must be place, verdict ({', '.join(VERDICTS)}) and reason between tabs")
        judged[parts[0]] = parts[1], parts[2]
    return judged
