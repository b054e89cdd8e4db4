"""Claims about the store of writes of an AXI4 manager's interface."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.axi4.write_store import MAX_BURSTS, WriteStore
from rtl.parts.selection import concat, either
from tests.proofs.axi4_rules import stays
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.links import ReferenceQueue
from topology.axi4.words import MIN_STORED_BEATS, Axi4Format

BEHIND = 2
"""Beats behind the memory: in its output, and in the register."""


def axi4_store(beats: int, *, whole: bool, copies: bool = False) -> Describe:
    """Claims about a store. It has fewer beats than any that is configured, so it holds only short bursts."""

    def describe(claims: Claims) -> None:
        part: Any = WriteStore(Axi4Format(3, user_bits=1), max(beats, MIN_STORED_BEATS), whole=whole, copies=copies)
        part.beats = beats
        claims.free_inputs(part)
        inside = Inside(claims, part)
        claims.assume(~part.pop | part.valid)
        enters = claims.named(part.wvalid & part.wready, "enters")
        entry = concat((part.wlast, part.wdata, part.wstrb, part.wuser))
        leaves = part.pop & ~part.keep if copies else part.pop
        queue = ReferenceQueue(claims, beats + (0 if copies else BEHIND), enters, entry, leaves)
        again: Any = Signal(range(beats + 1), name="beats_to_come_again")
        if copies:
            _follow_copies(claims, part, again)
        waited = _prove(claims, part, queue, enters, again)
        _tie(claims, inside, part, queue, waited, again)

    return describe


def _follow_copies(claims: Claims, part: Any, again: Any) -> None:
    """Count the beats that have left and come again, and assume that copies are whole bursts."""
    kept = part.pop & part.keep
    claims.m.d.sync += again.eq(Mux(part.rewind, 0, again + kept))
    claims.assume(part.rewind == (kept & part.last))
    claims.assume(~(part.pop & ~part.keep) | (again == 0))
    claims.possible("a burst of two beats comes again", part.rewind & (again == 1))


def _prove(claims: Claims, part: Any, queue: ReferenceQueue, enters: Any, again: Any) -> Any:
    """Return whether a beat has waited for a cycle without being in front."""
    beat = claims.named(concat((part.last, part.word)), "beat")
    some = queue.held > again
    claims.always("beats leave once, unaltered and in order", ~part.valid | some & (beat == queue.at(again)))
    claims.always("a beat stays until it leaves", stays(claims, part.valid, part.pop, beat, "beat"))
    waited = claims.was(some & ~part.valid, "waited")
    late = claims.was(waited & some & ~part.valid, "waited_long") & ~part.valid
    claims.always("the first beat is there 3 cycles after it has come", ~late)
    claims.always("no beat comes without room", ~enters | (queue.held != len(queue.row)))
    bursts: Any = Signal(range(MAX_BURSTS + 2), name="bursts_reference")
    comes, leaves = enters & part.wlast, part.pop & part.last & ~(part.keep if part.copies else 0)
    claims.m.d.sync += bursts.eq(bursts + comes - leaves)
    lasts = concat(row[0] & (queue.held > k) for k, row in enumerate(queue.row))
    claims.invariant("bursts are counted", bursts == sum((bit for bit in lasts), Const(0)))
    full = bursts >= MAX_BURSTS - 2 if part.whole else Const(0)
    room = claims.was((queue.held < part.beats - 2) & ~full, "room")
    claims.always("data are taken while there is room", ~(room & started(claims)) | part.wready)
    if part.whole:
        claims.always("a burst that may be sent is complete", ~part.startable | (bursts != 0))
        claims.always("a complete burst may be sent", part.startable == part.valid & (bursts != 0))
        waits = claims.was(part.startable & ~part.pop, "startable")
        claims.always("what may be sent stays so until its first beat leaves", ~waits | part.startable)
        claims.possible("two bursts are complete", bursts == 2)
    else:
        claims.always("a burst may be sent from its first beat on", part.startable == part.valid)
    claims.possible("there is no room", (queue.held == part.beats - 1) & ~part.wready)
    return waited & some & ~part.valid


def _tie(claims: Claims, inside: Inside, part: Any, queue: ReferenceQueue, waited: Any, again: Any) -> None:
    beats = part.beats
    stored, waits = inside.register("stored"), inside.register("waits")
    front, back = inside.register("front"), inside.register("back")
    reads, writes = inside.wire("fetched"), inside.wire("written")
    claims.always("no place is read and written in one cycle", ~(reads & writes) | (front != back))
    claims.invariant("a beat that has waited is in the memory's output", ~waited | waits)
    ahead = claims.named(part.valid + waits, "ahead")
    if part.copies:  # a beat leaves the memory when it has left the store for good
        kept = inside.register("kept")
        fetched = claims.named(again + ahead, "beats_fetched")
        claims.invariant("beats are counted", (queue.held == stored) & (fetched <= stored))
        claims.invariant("the front is behind the beats that are fetched", front == _later(kept, fetched, beats))
        claims.invariant("a pointer of copies is within the memory", kept < beats)
        first, base, behind = again, kept, Const(0)
    else:
        claims.invariant("beats are counted", queue.held == ahead + stored)
        first, base, behind = Const(0), front, ahead
    claims.invariant("pointers are within the memory", (front < beats) & (back < beats) & (stored <= beats))
    claims.invariant("pointers are apart by the beats", back == _later(base, stored, beats))
    claims.invariant("the memory keeps one place free behind each beat that comes", stored < beats)
    claims.invariant("a place is free where data are taken", ~part.wready | (stored < beats - 1))
    second = queue.at(claims.named(first + part.valid, "second"))
    claims.invariant("the output has its beat", ~waits | (inside.memory_output("beats") == second))
    rows = [inside.memory_row(k, "beats") for k in range(beats)]
    for k in range(beats):
        row = either([Mux(base == at, rows[(at + k) % beats], 0) for at in range(beats)])
        expected = queue.at(claims.named(behind + k, f"place_{k}"))
        claims.invariant("places have their beats", (stored <= k) | (row == expected))
    if part.whole:
        reference = inside.register("bursts")
        lasts = concat(row[0] & (queue.held > k) for k, row in enumerate(queue.row))
        claims.invariant("the counter of bursts counts", reference == sum((bit for bit in lasts), Const(0)))
        claims.invariant("bursts are at most the limit", reference <= MAX_BURSTS - 1)
        claims.invariant("few bursts are there where data are taken", ~part.wready | (reference < MAX_BURSTS - 1))


def _later(pointer: Any, steps: Any, beats: int) -> Any:
    """Return a pointer some steps later."""
    return Mux(pointer + steps >= beats, pointer + steps - beats, pointer + steps)
