"""Required instances, pins and nets of a network's module, and the comparison with the actual ones."""

import re

from refusal import demand
from verilog import constant


class Structure:
    """Required structure, built up instance by instance; ``check`` refuses missing, extra and different parts.

    Modules are looked up by the instance in the Verilog: its name must have a given form, and its ports say which pins
    there are. The modules' texts are held against digests elsewhere.
    """

    def __init__(self, found, ports_of, prefix):
        self.found, self.ports_of, self.prefix = found, ports_of, prefix
        self.expected, self.outputs, self.inputs, self.read = {}, {}, {"clk": 1, "rst": 1}, set()
        self.free = {}

    def place(self, instance, form):
        """Add an instance of a module whose name without the prefix has a form, and return its ports."""
        demand(instance in self.found.instances, f"{instance} is missing in the Verilog")
        module = self.found.instances[instance][0]
        right = module.startswith(self.prefix) and re.fullmatch(form, module[len(self.prefix) :])
        demand(right, f"{instance} is {module} in the Verilog, not {self.prefix}{form}")
        demand(module in self.ports_of, f"module {module} of {instance} is missing in the Verilog")
        ports = self.ports_of[module]
        self.expected[instance] = pins = {}
        for clock in ("clk", "rst"):
            if clock in ports:
                demand(ports[clock] == ("input", 1), f"{clock} of {module} is no input")
                pins[clock] = clock
        return ports

    def ports(self, instance):
        """Return direction and width by port of an instance's module."""
        return self.ports_of[self.found.instances[instance][0]]

    def has(self, instance, port):
        """Return True if an instance's module has a port."""
        return port in self.ports(instance)

    def width(self, instance, port, direction):
        """Return the width of a port, which must exist."""
        found = self.ports(instance).get(port)
        demand(found and found[0] == direction, f"{instance} has no {direction} {port}")
        return found[1]

    def connect(self, instance, port, net):
        """Demand that an input is on a net: a pair of text and width."""
        text, width = net
        wanted = self.width(instance, port, "input")
        demand(wanted == width, f"{instance}.{port} has {wanted} bits, and what drives it {width}")
        demand(port not in self.expected[instance], f"{instance}.{port} is driven twice")
        self.expected[instance][port] = text

    def connect_free(self, instance, port):
        """Demand that an input is on a constant of any value: a premise of the theorem checks the value."""
        width, net = self.width(instance, port, "input"), self.found.instances[instance][1].get(port)
        value = constant(net, width)
        demand(value is not None, f"{port} of {instance} is no constant of {width} bits: {(net or '')[:60]!r}")
        self.expected[instance][port] = net
        self.free[instance, port] = value

    def output(self, instance, port):
        """Return the net at an output that is read."""
        width = self.width(instance, port, "output")
        self.read.add((instance, port))
        return f"{instance}__{port}", width

    def input_port(self, name, width):
        """Demand an input of the network's module, and return its net."""
        demand(name not in self.inputs, f"port {name} is used twice")
        self.inputs[name] = width
        return name, width

    def drive(self, name, net):
        """Demand that an output of the network's module is assigned a net."""
        demand(name not in self.outputs, f"port {name} is assigned twice")
        self.outputs[name] = net

    def check(self):
        """Compare everything with the Verilog."""
        found = self.found
        for instance in found.instances:
            demand(instance in self.expected, f"{instance} is in the Verilog, and not of this network")
        nets = {}
        for instance, expected in self.expected.items():
            pins = found.instances[instance][1]
            for port, (direction, width) in self.ports(instance).items():
                demand(port in pins, f"{port} of {instance} is not connected")
                if direction == "input":
                    demand(port in expected, f"no rule says what drives {port} of {instance}")
                    right = pins[port] == expected[port]
                    demand(right, f"{_short(pins[port])} drives {instance}.{port}, not {_short(expected[port])}")
                else:
                    self._check_output(instance, port, pins[port])
                    demand(pins[port] not in nets, f"{pins[port]} has two drivers")
                    nets[pins[port]] = width
            for pin in pins:
                demand(pin in self.ports(instance), f"{instance} has a pin {pin} that its module has not")
        for name in sorted(set(nets) ^ set(found.wires)):
            demand(False, f"wire {name} is {'not declared' if name in nets else 'at no output of an instance'}")
        for name, width in nets.items():
            demand(found.wires[name] == width, f"wire {name} has {found.wires[name]} bits, and its driver {width}")
        self._check_ports()

    def _check_output(self, instance, port, net):
        own = f"{instance}__{port}"
        unread = (instance, port) not in self.read and re.fullmatch(r"unused_\d{1,9}", net)
        demand(net == own or unread, f"{instance}.{port} drives {_short(net)}, not {own}")

    def _check_ports(self):
        ports = {name: ("input", width) for name, width in self.inputs.items()}
        ports |= {name: ("output", width) for name, (_, width) in self.outputs.items()}
        for name in sorted(set(ports) ^ set(self.found.ports)):
            demand(False, f"port {name} is {'missing' if name in ports else 'none of this network'}")
        for name, right in ports.items():
            have = self.found.ports[name]
            demand(have == right, f"port {name} is an {have[0]} of {have[1]} bits, not {right[0]} of {right[1]}")
        for name, (net, _) in self.outputs.items():
            assigned = self.found.assigned.get(name)
            demand(assigned == net, f"{name} is assigned {_short(assigned or 'nothing')}, not {_short(net)}")
        for name in self.found.assigned:
            demand(name in self.outputs, f"{_short(name)} is assigned, and no output of this network")


def joined(nets):
    """Return a concatenation, its first element lowest."""
    nets = list(nets)
    return "{" + ",".join(text for text, _ in reversed(nets)) + "}", sum(width for _, width in nets)


def part(net, low, width):
    """Return some bits of a named net, or of a piece of one."""
    text, whole = net
    demand(low + width <= whole, f"{text} has no bits {low} to {low + width - 1}")
    if width == whole:
        return net
    if piece := re.fullmatch(r"(\w+)\[\d+:(\d+)\]", text):
        text, low = piece[1], low + int(piece[2])
    return (f"{text}[{low}]" if width == 1 else f"{text}[{low + width - 1}:{low}]"), width


def _short(text):
    return text if len(text) < 90 else f"{text[:87]}..."
