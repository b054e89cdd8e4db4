"""Claims of the HARTS paper about its load figures, checked by intervals (Sec. 5).

The paper gives no numbers. These rules for its words were fixed before the figures were measured; each is with its
claim. Loads are those that all relevant curves carry.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations

from hydranoc.measurement.compare import combination, difference, logarithm, ratio
from hydranoc.measurement.curve import Curve
from hydranoc.studies.common.figure import Claim
from hydranoc.studies.common.loads import saturation_text
from hydranoc.studies.harts.load import BROADCAST, CLOCKS_PER_CYCLE
from sim_model.statistics.latency import Interval
from topology.harts.graph import HexMesh

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

    Parameters:
        pairs (iterable of (str, values by load, values by load)): Name of the comparison, the upper curve, the lower
            one.
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


SIZES = (5, 7, 9)
KNEE = 0.5
"""Load beyond which, by the paper, latency grows super-exponentially."""
CARRIED = 0.7
"""Load beyond which, by the paper, ordinary packets saturate."""
LOW_LOAD, SUBSTANTIALLY = 0.3, 1.25
"""Rule for "substantially higher for low link loads": by a quarter, at loads up to 0.3."""
CLUSTER = 0.5
"""Rule for "quite close": by half of the distance between 2 and 4 copies."""


def larger_meshes_slower(curves: Mapping[int, Curve]) -> Claim:
    """Check each size against the next at each load: the whole interval of the difference must be above 0."""
    return ordered(
        "latency increases with the size of the mesh",
        {f"size {size}": latencies(curve) for size, curve in curves.items()},
    )


def linear_in_size(curves: Mapping[int, Curve]) -> Claim:
    """Check that latency increases linearly with n, and not with the number of nodes.

    From n = 5 to 7 and to 9 the number of nodes increases by 66 and by 90, so a proportional increase would be
    1.36 times as large in the second step. The claim holds if, at each load, the second step is less than 1.36 times
    the first, and the first less than 1.36 times the second, with whole intervals.
    """
    small, middle, large = (latencies(curves[size]) for size in SIZES)
    nodes = [HexMesh(size).nodes for size in SIZES]
    most = (nodes[2] - nodes[1]) / (nodes[1] - nodes[0])
    steps, linear = {}, []
    for load in common_loads(list(curves.values())):
        first, second = (difference(*pair) for pair in ((middle[load], small[load]), (large[load], middle[load])))
        steps[load] = second.mean / first.mean
        # second - most * first, and first - most * second
        bends = [
            combination([(1, large[load]), (-1 - most, middle[load]), (most, small[load])]),
            combination([(1 + most, middle[load]), (-1, small[load]), (-most, large[load])]),
        ]
        linear.append(all(bend.high < 0 for bend in bends))
    texts = [f"{times:.2f} at {load:g}" for load, times in steps.items()]
    return Claim(
        "the increase with the size is close to linear",
        f"the step from 7 to 9 over that from 5 to 7: {', '.join(texts)}; within {1 / most:.2f} to {most:.2f} with the "
        f"whole interval at {sum(linear)} of {len(linear)} loads",
        bool(linear) and all(linear),
    )


def super_exponential(curves: Mapping[int, Curve]) -> Claim:
    """Check that latency grows faster than exponentially with load beyond 0.5: its logarithm bends upwards.

    The rates of growth of the logarithm from one load to the next are compared, from load 0.5 on. The claim holds if in
    each mesh the last is larger than the first with the whole interval of their difference, and none is smaller with
    the whole interval than the one before it.
    """
    texts, holds = [], []
    for size, curve in curves.items():
        logarithms = {load: logarithm(found) for load, found in latencies(curve).items() if load >= KNEE}
        rates = list(pairwise(logarithms))
        bends = [_bend(logarithms, *pair) for pair in pairwise(rates)]
        factors = [f"{_growth(logarithms, *step):.2f} ({step[0]:g} to {step[1]:g})" for step in rates]
        texts.append(f"size {size}: {', '.join(factors) or 'no two loads'}")
        holds.append(
            bool(bends) and _bend(logarithms, rates[0], rates[-1]).low > 0 and all(bend.high >= 0 for bend in bends)
        )
    return Claim(
        f"latency increases super-exponentially beyond load {KNEE:g}",
        f"growth per 0.1 of load, {'; '.join(texts)}",
        all(holds),
    )


Step = tuple[float, float]


def _growth(logarithms: ByLoad, low: float, high: float) -> float:
    """Return the factor of growth per tenth of load."""
    return math.exp(0.1 * (logarithms[high].mean - logarithms[low].mean) / (high - low))


def _bend(logarithms: ByLoad, first: Step, second: Step) -> Interval:
    """Return the difference of the rates of growth in two steps of load."""
    weights = dict.fromkeys((*first, *second), 0.0)
    for (low, high), sign in ((second, 1), (first, -1)):
        weights[high] += sign / (high - low)
        weights[low] -= sign / (high - low)
    return combination([(weight, logarithms[load]) for load, weight in weights.items()])


def packets_saturate_late(curves: Mapping[int, Curve]) -> Claim:
    """Check that all meshes carry load 0.7."""
    texts = [f"size {size}: {saturation_text(curve.saturation)}" for size, curve in curves.items()]
    return Claim(
        f"saturation sets in beyond load {CARRIED:g}",
        f"at load {'; '.join(texts)}",
        all(curve.saturation.carried >= CARRIED for curve in curves.values()),
    )


def copies_close_together(curves: Mapping[int, Curve]) -> Claim:
    """Check that 4, 5 and 6 copies cost about the same: as factors, less than half as far apart as 2 and 4 copies.

    The rule is for each pair of the three at each load that all carry, with the whole interval. So 2, 3 and 4 copies
    can never be "about the same".
    """
    many, few = (4, 5, 6), (2, 4)
    logarithms = {
        copies: {load: logarithm(found) for load, found in latencies(curves[copies]).items()}
        for copies in {*many, *few}
    }
    loads = common_loads([curves[copies] for copies in sorted(logarithms)])
    factors, holds = [], []
    for load in loads:
        at = {copies: by_load[load] for copies, by_load in logarithms.items()}
        factors.append([math.exp(at[b].mean - at[a].mean) for a, b in ((many[0], many[-1]), few)])
        holds.append(all(_nearer(at, pair, few) for pair in permutations(many, 2)))
    ranges = [f"{min(column):.2f} to {max(column):.2f}" for column in zip(*factors, strict=True)]
    return Claim(
        "4, 5 and 6 copies cost about the same",
        f"latency with 6 copies over that with 4, and with 4 over that with 2: {' and '.join(ranges)}; less than half "
        f"as far apart with the whole interval at {sum(holds)} of {len(loads)} loads",
        bool(holds) and all(holds),
    )


def _nearer(at: Mapping[int, Interval], pair: tuple[int, int], reference: tuple[int, int]) -> bool:
    """Return True if the logarithms of a pair differ by less than half as much as those of another."""
    weights = dict.fromkeys(at, 0.0)
    weights[pair[1]] += 1
    weights[pair[0]] -= 1
    weights[reference[1]] -= CLUSTER
    weights[reference[0]] += CLUSTER
    return combination([(weight, at[copies]) for copies, weight in weights.items()]).high < 0


def stored_substantially_slower(stored: Curve, fast: Curve) -> Claim:
    """Check that SFBCAST takes at least a quarter longer than SBCAST, with the whole interval, at loads up to 0.3."""
    quotients = {load: found for load, found in increases(stored, fast).items() if load <= LOW_LOAD}
    texts = [f"{found.mean:.0f}±{found.half_width:.0f} % at {load:g}" for load, found in quotients.items()]
    return Claim(
        "SFBCAST is substantially slower than SBCAST at low loads",
        f"by {', '.join(texts)}",
        bool(quotients) and all(found.low >= 100 * (SUBSTANTIALLY - 1) for found in quotients.values()),
    )


def stored_rises_less(stored: Curve, fast: Curve) -> Claim:
    """Check that the latency of SFBCAST less that of SBCAST, in clocks, falls with load: see ``moves``."""
    under, found = latencies(fast), latencies(stored)
    gaps = {
        load: combination([(CLOCKS_PER_CYCLE, found[load]), (-CLOCKS_PER_CYCLE, under[load])])
        for load in common_loads([stored, fast])
    }
    return moves("SFBCAST increases more gradually with load than SBCAST", {"apart by": gaps}, -1, " clocks")
