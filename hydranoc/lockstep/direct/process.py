"""The program around a harness as a process: chunks of cycles through pipes."""

import contextlib
import struct
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

from hydranoc.lockstep.direct.build import PROGRAM, ports_of
from hydranoc.lockstep.simulator import BenchSource, BuiltSimulator, SimulatorFailed
from hydranoc.reports.failures import failure
from topology.common.trouble import how_it_ended

RESET_CYCLES = 5
"""With reset high, as in ``tb.common.lockstep``; another one follows before cycle 0."""
Setting = tuple[int, str, int]
"""Row of a chunk, in ascending order, before whose clock edge a port gets a value."""


class DirectBench:
    """A harness that runs; close it, or use it as a context.

    Parameters
    ----------
    source : BenchSource
    built : BuiltSimulator
        By ``build_directly`` of the same source.

    Members
    -------
    row_bytes : int
        Bytes of a row: ``observed``, its lowest bit first, filled up with zeros.

    Raises
    ------
    SimulatorFailed
        By every method if the process has ended.
    """

    def __init__(self, source: BenchSource, built: BuiltSimulator):
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [str(built.folder / PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=1 << 20,
        )
        self.row_bytes, ports = struct.unpack("<II", self._read(8))
        names = ports_of(source)
        if ports != len(names):
            raise ValueError(f"The program must have {len(names)} ports, not {ports}")
        self._ports = dict(zip(names, enumerate(struct.unpack(f"<{ports}I", self._read(4 * ports))), strict=True))

    def __enter__(self) -> "DirectBench":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream:
                with contextlib.suppress(OSError):  # what was still to be written, nobody reads
                    stream.close()

    def reset(self) -> None:
        """Reset the harness; the next row is that of cycle 0."""
        settings = [(0, "message_valid", 0), (0, "rst", 1), (RESET_CYCLES, "rst", 0)]
        self.run(RESET_CYCLES + 1, settings)

    def run(
        self, cycles: int, settings: Iterable[Setting], expected: np.ndarray | None = None
    ) -> tuple[int, bytes] | None:
        """Run so many cycles, or up to the first row that is not as expected.

        Parameters
        ----------
        cycles : int
        settings : iterable of (int, str, int)
            Values of ports, by the row before whose clock edge they are set.
        expected : uint8 array, shape (cycles, row_bytes), or None
            None compares nothing.

        Returns
        -------
        (int, bytes) or None
            The first row that differs, and what the hardware has there; the harness stays in that cycle.
        """
        packed = [self._packed(*setting) for setting in settings]
        self._write(struct.pack("<III", cycles, expected is not None, len(packed)) + b"".join(packed))
        if expected is not None:
            if expected.shape != (cycles, self.row_bytes):
                raise ValueError(f"Expected rows must be of shape {(cycles, self.row_bytes)}, not {expected.shape}")
            self._write(expected.tobytes())
        self._flush()
        (differs,) = struct.unpack("<i", self._read(4))
        return (differs, self._read(self.row_bytes)) if differs >= 0 else None

    def _packed(self, row: int, port: str, value: int) -> bytes:
        number, size = self._ports[port]
        return struct.pack("<II", row, number) + value.to_bytes(size, "little")

    def _read(self, count: int) -> bytes:
        stream: Any = self._process.stdout
        data = stream.read(count)
        if len(data) < count:
            raise self._ended()
        return data

    def _write(self, data: bytes | memoryview) -> None:
        stream: Any = self._process.stdin
        try:
            stream.write(data)
        except OSError:
            raise self._ended() from None

    def _flush(self) -> None:
        stream: Any = self._process.stdin
        try:
            stream.flush()
        except OSError:
            raise self._ended() from None

    def _ended(self) -> SimulatorFailed:
        code = self._process.wait()
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        return SimulatorFailed(failure("verilator", f"did not finish: it {how_it_ended(code)}", log))


def row_text(row: bytes, bits: int) -> str:
    """A row as a string of '0' and '1', highest bit first, as a simulator prints ``observed``."""
    return format(int.from_bytes(row, "little"), f"0{bits}b")
