"""The table of figures and tables of the papers: by family and name, each with the function that measures it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from hydranoc.studies.common.figure import Effort, Figure, Reproduction


def measured_by(module: str, function: str, **settings: Any) -> Callable[[Effort], Figure]:
    """Return a function that calls one of a module in this room, which is loaded then."""

    def run(effort: Effort) -> Figure:
        return getattr(import_module(f"hydranoc.studies.{module}"), function)(effort, **settings)

    return run


def _min_load(number: int, traffic: str) -> Reproduction:
    """Return one of the figures 15 to 23 of the MIN paper, which share points."""
    run = measured_by("min.load_figures", "numbered_figure", number=number)
    return Reproduction(f"latency against load, {traffic} (figure {number})", run, shares="min-loads")


def _harts_load(what: str, function: str, **settings: Any) -> Reproduction:
    """Return one of the figures 10 to 14 of the HARTS paper, whose curves are measured once."""
    return Reproduction(what, measured_by("harts.load_figures", function, **settings), shares="harts-loads")


REPRODUCTIONS: Mapping[str, dict[str, Reproduction]] = {
    "spam": {
        "spam-fig2": Reproduction(
            "latency against number of destinations, one multicast (Sec. 4, figure 2)",
            measured_by("spam.multicasts", "figure_2"),
        ),
        "spam-fig3": Reproduction(
            "latency against load, 90 % unicast, 10 % multicast (Sec. 4, figure 3)",
            measured_by("spam.load", "figure_3"),
        ),
        "spam-bound": Reproduction(
            "broadcast in 256 nodes against software multicast (Sec. 4)",
            measured_by("spam.multicasts", "software_bound"),
        ),
    },
    "min": {
        "min-latency": Reproduction(
            "latency without contention against the closed form (Sec. 5.2)", measured_by("min.latency", "latency")
        ),
        "min-fig14": Reproduction(
            "latency against number of destinations, one multicast (figure 14)", measured_by("min.latency", "figure_14")
        ),
        "min-fig15": _min_load(15, "2x2 switches, 50 % multicast, 64 flits"),
        "min-fig16": _min_load(16, "4x4 switches, 50 % multicast, 64 flits"),
        "min-fig17": _min_load(17, "8x8 switches, 50 % multicast, 64 flits"),
        "min-fig18": _min_load(18, "2x2 switches, 20 % multicast, 64 flits"),
        "min-fig19": _min_load(19, "4x4 switches, 20 % multicast, 64 flits"),
        "min-fig20": _min_load(20, "8x8 switches, 20 % multicast, 64 flits"),
        "min-fig21": _min_load(21, "4x4 and 8x8 switches, 50 % multicast, 128 flits"),
        "min-fig22": _min_load(22, "4x4 and 8x8 switches, 50 % multicast, 256 flits"),
        "min-fig23": _min_load(23, "4x4 switches, 50 % multicast, 64 flits, b consumption channels"),
    },
    "harts": {
        "harts-table1": Reproduction(
            "best-case latency of broadcasts against the closed forms (table I)",
            measured_by("harts.latency", "table_1"),
        ),
        "harts-table2": Reproduction(
            "sends of Algorithm A against SBCAST without cut-through (table II)",
            measured_by("harts.table_2", "table_2"),
        ),
        "harts-fig10": _harts_load("latency of SBCAST against load, by size (figure 10)", "figure_10"),
        "harts-fig11": _harts_load("latency of 2- to 6-BCAST over SBCAST (figure 11)", "figure_11"),
        "harts-fig12": _harts_load("SBCAST against SFBCAST, size 5 (figure 12)", "figure_12"),
        "harts-fig13": _harts_load(
            "latency of SFBCAST over SBCAST, by size (figure 13)",
            "stored_by_size",
            title="HARTS, figure 13: latency without cut-through",
            mean_delivery=False,
        ),
        "harts-fig14": _harts_load(
            "mean delivery time of SFBCAST over SBCAST, by size (figure 14)",
            "stored_by_size",
            title="HARTS, figure 14: mean delivery time without cut-through",
            mean_delivery=True,
        ),
    },
    "torus": {
        "torus-fig2": Reproduction(
            "latency against message length, schemes and U-torus (figure 2)", measured_by("torus.figures", "figure_2")
        ),
        "torus-fig3": Reproduction(
            "effect of balance against number of sources (figure 3)", measured_by("torus.figures", "figure_3")
        ),
        "torus-fig4": Reproduction(
            "latency against hot-spot factor (figure 4)", measured_by("torus.figures", "figure_4")
        ),
    },
    "hypercube": {
        "hypercube-fig1": Reproduction(
            "latency of broadcasts against load, equations and simulation (figure 1)",
            measured_by("hypercube.latency_figure", "figure_1"),
        ),
        "hypercube-saturation": Reproduction(
            "where the equations have no solution any more (Sec. 3)",
            measured_by("hypercube.saturation_figure", "saturation"),
        ),
        "hypercube-load": Reproduction(
            "load of links against equations (4) to (11)", measured_by("hypercube.load_figure", "link_loads")
        ),
    },
}
"""Modules are loaded when a figure is measured, so that the table costs no command its models."""
