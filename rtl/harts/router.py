# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Node of a wrapped hexagonal mesh: routing controller, packet memory and network processor (Sec. 3 and 4).

A frame has eight cycles. In slot s receiver s drives a word onto the bus, and the memory is read for transmitter s; in
the last slot the network processor handles the packets that have arrived. A word goes from the bus to the packet
memory, to the transmitter reserved by its receiver, or to both at once: the tee of RELAY.

=============  ==================================================================================
cycle          a head that is cut through, straight on
=============  ==================================================================================
t              on the bus, in the slot of its direction; the receiver reserves the transmitter
t + 1          written into the packet memory, and into the output register
t + 2          valid on the output link
t + 8          on the bus of the next node
=============  ==================================================================================

A packet of L flits that is stored is sent on L + 1 frames after its head was on the bus, relay_frames being 1. All
outputs are registers.
"""

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import data, memory
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.harts.header_store import HeaderStore
from rtl.harts.input_guard import InputGuard
from rtl.harts.page_pool import PagePool
from rtl.harts.page_queues import PageQueues
from rtl.harts.parameters import PORTS, HartsNodeParameters
from rtl.harts.receiver_bank import ReceiverBank
from rtl.harts.relay_rules import RelayRules, SendRules, step_tags
from rtl.harts.route_decoder import DECODED_ROUTES, RouteDecoder
from rtl.harts.transmitter_bank import TransmitterBank
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.output_register import OutputRegister
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.parts.worm_guard import WormGuard
from topology.harts.frame import GUARD_CYCLES, PROCESSOR_SLOT, SLOT_BITS
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST


class HartsNode(Part):
    """One node.

    Members:
        inputs (In(link_signature).array(7)): Links that end here, by direction of travel, and the host's. ``ready`` is
            a register.
        outputs (Out(link_signature).array(7)): Links that start here. ``valid`` and ``payload`` are registers.
        dead (In(6)): Constant: failed directions; flits sent there are dropped.
        node (In): Constant: number of this node; present only if it guards its links.
        discarding (Out(7)): Whether each input has just begun to drain an unroutable packet. Registers.
        misframed (Out(7)): Output of each input's ``WormGuard``; present only with ``whole_packets``. Registers.
        corrupting (In(1)): Constant: corrupt the body of every packet that is passed on, as a faulty node would.
        ahead_{d} (In(2)): From the next node in direction d: it reserves a page for a packet, and it does so for a
            packet of any level.
        kept_{d} (Out(2)): Likewise, for the upstream node in direction d. Registers.
        wish_{d} (Out(level_bits)): Level that the most urgent waiting packet for direction d will have there; 0 if none
            waits. Registers.
        wished_{d} (In(level_bits)): Likewise, from the upstream node in direction d.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        link = link_signature(p.flit_bits)
        side = {}
        for direction in range(DIRECTIONS):
            side |= {
                f"ahead_{direction}": In(2),
                f"kept_{direction}": Out(2),
                f"wish_{direction}": Out(p.level_bits),
                f"wished_{direction}": In(p.level_bits),
            }
        super().__init__(
            f"harts_node_{p.name}",
            {
                "inputs": In(link).array(PORTS),
                "outputs": Out(link).array(PORTS),
                **({"node": In(p.node_bits)} if p.guard else {}),
                "discarding": Out(PORTS),
                **({"misframed": Out(PORTS)} if p.whole_packets else {}),
                "dead": In(DIRECTIONS),
                "corrupting": In(1),
                **side,
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        p = self.parameters
        slot: Any = Signal(SLOT_BITS, init=PROCESSOR_SLOT)  # so that slot 0 is the first in which anything is ready
        m.d.sync += slot.eq(slot + 1)
        receivers = instantiate(m, platform, "receivers", ReceiverBank(p))
        transmitters = instantiate(m, platform, "transmitters", TransmitterBank(p))
        queues = instantiate(m, platform, "queues", PageQueues(p))
        pool = instantiate(m, platform, "pool", PagePool(p.pages))
        for part in (receivers, transmitters, queues):
            m.d.comb += part.slot.eq(slot)
        self._receive(m, platform, slot, receivers)
        m.d.comb += [
            receivers.can_start.eq(transmitters.can_start),
            receivers.blocked.eq(transmitters.blocked),
            receivers.waiting.eq(queues.waiting[:DIRECTIONS]),
            receivers.free.eq(pool.free),
            receivers.page.eq(pool.page),
            pool.take.eq(receivers.take),
            pool.give.eq(transmitters.give),
            pool.given.eq(transmitters.sent_page),
            transmitters.found.eq(queues.found),
            transmitters.chosen.eq(queues.chosen),
            transmitters.level.eq(queues.level),
            transmitters.waiting.eq(queues.waiting[:DIRECTIONS]),
            transmitters.reserve.eq(receivers.reserve),
            transmitters.owed.eq(queues.owed),
            queues.in_turn.eq(transmitters.in_turn),
            queues.turn.eq(transmitters.turn),
            queues.wish.eq(transmitters.queue_wish),
            queues.start.eq(transmitters.start),
            queues.page.eq(transmitters.sent_page),
        ]
        bus = receivers.bus
        drained = receivers.bus_valid & bus.word.head & ~bus.stored & ~bus.through
        m.d.sync += self.discarding.eq(Mux(drained, 1 << bus.direction, 0))
        self._connect_neighbours(m, slot, receivers, transmitters)
        read = self._memory(m, receivers, transmitters)
        headers = instantiate(m, platform, "headers", HeaderStore(p))
        m.d.comb += headers.page.eq(queues.chosen)
        passed = self._pass(m, platform, receivers, transmitters, queues, headers)
        sent = self._send(m, platform, transmitters, read, headers)
        self._register_outputs(m, receivers, transmitters, passed, sent)
        return m

    def _receive(self, m, platform, slot, receivers):
        """Connect the links to their buffers; the one of this slot is multiplexed to the bus."""
        p = self.parameters
        words, present, decoded_routes = [], [], []
        for port in range(PORTS):
            decoded = instantiate(m, platform, f"way_decoder_{port}", RouteDecoder(p))
            buffer = InputBuffer(p.flit_bits, p.buffer_flits, decoded_bits=DECODED_ROUTES.size)
            buffer: Any = instantiate(m, platform, f"buffer_{port}", buffer)
            link = self._guarded(m, platform, port)
            connect(m, link, buffer.link)
            m.d.comb += [
                Value.cast(decoded.header).eq(link.payload.data[: p.header_layout.size]),
                decoded.way.eq(0 if port == HOST else 1 << port),
                decoded.dead.eq(self.dead),
                buffer.arriving_decoded.eq(decoded.decoded),
                buffer.pop.eq(receivers.pop & (slot == port)),
            ]
            words.append(Value.cast(buffer.flit))
            present.append(buffer.present)
            decoded_routes.append(buffer.decoded)
        with m.Switch(slot):
            for port in range(PORTS):
                with m.Case(port):
                    m.d.comb += [
                        Value.cast(receivers.word).eq(words[port]),
                        Value.cast(receivers.decoded).eq(decoded_routes[port]),
                        receivers.present.eq(present[port]),
                    ]
        if p.guard:
            flits = [data.View(flit_layout(p.flit_bits), word) for word in words]
            self._guard(m, platform, slot, receivers, flits, present)

    def _guarded(self, m, platform, port: int) -> Any:
        """Return the link of an input, behind the guard if there is one."""
        if not self.parameters.whole_packets:
            return flipped(self.inputs[port])
        guard = instantiate(
            m, platform, f"worm_guard_{port}", WormGuard(self.parameters.flit_bits, self.parameters.packet_flits)
        )
        connect(m, flipped(self.inputs[port]), guard.link)
        m.d.comb += self.misframed[port].eq(guard.misframed)
        return guard.onward

    def _guard(self, m, platform, slot, receivers, flits, present):
        """Check in the guard the flit of the slot after the next."""
        p = self.parameters
        guard = instantiate(m, platform, "guard", InputGuard(p))
        ahead: Any = Signal(SLOT_BITS, name="slot_ahead")
        m.d.comb += [
            ahead.eq(slot + GUARD_CYCLES),
            guard.node.eq(self.node),
            guard.direction.eq(ahead),
            receivers.known.eq(guard.known),
            receivers.honest.eq(guard.honest),
        ]
        with m.Switch(ahead):
            for port, flit in enumerate(flits):
                with m.Case(port):
                    m.d.comb += [
                        Value.cast(guard.header).eq(flit.data[: p.header_layout.size]),
                        guard.present.eq(present[port] & flit.head),
                    ]

    def _connect_neighbours(self, m, slot, receivers, transmitters):
        ahead = [getattr(self, f"ahead_{direction}") for direction in range(DIRECTIONS)]
        m.d.comb += [
            transmitters.ahead.eq(concat([*(state[0] for state in ahead), 1])),
            transmitters.ahead_for_any.eq(concat([*(state[1] for state in ahead), 1])),
        ]
        for direction in range(DIRECTIONS):
            m.d.comb += [
                getattr(self, f"kept_{direction}").eq(
                    concat((receivers.kept[direction], receivers.for_any[direction]))
                ),
                getattr(self, f"wish_{direction}").eq(transmitters.wish[direction]),
            ]
            with m.If(slot == direction):
                m.d.comb += receivers.wish.eq(getattr(self, f"wished_{direction}"))

    def _memory(self, m, receivers, transmitters) -> Any:
        """Add the packet memory: data and tail of each flit, one write and one read per cycle. Return the read port."""
        p = self.parameters
        shape = data.StructLayout({"data": p.flit_bits, "tail": 1})
        # a power of two: one row of block memories, and no selection behind them on the longest path
        depth = 1 << (p.page_bits + p.position_bits)
        m.submodules.packets = store = memory.Memory(shape=shape, depth=depth, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port()
        bus = receivers.bus
        m.d.comb += [
            write.addr.eq(concat((bus.position, bus.page))),
            write.en.eq(receivers.bus_valid & bus.stored),
            write.data.data.eq(bus.word.data),
            write.data.tail.eq(bus.word.tail),
            read.addr.eq(concat((transmitters.read_position, transmitters.read_page))),
            read.en.eq(transmitters.read),
        ]
        return read

    def _pass(self, m, platform, receivers, transmitters, queues, headers) -> Any:
        """Store the flit on the bus, pass it on, or both; its tail adds a row to the queues."""
        p = self.parameters
        bus, layout = receivers.bus, p.header_layout
        old: Any = data.View(layout, bus.word.data[: layout.size])
        header: Any = Signal(layout, name="stored_header")
        onward: Any = Signal(layout, name="onward_header")
        travelled = Signal()
        m.d.comb += [
            travelled.eq(bus.direction != HOST),
            header.eq(old),
            header.direction.eq(bus.direction),
            header.forwarded.eq(bus.forwarded),
            header.hops.eq(Mux(travelled, old.hops + 1, 0)),
            header.distance.eq(old.distance - (travelled & old.broadcast)),
        ]
        with m.If(~travelled):
            m.d.comb += header.stage.eq(0)
        m.d.comb += onward.eq(header)
        with m.If(~header.broadcast):
            step_tags(m, header, onward, bus.output)
        passed: Any = Signal(flit_layout(p.flit_bits), name="passed")
        spoil = Signal()
        m.d.comb += [
            headers.write.eq(receivers.bus_valid & bus.stored & bus.word.head),
            headers.written_page.eq(bus.page),
            headers.written_header.eq(header),
            spoil.eq(self.corrupting & travelled),
            passed.head.eq(bus.word.head),
            passed.tail.eq(bus.word.tail),
            passed.data.eq(Mux(bus.word.head, Value.cast(onward), bus.word.data | spoil.replicate(p.flit_bits))),
            transmitters.received_tail.eq(receivers.bus_valid & bus.through & bus.word.tail),
            transmitters.received_for.eq(bus.output),
        ]
        self._enter(m, platform, receivers, queues, header, travelled, old.hops)
        return passed

    def _enter(self, m, platform, receivers, queues, header, travelled, hops):
        """Do the network processor's part: compute a packet's outputs from its head and use them with its tail.

        A packet that has travelled the maximum number of links is not sent on, see ``RouteDecoder``. The count before
        this link is compared: incremented, an impossible number could wrap to 0.
        """
        p = self.parameters
        bus = receivers.bus
        rules = instantiate(m, platform, "relay_rules", RelayRules(p))
        outputs = Signal(PORTS)
        goes_on = Signal()
        ways: Any = Signal(DIRECTIONS)
        kept = Array(Signal(PORTS, name=f"outputs_{port}") for port in range(PORTS))
        levels = Array(Signal(p.level_bits, name=f"level_{port}") for port in range(PORTS))
        m.d.comb += [
            rules.header.eq(header),
            goes_on.eq(~(travelled & (hops >= p.levels - 1))),
            ways.eq(Mux(goes_on, ~self.dead, 0)),
            outputs.eq(Mux(header.broadcast, rules.outputs & concat((ways, 1)), 1 << bus.waits)),
            queues.enter.eq(receivers.bus_valid & bus.stored & bus.word.tail),
            queues.entered_page.eq(bus.page),
            queues.entered_outputs.eq(Mux(bus.word.head, outputs, kept[bus.direction])),
            queues.entered_level.eq(Mux(bus.word.head, header.hops, levels[bus.direction])),
        ]
        with m.If(receivers.bus_valid & bus.word.head):
            m.d.sync += [kept[bus.direction].eq(outputs), levels[bus.direction].eq(header.hops)]

    def _send(self, m, platform, transmitters, read, headers) -> Any:
        """Send the word that was read from the memory, with a new header."""
        p = self.parameters
        rules = instantiate(m, platform, "send_rules", SendRules(p))
        header: Any = headers.header
        spoilers = Signal(PORTS)
        spoils = Signal()
        sent: Any = Signal(flit_layout(p.flit_bits), name="sent")
        m.d.comb += [
            rules.header.eq(header),
            rules.output.eq(transmitters.sent_for),
            transmitters.sent_tail.eq(read.data.tail),
            spoils.eq((spoilers & (1 << transmitters.sent_for)).any()),
            sent.head.eq(transmitters.sent_head),
            sent.tail.eq(read.data.tail),
            sent.data.eq(
                Mux(transmitters.sent_head, Value.cast(rules.sent), read.data.data | spoils.replicate(p.flit_bits))
            ),
        ]
        spoiling = self.corrupting & (header.direction != HOST) & (transmitters.sent_for != HOST)
        with m.If(transmitters.sent & transmitters.sent_head):
            bit = 1 << transmitters.sent_for
            m.d.sync += spoilers.eq(Mux(spoiling, spoilers | bit, spoilers & ~bit))
        return sent

    def _register_outputs(self, m, receivers, transmitters, passed, sent):
        bus = receivers.bus
        for port in range(PORTS):
            register = OutputRegister(m, self.outputs[port], f"output_{port}")
            from_memory = Signal(name=f"from_memory_{port}")
            from_bus = Signal(name=f"from_bus_{port}")
            # the host's flits all come from the memory, so its register has an enable and no multiplexer
            other = Value.cast(self.outputs[port].payload if port == HOST else passed)
            m.d.comb += [
                from_memory.eq(transmitters.sent & (transmitters.sent_for == port)),
                from_bus.eq(receivers.bus_valid & bus.through & (bus.output == port) & (port != HOST)),
                transmitters.blocked[port].eq(~register.free),
                register.load.eq(from_memory | from_bus),
                register.following.eq(Mux(from_memory, Value.cast(sent), other)),
            ]
