"""The one list of boards.

Names and facts alone; objects that load Amaranth are built on demand.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fpga.boards.common.parameters import SelfTestParameters, parameters_at
from fpga.common.devices import DEVICES, Device

if TYPE_CHECKING:
    from amaranth.build import Platform
    from amaranth.hdl import Elaboratable


@dataclass(frozen=True)
class Board:
    """A board that a self-test can be built for.

    Members:
        name: As on the command line.
        title: For display.
        config: Configuration of the default network.
        clock_hz: Clock frequency of the self-test.
        messages: Messages of a test: about half a minute.
        descriptors: Destination sets of a node.
        device: Names of its cells.
        synthesis_options: For the Yosys command of the device.
        packer: Name of the program that writes the bitstream.
        bitstream_suffix: Of the file to load.
        platform: Makes the board's pin-out.
        top: Makes the hardware between pins and self-test.
    """

    name: str
    title: str
    config: Path
    clock_hz: int
    messages: int
    descriptors: int
    device: Device
    synthesis_options: str
    packer: str
    bitstream_suffix: str
    platform: "Callable[[], Platform]"
    top: "Callable[[], Elaboratable]"

    @property
    def tools(self) -> tuple[str, str, str]:
        """Names of the programs of a build, in their order."""
        return "yosys", self.device.place_and_route, self.packer

    @property
    def design_name(self) -> str:
        """Name of the top module and of all files."""
        return self.name.replace("-", "_")

    @property
    def parameters(self) -> SelfTestParameters:
        """The self-test as it runs on the board."""
        return parameters_at(self.clock_hz, self.messages, self.descriptors)


def _config(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.yaml")


def _ulx3s_platform() -> "Platform":
    from amaranth_boards.ulx3s import ULX3S_85F_Platform

    return ULX3S_85F_Platform()


def _ulx3s_top() -> "Elaboratable":
    from fpga.boards.tops import Ulx3sTop

    return Ulx3sTop()


def _icebreaker_platform() -> "Platform":
    from amaranth_boards.icebreaker import ICEBreakerPlatform

    return ICEBreakerPlatform()


def _icebreaker_top() -> "Elaboratable":
    from fpga.boards.tops import IcebreakerTop

    return IcebreakerTop()


BOARDS: dict[str, Board] = {
    board.name: board
    for board in (
        Board(
            name="ulx3s-85f",
            title="Radiona ULX3S with LFE5U-85F",
            config=_config("ulx3s-85f"),
            clock_hz=50_000_000,
            messages=400_000_000,
            descriptors=16,
            device=DEVICES["ecp5"],
            synthesis_options="-nowidelut",
            packer="ecppack",
            bitstream_suffix=".bit",
            platform=_ulx3s_platform,
            top=_ulx3s_top,
        ),
        Board(
            name="icebreaker",
            title="1BitSquared iCEBreaker with iCE40UP5K",
            config=_config("icebreaker"),
            clock_hz=12_000_000,
            messages=20_000_000,
            descriptors=8,
            device=DEVICES["ice40-up5k"],
            synthesis_options="",
            packer="icepack",
            bitstream_suffix=".bin",
            platform=_icebreaker_platform,
            top=_icebreaker_top,
        ),
    )
}
