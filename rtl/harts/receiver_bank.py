# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The seven receivers of a node, each in its slot (Sec. 3).

A receiver with a head routes the packet in the same cycle: into its reserved page, on to a transmitter, both (the tee
of RELAY), or to the drain if all directions have failed. A receiver without a page reserves one when the pool has
enough for the packets that have travelled farther.
"""

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import PORTS, HartsNodeParameters
from rtl.harts.route_decoder import DECODED_ROUTES
from rtl.parts.flit import flit_layout
from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded
from topology.common.flits import bits_for
from topology.harts.frame import SLOT_BITS
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST


def bus_layout(parameters: HartsNodeParameters) -> data.StructLayout:
    """Return the layout of the bus in the cycle after a receiver has driven it.

    ``word`` is the word from the link; ``direction`` its receiver. ``stored`` and ``through`` select whether it goes
    into the packet memory, at ``position`` of ``page``, and to transmitter ``output``. Of a head, ``waits`` is the one
    output of an ordinary packet that is stored, and ``forwarded`` the mark of a broadcast.
    """
    return data.StructLayout(
        {
            "word": flit_layout(parameters.flit_bits),
            "direction": SLOT_BITS,
            "stored": 1,
            "page": parameters.page_bits,
            "position": parameters.position_bits,
            "through": 1,
            "output": SLOT_BITS,
            "waits": SLOT_BITS,
            "forwarded": 1,
        }
    )


class ReceiverBank(Part):
    """State and decisions of the receivers.

    Members:
        slot (In(3))
        word (In(flit_layout)), decoded (In(DECODED_ROUTES)), present (In(1)): First flit in the buffer of this slot's
            receiver, and its decoding if it is a head.
        pop (Out(1)): It is put onto the bus. Combinational.
        can_start (In(6)): Whether an arriving packet may take each transmitter.
        blocked (In(7)): Whether each output register contains a flit that does not move in this cycle.
        waiting (In(6)): Whether stored packets wait for each direction.
        wish (In(level_bits)): Of the node before this slot's receiver.
        free (In), page (In(page_bits)): Of the pool.
        take (Out(1)): The page of the pool is reserved. Combinational.
        known, honest (In(1)): Of ``InputGuard``; present only if nodes have one.
        kept, for_any (Out(7)): Whether each receiver reserves a page for the next packet, and whether for packets of
            all levels. Registers.
        reserve (Out(6)): The transmitter granted to the receiver, if any. Combinational.
        bus_valid (Out(1)), bus (Out(bus_layout)): Registers.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        super().__init__(
            f"harts_receiver_bank_{p.name}_{p.pages}"
            + ("" if p.classed else "_unclassed")
            + ("_guarded" if p.guard else ""),
            {
                "slot": In(SLOT_BITS),
                "word": In(flit_layout(p.flit_bits)),
                "decoded": In(DECODED_ROUTES),
                "present": In(1),
                "pop": Out(1),
                "can_start": In(DIRECTIONS),
                "blocked": In(PORTS),
                "waiting": In(DIRECTIONS),
                "wish": In(p.level_bits),
                "free": In(bits_for(p.pages + 1)),
                "page": In(p.page_bits),
                "take": Out(1),
                **({"known": In(1), "honest": In(1)} if p.guard else {}),
                "kept": Out(PORTS),
                "for_any": Out(PORTS),
                "reserve": Out(DIRECTIONS),
                "bus_valid": Out(1),
                "bus": Out(bus_layout(p)),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        p = self.parameters
        slot = self.slot
        in_use = Signal()
        kept = Signal()
        go = Signal()
        held_up = Signal()
        following = Signal(SLOT_BITS)
        bit: Any = Signal(PORTS, name="slot_bit")
        widths = {
            "landing": p.page_bits,
            "stored": 1,
            "page": p.page_bits,
            "position": p.position_bits,
            "through": 1,
            "output": SLOT_BITS,
        }
        state = {name: Array(Signal(bits, name=f"{name}_{i}") for i in range(PORTS)) for name, bits in widths.items()}
        m.d.comb += [
            bit.eq(1 << slot),
            in_use.eq(slot < PORTS),
            kept.eq((self.kept & bit).any()),
            go.eq(in_use & self.present & (~self.word.head | kept & self._looked_at()) & (self.word.head | ~held_up)),
            self.pop.eq(go),
            following.eq(slot + 1),
        ]
        # Flits behind a head wait while its output register is full. The word before stays for six cycles or more,
        # so a look-ahead of one cycle is enough.
        full = (self.blocked & (1 << state["output"][following])).any()
        m.d.sync += held_up.eq(state["through"][following] & full)
        decided = self._decide(m)
        head = self.word.head
        bus = self.bus
        current: dict[str, Any] = {}
        for name, new in (
            ("stored", decided["stored"]),
            ("page", state["landing"][slot]),
            ("position", 0),
            ("through", decided["through"]),
            ("output", decided["output"]),
        ):
            current[name] = Signal(widths[name], name=f"current_{name}")
            m.d.comb += current[name].eq(Mux(head, new, state[name][slot]))
        m.d.sync += [
            self.bus_valid.eq(go),
            bus.word.eq(self.word),
            bus.direction.eq(slot),
            bus.waits.eq(decided["waits"]),
            bus.forwarded.eq(decided["forwarded"]),
            *(bus[name].eq(value) for name, value in current.items()),
        ]
        with m.If(go):
            m.d.sync += [state[name][slot].eq(current[name]) for name in ("stored", "page", "through", "output")]
            m.d.sync += state["position"][slot].eq(current["position"] + 1)
        m.d.comb += self.reserve.eq(Mux(go & head, decided["taken"], 0))
        self._keep_page(m, in_use, kept, go & head & decided["stored"], state["landing"], bit)
        return m

    def _looked_at(self) -> Any:
        """Return whether the guard has checked the head at the front, or need not check it."""
        if not self.parameters.guard:
            return Const(1)
        header: Any = data.View(self.parameters.header_layout, self.word.data[: self.parameters.header_layout.size])
        return self.known | ~header.broadcast | (self.slot == HOST)

    def _keep_page(self, m, in_use, kept, used, landing, bit):
        p = self.parameters
        enough = Signal()
        for_any = Signal()
        if p.classed:
            # a faulty neighbour may request a level that does not exist
            m.d.comb += [
                enough.eq((self.free != 0) & (self.free + self.wish > p.levels)),
                for_any.eq(self.free > p.levels),
            ]
        else:
            m.d.comb += [enough.eq(self.free != 0), for_any.eq(1)]
        m.d.comb += self.take.eq(in_use & ~kept & enough)
        with m.If(self.take):
            m.d.sync += [
                landing[self.slot].eq(self.page),
                self.kept.eq(self.kept | bit),
                self.for_any.eq(Mux(for_any, self.for_any | bit, self.for_any & ~bit)),
            ]
        with m.Elif(used):
            m.d.sync += self.kept.eq(self.kept & ~bit)

    def _decide(self, m) -> dict[str, Any]:
        """Return the decision on the packet whose head is at the front."""
        decoded = self.decoded
        honest = self.honest if self.parameters.guard else Const(1)
        open_ways: Any = Signal(DIRECTIONS)
        calm: Any = Signal(DIRECTIONS)
        waits = Signal()
        stored = Signal()
        m.d.comb += [
            open_ways.eq(Mux(decoded.cuts & honest, decoded.ways & self.can_start, 0)),
            calm.eq(decoded.ways & ~self.waiting),
            waits.eq(decoded.ways.any() & ~open_ways.any()),
            stored.eq(honest & (decoded.kept | waits)),
        ]
        taken = _first_by_axis(open_ways)
        first_way = _number(_first_by_axis(Mux(calm.any(), calm, decoded.ways)))
        return {
            "stored": stored,
            "taken": taken,
            "through": open_ways.any(),
            "output": _number(taken),
            "waits": Mux(decoded.kept, HOST, first_way),
            "forwarded": ~waits,
        }


def _first_by_axis(ways: Any) -> Value:
    """Return the lowest direction of a mask, which has at most one of each axis, in the order of the axes. One-hot."""
    axes = [ways[axis] | ways[axis + DIRECTIONS // 2] for axis in range(DIRECTIONS // 2)]
    return concat(ways[way] & ~concat(axes[: way % len(axes)]).any() for way in range(DIRECTIONS))


def _number(one_hot: Any) -> Value:
    """Return the number of the direction that is set."""
    return concat(encoded(one_hot, range(DIRECTIONS), SLOT_BITS))
