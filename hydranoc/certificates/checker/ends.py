"""Required injectors and ejectors in the Verilog: with message descriptors, or with AXI4-Stream ports."""

from documents import demand_keys, demand_same
from refusal import demand
from structure import joined, part

DESCRIPTOR = ("header", "header_flits", "flits")
STREAM = ("destination_mode", "tdata_bits", "tkeep_bits", "tdest_bits", "tuser_bits", "tid_bits", "leading_words")
STREAM += ("key_cycles", "clocks", "inputs", "outputs")
OF_ENDPOINTS = ("operations", "reception", "reception_entries", "least_copies")
OPTIONS = ("user_bits", "delivery_buffer_flits")
OF_FAMILY = {"spam": ("tree",)}
SOURCE_BEAT, SINK_BEAT = ("tdata", "tlast", "tdest", "tuser"), ("tdata", "tlast", "tid", "tuser")
NOT_STATUS = (*SINK_BEAT, "tvalid", "link__ready")


def place_ends(hardware):
    """Place injectors and ejectors, and connect them to the ports of the network."""
    network, stream = hardware.network, hardware.manifest.get("axi_stream")
    vertices = range(network.switches, network.vertices)
    sources = [(vertex, name) for vertex in vertices for name in network.hosts(vertex, "source")]
    sinks = [(vertex, name) for vertex in vertices for name in network.hosts(vertex, "sink")]
    if stream is None:
        for _, name in sources:
            _injector(hardware.structure, name)
        for _, name in sinks:
            _ejector(hardware.structure, name)
        return
    demand_keys(stream, (*STREAM, *OF_FAMILY.get(network.family, ())), "axi_stream", (*OF_ENDPOINTS, *OPTIONS))
    demand_same(stream["inputs"], [f"s_axis_{name}" for _, name in sources], "inputs of axi_stream")
    demand_same(stream["outputs"], [f"m_axis_{name}" for _, name in sinks], "outputs of axi_stream")
    clocks = stream["clocks"]
    choices = [["clk" for _ in vertices], ["axis_clk" for _ in vertices]]
    choices.append([f"axis_n{processor}_clk" for processor in range(network.processors)])
    demand(clocks in choices, "clocks of axi_stream are neither the network's, nor one, nor one of each node")
    for clock in dict.fromkeys(clocks):
        hardware.structure.input_port(clock, 1) if clock != "clk" else None
    for vertex, name in sources:
        _Stream(hardware, stream, vertex - network.switches).source(name)
    for vertex, name in sinks:
        _Stream(hardware, stream, vertex - network.switches).sink(name)


def _injector(structure, name):
    injector, port = f"injector_{name}", f"inject_{name}"
    structure.place(injector, "message_injector")
    fields = []
    for field in DESCRIPTOR:  # the whole has the width of the pin: its layout is up to the user
        _, width = structure.found.ports.get(f"{port}_message_{field}", ("", 0))
        fields.append(structure.input_port(f"{port}_message_{field}", width))
    structure.connect(injector, "message__payload", joined(fields))
    structure.connect(injector, "message__valid", structure.input_port(f"{port}_message_valid", 1))
    data = structure.input_port(f"{port}_payload_data", structure.width(injector, "payload__payload", "input"))
    structure.connect(injector, "payload__payload", data)
    structure.connect(injector, "payload__valid", structure.input_port(f"{port}_payload_valid", 1))
    structure.drive(f"{port}_message_ready", structure.output(injector, "message__ready"))
    structure.drive(f"{port}_error", structure.output(injector, "error"))
    structure.drive(f"{port}_payload_ready", structure.output(injector, "payload__ready"))


def _ejector(structure, name):
    ejector, port = f"ejector_{name}", f"eject_{name}"
    structure.place(ejector, "message_ejector")
    structure.connect(ejector, "user__ready", structure.input_port(f"{port}_ready", 1))
    structure.drive(f"{port}_valid", structure.output(ejector, "user__valid"))
    flit = structure.output(ejector, "user__payload")
    bits = flit[1] - 2
    for field, low, width in (("data", 0, bits), ("head", bits, 1), ("tail", bits + 1, 1)):
        structure.drive(f"{port}_{field}", part(flit, low, width))


class _Stream:
    """AXI4-Stream ends of a node: port, byte packer, clock crossing, injector; and back the other way round."""

    def __init__(self, hardware, stream, processor):
        self.hardware, self.structure, self.stream, self.processor = hardware, hardware.structure, stream, processor
        self.clock = stream["clocks"][processor]
        self.kept = stream["tkeep_bits"] != 0
        self.user_bits = stream.get("user_bits", 0)
        self.buffered = stream.get("delivery_buffer_flits", 0) != 0

    def _width_of(self, what, width):
        demand_same(self.stream[f"{what}_bits"], width, f"{what}_bits of axi_stream")

    def _crossing(self, name, direction, net, valid):
        """Add a crossing between clocks, with its inputs payload and valid."""
        self.structure.place(name, rf"stream_crossing_{direction}_{net[1]}")
        self.structure.connect(name, "user_clk", (self.clock, 1))
        self.structure.connect(name, "i__payload", net)
        self.structure.connect(name, "i__valid", valid)

    def _pulse(self, name, net):
        if self.clock == "clk":
            return net
        self._crossing(name, "out", ("1'h0", 1), net)
        self.structure.connect(name, "o__ready", ("1'h1", 1))
        return self.structure.output(name, "o__valid")

    def _constants(self, instance, values):
        """Connect those constants of an end that its module has."""
        for port, value in values.items():
            if self.structure.has(instance, port):
                width = self.structure.width(instance, port, "input")
                demand(value < 1 << width, f"{port} of {instance} has too few bits for {value}")
                self.structure.connect(instance, port, (f"{width}'h{value:0{-(-width // 4)}x}", width))

    def source(self, name):
        """Build the path from a port to an injector."""
        structure, injector, port = self.structure, f"injector_{name}", f"s_axis_{name}"
        structure.place(injector, r"(axi_stream|harts_stream)_injector\w*")
        ages = sum(field["bits"] for field in self.hardware.manifest["header"]["fields"] if field["name"] == "age")
        self._constants(injector, {"node": self.processor, "node_fields": self.processor << ages})
        data = structure.width(injector, "tdata", "input") - self.user_bits
        beat, sideband = {}, []
        for field in SOURCE_BEAT:
            has, more = structure.has(injector, field), self.user_bits if field == "tuser" else 0
            width = structure.width(injector, field, "input") if has else 0
            if field != "tdata" and width + more:
                net = structure.input_port(f"{port}_{field}", width + more)
                sideband += [part(net, width, more)] if more else []
                beat |= {field: part(net, 0, width) if more else net} if has else {}
        self._width_of("tdest", beat["tdest"][1] if "tdest" in beat else 0)
        self._width_of("tuser", beat["tuser"][1] if "tuser" in beat else 0)
        word = self._packed(name, port, data)
        beat = {"tdata": joined([word, *sideband]) if sideband else word, **beat}
        valid, ready = structure.input_port(f"{port}_tvalid", 1), structure.output(injector, "tready")
        if self.clock != "clk":
            crossing = f"crossing_from_{name}"
            self._crossing(crossing, "in", joined(beat.values()), valid)
            structure.connect(crossing, "o__ready", ready)
            beat, valid, ready = self._crossed(crossing, beat)
        structure.connect(injector, "tvalid", valid)
        for field, net in beat.items():
            structure.connect(injector, field, net)
        structure.drive(f"{port}_tready", ready)
        structure.drive(f"{port}_error", self._pulse(f"crossing_error_{name}", structure.output(injector, "error")))

    def _packed(self, name, port, data):
        """Return the signal that must drive ``tdata`` of an injector."""
        if not self.kept:
            self._width_of("tdata", data)
            return self.structure.input_port(f"{port}_tdata", data)
        packer = f"packer_{name}"
        self.structure.place(packer, r"keep_packer_\d+")
        for field in ("tdata", "tkeep"):
            width = self.structure.width(packer, field, "input")
            self._width_of(field, width)
            self.structure.connect(packer, field, self.structure.input_port(f"{port}_{field}", width))
        return self.structure.output(packer, "word")

    def _crossed(self, crossing, beat):
        """Return beat and valid behind a crossing, and its ready."""
        word, low, fields = self.structure.output(crossing, "o__payload"), 0, {}
        for field, (_, width) in beat.items():
            fields[field] = part(word, low, width)
            low += width
        ready = self.structure.output(crossing, "i__ready")
        return fields, self.structure.output(crossing, "o__valid"), ready

    def sink(self, name):
        """Build the path from an ejector to a port."""
        structure, ejector, port = self.structure, f"ejector_{name}", f"m_axis_{name}"
        ports = structure.place(ejector, r"(axi_stream|harts_stream)_ejector\w*")
        network = self.hardware.network
        key = {"spam": network.switches + self.processor, "min": self.processor}.get(network.family)
        self._constants(ejector, {"node": self.processor, **({} if key is None else {"unicast_key": key})})
        beat = {field: structure.output(ejector, field) for field in SINK_BEAT if field in ports}
        self._width_of("tid", beat["tid"][1] if "tid" in beat else 0)
        valid, ready, front = structure.output(ejector, "tvalid"), structure.input_port(f"{port}_tready", 1), None
        if self.buffered:
            front = f"delivery_buffer_{name}"
            structure.place(front, r"packet_buffer_\d+x\d+")
            structure.connect(front, "i__payload", joined(beat.values()))
            structure.connect(front, "i__valid", valid)
            beat, valid, room = self._crossed(front, beat)
            structure.connect(ejector, "tready", room)
        if self.clock != "clk":
            crossing = f"crossing_to_{name}"
            self._crossing(crossing, "out", joined(beat.values()), valid)
            structure.connect(crossing, "o__ready", ready)
            beat, valid, ready = self._crossed(crossing, beat)
        structure.connect(*((front, "o__ready") if front else (ejector, "tready")), ready)
        if self.user_bits:
            word, own = beat["tdata"], [beat["tuser"]] if "tuser" in beat else []
            bits = word[1] - self.user_bits
            beat |= {"tdata": part(word, 0, bits), "tuser": joined([*own, part(word, bits, self.user_bits)])}
        if self.kept:
            unpacker = f"unpacker_{name}"
            structure.place(unpacker, r"keep_unpacker_\d+")
            structure.connect(unpacker, "word", beat["tdata"])
            beat |= {field: structure.output(unpacker, field) for field in ("tdata", "tkeep")}
        for field, net in {**beat, "tvalid": valid}.items():
            structure.drive(f"{port}_{field}", net)
        for field, (direction, _) in ports.items():
            if direction == "output" and field not in NOT_STATUS:
                pulse = self._pulse(f"crossing_{field}_{name}", structure.output(ejector, field))
                structure.drive(f"{port}_{field}", pulse)
