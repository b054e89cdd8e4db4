"""The list of router families; each is loaded on first use."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from hydranoc.config import extensions
from hydranoc.families.family import Family, OwnReproductions

if TYPE_CHECKING:
    from hydranoc.studies.common.figure import Reproduction

NAMES = ("spam", "min", "harts", "torus", "hypercube")


class OwnFamilies(Mapping[str, Family]):
    """The families of the project: ``FAMILY`` of ``hydranoc/families/NAME/family.py`` by name."""

    def __getitem__(self, name: str) -> Family:
        if name not in NAMES:
            raise KeyError(name)
        return import_module(f"hydranoc.families.{name}.family").FAMILY

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


OWN_FAMILIES: Mapping[str, Family] = OwnFamilies()

FAMILIES: Mapping[str, Family] = extensions.WithAdded(OWN_FAMILIES, extensions.FAMILIES, Family)
"""Families of the project, and those that packages add."""


def own_reproductions() -> dict[str, Mapping[str, "Reproduction"]]:
    """Return figures and tables by family and name, without loading families or measurements."""
    return {name: OwnReproductions(name) for name in NAMES}
