# (specimens of parts only provide their ports)
"""Route unit: decodes header flits, and processes one of them, of one input, per cycle.

One unit serves all inputs of a router, and a header enqueues all its requests when its last flit has been processed.
Enqueues are therefore atomic: no two headers enqueue in the same cycle.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.generator.router_parameters import RouterParameters
from rtl.generator.structure import Bits, Constant, ModuleInstance, SharedModule, Slice, StructuralPart, Structure, Wire
from rtl.parts.arbiter import PairwiseArbiter, RoundRobinArbiter
from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row
from rtl.routed.conflict_scanner import ConflictScanner
from rtl.routed.header_decoder import HeaderDecoder, decoded_layout
from rtl.routed.header_scanner import HeaderScanner


class ClassTable(Part):
    """Selects the routing table of an input channel's class. Constant in, constant out.

    Parameters:
        parameters: With more than one class.

    Members:
        routes (In(classes * keys * outputs)): The tables of all classes, see ``RouteUnit``.
        port_class (In(class_bits)): The class.
        chosen (Out(keys * outputs)): Its table.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        super().__init__(
            f"class_table_{p.size_name}",
            {"routes": In(p.route_bits), "port_class": In(p.class_bits), "chosen": Out(p.keys * p.outputs)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.chosen.eq(table_row(m, self.routes, self.port_class, len(self.chosen), "choice"))
        return m


class BusyOutputs(Part):
    """Outputs that some queued input requests. Combinational.

    Members:
        queued (In(inputs)): Inputs whose request is complete; incomplete ones are excluded.
        request (In(outputs).array(inputs)): Requested outputs per input.
        busy (Out(outputs))
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        super().__init__(
            f"busy_outputs_{p.size_name}",
            {"queued": In(p.inputs), "request": In(p.outputs).array(p.inputs), "busy": Out(p.outputs)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        inputs, outputs = range(self.parameters.inputs), range(self.parameters.outputs)
        standing = [Signal(len(outputs), name=f"standing_{i}") for i in inputs]
        for i in inputs:
            m.d.comb += standing[i].eq(Mux(self.queued[i], self.request[i], 0))
        m.d.comb += self.busy.eq(concat(concat(request[o] for request in standing).any() for o in outputs))
        return m


class RouteUnit(StructuralPart):
    """Header decoders and scanners of all inputs and the round robin between the scanners.

    A request whose last header flit is processed in cycle t is complete from t+1 on. Throughput 1 flit per cycle.

    Members:
        routes (In(classes * keys * outputs)): Constant. Bits ``(class * keys + key) * outputs ..``: mask of candidate
            outputs; 0 means split phase.
        port_class (In(class_bits * inputs)): Constant. Class of each input channel. Only if there are several.
        reach (In(outputs * processors)): Constant. Bit ``output * processors + processor``: a message that branches at
            the output reaches the processor. Only in routers that multicast.
        arriving, arriving_head, arriving_tail, arriving_valid (In): Per input: header bits of the flit on the link,
            whether it is the first or the last of its message (absent if headers have one flit), and whether it moves
            (only with ``watches_links``).
        arriving_decoded (Out(decoded_layout).array(inputs)): Decoding of that flit, to be stored with it.
        buffered_decoded (In(decoded_layout).array(inputs)): Decoding of the next flit to be processed, if it is in the
            buffer.
        buffered_valid (In(inputs)): Whether it is in the buffer.
        release, completed, branching, queued, request (per input, see ``HeaderScanner``): At most one bit of
            ``completed`` is set.
        conflicts (Out(inputs - 1).array(inputs)): See ``ConflictScanner``; only with ``registers_headers``, and several
            inputs.
        looked_at (Out(inputs)): The input, at most one, whose flit is processed in this cycle.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        self._scanner = ConflictScanner if p.registers_headers else HeaderScanner
        decoded_bits = decoded_layout(p).size
        port_class = {"port_class": In(p.class_bits * p.inputs)} if p.class_bits else {}
        reach = {"reach": In(p.outputs * p.processors)} if p.multicast else {}
        ends = {"arriving_head": In(p.inputs), "arriving_tail": In(p.inputs)} if p.header_flits > 1 else {}
        conflicts = {"conflicts": Out(p.inputs - 1).array(p.inputs)} if p.registers_headers and p.inputs > 1 else {}
        moves = {"arriving_valid": In(p.inputs)} if p.watches_links else {}
        super().__init__(
            f"route_unit_{p.size_name}",
            {
                "routes": In(p.route_bits),
                **port_class,
                **reach,
                "arriving": In(p.scan_bits).array(p.inputs),
                **ends,
                **moves,
                "arriving_decoded": Out(decoded_bits).array(p.inputs),
                "buffered_decoded": In(decoded_bits).array(p.inputs),
                "buffered_valid": In(p.inputs),
                "release": In(p.inputs),
                "looked_at": Out(p.inputs),
                "completed": Out(p.inputs),
                **({"branching": Out(p.inputs)} if p.tells_branching else {}),
                "queued": Out(p.inputs),
                **conflicts,
                "request": Out(p.outputs).array(p.inputs),
            },
        )

    def structure(self):
        structure, inputs = Structure(self), range(self.parameters.inputs)
        scanner = SharedModule(lambda: self._scanner(self.parameters))
        scanners = [structure.instance(f"scanner_{i}", scanner) for i in inputs]
        chosen = self._choose(structure, tuple(scanner.output("eligible") for scanner in scanners))
        self._decode(structure, scanners)
        if self.parameters.registers_headers:
            self._connect_conflicts(structure, scanners)
        else:
            self._connect_busy(structure, scanners)
        for i, scanner in enumerate(scanners):
            scanner.connect("buffered", structure.ports[f"buffered_decoded__{i}"])
            scanner.connect("buffered_valid", Slice(structure.ports["buffered_valid"], i, 1))
            scanner.connect("taken", Slice(chosen, i, 1))
            scanner.connect("release", Slice(structure.ports["release"], i, 1))
            structure.outputs[f"request__{i}"] = scanner.output("request")
        structure.outputs["looked_at"] = chosen
        reported = ("completed", "queued", *(("branching",) if self.parameters.tells_branching else ()))
        for name in reported:
            structure.outputs[name] = tuple(scanner.output(name) for scanner in scanners)
        return structure

    def _choose(self, structure: Structure, eligible: tuple[Wire, ...]) -> Wire:
        if len(eligible) == 1:
            return eligible[0]
        kind = PairwiseArbiter if self.parameters.registers_headers else RoundRobinArbiter
        arbiter = structure.instance("arbiter", SharedModule(lambda: kind(self.parameters.inputs)))
        arbiter.connect("eligible", eligible)
        return arbiter.output("chosen")

    def _decode(self, structure: Structure, scanners: list[ModuleInstance]) -> None:
        ports = structure.ports
        decoder = SharedModule(lambda: HeaderDecoder(self.parameters))
        multicast = self.parameters.multicast
        reach = structure.name("reach_by_flit", tuple(self._reach_by_flit(ports["reach"]))) if multicast else None
        for i, scanner in enumerate(scanners):
            decodes = structure.instance(f"decoder_{i}", decoder)
            decodes.connect("routes", self._table(structure, i))
            if reach:
                decodes.connect("reach", reach)
            decodes.connect("data", ports[f"arriving__{i}"])
            if self.parameters.header_flits > 1:
                decodes.connect("head", Slice(ports["arriving_head"], i, 1))
                decodes.connect("tail", Slice(ports["arriving_tail"], i, 1))
                decodes.connect("moved", Slice(ports["arriving_valid"], i, 1))
            structure.outputs[f"arriving_decoded__{i}"] = decodes.output("decoded")
            if self.parameters.looks_ahead:
                scanner.connect("arriving", decodes.output("decoded"))
                scanner.connect("arriving_valid", Slice(ports["arriving_valid"], i, 1))

    def _table(self, structure: Structure, i: int) -> Wire:
        """Return the routing table of an input."""
        ports, bits = structure.ports, self.parameters.class_bits
        if not bits:
            return ports["routes"]
        of_class = structure.instance(f"table_{i}", SharedModule(lambda: ClassTable(self.parameters)))
        of_class.connect("routes", ports["routes"])
        of_class.connect("port_class", Slice(ports["port_class"], i * bits, bits))
        return of_class.output("chosen")

    def _connect_busy(self, structure: Structure, scanners: list[ModuleInstance]) -> None:
        busy = structure.instance("busy_outputs", SharedModule(lambda: BusyOutputs(self.parameters)))
        busy.connect("queued", tuple(scanner.output("queued") for scanner in scanners))
        for i, scanner in enumerate(scanners):
            busy.connect(f"request__{i}", scanner.output("request"))
            scanner.connect("busy", busy.output("busy"))

    def _connect_conflicts(self, structure: Structure, scanners: list[ModuleInstance]) -> None:
        if len(scanners) == 1:
            return
        for i, scanner in enumerate(scanners):
            for k, other in enumerate(scanners[:i] + scanners[i + 1 :]):
                scanner.connect(f"others__{k}", other.output("request"))
            structure.outputs[f"conflicts__{i}"] = scanner.output("conflicts")

    def _reach_by_flit(self, reach: Wire) -> Iterator[Bits]:
        """Yield the reach sets cut up like a header: a row per word of the set, in it one word per output."""
        parameters = self.parameters
        for named in parameters.header.set_words:
            size = len(named.processors)
            for output in range(parameters.outputs):
                # the bits of the flit that name no processor select nothing
                word = (
                    Constant(0, named.shift),
                    Slice(reach, output * parameters.processors + named.processors.start, size),
                    Constant(0, named.bits - named.shift - size),
                )
                yield from (bits for bits in word if bits.width)
