"""The side of ``benchmarks.figures_cost`` that runs in a checkout, an earlier one perhaps: a line asks, a line answers.

One replication of a point of a figure, by the study of the checkout, from its messages to its observations. Networks
are made beforehand, as a figure makes them for many runs.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

NETWORKS = 2


@cache
def models(switches: int) -> tuple[Any, ...]:
    """Return the figure's first networks."""
    from hydranoc.studies.spam.measurements import paper_model
    from topology.common.lattice import lattice_network

    return tuple(paper_model(lattice_network(switches, seed=seed)) for seed in range(1, NETWORKS + 1))


def single(switches: int, destinations: int, software: bool, replication: int) -> None:
    """Figure 2 and the bound: one multicast in an empty network."""
    from hydranoc.studies.spam.measurements import _observe_single

    _observe_single(models(switches), destinations, software, 1, replication)


def mixed(destinations: int, rate: float, cycles: int, replication: int) -> None:
    """Figure 3: traffic of unicasts and multicasts."""
    try:
        from hydranoc.studies.spam.load import SpamLoad
    except ModuleNotFoundError:
        measurements: Any = importlib.import_module("hydranoc.studies.spam.measurements")
        measurements._observe_mixed(models(128), rate, destinations, cycles, 1, replication)
    else:
        SpamLoad(models(128), destinations, rate).run(replication, cycles)


def multicasts(software: str, workload: dict[str, Any]) -> Any:
    """Figures 2 to 4 of the torus: one random workload. Returns the latencies, of the mean and the last multicast."""
    study: Any = importlib.import_module("hydranoc.studies.torus.multicasts")
    point = study._measure(study._Task(software, study.Workload(**workload), 1))
    if hasattr(point, "means_us"):
        return [*point.means_us, *point.lasts_us]
    return [point.mean_us, point.last_us]  # of one workload


def prepare(kind: str) -> None:
    """Make the network once, where the study of the checkout makes it anew for every point."""
    if kind == "multicasts":
        study: Any = importlib.import_module("hydranoc.studies.torus.multicasts")
        if not hasattr(study.paper_model, "cache_info"):
            study.paper_model = cache(study.paper_model)
        study.paper_model()


KINDS: dict[str, Callable[..., Any]] = {"single": single, "mixed": mixed, "multicasts": multicasts}


def main() -> None:
    """Until there is no line any more."""
    sys.path.insert(0, os.getcwd())
    for line in sys.stdin:
        asked = json.loads(line)
        kind = asked.pop("kind")
        prepare(kind)
        begin = time.process_time()
        observed = KINDS[kind](**asked)
        print(json.dumps({"seconds": time.process_time() - begin, "observed": observed}), flush=True)


if __name__ == "__main__":
    main()
