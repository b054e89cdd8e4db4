"""Looks up what each header flit means for this switch, while it moves in on the link.

What is found depends on constant tables alone, so it can be worked out on arrival and be kept with the flit in the
input buffer; later, when the route unit has time for the flit, only a few bits are left to look at.
"""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.common.part import Part
from rtl.common.router_parameters import RouterParameters
from rtl.common.selection import concat, table_row


def decoded_layout(parameters: RouterParameters) -> data.StructLayout:
    """What a header flit means.

    ``candidates``: outputs one of which leads on in the search phase; 0 in the split phase, and unless this is the
    last flit of the key. ``branches``: outputs behind which the flit names a destination (only in routers that
    multicast). ``last``: no more header flits are needed, or there are none.
    """
    branches = {"branches": parameters.outputs} if parameters.multicast else {}
    return data.StructLayout({"candidates": parameters.outputs, **branches, "last": 1})


class HeaderDecoder(Part):
    """Decodes the header flits that move in at one input. Combinational from ``data`` to ``decoded``.

    Parameters
    ----------
    parameters : RouterParameters

    Members
    -------
    moved, head, tail : In(1)
        A flit moves on the link; it is the first one of its message, or the last. Not there if headers have one flit.
    data : In(scan_bits)
        Its header bits.
    routes : In(keys * outputs)
        Routing table for this input's class, one mask of candidate outputs per key.
    reach : In(header flits * outputs * scan_bits)
        Per header flit and output: the bits of the flit that are destinations behind the output. Only in routers that
        multicast.
    decoded : Out(decoded_layout)
        Unspecified for flits behind the header.
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
            last.eq(_is(position, self.parameters.header_flits - 1)),
        ]
        candidates, splits = self._candidates(m)
        with m.If(in_key):
            m.d.comb += self.decoded.candidates.eq(candidates)
        ends = self.tail if self.parameters.header_flits > 1 else 0
        m.d.comb += self.decoded.last.eq(last | ends | in_key & (candidates.any() | ~splits))
        if self.parameters.multicast:
            branches = self._branches(m, position)
            with m.If((position >= header.key_flits - 1 if header.key_flits > 1 else 1) & (splits | ~in_key)):
                m.d.comb += self.decoded.branches.eq(branches)
        return m

    def _position(self, m) -> Signal:
        """Number of the flit on the link within its message; behind the header it may be anything."""
        flits = self.parameters.header_flits
        position = Signal(range(max(2, flits)))
        if flits > 1:
            following = Signal(range(flits))
            with m.If(~self.head):
                m.d.comb += position.eq(following)
            with m.If(self.moved):
                m.d.sync += following.eq(position + 1)
        return position

    def _candidates(self, m) -> tuple[Signal, Signal]:
        """Search phase: the row of the routing table, and whether headers with this key may split."""
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
        return candidates, splits

    def _branches(self, m, position) -> Signal:
        """Split phase: the outputs behind which this flit names a destination."""
        outputs, scan_bits = self.parameters.outputs, self.parameters.scan_bits
        row = Signal(outputs * scan_bits, name="reach_row")
        branches = Signal(outputs)
        m.d.comb += row.eq(table_row(m, self.reach, position, len(row), "reach_half"))
        words = [row.word_select(o, scan_bits) for o in range(outputs)]
        m.d.comb += branches.eq(concat((self.data & word).any() for word in words))
        return branches


def _is(number: Value, constant: int) -> Value:
    """A comparison; Verilog has a simpler operator for 0, but lint objects to it on numbers of several bits."""
    return ~number.any() if constant == 0 else number == constant


def _is_in(number: Value, numbers: range) -> Value:
    """Whether a number is in a range; a comparison that is always true would be a lint warning."""
    above = number >= numbers.start if numbers.start else Value.cast(1)
    below = number < numbers.stop if numbers.stop < 1 << len(number) else Value.cast(1)
    return above & below if len(numbers) else Value.cast(0)
