"""Interface of an AXI4 manager: its transactions become packets of the request network, their answers come back."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.axi4.address_port import AddressPort
from rtl.axi4.ports import axi4_members, channels
from rtl.axi4.request_sender import RequestSender
from rtl.axi4.response_receiver import ResponseReceiver
from rtl.axi4.transactions import ReadTransactions, WriteTransactions
from rtl.axi4.write_store import WriteStore
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import table_row
from topology.axi4.address_map import AddressMap
from topology.axi4.words import MAX_BEATS, MIN_CUT_BEATS, Axi4Format


class ManagerInterface(Part):
    """Connects a manager to the networks.

    Parameters:
        axi
        areas: The address map.
        request_bits, response_bits: Widths of the networks' words.
        write_beats: Capacity of the store of writes.
        whole: Writes are stored until they are complete, see ``WriteStore``.
        pipelined: An ID may have several transactions to one target; the networks must keep the order of messages of
            one processor to the same ones.
        copies: Writes to windows are sent to one receiver after the other. Only with ``whole``.
        cut_beats: Most beats of a piece of a burst, a power of two, at least 16; 0 for whole bursts.

    Members:
        awid, ..., rready: The AXI4 port.
        node (In): Number of the manager's processor, a constant.
        reachable (In(regions and windows)): Targets with a receiver besides the manager's processor, a constant.
        receivers (In): Number of receivers of each window, the first one lowest, a constant. Absent without windows.
        request_tdata, ...: AXI4-Stream into the request network.
        response_tdata, ...: AXI4-Stream out of the response network.
    """

    def __init__(
        self,
        axi: Axi4Format,
        areas: AddressMap,
        request_bits: int,
        response_bits: int,
        *,
        write_beats: int = 512,
        whole: bool = True,
        pipelined: bool = False,
        copies: bool = False,
        cut_beats: int = 0,
    ):
        if copies and not whole:
            raise ValueError("copies is True; it must be False where writes are not stored until they are complete")
        if cut_beats and (cut_beats < MIN_CUT_BEATS or cut_beats & (cut_beats - 1)):
            raise ValueError(f"cut_beats is {cut_beats!r}; it must be a power of two, at least {MIN_CUT_BEATS}")
        self.axi = axi
        self.areas = areas
        self.copies = copies
        self.cut_beats = cut_beats
        self._ports = {name: AddressPort(axi, areas, name, cut_beats=cut_beats) for name in ("aw", "ar")}
        bits = len(self._ports["aw"].destination)
        self.pipelined = pipelined
        receivers = [len(areas.regions)] if axi.masks else [len(window.processors) for window in areas.windows]
        answers = MAX_BEATS // cut_beats * max(receivers, default=1) if cut_beats else 0
        targets = len(self._target(self._ports["aw"])) if pipelined else 0
        self._writes = WriteTransactions(axi, targets, answers=answers)
        self._reads = ReadTransactions(axi, len(self._target(self._ports["ar"])) if pipelined else 0)
        self._store = WriteStore(axi, write_beats, whole=whole, copies=copies)
        self._sender = RequestSender(axi, areas, request_bits, bits, copies=copies, cut_beats=cut_beats)
        self._receiver = ResponseReceiver(axi, response_bits, cut=cut_beats > 0)
        members: dict[str, Any] = axi4_members(axi, axi.id_bits, faces_manager=True, masks=axi.masks)
        members |= {"node": In(axi.node_bits), "reachable": In(len(areas.areas))}
        if axi.windows:
            members["receivers"] = In(axi.windows * axi.processors.bit_length())
        for prefix, part, flow, back in (("request", self._sender, Out, In), ("response", self._receiver, In, Out)):
            for name, member in part.signature.members.items():
                if name.startswith("t"):
                    members[f"{prefix}_{name}"] = (back if name == "tready" else flow)(member.shape)
        super().__init__("axi4_manager", members)

    def elaborate(self, platform):
        m: Any = Module()
        axi = self.axi
        ports = {name: instantiate(m, platform, f"{name}_port", part) for name, part in self._ports.items()}
        writes = instantiate(m, platform, "writes", self._writes)
        reads = instantiate(m, platform, "reads", self._reads)
        store = instantiate(m, platform, "store", self._store)
        sender = instantiate(m, platform, "sender", self._sender)
        receiver = instantiate(m, platform, "receiver", self._receiver)
        inner = {"aw": ports["aw"], "w": store, "b": writes, "ar": ports["ar"], "r": receiver}
        for channel, (forward, signals) in channels(axi, axi.id_bits, masks=axi.masks).items():
            part = inner[channel]
            to, back = f"{channel}valid", f"{channel}ready"
            for name in (*signals, to):
                outside = getattr(self, name)
                if not hasattr(part, name):  # locks are dropped: every exclusive access fails
                    continue
                inside = getattr(part, name)
                m.d.comb += inside.eq(outside) if forward else outside.eq(inside)
            inside, outside = getattr(part, back), getattr(self, back)
            m.d.comb += outside.eq(inside) if forward else inside.eq(outside)
        for channel, part in (("aw", writes), ("ar", reads)):
            port = ports[channel]
            self._connect_request(m, channel, port, part, sender)
        for name in ("startable", "word", "last", "valid"):
            m.d.comb += getattr(sender, name).eq(getattr(store, name))
        m.d.comb += [
            store.pop.eq(sender.pop),
            *([store.keep.eq(sender.keep), store.rewind.eq(sender.rewind)] if self.copies else []),
            sender.node.eq(self.node),
            ports["aw"].pop.eq(sender.aw_pop),
            ports["ar"].pop.eq(sender.ar_pop | receiver.failed),
            writes.start.eq(sender.aw_start if self.copies or self.cut_beats else sender.aw_pop),
            writes.failed.eq(sender.failed),
            reads.start.eq(sender.ar_start if self.cut_beats else sender.ar_pop),
            sender.answering.eq(receiver.answered),
            receiver.failing.eq(reads.granted & ~ports["ar"].found),
            receiver.failing_len.eq(ports["ar"].len),
            writes.answered.eq(receiver.answered),
            writes.answer_slot.eq(receiver.answer_slot),
            writes.answer.eq(receiver.answer),
            reads.answer_slot.eq(receiver.answer_slot),
            reads.end.eq(receiver.ended),
            reads.end_slot.eq(receiver.ended_slot),
        ]
        if self.cut_beats:
            self._connect_pieces(m, ports, writes, sender, receiver)
        if axi.id_bits:
            m.d.comb += [receiver.failing_id.eq(ports["ar"].id), receiver.answer_id.eq(reads.answer_id)]
        for prefix, part in (("request", sender), ("response", receiver)):
            for name, member in part.signature.members.items():
                if name.startswith("t"):
                    inside, outside = getattr(part, name), getattr(self, f"{prefix}_{name}")
                    m.d.comb += inside.eq(outside) if member.flow == In else outside.eq(inside)
        if axi.windows:
            bits = axi.processors.bit_length()
            number = ports["aw"].destination[: (axi.windows - 1).bit_length()]
            count = table_row(m, self.receivers, number, bits, "count") if axi.windows > 1 else self.receivers
            receivers = Signal(bits)
            m.d.comb += receivers.eq(count)
            with m.If(~ports["aw"].multicast):
                m.d.comb += receivers.eq(1)
            m.d.comb += writes.receivers.eq(receivers)
        if axi.masks:
            m.d.comb += [sender.aw_set.eq(ports["aw"].set), writes.receivers.eq(sum(ports["aw"].set))]
        return m

    def _target(self, port: Any) -> Any:
        """Return the target of a request, for comparisons."""
        others = [getattr(port, name) for name in ("multicast", "set") if hasattr(port, name)]
        return Cat(port.destination, port.found, *others)

    @staticmethod
    def _connect_pieces(m: Any, ports: dict[str, Any], writes: Any, sender: Any, receiver: Any) -> None:
        """Connect what sends and answers the pieces of bursts."""
        for channel, port in ports.items():
            m.d.comb += [
                getattr(sender, f"{channel}_more").eq(port.more),
                port.advance.eq(getattr(sender, f"{channel}_advance")),
            ]
        m.d.comb += [
            writes.sending.eq(sender.sending),
            writes.sending_slot.eq(sender.write_slot),
            writes.again.eq(sender.aw_advance),
            receiver.hold.eq(sender.aw_advance),
            receiver.unfinished.eq(sender.reading & (receiver.ended_slot == sender.read_slot)),
            sender.piece_ended.eq(receiver.piece_ended),
        ]

    def _connect_request(self, m: Any, channel: str, port: Any, part: Any, sender: Any) -> None:
        """Connect the request of a channel to its transactions and to the sender."""
        m.d.comb += [
            part.asked.eq(port.decoded & ~port.pop),
            getattr(sender, f"{channel}_granted").eq(part.granted),
            getattr(sender, f"{channel}_slot").eq(part.slot),
            port.reachable.eq(self.reachable[: len(port.reachable)]),
        ]
        if self.axi.id_bits:
            m.d.comb += part.id.eq(port.id)
        if self.pipelined:
            m.d.comb += part.target.eq(self._target(port))
        fields = [name for name, _ in self._ports[channel].fields.items() if name != "id"]
        names = [*fields, "found", "destination", *(["multicast"] if channel == "aw" and self.axi.multicasts else [])]
        for name in names:
            given = "piece_len" if name == "len" and self.cut_beats else name
            m.d.comb += getattr(sender, f"{channel}_{name}").eq(getattr(port, given))
