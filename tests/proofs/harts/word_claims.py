"""Claims about the words of stored packets: each comes out once for every output that waits for it, as it went in.

They are about any one word of any one page and any one output, and so about all. The node is not one that spoils
packets; the headers, which are made anew, are left open.
"""

from typing import Any

from amaranth.hdl import Mux

from tests.proofs.claims import Claims
from tests.proofs.harts.bare_node import BareNode
from tests.proofs.harts.node_ties import tie_packets, tie_page, tie_transmitters
from tests.proofs.harts.page_claims import page_facts
from tests.proofs.harts.page_life import FILLING, FULL, PageLife
from tests.proofs.harts.word_life import WordLife


def words(claims: Claims) -> None:
    """Claims about any word of the smallest node."""
    bare = BareNode(claims)
    life = PageLife(claims, bare)
    word = WordLife(claims, bare, life)
    claims.assume(~bare.node.corrupting)
    _prove_exactly_once(claims, life, word)
    _prove_data(claims, life, word)
    for name, condition in page_facts(bare, life):
        claims.invariant(name, condition)
    tie_packets(claims, bare)
    tie_transmitters(claims, bare)
    tie_page(claims, bare, life)
    _tie_word(claims, bare, life, word)
    second = word.comes & (word.count == 1) & (life.words == 2) & (word.output == 2) & (bare.page == 0)
    claims.possible("the second and last word comes out", second)
    claims.possible("a word goes through", word.goes_through & (word.popped_number == 1))


def _prove_exactly_once(claims: Claims, life: PageLife, word: WordLife) -> None:
    claims.always("an output gets only packets that have waited for it", ~word.comes | word.owed)
    claims.always("an output gets no more words than went in", ~word.comes | (word.count < life.words))
    everything = word.count + word.comes == life.words
    claims.always("a page comes back when its outputs have got every word", ~life.gives | ~word.owed | everything)


def _prove_data(claims: Claims, life: PageLife, word: WordLife) -> None:
    came = claims.was(word.comes, "came")
    number = claims.was(word.count, "number")
    ends = claims.was(word.count + 1 == life.words, "ends")
    marked = word.valid & (word.head == (number == 0)) & (word.tail == ends)
    claims.always("the first word is the head, the last one the tail", ~came | marked)
    right = word.data == claims.was(word.word, "word")
    body = came & (number != 0) & (number == word.place)
    claims.always("words come out in order as they went in", ~body | right)
    went = claims.was(word.goes_through & (word.popped_number != 0), "went_through")
    unaltered = word.valid & (word.data == claims.was(word.popped_data, "on_the_bus"))
    claims.always("words that go through are not altered", ~went | unaltered)


def _tie_word(claims: Claims, bare: BareNode, life: PageLife, word: WordLife) -> None:
    bus, output = bare.receivers.bus, word.output
    valid = bare.receivers.bus_valid
    claims.invariant("words on the bus are counted", ~valid | (word.popped_number == bus.position))
    claims.invariant("the word on the bus was popped", ~valid | (word.popped_data == bus.word.data))
    claims.invariant("heads are first on the bus", ~valid | (bus.word.head == (bus.position == 0)))
    stored = ((life.state == FILLING) | (life.state == FULL)) & (word.place < life.words)
    claims.invariant("the memory keeps the word", ~stored | (word.kept == word.word))
    left = claims.named(bare.packet.left.bit_select(output, 1), "still_waits")
    sends = claims.named(life.senders.bit_select(output, 1), "sends_here")
    full = life.state == FULL
    claims.invariant("an output that waits or sends was promised the packet", ~(full & (left | sends)) | word.owed)
    claims.invariant("an output that waits is not sending yet", ~(left & sends))
    just = claims.named(life.was_read & (bare.transmitters.sent_for == output), "just_read_here")
    position: Any = bare.register("position", "transmitters", output)
    read = Mux(just, word.count + 1, word.count)
    claims.invariant("words that were read are counted", ~(full & sends) | (position == read))
    claims.invariant("an output that waits has received nothing yet", ~(full & left) | (word.count == 0))
    through = full & word.owed & ~left & ~sends
    claims.invariant("an output that has finished has received every word", ~through | (word.count == life.words))
    place = bare.register("position", "transmitters", bare.transmitters.sent_for)
    noted = (word.read_place + 1)[: len(position)] == place
    claims.invariant("the place that was read is noted", ~life.was_read | noted)
    head = bare.transmitters.sent_head == (word.read_place == 0)
    claims.invariant("a head is read first", ~life.was_read | head)
    here = claims.named(life.was_read & (word.read_place == word.place), "place_was_read")
    claims.invariant("a read of the word is noted", word.was_read == here)
    claims.invariant("the data read is the word", ~here | (word.read_word == word.word))
    claims.invariant("no data is spoiled", bare.inside.register("spoilers") == 0)
