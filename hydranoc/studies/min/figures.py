"""Tables and figures of the MIN paper (Sec. 5): its formulas beside the measured results."""

from collections.abc import Sequence
from dataclasses import astuple, fields

from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series
from hydranoc.studies.min.load_figures import LOAD_REPRODUCTIONS

LATENCY_NETWORKS = (
    ("baseline", 2, 6),
    ("baseline", 4, 3),
    ("baseline", 8, 2),
    ("baseline", 2, 8),
    ("baseline", 4, 4),
    ("bi-butterfly", 2, 6),
    ("bi-butterfly", 4, 3),
    ("bi-butterfly", 8, 2),
    ("bi-butterfly", 2, 8),
    ("bi-butterfly", 4, 4),
)
FLIT_NS = 20
HALF_CYCLE_NS = 10
QUICK_SAMPLES, SAMPLES = 100, 2000
STANDARD_ERRORS = 2
PAPER_US = 2.12
PAPER_RATIO = 4
ALMOST_CONSTANT = 1.25
"""Factor between largest and smallest latency for the paper's "almost constant"; it is ours."""
RADICES = (2, 4, 8)


def latency(effort: Effort) -> Figure:
    """Return the latency without contention, by closed form and simulation."""
    from hydranoc.studies.min.latency import FLITS, simulated_latency
    from hydranoc.studies.min.shapes import Shape
    from sim_model.min.analytical import paper_latency

    rows, off = [], []
    for done, (kind, radix, stages) in enumerate(LATENCY_NETWORKS):
        if effort.progress:
            effort.progress("measuring", done, len(LATENCY_NETWORKS))
        shape = Shape(kind, radix, stages)
        paper = paper_latency(shape.network, FLITS)
        found = simulated_latency(shape, QUICK_SAMPLES if effort.quick else SAMPLES)
        name = f"{shape.direction} {shape.nodes} {radix}x{radix}"
        expected = paper.multicast_ns - FLIT_NS - HALF_CYCLE_NS * found.rings
        off.append(abs(found.multicast_ns - expected) / max(found.half_width_ns, 1e-9))
        rows.append((name, paper.unicast_ns, found.unicast_ns, paper.multicast_ns, found.multicast_ns))
        rows[-1] += (round(found.half_width_ns, 1), found.fastest_multicast_ns, found.slowest_multicast_ns, expected)
    bi = next(row for row in rows if row[0] == "BI 64 8x8")
    return Figure(
        title="MIN: latency without contention, 64 flits",
        x_label="network",
        y_label="latency, ns",
        series=(
            _by_network("unicast, closed form", [row[1] for row in rows]),
            _by_network("unicast, simulated", [row[2] for row in rows]),
            _by_network("broadcast, closed form", [row[3] for row in rows]),
            _by_network("broadcast, simulated", [row[4] for row in rows], [row[5] for row in rows]),
        ),
        claims=(
            Claim(
                "unicast latency of the closed form, less the flit time that it counts twice",
                f"differences of {', '.join(sorted({f'{row[1] - row[2]:.0f} ns' for row in rows}))}",
                all(row[1] - row[2] == FLIT_NS for row in rows),
            ),
            Claim(
                "broadcast latency of the closed form, less that flit time and half a cycle per token: a ring of N "
                "switches takes (N - 1) / 2 cycles on average and not N / 2",
                f"within {max(off):.1f} half widths of the 95 % confidence interval",
                max(off) < STANDARD_ERRORS,
            ),
            Claim(
                f"broadcast in the 64-node BI-MIN of 8x8 switches takes {PAPER_US} us",
                f"{bi[4] / 1000:.3f} us on average, {bi[6] / 1000:.2f} to {bi[7] / 1000:.2f} us by the token's place",
                bi[6] <= PAPER_US * 1000 - FLIT_NS <= bi[7],
            ),
        ),
        columns=(
            "network",
            "unicast_paper_ns",
            "unicast_ns",
            "broadcast_paper_ns",
            "broadcast_ns",
            "half_width_ns",
            "fastest_ns",
            "slowest_ns",
            "expected_ns",
        ),
        rows=tuple(rows),
        x_names=tuple(str(row[0]) for row in rows),
        comparable=Comparable(("network",), (("broadcast_ns", "half_width_ns"),), ("unicast_ns",)),
    )


def _by_network(name: str, y: Sequence[float], error: Sequence[float] | None = None) -> Series:
    """Return a series of marks without a line: networks are no continuous axis."""
    return Series(name, range(len(y)), y, error, joined=False)


def figure_14(effort: Effort) -> Figure:
    """Return figure 14: single multicasts against their number of destinations."""
    from hydranoc.studies.min.latency import min_fig14
    from hydranoc.studies.min.shapes import Shape

    shapes = [Shape(*network) for network in LATENCY_NETWORKS]
    points = min_fig14(tuple(shapes), quick=effort.quick, **effort.points)
    panels = [(nodes, direction) for direction in ("UNI", "BI") for nodes in (64, 256)]
    series, ratios, spreads, steps = [], {}, {}, []
    for shape in shapes:
        curves = {}
        for algorithm in ("ATBM", shape.software_name):
            own = [point for point in points if (point.network, point.algorithm) == (shape.name, algorithm)]
            curves[algorithm] = {point.destinations: point.latency_us for point in own}
            series.append(
                Series(
                    f"{algorithm} {shape.radix}x{shape.radix}",
                    [point.destinations for point in own],
                    [point.latency_us for point in own],
                    [point.half_width_us for point in own],
                    panel=panels.index((shape.nodes, shape.direction)),
                    colour=RADICES.index(shape.radix),
                    dashed=algorithm != "ATBM",
                )
            )
        hardware, software = curves["ATBM"], curves[shape.software_name]
        many = [count for count in hardware if count > shape.nodes / 2]
        ratios[shape.name] = min(software[count] / hardware[count] for count in many)
        several = [hardware[count] for count in hardware if count >= shape.nodes / 8]
        spreads[shape.name] = max(several) / min(several)
        steps.append(all(software[count] <= software[2 * count + 1] for count in software if 2 * count + 1 in software))
    least, most = min(ratios, key=lambda name: ratios[name]), max(spreads, key=lambda name: spreads[name])
    return Figure(
        title="MIN, figure 14: latency of a single multicast of 64 flits",
        x_label="destinations",
        y_label="latency, us (95 % confidence)",
        series=tuple(series),
        claims=(
            Claim(
                "more than a factor 4 below software multicast for more than half of the nodes",
                f"{ratios[least]:.2f} at least, in {least}; "
                f"{sum(ratio > PAPER_RATIO for ratio in ratios.values())} of {len(ratios)} networks above",
                ratios[least] > PAPER_RATIO,
                note="256 nodes and 2x2 switches: the tokens take 2.5 us of some 5; the closed form has 3.92 for UNI.",
            ),
            Claim(
                "ATBM almost constant as destinations increase",
                f"from an eighth of the nodes up within a factor {spreads[most]:.2f} ({most})",
                spreads[most] < ALMOST_CONSTANT,
            ),
            Claim(
                "software multicast increases stepwise",
                "a step per doubling in " + ("all networks" if all(steps) else "not all networks"),
                all(steps),
            ),
        ),
        columns=tuple(field.name for field in fields(points[0])),
        rows=tuple(astuple(point) for point in points),
        panels=tuple(f"{nodes}-node {direction}-MINs" for nodes, direction in panels),
        comparable=Comparable(("network", "algorithm", "destinations"), (("latency_us", "half_width_us"),)),
    )


REPRODUCTIONS = {
    "min-latency": Reproduction("latency without contention against the closed form (Sec. 5.2)", latency),
    "min-fig14": Reproduction("latency against number of destinations, one multicast (figure 14)", figure_14),
    **LOAD_REPRODUCTIONS,
}
