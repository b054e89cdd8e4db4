"""References of buffered virtual channels and of inputs that have them."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.parts.flit import flit_layout
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Inside, at_most_one
from tests.proofs.links import ReferenceQueue

# Content of a VC's buffer: a row of flits, derived from ports, and the pointers and memory that store it.


class BufferedVc:
    """One VC into a router.

    queue: Entries whose flits have not left, a cycle late.
    held_now: Flits in the buffer.
    now: Their entries; only the first ``held_now`` count.
    begun, begun_now: A head has left, its tail has not, a cycle late, and now.
    """

    def __init__(self, claims: Claims, flit_bits: int, depth: int, arrives: Any, left: Any, entry: Any, name: str):
        self._layout = flit_layout(flit_bits)
        self.depth = depth
        self.arrives: Any = claims.named(arrives, f"{name}_arrives")
        self.left: Any = claims.named(left, f"{name}_left")
        self.queue = ReferenceQueue(claims, depth, self.arrives, entry, self.left)
        self.held_now: Any = claims.named(self.queue.held - self.left, f"{name}_held_now")[: len(self.queue.held)]
        rows = [*self.queue.row, self.queue.row[-1]]
        self.now: list[Any] = [
            claims.named(Mux(self.left, rows[k + 1], rows[k]), f"{name}_now_{k}") for k in range(depth)
        ]
        self.begun: Any = Signal(name=f"{name}_begun")
        after = Mux(self.left, ~self.flit(self.queue.row[0]).tail, self.begun)
        self.begun_now: Any = claims.named(after, f"{name}_begun_now")
        claims.m.d.sync += self.begun.eq(self.begun_now)

    def flit(self, entry: Any) -> Any:
        """The flit of an entry."""
        return self._layout(entry[: self._layout.size])

    def beside(self, entry: Any) -> Any:
        """Bits that are stored beside the flit of an entry."""
        return entry[self._layout.size :]

    def assume_room(self, claims: Claims) -> None:
        """The switch before sends only with a credit."""
        claims.assume(~self.arrives | (self.queue.held < self.depth))


def slots_in_turn(slots: int, *, gray: bool) -> list[int]:
    """The slots of a VC as its flits take them, one after the other."""
    return [turn ^ (turn >> 1) if gray else turn for turn in range(slots)]


def _turn(inside: Inside, name: str, slots: int, where: str | None, *, gray: bool) -> Any:
    """The turn of the slot at the pointer of a VC."""
    pointer = inside.register(name, where)
    if not gray:
        return pointer
    bits, in_turn = len(pointer), slots_in_turn(slots, gray=True)
    table = sum(in_turn.index(slot) << bits * slot for slot in range(slots))
    return Const(table, bits * slots).word_select(pointer, bits)


def flits_held(inside: Inside, slots: int, v: int, where: str | None = None, *, gray: bool = False) -> Any:
    """Flits in the buffer of a VC, by its registers; its pointers may count in Gray code."""
    present = inside.register(f"present_{v}", where)
    if slots == 1:
        return present
    back, front = (_turn(inside, f"{name}_{v}", slots, where, gray=gray) for name in ("back", "front"))
    return Mux(present, (back - front - 1)[: len(back)] + 1, 0)


def tie_buffer(
    claims: Claims, inside: Inside, vc: BufferedVc, slots: int, v: int, where: str | None, *, gray: bool = False
) -> Iterator[tuple[int, Any, Any]]:
    """Adds the invariants of a buffer: pointers, and flits in the memory of all VCs."""
    claims.invariant("a VC has room for its flits", vc.queue.held <= vc.depth)
    claims.invariant("credits are for flits", ~vc.left | (vc.queue.held != 0))
    claims.invariant("VCs count", flits_held(inside, slots, v, where, gray=gray) == vc.held_now)
    front: Any = _turn(inside, f"front_{v}", slots, where, gray=gray) if slots > 1 else None
    if front is not None:
        back = _turn(inside, f"back_{v}", slots, where, gray=gray)
        claims.invariant("the back is behind the last flit", back == (front + vc.held_now)[: len(back)])
    memory = f"{where}/flits" if where else "flits"
    for turn, slot in enumerate(slots_in_turn(slots, gray=gray)):
        flit = Value.cast(inside.memory_row(v * slots + slot, memory))
        for k, entry in enumerate(vc.now):
            away = vc.held_now <= k
            if front is not None:
                away = away | ((front + k)[: len(front)] != turn)
            claims.invariant("slots hold their flits", away | (flit == Value.cast(vc.flit(entry))))
            yield slot, entry, away


# Content of the VCs of an input, derived from the flits that enter and the credits that come back.


def is_granted(port: Any) -> Any:
    """True if the request of an input is granted: it is good, and has not lost."""
    return port.requests.any() & port.good.any() & ~port.lost.any()


class LastCycle:
    """The request of an input in the last cycle, and its outcome."""

    def __init__(self, claims: Claims, port: Any, name: str):
        self.granted: Any = claims.was(is_granted(port), f"{name}_granted")
        self.good: Any = claims.was(port.good, f"{name}_good")
        self.flit: Any = claims.was(Value.cast(port.flit), f"{name}_flit")
        self.has_credit: Any = claims.was(port.has_credit, f"{name}_has_credit")
        self.can_start: Any = claims.was(port.can_start, f"{name}_can_start")


class VcReference(BufferedVc):
    """One VC. Its entries are flit, ways and note.

    own, own_now: The way of the worm that has begun; 0 if it has none.
    """

    def __init__(self, claims: Claims, port: Any, v: int, name: str, last: LastCycle, left: Any, note: Any = ()):
        self._shape = port.shape
        valid = port.link.valid
        arrives = valid & port.link.ready if port.shape.from_host else valid[v]
        entry = concat((port.link.payload, port.ways, *note))
        super().__init__(claims, port.shape.flit_bits, port.shape.depth, arrives, left, entry, name)
        self.own: Any = Signal(port.shape.ways, name=f"{name}_own")
        way = Mux(last.granted, last.good, 0)
        self.own_now: Any = claims.named(Mux(self.left & ~self.begun, way, self.own), f"{name}_own_now")
        claims.m.d.sync += self.own.eq(self.own_now)

    def ways(self, entry: Any) -> Any:
        """Its ways."""
        return self.beside(entry)[: self._shape.ways]

    def note(self, entry: Any) -> Any:
        """The bits that accompany it."""
        return self.beside(entry)[self._shape.ways :]

    @property
    def nowhere(self) -> Any:
        """True if the worm in front is unroutable."""
        return ~Mux(self.begun, self.own, self.ways(self.queue.row[0])).any()


def pops(inside: Inside, port: Any, where: str | None = None) -> Any:
    """True if a flit leaves: its request is granted, or its worm is unroutable."""
    return is_granted(port) | (inside.register("request_lane", where).any() & ~port.requests.any())


def vcs_of(
    claims: Claims, inside: Inside, port: Any, name: str = "lane", where: str | None = None, note: Any = ()
) -> list[VcReference]:
    """The VCs of an input; of one from a processor, which gives no credits back, pops are looked up inside."""
    last = LastCycle(claims, port, name)
    if port.shape.from_host:
        left: Any = [claims.was(pops(inside, port, where), f"{name}_pops")]
    else:
        left = port.credits
    return [VcReference(claims, port, v, f"{name}_{v}", last, left[v], note) for v in range(port.shape.vcs)]


def tie_vcs(claims: Claims, inside: Inside, port: Any, vcs: list[VcReference], where: str | None = None) -> None:
    """Adds the invariants of an input: its registers and memories agree with the reference rows."""
    shape = port.shape
    for v, vc in enumerate(vcs):
        _tie_places(claims, inside, shape, vc, v, where)
        _tie_worm(claims, inside, vc, v, where)
    _tie_request(claims, inside, port, vcs, where)


def _tie_places(claims: Claims, inside: Inside, shape: Any, vc: VcReference, v: int, where: str | None) -> None:
    """The memories of flits, and of the bits that accompany them."""
    memory = f"{where}/beside_{v}" if where else f"beside_{v}"
    beside = [inside.memory_row(slot, memory) for slot in range(shape.slots)] if shape.depth > 1 else []
    for slot, entry, away in tie_buffer(claims, inside, vc, shape.slots, v, where):
        if not shape.several_candidates:
            claims.invariant("heads have one route candidate at most", away | at_most_one(vc.ways(entry)))
        if beside:
            known = concat((vc.ways(entry), vc.flit(entry).tail))
            claims.invariant("slots store the bits that accompany their flits", away | (beside[slot] == known))


def _tie_worm(claims: Claims, inside: Inside, vc: VcReference, v: int, where: str | None) -> None:
    active, ways, nowhere = (inside.register(f"{name}_{v}", where) for name in ("active", "ways", "nowhere"))
    is_tail = inside.register(f"is_tail_{v}", where) == vc.flit(vc.now[0]).tail
    claims.invariant("the register shows whether the flit in front is a tail", (vc.held_now == 0) | is_tail)
    claims.invariant("a VC is active while its worm has begun", active == vc.begun_now)
    waits = ~active & (vc.held_now != 0)
    claims.invariant("the ways are those of the head in front", ~waits | (ways == vc.ways(vc.now[0])))
    claims.invariant("the route is that of the worm", ~active | (ways == vc.own_now))
    claims.invariant("a worm has one route at most", ~active | at_most_one(vc.own_now))
    claims.invariant("the register shows that the worm is unroutable", ~(active | waits) | (nowhere == ~ways.any()))


def _tie_request(claims: Claims, inside: Inside, port: Any, vcs: list[VcReference], where: str | None) -> None:
    names = ("lane", "way", "is_head", "outputs")
    asking, way, is_head, outputs = (inside.register(f"request_{name}", where) for name in names)
    claims.invariant("at most one VC requests", at_most_one(asking))
    claims.invariant("without a requesting VC there is no request", asking.any() | ~outputs.any())
    claims.invariant("a request is for one VC out at most", ~asking.any() | at_most_one(way))
    reached = concat(way[low:high].any() for low, high in port.shape.spans)
    claims.invariant("a request is for the output of its VC", ~asking.any() | (outputs == reached))
    for v, vc in enumerate(vcs):
        active, ways = (inside.register(f"{name}_{v}", where) for name in ("active", "ways"))
        claims.invariant("a requesting VC has a flit", ~asking[v] | (vc.held_now != 0))
        right = (is_head == ~active) & ~(way & ~ways).any() & (way.any() == ways.any())
        claims.invariant("the request is that of the worm in front", ~asking[v] | right)
        claims.invariant("a worm requests its own VC", ~(asking[v] & active) | (way == ways))
