"""The network of a manifest: its channels, and all other parts of the manifest that follow from them."""

import re

from documents import demand_keys, demand_same, natural
from refusal import demand

KEYS = ("top", "family", "parameters", "flit", "header", "nodes", "channels", "link_stages", "router_shapes", "routers")
KEYS += ("modules", "ports", "files", "switch_names")
MORE_KEYS = ("counters", "tables", "axi_stream", "registers", "port_arrays", "constraints")
CHANNEL = ("index", "name", "source", "source_port", "sink", "sink_port")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_STAGES = 15
WITH_LENGTHS = ("spam",)
"""Families whose networks may give each link its own cycles, which their theorem does not use."""
TABLE_WORD_BITS = 8


class Network:
    """Channels and vertices: switches first, then processors.

    ``sources``, ``sinks``, ``names`` by channel; ``outputs`` and ``inputs`` by vertex, in the order of ports;
    ``stages`` counts the register stages by channel.
    """

    def __init__(self, manifest):
        demand_keys(manifest, KEYS, "the manifest", MORE_KEYS)
        self.manifest, self.parameters = manifest, manifest["parameters"]
        self.top, self.family = manifest["top"], manifest["family"]
        demand(isinstance(self.top, str) and NAME.fullmatch(self.top), "top is no name of a module")
        demand(isinstance(self.parameters, dict), "parameters is no mapping")
        self.vcs = natural(self.parameters.get("lanes", 1), "lanes")
        demand(self.vcs > 0, "virtual channels are 0")
        self.switch_names = manifest["switch_names"]
        named = isinstance(self.switch_names, list) and all(isinstance(name, str) for name in self.switch_names)
        demand(named and self.switch_names, "switch_names is no list of names")
        demand(len(set(self.switch_names)) == len(self.switch_names), "two switches have the same name")
        for key in ("nodes", "channels", "routers", "router_shapes", "modules", "ports"):
            demand(isinstance(manifest[key], list) and manifest[key], f"{key} is no list, or empty")
        files = manifest["files"]
        named = isinstance(files, list) and all(isinstance(name, str) for name in files)
        demand(named and len(set(files)) == len(files), "files is no list of different names")
        self.switches, self.processors = len(self.switch_names), len(manifest["nodes"])
        self.vertices = self.switches + self.processors
        self._read_channels()
        self._check_nodes()
        self._read_stages()
        self._check_routers()

    def between(self, channel):
        """Return True for a channel from switch to switch."""
        return self.sources[channel] < self.switches and self.sinks[channel] < self.switches

    def moved(self):
        """Return True if the top has the output ``moved``."""
        return any(isinstance(port, dict) and port.get("name") == "moved" for port in self.manifest["ports"])

    def _read_channels(self):
        self.channels, moved = self.manifest["channels"], ("moved_bit",) if self.moved() else ()
        for index, about in enumerate(self.channels):
            demand_keys(about, (*CHANNEL, *moved), f"channel {index}")
            demand_same(
                [about[key] for key in ("index", *moved)], [index] * (1 + len(moved)), f"index of channel {index}"
            )
            for key in CHANNEL[2:]:
                natural(about[key], f"{key} of channel {index}")
            demand(max(about["source"], about["sink"]) < self.vertices, f"channel {index} ends at no vertex")
            demand(min(about["source"], about["sink"]) < self.switches, f"channel {index} leads past the switches")
        self.names = [about["name"] for about in self.channels]
        self.sources = [about["source"] for about in self.channels]
        self.sinks = [about["sink"] for about in self.channels]
        self.outputs, self.inputs = self._by_port("source"), self._by_port("sink")
        self.injections = [c for c, source in enumerate(self.sources) if source >= self.switches]
        for channel in range(len(self.channels)):
            self._check_name(channel)
            if self.between(channel) and self.vcs > 1:
                self._check_vc(channel)
        demand(len(set(self.names)) == len(self.names), "two channels have the same name")

    def _by_port(self, side):
        """Return the channels at each vertex by port; ports have to be numbered from 0 on."""
        found = [{} for _ in range(self.vertices)]
        for channel, about in enumerate(self.channels):
            ports = found[about[side]]
            demand(about[f"{side}_port"] not in ports, f"two channels have the same {side}_port at {about[side]}")
            ports[about[f"{side}_port"]] = channel
        for vertex, ports in enumerate(found):
            demand(sorted(ports) == list(range(len(ports))), f"the ports of {vertex} as {side} are not 0, 1 and so on")
        return [[ports[port] for port in range(len(ports))] for ports in found]

    def _check_name(self, channel):
        """Check a channel's name: source, sink, and number among parallel links."""
        name, source, sink = self.names[channel], self.sources[channel], self.sinks[channel]
        several = source >= self.switches and len(self.outputs[source]) > 1
        port = f"_{self.channels[channel]['source_port']}" if several else ""
        vc = self.channels[channel]["source_port"] % self.vcs
        ending = f".{vc}" if self.vcs > 1 and self.between(channel) else ""
        if self.family == "spam" and self.between(channel):
            outputs = self.outputs[source][: self.channels[channel]["source_port"]]
            before = sum(self.sinks[other] == sink for other in outputs)
            ending = f"#{before + 1}" if before else ""
        begin, end = f"{self.vertex_name(source)}{port}", f"->{self.vertex_name(sink)}{ending}"
        ways = ("", "+x", "-x", "+y", "-y") if self.family == "torus" and self.between(channel) else ("",)
        demand(
            name in [f"{begin}{way}{end}" for way in ways], f"name of channel {channel} is {name!r}, not {begin}{end}"
        )

    def vertex_name(self, vertex):
        """Return the name of a switch or processor."""
        return self.switch_names[vertex] if vertex < self.switches else f"p{vertex - self.switches}"

    def _check_vc(self, channel):
        """Check that the VCs of a link lead to the same VCs of one link, and come before channels to hosts."""
        about, first = self.channels[channel], channel - self.channels[channel]["source_port"] % self.vcs
        link = self.channels[first]
        right = all(
            (about[side], about[f"{side}_port"]) == (link[side], link[f"{side}_port"] + channel - first)
            for side in ("source", "sink")
        )
        demand(right and link["source_port"] % self.vcs == 0, f"{self.names[channel]} is no VC of one link")
        demand(link["sink_port"] % self.vcs == 0, f"{self.names[channel]} is no VC of one link")

    def port(self, channel, side):
        """Return the port of a router or host where a channel starts or ends: VCs share that of their link."""
        vertex, port = self.channels[channel][side], self.channels[channel][f"{side}_port"]
        if vertex >= self.switches or self.vcs == 1:
            return port
        vcs = sum(map(self.between, (self.outputs if side == "source" else self.inputs)[vertex]))
        return port // self.vcs if port < vcs else vcs // self.vcs + port - vcs

    def hosts(self, vertex, side):
        """Return the stems of names of a processor's injectors or ejectors: ``n3``, or ``n3_c0`` and so on."""
        count = len(self.outputs[vertex] if side == "source" else self.inputs[vertex])
        name = f"n{vertex - self.switches}"
        return [name] if count == 1 else [f"{name}_c{port}" for port in range(count)]

    def _check_nodes(self):
        for processor, about in enumerate(self.manifest["nodes"]):
            vertex = self.switches + processor
            out, into = self.outputs[vertex], self.inputs[vertex]
            demand(out and into, f"processor {processor} has no channels")
            demand(len(out) == len(self.outputs[self.switches]), "processors have different numbers of injectors")
            switches = {self.sinks[c] for c in out}
            injectors = [f"injector_{name}" for name in self.hosts(vertex, "source")]
            one = len(out) == 1
            right = {
                "processor": processor,
                "vertex": vertex,
                "switch": min(switches),
                **({"injector": injectors[0]} if one else {"injectors": injectors}),
                "ejectors": [f"ejector_{name}" for name in self.hosts(vertex, "sink")],
                **({"injection_channel": out[0]} if one else {"injection_channels": out}),
                "delivery_channels": into,
            }
            demand_same(about, right, f"node {processor}")

    def _read_stages(self):
        """Read the register stages of links, in the manifest's order; side wires have those of ``link_cycles``."""
        self.side_stages = natural(self.parameters.get("link_cycles"), "link_cycles") - 1
        demand(0 <= self.side_stages <= MAX_STAGES, f"link_cycles must be from 1 to {MAX_STAGES + 1}")
        self.stages = [0] * len(self.channels)
        listed = self.manifest["link_stages"]
        demand(isinstance(listed, list), "link_stages is no list")
        for place, about in enumerate(listed):
            demand(isinstance(about, dict), f"link stage {place} is no mapping")
            channel = natural(about.get("channel"), f"channel of link stage {place}")
            demand(
                channel < len(self.channels) and self.between(channel) and self.vcs == 1,
                f"link stage {place} is on no link",
            )
            self.stages[channel] += 1
            stage = self.stages[channel]
            right = {
                "channel": channel,
                "stage": stage,
                "name": f"{self.names[channel]} stage {stage}",
                "instance": f"link_c{channel}_{stage}",
                **({"moved_bit": len(self.channels) + place} if self.moved() else {}),
            }
            demand_same(about, right, f"link stage {place}")
        self.hops = [(channel, stage + 1) for channel, count in enumerate(self.stages) for stage in range(count)]
        in_order = [(about["channel"], about["stage"]) for about in listed] == self.hops
        demand(in_order, "link_stages are not in the order of channels")
        if self.family not in WITH_LENGTHS:
            for channel in filter(self.between, range(len(self.channels))):
                have, wanted = self.stages[channel], self.side_stages
                demand(have == wanted, f"{self.names[channel]} has {have} register stages; link_cycles needs {wanted}")

    def _check_routers(self):
        self.routers, self.module = [f"router_s{switch}" for switch in range(self.switches)], []
        for switch, about in enumerate(self.manifest["routers"]):
            demand_keys(about, ("switch", "instance", "module"), f"router {switch}")
            demand(isinstance(about["module"], str), f"module of router {switch} is no name")
            right = {"switch": switch, "instance": f"router_s{switch}", "module": about["module"]}
            demand_same(about, right, f"router {switch}")
            self.module.append(about["module"])
        demand(len(self.module) == self.switches, f"there are {len(self.module)} routers for {self.switches} switches")
        for about in self.manifest["router_shapes"]:
            demand_keys(about, ("shape", "module", "instances"), "a router shape")
            demand_same(about["module"], f"{self.top}_{about['shape']}", f"module of shape {about['shape']}")
            demand_same(about["instances"], self.module.count(about["module"]), f"instances of {about['shape']}")
        shapes = sorted(about["module"] for about in self.manifest["router_shapes"])
        demand(shapes == sorted(set(self.module)), "router_shapes are not those of the routers")
