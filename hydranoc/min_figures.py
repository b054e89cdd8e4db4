"""Tables and figures of the MIN paper (section 5): what its formulas say next to what comes out."""

from hydranoc.family import Claim, Figure, Progress, Reproduction, Series
from topology.min.graph import MinNetwork

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


def latency(quick: bool, progress: Progress | None) -> Figure:
    """Latency without contention, closed form and simulation."""
    from sim_model.min.analytical import paper_latency
    from sim_model.min.reproduce import FLITS, simulated_latency

    rows, off = [], []
    for done, (kind, radix, stages) in enumerate(LATENCY_NETWORKS):
        if progress:
            progress("measuring", done, len(LATENCY_NETWORKS))
        network = MinNetwork(kind, radix, stages)
        paper, found = paper_latency(network, FLITS), simulated_latency(network, QUICK_SAMPLES if quick else SAMPLES)
        name = f"{'BI' if network.bidirectional else 'UNI'} {radix**stages} {radix}x{radix}"
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
            Series("unicast, closed form", range(len(rows)), [row[1] for row in rows]),
            Series("unicast, simulated", range(len(rows)), [row[2] for row in rows]),
            Series("broadcast, closed form", range(len(rows)), [row[3] for row in rows]),
            Series("broadcast, simulated", range(len(rows)), [row[4] for row in rows], [row[5] for row in rows]),
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
    )


REPRODUCTIONS = {"min-latency": Reproduction("Contention-free latency against the closed form (section 5.2)", latency)}
