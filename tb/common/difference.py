"""The report on the first cycle in which hardware and golden model differ."""

from collections.abc import Callable, Iterator

from topology.common.flit_signature import SIGNATURE_BITS
from topology.common.flits import FlitFormat
from topology.common.link_stages import LinkStages
from topology.common.observed import UNSIGNED, ObservedLayout

Found = tuple[str, set[int]]
"""A line of the report, and its vertices."""


class Difference:
    """Difference between two rows of ``observed``.

    Parameters:
        hardware, model (str): The rows, highest bit first.
        carried: Returns the flit that the model moves on a channel or from a stage of its link, if any.
    """

    def __init__(
        self,
        links: LinkStages,
        layout: ObservedLayout,
        cycle: int,
        hardware: str,
        model: str,
        carried: Callable[[int], str],
    ):
        self._links, self._network, self._layout = links, links.network, layout
        self._cycle = cycle
        self._rows = hardware, model
        self._carried = carried

    def describe(self) -> tuple[str, set[int]]:
        """Return the report.

        Returns:
            text (str): The cycle, then one line per channel, injector, processor, side wire or status output that
                differs, with the values of both sides.
            switches (set of int): Switches at the ends of the differing channels.
        """
        found = [*self._channels(), *self._injectors(), *self._deliveries(), *self._side_wires(), *self._status()]
        lines = [f"first difference in cycle {self._cycle}", *(f"  {line}" for line, _ in found)]
        vertices = set().union(*(ends for _, ends in found))
        return "\n".join(lines), {vertex for vertex in vertices if self._network.is_switch(vertex)}

    def _fields(self, part: str, number: int, bits: int | None = None) -> tuple[str, str]:
        """Return a field of a part, of hardware and model."""
        where = self._layout.parts[part]
        low, width = where.low + number * where.stride, where.stride if bits is None else bits
        hardware, model = (row[len(row) - low - width : len(row) - low] for row in self._rows)
        return hardware, model

    def _channels(self) -> Iterator[Found]:
        channels = self._network.channels
        named = [(channel, channel.name) for channel in channels]
        named += [(channels[hop[0]], self._links.name(hop)) for hop in self._links.hops]
        for hop, (channel, name) in enumerate(named):
            moved, signature = self._fields("moved", hop), self._signatures(hop)
            if moved[0] != moved[1]:
                words = {"0": "no flit moved", "1": "a flit moved"}
                ours, theirs = words.get(moved[0], moved[0]), words[moved[1]]
            elif signature[0] != signature[1]:
                ours, theirs = (f"signature {_number(bits)}" for bits in signature)
            else:
                continue
            model = f"{theirs}, {self._carried(hop)}" if moved[1] == "1" else theirs
            yield f"channel {name}: hardware {ours}, model {model}", {channel.source, channel.sink}

    def _signatures(self, hop: int) -> tuple[str, str]:
        """Return a channel's or stage's signature, of hardware and model.

        A link with virtual channels has the signature of the VC with a flit, or of the first one; the others have none.
        """
        number = self._layout.signature_of[hop]
        if number == UNSIGNED:
            return "", ""
        hops = self._layout.hops_of_signature[number]
        carrying = next((hop for hop in hops if self._fields("moved", hop)[1] == "1"), hops[0])
        return self._fields("signatures", number) if hop == carrying else ("", "")

    def _injectors(self) -> Iterator[Found]:
        several = self._network.injection_channels_per_processor > 1
        for injector, number in enumerate(self._network.injection_channels):
            ours, theirs = self._fields("accepted", injector)
            if ours != theirs:
                channel = self._network.channels[number]
                where = f"{self._network.vertex_name(channel.source)}{f' on {channel.name}' if several else ''}"
                untaken = f"hardware did not take the descriptor in cycle {self._cycle - 1}, model did"
                yield f"injector of {where}: {untaken}", set()

    def _deliveries(self) -> Iterator[Found]:
        network, flits = self._network, FlitFormat(self._layout.flit_bits)
        for delivery, number in enumerate(network.delivery_channels):
            ours, theirs = self._fields("ejected", delivery)
            if ours != theirs:
                texts = _delivered_text(ours, flits), _delivered_text(theirs, flits)
                channel, processor = network.channels[number], network.delivery_processors[delivery]
                where = f"p{processor}" if len(network.delivery_channels) == len(network.processors) else channel.name
                yield f"delivered to {where}: hardware {texts[0]}, model {texts[1]}", {channel.source}

    def _side_wires(self) -> Iterator[Found]:
        low = 0
        for wire in self._layout.side_wires:
            ours, theirs = self._fields("side_wires", low, wire.bits)
            low += wire.bits
            if ours != theirs:
                ends = self._network.vertex_name(wire.source), self._network.vertex_name(wire.sink)
                values = f"hardware {_number(ours)}, model {_number(theirs)}"
                yield f"side wire {wire.output} {ends[0]}->{ends[1]}: {values}", {wire.source, wire.sink}

    def _status(self) -> Iterator[Found]:
        low = 0
        for output in self._layout.status:
            ours, theirs = self._fields("status", low, output.bits)
            low += output.bits
            if ours != theirs:
                yield f"status {output.name}: hardware {_number(ours)}, model {_number(theirs)}", set()


def _number(bits: str) -> str:
    """Return bits as a number, or unchanged if the hardware has unknown ones."""
    if set(bits) - set("01"):
        return f"unknown ({bits})"
    return f"{int(bits, 2):#0{2 + -(-len(bits) // 4)}x}" if len(bits) >= SIGNATURE_BITS else str(int(bits, 2))


def flit_text(flit: int, layout: FlitFormat) -> str:
    """Return a packed flit as text."""
    data, head, tail = layout.unpack(flit)
    role = {(True, True): "head+tail", (True, False): "head", (False, True): "tail"}.get((head, tail), "body")
    return f"{role} {data:#0{2 + -(-layout.flit_bits // 4)}x}"


def _delivered_text(bits: str, layout: FlitFormat) -> str:
    if set(bits) - set("01"):
        return f"unknown ({bits})"
    value = int(bits, 2)
    if not value & 1:
        return "nothing" if value == 0 else f"nothing, yet {value >> 1:#x} on the wires"
    return flit_text(value >> 1, layout)
