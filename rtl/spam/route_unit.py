# amaranth: UnusedElaboratable=no
# (specimens of parts only say what ports there are)
"""Route unit: decodes header flits, and looks at one of them, of one input, per cycle (paper 3.2).

Because one unit serves all inputs of a router, and a header enqueues all its requests when its last flit has been
looked at, enqueues are atomic: no two headers enqueue in the same cycle.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.common.arbiter import RoundRobinArbiter
from rtl.common.part import Part
from rtl.common.selection import concat
from rtl.common.structure import Bits, Constant, Kind, Slice, StructuralPart, Structure, Use, Wire
from rtl.spam.header_decoder import HeaderDecoder, note_layout
from rtl.spam.header_scanner import HeaderScanner
from rtl.spam.parameters import SpamRouterParameters
from topology.spam.graph import CROSS, TREE, UP

CLASS_BITS = 2


class ClassTable(Part):
    """Chooses the routing table of an input channel's class. Constant in, constant out.

    Parameters
    ----------
    parameters : SpamRouterParameters

    Members
    -------
    routes : In(3 * vertices * ports)
        The tables of all classes, see ``RouteUnit``.
    port_class : In(2)
        The class.
    chosen : Out(vertices * ports)
        Its table.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        super().__init__(
            f"spam_class_table_p{p.ports}",
            {"routes": In(p.route_bits), "port_class": In(CLASS_BITS), "chosen": Out(p.vertices * p.ports)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        size = len(self.chosen)
        up, cross, tree = (self.routes.word_select(kind, size) for kind in (UP, CROSS, TREE))
        is_cross, is_tree = self.port_class
        m.d.comb += self.chosen.eq(Mux(is_tree, tree, Mux(is_cross, cross, up)))
        return m


class BusyOutputs(Part):
    """Outputs that some queued input requests. Combinational.

    Parameters
    ----------
    ports : int
        Ports of the router.

    Members
    -------
    queued : In(ports)
        Inputs whose request is complete; one that is still being collected does not count.
    request : In(ports).array(ports)
        Requested outputs per input.
    busy : Out(ports)
    """

    def __init__(self, ports: int):
        self.ports = ports
        super().__init__(
            f"spam_busy_outputs_{ports}",
            {"queued": In(ports), "request": In(ports).array(ports), "busy": Out(ports)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        ports = range(self.ports)
        standing = [Signal(self.ports, name=f"standing_{i}") for i in ports]
        for i in ports:
            m.d.comb += standing[i].eq(Mux(self.queued[i], self.request[i], 0))
        m.d.comb += self.busy.eq(concat(concat(request[o] for request in standing).any() for o in ports))
        return m


class RouteUnit(StructuralPart):
    """Header decoders and scanners of all inputs and the round robin between the scanners.

    A request whose last header flit is looked at in cycle t stands from t+1 on. Throughput one header flit per cycle.

    Parameters
    ----------
    parameters : SpamRouterParameters

    Members
    -------
    routes : In(3 * vertices * ports)
        Constant. Bits ``(class * vertices + lca) * ports ..``: mask of candidate outputs; 0 means split phase.
    port_class : In(2 * ports)
        Constant. Class of each input channel: up 0, cross 1, tree 2.
    reach : In(ports * processors)
        Constant. Bit ``port * processors + processor``: the output is a tree channel that leads to the processor. Only
        in routers that multicast.
    arriving, arriving_head, arriving_valid : In
        Per input: header bits of the flit on the link, whether it is the first of its message (not there if headers
        have one flit), and whether it moves (only if something depends on that).
    arriving_note : Out(note_layout).array(ports)
        What that flit means, to be kept with it.
    buffered_note : In(note_layout).array(ports)
        What the next flit to be looked at means, if it is in the buffer.
    buffered_valid : In(ports)
        Whether it is.
    release, completed, queued, request : per input, see ``HeaderScanner``
        At most one bit of ``completed`` is set.
    looked_at : Out(ports)
        The input, at most one, whose flit is looked at in this cycle.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        note_bits = note_layout(p).size
        reach = {"reach": In(p.ports * p.processors)} if p.multicast else {}
        head = {"arriving_head": In(p.ports)} if p.header_flits > 1 else {}
        moves = {"arriving_valid": In(p.ports)} if p.watches_links else {}
        super().__init__(
            f"spam_route_unit_p{p.ports}",
            {
                "routes": In(p.route_bits),
                "port_class": In(CLASS_BITS * p.ports),
                **reach,
                "arriving": In(p.scan_bits).array(p.ports),
                **head,
                **moves,
                "arriving_note": Out(note_bits).array(p.ports),
                "buffered_note": In(note_bits).array(p.ports),
                "buffered_valid": In(p.ports),
                "release": In(p.ports),
                "looked_at": Out(p.ports),
                "completed": Out(p.ports),
                "queued": Out(p.ports),
                "request": Out(p.ports).array(p.ports),
            },
        )

    def structure(self):
        structure, ports = Structure(self), range(self.parameters.ports)
        scanner = Kind(lambda: HeaderScanner(self.parameters))
        scanners = [structure.use(f"scanner_{i}", scanner) for i in ports]
        chosen = self._choose(structure, tuple(scanner.output("eligible") for scanner in scanners))
        self._decode(structure, scanners)
        self._connect_busy(structure, scanners)
        for i, scanner in enumerate(scanners):
            scanner.connect("buffered", structure.ports[f"buffered_note__{i}"])
            scanner.connect("buffered_valid", Slice(structure.ports["buffered_valid"], i, 1))
            scanner.connect("taken", Slice(chosen, i, 1))
            scanner.connect("release", Slice(structure.ports["release"], i, 1))
            structure.outputs[f"request__{i}"] = scanner.output("request")
        structure.outputs["looked_at"] = chosen
        for name in ("completed", "queued"):
            structure.outputs[name] = tuple(scanner.output(name) for scanner in scanners)
        return structure

    def _choose(self, structure: Structure, eligible: tuple[Wire, ...]) -> Wire:
        if len(eligible) == 1:
            return eligible[0]
        arbiter = structure.use("arbiter", Kind(lambda: RoundRobinArbiter(self.parameters.ports)))
        arbiter.connect("eligible", eligible)
        return arbiter.output("chosen")

    def _decode(self, structure: Structure, scanners: list[Use]) -> None:
        ports = structure.ports
        table = Kind(lambda: ClassTable(self.parameters))
        decoder = Kind(lambda: HeaderDecoder(self.parameters))
        multicast = self.parameters.multicast
        reach = structure.name("reach_by_flit", tuple(self._reach_by_flit(ports["reach"]))) if multicast else None
        for i, scanner in enumerate(scanners):
            of_class = structure.use(f"table_{i}", table)
            of_class.connect("routes", ports["routes"])
            of_class.connect("port_class", Slice(ports["port_class"], i * CLASS_BITS, CLASS_BITS))
            decodes = structure.use(f"decoder_{i}", decoder)
            decodes.connect("routes", of_class.output("chosen"))
            if reach:
                decodes.connect("reach", reach)
            decodes.connect("data", ports[f"arriving__{i}"])
            if self.parameters.header_flits > 1:
                decodes.connect("head", Slice(ports["arriving_head"], i, 1))
                decodes.connect("moved", Slice(ports["arriving_valid"], i, 1))
            structure.outputs[f"arriving_note__{i}"] = decodes.output("note")
            if self.parameters.looks_ahead:
                scanner.connect("arriving", decodes.output("note"))
                scanner.connect("arriving_valid", Slice(ports["arriving_valid"], i, 1))

    def _connect_busy(self, structure: Structure, scanners: list[Use]) -> None:
        busy = structure.use("busy_outputs", Kind(lambda: BusyOutputs(self.parameters.ports)))
        busy.connect("queued", tuple(scanner.output("queued") for scanner in scanners))
        for i, scanner in enumerate(scanners):
            busy.connect(f"request__{i}", scanner.output("request"))
            scanner.connect("busy", busy.output("busy"))

    def _reach_by_flit(self, reach: Wire) -> Iterator[Bits]:
        """The reach sets cut up like a header: one row per header flit, in it one word per output."""
        parameters, fixed = self.parameters, self.parameters.header.fixed_bits
        for flit in range(parameters.header_flits):
            # processors whose destination bits lie in this flit; its other bits select nothing
            start = flit * parameters.flit_bits - fixed
            first = min(max(start, 0), start + parameters.scan_bits)
            end = max(first, min(start + parameters.scan_bits, parameters.processors))
            below, above = first - start, start + parameters.scan_bits - end
            for output in range(parameters.ports):
                word = (
                    Constant(0, below),
                    Slice(reach, output * parameters.processors + first, end - first),
                    Constant(0, above),
                )
                yield from (bits for bits in word if bits.width)
