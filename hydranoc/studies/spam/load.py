"""The paper's second set of simulations, figure 3: one message in ten a multicast, 128 nodes (Sec. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hydranoc.measurement.network import UNICAST_AND_MULTICAST, NetworkExperiment, with_all_kinds
from hydranoc.measurement.observations import Observations
from hydranoc.measurement.point import Plan
from hydranoc.studies.common.loads import CurveSetting
from hydranoc.studies.spam.measurements import MESSAGE_FLITS, STARTUP_CYCLES
from sim_model.engines.model import Model
from sim_model.messages.messages import Message
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic

DESTINATIONS = (8, 16, 32, 64)
RATES = (0.00002, 0.00004, 0.00006, 0.00008, 0.0001, 0.00012, 0.00014, 0.00016)
"""Messages per node and cycle."""
MULTICAST_FRACTION = 0.1
MESSAGES_PER_RUN, QUICK_MESSAGES_PER_RUN = 3_000, 1_500
PRECISION, QUICK_PRECISION = 0.02, 0.1
"""Half width of the 95 % intervals as a fraction of the means; the paper has 1 % for its single multicasts."""
MAX_REPLICATIONS, QUICK_REPLICATIONS = 160, 8
QUICK_DOUBLINGS = 3


@dataclass(frozen=True)
class SpamLoad:
    """Networks under a load, as an experiment.

    Members
    -------
    models : tuple of SpamModel
        Models, used in turn.
    destinations : int
        Destinations of each multicast.
    rate : float
        Messages per node and cycle.
    seed : int
    """

    models: tuple[SpamModel, ...] = field(repr=False)
    destinations: int
    rate: float
    seed: int = 1

    @property
    def kinds(self) -> tuple[str, ...]:
        """Unicasts and multicasts, and all messages together, which the paper draws."""
        return (*UNICAST_AND_MULTICAST, "message")

    def run(self, replication: int, cycles: int) -> Observations:
        """Run one replication, see ``Experiment``."""
        network = NetworkExperiment(self.models, self._messages, self.seed, STARTUP_CYCLES)
        return with_all_kinds(network.run(replication, cycles), len(UNICAST_AND_MULTICAST))

    def _messages(self, model: Model, seed: int, cycles: int) -> Sequence[Message]:
        return random_traffic(
            processors=len(model.network.processors),
            cycles=cycles,
            seed=seed,
            messages_per_node_per_cycle=self.rate,
            multicast_fraction=MULTICAST_FRACTION,
            destinations=self.destinations,
            flits=MESSAGE_FLITS,
        )


def spam_curve(models: Sequence[SpamModel], destinations: int, *, quick: bool = False) -> CurveSetting:
    """Return the settings of a curve; loads are messages per node and cycle.

    Parameters
    ----------
    models : sequence of SpamModel
        Networks of one size, used in turn: a load must be carried by all.
    destinations : int
        Destinations of each multicast.
    quick : bool
    """
    nodes = len(models[0].network.processors)

    def plan_at(rate: float) -> Plan:
        cycles = round((QUICK_MESSAGES_PER_RUN if quick else MESSAGES_PER_RUN) / (rate * nodes))
        if quick:
            return Plan(cycles, QUICK_PRECISION, QUICK_REPLICATIONS, QUICK_REPLICATIONS, QUICK_DOUBLINGS)
        return Plan(cycles, PRECISION, replications=2 * len(models), most_replications=MAX_REPLICATIONS)

    return CurveSetting(
        f"{destinations} destinations", lambda rate: SpamLoad(tuple(models), destinations, rate), plan_at
    )
