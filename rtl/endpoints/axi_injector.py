# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream injector: makes a message of each packet, with the header that its destinations need.

A packet's words become body flits as they come, and the word with ``tlast`` becomes the tail. So no length is needed
and nothing is stored; a source that pauses inside a packet holds the channels that its worm has acquired.

===========  ====================================================================================  ================
state        what happens                                                                          cycles
===========  ====================================================================================  ================
``IDLE``     the first beat is decoded, not taken: its destinations                                1
``COLLECT``  takes the words of the destination set (``leading-word`` only)                        1 per word
``WAIT``     the key part works on the destination set; a unicast by ``tdest`` skips this          ``key_cycles`` + 1
``HEADER``   header flits go into the link register                                                1 per flit
``BODY``     words go into the link register                                                       1 per word
``SWALLOW``  drains an unroutable packet                                                          1 per word
===========  ====================================================================================  ================

So a packet costs, besides its body, 1 + header flits cycles as a unicast by ``tdest``, and 2 + ``key_cycles`` + header
flits (+ words of the set) with a destination set.

Where messages have one destination each (mode ``tdest``) there are no sets, and neither ``COLLECT`` nor ``WAIT``.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In

from rtl.endpoints.packet_flits import PacketFlits
from rtl.endpoints.stream_injector import StreamInjector
from rtl.generator.plan import Addressing, UnicastAddressing
from rtl.parts.next_part import NextPart
from rtl.parts.selection import concat
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

DESTINATION_MODES = TUSER, LEADING_WORD, TDEST = ("tuser", "leading-word", "tdest")
SET_MODES = (TUSER, LEADING_WORD)
"""Destination modes of networks with multicast messages; the others have ``tdest`` alone."""


class AxiStreamInjector(StreamInjector):
    """Sends AXI4-Stream packets of one node into the network.

    Throughput 1 word per cycle in the body. ``tready`` depends on registers only: on this part's, and on the register
    behind ``link.ready``.

    Parameters:
        header: Header format of the network.
        mode: ``tuser``: ``tuser`` is the destination set, or 0 for ``tdest`` alone. ``leading-word``: ``tuser`` is 1 if
            the packet starts with its destination set, lowest node first, in as few words as hold it, or 0 for
            ``tdest``. ``tdest``, for unicast addressing and for nothing else: there is no ``tuser``.
        set_word_bits: Bits of such a word that are used, the lowest ones; by default all.

    Members:
        node (In): Number of this node, a constant.
        node_fields (In): The header's fields after the key, a constant. Absent if the key is the only field.
        tdata, tvalid, tready, tlast, tdest, tuser: The AXI4-Stream. ``tdest`` and ``tuser``, if present, are sampled
            with the first beat of a packet only.
        error (Out(1)): High for one cycle when a packet begins to be drained, because it has no destination besides the
            node itself, or none at all, or no body. A register.
        link (Out(link_signature)): The injection channel; ``valid`` and ``payload`` are registers.

    Raises:
        ValueError: If the addressing does not support the mode.
    """

    def __init__(
        self,
        header: HeaderFormat,
        addressing: Addressing | UnicastAddressing,
        mode: str,
        set_word_bits: int | None = None,
    ):
        modes = destination_modes(addressing)
        if mode not in modes:
            choice = "one of " * (len(modes) > 1) + ", ".join(modes)
            raise ValueError(f"Destination mode is {mode!r}; it must be {choice}")
        self.mode = mode
        self.set_word_bits = set_word_bits or header.flit_bits
        sides = {"tuser": In(tuser_bits(header, mode))} if mode in SET_MODES else {}
        super().__init__("axi_stream_injector", header, addressing, sides)

    def elaborate(self, platform):
        m: Any = Module()
        header = self.header
        first = Signal()
        fixed = Signal(header.fixed_bits, reset_less=True)
        destinations = Signal(header.destinations, reset_less=True)
        # with parts, those of the fixed fields alone
        flits_left = Signal(range((header.unicast_flits if self.sends_parts else header.multicast_flits) + 1))
        part = NextPart(m, header, destinations) if isinstance(header, PartsFormat) else None
        flits = PacketFlits(m, self, self._next_flit(fixed, destinations, flits_left, part))
        finder = self._place_key_finder(m, platform, destinations)
        m.d.sync += self.error.eq(0)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [first.eq(1), flits_left.eq(header.unicast_flits)]
                if self.mode in SET_MODES:
                    self._look_at_first_beat(m, fixed, destinations)
                else:
                    self._look_at_tdest(m, finder, fixed)
            if self.mode == LEADING_WORD:
                with m.State("COLLECT"):
                    self._collect(m, destinations)
            if self.mode in SET_MODES:
                with m.State("WAIT"):
                    self._wait_for_key(m, finder, fixed, destinations, flits_left)
            with m.State("HEADER"):
                flits.offer_header(first)
                with m.If(flits.free):
                    if part:
                        self._send_part(m, first, fixed, destinations, flits_left, part)
                    else:
                        m.d.sync += [first.eq(0), flits_left.eq(flits_left - 1)]
                        self._shift_header(m, fixed, destinations)
                        with m.If(flits_left == 1):
                            m.next = "BODY"
            with m.State("BODY"):
                flits.offer_word(self.tlast)
                with m.If(self.tvalid & flits.free & self.tlast):
                    m.next = "IDLE"
            with m.State("SWALLOW"), m.If(flits.swallow()):
                m.next = "IDLE"
        return m

    def _others(self, m, mask: Value) -> Signal:
        """Return a destination set without the node itself."""
        others = Signal(self.header.destinations, name="others")
        # Verilog has a simpler operator for a comparison with 0, but lint objects to it
        own = concat(self.node == i if i else ~self.node.any() for i in range(self.header.destinations))
        m.d.comb += others.eq(mask & ~own)
        return others

    def _look_at_first_beat(self, m, fixed, destinations):
        named, reachable = Signal(), Signal()
        key, exists = self._look_up_key(m)
        m.d.comb += [named.eq(self.tuser.any()), reachable.eq(exists & (self.tdest != self.node))]
        m.d.sync += [
            fixed.eq(concat((key, self._node_fields))),
            destinations.eq(self._others(m, self.tuser) if self.mode == TUSER else 0),
        ]
        with m.If(self.tvalid):
            with m.If(named):
                m.next = "WAIT" if self.mode == TUSER else "COLLECT"
            with m.Else():
                self._go_to_header(m, reachable)

    def _look_at_tdest(self, m, finder, fixed):
        reachable = Signal()
        m.d.comb += reachable.eq(finder.exists & (self.node != self.tdest))
        m.d.sync += fixed.eq(concat((finder.key, self._node_fields)))
        with m.If(self.tvalid):
            self._go_to_header(m, reachable)

    def _go_to_header(self, m, reachable: Value):
        """Send the packet, or drain it if it is unroutable."""
        with m.If(reachable):
            m.next = "HEADER"
        with m.Else():
            m.d.sync += self.error.eq(1)
            m.next = "SWALLOW"

    def _collect(self, m, destinations):
        """Collect a word of the destination set; a packet that ends in it has no body, and nothing is left to drain."""
        word_bits = self.set_word_bits
        words = set_words(self.header, word_bits)
        others = self._others(m, concat([self.tdata[:word_bits]] * words))
        position = Signal(range(words))  # one word needs no position, which then has no bits
        last = Signal()
        m.d.comb += [last.eq((position == words - 1) if words > 1 else 1), self.tready.eq(1)]
        for word in range(words):
            part = slice(word * word_bits, (word + 1) * word_bits)
            with m.If(position == word if word else ~position.any()):
                m.d.sync += destinations[part].eq(others[part])
        with m.If(self.tvalid):
            m.d.sync += [position.eq(Mux(last | self.tlast, 0, position + 1)), self.error.eq(self.tlast)]
            with m.If(self.tlast):
                m.next = "IDLE"
            with m.Elif(last):
                m.next = "WAIT"

    def _place_key_finder(self, m, platform, destinations) -> Any:
        finder = self._place_finder(m, platform)
        if self.mode in SET_MODES:
            m.d.comb += finder.destinations.eq(destinations)
        else:
            m.d.comb += finder.destination.eq(self.tdest)
        return finder

    def _wait_for_key(self, m, finder, fixed, destinations, flits_left):
        header, cycles = self.header, self.addressing.key_cycles
        waited = Signal(range(cycles + 1))
        found = Signal()
        m.d.comb += found.eq((waited == cycles) if cycles else 1)
        m.d.sync += waited.eq(Mux(found, 0, waited + 1))
        with m.If(found):
            m.d.sync += [
                fixed.eq(concat((finder.key, self._node_fields))),
                flits_left.eq(
                    header.unicast_flits
                    if self.sends_parts
                    else Mux(finder.multicast, header.multicast_flits, header.unicast_flits)
                ),
            ]
            self._go_to_header(m, destinations.any())
            with m.If(~finder.multicast):
                m.d.sync += destinations.eq(0)  # a unicast's header ends before the bit string

    @property
    def sends_parts(self) -> bool:
        """True if a header names its set part by part."""
        return isinstance(self.header, PartsFormat)

    def _next_flit(self, fixed, destinations, flits_left, part: NextPart | None) -> Any:
        flit_bits = self.header.flit_bits
        if part is None:
            return concat((fixed, destinations))[:flit_bits]
        return Mux(flits_left.any(), fixed[:flit_bits], part.flit)

    def _send_part(self, m, first, fixed, destinations, flits_left, part: NextPart):
        """Send a flit of the fixed fields, and after all of them one per part; a unicast has no set by now."""
        m.d.sync += first.eq(0)
        with m.If(flits_left.any()):
            m.d.sync += [fixed.eq(fixed >> self.header.flit_bits), flits_left.eq(flits_left - 1)]
            with m.If((flits_left == 1) & ~destinations.any()):
                m.next = "BODY"
        with m.Else():
            m.d.sync += destinations.eq(part.rest)
            with m.If(part.last):
                m.next = "BODY"

    def _shift_header(self, m, fixed, destinations):
        rest = Signal(len(fixed) + len(destinations))
        m.d.comb += rest.eq(concat((fixed, destinations)) >> self.header.flit_bits)
        m.d.sync += [fixed.eq(rest[: len(fixed)]), destinations.eq(rest[len(fixed) :])]


def destination_modes(addressing: Addressing | UnicastAddressing) -> tuple[str, ...]:
    """Return the destination modes that an addressing supports."""
    return (TDEST,) if isinstance(addressing, UnicastAddressing) else SET_MODES


def tuser_bits(header: HeaderFormat, mode: str) -> int:
    """Return the width of ``tuser``: one bit per node, or 1 in the mode ``leading-word``."""
    return header.destinations if mode == TUSER else 1


def set_words(header: HeaderFormat, word_bits: int | None = None) -> int:
    """Return the number of words, by default of a flit's width, that hold a destination set."""
    return -(-header.destinations // (word_bits or header.flit_bits))
