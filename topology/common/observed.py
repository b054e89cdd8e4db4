"""What a lock-step bench sees of a network in one cycle: the layout of the harness's vector ``observed``.

From its lowest bit:

==============  =================================================================================================
``signatures``  per channel and stage of a link the signature of the flit that leaves it, see ``flit_signature``; 0 if
                none does
``moved``       per channel and stage of a link whether a flit leaves its register
``accepted``    per processor whether its injector takes the descriptor on offer
``ejected``     per channel into a processor whether a flit moves on it, then the flit; 0 if none
``side_wires``  every side wire, in the order of the plan
``status``      every output of the status parts, in the order of the plan
==============  =================================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from topology.common.flit_signature import SIGNATURE_BITS
from topology.common.flits import FlitFormat
from topology.common.link_stages import LinkStages
from topology.common.side_wires import SideWire


@dataclass(frozen=True)
class StatusOutput:
    """An output of the network that tells how it is, such as an error.

    Parameters
    ----------
    name : str
        Of the port.
    bits : int
    """

    name: str
    bits: int


@dataclass(frozen=True)
class ObservedPart:
    """Bits that belong together.

    Members
    -------
    low, bits : int
        Position in ``observed``.
    stride : int
        Bits per channel or processor.
    """

    low: int
    bits: int
    stride: int = 1


@dataclass(frozen=True)
class ObservedLayout:
    """Where everything is.

    Parameters
    ----------
    hops, processors, deliveries : int
        How many channels and stages of links, processors, and channels into processors the network has.
    flit_bits : int
        Data bits of a flit.
    side_wires : sequence of SideWire
    status : sequence of StatusOutput
    """

    hops: int
    processors: int
    deliveries: int
    flit_bits: int
    side_wires: tuple[SideWire, ...] = ()
    status: tuple[StatusOutput, ...] = ()

    @classmethod
    def of(
        cls,
        links: LinkStages,
        flit_bits: int,
        side_wires: Sequence[SideWire] = (),
        status: Sequence[StatusOutput] = (),
    ) -> "ObservedLayout":
        """The layout for a network."""
        return cls(
            links.moved_bits,
            len(links.network.processors),
            len(links.network.delivery_channels),
            flit_bits,
            tuple(side_wires),
            tuple(status),
        )

    @cached_property
    def parts(self) -> dict[str, ObservedPart]:
        """All parts by name, the lowest first."""
        flit = 1 + FlitFormat(self.flit_bits).width
        parts, low = {}, 0
        for name, bits, stride in (
            ("signatures", self.hops * SIGNATURE_BITS, SIGNATURE_BITS),
            ("moved", self.hops, 1),
            ("accepted", self.processors, 1),
            ("ejected", self.deliveries * flit, flit),
            ("side_wires", sum(wire.bits for wire in self.side_wires), 1),
            ("status", sum(output.bits for output in self.status), 1),
        ):
            parts[name] = ObservedPart(low, bits, stride)
            low += bits
        return parts

    @property
    def bits(self) -> int:
        """Width of ``observed``."""
        return sum(part.bits for part in self.parts.values())

    def manifest(self) -> dict[str, Any]:
        """What the manifest says: offset and bits of each part, with its channels, wires or outputs."""
        entry: dict[str, Any] = {name: {"offset": part.low, "bits": part.bits} for name, part in self.parts.items()}
        for name in ("signatures", "ejected"):
            entry[name]["bits_per_channel"] = self.parts[name].stride
        entry["side_wires"]["wires"] = [
            {"source": wire.source, "output": wire.output, "sink": wire.sink, "input": wire.input, "bits": wire.bits}
            for wire in self.side_wires
        ]
        entry["status"]["outputs"] = [{"name": output.name, "bits": output.bits} for output in self.status]
        return entry
