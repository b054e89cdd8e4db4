"""A core that sends packets and one that checks them, each with registers for software, like any LiteX core."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from migen import If, Signal

COUNT_BITS = 16


class Sender(LiteXModule):
    """Sends packets of words that count up.

    Parameters:
        description (EndpointDescription): Of the network's sink; its ``user`` names a set of nodes.

    Members:
        source (Endpoint)
        refused (Signal): The network's pulse for an unroutable packet.
    """

    def __init__(self, description):
        self.source = source = stream.Endpoint(description)
        self.refused = Signal()
        self.destinations = CSRStorage(len(source.user), description="Bit i: node i gets the packets.")
        self.first = CSRStorage(len(source.data), description="First word of the next packet.")
        self.words = CSRStorage(COUNT_BITS, description="A write sends a packet of so many words, if it is not busy.")
        self.busy = CSRStatus(description="A packet is under way.")
        self.errors = CSRStatus(COUNT_BITS, description="Unroutable packets.")

        left, word = Signal(COUNT_BITS), Signal(len(source.data))
        self.comb += [
            source.valid.eq(left != 0),
            source.last.eq(left == 1),
            source.data.eq(word),
            source.user.eq(self.destinations.storage),
            self.busy.status.eq(source.valid),
        ]
        self.sync += [
            If(source.valid & source.ready, left.eq(left - 1), word.eq(word + 1)),
            If(self.words.re & ~source.valid, left.eq(self.words.storage), word.eq(self.first.storage)),
            If(self.refused, self.errors.status.eq(self.errors.status + 1)),
        ]


class Receiver(LiteXModule):
    """Takes a word in every cycle and checks it: the words of a packet count up from ``first``.

    Parameters:
        description (EndpointDescription): Of the network's source; its ``id`` is the sender.

    Members:
        sink (Endpoint)
    """

    def __init__(self, description):
        self.sink = sink = stream.Endpoint(description)
        self.first = CSRStorage(len(sink.data), description="First word of each packet.")
        self.packets = CSRStatus(COUNT_BITS, description="Packets that have ended.")
        self.words = CSRStatus(COUNT_BITS, description="Words of all packets.")
        self.wrong = CSRStatus(COUNT_BITS, description="Words that were not the next one.")
        self.sender = CSRStatus(len(sink.id), description="Who sent the last word.")

        inside, number = Signal(), Signal(len(sink.data))
        self.comb += sink.ready.eq(1)
        self.sync += If(
            sink.valid,
            inside.eq(~sink.last),
            number.eq(number + 1),
            If(sink.last, number.eq(0), self.packets.status.eq(self.packets.status + 1)),
            self.words.status.eq(self.words.status + 1),
            If(sink.data != self.first.storage + number, self.wrong.status.eq(self.wrong.status + 1)),
            self.sender.status.eq(sink.id),
        )
