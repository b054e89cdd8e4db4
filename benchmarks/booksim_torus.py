"""The torus beside BookSim2, in one run: latency, throughput and speed of both (docs/look_up/torus.md).

``python -m benchmarks.booksim_torus --booksim PROGRAM``
"""

from functools import partial

from benchmarks.beside_booksim import errors_in_one_line, parser_of, run_comparison
from benchmarks.booksim import Probe, ProbedNetwork
from benchmarks.torus_load import links_between, loaded_torus
from sim_model.torus.model import TorusModel
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, LANE_RULES, TorusRouting


def peer_torus(side: int) -> ProbedNetwork:
    """Return a square torus in BookSim: "neighbor" sends one step, "tornado" almost half of the way round."""
    return ProbedNetwork(
        nodes=side**2,
        keys={"topology": "torus", "k": str(side), "n": "2", "routing_function": "dim_order"},
        near=Probe("neighbor", 2),
        far=Probe("tornado", 2 * ((side + 1) // 2 - 1)),
    )


def main(arguments: list[str] | None = None) -> None:
    """Run both and print."""
    parser = parser_of("booksim_torus", "The torus beside BookSim2.", lanes=2)
    parser.add_argument("--side", type=int, default=8, help="nodes in each dimension (default 8)")
    parser.add_argument("--lane-rule", choices=LANE_RULES, default=DALLY_SEITZ, help="of ours")
    parser.add_argument("--routing-cycles", type=int, default=1, help="of ours (default 1)")
    chosen = parser.parse_args(arguments)
    with errors_in_one_line():
        grid = Grid(chosen.side, chosen.side)
        routing = TorusRouting(TorusNetwork(grid, chosen.lanes), 32, chosen.lane_rule)
        model = TorusModel(routing, buffer_flits=chosen.buffer, routing_cycles=chosen.routing_cycles)
        hop_cycles = chosen.routing_cycles + 1
        title = f"{chosen.side} x {chosen.side} torus; ours: {chosen.lane_rule}, {hop_cycles} cycles for a hop"
        run_comparison(chosen, title, loaded_torus(model), peer_torus(chosen.side), partial(links_between, grid))


if __name__ == "__main__":
    main()
