"""The report on the first cycle in which hardware and golden model differ."""

from topology.common.flits import FlitFormat
from topology.common.link_stages import LinkStages


def _field(row: str, low: int, width: int) -> str:
    """Bits ``low .. low + width - 1`` of a row whose highest bit comes first."""
    return row[len(row) - low - width : len(row) - low]


def _delivered_text(bits: str, layout: FlitFormat) -> str:
    if set(bits) - set("01"):
        return f"unknown ({bits})"
    value = int(bits, 2)
    if not value & 1:
        return "nothing" if value == 0 else f"nothing, yet {value >> 1:#x} on the wires"
    data, head, tail = layout.unpack(value >> 1)
    kind = {(True, True): "head+tail", (True, False): "head", (False, True): "tail"}.get((head, tail), "body")
    return f"{kind} {data:#0{2 + -(-layout.flit_bits // 4)}x}"


def describe_difference(
    links: LinkStages, flit_bits: int, cycle: int, hardware: str, model: str
) -> tuple[str, set[int]]:
    """What differs between two rows of ``observed`` bits.

    Returns
    -------
    text : str
        The cycle, then one line per channel or processor that differs, with what each side did.
    switches : set of int
        Switches at the ends of what differs.
    """
    layout, network = FlitFormat(flit_bits), links.network
    lines, switches = [f"first difference in cycle {cycle}"], set()
    named = [(channel, channel.name) for channel in network.channels]
    named += [(network.channels[hop[0]], links.name(hop)) for hop in links.hops]
    for bit, (channel, name) in enumerate(named):
        ours, theirs = _field(hardware, bit, 1), _field(model, bit, 1)
        if ours != theirs:
            words = {"0": "no flit moved", "1": "a flit moved"}
            lines.append(f"  channel {name}: hardware {words.get(ours, ours)}, model {words[theirs]}")
            switches |= {vertex for vertex in (channel.source, channel.sink) if network.is_switch(vertex)}
    accepted = links.moved_bits
    base, width = accepted + len(network.processors), layout.width + 1
    for processor in range(len(network.processors)):
        if _field(hardware, accepted + processor, 1) != _field(model, accepted + processor, 1):
            lines.append(
                f"  injector of p{processor}: hardware did not take the descriptor in cycle {cycle - 1}, model did"
            )
    for delivery, number in enumerate(network.delivery_channels):
        ours, theirs = (_field(row, base + delivery * width, width) for row in (hardware, model))
        if ours != theirs:
            texts = _delivered_text(ours, layout), _delivered_text(theirs, layout)
            channel, processor = network.channels[number], network.delivery_processors[delivery]
            where = f"p{processor}" if len(network.delivery_channels) == len(network.processors) else channel.name
            lines.append(f"  delivered to {where}: hardware {texts[0]}, model {texts[1]}")
            switches.add(channel.source)
    return "\n".join(lines), switches
