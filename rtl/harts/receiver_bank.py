# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The seven receivers of a node, each in its slot (paper 3).

A receiver that has a head decides in the same cycle where the packet goes: into the page that it has kept, on to a
transmitter, both (the tee of RELAY), or nowhere if all ways are dead. A receiver without a page keeps one when
the pool has enough for the packets that have come farther.
"""

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.common.flit import flit_layout
from rtl.common.part import Part
from rtl.harts.parameters import PORTS, TAGS, HartsNodeParameters
from rtl.harts.relay_rules import EVERYWHERE
from topology.common.flits import bits_for
from topology.harts.broadcast import ALGORITHM_A, SFBCAST, algorithm_number
from topology.harts.frame import SLOT_BITS
from topology.harts.header import HOST
from topology.harts.mesh import DIRECTIONS


def bus_layout(parameters: HartsNodeParameters) -> data.StructLayout:
    """What the bus carries a cycle after a receiver has put it there.

    ``word`` is what came over the link; ``direction`` its receiver. ``stored`` and ``through`` say whether it goes into
    the packet memory, at ``position`` of ``page``, and to transmitter ``output``. Of a head, ``waits`` is the one
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

    Parameters
    ----------
    parameters : HartsNodeParameters

    Members
    -------
    slot : In(3)
    word : In(flit_layout), present : In(1)
        First flit in the buffer of this slot's receiver.
    pop : Out(1)
        It goes onto the bus. Combinational.
    dead : In(6)
        Constant: directions in which nothing lives.
    can_start : In(6)
        Whether an arriving packet may have each transmitter.
    waiting : In(6)
        Whether stored packets wait for each direction.
    wish : In(level_bits)
        Of the node before this slot's receiver.
    free : In, page : In(page_bits)
        Of the pool.
    take : Out(1)
        The page of the pool is kept. Combinational.
    known, honest : In(1)
        Of ``InputGuard``; only there if nodes have one.
    kept, for_any : Out(7)
        Whether each receiver keeps a page for the next packet, and whether it is for packets of all levels. Registers.
    reserve : Out(1), reserved : Out(3)
        A transmitter is given to the receiver. Combinational.
    bus_valid : Out(1), bus : Out(bus_layout)
        Registers.
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
                "present": In(1),
                "pop": Out(1),
                "dead": In(DIRECTIONS),
                "can_start": In(DIRECTIONS),
                "waiting": In(DIRECTIONS),
                "wish": In(p.level_bits),
                "free": In(bits_for(p.pages + 1)),
                "page": In(p.page_bits),
                "take": Out(1),
                **({"known": In(1), "honest": In(1)} if p.guard else {}),
                "kept": Out(PORTS),
                "for_any": Out(PORTS),
                "reserve": Out(1),
                "reserved": Out(SLOT_BITS),
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
        bit: Any = Signal(PORTS, name="slot_bit")
        m.d.comb += [
            bit.eq(1 << slot),
            in_use.eq(slot < PORTS),
            kept.eq((self.kept & bit).any()),
            go.eq(in_use & self.present & (~self.word.head | kept & self._looked_at())),
            self.pop.eq(go),
        ]
        widths = {
            "landing": p.page_bits,
            "stored": 1,
            "page": p.page_bits,
            "position": p.position_bits,
            "through": 1,
            "output": SLOT_BITS,
        }
        state = {name: Array(Signal(bits, name=f"{name}_{i}") for i in range(PORTS)) for name, bits in widths.items()}
        decided = self._decide(m, bit[:DIRECTIONS])
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
        m.d.comb += [
            self.reserve.eq(go & head & decided["through"]),
            self.reserved.eq(decided["output"]),
        ]
        self._keep_page(m, in_use, kept, go & head & decided["stored"], state["landing"], bit)
        return m

    def _looked_at(self) -> Any:
        """Whether the guard has seen the head that is at the front, or need not see it."""
        p = self.parameters
        header: Any = data.View(p.header_layout, self.word.data[: p.header_layout.size])
        return self.known | ~header.broadcast | (self.slot == HOST) if p.guard else 1

    def _keep_page(self, m, in_use, kept, used, landing, bit):
        p = self.parameters
        enough = Signal()
        for_any = Signal()
        if p.classed:
            # a faulty neighbour may wish for a level that there is not
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

    def _decide(self, m, way) -> dict[str, Any]:
        """What becomes of the packet whose head is at the front."""
        header = data.View(self.parameters.header_layout, self.word.data[: self.parameters.header_layout.size])
        decided: dict[str, Any] = {
            name: Signal(bits, name=f"decided_{name}")
            for name, bits in (
                ("stored", 1),
                ("through", 1),
                ("output", SLOT_BITS),
                ("waits", SLOT_BITS),
                ("forwarded", 1),
            )
        }
        m.d.comb += decided["forwarded"].eq(1)
        with m.If(header.broadcast):
            self._decide_broadcast(m, header, decided, way)
        with m.Else():
            self._decide_unicast(m, header, decided)
        return decided

    def _decide_broadcast(self, m, header, decided, way):
        """RELAY: keep a copy, and send it straight on if it has steps left."""
        onward = Signal()
        tee = Signal()
        honest = self.honest if self.parameters.guard else Const(1)
        first_ways = Mux(header.algorithm == algorithm_number(ALGORITHM_A), 1, EVERYWHERE)  # of what the host sends
        m.d.comb += [
            onward.eq((self.slot != HOST) & (header.distance != 1) & honest & ~(self.dead & way).any()),
            tee.eq(onward & (header.algorithm != algorithm_number(SFBCAST)) & (self.can_start & way).any()),
            decided["stored"].eq(honest & ((self.slot != HOST) | (first_ways & ~self.dead).any())),
            decided["through"].eq(tee),
            decided["output"].eq(self.slot),
            decided["forwarded"].eq(~onward | tee),
        ]

    def _decide_unicast(self, m, header, decided):
        """On to the first free transmitter on a shortest path, or into the page."""
        wanted: Any = Signal(DIRECTIONS)
        ways: Any = Signal(DIRECTIONS)
        open_ways: Any = Signal(DIRECTIONS)
        calm: Any = Signal(DIRECTIONS)
        arrived = Signal()
        for axis, name in enumerate(TAGS):
            steps = Signal(header[name].shape(), name=f"steps_{name}")
            negative = Signal(name=f"negative_{name}")
            nonzero = Signal(name=f"nonzero_{name}")
            m.d.comb += [
                steps.eq(header[name]),
                negative.eq(steps < 0),
                nonzero.eq(steps != 0),
                wanted[axis].eq(nonzero & ~negative),
                wanted[axis + DIRECTIONS // 2].eq(nonzero & negative),
            ]
        m.d.comb += [
            arrived.eq(~wanted.any()),
            ways.eq(wanted & ~self.dead),
            open_ways.eq(ways & self.can_start),
            calm.eq(ways & ~self.waiting),
            decided["through"].eq(open_ways.any()),
            decided["stored"].eq(arrived | ways.any() & ~open_ways.any()),
            decided["output"].eq(_first_by_axis(m, open_ways, "open")),
            decided["waits"].eq(
                Mux(arrived, HOST, Mux(calm.any(), _first_by_axis(m, calm, "calm"), _first_by_axis(m, ways, "ways")))
            ),
        ]


def _first_by_axis(m: Any, ways: Any, name: str) -> Any:
    """The lowest direction of a mask in the order 0, 3, 1, 4, 2, 5, of which a pair is never set together."""
    first: Any = Signal(SLOT_BITS, name=f"first_{name}")
    order = [direction for axis in range(3) for direction in (axis, axis + 3)]
    chain: Any = order[-1]
    for direction in reversed(order[:-1]):
        chain = Mux(ways[direction], direction, chain)
    m.d.comb += first.eq(chain)
    return first
