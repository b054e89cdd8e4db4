"""A node without input buffers, pool, queues and memories, whose outputs are any that their own proofs allow.

What is left is what belongs to the bus and the transmitters: receiver bank, transmitter bank, relay rules, output
registers and the logic between them.
"""

from typing import Any

from amaranth.hdl import Array, Mux, Signal, Value

from rtl.generator.structure import flat_ports
from rtl.harts.header_store import HeaderStore
from rtl.harts.page_pool import PagePool
from rtl.harts.page_queues import PageQueues
from rtl.harts.parameters import PORTS
from rtl.harts.relay_rules import SendRules
from rtl.harts.router import HartsNode
from rtl.harts.way_decoder import WayDecoder
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.harts.memory_ports import OpenInside
from tests.proofs.harts.page_pool_use import PagePoolUse
from tests.proofs.harts.page_queues_use import PageQueuesCalls, PageQueuesUse
from tests.proofs.harts.shapes import smallest_node
from tests.proofs.harts.slots import slot_counter
from topology.harts.header import HOST

LEFT_OUT = (HeaderStore, InputBuffer, PagePool, PageQueues, SendRules)


class BareNode:
    """The node, its assumptions, and any one page of it.

    Taken for granted besides the contracts of the parts that are left out: packets have one head, one tail and at most
    ``packet_flits`` flits (a matter of the source's host). Neighbours may wish for whatever they like.

    Parameters
    ----------
    claims : Claims

    Members
    -------
    parameters : HartsNodeParameters
    node : HartsNode
    inside : OpenInside
    receivers, transmitters, pool, queues : Part or interface
    buffers : list of interface
    slot : Signal
        Counted outside the node.
    popped : Signal
        Receivers whose flit goes onto the bus in this cycle.
    arriving : Signal
        Receivers that have popped a head and not yet its tail.
    flits : list of Signal
        How many flits they have popped of the packet, per receiver.
    page : Signal
        Any page number, the same in every cycle.
    pool_use : PagePoolUse
    calls : PageQueuesCalls
    packet : PageQueuesUse
        Of ``page``.
    """

    def __init__(self, claims: Claims):
        self.claims = claims
        self.parameters = p = smallest_node()
        self.node: Any = HartsNode(p)
        claims.free_inputs(self.node)
        self.inside = OpenInside(claims, self.node, LEFT_OUT)
        placed = self.inside.placed
        self.receivers, self.transmitters = placed["receivers"], placed["transmitters"]
        self.pool, self.queues = placed["pool"], placed["queues"]
        self.buffers = [placed[f"buffer_{port}"] for port in range(PORTS)]
        self.slot = slot_counter(claims)
        claims.invariant("the node counts slots", self.inside.register("slot") == self.slot)
        for part in (self.pool, self.queues, placed["headers"], placed["send_rules"], *self.buffers):
            for _, is_input, value in flat_ports(part):
                if not is_input:
                    claims.anything(value)
        claims.anything(self.inside.take_memory_out())
        self.page: Any = claims.constant(p.page_bits, "any_page")
        self.pool_use = PagePoolUse(claims, self.pool, p.pages)
        self.calls = PageQueuesCalls(claims, self.queues, p.pages)
        self.packet = PageQueuesUse(claims, self.queues, self.page, "here")
        self._assume_parts()
        self._assume_packets()
        self._assume_neighbours()

    def _assume_parts(self) -> None:
        claims, queues = self.claims, self.queues
        for use in (self.pool_use, self.packet):
            for _, condition in use.promises():
                claims.assume(condition)
        for output in range(PORTS):
            waits = queues.found & (self.slot == output)
            claims.assume(~waits | queues.waiting[output])
        claims.assume((self.slot < PORTS) | ~queues.found)

    def _assume_packets(self) -> None:
        """Flits in the buffers form whole packets. They may come and go: stability is not needed."""
        claims, most = self.claims, self.parameters.packet_flits
        self.popped: Any = claims.named(concat(buffer.pop for buffer in self.buffers), "popped")
        self.arriving: Any = Signal(PORTS, name="arriving_reference")
        tails = claims.named(concat(buffer.flit.tail for buffer in self.buffers), "tails")
        claims.m.d.sync += self.arriving.eq((self.arriving | self.popped) & ~(self.popped & tails))
        self.flits = [Signal(range(most + 1), name=f"flits_{port}") for port in range(PORTS)]
        for port, buffer in enumerate(self.buffers):
            flits = self.flits[port]
            with claims.m.If(self.popped[port]):
                claims.m.d.sync += flits.eq(Mux(buffer.flit.tail, 0, flits + 1))
            claims.invariant("flits that have arrived are counted", self.arriving[port] == (flits != 0))
            claims.invariant("no packet has got too long", flits < most)
            whole = (buffer.flit.head == ~self.arriving[port]) & (buffer.flit.tail | (flits < most - 1))
            claims.assume(~buffer.present | whole)
            right = Value.cast(buffer.decoded) == self._decoded(port, buffer)
            claims.assume(~buffer.present | ~buffer.flit.head | right)

    def _decoded(self, port: int, buffer: Any) -> Any:
        """Note of the flit at the front, which the buffer keeps with it."""
        p, claims = self.parameters, self.claims
        decoded: Any = WayDecoder(p)
        claims.m.submodules[f"way_reference_{port}"] = decoded
        claims.m.d.comb += [
            Value.cast(decoded.header).eq(buffer.flit.data[: p.header_layout.size]),
            decoded.way.eq(0 if port == HOST else 1 << port),
            decoded.dead.eq(self.node.dead),
        ]
        return Value.cast(decoded.decoded)

    def _assume_neighbours(self) -> None:
        self.claims.never_changes(self.node.dead)

    def register(self, name: str, bank: str, index: Any = None) -> Any:
        """A register of a bank; of one port, if it has one for each."""
        if index is None:
            return self.inside.register(name, bank)
        registers = Array(self.inside.register(f"{name}_{port}", bank) for port in range(PORTS))
        return Value.cast(registers[index])
