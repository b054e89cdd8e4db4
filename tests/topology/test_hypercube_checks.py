"""Static checks of hypercubes: against walks of single headers, and with rules that are wrong on purpose."""

import random
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from topology.common.lanes import REUSE_EMPTY, REUSE_TAIL
from topology.hypercube.deadlock import Waiting, check_hypercube_deadlock
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.lane_reuse import HYPERCUBE_REUSE, REUSE_ESCAPE_TAIL, check_reuse, unshared_lanes
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.reachability import unreached_pairs
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, RULES, WRONG_ESCAPE, HypercubeRouting
from topology.hypercube.ways import Ways

SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2)]


def make(
    dimensions: int,
    lanes: int,
    rule: str = DUATO,
    injection_channels: int = 1,
    kind: type[HypercubeRouting] = HypercubeRouting,
) -> HypercubeRouting:
    return kind(HypercubeNetwork(dimensions, lanes, injection_channels), 32, rule)


def lane_named(routing: HypercubeRouting, name: str) -> int:
    return next(channel.index for channel in routing.network.channels if channel.name == name)


class ByHand:
    """All headers one by one, on all lanes, by the scalar masks only."""

    def __init__(self, routing: HypercubeRouting, lane_reuse: str):
        network = self.network = routing.network
        self.ways: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
        work = [
            (lane, key)
            for source in range(network.switches)
            for lane in network.injection_channels_of(source)
            for key in range(network.switches)
            if key != source
        ]
        for lane, key in work:
            if (lane, key) in self.ways:
                continue
            outputs = network.output_channel[network.channels[lane].sink]
            candidates, escapes = (
                {output for port, output in enumerate(outputs) if mask >> port & 1}
                for mask in (routing.candidates(lane, key), routing.escapes(lane, key))
            )
            self.ways[lane, key] = candidates, escapes
            work += [(output, key) for output in candidates | escapes if not self.delivers(output)]
        self.keys = defaultdict(set)
        for lane, key in self.ways:
            self.keys[lane].add(key)
        self.escape_lanes = {lane for _, escapes in self.ways.values() for lane in escapes}
        between = {lane for lane, dimension in enumerate(network.dimension_of) if dimension is not None}
        self.shared = {REUSE_EMPTY: set(), REUSE_ESCAPE_TAIL: self.escape_lanes, REUSE_TAIL: between}[lane_reuse]
        self.nodes = (self.escape_lanes or between) | self.shared

    def delivers(self, lane: int) -> bool:
        return not self.network.is_switch(self.network.channels[lane].sink)

    def on_lanes_of_its_own(self, lane: int, key: int) -> set[int]:
        """Lanes with the head of a worm that has a flit in a lane, and from there on only lanes that are not shared."""
        found = [lane]
        for at in found:
            candidates, escapes = self.ways[at, key]
            found += [
                output
                for output in sorted(candidates | escapes)
                if not self.delivers(output) and output not in self.shared and output not in found
            ]
        return set(found)

    def dependencies(self) -> set[tuple[int, int]]:
        """Of a lane on all that a worm in it can come to wait for or, if it is shared, to hold."""
        edges = set()
        for lane in self.nodes:
            for key in self.keys[lane]:
                for at in self.on_lanes_of_its_own(lane, key):
                    candidates, escapes = self.ways[at, key]
                    awaited = escapes if self.escape_lanes else candidates
                    held = (candidates | escapes) & self.shared
                    edges |= {(lane, output) for output in awaited | held if not self.delivers(output)}
        return edges

    def waiting_configuration(self) -> set[int]:
        """The largest set of lanes that could be stuck for ever, each because others of the set are.

        A lane is in it if some worm may be stuck there: its head, on this lane or further on, has all of its ways in
        the set, or it goes on to a shared lane of the set. That several worms may want one lane is not looked at, so no
        deadlock is missed.
        """
        stuck = {lane for lane in self.keys if self.network.dimension_of[lane] is not None}
        while True:
            kept = {lane for lane in stuck if any(self._may_be_stuck(lane, key, stuck) for key in self.keys[lane])}
            if kept == stuck:
                return stuck
            stuck = kept

    def _may_be_stuck(self, lane: int, key: int, stuck: set[int]) -> bool:
        for at in self.on_lanes_of_its_own(lane, key):
            ways = set().union(*self.ways[at, key])
            if ways and (ways <= stuck or ways & stuck & self.shared):
                return True
        return False


def closure(edges) -> set[tuple[int, int]]:
    return set(nx.transitive_closure(nx.DiGraph(sorted(edges)), reflexive=False).edges)


@each("lane_reuse", HYPERCUBE_REUSE)
@each("rule", RULES)
@each("dimensions, lanes", SMALL)
def test_graph_is_that_of_all_headers_one_by_one(dimensions, lanes, rule, lane_reuse):
    """The graph has the same reachable states, with lanes that differ by a shift taken as one."""
    routing = make(dimensions, lanes, rule)
    waiting, by_hand = Waiting(Ways(routing), lane_reuse), ByHand(routing, lane_reuse)
    ways = waiting.ways
    renamed = {
        ways.shifted(lane, shift): lane
        for lane in waiting.headers
        for shift in ways.shifts
        if routing.network.dimension_of[lane] is not None
    }
    assert {renamed[lane] for lane in by_hand.nodes} == set(waiting.graph.nodes)
    dependencies = by_hand.dependencies()
    assert closure(waiting.graph.edges) == closure((renamed[a], renamed[b]) for a, b in dependencies)
    assert {(a, ways.shifted(b, shift)) for a, b, shift in waiting.graph.edges(data="shift")} <= dependencies
    assert waiting.lost == waiting.unescaped == []
    for lane, keys in waiting.headers.items():
        assert set(keys) == by_hand.keys[lane]


@each(
    "rule, shifts, representatives",
    [
        (DUATO, tuple(range(8)), (0,)),
        (ADAPTIVE_ONLY, tuple(range(8)), (0,)),
        (WRONG_ESCAPE, (0, 3, 5, 6), (0, 1)),
    ],
)
def test_shifts_of_the_rules(rule, shifts, representatives):
    ways = Ways(make(3, 2, rule, 3))
    assert ways.shifts == shifts
    assert ways.representatives == representatives


def free(rule: str, dimensions: int, lanes: int, lane_reuse: str) -> bool:
    """Expected result: the negative controls have a cycle from 2 dimensions on, and tails in adaptive lanes as well."""
    return dimensions == 1 or (rule == DUATO and (lanes == 1 or lane_reuse != REUSE_TAIL))


@each("lane_reuse", HYPERCUBE_REUSE)
@each("rule", RULES)
@each("dimensions, lanes", SMALL)
def test_verdicts(dimensions, lanes, rule, lane_reuse):
    routing = make(dimensions, lanes, rule, dimensions)
    assert unreached_pairs(routing) == []
    verdict = check_hypercube_deadlock(routing, lane_reuse)
    assert verdict.free == free(rule, dimensions, lanes, lane_reuse)
    assert verdict.channels == len(routing.network.channels)
    by_hand = ByHand(routing, lane_reuse)
    assert (by_hand.waiting_configuration() == set()) == verdict.free
    if not verdict.free:
        assert_cycle(routing, verdict.cycle, by_hand)


def assert_cycle(routing: HypercubeRouting, cycle: tuple[str, ...], by_hand: ByHand) -> None:
    lanes = [lane_named(routing, name) for name in cycle]
    assert len(set(lanes)) == len(lanes) > 1
    edges = by_hand.dependencies()
    for lane, following in zip(lanes, lanes[1:] + lanes[:1], strict=True):
        assert (lane, following) in edges


def test_verdicts_in_words():
    proved = "every header has an escape, dependencies acyclic; "
    assert check_hypercube_deadlock(make(3, 2)).reason == proved + "lanes have one worm at a time"
    assert check_hypercube_deadlock(make(3, 2), REUSE_ESCAPE_TAIL).reason == (
        proved + "lanes that are no escapes have one worm at a time"
    )
    assert check_hypercube_deadlock(make(3, 1), REUSE_TAIL).reason == (
        proved + "heads may wait behind tails of other worms in all lanes"
    )
    assert check_hypercube_deadlock(make(1, 2, ADAPTIVE_ONLY)).reason == (
        "dependencies acyclic; lanes have one worm at a time"
    )
    verdict = check_hypercube_deadlock(make(2, 2), REUSE_TAIL)
    assert verdict.reason == (
        "the dependencies between lanes have a cycle; heads may wait behind tails of other worms in all lanes"
    )
    assert verdict.cycle == ("s1->s0.0", "s0->s2.0", "s2->s3.0", "s3->s1.0")


def test_dependencies_of_a_square_by_hand():
    """Only the four turns from an escape of dimension 0 to one of dimension 1."""
    assert check_hypercube_deadlock(make(2, 2)).dependencies == 4
    by_hand = ByHand(make(2, 2), REUSE_EMPTY)
    names = [tuple(by_hand.network.channels[lane].name for lane in edge) for edge in sorted(by_hand.dependencies())]
    assert names == [
        ("s0->s1.1", "s1->s3.1"),
        ("s1->s0.1", "s0->s2.1"),
        ("s2->s3.1", "s3->s1.1"),
        ("s3->s2.1", "s2->s0.1"),
    ]


@pytest.mark.parametrize("lane_reuse", [REUSE_TAIL, REUSE_ESCAPE_TAIL])
def test_long_worms_do_not_wait_behind_tails(lane_reuse):
    """(n - 1) D flits: all of a worm that has yet to take a lane, and there is no room for a head behind it."""
    routing = make(4, 3)
    for buffer_flits, least_flits, proved in ((4, 12, True), (4, 11, False), (4, 1, False), (1, 1, True), (2, 6, True)):
        verdict = check_hypercube_deadlock(routing, lane_reuse, buffer_flits=buffer_flits, least_flits=least_flits)
        assert verdict.free == (proved or lane_reuse == REUSE_ESCAPE_TAIL)
        assert verdict.reason.endswith(
            f"no head waits behind a tail in buffers of {buffer_flits} with worms of {least_flits} flits or more"
        ) == (proved)
    assert not check_hypercube_deadlock(routing, REUSE_TAIL, least_flits=1000).free  # in buffers of any depth
    for rule in (ADAPTIVE_ONLY, WRONG_ESCAPE):
        assert not check_hypercube_deadlock(make(4, 3, rule), lane_reuse, buffer_flits=4, least_flits=100).free


def test_long_worms_wait_behind_tails_on_long_ways():
    """A header for 1 may go round over 4 first; so a worm can lie in as many lanes as there are dimensions and wait."""
    routing = broken(3, 2, {("p0->s0", 0b001): (("s0->s4.0",), ("s0->s1.1",))})
    assert Ways(make(3, 2)).are_shortest()
    assert not Ways(routing).are_shortest()
    assert not check_hypercube_deadlock(routing, REUSE_TAIL, buffer_flits=2, least_flits=100).free
    assert check_hypercube_deadlock(make(3, 2), REUSE_TAIL, buffer_flits=2, least_flits=100).free


def test_other_reuses_are_refused():
    with pytest.raises(ValueError, match="Reuse of lanes must be empty, escape-tail or tail, not 'never'"):
        check_hypercube_deadlock(make(2, 2), "never")


@pytest.mark.parametrize(("dimensions", "lanes"), [(6, 4), (6, 8)])
def test_verdicts_of_hypercubes_of_the_papers_sizes(dimensions, lanes):
    assert unreached_pairs(make(dimensions, lanes, injection_channels=dimensions)) == []
    for rule in RULES:
        for lane_reuse in HYPERCUBE_REUSE:
            verdict = check_hypercube_deadlock(make(dimensions, lanes, rule, dimensions), lane_reuse)
            assert verdict.free == free(rule, dimensions, lanes, lane_reuse)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_verdicts_of_large_hypercubes(rule):
    routing = make(8, 7, rule)
    assert unreached_pairs(routing) == []
    for lane_reuse in HYPERCUBE_REUSE:
        assert check_hypercube_deadlock(routing, lane_reuse).free == free(rule, 8, 7, lane_reuse)


@pytest.mark.slow
def test_verdict_of_the_largest_hypercube():
    routing = make(12, 5)
    assert check_hypercube_deadlock(routing).free
    assert unreached_pairs(routing) == []


class Broken(HypercubeRouting):
    """A rule in which headers on some lanes have other ways: by name of the lane and remaining dimensions."""

    changes: dict[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def masks(self, lane):
        name, (candidates, escapes) = self.network.channels[lane].name, super().masks(lane)
        changed = [remaining for at, remaining in self.changes if at == name]
        if changed:
            candidates, escapes = candidates.copy(), escapes.copy()
        for remaining in changed:
            for masks, outputs in zip((candidates, escapes), self.changes[name, remaining], strict=True):
                masks[remaining] = sum(1 << self.network.channels[self._lane(output)].source_port for output in outputs)
        return candidates, escapes

    def _lane(self, name: str) -> int:
        return lane_named(self, name)


def broken(
    dimensions: int, lanes: int, changes: dict[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...]]]
) -> HypercubeRouting:
    return make(dimensions, lanes, kind=type("BrokenHere", (Broken,), {"changes": changes}))


def test_one_broken_lane_leaves_no_shifts():
    ways = Ways(broken(3, 2, {("s1->s0.0", 0b110): ((), ("s0->s2.1",))}))
    assert ways.shifts == (0,)
    assert ways.representatives == tuple(range(8))


def test_headers_without_a_way_are_found():
    routing = broken(3, 2, {("s1->s3.0", 0b100): ((), ())})
    verdict = check_hypercube_deadlock(routing)
    assert not verdict.free
    assert verdict.reason == "a header for s7 that arrives on s1->s3.0 is unroutable (1 such cases)"
    # who goes from 1 or 0 to 7 may come there; from 5 that is no shortest way
    assert unreached_pairs(routing) == [(0, 7), (1, 7)]


def test_headers_without_a_way_are_counted_in_all_switches():
    class NoEscapeAtLast(HypercubeRouting):
        """With one remaining dimension, the third one, heads are unroutable."""

        def masks(self, lane):
            candidates, escapes = (masks.copy() for masks in super().masks(lane))
            candidates[0b100] = escapes[0b100] = 0
            return candidates, escapes

    routing = make(3, 2, kind=NoEscapeAtLast)
    # at each of 8 switches on 2 x 2 lanes of the first two dimensions, and from the host
    assert check_hypercube_deadlock(routing).reason == (
        "a header for s4 that arrives on p0->s0 is unroutable (40 such cases)"
    )
    missing = unreached_pairs(routing)
    assert len(missing) == 8 * 4
    assert all((source ^ destination) & 0b100 for source, destination in missing)


def test_headers_without_an_escape_are_found():
    routing = broken(3, 2, {("s1->s3.0", 0b100): (("s3->s7.0",), ())})
    assert unreached_pairs(routing) == []
    assert check_hypercube_deadlock(routing).reason == (
        "a header for s7 that arrives on s1->s3.0 has neither an escape nor arrived (1 such cases)"
    )


def test_headers_for_the_wrong_host_are_found():
    assert unreached_pairs(broken(2, 2, {("s0->s1.0", 0b10): (("s1->p1",), ())})) == [(0, 3)]


def test_headers_that_go_on_from_their_destination_are_found():
    routing = broken(2, 2, {("s1->s3.1", 0b00): ((), ("s3->s2.1",))})
    assert unreached_pairs(routing) == [(0, 3), (1, 3)]


def test_all_injection_channels_are_looked_at():
    changes = {("p1_1->s1", 0b11): ((), ())}
    routing = make(2, 2, injection_channels=2, kind=type("BrokenHere", (Broken,), {"changes": changes}))
    assert unreached_pairs(routing) == [(1, 2)]
    assert (
        check_hypercube_deadlock(routing).reason
        == "a header for s2 that arrives on p1_1->s1 is unroutable (1 such cases)"
    )


def test_headers_that_run_in_circles_are_found():
    ring = {
        ("s0->s1.0", 0b10): (("s1->s0.0",), ("s1->s3.1",)),
        ("s1->s0.0", 0b11): (("s0->s1.0",), ("s0->s1.1",)),
    }
    routing = broken(2, 2, ring)
    assert unreached_pairs(routing) == [(0, 3)]
    assert check_hypercube_deadlock(routing).free  # they always have an escape channel: no deadlock


def test_escapes_in_the_wrong_order_at_one_switch_are_found():
    """Switch 3 of a square lets headers for 0 turn the other way on their escape, and so does switch 0 for 3."""
    changes = {("p3->s3", 0b11): (("s3->s2.0", "s3->s1.0"), ("s3->s1.1",))}
    assert check_hypercube_deadlock(broken(2, 2, changes)).free
    for source in (0, 1, 2):
        neighbour = source ^ 2
        changes[f"p{source}->s{source}", 0b11] = ((), (f"s{source}->s{neighbour}.1",))
    # now all turn from dimension 1 to dimension 0: an equally valid order
    assert check_hypercube_deadlock(broken(2, 2, changes)).free
    del changes["p1->s1", 0b11], changes["p2->s2", 0b11]  # even switches turn this way, odd ones the other way
    verdict = check_hypercube_deadlock(broken(2, 2, changes))
    assert set(verdict.cycle) == {"s1->s0.1", "s0->s2.1", "s2->s3.1", "s3->s1.1"}


def test_indirect_dependencies_are_found():
    """Escapes of 3 dimensions in an order that only goes wrong behind an adaptive lane."""

    class LowestButBehindAdaptiveLanes(HypercubeRouting):
        """Headers that came on an adaptive lane escape over the highest dimension."""

        def masks(self, lane):
            network = self.network
            candidates, escapes = super().masks(lane)
            if network.dimension_of[lane] is None or network.lane_of[lane] == network.lanes - 1:
                return candidates, escapes
            escapes = escapes.copy()
            for remaining in np.flatnonzero(escapes).tolist():
                escapes[remaining] = 1 << network.lanes * remaining.bit_length() - 1
            return candidates, escapes

    routing = make(3, 2, kind=LowestButBehindAdaptiveLanes)
    assert unreached_pairs(routing) == []
    by_hand = ByHand(routing, REUSE_EMPTY)
    assert by_hand.waiting_configuration() != set()
    verdict = check_hypercube_deadlock(routing)
    assert not verdict.free
    assert_cycle(routing, verdict.cycle, by_hand)

    class FromHostsAndEscapes(LowestButBehindAdaptiveLanes):
        """Without adaptive lanes there is dimension order."""

        def masks(self, lane):
            candidates, escapes = super().masks(lane)
            return np.where(escapes, 0, candidates), escapes

    assert check_hypercube_deadlock(make(3, 2, kind=FromHostsAndEscapes)).free


def test_candidates_that_others_wait_for_are_found():
    """The escape lanes are candidates of all headers as well, in any order."""

    class AlsoTheLast(HypercubeRouting):
        @property
        def adaptive_lanes(self):
            return self.network.lanes

    for dimensions in (2, 3):
        routing = make(dimensions, 2, kind=AlsoTheLast)
        verdict = check_hypercube_deadlock(routing)
        assert not verdict.free
        assert all(name.endswith(".1") for name in verdict.cycle)


def random_rule(order: random.Random, dimensions: int, lanes: int) -> HypercubeRouting:
    """Headers have any lanes of their remaining dimensions as candidates, and some have another escape."""

    class Random(HypercubeRouting):
        def masks(self, lane):
            return tables[lane]

    routing = make(dimensions, lanes, kind=Random)
    share, wrong = order.choice((0, 0.05, 0.5)), order.choice((0.01, 0.1, 0.3))
    tables = {}
    for lane, channel in enumerate(routing.network.channels):
        if routing.network.is_switch(channel.sink):
            candidates, escapes = (masks.copy() for masks in HypercubeRouting.masks(routing, lane))
            for remaining in np.flatnonzero(escapes).tolist():
                ports = [
                    dimension * lanes + number
                    for dimension in range(dimensions)
                    if remaining >> dimension & 1
                    for number in range(lanes)
                ]
                candidates[remaining] = sum(1 << port for port in ports if order.random() < share)
                if order.random() < wrong:
                    escapes[remaining] = 1 << order.choice(ports)
            tables[lane] = candidates, escapes
    return routing


@each("lane_reuse", HYPERCUBE_REUSE)
@each("dimensions, lanes", [(2, 1), (2, 2), (3, 1)])
def test_what_is_proved_has_no_waiting_configuration(dimensions, lanes, lane_reuse):
    """Rules at random, of which some are free from deadlock and most are not."""
    order = random.Random(dimensions * 10 + lanes)
    verdicts = []
    for _ in range(60):
        routing = random_rule(order, dimensions, lanes)
        verdicts.append(check_hypercube_deadlock(routing, lane_reuse).free)
        if verdicts[-1]:
            assert ByHand(routing, lane_reuse).waiting_configuration() == set()
    assert 5 <= sum(verdicts) <= 55


@each("lane_reuse", HYPERCUBE_REUSE)
@each("rule", RULES)
@each("lanes", [1, 2, 3])
def test_lanes_are_shared_that_the_static_check_takes_for_shared(lanes, rule, lane_reuse):
    routing = HypercubeRouting(HypercubeNetwork(3, lanes), 32, rule)
    network, unshared = routing.network, unshared_lanes(lanes, rule, lane_reuse)
    waiting = Waiting(Ways(routing), lane_reuse)
    looked_at = [lane for lane in waiting.headers if network.dimension_of[lane] is not None]
    assert waiting.shared == {lane for lane in looked_at if network.lane_of[lane] >= unshared}


def test_only_lanes_that_are_given_away_empty_are_released():
    network = HypercubeNetwork(2, 3)
    for released, count in ((3, 16), (2, 16), (0, 8)):
        wires = lane_wires(network, released)
        assert [wire.bits for wire in wires] == [3] * 8 + [released] * (count - 8)


def test_no_such_reuse_of_lanes():
    with pytest.raises(ValueError, match="Reuse of lanes must be empty, escape-tail or tail, not 'never'"):
        check_reuse("never")
