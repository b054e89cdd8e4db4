"""Netrace: packets of a cache hierarchy and their dependencies (trace format 1.0, little endian, bzip2).

Header of 72 bytes: magic, version, name of the benchmark, number of nodes; cycles, packets, length of the notes, number
of regions. The notes follow, then three words of 64 bits per region (offset of its first packet behind the header,
cycles, packets), then the packets: cycle, number, address, type, source, destination, types of the two nodes, and the
numbers of the later packets that wait for this one. Cycles of the header are of the whole trace, and those of packets
are the earliest in which they could be sent.
"""

import struct
from collections.abc import Iterator
from io import BufferedIOBase
from typing import NamedTuple

from sim_model.programs.program import Need, Operation, Program, ProgramError

MAGIC = 0x484A5455
VERSION = 1.0
HEADER = struct.Struct("<If30sBxQQII8x")
REGION = struct.Struct("<QQQ")
PACKET = struct.Struct("<QIIBBBBB")
DEPENDENT = struct.Struct("<I")
MAX_REGIONS = 1 << 16
MAX_PART_BYTES = 1 << 20
FARTHEST_BYTE = 1 << 62
MEMORY_CONTROLLER = 3
"""Type of a node; 0 and 1 are first-level caches, for data and instructions, and 2 is the second level."""

CONTROL_BYTES, DATA_BYTES = 8, 72
CONTROL_TYPES = frozenset({1, 5, 13, 14, 15, 25, 27, 28, 29})
DATA_TYPES = frozenset({2, 3, 4, 6, 16, 30})
"""Types of packets with a cache line: answers to reads, writes, write-backs, and answers to downgrades."""


class Region(NamedTuple):
    """A part of a trace."""

    offset: int
    cycles: int
    packets: int


class NetraceHeader(NamedTuple):
    """Header of a trace."""

    nodes: int
    cycles: int
    packets: int
    regions: tuple[Region, ...]


class _Packet(NamedTuple):
    cycle: int
    number: int
    size_bytes: int
    source: int
    destination: int
    dependents: tuple[int, ...]
    at: str  # place for messages


def read_netrace(file: BufferedIOBase, region: int | None = None, most_packets: int | None = None) -> Program:
    """Return the packets of a trace as messages; a packet waits for those that name it.

    Rank n is what hangs on node n, and rank N + n the memory controller there, N being the number of nodes. A unit of
    time is a cycle, counted from the beginning of the region.

    Parameters:
        file (binary file): The trace, decompressed.
        region: Read this region alone.
        most_packets: Read no more than this.

    Raises:
        ProgramError: If it is no trace, is cut off, or a packet names what is not there.
    """
    header = _read_header(file)
    before, packets = 0, header.packets
    if region is not None:
        if not 0 <= region < len(header.regions):
            raise ProgramError(f"Region is {region}; it must be 0 to {len(header.regions) - 1}")
        before, packets = sum(part.cycles for part in header.regions[:region]), header.regions[region].packets
        offset = header.regions[region].offset
        if offset > FARTHEST_BYTE:
            raise ProgramError(f"Offset of region {region} is {offset}; it must be at most {FARTHEST_BYTE}")
        file.seek(offset, 1)
    wanted = packets if most_packets is None else min(packets, most_packets)
    whole = region is None and wanted == header.packets
    read = list(_read_packets(file, header, wanted, packets))
    if whole and file.read(1):
        raise ProgramError(f"Packets must be as many as the {header.packets} that the header names, not more")
    operations = [_operation(packet, before) for packet in read]
    _add_needs(operations, read, whole)
    return Program(2 * header.nodes, operations)


def _read_header(file: BufferedIOBase) -> NetraceHeader:
    data = file.read(HEADER.size)
    if len(data) >= 4 and int.from_bytes(data[:4], "little") != MAGIC:
        raise ProgramError(f"byte 0: Magic is {int.from_bytes(data[:4], 'little'):#x}; it must be {MAGIC:#x}")
    if len(data) < HEADER.size:
        raise _cut_off("the header", len(data))
    _, version, _, nodes, cycles, packets, notes, regions = HEADER.unpack(data)
    if version != VERSION:
        raise ProgramError(f"byte 4: Version is {version}; it must be {VERSION}")
    if nodes == 0 or regions > MAX_REGIONS:
        wrong = "nodes is 0; it must be at least 1"
        if nodes:
            wrong = f"regions is {regions}; it must be at most {MAX_REGIONS}"
        raise ProgramError(f"byte 38: Number of {wrong}")
    rest = _read(file, notes + REGION.size * regions)
    if len(rest) < notes + REGION.size * regions:
        raise _cut_off("the list of regions", HEADER.size + len(rest))
    parts = (Region(*REGION.unpack_from(rest, notes + REGION.size * k)) for k in range(regions))
    return NetraceHeader(nodes, cycles, packets, tuple(parts))


def _read(file: BufferedIOBase, size: int) -> bytes:
    """Read up to ``size`` bytes in parts: a header may be wrong, and readers allocate all bytes requested."""
    parts = []
    while size > 0 and (part := file.read(min(size, MAX_PART_BYTES))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _cut_off(what: str, size: int) -> ProgramError:
    return ProgramError(f"byte {size}: the trace is cut off in {what}")


def _read_packets(file: BufferedIOBase, header: NetraceHeader, wanted: int, packets: int) -> Iterator[_Packet]:
    for position in range(wanted):
        start = file.tell()
        data = file.read(PACKET.size)
        if len(data) < PACKET.size:
            raise _cut_off(f"packet {position + 1} of {packets}", start + len(data))
        cycle, number, _, kind, source, destination, types, dependents = PACKET.unpack(data)
        rest = file.read(DEPENDENT.size * dependents)
        if len(rest) < DEPENDENT.size * dependents:
            raise _cut_off(f"packet {position + 1} of {packets}", start + len(data) + len(rest))
        at = f"packet {number} (byte {start})"
        yield _Packet(
            cycle,
            number,
            _size_bytes(kind, at),
            _rank("Source", source, types >> 4, header.nodes, at),
            _rank("Destination", destination, types & 15, header.nodes, at),
            tuple(value for (value,) in DEPENDENT.iter_unpack(rest)),
            at,
        )


def _size_bytes(kind: int, at: str) -> int:
    if kind in CONTROL_TYPES:
        return CONTROL_BYTES
    if kind in DATA_TYPES:
        return DATA_BYTES
    raise ProgramError(f"{at}: Type is {kind}; it must be one of {sorted(CONTROL_TYPES | DATA_TYPES)}")


def _rank(what: str, node: int, kind: int, nodes: int, at: str) -> int:
    if node >= nodes:
        raise ProgramError(f"{at}: {what} is {node}; it must be a node, 0 to {nodes - 1}")
    if kind > MEMORY_CONTROLLER:
        raise ProgramError(f"{at}: Type of a node is {kind}; it must be 0 to {MEMORY_CONTROLLER}")
    return nodes + node if kind == MEMORY_CONTROLLER else node


def _operation(packet: _Packet, before: int) -> Operation:
    return Operation(
        packet.source,
        packet.at,
        destinations=(packet.destination,),
        size_bytes=packet.size_bytes,
        earliest=max(packet.cycle - before, 0),
    )


def _add_needs(operations: list[Operation], packets: list[_Packet], whole: bool) -> None:
    """Add the dependencies of packets; packets beyond the end of reading are ignored."""
    positions: dict[int, int] = {}
    for position, packet in enumerate(packets):
        if positions.setdefault(packet.number, position) != position:
            raise ProgramError(f"{packet.at}: Number must be a packet's own, not that of an earlier packet")
    for position, packet in enumerate(packets):
        for dependent in dict.fromkeys(packet.dependents):
            follower = positions.get(dependent)
            if follower is None:
                if whole:
                    raise ProgramError(
                        f"{packet.at}: a packet that waits for it is {dependent}, which is not in the trace"
                    )
                continue
            if packets[follower].source != packet.destination:
                text = f"must be sent by its destination {packet.destination}, not by {packets[follower].source}"
                raise ProgramError(f"{packet.at}: packet {dependent}, which waits for it, {text}")
            operations[follower].needs.append(Need(position))
