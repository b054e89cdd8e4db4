"""Headers of parts in lock-step, in both families, and one-line faults of the decoder that it must report."""

from collections.abc import Callable

import pytest

from hydranoc.lockstep.compare import Comparison
from tests.tb.comparisons import REPORT, assert_delivered, assert_equal, compare_verilog
from tests.tb.min_workloads import job as min_job
from tests.tb.mutations import Mutation
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.graph import Network
from topology.common.part_headers import PARTS

CYCLES = 600
DECODER = "routed/header_decoder.py"


def spam(processors: int, flit_bits: int, routing_cycles: int = 1, buffer_flits: int = 2) -> Comparison:
    """Five switches in a ring with a chord."""
    network = Network(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)], [p % 5 for p in range(processors)])
    shape = Shape(flit_bits, buffer_flits, routing_cycles, header_kind=PARTS)
    routing = shape.routing(network, 0)
    return comparison(routing, shape, staged_traffic(routing, CYCLES, seed=2, loads=(0.2, 0.6)))


def multistage(kind: str, radix: int, stages: int, flit_bits: int, routing_cycles: int = 1) -> Comparison:
    return min_job(kind, radix, stages, 1, flit_bits, 2, routing_cycles, cycles=900, header_kind=PARTS)


# family, job, and flits of fixed fields, parts, and processors of a part
JOBS: dict[str, tuple[str, Callable[[], Comparison], tuple[int, int, int]]] = {
    "spam": ("spam", lambda: spam(40, 16), (1, 4, 13)),
    "spam-two-flits-of-fields": ("spam", lambda: spam(30, 8, 3, 1), (2, 8, 4)),
    "spam-one-part": ("spam", lambda: spam(11, 32), (1, 1, 11)),
    "min": ("min", lambda: multistage("baseline", 4, 2, 8), (2, 4, 5)),
    "min-both-ways": ("min", lambda: multistage("bi-butterfly", 2, 5, 16, 2), (1, 3, 13)),
}


@pytest.mark.parametrize("name", JOBS)
def test_headers_of_parts(name, tmp_path, require_tool):
    require_tool("icarus")
    _, make, sizes = JOBS[name]
    job = make()
    header = job.model.routing.header
    assert (header.unicast_flits, header.parts, header.part_processors) == sizes
    lengths = {job.model.header_flits(job.messages.destinations_of(m).tolist()) for m in range(len(job.messages))}
    assert len(lengths) >= min(3, 1 + header.parts), "headers must be of several lengths"
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


MUTATIONS = (
    Mutation("takes parts in the order of their flits", DECODER, "self.data[header.part_position] if", "position if"),
    Mutation(
        "reads a part's number for the last one",
        DECODER,
        "self.data[header.last_bit]",
        "self.data[header.last_bit - 1]",
    ),
    Mutation("reads a set in the fixed fields", DECODER, "first = header.unicast_flits if", "first = 0 if"),
    Mutation("looks on behind the last part", DECODER, "self._names_set(position) & self.data[header.last_bit]", "0"),
)


@pytest.mark.parametrize("name", ["spam-two-flits-of-fields", "min"])
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_mutation_is_reported(name, mutation, tmp_path, require_tool):
    require_tool("icarus")
    family, make, _ = JOBS[name]
    job = make()
    settings = {"buffer_flits": job.model.buffer_flits, "routing_cycles": job.model.routing_cycles}
    result = compare_verilog(job, mutation, tmp_path, settings, family)
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report


@pytest.mark.slow
def test_sixty_four_processors_under_verilator(tmp_path, require_tool):
    require_tool("verilator")
    job = multistage("bi-butterfly", 4, 3, 16)
    assert_equal(job, "verilator", tmp_path)
