"""Expected values of the lock-step bench, its rules of hosts, and its report of a mismatch."""

from dataclasses import replace

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Messages
from tb.common.difference import Difference
from tb.common.expectation import Expectation
from tb.common.host_rules import HostRules
from tb.common.message_flits import MessageFlits
from tests.networks import figure_1
from tests.sim_model.builders import build, harts_model, mixed_traffic, random_records
from tests.sim_model.test_messages import MODELS, random_dependent_records
from tests.tb.workloads import Shape, hypercube_job, hypercube_routing, staged_traffic, torus_job, torus_routing
from tests.tb.workloads import spam_comparison as comparison
from topology.common.flit_signature import flit_signature
from topology.common.flits import FlitFormat
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.common.link_stages import LinkStages
from topology.common.observed import UNSIGNED, ObservedLayout, StatusOutput
from topology.common.side_wires import SideWire
from topology.harts.faults import Faults

# Expected values of the lock-step bench, and its report of a mismatch.

SHAPE = Shape(flit_bits=16)


@pytest.fixture(scope="module")
def job():
    routing = SHAPE.routing(figure_1(), root=0)
    return comparison(routing, SHAPE, staged_traffic(routing, 600, seed=3))


@pytest.fixture(scope="module")
def torus():
    """Two VCs on every link."""
    routing = torus_routing(2, 3, 2, wraps=True, flit_bits=16, rule="dally-seitz")
    return torus_job(routing, buffer_flits=4, routing_cycles=1, cycles=400)


def field(row: str, low: int, bits: int) -> int:
    return int(row[len(row) - low - bits : len(row) - low], 2)


@pytest.mark.parametrize("family", ["job", "torus"])
def test_rows_have_everything_where_the_layout_says(family, request):
    """One by one, from the definitions."""
    job = request.getfixturevalue(family)
    recording = Simulation(job.model, job.messages).record(300)
    flits, layout, network = MessageFlits(job.model, job.messages), job.harness.observed, job.model.network
    parts, width = layout.parts, FlitFormat(SHAPE.flit_bits).width
    for cycle, row in enumerate(Expectation(flits, layout).rows(recording)):
        assert len(row) == layout.bits
        signatures = [0] * len(layout.hops_of_signature)
        for channel, flit in enumerate(recording.flits[cycle].tolist()):
            packed = flits.packed(flit, 0) if flit >= 0 else None
            if packed is not None and layout.signature_of[channel] != UNSIGNED:
                assert signatures[layout.signature_of[channel]] == 0  # no two flits share a link
                signatures[layout.signature_of[channel]] = flit_signature(packed, width)
            assert field(row, parts["moved"].low + channel, 1) == (packed is not None)
            if channel in network.delivery_channels:
                low = parts["ejected"].low + network.delivery_channels.index(channel) * (width + 1)
                assert field(row, low, width + 1) == (0 if packed is None else packed << 1 | 1)
        low = parts["signatures"].low
        assert [field(row, low + 8 * number, 8) for number in range(len(signatures))] == signatures
    assert (recording.flits >= 0).sum() > 300


def model_and_messages(job):
    return job.model, job.messages


def spoilt():
    """Packets that a faulty node spoils."""
    model = harts_model(2, faults=Faults(corrupting_nodes=(0, 3)))
    return model, build(model, mixed_traffic(model, 900, 0.01, seed=3))


@pytest.mark.parametrize("kind", ["job", "torus", "spoilt"])
def test_packed_rows_are_the_same_bits(kind, job, torus):
    model, messages = spoilt() if kind == "spoilt" else model_and_messages(job if kind == "job" else torus)
    layout = ObservedLayout.of(LinkStages(model.network), model.flit_bits, model.side_wires, model.status_outputs)
    recording = Simulation(model, messages).record(900)
    expectation = Expectation(MessageFlits(model, messages), layout)
    packed = expectation.packed_rows(recording, layout.bits // 8 + 1).tolist()
    texts = [format(int.from_bytes(row, "little"), f"0{layout.bits}b") for row in packed]
    assert texts == expectation.rows(recording)
    assert recording.variants.any() == (kind == "spoilt")


def with_signals(job):
    """A model and hardware with side wires and status outputs, some of which the model lacks."""
    wires = (SideWire(0, "a", 1, "b"), SideWire(1, "c", 3, "d", 3))
    known, unknown = StatusOutput("known", 2), StatusOutput("unknown", 2)

    class Model(type(job.model)):
        side_wires = wires
        status_outputs = (known,)

    model = Model(job.model.routing)
    return model, ObservedLayout.of(LinkStages(model.network), model.flit_bits, wires, (unknown, known))


def test_side_wires_and_status_are_expected_as_recorded(job):
    model, layout = with_signals(job)
    signals = np.array([[0] * 6, [1, 0, 1, 1, 0, 1], [0] * 6], dtype=np.uint8)
    recording = Simulation(job.model, job.messages).record(3)._replace(signals=signals)
    rows = Expectation(MessageFlits(model, job.messages), layout).rows(recording)
    low = layout.parts["side_wires"].low
    assert [field(row, low, 8) for row in rows] == [0, 0b10_00_1101, 0]
    seen = flipped(flipped(rows[1], low + 2), low + 4)
    text, switches = Difference(LinkStages(model.network), layout, 1, seen, rows[1], str).describe()
    names = [model.network.vertex_name(switch) for switch in (0, 1, 3)]
    assert text.splitlines()[1:] == [
        f"  side wire c {names[1]}->{names[2]}: hardware 4, model 6",
        "  status unknown: hardware 1, model 0",
    ]
    assert switches == {1, 3}


def test_hardware_and_model_must_have_the_same_signals(job):
    model, layout = with_signals(job)
    flits = MessageFlits(model, job.messages)
    with pytest.raises(ValueError, match="the same side wires"):
        Expectation(flits, replace(layout, side_wires=layout.side_wires[::-1]))
    for status in ((), (StatusOutput("known", 1),)):
        with pytest.raises(ValueError, match="Status output known must have 2 bits, not"):
            Expectation(flits, replace(layout, status=status))


def first_delivery(job) -> tuple[int, str]:
    flits = MessageFlits(job.model, job.messages)
    rows = Expectation(flits, job.harness.observed).rows(Simulation(job.model, job.messages).record(200))
    part = job.harness.observed.parts["ejected"]
    cycle = next(cycle for cycle, row in enumerate(rows) if field(row, part.low, part.bits))
    return cycle, rows[cycle]


def flipped(row: str, bit: int) -> str:
    position = len(row) - 1 - bit
    return row[:position] + ("0" if row[position] == "1" else "1") + row[position + 1 :]


def described(job, cycle: int, hardware: str, model: str) -> tuple[str, set[int]]:
    difference = Difference(
        LinkStages(job.model.network), job.harness.observed, cycle, hardware, model, "flit of c{}".format
    )
    return difference.describe()


def moving_channel(job, row: str):
    network, low = job.model.network, job.harness.observed.parts["moved"].low
    return next(c for c in network.channels if field(row, low + c.index, 1) and network.is_switch(c.sink))


def test_a_missing_move_is_reported_by_channel(job):
    cycle, row = first_delivery(job)
    channel = moving_channel(job, row)
    text, switches = described(job, cycle, flipped(row, job.harness.observed.parts["moved"].low + channel.index), row)
    assert f"cycle {cycle}" in text
    assert f"channel {channel.name}: hardware no flit moved, model a flit moved, flit of c{channel.index}" in text
    assert channel.sink in switches


def test_another_flit_is_reported_by_channel(job):
    cycle, row = first_delivery(job)
    channel = moving_channel(job, row)
    layout = job.harness.observed
    low = layout.parts["signatures"].low + 8 * layout.signature_of[channel.index]
    right = field(row, low, 8)
    text, switches = described(job, cycle, flipped(row, low + 4), row)
    signatures = f"hardware signature {right ^ 16:#04x}, model signature {right:#04x}, flit of c{channel.index}"
    assert text.splitlines()[1:] == [f"  channel {channel.name}: {signatures}"]
    assert channel.sink in switches


@pytest.mark.parametrize("vc", [0, 1])
def test_another_flit_on_a_vc_is_reported_by_vc(vc, torus):
    layout, network = torus.harness.observed, torus.model.network
    rows = Expectation(MessageFlits(torus.model, torus.messages), layout).rows(
        Simulation(torus.model, torus.messages).record(300)
    )
    moved, low = layout.parts["moved"].low, layout.parts["signatures"].low
    of_two = [network.channels[hops[vc]] for hops in layout.hops_of_signature if len(hops) == 2]
    cycle, channel = next((c, ch) for c, row in enumerate(rows) for ch in of_two if field(row, moved + ch.index, 1))
    position = low + 8 * layout.signature_of[channel.index]
    text, switches = described(torus, cycle, flipped(rows[cycle], position), rows[cycle])
    assert channel.name.endswith(f".{vc}")
    [line] = text.splitlines()[1:]
    assert line.startswith(f"  channel {channel.name}: hardware signature ")
    assert switches == {channel.source, channel.sink}


def test_a_signature_where_nothing_moves_is_reported_once(torus):
    layout, network = torus.harness.observed, torus.model.network
    number, hops = next((n, hops) for n, hops in enumerate(layout.hops_of_signature) if len(hops) == 2)
    nothing = "0" * layout.bits
    text, _ = described(torus, 0, flipped(nothing, layout.parts["signatures"].low + 8 * number), nothing)
    name = network.channels[hops[0]].name
    assert text.splitlines()[1:] == [f"  channel {name}: hardware signature 0x01, model signature 0x00"]


def test_a_wrong_data_bit_is_reported_by_processor(job):
    cycle, row = first_delivery(job)
    network, part = job.model.network, job.harness.observed.parts["ejected"]
    processor = next(p for p in range(len(network.processors)) if field(row, part.low + p * part.stride, 1))
    text, switches = described(job, cycle, flipped(row, part.low + processor * part.stride + 3), row)
    assert f"delivered to p{processor}: hardware head 0x" in text
    assert switches == {network.processors[processor]}


def test_a_descriptor_that_was_not_taken_is_reported(job):
    cycle, row = first_delivery(job)
    text, _ = described(job, cycle, flipped(row, job.harness.observed.parts["accepted"].low + 2), row)
    assert f"injector of p2: hardware did not take the descriptor in cycle {cycle - 1}, model did" in text


def test_of_several_injectors_the_right_one_is_reported():
    several = hypercube_job(hypercube_routing(2, 1, injection_channels=2), 2, 40)
    nothing = "0" * several.harness.observed.bits
    low = several.harness.observed.parts["accepted"].low
    assert several.harness.observed.parts["accepted"].bits == 8
    text, _ = described(several, 9, flipped(nothing, low + 3), nothing)
    wanted = "  injector of p1 on p1_1->s1: hardware did not take the descriptor in cycle 8, model did"
    assert text.splitlines()[1:] == [wanted]


def test_unknown_values_are_a_difference(job):
    cycle, row = first_delivery(job)
    text, _ = described(job, cycle, "x" + row[1:], row)
    assert "unknown" in text


# The bench's own rules of hosts against the model's hosts, and against messages with other dependencies.

CHUNK = 97
BEHAVIOURS = {"eager": EAGER, "pausing": HostBehaviour(140, 90, seed=3)}


def dependent(family):
    model = MODELS[family]()
    messages = Messages.build(
        random_dependent_records(model, 250, seed=6),
        processors=len(model.network.processors),
        header_flits=model.header_flits,
        injection_channels=model.network.injection_channels_per_processor,
    )
    return model, messages


def multicasts():
    model = MODELS["spam"]()
    return model, build(model, random_records(np.random.default_rng(2), model, 150, cycles=900, body=12))


def broadcasts():
    """Several copies of each broadcast come to every node."""
    model = harts_model(2)
    return model, build(model, mixed_traffic(model, 900, 0.004, seed=3))


JOBS = {
    "spam": lambda: dependent("spam"),
    "torus": lambda: dependent("torus"),
    "multicasts": multicasts,
    "broadcasts": broadcasts,
}


def offers_of(model, messages, ruled, startup_cycles, hosts):
    """Offers of the model's hosts, and of rules for other messages that see the same tails."""
    simulation = Simulation(model, messages, startup_cycles, hosts=hosts)
    rules = HostRules(model.network, ruled, startup_cycles, hosts)
    modelled, worked_out = [], []
    while not simulation.finished:
        first = simulation.cycle
        recording = simulation.record(CHUNK)
        rows, injectors = np.nonzero(recording.accepted_message >= 0)
        for row, injector in zip(rows.tolist(), injectors.tolist(), strict=True):
            modelled.append((first + row, injector, int(recording.accepted_message[row, injector])))
        worked_out += [(first + row, *offer) for row, *offer in rules.offers(first, recording).tolist()]
    return modelled, worked_out


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("startup_cycles", [0, 7])
@pytest.mark.parametrize("job", JOBS)
def test_rules_and_model_offer_the_same_in_the_same_cycles(job, startup_cycles, behaviour):
    model, messages = JOBS[job]()
    modelled, worked_out = offers_of(model, messages, messages, startup_cycles, BEHAVIOURS[behaviour])
    assert len(modelled) == len(messages)
    assert worked_out == modelled


def longest_wait(messages):
    """Position of the longest delay, which some start is sure to follow from."""
    return int(messages.delay_cycles.argmax())


FAULTS = {
    "a delay": lambda m: replace(m, delay_cycles=m.delay_cycles + (np.arange(len(m.parents)) == longest_wait(m)) * 500),
    "all starts": lambda m: replace(m, start_cycle=m.start_cycle + 1),
    "all parents": lambda m: replace(
        m, parent_offsets=m.parent_offsets * 0, parents=m.parents[:0], delay_cycles=m.delay_cycles[:0]
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_host_that_waits_for_something_else_is_seen(fault):
    model, messages = dependent("spam")
    modelled, worked_out = offers_of(model, messages, FAULTS[fault](messages), 3, EAGER)
    assert worked_out != modelled
