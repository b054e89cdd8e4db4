"""Cost of networks from 16 to 65,536 nodes, in time and memory: ``python -m benchmarks.scale [--quick] [-o DIR]``.

Each point is measured in a separate process, so that its peak memory is separate. Writes scale.csv and plots of it;
points already in the file are not measured again, so an interrupted run can be continued.
"""

import argparse
import csv
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

from benchmarks.scale_networks import FAMILIES, NODES, configuration
from hydranoc.pictures.plots import plot_figure
from hydranoc.studies.common.figure import Figure, Series

GIGABYTE_MB = 1024
MESSAGE_BYTES = 600
"""Memory of a unicast from its drawing to its row in messages.csv, as measured with many of them."""


def seconds_of(point: dict[str, Any]) -> float:
    """Return the CPU seconds from configuration to messages.csv for 100,000 cycles, without compilation."""
    per_cycle = ("messages", "run", "statistics", "messages_csv")
    grows = sum(point[f"{stage}_seconds"] for stage in per_cycle)
    return point["network_seconds"] + point["state_seconds"] + grows * CYCLES / point["cycles"]


def megabytes_of(point: dict[str, Any]) -> float:
    """Return the peak memory; shorter runs are corrected by the memory of the messages that were not sent."""
    missing = point["messages"] * (CYCLES / point["cycles"] - 1)
    return point["messages_csv_mb"] + missing * MESSAGE_BYTES / 2**20


def carried_on(x: Sequence[float], y: Sequence[float], to: float) -> float:
    """Return an extrapolation: a power of the nodes through the last two points."""
    slope = log(y[-1] / y[-2]) / log(x[-1] / x[-2])
    return y[-1] * (to / x[-1]) ** slope


def plot_points(points: Sequence[dict[str, Any]]) -> dict[str, bytes]:
    """Return the plots of time and memory; file contents by suffix."""
    series = []
    for panel, value in enumerate((seconds_of, lambda point: megabytes_of(point) / GIGABYTE_MB)):
        for colour, family in enumerate(FAMILIES):
            own = sorted((point for point in points if point["family"] == family), key=lambda point: point["nodes"])
            if not own:
                continue
            x, y = [point["nodes"] for point in own], [value(point) for point in own]
            series.append(Series(FAMILIES[family].title, x, y, panel=panel, colour=colour))
            if len(own) > 1 and x[-1] < 0.9 * NODES[-1]:
                ends = [x[-1], NODES[-1]], [y[-1], carried_on(x, y, NODES[-1])]
                series.append(Series("", *ends, panel=panel, colour=colour, dashed=True, marked=False))
    figure = Figure(
        title="A loaded run of 100,000 cycles",
        columns=(),
        rows=(),
        series=tuple(series),
        claims=(),
        x_label="nodes",
        y_label="",
        log_x=True,
        log_y=True,
        panels=("CPU seconds, configuration to messages.csv", "peak memory, GiB"),
    )
    return plot_figure(figure)


CYCLES, FEW_CYCLES, QUICK_CYCLES = 100_000, 10_000, 5_000
MAX_NODES_OF_ALL_CYCLES, QUICK_NODES = 4096, 1024
"""Larger networks are run for few cycles, which determine the cost of a cycle."""
STAGES = ("network", "messages", "state", "compile", "run", "statistics", "messages_csv")
COLUMNS = (
    "family",
    "nodes",
    "cycles",
    "messages",
    "flit_hops",
    "mean_latency_cycles",
    *(f"{stage}_seconds" for stage in STAGES),
    *(f"{stage}_mb" for stage in ("import", *STAGES)),
    "check_seconds",
    "check_mb",
    "wall_seconds",
)
MEGABYTE_KB = 1024
MAX_CHECK_SECONDS = 600


def peak_megabytes() -> float:
    """Return the peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE_KB


def measure_here(family: str, nodes: int, cycles: int) -> dict[str, Any]:
    """Return CPU seconds and peak memory after each stage of a run, in this process."""
    from hydranoc import load
    from hydranoc.reports.summary import summary_of, write_messages
    from sim_model.engines.simulation import Simulation

    point: dict[str, Any] = {"family": family, "cycles": cycles, "import_mb": round(peak_megabytes(), 1)}
    clock = time.process_time()
    begin = time.perf_counter()

    def done(stage: str) -> None:
        nonlocal clock
        point[f"{stage}_seconds"] = round(time.process_time() - clock, 3)
        point[f"{stage}_mb"] = round(peak_megabytes(), 1)
        clock = time.process_time()

    design = load(configuration(family, nodes, cycles))
    model = design.model
    done("network")
    messages = design.messages
    done("messages")
    simulation = Simulation(model, messages, design.startup_cycles)
    done("state")
    simulation.run(1)
    done("compile")
    results = simulation.run()
    done("run")
    summary = summary_of(results, warmup_cycles=design.warmup_cycles)
    done("statistics")
    with tempfile.TemporaryDirectory() as folder:
        write_messages(results, Path(folder) / "messages.csv")
    done("messages_csv")
    mean = summary["latency_cycles"]["unicast"]["mean"]
    return point | {
        "nodes": len(design.network.processors),
        "messages": len(messages),
        "flit_hops": results.flit_hops,
        "mean_latency_cycles": round(mean or 0, 1),
        "wall_seconds": round(time.perf_counter() - begin, 1),
    }


def check_here(family: str, nodes: int) -> dict[str, Any]:
    """Return CPU seconds and peak memory of the static proofs, in this process."""
    from hydranoc import load

    design = load(configuration(family, nodes, 1))
    _ = design.routing
    clock = time.process_time()
    right = design.check().right
    if not right:
        raise SystemExit(f"The check of {family} with {nodes} nodes fails")
    return {"check_seconds": round(time.process_time() - clock, 3), "check_mb": round(peak_megabytes(), 1)}


def _apart(*arguments: str, seconds: float | None = None) -> dict[str, Any]:
    """Return the output of this program with some arguments in a process of its own; empty after a timeout.

    It is empty as well if the system kills that process for lack of memory.
    """
    command = [sys.executable, "-m", "benchmarks.scale", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode == -signal.SIGKILL:
        return {}
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def measure(family: str, nodes: int, *, quick: bool) -> dict[str, Any]:
    """Return a point, measured in a process of its own."""
    cycles = QUICK_CYCLES if quick else CYCLES if nodes <= MAX_NODES_OF_ALL_CYCLES else FEW_CYCLES
    return {"asked": nodes} | _apart("--point", family, str(nodes), str(cycles))


def main() -> None:
    """Measure all points that are not in the file yet, print them, and draw the plots."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/scale"))
    parser.add_argument("--quick", action="store_true", help=f"to {QUICK_NODES:,} nodes, {QUICK_CYCLES:,} cycles")
    parser.add_argument("--only", action="append", choices=sorted(FAMILIES), help="a family; may be repeated")
    parser.add_argument("--most-nodes", type=int, default=NODES[-1])
    parser.add_argument("--no-checks", action="store_true", help="runs alone, no static proofs")
    parser.add_argument("--point", nargs=3, metavar=("FAMILY", "NODES", "CYCLES"), help=argparse.SUPPRESS)
    parser.add_argument("--check", nargs=2, metavar=("FAMILY", "NODES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.point:
        print(json.dumps(measure_here(given.point[0], int(given.point[1]), int(given.point[2]))))
        return
    if given.check:
        print(json.dumps(check_here(given.check[0], int(given.check[1]))))
        return
    given.output.mkdir(parents=True, exist_ok=True)
    file = given.output / "scale.csv"
    points = _points_in(file)
    most = min(given.most_nodes, QUICK_NODES if given.quick else NODES[-1])
    for nodes in (nodes for nodes in NODES if nodes <= most):
        for family in given.only or FAMILIES:
            if (family, nodes) in points or nodes > FAMILIES[family].most_nodes:
                continue
            point = measure(family, nodes, quick=given.quick)
            if "family" not in point:
                print(f"{family:>10} {nodes:>7,} nodes: ended by the system, for want of memory presumably", flush=True)
                continue
            points[family, nodes] = point
            print(_line(points[family, nodes]), flush=True)
            _write(file, points)
    for (family, nodes), point in points.items():
        if given.no_checks or "check_seconds" in point or nodes > MAX_NODES_OF_ALL_CYCLES:
            continue
        point |= _apart("--check", family, str(nodes), seconds=MAX_CHECK_SECONDS)
        print(
            f"{family:>10} {point['nodes']:>7,} nodes: check {point.get('check_seconds', 'too long')} CPU s", flush=True
        )
        _write(file, points)
    for suffix, content in plot_points(list(points.values())).items():
        (given.output / f"scale.{suffix}").write_bytes(content)
    print(f"{file}, scale.svg, scale.png")


def _line(point: dict[str, Any]) -> str:
    seconds = sum(point[f"{stage}_seconds"] for stage in STAGES if stage != "compile")
    return (
        f"{point['family']:>10} {point['nodes']:>7,} nodes, {point['cycles']:>7,} cycles: {seconds:7.1f} CPU s (run "
        f"{point['run_seconds']:.1f}), {point['messages_csv_mb']:7.0f} MB, {point['flit_hops'] / 1e6:8.1f} million "
        f"flit-hops, mean latency {point['mean_latency_cycles']:.0f}"
    )


def _points_in(file: Path) -> dict[tuple[str, int], dict[str, Any]]:
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [{name: _value(text) for name, text in row.items() if text} for row in csv.DictReader(lines)]
    return {(row["family"], row["asked"]): row for row in rows}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _write(file: Path, points: dict[tuple[str, int], dict[str, Any]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, ("asked", *COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(points.values())


if __name__ == "__main__":
    main()
