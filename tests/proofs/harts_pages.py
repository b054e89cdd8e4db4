"""Claims about the pool of pages and the queues of pages of a HARTS node."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal, Value
from amaranth.hdl._mem import MemoryInstance

from rtl.harts.page_pool import PagePool
from rtl.harts.page_queues import CHOICE_SLOTS, PageQueues
from rtl.harts.parameters import PORTS, HartsNodeParameters
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside
from topology.harts.frame import PROCESSOR_SLOT, SLOT_BITS
from topology.harts.graph import DIRECTIONS, HexMesh
from topology.harts.header import HOST, harts_header, most_hops
from topology.harts.pages import least_pages

# The shapes of nodes that are proved.

SIZE = 2
FLIT_BITS = 34


def smallest_node(*, packet_flits: int = 3, gap_frames: int = 1, relay_frames: int = 1) -> HartsNodeParameters:
    """A node of the smallest mesh, with as few pages as are safe."""
    mesh = HexMesh(SIZE)
    levels = most_hops(mesh, algorithm_a=False)
    return HartsNodeParameters(
        header=harts_header(mesh, FLIT_BITS),
        size=SIZE,
        levels=levels,
        pages=least_pages(levels),
        packet_flits=packet_flits,
        gap_frames=gap_frames,
        relay_frames=relay_frames,
    )


# The slots of a frame, counted outside a node.


def slot_counter(claims: Claims) -> Any:
    """The slot of this cycle; a run begins with the last one of a frame, in which nothing is ready yet."""
    slot: Any = Signal(SLOT_BITS, init=PROCESSOR_SLOT, name="slot_reference")
    claims.m.d.sync += slot.eq(slot + 1)
    return slot


# The ports of the one memory of a part, and the part without the memory.


class OpenInside(Inside):
    """Puts a part into the module of the claims, and shows the ports of its memory.

    The part must have one memory, with one read port and one write port.
    """

    def __init__(self, claims: Any, part: Any, left_out: Any = (), name: str = "part"):
        super().__init__(claims, part, left_out, name)
        (self._memory,) = (sub for sub, _, _ in self._fragment.subfragments if isinstance(sub, MemoryInstance))
        (read,), (write,) = self._memory._read_ports, self._memory._write_ports
        self.read_address, self.read_enable, self.read_data = read._addr, read._en, read._data
        self.write_address, self.write_enable, self.write_data = write._addr, write._en, write._data

    def take_memory_out(self) -> Value:
        """Leave the memory out; the proof drives the data read."""
        self._fragment.subfragments = [sub for sub in self._fragment.subfragments if sub[0] is not self._memory]
        return self.read_data


# Contract between a node and its pool of free pages, in both directions.


class PagePoolUse:
    """The pages that are out, recorded cycle by cycle.

    out: Pages that have been taken and have not come back: a bit for every number that the ports can carry.
    """

    def __init__(self, claims: Claims, pool: Any, pages: int):
        self._claims, self.pool, self.pages = claims, pool, pages
        bits = [Signal(name=f"out_{page}") for page in range(1 << len(pool.page))]
        for page, bit in enumerate(bits):
            taken, given = pool.take & (pool.page == page), pool.give & (pool.given == page)
            claims.m.d.sync += bit.eq((bit | taken) & ~given)
        self.out = claims.named(concat(bits), "out_reference")

    def contract(self, page: Any) -> Iterator[tuple[str, Any]]:
        """Assumptions of the pool, by name; of the page that comes back only if it is ``page``."""
        pool = self.pool
        yield "a page is taken only if one is free", ~pool.take | (pool.free != 0)
        yield "a page comes back only if it is out", ~pool.give | (pool.given != page) | self.out.bit_select(page, 1)

    def promises(self) -> Iterator[tuple[str, Any]]:
        """Guarantees of the pool, by name."""
        pool = self.pool
        sound = (pool.page < self.pages) & ~self.out.bit_select(pool.page, 1)
        yield "a page that is handed out is not out already", (pool.free == 0) | sound

    def count(self) -> Any:
        """Number of pages that are out.

        Pages with a number below k are counted for each k, so that no step of the proof has to add up bits.
        """
        claims, pool = self._claims, self.pool
        below: Any = 0
        for page in range(self.pages):
            count: Any = Signal(range(self.pages + 1), name=f"out_up_to_{page}")
            taken, given = pool.take & (pool.page <= page), pool.give & (pool.given <= page)
            with claims.m.If(taken != given):
                claims.m.d.sync += count.eq(Mux(taken, count + 1, count - 1))
            claims.invariant("pages that are out are counted", count == below + self.out[page])
            below = count
        for none in range(self.pages, len(self.out)):
            claims.invariant("there are no other pages", ~self.out[none])
        return below


# PagePool: every page is free or out, never both, and none is lost.

TURN_BOUND = "at most pages - 1 others are taken before a page that has come back"


def page_pool(pages: int) -> Describe:
    """Claims about a pool of some pages."""

    def describe(claims: Claims) -> None:
        pool: Any = PagePool(pages)
        claims.free_inputs(pool)
        inside = OpenInside(claims, pool)
        use = PagePoolUse(claims, pool, pages)
        for _, condition in use.contract(pool.given):
            claims.assume(condition)
        for name, condition in use.promises():
            claims.always(name, condition)
        claims.always("free pages and pages that are out make up all", pool.free + use.count() == pages)
        ring = _Ring(claims, inside, use)
        _bound_waiting(claims, use, ring)
        all_out = use.out[:pages].all()
        ever_all_out: Any = Signal(name="ever_all_out")
        claims.m.d.sync += ever_all_out.eq(ever_all_out | all_out)
        claims.possible("all pages are out", all_out)
        claims.possible("a page is handed out again as another one comes back", ever_all_out & pool.take & pool.give)

    return describe


class _Ring:
    """The pages that have come back, as they lie in the memory.

    fresh: How many pages have never been taken; they come first.
    before: How many pages in the ring come before each row.
    there: Whether there is a page in each row.
    page: Which.
    """

    def __init__(self, claims: Claims, inside: OpenInside, use: PagePoolUse):
        pages, out = use.pages, use.out
        unused, front, back = inside.register("unused"), inside.read_address, inside.write_address
        rows = range(1 << len(front))
        self.fresh: Any = claims.named(pages - unused, "fresh")[: len(use.pool.free)]
        returned: Any = claims.named(use.pool.free - self.fresh, "returned")[: len(use.pool.free)]
        claims.invariant("the counter of used pages stops at the last", unused <= pages)
        claims.invariant("free pages are fresh or have come back", use.pool.free >= self.fresh)
        claims.invariant("the back is behind the last page", back == (front + returned)[: len(front)])
        self.before = [claims.named((row - front)[: len(front)], f"before_{row}") for row in rows]
        self.there = [claims.named(self.before[row] < returned, f"there_{row}") for row in rows]
        self.page = [Value.cast(inside.memory_row(row)) for row in rows]
        for row, (there, page) in enumerate(zip(self.there, self.page, strict=True)):
            known = (page < unused) & ~out.bit_select(page, 1)
            claims.invariant("a page that has come back is neither fresh nor out", ~there | known)
            for other in range(row):
                twice = there & self.there[other] & (page == self.page[other])
                claims.invariant("no page has come back twice", ~twice)
        for page in range(pages):
            claims.invariant("a fresh page is not out", (unused > page) | ~out[page])


def _bound_waiting(claims: Claims, use: PagePoolUse, ring: _Ring) -> None:
    """Pages taken while any one page is free. The bound shows that no page rests for ever."""
    pool, pages = use.pool, use.pages
    mine: Any = claims.constant(len(pool.page), "any_page")
    resting: Any = Signal(name="it_has_come_back")
    passed: Any = Signal(range(pages + 1), name="taken_before_it")
    with claims.m.If(pool.give & (pool.given == mine)):
        claims.m.d.sync += [resting.eq(1), passed.eq(0)]
    with claims.m.Elif(pool.take & resting):
        claims.m.d.sync += [resting.eq(pool.page != mine), passed.eq(passed + 1)]
    claims.always(TURN_BOUND, ~resting | (passed < pages))
    nearer = concat(
        there & (page == mine) & (passed + ring.fresh + before < pages)
        for there, page, before in zip(ring.there, ring.page, ring.before, strict=True)
    )
    claims.invariant("every page that is taken brings it nearer", ~resting | nearer.any())
    claims.possible("the longest rest", resting & pool.take & (pool.page == mine) & (passed == pages - 1))


# Contract between a node and its queues, in both directions.

ONCE_EACH = "a packet is sent only to the outputs that it waits for"
OWED = "owed shows whether the packet in a page waits for any output"


class PageQueuesUse:
    """The outputs that the packet in a page waits for, recorded cycle by cycle.

    left: The outputs.
    enters, starts: A packet enters the page in this cycle; the packet in it is being sent to the output of this slot.
    """

    def __init__(self, claims: Claims, queues: Any, page: Any, name: str):
        self.queues, self.page = queues, page
        self.left: Any = Signal(PORTS, name=f"left_{name}")
        self.enters = claims.named(queues.enter & (queues.entered_page == page), f"enters_{name}")
        self.starts = claims.named(queues.start & queues.found & (queues.chosen == page), f"starts_{name}")
        sent = Mux(self.starts, (1 << queues.slot)[:PORTS], 0)
        claims.m.d.sync += self.left.eq(Mux(self.enters, queues.entered_outputs, self.left & ~sent))

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Assumptions of the queues, by name."""
        yield "a packet enters a page in which none waits", ~(self.enters & self.left.any())

    def promises(self) -> Iterator[tuple[str, Any]]:
        """Guarantees of the queues, by name."""
        queues = self.queues
        chosen = queues.found & (queues.chosen == self.page)
        yield ONCE_EACH, ~chosen | self.left.bit_select(queues.slot, 1)
        owed = (queues.page != self.page) | (queues.owed == self.left.any())
        yield OWED, owed


class PageQueuesCalls:
    """Calls of a node to its queues, for any page.

    wishes: For each direction, a level more than the highest that waited for it a frame ago; 0 if none waited, or if
      one was started.
    """

    def __init__(self, claims: Claims, queues: Any, pages: int):
        self._claims, self.queues, self.pages = claims, queues, pages
        self.wishes: list[Any] = [Signal(len(queues.wish), name=f"wish_reference_{d}") for d in range(DIRECTIONS)]
        for direction, wish in enumerate(self.wishes):
            with claims.m.If(queues.slot == direction):
                claims.m.d.sync += wish.eq(Mux(queues.found & ~queues.start, queues.level + 1, 0))

    def contract(self, page: Any) -> Iterator[tuple[str, Any]]:
        """Assumptions of the queues, by name; of the page that a packet enters only if it is ``page``."""
        queues = self.queues
        there = ~queues.enter | (queues.entered_page != page) | (page < self.pages)
        yield "a packet enters a page that there is", there
        yield "a packet enters for at least one output", ~queues.enter | queues.entered_outputs.any()
        yield "only packets that were found are started", ~queues.start | queues.found
        following = self._claims.named(queues.slot + 1, "following_slot")[: len(queues.slot)]
        ahead = self._claims.named(queues.slot + CHOICE_SLOTS, "slot_ahead")[: len(queues.slot)]
        for direction, wish in enumerate(self.wishes):
            right = (ahead != direction) | (queues.wish == wish)
            yield "the wish is a level more than the highest that waited a frame ago", right
        yield "packets for the host take turns", (following != HOST) | queues.in_turn


# PageQueues: a packet waits for its outputs until each has started it, and the right one is next.


def page_queues(relay_frames: int) -> Describe:
    """Claims about the queues of the smallest node."""

    def describe(claims: Claims) -> None:
        parameters = smallest_node(relay_frames=relay_frames)
        queues: Any = PageQueues(parameters)
        claims.free_inputs(queues)
        inside = Inside(claims, queues)
        claims.assume(queues.slot == slot_counter(claims))
        calls = PageQueuesCalls(claims, queues, parameters.pages)
        for _, condition in calls.contract(queues.entered_page):
            claims.assume(condition)
        packets = [_Packet(claims, queues, page, relay_frames) for page in range(parameters.pages)]
        for packet in packets:
            for _, condition in packet.use.contract():
                claims.assume(condition)
            for name, condition in packet.use.promises():
                claims.always(name, condition)
            packet.tie(inside, relay_frames)
        here = claims.named(concat(packet.waits_for(queues.slot) for packet in packets), "waiting_for_this_slot")
        _prove_found(claims, queues, packets, here)
        _prove_choice(claims, queues, packets, here, _Column(claims, inside, calls, packets))
        _tie_choice(claims, inside, calls, packets)
        two = (here != 0) & (here & (here - 1)).any()
        claims.possible("two packets wait for one output", two & queues.start)
        claims.possible("a packet waits for two outputs", packets[0].use.starts & (packets[0].use.left == 3))

    return describe


class _Packet:
    """The packet in one page, recorded cycle by cycle.

    level: Links that it has travelled.
    seen, soon_seen: Whether the network processor has dealt with it, and whether it will have in the next cycle.
    """

    def __init__(self, claims: Claims, queues: Any, page: int, relay_frames: int):
        self._claims = claims
        self.page = page
        self.use = PageQueuesUse(claims, queues, page, f"{page}")
        self.level: Any = Signal(len(queues.level), name=f"level_reference_{page}")
        self.passes: Any = Signal(range(relay_frames + 1), name=f"passes_{page}", init=relay_frames)
        with claims.m.If(self.use.enters):
            claims.m.d.sync += [self.level.eq(queues.entered_level), self.passes.eq(0)]
        with claims.m.Elif((queues.slot == PROCESSOR_SLOT) & (self.passes != relay_frames)):
            claims.m.d.sync += self.passes.eq(self.passes + 1)
        self.seen = claims.named(self.passes == relay_frames, f"seen_{page}")
        last_pass = (queues.slot == PROCESSOR_SLOT) & (self.passes + 1 == relay_frames)
        self.soon_seen = claims.named(self.seen | last_pass, f"soon_seen_{page}")

    def waits_for(self, output: Any) -> Any:
        """True if it waits for an output that may start it."""
        return self.seen & self.use.left.bit_select(output, 1)

    def tie(self, inside: Inside, relay_frames: int) -> None:
        """Tie the registers of this page to the reference model."""
        claims, page = self._claims, self.page
        claims.invariant("outputs that a packet waits for are noted", inside.register(f"row_{page}") == self.use.left)
        claims.invariant("its level is noted", inside.register(f"level_{page}") == self.level)
        counted = inside.register(f"frames_{page}") == relay_frames - self.passes
        claims.invariant("frames are counted down", counted)


def _prove_found(claims: Claims, queues: Any, packets: list[_Packet], here: Any) -> None:
    claims.always("found shows whether a packet waits for the output of this slot", queues.found == here.any())
    some = concat(concat(packet.waits_for(Const(o, 3)) for packet in packets).any() for o in range(PORTS))
    claims.always("waiting marks the outputs that recorded packets wait for", queues.waiting == some)
    levels = concat(here[p] & (packet.level == queues.level) for p, packet in enumerate(packets)).any()
    higher = concat(here[p] & (packet.level > queues.level) for p, packet in enumerate(packets)).any()
    claims.always("level is the highest of those that wait", ~queues.found | levels & ~higher)


class _Column:
    """State one slot before an output's own: the packets that wait for it, and the inputs of the choice.

    wish, turn: Those of the last cycle.
    """

    def __init__(self, claims: Claims, inside: Inside, calls: PageQueuesCalls, packets: list[_Packet]):
        queues = calls.queues
        self.wish, self.turn = claims.was(queues.wish, "wish_ahead"), claims.was(queues.turn, "turn_ahead")
        following = claims.named(queues.slot + 1, "slot_of_column")[: len(queues.slot)]
        column, entitled, after = (inside.register(name) for name in ("column", "entitled", "after"))
        for packet in packets:
            page = packet.page
            waits = column[page]
            right = packet.soon_seen & packet.use.left.bit_select(following, 1)
            claims.invariant("the packets that wait for the next output are recorded", waits == right)
            may = entitled[page] == (packet.level + 1 >= self.wish)
            claims.invariant("the entitled ones among them are recorded", ~waits | may)
            claims.invariant("the turn is recorded", ~waits | (after[page] == (page >= self.turn)))
        for direction, wish in enumerate(calls.wishes):
            claims.invariant("the wish is still valid", (following != direction) | (self.wish == wish))


def _prove_choice(claims: Claims, queues: Any, packets: list[_Packet], here: Any, column: _Column) -> None:
    """A slot chooses by the levels that the neighbour sent in the two slots before."""
    in_turn, wish = claims.was(queues.in_turn, "in_turn"), claims.was(column.wish, "wish")
    turn = claims.was(column.turn, "turn")
    may: Any = concat(here[p] & (in_turn | (packet.level + 1 >= wish)) for p, packet in enumerate(packets))
    may = claims.named(may, "may_be_chosen")
    chosen = concat(queues.chosen == packet.page for packet in packets)
    one = claims.named((chosen & may).any(), "chosen_may_be_chosen")
    claims.always("of packets that wait for the output one that may have the page ahead is chosen", ~queues.found | one)
    behind = [claims.named(Mux(p >= turn, p, p + (1 << len(turn))), f"turn_of_{p}") for p in range(len(packets))]
    turn_of_chosen: Any = Array(behind)[queues.chosen]
    overtaken = concat(may[p] & (behind[p] < turn_of_chosen) for p in range(len(packets))).any()
    claims.always("the chosen packet is the first from the turn on", ~queues.found | ~overtaken)
    claims.possible("the wish passes over a packet", queues.found & ~in_turn & (here & ~may).any())


def _tie_choice(claims: Claims, inside: Inside, calls: PageQueuesCalls, packets: list[_Packet]) -> None:
    picked = inside.register("picked")
    for packet in packets:
        right = picked[packet.page] == calls.queues.found & (calls.queues.chosen == packet.page)
        claims.invariant("the chosen page is marked", right)
    for direction, wish in enumerate(calls.wishes):
        entitled = concat(packet.waits_for(Const(direction, 3)) & (packet.level + 1 >= wish) for packet in packets)
        claims.invariant("the packet that a wish is for still waits", (wish == 0) | entitled.any())
