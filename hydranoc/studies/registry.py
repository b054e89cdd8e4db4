"""The table of figures and tables of the papers, by family; each family's are loaded on first use."""

from collections.abc import Mapping
from importlib import import_module

from hydranoc.studies.common.figure import Reproduction

STUDIED = ("spam", "min", "harts", "torus", "hypercube")
"""Families with figures: ``REPRODUCTIONS`` of ``hydranoc/studies/NAME/figures.py``."""


def reproductions() -> dict[str, Mapping[str, Reproduction]]:
    """Return figures and tables by family and name, without loading models or measurements."""
    return {family: import_module(f"hydranoc.studies.{family}.figures").REPRODUCTIONS for family in STUDIED}
