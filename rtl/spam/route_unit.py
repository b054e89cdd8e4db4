# amaranth: UnusedElaboratable=no
# (specimens of parts only say what ports there are)
"""Route unit: looks at one header flit of one input per cycle (paper 3.2).

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
    """Header scanners of all inputs and the round robin between them.

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
        Constant. Bit ``port * processors + processor``: the output is a tree channel that leads to the processor.
    buffered, buffered_valid, arriving, arriving_valid : In
        Per input, see ``HeaderScanner``.
    looked_at, release, completed, advance, queued, request : per input, see ``HeaderScanner``
        ``looked_at`` is the scanner's ``taken``; it has at most one bit, and so has ``completed``.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        arriving = {"arriving": In(p.scan_bits).array(p.ports), "arriving_valid": In(p.ports)} if p.looks_ahead else {}
        super().__init__(
            f"spam_route_unit_p{p.ports}",
            {
                "routes": In(p.route_bits),
                "port_class": In(CLASS_BITS * p.ports),
                "reach": In(p.ports * p.processors),
                "buffered": In(p.scan_bits).array(p.ports),
                "buffered_valid": In(p.ports),
                **arriving,
                "release": In(p.ports),
                "looked_at": Out(p.ports),
                "completed": Out(p.ports),
                "advance": Out(p.ports),
                "queued": Out(p.ports),
                "request": Out(p.ports).array(p.ports),
            },
        )

    def structure(self):
        structure, ports = Structure(self), range(self.parameters.ports)
        scanner = Kind(lambda: HeaderScanner(self.parameters))
        scanners = [structure.use(f"scanner_{i}", scanner) for i in ports]
        chosen = self._choose(structure, tuple(scanner.output("eligible") for scanner in scanners))
        self._connect_tables(structure, scanners)
        self._connect_busy(structure, scanners)
        for i, scanner in enumerate(scanners):
            scanner.connect("buffered", structure.ports[f"buffered__{i}"])
            scanner.connect("buffered_valid", Slice(structure.ports["buffered_valid"], i, 1))
            if self.parameters.looks_ahead:
                scanner.connect("arriving", structure.ports[f"arriving__{i}"])
                scanner.connect("arriving_valid", Slice(structure.ports["arriving_valid"], i, 1))
            scanner.connect("taken", Slice(chosen, i, 1))
            scanner.connect("release", Slice(structure.ports["release"], i, 1))
            structure.outputs[f"request__{i}"] = scanner.output("request")
        structure.outputs["looked_at"] = chosen
        for name in ("completed", "advance", "queued"):
            structure.outputs[name] = tuple(scanner.output(name) for scanner in scanners)
        return structure

    def _choose(self, structure: Structure, eligible: tuple[Wire, ...]) -> Wire:
        if len(eligible) == 1:
            return eligible[0]
        arbiter = structure.use("arbiter", Kind(lambda: RoundRobinArbiter(self.parameters.ports)))
        arbiter.connect("eligible", eligible)
        return arbiter.output("chosen")

    def _connect_tables(self, structure: Structure, scanners: list[Use]) -> None:
        ports = structure.ports
        table = Kind(lambda: ClassTable(self.parameters))
        reach = structure.name("reach_by_flit", tuple(self._reach_by_flit(ports["reach"])))
        for i, scanner in enumerate(scanners):
            of_class = structure.use(f"table_{i}", table)
            of_class.connect("routes", ports["routes"])
            of_class.connect("port_class", Slice(ports["port_class"], i * CLASS_BITS, CLASS_BITS))
            scanner.connect("routes", of_class.output("chosen"))
            scanner.connect("reach", reach)

    def _connect_busy(self, structure: Structure, scanners: list[Use]) -> None:
        busy = structure.use("busy_outputs", Kind(lambda: BusyOutputs(self.parameters.ports)))
        busy.connect("queued", tuple(scanner.output("queued") for scanner in scanners))
        for i, scanner in enumerate(scanners):
            busy.connect(f"request__{i}", scanner.output("request"))
            scanner.connect("busy", busy.output("busy"))

    def _reach_by_flit(self, reach: Wire) -> Iterator[Bits]:
        """The reach sets cut up like a header: one row per header flit, in it one word per output."""
        parameters, fixed = self.parameters, self.parameters.header.fixed_bits
        for flit in range(parameters.header.multicast_flits):
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
