"""Figure 1 of the hypercube paper, and what its equations say of saturation and of links."""

from hydranoc.studies.common.figure import Reproduction
from hydranoc.studies.hypercube.latency_figure import figure_1
from hydranoc.studies.hypercube.load_figure import link_loads
from hydranoc.studies.hypercube.saturation_figure import saturation

REPRODUCTIONS = {
    "hypercube-fig1": Reproduction("latency of broadcasts against load, equations and simulation (figure 1)", figure_1),
    "hypercube-saturation": Reproduction("where the equations have no solution any more (Sec. 3)", saturation),
    "hypercube-load": Reproduction("load of links against equations (4) to (11)", link_loads),
}
