"""Input and result of a lock-step comparison."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydranoc.lockstep.bench_source import BenchSource
from rtl.endpoints.harness import HOST_MODULES, generate_harness, observed_layout
from rtl.generator.plan import NetworkPlan
from rtl.generator.table_store import loaded_words
from sim_model.messages.messages import Messages
from tb.common.job import LockstepResult
from topology.common.host_pattern import EAGER, HostBehaviour


@dataclass(frozen=True)
class Comparison:
    """Input of a lock-step comparison.

    Members:
        model (a family's golden model)
        messages
        startup_cycles
        cycles: Cycles to compare.
        harness: The same network in Verilog.
        stop_at_mismatch: False continues after the first difference, for a waveform of later cycles.
        hosts: Pauses of sources and stalls of receivers.
        resets: See ``LockstepJob``.
    """

    model: Any
    messages: Messages
    startup_cycles: int
    cycles: int
    harness: BenchSource
    stop_at_mismatch: bool = True
    hosts: HostBehaviour = EAGER
    resets: tuple[int, ...] = ()


@dataclass(frozen=True)
class ComparisonOutcome:
    """Result of a comparison.

    Members:
        result
        simulator: Name and version.
        build_seconds: Wall time; 0 if the simulator came from the cache.
        cycles_per_second: Per CPU second of the simulator's process, golden model and comparison included.
        waveform: Written on request, and for every mismatch.
    """

    result: LockstepResult
    simulator: str
    build_seconds: float
    cycles_per_second: float
    waveform: Path | None


def harness_source(plan: NetworkPlan) -> BenchSource:
    """Return a network as Verilog for the lock-step bench."""
    generated = generate_harness(plan)
    messages = [f"message_{name}" for name in plan.network.injection_names]
    counter_inputs = ("counters_enable", "counters_clear", "counters_address") if plan.counters else ()
    table_inputs = ("tables_load", "tables_data") if plan.loadable_tables else ()
    return BenchSource(
        top=generated.top,
        verilog=generated.files[f"{generated.top}.v"],
        public_inputs=(
            "clk",
            "rst",
            "message_valid",
            *messages,
            "hosts_seed",
            "pause_level",
            "stall_level",
            "blocked",
            *counter_inputs,
            *table_inputs,
        ),
        public_outputs=("observed", "counters_data") if plan.counters else ("observed",),
        shapes=(
            *(shape["module"] for shape in generated.manifest["router_shapes"]),
            *(f"{generated.top}_{name}" for name in HOST_MODULES),
        ),
        routers=plan.network.switches,
        table_words=tuple(loaded_words(plan)) if plan.loadable_tables else (),
        observed=observed_layout(plan),
    )
