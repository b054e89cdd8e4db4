"""AXI4 port of a design in Amaranth: a stream per channel."""

from typing import Any

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import LITE, channels
from rtl.parts.flit import stream_of
from topology.axi4.words import Axi4Format


class Axi4Signature(wiring.Signature):
    """AXI4 port, as seen from its manager.

    Parameters:
        axi: Widths.
        id_bits: Width of IDs; 0 for a port without.
        masks: See ``axi4_members``.
        lite: The port is of AXI4-Lite and has fewer fields.

    Members:
        aw, w, ar (Out(stream.Signature)): Requests and data. Fields of the payload: ``id``, ``addr``, ``len``,
            ``size``, ``burst``, ``lock``, ``cache``, ``prot``, ``qos`` and ``user``; ``data``, ``strb``, ``last`` and
            ``user`` of ``w``.
        b, r (In(stream.Signature)): Answers, with ``id``, ``resp``; ``id``, ``data``, ``resp``, ``last``, ``user``.
            Fields of width 0 are absent.
    """

    def __init__(self, axi: Axi4Format, id_bits: int, *, lite: bool = False, masks: bool = False):
        members: dict[str, Any] = {}
        for channel, (forward, signals) in channels(axi, id_bits, masks=masks).items():
            fields = {name: bits for name, bits in signals.items() if name in LITE or not lite}
            payload = data.StructLayout({name.removeprefix(channel): bits for name, bits in fields.items()})
            members[channel] = (Out if forward else In)(stream_of(payload))
        super().__init__(members)
