"""Comparison of a file with messages with a run."""

import tempfile
from itertools import zip_longest
from pathlib import Path

from hydranoc.errors import ConfigError, file_error, shown
from hydranoc.reports.summary import write_messages
from sim_model.engines.results import Results


def check_same_run(results: Results, path: Path) -> None:
    """Check that ``messages.csv`` of an earlier run equals this run's.

    Raises:
        ConfigError: For the first line that differs.
    """
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "messages.csv"
        write_messages(results, own)
        try:
            with own.open(encoding="utf-8") as wanted, path.open(encoding="utf-8", errors="replace") as given:
                _compare(wanted, given, path)
        except OSError as error:
            raise file_error("cannot be read", error, path) from None


def _compare(wanted, given, path: Path) -> None:
    for line, (right, found) in enumerate(zip_longest(wanted, given), start=1):
        if right is None or found is None or right.rstrip() != found.rstrip():
            said = "the end" if right is None else shown(right.rstrip())
            instead = "the end" if found is None else shown(found.rstrip())
            text = f"must be messages.csv of a run of this configuration, with {said} here, not {instead}"
            raise ConfigError(text, file=path, line=line)
