"""Messages that a node of a self-test can send: random destination sets with precomputed headers."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from amaranth.lib import data

from topology.common.flits import HeaderFormat, bits_for


class Headers(Protocol):
    """Routing tables of any family, which define the header format."""

    @property
    def header(self) -> HeaderFormat:
        """Header format."""
        ...

    def header_value(self, source: int, destinations: Sequence[int]) -> int:
        """Return the header of a message, as an integer."""
        ...

    def header_flits(self, destinations: Sequence[int]) -> int:
        """Return the length of a header in flits."""
        ...


@dataclass(frozen=True)
class Descriptor:
    """A header with its parameters for a generator.

    Members:
        header
        header_flits
        destinations: Number of nodes at which the message must arrive.
    """

    header: int
    header_flits: int
    destinations: int


def row_layout(header: HeaderFormat) -> data.StructLayout:
    """Return the layout of a descriptor in a generator's table."""
    return data.StructLayout(
        {
            "header": header.multicast_flits * header.flit_bits,
            "header_flits": bits_for(header.multicast_flits + 1),
            "destinations": bits_for(header.destinations + 1),
        }
    )


def pack_rows(header: HeaderFormat, descriptors: Sequence[Descriptor]) -> int:
    """Return the table of a generator as an integer, first descriptor lowest."""
    layout = row_layout(header)
    rows = (layout.const(vars(descriptor)).as_value().value for descriptor in descriptors)
    return sum(row << number * layout.size for number, row in enumerate(rows))


def draw_descriptors(headers: Headers, processors: int, count: int, seed: int = 1) -> list[list[Descriptor]]:
    """Return random descriptors for every node: half of them unicasts, one a broadcast, the others of any size between.

    All are unicasts if headers have no destination bit string.

    Parameters:
        processors: Nodes of the network, at least 2.
        count: Descriptors per node, at least 2.
        seed: Equal seeds give equal descriptors.

    Raises:
        ValueError: If there is only one node.
    """
    if processors < 2:
        raise ValueError(f"A self-test needs at least 2 processors, not {processors}")
    generator, multicast = random.Random(seed), headers.header.destinations > 0
    return [
        [
            _descriptor(headers, source, destinations)
            for destinations in _sets(source, processors, count, generator, multicast=multicast)
        ]
        for source in range(processors)
    ]


def _sets(source: int, processors: int, count: int, generator: random.Random, *, multicast: bool) -> list[list[int]]:
    others = [processor for processor in range(processors) if processor != source]
    if not multicast:
        return [[generator.choice(others)] for _ in range(count)]
    sizes = [1] * (count // 2) + [len(others)]
    sizes += [generator.randint(min(2, len(others)), len(others)) for _ in range(count - len(sizes))]
    return [sorted(generator.sample(others, size)) for size in sizes]


def _descriptor(headers: Headers, source: int, destinations: Sequence[int]) -> Descriptor:
    value, flits = headers.header_value(source, destinations), headers.header_flits(destinations)
    return Descriptor(value, flits, len(destinations))
