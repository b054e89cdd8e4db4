"""The hypercube beside BookSim2, one after the other in one run: latency, throughput and speed of both.

``python -m benchmarks.booksim_hypercube --booksim PROGRAM`` (docs/look_up/hypercube.md)
"""

from benchmarks.beside_booksim import errors_in_one_line, parser_of, run_comparison
from benchmarks.booksim import Probe, ProbedNetwork
from benchmarks.load import LoadedModel
from sim_model.hypercube.model import HypercubeModel
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


def peer_cube(dimensions: int) -> ProbedNetwork:
    """Return a hypercube in BookSim: a mesh with two nodes in every dimension.

    Its adaptive routing there is Duato's: VC 0 is the escape channel, by dimension order, and a packet that has taken
    it stays on escape channels. With two nodes in a dimension "tornado" sends every packet back to its node, and
    "neighbor" to the opposite corner.
    """
    return ProbedNetwork(
        nodes=1 << dimensions,
        keys={"topology": "mesh", "k": "2", "n": str(dimensions), "routing_function": "min_adapt"},
        near=Probe("tornado", 0),
        far=Probe("neighbor", dimensions),
    )


def links_between(source: int, destination: int) -> int:
    """Return the number of channels on a shortest route: the dimensions in which two nodes differ."""
    return (source ^ destination).bit_count()


def main(arguments: list[str] | None = None) -> None:
    """Run both and print."""
    parser = parser_of("booksim_hypercube", "The hypercube beside BookSim2.", lanes=3)
    parser.add_argument("--dimensions", type=int, default=6, help="of the cube (default 6)")
    chosen = parser.parse_args(arguments)
    with errors_in_one_line():
        routing = HypercubeRouting(HypercubeNetwork(chosen.dimensions, chosen.lanes), 32)
        model = HypercubeModel(routing, buffer_flits=chosen.buffer)
        title = f"{chosen.dimensions}-cube; ours: {routing.rule}, 5 cycles for a hop"
        run_comparison(chosen, title, LoadedModel(model), peer_cube(chosen.dimensions), links_between)


if __name__ == "__main__":
    main()
