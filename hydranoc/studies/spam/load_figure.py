"""Figure 3 of the SPAM paper: latency against load (Sec. 4)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hydranoc.studies.common.figure import Claim, Effort, Figure

if TYPE_CHECKING:
    from hydranoc.measurement.curve import Curve
    from sim_model.statistics.latency import Interval
    from topology.common.graph import Network

LARGELY_INDEPENDENT = 1.3
"""Factor between largest and smallest latency for the paper's "largely independent"; it is ours."""
KINDS = ("unicast", "multicast", "message")
WIDTH, QUICK_WIDTH = 0.05, 0.15
"""Relative width of the intervals of saturation."""


def load_figure(networks: Sequence["Network"], effort: Effort) -> Figure:
    """Return figure 3: latency in mixed traffic against the rate of messages.

    Parameters
    ----------
    networks : sequence of Network
        Of one size, used in turn.
    effort : Effort
    """
    from hydranoc.studies.common.load_series import load_comparison, load_series, load_table
    from hydranoc.studies.common.loads import measure_load_curves
    from hydranoc.studies.spam.load import DESTINATIONS, RATES, spam_curve
    from hydranoc.studies.spam.measurements import CYCLE_US, paper_model

    models = [paper_model(network) for network in networks]
    settings = [spam_curve(models, count, quick=effort.quick) for count in DESTINATIONS]
    width = QUICK_WIDTH if effort.quick else WIDTH
    curves = list(measure_load_curves(settings, RATES, saturation_width=width, **effort.points).values())
    columns, rows = load_table(curves, KINDS, "us", CYCLE_US)
    return Figure(
        title="SPAM, figure 3: 90 % unicast and 10 % multicast, 128 nodes, Poisson arrivals",
        x_label="messages per node and cycle of 10 ns",
        y_label="mean latency, us (95 % confidence)",
        series=tuple(load_series(curve.name, curve, "message", CYCLE_US) for curve in curves),
        claims=(independence(curves),),
        columns=columns,
        rows=rows,
        comparable=load_comparison(KINDS, "us"),
    )


def independence(curves: Sequence["Curve"]) -> Claim:
    """Check that the highest latency is at most 1.3 times the lowest, with the whole interval, at each load that all
    networks carry."""
    from hydranoc.measurement.compare import ratio

    common = sorted(set.intersection(*({point.load for point in curve.stable} for curve in curves)))
    factors = {}
    for load in common:
        latencies = [point.latency_cycles("message") for curve in curves if (point := curve.at(load)) is not None]
        lowest, highest = (choose(latencies, key=lambda one: one.mean) for choose in (min, max))
        factors[load] = ratio(highest, lowest)
    measured = "no load is carried by all"
    if factors:
        within = [load for load in common if factors[load].high <= LARGELY_INDEPENDENT]
        beyond = [load for load in common if load not in within]
        texts = [f"up to {within[-1]:g} messages per node and cycle {_highest(factors, within)}"] if within else []
        texts += [f"from {beyond[0]:g} on {_highest(factors, beyond)}"] if beyond else []
        measured = f"{'; '.join(texts)}; not every curve has means beyond {common[-1]:g}"
    return Claim(
        "latency largely independent of the number of destinations",
        measured,
        bool(factors) and all(factor.high <= LARGELY_INDEPENDENT for factor in factors.values()),
    )


def _highest(factors: Mapping[float, "Interval"], loads: Sequence[float]) -> str:
    worst = max(loads, key=lambda load: factors[load].high)
    factor = f"{factors[worst].mean:.2f}±{factors[worst].half_width:.2f}"
    return f"the highest is at most {factor} times the lowest (at {worst:g})"
