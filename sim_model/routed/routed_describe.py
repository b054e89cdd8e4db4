"""Reports of routers with routing tables: readable state, and the relation of waiting inputs.

A family supplies the fields to show, the owner of an output, and the wait of an input with a flit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState
from sim_model.engines.inspect import buffer_text, buffered_flits, flit_message, ports_text, register_text
from sim_model.engines.model import Wait
from topology.common.channels import ChannelNetwork

Owner = Callable[[int, int], int | None]
"""(switch, output) -> the input that owns the output, or None."""


@dataclass(frozen=True)
class ShownFields:
    """Fields of an input in a report, besides its buffer and the progress of its header.

    Parameters:
        classes (sequence of str, or mapping of int to str): Names of the classes of arrival channels.
        outputs: Fields of an input that are masks of outputs.
        marks: Fields of a router that are masks of inputs: each is named where the input is in it.
    """

    classes: Sequence[str] | Mapping[int, str]
    outputs: tuple[str, ...]
    marks: tuple[str, ...]


def describe_routed(
    network: ChannelNetwork, state: EngineState, family: Any, switch: int, about: str, shown: ShownFields, owner: Owner
) -> str:
    """Return the whole state of a router as text: a line about the router, one per input and one per output.

    Parameters:
        family: The family's state, with ``inputs`` and ``routers``.
        about: Text of the first line besides the turn of the route unit.
    """
    turn = int(family.routers[switch].turn)
    lines = [f"router {network.vertex_name(switch)}: route unit turn {turn}, {about}"]
    for port, channel in enumerate(network.input_channel[switch]):
        name = f"input {port} {network.channels[channel].name}"
        lines.append(f"  {name} {_input_text(state, family, switch, port, channel, shown)}")
    for port, channel in enumerate(network.output_channel[switch]):
        first = owner(switch, port)
        owned = "free" if first is None else f"owned by input {first}"
        register = register_text(network, state, channel)
        lines.append(f"  output {port} {network.channels[channel].name}: {register}, {owned}")
    return "\n".join(lines)


def _input_text(state: EngineState, family: Any, switch: int, port: int, channel: int, shown: ShownFields) -> str:
    header = family.inputs[channel]
    text = f"({shown.classes[int(header.channel_class)]}): {buffer_text(state, channel)}"
    text += f" scanned {int(header.scanned)} delay {int(header.delay)}"
    for name in shown.outputs:
        text += f" {name} {ports_text(header[name])}"
    for name in shown.marks:
        text += f" {name}" if int(family.routers[switch][name]) >> port & 1 else ""
    return text


def input_waits(
    network: ChannelNetwork,
    state: EngineState,
    owning: np.ndarray,
    owner: Owner,
    wait: Callable[[int, int, int], Wait],
) -> Iterator[Wait]:
    """Yield the waits of all input channels with flits or outputs, in a network where nothing moves.

    Parameters:
        owning (int64 array, shape (switches,)): Masks of the inputs that may own outputs.
        wait: (switch, input, message) -> what an input waits for with a flit of that message at its front.
    """
    for switch in range(network.switches):
        for port, channel in enumerate(network.input_channel[switch]):
            flits = buffered_flits(state, channel)
            if flits:
                yield wait(switch, port, flit_message(flits[0]))
            elif int(owning[switch]) >> port & 1:
                yield from _wait_for_upstream(network, owner, channel)


def _wait_for_upstream(network: ChannelNetwork, owner: Owner, channel: int) -> Iterator[Wait]:
    """Yield the wait of an owner without flits for the input that feeds its channel; hosts never block."""
    source, port = network.channels[channel].source, network.channels[channel].source_port
    feeder = owner(source, port) if network.is_switch(source) else None
    if feeder is not None:
        number = network.input_channel[source][feeder]
        yield Wait(channel, -1, (number,), f"for more flits from {network.channels[number].name}")
