"""Choice of an algorithm for the operations of a configuration, and reasons why the plane does not perform one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hydranoc.config.load import Config
from hydranoc.config.plane import PLANE_KEYS, PlaneShape
from hydranoc.config.schema.collectives import EVERYONE
from hydranoc.errors import shown
from sim_model.collectives.algorithm import Case
from sim_model.collectives.choice import choose, contention_of
from sim_model.collectives.closed_forms import Costs, form_of
from sim_model.collectives.registry import ON_PLANE, PLANE
from sim_model.collectives.schedule import BARRIER

MAX_MEASURED_MEMBERS = 1_024
"""Maximum members of a group whose distances are measured for the choice of an algorithm."""


class AlgorithmChoice:
    """The choice of algorithms in a network, by size, start-up and distances.

    Parameters:
        config
        plane: Collective plane of the network; None if it has none.
        startup_cycles: Of a host per message.
    """

    def __init__(self, config: Config, plane: PlaneShape | None, startup_cycles: int):
        self._config, self._plane, self._startup_cycles = config, plane, startup_cycles
        self._processors = len(config.network.processors)
        self._distances: np.ndarray | None = None
        self._known: dict[tuple[int, ...], dict[str, float]] = {}

    def fastest(
        self,
        operation: str,
        case: Case,
        flits: int,
        processors: Sequence[int],
        is_allowed: Callable[[str], bool],
        compute_cycles_per_flit: float = 0.0,
    ) -> str:
        """Return the algorithm with the least estimated time, the plane included.

        Parameters:
            operation: Name.
            case: ``segments`` is that of pipelined algorithms.
            flits: Length of the vector.
            processors: Of the members.
            is_allowed: Predicate of algorithms by messages, by name; at least one must fulfil it.
            compute_cycles_per_flit: Of a host that combines received flits with its own.
        """
        costs = Costs(self._startup_cycles, compute_cycles_per_flit, self._contention(processors))
        chosen = choose(operation, case, flits, costs, is_allowed)
        if self.without_plane(operation, processors):
            return chosen
        return (
            chosen
            if form_of(operation, chosen, case).cycles(flits, costs) < self._on_plane(processors, flits)
            else PLANE
        )

    def without_plane(self, operation: str, processors: Sequence[int]) -> str:
        """Return the reason why the plane does not perform an operation; empty if it does.

        Parameters:
            operation: Name.
            processors: Of the members.
        """
        if operation not in ON_PLANE:
            return f"the plane performs {either(ON_PLANE)}"
        if len(set(processors)) < len(processors):
            return "members of an operation on the plane must have processors of their own"
        if self._plane is None:
            groups = EVERYONE if len(processors) == self._processors else shown([sorted(processors)])
            return f"the network has no collective plane (add 'collectives: {{groups: {groups}}}' to network)"
        if self._plane.group_with(processors) is None:
            group = EVERYONE if len(processors) == self._processors else shown(sorted(processors))
            return f"no group of the plane has these {len(processors)} members (add {group} to {PLANE_KEYS}.groups)"
        if self._plane.barriers_only and operation != BARRIER:
            return f"the plane has barriers alone (add an operator to {PLANE_KEYS}.operators)"
        return ""

    def _on_plane(self, processors: Sequence[int], flits: int) -> int:
        """Return the cycles of an operation on the plane, start-up included."""
        assert self._plane is not None
        group = self._plane.group_with(processors)
        assert group is not None
        words = self._plane.words_of(flits, self._config.network_section.flit_bits)
        return self._startup_cycles + self._plane.operation_cycles(group, words)

    def _contention(self, processors: Sequence[int]) -> dict[str, float]:
        """Return the contention of exchanges among the members of a group; see ``Costs``."""
        key = tuple(processors)
        if len(processors) > MAX_MEASURED_MEMBERS:
            return {}
        if key not in self._known:
            if self._distances is None:
                from sim_model.traffic.destination_sets import distances  # loads SciPy: only to choose

                self._distances = distances(self._config.network)
            self._known[key] = contention_of(self._distances[np.ix_(key, key)].tolist())
        return self._known[key]


def either(names: Any) -> str:
    """Return names as text."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
