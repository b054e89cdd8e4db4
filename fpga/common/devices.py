"""Devices for figures: tool options, and names of cells.

Synthesis options were chosen by trial on a 5-port router: on ECP5, wide multiplexers (PFUMX, L6MUX21) save some LUTs
but bind them to slices, which costs clock speed; ``-nowidelut`` does without them.

For some devices the included tools support synthesis, but not place and route. Their figures are counts of cells,
without a clock, and it is not checked whether a design fits. One of them stands for chips: static CMOS gates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

NO_CLOCK = "not given, because no place-and-route tool of this family comes along"
"""Text in place of a clock in reports."""


@dataclass(frozen=True)
class Device:
    """An FPGA with its tool options.

    Members:
        name: As on the command line.
        title: For display.
        synthesis: Yosys command without ``-top``.
        lut_inputs: Inputs of a LUT; 0 for gates.
        luts (mapping of str to int): LUTs per cell of each kind, in logic.
        flip_flops: Beginnings of the names of flip-flop cells.
        memories: Kinds of memory cells.
        memory_luts (mapping of str to int): LUTs per memory cell of each kind, where memories consist of the same LUTs
            as logic.
        transistors (mapping of str to int): Transistors per gate of each kind; only for gates.
        mapping: Yosys commands after ``synthesis``.
        place_and_route: Name of the nextpnr program; empty if none is included.
        arguments: Its arguments for the device.
        network_arguments: Further arguments for a whole network. On ECP5 the default router of nextpnr takes hours for
            a network; the other one takes a minute, but gives a single router of ours a lower clock.
        serial: Whether ports have to be connected through two pins, see ``SerialPart``; otherwise the tool needs no
            pins.
    """

    name: str
    title: str
    synthesis: str
    lut_inputs: int
    luts: Mapping[str, int]
    flip_flops: tuple[str, ...]
    memories: tuple[str, ...]
    memory_luts: Mapping[str, int] = field(default_factory=dict)
    transistors: Mapping[str, int] = field(default_factory=dict)
    mapping: tuple[str, ...] = ()
    place_and_route: str = ""
    arguments: tuple[str, ...] = ()
    network_arguments: tuple[str, ...] = ()
    serial: bool = False

    @property
    def has_clock(self) -> bool:
        """True if designs are placed and routed, which determines the clock and whether they fit."""
        return bool(self.place_and_route)


_ICE40_CELLS = {
    "lut_inputs": 4,
    "luts": {"SB_LUT4": 1},
    "flip_flops": ("SB_DFF",),
    "memories": ("SB_RAM40_4K", "SB_SPRAM256KA"),
}
# a slice of four LUTs holds one of the first two; the next are named by words, bits, and one port or two
_XILINX_7_LUT_MEMORIES = {
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "SRL16E": 1,
    "SRLC32E": 1,
}
NAND_TRANSISTORS = 4
"""Transistors of a NAND gate with two inputs: one gate equivalent."""
MAX_FLIP_FLOP_WORDS = 64
"""Words of the deepest memory that is built of flip-flops on a chip; the bits of deeper ones are counted apart."""

DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        Device(
            name="ecp5",
            title="Lattice LFE5U-85F, speed grade 6",
            synthesis="synth_ecp5 -nowidelut",
            lut_inputs=4,
            luts={"LUT4": 1, "CCU2C": 2},  # a carry cell is a pair of LUTs
            flip_flops=("TRELLIS_FF",),
            memories=("TRELLIS_DPR16X4", "DP16KD"),
            place_and_route="nextpnr-ecp5",
            arguments=("--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context"),
            network_arguments=("--router", "router2"),
        ),
        Device(
            name="ice40-hx8k",
            title="Lattice iCE40HX8K",
            synthesis="synth_ice40 -device hx",
            place_and_route="nextpnr-ice40",
            arguments=("--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"),
            serial=True,
            **_ICE40_CELLS,
        ),
        Device(
            name="ice40-up5k",
            title="Lattice iCE40UP5K",
            synthesis="synth_ice40 -device u",
            place_and_route="nextpnr-ice40",
            arguments=("--up5k", "--package", "sg48", "--pcf-allow-unconstrained"),
            serial=True,
            **_ICE40_CELLS,
        ),
        Device(
            name="xc7",
            title="Xilinx 7 series, synthesis alone",
            synthesis="synth_xilinx -family xc7 -flatten -noiopad -noclkbuf",
            lut_inputs=6,
            luts={"LUT1": 1, "LUT2": 1, "LUT3": 1, "LUT4": 1, "LUT5": 1, "LUT6": 1, "INV": 1},
            flip_flops=("FDRE", "FDSE", "FDCE", "FDPE"),
            memories=(*_XILINX_7_LUT_MEMORIES, "RAMB18E1", "RAMB36E1"),
            memory_luts=_XILINX_7_LUT_MEMORIES,
        ),
        Device(
            name="cmos",
            title="static CMOS gates, synthesis alone",
            synthesis="synth -flatten -run :fine",
            lut_inputs=0,
            luts={},
            flip_flops=("$_DFF_",),
            memories=(),
            transistors={  # those of Yosys' "stat -tech cmos"
                "$_NOT_": 2,
                "$_NAND_": NAND_TRANSISTORS,
                "$_NOR_": 4,
                "$_AOI3_": 6,
                "$_OAI3_": 6,
                "$_AOI4_": 8,
                "$_OAI4_": 8,
                "$_DFF_P_": 16,
            },
            mapping=(
                f"memory_map t:$mem_v2 r:SIZE<={MAX_FLIP_FLOP_WORDS} %i",
                "opt -fast -full",
                "techmap",
                "opt -fast",
                "setattr -unset init w:*",  # gates have no value at power-up
                "dfflegalize -cell $_DFF_P_ x",
                "abc -g cmos4",
                "opt_clean",
                "memory_unpack",  # the bits of deeper memories appear in the counts
            ),
        ),
    )
}
