"""What is in the lanes of an input, told by what goes in and by the credits that come back.

A flit that leaves its buffer in one cycle has its credit on the wire in the next one. The rows of reference move up
with the credit, so they lag behind the buffers by that cycle, and need no look inside; what ends in ``now`` is what is
in the buffers themselves.
"""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.common.flit import flit_layout
from rtl.common.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside


def is_granted(port: Any) -> Any:
    """Whether the request of an input is granted: it is good, and has not lost."""
    return port.requests.any() & port.good.any() & ~port.lost.any()


class LastCycle:
    """What an input asked for a cycle ago, and what came of it.

    Members
    -------
    granted : Signal
    good, flit, has_credit, can_start : Signal
    """

    def __init__(self, claims: Claims, port: Any, name: str):
        self.granted: Any = claims.was(is_granted(port), f"{name}_granted")
        self.good: Any = claims.was(port.good, f"{name}_good")
        self.flit: Any = claims.was(Value.cast(port.flit), f"{name}_flit")
        self.has_credit: Any = claims.was(port.has_credit, f"{name}_has_credit")
        self.can_start: Any = claims.was(port.can_start, f"{name}_can_start")


class LaneReference:
    """One lane.

    Parameters
    ----------
    claims : Claims
    port : LaneInput
    v : int
    name : str
        Prefix of the names of signals.
    last : LastCycle
    left : Value
        A flit left the buffer of this lane in the last cycle.
    note : Value
        Bits that stand beside the flit on the link.

    Members
    -------
    arrives : Signal
    left : Signal
    queue : ReferenceQueue
        Flits whose credits have not come back: flit, ways, note.
    begun : Signal
        The credit of a head has come back, that of its tail has not.
    own : Signal
        The way of that worm; 0 if it has none.
    """

    def __init__(self, claims: Claims, port: Any, v: int, name: str, last: LastCycle, left: Any, note: Any = ()):
        self._shape = port.shape
        self._last = last
        self._flit_bits = flit_layout(port.shape.flit_bits).size
        valid = port.link.valid
        arrives = valid & port.link.ready if port.shape.from_host else valid[v]
        self.arrives: Any = claims.named(arrives, f"{name}_arrives")
        self.left: Any = claims.named(left, f"{name}_left")
        entry = concat((port.link.payload, port.ways, *note))
        self.queue = ReferenceQueue(claims, port.shape.depth, self.arrives, entry, self.left)
        self.begun: Any = Signal(name=f"{name}_begun")
        self.own: Any = Signal(port.shape.ways, name=f"{name}_own")
        way = Mux(last.granted, last.good, 0)
        self.own_now: Any = claims.named(Mux(self.left & ~self.begun, way, self.own), f"{name}_own_now")
        after = Mux(self.left, ~self.flit(self.queue.row[0]).tail, self.begun)
        self.begun_now: Any = claims.named(after, f"{name}_begun_now")
        claims.m.d.sync += [self.begun.eq(self.begun_now), self.own.eq(self.own_now)]
        self.held_now: Any = claims.named(self.queue.held - self.left, f"{name}_held_now")[: len(self.queue.held)]
        rows = [*self.queue.row, self.queue.row[-1]]
        self.now: list[Any] = [
            claims.named(Mux(self.left, rows[k + 1], rows[k]), f"{name}_now_{k}") for k in range(port.shape.depth)
        ]

    def flit(self, entry: Any) -> Any:
        """The flit of an entry."""
        return flit_layout(self._shape.flit_bits)(entry[: self._flit_bits])

    def ways(self, entry: Any) -> Any:
        """Its ways."""
        return entry[self._flit_bits : self._flit_bits + self._shape.ways]

    def note(self, entry: Any) -> Any:
        """The bits that stand beside it."""
        return entry[self._flit_bits + self._shape.ways :]

    @property
    def nowhere(self) -> Any:
        """Whether the worm in front has no way."""
        return ~Mux(self.begun, self.own, self.ways(self.queue.row[0])).any()

    def assume_room(self, claims: Claims) -> None:
        """The switch before sends only with a credit."""
        claims.assume(~self.arrives | (self.queue.held < self._shape.depth))


def pops(inside: Inside, port: Any, where: str | None = None) -> Any:
    """Whether a flit leaves: its request is granted, or it is of a worm without a way."""
    return is_granted(port) | (inside.register("request_lane", where).any() & ~port.requests.any())


def flits_held(inside: Inside, shape: Any, v: int, where: str | None = None) -> Any:
    """Flits in the buffer of a lane, as its registers tell."""
    present = inside.register(f"present_{v}", where)
    if shape.slots == 1:
        return present
    back, front = (inside.register(f"{name}_{v}", where) for name in ("back", "front"))
    return Mux(present, (back - front - 1)[: len(back)] + 1, 0)


def lanes_of(
    claims: Claims, inside: Inside, port: Any, name: str = "lane", where: str | None = None, note: Any = ()
) -> list[LaneReference]:
    """The lanes of an input; of one from a processor, which gives no credits back, pops are looked up inside."""
    last = LastCycle(claims, port, name)
    if port.shape.from_host:
        left: Any = [claims.was(pops(inside, port, where), f"{name}_pops")]
    else:
        left = port.credits
    return [LaneReference(claims, port, v, f"{name}_{v}", last, left[v], note) for v in range(port.shape.lanes)]


def tie_lanes(claims: Claims, inside: Inside, port: Any, lanes: list[LaneReference], where: str | None = None) -> None:
    """Adds the invariants of an input: its registers and memories hold what the rows of reference say."""
    shape = port.shape
    for v, lane in enumerate(lanes):
        claims.invariant("a lane has room for what is in it", lane.queue.held <= shape.depth)
        claims.invariant("credits are for flits", ~lane.left | (lane.queue.held != 0))
        claims.invariant("lanes count", flits_held(inside, shape, v, where) == lane.held_now)
        _tie_places(claims, inside, shape, lane, v, where)
        _tie_worm(claims, inside, lane, v, where)
    _tie_request(claims, inside, port, lanes, where)


def _tie_places(claims: Claims, inside: Inside, shape: Any, lane: LaneReference, v: int, where: str | None) -> None:
    """The memories of flits, and of what stands beside them."""
    path = f"{where}/" if where else ""
    front: Any = inside.register(f"front_{v}", where) if shape.slots > 1 else None
    if front is not None:
        back = inside.register(f"back_{v}", where)
        claims.invariant("the back is behind the last flit", back == (front + lane.held_now)[: len(back)])
    for slot in range(shape.slots):
        flit = Value.cast(inside.memory_row(v * shape.slots + slot, f"{path}flits"))
        beside = inside.memory_row(slot, f"{path}beside_{v}") if shape.depth > 1 else None
        for k, entry in enumerate(lane.now):
            away = lane.held_now <= k
            if front is not None:
                away = away | ((front + k)[: len(front)] != slot)
            claims.invariant("slots hold their flits", away | (flit == Value.cast(lane.flit(entry))))
            if not shape.several_ways:
                claims.invariant("heads have one way at most", away | at_most_one(lane.ways(entry)))
            if beside is not None:
                known = concat((lane.ways(entry), lane.flit(entry).tail))
                claims.invariant("slots hold what stands beside their flits", away | (beside == known))


def _tie_worm(claims: Claims, inside: Inside, lane: LaneReference, v: int, where: str | None) -> None:
    active, ways, nowhere = (inside.register(f"{name}_{v}", where) for name in ("active", "ways", "nowhere"))
    is_tail = inside.register(f"is_tail_{v}", where) == lane.flit(lane.now[0]).tail
    claims.invariant("it is known whether the flit in front is a tail", (lane.held_now == 0) | is_tail)
    claims.invariant("a lane is active while its worm has begun", active == lane.begun_now)
    waits = ~active & (lane.held_now != 0)
    claims.invariant("the ways are those of the head in front", ~waits | (ways == lane.ways(lane.now[0])))
    claims.invariant("the way is that of the worm", ~active | (ways == lane.own_now))
    claims.invariant("a worm has one way at most", ~active | at_most_one(lane.own_now))
    claims.invariant("nowhere says that there is no way", ~(active | waits) | (nowhere == ~ways.any()))


def _tie_request(claims: Claims, inside: Inside, port: Any, lanes: list[LaneReference], where: str | None) -> None:
    names = ("lane", "way", "is_head", "outputs")
    asking, way, is_head, outputs = (inside.register(f"request_{name}", where) for name in names)
    claims.invariant("one lane asks at most", at_most_one(asking))
    claims.invariant("without a lane that asks there is no request", asking.any() | ~outputs.any())
    claims.invariant("a request is for one way at most", ~asking.any() | at_most_one(way))
    reached = concat(way[low:high].any() for low, high in port.shape.spans)
    claims.invariant("a request is for the output of its way", ~asking.any() | (outputs == reached))
    for v, lane in enumerate(lanes):
        active, ways = (inside.register(f"{name}_{v}", where) for name in ("active", "ways"))
        claims.invariant("a lane that asks has a flit", ~asking[v] | (lane.held_now != 0))
        right = (is_head == ~active) & ~(way & ~ways).any() & (way.any() == ways.any())
        claims.invariant("the request is that of the worm in front", ~asking[v] | right)
        claims.invariant("a worm asks for its way", ~(asking[v] & active) | (way == ways))
