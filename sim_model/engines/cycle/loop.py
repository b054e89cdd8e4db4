"""The cycle loop of every family: links and hosts, the family's routers, the clock."""

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from sim_model.engines.counts import count_cycles
from sim_model.engines.cycle.clock import LIMIT, next_cycle, status
from sim_model.engines.cycle.endpoints import step_receivers, step_sources
from sim_model.engines.cycle.links import load_heads, move_flits
from sim_model.engines.cycle.state import CYCLE, NEXT_HOST_CYCLE
from sim_model.engines.hosts import schedule_hosts
from sim_model.loops.compiled import compiled, compiled_loop

ONE_LOOP = False
"""Use one loop for runs and recordings. For two, LLVM compiles a second one in which ``recording`` never changes."""


def step_routers(_cycle, moves, _state, _family):
    """Do nothing: placeholder for the routers of a family."""
    return moves


@compiled
def record_routers(_cycle, _state, _family, _trace, _row):
    """Record nothing: placeholder for a family's record of its routers."""


def run_cycles(state, family, trace, until_cycle):
    """Run to ``until_cycle``, the end, or a deadlock, and return why it stopped.

    If the trace has rows, all cycles up to ``until_cycle`` are run and recorded.
    """
    first_cycle = state.counters[CYCLE]
    cycle = first_cycle
    reason = LIMIT
    recording = len(trace.flits) > 0
    schedule_hosts(cycle, state)
    while cycle < until_cycle and (recording or reason == LIMIT):
        changes = before_routers(cycle, state, trace, cycle - first_cycle)
        if recording:
            record_routers(cycle, state, family, trace, cycle - first_cycle)
        changes = step_routers(cycle, changes, state, family)
        reason, cycle = after_routers(cycle, changes, until_cycle, state, trace)
        if ONE_LOOP:
            recording = cycle - first_cycle < len(trace.flits)
    state.counters[CYCLE] = cycle
    return reason


def family_loop(
    step: Callable[..., Any],
    folder: Path,
    record: Callable[..., Any] = record_routers,
    *,
    one_loop: bool = False,
) -> Callable[..., Any]:
    """Return the compiled loop of a family.

    Parameters:
        step (compiled function): One cycle of all routers: gets the cycle, the number of changes so far, and the states
            of the engine and of the routers, and returns the number of changes.
        folder: The family's folder, whose name is part of the loop's.
        record (compiled function): Gets the cycle, the states of the engine and of the routers, a trace, and its row:
            writes variants of flits, side wires and status outputs into it. It is called between links and routers, and
            only where there is a row.
        one_loop: Compile one loop for runs and recordings: half of the machine code, and slower where links do most of
            the work.
    """
    # the loop's own code with the family's routers, which are compiled into it
    own = {"step_routers": step, "record_routers": record, "ONE_LOOP": one_loop}
    loop = FunctionType(run_cycles.__code__, {**globals(), **own})
    loop.__doc__, loop.__qualname__ = run_cycles.__doc__, f"run_cycles_{folder.name}"
    return compiled_loop(loop)


@compiled
def before_routers(cycle, state, trace, row):
    """Step links and hosts. Returns a number that is 0 only if nothing has changed or will change by itself."""
    if len(state.tallies) > 0:
        count_cycles(1, state)
    changes = move_flits(cycle, state, trace, row)
    if len(state.endpoints.receivers) > 0:
        changes += step_receivers(cycle, state)
    if len(state.endpoints.sources) > 0:
        changes += step_sources(cycle, state)
    if cycle >= state.counters[NEXT_HOST_CYCLE]:
        changes += load_heads(cycle, state, trace, row)
    return changes


@compiled
def after_routers(cycle, changes, until_cycle, state, trace):
    """Return why the run has to stop, or ``LIMIT``, and the cycle to run next.

    A recording leaves out no cycle: side wires change where no flit moves.
    """
    counters = state.counters
    reason = status(changes, counters)
    following = cycle + 1
    if reason == LIMIT and len(trace.flits) == 0:
        following = next_cycle(cycle, changes, until_cycle, counters)
    if len(state.tallies) > 0 and following > cycle + 1:
        count_cycles(following - cycle - 1, state)
    return reason, following
