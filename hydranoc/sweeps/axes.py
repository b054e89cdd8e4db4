"""Axes of a sweep: keys of a configuration and their values, in the syntax of ``--over``."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import yaml

from hydranoc.config.source import separate_copy
from hydranoc.config.yaml_values import ValueWrong, YamlValues
from hydranoc.errors import ConfigError, shown

DIGITS = 12
"""Digits of the values inside a logarithmic range: 0.01 and not 0.010000000000000002."""
MAX_DIGITS = 18
"""Maximum digits of a position in a list; longer numbers are invalid keys."""
MAX_VALUES = 100_000
SPACINGS = ("linear", "log")


@dataclass(frozen=True)
class Axis:
    """A key and its values.

    Members:
        key: With points between the steps, such as ``network.buffer_flits``.
        values: In the order in which they are measured.
    """

    key: str
    values: tuple[Any, ...]

    @property
    def is_of_traffic(self) -> bool:
        """True if its key is one of the traffic."""
        return self.steps[0] == "traffic"

    @property
    def steps(self) -> list[str | int]:
        """Keys and list positions from the top of the configuration."""
        steps = self.key.split(".")
        return [int(step) if step.isdecimal() and len(step) <= MAX_DIGITS else step for step in steps]


def given_axis(key: str, values: Any) -> Axis:
    """Return an axis from the values of a key in Python, such as a list or an array of NumPy.

    Raises:
        ConfigError: If they are no list.
    """
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ConfigError(f"--over must have a list of values for {key!r}, not {shown(values)}")
    return Axis(key, tuple(value.item() if isinstance(value, np.generic) else value for value in values))


def parse_axis(text: str) -> Axis:
    """Return an axis from ``KEY=VALUE,VALUE,...``, or ``KEY=FIRST:LAST:COUNT`` with ``:log`` for a logarithmic range.

    Values are written as in configurations, so a list is ``[8, 8]``.

    Raises:
        ConfigError: "X is Z; it must be Y".
    """
    key, sign, values = text.partition("=")
    if not (sign and all(key.strip().split(".")) and values.strip()):
        raise ConfigError(f"--over is {shown(text)}; it must be KEY=VALUES such as network.buffer_flits=1,2,4")
    found = _range(values) if ":" in values and not any(mark in values for mark in "[{'\"") else _listed(values)
    return Axis(key.strip(), tuple(found))


def _listed(values: str) -> list[Any]:
    try:
        found = YamlValues(f"[{values}]").data
    except (yaml.YAMLError, ValueWrong, UnicodeEncodeError):  # the last of bytes that are no text
        found = None
    if not isinstance(found, list) or not found:
        raise ConfigError(f"--over must have values as in YAML with commas between them, not {shown(values)}")
    return found


def _range(values: str) -> list[Any]:
    """Return evenly spaced numbers, both ends exactly; integers if both ends and all between them are."""
    text = "--over must have FIRST:LAST:COUNT, and :log for even steps of the logarithm"
    parts = [part.strip() for part in values.split(":")]
    spacing = parts.pop() if len(parts) == 4 else "linear"
    try:
        first, last, count = parts
        ends, number = (_number(first), _number(last)), int(count)
    except ValueError:
        raise ConfigError(f"{text}, not {shown(values)}") from None
    if spacing not in SPACINGS:
        raise ConfigError(f"{text}, not {shown(values)}")
    if not 1 <= number <= MAX_VALUES or (spacing == "log" and min(ends) <= 0):
        wanted = f"a COUNT of 1 to {MAX_VALUES}, and ends above 0 with :log"
        raise ConfigError(f"--over must have {wanted}, not {shown(values)}")
    if number == 1 and ends[0] != ends[1]:
        raise ConfigError(f"--over must have a COUNT of at least 2 between different ends, not {shown(values)}")
    found = [ends[0] + (ends[1] - ends[0]) * step / max(number - 1, 1) for step in range(number)]
    if spacing == "log":
        found[1:-1] = [
            _number(f"{value:.{DIGITS}g}") for value in np.geomspace(float(ends[0]), float(ends[1]), number)[1:-1]
        ]
    if all(value.denominator == 1 for value in found):
        return [int(value) for value in found]
    return [float(value) for value in found]


def _number(text: str) -> Fraction:
    """Return the exact value of a decimal number.

    Raises:
        ValueError: If it is none, or not finite.
    """
    rounded = Fraction(repr(float(text)))
    try:
        return Fraction(int(text))
    except ValueError:
        return rounded


def grid(axes: Sequence[Axis]) -> Iterator[dict[str, Any]]:
    """Yield the values by key of every point, the last axis fastest."""
    for values in itertools.product(*(axis.values for axis in axes)):
        yield {axis.key: value for axis, value in zip(axes, values, strict=True)}


def changed(configuration: Mapping[str, Any], axes: Sequence[Axis], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with other values; missing keys are added.

    Raises:
        ConfigError: If a step of a key is neither a key nor a list position.
    """
    content = separate_copy(configuration)
    for axis in axes:
        *way, last = axis.steps
        place: Any = content
        for step in way:
            if isinstance(place, dict):
                place.setdefault(step, {})
            _check_step(place, step, axis.key)
            place = place[step]
        _check_step(place, last, axis.key)
        place[last] = values[axis.key]
    return content


def _check_step(place: Any, step: str | int, key: str) -> None:
    fits = isinstance(place, dict) or (isinstance(place, list) and isinstance(step, int) and step < len(place))
    if not fits:
        raise ConfigError(f"--over must name a key of the configuration, not {key!r}")
