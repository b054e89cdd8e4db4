"""Random traffic as columns: injection processes, patterns, destination sets and lengths, an object each."""

from sim_model.traffic.counts import MAX_SHARES
from sim_model.traffic.generate import RandomTraffic, random_traffic

__all__ = ["MAX_SHARES", "RandomTraffic", "random_traffic"]
