"""Collective operations of the traffic on the plane: calls of members, and their run with the messages."""

from typing import TYPE_CHECKING

from hydranoc.config.collectives import CollectivePlan
from hydranoc.config.load import Config
from hydranoc.design.plane import Plane
from sim_model.collective_plane.calls import Call, member_words
from sim_model.collective_plane.contributions import Contribution
from sim_model.collective_plane.held_messages import HeldMessages
from sim_model.collective_plane.joint import JointResults, run_jointly
from topology.collectives.operators import SUM

if TYPE_CHECKING:
    from sim_model.engines.model import Model


def plane_calls(plan: CollectivePlan, plane: Plane, flit_bits: int, startup_cycles: int) -> list[Call]:
    """Return the calls of all operations on the plane.

    Words are pseudo-random, and the operators of the plane take turns.

    Parameters:
        plan
        plane
        flit_bits: Data bits of a flit.
        startup_cycles: Of a host per operation.
    """
    found: dict[int, Call] = {}
    for number, performance in enumerate(plan.performances):
        collective = plan.collectives[performance.collective]
        if not collective.on_plane:
            continue
        group = plane.group_with(collective.processors)
        assert group is not None
        words = plane.words_of(collective.flits, flit_bits)
        operator = plane.operators[number % len(plane.operators)] if plane.operators else SUM
        for call, processor in zip(performance.contributions, collective.processors, strict=True):
            moment = plan.starts[call]
            contribution = Contribution(
                processor,
                group,
                (moment.cycle or 0) + startup_cycles,
                operator,
                member_words(number, processor, words, plane.parameters.word_bits),
            )
            results, messages = (
                {event: delay + startup_cycles for event, delay in delays.items()}
                for delays in (moment.contributions, moment.messages)
            )
            found[call] = Call(contribution, results, messages)
    return [found[call] for call in range(len(found))]


def run_on_plane(
    plan: CollectivePlan, plane: Plane, config: Config, model: "Model", startup_cycles: int
) -> JointResults:
    """Run all operations on the plane, with the messages if any wait for results or any calls for messages.

    Parameters:
        plan
        plane
        config
        model: Golden model of the network.
        startup_cycles: Of a host per message and operation.
    """
    calls = plane_calls(plan, plane, config.network_section.flit_bits, startup_cycles)
    network = None
    if plan.held or any(call.messages for call in calls):
        network = HeldMessages(model, plan.messages, plan.held, calls, startup_cycles, config.hosts)
    return run_jointly(plane.model, calls, config.hosts, network)
