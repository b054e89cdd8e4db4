"""Claims of the MIN paper about its load figures, checked by intervals (Sec. 5.3)."""

from collections.abc import Sequence

from hydranoc.measurement.compare import difference, ratio
from hydranoc.measurement.curve import Curve
from hydranoc.studies.common.figure import Claim
from hydranoc.studies.common.loads import carried_by_both, saturation_text
from hydranoc.studies.min.load import ATBM, SOFTWARE, MinCurves
from hydranoc.studies.min.shapes import CYCLE_US, Shape
from sim_model.statistics.latency import Interval

ABOUT = 0.9
"""Fraction of the paper's factors, which are round numbers, that counts as reaching them."""
MIN_GAIN, MAX_GAIN = 0.25, 0.4
"""Range of the paper's gain of unicasts with ATBM, depending on the size of the system."""
TRANSMISSION_TOLERANCE = 0.1
MULTICAST, UNICAST = "multicast", "unicast"


def factor(shape: Shape, times: float, curves: MinCurves) -> Claim:
    """Check the speed-up of ATBM over software at the lightest load: at least nine tenths of the paper's factor."""
    hardware, software = (curves.of(shape, algorithm).stable[0] for algorithm in (ATBM, SOFTWARE))
    measured = ratio(software.latency_cycles(MULTICAST), hardware.latency_cycles(MULTICAST))
    return Claim(
        f"ATBM multicasts are {times:g} times as fast as {shape.software_name} in {shape.name}",
        f"{measured.low:.2f} to {measured.high:.2f} times at load {hardware.load:g}",
        measured.low >= ABOUT * times,
    )


def multicasts_faster(shapes: Sequence[Shape], curves: MinCurves) -> Claim:
    """Check that ATBM is faster than software at every common load: the whole interval of the ratio is below 1."""
    faster, slower, open_ = 0, [], []
    for shape in shapes:
        for hardware, software in carried_by_both(curves.of(shape, ATBM), curves.of(shape, SOFTWARE)):
            measured = ratio(hardware.latency_cycles(MULTICAST), software.latency_cycles(MULTICAST))
            place = f"{shape.name} at {hardware.load:g}"
            faster += measured.high < 1
            slower += [place] if measured.low > 1 else []
            open_ += [place] if measured.low <= 1 <= measured.high else []
    compared = faster + len(slower) + len(open_)
    text = f"at {faster} of {compared} loads that both carry"
    text += f"; slower in {', '.join(slower)}" if slower else ""
    text += f"; not told apart in {', '.join(open_)}" if open_ else ""
    return Claim(
        "multicast latency of ATBM below that of software multicast",
        text,
        faster == compared > 0,
        note="Near saturation the tokens, one tree operation per group, are what saturates first." if slower else "",
    )


def order_of_saturation(shapes: Sequence[Shape], curves: MinCurves) -> list[Claim]:
    """Check the order of saturation: software first in UNI-MINs, and ATBM in BI-MINs. Overlapping intervals hold."""
    claims = []
    for direction, text in (
        ("UNI", "ATBM carries at least the load of CMIN in UNI-MINs"),
        ("BI", "ATBM saturates no later than UMIN in BI-MINs"),
    ):
        pairs = [
            (shape, curves.of(shape, ATBM).saturation, curves.of(shape, SOFTWARE).saturation)
            for shape in shapes
            if shape.direction == direction
        ]
        holds = [
            hard.diverging > soft.carried if direction == "UNI" else soft.diverging > hard.carried
            for _, hard, soft in pairs
        ]
        measured = "; ".join(
            f"{shape.nodes} nodes {shape.radix}x{shape.radix}: {saturation_text(hard)} against {saturation_text(soft)}"
            for shape, hard, soft in pairs
        )
        claims.append(Claim(text, f"saturated at load {measured}", all(holds)))
    return claims


def unicasts_faster(shapes: Sequence[Shape], curves: MinCurves) -> list[Claim]:
    """Check the gain of unicasts with ATBM: in each network its whole interval is at least the paper's smallest at some
    common load, and at none wholly above the paper's largest."""
    claims = []
    for direction in ("UNI", "BI"):
        own = [shape for shape in shapes if shape.direction == direction]
        gains = {shape: _unicast_gains(curves, shape) for shape in own}
        holds = [
            any(gain.low >= MIN_GAIN for gain in found) and all(gain.low <= MAX_GAIN for gain in found)
            for found in gains.values()
        ]
        measured = "; ".join(
            f"{shape.nodes} nodes {shape.radix}x{shape.radix}: {_gain_text(found)}" for shape, found in gains.items()
        )
        claims.append(
            Claim(
                f"unicasts take {100 * MIN_GAIN:.0f} to {100 * MAX_GAIN:.0f} % less time with ATBM in "
                f"{direction}-MINs before saturation",
                f"at loads that both carry {measured}",
                all(holds),
            )
        )
    return claims


def _unicast_gains(curves: MinCurves, shape: Shape) -> list[Interval]:
    """Return the gains by load, as fractions of the latency with software multicasts."""
    gains = []
    for hardware, software in carried_by_both(curves.of(shape, ATBM), curves.of(shape, SOFTWARE)):
        measured = ratio(hardware.latency_cycles(UNICAST), software.latency_cycles(UNICAST))
        gains.append(Interval(1 - measured.mean, measured.half_width, measured.observations))
    return gains


def _gain_text(gains: Sequence[Interval]) -> str:
    if not gains:
        return "none"
    least, most = min(gains, key=lambda gain: gain.mean), max(gains, key=lambda gain: gain.mean)
    return " to ".join(f"{100 * gain.mean:.0f}±{100 * gain.half_width:.0f} %" for gain in (least, most))


def fewer_multicasts_carry_more(shapes: Sequence[Shape], fewer: MinCurves, more: MinCurves) -> Claim:
    """Check that ATBM carries more with fewer multicasts: the intervals of saturation are disjoint."""
    return _carries_more(
        f"curves of {100 * more.multicast_share:.0f} % multicasts saturate earlier than those of "
        f"{100 * fewer.multicast_share:.0f} %",
        [(shape, fewer.of(shape), more.of(shape)) for shape in shapes],
    )


def more_channels_carry_more(
    shapes: Sequence[Shape], single: Sequence[Shape], many: MinCurves, one: MinCurves
) -> list[Claim]:
    """Check that b delivery channels carry more than one, for ATBM and for software."""
    return [
        _carries_more(
            f"b consumption channels let {name} carry more",
            [
                (shape, many.of(shape, algorithm), one.of(alone, algorithm))
                for shape, alone in zip(shapes, single, strict=True)
            ],
        )
        for name, algorithm in (("ATBM", ATBM), ("software multicast", SOFTWARE))
    ]


def _carries_more(text: str, pairs: Sequence[tuple[Shape, Curve, Curve]]) -> Claim:
    """Check that no interval is below the other, and at least one is above."""
    above = [first.saturation.carried >= second.saturation.diverging for _, first, second in pairs]
    below = [second.saturation.carried >= first.saturation.diverging for _, first, second in pairs]
    measured = "; ".join(
        f"{shape.direction} {shape.nodes} nodes {shape.radix}x{shape.radix}: {saturation_text(first.saturation)} "
        f"against {saturation_text(second.saturation)}"
        for shape, first, second in pairs
    )
    return Claim(text, f"saturated at load {measured}", any(above) and not any(below))


def only_transmission_added(shapes: Sequence[Shape], long: MinCurves, short: MinCurves) -> Claim:
    """Check that longer messages add only the flits' own time, within a tenth, to multicasts at the lightest load."""
    expected_us = (long.flits - short.flits) * CYCLE_US
    added = {
        shape: difference(*(curves.of(shape).stable[0].latency_cycles(MULTICAST) for curves in (long, short)))
        for shape in shapes
    }
    low, high = (1 - TRANSMISSION_TOLERANCE) * expected_us, (1 + TRANSMISSION_TOLERANCE) * expected_us
    measured = "; ".join(
        f"{shape.direction} {shape.nodes} nodes {shape.radix}x{shape.radix}: {one.mean * CYCLE_US:.2f}"
        f"±{one.half_width * CYCLE_US:.2f}"
        for shape, one in added.items()
    )
    return Claim(
        f"{long.flits} flits instead of {short.flits} add their transmission alone to ATBM multicasts",
        f"{expected_us:.2f} us of transmission, added at the lightest load: {measured}",
        all(low <= one.mean * CYCLE_US <= high for one in added.values()),
    )
