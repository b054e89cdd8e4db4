"""Values of the HARTS load figures by load, and comparisons of them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from hydranoc.measurement.compare import combination, difference, ratio
from hydranoc.measurement.curve import Curve
from hydranoc.studies.common.figure import Claim
from hydranoc.studies.harts.load import BROADCAST
from sim_model.statistics.latency import Interval

ByLoad = Mapping[float, Interval]


def common_loads(curves: Sequence[Curve]) -> list[float]:
    """Return the loads that all curves carry."""
    return sorted(set.intersection(*({point.load for point in curve.stable} for curve in curves)))


def latencies(curve: Curve, kind: str = BROADCAST) -> dict[float, Interval]:
    """Return latencies in cycles, by load."""
    return {point.load: point.latency_cycles(kind) for point in curve.stable}


def increases(curve: Curve, base: Curve, kind: str = BROADCAST) -> dict[float, Interval]:
    """Return the increase of a curve's latencies over another's in per cent, by load."""
    found, under = latencies(curve, kind), latencies(base, kind)
    quotients = {load: ratio(found[load], under[load]) for load in common_loads([curve, base])}
    return {
        load: Interval(100 * (one.mean - 1), 100 * one.half_width, one.observations) for load, one in quotients.items()
    }


def moves(text: str, values: Mapping[str, ByLoad], sign: int, unit: str) -> Claim:
    """Check that values rise (``sign`` 1) or fall (-1) with load.

    The rule is for the whole interval of the difference from the first load to the last; and no step may go the other
    way with the whole interval.
    """
    texts, holds = [], []
    for name, by_load in values.items():
        loads = sorted(by_load)
        against = [load for before, load in pairwise(loads) if _moved(by_load[before], by_load[load], -sign)]
        ends = [f"{by_load[load].mean:.0f}±{by_load[load].half_width:.0f}{unit} at {load:g}" for load in loads]
        one = f"{name} {' to '.join(ends[:: max(len(ends) - 1, 1)]) or 'at no load'}"
        texts.append(one + (f", but not up to {' '.join(f'{load:g}' for load in against)}" if against else ""))
        holds.append(len(loads) > 1 and _moved(by_load[loads[0]], by_load[loads[-1]], sign) and not against)
    return Claim(text, "; ".join(texts), all(holds))


def _moved(first: Interval, last: Interval, sign: int) -> bool:
    change = combination([(sign, last), (-sign, first)])
    return change.low > 0


def ordered(text: str, values: Mapping[str, ByLoad]) -> Claim:
    """Check that each curve lies above the previous one: see ``above``."""
    return above(text, [(f"{name} against {lower}", values[name], values[lower]) for lower, name in pairwise(values)])


def above(text: str, pairs: Iterable[tuple[str, ByLoad, ByLoad]]) -> Claim:
    """Check that one curve lies above another at every common load, with the whole interval of the difference.

    Parameters
    ----------
    text : str
    pairs : iterable of (str, values by load, values by load)
        Name of the comparison, the upper curve, the lower one.
    """
    holding, compared, below, open_ = 0, 0, {}, {}
    for name, upper, lower in pairs:
        for load in sorted(set(lower) & set(upper)):
            step = difference(upper[load], lower[load])
            compared += 1
            holding += step.low > 0
            if step.low <= 0:
                (below if step.high < 0 else open_).setdefault(name, []).append(load)
    measured = f"in {holding} of {compared} comparisons at a load that both carry"
    measured += f"; the other way round: {_places(below)}" if below else ""
    measured += f"; not told apart: {_places(open_)}" if open_ else ""
    return Claim(text, measured, holding == compared > 0)


def _places(by_name: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{name} at {' '.join(f'{load:g}' for load in loads)}" for name, loads in by_name.items())
