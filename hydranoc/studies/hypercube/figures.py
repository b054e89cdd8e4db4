"""Figures of the hypercube paper."""

from hydranoc.studies.common.figure import Reproduction

REPRODUCTIONS: dict[str, Reproduction] = {}
