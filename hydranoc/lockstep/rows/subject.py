"""The hardware and the model of a comparison by rows."""

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from hydranoc.lockstep.bench_source import BenchSource
from hydranoc.lockstep.rows.packing import Block, RowPacking

Blocks = Iterable[Block]
"""Rows of a run, from reset on."""


class RowFields(Protocol):
    """Fields of a row.

    Members:
        input_packing, observed_packing (RowPacking): Places in ``given`` and ``observed``.
    """

    input_packing: RowPacking
    observed_packing: RowPacking


class RowSubject(Protocol):
    """Hardware with the ports ``clk``, ``given`` (all inputs, ``rst`` too) and ``observed``, and its golden model.

    Members:
        name (str): Of files.
        title (str): For messages.
        settling_cycles (int): Between the reset and the first row.
        cycles: Of all runs.
        fields (RowFields): Inputs and observed fields.
    """

    name: str
    title: str
    settling_cycles: int

    @property
    def cycles(self) -> int: ...

    @property
    def fields(self) -> RowFields: ...

    def source(self) -> BenchSource:
        """Return the Verilog."""
        ...

    def runs(self) -> Iterator[Blocks]:
        """Yield the rows of each run; each call runs the model again."""
        ...


def reset_rows(subject: RowSubject, cycles: int) -> np.ndarray:
    """Return rows of inputs with ``rst`` alone, and those before the first row."""
    packing = subject.fields.input_packing
    values = packing.matrix(cycles + subject.settling_cycles)
    values[:cycles, packing.place["rst"]] = 1
    return packing.pack(values)
