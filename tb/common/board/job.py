"""Inputs and results of a run of a board's self-test; importable without a simulator."""

from dataclasses import dataclass

JOB_VARIABLE = "HYDRANOC_BOARD_JOB"


@dataclass(frozen=True)
class BoardJob:
    """Inputs of one run.

    Members:
        cycles_per_bit: Of the serial line.
        most_cycles: The run fails if the test takes longer.
        result: File for the lines, as a JSON list.
        inject_cycles (sequence of int): Cycles in which the button is pressed, in rising order.
    """

    cycles_per_bit: int
    most_cycles: int
    result: str
    inject_cycles: tuple[int, ...] = ()
