# (specimens of parts only provide their ports)
"""Top of a collective plane: switches, links and endpoints, wired by the tree."""

from collections.abc import Callable, Mapping
from typing import Any

from amaranth.hdl import Module, Mux, Value
from amaranth.lib.wiring import In, Out

from rtl.collectives.endpoint import PlaneEndpoint
from rtl.collectives.parameters import TIMEOUT_BITS, PlaneParameters, word_layout
from rtl.collectives.plan import PlanePlan, make_switch
from rtl.generator.structure import Bits, ModuleInstance, SharedModule, Slice, StructuralPart, Structure, width_of
from rtl.parts.link_stage import WireStages
from rtl.parts.part import Part
from rtl.parts.selection import concat

STREAMS = ("s_axis_", "m_axis_")
BARRIERS = ("barrier_request", "barrier_done", "barrier_error")


class WordMonitor(Part):
    """Outputs the word on a link, for observation. Combinational.

    Parameters:
        plane
        sinks: Bits of ``valid``.

    Members:
        valid (In(sinks)), payload (In(word_layout)): The link.
        seen (Out): Fields of ``word_layout``, then ``valid``; all zero without a word.
    """

    def __init__(self, plane: PlaneParameters, sinks: int = 1):
        self.sinks = sinks
        layout = word_layout(plane)
        super().__init__(
            f"word_monitor_{layout.size}_{sinks}",
            {"valid": In(sinks), "payload": In(layout), "seen": Out(layout.size + sinks)},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.seen.eq(Mux(self.valid.any(), concat((Value.cast(self.payload), self.valid)), 0))
        return m


class PlaneTop(StructuralPart):
    """A whole plane.

    Members:
        s_axis_n{i}_tdata and others, m_axis_n{i}_tdata and others: Streams of processor i, see ``PlaneEndpoint``.
            Absent if the plane has barriers alone.
        barrier_request_n{i}, barrier_done_n{i}, barrier_error_n{i}: Barriers of processor i, a bit per group. No
            ``barrier_error`` if the plane has barriers alone.
        flush (In(groups)): See ``PlaneSwitch``.
        mismatches_s{n}, clear_mismatches_s{n}: Error mask of switch n. Absent if the plane has barriers alone.
        timeout (In(16)), timeouts_s{n}, clear_timeouts_s{n}: Number of cycles, 0 for no timeouts; error mask of
            switch n. Absent without timeouts.
        observed (Out): Everything that a lock-step run compares, see ``observed_fields``. Only on demand.
    """

    def __init__(self, plan: PlanePlan, *, observes: bool = False):
        self.plan = plan
        self.observes = observes
        plane = plan.parameters
        self._endpoint = None if plane.barriers_only else SharedModule(lambda: PlaneEndpoint(plane))
        self._switches = {
            shape: SharedModule(_maker(make_switch, shape)) for shape in dict.fromkeys(plan.shapes.values())
        }
        members: dict[str, Any] = {}
        for i in plan.processor_branches:
            for port, member in self._members_of_end().items():
                if port.startswith((*STREAMS, *BARRIERS)):
                    members[_numbered(port, f"n{i}")] = member
        members["flush"] = In(plane.groups)
        if plane.timeouts:
            members["timeout"] = In(TIMEOUT_BITS)
        for switch, shape in plan.shapes.items():
            ports = self._switches[shape].part.signature.members
            members |= {f"{port}_s{switch}": ports[port] for port in _STATUS if port in ports}
        if observes:
            members["observed"] = Out(sum(bits for _, bits in observed_fields(plan)))
        super().__init__("plane", members)

    def _members_of_end(self) -> Mapping[str, Any]:
        if self._endpoint is None:
            wires = {"barrier_request": In, "barrier_done": Out}
            return {port: flow(self.plan.parameters.groups) for port, flow in wires.items()}
        return self._endpoint.part.signature.members

    def structure(self):
        structure = Structure(self)
        wiring = _Wiring(structure, self.plan, self._switches, self._endpoint)
        if self.observes:
            structure.outputs["observed"] = tuple(bits for _, bits in wiring.observe())
        return structure


_STATUS = ("mismatches", "clear_mismatches", "timeouts", "clear_timeouts")


def _maker(make: Callable[[Any], Part], shape: Any) -> Callable[[], Part]:
    return lambda: make(shape)


def _numbered(port: str, name: str) -> str:
    """Return the name of an endpoint's port at the top."""
    for prefix in STREAMS:
        if port.startswith(prefix):
            return f"{prefix}{name}_{port.removeprefix(prefix)}"
    return f"{port}_{name}"


class _Wiring:
    """Places and wires everything.

    switches, endpoints: Instances by number. A plane that has barriers alone has no endpoints.
    """

    def __init__(
        self, structure: Structure, plan: PlanePlan, switches: dict[Any, SharedModule], endpoint: SharedModule | None
    ):
        self.structure, self.plan, self.plane = structure, plan, plan.parameters
        self.switches = {s: structure.instance(f"switch_s{s}", switches[shape]) for s, shape in plan.shapes.items()}
        self.endpoints = {
            p: structure.instance(f"endpoint_p{p}", endpoint) for p in plan.processor_branches if endpoint is not None
        }
        self.stages: list[tuple[str, ModuleInstance, bool]] = []
        for switch in self.switches:
            self._connect_switch(switch)
        for processor, branch in plan.processor_branches.items():
            if endpoint is None:
                self._connect_member(branch)
                continue
            self._connect_endpoint(processor)
            self._connect(
                branch, self.endpoints[processor], ("up", "up_credited", "down", "down_credits"), staged=False
            )
        for child, branch in plan.child_branches.items():
            ports = ("up", "up_credited", "parent", "parent_credits")
            self._connect(branch, self.switches[child], ports, staged=self.plane.link_cycles > 1)

    def _connect_switch(self, number: int) -> None:
        instance, ports = self.switches[number], self.structure.ports
        for port, value in self.plan.constants(number).items():
            instance.tie(port, value)
        instance.connect("flush", ports["flush"])
        if "limit" in instance.module.inputs:
            instance.connect("limit", ports["timeout"])
        for port in _STATUS:
            if port in instance.module.inputs:
                instance.connect(port, ports[f"{port}_s{number}"])
            elif port in instance.module.outputs:
                self.structure.outputs[f"{port}_s{number}"] = instance.output(port)

    def _connect_member(self, branch: Any) -> None:
        """Connect the barrier wires of a processor to its switch."""
        switch, name, groups = self.switches[branch.switch], f"n{branch.number}", self.plane.groups
        switch.connect(f"up_{branch.port}", self.structure.ports[f"barrier_request_{name}"])
        self.structure.outputs[f"barrier_done_{name}"] = Slice(switch.output("down"), branch.port * groups, groups)

    def _connect_endpoint(self, number: int) -> None:
        instance, structure = self.endpoints[number], self.structure
        instance.connect("flush", structure.ports["flush"])
        for port in (*instance.module.inputs, *instance.module.outputs):
            if not port.startswith((*STREAMS, *BARRIERS)):
                continue
            outside = _numbered(port, f"n{number}")
            if port in instance.module.inputs:
                instance.connect(port, structure.ports[outside])
            else:
                structure.outputs[outside] = instance.output(port)

    def _connect(self, branch: Any, lower: ModuleInstance, ports: tuple[str, str, str, str], *, staged: bool) -> None:
        """Connect a branch to what is at its lower end: a switch or an endpoint."""
        upper, i = self.switches[branch.switch], branch.port
        up, credited, down, credits = ports
        name = f"s{branch.number}"
        if self.plane.barriers_only:
            groups = self.plane.groups
            sent = lower.output(up)
            over: Bits = Slice(upper.output("down"), i * groups, groups)
            upper.connect(f"up_{i}", self._delayed(f"link_up_{name}", sent, staged))
            lower.connect(down, self._delayed(f"link_down_{name}", over, staged))
            return
        bank = upper.output("down__valid")
        self._connect_link(
            f"link_up_{name}", lower.output(f"{up}__valid"), lower.output(f"{up}__payload"), upper, f"up_{i}", staged
        )
        valid = Slice(bank, i, 1)
        self._connect_link(f"link_down_{name}", valid, upper.output("down__payload"), lower, down, staged)
        for wire, sink, port, source in (
            (f"credits_up_{name}", lower, credited, upper.output(f"up_credits_{i}")),
            (f"credits_down_{name}", upper, f"down_credited_{i}", lower.output(credits)),
        ):
            sink.connect(port, self._delayed(wire, source, staged))

    def _connect_link(self, name: str, valid: Bits, payload: Bits, sink: ModuleInstance, port: str, staged: bool):
        bits: Bits = (payload, valid)
        if staged:
            wire = self._delayed(name, bits, staged)
            payload, valid = Slice(wire, 0, wire.width - 1), Slice(wire, wire.width - 1, 1)
        sink.connect(f"{port}__payload", payload)
        sink.connect(f"{port}__valid", valid)

    def _delayed(self, name: str, bits: Bits, staged: bool) -> Any:
        """Return bits behind the further stages of a link."""
        if not staged:
            return bits
        width, stages = width_of(bits), self.plane.link_cycles - 1
        instance = self.structure.instance(name, SharedModule(lambda: WireStages(width, stages)))
        instance.connect("source", bits)
        self.stages.append((name, instance, isinstance(bits, tuple)))
        return instance.output("sink")

    def _seen(self, name: str, valid: Bits, payload: Bits) -> Bits:
        sinks = width_of(valid)
        monitor = self.structure.instance(f"seen_{name}", SharedModule(lambda: WordMonitor(self.plane, sinks)))
        monitor.connect("valid", valid)
        monitor.connect("payload", payload)
        return monitor.output("seen")

    def observe(self) -> list[tuple[str, Bits]]:
        """Return the observed fields, in the order of ``observed_fields``."""
        found: list[tuple[str, Bits]] = []
        for number, switch in self.switches.items():
            name = f"s{number}"
            for port in switch.module.outputs:
                if port.endswith("__payload"):
                    link = port.removesuffix("__payload")
                    seen = self._seen(f"{name}_{link}", switch.output(f"{link}__valid"), switch.output(port))
                    found.append((f"{name}_{link}", seen))
                elif not port.endswith("__valid"):
                    found.append((f"{name}_{port}", switch.output(port)))
        for number, endpoint in self.endpoints.items():
            name = f"p{number}"
            for port in endpoint.module.outputs:
                if port == "up__payload":
                    seen = self._seen(f"{name}_up", endpoint.output("up__valid"), endpoint.output(port))
                    found.append((f"{name}_up", seen))
                elif port == "m_axis_tvalid":
                    found.append((f"{name}_result", self._seen_result(name, endpoint)))
                elif not port.startswith("m_axis") and port != "up__valid":
                    found.append((f"{name}_{port}", endpoint.output(port)))
        for name, instance, is_word in self.stages:
            underway = instance.output("underway")
            width = underway.width // (self.plane.link_cycles - 1)
            for stage in range(self.plane.link_cycles - 1):
                low = stage * width
                bits: Bits = Slice(underway, low, width)
                if is_word:
                    payload, valid = Slice(underway, low, width - 1), Slice(underway, low + width - 1, 1)
                    bits = self._seen(f"{name}_{stage + 1}", valid, payload)
                found.append((f"{name}_{stage + 1}", bits))
        return found

    def _seen_result(self, name: str, endpoint: ModuleInstance) -> Bits:
        group = ("tid",) if self.plane.group_bits else ()
        payload = tuple(endpoint.output(f"m_axis_{field}") for field in ("tdata", "tlast", "tuser", *group))
        return self._seen(f"{name}_result", endpoint.output("m_axis_tvalid"), payload)


def observed_fields(plan: PlanePlan) -> list[tuple[str, int]]:
    """Return names and widths of the fields of ``observed``, lowest first.

    Words have the fields of ``word_layout`` and then ``valid``, a bit for each branch in the down bank, and are 0
    without ``valid``. A result is ``tdata``, ``tlast``, ``tuser``, ``tid`` and ``tvalid`` likewise.
    """
    part = PlaneTop(plan)
    wiring = _Wiring(Structure(part), plan, part._switches, part._endpoint)
    return [(name, width_of(bits)) for name, bits in wiring.observe()]
