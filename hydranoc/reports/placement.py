"""Processors of a network: the switches and ports at which they send and receive."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topology.common.channels import ChannelNetwork

MAX_LINES = 16


def placement_figures(network: "ChannelNetwork") -> list[dict[str, Any]]:
    """Return the ends of all processors, ready for JSON.

    Parameters
    ----------
    network : ChannelNetwork

    Returns
    -------
    list of dict
        By processor: ``sends_to`` and ``receives_from``, each a list of switch names and of port numbers there, by
        injection channel and by delivery channel.
    """
    return [
        {
            "processor": processor,
            "sends_to": [
                {"switch": network.vertex_name(channel.sink), "port": channel.sink_port}
                for channel in _channels(network, network.output_channel, processor)
            ],
            "receives_from": [
                {"switch": network.vertex_name(channel.source), "port": channel.source_port}
                for channel in _channels(network, network.input_channel, processor)
            ],
        }
        for processor in range(len(network.processors))
    ]


def placement_text(network: "ChannelNetwork") -> str:
    """Return the ends of the first processors, a line for each.

    Parameters
    ----------
    network : ChannelNetwork

    Returns
    -------
    str
    """
    found = placement_figures(network)
    lines = ["processors:"]
    for entry in found[:MAX_LINES]:
        lines.append(f"  p{entry['processor']}  {_ends(entry)}")
    if len(found) > MAX_LINES:
        lines.append(f"  ... {len(found) - MAX_LINES:,} more: --json lists all")
    return "\n".join(lines)


def _channels(network: "ChannelNetwork", of_vertex: Any, processor: int) -> list[Any]:
    return [network.channels[channel] for channel in of_vertex[network.processor_vertex(processor)]]


def _ends(entry: dict[str, Any]) -> str:
    sends, receives = (_switches(entry[key]) for key in ("sends_to", "receives_from"))
    if sends == receives:
        return f"at {sends}"
    return f"sends to {sends}, receives from {receives}"


def _switches(ends: list[dict[str, Any]]) -> str:
    ports: dict[str, list[str]] = {}
    for end in ends:
        ports.setdefault(end["switch"], []).append(str(end["port"]))
    return ", ".join(f"{name} port{'s' * (len(of) > 1)} {', '.join(of)}" for name, of in ports.items())
