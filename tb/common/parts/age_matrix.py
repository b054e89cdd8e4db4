"""Bench of the age matrix. Parameters: ``count``, ``cycles``, ``seed``."""

import random
from collections.abc import Sequence

import cocotb

from sim_model.parts.switch import AgeMatrixTwin, bit
from tb.common.parts.monitor import RuleBroken
from tb.common.parts.parameters import PROBABILITIES, instances, parameters_of
from tb.common.parts.twin_bench import TwinBench


def check_total_order(older: Sequence[int]) -> None:
    """Raise ``RuleBroken`` unless the matrix orders all its members in one row.

    Of n members in one order the oldest is older than n - 1 others, the next than n - 2, and so on.
    """
    for member, row in enumerate(older):
        if bit(row, member):
            raise RuleBroken(f"member {member} is older than itself")
    if sorted(row.bit_count() for row in older) != list(range(len(older))):
        raise RuleBroken(f"the ages {[bin(row) for row in older]} are not one order")


@cocotb.test()
@cocotb.parametrize(instance=instances())
async def random_entries(dut, instance: str):
    """Enter members in random order, some repeatedly; from reset on the matrix stores one total order."""
    parameters = parameters_of(instance)
    count, numbers = parameters["count"], random.Random(parameters["seed"])
    rows = [f"older.{member}" for member in range(count)]
    bench = TwinBench(dut, instance, AgeMatrixTwin(count), rows)
    await bench.reset()
    for idle in PROBABILITIES:
        for _ in range(parameters["cycles"]):
            enters = numbers.random() >= idle
            seen = await bench.step({"enter": 1 << numbers.randrange(count) if enters else 0})
            check_total_order([seen[row] for row in rows])
