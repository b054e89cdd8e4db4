# (specimens of parts only say what ports there are)
"""A network that tests itself: the top of every board, below its pins and clock.

::

    random ──> generator ──> (bit flip) ──> injector ──> network ──> ejector ──> checker <── random      per node
                   │                                                                │
                   └────────────> totals of messages, deliveries, errors <──────────┘
                                     │                  │
                                 supervisor ──────> report line ──> UART

Beside it, if there is one, a collective plane with a ``PlaneTester`` per member; operations count as deliveries.
"""

import random
from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.checker import STALL_BITS, DeliveryChecker, own_bits
from fpga.boards.common.descriptors import Descriptor, pack_rows
from fpga.boards.common.generator import STATE_BITS, RandomBits, TrafficGenerator
from fpga.boards.common.parameters import SEED_BITS, TOTAL_BITS, SelfTestParameters
from fpga.boards.common.plane_tester import CHOICE_BITS, MEMBERS_BITS, PlaneTester
from fpga.boards.common.report_line import FIELDS, ReportLine, UartTransmitter
from fpga.boards.common.supervisor import Supervisor
from rtl.collectives.plan import PlanePlan
from rtl.collectives.plane import PlaneTop
from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import (
    Constant,
    ModuleInstance,
    SharedModule,
    Slice,
    StructuralPart,
    Structure,
    Wire,
    connect_link,
)
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.flit import stream_of
from rtl.parts.part import Part


class BitFlip(Part):
    """Passes words on; after each rising edge of ``inject`` the lowest bit of one word is inverted.

    It is the word after the next one to move, so that no word changes while it waits. No latency.

    Parameters:
        flit_bits: Width of a word.

    Members:
        inject (In(1))
        i (In(stream of flit_bits))
        o (Out(stream of flit_bits))
    """

    def __init__(self, flit_bits: int):
        words = stream_of(flit_bits)
        super().__init__("bit_flip", {"inject": In(1), "i": In(words), "o": Out(words)})

    def elaborate(self, _platform):
        m: Any = Module()
        before, armed, flip, moved = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            self.o.payload.eq(self.i.payload ^ flip),
            moved.eq(self.i.valid & self.o.ready),
        ]
        m.d.sync += before.eq(self.inject)
        with m.If(moved):
            m.d.sync += [flip.eq(armed), armed.eq(0)]
        with m.If(self.inject & ~before):
            m.d.sync += armed.eq(1)
        return m


class Total(Part):
    """Adds up one number per node and cycle, modulo a power of two.

    A tree of adders with a register after each level: the total follows after ceil(log2(nodes)) + 1 cycles.

    Parameters:
        nodes: Numbers per cycle, at least 1.
        bits: Width of each number.
        total_bits: Width of the total, at least ``bits``.

    Members:
        numbers (In(nodes * bits)): Concatenated, the first one lowest.
        total (Out(total_bits)): A register.
    """

    def __init__(self, nodes: int, bits: int, total_bits: int):
        self.nodes = nodes
        self.bits = bits
        self.total_bits = total_bits
        members = {"numbers": In(nodes * bits), "total": Out(total_bits)}
        super().__init__(f"total_{nodes}x{bits}_{total_bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        numbers: list[Any] = [self.numbers[i * self.bits : (i + 1) * self.bits] for i in range(self.nodes)]
        level = 0
        while len(numbers) > 1:
            width = min(len(numbers[0]) + 1, self.total_bits)
            pairs = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
            numbers = [Signal(width, name=f"sum_{level}_{i}") for i in range(len(pairs))]
            m.d.sync += [added.eq(sum(pair[1:], pair[0])) for added, pair in zip(numbers, pairs, strict=True)]
            level += 1
        m.d.sync += self.total.eq(self.total + numbers[0])
        return m


SELF_TEST = "self_test"
"""Name of the top module, and prefix of all others."""
FAULTY_NODE = 0
"""Node whose words are changed on request."""


class SelfTest(StructuralPart):
    """A network with traffic, checks and report.

    Parameters:
        plan: With ``addressing``.
        descriptors (sequence of sequences of Descriptor): Messages that each node can send.
        parameters
        plane: Collective plane beside the network.

    Members:
        inject_error (In(1)): A rising edge inverts one bit of a flit that node 0 sends. Synchronous to the clock.
        uart_tx (Out(1)): The report. A register.
        heartbeat, running, passed, failed (Out(1)): As in ``Supervisor``. Registers.
        moved (Out(channels and stages)): Bit c: a flit moved on channel c of the network in this cycle, or out of a
            stage of a link; for a logic analyser.

    Raises:
        ValueError: If the plan has no addressing, processors have several injection channels, the routing key takes
            several flits, or the descriptors do not fit.
    """

    def __init__(
        self,
        plan: NetworkPlan,
        descriptors: Sequence[Sequence[Descriptor]],
        parameters: SelfTestParameters,
        plane: PlanePlan | None = None,
    ):
        if plan.addressing is None:
            raise ValueError(f"A self-test needs a family with addressing; {plan.family} has none")
        per_node = plan.network.injection_channels_per_processor
        if per_node != 1:
            raise ValueError(f"A self-test needs 1 injection channel per processor, not {per_node}")
        nodes = len(plan.network.processors)
        if len(descriptors) != nodes or {len(rows) for rows in descriptors} != {parameters.descriptors}:
            raise ValueError(f"Descriptors must be {parameters.descriptors} for each of {nodes} processors")
        self.plan = plan
        self.descriptors = descriptors
        self.parameters = parameters
        self.plane = plane
        self.unicast_keys, self.sender_bits = plan.addressing.unicast_keys, plan.addressing.sender_bits
        outputs = {name: Out(1) for name in ("uart_tx", "heartbeat", "running", "passed", "failed")}
        outputs["moved"] = Out(plan.links.moved_bits)
        super().__init__(SELF_TEST, {"inject_error": In(1), **outputs})

    def structure(self):
        structure = Structure(self)
        fabric = Fabric(structure, self.plan)
        randoms = self._randoms(structure)
        testers = self._plane_testers(structure, randoms)
        watched = len(randoms) + len(testers)
        supervisor = structure.instance("supervisor", SharedModule(lambda: Supervisor(watched, self.parameters)))
        generators = self._generators(structure, fabric, randoms, supervisor.output("enable"))
        checkers = self._checkers(structure, fabric, randoms)
        totals = {
            "messages": _total(structure, "messages", generators, "sent"),
            "expected": _total(structure, "expected", [*generators, *testers], "expected"),
            "expected_seeds": _total(structure, "expected_seeds", generators, "expected_seed"),
            "deliveries": _total(structure, "deliveries", [*checkers, *testers], "delivered"),
            "delivered_seeds": _total(structure, "delivered_seeds", checkers, "delivered_seed"),
            "errors": _total(structure, "errors", [*checkers, *testers], "error"),
        }
        for name, total in totals.items():
            supervisor.connect(name, total)
        supervisor.connect("flits", tuple(end.output("flit") for end in (*checkers, *testers)))
        flits = _total(structure, "flits", [*checkers, *testers], "flit")
        structure.outputs["moved"] = fabric.moved
        self._report(structure, supervisor, {**totals, "flits": flits, "cycles": supervisor.output("cycles")})
        return structure

    def _randoms(self, structure: Structure) -> list[Wire]:
        """Return random bits for each node."""
        starts = random.Random(len(self.plan.network.processors))
        module = SharedModule(RandomBits)
        wires = []
        for i in range(len(self.plan.network.processors)):
            instance = structure.instance(f"random_n{i}", module)
            instance.connect("start", Constant(starts.randrange(1, 1 << STATE_BITS), STATE_BITS))
            wires.append(instance.output("bits"))
        return wires

    def _generators(
        self, structure: Structure, fabric: Fabric, randoms: Sequence[Wire], enable: Wire
    ) -> list[ModuleInstance]:
        header, rows = self.plan.header, self.parameters.descriptors
        module = SharedModule(lambda: TrafficGenerator(header, rows))
        generators = []
        for i, (injector, bits) in enumerate(zip(fabric.injectors, randoms, strict=True)):
            generator = structure.instance(f"generator_n{i}", module)
            generator.connect("table", Constant(pack_rows(header, self.descriptors[i]), module.inputs["table"]))
            generator.connect("random", bits)
            generator.connect("enable", enable)
            connect_link(generator, "message", injector, "message")
            self._connect_payload(structure, i, generator, injector)
            generators.append(generator)
        return generators

    def _connect_payload(
        self, structure: Structure, node: int, generator: ModuleInstance, injector: ModuleInstance
    ) -> None:
        if node != FAULTY_NODE:
            connect_link(generator, "payload", injector, "payload")
            return
        flip = structure.instance("fault", SharedModule(lambda: BitFlip(self.plan.flit_bits)))
        flip.connect("inject", structure.ports["inject_error"])
        connect_link(generator, "payload", flip, "i")
        connect_link(flip, "o", injector, "payload")

    def _checkers(self, structure: Structure, fabric: Fabric, randoms: Sequence[Wire]) -> list[ModuleInstance]:
        header = self.plan.header
        module = SharedModule(lambda: DeliveryChecker(header, self.sender_bits))
        checkers = []
        for i, (ejector, bits) in enumerate(zip(fabric.ejectors, randoms, strict=True)):
            checker = structure.instance(f"checker_n{i}", module)
            checker.connect("unicast_key", Constant(self.unicast_keys[i], module.inputs["unicast_key"]))
            if "own" in module.inputs:
                checker.connect("own", Constant(own_bits(header, i), module.inputs["own"]))
            checker.connect("random", Slice(bits, 0, STALL_BITS))
            connect_link(ejector, "user", checker, "link")
            checkers.append(checker)
        return checkers

    def _plane_testers(self, structure: Structure, randoms: Sequence[Wire]) -> list[ModuleInstance]:
        """Add the plane, and a tester to each of its members."""
        if self.plane is None:
            return []
        plan = self.plane
        plane, members = plan.parameters, [group.members for group in plan.tables.groups]
        top = structure.instance("plane", SharedModule(lambda: PlaneTop(plan)))
        for port in top.module.inputs:
            top.tie(port, 0)  # no flushes, no timeouts
        starts = random.Random(len(members))
        start = {p: starts.randrange(1 << plane.word_bits) for p in plan.processor_branches}
        module = SharedModule(lambda: PlaneTester(plane, self.parameters.plane_rounds))
        sums = [sum(start[p] for p in group) % (1 << plane.word_bits) for group in members]
        testers = []
        for p in plan.processor_branches:
            tester = structure.instance(f"plane_tester_n{p}", module)
            tester.tie("member", sum((p in group) << g for g, group in enumerate(members)))
            tester.tie("members", sum(len(group) << MEMBERS_BITS * g for g, group in enumerate(members)))
            tester.tie("start", start[p])
            tester.tie("starts", sum(total << plane.word_bits * g for g, total in enumerate(sums)))
            tester.connect("random", Slice(randoms[p], STALL_BITS, 2 * CHOICE_BITS))
            for port in (*module.inputs, *module.outputs):
                side, _, signal = port.rpartition("_")
                name = f"{side}_n{p}_{signal}" if side in ("s_axis", "m_axis") else f"{port}_n{p}"
                if name in top.module.inputs:
                    top.connect(name, tester.output(port))
                elif name in top.module.outputs:
                    tester.connect(port, top.output(name))
            testers.append(tester)
        return testers

    def _report(self, structure: Structure, supervisor: ModuleInstance, values: dict[str, Wire]) -> None:
        line = structure.instance("line", SharedModule(ReportLine))
        uart = structure.instance("uart", SharedModule(lambda: UartTransmitter(self.parameters.cycles_per_bit)))
        line.connect("start", supervisor.output("report"))
        line.connect("values", tuple(values[name] for name in FIELDS))
        line.connect("passed", supervisor.output("passed"))
        line.connect("failed", supervisor.output("failed"))
        connect_link(line, "characters", uart, "characters")
        structure.outputs["uart_tx"] = uart.output("tx")
        for name in ("heartbeat", "running", "passed", "failed"):
            structure.outputs[name] = supervisor.output(name)


def _total(structure: Structure, name: str, instances: Sequence[ModuleInstance], port: str) -> Wire:
    """Return the total of one output of all nodes."""
    numbers = tuple(instance.output(port) for instance in instances)
    bits = numbers[0].width
    total_bits = SEED_BITS if bits == SEED_BITS else TOTAL_BITS
    total = structure.instance(f"total_{name}", SharedModule(lambda: Total(len(numbers), bits, total_bits)))
    total.connect("numbers", numbers)
    return total.output("total")


def self_test_verilog(test: SelfTest) -> str:
    """Return a self-test as Verilog-2005; the top ``self_test`` has the ports ``clk`` and ``rst`` besides its own.

    Raises:
        VerilogError: If Yosys fails.
    """
    library = ModuleLibrary(prefix=f"{SELF_TEST}_")
    library.add(test, SELF_TEST)
    return library.verilog()
