"""The table of surveys by name."""

from collections.abc import Mapping
from importlib import import_module

from hydranoc.studies.common.figure import Effort, Figure, Reproduction


def _collectives(effort: Effort) -> Figure:
    return import_module("hydranoc.surveys.collectives.figure").collectives(effort)


SURVEYS: Mapping[str, Reproduction] = {
    "collectives": Reproduction(
        "barriers, all-reduces and all-to-alls by all algorithms and on the plane, 64 nodes, all families",
        _collectives,
        sources=("hydranoc/config", "hydranoc/design", "hydranoc/families", "hydranoc/reports", "hydranoc/surveys"),
    ),
}
"""Modules are loaded when a survey is measured, so that the table costs no command its models."""
