"""Static proof of deadlock freedom for hypercubes with adaptive and escape channels (Duato's condition).

A head takes any of its route candidates, the first that is available. So it is enough if it can always get one of those
that it *waits for*: its escapes. A hypercube passes if

1. every header has an escape or the delivery channel among its candidates, wherever it can arrive;
2. the graph of waiting has no cycle.

If a routing gives no escapes at all, headers wait for all of their candidates.

VC reallocation decides what else can block a worm. VCs whose buffers hold flits of several worms are *shared* here:

===============  =====================================================================================================
``empty``        no VC is shared: a head can have a VC when its buffer is empty and all credits are back
``escape-tail``  VCs that are given as escapes are shared: a head can have them as soon as the tail before it has
                 left, if there is room for a flit. All others only when they are empty
``tail``         all VCs are shared
===============  =====================================================================================================

The nodes of the graph are the VCs that headers wait for, and those that are shared. An edge c -> d says that some
header that any node may send can arrive on VC c, continue over VCs that are not shared, or over none, and then wait for
d, or take d if that is shared. Without shared VCs that is Duato's extended dependency graph: from an escape channel to
the next, directly or over adaptive VCs between, and from VCs that a header took as candidates although others wait for
them.

Without a cycle there is no deadlock. Number the VCs so that edges lead to greater numbers. Suppose that flits are left
and none can ever move. A worm that holds a VC with room in its buffer moves: its head has passed all buffers behind, so
nothing is before its flits there. For the same reason a worm whose head is delivered moves, and no head waits for a
delivery channel. So a VC that is not available is full if it is shared, and otherwise held by one worm that cannot
move; call both kinds stuck. Take any flit that is first in its buffer, and follow its worm's path from there. The path
may reach a shared VC, which is stuck, as this flit or one on the way to that VC could move otherwise. Or it reaches the
head, in a VC that is not shared, or the head is this first flit itself. Then the head is the first in its buffer and
waits for VCs that are all stuck. So some node of the graph is stuck. Take the greatest one, and in it the worm that
holds it, or whose flit is first there if it is shared. The same step from there leads along an edge to a stuck node
that is greater still, a contradiction.

Consequences for the rule ``duato``: with ``empty`` and with ``escape-tail`` the dimension of the escape that is waited
for grows along every edge. For a head behind a tail in an escape channel of dimension d that is so because the worm
before it took this VC when d was the lowest of its dimensions: all that it goes on to is in higher ones.

A head behind a tail in an adaptive VC depends on the waits of the worm before it, in any dimension, and cannot request
its own escape. With ``tail`` and 2 VCs or more there are cycles from 2 dimensions on, and from 3 dimensions on there is
a deadlock. Take 2 VCs, and buffers of 3 flits or more. At every node s let a long worm for s ^ 3 have taken the
adaptive VC of dimension 0, and one for s ^ 5 the escape channel. Let short worms for s ^ 3 and s ^ 5 lie completely in
the adaptive VCs of dimensions 1 and 2, so that these are free again. The short ones wait at the next switch for a VC of
dimension 0. The long ones go on into these same adaptive VCs and fill them up: their heads are behind the tails of
those that wait for them.

It takes short worms. The worm before has its tail in this buffer, and its head in that of one of the VCs from there on.
It has another one to take, so on shortest paths there are n-1 of them at most, and with the head behind it there is
room for (n-1) D - 1 of its flits in buffers of D. With longer worms alone nothing waits behind a tail that waits
itself, and ``tail`` is as good as ``empty``. So it is with buffers of one flit.

In 2 dimensions the cycles with ``tail`` cannot all be filled: worms in escape channels of dimension 1 are delivered, so
no head is stuck but before dimension 0, with its V VCs full; the first worms there must all go on to different adaptive
VCs of one channel of dimension 1, and of those there are only V-1. And a ring in which no head is first cannot fill up:
a VC in it has room when the last flit comes into the next one. The check does not count so, and takes ``tail`` in
adaptive VCs for unproved there too.

Buffers of injection channels hold several worms in any case, but only the host waits for these VCs.
"""

import networkx as nx

from topology.common.deadlock import DeadlockVerdict, find_cycle
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.header_paths import Header, HypercubePaths, Step
from topology.hypercube.routing import HypercubeRouting
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE, check_reuse

REUSE_IN_WORDS = {
    ATOMIC: "VCs have one worm at a time",
    NON_ATOMIC_ESCAPE: "VCs that are no escapes have one worm at a time",
    NON_ATOMIC: "heads may wait behind tails of other worms in all VCs",
}


def check_hypercube_deadlock(
    routing: HypercubeRouting,
    vc_reallocation: str = ATOMIC,
    *,
    buffer_flits: int | None = None,
    least_flits: int = 1,
) -> DeadlockVerdict:
    """Prove a hypercube free from deadlock, or return what breaks the proof.

    Parameters:
        vc_reallocation: One of ``HYPERCUBE_REALLOCATION``.
        buffer_flits: Flits that the buffer of a VC holds; None if that is not known.
        least_flits: Flits of the shortest message, header included.

    Returns:
        Dependencies that differ by a shift alone are counted once for each shift that the routing bears.

    Raises:
        ValueError: If there is no such reuse of VCs.
    """
    check_reuse(vc_reallocation)
    network, paths = routing.network, HypercubePaths(routing)
    words = REUSE_IN_WORDS[vc_reallocation]
    if vc_reallocation != ATOMIC and buffer_flits is not None and _stay_apart(paths, buffer_flits, least_flits):
        vc_reallocation = ATOMIC
        words = f"no head waits behind a tail in buffers of {buffer_flits} with worms of {least_flits} flits or more"
    waiting = Waiting(paths, vc_reallocation)
    graph = waiting.graph
    sizes = (len(network.channels), graph.number_of_edges() * len(paths.shifts), 0)
    for headers, lacks in ((waiting.lost, "is unroutable"), (waiting.unescaped, "has neither an escape nor arrived")):
        if headers:
            vc, key = headers[0]
            cases = len(headers) * len(paths.shifts)
            reason = f"a header for {network.vertex_name(key)} that arrives on {network.channels[vc].name} {lacks}"
            return DeadlockVerdict(False, f"{reason} ({cases} such cases)", (), *sizes)
    cycle = waiting.cycle()
    if cycle:
        names = tuple(network.channels[vc].name for vc in cycle)
        reason = f"the dependencies between VCs have a cycle; {words}"
        return DeadlockVerdict(False, reason, names, *sizes)
    proof = "every header has an escape, dependencies acyclic" if waiting.has_escapes else "dependencies acyclic"
    reason = f"{proof}; {words}"
    return DeadlockVerdict(True, reason, (), *sizes)


def _stay_apart(paths: HypercubePaths, buffer_flits: int, least_flits: int) -> bool:
    """Return whether no head can wait behind the tail of a worm that waits itself."""
    longest = (paths.network.dimensions - 1) * buffer_flits - 1
    return buffer_flits == 1 or (least_flits > longest and paths.are_shortest())


class Waiting:
    """The graph of waiting, in which one VC represents all its images under shifts.

    Parameters:
        paths (Ways)

    Members:
        headers (dict of int to list of int): Keys of the headers that come on each VC that ends at a representative.
        lost, unescaped (list of Header): Unroutable headers, and headers without an escape or delivery channel among
            their candidates, if the routing gives escapes at all.
        escape_vcs (set of int): VCs that end at representatives and that some header is given as its escape.
        shared (frozenset of int): The shared VCs that end at representatives.
        graph (nx.DiGraph): Of VCs that end at representatives. An edge c -> d with the attribute ``shift`` says that
            there is a dependency of c on what d is renamed to by this shift.
    """

    def __init__(self, paths: HypercubePaths, vc_reallocation: str = ATOMIC):
        self.paths = paths
        self.lost: list[Header] = []
        self.unescaped: list[Header] = []
        self.headers: dict[int, list[int]] = {}
        self.escape_vcs: set[int] = set()
        self._find_headers()
        if not self.has_escapes:
            self.unescaped = []
        between_switches = [vc for vc in self.headers if paths.network.dimension_of[vc] is not None]
        shared = {ATOMIC: [], NON_ATOMIC_ESCAPE: self.escape_vcs, NON_ATOMIC: between_switches}
        self.shared = frozenset(shared[vc_reallocation])
        awaited = self.escape_vcs or between_switches
        self.graph = nx.DiGraph()
        for vc in sorted(self.shared.union(awaited)):
            self.graph.add_node(vc)
            for following, shift in self._following(vc).items():
                self.graph.add_edge(vc, following, shift=shift)

    @property
    def has_escapes(self) -> bool:
        """True if the routing gives any header an escape."""
        return bool(self.escape_vcs)

    def _find_headers(self) -> None:
        """Find all headers that any node may send, wherever they can arrive."""
        work = list(self.paths.starts())
        seen = set(work)
        for header in work:
            self.headers.setdefault(header.vc, []).append(header.key)
            candidates, escapes = self.paths.candidates(header), self.paths.escapes(header)
            self.escape_vcs.update(step.vc for step in escapes)
            if not candidates and not escapes:
                self.lost.append(header)
            elif not escapes and not any(step.delivers for step in candidates):
                self.unescaped.append(header)
            for step in (*candidates, *escapes):
                if not step.delivers and (after := _after(header, step)) not in seen:
                    seen.add(after)
                    work.append(after)

    def _following(self, vc: int) -> dict[int, int]:
        """Return the nodes that a VC leads to, and their shifts."""
        found: dict[int, int] = {}
        work = [(Header(vc, key), 0) for key in self.headers[vc]]
        seen = {header for header, _ in work}
        for header, shift in work:
            candidates, escapes = self.paths.candidates(header), self.paths.escapes(header)
            waits_for = escapes or candidates
            for step in (*candidates, *escapes):
                if step.delivers:
                    continue
                if step in waits_for or step.vc in self.shared:
                    # what lies behind it is found from there: it is a node itself
                    found.setdefault(step.vc, shift ^ step.shift)
                elif (after := _after(header, step)) not in seen:
                    seen.add(after)
                    work.append((after, shift ^ step.shift))
        return found

    def cycle(self) -> tuple[int, ...]:
        """Return the VCs of one cycle, in order; empty if there is none.

        A cycle of the graph comes back to its first VC shifted, perhaps, and then is closed by going round again: a
        shift is its own opposite.
        """
        vcs = find_cycle(self.graph)
        found, shift = [], 0
        for _ in range(2):
            for vc, following in zip(vcs, vcs[1:] + vcs[:1], strict=True):
                found.append(self.paths.shifted(vc, shift))
                shift ^= self.graph.edges[vc, following]["shift"]
            if shift == 0:
                break
        return tuple(found)


def _after(header: Header, step: Step) -> Header:
    return Header(step.vc, header.key ^ step.shift)
