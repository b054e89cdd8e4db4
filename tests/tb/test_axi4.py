"""cocotbext-axi's masters and memories around networks with AXI4 ends: every byte of every memory."""

import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from amaranth.lib.wiring import In

from hydranoc import load
from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.axi4.network import Axi4Plan, Axi4Top
from rtl.generator.verilog import ModuleLibrary
from tb.common.axi4.job import JOB_VARIABLE, Axi4Job, Axi4Result
from tests.sampled import sampled

BENCH = "tb.common.axi4.bench"
TOP = "noc"
BASES = (0x0000_0000, 0x0002_0000, 0x0004_0000)
SIZE = 0x1_0000
NETWORKS: dict[str, dict[str, Any]] = {
    "spam": {"family": "spam", "topology": {"kind": "mesh", "shape": [3, 3]}},
    "irregular": {"family": "spam", "topology": {"kind": "irregular", "switches": 8, "seed": 3}},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 3, "columns": 3}},
    "hypercube": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 3}},
    "harts": {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "flit_bits": 36, "packet_flits": 260},
    "ordered": {"family": "spam", "topology": {"kind": "irregular", "switches": 8, "seed": 3}, "ordering": "pair"},
}
BY_DAY = "irregular"
PHASES = ((0.0, 0.0, 0.0, 0.0), (0.3, 0.3, 0.3, 0.3), (0.0, 0.9, 0.0, 0.5), (0.5, 0.0, 0.9, 0.0))


def configuration(name: str, **changes: Any) -> dict[str, Any]:
    """Managers at processors 0, 3 and 5, memories at 1, 4 and 7 (6 in HARTS); a window of all, and one of two."""
    processors = (1, 4, 6) if name == "harts" else (1, 4, 7)
    axi4: dict[str, Any] = {"managers": [0, 3, 5], "id_bits": 2, **changes}
    axi4["regions"] = [{"processor": p, "base": b, "size": SIZE} for p, b in zip(processors, BASES, strict=True)]
    if "multicast_mask" in changes:
        return {"network": NETWORKS[name], "axi4": axi4}
    windows = ((list(processors), 0x8000_0000, SIZE), ([1, processors[2]], 0x8001_0000, SIZE // 2))
    axi4["multicast"] = [{"processors": p, "base": b, "size": s} for p, b, s in windows]
    return {"network": NETWORKS[name], "axi4": axi4}


def source_of(plan: Axi4Plan) -> BenchSource:
    top, library = Axi4Top(plan), ModuleLibrary(prefix=f"{TOP}_")
    library.add(top, TOP)
    ports = top.signature.members
    inputs = [name for name, member in ports.items() if member.flow == In]
    outputs = tuple(name for name in ports if name not in inputs)  # in one order, by which a built simulator is found
    return BenchSource(TOP, library.verilog(), ("clk", "rst", *inputs), outputs)


def run_job(
    plan: Axi4Plan, simulator: str, folder: Path, source: BenchSource | None = None, **options: Any
) -> Axi4Result:
    areas = plan.areas
    job = Axi4Job(
        *(plan.managers, plan.subordinates),
        regions=tuple((region.processor, region.base, region.size) for region in areas.regions),
        windows=tuple((window.base, window.size, window.processors) for window in areas.windows),
        data_bits=plan.axi.data_bits,
        id_bits=plan.axi.id_bits,
        lite=plan.lite,
        masks=(0x2_0000, 0x4_0000, 0x6_0000) if plan.axi.masks else (),
        result=str(folder / "result.json"),
        **options,
    )
    (folder / "job.pickle").write_bytes(pickle.dumps(job))
    built = build_simulator(source or source_of(plan), simulator, waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "job.pickle")}, folder)
    return Axi4Result(**json.loads((folder / "result.json").read_text()))


def plan_of(name: str, **changes: Any) -> Axi4Plan:
    axi4 = load(configuration(name, **changes)).axi4
    assert axi4 is not None
    return axi4.plan


def check(result: Axi4Result, phases: Sequence[tuple[float, ...]] = PHASES) -> None:
    assert result.report is None
    assert min(result.reads, result.writes, result.multicasts, result.errors) > 0
    assert len(result.cycles) == len(phases)


@pytest.mark.parametrize("name", sampled([name for name in NETWORKS if name != "harts"], (BY_DAY,)))
def test_every_byte_of_every_memory(name, tmp_path, require_tool):
    require_tool("icarus")
    phases = PHASES if name != BY_DAY else PHASES[:2]
    check(run_job(plan_of(name), "icarus", tmp_path, transactions=24, phases=phases), phases)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_many_transactions(name, tmp_path, require_tool):
    require_tool("verilator")
    check(run_job(plan_of(name), "verilator", tmp_path, transactions=4_000, phases=PHASES))


VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "usual": (BY_DAY, {}),
    "two-ids": (BY_DAY, {"id_bits": 1}),
    "tight": (BY_DAY, {"id_bits": 3, "outstanding": 2, "pending": 1, "store_writes": False, "write_beats": 8}),
    "copies": ("torus", {}),
    "pipelined": ("ordered", {"id_bits": 1, "same_id": "pipelined"}),
    "both": (BY_DAY, {"managers": [1, 4, 7]}),
}
"""Networks and changes of the configuration that faults have to be seen in."""
OPTION_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "pieces": (BY_DAY, {"max_burst_flits": 16}),
    "timeout": (BY_DAY, {"timeout_cycles": 1_000}),
}
"""More of them."""


def plan_of_variant(variant: str) -> Axi4Plan:
    name, changes = (VARIANTS | OPTION_VARIANTS)[variant]
    return plan_of(name, **changes)


SETTINGS = {
    "pieces of 16": {"max_burst_flits": 16},
    "pieces of 32, cut through": {"max_burst_flits": 32, "store_writes": False, "write_beats": 16, "data_bits": 64},
    "64 bits, two IDs": {"data_bits": 64, "id_bits": 1, "address_bits": 40},
    "one transaction": {"outstanding": 1, "pending": 1},
    "cut through": {"store_writes": False, "write_beats": 16},
    "AXI4-Lite": {"lite": [3, 4]},
    "masks": {"multicast_mask": "awuser", "managers": [0, 4, 5]},
}
LONG: dict[str, Any] = {"share": 8192, "longest": 256}


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name, tmp_path, require_tool):
    require_tool("icarus")
    settings = SETTINGS[name]
    plan = plan_of("spam", **settings)
    long = LONG if "max_burst_flits" in settings else {}
    check(run_job(plan, "icarus", tmp_path, transactions=24, phases=PHASES, **long))


@pytest.mark.slow
def test_a_subordinate_that_stops(tmp_path, require_tool):
    """Its transactions get SLVERR, and those of all others go on, with windows and their other receivers."""
    require_tool("icarus")
    plan = plan_of(BY_DAY, timeout_cycles=400)
    check(run_job(plan, "icarus", tmp_path, transactions=24, phases=PHASES[:2], stopped=(4,)), PHASES[:2])


@pytest.mark.slow
@pytest.mark.parametrize("variant", [*VARIANTS, *OPTION_VARIANTS])
def test_sound_variants_pass(variant, tmp_path, require_tool):
    """Those in which `test_mutations.py` has faults."""
    require_tool("icarus")
    options = {"transactions": 40, "phases": PHASES[:2], "patience_cycles": 20_000}
    check(run_job(plan_of_variant(variant), "icarus", tmp_path, **options), PHASES[:2])
