"""Runs to the end, in which every message must arrive."""

from collections.abc import Sequence

from sim_model.engines.model import Model
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.messages.columns import checked_messages
from sim_model.messages.messages import Message


def prepare(
    model: Model, records: Sequence[Message], startup_cycles: int = 0, *, count_channels: bool = False
) -> Simulation:
    """Return a run before its first cycle."""
    messages = checked_messages(
        records,
        processors=len(model.network.processors),
        header_flits=model.header_flits,
        injection_channels=model.network.injection_channels_per_processor,
    )
    return Simulation(model, messages, startup_cycles, count_channels=count_channels)


def finish(simulation: Simulation) -> Results:
    """Finish a run, and return its results.

    Raises:
        RuntimeError: If the network deadlocked, or a message was lost or repeated.
    """
    results = simulation.run()
    if results.deadlocked:
        raise RuntimeError(f"A network for measurements must not deadlock:\n{simulation.deadlock_report()}")
    if results.lost or results.duplicated:
        raise RuntimeError(
            f"A run must deliver everything once, not lose {results.lost} and repeat {results.duplicated}"
        )
    return results
