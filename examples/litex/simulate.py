"""Builds the SoC and runs the tests of bench.py on it in Verilator.

``python simulate.py wishbone`` builds the SoC with a bus of the other standard.
"""

import os
import sys

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
from soc import RESULTS, build

# LiteX relies on the language's rules for widths, and writes combinational logic with <=
WAIVED = ("WIDTH", "COMBDLY", "CASEINCOMPLETE", "CASEOVERLAP")


def simulate(*bus_standard: str) -> int:
    """Returns how many tests have failed."""
    folder = RESULTS / "-".join(("simulation", *bus_standard))
    runner = get_runner("verilator")
    runner.build(
        sources=build(*bus_standard),
        hdl_toplevel="soc",
        build_dir=folder,
        build_args=[*(f"-Wno-{name}" for name in WAIVED), *os.environ.get("EXTRA_ARGS", "").split()],
        timescale=("1ns", "1ps"),
    )
    results = runner.test(hdl_toplevel="soc", hdl_toplevel_lang="verilog", test_module="bench", test_dir=folder)
    tests, failed = get_results(results)
    print(f"{'FAIL' if failed else 'PASS'}: {tests - failed} of {tests} tests")
    return failed


if __name__ == "__main__":
    sys.exit(simulate(*sys.argv[1:]) > 0)
