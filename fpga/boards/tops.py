"""Hardware between the pins of the boards and the self-test."""

from typing import Any

from amaranth.build import Platform
from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, Module, ResetSignal, Signal
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer

from fpga.boards.common.self_test import SELF_TEST

OUTPUTS = ("uart_tx", "heartbeat", "running", "passed", "failed")


def instantiate_self_test(m: Module, inject_error: Any) -> dict[str, Signal]:
    """Add the self-test, a Verilog file beside the top.

    Parameters:
        inject_error (Value): A button; need not be synchronous.

    Returns:
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


RED, GREEN = 0, 1


class IcebreakerTop(Elaboratable):
    """The crystal's clock of 12 MHz, one button, two LEDs and the serial line around the self-test.

    The user button inverts one bit. The green LED blinks while the test runs and stays lit when it is passed; the red
    one shows that it failed.
    """

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        outputs = instantiate_self_test(m, input_pin(m, platform, "button"))
        drive_led(m, platform, GREEN, outputs["passed"] | (outputs["running"] & outputs["heartbeat"]))
        drive_led(m, platform, RED, outputs["failed"])
        drive_uart(m, platform, outputs["uart_tx"])
        return m


# 25 MHz times 2, by way of 600 MHz in the oscillator of the loop
PLL_PARAMETERS = {
    "CLKI_DIV": 1,
    "CLKFB_DIV": 2,
    "CLKOP_DIV": 12,
    "CLKOP_CPHASE": 5,
    "CLKOP_FPHASE": 0,
    "CLKOP_ENABLE": "ENABLED",
    "FEEDBK_PATH": "CLKOP",
    "PLLRST_ENA": "DISABLED",
    "INTFB_WAKE": "DISABLED",
    "STDBY_ENABLE": "DISABLED",
    "DPHASE_SOURCE": "DISABLED",
    "OUTDIVIDER_MUXA": "DIVA",
}
PLL_ATTRIBUTES = {
    "FREQUENCY_PIN_CLKI": "25",
    "FREQUENCY_PIN_CLKOP": "50",
    "ICP_CURRENT": "12",
    "LPF_RESISTOR": "8",
    "MFG_ENABLE_FILTEROPAMP": "1",
    "MFG_GMCREF_SEL": "2",
}


class Ulx3sTop(Elaboratable):
    """Clock of 50 MHz, two buttons, four LEDs and the serial line around the self-test.

    Button FIRE 1 inverts one bit, FIRE 2 restarts the test. LED 0 is the heartbeat, 1 is lit while the test runs, 2
    when it is passed, 3 when it failed.
    """

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        self._make_clock(m, platform, restart=input_pin(m, platform, "button_fire", 1))
        outputs = instantiate_self_test(m, input_pin(m, platform, "button_fire", 0))
        for number, name in enumerate(("heartbeat", "running", "passed", "failed")):
            drive_led(m, platform, number, outputs[name])
        drive_uart(m, platform, outputs["uart_tx"])
        return m

    def _make_clock(self, m: Module, platform: Any, restart: Any) -> None:
        """Add the domain ``sync``, held in reset until the loop has locked and while the button is pressed."""
        crystal, locked = input_pin(m, platform, "clk25"), Signal()
        m.domains.sync = ClockDomain()
        settings: dict[str, Any] = {f"p_{name}": value for name, value in PLL_PARAMETERS.items()}
        settings |= {f"a_{name}": value for name, value in PLL_ATTRIBUTES.items()}
        m.submodules.pll = Instance(
            "EHXPLLL",
            **settings,
            i_CLKI=crystal,
            i_CLKFB=ClockSignal(),
            i_RST=0,
            i_STDBY=0,
            i_PHASESEL0=0,
            i_PHASESEL1=0,
            i_PHASEDIR=1,
            i_PHASESTEP=1,
            i_PHASELOADREG=1,
            i_PLLWAKESYNC=0,
            i_ENCLKOP=0,
            o_CLKOP=ClockSignal(),
            o_LOCK=locked,
        )
        m.submodules.reset = ResetSynchronizer(~locked | restart)
