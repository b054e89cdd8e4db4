"""Hexagonal meshes in lock-step with their golden model, and one-line faults that it must report."""

import re
from dataclasses import replace

import pytest

from hydranoc.lockstep.compare import Comparison
from sim_model.engines.simulation import Simulation
from tests.sim_model.harts_traffic import PAPER_ALGORITHMS, broadcast, harts_model, mixed_traffic
from tests.tb.comparisons import REPORT, assert_equal, compare_verilog
from tests.tb.harts_workloads import FAULTS, PACKET_FLITS, comparison, every_broadcast, loaded
from tests.tb.mutations import Mutation
from topology.harts.faults import NO_FAULTS, Faults


@pytest.mark.parametrize(
    "settings",
    [{}, {"faults": FAULTS[2]}, {"buffer_flits": 2, "gap_frames": 3}, {"relay_frames": 3, "pages": 19}],
    ids=str,
)
def test_small_mesh_under_icarus(settings, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(loaded(2, 500, **settings), "icarus", tmp_path)


@pytest.mark.parametrize(
    "faults", [pytest.param(NO_FAULTS, id="sound", marks=pytest.mark.slow), pytest.param(FAULTS[3], id="faulty")]
)
def test_loaded_mesh(faults, tmp_path, require_tool):
    require_tool("verilator")
    assert_equal(loaded(3, 6_000, faults=faults), "verilator", tmp_path)


@pytest.mark.slow
def test_hardware_and_model_deadlock_alike_without_classes(tmp_path, require_tool):
    require_tool("verilator")
    model = harts_model(3, classed=False)
    records = mixed_traffic(model, 12_000, 0.004, seed=1, broadcasts=0.2)
    job = comparison(model, records)
    assert Simulation(model, job.messages).run().deadlocked
    assert_equal(job, "verilator", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("faults", [False, True], ids=["sound", "faulty"])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_campaign(size, faults, tmp_path, require_tool):
    require_tool("verilator")
    broken = replace(FAULTS[size], forging_nodes=((1, 2), (4, 3)))
    job = loaded(size, 66_000, faults=broken if faults else NO_FAULTS, guard=faults)
    assert job.cycles >= 100_000
    assert_equal(job, "verilator", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_broadcasts_one_by_one(size, tmp_path, require_tool):
    """Copies and latencies of every procedure in an idle mesh."""
    require_tool("verilator")
    model = harts_model(size)
    records = [
        broadcast(model, algorithm, source, flits, 6_000 * (3 * i + j))
        for i, algorithm in enumerate(PAPER_ALGORITHMS)
        for j, (source, flits) in enumerate(((0, 2), (1, 9), (model.network.nodes - 1, 20)))
    ]
    assert_equal(comparison(model, records), "verilator", tmp_path)


RECEIVERS, TRANSMITTERS, QUEUES, RULES, NOTE, NODE = (
    f"harts/{file}.py"
    for file in ("receiver_bank", "transmitter_bank", "page_queues", "relay_rules", "route_decoder", "router")
)
GUARD = "harts/input_guard.py"
MESH_2, MESH_3, FORGERS = "loaded mesh of size 2", "short run in a mesh of size 3", "guarded mesh with two forgers"
UNSEEN = "mesh whose hosts see nothing of the fault"
MUTATIONS = [
    Mutation(name, file, text, replacement, workload)
    for name, file, text, replacement, workload in (
        (
            "does not count the distance down",
            NODE,
            "old.distance - (travelled & old.broadcast)",
            "old.distance",
            MESH_3,
        ),
        (
            "tees without the local copy",
            RECEIVERS,
            "decoded.kept | waits",
            "decoded.kept & ~open_ways.any() | waits",
            MESH_3,
        ),
        ("goes on past the end of a leg", NOTE, "header.distance != 1", "header.distance != 2", MESH_3),
        (
            "does not turn right",
            RULES,
            "turns[RIGHT].eq(~copy.corner & copy.turns_right)",
            "turns[RIGHT].eq(0)",
            MESH_3,
        ),
        ("swaps two tags", RULES, "Mux(left, TAG_C, TAG_D)", "Mux(left, TAG_D, TAG_C)", MESH_3),
        ("leaves no gap", TRANSMITTERS, "SLOTS * (self.parameters.gap_frames + 1)", "SLOTS", MESH_3),
        ("starts without a page ahead", TRANSMITTERS, "(bit & idle & self.ahead).any()", "(bit & idle).any()", MESH_2),
        (
            "cuts through past those that wait",
            TRANSMITTERS,
            "idle & ~self.waiting & self.ahead",
            "idle & self.ahead",
            MESH_3,
        ),
        ("gives a page back while it is sent", TRANSMITTERS, "~shared & ~self.owed", "~self.owed", MESH_2),
        ("gives a page back that is waited for", TRANSMITTERS, "~shared & ~self.owed", "~shared", MESH_2),
        (
            "looks at new packets a frame late",
            QUEUES,
            "frames.eq(self.parameters.relay_frames)",
            "frames.eq(self.parameters.relay_frames + 1)",
            MESH_3,
        ),
        ("lets a page be kept too early", RECEIVERS, "self.wish > p.levels", "self.wish >= p.levels", MESH_2),
        ("forgets the mark of a copy", NODE, "header.forwarded.eq(bus.forwarded)", "header.forwarded.eq(1)", MESH_3),
        ("spoils the wrong packets", NODE, "self.corrupting & travelled", "self.corrupting & ~travelled", MESH_3),
        ("sends in dead directions", NODE, "Mux(goes_on, ~self.dead, 0)", "Mux(goes_on, 63, 0)", MESH_3),
        (
            "lets all broadcasts in",
            GUARD,
            "concat(row_port.data[name] == seen[name] for name in fields).all()",
            "1",
            FORGERS,
        ),
        ("looks at the wrong receiver", NODE, "ahead.eq(slot + LOOK_AHEAD_SLOTS)", "ahead.eq(slot + 1)", FORGERS),
        (
            "measures the way to the source",
            GUARD,
            "self.node - self.header.source",
            "self.header.source - self.node",
            FORGERS,
        ),
        ("stores what it refuses", RECEIVERS, "honest & (decoded.kept | waits)", "decoded.kept | waits", FORGERS),
        ("keeps its own host's broadcasts out", GUARD, "self.direction != HOST", "1", FORGERS),
        (
            "says on the link that a packet has come from elsewhere",
            NODE,
            "m.d.comb += onward.eq(header)",
            "m.d.comb += [onward.eq(header), onward.direction.eq(0)]",
            UNSEEN,
        ),
        (
            "forgets for whom a page was kept",
            RECEIVERS,
            "self.kept.eq(self.kept & ~bit)",
            "[self.kept.eq(self.kept & ~bit), self.for_any.eq(self.for_any & ~bit)]",
            UNSEEN,
        ),
    )
]
WORKLOADS = {
    MESH_2: lambda: loaded(2, 700, faults=FAULTS[2]),
    MESH_3: lambda: short_run(),
    FORGERS: lambda: forgers(2, guard=True),
    UNSEEN: lambda: loaded(2, 120),
}


def forgers(size: int, *, guard: bool) -> Comparison:
    """A broadcast by every procedure, some of nodes that claim to be others."""
    model = harts_model(size, faults=Faults(forging_nodes=((3, 0), (5, 1))), guard=guard)
    sources = (3, 0, 5, 4, 2, 6)
    records = [
        broadcast(model, algorithm, source, 3, 60 * i)
        for i, (algorithm, source) in enumerate(zip(PAPER_ALGORITHMS, sources, strict=True))
    ]
    return comparison(model, records)


@pytest.mark.parametrize("guard", [False, True], ids=["open", "guarded"])
def test_forged_broadcasts_go_everywhere_or_nowhere(guard, tmp_path, require_tool):
    require_tool("icarus")
    job = forgers(2, guard=guard)
    copies = Simulation(job.model, job.messages).run().copies.tolist()
    forged = [sum(copies[job.messages.offsets[i] : job.messages.offsets[i + 1]]) for i in (0, 2)]
    assert forged == ([0, 0] if guard else [6, 18])
    assert_equal(job, "icarus", tmp_path)


def short_run() -> Comparison:
    """Every procedure, and packets between them."""
    model = harts_model(3, faults=FAULTS[3])
    records = [
        broadcast(model, algorithm, source, 2, 40 * i)
        for i, (algorithm, source) in enumerate(zip(PAPER_ALGORITHMS[::-1], (0, 3, 14, 9, 1, 18), strict=True))
    ]
    records += mixed_traffic(model, 300, 0.006, seed=2, broadcasts=0, flits=(1, 4))
    return comparison(model, records)


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(
            mutation,
            id=mutation.name.replace(" ", "-"),
            marks=[pytest.mark.slow] if number % 3 and mutation.workload != UNSEEN else [],
        )
        for number, mutation in enumerate(MUTATIONS)
    ],
)
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    settings = {"packet_flits": PACKET_FLITS}
    result = compare_verilog(WORKLOADS[mutation.workload](), mutation, tmp_path, settings, "harts")
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report
    if mutation.workload == UNSEEN:
        assert re.match(r".*\n  (channel \S+: hardware signature|side wire kept_)", result.report or "")


def test_the_short_run_is_sound(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(short_run(), "icarus", tmp_path)


SPREADS = Mutation(
    "turns to the left on every second leg",
    RULES,
    "turns[LEFT].eq(~copy.corner & copy.turns_left)",
    "turns[LEFT].eq(~copy.corner | copy.turns_left)",
)


ROUND = Mutation(
    "goes round the mesh in a leg",
    RULES,
    "round_trip = parameters.whole_mesh if parameters.has_algorithm_a else whole",
    "round_trip = whole",
)


@pytest.mark.parametrize(
    ("size", "algorithm_a", "mutation"),
    [
        pytest.param(3, False, None, id="legs-of-two-steps"),
        pytest.param(3, False, SPREADS, id="turns-too-often", marks=pytest.mark.slow),
        pytest.param(2, True, None, id="algorithm-a"),
        pytest.param(2, True, ROUND, id="no-round", marks=pytest.mark.slow),
    ],
)
def test_every_broadcast(size, algorithm_a, mutation, tmp_path, require_tool):
    """In a mesh of size 2 no leg is longer than a step; and Algorithm A needs nodes that are made for it."""
    require_tool("icarus")
    sound = every_broadcast(size, algorithm_a=algorithm_a)
    result = compare_verilog(sound, mutation, tmp_path, {"packet_flits": 32}, "harts")
    assert result.mismatches == int(mutation is not None)
