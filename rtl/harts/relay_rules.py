# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Program of the network processor (Sec. 3 and 4): where a copy is sent, and with which header.

BCAST_INIT and the procedures SBCAST and 2- to 6-BCAST as logic: directions are relative to that of travel, so that one
rule applies to all six.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import HartsNodeParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.harts.broadcast import (
    ALGORITHM_A,
    NO_TAG,
    SFBCAST,
    TAG_A,
    TAG_B,
    TAG_C,
    TAG_D,
    algorithm_number,
)
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST

STRAIGHT, LEFT, FAR_LEFT, BACK, FAR_RIGHT, RIGHT = range(DIRECTIONS)
EVERYWHERE = (1 << DIRECTIONS) - 1


class _Copy:
    """Inputs of the rules for a delivered copy."""

    def __init__(self, m: Any, header: Any, size: int):
        def bound(name: str, value: Any) -> Any:
            signal = Signal(name=f"is_{name}")
            m.d.comb += signal.eq(value)
            return signal

        def one_of(name: str, *algorithms: str) -> Any:
            numbers = [header.algorithm == algorithm_number(algorithm) for algorithm in algorithms]
            return bound(name, concat(numbers).any())

        self.corner = bound("corner", header.distance == 0)
        self.before_corner = bound("before_corner", header.distance == size - 2)
        self.round = one_of("round", ALGORITHM_A)
        self.single = one_of("single", "sbcast", SFBCAST)
        self.double = one_of("double", "2-bcast")
        self.triple = one_of("triple", "3-bcast")
        self.five_or_six = one_of("five_or_six", "5-bcast", "6-bcast")
        self.six = one_of("six", "6-bcast")
        self.spreads = one_of("spreads", "4-bcast", "5-bcast", "6-bcast")
        self.turns_left = bound("turns_left", (header.tag == TAG_B) | (header.tag == TAG_C))
        self.turns_right = bound("turns_right", (header.tag == TAG_A) | (header.tag == TAG_D))


class RelayRules(Part):
    """Destinations of a stored copy.

    Combinational.

    Members:
        header (In(header_layout)): Of a broadcast, as it is stored.
        outputs (Out(7)): Mask of outputs, that of the host included.
    """

    def __init__(self, parameters: HartsNodeParameters):
        self.parameters = parameters
        super().__init__(
            f"harts_relay_rules_{parameters.name}",
            {"header": In(parameters.header_layout), "outputs": Out(DIRECTIONS + 1)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        header = self.header
        turns = self._turns(m)
        turned: Any = Signal(DIRECTIONS)
        straight_on = Signal()
        from_host = Signal()
        m.d.comb += [from_host.eq(header.direction == HOST), straight_on.eq(~header.forwarded)]
        with m.Switch(header.direction):
            for direction in range(DIRECTIONS):
                with m.Case(direction):
                    for output in range(DIRECTIONS):
                        turn = (output - direction) % DIRECTIONS
                        ahead = straight_on if turn == STRAIGHT else 0
                        m.d.comb += turned[output].eq(turns[turn] | ahead)
            with m.Default():
                m.d.comb += turned.eq(turns)
        m.d.comb += [self.outputs[:DIRECTIONS].eq(turned), self.outputs[HOST].eq(~from_host)]
        return m

    def _turns(self, m) -> Any:
        """Return the mask of directions relative to that of travel."""
        header, copy = self.header, _Copy(m, self.header, self.parameters.size)
        turns: Any = Signal(DIRECTIONS)
        with m.Switch(header.stage):
            with m.Case(0):
                m.d.comb += turns.eq(Mux(copy.round, 1, EVERYWHERE))
            with m.Case(1):
                m.d.comb += [
                    turns[STRAIGHT].eq(copy.six & copy.corner),
                    turns[LEFT].eq((copy.single | copy.double) & ~copy.corner | copy.triple | copy.spreads),
                    turns[RIGHT].eq(copy.double | copy.triple | copy.spreads & (~copy.corner | copy.five_or_six)),
                    turns[FAR_LEFT].eq(copy.spreads & copy.before_corner),
                    turns[FAR_RIGHT].eq(copy.spreads & copy.before_corner),
                ]
            with m.Case(2):
                m.d.comb += [
                    turns[LEFT].eq(~copy.corner & copy.turns_left),
                    turns[RIGHT].eq(~copy.corner & copy.turns_right),
                ]
        return turns


class SendRules(Part):
    """The header of a stored packet on its way out.

    Combinational.

    Members:
        header (In(header_layout)): As it is stored.
        output (In(3)): Where it is sent.
        sent (Out(header_layout))
    """

    def __init__(self, parameters: HartsNodeParameters):
        self.parameters = parameters
        layout = parameters.header_layout
        super().__init__(
            f"harts_send_rules_{parameters.name}",
            {"header": In(layout), "output": In(3), "sent": Out(layout)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        header, sent = self.header, self.sent
        turn: Any = Signal(3)
        difference: Any = Signal(4)
        from_host = Signal()
        m.d.comb += [
            from_host.eq(header.direction == HOST),
            difference.eq(self.output - header.direction),
            turn.eq(Mux(difference[3], difference + DIRECTIONS, difference)),
            sent.eq(header),
        ]
        with m.If(self.output == HOST):
            pass
        with m.Elif(~header.broadcast):
            step_tags(m, header, sent, self.output)
        with m.Elif((turn == STRAIGHT) & ~header.forwarded & ~from_host):
            pass
        with m.Else():
            self._leg(m, turn)
        return m

    def _leg(self, m, turn):
        """Distance, stage and tag of a new leg."""
        header, sent, parameters = self.header, self.sent, self.parameters
        copy = _Copy(m, header, parameters.size)
        left = Signal()
        whole = parameters.whole_leg
        m.d.comb += [left.eq(turn == LEFT), sent.stage.eq(header.stage + 1), sent.tag.eq(NO_TAG)]
        with m.Switch(header.stage):
            with m.Case(0):
                round_trip = parameters.whole_mesh if parameters.has_algorithm_a else whole
                m.d.comb += sent.distance.eq(Mux(copy.round, round_trip, whole))
            with m.Case(1):
                rest = copy.single | ~copy.corner & (copy.double | copy.triple & ~left)
                far = (turn == FAR_LEFT) | (turn == FAR_RIGHT)
                m.d.comb += sent.distance.eq(Mux(rest, header.distance, Mux(far, 1, whole)))
                with m.If(copy.spreads & ~far & (turn != STRAIGHT)):
                    with m.If(copy.corner):
                        m.d.comb += sent.tag.eq(Mux(left, Mux(copy.six, TAG_A, NO_TAG), TAG_B))
                    with m.Elif(copy.before_corner):
                        m.d.comb += sent.tag.eq(Mux(left, TAG_C, TAG_D))
            with m.Default():
                single_step = (header.tag == TAG_C) | (header.tag == TAG_D)
                m.d.comb += sent.distance.eq(Mux(single_step, 1, header.distance))


def step_tags(m: Any, header: Any, sent: Any, output: Any) -> None:
    """Count a step in a direction of a shortest path (Sec. 2)."""
    for axis, name in enumerate(("m0", "m1", "m2")):
        with m.If(output == axis):
            m.d.comb += sent[name].eq(header[name] - 1)
        with m.Elif(output == axis + DIRECTIONS // 2):
            m.d.comb += sent[name].eq(header[name] + 1)
