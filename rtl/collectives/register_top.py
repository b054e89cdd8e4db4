# (a top that is written as text is not elaborated)
"""A collective plane with one register block in place of the ports of flushes, timeouts and error masks."""

import json
from typing import Any

from amaranth.lib.wiring import Out

from rtl.collectives.generate import generate_top
from rtl.collectives.plane import BARRIERS, STREAMS, PlaneTop
from rtl.collectives.register_map import MASKS, PlaneRegisters
from rtl.collectives.register_parts import ConstantNumbers, FlushTimer, GroupCounters
from rtl.generator.network import GeneratedDesign
from rtl.generator.structure import RESET, ModuleInstance, SharedModule, Slice, StructuralPart, Structure
from rtl.registers.axi_lite import AxiLitePort, axi_lite_members
from rtl.registers.interrupts import InterruptController, NetworkReset
from rtl.registers.page import c_header, register_manifest, register_page
from rtl.registers.register_block import RegisterBlock
from rtl.registers.top import BLOCK_TO_BUS, BUS_TO_BLOCK, PREFIX

FLUSH_MARGIN_CYCLES = 3
"""Cycles of a flush in addition to those of a link."""


class PlaneRegisterTop(StructuralPart):
    """A plane and its registers.

    The plane in it, instance ``plane``, has ports for flushes, timeouts and error masks; here they end at the
    registers.

    Parameters:
        registers

    Members:
        s_axil_awaddr, ..., s_axil_rready: The registers, see ``AxiLitePort``.
        irq (Out(1)): High as long as an enabled bit of ``INTERRUPT_PENDING`` is 1. A register. Absent if switches have
            no error masks.
        others: Streams and barrier wires of the plane, see ``PlaneTop``.
    """

    def __init__(self, registers: PlaneRegisters):
        self.registers, self.plan, self.observes = registers, registers.plan, False
        self._plane = SharedModule(lambda: PlaneTop(registers.plan))
        inner = self._plane.part.signature.members
        self._outside = tuple(name for name in inner if name.startswith((*STREAMS, *BARRIERS)))
        members: dict[str, Any] = {name: inner[name] for name in self._outside}
        axi = axi_lite_members(registers.map.address_bits)
        members |= {f"{PREFIX}{name}": member for name, member in axi.items()}
        if registers.masks:
            members["irq"] = Out(1)
        super().__init__("registered_plane", members)

    def structure(self):
        structure = Structure(self)
        wiring = _Wiring(structure, self.registers, structure.instance("plane", self._plane))
        for name in self._outside:
            if name in structure.inputs:
                wiring.plane.connect(name, structure.ports[name])
            else:
                structure.outputs[name] = wiring.plane.output(name)
        return structure


class _Wiring:
    """Places the registers around a plane, and wires them."""

    def __init__(self, structure: Structure, registers: PlaneRegisters, plane: ModuleInstance):
        self.structure, self.registers, self.plane = structure, registers, plane
        self.block = structure.instance("registers", SharedModule(lambda: RegisterBlock(registers.map)))
        self._connect_bus()
        reset = structure.instance("reset", SharedModule(NetworkReset))
        reset.connect("hold", self.block.output("control"))
        plane.connect(RESET, reset.output("network_reset"))
        self._connect_flush()
        if registers.plan.parameters.timeouts:
            plane.connect("timeout", self.block.output("timeout"))
        self._connect_masks()
        for name, values in registers.constant_numbers().items():
            self._connect_numbers(name.lower(), values)
        if registers.counters:
            self._connect_counters()

    def _connect_bus(self) -> None:
        bits = self.registers.map.address_bits
        bus = self.structure.instance("axi_lite", SharedModule(lambda: AxiLitePort(bits)))
        for name in axi_lite_members(bits):
            if name in bus.module.inputs:
                bus.connect(name, self.structure.ports[f"{PREFIX}{name}"])
            else:
                self.structure.outputs[f"{PREFIX}{name}"] = bus.output(name)
        for name in BUS_TO_BLOCK:
            self.block.connect(name, bus.output(name))
        for name in BLOCK_TO_BUS:
            bus.connect(name, self.block.output(name))

    def _connect_flush(self) -> None:
        plane = self.registers.plan.parameters
        cycles = plane.link_cycles + FLUSH_MARGIN_CYCLES
        timer = self.structure.instance("flush_timer", SharedModule(lambda: FlushTimer(plane.groups, cycles)))
        timer.connect("begin", self.block.output("flush"))
        self.plane.connect("flush", timer.output("flush"))
        self.block.connect("flushing", timer.output("flush"))

    def _connect_masks(self) -> None:
        registers, names = self.registers, self.registers.masks
        if not names:
            return
        for name in names:
            cleared = self.block.output(f"{name}_clear")
            self.block.connect(name, self._mask(name))
            for switch, low in registers.branch_bits.items():
                own = Slice(cleared, low, registers.plan.shapes[switch].branches)
                self.plane.connect(f"clear_{name}_s{switch}", own)
        widths = {name: (MASKS.index(name), registers.branches) for name in names}
        interrupts = self.structure.instance("interrupts", SharedModule(lambda: InterruptController(widths)))
        for name in names:
            interrupts.connect(name, self._mask(name))
        interrupts.connect("enable", self.block.output("interrupt_enable"))
        self.block.connect("interrupt_pending", interrupts.output("pending"))
        self.structure.outputs["irq"] = interrupts.output("irq")

    def _mask(self, name: str) -> tuple[Any, ...]:
        return tuple(self.plane.output(f"{name}_s{switch}") for switch in self.registers.branch_bits)

    def _connect_numbers(self, name: str, values: Any) -> None:
        numbers = self.structure.instance(name, SharedModule(lambda: ConstantNumbers(name, values)))
        numbers.connect("index", self.block.output(f"{name}_index"))
        self.block.connect(name, numbers.output("number"))

    def _connect_counters(self) -> None:
        plan = self.registers.plan
        plane, has_words = plan.parameters, not plan.parameters.barriers_only
        counters = self.structure.instance(
            "counters", SharedModule(lambda: GroupCounters(plane.groups, plane.group_bits, has_words=has_words))
        )
        streams = {
            "result_valid": "m_axis_n{}_tvalid",
            "result_ready": "m_axis_n{}_tready",
            "result_last": "m_axis_n{}_tlast",
            "result_group": "m_axis_n{}_tid",
            "offered_valid": "s_axis_n{}_tvalid",
            "offered_ready": "s_axis_n{}_tready",
            "offered_group": "s_axis_n{}_tdest",
        }
        for group in plan.tables.groups:
            member, number = group.members[0], group.number
            counters.connect(f"done_{number}", Slice(self.plane.output(f"barrier_done_n{member}"), number, 1))
            for port, outside in streams.items():
                if f"{port}_{number}" in counters.module.inputs:
                    counters.connect(f"{port}_{number}", self._stream(outside.format(member)))
        for command, register in (("enable", "counters_control"), ("clear", "counters_command")):
            counters.connect(command, self.block.output(register))
        counters.connect("index", self.block.output("counters_index"))
        self.block.connect("counters", counters.output("count"))

    def _stream(self, name: str) -> Any:
        """Return a wire of a stream, which is an input of the whole or an output of the plane."""
        return self.structure.ports[name] if name in self.structure.inputs else self.plane.output(name)


def generate_plane_with_registers(registers: PlaneRegisters, top: str = "plane") -> GeneratedDesign:
    """Generate the files of a plane with registers: those of ``generate_plane``, a C header and a page.

    The manifest has one more entry, ``registers``: address, access, fields and words of each.

    Parameters:
        registers
        top: Name of the top module, and prefix of all other module names.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    made = generate_top(PlaneRegisterTop(registers), top)
    entries = {"registers": {"prefix": PREFIX, **register_manifest(registers.map)}}
    texts = {
        f"{top}_regs.h": c_header(registers.map, top),
        f"{top}_registers.md": register_page(registers.map, top),
    }
    manifest = {**made.manifest, "files": [*made.manifest["files"], *texts], **entries}
    files = {**made.files, **texts, "manifest.json": json.dumps(manifest, indent=1) + "\n"}
    return GeneratedDesign(top, manifest, files)
