"""Content of a lane's buffer: a row of flits, derived from ports, and the pointers and memory that store it."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.parts.flit import flit_layout
from tests.proofs.claims import Claims
from tests.proofs.common.reference_queue import ReferenceQueue
from tests.proofs.inside import Inside


class BufferedLane:
    """One lane into a router.

    Parameters
    ----------
    claims : Claims
    flit_bits : int
    depth : int
        Flits that the buffer holds.
    arrives : Value
        The flit on the link is one of this lane, and moves.
    left : Value
        A flit left the buffer in the last cycle.
    entry : Value
        The flit on the link, and the bits stored beside it.
    name : str
        Prefix of the names of signals.

    Members
    -------
    arrives, left : Signal
    queue : ReferenceQueue
        Entries whose flits have not left, a cycle late.
    held_now : Signal
        Flits in the buffer.
    now : list of Signal
        Their entries; only the first ``held_now`` count.
    begun, begun_now : Signal
        A head has left, its tail has not, a cycle late, and now.
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
    """The slots of a lane as its flits take them, one after the other."""
    return [turn ^ (turn >> 1) if gray else turn for turn in range(slots)]


def _turn(inside: Inside, name: str, slots: int, where: str | None, *, gray: bool) -> Any:
    """The turn of the slot at the pointer of a lane."""
    pointer = inside.register(name, where)
    if not gray:
        return pointer
    bits, in_turn = len(pointer), slots_in_turn(slots, gray=True)
    table = sum(in_turn.index(slot) << bits * slot for slot in range(slots))
    return Const(table, bits * slots).word_select(pointer, bits)


def flits_held(inside: Inside, slots: int, v: int, where: str | None = None, *, gray: bool = False) -> Any:
    """Flits in the buffer of a lane, by its registers; its pointers may count in Gray code."""
    present = inside.register(f"present_{v}", where)
    if slots == 1:
        return present
    back, front = (_turn(inside, f"{name}_{v}", slots, where, gray=gray) for name in ("back", "front"))
    return Mux(present, (back - front - 1)[: len(back)] + 1, 0)


def tie_buffer(
    claims: Claims,
    inside: Inside,
    lane: BufferedLane,
    slots: int,
    v: int,
    where: str | None,
    *,
    gray: bool = False,
) -> Iterator[tuple[int, Any, Any]]:
    """Adds the invariants of a buffer: pointers, and flits in the memory of all lanes.

    Parameters
    ----------
    claims : Claims
    inside : Inside
    lane : BufferedLane
    slots : int
        Places in the memory for each lane.
    v : int
        Number of the lane.
    where : str or None
        Instance name of the input.
    gray : bool
        Pointers count in Gray code.

    Yields
    ------
    slot : int
    entry : Value
    away : Value
        Whether this entry is not in this slot.
    """
    claims.invariant("a lane has room for its flits", lane.queue.held <= lane.depth)
    claims.invariant("credits are for flits", ~lane.left | (lane.queue.held != 0))
    claims.invariant("lanes count", flits_held(inside, slots, v, where, gray=gray) == lane.held_now)
    front: Any = _turn(inside, f"front_{v}", slots, where, gray=gray) if slots > 1 else None
    if front is not None:
        back = _turn(inside, f"back_{v}", slots, where, gray=gray)
        claims.invariant("the back is behind the last flit", back == (front + lane.held_now)[: len(back)])
    memory = f"{where}/flits" if where else "flits"
    for turn, slot in enumerate(slots_in_turn(slots, gray=gray)):
        flit = Value.cast(inside.memory_row(v * slots + slot, memory))
        for k, entry in enumerate(lane.now):
            away = lane.held_now <= k
            if front is not None:
                away = away | ((front + k)[: len(front)] != turn)
            claims.invariant("slots hold their flits", away | (flit == Value.cast(lane.flit(entry))))
            yield slot, entry, away
