"""Stored figures: the cost of routers when the baseline was written, for comparison with the present cost.

The file has one entry per configuration. An entry belongs to a router by its device, network, switch and the
parameters that the entry names; later parameters of a family are ignored.
"""

import hashlib
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fpga.common.devices import Device
from hydranoc.errors import ConfigError, reason
from hydranoc.fpga.run import Measurement
from rtl.generator.plan import NetworkPlan
from topology.common.channels import ChannelNetwork

BASELINE = Path(__file__).parents[2] / "benchmarks" / "baseline_fpga.json"


@dataclass(frozen=True)
class BaselineEntry:
    """Figures of one configuration.

    Members:
        name: Row of the table with the measurement.
        device, family (str)
        network: See ``network_digest``.
        switch
        parameters: The family's parameters.
        lut4, flip_flops (int)
        memories (mapping of str to int)
        fmax_mhz: Median over the seeds.
        fmax_mhz_by_seed
        tools: Programs with their versions.
    """

    name: str
    device: str
    family: str
    network: str
    switch: int
    parameters: Mapping[str, object]
    lut4: int
    flip_flops: int
    memories: Mapping[str, int]
    fmax_mhz: float
    fmax_mhz_by_seed: Sequence[float]
    tools: Sequence[str]


def network_digest(network: ChannelNetwork) -> str:
    """Return a digest of a network, from the number of switches and the channels only."""
    ends = [[int(c.source), c.source_port, int(c.sink), c.sink_port] for c in network.channels]
    facts = [network.switches, ends]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


def entry_of(
    name: str, measurement: Measurement, plan: NetworkPlan, device: Device, tools: Sequence[str]
) -> BaselineEntry:
    """Return the entry for a measurement of a router that fits the device.

    Raises:
        ValueError: For a whole network, or a router that does not fit.
    """
    if measurement.subject.switch is None or not measurement.timings:
        raise ValueError(f"A baseline entry is {measurement.subject.name!r}; it must be a router that fits the device")
    clocks = [round(timing.fmax_mhz, 2) for timing in measurement.timings]
    return BaselineEntry(
        name=name,
        device=device.name,
        family=plan.family,
        network=network_digest(plan.network),
        switch=measurement.subject.switch,
        parameters=dict(plan.parameters),
        lut4=measurement.area.luts,
        flip_flops=measurement.area.flip_flops,
        memories=dict(measurement.area.memories),
        fmax_mhz=round(statistics.median(clocks), 2),
        fmax_mhz_by_seed=clocks,
        tools=list(tools),
    )


def read_baseline(path: Path = BASELINE) -> list[BaselineEntry]:
    """Return the stored entries; none if there is no file.

    Raises:
        ConfigError: If the file is no baseline.
    """
    if not path.exists():
        return []
    try:
        return [BaselineEntry(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))["entries"]]
    except OSError as error:
        raise ConfigError(f"cannot read the baseline: {reason(error)}", file=path) from None
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"the baseline must be JSON with entries of FPGA figures ({error})", file=path) from None


def write_baseline(entries: Sequence[BaselineEntry], path: Path = BASELINE) -> None:
    """Store entries, one per line and sorted by name for readable diffs in version control."""
    lines = [json.dumps(asdict(entry)) for entry in sorted(entries, key=lambda entry: (entry.name, entry.device))]
    path.write_text('{"entries": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


ADDED_HARDWARE = ("guard", "watchdog_flits", "whole_packets")
"""Parameters that are named only if they are set, and then add hardware."""


def find_entry(
    entries: Sequence[BaselineEntry], plan: NetworkPlan, switch: int, device: Device
) -> BaselineEntry | None:
    """Return the entry of a router, or None; of several the one that names the most parameters."""
    digest = network_digest(plan.network)
    wanted = (device.name, plan.family, digest, switch)
    fitting = [
        entry
        for entry in entries
        if (entry.device, entry.family, entry.network, entry.switch) == wanted
        and entry.parameters.items() <= plan.parameters.items()
        and all(entry.parameters.get(name) == plan.parameters.get(name) for name in ADDED_HARDWARE)
    ]
    return max(fitting, key=lambda entry: len(entry.parameters), default=None)


def changes(measurement: Measurement, entry: BaselineEntry) -> dict[str, float]:
    """Return relative changes since the baseline; for areas and memories more is worse, for the clock less is."""
    now: dict[str, tuple[Any, Any]] = {
        "lut4": (measurement.area.luts, entry.lut4),
        "flip_flops": (measurement.area.flip_flops, entry.flip_flops),
        "memory_cells": (measurement.area.memory_cells, sum(entry.memories.values())),
    }
    if measurement.fmax_mhz is not None:
        now["fmax_mhz"] = (measurement.fmax_mhz, entry.fmax_mhz)
    return {name: (new / old - 1 if old else float(new != old)) for name, (new, old) in now.items()}


def regressions(measurement: Measurement, entry: BaselineEntry, allowed: float) -> list[str]:
    """Return figures worse than the baseline by more than a fraction ``allowed``, one text each."""
    worse = {name: -change if name == "fmax_mhz" else change for name, change in changes(measurement, entry).items()}
    texts = [
        f"{name} is {share:.1%} worse than in the baseline"
        for name, share in worse.items()
        if round(share, 6) > allowed
    ]
    return texts if measurement.fits else [*texts, "it does not fit the device any more"]
