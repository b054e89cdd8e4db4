"""Table of router costs on ECP5: ``python -m benchmarks.router_table [--store] [--only PATTERN]``.

``--store`` writes the results to the baseline row by row, so that an interrupted run loses little. ``--paths`` prints
the longest path of each row, too. ``--cells xc7`` and ``--cells cmos`` print the tables of the reference routers on
Xilinx 7 and in gates in docs/understand/fpga_cells.md instead: synthesis alone, without a clock. ``--grade-8`` measures
at speed grade 8.
"""

import argparse
import fnmatch
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.router_rows import ROWS, UNICAST, RouterRow, rows
from fpga.common.devices import DEVICES, NO_CLOCK, Device
from fpga.common.subject import router_subject
from fpga.common.timing import path_lines
from hydranoc.fpga.baseline import changes, entry_of, read_baseline, write_baseline
from hydranoc.fpga.report import gate_equivalents
from hydranoc.fpga.run import Measurement, measure, tool_versions
from hydranoc.reports.progress import progress_bars

DEVICE, XILINX, CMOS = DEVICES["ecp5"], DEVICES["xc7"], DEVICES["cmos"]
GRADE_8 = replace(
    DEVICE,
    title=DEVICE.title.replace("grade 6", "grade 8"),
    arguments=tuple("8" if argument == "6" else argument for argument in DEVICE.arguments),
)
SEEDS = 3
HEAD = f"{'router':<24}{'LUT4':>7}{'FF':>7}{'RAM':>6}{'MHz':>8}   against the baseline: LUT4, FF, MHz"
BLOCK_MEMORIES = ("RAMB18E1", "RAMB36E1")
CMOS_HEAD = "| router | gate equivalents | transistors | FF | bits in deep memories |\n|---|---|---|---|---|"
XILINX_HEAD = "| router | LUT | in logic | in memories | FF | block memories |\n|---|---|---|---|---|---|"


def measured(row: RouterRow, seeds: int = SEEDS, device: Device = DEVICE) -> Measurement:
    """Measure one row."""
    with tempfile.TemporaryDirectory(prefix="hydranoc-") as folder, progress_bars() as progress:
        return measure(router_subject(row.plan, row.switch), device, seeds, Path(folder), progress)


def line(row: RouterRow, measurement: Measurement) -> str:
    """Return a line of the table."""
    area, clock = measurement.area, measurement.fmax_mhz or 0.0
    text = f"{row.name:<24}{area.luts:>7,}{area.flip_flops:>7,}{area.memory_cells:>6,}{clock:>8.1f}"
    entry = next((entry for entry in read_baseline() if entry.name == row.name), None)
    if entry is None:
        return text
    change = changes(measurement, entry)
    return f"{text}   {change['lut4']:+.1%}, {change['flip_flops']:+.1%}, {change['fmax_mhz']:+.1%}"


def xilinx_line(row: RouterRow, measurement: Measurement) -> str:
    """Return a line of the table of Xilinx 7."""
    area = measurement.area
    blocks = ", ".join(f"{area.memories[kind]} {kind}" for kind in BLOCK_MEMORIES if area.memories[kind])
    counts = (area.luts + area.memory_luts, area.luts, area.memory_luts, area.flip_flops)
    return " | ".join([f"| `{row.name}`", *(f"{count:,}" for count in counts), f"{blocks or 'none'} |"])


def cmos_line(row: RouterRow, measurement: Measurement) -> str:
    """Return a line of the table in gates."""
    area = measurement.area
    counts = (gate_equivalents(area), area.transistors, area.flip_flops, area.memory_bits)
    return " | ".join([f"| `{row.name}`", *(f"{count:,}" for count in counts)]) + " |"


def store(row: RouterRow, measurement: Measurement) -> None:
    """Store a row in the baseline; remove rows that are no longer in the table."""
    entry = entry_of(row.name, measurement, row.plan, DEVICE, tool_versions(DEVICE))
    names = {known.name for known in rows()} - {row.name}
    write_baseline([*(old for old in read_baseline() if old.name in names), entry])


def multicast_costs(found: Mapping[str, Measurement]) -> list[str]:
    """Return the cost of multicast for routers that were measured with and without it, by their names."""
    lines = []
    for name, with_it in found.items():
        without = found.get(f"{name}{UNICAST}")
        if without is None:
            continue
        now, before = with_it.area, without.area
        lines.append(
            f"multicast in {name}: {now.luts - before.luts:+,} LUT4 ({now.luts / before.luts - 1:+.0%}), "
            f"{now.flip_flops - before.flip_flops:+,} FF, {now.memory_cells - before.memory_cells:+,} RAM, "
            f"{(with_it.fmax_mhz or 0) - (without.fmax_mhz or 0):+.1f} MHz"
        )
    return lines


def main() -> None:
    """Measure, print, and store if requested."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.router_table", description="Costs of routers.")
    parser.add_argument("--store", action="store_true", help="write the figures to the baseline")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="rows whose names match: 'p5-*', 'min-*'")
    parser.add_argument("--paths", action="store_true", help="print the longest path of each row")
    parser.add_argument("--grade-8", action="store_true", help="at speed grade 8, against the baseline at grade 6")
    parser.add_argument(
        "--cells", choices=list(CELL_TABLES), help="count cells of the reference routers, without a clock"
    )
    arguments = parser.parse_args()
    if arguments.cells:
        print_cells(arguments.cells)
        return
    if arguments.store and arguments.grade_8:
        sys.exit("error: --store is given; it must be left out with --grade-8, because the baseline is of grade 6")
    device = GRADE_8 if arguments.grade_8 else DEVICE
    chosen = [row for row in rows() if fnmatch.fnmatch(row.name, arguments.only)]
    if not chosen:
        sys.exit(f"error: no row matches {arguments.only!r}; rows are {', '.join(row.name for row in rows())}")
    print(f"{device.title}; clock: median of {SEEDS} seeds; RAM: 16 x 4 bit or block memories\n{HEAD}", flush=True)
    found: dict[str, Measurement] = {}
    for row in chosen:
        measurement = found[row.name] = measured(row, device=device)
        print(line(row, measurement), flush=True)
        if arguments.paths:
            print("\n".join(path_lines(measurement.timings[measurement.typical_seed - 1].path)), flush=True)
        if arguments.store:
            store(row, measurement)
    print("\n".join(multicast_costs(found)))


CELL_TABLES = {XILINX.name: (XILINX_HEAD, xilinx_line), CMOS.name: (CMOS_HEAD, cmos_line)}


def print_cells(name: str) -> None:
    """Synthesise the reference router of each family for a device, and print."""
    device, (head, line_of) = DEVICES[name], CELL_TABLES[name]
    print(f"{device.title}; a clock is {NO_CLOCK}\n{head}", flush=True)
    for of_family in ROWS.values():
        print(line_of(of_family[0], measured(of_family[0], 1, device)), flush=True)


if __name__ == "__main__":
    main()
