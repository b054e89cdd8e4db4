"""Results of a plane's proof, as rows of a table and ready for JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topology.collectives.proof import PlaneVerdict

SHOWN_TOPS = 8


def plane_rows(verdict: "PlaneVerdict", names: Sequence[str]) -> list[tuple[str, object]]:
    """Return name and value of each row.

    Parameters:
        verdict
        names: Names of the network's switches.
    """
    return [
        ("plane's tree", _tree(verdict, names)),
        ("plane's tables", _tables(verdict, names)),
        ("plane's deadlock", _deadlock(verdict)),
        ("plane's buffers", _buffers(verdict)),
    ]


def plane_figures(verdict: "PlaneVerdict") -> dict[str, Any]:
    """Return the verdict with numbers of switches and without the order of places."""
    sizes = verdict.sizes
    return {
        "right": verdict.right,
        "tree": {
            "fault": verdict.tree_fault,
            "switches": verdict.switches,
            "processors": verdict.processors,
            "root": verdict.root,
            "depth": verdict.depth,
            "foreign_links": [list(link) for link in verdict.foreign_links],
        },
        "tables": {"fault": verdict.table_fault, "tops": list(verdict.tops)},
        "deadlock": {
            "free": not (verdict.tree_fault or verdict.wait_fault or verdict.cycle),
            "fault": verdict.wait_fault,
            "cycle": list(verdict.cycle),
            "places": len(verdict.order),
            "waits": verdict.waits,
        },
        "buffers": {
            "fault": verdict.size_fault,
            "window": sizes.window,
            "buffer_words": sizes.buffer_words,
            "result_words": sizes.result_words,
            "words_per_cycle": sizes.words_per_cycle,
            "word_cycles": list(verdict.word_cycles),
        },
    }


def _tree(verdict: "PlaneVerdict", names: Sequence[str]) -> str:
    if verdict.tree_fault or verdict.root is None:
        return f"FAILS: {verdict.tree_fault}"
    links = verdict.switches - 1
    beside = f"{len(verdict.foreign_links)} of {links} links beside those of the network"
    return (
        f"spans {verdict.switches:,} switches from root {names[verdict.root]}, depth {verdict.depth}, "
        f"and reaches all {verdict.processors:,} processors" + (f" ({beside})" if verdict.foreign_links else "")
    )


def _tables(verdict: "PlaneVerdict", names: Sequence[str]) -> str:
    if verdict.tree_fault:
        return "not examined"
    if verdict.table_fault:
        return f"FAIL: {verdict.table_fault}"
    tops = [names[top] for top in verdict.tops]
    listed = ", ".join(tops[:SHOWN_TOPS]) + (", ..." if len(tops) > SHOWN_TOPS else "")
    return f"masks are those of the members of {len(tops)} group{'s' * (len(tops) > 1)}, with top {listed}"


def _deadlock(verdict: "PlaneVerdict") -> str:
    sizes = f"{len(verdict.order):,} places, {verdict.waits:,} waits"
    if verdict.cycle:
        return f"POSSIBLE: the waits have a cycle ({sizes})"
    if verdict.tree_fault:
        return "not examined"
    if verdict.wait_fault:
        return f"POSSIBLE: {verdict.wait_fault} ({sizes})"
    return f"impossible: buffers in the order of the tree ({sizes})"


def _buffers(verdict: "PlaneVerdict") -> str:
    sizes = verdict.sizes
    if verdict.size_fault:
        return f"FAIL: {verdict.size_fault}"
    window = f"window {sizes.window}"
    bound = f"; a word within {max(verdict.word_cycles)} cycles" if verdict.word_cycles else ""
    if sizes.barriers_only:
        return f"large enough: {window}, barriers alone{bound}"
    rate = "1 word per cycle" if sizes.words_per_cycle == 1 else f"at most {sizes.words_per_cycle:.2f} words per cycle"
    buffers = f"{sizes.buffer_words} words in switches, {sizes.result_words} in endpoints"
    return f"large enough, {rate}: {window}, {buffers}{bound}"
