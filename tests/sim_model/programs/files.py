"""Small program files in the formats of other tools, written byte by byte, independently of the readers."""

from collections.abc import Sequence

L1D, L1I, L2, MEMORY = 0, 1, 2, 3


def little(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def packet(cycle, number, source, destination, *, kind=1, types=(L1D, L2), dependents=(), address=0):
    """A Netrace packet: 21 bytes, and 4 for each packet that waits for it."""
    head = little(cycle, 8) + little(number, 4) + little(address, 4)
    nodes = bytes([kind, source, destination, types[0] << 4 | types[1], len(dependents)])
    return head + nodes + b"".join(little(dependent, 4) for dependent in dependents)


def netrace(packets: Sequence[bytes], *, nodes=64, regions=None, notes=b"made by hand", magic=b"UTJH", version=1.0):
    """A trace before compression; regions are (cycles, packets), by default one with everything."""
    regions = [(1_000, len(packets))] if regions is None else regions
    assert version in (1.0, 2.0)
    head = magic + (b"\x00\x00\x80\x3f" if version == 1.0 else b"\x00\x00\x00\x40")
    head += b"benchmark".ljust(30, b"\0") + bytes([nodes, 0])
    head += little(sum(cycles for cycles, _ in regions), 8) + little(len(packets), 8)
    head += little(len(notes) + 1, 4) + little(len(regions), 4) + b"\xaa" * 8 + notes + b"\0"
    first = 0
    for cycles, count in regions:
        head += little(sum(map(len, packets[:first])), 8) + little(cycles, 8) + little(count, 8)
        first += count
    return head + b"".join(packets)


def base128(value: int) -> bytes:
    """A number of a protocol buffer."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + base128(rest) if rest else bytes([low])


def run(number: int, content: bytes) -> bytes:
    """A field of text, of a message, or of packed numbers."""
    return base128(number * 8 + 2) + base128(len(content)) + content


def attribute(name: str, value) -> bytes:
    content = run(1, name.encode())
    if isinstance(value, bool):
        content += base128(27 * 8) + base128(value)
    elif isinstance(value, int):
        content += base128(9 * 8) + base128(value % (1 << 64))
    else:
        content += run(29, value.encode())
    return run(10, content)


def node(number: int, kind: int, *, data=(), control=(), duration=0, packed=True, **attributes) -> bytes:
    """A node of a Chakra trace."""
    content = base128(8) + base128(number) + run(2, f"node {number}".encode()) + base128(24) + base128(kind)
    for field, values in ((4, control), (5, data)):
        if packed and values:
            content += run(field, b"".join(map(base128, values)))
        elif values:
            content += b"".join(base128(field * 8) + base128(value) for value in values)
    content += base128(56) + base128(duration) if duration else b""
    return content + b"".join(attribute(name, value) for name, value in attributes.items())


def chakra(nodes: Sequence[bytes]) -> bytes:
    """A file of one rank."""
    whole = run(1, b"0.0.4") + run(2, run(1, b"pid") + base128(9 * 8) + base128(77))
    return b"".join(base128(len(part)) + part for part in (whole, *nodes))


def step(number, kind, *, count=1, wait=(-1, -1)) -> str:
    return (
        f'<step s="{number}" type="{kind}" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="{count}"'
        f' depid="{wait[0]}" deps="{wait[1]}" hasdep="0"/>'
    )


def msccl(gpus: Sequence[Sequence[tuple[int, int, Sequence[str]]]], *, collective="custom", chunks=4) -> bytes:
    """A program; per GPU its thread blocks as (send, recv, steps)."""
    lines = [f'<algo name="made" proto="Simple" nchunksperloop="{chunks}" ngpus="{len(gpus)}" coll="{collective}">']
    for gpu, blocks in enumerate(gpus):
        lines.append(f'<gpu id="{gpu}" i_chunks="1" o_chunks="1" s_chunks="0">')
        for number, (send, receive, steps) in enumerate(blocks):
            lines += [f'<tb id="{number}" send="{send}" recv="{receive}" chan="0">', *steps, "</tb>"]
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>", ""]).encode()
