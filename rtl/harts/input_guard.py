# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Guard of a node's links: rejects broadcast packets that no honest node sends (topology/harts/guard.py).

==================  =====================================================================
slot                what happens for the receiver of slot s
==================  =====================================================================
s - 2               its head is decoded, and the table is read
s - 1               the head is compared with the row
s                   ``known`` and ``honest`` are valid
==================  =====================================================================

A packet of a broadcast comes at least two cycles before its slot, because it was sent in the same slot of the upstream
node and links take few enough cycles; the look-ahead adds no latency. A head that comes at another time waits a frame.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, memory
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import HartsNodeParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS, algorithm_number
from topology.harts.frame import SLOT_BITS
from topology.harts.graph import HexMesh
from topology.harts.guard import expected_arrivals
from topology.harts.header import HOST


class InputGuard(Part):
    """Compares heads with the only ones that may arrive.

    Members:
        node (In): Number of this node, a constant.
        direction (In(3)): Receiver of the slot after the next.
        header (In(header_layout)), present (In(1)): The data of the first flit in its buffer, and whether that is a
            head.
        known (Out(1)), honest (Out(1)): For the receiver of this slot: its head has been checked, and is correct.
            Registers.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        super().__init__(
            f"harts_input_guard_{p.name}",
            {
                "node": In(p.node_bits),
                "direction": In(SLOT_BITS),
                "header": In(p.header_layout),
                "present": In(1),
                "known": Out(1),
                "honest": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        p = self.parameters
        fields = {name: dict(p.header.fields)[name] for name in ("distance", "stage", "tag")}
        row_layout = data.StructLayout({**fields, "exists": 1})
        m.submodules.table = table = memory.Memory(shape=row_layout, depth=self._depth, init=self._rows())
        row_port: Any = table.read_port()
        offset: Any = Signal(range(-p.nodes, p.nodes))
        around: Any = Signal(p.node_bits)
        looked = Signal()
        doubtful = Signal()
        source_exists = Signal()
        seen: Any = Signal(data.StructLayout(fields))
        m.d.comb += [
            offset.eq(self.node - self.header.source),
            around.eq(Mux(offset < 0, offset + p.nodes, offset)),
            row_port.addr.eq(concat((self.header.algorithm, around, self.direction))),
            row_port.en.eq(1),
        ]
        m.d.sync += [
            looked.eq(self.present),
            doubtful.eq(self.present & self.header.broadcast & (self.direction != HOST)),
            source_exists.eq(self.header.source < p.nodes),
            *(seen[name].eq(self.header[name]) for name in fields),
            self.known.eq(looked),
            self.honest.eq(
                ~doubtful
                | source_exists
                & row_port.data.exists
                & concat(row_port.data[name] == seen[name] for name in fields).all()
            ),
        ]
        return m

    @property
    def _depth(self) -> int:
        return len(ALGORITHMS) << self.parameters.node_bits + SLOT_BITS

    def _rows(self) -> list[dict[str, int]]:
        """Return the fields of the table index: direction, node less source, and algorithm, which is lowest."""
        p = self.parameters
        rows: list[dict[str, int]] = [{}] * self._depth
        for algorithm in ALGORITHMS:
            if algorithm == ALGORITHM_A and not p.has_algorithm_a:
                continue
            for (offset, direction), arrival in expected_arrivals(HexMesh(p.size), algorithm).items():
                place = (direction << p.node_bits | offset) * len(ALGORITHMS) + algorithm_number(algorithm)
                rows[place] = {**arrival._asdict(), "exists": 1}
        return rows
