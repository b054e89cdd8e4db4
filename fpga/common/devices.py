"""Devices that figures are measured on: how to call the tools, and what their cells are called.

Synthesis options were chosen by trial on a 5-port router: on ECP5, wide multiplexers (PFUMX, L6MUX21) save some LUTs
but bind them to slices, which costs clock speed; ``-nowidelut`` does without them.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """An FPGA with its tool options.

    Members
    -------
    name : str
        As on the command line.
    title : str
        For people.
    synthesis : str
        Yosys command without ``-top``.
    place_and_route : str
        Name of the nextpnr program.
    arguments : tuple of str
        Its arguments for the device.
    network_arguments : tuple of str
        More of them for a whole network. On ECP5 the usual router of nextpnr takes hours for one; the other one takes
        a minute, but a single router of ours gets slower with it.
    lut4 : mapping of str to int
        How many 4-input LUTs a cell of each kind takes.
    flip_flops : tuple of str
        Beginnings of the names of flip-flop cells.
    memories : tuple of str
        Kinds of memory cells.
    serial : bool
        Whether ports have to go through two pins, see ``SerialPart``; otherwise the tool can do without pins.
    """

    name: str
    title: str
    synthesis: str
    place_and_route: str
    arguments: tuple[str, ...]
    network_arguments: tuple[str, ...]
    lut4: Mapping[str, int]
    flip_flops: tuple[str, ...]
    memories: tuple[str, ...]
    serial: bool


_ICE40_CELLS = {
    "lut4": {"SB_LUT4": 1},
    "flip_flops": ("SB_DFF",),
    "memories": ("SB_RAM40_4K", "SB_SPRAM256KA"),
}

DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        Device(
            name="ecp5",
            title="Lattice LFE5U-85F, speed grade 6",
            synthesis="synth_ecp5 -nowidelut",
            place_and_route="nextpnr-ecp5",
            arguments=("--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context"),
            network_arguments=("--router", "router2"),
            lut4={"LUT4": 1, "CCU2C": 2},  # a carry cell is a pair of LUTs
            flip_flops=("TRELLIS_FF",),
            memories=("TRELLIS_DPR16X4", "DP16KD"),
            serial=False,
        ),
        Device(
            name="ice40-hx8k",
            title="Lattice iCE40HX8K",
            synthesis="synth_ice40 -device hx",
            place_and_route="nextpnr-ice40",
            arguments=("--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"),
            network_arguments=(),
            serial=True,
            **_ICE40_CELLS,
        ),
        Device(
            name="ice40-up5k",
            title="Lattice iCE40UP5K",
            synthesis="synth_ice40 -device u",
            place_and_route="nextpnr-ice40",
            arguments=("--up5k", "--package", "sg48", "--pcf-allow-unconstrained"),
            network_arguments=(),
            serial=True,
            **_ICE40_CELLS,
        ),
    )
}
