"""Algorithms of collective operations in programs and traces, from a configuration."""

from collections.abc import Collection, Sequence

from hydranoc.config import schema
from hydranoc.config.algorithm_choice import AlgorithmChoice
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.plane import PlaneShape
from hydranoc.config.schema.collectives import AUTO
from hydranoc.errors import nearest, shown
from sim_model.collectives.algorithm import Case
from sim_model.collectives.choice import best_segments
from sim_model.collectives.registry import ON_PLANE, OPERATIONS, PLANE, schedule_of
from sim_model.collectives.schedule import Schedule
from sim_model.programs.collectives import ALGORITHMS, SYNONYMS, ScheduleOf


def chosen_schedules(
    config: Config,
    traffic: schema.NamedTraffic,
    bytes_per_flit: int,
    nodes: Sequence[int],
    plane: PlaneShape | None = None,
) -> ScheduleOf:
    """Return the schedules of a program's operations by the algorithms that the configuration names.

    Parameters:
        config
        traffic
        bytes_per_flit: Message bytes per body flit.
        nodes: Processor of each rank.
        plane: Collective plane of the network; None if it has none.

    Raises:
        ConfigError: By a schedule, for an operation that the plane should perform and cannot.
    """
    algorithms = ALGORITHMS | (traffic.algorithms or {})
    in_hardware = traffic.multicast == "hardware" and config.family.multicasts(config.network_section)
    choice = AlgorithmChoice(config, plane, traffic.startup_cycles)

    def schedule(name: str, ranks: Sequence[int], root: int, size_bytes: int) -> Schedule | None:
        operation, algorithm = SYNONYMS.get(name, name), algorithms[name]
        processors = [nodes[rank] for rank in ranks]
        flits = -(-size_bytes // bytes_per_flit)
        case = Case(len(ranks), root, best_segments(len(ranks), flits, traffic.startup_cycles))
        if algorithm == PLANE and (reason := choice.without_plane(operation, processors)):
            path, right = (*TRAFFIC, "algorithms", name), ", ".join(_choices(name)[:-1])
            text = f"traffic.algorithms.{name} is {PLANE!r}; it must be {right}: {reason}"
            raise config.source.error(path, text)
        if algorithm == AUTO:
            known = OPERATIONS[operation]
            algorithm = choice.fastest(
                operation, case, flits, processors, lambda one: in_hardware or not known[one].in_hardware
            )
        return None if algorithm == PLANE else schedule_of(operation, algorithm, case)

    return schedule


def _choices(name: str) -> list[str]:
    """Return the names of algorithms of an operation; the plane is the last."""
    operation = SYNONYMS.get(name, name)
    return [AUTO, *OPERATIONS[operation], *([PLANE] if operation in ON_PLANE else [])]


def check_algorithms(config: Config, traffic: schema.NamedTraffic, names: Collection[str] = ALGORITHMS) -> None:
    """Check the operations and algorithms that a configuration names.

    Parameters:
        config
        traffic
        names: Operations that such a program may have.

    Raises:
        ConfigError: For the first unknown one.
    """
    for name, algorithm in (traffic.algorithms or {}).items():
        path = (*TRAFFIC, "algorithms", name)
        if name not in names:
            right = f"they must be {', '.join(names)}{nearest(name, names)}"
            raise config.source.error(path, f"keys of traffic.algorithms have {shown(name)}; {right}")
        choices = _choices(name)
        if algorithm not in choices:
            right = f"it must be {', '.join(choices)}{nearest(algorithm, choices)}"
            raise config.source.error(path, f"traffic.algorithms.{name} is {shown(algorithm)}; {right}")
