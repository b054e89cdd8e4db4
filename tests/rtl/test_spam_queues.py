"""Output request queues against literal ones: one FIFO of input numbers per output (SPAM Sec. 3.2)."""

import random

import pytest

from rtl.spam.ocrq import OutputRequestQueues
from rtl.spam.split_enqueue import SplitRequestQueues
from tests.rtl.simulate import compare, member, run

CYCLES = 500


class LiteralQueues:
    """A user of the queues, and the queues as the paper has them.

    Inputs read headers, enqueue, are served and leave at random; ``step`` returns those that are first in all queues.
    """

    def __init__(self, ports, seed, *, atomic):
        self.ports, self.atomic = ports, atomic
        self.numbers = random.Random(seed)
        self.request = [0] * ports
        self.queued = [False] * ports
        self.pending = [0] * ports
        self.queues = [[] for _ in range(ports)]
        self.turn = 0

    def stimulus(self):
        self.looks_at = self.numbers.randrange(self.ports)
        looks = not self.queued[self.looks_at]  # otherwise it does not use the route unit
        self.leaving = [self._first_everywhere(i) and self.numbers.random() < 0.3 for i in range(self.ports)]
        self.found = self.numbers.randrange(1, 1 << self.ports) if looks else 0
        self.completes = looks and self.numbers.random() < 0.7
        values = {f"request.{i}": self.request[i] for i in range(self.ports)}
        values["queued"] = sum(queued << i for i, queued in enumerate(self.queued))
        if self.atomic:
            values["completed"] = int(self.completes) << self.looks_at
            values["release"] = sum(leaves << i for i, leaves in enumerate(self.leaving))
        return values

    def step(self, _inputs):
        granted = [self._first_everywhere(i) for i in range(self.ports)]
        if not self.atomic:
            self._enqueue_one()
        self._leave()
        self._look()
        return {"granted": sum(grant << i for i, grant in enumerate(granted))}

    def _outputs(self, mask):
        return [o for o in range(self.ports) if mask >> o & 1]

    def _first_everywhere(self, i):
        if not self.queued[i] or self.pending[i]:
            return False
        return all(self.queues[o][0] == i for o in self._outputs(self.request[i]))

    def _enqueue_one(self):
        for distance in range(self.ports):
            i = (self.turn + distance) % self.ports
            if self.queued[i] and self.pending[i]:
                output = min(self._outputs(self.pending[i]), key=lambda o: (o - i) % self.ports)
                self.queues[output].append(i)
                self.pending[i] &= ~(1 << output)
                self.turn = (i + 1) % self.ports
                return

    def _leave(self):
        for i, leaves in enumerate(self.leaving):
            if leaves:
                for o in self._outputs(self.request[i]):
                    self.queues[o].remove(i)
                self.queued[i], self.request[i] = False, 0

    def _look(self):
        """One input reads a header flit; sometimes it is not the last one, and only adds to the request."""
        i = self.looks_at
        self.request[i] |= self.found
        if self.completes:
            self.queued[i] = True
            if self.atomic:
                for o in self._outputs(self.request[i]):
                    self.queues[o].append(i)
            else:
                self.pending[i] = self.request[i]


@pytest.mark.parametrize("ports", [2, 3, 5, 8])
@pytest.mark.parametrize("atomic", [True, False])
def test_queues(ports, atomic):
    literal = LiteralQueues(ports, ports, atomic=atomic)
    part = OutputRequestQueues(ports) if atomic else SplitRequestQueues(ports)
    compare(part, literal, literal.stimulus, CYCLES)


@pytest.mark.parametrize("ports", [3, 5])
def test_first_is_known_for_every_granted_output(ports):
    """``first`` names at most one input per output, and the granted one if there is one."""
    literal, part = LiteralQueues(ports, ports, atomic=True), OutputRequestQueues(ports)

    async def testbench(ctx):
        for _ in range(CYCLES):
            for path, value in literal.stimulus().items():
                ctx.set(member(part, path), value)
            granted = literal.step({})["granted"]
            request = [ctx.get(member(part, f"request.{i}")) for i in range(ports)]
            for output in range(ports):
                first = ctx.get(member(part, f"first.{output}"))
                holders = sum((granted >> i & request[i] >> output & 1) << i for i in range(ports))
                assert first.bit_count() <= 1
                assert first == holders or not holders
            await ctx.tick()

    run(part, testbench)
