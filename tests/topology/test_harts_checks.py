"""Static checks of hexagonal meshes, compared with a walk of every packet."""

import pytest

from topology.harts.broadcast import COPIES
from topology.harts.deadlock import check_harts_deadlock
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import HexMesh
from topology.harts.pages import least_pages
from topology.harts.reachability import unreached_pairs
from topology.harts.routing import HartsRouting, operation
from topology.harts.tags import ARRIVED, Tags, after_step, directions_onward, routing_tags

FAULTY = Faults(silent_nodes=(5,), dead_links=((0, 1), (14, 15), (9, 17)))


def may_be_lost(mesh: HexMesh, faults: Faults, node: int, tags: Tags) -> bool:
    """True if a packet can reach a node where all its route candidates are dead, by following all of them."""
    if tags == ARRIVED:
        return False
    live = [way for way in directions_onward(tags) if not faults.is_dead(mesh, node, way)]
    return not live or any(may_be_lost(mesh, faults, mesh.neighbour(node, way), after_step(tags, way)) for way in live)


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("faults", [NO_FAULTS, FAULTY], ids=["sound", "faulty"])
def test_unreached_pairs_are_those_that_can_be_lost(size, faults):
    routing = HartsRouting(HexMesh(size), 64, faults if size == 3 else Faults(faults.silent_nodes))
    mesh, own = routing.mesh, routing.faults
    live = [node for node in range(mesh.nodes) if not own.is_silent(node)]
    expected = {
        (source, destination)
        for source in live
        for destination in live
        if source != destination and may_be_lost(mesh, own, source, routing_tags(mesh, source, destination))
    }
    assert set(unreached_pairs(routing)) == expected
    assert bool(expected) == bool(own.dead_links or own.silent_nodes)


def test_levels_make_a_mesh_free_from_deadlock():
    routing = HartsRouting(HexMesh(3), 64)
    least = least_pages(routing.levels)
    assert check_harts_deadlock(routing, least, classed=True).free
    few = check_harts_deadlock(routing, least - 1, classed=True)
    assert (few.free, few.reason) == (False, "12 pages are needed, and there are 11")
    verdict = check_harts_deadlock(routing, least, classed=False)
    assert not verdict.free
    ends = [name.split("->") for name in verdict.cycle]
    assert all(end == start for (_, end), (start, _) in zip(ends, ends[1:] + ends[:1], strict=True))


@pytest.mark.parametrize("algorithm", list(COPIES)[:7])
def test_wanted_copies(algorithm):
    mesh = HexMesh(3)
    sound = HartsRouting(mesh, 64).wanted_copies(operation(algorithm), 2)
    assert sound == {node: COPIES[algorithm] for node in range(19) if node != 2}
    faulty = HartsRouting(mesh, 64, FAULTY).wanted_copies(operation(algorithm), 2)
    assert faulty.keys() == set(range(19)) - {2, 5}
    assert sum(faulty.values()) < sum(sound.values())
    assert all(0 <= count <= COPIES[algorithm] for count in faulty.values())
