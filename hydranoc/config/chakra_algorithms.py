"""Algorithms of collective operations in Chakra traces, from a configuration."""

from hydranoc.config import schema
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.schema.collectives import AUTO
from hydranoc.errors import nearest, shown
from sim_model.collectives.algorithm import Case
from sim_model.collectives.choice import best_segments, choose
from sim_model.collectives.closed_forms import Costs
from sim_model.collectives.registry import OPERATIONS, schedule_of
from sim_model.collectives.schedule import Schedule
from sim_model.programs.chakra import ScheduleOf
from sim_model.programs.collectives import ALGORITHMS, SYNONYMS


def chosen_schedules(config: Config, traffic: schema.ChakraTraffic, bytes_per_flit: int) -> ScheduleOf:
    """Return the schedules of a trace's operations by the algorithms that the configuration names.

    Raises:
        ConfigError: For an unknown operation or algorithm.
    """
    given = traffic.algorithms or {}
    for name, algorithm in given.items():
        _check(config, name, algorithm)
    algorithms = ALGORITHMS | given
    in_hardware = traffic.multicast == "hardware" and config.family.multicasts(config.network_section)

    def schedule(name: str, members: int, root: int, size_bytes: int) -> Schedule:
        operation, algorithm = SYNONYMS.get(name, name), algorithms[name]
        flits = -(-size_bytes // bytes_per_flit)
        case = Case(members, root, best_segments(members, flits, traffic.startup_cycles))
        if algorithm == AUTO:
            known = OPERATIONS[operation]
            algorithm = choose(
                operation,
                case,
                flits,
                Costs(traffic.startup_cycles),
                is_allowed=lambda one: in_hardware or not known[one].in_hardware,
            )
        return schedule_of(operation, algorithm, case)

    return schedule


def _check(config: Config, name: str, algorithm: str) -> None:
    path = (*TRAFFIC, "algorithms", name)
    if name not in ALGORITHMS:
        right = f"they must be {', '.join(ALGORITHMS)}{nearest(name, ALGORITHMS)}"
        raise config.source.error(path, f"keys of traffic.algorithms have {shown(name)}; {right}")
    choices = (AUTO, *OPERATIONS[SYNONYMS.get(name, name)])
    if algorithm not in choices:
        right = f"it must be {', '.join(choices)}{nearest(algorithm, choices)}"
        raise config.source.error(path, f"traffic.algorithms.{name} is {shown(algorithm)}; {right}")
