"""State of routers with virtual channels: words of switches (``registers.py``), arrays of records, and lists.

Masks of VCs have one bit per VC port of a switch, masks of inputs and outputs one per port of its links. Of a VC,
which is a channel, one record holds the state of the input VC at its sink, and one that of the output VC at its source.
Input VCs and outputs of all switches are numbered: those of a switch, as many as the largest one has, follow each
other.
"""

from typing import Any, NamedTuple

import numpy as np

from sim_model.engines.cycle.discards import Discards, make_discards
from sim_model.engines.cycle.object_cache import cached_per_object
from sim_model.engines.cycle.records import Field, aligned_words, byte, copied_records, make_records, number, whole
from sim_model.engines.cycle.state import NONE, ArrivalRows, EngineState
from sim_model.vc.registers import (
    ARRIVED,
    CREDIT_BITS,
    REGISTERS,
    ROW,
    WIDTH,
    by_switch,
    in_rows,
    rows_for,
)
from topology.common.channels import ChannelNetwork
from topology.common.virtual_channels import VcNetwork

DRAIN = 62
"""Placeholder for the output VC of unroutable worms; switches have fewer."""

INPUT_VC_FIELDS = (
    number("channel"),  # never changes, like all down to first_output
    number("switch"),
    number("place"),  # of the switch's registers
    number("target_masks"),  # place in ``target_masks``
    number("source"),  # vertex that flits come from
    number("source_place"),
    number("first_output"),  # channel at output VC port 0 of the switch
    byte("vc"),  # VC port
    byte("port"),  # of the link
    byte("target"),  # of the last request, like the next two; output VC
    number("to"),  # channel of the output VC
    number("output"),
    number("delay"),  # cycles that the head at the front has waited
)
OUTPUT_VC_FIELDS = (
    number("output"),  # never changes, like the next one
    whole("buffer"),  # number of the delivery buffer before the register of this VC, or NONE
)
OUTPUT_FIELDS = (
    "requests",  # inputs that request one of the VCs
    "served",  # behind the last cycle in which one of the requests was granted or dropped
    number("turn"),  # input that is first in turn
)
BUFFER_FIELDS = (
    "front",  # slot of the first flit
    "count",
    "listed",  # 1 if it is in the list of those that are not empty, or were not in the last cycle
)

# Lists, by position in ``counts``; the first two by position in ``requests``, too.
TO_LINK, TO_PROCESSOR, DELIVERIES, CHOSEN_VCS = 0, 1, 2, 3
COUNTS = 4
ROOM = 1
"""Entries that may be written behind the end of a list before they are counted."""


class VcState(NamedTuple):
    """Registers of all routers, and the data of their family's routing."""

    routing_cycles: int
    empty_reuse: int  # 1 if a head can have a VC only with all its credits
    switches: int
    rows: int  # of eight switches each
    most_vcs: int  # input VCs of a switch
    most_ports: int  # links into a switch, or out of one
    discards: Discards
    words: np.ndarray  # int64, rows of registers; behind those of the switches one for all processors
    target_masks: (
        np.ndarray
    )  # int64, rows of masks of output VCs, one for each input VC: the one that the active worm has,
    # or those that routing gives for the head at the front
    port_vcs: np.ndarray  # int64, rows of the VCs of each input; never changes
    input_vcs: np.recarray  # INPUT_VC_FIELDS
    output_vcs: np.recarray  # OUTPUT_VC_FIELDS, by channel
    outputs: np.recarray  # OUTPUT_FIELDS
    requests: np.ndarray  # uint32[2, ...], input VCs with a request for a VC of a link, or for one to a processor
    deliveries: np.ndarray  # uint32, output VCs whose delivery buffer is not empty, or was not in the last cycle
    chosen: np.ndarray  # uint32, input VCs that have been chosen in this cycle
    counts: np.ndarray  # int64[COUNTS], how many entries these lists have
    buffers: np.recarray  # BUFFER_FIELDS, delivery buffers
    slots: np.ndarray  # int64[delivery buffers, slots], ring buffers of packed flits
    credit_wires: np.ndarray  # int64[VCs between switches, 2], place of the switch and VC port at the source
    routes: Any  # a named tuple of the family

    def with_arrivals(self, state: EngineState) -> EngineState:
        """Return the state of links, which enters arrivals here."""
        return with_arrivals(state, self.words)

    @property
    def routers(self) -> dict[str, np.ndarray]:
        """All registers, by name and switch."""
        return registers_of(self.words, self.switches)

    @property
    def vc_candidates(self) -> np.ndarray:
        """Masks of the output VCs of the worms and heads of all input VCs: int64[switches, VC ports]."""
        return by_switch(self.target_masks.reshape(-1, self.most_vcs, WIDTH))[: self.switches]

    def all_requests(self) -> list[int]:
        """Return the numbers of the input VCs with a request."""
        return [int(number) for role in (TO_LINK, TO_PROCESSOR) for number in self.requests[role, : self.counts[role]]]

    @property
    def output_requests(self) -> np.ndarray:
        """Masks of inputs that request a VC of an output: int64[switches, ports]."""
        return self.outputs["requests"].reshape(-1, self.most_ports)


def make_vc_state(
    network: VcNetwork,
    routes: Any,
    *,
    depth_flits: int,
    routing_cycles: int,
    empty_reuse: bool,
    low_injection: bool,
) -> VcState:
    """Return all routers in their state before cycle 0.

    Parameters:
        routes (named tuple of arrays): Data of the family's routing function.
        depth_flits: Flits that the buffer of a VC holds.
        empty_reuse: A head can have a VC only when the buffer behind it is known to be empty.
        low_injection: Inputs from processors come after all others.
    """
    yielding = [_host_inputs(network.links, switch) if low_injection else 0 for switch in range(network.switches)]
    return VcState(
        routing_cycles=routing_cycles,
        empty_reuse=int(empty_reuse),
        discards=make_discards(network),
        credit_wires=_credit_wires(network),
        routes=routes,
        **make_rows(network, INPUT_VC_FIELDS, depth_flits, depth_flits, yielding=yielding),
    )


def make_rows(
    network: VcNetwork, fields: tuple[Field, ...], depth_flits: int, delivery_flits: int, **registers: Any
) -> dict[str, Any]:
    """Return the common part of the states of all families with virtual channels, as in ``VcState``, before cycle 0.

    Parameters:
        fields (tuple of fields): Of an input VC: ``INPUT_VC_FIELDS``, or those of a family.
        depth_flits, delivery_flits (int): Flits that the buffer of a VC holds, and one before a processor.
        registers: Those that are not 0 at first, by name; of all switches, or one value.
    """
    first = cached_per_object(network, ("rows", fields), lambda: _first(network, fields))
    deliveries, vcs = len(network.delivery_channels), len(first.input_vcs) // network.switches
    ports = _most_ports(network)
    outputs = network.switches * ports
    return {
        "switches": network.switches,
        "rows": rows_for(network.switches),
        "most_vcs": vcs,
        "most_ports": ports,
        "words": _first_words(network, depth_flits, registers),
        "target_masks": aligned_words(rows_for(network.switches) * vcs * WIDTH),
        "port_vcs": first.port_vcs,
        "input_vcs": copied_records(first.input_vcs),
        "output_vcs": first.output_vcs,
        "outputs": make_records(outputs, OUTPUT_FIELDS),
        "requests": np.zeros((2, outputs + ROOM), dtype=np.uint32),
        "deliveries": np.zeros(deliveries + ROOM, dtype=np.uint32),
        "chosen": np.zeros(outputs + ROOM, dtype=np.uint32),
        "counts": np.zeros(COUNTS, dtype=np.int64),
        "buffers": make_records(deliveries, BUFFER_FIELDS),
        "slots": np.zeros((deliveries, 1 << (delivery_flits - 1).bit_length()), dtype=np.int64),
    }


class _First(NamedTuple):
    """State before cycle 0 that is equal in all runs, as in ``VcState``."""

    port_vcs: np.ndarray
    input_vcs: np.recarray
    output_vcs: np.recarray


def _first(network: VcNetwork, fields: tuple[Field, ...]) -> _First:
    return _First(
        port_vcs=in_rows(_port_vcs(network)),
        input_vcs=_input_vcs(network, fields),
        output_vcs=_output_vcs(network),
    )


def _credit_wires(network: VcNetwork) -> np.ndarray:
    places = [
        (place_of(channel.source, network.switches), channel.source_port)
        for channel in network.channels
        if max(channel.source, channel.sink) < network.switches
    ]
    return np.array(places, dtype=np.int64).reshape(-1, 2)


def place_of(vertex: int, switches: int) -> int:
    """Return the place of the registers of a switch; for processors, a place behind all of them that is never read."""
    row, column = divmod(vertex if vertex < switches else rows_for(switches) * WIDTH, WIDTH)
    return row * ROW + column


def _first_words(network: VcNetwork, depth_flits: int, others: dict[str, Any]) -> np.ndarray:
    """Return rows of registers: all VCs are free, all credits are present; others are given by name."""
    vcs = np.array([(1 << len(vcs)) - 1 for vcs in network.output_channel[: network.switches]])
    registers = {"free": vcs, "credited": vcs, "startable": vcs, "turned": -1, **others}
    for bit in range(CREDIT_BITS):
        registers[f"credits_{1 << bit}" if bit else "credits"] = vcs if depth_flits >> bit & 1 else 0
    of_switches = np.zeros((network.switches, len(REGISTERS)), dtype=np.int64)
    for name, values in registers.items():
        of_switches[:, REGISTERS.index(name)] = values
    rows = in_rows(of_switches)
    words = aligned_words(len(rows) + ROW)
    words[: len(rows)] = rows
    return words


def _host_inputs(links: ChannelNetwork, switch: int) -> int:
    """Return the inputs of a switch that come from processors."""
    ports = enumerate(links.input_channel[switch])
    return sum(1 << port for port, channel in ports if not links.is_switch(links.channels[channel].source))


def with_arrivals(state: EngineState, words: np.ndarray) -> EngineState:
    """Return the state of links, which enters arrivals in rows of registers."""
    return state._replace(arrivals=ArrivalRows(words[ARRIVED:], ROW))


def registers_of(words: np.ndarray, switches: int) -> dict[str, np.ndarray]:
    """Return all registers, by name and switch."""
    rows = words.reshape(-1, len(REGISTERS), WIDTH)
    return dict(zip(REGISTERS, by_switch(rows)[:switches].T, strict=True))


def credits_of(family: Any, switch: int, vc_port: int) -> int:
    """Return the credits of an output VC."""
    words = family.words.reshape(-1, len(REGISTERS), WIDTH)[switch // WIDTH, :, switch % WIDTH]
    first = REGISTERS.index("credits")
    return sum(1 << bit for bit in range(CREDIT_BITS) if int(words[first + bit]) >> vc_port & 1)


def _most_ports(network: VcNetwork) -> int:
    target_masks = (network.links.input_channel, network.links.output_channel)
    return max(len(ports) for channels in target_masks for ports in channels[: network.switches])


def _input_vcs(network: VcNetwork, fields: tuple[Field, ...]) -> np.recarray:
    """Return the input VCs of all switches, with their constant fields filled in."""
    inputs, links = network.input_channel[: network.switches], network.links.channels
    most = max(map(len, inputs))
    numbers = np.full((network.switches, most), NONE)
    for switch, vcs in enumerate(inputs):
        numbers[switch, : len(vcs)] = vcs
    switch, vc = np.divmod(np.arange(numbers.size), most)
    used = np.flatnonzero(numbers.reshape(-1) != NONE)
    channel = numbers.reshape(-1)[used]
    row, column = np.divmod(switch, WIDTH)
    place = np.array([place_of(vertex, network.switches) for vertex in range(network.vertices)])
    source = np.array([c.source for c in network.channels])[channel]
    port = np.array([links[link].sink_port for link in network.link_of])[channel]
    first = np.array([vcs[0] for vcs in network.output_channel[: network.switches]])
    records: Any = make_records(
        numbers.size, fields, switch=switch, place=place[switch], vc=vc, first_output=first[switch]
    )
    records["target_masks"] = (row * most + vc) * WIDTH + column
    records["channel"][used], records["port"][used] = channel, port
    records["source"][used], records["source_place"][used] = source, place[source]
    return records


def _output_vcs(network: VcNetwork) -> np.recarray:
    channels, deliveries, ports = network.channels, network.delivery_channels, _most_ports(network)
    buffer = np.full(len(channels), NONE)
    buffer[list(deliveries)] = np.arange(len(deliveries))
    output = [_number_of_output(network.links, link, ports) for link in network.link_of]
    return make_records(len(channels), OUTPUT_VC_FIELDS, output=output, buffer=buffer)


def _number_of_output(links: ChannelNetwork, link: int, ports: int) -> int:
    """Return the number of an output; 0 for channels from processors, which have no outputs with requests."""
    channel = links.channels[link]
    return channel.source * ports + channel.source_port if links.is_switch(channel.source) else 0


def _port_vcs(network: VcNetwork) -> np.ndarray:
    """Return the masks of the VCs of each input: int64[switches, ports]."""
    masks = np.zeros((network.switches, _most_ports(network)), dtype=np.int64)
    for switch, links in enumerate(network.links.input_channel[: network.switches]):
        for port, link in enumerate(links):
            masks[switch, port] = sum(1 << network.channels[vc].sink_port for vc in network.vcs_of[link])
    return masks
