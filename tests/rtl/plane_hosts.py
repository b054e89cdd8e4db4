"""Planes in Amaranth's simulator, with hosts that contribute at random and check every result."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rtl.collectives.parameters import PlaneParameters
from rtl.collectives.plan import PlanePlan
from rtl.collectives.plane import PlaneTop
from tests.rtl.simulate import run
from topology.collectives.operators import combine
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree

CHAIN = PlaneTree({0: None, 1: 0, 2: 1}, (0, 1, 2, 2))
STAR = PlaneTree({0: None, 1: 0, 2: 0, 3: 0}, (1, 2, 3, 0, 3))
SQUARE = PlaneTree({0: None, 1: 0, 2: 0, 3: 1}, (0, 1, 2, 3))
ONE = PlaneTree({0: None}, (0,))
QUIET_CYCLES = 40


def plane_plan(tree: PlaneTree, groups: Sequence[Sequence[int]], **parameters: Any) -> PlanePlan:
    """Return the plan of a plane."""
    return PlanePlan(PlaneTables(tree, groups_of(groups)), PlaneParameters(len(groups), **parameters))


class Hosts:
    """Drives all endpoints, and collects what comes out.

    Every member calls its operations in order: it requests a barrier when all earlier ones have begun.

    calls: Beats and barriers of each member to come: group, operator, word, last; or group alone.
    results: Words of each member and group, with last and error.
    requested, done: Barriers of each member and group.
    log: Cycle of every result and end of a barrier.
    """

    def __init__(self, plan: PlanePlan, seed: int = 1, pause: float = 0.0, stall: float = 0.0):
        self.plan, self.random = plan, random.Random(seed)
        self.pause, self.stall = pause, stall
        self.top: Any = PlaneTop(plan)
        self.members = tuple(plan.processor_branches)
        self.calls: dict[int, deque[tuple[int, ...]]] = {i: deque() for i in self.members}
        self.requested = {i: [0] * plan.parameters.groups for i in self.members}
        self.results: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        self.done = {i: [0] * plan.parameters.groups for i in self.members}
        self.failed_barriers: list[int] = []
        self.log: list[int] = []
        self.inputs: dict[str, int] = {}
        self.cycle = 0
        self._later: list[tuple[int, Callable[[], None]]] = []
        self._masks: dict[str, int] = {}
        self._active = 0
        self._offered: dict[int, bool] = dict.fromkeys(self.members, False)

    def port(self, name: str) -> Any:
        """Return a port of the top."""
        return getattr(self.top, name)

    def at(self, cycle: int, name: str, value: int) -> None:
        """Set an input of the plane from some cycle on."""
        self._later.append((cycle, lambda: self.inputs.__setitem__(name, value)))

    def at_call(self, cycle: int, member: int, group: int) -> None:
        """Call a barrier in some cycle, although others are not over."""

        def call() -> None:
            self.requested[member][group] = self.done[member][group]
            self.call_barrier(member, group)

        self._later.append((cycle, call))

    def masks(self, name: str) -> dict[int, int]:
        """Return an error mask of every switch at the end."""
        return {switch: self._masks[f"{name}_s{switch}"] for switch in self.plan.shapes}

    def contribute(self, member: int, group: int, operator: int, words: list[int]) -> None:
        """Call an operation with words."""
        for k, word in enumerate(words):
            self.calls[member].append((group, operator, word, k == len(words) - 1))

    def call_barrier(self, member: int, group: int) -> None:
        """Call a barrier."""
        self.calls[member].append((group,))

    def step(self, ctx: Any) -> None:
        """Set the inputs of a cycle, and read the outputs."""
        plane = self.plan.parameters
        for cycle, change in self._later:
            if cycle == self.cycle:
                change()
        for i in self.members:
            ctx.set(self.port(f"barrier_request_n{i}"), self._requests(i))
            if not plane.barriers_only:
                self._set_streams(ctx, i)
        for name, value in self.inputs.items():
            ctx.set(self.port(name), value)
        for i in self.members:
            done = ctx.get(self.port(f"barrier_done_n{i}"))
            self.log += [self.cycle] * done.bit_count()
            self._active = self.cycle if done else self._active
            self.done[i] = [count + (done >> g & 1) for g, count in enumerate(self.done[i])]
            if not plane.barriers_only:
                self._read_streams(ctx, i)
        self.cycle += 1

    def _requests(self, i: int) -> int:
        """Request a barrier if it is next, and the window has room."""
        calls = self.calls[i]
        if not calls or len(calls[0]) > 1 or self.random.random() < self.pause:
            return 0
        group = next(iter(calls[0]))
        if self.requested[i][group] - self.done[i][group] >= self.plan.parameters.window:
            return 0
        calls.popleft()
        self.requested[i][group] += 1
        self._active = self.cycle
        return 1 << group

    def _set_streams(self, ctx: Any, i: int) -> None:
        plane = self.plan.parameters
        calls = self.calls[i]
        if calls and len(calls[0]) > 1 and (self._offered[i] or self.random.random() >= self.pause):
            self._offered[i] = True
            group, operator, word, last = calls[0]
            fields = {"tdata": word, "tlast": last}
            if plane.group_bits:
                fields["tdest"] = group
            if len(plane.operators) > 1:
                fields["tuser"] = operator
            for name, value in fields.items():
                ctx.set(self.port(f"s_axis_n{i}_{name}"), value)
        ctx.set(self.port(f"s_axis_n{i}_tvalid"), self._offered[i])
        ctx.set(self.port(f"m_axis_n{i}_tready"), self.random.random() >= self.stall)

    def _read_streams(self, ctx: Any, i: int) -> None:
        if ctx.get(self.port(f"barrier_error_n{i}")):
            self.failed_barriers.append(i)
        if self._offered[i] and ctx.get(self.port(f"s_axis_n{i}_tready")):
            self.calls[i].popleft()
            self._offered[i] = False
            self._active = self.cycle
        if ctx.get(self.port(f"m_axis_n{i}_tvalid")) and ctx.get(self.port(f"m_axis_n{i}_tready")):
            group = ctx.get(self.port(f"m_axis_n{i}_tid")) if self.plan.parameters.group_bits else 0
            word, last, error = (ctx.get(self.port(f"m_axis_n{i}_{name}")) for name in ("tdata", "tlast", "tuser"))
            self.results.setdefault((i, group), []).append((word, last, error))
            self.log.append(self.cycle)
            self._active = self.cycle

    def run(self, cycles: int) -> "Hosts":
        """Run some idle cycles, and then with calls, until nothing has happened for long."""

        async def testbench(ctx):
            for _ in range(2):
                await ctx.tick()
            for _ in range(cycles):
                self.step(ctx)
                await ctx.tick()
                waits = any(self.calls.values()) or any(cycle >= self.cycle for cycle, _ in self._later)
                if not waits and self.cycle - self._active > QUIET_CYCLES:
                    break
            for name in self.top.signature.members:
                if name.startswith(("mismatches", "timeouts")):
                    self._masks[name] = ctx.get(self.port(name))

        run(self.top, testbench)
        return self


def contribute_at_random(hosts: Hosts, operations: int, most_words: int = 6) -> dict[int, list[list[int]]]:
    """Queue operations of all groups in one order; return the results of each group."""
    plan, draw = hosts.plan, hosts.random
    plane = plan.parameters
    expected: dict[int, list[list[int]]] = {g: [] for g in range(plane.groups)}
    for _ in range(operations):
        group = plan.tables.groups[draw.randrange(plane.groups)]
        if plane.barriers_only or draw.random() < 0.3:
            for i in group.members:
                hosts.call_barrier(i, group.number)
            continue
        operator = draw.choice(plane.operators)
        count = draw.randint(1, most_words)
        words = {i: [draw.randrange(1 << plane.word_bits) for _ in range(count)] for i in group.members}
        for i, own in words.items():
            hosts.contribute(i, group.number, operator, own)
        expected[group.number].append(
            [combine(operator, row, plane.word_bits) for row in zip(*words.values(), strict=True)]
        )
    return expected
