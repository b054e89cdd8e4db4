# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Collects the routers' reports of bad input: the inputs concerned, and the number of discarded worms."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.generator.plan import StatusPart
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.common.channels import ChannelNetwork
from topology.common.input_errors import COUNT_BITS, STATUS_PART, SUMMANDS, watched_channels


def watch_inputs(network: ChannelNetwork, *, guarded: bool) -> StatusPart:
    """Return the status part ``errors`` of a network.

    Parameters:
        guarded: Routers report ``misframed`` of each input. All report ``discarding``.
    """
    switches = range(network.switches)
    channels = watched_channels(network)
    watched = {"discarding": [(switch, "discarding") for switch in switches]}
    if guarded:
        watched["guards"] = [(switch, "misframed") for switch in switches]
    meanings = {
        "unroutable": "Channels through which an unroutable worm came.",
        **({"misframed": "Channels whose guard dropped or altered a flit."} if guarded else {}),
        "discarded": "Worms that were drained; 65,535 for as many or more.",
    }

    def make(clearable: bool) -> ErrorMonitor:
        return ErrorMonitor(channels, len(network.channels), guarded, clearable=clearable)

    return StatusPart(STATUS_PART, make, watched, meanings)


def guard_settings(*, guard: bool, watchdog_flits: int) -> dict[str, object]:
    """Return the manifest entries about guards."""
    return {"guard": guard, "watchdog_flits": watchdog_flits} if guard else {}


class ErrorMonitor(Part):
    """Records until the next reset, or until cleared, the errors at the inputs of all routers.

    ``unroutable`` and ``misframed`` are valid one cycle after the routers' registers, ``discarded`` as many more as
    ``topology.common.input_errors.sum_cycles``: a sum of many bits takes several cycles.

    Parameters:
        channels: Channel of each input that is watched.
        count: Channels of the network.
        guarded: Whether the inputs have a ``WormGuard``.
        clearable: Whether its marks can be cleared. A channel with an error in the cycle of a clear stays marked, and a
            worm that is added up in that cycle is counted.

    Members:
        discarding (In(inputs)): Whether each input drains an unroutable worm.
        guards (In(inputs)): ``WormGuard.misframed`` of each input. Only if inputs have one.
        clear_unroutable, clear_misframed (In(count)): Channels whose marks are cleared. Only if clearable;
            ``clear_misframed`` only if inputs are guarded as well.
        clear_discarded (In(1)): Count from 0 again. Only if clearable.
        unroutable (Out(count)): Channels through which an unroutable worm came. Registers.
        misframed (Out(count)): Channels through which flits outside of a worm came, or a worm that was corrected.
            Registers; always 0 if inputs are not guarded.
        discarded (Out(16)): Number of drained worms; saturates at the highest number. A register.
    """

    def __init__(self, channels: Sequence[int], count: int, guarded: bool, *, clearable: bool = False):
        self.channels = tuple(channels)
        self.count = count
        self.guarded = guarded
        self.clearable = clearable
        inputs = len(self.channels)
        super().__init__(
            "error_monitor",
            {
                "discarding": In(inputs),
                **({"guards": In(inputs)} if guarded else {}),
                **({"clear_unroutable": In(count), "clear_discarded": In(1)} if clearable else {}),
                **({"clear_misframed": In(count)} if clearable and guarded else {}),
                "unroutable": Out(count),
                "misframed": Out(count),
                "discarded": Out(COUNT_BITS),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        if self.guarded:
            self._remember(m, self.guards, self.misframed, self.clear_misframed if self.clearable else None)
        else:
            m.d.comb += self.misframed.eq(0)
        self._remember(m, self.discarding, self.unroutable, self.clear_unroutable if self.clearable else None)
        self._count(m)
        return m

    def _count(self, m):
        before = Signal(len(self.channels))
        begins: Any = Signal(len(self.channels))
        total: Any = Signal(COUNT_BITS + 1)
        most = (1 << COUNT_BITS) - 1
        m.d.sync += before.eq(self.discarding)
        counted = Mux(self.clear_discarded, 0, self.discarded) if self.clearable else self.discarded
        m.d.comb += [begins.eq(self.discarding & ~before), total.eq(counted + _sum(m, list(begins)))]
        m.d.sync += self.discarded.eq(Mux(total[-1], most, total[:-1]))

    def _remember(self, m, seen, remembered, clear):
        # all in one vector: many assignments to bits of one signal take Amaranth time quadratic in their number
        found: list[Any] = [Const(0)] * self.count
        for i, channel in enumerate(self.channels):
            found[channel] = seen[i]
        watched = Const(sum(1 << channel for channel in self.channels), self.count)  # others need no flip-flop
        kept = (remembered if clear is None else remembered & ~clear) & watched
        m.d.sync += remembered.eq(kept | concat(found))


def _sum(m, bits: list[Any]) -> Any:
    """Return the number of set bits, pipelined with a register behind every sum of a few numbers."""
    level = 0
    numbers = [(bit, 1) for bit in bits]  # limited to the largest possible sums: adders alone would be wider
    while len(numbers) > 1:
        groups = [numbers[i : i + SUMMANDS] for i in range(0, len(numbers), SUMMANDS)]
        numbers = []
        for position, group in enumerate(groups):
            most = sum(largest for _, largest in group)
            partial: Any = Signal(range(most + 1), name=f"sum_{level}_{position}")
            m.d.sync += partial.eq(Value.cast(sum(value for value, _ in group)))
            numbers.append((partial, most))
        level += 1
    return concat(value for value, _ in numbers)
