"""The program around a harness as a process: chunks of cycles through pipes."""

import contextlib
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.blocks import NOT_FROM_REGISTERS
from hydranoc.lockstep.direct.build import PROGRAM, ports_of
from hydranoc.lockstep.kept import in_use
from hydranoc.reports.failures import failure
from topology.common.counter_bus import READ_CYCLES, settling_cycles
from topology.common.errors import how_it_ended
from topology.common.host_pattern import HostBehaviour

_NO_PORT = 0xFFFFFFFF
Setting = tuple[int, str, int]
"""Row of a chunk before whose clock edge a port gets a value."""


class PackedSettings(NamedTuple):
    """Settings in the format of the program."""

    count: int
    data: bytes


class DirectBench:
    """A running harness; close it, or use it as a context.

    Parameters:
        built: Result of ``build_directly`` for the same source.
        wave: File for the waveform of dumped runs, if it is built for waves.

    Members:
        row_bytes (int): Bytes of a row: ``observed``, its lowest bit first, filled up with zeros.
        cpu_seconds (float): CPU time of the process, up to its last answer.

    Raises:
        NotFromRegisters: From every method if the process has ended because of an invalid block.
        SimulatorFailed: From every method if the process has ended otherwise.
    """

    def __init__(self, source: BenchSource, built: BuiltSimulator, wave: Path | None = None):
        self.cpu_seconds = 0.0
        self._held = contextlib.ExitStack()
        self._held.enter_context(in_use(built.folder, built.rebuild))
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [str(built.folder / PROGRAM), *([str(wave)] if wave else [])],
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
                with contextlib.suppress(OSError):  # the process has ended: unwritten data is obsolete
                    stream.close()
        self._held.close()

    def run(
        self,
        cycles: int,
        settings: Iterable[Setting],
        expected: np.ndarray | None = None,
        *,
        more: Iterable[PackedSettings] = (),
        dumped: bool = False,
    ) -> tuple[int, bytes] | None:
        """Run a number of cycles, or up to the first row that differs from the expected one.

        Parameters:
            settings (iterable of (int, str, int)): Values of ports, set before the clock edge of the given row.
            more (iterable of PackedSettings): Further settings.
            expected (uint8 array, shape (cycles, row_bytes), or None): None compares nothing.
            dumped: Write the waveform of these cycles.

        Returns:
            The first row that differs, and the hardware's row; the harness stays in that cycle.
        """
        packed = [*more, *(self._packed(*setting) for setting in settings)]
        count, data = sum(one.count for one in packed), b"".join(one.data for one in packed)
        return self._run(cycles, PackedSettings(count, data), expected, dumped=dumped)

    def run_rows(
        self, port: str, values: np.ndarray, expected: np.ndarray | None = None, *, dumped: bool = False
    ) -> tuple[int, bytes] | None:
        """Run a number of cycles as ``run`` does, in each of which one port gets a value.

        Parameters:
            port
            values (uint8 array, shape (cycles, ``port_bytes``)): Lowest byte first.
            expected, dumped: As for ``run``.
        """
        packed = self.packed(np.arange(len(values)), np.full(len(values), self.port_number(port)), values)
        return self._run(len(values), packed, expected, dumped=dumped)

    def packed(self, rows: np.ndarray, ports: np.ndarray, values: np.ndarray) -> PackedSettings:
        """Return settings of ports of one size.

        Parameters:
            rows (int array, shape (settings,))
            ports (int array, shape (settings,)): ``port_number`` of each.
            values (uint8 array, shape (settings, ``port_bytes``)): Lowest byte first.
        """
        packed = np.empty(len(rows), dtype=[("row", "<u4"), ("port", "<u4"), ("value", "u1", values.shape[1:])])
        packed["row"], packed["port"], packed["value"] = rows, ports, values
        return PackedSettings(len(rows), packed.tobytes())

    def port_number(self, port: str) -> int:
        """Return a port's number in the program."""
        return self._ports[port][0]

    def port_bytes(self, port: str) -> int:
        """Return the bytes of a port's value."""
        return self._ports[port][1]

    def _run(
        self, cycles: int, settings: PackedSettings, expected: np.ndarray | None, *, dumped: bool
    ) -> tuple[int, bytes] | None:
        if expected is not None and expected.shape != (cycles, self.row_bytes):
            raise ValueError(f"Expected rows are {expected.shape}; they must be of shape {(cycles, self.row_bytes)}")
        self._start_chunk(cycles, settings, expected, dumped=dumped)
        differs = self._end_chunk()
        return (differs, self._read(self.row_bytes)) if differs >= 0 else None

    def read(self, port: str) -> int:
        """Return the current value of a port."""
        number, size = self._ports[port]
        self._start_chunk(0, PackedSettings(0, b""), None, read=number)
        self._end_chunk()
        return int.from_bytes(self._read(size), "little")

    def _start_chunk(
        self,
        cycles: int,
        settings: PackedSettings,
        expected: np.ndarray | None,
        *,
        dumped: bool = False,
        read: int = _NO_PORT,
    ) -> None:
        header = struct.pack("<IIIII", cycles, expected is not None, dumped, read, settings.count)
        self._write(header + settings.data)
        if expected is not None:
            self._write(np.ascontiguousarray(expected).data.cast("B"))
        self._flush()

    def _end_chunk(self) -> int:
        """Return the first row that differs, or -1."""
        differs, self.cpu_seconds = struct.unpack("<id", self._read(12))
        return differs

    def _packed(self, row: int, port: str, value: int) -> PackedSettings:
        number, size = self._ports[port]
        return PackedSettings(1, struct.pack("<II", row, number) + value.to_bytes(size, "little"))

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
        kind = NotFromRegisters if NOT_FROM_REGISTERS in log else SimulatorFailed
        return kind(failure("verilator", f"did not finish: it {how_it_ended(code)}", log))


def row_text(row: bytes, bits: int) -> str:
    """Return a row as a string of '0' and '1', highest bit first, as a simulator prints ``observed``."""
    return format(int.from_bytes(row, "little"), f"0{bits}b")


RESET_CYCLES = 8


def set_hosts(bench: DirectBench, hosts: HostBehaviour, *, dumped: bool = False) -> None:
    """Set levels and seed of the hosts; no receiver is blocked. Takes a cycle."""
    levels = (("hosts_seed", hosts.seed), ("pause_level", hosts.pause_level), ("stall_level", hosts.stall_level))
    bench.run(1, [(0, name, value) for name, value in (*levels, ("blocked", 0))], dumped=dumped)


def reset(
    bench: DirectBench, table_words: Sequence[int] = (), cycles: int = RESET_CYCLES, *, dumped: bool = False
) -> None:
    """Load tables, if there are any, under reset; the next row is that of cycle 0.

    Parameters:
        cycles: Cycles of reset after the tables.
        dumped: Write these cycles into the waveform.
    """
    settings: list[Setting] = [(0, "message_valid", 0), (0, "rst", 1)]
    row = 0
    if table_words:
        settings += [(0, "tables_load", 0), (1, "tables_load", 1)]
        settings += [(1 + number, "tables_data", word) for number, word in enumerate(table_words)]
        row = 1 + len(table_words)
        settings.append((row, "tables_load", 0))
    settings.append((row + cycles, "rst", 0))
    bench.run(row + cycles + 1, settings, dumped=dumped)


def rest_counters(bench: DirectBench) -> None:
    """Stop counting without clearing. Takes a cycle."""
    bench.run(1, [(0, f"counters_{name}", 0) for name in ("clear", "address", "enable")])


def read_counters(bench: DirectBench, channels: int, addresses: Sequence[int]) -> list[int]:
    """Stop counting before this cycle ends, and return the counters at some addresses.

    Parameters:
        channels: Channels of the network.
    """
    bench.run(settling_cycles(channels), [(0, "counters_enable", 0)])
    seen = []
    for cycle in range(len(addresses) + READ_CYCLES):
        if cycle >= READ_CYCLES:
            seen.append(bench.read("counters_data"))
        bench.run(1, [(0, "counters_address", addresses[cycle])] if cycle < len(addresses) else [])
    return seen
