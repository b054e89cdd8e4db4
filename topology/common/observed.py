"""Signals of a network that a lock-step bench sees in one cycle: the layout of the harness's vector ``observed``.

From its lowest bit:

==============  =================================================================================================
``signatures``  per bundle of wires that flits leave on, but for those into processors, the signature of the flit that
                does, see ``flit_signature``; 0 if none does
``moved``       per channel and stage of a link whether a flit leaves its register
``accepted``    per injector whether it takes the descriptor on offer
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
from topology.common.virtual_channels import VcNetwork

UNSIGNED = -1
"""Placeholder for a signature's number: flits into processors have none, as ``ejected`` holds them as a whole."""


def signature_numbers(links: LinkStages) -> tuple[int, ...]:
    """Return, per channel and stage, in the order of ``moved``, the number of the signature of its flit.

    One per bundle of wires: VCs of one link share theirs, because at most one of them has a flit in a cycle. Whether
    that holds shows in ``moved``.
    """
    network, delivered = links.network, set(links.network.delivery_channels)
    link_of = network.link_of if isinstance(network, VcNetwork) else range(len(network.channels))
    first_of: dict[int, int] = {}
    channels = [
        UNSIGNED if channel in delivered else first_of.setdefault(link, len(first_of))
        for channel, link in enumerate(link_of)
    ]
    return (*channels, *range(len(first_of), len(first_of) + len(links.hops)))


@dataclass(frozen=True)
class StatusOutput:
    """An output of the network for its status, such as an error.

    Parameters:
        name: Of the port.
    """

    name: str
    bits: int


@dataclass(frozen=True)
class ObservedPart:
    """Bits that belong together.

    Members:
        low, bits (int): Position in ``observed``.
        stride: Bits per signature, channel or injector.
    """

    low: int
    bits: int
    stride: int = 1


@dataclass(frozen=True)
class ObservedLayout:
    """Layout of ``observed``.

    Parameters:
        signature_of: Per channel and stage of a link the number of its signature, or ``UNSIGNED``; see
            ``signature_numbers``.
        injectors, deliveries (int): Number of channels from and into processors.
        flit_bits: Data bits of a flit.
        side_wires (sequence of SideWire)
        status (sequence of StatusOutput)
    """

    signature_of: tuple[int, ...]
    injectors: int
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
        """Return the layout for a network."""
        return cls(
            signature_numbers(links),
            len(links.network.injection_channels),
            len(links.network.delivery_channels),
            flit_bits,
            tuple(side_wires),
            tuple(status),
        )

    @property
    def hops(self) -> int:
        """Channels and stages of links."""
        return len(self.signature_of)

    @cached_property
    def hops_of_signature(self) -> tuple[tuple[int, ...], ...]:
        """The channels or the stage whose flits each signature is of, ascending."""
        hops: list[list[int]] = [[] for _ in range(max(self.signature_of) + 1)]
        for hop, number in enumerate(self.signature_of):
            if number != UNSIGNED:
                hops[number].append(hop)
        return tuple(map(tuple, hops))

    @cached_property
    def parts(self) -> dict[str, ObservedPart]:
        """All parts by name, the lowest first."""
        flit = 1 + FlitFormat(self.flit_bits).width
        parts, low = {}, 0
        for name, bits, stride in (
            ("signatures", len(self.hops_of_signature) * SIGNATURE_BITS, SIGNATURE_BITS),
            ("moved", self.hops, 1),
            ("accepted", self.injectors, 1),
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
        """Return the manifest entry: offset and bits of each part, with its channels, wires or outputs."""
        entry: dict[str, Any] = {name: {"offset": part.low, "bits": part.bits} for name, part in self.parts.items()}
        entry["signatures"]["bits_per_signature"] = self.parts["signatures"].stride
        entry["signatures"]["moved_bits"] = [list(hops) for hops in self.hops_of_signature]
        entry["ejected"]["bits_per_channel"] = self.parts["ejected"].stride
        entry["side_wires"]["wires"] = [
            {"source": wire.source, "output": wire.output, "sink": wire.sink, "input": wire.input, "bits": wire.bits}
            for wire in self.side_wires
        ]
        entry["status"]["outputs"] = [{"name": output.name, "bits": output.bits} for output in self.status]
        return entry
