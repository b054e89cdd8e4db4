"""A top in Icarus: a bench in Verilog that gets rows of inputs and expected bits through a pipe, in blocks."""

import contextlib
import hashlib
import struct
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hydranoc.errors import reason
from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, SimulatorFailed
from hydranoc.lockstep.kept import in_use
from hydranoc.lockstep.rows.subject import RowSubject
from hydranoc.lockstep.simulator_cache import build_once
from hydranoc.lockstep.tools import needed_for, tool_environment, version_of
from hydranoc.reports.failures import failure
from hydranoc.reports.progress import Progress
from topology.common.errors import how_it_ended

PROGRAM, BENCH = "sim.vvp", "row_bench"
CLOSING_SECONDS = 60.0
"""Longest wait for the end of a waveform."""
ANSWER = b"differs "
"""Beginning of the lines that answer a block."""
# A block is: cycles, compared, dumped (uint32 each, highest byte first), then the inputs and, if compared, the expected
# bits of each cycle, highest byte first. The answer is the first row that differs, or -1, and then its observed bits.
# Row n lasts from 10 n to 10 n + 10 ns, with the falling edge of the clock in the middle, where inputs are set.
_BENCH = """
`timescale 1ns / 1ps
module {bench};
  reg clk = 0;
  reg [{given_bits}:0] row = 0, next;
  reg [{row_bits}:0] expected = 0;
  wire [{observed_bits}:0] observed;
  reg [31:0] cycles, compared, dumped;
  reg waves = 0;
  integer source, got, line, differs;
  {top} dut (.clk(clk), .given(row[{used_bits}:0]), .observed(observed));
  initial begin
    source = 32'h8000_0000;
    got = $fread(cycles, source);
    while (got == 4) begin
      got = $fread(compared, source);
      got = $fread(dumped, source);
      differs = -1;
      if (dumped != 0 && !waves) begin
        waves = 1;
        $dumpfile("{wave}");
        $dumpvars(0, dut);
      end
      for (line = 0; line < cycles; line = line + 1) begin
        #5 got = $fread(next, source);
        if (compared != 0) got = $fread(expected, source);
        if (differs < 0 && compared != 0 && observed !== expected[{observed_bits}:0]) differs = line;
        if (differs < 0) begin
          clk = 0;
          row = next;
          #5 clk = 1;
        end
      end
      $display("differs %0d", differs);
      if (differs >= 0) $display("differs %b", observed);
      $fflush;
      got = $fread(cycles, source);
    end
    $finish;
  end
endmodule
"""


def wave_file(subject: RowSubject) -> str:
    """Return the name of the waveform's file."""
    return f"{subject.name}.fst"


def build_icarus(source: BenchSource, subject: RowSubject, progress: Progress | None = None) -> BuiltSimulator:
    """Build a top with its bench, or find it in the cache.

    Parameters:
        source: With the ports ``clk``, ``given`` and ``observed``.
        subject
        progress: Called if another process builds it.

    Raises:
        ToolMissing: If Icarus is missing.
        SimulatorFailed: If the build fails.
        MachineTrouble: If the folder of simulators cannot be written.
    """
    (tool,) = needed_for("icarus")
    version = version_of(tool)
    given, observed = subject.fields.input_packing.bits, subject.fields.observed_packing.bits
    bench = _BENCH.format(
        bench=BENCH,
        top=source.top,
        given_bits=8 * subject.fields.input_packing.row_bytes - 1,
        row_bits=8 * subject.fields.observed_packing.row_bytes - 1,
        used_bits=given - 1,
        observed_bits=observed - 1,
        wave=wave_file(subject),
    )
    text = source.verilog + bench
    digest = hashlib.sha256("\n".join((version, text)).encode()).hexdigest()
    name = f"icarus-{subject.name}-{digest[:24]}"

    def build(work: Path) -> None:
        (work / "bench.v").write_text(text)
        command = [*tool.command, "-g2005", "-s", BENCH, "-o", str(work / PROGRAM), str(work / "bench.v")]
        answer = subprocess.run(command, env=tool_environment(tool), capture_output=True, text=True, check=False)
        if answer.returncode:
            ending = f"did not build the {subject.title}: it {how_it_ended(answer.returncode)}"
            raise SimulatorFailed(failure("icarus", ending, answer.stdout + answer.stderr))

    find = partial(build_once, name, PROGRAM, build, progress)
    folder, seconds = find()
    return BuiltSimulator("icarus", BENCH, folder, version, seconds, waves=True, rebuild=find)


class IcarusBench:
    """A running bench; close it, or use it as a context.

    Parameters:
        built: Result of ``build_icarus``.
        wave: File of the waveform, which is written into its folder.

    Members:
        cpu_seconds: Unknown, 0.
        wave (Path): File of the waveform.

    Raises:
        SimulatorFailed: From every method if the process has ended.
    """

    cpu_seconds = 0.0

    def __init__(self, built: BuiltSimulator, wave: Path):
        self.wave = wave.absolute()
        self._held = contextlib.ExitStack()
        self._held.enter_context(in_use(built.folder, built.rebuild))
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        command = ["vvp", "-n", str(built.folder / PROGRAM), "-fst"]
        try:
            self._process = subprocess.Popen(
                command,
                cwd=self.wave.parent,
                env=tool_environment(*needed_for("icarus")),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                bufsize=1 << 20,
            )
        except OSError as error:
            self._log.close()
            self._held.close()
            raise SimulatorFailed(f"vvp did not start: {reason(error)}") from None

    def __enter__(self) -> "IcarusBench":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; a waveform is complete then."""
        with contextlib.suppress(OSError):
            self._stream("stdin").close()
        try:
            self._process.wait(timeout=CLOSING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stream("stdout").close()
        self._log.close()
        self._held.close()

    def run(
        self, given: np.ndarray, expected: np.ndarray | None = None, *, dumped: bool = False
    ) -> tuple[int, str] | None:
        """Run a block of cycles, or up to the first row that differs from the expected one.

        Parameters:
            given (uint8 array, shape (cycles, bytes)): Inputs, lowest bit first.
            expected (uint8 array, shape (cycles, bytes), or None): Observed bits; None compares nothing.
            dumped: Write the waveform from here on.

        Returns:
            The first row that differs, and the hardware's bits in it, highest first.
        """
        parts = [given] if expected is None else [given, expected]
        rows = np.concatenate([part[:, ::-1] for part in parts], axis=1)
        try:
            self._stream("stdin").write(struct.pack(">III", len(given), expected is not None, dumped) + rows.tobytes())
            self._stream("stdin").flush()
        except OSError:
            raise self._ended() from None
        differs = int(self._answer())
        return None if differs < 0 else (differs, self._answer().lower().replace("z", "x"))

    def _answer(self) -> str:
        """Return the next answer; other lines are of the simulator itself."""
        for line in self._stream("stdout"):
            if line.startswith(ANSWER):
                return line.removeprefix(ANSWER).decode().strip()
        raise self._ended()

    def _stream(self, name: str) -> Any:
        return getattr(self._process, name)

    def _ended(self) -> SimulatorFailed:
        code = self._process.wait()
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        return SimulatorFailed(failure("icarus", f"did not finish: it {how_it_ended(code)}", log))
