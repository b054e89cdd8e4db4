"""Bench of the round-robin arbiter. Parameters: ``count``, ``cycles``, ``seed``."""

import random

import cocotb

from sim_model.parts.switch import RoundRobinArbiterTwin, bit
from tb.common.parts.monitor import RuleBroken
from tb.common.parts.parameters import instances, parameters_of, phases
from tb.common.parts.twin_bench import TwinBench


class FairnessCheck:
    """A requester that stays eligible is granted before any other is granted twice.

    Parameters:
        count: Number of requesters.
    """

    def __init__(self, count: int):
        self._passed_over = [0] * count

    def observe(self, eligible: int, chosen: int) -> None:
        """Check one cycle; raise ``RuleBroken`` if the grant is wrong or unfair."""
        if chosen & chosen - 1 or chosen & ~eligible or bool(chosen) != bool(eligible):
            raise RuleBroken(f"of the eligible {eligible:#b} not one was chosen but {chosen:#b}")
        for requester, passed_over in enumerate(self._passed_over):
            waits = bit(eligible, requester) and not bit(chosen, requester)
            self._passed_over[requester] = passed_over + 1 if waits else 0
            if self._passed_over[requester] == len(self._passed_over):
                raise RuleBroken(f"requester {requester} was passed over {passed_over + 1} times in a row")


@cocotb.test()
@cocotb.parametrize(instance=instances())
async def random_requests(dut, instance: str):
    """Request with the probability of a busy source; most requests stay until they are granted."""
    parameters = parameters_of(instance)
    count, numbers = parameters["count"], random.Random(parameters["seed"])
    bench, fairness = TwinBench(dut, instance, RoundRobinArbiterTwin(count)), FairnessCheck(count)
    await bench.reset()
    eligible = 0
    for phase in phases():
        for _ in range(parameters["cycles"]):
            eligible |= sum(1 << requester for requester in range(count) if numbers.random() >= phase.idle)
            eligible &= ~sum(1 << requester for requester in range(count) if numbers.random() < phase.backpressure / 4)
            seen = await bench.step({"eligible": eligible})
            fairness.observe(eligible, seen["chosen"])
            eligible &= ~seen["chosen"]
