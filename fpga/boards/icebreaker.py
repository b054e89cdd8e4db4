"""iCEBreaker: pins."""

from typing import Any

from amaranth.hdl import Elaboratable, Module

from fpga.boards.common.pins import drive_led, drive_uart, input_pin, instantiate_self_test

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
