"""Object files of loops in memory, without LLVM: the few kinds of relocations that LLVM writes for them.

Other kinds, and other systems than Linux on 64-bit x86, are left to LLVM, whose library takes longer to load than most
runs.
"""

import ctypes
import mmap
import struct
import sys
from typing import Any, NamedTuple

HEADER = struct.Struct("<6s10xHHIQQQIHHHHHH")
IDENTITY = b"\x7fELF\x02\x01"
"""64 bits, lowest byte first."""
RELOCATABLE, X86_64 = 1, 62
SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOLS, RELOCATIONS, EMPTY, PLAIN_RELOCATIONS = 2, 4, 8, 9
WRITTEN, LOADED, THREAD_LOCAL = 1, 2, 0x400
"""Flags of sections."""
SYMBOL = struct.Struct("<IBBHQQ")
ELSEWHERE = 0
RELOCATION = struct.Struct("<QQq")
ADDRESS = 1
"""A relocation that is 64 bits of an address."""


class Code(NamedTuple):
    """Machine code in memory.

    Members:
        memory: Keeps it there.
        address: Of its entry.
    """

    memory: Any
    address: int


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    information: int
    alignment: int
    item_size: int


class _Unknown(ValueError):
    """An object file with a feature that only LLVM supports."""


def load_code(object_file: bytes, entry: str) -> Code | None:
    """Load an object file.

    Parameters:
        entry: Symbol of the function to be called.

    Returns:
        None if LLVM has to load it.
    """
    if sys.platform != "linux":
        return None
    try:
        return _load(object_file, entry)
    except (_Unknown, struct.error, OSError):
        return None


def _load(content: bytes, entry: str) -> Code:
    sections = _sections(content)
    places, size = _places(sections)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for number, place in places.items():
        section = sections[number]
        if section.kind != EMPTY:
            memory[place : place + section.size] = content[section.offset : section.offset + section.size]
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    addresses = {number: base + place for number, place in places.items()}
    system = ctypes.CDLL(None)
    entries: list[int] = []
    for section in sections:
        if section.kind == PLAIN_RELOCATIONS:
            raise _Unknown
        if section.kind == SYMBOLS:
            entries += [
                addresses[home] + value
                for name, _, _, home, value, _ in _items(SYMBOL, content, section)
                if home in addresses and _text(content, sections[section.link], name) == entry
            ]
        if section.kind == RELOCATIONS and section.information in places:
            symbols = _Symbols(content, sections, sections[section.link], addresses, system)
            for offset, information, addend in _items(RELOCATION, content, section):
                if information & 0xFFFFFFFF != ADDRESS:
                    raise _Unknown
                value = symbols.address(information >> 32) + addend
                struct.pack_into("<Q", memory, places[section.information] + offset, value % 2**64)
    system.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if len(entries) != 1 or system.mprotect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise _Unknown
    return Code(memory, entries[0])


def _sections(content: bytes) -> list[_Section]:
    identity, kind, machine, _, _, _, first, _, _, _, _, size, count, _ = HEADER.unpack_from(content)
    if (identity, kind, machine, size) != (IDENTITY, RELOCATABLE, X86_64, SECTION.size):
        raise _Unknown
    return [_Section(*SECTION.unpack_from(content, first + number * SECTION.size)) for number in range(count)]


def _places(sections: list[_Section]) -> tuple[dict[int, int], int]:
    """Return the offset of each loaded section, by number, and the size of all."""
    places, end = {}, 0
    for number, section in enumerate(sections):
        if section.flags & LOADED:
            if section.flags & (WRITTEN | THREAD_LOCAL) or section.alignment > mmap.PAGESIZE:
                raise _Unknown
            places[number] = -(-end // max(1, section.alignment)) * max(1, section.alignment)
            end = places[number] + section.size
    return places, end


def _items(kind: struct.Struct, content: bytes, section: _Section) -> list[tuple[int, ...]]:
    return list(kind.iter_unpack(content[section.offset : section.offset + section.size]))


def _text(content: bytes, section: _Section, position: int) -> str:
    begin = section.offset + position
    return content[begin : content.index(b"\0", begin)].decode()


class _Symbols:
    """Addresses of symbols: in the object file, or in the libraries of this process."""

    def __init__(
        self, content: bytes, sections: list[_Section], table: _Section, addresses: dict[int, int], system: ctypes.CDLL
    ):
        self._symbols = _items(SYMBOL, content, table)
        self._names = (content, sections[table.link])
        self._addresses = addresses
        self._system = system

    def address(self, number: int) -> int:
        """Return the address of a symbol."""
        name, _, _, home, value, _ = self._symbols[number]
        if home == ELSEWHERE:
            return self._outside(_text(*self._names, name))
        if home not in self._addresses:
            raise _Unknown
        return self._addresses[home] + value

    def _outside(self, name: str) -> int:
        try:
            function = getattr(self._system, name)
        except AttributeError:
            raise _Unknown from None
        return ctypes.cast(function, ctypes.c_void_p).value or 0
