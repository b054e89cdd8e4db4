"""Reading the engine's arrays from plain Python: buffers, registers and masks as lists and text."""

from sim_model.engines.cycle.state import EngineState
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, MESSAGE_SHIFT, TAIL
from topology.common.channels import ChannelNetwork


def ports_in(mask: int) -> list[int]:
    """Return the port numbers in a mask."""
    mask = int(mask)
    return [port for port in range(mask.bit_length()) if mask >> port & 1]


def ports_text(mask: int) -> str:
    """Return the port numbers in a mask as text: ``{0 3}``."""
    return "{" + " ".join(map(str, ports_in(mask))) + "}"


def flit_message(flit: int) -> int:
    """Return the message number of a packed flit."""
    return int(flit) >> MESSAGE_SHIFT


def flit_text(flit: int) -> str:
    """Return a packed flit as text: ``m12.3`` is flit 3 of message 12; ``.head`` and ``.tail`` mark the ends."""
    flit = int(flit)
    index = flit >> INDEX_SHIFT & INDEX_MASK
    marks = (".head" if index == 0 else "") + (".tail" if flit & TAIL else "")
    return f"m{flit >> MESSAGE_SHIFT}.{index}{marks}"


def buffered_flits(state: EngineState, channel: int) -> list[int]:
    """Return the packed flits in the buffer at the sink of a channel, first one first."""
    front, count = int(state.channels.front[channel]), int(state.channels.count[channel])
    return [int(state.slots[channel, (front + k) & state.slot_mask]) for k in range(count)]


def buffer_text(state: EngineState, channel: int) -> str:
    """Return the flits at the end of a channel as text: those in the buffer, and in register stages before it."""
    flits = " ".join(flit_text(flit) for flit in buffered_flits(state, channel)) or "empty"
    return f"[{flits}]{_stages_text(state, channel)}"


def _stages_text(state: EngineState, channel: int) -> str:
    """Return the flits in the register stages of a channel as text, the last stage first; empty if there are none."""
    if len(state.stages) == 0 or int(state.stages.flits[channel]) == 0:
        return ""
    link, texts = state.stages[channel], []
    position = int(state.channels.front[channel] + state.channels.count[channel])
    for stage in reversed(range(int(link.last).bit_length())):
        count = (int(link.holding) >> stage & 1) + (int(link.full) >> stage & 1)
        flits = [flit_text(state.slots[channel, (position + k) & state.slot_mask]) for k in range(count)]
        texts.append(f"[{' '.join(flits) or 'empty'}]")
        position += count
    return " stages " + " ".join(texts)


def registered_flit(network: ChannelNetwork, state: EngineState, channel: int) -> int | None:
    """Return the packed flit in the output register of a channel, or None."""
    end = network.channels[channel]
    if int(state.vertices.occupied[end.source]) >> end.source_port & 1:
        return int(state.channels.register[channel])
    return None


def register_text(network: ChannelNetwork, state: EngineState, channel: int) -> str:
    """Return the flit in the output register of a channel as text."""
    flit = registered_flit(network, state, channel)
    return "empty" if flit is None else flit_text(flit)
