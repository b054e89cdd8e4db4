"""Compilation of blocks with Verilator, each into an archive, before the network that calls them."""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hydranoc.lockstep.bench_source import SimulatorFailed
from hydranoc.lockstep.blocks import Block, calls, wrapper
from hydranoc.lockstep.tools import Tool, tool_environment
from hydranoc.reports.failures import failure


def compile_blocks(blocks: Sequence[Block], work: Path, arguments: Sequence[str], verilator: Tool) -> None:
    """Compile blocks, as many at a time as there are cores.

    Parameters
    ----------
    blocks : sequence of Block
    work : Path
        Parent of a folder for each block.
    arguments : sequence of str
        For Verilator.
    verilator : Tool

    Raises
    ------
    SimulatorFailed
        If Verilator or the compiler fails.
    """
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda block: _compile(block, work / block.name, arguments, verilator), blocks))


def linked_blocks(blocks: Sequence[Block], work: Path) -> list[str]:
    """Return Verilator's arguments to link compiled blocks to the network that calls them."""
    arguments: list[str] = []
    for block in blocks:
        folder = work / block.name
        arguments += [str(_calls_file(block, folder)), str(folder / f"V{block.name}__ALL.a"), "-CFLAGS", f"-I{folder}"]
    return arguments


def _calls_file(block: Block, folder: Path) -> Path:
    """Write the file with a block's functions, and return its path; names differ because all objects share a folder."""
    return folder / f"calls_{block.name}.cpp"


def _compile(block: Block, folder: Path, arguments: Sequence[str], verilator: Tool) -> None:
    folder.mkdir()
    verilog, log = folder / f"{block.name}.v", folder / "build.log"
    verilog.write_text(wrapper(block))
    _calls_file(block, folder).write_text(calls(block))
    command = [*verilator.command, "--cc", "--build", "-Mdir", str(folder), "--top-module", block.name]
    command += ["--prefix", f"V{block.name}", *arguments, str(verilog)]
    with log.open("w") as output:
        answer = subprocess.run(command, stdout=output, stderr=output, env=tool_environment(verilator), check=False)
    if answer.returncode:
        raise SimulatorFailed(failure("verilator", f"did not build {block.module}", log.read_text(errors="replace")))
