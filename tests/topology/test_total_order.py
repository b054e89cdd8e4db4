"""The static proofs of message order: found where the order exists, and refused with the reason elsewhere."""

from collections import Counter

import networkx as nx
import numpy as np

from tests.each import each
from tests.networks import figure_1, random_irregular
from topology.common.channels import ChannelNetwork
from topology.common.deadlock import check_deadlock
from topology.common.total_order import NO_ORDER, PAIR, TOTAL, OrderVerdict, check_order
from topology.min.deadlock import branch_channels as min_branches
from topology.min.deadlock import check_min_deadlock, min_dependencies
from topology.min.graph import UNIDIRECTIONAL, MinNetwork
from topology.min.reachability import unreached_pairs as unreached_in_min
from topology.min.routing import MinRouting
from topology.spam.deadlock import branch_channels, spam_dependencies
from topology.spam.graph import UP, SpamLabels
from topology.spam.reachability import unreached_pairs
from topology.spam.routing import SpamRouting


def spam_order(routing: SpamRouting, *, atomic: bool = True) -> OrderVerdict:
    return check_order(routing.network, spam_dependencies(routing).path, branch_channels(routing), atomic=atomic)


def min_order(routing: MinRouting) -> OrderVerdict:
    return check_order(routing.network, min_dependencies(routing)[0], min_branches(routing))


@each("seed", range(20))
def test_one_candidate_per_header_keeps_pairs_and_is_free(seed):
    network = random_irregular(seed)
    own, paired = (SpamRouting(SpamLabels(network), 32, ordering=ordering) for ordering in (NO_ORDER, PAIR))
    assert paired.keeps_pairs
    assert np.array_equal(paired.routes, paired.routes & own.routes)
    assert np.array_equal(paired.routes > 0, own.routes > 0)
    assert check_deadlock(spam_dependencies(paired)).free
    assert not unreached_pairs(paired)


def test_candidates_are_chosen_by_key():
    """So that the load of equally near outputs is spread."""
    own, paired = (SpamRouting(SpamLabels(figure_1(), root=0), 32, ordering=kind).routes for kind in (NO_ORDER, PAIR))
    several = (own & own - 1) > 0
    assert several.any()
    lowest = own & -own
    assert 0 < (paired == lowest)[several].sum() < several.sum()


@each("seed", range(20))
def test_spam_by_the_root_is_proved_ordered_and_free(seed):
    network = random_irregular(seed)
    if len(network.processors) < 2:
        return
    for root in range(network.switches):
        routing = SpamRouting(SpamLabels(network, root), 32, ordering=TOTAL)
        assert spam_order(routing).total
        assert check_deadlock(spam_dependencies(routing)).free
        assert not unreached_pairs(routing)


def test_the_turning_switch_is_named():
    verdict = spam_order(SpamRouting(SpamLabels(figure_1(), root=0), 32, ordering=TOTAL))
    assert verdict == OrderVerdict(True, True, "every message turns at s0, and behind it each output has one input")


def test_spam_by_its_own_tables_lets_sources_disagree_and_receivers_agree():
    verdict = spam_order(SpamRouting(SpamLabels(figure_1(), root=0), 32))
    assert (verdict.total, verdict.agreed) == (False, True)
    assert verdict.reason == "messages from p0 part at s1, messages from p1 part at s4: no switch orders both"


def test_requests_enqueued_one_by_one_order_nothing():
    verdict = spam_order(SpamRouting(SpamLabels(figure_1(), root=0), 32, ordering=TOTAL), atomic=False)
    assert verdict == OrderVerdict(False, False, "requests of a header are enqueued one by one")


@each("seed", range(8))
def test_any_header_that_turns_early_breaks_the_proof(seed):
    """A negative control for each row of the tables that sends headers up: one key turns there."""
    labels = SpamLabels(random_irregular(seed, switches=6))
    ordered, free = SpamRouting(labels, 32, ordering=TOTAL), SpamRouting(labels, 32)
    by_the_root = set(spam_dependencies(ordered).path.edges)
    early = np.argwhere((ordered.routes != free.routes)[:, ordered.network.switches :, UP])
    for switch, processor in early.tolist():
        row = switch, ordered.network.switches + processor, UP
        kept, ordered.routes[row] = int(ordered.routes[row]), int(free.routes[row])
        used = set(spam_dependencies(ordered).path.edges) != by_the_root
        assert spam_order(ordered).total is not used
        ordered.routes[row] = kept
    assert spam_order(ordered).total


@each("shape", [(2, 1), (2, 3), (3, 2), (4, 2)])
@each("private", [False, True])
def test_bidirectional_networks_are_proved_ordered_and_free(shape, private):
    radix, stages = shape
    routing = MinRouting(MinNetwork("bi-butterfly", radix, stages, radix if private else 1), 32, ordering=TOTAL)
    top = f"s{stages - 1}_0"
    assert min_order(routing).reason == f"every message turns at {top}, and behind it each output has one input"
    assert check_min_deadlock(routing, 2).free
    assert not unreached_in_min(routing)


def test_bidirectional_networks_by_their_own_tables_order_nothing():
    verdict = min_order(MinRouting(MinNetwork("bi-butterfly", 2, 3), 32))
    assert (verdict.total, verdict.agreed) == (False, False)
    assert verdict.reason == "messages from p0 part at s0_0, messages from p2 part at s0_1: no switch orders both"


@each("kind", UNIDIRECTIONAL)
def test_unidirectional_networks_are_ordered_by_a_single_stage_alone(kind):
    assert min_order(MinRouting(MinNetwork(kind, 4, 1), 32)).total
    verdict = min_order(MinRouting(MinNetwork(kind, 2, 2), 32))
    assert (verdict.total, verdict.agreed) == (False, False)


WIRES = "p0->s0 p1->s0 s0->s1 s1->s0 s0->p0 s0->p1 s1->s2 s2->s0 s1->p1"
"""Two switches with processors, and a third one on another way down."""
ORDERED = "p0->s0:s0->s1 p1->s0:s0->s1 s0->s1:s1->s0 s1->s0:s0->p0 s1->s0:s0->p1"
HAND_MADE = {
    "every message turns at s0, and behind it each output has one input": ORDERED,
    "s0->s1 brings messages back to s0": f"{ORDERED} s1->s0:s0->s1",
    "headers on s1->s0 and s2->s0 ask for s0->p1": f"{ORDERED} s0->s1:s1->s2 s1->s2:s2->s0 s2->s0:s0->p1",
    "p1 receives messages on s0->p1 and on s1->p1": f"{ORDERED} s0->s1:s1->p1",
    "messages come back to s0->s1": "p0->s0:s0->s1 s0->s1:s1->s0 s1->s0:s0->s1",
    "all messages on p0->s0 end at s1->s0": "p0->s0:s0->s1 s0->s1:s1->s0",
}
"""Verdicts on path dependencies, each as ``held:wanted``."""


def hand_made(dependencies: str) -> tuple[ChannelNetwork, nx.DiGraph]:
    vertices = {"s0": 0, "s1": 1, "s2": 2, "p0": 3, "p1": 4}
    used: Counter[tuple[str, int]] = Counter()
    wires = []
    for wire in WIRES.split():
        a, b = (vertices[name] for name in wire.split("->"))
        wires.append((a, used["from", a], b, used["to", b]))
        used.update([("from", a), ("to", b)])
    network = ChannelNetwork(3, 2, wires)
    number = {channel.name: channel.index for channel in network.channels}
    path = nx.DiGraph()
    path.add_nodes_from(number.values())
    path.add_edges_from(tuple(number[name] for name in edge.split(":")) for edge in dependencies.split())
    return network, path


@each("reason, dependencies", HAND_MADE.items())
def test_each_condition_is_demanded(reason, dependencies):
    verdict = check_order(*hand_made(dependencies), [])
    assert verdict.reason == reason
    assert verdict.total is (dependencies == ORDERED)
