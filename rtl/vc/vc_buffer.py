"""Buffer of a virtual channel: slots of its flits in the memory of an input, and their count.

Flits are not counted: their number follows from the pointers, and a register marks whether there are any. It is logic
in the module that uses it, not a module.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Mux, Signal
from amaranth.lib import memory

from rtl.parts.ring_pointer import gray_pointer, ring_pointer
from rtl.parts.selection import either, encoded


def vc_slots(depth: int) -> int:
    """Return the slots in memory for a virtual channel's flits: a power of two, so that pointers wrap by themselves."""
    return 1 << (depth - 1).bit_length()


class VcBuffer:
    """Pointers and counts of one virtual channel.

    Parameters:
        m (Module)
        number: Of the virtual channel, for names of signals.
        depth: Capacity in flits.
        arriving, popped (Value): A flit goes in, or out, at the end of the cycle.
        gray: Pointers count in Gray code.

    Members:
        back, front (Value): Slots of the next flit to arrive, and of the first one. Registers.
        present (Signal): There is a flit. A register.
        several (Signal): There are two or more.
    """

    def __init__(self, m: Any, number: int, depth: int, arriving: Any, popped: Any, *, gray: bool = False):
        self.depth, self._slots, self._arriving = depth, vc_slots(depth), arriving
        names = (f"back_{number}", f"front_{number}")
        if gray:
            (self.back, last), (self.front, first) = (
                gray_pointer(m, name, self._slots, step) for name, step in zip(names, (arriving, popped), strict=True)
            )
        else:
            self.back, self.front = last, first = tuple(
                ring_pointer(m, name, self._slots, step) for name, step in zip(names, (arriving, popped), strict=True)
            )
        self.present: Any = Signal(name=f"present_{number}")
        self.several: Any = Signal(name=f"several_{number}")
        if self._slots > 1:
            self._counted: Any = Signal(range(self._slots), name=f"count_{number}")  # modulo slots
            m.d.comb += [
                self._counted.eq(last - first),
                self.several.eq(self.present & (self._counted != 1)),
            ]
        m.d.sync += self.present.eq(arriving | Mux(popped, self.several, self.present))

    @property
    def more(self) -> Any:
        """True if there are two or more, given that there is one: a level of logic less than ``several``."""
        return self._counted != 1 if self._slots > 1 else self.several

    def fills(self) -> Any:
        """Return whether the buffer is full at the end of a cycle in which no flit leaves."""
        if self._slots == 1:
            return self.present | self._arriving
        return self._holds(self.depth) | self._holds(self.depth - 1) & self._arriving

    def _holds(self, flits: int) -> Any:
        """Return whether there are ``flits`` flits or more, at least one."""
        return self.present & (self._counted == flits % self._slots)


def store_flits(m: Any, buffers: Sequence[VcBuffer], arriving: Any, flit: Any, reading: Any) -> Any:
    """Store the flits of all buffers of an input in one memory; return the flit that is read.

    Parameters:
        m (Module)
        buffers: By virtual channel.
        arriving (Value): Virtual channel of the arriving flit, one-hot or 0.
        flit (flit_layout): That flit.
        reading (Value or None): Virtual channel whose first flit is read, one-hot; None if there is only one.

    Returns:
        flit_layout: The first flit of the virtual channel that is read. Combinational.
    """
    depth = len(buffers) * vc_slots(buffers[0].depth)
    m.submodules.flits = store = memory.Memory(shape=flit.shape(), depth=depth, init=[])
    write: Any = store.write_port()
    read: Any = store.read_port(domain="comb")
    fronts = [buffer.front for buffer in buffers]
    m.d.comb += [
        write.en.eq(arriving.any()),
        write.data.eq(flit),
        write.addr.eq(_address(arriving, [buffer.back for buffer in buffers])),
        read.addr.eq(fronts[0] if reading is None else _address(reading, fronts)),
    ]
    return read.data


def _address(one_hot: Any, pointers: Sequence[Any]) -> Any:
    """Return the address in the memory shared by the virtual channels."""
    pointer: Any = either([Mux(one_hot[v], pointer, 0) for v, pointer in enumerate(pointers)])
    vcs = range(len(one_hot))
    return Cat(pointer[: len(pointers[0])], *encoded(one_hot, vcs, (len(one_hot) - 1).bit_length()))
