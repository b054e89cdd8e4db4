"""Decodes each header flit for this switch while it moves in on the link.

The result depends on constant tables alone, so it is computed on arrival and stored with the flit in the input buffer.
The route unit later reads only these few bits.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row
from topology.common.part_headers import PartsFormat


def decoded_layout(parameters: RouterParameters) -> data.StructLayout:
    """Return the layout of a decoded header flit.

    ``candidates``: route candidates in the search phase; 0 in the split phase, and unless this is the
    last flit of the key. ``branches``: outputs behind which the flit names a destination (only in routers that
    multicast); with ``registers_headers`` 0 in the search phase. ``last``: no more header flits are needed, or there
    are none.
    """
    branches = {"branches": parameters.outputs} if parameters.multicast else {}
    return data.StructLayout({"candidates": parameters.outputs, **branches, "last": 1})


class HeaderDecoder(Part):
    """Decodes the header flits that move in at one input. Combinational from ``data`` to ``decoded``.

    Members:
        moved, head, tail (In(1)): A flit moves on the link; it is the first one of its message, or the last. Absent if
            headers have one flit.
        data (In(scan_bits)): Its header bits.
        routes (In(keys * outputs)): Routing table for this input's class, one mask of candidate outputs per key.
        reach (In(reach_bits)): Per header flit, or per part, and output: the low bits of the flit that are destinations
            behind the output. Only in routers that multicast.
        decoded (Out(decoded_layout)): Unspecified for flits behind the header.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        reach = {"reach": In(p.reach_bits)} if p.multicast else {}
        counted = {"moved": In(1), "head": In(1), "tail": In(1)} if p.header_flits > 1 else {}
        super().__init__(
            f"header_decoder_{p.size_name}",
            {
                **counted,
                "data": In(p.scan_bits),
                "routes": In(p.keys * p.outputs),
                **reach,
                "decoded": Out(decoded_layout(p)),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        header = self.parameters.header
        position = self._position(m)
        in_key = Signal()
        last = Signal()
        m.d.comb += [
            in_key.eq(_is(position, header.key_flits - 1)),
            last.eq(self._is_last(position)),
        ]
        candidates, splits, routable = self._candidates(m)
        with m.If(in_key):
            m.d.comb += self.decoded.candidates.eq(candidates)
        ends = self.tail if self.parameters.header_flits > 1 else 0
        m.d.comb += self.decoded.last.eq(last | ends | in_key & (routable | ~splits))
        if self.parameters.multicast:
            branches = self._branches(m, self._word_number(position))
            in_set = (splits & ~routable if self.parameters.registers_headers else splits) | ~in_key
            with m.If(self._names_set(position) & in_set):
                m.d.comb += self.decoded.branches.eq(branches)
        return m

    def _position(self, m) -> Signal:
        """Return the position within its message of the flit on the link; undefined after the header."""
        flits = self.parameters.header_flits
        position = Signal(range(max(2, flits)))
        if flits > 1 and self.parameters.registers_headers:  # earlier in the cycle: a tail precedes each head
            with m.If(self.moved):
                m.d.sync += position.eq(Mux(self.tail, 0, position + (position != (1 << len(position)) - 1)))
        elif flits > 1:
            following = Signal(range(flits))
            with m.If(~self.head):
                m.d.comb += position.eq(following)
            with m.If(self.moved):
                m.d.sync += following.eq(position + 1)
        return position

    def _candidates(self, m) -> tuple[Signal, Signal, Value]:
        """Decode in the search phase.

        Returns:
            candidates (Signal): Row of the routing table.
            splits (Signal): Whether headers with this key may split.
            routable (Value): Whether there are candidates.
        """
        parameters = self.parameters
        key_flits, flit_bits = parameters.header.key_flits, parameters.flit_bits
        earlier = self.data[:0]
        if key_flits > 1:
            earlier = Signal((key_flits - 1) * flit_bits, name="earlier_key_flits")
            with m.If(self.moved):
                m.d.sync += earlier.eq(concat((earlier, self.data)) >> flit_bits)
        key = Signal(parameters.key_bits)
        candidates = Signal(parameters.outputs)
        splits = Signal()
        keys = parameters.multicast_keys if parameters.multicast else range(0)
        m.d.comb += [
            splits.eq(_is_in(key, keys)),
            key.eq(concat((earlier, self.data))),
            candidates.eq(table_row(m, self.routes, key, parameters.outputs, "candidates", padded=True)),
        ]
        if not parameters.registers_headers:
            return candidates, splits, candidates.any()
        # a table of its own: earlier in the cycle
        rows = concat(self.routes.word_select(k, parameters.outputs).any() for k in range(parameters.keys))
        routable = Signal()
        m.d.comb += routable.eq(table_row(m, rows, key, 1, "routable", padded=True))
        return candidates, splits, routable

    def _is_last(self, position) -> Value:
        """Return whether every header ends with this flit, or the flit marks itself as the last one."""
        header, longest = self.parameters.header, _is(position, self.parameters.header_flits - 1)
        if not (self.parameters.multicast and isinstance(header, PartsFormat)):
            return longest
        return longest | self._names_set(position) & self.data[header.last_bit]

    def _names_set(self, position) -> Value:
        """Return whether flits at a position can name destinations, if their header does."""
        header = self.parameters.header
        first = header.unicast_flits if isinstance(header, PartsFormat) else header.key_flits - 1
        return position >= first if first else Value.cast(1)

    def _word_number(self, position) -> Value:
        """Return the index of the flit on the link among the ``set_words``."""
        header = self.parameters.header
        return self.data[header.part_position] if isinstance(header, PartsFormat) else position

    def _branches(self, m, number) -> Signal:
        """Decode in the split phase: the outputs that reach a destination named by this flit."""
        outputs, bits = self.parameters.outputs, self.parameters.header.set_words[0].bits
        row = Signal(outputs * bits, name="reach_row")
        branches = Signal(outputs)
        # no output leads to a part that does not exist; a flit that does not exist is not read
        padded = isinstance(self.parameters.header, PartsFormat)
        m.d.comb += row.eq(table_row(m, self.reach, number, len(row), "reach_half", padded=padded))
        words = [row.word_select(o, bits) for o in range(outputs)]
        m.d.comb += branches.eq(concat((self.data[:bits] & word).any() for word in words))
        return branches


def _is(number: Value, constant: int) -> Value:
    """Return a comparison; Verilog has a simpler operator for 0, but lint objects to it on numbers of several bits."""
    return ~number.any() if constant == 0 else number == constant


def _is_in(number: Value, numbers: range) -> Value:
    """Return whether a number is in a range; a comparison that is always true would be a lint warning."""
    above = number >= numbers.start if numbers.start else Value.cast(1)
    below = number < numbers.stop if numbers.stop < 1 << len(number) else Value.cast(1)
    return above & below if len(numbers) else Value.cast(0)
