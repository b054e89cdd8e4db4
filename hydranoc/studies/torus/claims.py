"""Claims of the torus paper about figures 2 to 4, checked by intervals (Sec. 3.4.4).

A claim about a difference holds where the whole 95 % interval lies on its side; an interval with both is reported as
inconclusive.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from hydranoc.measurement.compare import difference, ratio
from hydranoc.studies.common.figure import Claim
from hydranoc.studies.torus.points import SOFTWARE, Points
from sim_model.statistics.latency import Interval, confidence_interval

RANDOM_NETWORKS = ("I", "III")
"""Types that always need phase 1; the others need it only with B."""
SCHEMES = SOFTWARE[1:]
MAX_NAMED = 4
COLUMN_NAMES = {"means_us": "mean latency", "lasts_us": "last multicast"}
SHORT_NOTE = (
    "Short messages cost little else than their start-ups; schemes send 3 to 40 % more messages, and 4I and 4III leave "
    "the relaying to 64 and 128 of the 256 nodes."
)
HOT_SPOT_NOTE = (
    "The nodes that all multicasts have in common lie in the same blocks, whose few representatives serve all of them."
)


def longer_claim(name: str, points: Points, panel: Mapping[str, float], flits: Sequence[int]) -> Claim:
    """Check figure 2: the longer the messages, the greater the gain, workload by workload."""
    short, long = (
        {scheme: points.gains(scheme, **panel, flits=length) for scheme in SCHEMES} for length in (flits[0], flits[-1])
    )
    growth = {
        scheme: confidence_interval([after - before for before, after in zip(short[scheme], long[scheme], strict=True)])
        for scheme in SCHEMES
    }
    grown = [scheme for scheme, one in growth.items() if one.low > 0]
    shrunk = [scheme for scheme, one in growth.items() if one.high < 0]
    texts = [
        f"{_range([confidence_interval(gains) for gains in by_scheme.values()])} at {length} flits"
        for length, by_scheme in ((flits[0], short), (flits[-1], long))
    ]
    texts.append(f"grows for {len(grown)} of {len(SCHEMES)} schemes")
    texts += [f"shrinks for {', '.join(shrunk)}"] if shrunk else []
    return Claim(f"the gain over U-torus enlarges as messages do: {name}", "; ".join(texts), len(grown) == len(SCHEMES))


def faster_claim(name: str, points: Points, places: Sequence[Mapping[str, float]], key: str, note: str) -> Claim:
    """Check for a significant improvement over U-torus at all measured points."""
    texts = []
    for place in places:
        gains = {scheme: points.gain(scheme, **place) for scheme in SCHEMES}
        slower = [scheme for scheme, gain in gains.items() if gain.high < 1]
        alike = [scheme for scheme, gain in gains.items() if gain.low <= 1 <= gain.high]
        texts += [f"{_which(slower)} slower at {place[key]:g}"] if slower else []
        texts += [f"{_which(alike)} not told apart at {place[key]:g}"] if alike else []
    return Claim(
        f"all {len(SCHEMES)} schemes faster than U-torus: {name}",
        "; ".join(texts) if texts else "everywhere",
        not texts,
        note=note if texts else "",
    )


def balance_claim(points: Points, destinations: int, sources: Sequence[int]) -> Claim:
    """Check figure 3: B saves more with few sources."""
    holds, texts = [], []
    for scheme in (f"4{kind}" for kind in RANDOM_NETWORKS):
        for column, name in COLUMN_NAMES.items():
            few, many = (
                points.saved(scheme, column, destinations=destinations, sources=count)
                for count in (sources[0], sources[-1])
            )
            holds.append(difference(few, many).low > 0)
            texts.append(
                f"{scheme}, {name}: {_percent(few)} with {sources[0]} sources, {_percent(many)} with {sources[-1]}"
            )
    return Claim(f"B saves more with fewer sources: {destinations} destinations", "; ".join(texts), all(holds))


def hot_spot_claim(name: str, points: Points, panel: Mapping[str, float]) -> Claim:
    """Check figure 4: a larger p increases the latency; no step falls, and from the first p to the last all rise."""
    rises, steps, falls, growth = 0, 0, [], {}
    for software in SOFTWARE:
        own = points.find(software, **panel)
        for before, after in pairwise(own):
            step = difference(after.mean_us, before.mean_us)
            steps += 1
            rises += step.low > 0
            falls += [software] if step.high < 0 else []
        growth[software] = ratio(own[-1].mean_us, own[0].mean_us)
        first, last = own[0].hot_spot, own[-1].hot_spot
    texts = [f"at {rises} of {steps} steps"]
    texts += [f"falls with {', '.join(dict.fromkeys(falls))}"] if falls else []
    texts.append(f"from p = {first:g} to p = {last:g} by {_range(list(growth.values()))} times")
    return Claim(
        f"a larger hot-spot factor increases latency: {name}",
        "; ".join(texts),
        not falls and all(one.low > 1 for one in growth.values()),
    )


def _range(found: Sequence[Interval]) -> str:
    least, most = (choose(found, key=lambda one: one.mean) for choose in (min, max))
    return " to ".join(f"{one.mean:.2f}±{one.half_width:.2f}" for one in (least, most))


def _which(schemes: Sequence[str]) -> str:
    return ", ".join(schemes) if len(schemes) <= MAX_NAMED else f"{len(schemes)} schemes"


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:z.0f}±{100 * share.half_width:.0f} %"
