"""Collective planes in Amaranth's simulator: results equal integer arithmetic, latencies the closed forms."""

import random

import pytest
from amaranth.hdl import Const, Value

from rtl.collectives.combiner import Combiner, control_of
from rtl.collectives.parameters import PlaneParameters
from tests.rtl.plane_hosts import CHAIN, ONE, SQUARE, STAR, Hosts, contribute_at_random, plane_plan
from tests.rtl.simulate import run
from tests.sampled import sampled
from topology.collectives.operators import OPERATOR_BITS, OPERATORS, combine, combiner_stages
from topology.collectives.proof import PlaneSizes

ALL = {"chain": (CHAIN, [[0, 1, 2, 3]]), "star": (STAR, [[0, 1, 2, 3, 4]]), "square": (SQUARE, [[0, 1, 2, 3]])}
LINKS = [(name, link_cycles) for name in ALL for link_cycles in (1, 2)]
PLANES = {
    "chain": (CHAIN, [[0, 1, 2, 3], [1, 3]], {}, 0.0, 0.0),
    "star": (STAR, [[0, 1, 2, 3, 4], [0, 4], [2, 4, 3]], {"word_bits": 11, "window": 1, "buffer_words": 2}, 0.3, 0.3),
    "square": (SQUARE, [[0, 1, 2, 3]], {"word_bits": 8, "operators": (0,), "window": 4, "result_words": 2}, 0.0, 0.9),
    "square-far": (
        SQUARE,
        [[0, 1, 2, 3], [1, 2]],
        {"word_bits": 16, "operators": (1, 3, 7), "link_cycles": 3},
        0.3,
        0.0,
    ),
    "one": (ONE, [[0], [0]], {"word_bits": 64, "operators": (7,), "timeouts": False}, 0.0, 0.3),
}


@pytest.mark.parametrize("name", sampled(PLANES, ("chain", "square-far")))
def test_results_equal_integer_arithmetic(name):
    tree, groups, parameters, pause, stall = PLANES[name]
    plan = plane_plan(tree, groups, **parameters)
    hosts = Hosts(plan, seed=len(name), pause=pause, stall=stall)
    expected = contribute_at_random(hosts, 24)
    hosts.run(1500)
    assert not any(hosts.calls.values())
    assert hosts.done == hosts.requested
    for group in plan.tables.groups:
        words = [word for result in expected[group.number] for word in result]
        lasts = [k == len(result) - 1 for result in expected[group.number] for k in range(len(result))]
        rows = [(word, last, 0) for word, last in zip(words, lasts, strict=True)]
        for i in group.members:
            assert hosts.results.get((i, group.number), []) == rows, f"member {i} of group {group.number}"


def closed_form(plan, group):
    """Cycles of a barrier: 2 e + c (d + m) + 1 with e = 2, c = 1 + L, and d = m; e = 0 and c = L for barriers alone."""
    if plan.parameters.barriers_only:
        return plan.parameters.link_cycles * 2 * plan.tables.depth_of(group) + 1
    return 2 * 2 + (1 + plan.parameters.link_cycles) * 2 * plan.tables.depth_of(group) + 1


@pytest.mark.parametrize("link", sampled(LINKS, (("chain", 1), ("star", 2))), ids=str)
def test_a_barrier_takes_the_cycles_of_the_closed_form(link):
    name, link_cycles = link
    tree, groups = ALL[name]
    for operators in ((0,), ()):
        plan = plane_plan(tree, groups, operators=operators, link_cycles=link_cycles)
        hosts = Hosts(plan)
        for i in hosts.members:
            hosts.call_barrier(i, 0)
        hosts.run(40)
        assert max(hosts.log) == closed_form(plan, 0)
        assert len(hosts.log) == len(hosts.members)


@pytest.mark.parametrize("name", sampled(ALL, ("square",)))
def test_an_all_reduce_takes_a_cycle_more_per_word(name):
    """And in each switch that combines, those of the combiner's pipeline."""
    tree, groups = ALL[name]
    for words, operators in ((1, (0, 4)), (7, (0,))):
        plan = plane_plan(tree, groups, word_bits=8, operators=operators)
        pipelines = combiner_stages(operators) * (plan.tables.depth_of(0) + 1)
        hosts = Hosts(plan)
        for i in hosts.members:
            hosts.contribute(i, 0, 0, list(range(words)))
        hosts.run(40)
        assert max(hosts.log) == closed_form(plan, 0) + words + pipelines


def test_a_member_with_another_operator_gives_an_error_to_all():
    plan = plane_plan(CHAIN, [[0, 1, 2, 3]], word_bits=8)
    hosts = Hosts(plan)
    for i in hosts.members:
        hosts.contribute(i, 0, 2 if i == 3 else 0, [1, 2])
        hosts.contribute(i, 0, 0, [3])
    hosts.run(60)
    for i in hosts.members:
        assert [(last, error) for _, last, error in hosts.results[i, 0]] == [(0, 1), (1, 1), (1, 0)]
        assert hosts.results[i, 0][2][0] == 12
    assert hosts.masks("mismatches") == {0: 0, 1: 0, 2: 0b10}


def test_a_longer_contribution_is_drained_and_the_next_operation_is_right():
    plan = plane_plan(SQUARE, [[0, 1, 2, 3], [0, 3]], word_bits=8)
    hosts = Hosts(plan)
    for i in hosts.members:
        hosts.contribute(i, 0, 0, [1] * (5 if i == 2 else 2))
        hosts.contribute(i, 0, 0, [i])
    hosts.run(80)
    for i in hosts.members:
        assert [(last, error) for _, last, error in hosts.results[i, 0]] == [(0, 0), (1, 1), (1, 0)]
        assert hosts.results[i, 0][2][0] == 6
    assert hosts.masks("mismatches") == {0: 0b010, 1: 0, 2: 0, 3: 0}


def test_an_operator_that_is_not_built_gives_an_error_to_all():
    plan = plane_plan(CHAIN, [[0, 1, 2, 3]], word_bits=8, operators=(0, 7))
    hosts = Hosts(plan)
    for i in hosts.members:
        hosts.contribute(i, 0, 5, [1])
    hosts.run(40)
    assert all(hosts.results[i, 0] == [(4, 1, 1)] for i in hosts.members)
    assert not any(hosts.masks("mismatches").values())


@pytest.mark.parametrize("operators", [(0,), ()])
def test_a_missing_member_is_recorded_and_a_flush_frees_the_group(operators):
    """The other group is not affected."""
    plan = plane_plan(CHAIN, [[0, 1, 2, 3], [1, 2]], word_bits=8, operators=operators)
    hosts = Hosts(plan)
    hosts.inputs["timeout"] = 20
    for i in (0, 2, 3):
        hosts.call_barrier(i, 0)
    for i in (1, 2):
        hosts.call_barrier(i, 1)
    hosts.at(60, "flush", 1)
    hosts.at(66, "flush", 0)
    for i in hosts.members:
        hosts.at_call(75, i, 0)
    hosts.run(120)
    assert hosts.masks("timeouts") == {0: 0b01, 1: 0b10, 2: 0}
    assert hosts.done == {0: [1, 0], 1: [1, 1], 2: [1, 1], 3: [1, 0]}


def test_buffers_of_unstated_size_have_full_rate():
    plane = PlaneParameters(1)
    stages = combiner_stages(plane.operators)
    sizes = PlaneSizes(plane.window, plane.buffer_words, plane.result_words, plane.link_cycles, stages=stages)
    assert plane.buffer_words == plane.result_words == sizes.full_rate_words


@pytest.mark.parametrize("branches", [5, 9])
def test_combiners_with_levels_between_registers(branches):
    """More levels than stages: some nodes have no register."""
    operators, draws = tuple(range(len(OPERATORS))), random.Random(branches)
    part, stages = Combiner(branches, 8, operators), combiner_stages(operators)
    inputs = [
        (draws.choice(operators), draws.randrange(1, 1 << branches), [draws.randrange(256) for _ in range(branches)])
        for _ in range(200)
    ]

    async def testbench(ctx):
        for cycle in range(len(inputs) + stages):
            operator, take, words = inputs[min(cycle, len(inputs) - 1)]
            ctx.set(part.take, take)
            ctx.set(Value.cast(part.control), ctx.get(control_of(Const(operator, OPERATOR_BITS), operators)))
            for i, word in enumerate(words):
                ctx.set(part.words[i], word)
            if cycle >= stages:
                operator, take, words = inputs[cycle - stages]
                expected = combine(operator, [word for i, word in enumerate(words) if take >> i & 1], 8)
                assert ctx.get(part.result) == expected, f"operator {operator} of {words}, branches {take:b}"
            await ctx.tick()

    run(part, testbench)
