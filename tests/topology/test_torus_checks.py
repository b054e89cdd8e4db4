"""Static checks of tori and meshes: against walks of single headers, and with rules that are wrong on purpose."""

import pytest

from tests.each import each
from topology.common.deadlock import find_cycle
from topology.torus.deadlock import check_torus_deadlock, torus_dependencies
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid, Turns
from topology.torus.header import RoutingKey
from topology.torus.reachability import unreached_pairs
from topology.torus.routing import BALANCED, DALLY_SEITZ, DATELINE, VC_RULES, TorusRouting

TORI = [Grid(2, 2), Grid(1, 3), Grid(1, 5), Grid(3, 5), Grid(4, 4), Grid(2, 7)]
MESHES = [Grid(1, 8, wraps=False), Grid(4, 6, wraps=False), Grid(2, 2, wraps=False), Grid(3, 1, wraps=False)]


def grid_name(grid: Grid) -> str:
    return f"{grid.rows}x{grid.columns}{'' if grid.wraps else '-mesh'}"


def make(grid: Grid, vcs: int, rule: str = DALLY_SEITZ, kind: type[TorusRouting] = TorusRouting) -> TorusRouting:
    return kind(TorusNetwork(grid, vcs), 32, rule)


def walked(routing: TorusRouting, source: int, key: int) -> set[tuple[int, int]]:
    """Dependencies of one header, from VC to VC, by the candidates only."""
    network = routing.network
    vcs, edges = [network.injection_channel(source)], set()
    for vc in vcs:
        switch = network.channels[vc].sink
        if network.is_switch(switch):
            mask = routing.candidates(vc, key)
            outputs = [output for port, output in enumerate(network.output_channel[switch]) if mask >> port & 1]
            edges |= {(vc, output) for output in outputs}
            vcs += [output for output in outputs if output not in vcs]
    return edges


def sent_keys(grid: Grid, source: int) -> list[RoutingKey]:
    keys = []
    for destination in set(range(grid.nodes)) - {source}:
        for turns in (Turns(y_negative, x_negative) for y_negative in (False, True) for x_negative in (False, True)):
            leads_there = True
            try:
                list(grid.path(source, destination, turns))
            except ValueError:
                leads_there = False
            if leads_there:
                keys.append(RoutingKey.of(grid, destination, turns))
    return keys


@each("rule", VC_RULES)
@each("vcs", [1, 2, 3])
@each("grid", [*TORI, *MESHES])
def test_dependencies_are_those_of_all_headers_one_by_one(grid, vcs, rule):
    routing = make(grid, vcs, rule)
    edges = set()
    for source in range(grid.nodes):
        for key in sent_keys(grid, source):
            edges |= walked(routing, source, routing.key_format.pack(key))
    path, dead_ends = torus_dependencies(routing)
    assert set(path.edges) == edges
    assert dead_ends == ()


@each("rule", VC_RULES)
@each("grid", [Grid(3, 5), Grid(4, 6, wraps=False), Grid(1, 8, wraps=False)])
def test_headers_that_nobody_should_send_add_no_dependencies(grid, rule):
    """Keys of no node, for the sender, or into the rim of a mesh: such a worm is drained, and waits like others."""
    routing = make(grid, 2, rule)
    path, _ = torus_dependencies(routing)
    for source in range(grid.nodes):
        for key in range(1 << routing.key_format.bits):
            assert walked(routing, source, key) <= set(path.edges)


@each("rule", VC_RULES)
@each("vcs", [1, 2, 3, 4])
@each("grid", [*TORI, *MESHES])
def test_verdicts(grid, vcs, rule):
    routing = make(grid, vcs, rule)
    assert unreached_pairs(routing) == []
    verdict = check_torus_deadlock(routing)
    assert verdict.channels == len(routing.network.channels)
    waits_in_rings = grid.wraps and vcs == 1 and max(grid.rows, grid.columns) > 2
    assert verdict.free == (not waits_in_rings)
    if waits_in_rings:
        assert verdict.reason == "the dependencies between VCs have a cycle"
        assert_ring(routing, verdict.cycle)


def assert_ring(routing: TorusRouting, cycle: tuple[str, ...]) -> None:
    """Each VC ends where the next one begins, and all travel in one direction."""
    by_name = {channel.name: channel for channel in routing.network.channels}
    vcs = [by_name[name] for name in cycle]
    for vc, following in zip(vcs, vcs[1:] + vcs[:1], strict=True):
        assert vc.sink == following.source
    directions = {routing.network.direction_of[vc.index] for vc in vcs}
    assert len(directions) == 1
    assert len(vcs) == routing.network.grid.side(directions.pop())


def test_verdicts_in_words():
    free = "dependencies between VCs acyclic, "
    assert check_torus_deadlock(make(Grid(4, 4), 2)).reason == free + "VCs in two classes (dally-seitz)"
    assert check_torus_deadlock(make(Grid(4, 4), 2, DATELINE)).reason == free + "VCs in two classes (dateline)"
    assert check_torus_deadlock(make(Grid(4, 4), 2, BALANCED)).reason == free + "VCs in two classes (balanced)"
    assert check_torus_deadlock(make(Grid(4, 4, wraps=False), 1)).reason == free + "a mesh has no rings"
    assert check_torus_deadlock(make(Grid(2, 2), 1)).reason == free + "rings too short to wait in"


@pytest.mark.slow
@pytest.mark.parametrize("rule", VC_RULES)
def test_verdicts_of_the_largest_torus(rule):
    routing = make(Grid(64, 64), 2, rule)
    assert check_torus_deadlock(routing).free
    assert unreached_pairs(routing) == []


class AnyVc(TorusRouting):
    """VCs without classes: more of them do not help."""

    def candidates(self, vc, key):
        mask, network = super().candidates(vc, key), self.network
        switch = network.channels[vc].sink
        links = {network.link_of[out] for port, out in enumerate(network.output_channel[switch]) if mask >> port & 1}
        return sum(1 << network.channels[out].source_port for link in links for out in network.vcs_of[link])


def test_vcs_without_classes_wait_in_rings():
    routing = make(Grid(4, 4), 2, kind=AnyVc)
    assert unreached_pairs(routing) == []
    verdict = check_torus_deadlock(routing)
    assert not verdict.free
    assert_ring_of_links(routing, verdict.cycle)


def assert_ring_of_links(routing: TorusRouting, cycle: tuple[str, ...]) -> None:
    by_name = {channel.name: channel for channel in routing.network.channels}
    vcs = [by_name[name] for name in cycle]
    assert all(vc.sink == after.source for vc, after in zip(vcs, vcs[1:] + vcs[:1], strict=True))


def test_a_dateline_that_nobody_sees_is_found():
    routing = make(Grid(1, 5), 2, DATELINE)
    routing.network.closes_ring = (False,) * len(routing.network.channels)
    assert set(check_torus_deadlock(routing).cycle) in (
        {"s0->s1.0", "s1->s2.0", "s2->s3.0", "s3->s4.0", "s4->s0.0"},
        {"s1->s0.0", "s2->s1.0", "s3->s2.0", "s4->s3.0", "s0->s4.0"},
    )


class ForgetsAll(TorusRouting):
    """Class 0 for every header, and class 1 too where the rule gives it: no VC of arrival counts."""

    forgets_closing = True

    def candidates(self, vc, key):
        mask, network = super().candidates(vc, key), self.network
        if network.closes_ring[vc] and not self.forgets_closing:
            return mask
        switch = network.channels[vc].sink
        for port, output in enumerate(network.output_channel[switch]):
            if mask >> port & 1 and network.direction_of[output] is not None:
                low = network.vcs_of[network.link_of[output]][: network.vcs // 2]
                mask |= sum(1 << network.channels[other].source_port for other in low)
                break
        return mask


class ForgetsClassOne(ForgetsAll):
    """The channel that closes the ring is remembered for one switch only."""

    forgets_closing = False


@each("kind", [ForgetsAll, ForgetsClassOne])
@each("vcs", [2, 3, 4])
@each("grid", [Grid(4, 4), Grid(1, 5), Grid(5, 1)])
def test_balanced_vcs_without_memory_wait_in_rings(grid, vcs, kind):
    routing = make(grid, vcs, BALANCED, kind)
    assert unreached_pairs(routing) == []
    verdict = check_torus_deadlock(routing)
    assert verdict.reason == "the dependencies between VCs have a cycle"
    assert_ring_of_links(routing, verdict.cycle)


class Broken(TorusRouting):
    """A rule in which some VCs give all headers the same candidates, or none."""

    outputs: dict[str, tuple[str, ...]] = {}

    def candidates(self, vc, key):
        network = self.network
        name = network.channels[vc].name
        if name not in self.outputs:
            return super().candidates(vc, key)
        return sum(1 << channel.source_port for channel in network.channels if channel.name in self.outputs[name])


def broken(grid: Grid, outputs: dict[str, tuple[str, ...]]) -> TorusRouting:
    return make(grid, 2, kind=type("BrokenHere", (Broken,), {"outputs": outputs}))


LINES = [Grid(1, 4, wraps=False), Grid(4, 1, wraps=False)]


def test_headers_without_a_way_are_named_and_counted():
    routing = broken(Grid(1, 4, wraps=False), {"s1->s2.1": ()})
    # one kind of header goes on to node 3, two are for node 2: with either direction in x, which is irrelevant there
    assert check_torus_deadlock(routing).reason == (
        "a header for s2 that arrives on s1->s2.1 is unroutable in dimension order (3 such cases)"
    )


@pytest.mark.parametrize("grid", LINES, ids=grid_name)
def test_headers_for_the_wrong_host_are_found(grid):
    routing = broken(grid, {"s1->s2.0": ("s2->p2",)})
    assert unreached_pairs(routing) == [(0, 3), (1, 3)]


@pytest.mark.parametrize("grid", LINES, ids=grid_name)
def test_headers_that_run_in_circles_are_found(grid):
    routing = broken(grid, {"s1->s2.0": ("s2->s1.0",), "s2->s1.0": ("s1->s2.0",)})
    assert {(0, 3), (1, 3), (2, 0), (3, 0)} <= set(unreached_pairs(routing))
    assert not check_torus_deadlock(routing).free
    path, _ = torus_dependencies(routing)
    assert {routing.network.channels[vc].name for vc in find_cycle(path)} == {"s1->s2.0", "s2->s1.0"}


def test_headers_that_leave_their_row_too_early_are_found():
    routing = broken(Grid(3, 3), {"s0->s1.1": ("s1->s4.1",)})
    assert "arrives on s0->s1.1 is unroutable in dimension order" in check_torus_deadlock(routing).reason
    assert (0, 2) in unreached_pairs(routing)
