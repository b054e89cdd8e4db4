"""Claims about the buffer of packets between an ejector and its user."""

from typing import Any

from amaranth.hdl import Mux

from rtl.endpoints.packet_buffer import PacketBuffer
from rtl.parts.selection import either
from tests.proofs.axi4_rules import stays
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.links import ReferenceQueue

BITS = 4


def packet_buffer(beats: int) -> Describe:
    """Claims about a buffer of some beats."""

    def describe(claims: Claims) -> None:
        part: Any = PacketBuffer(BITS, beats)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        enters = claims.named(part.i.valid & part.i.ready, "enters")
        leaves = claims.named(part.o.valid & part.o.ready, "leaves")
        queue = ReferenceQueue(claims, beats + 1, enters, part.i.payload, leaves)
        beat, stored = part.o.payload, claims.named(queue.held - part.o.valid, "beats_stored")
        right = (queue.held != 0) & (beat == queue.row[0])
        claims.always("beats leave once, unaltered and in order", ~part.o.valid | right)
        claims.always("a beat stays until it leaves", stays(claims, part.o.valid, part.o.ready, beat, "beat"))
        claims.always("no beat comes without room", ~enters | (stored < beats))
        due = claims.was((stored != 0) & (~part.o.valid | part.o.ready), "due")
        claims.always("a beat is there 2 cycles after it has come, if it is first", ~due | part.o.valid)
        room = claims.was(stored < beats - 1, "room")
        claims.always("beats are taken while there is room", ~(room & started(claims)) | part.i.ready)
        claims.possible("the buffer is full", (queue.held == beats + 1) & ~part.i.ready)
        claims.possible("a beat comes as another one leaves", enters & leaves)
        _tie(claims, inside, part, queue, stored)

    return describe


def _tie(claims: Claims, inside: Inside, part: Any, queue: ReferenceQueue, stored: Any) -> None:
    beats = part.beats
    front, back = inside.register("front"), inside.register("back")
    reads, writes = inside.memory_enables("beats")
    claims.always("no place is read and written in one cycle", ~(reads & writes) | (front != back))
    claims.invariant("beats are counted", (queue.held >= part.o.valid) & (inside.register("stored") == stored))
    claims.invariant("beats have places", stored <= beats)
    claims.invariant("pointers are within the memory", (front < beats) & (back < beats))
    later = front + stored
    claims.invariant("pointers are apart by the beats", back == Mux(later >= beats, later - beats, later))
    claims.invariant("a place is free where beats are taken", ~part.i.ready | (stored < beats))
    rows = [inside.memory_row(k, "beats") for k in range(beats)]
    claims.invariant("the output has its beat", ~part.o.valid | (inside.memory_output("beats") == queue.row[0]))
    for k in range(beats):
        row = either([Mux(front == at, rows[(at + k) % beats], 0) for at in range(beats)])
        expected = queue.at(claims.named(part.o.valid + k, f"place_{k}"))
        claims.invariant(f"beat {k} has its place", (stored <= k) | (row == expected))
