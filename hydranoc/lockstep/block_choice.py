"""Choice of networks that are compiled in blocks, and their split."""

from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.blocks import Block, blocks_of, network_with_calls
from hydranoc.lockstep.verilog_modules import VerilogModules

# From this number of routers, or bytes of Verilog in all instances, repeated modules are compiled once: such
# code is built quickly, and stays in the processor's caches. Less Verilog runs faster as it is: 64 routers of SPAM have
# 6.6 MB and run at 2.7 times the speed of blocks, those of a torus have 9.1 MB and run at 0.9 times.
BLOCKS_FROM_ROUTERS = 80
BLOCKS_FROM_BYTES = 8_000_000
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

    Parameters
    ----------
    source : BenchSource
        Source with the names of the modules that become blocks.
    verilog : str
        Its Verilog, possibly with additions to its top.

    Returns
    -------
    network : str
        Verilog that calls the blocks.
    blocks : list of Block
    """
    modules = VerilogModules(verilog)
    blocks = blocks_of(modules, source.top, source.shapes)
    return network_with_calls(modules, source.top, blocks), blocks
