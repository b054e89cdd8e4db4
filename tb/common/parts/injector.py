"""Bench of the message injector.

Parameters: ``flit_bits``, ``key_bits``, ``source_bits``, ``destinations`` (the header format), ``cycles``, ``seed``.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

from sim_model.parts.hosts import Descriptor, DescriptorFormat, MessageInjectorTwin
from tb.common.parts.monitor import LinkMonitor, RuleBroken, Scoreboard, check_rate
from tb.common.parts.parameters import Phase, parameters_of
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource, random_words
from tb.common.parts.twin_bench import TwinBench, all_phases, on_each_instance
from topology.common.flits import FlitFormat, HeaderFormat, bits_for

REGISTERED = ("message.ready", "link.valid", "link.payload")
MAX_BODY_FLITS = 9
STEADY_MESSAGES = 8
UNSOUND_PROBABILITY = 0.1


class InjectorBench:
    """Sources of descriptors and payload words, the injector with its twin, and a sink on the link."""

    def __init__(self, dut, instance: str):
        parameters = parameters_of(instance)
        self.numbers = random.Random(parameters["seed"])
        fields = (("key", parameters["key_bits"]), ("source", parameters["source_bits"]))
        self.header = HeaderFormat(fields, parameters["destinations"], parameters["flit_bits"])
        self.format = FlitFormat(parameters["flit_bits"])
        self.descriptors = DescriptorFormat(self.header)
        self.unsound_probability = UNSOUND_PROBABILITY
        self.messages = self._source(self._random_descriptors(), self.descriptors.width)
        words = random_words(self.numbers, parameters["flit_bits"])
        self.payload = self._source(words, parameters["flit_bits"])
        self.sink = StreamSink(PauseGenerator(self.numbers))
        self.link = LinkMonitor("link")
        self.frames = MessageFrames(self.format)
        self._longest_message_cycles = self.header.multicast_flits + MAX_BODY_FLITS + 1
        self.bench = TwinBench(dut, instance, MessageInjectorTwin(self.header), REGISTERED)

    def _source(self, items: Iterator[int], width: int) -> StreamSource:
        return StreamSource(items, width, PauseGenerator(self.numbers), self.numbers)

    def _random_descriptors(self) -> Iterator[int]:
        while True:
            count = self.numbers.randint(1, self.header.multicast_flits)
            header = tuple(self.numbers.getrandbits(self.header.flit_bits) for _ in range(count))
            descriptor = Descriptor(header, count + self.numbers.randint(0, MAX_BODY_FLITS))
            yield self.descriptors.pack(descriptor)
            if self.numbers.random() < self.unsound_probability:
                yield self._unsound(descriptor)

    def _unsound(self, descriptor: Descriptor) -> int:
        """Return a message without header, with too long a header, or shorter than its header: taken and not sent."""
        too_long = self.header.multicast_flits + 1
        wrong = [replace(descriptor, header=()), replace(descriptor, flits=len(descriptor.header) - 1)]
        if too_long < 1 << bits_for(too_long):  # the field can encode it
            wrong.append(Descriptor((0,) * too_long, too_long))
        return self.descriptors.pack(self.numbers.choice(wrong))

    async def step(self) -> dict[str, int]:
        """Run one cycle; return the injector's outputs."""
        message, payload = self.messages.offer(), self.payload.offer()
        ready = self.sink.offer()
        inputs = {"message.valid": message[0], "message.payload": message[1]}
        inputs |= {"payload.valid": payload[0], "payload.payload": payload[1], "link.ready": ready}
        seen = await self.bench.step(inputs)
        if self.link.observe(seen["link.valid"], seen["link.payload"], ready):
            self.frames.flit_moved(seen["link.payload"])
        self.sink.settle(seen["link.valid"], ready)
        word = self.payload.settle(seen["payload.ready"])
        if word is not None:
            self.frames.word_taken(word)
        descriptor = self.messages.settle(seen["message.ready"])
        if descriptor is not None and self._is_sound(descriptor):
            self.frames.descriptor_taken(self.descriptors.unpack(descriptor))
        return seen

    def _is_sound(self, descriptor: int) -> bool:
        header_flits, flits = self.descriptors.lengths(descriptor)
        return 1 <= header_flits <= self.header.multicast_flits and flits >= header_flits

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Run random traffic, then complete the current message."""
        for source in (self.messages, self.payload):
            source.pause.probability = phase.idle
        self.sink.pause.probability = phase.backpressure
        self.sink.waits_for_valid = phase.waits_for_valid
        self.link.start_phase()
        for _ in range(cycles):
            await self.step()
        if phase.waits_for_valid:
            self.link.check_progress()
        self.messages.stopped, self.payload.pause.probability = True, 0.0
        self.sink.flow_freely()
        for _ in range(self._longest_message_cycles * 2):  # one in progress, one offered
            await self.step()
        self.frames.check_complete()
        self.messages.stopped = False


class MessageFrames:
    """Assembles the expected link traffic from the descriptors and words that were taken."""

    def __init__(self, flit_format: FlitFormat):
        self._format = flit_format
        self._flits = Scoreboard("injector")
        self._body_left = 0

    def descriptor_taken(self, descriptor: Descriptor) -> None:
        """Begin a message; the one before must have ended."""
        self.check_complete()
        self._body_left = descriptor.flits - len(descriptor.header)
        for position, word in enumerate(descriptor.header):
            tail = position == descriptor.flits - 1
            self._flits.expect(self._format.pack(data=word, head=position == 0, tail=tail))

    def word_taken(self, word: int) -> None:
        """Add a body flit."""
        if self._body_left == 0:
            raise RuleBroken("injector: took a payload word beyond the message")
        self._body_left -= 1
        self._flits.expect(self._format.pack(data=word, head=False, tail=self._body_left == 0))

    def flit_moved(self, flit: int) -> None:
        """Check a flit that went into the network."""
        self._flits.receive(flit)

    def check_complete(self) -> None:
        """Raise ``RuleBroken`` if a message is incomplete."""
        if self._body_left:
            raise RuleBroken(f"injector: {self._body_left} body flits of the message were never loaded")
        self._flits.check_empty()


@on_each_instance(InjectorBench)
async def random_traffic(run: InjectorBench):
    """Every mixture of idle cycles and back-pressure."""
    await all_phases(run)


@on_each_instance(InjectorBench)
async def throughput(run: InjectorBench):
    """A message of L flits takes L + 1 cycles; its first flit moves in the cycle after its descriptor was taken."""
    accepted, moved = [], []
    run.unsound_probability = 0.0
    await run.step()  # nothing is ready in the first cycle
    while len(accepted) <= STEADY_MESSAGES:
        before = run.link.moved
        cycle = run.bench.cycle
        seen = await run.step()
        if seen["message.ready"]:
            accepted.append(cycle)
            moved.append(before)
        check_rate("link", run.link.moved, moved[-1] + cycle - accepted[-1], cycle + 1)
