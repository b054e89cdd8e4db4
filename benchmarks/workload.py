"""The networks that speed figures are measured on, a configuration for each family, and the loads on them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hydranoc import load
from hydranoc.config.schema import RandomTraffic
from hydranoc.design import Design

NETWORKS = sorted((Path(__file__).parent / "networks").glob("*.yaml"))
LOADS = {"light": 0.3, "near saturation": 1.0, "overload": 4.0}
"""Messages, as a multiple of what the configuration says."""


def loaded(path: Path, load_name: str, cycles: int) -> Design:
    """One of the networks under one of the loads; messages start in ``cycles`` cycles."""
    config = load(path).config
    traffic = config.traffic
    if not isinstance(traffic, RandomTraffic):
        raise TypeError(f"Traffic of {path.name} must be random, not {type(traffic).__name__}")
    rate = LOADS[load_name] * traffic.messages_per_node_per_cycle
    changed = {"messages_per_node_per_cycle": rate, "cycles": cycles}
    return Design(replace(config, traffic=traffic.model_copy(update=changed)))


def networks() -> Iterator[tuple[str, Path]]:
    """What each network is called, and its file."""
    for path in NETWORKS:
        network = load(path).network
        yield f"{path.stem}, {network.switches} routers, {len(network.processors)} nodes", path
