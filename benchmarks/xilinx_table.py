"""Table of router costs on Xilinx 7, the reference router of each family: ``python -m benchmarks.xilinx_table``.

It runs synthesis alone, so there is no clock. It prints the lines of the table in docs/understand/fpga.md.
"""

import importlib
import tempfile
from pathlib import Path

from benchmarks.router_rows import Row
from fpga.common.devices import DEVICES, NO_CLOCK
from fpga.common.subject import router_subject
from hydranoc.families.registry import FAMILIES
from hydranoc.fpga.run import Measurement, measure
from hydranoc.reports.progress import progress_bars

DEVICE = DEVICES["xc7"]
BLOCK_MEMORIES = ("RAMB18E1", "RAMB36E1")


def reference_rows() -> dict[str, Row]:
    """Return the row of each family's reference router, which is the first one of ``benchmarks/NAME_rows.py``."""
    return {family: importlib.import_module(f"benchmarks.{family}_rows").rows()[0] for family in FAMILIES}


def measured(row: Row) -> Measurement:
    """Synthesise one row."""
    with tempfile.TemporaryDirectory(prefix="hydranoc-") as folder, progress_bars() as progress:
        return measure(router_subject(row.plan, row.switch), DEVICE, 1, Path(folder), progress)


def line(row: Row, measurement: Measurement) -> str:
    """Return a line of the table."""
    area = measurement.area
    blocks = ", ".join(f"{area.memories[kind]} {kind}" for kind in BLOCK_MEMORIES if area.memories[kind])
    counts = (area.luts + area.memory_luts, area.luts, area.memory_luts, area.flip_flops)
    return " | ".join([f"| `{row.name}`", *(f"{count:,}" for count in counts), f"{blocks or 'none'} |"])


def main() -> None:
    """Measure and print."""
    print(f"{DEVICE.title}; a clock is {NO_CLOCK}")
    print("| router | LUT | in logic | in memories | FF | block memories |\n|---|---|---|---|---|---|", flush=True)
    for row in reference_rows().values():
        print(line(row, measured(row)), flush=True)


if __name__ == "__main__":
    main()
