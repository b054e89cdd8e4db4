"""What a manifest and Verilog say of a network: channels, wires between instances, and constants of routers.

The manifest says which channels there are. That they are there is looked up in the Verilog: from the input of each
instance back to the output that drives it.
"""

import re

from refusal import Refused, demand

THROUGH = {"onward__payload": "link__payload", "onward__valid": "link__valid", "link__ready": "onward__ready"}
THROUGH |= {"sink": "source"}  # of register stages in links and side wires: what an output is one cycle earlier


class Hardware:
    """What manifest and Verilog say: channels, and the pins of every instance in the network's top."""

    def __init__(self, manifest, verilog, tables):
        self.manifest, self.parameters, self.loaded = manifest, manifest["parameters"], tables.split()
        self.bodies = dict(re.findall(r"^module (\S+?) ?\((.*?)^endmodule", verilog, re.M | re.S))
        self.routers = [router["instance"] for router in manifest["routers"]]
        tops = [body for body in self.bodies.values() if f" {self.routers[0]} (" in body]
        demand(len(tops) == 1, f"{len(tops)} modules of the Verilog have a {self.routers[0]}, and not one")
        self.module, self.pins = {}, {}
        for module, instance, pins in re.findall(r"^  (\S+) (\S+) \(\n(.*?)^  \);", tops[0], re.M | re.S):
            self.module[instance] = module
            self.pins[instance] = dict(re.findall(r"^    \.(\S+?)\((.*?)\),?$", pins, re.M | re.S))
        for router in manifest["routers"]:
            found = self.module.get(router["instance"])
            demand(found == router["module"], f"{router['instance']} is {found} in the Verilog, not {router['module']}")
        self.switches, self.lanes = len(self.routers), self.parameters.get("lanes", 1)
        self.processors, self.channels = len(manifest["nodes"]), manifest["channels"]
        self.switch_names = manifest["switch_names"]
        self.names = [channel["name"] for channel in self.channels]
        self.sources = [channel["source"] for channel in self.channels]
        self.sinks = [channel["sink"] for channel in self.channels]
        self.outputs = self._by_port("source", self.sources)
        self.inputs = self._by_port("sink", self.sinks)
        demand(len(set(self.names)) == len(self.names), "two channels of the manifest have the same name")
        self.injections = [c for c, source in enumerate(self.sources) if source >= self.switches]
        self._check_wiring()

    def _by_port(self, side, ends):
        """Channels at each vertex by port, which have to be numbered from 0 on."""
        found = {vertex: {} for vertex in range(self.switches + self.processors)}
        for channel, (vertex, about) in enumerate(zip(ends, self.channels, strict=True)):
            found[vertex][about[f"{side}_port"]] = channel
        for vertex, ports in found.items():
            whole = sorted(ports) == list(range(ends.count(vertex)))
            demand(whole, f"the manifest's ports of vertex {vertex} as {side} of channels are not 0, 1 and so on")
        return {vertex: [ports[port] for port in sorted(ports)] for vertex, ports in found.items()}

    def between(self, channel):
        """Whether a channel leads from switch to switch."""
        return self.sources[channel] < self.switches and self.sinks[channel] < self.switches

    def end(self, channel, side):
        """Instance and port where a channel starts or ends: lanes share those of their link, behind them are hosts'."""
        vertex, port = self.channels[channel][side], self.channels[channel][f"{side}_port"]
        if vertex >= self.switches:
            node = self.manifest["nodes"][vertex - self.switches]
            hosts = node["ejectors"] if side == "sink" else node.get("injectors") or [node["injector"]]
            return hosts[port], "link"
        if self.lanes > 1:
            lanes = sum(map(self.between, (self.outputs if side == "source" else self.inputs)[vertex]))
            port = port // self.lanes if port < lanes else lanes // self.lanes + port - lanes
        return self.routers[vertex], f"{'outputs' if side == 'source' else 'inputs'}__{port}"

    def origin(self, instance, pin):
        """Instance and output that drive an input, register stages left out."""
        wire = self.pins[instance].get(pin, "")
        driver, _, output = wire.partition("__")
        demand(self.pins.get(driver, {}).get(output) == wire, f"no instance drives {pin} of {instance}: {wire!r}")
        staged = driver.startswith(("link_c", "wire_")) and output in THROUGH
        return self.origin(driver, THROUGH[output]) if staged else (driver, output)

    def _check_wiring(self):
        """Each channel is wired from its source to its sink, its credits or ready back, and no input is left over."""
        ends = set()
        for channel, name in enumerate(self.names):
            (source, output), (sink, port) = self.end(channel, "source"), self.end(channel, "sink")
            wires = [((sink, f"{port}__{part}"), (source, f"{output}__{part}")) for part in ("payload", "valid")]
            if f"{port}__ready" in self.pins[sink]:
                wires.append(((source, f"{output}__ready"), (sink, f"{port}__ready")))
            for back, given in (("credited", "credits"), ("released", "releases")):
                if f"{back}_{output[9:]}" in self.pins[source] and self.between(channel):
                    wires.append(((source, f"{back}_{output[9:]}"), (sink, f"{given}_{port[8:]}")))
            for (instance, pin), driver in wires:
                found = self.origin(instance, pin)
                demand(found == driver, f"{name}: {'.'.join(found)} drives {instance}.{pin}, not {'.'.join(driver)}")
            ends.add((sink, port))
        for instance in self.routers:
            inputs = (pin[: -len("__payload")] for pin in self.pins[instance] if re.match(r"inputs__\d+__payload", pin))
            for port in inputs:
                demand((instance, port) in ends, f"{port} of {instance} belongs to no channel of the manifest")

    def constant(self, switch, port):
        """Width and value of a constant of a router; loadable tables are looked up in what is loaded."""
        text = self.pins[self.routers[switch]].get(port, "")
        if number := re.fullmatch(r"(\d+)'h([0-9a-f]+)", text):
            return int(number[1]), int(number[2], 16)
        loaded = re.fullmatch(rf"tables_s{switch}__table(?:\[(\d+)(?::(\d+))?\])?", text)
        if not loaded:
            raise Refused(f"{port} of {self.routers[switch]} is no constant: {text!r}")
        stores = [sum(table["bits"] for table in tables.values()) for tables in self.manifest["tables"]["switches"]]
        words = [-(-bits // 8) for bits in stores]
        first = sum(words[switch + 1 :])  # the last switch's word that is highest comes first
        value = int("".join(self.loaded[first : first + words[switch]]), 16)
        high = int(loaded[1]) if loaded[1] else stores[switch] - 1
        low = int(loaded[2]) if loaded[2] else high if loaded[1] else 0
        return high - low + 1, value >> low & (1 << high - low + 1) - 1

    def rows(self, switch, port, bits):
        """A constant, cut up into rows of so many bits, the lowest first."""
        width, value = self.constant(switch, port)
        text = f"{value:0{width}b}"
        return [int(text[end - bits : end], 2) for end in range(width, 0, -bits)]
