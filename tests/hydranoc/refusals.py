"""Messages of the command line for refused configurations."""

from collections.abc import Sequence
from pathlib import Path

from hydranoc.cli import run


def assert_refused(arguments: Sequence[str], path: Path, line: int, message: str, capsys) -> None:
    """Exit code 2, and one line on stderr with file, line and a text that contains the message."""
    assert run([*arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {path}:{line}: ")
    assert said.count("\n") == 1
    assert message in said
