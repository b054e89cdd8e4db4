"""Claims about the copy rule of ``MinRouter``: every branch takes each flit once, in order, as soon as it can."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.common.links import prove_link_rules
from tests.proofs.min.bare_switch import BareSwitch


def branch_copies(inputs: int, outputs: int, *, token: bool) -> Describe:
    """Claims about a switch of some size, on a token ring or not."""

    def describe(claims: Claims) -> None:
        bare = BareSwitch(claims, inputs, outputs, token)
        for o in range(outputs):
            _prove_output(claims, bare, o)
        for i in range(inputs):
            _prove_input(claims, bare, i)
        _prove_worms_apart(claims, bare)
        first, second = bare.copies[0], bare.copies[1]
        claims.possible("a flit goes to all outputs at once", first.all())
        ahead = bare.got[0][0] & ~bare.got[0][1] & bare.request[0][1]
        claims.possible("a branch is ahead of another one", ahead & claims.was(ahead, "ahead"))
        behind = bare.use.given[0][0] & bare.use.owed[0][1] & bare.use.owed[1][1]
        claims.possible("a worm follows another one on one branch and waits on the other", behind & second[0])

    return describe


def _prove_output(claims: Claims, bare: BareSwitch, o: int) -> None:
    """An output shows the flit copied to it, until it moves."""
    link = bare.switch.outputs[o]
    prove_link_rules(claims, link, f"output_{o}")
    sources = claims.named(concat(copies[o] for copies in bare.copies), f"sources_{o}")
    loaded = bare.crossbar.load[o]
    claims.always("an output gets its flit from one input", at_most_one(sources) & (loaded == sources.any()))
    occupied: Any = Signal(name=f"reference_occupied_{o}")
    claims.m.d.sync += occupied.eq(loaded | occupied & ~link.ready)
    claims.always("valid is high from a copy until the flit moves, and never else", link.valid == occupied)
    for i, buffer in enumerate(bare.buffers):
        flit = claims.was(Value.cast(buffer.flit), f"flit_{i}_{o}")
        copied = claims.was(sources[i], f"copied_{i}_{o}")
        claims.always("each requested output gets the flit unaltered", ~copied | (Value.cast(link.payload) == flit))


def _prove_input(claims: Claims, bare: BareSwitch, i: int) -> None:
    """Every output takes each flit once, and the flit leaves when all have it."""
    use, buffer, unit = bare.use, bare.buffers[i], bare.route_unit
    copies, got, request = bare.copies[i], bare.got[i], bare.request[i]
    there = claims.named(buffer.present & use.standing[i], f"there_{i}")
    claims.always("no output gets a flit twice", ~(copies & got).any())
    everywhere = ~(request & ~(got | copies)).any()
    claims.always("a flit leaves when all its outputs have it", buffer.pop == there & everywhere)
    claims.always("the release is the pop of the tail", unit.release[i] == buffer.pop & buffer.flit.tail)
    left = claims.named(Mux(there, request & ~got, 0), f"left_to_copy_{i}")
    for o in range(bare.outputs):
        link = bare.switch.outputs[o]
        goes = left[o] & use.first_at(i, o) & ~(link.valid & ~link.ready)
        claims.always("a branch takes a flit as soon as it is first and its output has room", copies[o] == goes)


def _prove_worms_apart(claims: Claims, bare: BareSwitch) -> None:
    """From the first copy of a worm on an output to its tail, no other worm gets the output."""
    inputs = range(bare.inputs)
    begun: list[Any] = [Signal(bare.outputs, name=f"begun_{i}") for i in inputs]
    for i in inputs:
        copies, tail = bare.copies[i], bare.buffers[i].flit.tail
        claims.m.d.sync += begun[i].eq(Mux(tail, begun[i] & ~copies, begun[i] | copies))
        claims.invariant("a worm that has begun is owed its outputs", ~(begun[i] & ~bare.use.owed[i]).any())
        for o in range(bare.outputs):
            first = bare.use.first_at(i, o)
            claims.invariant("a worm that has begun is first", ~begun[i][o] | first)
        for j in inputs:
            if i != j:
                claims.always("worms never mix on an output", ~(begun[i] & bare.copies[j]).any())
