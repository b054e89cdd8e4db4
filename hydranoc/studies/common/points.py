"""Points of a figure: measured several at a time, and kept, so that an interrupted figure can go on."""

import json
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Task = TypeVar("Task")
Point = TypeVar("Point", bound=_Dataclass)
Progress = Callable[[int, int], Any]


class KeptPoints:
    """Measured points in a file, one line each.

    A line that was cut off does not count, nor does anything behind it. Who changes what a point means has to choose
    another file.

    Parameters
    ----------
    path : Path
        Made with its folder when the first point is added.

    Raises
    ------
    OSError
        If the file cannot be read or written.
    """

    def __init__(self, path: Path):
        self.path = path
        self._rows: dict[str, dict[str, Any]] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        kept = 0
        for line in text.splitlines(keepends=True):
            try:
                key, row = json.loads(line)
            except ValueError:
                break
            self._rows[key] = row
            kept += len(line)
        if kept < len(text):
            path.write_text(text[:kept], encoding="utf-8")

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> dict[str, Any] | None:
        """The members of a point; None if it has not been measured."""
        return self._rows.get(key)

    def add(self, key: str, row: dict[str, Any]) -> None:
        """Keep a point."""
        self._rows[key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, row]) + "\n")

    def drop(self) -> None:
        """Forget everything: the figure is finished."""
        self._rows = {}
        self.path.unlink(missing_ok=True)


def measure_points(
    measure: Callable[[Task], Point],
    tasks: Sequence[Task],
    *,
    point_type: Callable[..., Point],
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
    key: Callable[[Task], str] = repr,
) -> list[Point]:
    """``measure`` of every task, in the order of the tasks.

    Parameters
    ----------
    measure : callable
        At module level, if there are several processes.
    tasks : sequence
    point_type : callable
        The dataclass of a point, with numbers, strings and dictionaries of them.
    processes : int
        Processes to share the tasks.
    progress : callable or None
        Called with (tasks done, tasks in all) after each; first with those that were kept, if there are any.
    kept : KeptPoints or None
        Where finished points are looked for and kept.
    key : callable
        Name of a task among all that use ``kept``.
    """
    points: dict[int, Point] = {}
    if kept is not None:
        rows = {i: kept.get(key(task)) for i, task in enumerate(tasks)}
        points = {i: point_type(**row) for i, row in rows.items() if row is not None}
    if points and progress is not None:
        progress(len(points), len(tasks))

    def finish(i: int, point: Point) -> None:
        points[i] = point
        if kept is not None:
            kept.add(key(tasks[i]), asdict(point))
        if progress is not None:
            progress(len(points), len(tasks))

    missing = [i for i in range(len(tasks)) if i not in points]
    if processes == 1 or len(missing) == 1:
        for i in missing:
            finish(i, measure(tasks[i]))
    elif missing:
        _share(measure, tasks, missing, processes, finish)
    return [points[i] for i in range(len(tasks))]


def _share(measure: Callable, tasks: Sequence, missing: Sequence[int], processes: int, finish: Callable) -> None:
    """Measure in several processes, of which none is left when one fails or the user interrupts."""
    with ProcessPoolExecutor(processes, initializer=_obey_parent) as pool:
        futures = {pool.submit(measure, tasks[i]): i for i in missing}
        try:
            for future in as_completed(futures):
                finish(futures[future], future.result())
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def _obey_parent() -> None:
    """An interrupt from the keyboard is the parent's business; the signal TERM ends a process on the spot.

    In compiled code Python would see neither before the end of the run.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
