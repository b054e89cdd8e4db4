"""Static checks of hypercubes: against walks of single headers, and with rules that are wrong on purpose."""

import random
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest

from tests.each import each
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.deadlock import Waiting, check_hypercube_deadlock
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.header_paths import HypercubePaths
from topology.hypercube.reachability import unreached_pairs
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, RULES, WRONG_ESCAPE, HypercubeRouting
from topology.hypercube.vc_reallocation import HYPERCUBE_REALLOCATION, NON_ATOMIC_ESCAPE, unshared_vcs
from topology.hypercube.vc_wires import vc_wires

SMALL = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2)]


def make(
    dimensions: int,
    vcs: int,
    rule: str = DUATO,
    injection_channels: int = 1,
    kind: type[HypercubeRouting] = HypercubeRouting,
) -> HypercubeRouting:
    return kind(HypercubeNetwork(dimensions, vcs, injection_channels), 32, rule)


def vc_named(routing: HypercubeRouting, name: str) -> int:
    return next(channel.index for channel in routing.network.channels if channel.name == name)


class ByHand:
    """All headers one by one, on all VCs, by the scalar masks only."""

    def __init__(self, routing: HypercubeRouting, vc_reallocation: str):
        network = self.network = routing.network
        self.paths: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
        work = [
            (vc, key)
            for source in range(network.switches)
            for vc in network.injection_channels_of(source)
            for key in range(network.switches)
            if key != source
        ]
        for vc, key in work:
            if (vc, key) in self.paths:
                continue
            outputs = network.output_channel[network.channels[vc].sink]
            candidates, escapes = (
                {output for port, output in enumerate(outputs) if mask >> port & 1}
                for mask in (routing.candidates(vc, key), routing.escapes(vc, key))
            )
            self.paths[vc, key] = candidates, escapes
            work += [(output, key) for output in candidates | escapes if not self.delivers(output)]
        self.keys = defaultdict(set)
        for vc, key in self.paths:
            self.keys[vc].add(key)
        self.escape_vcs = {vc for _, escapes in self.paths.values() for vc in escapes}
        between = {vc for vc, dimension in enumerate(network.dimension_of) if dimension is not None}
        self.shared = {ATOMIC: set(), NON_ATOMIC_ESCAPE: self.escape_vcs, NON_ATOMIC: between}[vc_reallocation]
        self.nodes = (self.escape_vcs or between) | self.shared

    def delivers(self, vc: int) -> bool:
        return not self.network.is_switch(self.network.channels[vc].sink)

    def on_vcs_of_its_own(self, vc: int, key: int) -> set[int]:
        """VCs with the head of a worm that has a flit in a VC, and from there on only VCs that are not shared."""
        found = [vc]
        for at in found:
            candidates, escapes = self.paths[at, key]
            found += [
                output
                for output in sorted(candidates | escapes)
                if not self.delivers(output) and output not in self.shared and output not in found
            ]
        return set(found)

    def dependencies(self) -> set[tuple[int, int]]:
        """Of a VC on all that a worm in it can come to wait for or, if it is shared, to hold."""
        edges = set()
        for vc in self.nodes:
            for key in self.keys[vc]:
                for at in self.on_vcs_of_its_own(vc, key):
                    candidates, escapes = self.paths[at, key]
                    awaited = escapes if self.escape_vcs else candidates
                    held = (candidates | escapes) & self.shared
                    edges |= {(vc, output) for output in awaited | held if not self.delivers(output)}
        return edges

    def waiting_configuration(self) -> set[int]:
        """The largest set of VCs that could be stuck for ever, each because others of the set are.

        A VC is in it if some worm may be stuck there: its head, on this VC or further on, has all of its ways in
        the set, or it goes on to a shared VC of the set. That several worms may want one VC is not looked at, so no
        deadlock is missed.
        """
        stuck = {vc for vc in self.keys if self.network.dimension_of[vc] is not None}
        while True:
            kept = {vc for vc in stuck if any(self._may_be_stuck(vc, key, stuck) for key in self.keys[vc])}
            if kept == stuck:
                return stuck
            stuck = kept

    def _may_be_stuck(self, vc: int, key: int, stuck: set[int]) -> bool:
        for at in self.on_vcs_of_its_own(vc, key):
            paths = set().union(*self.paths[at, key])
            if paths and (paths <= stuck or paths & stuck & self.shared):
                return True
        return False


def closure(edges) -> set[tuple[int, int]]:
    return set(nx.transitive_closure(nx.DiGraph(sorted(edges)), reflexive=False).edges)


@each("vc_reallocation", HYPERCUBE_REALLOCATION)
@each("rule", RULES)
@each("dimensions, vcs", SMALL)
def test_graph_is_that_of_all_headers_one_by_one(dimensions, vcs, rule, vc_reallocation):
    """The graph has the same reachable states, with VCs that differ by a shift taken as one."""
    routing = make(dimensions, vcs, rule)
    waiting, by_hand = Waiting(HypercubePaths(routing), vc_reallocation), ByHand(routing, vc_reallocation)
    paths = waiting.paths
    renamed = {
        paths.shifted(vc, shift): vc
        for vc in waiting.headers
        for shift in paths.shifts
        if routing.network.dimension_of[vc] is not None
    }
    assert {renamed[vc] for vc in by_hand.nodes} == set(waiting.graph.nodes)
    dependencies = by_hand.dependencies()
    assert closure(waiting.graph.edges) == closure((renamed[a], renamed[b]) for a, b in dependencies)
    assert {(a, paths.shifted(b, shift)) for a, b, shift in waiting.graph.edges(data="shift")} <= dependencies
    assert waiting.lost == waiting.unescaped == []
    for vc, keys in waiting.headers.items():
        assert set(keys) == by_hand.keys[vc]


@each(
    "rule, shifts, representatives",
    [
        (DUATO, tuple(range(8)), (0,)),
        (ADAPTIVE_ONLY, tuple(range(8)), (0,)),
        (WRONG_ESCAPE, (0, 3, 5, 6), (0, 1)),
    ],
)
def test_shifts_of_the_rules(rule, shifts, representatives):
    paths = HypercubePaths(make(3, 2, rule, 3))
    assert paths.shifts == shifts
    assert paths.representatives == representatives


def free(rule: str, dimensions: int, vcs: int, vc_reallocation: str) -> bool:
    """Expected result: the negative controls have a cycle from 2 dimensions on, and tails in adaptive VCs as well."""
    return dimensions == 1 or (rule == DUATO and (vcs == 1 or vc_reallocation != NON_ATOMIC))


@each("vc_reallocation", HYPERCUBE_REALLOCATION)
@each("rule", RULES)
@each("dimensions, vcs", SMALL)
def test_verdicts(dimensions, vcs, rule, vc_reallocation):
    routing = make(dimensions, vcs, rule, dimensions)
    assert unreached_pairs(routing) == []
    verdict = check_hypercube_deadlock(routing, vc_reallocation)
    assert verdict.free == free(rule, dimensions, vcs, vc_reallocation)
    assert verdict.channels == len(routing.network.channels)
    by_hand = ByHand(routing, vc_reallocation)
    assert (by_hand.waiting_configuration() == set()) == verdict.free
    if not verdict.free:
        assert_cycle(routing, verdict.cycle, by_hand)


def assert_cycle(routing: HypercubeRouting, cycle: tuple[str, ...], by_hand: ByHand) -> None:
    vcs = [vc_named(routing, name) for name in cycle]
    assert len(set(vcs)) == len(vcs) > 1
    edges = by_hand.dependencies()
    for vc, following in zip(vcs, vcs[1:] + vcs[:1], strict=True):
        assert (vc, following) in edges


def test_verdicts_in_words():
    proved = "every header has an escape, dependencies acyclic; "
    assert check_hypercube_deadlock(make(3, 2)).reason == proved + "VCs have one worm at a time"
    assert check_hypercube_deadlock(make(3, 2), NON_ATOMIC_ESCAPE).reason == (
        proved + "VCs that are no escapes have one worm at a time"
    )
    assert check_hypercube_deadlock(make(3, 1), NON_ATOMIC).reason == (
        proved + "heads may wait behind tails of other worms in all VCs"
    )
    assert check_hypercube_deadlock(make(1, 2, ADAPTIVE_ONLY)).reason == (
        "dependencies acyclic; VCs have one worm at a time"
    )
    verdict = check_hypercube_deadlock(make(2, 2), NON_ATOMIC)
    assert verdict.reason == (
        "the dependencies between VCs have a cycle; heads may wait behind tails of other worms in all VCs"
    )
    assert verdict.cycle == ("s1->s0.0", "s0->s2.0", "s2->s3.0", "s3->s1.0")


@pytest.mark.parametrize("vc_reallocation", [NON_ATOMIC, NON_ATOMIC_ESCAPE])
def test_long_worms_do_not_wait_behind_tails(vc_reallocation):
    """(n - 1) D flits: all of a worm that has yet to take a VC, and there is no room for a head behind it."""
    routing = make(4, 3)
    for buffer_flits, least_flits, proved in ((4, 12, True), (4, 11, False), (4, 1, False), (1, 1, True), (2, 6, True)):
        verdict = check_hypercube_deadlock(routing, vc_reallocation, buffer_flits=buffer_flits, least_flits=least_flits)
        assert verdict.free == (proved or vc_reallocation == NON_ATOMIC_ESCAPE)
        assert verdict.reason.endswith(
            f"no head waits behind a tail in buffers of {buffer_flits} with worms of {least_flits} flits or more"
        ) == (proved)
    assert not check_hypercube_deadlock(routing, NON_ATOMIC, least_flits=1000).free  # in buffers of any depth
    for rule in (ADAPTIVE_ONLY, WRONG_ESCAPE):
        assert not check_hypercube_deadlock(make(4, 3, rule), vc_reallocation, buffer_flits=4, least_flits=100).free


def test_long_worms_wait_behind_tails_on_long_ways():
    """A header for 1 may go round over 4 first; so a worm can lie in as many VCs as there are dimensions and wait."""
    routing = broken(3, 2, {("p0->s0", 0b001): (("s0->s4.0",), ("s0->s1.1",))})
    assert HypercubePaths(make(3, 2)).are_shortest()
    assert not HypercubePaths(routing).are_shortest()
    assert not check_hypercube_deadlock(routing, NON_ATOMIC, buffer_flits=2, least_flits=100).free
    assert check_hypercube_deadlock(make(3, 2), NON_ATOMIC, buffer_flits=2, least_flits=100).free


def test_other_reuses_are_refused():
    with pytest.raises(ValueError, match="vc_reallocation is 'never'; it must be empty, escape-tail or tail"):
        check_hypercube_deadlock(make(2, 2), "never")


@pytest.mark.parametrize(("dimensions", "vcs"), [(6, 4), (6, 8)])
def test_verdicts_of_hypercubes_of_the_papers_sizes(dimensions, vcs):
    assert unreached_pairs(make(dimensions, vcs, injection_channels=dimensions)) == []
    for rule in RULES:
        for vc_reallocation in HYPERCUBE_REALLOCATION:
            verdict = check_hypercube_deadlock(make(dimensions, vcs, rule, dimensions), vc_reallocation)
            assert verdict.free == free(rule, dimensions, vcs, vc_reallocation)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_verdicts_of_large_hypercubes(rule):
    routing = make(8, 7, rule)
    assert unreached_pairs(routing) == []
    for vc_reallocation in HYPERCUBE_REALLOCATION:
        assert check_hypercube_deadlock(routing, vc_reallocation).free == free(rule, 8, 7, vc_reallocation)


class Broken(HypercubeRouting):
    """A rule in which headers on some VCs have other ways: by name of the VC and remaining dimensions."""

    changes: dict[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def masks(self, vc):
        name, (candidates, escapes) = self.network.channels[vc].name, super().masks(vc)
        changed = [remaining for at, remaining in self.changes if at == name]
        if changed:
            candidates, escapes = candidates.copy(), escapes.copy()
        for remaining in changed:
            for masks, outputs in zip((candidates, escapes), self.changes[name, remaining], strict=True):
                masks[remaining] = sum(1 << self.network.channels[self._vc(output)].source_port for output in outputs)
        return candidates, escapes

    def _vc(self, name: str) -> int:
        return vc_named(self, name)


def broken(
    dimensions: int, vcs: int, changes: dict[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...]]]
) -> HypercubeRouting:
    return make(dimensions, vcs, kind=type("BrokenHere", (Broken,), {"changes": changes}))


CIRCLE = {
    ("s0->s1.0", 0b10): (("s1->s0.0",), ("s1->s3.1",)),
    ("s1->s0.0", 0b11): (("s0->s1.0",), ("s0->s1.1",)),
}
"""Two switches; an escape leads out, so there is no deadlock."""


@each(
    "channels, changes, unreached, reason",
    [
        (1, {("s1->s3.0", 0b00): ((), ())}, [(0, 3), (1, 3)], "s1->s3.0 is unroutable"),
        (1, {("s0->s1.0", 0b10): (("s1->s3.0",), ())}, [], "s0->s1.0 has neither an escape nor arrived"),
        (1, {("s0->s1.0", 0b10): (("s1->p1",), ())}, [(0, 3)], None),
        (1, {("s1->s3.1", 0b00): ((), ("s3->s2.1",))}, [(0, 3), (1, 3)], None),
        (2, {("p1_1->s1", 0b11): ((), ())}, [(1, 2)], "p1_1->s1 is unroutable"),
        (1, CIRCLE, [(0, 3)], ""),
    ],
)
def test_broken_ways_are_found(channels, changes, unreached, reason):
    """Without a way or an escape, for the wrong host, beyond the destination, of another injector, in circles."""
    routing = make(2, 2, injection_channels=channels, kind=type("BrokenHere", (Broken,), {"changes": changes}))
    assert unreached_pairs(routing) == unreached
    verdict = check_hypercube_deadlock(routing)
    assert reason is None or verdict.free == (not reason)
    assert not reason or f"that arrives on {reason} (1 such cases)" in verdict.reason


def random_rule(order: random.Random, dimensions: int, vcs: int) -> HypercubeRouting:
    """Headers have any VCs of their remaining dimensions as candidates, and some have another escape."""

    class Random(HypercubeRouting):
        def masks(self, vc):
            return tables[vc]

    routing = make(dimensions, vcs, kind=Random)
    share, wrong = order.choice((0, 0.05, 0.5)), order.choice((0.01, 0.1, 0.3))
    tables = {}
    for vc, channel in enumerate(routing.network.channels):
        if routing.network.is_switch(channel.sink):
            candidates, escapes = (masks.copy() for masks in HypercubeRouting.masks(routing, vc))
            for remaining in np.flatnonzero(escapes).tolist():
                ports = [
                    dimension * vcs + number
                    for dimension in range(dimensions)
                    if remaining >> dimension & 1
                    for number in range(vcs)
                ]
                candidates[remaining] = sum(1 << port for port in ports if order.random() < share)
                if order.random() < wrong:
                    escapes[remaining] = 1 << order.choice(ports)
            tables[vc] = candidates, escapes
    return routing


@each("vc_reallocation", HYPERCUBE_REALLOCATION)
@each("dimensions, vcs", [(2, 1), (2, 2), (3, 1)])
def test_what_is_proved_has_no_waiting_configuration(dimensions, vcs, vc_reallocation):
    """Rules at random, of which some are free from deadlock and most are not."""
    order = random.Random(dimensions * 10 + vcs)
    verdicts = []
    for _ in range(60):
        routing = random_rule(order, dimensions, vcs)
        verdicts.append(check_hypercube_deadlock(routing, vc_reallocation).free)
        if verdicts[-1]:
            assert ByHand(routing, vc_reallocation).waiting_configuration() == set()
    assert 5 <= sum(verdicts) <= 55


@each("vc_reallocation", HYPERCUBE_REALLOCATION)
@each("rule", RULES)
@each("vcs", [1, 2, 3])
def test_vcs_are_shared_that_the_static_check_takes_for_shared(vcs, rule, vc_reallocation):
    routing = HypercubeRouting(HypercubeNetwork(3, vcs), 32, rule)
    network, unshared = routing.network, unshared_vcs(vcs, rule, vc_reallocation)
    waiting = Waiting(HypercubePaths(routing), vc_reallocation)
    looked_at = [vc for vc in waiting.headers if network.dimension_of[vc] is not None]
    assert waiting.shared == {vc for vc in looked_at if network.vc_of[vc] >= unshared}


def test_only_vcs_that_are_given_away_empty_are_released():
    network = HypercubeNetwork(2, 3)
    for released, count in ((3, 16), (2, 16), (0, 8)):
        wires = vc_wires(network, released)
        assert [wire.bits for wire in wires] == [3] * 8 + [released] * (count - 8)
