"""Members of AXI4 ports."""

from typing import Any

from amaranth.lib.wiring import In, Out

from topology.axi4.words import BURST_BITS, INCR, LENGTH_BITS, RESPONSE_BITS, SIZE_BITS, Axi4Format

LITE = frozenset(
    f"{channel}{name}"
    for channel, names in {
        "aw": "addr prot",
        "w": "data strb",
        "b": "resp",
        "ar": "addr prot",
        "r": "data resp",
    }.items()
    for name in (*names.split(), "valid", "ready")
)
"""Signals of AXI4-Lite."""


def request_channel(prefix: str, axi: Axi4Format, id_bits: int, *, masks: bool = False) -> dict[str, int]:
    """Return the signals of the channel AW or AR with their widths, without handshake; see ``axi4_members``."""
    widths = {"id": id_bits, "addr": axi.address_bits, "len": LENGTH_BITS, "size": SIZE_BITS, "burst": BURST_BITS}
    widths |= {"lock": 1, "cache": 4, "prot": 3, "qos": 4}
    widths["user"] = axi.user_bits + (axi.address_bits if masks and prefix == "aw" else 0)
    return {f"{prefix}{name}": bits for name, bits in widths.items() if bits}


def channels(axi: Axi4Format, id_bits: int, *, masks: bool = False) -> dict[str, tuple[bool, dict[str, int]]]:
    """Return all channels: whether it goes from the manager to the subordinate, and its signals with their widths.

    See ``axi4_members``.
    """
    data = {"wdata": axi.data_bits, "wstrb": axi.strobe_bits, "wlast": 1, "wuser": axi.user_bits}
    answers = {"bid": id_bits, "bresp": RESPONSE_BITS}
    reads = {"rid": id_bits, "rdata": axi.data_bits, "rresp": RESPONSE_BITS, "rlast": 1, "ruser": axi.user_bits}
    return {
        "aw": (True, request_channel("aw", axi, id_bits, masks=masks)),
        "w": (True, {name: bits for name, bits in data.items() if bits}),
        "b": (False, {name: bits for name, bits in answers.items() if bits}),
        "ar": (True, request_channel("ar", axi, id_bits)),
        "r": (False, {name: bits for name, bits in reads.items() if bits}),
    }


def lite_members(axi: Axi4Format, *, faces_manager: bool) -> dict[str, Any]:
    """Return the members of an AXI4-Lite port; see ``axi4_members``."""
    members = axi4_members(axi, 0, faces_manager=faces_manager)
    return {name: member for name, member in members.items() if name in LITE}


def lite_constants(axi: Axi4Format) -> dict[str, int]:
    """Return the values of the inputs of an AXI4 port that an AXI4-Lite port lacks; all others are 0."""
    whole = axi.strobe_bits.bit_length() - 1
    return {"awsize": whole, "arsize": whole, "awburst": INCR, "arburst": INCR, "wlast": 1, "rlast": 1}


def axi4_members(
    axi: Axi4Format, id_bits: int, *, faces_manager: bool, only: str = "", masks: bool = False
) -> dict[str, Any]:
    """Return the members of an AXI4 port.

    Parameters:
        axi: Widths.
        id_bits: Width of IDs; 0 for a port without.
        faces_manager: A manager is connected to the port; otherwise a subordinate is.
        only: Name of the only channel; by default all.
        masks: AWUSER begins with a mask, ``address_bits`` wide.
    """
    members: dict[str, Any] = {}
    for channel, (forward, signals) in channels(axi, id_bits, masks=masks).items():
        if only and channel != only:
            continue
        inward = forward == faces_manager
        flow, back = (In, Out) if inward else (Out, In)
        members |= {name: flow(bits) for name, bits in signals.items()}
        members |= {f"{channel}valid": flow(1), f"{channel}ready": back(1)}
    return members
