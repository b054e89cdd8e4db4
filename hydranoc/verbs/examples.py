"""``examples``: the examples that come with the package."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import click

import hydranoc
from hydranoc.errors import ConfigError, file_error
from hydranoc.reports.output import WRITING, result_folder
from hydranoc.reports.table import table
from hydranoc.verbs.options import EXAMPLES, NamedPath

_PACKAGE = Path(hydranoc.__file__).parent
PLACES = (_PACKAGE / EXAMPLES, _PACKAGE.parent / EXAMPLES)
"""Folders of the examples in an installed package, and in a checkout."""
LEFT_OUT = frozenset(("__pycache__", "results"))


@click.command()
@click.option("-o", "--output", "folder", type=NamedPath(), metavar="DIR", default=EXAMPLES, show_default=True)
@click.option("--list", "listed", is_flag=True, help="Print their purposes, and write nothing.")
def examples(folder: Path, listed: bool) -> int:
    """Write the examples of help and README to the folder examples/: configurations, networks in files, a trace, and
    designs around a network. A file that is there and differs is never overwritten.

    \b
    Examples:
      hydranoc examples
      hydranoc check examples/demo.yaml
    """
    source = next(place for place in PLACES if place.is_dir())
    if not listed:
        _write(source, folder)
    rows = [(str(folder / path.name), _purpose(path)) for path in sorted(source.glob("*.yaml"))]
    click.echo(table(rows))
    return 0


def _write(source: Path, folder: Path) -> None:
    files = list(_files(source))
    for name in files:
        target = folder / name
        if target.exists() and (not target.is_file() or target.read_bytes() != (source / name).read_bytes()):
            raise ConfigError("is there already, and differs; name another folder with -o", file=target)
    with result_folder(folder) as scratch:
        for name in files:
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(source / name, scratch / name)
            except OSError as error:
                raise file_error(WRITING, error, folder / name) from None


def _files(source: Path) -> Iterator[Path]:
    """Yield the names of all example files under a folder, without leftovers of Python and of earlier runs."""
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.is_file() and LEFT_OUT.isdisjoint(name.parts):
            yield name


def _purpose(path: Path) -> str:
    """Return the first sentence of a configuration's initial comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    return comment.partition(". ")[0].partition(": ")[0].rstrip(".")
