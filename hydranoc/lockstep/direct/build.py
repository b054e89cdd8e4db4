"""Build of a harness and the program around it (``bench.cpp``) into one, with Verilator.

Without cocotb no port has to be visible from outside, and neither Python nor VPI is linked: the program is built in a
third of the CPU time of a simulator for cocotb, and runs faster (figures in docs/look_up/simulators.md). Without
waveforms both edges of the clock count, so that one evaluation is a cycle.
"""

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, SimulatorFailed
from hydranoc.lockstep.block_build import has_blocks, split_blocks
from hydranoc.lockstep.blocks import Block, calls, evaluation, on_both_edges, wrapper
from hydranoc.lockstep.commands import Commands
from hydranoc.lockstep.direct import units
from hydranoc.lockstep.direct.cycle import OPTIONS, cycle_function
from hydranoc.lockstep.simulator_cache import build_once
from hydranoc.lockstep.tools import (
    AROUND_BLOCKS,
    FAST,
    MAKE_VARIABLES,
    SLOW,
    TIMESCALE,
    VERILATE,
    needed_for,
    tool_environment,
    version_of,
)
from hydranoc.reports.failures import failure
from hydranoc.reports.progress import Progress
from topology.common.errors import how_it_ended

PROGRAM = "Vharness"
"""Name of any harness in ``bench.cpp``."""
CLOCK, OBSERVED = "clk", "observed"


def ports_of(source: BenchSource) -> tuple[str, ...]:
    """Return the ports that the program sets or reads by number, without those that it handles in every cycle."""
    return tuple(name for name in (*source.public_inputs, *source.public_outputs) if name not in (CLOCK, OBSERVED))


def build_directly(
    source: BenchSource,
    processes: int | None = None,
    *,
    waves: bool = False,
    allow_blocks: bool = True,
    progress: Progress | None = None,
    commands: Commands | None = None,
) -> BuiltSimulator:
    """Build the program, or find it in the cache.

    Parameters:
        source: A lock-step harness.
        processes: Compilers that run at the same time; by default one per core.
        waves: Build it with waveforms.
        allow_blocks: False compiles every instance of every module separately.
        progress: Called if another process builds the same program.
        commands: Runs the programs, so that another thread can stop them.

    Raises:
        ToolMissing: If a program is missing.
        SimulatorFailed: If the build fails.
        MachineTrouble: If the folder of simulators cannot be written.
    """
    commands, processes = commands or Commands(), processes or os.cpu_count() or 1
    job = _Build(source, processes, commands, waves=waves, allow_blocks=allow_blocks)
    find = partial(build_once, job.name, PROGRAM, job.build, progress)
    folder, seconds = find()
    return BuiltSimulator("verilator", source.top, folder, job.version, seconds, waves, find)


class _Build:
    """Build of one program."""

    def __init__(self, source: BenchSource, processes: int, commands: Commands, *, waves: bool, allow_blocks: bool):
        self._tools, self._commands = needed_for("verilator"), commands
        self.version = version_of(self._tools[0])
        self._top, self._processes = source.top, processes
        self._verilog, self._blocks = source.verilog, list[Block]()
        if allow_blocks and has_blocks(source, waves=waves):
            self._verilog, self._blocks = split_blocks(source, source.verilog)
        if not waves:
            self._verilog = on_both_edges(self._verilog)
        ours = files("hydranoc.lockstep.direct")
        bench, *grouping = ((ours / name).read_text() for name in ("bench.cpp", "units.py", "cycle.py"))
        ports = "".join(f"PORT({name}),\n" for name in ports_of(source))
        self._texts = {"bench.v": self._verilog, "bench.cpp": bench, "ports.h": ports}
        self._options = ["--trace"] if waves else []
        self._options += AROUND_BLOCKS if self._blocks else ()
        texts = [*self._texts.values(), *(text for block in self._blocks for text in (wrapper(block), calls(block)))]
        key = "\n".join([self.version, *texts, *grouping, repr((VERILATE, FAST, SLOW, self._options))])
        self.name = f"verilator-direct-{hashlib.sha256(key.encode()).hexdigest()[:24]}"

    def build(self, work: Path) -> None:
        """Build in a folder."""
        for name, text in self._texts.items():
            (work / name).write_text(text)
        jobs = [(work, self._top, PROGRAM, "bench.v", ["--exe", *self._options, str(work / "bench.cpp")])]
        for block in self._blocks:
            folder = work / block.name
            folder.mkdir()
            (folder / "block.v").write_text(wrapper(block))
            (folder / "calls.cpp").write_text(calls(block))
            jobs.append((folder, block.name, f"V{block.name}", "block.v", [*OPTIONS]))
        with ThreadPoolExecutor(self._processes) as pool:
            list(pool.map(lambda job: self._verilate(*job), jobs))
        written = [work / "bench.cpp"]
        blocks: dict[str, bool] = {}
        for block in self._blocks:
            folder = work / block.name
            function = cycle_function(folder, f"V{block.name}")
            blocks[block.name] = function is None
            (folder / "cycle.cpp").write_text(evaluation(block) if function is None else function)
            written += [folder / "calls.cpp", folder / "cycle.cpp"]
        units.write_units(work, PROGRAM, PROGRAM, blocks, written)
        self._make(work)

    def _verilate(self, folder: Path, top: str, prefix: str, verilog: str, more: Sequence[str]) -> None:
        command = [*self._tools[0].command, "--cc", *VERILATE, "--timescale", "/".join(TIMESCALE)]
        command += ["--top-module", top, "--prefix", prefix, "-Mdir", str(folder), *more, str(folder / verilog)]
        self._run(command)

    def _make(self, work: Path) -> None:
        make = next(tool for tool in self._tools if tool.name == "make")
        options = ["-C", str(work), "-f", units.MAKEFILE, "-j", str(self._processes), *MAKE_VARIABLES]
        self._run([*make.command, *options, "program"])

    def _run(self, command: Sequence[str]) -> None:
        code, output = self._commands.run(command, tool_environment(*self._tools))
        if code:
            ending = f"did not build the network: it {how_it_ended(code)}"
            raise SimulatorFailed(failure("verilator", ending, output))
