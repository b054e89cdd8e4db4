"""Verilog simulators for cocotb: build them, and run benches in them.

A built simulator is cached by the content of its Verilog, so that comparing one network under many
loads builds it once. The cache is HYDRANOC_CACHE, default the user's cache folder.
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from cocotb_tools.runner import Icarus, Runner, Verilator

from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.block_build import compile_blocks, has_blocks, linked_blocks, split_blocks
from hydranoc.lockstep.blocks import NOT_FROM_REGISTERS, Block, calls, wrapper
from hydranoc.lockstep.kept import in_use
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

WAVE_FILE = {"verilator": "waves.vcd", "icarus": "waves.fst"}
# Verilator ignores $dumpoff: a waveform has a first cycle, and ends with the run.
_WAVES = """
  integer wave_cycle = 0;
  integer wave_first = 0;
  initial begin
    $dumpfile("{file}");
    if (!$value$plusargs("wave_first=%d", wave_first)) wave_first = -1;
    if (wave_first == 0) $dumpvars(0, {top});
  end
  always @(negedge clk) begin
    wave_cycle <= wave_cycle + 1;
    if (wave_first > 0 && wave_cycle == wave_first) $dumpvars(0, {top});
  end
"""


class LeanVerilator(Verilator):
    """cocotb's Verilator runner without ``--public-flat-rw``.

    That flag makes every signal visible to the bench and more than halves the speed. The few ports that
    the bench uses are named in a control file instead.
    """

    def _build_command(self):
        verilate, _make = super()._build_command()
        verilate = [argument for argument in verilate if argument != "--public-flat-rw"]
        return [[*verilate, "--build", "-j", str(os.cpu_count() or 1)]]


def _control_file(source: BenchSource) -> str:
    lines = ["`verilator_config"]
    lines += [f'public_flat_rw -module "{source.top}" -var "{port}"' for port in source.public_inputs]
    lines += [f'public_flat_rd -module "{source.top}" -var "{port}"' for port in source.public_outputs]
    for module, signal in source.forced:
        lines += [f'{rule} -module "{module}" -var "{signal}"' for rule in ("public_flat_rw", "forceable")]
    return "\n".join(lines) + "\n"


def _with_waves(source: BenchSource, simulator: str) -> str:
    """Return the Verilog with a waveform from cycle ``wave_first`` (a plus-argument, counted from time 0) on."""
    start = source.verilog.index(f"module {source.top}(")
    end = source.verilog.index("endmodule", start)
    waves = _WAVES.format(file=WAVE_FILE[simulator], top=source.top)
    return source.verilog[:end] + waves + source.verilog[end:]


def _verilator_arguments() -> list[str]:
    variables = (*MAKE_VARIABLES, f"OPT_FAST={FAST}", f"OPT_SLOW={SLOW}", f"OPT_GLOBAL={FAST}")
    return ["-MAKEFLAGS", " ".join(variables), *VERILATE]


def build_simulator(
    source: BenchSource,
    simulator: str,
    *,
    waves: bool,
    progress: Progress | None = None,
    allow_blocks: bool = True,
) -> BuiltSimulator:
    """Build a simulator, or find it in the cache. Processes that need the same one build it once.

    Parameters:
        simulator: ``verilator`` or ``icarus``.
        waves: Build it with waveforms.
        allow_blocks: False compiles every instance of every module separately.

    Raises:
        MachineTrouble: If the folder of simulators cannot be written.
        ToolMissing: If a program is missing.
        SimulatorFailed: If the build fails.
    """
    tools = needed_for(simulator)
    version = version_of(tools[0])
    verilator = simulator == "verilator"
    control = _control_file(source) if verilator else ""
    verilog = _with_waves(source, simulator) if waves else source.verilog
    blocks: list[Block] = []
    if verilator and allow_blocks and has_blocks(source, waves=waves):
        verilog, blocks = split_blocks(source, verilog)
    texts = [text for block in blocks for text in (wrapper(block), calls(block))]
    arguments = repr((_verilator_arguments(), AROUND_BLOCKS))
    # a simulator is linked to cocotb's libraries in the environment that built it: another environment builds its own
    key = "\n".join([version, verilog, *texts, control, arguments, str(waves), sys.version, sys.prefix])
    name = f"{simulator}-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
    program = source.top if verilator else "sim.vvp"

    def build(work: Path) -> None:
        (work / "bench.v").write_text(verilog)
        sources = [work / "bench.v"]
        if control:
            (work / "bench.vlt").write_text(control)
            sources.insert(0, work / "bench.vlt")
        more = ["-g2005"]
        if verilator:
            compile_blocks(blocks, work, _verilator_arguments(), tools[0])
            more = [*_verilator_arguments(), *linked_blocks(blocks, work), *(["--trace"] if waves else [])]
            more += AROUND_BLOCKS if blocks else []
        with _environment(tool_environment(*tools)):
            _run_build(source.top, simulator, sources, work, more)

    find = partial(build_once, name, program, build, progress)
    folder, seconds = find()
    return BuiltSimulator(simulator, source.top, folder, version, seconds, waves, find)


def _runner(simulator: str) -> Runner:
    return LeanVerilator() if simulator == "verilator" else Icarus()


def _run_build(top: str, simulator: str, sources: list[Path], work: Path, arguments: list[str]) -> None:
    log = work / "build.log"
    try:
        _runner(simulator).build(
            sources=sources,
            hdl_toplevel=top,
            build_dir=work,
            build_args=arguments,
            timescale=TIMESCALE,
            log_file=log,
        )
    except (RuntimeError, SystemExit, OSError) as error:
        raise SimulatorFailed(failure(simulator, "did not build the network", _said(log, error))) from error


def _ending(error: BaseException) -> str:
    """Return the ending of a simulator that did not finish; cocotb's runners exit with its return code."""
    code = error.code if isinstance(error, SystemExit) else None
    return f"did not finish: it {how_it_ended(code)}" if isinstance(code, int) and code < 0 else "did not finish"


def _said(log: Path, error: BaseException) -> str:
    return log.read_text(errors="replace") if log.exists() else str(error)


@contextlib.contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Set environment variables of this process, from which cocotb's runners find programs.

    Other threads may run meanwhile: only these variables are restored.
    """
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


_BENCH_VARIABLES = {
    "COCOTB_LOG_LEVEL": "WARNING",
    # pytest's rewriting of assertions would compile every imported module anew, at ten seconds a run
    "COCOTB_REWRITE_ASSERTION_FILES": "",
}


def run_bench(
    built: BuiltSimulator,
    module: str,
    variables: dict[str, str],
    folder: Path,
    wave_first: int | None = None,
) -> Path | None:
    """Run a cocotb bench in a built simulator.

    Parameters:
        module: Python module of the bench.
        variables: Environment variables for the bench.
        folder: Folder for log and waveform.
        wave_first: First cycle of the waveform, counted from time 0; None writes none. The simulator must be built for
            waves.

    Returns:
        The waveform, if requested.

    Raises:
        NotFromRegisters: If it has an invalid block.
        SimulatorFailed: If the simulator ends with another error.
    """
    tools = needed_for(built.name)
    runner = _runner(built.name)
    log = folder / "simulation.log"
    environment = {**tool_environment(*tools), **variables, **_BENCH_VARIABLES}
    with in_use(built.folder, built.rebuild), _environment(environment):
        runner.build_dir = built.folder
        try:
            runner.test(
                test_module=module,
                hdl_toplevel=built.top,
                hdl_toplevel_lang="verilog",
                build_dir=built.folder,
                test_dir=folder,
                results_xml=str(folder / "results.xml"),
                waves=wave_first is not None and built.name == "icarus",  # chooses the format only
                plusargs=[] if wave_first is None else [f"+wave_first={wave_first}"],
                log_file=log,
            )
        except (RuntimeError, SystemExit, OSError) as error:
            said = _said(log, error)
            kind = NotFromRegisters if NOT_FROM_REGISTERS in said else SimulatorFailed
            raise kind(failure(built.name, _ending(error), said)) from error
    wave = folder / WAVE_FILE[built.name]
    return wave if wave_first is not None and wave.exists() else None
