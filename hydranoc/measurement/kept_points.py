"""Points of a figure: measured in parallel, and stored, so that an interrupted figure can be resumed."""

import json
import multiprocessing
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from hydranoc.measurement.threads import replication_threads
from hydranoc.measurement.worker_notices import worker_notices


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Task = TypeVar("Task")
Point = TypeVar("Point", bound=_Dataclass)
Curve = TypeVar("Curve")
Progress = Callable[[int, int], Any]


class KeptPoints:
    """Measured points in a file, one line each.

    A truncated line and all lines after it are ignored. A change in the meaning of a point needs another file.

    Parameters:
        path: Created with its folder when the first point is added.

    Raises:
        OSError: If the file cannot be read or written.
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
            if not line.endswith("\n"):  # the next point would be added to this line
                break
            self._rows[key] = row
            kept += len(line)
        if kept < len(text):
            path.write_text(text[:kept], encoding="utf-8")

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the members of a point; None if it has not been measured."""
        return self._rows.get(key)

    def add(self, key: str, row: dict[str, Any]) -> None:
        """Store a point."""
        self._rows[key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line((key, row)))

    def keep_only(self, true: Callable[[dict[str, Any]], bool]) -> None:
        """Drop the points that are not valid any more."""
        rows = {key: row for key, row in self._rows.items() if true(row)}
        if len(rows) == len(self._rows):
            return
        self._rows = rows
        anew = self.path.with_suffix(".new")
        anew.write_text("".join(map(_line, rows.items())), encoding="utf-8")
        anew.replace(self.path)  # atomic replace: a crash here loses no data

    def drop(self) -> None:
        """Delete all points: the figure is finished."""
        self._rows = {}
        self.path.unlink(missing_ok=True)


def _line(point: tuple[str, dict[str, Any]]) -> str:
    return json.dumps(point) + "\n"


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
    """Return ``measure`` of every task, in the order of the tasks.

    Parameters:
        measure: Function at module level, if there are several processes.
        point_type: The dataclass of a point, with numbers, strings and dictionaries of them.
        processes: Processes to share the tasks; where they are fewer, the replications of a point share as many
            threads.
        progress: Called with (tasks done, tasks in all) after each task, and first with the number of stored points if
            any.
        kept: Store of finished points.
        key: Name of a task among all that use ``kept``.
    """
    return measure_curves(
        measure,
        [_once(task) for task in tasks],
        point_type=point_type,
        most_tasks=len(tasks),
        processes=processes,
        progress=progress,
        kept=kept,
        key=key,
    )


def _once(task: Task) -> Generator[Task, Point, Point]:
    return (yield task)


def measure_curves(
    measure: Callable[[Task], Point],
    curves: Sequence[Generator[Task, Point, Curve]],
    *,
    point_type: Callable[..., Point],
    most_tasks: int,
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
    key: Callable[[Task], str] = repr,
) -> list[Curve]:
    """Return several curves, measured in parallel; each chooses its next task from its points so far.

    The result does not depend on the number of processes.

    Parameters:
        measure, point_type, processes, kept, key: As for ``measure_points``.
        curves (sequence of generators): Each yields a task, receives its point, and so on; it returns the curve.
        most_tasks: Tasks of all curves if none ends early; the final number for ``progress``.
        progress: Called with (tasks done, ``most_tasks``) after each task, and first with the number of stored points
            if any.

    Returns:
        Result of each curve.
    """
    book = _Book(curves, point_type, kept, key)
    waiting = [number for number in range(len(curves)) if book.begin(number)]
    if progress is not None and book.done:
        progress(book.done, most_tasks)

    def finish(number: int, point: Point) -> bool:
        goes_on = book.finish(number, point)
        if progress is not None:
            progress(book.done if len(book.returned) < len(curves) else most_tasks, most_tasks)
        return goes_on

    if processes == 1 or len(waiting) == 1:
        with replication_threads(processes):
            for number in waiting:
                while finish(number, measure(book.tasks[number])):
                    pass
    elif waiting:
        _share(measure, book.tasks, waiting, processes, finish)
    return [book.returned[number] for number in range(len(curves))]


class _Book:
    """State of each curve."""

    def __init__(
        self, curves: Sequence[Generator[Any, Any, Any]], point_type: Callable, kept: KeptPoints | None, key: Callable
    ):
        self._curves, self._point_type, self._kept, self._key = curves, point_type, kept, key
        self.tasks: dict[int, Any] = {}
        self.returned: dict[int, Any] = {}
        self.done = 0

    def begin(self, number: int) -> bool:
        """Advance a curve to its first task without a stored point, and return True if there is one."""
        return self._advance(number, None)

    def finish(self, number: int, point: _Dataclass) -> bool:
        """Store the point of a curve's task, and return True if there is another task."""
        if self._kept is not None:
            self._kept.add(self._key(self.tasks[number]), asdict(point))
        self.done += 1
        return self._advance(number, point)

    def _advance(self, number: int, point: _Dataclass | None) -> bool:
        while True:
            try:
                task = self._curves[number].send(point)
            except StopIteration as end:
                self.returned[number] = end.value
                return False
            row = None if self._kept is None else self._kept.get(self._key(task))
            if row is None:
                self.tasks[number] = task
                return True
            point = self._point_type(**row)
            self.done += 1


def _share(
    measure: Callable, tasks: Mapping[int, Any], waiting: Sequence[int], processes: int, finish: Callable[..., bool]
) -> None:
    """Measure in several processes, which all end when one fails or the user interrupts."""
    threads = processes // len(waiting)
    with (
        worker_notices() as send_notices,
        ProcessPoolExecutor(min(processes, len(waiting)), initializer=_obey_parent, initargs=(send_notices,)) as pool,
    ):
        running = {pool.submit(_measure, measure, tasks[number], threads): number for number in waiting}
        try:
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(future)
                    if finish(number, future.result()):
                        running[pool.submit(_measure, measure, tasks[number], threads)] = number
        except BaseException:
            for child in multiprocessing.active_children():
                child.terminate()
            pool.shutdown(cancel_futures=True)
            raise


def _measure(measure: Callable, task: Any, threads: int) -> Any:
    """Return the point of a task, on the spare threads if there are more cores than curves."""
    with replication_threads(threads):
        return measure(task)


def _obey_parent(send_notices: Callable[[], None]) -> None:
    """Leave interrupts from the keyboard to the parent, let the signal TERM end this process, and send notices.

    In compiled code Python would handle neither signal before the end of the run.
    """
    send_notices()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
