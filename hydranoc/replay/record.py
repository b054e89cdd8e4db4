"""Repeated runs of the golden model, recorded for replays."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hydranoc.replay.holds import ArrivalPorts, HoldRecorder, Holds
from hydranoc.replay.window import Replay, Window, replay_of
from sim_model.engines.cycle.state import NONE
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from topology.common.channels import ChannelNetwork

CHUNK_BYTES = 16_000_000
"""Bytes of a recording at a time."""
MAX_HEADS = 40_000
"""Heads that move in a window without a given end."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Recording:
    """The holds of the recorded part of a run.

    Members:
        holds
        results: Of the whole run.
        injection_channel (int64[messages])
        window: The requested window, or one limited by ``MAX_HEADS``.
    """

    holds: Holds
    results: Results
    injection_channel: np.ndarray
    window: Window

    def replay(self, window: Window | None = None) -> Replay:
        """Return the replay of the window, or of a part of it."""
        return replay_of(self.holds, self.results, self.injection_channel, window or self.window)


def record(
    simulation: Simulation,
    results: Results,
    first: int,
    last: int | None = None,
    *,
    arrival_ports: ArrivalPorts | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Record a run from its beginning to the end of a window, and until all messages in the network have arrived.

    It is recorded from cycle 0 for the heads of worms that are in the network when the window begins.

    Parameters:
        simulation: In cycle 0.
        results: Of the same run, to its end.
        first: First cycle of the window.
        last: Cycle after its last one; None for the end of the run, or for the cycles in which ``MAX_HEADS`` heads
            move.
        arrival_ports: See ``HoldRecorder``.
        progress: Called with the work, cycles done, and cycles in all.
    """
    recorder = HoldRecorder(simulation.links, arrival_ports)
    end = results.cycles
    stop = min(last or end, end)
    rows = max(1, CHUNK_BYTES // (16 * simulation.links.moved_bits))
    heads = 0
    if progress is not None:
        progress("recording", 0, stop)  # the first chunk may have to compile the engine
    while simulation.cycle < stop:
        cycle = simulation.cycle
        # a window of unknown length is cut where a chunk ends, so those within it are short
        limit = first if cycle < first else (stop if last else cycle + rows // 4 + 1)
        found = _add(recorder, simulation, min(rows, max(limit, cycle + 1) - cycle, stop - cycle))
        heads += found if cycle >= first else 0
        if last is None and heads > MAX_HEADS:
            stop = simulation.cycle
        if progress:
            progress("recording", simulation.cycle, stop)
    window = Window(first, stop)
    _follow(recorder, simulation, _all_arrived(results, stop), rows)
    return Recording(recorder.holds(), results, _injection_channels(simulation.model.network, results), window)


def _add(recorder: HoldRecorder, simulation: Simulation, cycles: int) -> int:
    cycle = simulation.cycle
    return recorder.add(simulation.record(cycles), cycle)


def _follow(recorder: HoldRecorder, simulation: Simulation, until_cycle: int, rows: int) -> None:
    while simulation.cycle < until_cycle:
        _add(recorder, simulation, min(rows, until_cycle - simulation.cycle))


def _all_arrived(results: Results, last: int) -> int:
    """Return the cycle after the last arrival of the messages that injectors had accepted before ``last``."""
    inside = (results.accepted_cycle != NONE) & (results.accepted_cycle < last)
    arrival = results.last_arrival_cycle[inside]
    if (arrival == NONE).any():  # not all of them arrive
        return results.cycles
    return int(arrival.max(initial=last - 1)) + 1


def _injection_channels(network: ChannelNetwork, results: Results) -> np.ndarray:
    messages, per_processor = results.messages, network.injection_channels_per_processor
    channels = np.array(network.injection_channels, dtype=np.int64)
    return channels[messages.source.astype(np.int64) * per_processor + messages.injection]
