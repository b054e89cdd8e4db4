"""Endpoint of a processor in the collective plane."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.collectives.contribution import Contribution
from rtl.collectives.parameters import PlaneParameters, plane_link
from rtl.collectives.result import Result
from rtl.parts.part import Part, instantiate

STREAM_IN, STREAM_OUT = "s_axis", "m_axis"


class PlaneEndpoint(Part):
    """AXI4-Stream ends and barrier wires of one member.

    From a request to the link 2 cycles, from the link to the result 1. All outputs are registers.

    Parameters:
        plane

    Members:
        s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tdest, s_axis_tuser: Contributions, see
            ``Contribution``.
        m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tid, m_axis_tuser: Results, see ``Result``.
        barrier_request (In(groups)), barrier_done, barrier_error (Out(groups)): Barriers; ``barrier_done`` follows
            ``barrier_request``, in order.
        up (Out(plane_link)), up_credited (In(groups)): Words to the switch, and its credits.
        down (In(plane_link)), down_credits (Out(groups)): Words from the switch, and credits for it.
        flush (In(groups)): Drop everything of these groups, from the next cycle on.
    """

    def __init__(self, plane: PlaneParameters):
        self.plane = plane
        link, groups = plane_link(plane), plane.groups
        self._sides = (Contribution(plane), STREAM_IN), (Result(plane), STREAM_OUT)
        members: dict[str, Any] = {}
        for part, prefix in self._sides:
            streams = {name: member for name, member in part.signature.members.items() if name.startswith("t")}
            streams.pop("taken", None)
            members |= {f"{prefix}_{name}": member for name, member in streams.items()}
        members |= {"barrier_request": In(groups), "barrier_done": Out(groups), "barrier_error": Out(groups)}
        members |= {"up": Out(link), "up_credited": In(groups), "down": In(link), "down_credits": Out(groups)}
        members["flush"] = In(groups)
        super().__init__(
            f"plane_endpoint_{plane.name}_{plane.buffer_words}{plane.result_words}_{plane.window}", members
        )

    def elaborate(self, platform):
        m: Any = Module()
        flushing = Signal(self.plane.groups)
        m.d.sync += flushing.eq(self.flush)
        sides = []
        for (part, prefix), name in zip(self._sides, ("contribution", "result"), strict=True):
            side = instantiate(m, platform, name, part)
            sides.append(side)
            m.d.comb += side.flush.eq(flushing)
            for port, member in part.signature.members.items():
                if hasattr(self, f"{prefix}_{port}"):
                    inside, outside = getattr(side, port), getattr(self, f"{prefix}_{port}")
                    m.d.comb += inside.eq(outside) if member.flow == In else outside.eq(inside)
        sender, receiver = sides
        connect(m, sender.link, flipped(self.up))
        connect(m, flipped(self.down), receiver.link)
        m.d.comb += [
            sender.barrier_request.eq(self.barrier_request),
            sender.credited.eq(self.up_credited),
            sender.delivered.eq(receiver.delivered),
            sender.released.eq(receiver.barrier_done),
            self.down_credits.eq(receiver.credits),
            self.barrier_done.eq(receiver.barrier_done),
            self.barrier_error.eq(receiver.barrier_error),
        ]
        return m
