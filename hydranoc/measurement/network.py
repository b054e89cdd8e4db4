"""Networks as experiments: the golden model under random messages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydranoc.measurement.observations import NOT_DELIVERED, PARTS, Observations
from hydranoc.measurement.threads import run_wanted
from hydranoc.measurement.whole_runs import prepare
from sim_model.engines.model import Model
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message

UNICAST_AND_MULTICAST = ("unicast", "multicast")
UNICAST_ONLY = ("unicast",)
Traffic = Callable[[Model, int, int], Sequence[Message]]
"""Messages by model, seed and number of cycles in which they start."""


@dataclass(frozen=True)
class NetworkExperiment:
    """A network under traffic; a software multicast counts as one message.

    Members:
        models: Networks of one kind, used in turn.
        traffic (callable): Model, seed and cycles -> messages.
        seed
        startup_cycles
        kinds: ``UNICAST_AND_MULTICAST``, or ``UNICAST_ONLY``.
        count_channels: Also count the flits on each channel.
    """

    models: Sequence[Model]
    traffic: Traffic
    seed: int
    startup_cycles: int = 0
    kinds: tuple[str, ...] = UNICAST_AND_MULTICAST
    count_channels: bool = False

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        model = self.models[replication % len(self.models)]
        seed = np.random.SeedSequence([self.seed, replication]).generate_state(1)[0]
        records = self.traffic(model, int(seed), cycles)
        simulation = prepare(model, records, self.startup_cycles, count_channels=self.count_channels)
        return observe(simulation, cycles, self.kinds)


class NetworkDeadlock(RuntimeError):
    """A deadlock of a network under measurement; the message lists the channels that wait for each other."""


def observe(simulation: Simulation, cycles: int, kinds: tuple[str, ...]) -> Observations:
    """Run a network, and return its observations; with two kinds, unicasts and multicasts are separate.

    Parameters:
        simulation: Before its first cycle.
        cycles: Messages start in cycles ``0 .. cycles - 1``. The run lasts until all are delivered, or a quarter
            longer.
        kinds: ``UNICAST_AND_MULTICAST``, or ``UNICAST_ONLY``: all messages are of one kind.

    Returns:
        Observations: M logical messages: those that software sends as several count as one.

    Raises:
        NetworkDeadlock: If the network deadlocks.
        RuntimeError: If a message was repeated.
    """
    results, channel_flits = run_counted(simulation, cycles)
    return observations_of(results, cycles, kinds, channel_flits)


def observations_of(
    results: Results, cycles: int, kinds: tuple[str, ...], channel_flits: np.ndarray | None = None
) -> Observations:
    """Return the observations in the results of a run.

    Parameters:
        cycles: Messages start in cycles ``0 .. cycles - 1``.
        kinds: As for ``observe``.
        channel_flits (int64[PARTS + 1, channels] or None): See ``Observations``.

    Returns:
        M logical messages.
    """
    latency, start = results.group_latency_cycles, results.group_start_cycle
    return Observations(
        cycles,
        start,
        np.where(latency < 0, NOT_DELIVERED, start + latency),
        np.minimum(results.group_destinations - 1, len(kinds) - 1),
        _group_flits(results),
        channel_flits,
        results.group_source,
    )


def with_all_kinds(run: Observations, kind: int) -> Observations:
    """Return the run with a copy of every message, of a kind for all messages."""
    return replace(
        run,
        start_cycle=np.tile(run.start_cycle, 2),
        end_cycle=np.tile(run.end_cycle, 2),
        kind=np.concatenate([run.kind, np.full(len(run.kind), kind)]),
        flits=np.tile(run.flits, 2),
        source=None,
    )


def run_counted(simulation: Simulation, cycles: int) -> tuple[Results, np.ndarray | None]:
    """Run until the messages of the counted parts are delivered, or a quarter longer than messages start.

    Returns:
        results (Results)
        channel_flits (int64[PARTS + 1, channels] or None): See ``Observations``; None if the simulation does not count.

    Raises:
        NetworkDeadlock
        RuntimeError: If a message was repeated.
    """
    counts = []
    if simulation.counts_channels:
        for part in range(PARTS):
            run_wanted(simulation, -(-part * cycles // PARTS))
            counts.append(simulation.channel_counts().flits)
    run_wanted(simulation, cycles)
    if counts:
        counts.append(simulation.channel_counts().flits)
    results = run_wanted(simulation, cycles + cycles // 4)
    if results.deadlocked:
        raise NetworkDeadlock(f"A network for measurements must not deadlock:\n{simulation.deadlock_report()}")
    if results.duplicated:
        raise RuntimeError(f"A run must deliver everything once, not repeat {results.duplicated}")
    return results, np.array(counts) if counts else None


def _group_flits(results: Results) -> np.ndarray:
    """Return the total flits delivered to the destinations of each group, int64, by position in ``groups``."""
    messages = results.messages
    flits = np.bincount(
        np.searchsorted(results.groups, messages.group), weights=messages.flits * messages.destination_counts
    )
    return flits.astype(np.int64)
