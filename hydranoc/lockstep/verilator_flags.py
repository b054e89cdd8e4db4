"""Verilator's options that all simulators share."""

from hydranoc.lockstep.tools import VERILATOR_MAKE_VARIABLES

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
