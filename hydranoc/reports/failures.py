"""Messages about failed programs: the cause in one line, and the file of the log."""

import contextlib
import re
import tempfile
from pathlib import Path

from sim_model.loops.folders import cache_folder

MAX_LOGS = 20
LOGS = "logs"
"""Folder of kept logs in the cache folder."""
MAX_CAUSE = 200
_ERROR = re.compile(r"no space left|cannot allocate|permission denied|out of memory|\b(fatal )?error\b", re.IGNORECASE)


def failure(program: str, ending: str, log: str) -> str:
    """Return one line about a program that failed.

    Parameters:
        ending: Its ending, such as "was killed (SIGKILL)".
        log: Its whole output, which is stored in a file that outlives the command, if one can be written.
    """
    kept = keep_log(program, log) if log.strip() else None
    place = f"; its log is {kept}" if kept else ""
    cause = cause_in(log)
    return f"{program} {ending}{': ' if cause else ''}{cause}{place}"


def cause_in(log: str) -> str:
    """Return the line of a log with the cause: the first with an error, or else the last one."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    cause = next((line for line in lines if _ERROR.search(line)), lines[-1] if lines else "")
    return cause if len(cause) <= MAX_CAUSE else f"{cause[:MAX_CAUSE]}..."


def keep_log(program: str, log: str) -> Path | None:
    """Store a log in the cache folder, or else among the temporary files, and return its path; None if both fail.

    The cache folder keeps only the last ones.
    """
    for folder in (cache_folder() / LOGS, None):
        with contextlib.suppress(OSError):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            path = Path(tempfile.mkstemp(prefix=f"hydranoc-{program}-", suffix=".log", dir=folder)[1])
            try:
                path.write_text(log, encoding="utf-8", errors="replace")
            except OSError:
                path.unlink(missing_ok=True)
                raise
            if folder is not None:
                _drop_old(folder)
            return path
    return None


def _drop_old(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another process deletes them
        for path in sorted(folder.glob("*.log"), key=lambda log: -log.stat().st_mtime)[MAX_LOGS:]:
            path.unlink(missing_ok=True)
