"""Networks for speed figures, one of each family (``networks.yaml``), and their loads."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from hydranoc import load
from hydranoc.config.schema import RandomTraffic
from hydranoc.design import Design

NETWORKS: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "networks.yaml").read_text())
"""Configurations by family."""
LOADS = {"light": 0.3, "near saturation": 1.0, "overload": 4.0}
"""Messages, as a multiple of the configured number."""


def loaded(name: str, load_name: str, cycles: int) -> Design:
    """Return one of the networks under one of the loads; messages start in ``cycles`` cycles."""
    design = load(NETWORKS[name])
    rate = LOADS[load_name] * random_traffic(design).messages_per_node_per_cycle
    return changed(design, messages_per_node_per_cycle=rate, cycles=cycles)


def random_traffic(design: Design) -> RandomTraffic:
    """Return the configured traffic of one of the networks."""
    traffic = design.config.traffic
    if not isinstance(traffic, RandomTraffic):
        raise TypeError(f"Traffic is {type(traffic).__name__}; it must be random")
    return traffic


def changed(design: Design, **values: Any) -> Design:
    """Return one of the networks with other traffic."""
    traffic = random_traffic(design).model_copy(update=values)
    return Design(replace(design.config, traffic=traffic))


def networks() -> Iterator[tuple[str, str]]:
    """Yield the title and the name of each network."""
    for name, configuration in NETWORKS.items():
        network = load(configuration).network
        yield f"{name}, {network.switches} routers, {len(network.processors)} nodes", name
