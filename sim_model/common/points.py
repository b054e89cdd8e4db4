"""Points of a figure: measured several at a time, and kept, so that an interrupted figure can go on."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

Task = TypeVar("Task")
Point = TypeVar("Point")
Progress = Callable[[int, int], Any]


class KeptPoints:
    """Measured points in a file, one line each.

    A last line that was cut off does not count. Who changes what a point means has to choose another file.

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
        whole = text[: text.rfind("\n") + 1]
        for line in whole.splitlines():
            key, row = json.loads(line)
            self._rows[key] = row
        if whole != text:
            path.write_text(whole, encoding="utf-8")

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
    processes: int = 1,
    progress: Progress | None = None,
    kept: KeptPoints | None = None,
    point_type: Callable[..., Point] | None = None,
    key: Callable[[Task], str] = repr,
) -> list[Point]:
    """``measure`` of every task, in the order of the tasks.

    Parameters
    ----------
    measure : callable
        At module level, if there are several processes.
    tasks : sequence
    processes : int
        Processes to share the tasks.
    progress : callable or None
        Called with (tasks done, tasks in all) after each; first with those that were kept, if there are any.
    kept : KeptPoints or None
        Where finished points are looked for and kept. Needs ``point_type``.
    point_type : callable or None
        The dataclass of a point, with numbers, strings and dictionaries of them.
    key : callable
        Name of a task among all that use ``kept``.
    """
    points: dict[int, Point] = {}
    if kept is not None and point_type is not None:
        rows = {i: kept.get(key(task)) for i, task in enumerate(tasks)}
        points = {i: point_type(**row) for i, row in rows.items() if row is not None}
    if points and progress is not None:
        progress(len(points), len(tasks))

    def finish(i: int, point: Point) -> None:
        points[i] = point
        if kept is not None and point_type is not None:
            kept.add(key(tasks[i]), asdict(point))  # pyright: ignore[reportArgumentType]
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
    """Measure in several processes; what has not begun when one fails, or the user interrupts, never begins."""
    with ProcessPoolExecutor(processes) as pool:
        futures = {pool.submit(measure, tasks[i]): i for i in missing}
        try:
            for future in as_completed(futures):
                finish(futures[future], future.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
