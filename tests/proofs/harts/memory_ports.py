"""The ports of the one memory of a part, and the part without the memory."""

from typing import Any

from amaranth.hdl import Value
from amaranth.hdl._mem import MemoryInstance

from tests.proofs.inside import Inside


class OpenInside(Inside):
    """Puts a part into the module of the claims, and shows the ports of its memory.

    The part must have one memory, with one read port and one write port.

    Members
    -------
    read_address, read_enable, read_data : Value
    write_address, write_enable, write_data : Value
    """

    def __init__(self, claims: Any, part: Any, left_out: Any = ()):
        super().__init__(claims, part, left_out)
        (self._memory,) = (sub for sub, _, _ in self._fragment.subfragments if isinstance(sub, MemoryInstance))
        (read,), (write,) = self._memory._read_ports, self._memory._write_ports
        self.read_address, self.read_enable, self.read_data = read._addr, read._en, read._data
        self.write_address, self.write_enable, self.write_data = write._addr, write._en, write._data

    def take_memory_out(self) -> Value:
        """Leave the memory out; the proof drives the data read."""
        self._fragment.subfragments = [sub for sub in self._fragment.subfragments if sub[0] is not self._memory]
        return self.read_data
