"""Monitors of a network, which drive only outputs of it: transfers, counters, tokens and errors."""

from refusal import demand
from structure import joined

COUNTER_INPUTS = ("enable", "clear", "address")


def place_monitors(hardware):
    """Place the monitors that a network has, and connect them."""
    structure, seen = hardware.structure, [of_channel[0] for of_channel in hardware.seen]
    stages = [stage for of_channel in hardware.seen for stage in of_channel[1:]]
    if hardware.network.moved():
        structure.place("channels", rf"transfer_monitor_{len(seen) + len(stages)}")
        for place, name in enumerate(("valid", "ready")):
            structure.connect("channels", name, joined(one[place] for one in seen + stages))
        structure.drive("moved", structure.output("channels", "moved"))
    if "counters" in hardware.manifest:
        _counters(structure, seen)
    if hardware.rings:
        switches = [[(hardware.routers[switch], "here") for switch in ring] for ring in hardware.rings]
        _status(hardware, "token", {"here": _ring_nets(hardware, switches)})
    discarding = [structure.output(router, "discarding") for router in hardware.routers]
    watched = {"discarding": discarding}
    if structure.has(hardware.routers[0], "misframed"):
        watched["guards"] = [structure.output(router, "misframed") for router in hardware.routers]
    _status(hardware, "errors", watched)


def _counters(structure, seen):
    structure.place("channel_counters", rf"channel_counters_{len(seen)}")
    for place, name in enumerate(("valid", "ready")):
        structure.connect("channel_counters", name, joined(one[place] for one in seen))
    tails = [(f"{text}[{width - 1}]", 1) for _, _, (text, width) in seen]
    structure.connect("channel_counters", "tail", joined(tails))
    for name in COUNTER_INPUTS:
        width = structure.width("channel_counters", name, "input")
        structure.connect("channel_counters", name, structure.input_port(f"counters_{name}", width))
    structure.drive("counters_data", structure.output("channel_counters", "data"))


def _ring_nets(hardware, switches):
    """Return the bits of all token rings: token places in switches, then those in registers between switches."""
    nets, registers = [], iter(hardware.side_wires)
    for ring in switches:
        nets += [hardware.structure.output(*here) for here in ring]
        between = [next(registers) for _ in ring]
        nets += [hardware.structure.output(one, "underway") for one in between if one]
    return nets


def _status(hardware, name, watched):
    structure, form = hardware.structure, {"token": "token_monitor", "errors": "error_monitor"}[name]
    ports = structure.place(name, form)
    for port, nets in watched.items():
        structure.connect(name, port, joined(nets))
    for port, (direction, width) in ports.items():
        if direction == "output":
            structure.drive(f"{name}_{port}", structure.output(name, port))
        elif port.startswith("clear_"):
            structure.connect(name, port, structure.input_port(f"{name}_{port}", width))
        else:
            demand(port in watched or port in ("clk", "rst"), f"no rule says what drives {port} of {name}")
