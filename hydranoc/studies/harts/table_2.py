"""Table II: Algorithm A against SBCAST without cut-through, size 3 (Sec. 5)."""

from typing import TYPE_CHECKING

from hydranoc.measurement.digits import six_digits
from hydranoc.studies.common.check import Comparable
from hydranoc.studies.common.figure import Claim, Effort, Figure, Series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hydranoc.studies.harts.stored_rounds import RoundPoint

SIZE = 3
PRINTED = {0.0: (1.0, 17.0), 0.05: (1.85, 16.15), 0.1: (2.7, 15.3), 0.15: (3.55, 14.45), 0.2: (4.4, 13.6)}
"""The paper's multiples of S + rM and of d for Algorithm A, by rho."""
PRINTED_STORED = 2
"""The paper's multiple of S + rM for SBCAST without cut-through."""
LOADS, QUICK_LOADS = (0.2, 0.4, 0.6, 0.8), (0.2, 0.6)
TOLERANCE = 0.1
COLUMNS = ("load", "verdict", "busy", "sends", "half_width", "formula_sends", "broadcasts", "replications")


def table_2(effort: Effort) -> Figure:
    """Return the number of sends of Algorithm A's packet, by the load of links.

    The paper's numbers are a formula: a packet round the mesh meets 17 links, each busy with probability rho, and is
    stored there. Here the packet is simulated: in an idle mesh, which is the first row, and among the ordinary packets
    of figures 10 to 14, where rho is the load of its links.
    """
    from hydranoc.studies.harts.stored_rounds import measure_rounds

    points = measure_rounds(SIZE, QUICK_LOADS if effort.quick else LOADS, effort)
    stable = [point for point in points if point.stable]
    return Figure(
        title="HARTS, table II: Algorithm A against SBCAST without cut-through, size 3",
        x_label="share of time in which a link is busy (rho)",
        y_label="packet transmissions S + rM (95 % confidence)",
        series=(
            Series("Algorithm A: paper", list(PRINTED), [sends for sends, _ in PRINTED.values()], dashed=True),
            Series("SBCAST without cut-through: paper", list(PRINTED), [PRINTED_STORED] * len(PRINTED), dashed=True),
            Series(
                "Algorithm A: simulated",
                [point.busy for point in stable],
                [point.sends for point in stable],
                [point.half_width for point in stable],
                joined=False,
            ),
        ),
        claims=(idle_claim(), buffering_claim(points)),
        columns=COLUMNS,
        rows=tuple(_row(point) for point in points),
        comparable=Comparable(("load",), (("sends", "half_width"),)),
    )


def idle_claim() -> Claim:
    """Check the row of rho = 0 in an idle mesh, with T and d as in table I."""
    from hydranoc.studies.harts.latency import CUT_FRAMES, PAPER_BYTES, broadcast_latency, packet_flits, send_frames
    from topology.harts.broadcast import ALGORITHM_A, SFBCAST

    sends, cuts = PRINTED[0.0]
    found, expected = [], []
    for body_bytes in PAPER_BYTES:
        flits = packet_flits(body_bytes)
        found += [broadcast_latency(algorithm, SIZE, flits).frames for algorithm in (ALGORITHM_A, SFBCAST)]
        expected += [sends * send_frames(flits) + cuts * CUT_FRAMES, PRINTED_STORED * send_frames(flits)]
    pairs = [f"{a} and {stored}" for a, stored in zip(found[::2], found[1::2], strict=True)]
    return Claim(
        "in an idle mesh Algorithm A takes T + 17 d, and SBCAST without cut-through 2 T",
        f"{', '.join(pairs)} frames for {', '.join(map(str, PAPER_BYTES))} bytes",
        found == expected,
    )


def buffering_claim(points: "Sequence[RoundPoint]") -> Claim:
    """Check the sends at each load over 1 + 17 rho: the whole interval of the quotient must be within 10 % of 1."""
    quotients = [(point, point.sends / _formula(point), point.half_width / _formula(point)) for point in points]
    measured = [
        f"{point.sends:.2f}±{point.half_width:.2f} at rho = {point.busy:.3f} ({_formula(point):.2f} by the table)"
        for point in points
        if point.stable
    ]
    return Claim(
        "Algorithm A sends 1 + 17 rho times on average",
        "; ".join(measured) or "no load is carried",
        bool(points)
        and all(
            point.stable and abs(quotient - 1) + half_width <= TOLERANCE for point, quotient, half_width in quotients
        ),
    )


def _formula(point: "RoundPoint") -> float:
    from sim_model.harts.analytical import algorithm_a_latency

    return algorithm_a_latency(SIZE, point.busy).sends


def _row(point: "RoundPoint") -> tuple[object, ...]:
    found = (point.busy, point.sends, point.half_width, _formula(point))
    cells = [six_digits(value) if point.stable else "" for value in found]
    return (point.load, point.verdict, *cells, point.broadcasts, point.replications)
