"""Builds a harness and the program around it (``bench.cpp``) into one, with Verilator.

Without cocotb no port has to be visible from outside, and the compiler may fold everything; such a program is built in
half of the time of a simulator for cocotb, and runs some five times as fast.
"""

import hashlib
import subprocess
from importlib.resources import files
from pathlib import Path

from hydranoc.lockstep.kept import find_or_build
from hydranoc.lockstep.limit import keep_within_limit
from hydranoc.lockstep.simulator import BenchSource, BuiltSimulator, SimulatorFailed
from hydranoc.lockstep.tools import VERILATOR_MAKE_VARIABLES, needed_for, tool_environment, version_of
from hydranoc.reports.failures import failure
from topology.common.trouble import how_it_ended

PROGRAM = "Vharness"
"""What ``bench.cpp`` calls the harness, whatever its name is."""
CLOCK = "clk"
_OPTIMISATION = ("OPT_FAST=-O1", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1")
_ARGUMENTS = (
    *("--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint"),
    *("--x-assign", "fast", "--x-initial", "fast", "--no-timing"),
    *("--no-assert-case", "-fno-case"),  # see hydranoc/lockstep/simulator.py
)


def ports_of(source: BenchSource) -> tuple[str, ...]:
    """Inputs that the program sets, by number; the clock it drives itself."""
    return tuple(name for name in source.public_inputs if name != CLOCK)


def build_directly(source: BenchSource, processes: int = 1) -> BuiltSimulator:
    """Build the program, or find it built.

    Parameters
    ----------
    source : BenchSource
        A lock-step harness.
    processes : int
        Compilers that run at the same time.

    Raises
    ------
    ToolMissing
        If a program is missing.
    SimulatorFailed
        If the build fails.
    MachineTrouble
        If the folder of simulators cannot be written.
    """
    tools = needed_for("verilator")
    version = version_of(tools[0])
    bench = (files("hydranoc.lockstep.direct") / "bench.cpp").read_text()
    ports = "".join(f"PORT({name}),\n" for name in ports_of(source))
    key = "\n".join([version, source.verilog, bench, ports, repr((_ARGUMENTS, _OPTIMISATION))])
    name = f"verilator-direct-{hashlib.sha256(key.encode()).hexdigest()[:24]}"

    def build(work: Path) -> None:
        for file, text in (("bench.v", source.verilog), ("bench.cpp", bench), ("ports.h", ports)):
            (work / file).write_text(text)
        variables = [f"{key}={value}" for key, value in VERILATOR_MAKE_VARIABLES.items()]
        command = [*tools[0].command, *_ARGUMENTS, "--top-module", source.top, "--prefix", PROGRAM, "-Mdir", str(work)]
        command += ["-CFLAGS", f"-I{work}", "-j", str(processes), "-MAKEFLAGS", " ".join([*variables, *_OPTIMISATION])]
        command += [str(work / "bench.v"), str(work / "bench.cpp")]
        _run(command, tool_environment(*tools))

    folder, seconds = find_or_build(name, PROGRAM, build)
    if seconds:
        keep_within_limit()
    return BuiltSimulator("verilator", source.top, folder, version, seconds, waves=False)


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        ending = f"did not build the network: it {how_it_ended(done.returncode)}"
        raise SimulatorFailed(failure("verilator", ending, done.stdout))
