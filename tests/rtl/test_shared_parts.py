"""Every shared part next to its golden twin under random stimuli, in Amaranth's own simulator."""

import random

import pytest

from rtl.parts.arbiter import AgeMatrix, RoundRobinArbiter
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.ejector import MessageEjector
from rtl.parts.injector import MessageInjector
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.pattern_source import PatternSource
from sim_model.parts.hosts import (
    Descriptor,
    DescriptorFormat,
    MessageEjectorTwin,
    MessageInjectorTwin,
    PatternSourceTwin,
)
from sim_model.parts.switch import AgeMatrixTwin, InputBufferTwin, ReplicatingCrossbarTwin, RoundRobinArbiterTwin
from tests.rtl.simulate import compare
from topology.common.flits import FlitFormat, HeaderFormat

CYCLES = 300


def chance(numbers, probability=0.6):
    return int(numbers.random() < probability)


@pytest.mark.parametrize(
    ("depth", "header_flits", "decoded_bits"),
    [(1, 1, 0), (2, 1, 3), (3, 1, 0), (8, 1, 3), (2, 2, 0), (4, 3, 3), (5, 4, 0), (8, 8, 3)],
)
def test_input_buffer(depth, header_flits, decoded_bits):
    numbers, twin = random.Random(depth), InputBufferTwin(depth, header_flits, decoded_bits)

    def stimulus():
        inputs = {"link.valid": chance(numbers), "link.payload": numbers.getrandbits(10), "pop": 0}
        if decoded_bits:
            inputs["arriving_decoded"] = numbers.getrandbits(decoded_bits)
        if header_flits == 1:
            return {**inputs, "pop": int(twin.present and chance(numbers))}
        visible = twin.readable or (inputs["link.valid"] and twin.ready and twin.cursor == len(twin.entries))
        reads_on = visible and twin.cursor < header_flits - 1
        at_front = chance(numbers, 0.3 if reads_on else 0.9)
        pop = int(at_front and twin.present and chance(numbers))
        return {**inputs, "at_front": at_front, "pop": pop, "advance": int(not at_front and reads_on)}

    compare(InputBuffer(8, depth, header_flits, decoded_bits), twin, stimulus, CYCLES)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_round_robin_arbiter(count):
    numbers = random.Random(count)

    def stimulus():
        return {"eligible": numbers.getrandbits(count) & numbers.getrandbits(count)}

    compare(RoundRobinArbiter(count), RoundRobinArbiterTwin(count), stimulus, CYCLES)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_age_matrix(count):
    numbers = random.Random(count)

    def stimulus():
        return {"enter": chance(numbers) << numbers.randrange(count)}

    compare(AgeMatrix(count), AgeMatrixTwin(count), stimulus, CYCLES)


@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (3, 2), (5, 5)])
def test_crossbar(inputs, outputs):
    numbers, twin = random.Random(inputs), ReplicatingCrossbarTwin(inputs, outputs)

    def stimulus():
        ready = [chance(numbers) for _ in range(outputs)]
        values = {f"flits.{i}": numbers.getrandbits(10) for i in range(inputs)}
        values |= {f"select.{o}": 1 << numbers.randrange(inputs) for o in range(outputs)}
        values |= {f"links.{o}.ready": ready[o] for o in range(outputs)}
        return {**values, "load": twin.free(ready) & numbers.getrandbits(outputs)}

    compare(ReplicatingCrossbar(8, inputs, outputs), twin, stimulus, CYCLES)


@pytest.mark.parametrize(("destinations", "flit_bits"), [(3, 16), (20, 16), (40, 8)])
def test_injector(destinations, flit_bits):
    header = HeaderFormat((("lca", 5), ("source", 4)), destinations, flit_bits)
    numbers, descriptors = random.Random(destinations), DescriptorFormat(header)

    def stimulus():
        words = tuple(numbers.getrandbits(flit_bits) for _ in range(numbers.randint(1, header.multicast_flits)))
        descriptor = Descriptor(words[numbers.random() < 0.1 :], max(0, len(words) + numbers.choice((-1, 0, 0, 1, 5))))
        return {
            "message.valid": chance(numbers),
            "message.payload": descriptors.pack(descriptor),
            "payload.valid": chance(numbers, 0.8),
            "payload.payload": numbers.getrandbits(flit_bits),
            "link.ready": chance(numbers, 0.8),
        }

    compare(MessageInjector(header), MessageInjectorTwin(header), stimulus, CYCLES)


@pytest.mark.parametrize("readiness", [0.3, 1.0])
def test_ejector(readiness):
    numbers = random.Random(1)

    def stimulus():
        flit = FlitFormat(8).pack(data=numbers.getrandbits(8), head=bool(chance(numbers)), tail=bool(chance(numbers)))
        return {"link.valid": chance(numbers), "link.payload": flit, "user.ready": chance(numbers, readiness)}

    compare(MessageEjector(8), MessageEjectorTwin(), stimulus, CYCLES)


@pytest.mark.parametrize("flit_bits", [8, 32, 33, 512])
def test_pattern_source(flit_bits):
    numbers = random.Random(flit_bits)

    def stimulus():
        return {"start": chance(numbers, 0.1), "seed": numbers.getrandbits(32), "words.ready": chance(numbers)}

    compare(PatternSource(flit_bits), PatternSourceTwin(flit_bits), stimulus, CYCLES)
