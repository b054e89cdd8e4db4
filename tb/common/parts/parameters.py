"""Environment of a bench: the parts to test in the simulator, and the test's side of the same protocol.

Starting a simulator takes longer than testing a small part, so one simulator contains many instances of different
shapes. Each cocotb test runs once per instance.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cocotb

PARAMETERS_VARIABLE = "HYDRANOC_PART"
PROBABILITIES = (0.0, 0.5, 0.9)


def to_environment(parameters: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Return the environment variable with the parameters of each instance, by its name."""
    return {PARAMETERS_VARIABLE: json.dumps({name: dict(values) for name, values in parameters.items()})}


def instances() -> list[cocotb.Param]:
    """Return the names of the instances to test, as parameters of a cocotb test; none outside a simulator."""
    return [cocotb.Param(name, name) for name in _from_environment()]


def parameters_of(instance: str) -> dict[str, int]:
    """Return the parameters of an instance: those of the part, ``cycles`` per phase, and ``seed``."""
    return _from_environment()[instance]


def _from_environment() -> dict[str, dict[str, int]]:
    return json.loads(os.environ.get(PARAMETERS_VARIABLE, "{}"))


@dataclass(frozen=True)
class Phase:
    """One stretch of random traffic.

    Members:
        idle: Probability that a source pauses in a cycle.
        backpressure: Probability that a sink pauses in a cycle.
        waits_for_valid: Sinks assert ready only after valid. A source that waits for ready would hang.
    """

    idle: float
    backpressure: float
    waits_for_valid: bool = False


def phases() -> Iterator[Phase]:
    """Yield every mixture of idle sources and back-pressure, then sinks that wait for valid."""
    for idle in PROBABILITIES:
        for backpressure in PROBABILITIES:
            yield Phase(idle, backpressure)
    yield Phase(0.0, 0.0, waits_for_valid=True)
