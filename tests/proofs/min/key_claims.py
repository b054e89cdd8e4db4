"""Claims about ``TurnKey``: where a message turns round, read off the wires of the network instead of the digits."""

from typing import Any

from amaranth.hdl import Array, Const

from rtl.min.turn_key import TurnKey
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.steady import steady_for
from tests.proofs.inside import Inside
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting


def turn_key(kind: str, radix: int, stages: int) -> Describe:
    """Claims about the key of a network.

    Parameters
    ----------
    kind, radix, stages
        As in ``MinNetwork``.
    """

    def describe(claims: Claims) -> None:
        routing = MinRouting(MinNetwork(kind, radix, stages), 16)
        part: Any = TurnKey(routing)
        claims.free_inputs(part)
        Inside(claims, part)
        destinations, processors = part.destinations, part.processors
        inputs: Any = destinations
        if part.levels:
            inputs = concat((destinations, part.node))
            claims.assume(part.node < processors)
        steady = steady_for(claims, inputs, part.key_cycles, "sender_and_destinations")
        several = claims.named((destinations & (destinations - 1)).any(), "several")
        claims.always("multicast marks several destinations", ~steady | (part.multicast == several))
        for i in range(processors):
            alone = claims.named(steady & (destinations == 1 << i), f"only_{i}")
            claims.always("one destination is its own key", ~alone | (part.key == i))
        asked = claims.named(steady & several, "multicast_asked")
        first = part.key - processors
        claims.always("several have a key that is none of theirs", ~asked | (part.key >= processors))
        if not part.levels:
            claims.always("without a way back there is one such key", ~asked | (first == 0))
            claims.possible("a multicast to all", asked & destinations.all())
            return
        for stage in range(routing.network.stages):
            within = claims.named(~(destinations & ~_reached(claims, routing, part.node, stage)).any(), f"at_{stage}")
            before = claims.named(_before(claims, routing, part, stage), f"before_{stage}")
            right = claims.named(within & ~before, f"turns_at_{stage}")
            claims.always("the turn is the first one from which all are reached", ~asked | ((first == stage) == right))
            claims.possible(f"a multicast turns at stage {stage}", asked & (first == stage))

    return describe


def _before(claims: Claims, routing: MinRouting, part: Any, stage: int) -> Any:
    """True if an earlier stage reaches all destinations."""
    if stage == 0:
        return Const(0)
    return ~(part.destinations & ~_reached(claims, routing, part.node, stage - 1)).any()


def _reached(claims: Claims, routing: MinRouting, node: Any, stage: int) -> Any:
    """Processors to the left of the switch that a message of a sender reaches at a stage on its way up."""
    network = routing.network
    rows = []
    for sender in range(len(network.processors)):
        switch = network.processors[sender]
        for _ in range(stage):
            up = network.output_channel[switch][network.radix]  # any way up has the same processors to its left
            switch = network.channels[up].sink
        rows.append(sum(1 << int(processor) for processor in routing.reach[switch].any(axis=0).nonzero()[0]))
    width = len(network.processors)
    return claims.named(Array(Const(row, width) for row in rows)[node], f"reached_from_stage_{stage}")
