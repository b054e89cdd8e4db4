"""Figure 1 of the hypercube paper, and its equations' saturation and link loads."""

from hydranoc.studies.common.figure import Effort, Figure, Reproduction


def figure_1(effort: Effort) -> Figure:
    """Measure figure 1."""
    from hydranoc.studies.hypercube.latency_figure import figure_1

    return figure_1(effort)


def saturation(effort: Effort) -> Figure:
    """Compute the saturation of the equations."""
    from hydranoc.studies.hypercube.saturation_figure import saturation

    return saturation(effort)


def link_loads(effort: Effort) -> Figure:
    """Measure the load of links."""
    from hydranoc.studies.hypercube.load_figure import link_loads

    return link_loads(effort)


REPRODUCTIONS = {
    "hypercube-fig1": Reproduction("latency of broadcasts against load, equations and simulation (figure 1)", figure_1),
    "hypercube-saturation": Reproduction("where the equations have no solution any more (Sec. 3)", saturation),
    "hypercube-load": Reproduction("load of links against equations (4) to (11)", link_loads),
}
