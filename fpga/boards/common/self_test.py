# (specimens of parts only say what ports there are)
"""A network that tests itself: the top of every board, below its pins and clock.

::

    random ──> generator ──> (bit flip) ──> injector ──> network ──> ejector ──> checker <── random      per node
                   │                                                                │
                   └────────────> totals of messages, deliveries, errors <──────────┘
                                     │                  │
                                 supervisor ──────> report line ──> UART
"""

import random
from collections.abc import Sequence

from amaranth.lib.wiring import In, Out

from fpga.boards.common.bit_flip import BitFlip
from fpga.boards.common.checker import STALL_BITS, DeliveryChecker, own_bits
from fpga.boards.common.descriptors import Descriptor, pack_rows
from fpga.boards.common.generator import TrafficGenerator
from fpga.boards.common.parameters import SEED_BITS, TOTAL_BITS, SelfTestParameters
from fpga.boards.common.random_bits import STATE_BITS, RandomBits
from fpga.boards.common.report_line import FIELDS, ReportLine
from fpga.boards.common.supervisor import Supervisor
from fpga.boards.common.total import Total
from fpga.boards.common.uart import UartTransmitter
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

SELF_TEST = "self_test"
"""Name of the top module, and prefix of all others."""
FAULTY_NODE = 0
"""Node whose words are changed on request."""


class SelfTest(StructuralPart):
    """A network with traffic, checks and report.

    Parameters
    ----------
    plan : NetworkPlan
        With ``addressing``.
    descriptors : sequence of sequences of Descriptor
        Messages that each node can send.
    parameters : SelfTestParameters

    Members
    -------
    inject_error : In(1)
        A rising edge inverts one bit of a flit that node 0 sends. Synchronous to the clock.
    uart_tx : Out(1)
        The report. A register.
    heartbeat, running, passed, failed : Out(1)
        As in ``Supervisor``. Registers.
    moved : Out(channels and stages)
        Bit c: a flit moved on channel c of the network in this cycle, or out of a stage of a link; for a logic
        analyser.

    Raises
    ------
    ValueError
        If the plan has no addressing, processors have several injection channels, the routing key takes several flits,
        or the descriptors do not fit.
    """

    def __init__(self, plan: NetworkPlan, descriptors: Sequence[Sequence[Descriptor]], parameters: SelfTestParameters):
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
        self.unicast_keys, self.sender_bits = plan.addressing.unicast_keys, plan.addressing.sender_bits
        outputs = {name: Out(1) for name in ("uart_tx", "heartbeat", "running", "passed", "failed")}
        outputs["moved"] = Out(plan.links.moved_bits)
        super().__init__(SELF_TEST, {"inject_error": In(1), **outputs})

    def structure(self):
        structure = Structure(self)
        fabric = Fabric(structure, self.plan)
        randoms = self._randoms(structure)
        supervisor = structure.instance("supervisor", SharedModule(lambda: Supervisor(len(randoms), self.parameters)))
        generators = self._generators(structure, fabric, randoms, supervisor.output("enable"))
        checkers = self._checkers(structure, fabric, randoms)
        totals = {
            "messages": _total(structure, "messages", generators, "sent"),
            "expected": _total(structure, "expected", generators, "expected"),
            "expected_seeds": _total(structure, "expected_seeds", generators, "expected_seed"),
            "deliveries": _total(structure, "deliveries", checkers, "delivered"),
            "delivered_seeds": _total(structure, "delivered_seeds", checkers, "delivered_seed"),
            "errors": _total(structure, "errors", checkers, "error"),
        }
        for name, total in totals.items():
            supervisor.connect(name, total)
        supervisor.connect("flits", tuple(checker.output("flit") for checker in checkers))
        flits = _total(structure, "flits", checkers, "flit")
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

    Raises
    ------
    VerilogError
        If Yosys fails.
    """
    library = ModuleLibrary(prefix=f"{SELF_TEST}_")
    library.add(test, SELF_TEST)
    return library.verilog()
