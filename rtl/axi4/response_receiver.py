"""Takes a manager's responses out of the network.

=========  ==========================================================================================
state      what happens
=========  ==========================================================================================
``HEAD``   takes the first word of a response: all of a write's, the transaction of a read
``BODY``   gives the words of a read to channel R
``ERROR``  gives the answer of a read without destination to channel R
=========  ==========================================================================================
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members
from rtl.axi4.words import fields_of
from rtl.parts.part import Part
from topology.axi4.words import DECERR, LENGTH_BITS, RESPONSE_BITS, Axi4Format


class ResponseReceiver(Part):
    """Latency 0 cycles from a word to channel R, 1 cycle for the first word of a response; throughput 1 word per cycle.

    Parameters:
        axi
        word_bits: Width of the response network's words.
        cut: A read may have several responses.

    Members:
        tdata, tvalid, tready, tlast: Packets from the network.
        rid, ..., rready: Channel R. Depends on registers here and behind the stream only.
        answered (Out(1)), answer_slot (Out), answer (Out): A write's response has come. ``answer_slot`` is that of
            the word on the stream, of reads too; ``answer_id`` (In) is the ID of this read.
        ended (Out(1)), ended_slot (Out): The last word of a read has been taken.
        unfinished (In(1)), piece_ended (Out(1)): The read ``ended_slot`` goes on in another response; the last word of
            this one has been taken. Only with ``cut``.
        hold (In(1)): No response begins in this cycle. Only with ``cut``.
        failing (In(1)), failing_id, failing_len (In): A read without destination waits, until ``failed`` (Out(1)).
    """

    def __init__(self, axi: Axi4Format, word_bits: int, *, cut: bool = False):
        self.axi = axi
        self.cut = cut
        members: dict[str, Any] = {"tdata": In(word_bits), "tvalid": In(1), "tready": Out(1), "tlast": In(1)}
        members |= axi4_members(axi, axi.id_bits, faces_manager=True, only="r")
        members |= {"answered": Out(1), "answer_slot": Out(axi.slot_bits), "answer": Out(RESPONSE_BITS)}
        members |= {"ended": Out(1), "ended_slot": Out(axi.slot_bits)}
        members |= {"failing": In(1), "failing_len": In(LENGTH_BITS), "failed": Out(1)}
        if cut:
            members |= {"unfinished": In(1), "piece_ended": Out(1), "hold": In(1)}
        if axi.id_bits:
            members |= {"answer_id": In(axi.id_bits), "failing_id": In(axi.id_bits)}
        super().__init__(f"axi4_response_receiver_w{word_bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        head = fields_of(self.tdata, self.axi.response_fields)
        word = fields_of(self.tdata, self.axi.read_fields)
        wrong = Signal()
        left: Any = Signal(LENGTH_BITS)
        last = self.tlast & ~self.unfinished if self.cut else self.tlast
        m.d.comb += [
            self.answer_slot.eq(head["slot"]),
            self.answer.eq(head["resp"]),
            self.rdata.eq(Mux(wrong, 0, word["data"])),  # the stream may change while a beat waits
            self.rresp.eq(Mux(wrong, DECERR, word["resp"])),
            self.rlast.eq(Mux(wrong, left == 0, last)),
        ]
        if self.axi.user_bits:
            m.d.comb += self.ruser.eq(Mux(wrong, 0, word["user"]))
        with m.FSM():
            with m.State("HEAD"):
                m.d.sync += left.eq(self.failing_len)
                with m.If(self.failing):
                    if self.axi.id_bits:
                        m.d.sync += self.rid.eq(self.failing_id)
                    m.next = "ERROR"
                with m.Elif(~self.hold) if self.cut else m.Else():
                    m.d.comb += [self.tready.eq(1), self.answered.eq(self.tvalid & ~head["read"])]
                    m.d.sync += self.ended_slot.eq(head["slot"])
                    if self.axi.id_bits:
                        m.d.sync += self.rid.eq(self.answer_id)
                    with m.If(self.tvalid & head["read"]):
                        m.next = "BODY"
            with m.State("BODY"):
                m.d.comb += [self.rvalid.eq(self.tvalid), self.tready.eq(self.rready)]
                with m.If(self.tvalid & self.rready & self.tlast):
                    m.d.comb += self.ended.eq(~self.unfinished if self.cut else 1)
                    if self.cut:
                        m.d.comb += self.piece_ended.eq(self.unfinished)
                    m.next = "HEAD"
            with m.State("ERROR"):
                m.d.comb += [wrong.eq(1), self.rvalid.eq(1)]
                with m.If(self.rready):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 0):
                        m.d.comb += self.failed.eq(1)
                        m.next = "HEAD"
        return m
