"""AXI4-Stream endpoints of hexagonal meshes: packets arrive once or as all their copies, with the right body."""

import json
import pickle
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.generator.network import GeneratedDesign
from rtl.generator.plan import NetworkPlan
from rtl.generator.verilog import ModuleLibrary
from rtl.harts.copy_collector import CopyCollector
from rtl.harts.network import harts_plan
from rtl.harts.streams import TUSER_BITS, HartsStreamEjector, HartsStreamInjector
from tb.common.axi.job import AxiJob
from tb.harts.stream_job import JOB_VARIABLE, Sent, StreamJob, StreamResult
from tests.rtl.simulate import check_accepted, run
from tests.sampled import sampled
from topology.common.flits import bits_for
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS, COPIES
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import HexMesh, distance
from topology.harts.header import ID_BITS
from topology.harts.reception import FIRST, VOTE, threshold
from topology.harts.routing import UNICAST, HartsRouting, operation

BENCH = "tb.harts.stream_bench"
FLIT_BITS = 40
PACKET_FLITS = 9
MAX_BODY = PACKET_FLITS - 1
SPOILT = (1 << FLIT_BITS) - 1
ALL_COPIES = None
LOSSES = {2: Faults((3,), (), ((0, 1),)), 3: Faults((5,), (), ((0, 1), (14, 15)))}
SPOILERS = {2: Faults((), (2, 5)), 3: Faults((), (9, 11))}


def source_of(plan: NetworkPlan) -> tuple[BenchSource, tuple[str, ...]]:
    """Verilog for the bench, and the outputs that pulse."""
    verilog = generate_axi_network(plan, TUSER)
    ports = {port["name"]: port["direction"] for port in verilog.manifest["ports"]}
    outputs = tuple(name for name, direction in ports.items() if direction == "output" and name != "moved")
    inputs = tuple(name for name, direction in ports.items() if direction == "input")
    pulses = tuple(name for name in outputs if name.endswith(("_error", "_refused", "_undecided")))
    return BenchSource("noc", verilog.files["noc.v"], inputs, outputs), pulses


def passed(plan: NetworkPlan, waves: Sequence[Sequence[Sent]], folder: Path, *, pause: float = 0.2) -> StreamResult:
    """Output of a network that packets enter wave by wave."""
    source, pulses = source_of(plan)
    nodes = tuple(range(len(plan.network.processors)))
    axi = AxiJob(len(nodes), plan.flit_bits, 0, nodes, nodes, False, 1, (), str(folder / "result.json"))
    bits = bits_for(len(nodes))
    sweep_cycles = 1 << bits + ID_BITS - 1
    job = StreamJob(axi, pause, pause, bits, TUSER_BITS, sweep_cycles, pulses, tuple(map(tuple, waves)))
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    built = build_simulator(source, "icarus", waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "job.pickle")}, folder)
    result = StreamResult(**json.loads(Path(axi.result).read_text()))
    assert result.rule_broken is None
    return result


def bodies_at(routing: HartsRouting, packet: Sent, reception: str | None) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Expected deliveries of a packet, by node; a host that takes the first copy must not get corrupted ones."""
    if packet.tuser == UNICAST:
        yield packet.tdest, packet.body
        return
    algorithm, faults = ALGORITHMS[packet.tuser - 1], routing.faults
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for copy in faults.surviving_copies(routing.mesh, algorithm, packet.source):
        body = (SPOILT,) * len(packet.body) if faults.spoilt(copy) else packet.body
        bodies.setdefault(copy.node, []).append(body)
    for node, copies in bodies.items():
        if reception is ALL_COPIES:
            yield from ((node, body) for body in copies)
            continue
        enough = threshold(COPIES[algorithm], reception)
        chosen = {body for body in copies if copies.count(body) >= enough}
        assert len(chosen) <= 1
        yield from ((node, body) for body in chosen)


class Arrived(NamedTuple):
    """A packet at a node, with the pairs of ``tid`` and ``tuser`` in its beats, which should be one."""

    node: int
    body: tuple[int, ...]
    sides: tuple[tuple[int, ...], ...]


def packets_at(routing: HartsRouting, packet: Sent, reception: str | None) -> Iterator[Arrived]:
    sides = ((packet.source, int(packet.tuser != UNICAST)),)
    yield from (Arrived(node, body, sides) for node, body in bodies_at(routing, packet, reception))


def arrived(result: StreamResult) -> Counter[Arrived]:
    pairs = zip(result.bodies, result.sides, strict=True)
    return Counter(Arrived(node, tuple(body), tuple(map(tuple, sides))) for (node, body), sides in pairs)


def is_safe(routing: HartsRouting, source: int, destination: int) -> bool:
    """True if an ordinary packet meets no fault on any of its shortest paths."""
    mesh, faults = routing.mesh, routing.faults
    whole = distance(mesh, source, destination)
    through = [
        node for node in range(mesh.nodes) if distance(mesh, source, node) + distance(mesh, node, destination) == whole
    ]
    inner = {*through} - {source, destination}
    touched = {node for link in faults.dead_links for node in link}
    return (
        inner.isdisjoint(faults.corrupting_nodes)
        and not any(map(faults.is_silent, through))
        and touched.isdisjoint(through)
    )


def random_waves(routing: HartsRouting, waves: int, broadcasts: int, seed: int) -> list[list[Sent]]:
    """In each wave broadcasts of a few nodes by 6-BCAST and others, and an ordinary packet from every node."""
    numbers, mesh = random.Random(seed), routing.mesh
    live = [node for node in range(mesh.nodes) if not routing.faults.is_silent(node)]
    many = [operation(name) for name in ("6-bcast", "6-bcast", "5-bcast")]

    def body() -> tuple[int, ...]:
        return tuple(numbers.getrandbits(FLIT_BITS) for _ in range(numbers.choice((1, 2, 5, MAX_BODY))))

    made = []
    for _ in range(waves):
        pairs = [(node, numbers.choice(live)) for node in live]
        wave = [Sent(a, UNICAST, b, body()) for a, b in pairs if a != b and is_safe(routing, a, b)]
        wave += [
            Sent(node, numbers.choice(many), numbers.randrange(mesh.nodes), body())
            for node in numbers.sample(live, broadcasts)
        ]
        made.append(wave)
    return made


def check_mesh(size: int, case: str, waves: int, folder: Path) -> None:
    reception, faults = CASES[case]
    routing = HartsRouting(HexMesh(size), FLIT_BITS, faults[size])
    sent = random_waves(routing, waves, 4, seed=size)
    settings = {} if reception is ALL_COPIES else {"reception_entries": 8, "least_copies": 3}
    plan = harts_plan(routing, packet_flits=PACKET_FLITS, reception=reception, **settings)
    result = passed(plan, sent, folder)
    expected = Counter(due for wave in sent for packet in wave for due in packets_at(routing, packet, reception))
    assert arrived(result) == expected
    assert expected.total() > 4 * waves
    assert not any(name.endswith(("_error", "_undecided")) for name in result.pulses)


CASES = {
    "copies": (ALL_COPIES, SPOILERS),
    "copies-of-some": (ALL_COPIES, LOSSES),
    "first": (FIRST, LOSSES),
    "vote": (VOTE, SPOILERS),
    "vote-of-some": (VOTE, LOSSES),
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case in ("copies", "vote") else [pytest.mark.slow]) for case in CASES]
)
def test_every_packet_comes_out_as_often_as_it_should(case, tmp_path, require_tool):
    require_tool("icarus")
    check_mesh(2, case, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_larger_mesh(case, tmp_path, require_tool):
    require_tool("icarus")
    check_mesh(3, case, 3, tmp_path)


def test_packets_that_can_go_nowhere(tmp_path, require_tool):
    """Refused packets are swallowed, each with a pulse; a packet that is too long is cut."""
    require_tool("icarus")
    routing = HartsRouting(HexMesh(2), FLIT_BITS, NO_FAULTS)
    long_body = tuple(range(100, 100 + MAX_BODY + 3))
    just_fits = tuple(range(200, 200 + MAX_BODY))
    waves = [
        [
            Sent(1, UNICAST, 1, (1, 2)),  # to itself
            Sent(1, UNICAST, 7, (3,)),  # no such node exists
            Sent(1, operation(ALGORITHM_A), 0, (4, 5)),  # which this mesh does not allow
            Sent(1, len(ALGORITHMS) + 1, 0, (6,)),  # no such algorithm exists
            Sent(1, UNICAST, 2, long_body),
            Sent(1, UNICAST, 2, just_fits),
            Sent(3, operation("sbcast"), 3, (7,)),  # tdest is ignored
        ]
    ]
    plan = harts_plan(routing, packet_flits=PACKET_FLITS, reception=VOTE)
    result = passed(plan, waves, tmp_path, pause=0.5)
    ordinary = [Arrived(2, body, ((1, 0),)) for body in (long_body[:MAX_BODY], just_fits)]
    assert arrived(result) == Counter([*ordinary, *(Arrived(node, (7,), ((3, 1),)) for node in range(7) if node != 3)])
    assert result.pulses == {"s_axis_n1_error": 5}


def injected(routing: HartsRouting, node: int, packets: Sequence[Sent]) -> list[tuple[int, int, int]]:
    """(data, head, tail) of the flits of an injector, with pauses on both sides."""
    part, numbers, flits = HartsStreamInjector(routing, PACKET_FLITS), random.Random(node), []

    async def testbench(ctx):
        beats = [
            (word, i == len(p.body) - 1, p.tdest, p.tuser if i == 0 else 0)
            for p in packets
            for i, word in enumerate(p.body)
        ]
        ctx.set(part.node, node)
        idle = 0
        while idle < 20:
            ctx.set(part.link.ready, numbers.random() < 0.7)
            ctx.set(part.tvalid, bool(beats))
            if beats:
                for port, value in zip((part.tdata, part.tlast, part.tdest, part.tuser), beats[0], strict=True):
                    ctx.set(port, value)
            payload = part.link.payload
            if ctx.get(part.link.valid) and ctx.get(part.link.ready):
                flits.append(tuple(ctx.get(bits) for bits in (payload.data, payload.head, payload.tail)))
            if beats and ctx.get(part.tready):
                beats.pop(0)
            idle = 0 if beats or ctx.get(part.link.valid) else idle + 1
            await ctx.tick()

    run(part, testbench)
    return flits


@pytest.mark.parametrize(
    ("size", "algorithm_a"), [(2, True), *(pytest.param(size, False, marks=pytest.mark.slow) for size in (2, 3))]
)
def test_headers_are_those_of_the_host_software(size, algorithm_a):
    """To every node and by every algorithm; broadcasts are numbered apart from ordinary packets."""
    mesh = HexMesh(size)
    routing = HartsRouting(mesh, FLIT_BITS, algorithm_a=algorithm_a)
    for node in (0, 4, mesh.nodes - 1):
        sent, expected = [], []
        others = [other for other in range(mesh.nodes) if other != node]
        for number, other in enumerate(others):
            sent.append(Sent(node, UNICAST, other, (number, 9)))
            header = routing.sent_header(node, [other], UNICAST, number)
            expected += [(header, 1, 0), (number, 0, 0), (9, 0, 1)]
        allowed = [name for name in ALGORITHMS if name != ALGORITHM_A or algorithm_a]
        for number, name in enumerate(allowed * 33):
            sent.append(Sent(node, operation(name), other, (number,)))
            expected += [(routing.sent_header(node, [], operation(name), number), 1, 0), (number, 0, 1)]
        assert injected(routing, node, sent) == expected


def collector(mode: str, entries: int, least_copies: int, packet_flits: int, routing: HartsRouting) -> CopyCollector:
    return CopyCollector(routing.header, routing.mesh.nodes, packet_flits, mode, entries, least_copies)


ENDPOINTS = [(FIRST, 4, 1, 9), (VOTE, 2, 3, 2), (VOTE, 3, 1, 17), (VOTE, 16, 3, 17)]


@pytest.mark.parametrize("shape", sampled(ENDPOINTS, ENDPOINTS[:2]), ids=str)
def test_lint_of_the_endpoints(shape, tmp_path, require_tool):
    routing = HartsRouting(HexMesh(3), 64)
    library = ModuleLibrary(prefix="noc_")
    library.add(HartsStreamEjector(lambda: collector(*shape, routing)), "noc")
    library.add(HartsStreamInjector(routing, shape[-1]), "injector")
    made = GeneratedDesign("noc", {}, {"noc.v": library.verilog()})
    check_accepted(made, require_tool, tmp_path, top="noc")
    check_accepted(made, require_tool, tmp_path, ["verilator"], "injector")


def test_manifest_says_what_the_endpoints_are():
    routing = HartsRouting(HexMesh(2), FLIT_BITS)
    plan = harts_plan(routing, packet_flits=PACKET_FLITS, reception=VOTE, least_copies=3)
    manifest = generate_axi_network(plan, TUSER).manifest
    entry, widths = manifest["axi_stream"], {port["name"]: port["bits"] for port in manifest["ports"]}
    assert (entry["reception"], entry["reception_entries"], entry["least_copies"]) == (VOTE, 4, 3)
    assert entry["operations"]["6-bcast"] == operation("6-bcast")
    assert ALGORITHM_A not in entry["operations"]
    assert (entry["key_cycles"], entry["tid_bits"]) == (0, widths["m_axis_n0_tid"])
    assert (
        (entry["tdest_bits"], entry["tuser_bits"]) == (widths["s_axis_n0_tdest"], widths["s_axis_n0_tuser"]) == (3, 4)
    )
    assert widths["m_axis_n6_refused"] == widths["m_axis_n6_undecided"] == 1


def test_bad_settings():
    routing = HartsRouting(HexMesh(2), FLIT_BITS)
    with pytest.raises(ValueError, match=r"Reception is 'last'; it must be one of first, vote"):
        harts_plan(routing, packet_flits=9, reception="last")
    with pytest.raises(ValueError, match=r"Reception entries are 1; they must be 2 to 16"):
        harts_plan(routing, packet_flits=9, reception=VOTE, reception_entries=1)
    with pytest.raises(ValueError, match=r"Least copies are 7; they must be 1 to 6"):
        harts_plan(routing, packet_flits=9, reception=VOTE, least_copies=7)
    with pytest.raises(ValueError, match=r"Destination mode is 'leading-word'; it must be tuser in family harts"):
        generate_axi_network(harts_plan(routing, packet_flits=9), LEADING_WORD)
    with pytest.raises(ValueError, match=r"Packet length in flits is 1; it must be an integer from 2 to 4096"):
        HartsStreamInjector(routing, 1)
