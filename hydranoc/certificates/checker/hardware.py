"""Required inside of a network in the Verilog: routers, links with their register stages, side wires."""

from documents import demand_keys, demand_same, natural
from ends import place_ends
from monitors import place_monitors
from network import TABLE_WORD_BITS
from refusal import demand
from structure import Structure, part

TABLES = ("routes", "reach")


class Hardware:
    """A network, its module in the Verilog, and the values of its routers' constants.

    Parameters:
        network (Network)
        found (WiredModule): The module with the routers.
        bodies (dict): Texts of all modules.
        ports_of (dict): Ports of all modules.
        family (module): The file of the family: form of the routers' names, their constants, side wires.
        certificate (dict)
        loaded (list of str): Words of loadable tables.
    """

    def __init__(self, network, found, bodies, ports_of, family, certificate, loaded):
        self.network, self.bodies, self.family, self.loaded = network, bodies, family, loaded
        self.manifest, self.parameters, self.routers = network.manifest, network.parameters, network.routers
        self.switches, self.processors, self.vcs = network.switches, network.processors, network.vcs
        self.names, self.sources, self.sinks = network.names, network.sources, network.sinks
        self.outputs, self.inputs, self.injections = network.outputs, network.inputs, network.injections
        self.channels, self.switch_names, self.between = network.channels, network.switch_names, network.between
        self.module = dict(zip(network.routers, network.module, strict=True))
        self.structure = Structure(found, ports_of, f"{network.top}_")
        self.rings = family.rings(network, certificate) if hasattr(family, "rings") else []
        self._tables()
        self._routers()
        self.side_wires = [self._side_wire(*wire) for wire in family.side_wires(self)]
        for channel, stage in network.hops:
            self.structure.place(f"link_c{channel}_{stage}", "link_stage")
        place_ends(self)
        self.seen = [self._link(channel) for channel in range(len(self.channels))]
        place_monitors(self)
        self.structure.check()

    def has(self, switch, port):
        """Return True if the router of a switch has a port."""
        return self.structure.has(self.routers[switch], port)

    def _routers(self):
        for switch, router in enumerate(self.routers):
            ports = self.structure.place(router, self.family.ROUTER)
            found = self.structure.found.instances[router][0]
            demand(found == self.module[router], f"{router} is {found} in the Verilog, not {self.module[router]}")
            for port in self.family.CONSTANTS:
                if port in ports and not (self.stores and port in TABLES):
                    self.structure.connect_free(router, port)
            if self.stores:
                self._connect_store(switch)
            links = (("inputs", self.inputs), ("outputs", self.outputs))
            for side, channels in links:
                end = "source" if side == "outputs" else "sink"
                count = len({self.network.port(channel, end) for channel in channels[switch]})
                have = sum(port.startswith(f"{side}__") and port.endswith("__payload") for port in ports)
                demand(count == have, f"{router} has {have} {side}, and {count} links")

    def _tables(self):
        """Read offsets and sizes of loadable tables; empty if tables are constants."""
        self.stores, about = [], self.manifest.get("tables")
        demand(about is not None or not self.loaded, "there are words to be loaded, and no tables in the manifest")
        if about is None:
            return
        demand_keys(about, ("word_bits", "words", "file", "switches"), "tables")
        demand_same(about["word_bits"], TABLE_WORD_BITS, "word_bits of tables")
        demand_same(about["file"], f"{self.network.top}_tables.hex", "file of tables")
        demand(isinstance(about["switches"], list), "switches of tables is no list")
        demand(len(about["switches"]) == self.switches, "switches of tables are not those of the network")
        for switch, tables in enumerate(about["switches"]):
            demand(isinstance(tables, dict) and tables, f"tables of switch {switch} is no mapping")
            low = 0
            for name in tables:
                demand_keys(tables[name], ("offset", "bits"), f"table {name} of switch {switch}")
                demand(name in TABLES, f"{name} of switch {switch} is no table")
                demand_same(tables[name]["offset"], low, f"offset of {name} of switch {switch}")
                low += natural(tables[name]["bits"], f"bits of {name} of switch {switch}")
            self.stores.append((low, tables))
        words = [-(-bits // TABLE_WORD_BITS) for bits, _ in self.stores]
        demand_same(about["words"], sum(words), "words of tables")
        whole = len(self.loaded) == sum(words) and all(
            len(word) == 2 and set(word) <= set("0123456789abcdef") for word in self.loaded
        )
        demand(whole, f"{sum(words)} words of two digits must be loaded, and there are {len(self.loaded)}")
        first = len(self.loaded)
        self.values = []
        for (bits, _), count in zip(self.stores, words, strict=True):  # the last switch's highest word comes first
            value = int("".join(self.loaded[first - count : first]), 16)
            demand(value < 1 << bits, "more bits are loaded than a table has")
            self.values.append(value)
            first -= count

    def _connect_store(self, switch):
        bits, tables = self.stores[switch]
        store, router, structure = f"tables_s{switch}", self.routers[switch], self.structure
        structure.place(store, f"table_store_{bits}")
        before = f"tables_s{switch - 1}"
        load = structure.input_port("tables_load", 1) if switch == 0 else ("tables_load", 1)
        structure.connect(store, "load", load)
        first = ("tables_data", TABLE_WORD_BITS)
        data = structure.output(before, "following") if switch else structure.input_port(*first)
        structure.connect(store, "data", data)
        table = structure.output(store, "table")
        for name, about in tables.items():
            structure.connect(router, name, part(table, about["offset"], about["bits"]))
            structure.free[router, name] = self.values[switch] >> about["offset"] & (1 << about["bits"]) - 1
        if switch == self.switches - 1:
            structure.drive("tables_out", structure.output(store, "following"))

    def _side_wire(self, source, output, sink, port):
        """Connect a side wire between routers, with a register per link stage; return those registers or None."""
        net, stages = self.structure.output(self.routers[source], output), self.network.side_stages
        registers = f"wire_{port}_s{sink}" if stages and source != sink else None
        if registers:
            self.structure.place(registers, f"wire_stages_{net[1]}_{stages}")
            self.structure.connect(registers, "source", net)
            net = self.structure.output(registers, "sink")
        self.structure.connect(self.routers[sink], port, net)
        return registers

    def end(self, channel, side):
        """Return the instance and port where a channel starts or ends."""
        vertex, port = self.channels[channel][side], self.network.port(channel, side)
        if vertex >= self.switches:
            kind = "ejector" if side == "sink" else "injector"
            return f"{kind}_{self.network.hosts(vertex, side)[port]}", "link"
        return self.routers[vertex], f"{'outputs' if side == 'source' else 'inputs'}__{port}"

    def _link(self, channel):
        """Connect a channel, stage by stage; return valid, ready and payload of each stage."""
        structure, seen = self.structure, []
        (source, output), end = self.end(channel, "source"), self.end(channel, "sink")
        if self.family.CREDITS and self.between(channel):
            vc = self.channels[channel]["source_port"] % self.vcs
            valid, payload = (structure.output(source, f"{output}__{name}") for name in ("valid", "payload"))
            if vc == 0:
                structure.connect(end[0], f"{end[1]}__valid", valid)
                structure.connect(end[0], f"{end[1]}__payload", payload)
            demand(valid[1] == self.vcs, f"{source}.{output}__valid has not a bit for each of {self.vcs} VCs")
            return [(part(valid, vc, 1), ("1'h1", 1), payload)]
        for stage in range(1, self.network.stages[channel] + 1):
            instance = f"link_c{channel}_{stage}"
            seen.append(self._hop(source, output, instance, "link"))
            source, output = instance, "onward"
        return [*seen, self._hop(source, output, *end)]

    def _hop(self, source, output, sink, port):
        structure = self.structure
        valid, payload = (structure.output(source, f"{output}__{name}") for name in ("valid", "payload"))
        ready = structure.output(sink, f"{port}__ready")
        structure.connect(sink, f"{port}__valid", valid)
        structure.connect(sink, f"{port}__payload", payload)
        structure.connect(source, f"{output}__ready", ready)
        return valid, ready, payload

    def check_hosts(self, numbers):
        """Check that each switch has the processor with its number, by all channels from and to processors."""
        for channel, name in enumerate(self.names):
            if not self.between(channel):
                switch, vertex = sorted((self.sources[channel], self.sinks[channel]))
                right = numbers[switch] == vertex - self.switches
                demand(right, f"{name} is at the switch of node {numbers[switch]}")

    def constant(self, switch, port):
        """Return width and value of a constant of a router."""
        router = self.routers[switch]
        width = self.structure.width(router, port, "input")
        demand((router, port) in self.structure.free, f"{port} of {router} is no constant")
        return width, self.structure.free[router, port]

    def rows(self, switch, port, bits):
        """Return a constant in rows of ``bits`` bits, the lowest first."""
        width, value = self.constant(switch, port)
        demand(bits and width % bits == 0, f"{port} of {self.routers[switch]} has {width} bits, and rows {bits}")
        text = f"{value:0{width}b}"
        return [int(text[end - bits : end], 2) for end in range(width, 0, -bits)]
