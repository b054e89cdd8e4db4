"""Builds the network with a simulator and runs noc_tests.py in it: ``pytest``, or ``python test_noc.py``.

SIM in the environment names the simulator: verilator, which is the default, or icarus.
"""

import os
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).parent
OWN = sorted([*HERE.glob("own/*.v"), *HERE.glob("own/*.sv")])
TOP = "system" if [*HERE.glob("own/system.v"), *HERE.glob("own/system.sv")] else "noc"
SIMULATOR = os.environ.get("SIM", "verilator")


def test_noc():
    runner = get_runner(SIMULATOR)
    runner.build(
        sources=[HERE / "noc" / "noc.v", *OWN],
        hdl_toplevel=TOP,
        build_dir=HERE / "sim_build" / f"pytest-{SIMULATOR}",
        build_args=os.environ.get("EXTRA_ARGS", "").split(),
        timescale=("1ns", "1ps"),
    )
    runner.test(hdl_toplevel=TOP, hdl_toplevel_lang="verilog", test_module="noc_tests", test_dir=HERE)


if __name__ == "__main__":
    test_noc()
