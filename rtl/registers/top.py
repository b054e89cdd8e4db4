# (a top that is written as text is not elaborated)
"""A network with one register block in place of the ports of counters, tables and status parts."""

from dataclasses import replace
from typing import Any

from amaranth.lib.wiring import Out

from rtl.generator.network import GeneratedDesign, MakeTop, generate_design
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import RESET, ModuleInstance, SharedModule, Slice, StructuralPart, Structure
from rtl.generator.top_ports import CLEAR, counter_members, status_members, table_members
from rtl.registers.axi_lite import AxiLitePort, axi_lite_members
from rtl.registers.interrupts import InterruptController, NetworkReset, SettlingTimer
from rtl.registers.network_map import conditions, network_registers
from rtl.registers.page import c_header, register_manifest, register_page
from rtl.registers.register_block import RegisterBlock
from topology.common.counter_bus import READ_CYCLES, settling_cycles

PREFIX = "s_axil_"
BUS_TO_BLOCK = ("write", "write_address", "write_data", "read_address")
BLOCK_TO_BUS = ("write_found", "read_data", "read_found")


class RegisterTop(StructuralPart):
    """A network and its registers.

    The network in it, instance ``network``, has ports for counters, tables and status; here they end at the registers.

    Parameters:
        make_top (function): Makes the network from a plan.

    Members:
        s_axil_awaddr, ..., s_axil_rready: The registers, see ``AxiLitePort``. With counters a read takes a cycle more.
        irq (Out(1)): High as long as an enabled bit of ``INTERRUPT_PENDING`` is 1. A register.
        others: Those of the network without the groups ``counters_``, ``tables_`` and the outputs of status parts.
    """

    def __init__(self, make_top: MakeTop, plan: NetworkPlan):
        self.plan = replace(plan, clearable_status=True)
        self.registers = network_registers(self.plan)
        self._network = SharedModule(lambda: make_top(self.plan))
        inner = self._network.part.signature.members
        self._inside = {**counter_members(self.plan), **table_members(self.plan), **status_members(self.plan)}
        self._outside = tuple(name for name in inner if name not in self._inside)
        members: dict[str, Any] = {name: inner[name] for name in self._outside}
        axi = axi_lite_members(self.registers.address_bits)
        members |= {f"{PREFIX}{name}": member for name, member in axi.items()}
        members["irq"] = Out(1)
        super().__init__("registered_network", members)

    def structure(self):
        structure = Structure(self)
        block = structure.instance("registers", SharedModule(lambda: RegisterBlock(self.registers)))
        self._connect_bus(structure, block)
        network = structure.instance("network", self._network)
        for name in self._outside:
            if name in structure.inputs:
                network.connect(name, structure.ports[name])
            else:
                structure.outputs[name] = network.output(name)
        reset = structure.instance("reset", SharedModule(NetworkReset))
        reset.connect("hold", self._field(block, "CONTROL", "reset"))
        network.connect(RESET, reset.output("network_reset"))
        self._connect_status(structure, block, network)
        self._connect_counters(structure, block, network)
        self._connect_tables(block, network)
        return structure

    def _connect_bus(self, structure: Structure, block: ModuleInstance) -> None:
        read_cycles = READ_CYCLES if self.plan.counters else 0
        bits = self.registers.address_bits
        bus = structure.instance("axi_lite", SharedModule(lambda: AxiLitePort(bits, read_cycles)))
        for name in axi_lite_members(bits):
            if name in bus.module.inputs:
                bus.connect(name, structure.ports[f"{PREFIX}{name}"])
            else:
                structure.outputs[f"{PREFIX}{name}"] = bus.output(name)
        for name in BUS_TO_BLOCK:
            block.connect(name, bus.output(name))
        for name in BLOCK_TO_BUS:
            bus.connect(name, block.output(name))

    def _field(self, block: ModuleInstance, register: str, field: str) -> Slice:
        """Return the value written to a field."""
        place = next(entry for entry in self.registers[register].fields if entry.name == field)
        return Slice(block.output(self.registers[register].port), place.low, place.bits)

    def _connect_status(self, structure: Structure, block: ModuleInstance, network: ModuleInstance) -> None:
        for part in self.plan.status:
            for output in part.meanings:
                name = f"{part.name}_{output}"
                block.connect(name, network.output(name))
                network.connect(f"{part.name}_{CLEAR}{output}", block.output(f"{name}_clear"))
        bits = conditions(self.plan)
        masks = {name: (bit, network.output(name).width) for name, bit in bits.items()}
        interrupts = structure.instance("interrupts", SharedModule(lambda: InterruptController(masks)))
        for name in masks:
            interrupts.connect(name, network.output(name))
        interrupts.connect("enable", block.output("interrupt_enable"))
        block.connect("interrupt_pending", interrupts.output("pending"))
        structure.outputs["irq"] = interrupts.output("irq")

    def _connect_counters(self, structure: Structure, block: ModuleInstance, network: ModuleInstance) -> None:
        if not self.plan.counters:
            return
        enable = self._field(block, "COUNTERS_CONTROL", "enable")
        clear = self._field(block, "COUNTERS_COMMAND", "clear")
        hold = self._field(block, "CONTROL", "reset")
        cycles = settling_cycles(len(self.plan.network.channels))
        busy = (enable, clear, hold)
        timer = structure.instance("settling", SharedModule(lambda: SettlingTimer(cycles, len(busy))))
        timer.connect("busy", busy)
        network.connect("counters_enable", enable)
        network.connect("counters_clear", clear)
        network.connect("counters_address", block.output("counters_index"))
        block.connect("counters", network.output("counters_data"))
        block.connect("counters_status", timer.output("settled"))

    def _connect_tables(self, block: ModuleInstance, network: ModuleInstance) -> None:
        if not self.plan.loadable_tables:
            return
        network.connect("tables_load", block.output("tables_data_written"))
        network.connect("tables_data", block.output("tables_data"))
        block.connect("tables_out", network.output("tables_out"))


def generate_with_registers(make_top: MakeTop, plan: NetworkPlan, top: str, extra: dict[str, Any]) -> GeneratedDesign:
    """Generate the files of a network with registers: those of ``generate_design``, a C header and a page.

    The manifest has one more entry, ``registers``: address, access, fields and words of each.

    Parameters:
        make_top (function): Makes the network from a plan.
        top: Name of the top module, and prefix of all other module names.
        extra: More entries of the manifest.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    registers = network_registers(plan)
    files = {f"{top}_regs.h": c_header(registers, top), f"{top}_registers.md": register_page(registers, top)}
    entries = {**extra, "registers": {"prefix": PREFIX, **register_manifest(registers)}}
    return generate_design(lambda plan: RegisterTop(make_top, plan), plan, top, entries, files=files)
