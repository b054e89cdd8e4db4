"""Random traffic as columns: injection processes, patterns, destination sets and lengths, an object each."""

from sim_model.traffic.counts import LARGEST_SHARES
from sim_model.traffic.generate import RandomTraffic, random_traffic

__all__ = ["LARGEST_SHARES", "RandomTraffic", "random_traffic"]
