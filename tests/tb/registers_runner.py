"""Networks with registers, jobs for their bench, and what came of each of its tests."""

import pickle
from dataclasses import replace
from pathlib import Path

from hydranoc.lockstep.simulator import BenchSource, build_simulator
from rtl.common.network import GeneratedDesign, generate_network
from rtl.common.plan import NetworkPlan
from rtl.common.registers.top import generate_with_registers
from rtl.common.table_layout import loaded_words
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from tb.common.registers.job import JOB_VARIABLE, RegisterJob, Worm
from tests.networks import ring
from tests.tb.bench_results import run_cases
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

BENCH = "tb.common.registers.bench"
DESTINATION = 2
BODY_FLITS = 3
OF_ALL = ("identification", "unmapped", "parts_of_words", "handshakes", "posted_writes", "errors", "network_reset")
NETWORKS = {"spam": OF_ALL, "min": (*OF_ALL, "watchdog", "misframed", "tokens", "tables", "counters")}
"""Tests of the bench by network: a small one with errors alone, and one with every register that there is."""


def network_plan(name: str) -> tuple[NetworkPlan, int]:
    """A network of four nodes, and a key of its multicasts."""
    if name == "spam":
        routing = SpamRouting(SpamLabels(ring(4), 0), 16)
        return spam_plan(routing), routing.multicast_keys[0]
    routing = MinRouting(MinNetwork("bi-butterfly", 2, 2), 16)
    plan = min_plan(routing, guard=True, watchdog_flits=20)
    return replace(plan, counters=True, loadable_tables=True), routing.multicast_keys[0]


def generated(name: str) -> GeneratedDesign:
    """The network with registers."""
    return generate_network(network_plan(name)[0], "noc", generate_with_registers)


def register_job(name: str) -> RegisterJob:
    """The job for a network: processor 0 sends to ``DESTINATION``, or a multicast to nobody."""
    plan, key = network_plan(name)
    header, addressing, network = plan.header, plan.addressing, plan.network
    assert addressing is not None
    return RegisterJob(
        registers=generated(name).manifest["registers"],
        channel=network.injection_channels_of(0)[0],
        lost=_worm(key, header.multicast_flits),
        good=_worm(addressing.unicast_keys[DESTINATION], header.unicast_flits),
        destination=DESTINATION,
        delivery_channel=network.input_channel[network.processor_vertex(DESTINATION)][0],
        table_words=tuple(loaded_words(plan)) if plan.loadable_tables else (),
    )


def _worm(key: int, header_flits: int) -> Worm:
    """With 0 in all fields behind the key: it comes from processor 0, and no bit names a destination."""
    return Worm(key, header_flits, header_flits + BODY_FLITS)


def run_registers(verilog: str, job: RegisterJob, tests: tuple[str, ...], folder: Path) -> dict[str, str | None]:
    """Run tests of the bench under Icarus. Returns by test None, or why it failed."""
    built = build_simulator(BenchSource("noc", verilog, (), ()), "icarus", waves=False)
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    wanted = "|".join(rf"\.{test}$" for test in tests)
    variables = {JOB_VARIABLE: str(folder / "job.pickle"), "COCOTB_TEST_FILTER": wanted}
    return dict(run_cases(built, BENCH, variables, folder))
