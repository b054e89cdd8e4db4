"""Compares received packets with those sent: each once at each destination, intact, and in order."""

from collections.abc import Sequence

from tb.common.axi.job import Packet, Received


class PacketWrong(AssertionError):
    """A packet was received that is unexpected or wrong, or an expected one was not received."""


class PacketScoreboard:
    """Packets still expected in a phase.

    Parameters:
        nodes: Processors of the network.
        sinks: Nodes whose outputs are watched.
        ordered: Whether a packet may not overtake another one of its source with the same receivers.
        sets: Whether ``tuser`` marks packets with several receivers.

    Members:
        deliveries (int): Packets that arrived, each destination counted.
        overtaken (int): Those among them that arrived after a later one of their source.
    """

    def __init__(
        self, packets: Sequence[Packet], nodes: int, sinks: Sequence[int], *, ordered: bool, sets: bool = True
    ):
        self.deliveries = 0
        self.overtaken = 0
        self._packets = packets
        self._ordered = ordered
        self._sets = sets
        self._pending = {
            (number, node) for number, packet in enumerate(packets) for node in packet.receivers(nodes) if node in sinks
        }
        self._nodes = nodes
        self._latest: dict[tuple[int, int, frozenset[int]], int] = {}

    @property
    def complete(self) -> bool:
        """True if every packet has arrived."""
        return not self._pending

    def receive(self, node: int, received: Received) -> None:
        """Check a packet received at a node.

        Raises:
            PacketWrong: If the node does not expect it, or it differs from the one sent.
        """
        words = received.words
        number = words[0]
        if (number, node) not in self._pending:
            raise PacketWrong(f"n{node} got packet {number} of {len(words)} words and waits for no such packet")
        packet = self._packets[number]
        if (words, received.last_bytes) != (packet.body, packet.last_bytes):
            raise PacketWrong(
                f"n{node} got packet {number} of n{packet.source} as {_hex(words)} and not as {_hex(packet.body)}"
                f", with {received.last_bytes} and not {packet.last_bytes} bytes in the last word"
            )
        self._check_sides(f"n{node} got packet {number} of n{packet.source}", packet, received)
        self._pending.remove((number, node))
        self.deliveries += 1
        self._note_order(packet, node, number)

    def _check_sides(self, what: str, packet: Packet, received: Received) -> None:
        """Check the sender, and whether there are several receivers, in every beat."""
        sides = [("tid", received.tids, packet.source)]
        if self._sets:
            sides.append(("tuser", received.tusers, int(len(packet.receivers(self._nodes)) > 1)))
        for name, seen, due in sides:
            if set(seen) != {due}:
                raise PacketWrong(f"{what} with {name} {_hex(seen)} and not {due:x} in every beat")

    def _note_order(self, packet: Packet, node: int, number: int) -> None:
        everyone = (packet.source, node, frozenset[int]())
        alike = (packet.source, node, frozenset(packet.receivers(self._nodes)))
        self.overtaken += number < self._latest.get(everyone, -1)
        if self._ordered and number < self._latest.get(alike, -1):
            raise PacketWrong(f"n{node} got packet {number} of n{packet.source} after packet {self._latest[alike]}")
        for key in (everyone, alike):
            self._latest[key] = max(number, self._latest.get(key, -1))

    def check_complete(self) -> None:
        """Raise ``PacketWrong`` if a packet has not arrived."""
        if self._pending:
            some = ", ".join(f"{number} at n{node}" for number, node in sorted(self._pending)[:8])
            raise PacketWrong(f"{len(self._pending)} packets never arrived: {some}")


def _hex(words: Sequence[int]) -> str:
    return " ".join(f"{word:x}" for word in words)
