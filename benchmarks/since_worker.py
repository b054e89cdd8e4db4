"""The side of ``benchmarks.since`` in a checkout, possibly an earlier one: it answers each line with a line.

It imports nothing from the benchmarks, and uses only features that all checkouts have.
"""

import dataclasses
import hashlib
import inspect
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def messages_from(path: str) -> Any:
    """Return messages without parents, in the columns of this checkout."""
    from sim_model.messages.messages import Messages

    columns = dict(np.load(path))
    count = len(columns["source"])
    columns |= {"parent": np.full(count, -1, np.int32), "delay_cycles": np.zeros(count, np.int64)}
    names = [field.name for field in dataclasses.fields(Messages)]
    if "parents" in names:
        columns |= {"parents": np.zeros(0, np.int32), "delay_cycles": np.zeros(0, np.int64)}
        columns |= {"parent_offsets": np.zeros(count + 1, np.int64)}
    return Messages(**{name: columns[name] for name in names})


class Runs:
    """The requested networks and messages, each built once."""

    def __init__(self) -> None:
        from sim_model.engines.simulation import Simulation

        self._simulation: Any = Simulation
        self._chooses = "engine" in inspect.signature(Simulation.__init__).parameters
        self._models: dict[str, Any] = {}
        self._messages: dict[str, Any] = {}

    def run(self, config: str, messages: str, engine: str, until_cycle: int) -> dict[str, Any]:
        """Return flit-hops and CPU seconds of a run, and a digest of all arrivals."""
        from hydranoc.api import load

        if config not in self._models:
            self._models[config] = load(Path(config)).model
        if messages not in self._messages:
            self._messages = {messages: messages_from(messages)}
            self._make(config, messages, engine).run(1)  # compiles, or loads compiled loops
        simulation = self._make(config, messages, engine)
        begin = time.process_time()
        results = simulation.run(until_cycle)
        seconds = time.process_time() - begin
        arrivals = np.ascontiguousarray(results.arrival_cycle, dtype=np.int64).tobytes()
        return {"flit_hops": results.flit_hops, "seconds": seconds, "digest": hashlib.sha256(arrivals).hexdigest()}

    def _make(self, config: str, messages: str, engine: str) -> Any:
        options = {"engine": engine} if self._chooses else {}
        return self._simulation(self._models[config], self._messages[messages], **options)


def main() -> None:
    """Answer requests until the input ends."""
    sys.path.insert(0, os.getcwd())
    runs = Runs()
    for line in sys.stdin:
        print(json.dumps(runs.run(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
