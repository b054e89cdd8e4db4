"""``--perfetto FILE`` of the verbs that run the golden model."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydranoc.reports.output import check_can_be_file, result_folder
from hydranoc.reports.progress import Progress
from hydranoc.verbs.options import RUN_RESULTS, CycleWindow, NamedPath

if TYPE_CHECKING:
    from hydranoc.design import Design
    from hydranoc.replay.perfetto import Written
    from sim_model.engines.results import Results


def perfetto_options(verb: Callable[..., int]) -> Callable[..., int]:
    """Add ``--perfetto`` and ``--window`` to a verb."""
    window = click.option(
        "--window",
        type=CycleWindow(),
        metavar="FIRST:LAST",
        help="Cycles FIRST to LAST - 1 for --perfetto.  [default: from the end of the warm-up, up to a limit]",
    )
    perfetto = click.option(
        "--perfetto",
        type=NamedPath(),
        metavar="FILE",
        help="Write a trace for ui.perfetto.dev, compressed if FILE ends with .gz: a track for each channel, a slice "
        "for each message on it, 1 us for a cycle.",
    )
    return perfetto(window(verb))


@contextlib.contextmanager
def trace_file(perfetto: Path | None, window: tuple[int, int] | None, folder: Path) -> Iterator[Path | None]:
    """Yield the scratch path of the trace, which moves to its place after the block; None without a trace.

    Parameters:
        perfetto, window: Values of the options.
        folder: Folder of the run's other results.

    Raises:
        UsageError: If the trace would have the name of another result.
    """
    if perfetto is None:
        if window is not None:
            raise click.UsageError("--window is the part of a run that --perfetto FILE writes, and needs that option")
        yield None
        return
    file, results = perfetto.resolve(), folder.resolve()
    if file == results or file in results.parents or (file.parent == results and file.name in RUN_RESULTS):
        raise click.UsageError(f"--perfetto must not be {perfetto}, which the run's other results need")
    check_can_be_file(perfetto)  # the verb's own results exist when this one is moved to its place
    with result_folder(perfetto.parent) as scratch:
        yield scratch / perfetto.name


def write_trace(
    design: "Design",
    results: "Results",
    window: tuple[int, int] | None,
    path: Path | None,
    progress: Progress,
) -> "Written | None":
    """Record the run again, and write it; nothing without a path."""
    if path is None:
        return None
    from hydranoc.replay.perfetto import write_perfetto

    try:
        recording = design.recording(results, window, progress)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--window") from None
    progress("writing the trace", 0, 0)
    return write_perfetto(recording, design.network, path)


def trace_line(written: "Written", perfetto: Path, window: tuple[int, int] | None, cycles: int) -> str:
    """Return a line about the file: its cycles, and a note if it is cut."""
    shown = f"{perfetto}: cycles {written.window.first:,} to {written.window.last - 1:,}, {written.slices:,} slices"
    wanted = cycles if window is None else min(window[1], cycles)
    if written.window.last >= wanted:
        return shown
    return f"{shown}; CUT before cycle {wanted - 1:,}, the last one: --window FIRST:LAST chooses others"


def trace_figures(written: "Written | None") -> dict[str, Any]:
    """Return the figures of the trace for the summary of ``--json``."""
    if written is None:
        return {}
    return {"perfetto": {"window": [written.window.first, written.window.last], "slices": written.slices}}
