"""Bench of the payload generator. Parameters: ``flit_bits``, ``cycles``, ``seed``."""

import random

import cocotb

from sim_model.parts.hosts import PatternSourceTwin
from tb.common.parts.monitor import RuleBroken
from tb.common.parts.parameters import instances, parameters_of, phases
from tb.common.parts.stream import PauseGenerator, StreamSink
from tb.common.parts.twin_bench import TwinBench
from topology.common.pattern import SEED_BITS, payload_word

START_PROBABILITY = 0.1
STEADY_CYCLES = 64
REGISTERED = ("words.valid", "words.payload")


@cocotb.test()
@cocotb.parametrize(instance=instances())
async def random_messages(dut, instance: str):
    """Messages of random length, some of no words at all, with every back-pressure."""
    parameters = parameters_of(instance)
    numbers = random.Random(parameters["seed"])
    bench = TwinBench(dut, instance, PatternSourceTwin(parameters["flit_bits"]), REGISTERED)
    sink = StreamSink(PauseGenerator(numbers))
    await bench.reset()
    for phase in phases():
        sink.pause.probability, sink.waits_for_valid = phase.backpressure, phase.waits_for_valid
        for _ in range(parameters["cycles"]):
            start = int(numbers.random() < START_PROBABILITY * (1 - phase.idle))
            ready = sink.offer()
            seen = await bench.step({"start": start, "seed": numbers.getrandbits(SEED_BITS), "words.ready": ready})
            sink.settle(seen["words.valid"], ready)


@cocotb.test()
@cocotb.parametrize(instance=instances())
async def throughput(dut, instance: str):
    """The first word in the cycle after start, then one word per cycle."""
    parameters = parameters_of(instance)
    bits, seed = parameters["flit_bits"], parameters["seed"]
    bench = TwinBench(dut, instance, PatternSourceTwin(bits), REGISTERED)
    await bench.reset()
    await bench.step({"start": 1, "seed": seed, "words.ready": 0})
    for index in range(STEADY_CYCLES):
        seen = await bench.step({"start": 0, "seed": 0, "words.ready": 1})
        if seen["words.payload"] != payload_word(seed, index, bits):
            raise RuleBroken(f"word {index} was not there {index + 1} cycles after start")
