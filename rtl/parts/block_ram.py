"""Block RAM behind two pointers, for buffers that are written at the back and read at the front."""

from typing import Any

from amaranth.hdl import Value
from amaranth.lib import memory

from rtl.parts.ring_pointer import ring_pointer

NO_COLLISIONS = {"no_rw_check": 1}
"""For Yosys: no slot is read and written in one cycle, so no logic has to keep its former content."""


def block_ram(m: Any, name: str, slots: int, data: Any, written: Any, fetched: Any) -> tuple[Value, Any, Any]:
    """Add a ring of slots with a registered output.

    Parameters:
        name: Name of the memory.
        slots: Number of slots, at least 2.
        data: Content of a slot.
        written: Whether the data are stored at the end of the cycle.
        fetched: Whether the first slot is in the output from the next cycle on. Not while the ring is empty.

    Returns:
        output (Value): The slot that was fetched last.
        back, front (Signal): Registers with the numbers of the next slots to be written and fetched.
    """
    m.submodules[name] = store = memory.Memory(shape=len(data), depth=slots, init=[], attrs=NO_COLLISIONS)
    write: Any = store.write_port()
    read: Any = store.read_port()
    back, front = ring_pointer(m, "back", slots, written), ring_pointer(m, "front", slots, fetched)
    m.d.comb += [write.addr.eq(back), write.en.eq(written), write.data.eq(data)]
    m.d.comb += [read.addr.eq(front), read.en.eq(fetched)]
    return Value.cast(read.data), back, front
