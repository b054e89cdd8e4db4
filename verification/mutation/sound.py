"""Baseline check: complaints about the unmodified hardware would invalidate those about mutants."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from topology.common.errors import MachineTrouble
from verification.mutation.separate import separately

WALL_SECONDS = 900.0


def complaints(
    references: Callable[[], Sequence[Any]], complaint: Callable[[Any, Path], str | None], kind: str, folder: Path
) -> Iterator[tuple[str, str | None]]:
    """Return the complaints of one kind about the unmodified hardware, each from a process of its own.

    Parameters:
        references: Returns all references; called in other processes.
        complaint: See ``killers.complaint``.
        kind: Kind of the references: ``proof`` or ``lock-step``.
        folder: Working folder.

    Yields:
        str, str or None: Name of a reference, and the complaint; None without one.

    Raises:
        MachineTrouble: If the environment has failed.
    """

    def names() -> list[str]:
        return [reference.name for reference in references() if reference.kind == kind]

    listed = separately(names, folder / "names", WALL_SECONDS)
    if listed.error:
        raise RuntimeError(f"there are no references: {listed.error}")
    for number, name in enumerate(listed.value):
        work = folder / str(number)

        def ask(name: str = name, work: Path = work) -> str | None:
            return complaint(next(reference for reference in references() if reference.name == name), work)

        answer = separately(ask, work, WALL_SECONDS)
        if answer.environment:
            raise MachineTrouble(f"{name}: {answer.error}")
        yield name, answer.error or answer.value
