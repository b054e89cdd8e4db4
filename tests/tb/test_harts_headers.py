"""Headers and bodies that hosts of a mesh are expected to get, against the closed form in the topology layer.

The expectation takes them from the golden model's nodes, hop by hop.
"""

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.harts.record import variant_field
from sim_model.loops.bits import index_of, message_of
from tb.common.message_flits import MessageFlits
from tests.sim_model.harts_traffic import built, harts_model, mixed_traffic
from topology.common.flits import FlitFormat
from topology.harts.faults import NO_FAULTS, Faults

CYCLES = 1_200


@pytest.mark.parametrize(
    "faults", [NO_FAULTS, Faults((), (3,), ((0, 1),), forging_nodes=((2, 5),))], ids=["sound", "faulty"]
)
def test_delivered_flits_are_as_the_routing_says(faults):
    model = harts_model(2, faults=faults)
    messages = built(model, mixed_traffic(model, CYCLES, 0.006, 1))
    recording = Simulation(model, messages).record(CYCLES)
    flits, layout, routing = MessageFlits(model, messages), FlitFormat(model.flit_bits), model.routing
    heads = spoilt = 0
    for node, channel in zip(model.network.delivery_processors, model.network.delivery_channels, strict=True):
        for cycle in np.flatnonzero(recording.flits[:, channel] >= 0).tolist():
            flit, variant = int(recording.flits[cycle, channel]), recording.variants[cycle, channel]
            data, head, _ = layout.unpack(flits.packed(flit, int(variant)))
            message = message_of(flit)
            assert head == (index_of(flit) == 0)
            if not head:
                spoilt += variant_field(variant, "spoilt")
                assert (data == (1 << model.flit_bits) - 1) == bool(variant_field(variant, "spoilt"))
                continue
            heads += 1
            assert data == routing.delivered_header(
                int(messages.source[message]),
                node,
                int(messages.operation[message]),
                message,
                int(variant_field(variant, "direction")),
                forwarded=bool(variant_field(variant, "forwarded")),
            )
    assert heads > 40
    assert (spoilt > 0) == bool(faults.corrupting_nodes)
