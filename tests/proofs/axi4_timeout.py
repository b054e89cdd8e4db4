"""Claims about the timeout of an AXI4 subordinate: the interface in front of it sees a subordinate that follows AXI4.

The subordinate behind it follows AXI4 as far as it does anything. The interface has what ``axi4_subordinate`` proves.
"""

from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.axi4.subordinate import ID_BITS
from rtl.axi4.timeout import INSIDE, OUTSIDE, SubordinateTimeout
from rtl.parts.selection import concat, either
from tests.proofs.axi4_rules import Transfer, channel_payload
from tests.proofs.claims import Claims, Describe, Inside
from tests.proofs.links import ReferenceQueue
from topology.axi4.words import SLVERR, Axi4Format

REQUESTS, ANSWERS = ("aw", "w", "ar"), ("b", "r")
IGNORED = ("bid", "rid")
"""The interface has one ID."""


def axi4_timeout(cycles: int, pending: int, user_bits: int = 0) -> Describe:
    """Claims about a timeout after some cycles."""

    def describe(claims: Claims) -> None:
        axi = Axi4Format(3, 15, 32, 0, user_bits)
        part: Any = SubordinateTimeout(axi, cycles, pending)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _Reference(claims, inside, part, axi).prove()

    return describe


class _Side:
    """One of the two ports, without the prefix of its signals."""

    def __init__(self, part: Any, prefix: str):
        self._part, self._prefix = part, prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, f"{self._prefix}{name}")


class _Reference:
    """Transactions under way."""

    def __init__(self, claims: Claims, inside: Inside, part: Any, axi: Axi4Format):
        self.claims, self.inside, self.part = claims, inside, part
        self.near, self.far = _Side(part, INSIDE), _Side(part, OUTSIDE)
        self.sides = [
            {
                name: Transfer(claims, side, name, channel_payload(side, axi, ID_BITS, name, IGNORED))
                for name in REQUESTS + ANSWERS
            }
            for side in (self.near, self.far)
        ]
        near = self.sides[0]
        self.given = {name: Signal(range(part.pending + 2), name=f"{name}_given") for name in ("aw", "w")}
        for name, more in (("aw", near["aw"].goes), ("w", near["w"].goes & self.near.wlast)):
            claims.m.d.sync += self.given[name].eq(self.given[name] + more - near["b"].goes)
        ends = claims.named(near["r"].goes & self.near.rlast, "read_ends")
        self.reads = ReferenceQueue(claims, part.pending + 1, near["ar"].goes, self.near.arlen, ends)
        self.beats: Any = Signal(8, name="beats_reference")
        with claims.m.If(near["r"].goes):
            claims.m.d.sync += self.beats.eq(Mux(self.near.rlast, 0, self.beats + 1))
        self._assume()

    def _assume(self) -> None:
        claims, near, far, given = self.claims, self.near, self.far, self.given
        for name in REQUESTS:
            claims.assume(self.sides[0][name].stays)
        pending = self.part.pending
        claims.assume(~near.awvalid | (given["aw"] < pending))
        claims.assume(~near.wvalid | (given["w"] < pending) & (given["w"] < given["aw"] + near.awvalid))
        claims.assume(~near.arvalid | (self.reads.held < pending))
        answers = ~far.bvalid | given["aw"].any() & given["w"].any()
        answers &= ~far.rvalid | self.reads.held.any() & (far.rlast == (self.beats == self.reads.row[0]))
        for name in ANSWERS:
            answers &= self.sides[1][name].stays
        claims.assume(self.part.error | answers)

    def prove(self) -> None:
        """Claim everything."""
        claims, part, near, far, given = self.claims, self.part, self.near, self.far, self.given
        for name in ANSWERS:
            claims.always(f"{name.upper()} stays until it is taken", self.sides[0][name].stays)
        begun = given["aw"].any() | self.sides[0]["aw"].goes
        claims.always("B comes behind its request and its data", ~near.bvalid | begun & given["w"].any())
        claims.always("R is of a read under way", ~near.rvalid | self.reads.held.any())
        last = near.rlast == (self.beats == self.reads.row[0])
        claims.always("a read has len + 1 beats, the last one marked", ~near.rvalid | last)
        same: Any = Const(1)
        for name in REQUESTS + ANSWERS:
            to, of = (far, near) if name in REQUESTS else (near, far)
            sides = self.sides if name in REQUESTS else self.sides[::-1]
            same &= getattr(to, f"{name}valid") == getattr(of, f"{name}valid")
            same &= getattr(of, f"{name}ready") == getattr(to, f"{name}ready")
            same &= sides[0][name].payload == sides[1][name].payload
        claims.always("a subordinate that has not stopped sees the interface", part.error | same)
        self._prove_stop()
        self._tie()
        claims.possible("a read ends in the place of the subordinate", part.error & near.rvalid & (self.beats == 1))
        all_writes = given["w"] == part.pending
        claims.possible("all writes are answered in the place of the subordinate", part.error & all_writes)

    def _prove_stop(self) -> None:
        """Claim when a subordinate has stopped, and what happens then."""
        claims, part, near, far = self.claims, self.part, self.near, self.far
        moves = {
            "writes": self.sides[0]["aw"].goes | self.sides[0]["w"].goes | far.bvalid,
            "reads": self.sides[0]["ar"].goes | far.rvalid,
        }
        due = {
            "writes": near.awvalid | near.wvalid | self.given["w"].any(),
            "reads": near.arvalid | self.reads.held.any(),
        }
        expired = []
        for name, move in moves.items():
            rests: Any = Signal(range(part.cycles + 1), name=f"{name}_rest")
            rests_now = claims.named(~move & due[name], f"{name}_rest_now")
            more = rests + (rests != part.cycles)
            claims.m.d.sync += rests.eq(Mux(rests_now, more, 0))
            expired.append(claims.named(rests == part.cycles, f"{name}_expired"))
            claims.invariant("cycles are counted up to the limit", rests <= part.cycles)
            limit = claims.named(Mux(rests > part.cycles - 1, part.cycles - 1, rests), f"{name}_limit")
            claims.invariant("idle cycles are counted", part.error | (self.inside.register(f"idle_{name}") == limit))
        stopped = claims.named(concat(expired).any(), "stopped")
        fresh = part.error & ~claims.was(part.error, "error")
        claims.always("only a subordinate that rests for all the cycles has stopped", ~fresh | stopped)
        waits = claims.was(near.bvalid & ~near.bready | near.rvalid & ~near.rready, "an_answer_waits")
        claims.always("it has stopped then, unless an answer waits", ~stopped | waits | part.error)
        claims.always("what has stopped stays so", ~claims.was(part.error, "had_stopped") | part.error)
        claims.always("its answers are missing no longer", ~part.error | (near.bvalid == self.given["w"].any()))
        claims.always("its answers are missing no longer", ~part.error | (near.rvalid == self.reads.held.any()))
        bad = (~near.bvalid | (near.bresp == SLVERR)) & (~near.rvalid | (near.rresp == SLVERR) & ~near.rdata.any())
        claims.always("answers in its place are errors", ~part.error | bad)
        takes = near.awready & near.wready & near.arready
        claims.always("requests and data are taken in its place", ~part.error | takes)
        offers = far.awvalid | far.wvalid | far.arvalid
        claims.always(
            "what has stopped gets nothing more, and is listened to no longer",
            ~part.error | ~offers & far.bready & far.rready,
        )

    def _tie(self) -> None:
        claims, inside, part, queue = self.claims, self.inside, self.part, self.reads
        claims.invariant("complete writes are counted", inside.register("complete") == self.given["w"])
        claims.invariant("beats are counted", inside.register("beats") == self.beats)
        depth = part.pending
        claims.invariant("reads are at most those allowed", queue.held <= depth)
        claims.invariant("writes are at most those allowed", (self.given["w"] <= depth) & (self.given["aw"] <= depth))
        begun = self.given["aw"] + self.near.awvalid
        claims.invariant("data are of a request", self.given["w"] <= begun)
        level = inside.register("level", "reads")
        consume = inside.register("consume", "reads") if depth > 1 else Const(0)
        produce = inside.register("produce", "reads") if depth > 1 else Const(0)
        claims.invariant("reads are queued", level == queue.held)
        due = consume + level
        right = (produce == Mux(due >= depth, due - depth, due)) & (consume < depth)
        claims.invariant("pointers are apart by the reads", right)
        rows = [inside.memory_row(k, "reads") for k in range(depth)]
        for k in range(depth):
            here = either([Mux(consume == at, rows[(at + k) % depth], 0) for at in range(depth)])
            claims.invariant("reads keep their lengths", (level <= k) | (here == queue.row[k]))
