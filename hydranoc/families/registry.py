"""The list of router families; each is loaded on first use."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from hydranoc.config import extensions
from hydranoc.families.family import Family

NAMES = ("spam", "min", "harts", "torus", "hypercube")
AnyFamily = Family[Any, Any]


class OwnFamilies(Mapping[str, AnyFamily]):
    """The families of the project: ``FAMILY`` of ``hydranoc/families/NAME/family.py`` by name."""

    def __getitem__(self, name: str) -> AnyFamily:
        if name not in NAMES:
            raise KeyError(name)
        return import_module(f"hydranoc.families.{name}.family").FAMILY

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


OWN_FAMILIES: Mapping[str, AnyFamily] = OwnFamilies()

FAMILIES: Mapping[str, AnyFamily] = extensions.WithAdded(OWN_FAMILIES, extensions.FAMILIES, Family)
"""Families of the project, and those that packages add."""
