"""Tables and figures of HARTS (Sec. 5 and 6)."""

from hydranoc.studies.common.figure import Claim, Effort, Figure, Reproduction, Series
from hydranoc.studies.harts.load_figures import LOAD_REPRODUCTIONS

TABLE_1_SIZES = (3, 4, 5, 6, 7)
QUICK_SIZES = (3, 5)
BUFFERING = (0.0, 0.05, 0.1, 0.15, 0.2)
TABLE_2_SIZE = 3
# table II as printed: sends and cuts of Algorithm A by probability of buffering, in hundredths
TABLE_2 = {0.0: (100, 1700), 0.05: (185, 1615), 0.1: (270, 1530), 0.15: (355, 1445), 0.2: (440, 1360)}
TABLE_2_STORED_SENDS = 2


def table_1(effort: Effort) -> Figure:
    """Latencies of all procedures in an idle mesh against the closed forms."""
    from hydranoc.studies.harts.latency import CUT_FRAMES, PAPER_BYTES, broadcast_latency, packet_flits, send_frames
    from sim_model.harts.analytical import paper_latency, slowest_copies
    from topology.harts.broadcast import COPIES, SFBCAST

    algorithms = tuple(COPIES)[: tuple(COPIES).index(SFBCAST)]
    sizes = QUICK_SIZES if effort.quick else TABLE_1_SIZES
    rows = []
    for done, size in enumerate(sizes):
        if effort.progress:
            effort.progress("measuring", done, len(sizes))
        for algorithm in algorithms:
            for body_bytes in PAPER_BYTES:
                flits = packet_flits(body_bytes)
                send = send_frames(flits)
                found = broadcast_latency(algorithm, size, flits).frames
                paper = paper_latency(algorithm, size)
                expected = max(cost.time(send, CUT_FRAMES) for cost in slowest_copies(algorithm, size))
                rows.append(
                    (algorithm, size, body_bytes, paper.sends, paper.cuts, paper.time(send, 1), expected, found)
                )
    longest = [row for row in rows if row[2] == PAPER_BYTES[-1]]
    apart = [row for row in rows if row[5] != row[7]]
    lengths = ", ".join(f"T = {send_frames(packet_flits(count))} frames for {count} bytes" for count in PAPER_BYTES)
    return Figure(
        title="HARTS, table I: best-case latency of a broadcast, 512 bytes",
        x_label="size of the mesh",
        y_label="latency, frames of 8 cycles",
        series=tuple(
            Series(
                algorithm,
                range(len(sizes)),
                [row[7] for row in longest if row[0] == algorithm],
            )
            for algorithm in algorithms
        ),
        claims=(
            Claim(
                "latencies of table I with one T per length of packet and one d",
                f"{len(rows) - len(apart)} of {len(rows)} equal; {lengths}; d = {CUT_FRAMES} frame",
                not apart,
                note="where T < (n - 1) d the slowest copies of 4-BCAST have two sends and 2 n - 4 cuts",
            ),
            Claim(
                "latencies of the slowest copies with the same T and d",
                f"{sum(row[6] == row[7] for row in rows)} of {len(rows)} equal",
                all(row[6] == row[7] for row in rows),
            ),
        ),
        columns=(
            "algorithm",
            "size",
            "bytes",
            "paper_sends",
            "paper_cuts",
            "paper_frames",
            "expected_frames",
            "frames",
        ),
        rows=tuple(rows),
        x_names=tuple(map(str, sizes)),
    )


def table_2(_effort: Effort) -> Figure:
    """Algorithm A against SBCAST without cut-through."""
    from sim_model.harts.analytical import algorithm_a_latency, stored_broadcast_latency

    stored = stored_broadcast_latency(TABLE_2_SIZE)
    costs = [algorithm_a_latency(TABLE_2_SIZE, buffering) for buffering in BUFFERING]
    found = {rho: (round(100 * cost.sends), round(100 * cost.cuts)) for rho, cost in zip(BUFFERING, costs, strict=True)}
    return Figure(
        title="HARTS, table II: Algorithm A against SBCAST without cut-through, size 3",
        x_label="probability of buffering",
        y_label="packet transmissions S + rM",
        series=(
            Series("Algorithm A", BUFFERING, [cost.sends for cost in costs]),
            Series("SBCAST without cut-through", BUFFERING, [stored.sends for _ in BUFFERING]),
        ),
        claims=(
            Claim(
                "all numbers of table II",
                "equal to the last digit" if found == TABLE_2 else str(found),
                found == TABLE_2 and stored.sends == TABLE_2_STORED_SENDS,
            ),
        ),
        columns=("buffering", "stored_sends", "algorithm_a_sends", "algorithm_a_cuts"),
        rows=tuple(
            (rho, stored.sends, round(cost.sends, 10), round(cost.cuts, 10))
            for rho, cost in zip(BUFFERING, costs, strict=True)
        ),
    )


REPRODUCTIONS = {
    "harts-table1": Reproduction("best-case latency of broadcasts against the closed forms (table I)", table_1),
    "harts-table2": Reproduction("Algorithm A against SBCAST without cut-through (table II)", table_2),
    **LOAD_REPRODUCTIONS,
}
