"""The harness in Amaranth's simulator, compared with the golden model: every channel, every flit, every cycle."""

from rtl.endpoints.harness import HarnessTop, message_fields
from rtl.spam.network import spam_plan
from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import index_of, message_of
from sim_model.messages.messages import Message, Messages
from sim_model.spam.model import SpamModel
from tests.rtl.simulate import run
from topology.common.flit_signature import SIGNATURE_BITS, flit_signature
from topology.common.flits import FlitFormat
from topology.common.pattern import payload_seed
from topology.spam.routing import SpamRouting


class LockStep:
    """A SPAM network as hardware and as model, with the same messages."""

    def __init__(self, routing: SpamRouting, records: list[Message], **settings):
        model = SpamModel(routing, **settings)
        processors = len(routing.network.processors)
        self.routing = routing
        self.messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
        self.simulation = Simulation(model, self.messages)
        self.plan = spam_plan(routing, **settings)
        self.flits = FlitFormat(routing.flit_bits)

    def run(self, cycles: int) -> int:
        """Compare for some cycles; returns the number of flits that moved."""
        trace = self.simulation.record(cycles)
        harness = HarnessTop(self.plan)

        async def testbench(ctx):
            await ctx.tick()  # in the first cycle after reset no input is ready
            for cycle in range(cycles):
                offered = self._offer(ctx, harness, trace.accepted_message[cycle])
                moved = sum(int(bit) << channel for channel, bit in enumerate(trace.moved[cycle]))
                ejected = self._ejected(trace.ejected_message[cycle], trace.ejected_flit[cycle])
                seen = (ctx.get(harness.moved), ctx.get(harness.accepted), ctx.get(harness.ejected))
                assert seen == (moved, offered, ejected), f"cycle {cycle}: {self._names(seen[0] ^ moved)}"
                signatures = self._signatures(trace.flits[cycle].tolist())
                parts = {"signatures": signatures, "moved": moved, "accepted": offered, "ejected": ejected}
                observed = sum(value << harness.layout.parts[name].low for name, value in parts.items())
                assert ctx.get(harness.observed) == observed
                await ctx.tick()

        run(harness, testbench)
        return int(trace.moved.sum())

    def _offer(self, ctx, harness, accepted) -> int:
        offered = 0
        for processor, message in enumerate(accepted.tolist()):
            if message >= 0:
                ctx.set(getattr(harness, f"message_n{processor}"), self._descriptor(processor, message))
                offered |= 1 << processor
        ctx.set(harness.message_valid, offered)
        return offered

    def _descriptor(self, source: int, message: int) -> int:
        destinations = self.messages.destinations_of(message).tolist()
        values = {
            "header": self.routing.header_value(source, destinations),
            "header_flits": self.routing.header_flits(destinations),
            "flits": int(self.messages.flits[message]),
            "payload_seed": payload_seed(message),
        }
        fields = message_fields(self.plan)
        return sum(value << fields[name][0] for name, value in values.items())

    def _ejected(self, messages, flits) -> int:
        value = 0
        for processor, (message, flit) in enumerate(zip(messages.tolist(), flits.tolist(), strict=True)):
            if message >= 0:
                value |= (self._packed(message, flit) << 1 | 1) << processor * (self.flits.width + 1)
        return value

    def _signatures(self, flits) -> int:
        """One by one, from the definition."""
        value, number, network = 0, 0, self.plan.network
        for channel, flit in enumerate(flits):
            if channel in network.delivery_channels:
                continue
            if flit >= 0:
                packed = self._packed(message_of(flit), index_of(flit))
                value |= flit_signature(packed, self.flits.width) << number * SIGNATURE_BITS
            number += 1
        return value

    def _packed(self, message: int, flit: int) -> int:
        last = int(self.messages.flits[message]) - 1
        return self.flits.pack(data=self.simulation.data_of(message, flit), head=flit == 0, tail=flit == last)

    def _names(self, channels: int) -> list[str]:
        return [channel.name for channel in self.plan.network.channels if channels >> channel.index & 1]
