"""Counts situations beside a comparison."""

from collections import Counter

from sim_model.engines.cycle.state import Trace
from sim_model.engines.simulation import Simulation
from topology.common.channels import ChannelNetwork
from verification.campaign.situations.harts import HARTS
from verification.campaign.situations.hypercube import HYPERCUBE
from verification.campaign.situations.min import MIN
from verification.campaign.situations.sample import Sample, Shape, Situations
from verification.campaign.situations.spam import SPAM
from verification.campaign.situations.torus import TORUS

SITUATIONS: dict[str, Situations] = {
    "spam": SPAM,
    "min": MIN,
    "harts": HARTS,
    "torus": TORUS,
    "hypercube": HYPERCUBE,
}


class Watch:
    """Samples chunks of a comparison.

    Parameters:
        every: Chunks from one sample to the next one.

    Members:
        counts (Counter): By situation, summed over all samples.
    """

    def __init__(self, family: str, network: ChannelNetwork, every: int = 1):
        self._situations, self._shape = SITUATIONS[family], Shape(network)
        self.counts: Counter[str] = Counter()
        self._every, self._chunks = every, 0

    def __call__(self, simulation: Simulation, recording: Trace) -> None:
        """Take one sample, if this chunk is due."""
        self._chunks += 1
        if (self._chunks - 1) % self._every:
            return
        sample = Sample(self._shape, simulation, recording)
        for name, count in self._situations.items():
            self.counts[name] += count(sample)
