"""Multistage networks of b x b switches: unidirectional (baseline, butterfly, omega) and bidirectional (butterfly).

N = b^n processors, n stages of r = b^(n-1) rows. A line of a stage enters switch ``line // b`` at port ``line % b`` and
leaves it as a line again; a kind of network is the permutation of lines between stages. ``digit k`` of a line is its
k-th digit to the base b, digit 0 lowest.

=============  =====================================================================================================
kind           lines
=============  =====================================================================================================
baseline       after stage j the lowest n-j digits are shifted, digit 0 becomes the highest of them
butterfly      after stage j digits 0 and j+1 change places
omega          before every stage all digits are shifted, the highest becomes digit 0
bi-butterfly   butterfly whose wires lead both ways; processors are on the left of stage 0
=============  =====================================================================================================

With more than one consumption channel per processor, no two inputs share one, so the switches before the processors
decompose: each of their inputs is a distributor of its own, a switch with one input. In ``bi-butterfly`` these are the
inputs from the right; messages between processors of one switch share one more channel per processor.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topology.common.channels import MAX_PROCESSORS, ChannelNetwork
from topology.common.errors import TopologyError

UNIDIRECTIONAL = ("baseline", "butterfly", "omega")
BIDIRECTIONAL = "bi-butterfly"
KINDS = (*UNIDIRECTIONAL, BIDIRECTIONAL)
MAX_RADIX = 16
FORWARD, BACKWARD = 0, 1
"""Classes of channels: away from the senders' side, and back to it (bidirectional networks only)."""

Wire = tuple[int, int, int, int]


@dataclass(frozen=True)
class SwitchPosition:
    """Position of a switch.

    Members:
        stage, row (int)
        distributor: Input of the row's switch that this is a distributor for; None for a whole switch.
    """

    stage: int
    row: int
    distributor: int | None = None

    @property
    def name(self) -> str:
        """Name of the switch."""
        return f"s{self.stage}_{self.row}" + ("" if self.distributor is None else f"_{self.distributor}")


class MinNetwork(ChannelNetwork):
    """A multistage network.

    Parameters:
        kind: One of ``KINDS``.
        radix: b: ports on each side of a switch, 2 to 16.
        stages: n, at least 1; at most 65,536 processors.
        consumption_channels: Channels into each processor: 1, or b.

    Members:
        switch_positions (tuple of SwitchPosition): By switch.
        switch_at (dict of SwitchPosition to int)

    Raises:
        TopologyError: If a parameter is out of range.
    """

    def __init__(self, kind: str, radix: int, stages: int, consumption_channels: int = 1):
        _check(kind, radix, stages, consumption_channels)
        self.kind = kind
        self.radix = radix
        self.stages = stages
        self.consumption_channels = consumption_channels
        self.rows = radix ** (stages - 1)
        self.switch_positions = tuple(self._switch_positions())
        self.switch_at = {position: switch for switch, position in enumerate(self.switch_positions)}
        super().__init__(
            len(self.switch_positions),
            radix**stages,
            self._wires(),
            switch_names=[position.name for position in self.switch_positions],
            positions=self._positions(),
        )

    @property
    def bidirectional(self) -> bool:
        """True if messages turn round."""
        return self.kind == BIDIRECTIONAL

    @property
    def private_consumption(self) -> bool:
        """True if inputs have consumption channels of their own."""
        return self.consumption_channels > 1

    def input_class(self, channel: int) -> int:
        """Return whether a channel leads FORWARD or BACKWARD; into a processor it matters to its switch alone.

        Parameters:
            channel

        Returns:
            ``FORWARD`` or ``BACKWARD``. In unidirectional networks and out of processors always ``FORWARD``; in
                bidirectional ones ``FORWARD`` to a higher stage, ``BACKWARD`` to a lower one and into processors.
        """
        source, sink = self.channels[channel].source, self.channels[channel].sink
        if not self.bidirectional or not self.is_switch(source):
            return FORWARD
        if not self.is_switch(sink):
            return BACKWARD
        return FORWARD if self.switch_positions[source].stage < self.switch_positions[sink].stage else BACKWARD

    def _switch_positions(self) -> Iterator[SwitchPosition]:
        splits = self.private_consumption and (self.stages > 1 or not self.bidirectional)
        for stage in range(self.stages):
            apart = splits and not self.bidirectional and stage == self.stages - 1
            for row in range(self.rows):
                if apart:
                    yield from (SwitchPosition(stage, row, port) for port in range(self.radix))
                else:
                    yield SwitchPosition(stage, row)
        if splits and self.bidirectional:
            for row in range(self.rows):
                yield from (SwitchPosition(0, row, port) for port in range(self.radix))

    def _wires(self) -> Iterator[Wire]:
        yield from self._bidirectional_wires() if self.bidirectional else self._unidirectional_wires()

    def _unidirectional_wires(self) -> Iterator[Wire]:
        switches = len(self.switch_positions)
        for processor in range(self.radix**self.stages):
            line = self._shuffled(processor) if self.kind == "omega" else processor
            yield switches + processor, 0, *self._input(0, line)
        for switch, position in enumerate(self.switch_positions):
            for port in range(self.radix):
                line = position.row * self.radix + port
                if position.stage == self.stages - 1:
                    yield switch, port, switches + line, position.distributor or 0
                else:
                    yield switch, port, *self._input(position.stage + 1, self._next_line(position.stage, line))

    def _input(self, stage: int, line: int) -> tuple[int, int]:
        """Return the switch and input port at which a line enters a stage."""
        row, port = divmod(line, self.radix)
        whole = self.switch_at.get(SwitchPosition(stage, row))
        return (whole, port) if whole is not None else (self.switch_at[SwitchPosition(stage, row, port)], 0)

    def _next_line(self, stage: int, line: int) -> int:
        """Return the line at the entry of the next stage that is wired to a line at the exit of a stage."""
        if self.kind == "omega":
            return self._shuffled(line)
        if self.kind == "baseline":
            size = self.radix ** (self.stages - stage)
            high, low = divmod(line, size)
            return high * size + low % self.radix * (size // self.radix) + low // self.radix
        return self._swapped(line, stage + 1)

    def _shuffled(self, line: int) -> int:
        size = self.radix**self.stages
        return line * self.radix % size + line * self.radix // size

    def _swapped(self, line: int, digit: int) -> int:
        """Return a line with digits 0 and ``digit`` swapped."""
        weight = self.radix**digit
        low, high = line % self.radix, line // weight % self.radix
        return line + (high - low) + (low - high) * weight

    def _bidirectional_wires(self) -> Iterator[Wire]:
        radix, switches = self.radix, len(self.switch_positions)
        apart = self.private_consumption and self.stages > 1
        for processor in range(radix**self.stages):
            row, port = divmod(processor, radix)
            switch = self.switch_at[SwitchPosition(0, row)]
            yield switches + processor, 0, switch, port
            yield switch, port, switches + processor, 0
            if apart:
                for right in range(radix):
                    yield self.switch_at[SwitchPosition(0, row, right)], port, switches + processor, 1 + right
        for stage in range(self.stages - 1):
            for line in range(radix**self.stages):
                row, right = divmod(line, radix)
                above_row, left = divmod(self._swapped(line, stage + 1), radix)
                switch, above = (
                    self.switch_at[SwitchPosition(stage, row)],
                    self.switch_at[SwitchPosition(stage + 1, above_row)],
                )
                yield switch, radix + right, above, left
                if apart and stage == 0:
                    yield above, left, self.switch_at[SwitchPosition(0, row, right)], 0
                else:
                    yield above, left, switch, radix + right

    def _positions(self) -> np.ndarray:
        """Return positions: stages from left to right, rows from top to bottom; so far apart that no link meets a third
        switch."""
        points, apart = [], max(2.5, 0.3 * self.rows)
        for position in self.switch_positions:
            shift = 0.0 if position.distributor is None else (position.distributor + 0.5) / self.radix - 0.5
            beside = 0.45 if position.distributor is not None and self.bidirectional else 0.0
            points.append((apart * (position.stage + beside), -(position.row + 0.8 * shift)))
        return np.array(points, dtype=float)


def _check(kind: str, radix: int, stages: int, consumption_channels: int) -> None:
    if kind not in KINDS:
        raise TopologyError(f"Kind is {kind!r}; it must be one of {', '.join(KINDS)}", item=str(kind))
    if not 2 <= radix <= MAX_RADIX:
        raise TopologyError(f"Radix is {radix!r}; it must be 2 to {MAX_RADIX}", item=str(radix))
    most = max(n for n in range(1, MAX_PROCESSORS.bit_length()) if radix**n <= MAX_PROCESSORS)
    if not 1 <= stages <= most:
        raise TopologyError(
            f"Number of stages of {radix} x {radix} switches is {stages!r}; it must be 1 to {most} "
            f"(at most {MAX_PROCESSORS:,} processors)",
            item=str(stages),
        )
    if consumption_channels not in (1, radix):
        raise TopologyError(
            f"Consumption channels are {consumption_channels!r}; they must be 1 or the radix, {radix}",
            item=str(consumption_channels),
        )
