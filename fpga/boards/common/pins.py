"""Pins common to all boards."""

from typing import Any

from amaranth.build import Platform
from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer

from fpga.boards.common.self_test import SELF_TEST

OUTPUTS = ("uart_tx", "heartbeat", "running", "passed", "failed")


def instantiate_self_test(m: Module, inject_error: Any) -> dict[str, Signal]:
    """Add the self-test, a Verilog file beside the top.

    Parameters
    ----------
    m : Module
    inject_error : Value
        A button; need not be synchronous.

    Returns
    -------
    dict of str to Signal
        Its outputs by name.
    """
    pressed = Signal()
    outputs = {name: Signal(name=name) for name in OUTPUTS}
    ports: dict[str, Any] = {f"o_{name}": value for name, value in outputs.items()}
    m.submodules.button = FFSynchronizer(inject_error, pressed)
    m.submodules.self_test = Instance(
        SELF_TEST,
        i_clk=ClockSignal(),
        i_rst=ResetSignal(),
        i_inject_error=pressed,
        **ports,
    )
    return outputs


def input_pin(m: Module, platform: Platform, name: str, number: int = 0) -> Any:
    """Return the level of a pin; high when a button is pressed."""
    buffer: Any = io.Buffer("i", platform.request(name, number, dir="-"))
    m.submodules[f"{name}_{number}"] = buffer
    return buffer.i


def drive_led(m: Module, platform: Platform, number: int, lit: Any) -> None:
    """Light a LED while a signal is high."""
    buffer: Any = io.Buffer("o", platform.request("led", number, dir="-"))
    m.submodules[f"led_{number}"] = buffer
    m.d.comb += buffer.o.eq(lit)


def drive_uart(m: Module, platform: Platform, tx: Any) -> None:
    """Connect the sending side of the board's serial line; its other pins stay free."""
    port: Any = platform.request("uart", dir="-")
    buffer: Any = io.Buffer("o", port.tx)
    m.submodules.uart_pin = buffer
    m.d.comb += buffer.o.eq(tx)
