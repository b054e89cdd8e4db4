"""The registers of networks of every family over AXI4-Lite."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hydranoc.lockstep.simulator import BenchSource, build_simulator
from rtl.generator.network import GeneratedDesign, generate_network
from rtl.generator.plan import NetworkPlan
from rtl.generator.table_store import loaded_words
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.registers.top import generate_with_registers
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from tb.common.registers.job import JOB_VARIABLE, RegisterJob, Worm
from tests.networks import ring
from tests.tb.racks import run_cases
from topology.harts.faults import Faults
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DALLY_SEITZ, TorusRouting

# Networks of every family with registers, jobs for their bench, and the outcome of each of its tests.

BENCH = "tb.common.registers.bench"
SENDER, DESTINATION = 0, 2
BODY_FLITS = 3
WATCHDOG_FLITS = 20
PACKET_FLITS = 9
OF_ALL = ("identification", "unmapped", "parts_of_words", "handshakes", "posted_writes", "errors", "network_reset")
GUARDED = ("watchdog", "misframed")
CUT = ("cut_off",)
TESTS = {
    "plain": OF_ALL,
    "spam": (*OF_ALL, *GUARDED, *CUT, "tables", "counters"),
    "min": (*OF_ALL, *GUARDED, *CUT, "tokens", "tables", "counters"),
    "harts": (*OF_ALL, *GUARDED, "counters"),
    "torus": (*OF_ALL, "counters"),
    "hypercube": (*OF_ALL, "counters"),
}
"""Tests of the bench by network: one with errors alone, and each family with all registers that it can have."""

FORCED = {"ERRORS_MISFRAMED": ("noc_error_monitor", "guards"), "TOKEN_LOST": ("noc_token_monitor", "here")}
"""By register, the module and signal that the bench forces, for events that no injected worm causes."""


@dataclass(frozen=True)
class Specimen:
    """A small network with two headers of its first processor.

    lost, good: Header and its flits: of an unroutable worm, and of one to ``DESTINATION``.
    """

    plan: NetworkPlan
    lost: tuple[int, int]
    good: tuple[int, int]


def _routed(plan: NetworkPlan, lost_key: int, lost_flits: int) -> Specimen:
    """With 0 in all fields behind the key: worms come from processor 0, and no bit names a destination."""
    assert plan.addressing is not None
    good = plan.addressing.unicast_keys[DESTINATION], plan.header.unicast_flits
    return Specimen(plan, (lost_key, lost_flits), good)


def _plain() -> Specimen:
    routing = SpamRouting(SpamLabels(ring(4), 0), 16)
    return _to_nobody(spam_plan(routing), routing.multicast_keys[0])


def _spam() -> Specimen:
    routing = SpamRouting(SpamLabels(ring(4), 0), 16)
    plan = spam_plan(routing, guard=True, watchdog_flits=WATCHDOG_FLITS)
    return _to_nobody(replace(plan, counters=True, loadable_tables=True), routing.multicast_keys[0])


def _min() -> Specimen:
    routing = MinRouting(MinNetwork("bi-butterfly", 2, 2), 16)
    plan = min_plan(routing, guard=True, watchdog_flits=WATCHDOG_FLITS)
    return _to_nobody(replace(plan, counters=True, loadable_tables=True), routing.multicast_keys[0])


def _to_nobody(plan: NetworkPlan, key: int) -> Specimen:
    """The lost message is a multicast without destinations."""
    return _routed(plan, key, plan.header.multicast_flits)


def _harts() -> Specimen:
    """The lost message is a packet to a neighbour over the one link, which is dead."""
    mesh = HexMesh(2)
    neighbour = next(node for node in range(1, mesh.nodes) if node != DESTINATION)
    routing = HartsRouting(mesh, 40, faults=Faults(dead_links=((SENDER, neighbour),)))
    plan = harts_plan(routing, packet_flits=PACKET_FLITS, whole_packets=True)
    lost, good = (routing.sent_header(SENDER, [node], UNICAST, 0) for node in (neighbour, DESTINATION))
    return Specimen(replace(plan, counters=True), (lost, 1), (good, 1))


def _torus() -> Specimen:
    return _to_itself(torus_plan(TorusRouting(TorusNetwork(Grid(2, 2), 2), 16, DALLY_SEITZ)))


def _hypercube() -> Specimen:
    return _to_itself(hypercube_plan(HypercubeRouting(HypercubeNetwork(2, 2, 1), 16, DUATO)))


def _to_itself(plan: NetworkPlan) -> Specimen:
    """The lost message is one to its own sender."""
    assert plan.addressing is not None
    return _routed(replace(plan, counters=True), plan.addressing.unicast_keys[SENDER], plan.header.unicast_flits)


SPECIMENS: dict[str, Callable[[], Specimen]] = {
    "plain": _plain,
    "spam": _spam,
    "min": _min,
    "harts": _harts,
    "torus": _torus,
    "hypercube": _hypercube,
}


def network_plan(name: str) -> NetworkPlan:
    """The network of a name in ``TESTS``."""
    return SPECIMENS[name]().plan


def generated(name: str) -> GeneratedDesign:
    """The network with registers."""
    return generate_network(network_plan(name), "noc", generate_with_registers)


def register_job(name: str) -> RegisterJob:
    """The job for a network: processor 0 sends to ``DESTINATION``, or a message that is lost at once."""
    specimen = SPECIMENS[name]()
    plan, network = specimen.plan, specimen.plan.network
    header, flits = specimen.good
    return RegisterJob(
        registers=generated(name).manifest["registers"],
        channel=network.injection_channels_of(SENDER)[0],
        lost=_worm(*specimen.lost),
        good=_worm(*specimen.good),
        long=Worm(header, flits, WATCHDOG_FLITS + BODY_FLITS),
        destination=DESTINATION,
        delivery_channel=network.input_channel[network.processor_vertex(DESTINATION)][0],
        table_words=tuple(loaded_words(plan)) if plan.loadable_tables else (),
    )


def _worm(header: int, header_flits: int) -> Worm:
    return Worm(header, header_flits, header_flits + BODY_FLITS)


def run_registers(
    design: GeneratedDesign, job: RegisterJob, tests: tuple[str, ...], folder: Path, simulator: str = "icarus"
) -> dict[str, str | None]:
    """Run tests of the bench. Returns by test None, or why it failed."""
    built = build_simulator(_source(design), simulator, waves=False)
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    wanted = "|".join(rf"\.{test}$" for test in tests)
    variables = {JOB_VARIABLE: str(folder / "job.pickle"), "COCOTB_TEST_FILTER": wanted}
    return dict(run_cases(built, BENCH, variables, folder))


def _source(design: GeneratedDesign) -> BenchSource:
    names = {
        direction: tuple(port["name"] for port in design.manifest["ports"] if port["direction"] == direction)
        for direction in ("input", "output")
    }
    registers = {register["name"] for register in design.manifest["registers"]["registers"]}
    forced = tuple(place for name, place in FORCED.items() if name in registers)
    return BenchSource("noc", design.files["noc.v"], names["input"], names["output"], forced=forced)


# The registers of networks of every family over AXI4-Lite, and faults in them that the bench must find.

QUICK_NETWORKS = {"icarus": ("plain", "spam", "min", "harts"), "verilator": ()}


def benches():
    """Simulator and network."""
    for simulator, quick in QUICK_NETWORKS.items():
        for name in TESTS:
            yield pytest.param(simulator, name, marks=() if name in quick else pytest.mark.slow)


@pytest.mark.parametrize(("simulator", "name"), list(benches()))
def test_registers_do_what_the_map_says(simulator, name, tmp_path, require_tool):
    require_tool(simulator)
    outcomes = run_registers(generated(name), register_job(name), TESTS[name], tmp_path, simulator)
    assert outcomes == dict.fromkeys(TESTS[name])
