"""Claims about ``PageQueues``: a packet waits for its outputs until each has started it, and the right one is next."""

from typing import Any

from amaranth.hdl import Array, Const, Mux, Signal

from rtl.harts.page_queues import PageQueues
from rtl.harts.parameters import PORTS
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.harts.page_queues_use import PageQueuesCalls, PageQueuesUse
from tests.proofs.harts.shapes import smallest_node
from tests.proofs.harts.slots import slot_counter
from tests.proofs.inside import Inside
from topology.harts.frame import PROCESSOR_SLOT


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

    Members
    -------
    use : PageQueuesUse
    level : Signal
        Links that it has travelled.
    seen, soon_seen : Signal
        Whether the network processor has dealt with it, and whether it will have in the next cycle.
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

    Members
    -------
    wish, turn : Signal
        Those of the last cycle.
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
