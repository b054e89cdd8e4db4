"""Proof of a plane: sound planes pass, and every altered parent, member, mask and top is found."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.each import each
from tests.topology.test_plane_tables import NETWORKS
from topology.collectives import proof
from topology.collectives.proof import PlaneFacts, PlaneSizes, check_plane
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree, plane_tree
from topology.common.regular import mesh_network

SIZES = PlaneSizes(window=2, buffer_words=4, result_words=4)
MESH = mesh_network([3, 3])


def tables_of(network, seed=0):
    """All processors, one of them, two, and some."""
    draws, processors = random.Random(seed), list(range(len(network.processors)))
    some = [draws.sample(processors, min(count, len(processors))) for count in (1, 2, 5)]
    return PlaneTables(plane_tree(network), groups_of([processors, *some]))


def facts_of(groups=((0, 8), (3, 4, 5))):
    return PlaneFacts.of(PlaneTables(plane_tree(MESH), groups_of(groups)))


def with_row(rows, row, group, value):
    changed = [list(of_switch) for of_switch in rows]
    changed[row][group] = value
    return changed


@each("name", NETWORKS)
def test_planes_of_all_networks_are_proved(name):
    network = NETWORKS[name]
    tables = tables_of(network)
    verdict = check_plane(PlaneFacts.of(tables), SIZES, network)
    assert verdict.right
    assert (verdict.tops, verdict.root, verdict.foreign_links) == (tables.top_switch, tables.tree.root, ())
    bits = sum(int(mask).bit_count() for mask in tables.taking_part.flat)
    assert len(verdict.order) == len(set(verdict.order)) == 3 * bits


def test_the_order_of_a_chain():
    chain = PlaneTree({0: None, 1: 0}, (0, 1))
    verdict = check_plane(PlaneFacts.of(PlaneTables(chain, groups_of([[0, 1]]))), SIZES)
    up = ["room g0 p1->s1", "room g0 s1->s0", "room g0 p0->s0"]
    down = ["room g0 s0->s1", "room g0 s0->p0", "room g0 s1->p1"]
    assert verdict.order == (*up, *down, "words g0 s1->s0", "words g0 p0->s0", "words g0 p1->s1")
    # p1 for s1->s0; s1 and p0 for both below and for each other's words; each empty or full link for the one below
    assert verdict.waits == 1 + 2 * 3 + 2


@each("group", range(2))
@each("row", range(9))
def test_an_altered_mask_or_top_is_found(row, group):
    facts = facts_of()
    for bit in range(5):
        flipped = with_row(facts.taking_part, row, group, facts.taking_part[row][group] ^ 1 << bit)
        assert not check_plane(replace(facts, taking_part=flipped), SIZES).right
    moved = with_row(facts.top, row, group, not facts.top[row][group])
    fault = check_plane(replace(facts, top=moved), SIZES).table_fault
    assert fault == f"s{row} is {'no' if facts.top[row][group] else 'a'} top of g{group}; its top is s4"


def test_other_members_are_found():
    facts = facts_of()
    fault = check_plane(replace(facts, members=[(0, 7), (3, 4, 5)]), SIZES).table_fault
    assert fault == "branch s5 of s4 takes part in g0, and no members are behind it"
    for members, text in (
        ((), "g0 has 0 members, 0 of them different"),
        ((9,), "g0 has members that are no processor"),
    ):
        assert check_plane(replace(facts, members=[members, (3,)]), SIZES).table_fault.startswith(text)


def test_parents_in_a_circle_are_printed():
    facts = facts_of([range(9)])
    parent = {**facts.parent, 4: 0}  # 4 was the root, above 1, which is above 0
    verdict = check_plane(replace(facts, parent=parent, top=[[False]] * 9), SIZES)
    assert verdict.tree_fault == "0 switches have no parent; a tree has exactly 1 root"
    ring = [*verdict.cycle, verdict.cycle[0]]
    assert len(ring) == 4
    for held, wanted in pairwise(ring):
        state, group, ends = held.split()
        assert wanted.split()[:2] == [state, group]
        above, below = ends.split("->")[1], wanted.split()[2].split("->")[0]
        assert above == below or state == "words"


def test_trees_that_do_not_reach_are_found():
    facts = facts_of()
    assert check_plane(replace(facts, parent={**facts.parent, 8: None}), SIZES).tree_fault.startswith("2 switches have")
    far = {**facts.parent, 0: 20}
    assert check_plane(replace(facts, parent=far), SIZES).tree_fault == "s0 does not lead to the root s4"
    for processors, text in (
        (facts.processors[:8], "the tree has 8 processors, and the network 9"),
        ((1, *facts.processors[1:]), "p0 hangs on s1, which does not deliver to it"),
        ((20, *facts.processors[1:]), "p0 hangs on s20, which is not in the tree"),
    ):
        assert check_plane(replace(facts, processors=processors), SIZES, MESH).tree_fault == text


def test_waits_are_compared_with_the_order(monkeypatch):
    """An order by depth alone: rooms upwards wait for those above, which come earlier in it."""
    monkeypatch.setattr(proof._Proof, "rank", lambda self, place: (place.group, place.state, self.depth[place.upper]))
    verdict = check_plane(facts_of(), SIZES)
    assert not verdict.right
    assert verdict.wait_fault == "room g0 p0->s0 waits for room g0 s0->s1, which is not later"


def test_links_that_the_network_lacks_are_listed():
    tree = plane_tree(MESH, edges=[[8, 0], *([n, 0] for n in range(1, 8))])
    verdict = check_plane(PlaneFacts.of(PlaneTables(tree, groups_of([range(9)]))), SIZES, MESH)
    assert verdict.right
    assert verdict.foreign_links == tuple((n, 0) for n in (2, 4, 5, 6, 7, 8))


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"window": 0}, "window is 0; it must be at least 1"),
        ({"buffer_words": 0}, "buffer_words is 0; it must be at least 1"),
        ({"result_words": 0}, "result_words is 0; it must be at least 1"),
        ({"result_words": 0, "barriers_only": True}, ""),
    ],
)
def test_sizes(changed, fault):
    verdict = check_plane(facts_of(), replace(SIZES, **changed))
    assert (verdict.size_fault, verdict.right) == (fault, not fault)


def test_rates_of_buffers():
    assert SIZES.words_per_cycle == 1
    assert replace(SIZES, link_cycles=3).words_per_cycle == 0.5
    assert replace(SIZES, result_words=2).words_per_cycle == 0.5
    assert replace(SIZES, stages=1).words_per_cycle == 0.8
    assert replace(SIZES, link_cycles=3, barriers_only=True).words_per_cycle == 1


def test_the_bound_of_a_word_follows_from_groups_links_and_stages():
    # 2 groups, 2 stages: a turn within 6 cycles; credits back after 2, the top 9, one word of each group at an endpoint
    assert replace(SIZES, stages=2).word_cycles(2, 0, 0) == 2 + 9 + 2
    # each level takes a turn and a link, on the way up the pipeline too
    assert replace(SIZES, stages=2).word_cycles(2, 3, 1) == 13 + 3 * (6 + 2 + 1) + 1 * (6 + 1)
    assert replace(SIZES, stages=2, link_cycles=4).word_cycles(2, 3, 1) == 16 + 3 * (6 + 2 + 4) + 1 * (6 + 4)
    # barriers have neither turns nor credits: the closed form, from the link on
    assert replace(SIZES, barriers_only=True).word_cycles(8, 8, 8) == 17
    assert check_plane(facts_of(), SIZES).word_cycles == (SIZES.word_cycles(2, 2, 2), SIZES.word_cycles(2, 1, 1))
    assert check_plane(replace(facts_of(), members=[[0, 0], [3]]), SIZES).word_cycles == ()
