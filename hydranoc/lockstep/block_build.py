"""Networks that are compiled in blocks: their choice, and the compilation of each block into an archive."""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hydranoc.lockstep.bench_source import BenchSource, SimulatorFailed
from hydranoc.lockstep.blocks import Block, VerilogModules, blocks_of, calls, evaluation, network_with_calls, wrapper
from hydranoc.lockstep.tools import Tool, tool_environment
from hydranoc.reports.failures import failure

# From this number of routers, or bytes of Verilog in all instances, repeated modules are compiled once: such code is
# built quickly, and stays in the processor's caches. Little Verilog runs faster as it is: 16 routers of a torus (2.3
# MB) and 32 of SPAM (2.8 MB) by a tenth, but these take twice as long to build (docs/look_up/simulators.md).
BLOCKS_FROM_ROUTERS = 80
BLOCKS_FROM_BYTES = 2_000_000
# The insides of blocks are not in waveforms. So a simulator that writes one has none, unless the network is so large
# that its build would take hours.
WHOLE_WAVES_ROUTERS = 128


def has_blocks(source: BenchSource, *, waves: bool) -> bool:
    """Return True if repeated modules are better compiled once than per instance."""
    if not source.shapes or (waves and source.routers <= WHOLE_WAVES_ROUTERS):
        return False
    return (
        source.routers >= BLOCKS_FROM_ROUTERS
        or VerilogModules(source.verilog).instantiated_bytes(source.top) >= BLOCKS_FROM_BYTES
    )


def split_blocks(source: BenchSource, verilog: str) -> tuple[str, list[Block]]:
    """Split Verilog into the network and its blocks.

    Parameters:
        source: Source with the names of the modules that become blocks.
        verilog: Its Verilog, possibly with additions to its top.

    Returns:
        network (str): Verilog that calls the blocks.
        blocks (list of Block)
    """
    modules = VerilogModules(verilog)
    blocks = blocks_of(modules, source.top, source.shapes)
    return network_with_calls(modules, source.top, blocks), blocks


def compile_blocks(blocks: Sequence[Block], work: Path, arguments: Sequence[str], verilator: Tool) -> None:
    """Compile blocks, as many at a time as there are cores.

    Parameters:
        work: Parent of a folder for each block.
        arguments: For Verilator.

    Raises:
        SimulatorFailed: If Verilator or the compiler fails.
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
    _calls_file(block, folder).write_text(calls(block) + evaluation(block))
    command = [*verilator.command, "--cc", "--build", "-Mdir", str(folder), "--top-module", block.name]
    command += ["--prefix", f"V{block.name}", *arguments, str(verilog)]
    with log.open("w") as output:
        answer = subprocess.run(command, stdout=output, stderr=output, env=tool_environment(verilator), check=False)
    if answer.returncode:
        raise SimulatorFailed(failure("verilator", f"did not build {block.module}", log.read_text(errors="replace")))
