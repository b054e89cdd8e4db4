"""Messages of programs and traces of other tools, with errors that name their file and place."""

import bz2
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from hydranoc.config import schema
from hydranoc.config.collectives import MAX_WORDS, CollectivePlan, refuse_blocked
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.plane import PlaneShape
from hydranoc.config.program_algorithms import check_algorithms, chosen_schedules
from hydranoc.config.sending import broadcast_operation, complete_messages
from hydranoc.config.source import unreadable
from hydranoc.errors import ConfigError, shown
from sim_model.collectives.registry import PLANE
from sim_model.collectives.schedule import Schedule
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.software import BINOMIAL
from sim_model.programs.chakra import ChakraNode, read_chakra, read_nodes
from sim_model.programs.goal import read_goal
from sim_model.programs.lowering import Lowered, lowered
from sim_model.programs.msccl import OPERATIONS, read_msccl
from sim_model.programs.named_broadcasts import BROADCAST, replace_broadcasts
from sim_model.programs.netrace import read_netrace
from sim_model.programs.performances import Collective, Performance
from sim_model.programs.program import Operation, Program, ProgramError

MAX_MEGABYTES = 512
RANK = "{rank}"
BITS_PER_BYTE = 8
Read = TypeVar("Read")


def program_messages(config: Config, traffic: schema.ProgramTraffic, routing: Any) -> Messages:
    """Return the messages of a program.

    Raises:
        ConfigError: As ``program_plan``.
    """
    return program_plan(config, traffic, routing).messages


def program_plan(
    config: Config, traffic: schema.ProgramTraffic, routing: Any, plane: PlaneShape | None = None
) -> CollectivePlan:
    """Return the messages of a program, and its operations on the collective plane.

    Parameters:
        config
        traffic
        routing: Tables of the family.
        plane: Collective plane of the network; None if it has none.

    Raises:
        ConfigError: For a damaged file, with its name and place, and for a program that this network cannot carry.
    """
    traffic = _checked_carriage(config, traffic)
    config = replace(config, traffic=traffic)
    path = config.source.files.path(traffic.file)
    program = _READERS[type(traffic)](config, traffic, path, plane)
    nodes = _nodes(config, traffic, program)
    result = _lowered(config, traffic, routing, program, nodes, path)
    records = _with_operations(config, traffic, routing, result, path)
    if program.plane_calls and traffic.software is not None:
        _refuse_relays(config, records)
        config = replace(config, traffic=traffic.model_copy(update={"software": None}))
    try:
        messages = complete_messages(records, config, routing)
    except MessageError as error:
        problem, operation = error.problem, result.operations[error.number]
        if error.field == "destinations" and len(records[error.number].destinations) > 1:
            problem = "this network carries a broadcast only with traffic.multicast: software, or with an algorithm"
        hint = "; see traffic.bytes_per_flit" if error.field == "flits" else ""
        raise _wrong_message(operation, f"{problem}{hint}", path) from None
    if plane is None or not program.plane_calls:
        return CollectivePlan((), (), messages)
    refuse_blocked(config)
    _check_words(config, traffic, program, plane)
    number_of = {position: number for number, position in enumerate(result.contributions)}
    per_flit = bytes_per_flit(config, traffic)
    groups: dict[tuple[str, tuple[int, ...], int], list[list[int]]] = {}  # contributions of equal operations
    for call in program.plane_calls:
        key = (call.operation, tuple(nodes[rank] for rank in call.ranks), -(-call.size_bytes // per_flit))
        groups.setdefault(key, []).append([number_of[position] for position in call.contributions])
    collectives = [
        Collective(operation, PLANE, processors, flits, times=len(calls))
        for (operation, processors, flits), calls in groups.items()
    ]
    performances = [
        Performance(number, 1, (), contributions)
        for number, calls in enumerate(groups.values())
        for contributions in calls
    ]
    return CollectivePlan(tuple(collectives), tuple(performances), messages, result.starts, result.held)


def _refuse_relays(config: Config, records: Sequence[Message]) -> None:
    """Refuse broadcasts that relays forward beside operations on the plane, whose calls name messages by number."""
    if any(len(record.destinations) > 1 for record in records):
        text = "traffic.multicast is 'software'; it must be 'hardware' beside operations on the collective plane"
        hint = "broadcasts may have another algorithm, such as traffic.algorithms.broadcast: binomial"
        raise config.source.error((*TRAFFIC, "multicast"), f"{text} ({hint})")


def _check_words(config: Config, traffic: schema.ProgramTraffic, program: Program, plane: PlaneShape) -> None:
    """Refuse vectors on the plane that would not fit into memory."""
    per_flit, flit_bits = bytes_per_flit(config, traffic), config.network_section.flit_bits
    words = sum(
        len(call.ranks) * plane.words_of(-(-call.size_bytes // per_flit), flit_bits) for call in program.plane_calls
    )
    if words > MAX_WORDS:
        text = f"Number of words on the collective plane is {words:,}; it must be at most {MAX_WORDS:,}"
        raise config.source.error((*TRAFFIC, "algorithms"), f"{text} (see traffic.bytes_per_flit)")


def _checked_carriage(config: Config, traffic: schema.ProgramTraffic) -> schema.ProgramTraffic:
    """Return the traffic, with the software that carries broadcasts if software does."""
    if traffic.multicast == "hardware":
        if traffic.software is not None:
            right = "it must be left out if traffic.multicast is hardware"
            raise config.source.error((*TRAFFIC, "software"), f"traffic.software is {shown(traffic.software)}; {right}")
        return traffic
    return traffic.model_copy(update={"software": traffic.software or BINOMIAL})


def _lowered(
    config: Config,
    traffic: schema.ProgramTraffic,
    routing: Any,
    program: Program,
    rank_nodes: Sequence[int],
    path: Path,
) -> Lowered:
    per_flit = bytes_per_flit(config, traffic)
    in_hardware = traffic.multicast == "hardware"

    def flits_of(size_bytes: int, nodes: Sequence[int]) -> int:
        return routing.header_flits(nodes if in_hardware else nodes[:1]) - (-size_bytes // per_flit)

    try:
        result = lowered(program, rank_nodes, flits_of, traffic.cycles_per_unit)
    except ProgramError as error:
        raise ConfigError(error.problem, file=path, line=error.line) from None
    if not result.records and not result.contributions:
        raise ConfigError("the program has no messages from one processor to another", file=path)
    for record, operation in zip(result.records, result.operations, strict=True):
        if max((record.start_cycle, *record.delays)) > schema.MAX_CYCLES:
            raise _wrong_message(operation, f"Start must be at most cycle {schema.MAX_CYCLES}", path)
    for moment, position in zip(result.starts, result.contributions, strict=True):
        if max((moment.cycle or 0, *moment.delays.values())) > schema.MAX_CYCLES:
            operation = program.operations[position]
            raise _wrong_message(operation, f"Start must be at most cycle {schema.MAX_CYCLES}", path)
    return result


def bytes_per_flit(config: Config, traffic: schema.Traffic | None) -> int:
    """Return the bytes per body flit of a message."""
    given = getattr(traffic, "bytes_per_flit", None)
    return given or -(-config.network_section.flit_bits // BITS_PER_BYTE)


def _with_operations(
    config: Config, traffic: schema.ProgramTraffic, routing: Any, result: Lowered, path: Path
) -> list[Message]:
    """Return the records, with broadcasts by the family's procedure if it has one."""
    broadcast = broadcast_operation(config, traffic)
    everyone = len(routing.network.processors) - 1
    records = []
    for record, operation in zip(result.records, result.operations, strict=True):
        if broadcast and len(record.destinations) > 1:
            if len(record.destinations) < everyone:
                text = f"Number of destinations is {len(record.destinations)}; it must be 1 or all {everyone} others"
                raise _wrong_message(operation, text, path)
            record = replace(record, operation=broadcast)
        records.append(record)
    return records


def _wrong_message(operation: Operation, problem: str, path: Path) -> ConfigError:
    return ConfigError(f"{operation.name}: {problem}", file=path, line=operation.line)


def _nodes(config: Config, traffic: schema.ProgramTraffic, program: Program) -> list[int]:
    """Return the processor of each rank; in cache traces those of memory controllers come last."""
    if not isinstance(traffic, schema.NetraceTraffic):
        return _mapped(config, "map", traffic.map, program.ranks)
    caches = _mapped(config, "map", traffic.map, program.ranks // 2)
    if traffic.memory_controllers is None:
        return caches * 2
    return caches + _mapped(config, "memory_controllers", traffic.memory_controllers, len(caches))


def _mapped(config: Config, key: str, given: list[int] | str | None, ranks: int) -> list[int]:
    processors = len(config.network.processors)
    if given == "wrap":
        return [rank % processors for rank in range(ranks)]
    if given is None:
        if ranks > processors:
            text = f"key {key!r} is missing in traffic: the program has {ranks} ranks, and the network {processors}"
            raise config.source.error((*TRAFFIC, "file"), f"{text} processors")
        return list(range(ranks))
    assert not isinstance(given, str)
    if len(given) != ranks:
        text = f"traffic.{key} must have a processor for each of the {ranks} ranks, not {len(given)}"
        raise config.source.error((*TRAFFIC, key), text)
    for position, processor in enumerate(given):
        if processor >= processors:
            text = f"traffic.{key} must name processors, 0 to {processors - 1}, not {processor}"
            raise config.source.error((*TRAFFIC, key, position), text)
    return given


def _netrace(config: Config, traffic: schema.NetraceTraffic, path: Path, _plane: PlaneShape | None) -> Program:
    try:
        with bz2.open(path) as file:
            return read_netrace(file, traffic.region, traffic.packets)
    except ProgramError as error:
        raise ConfigError(error.problem, file=path) from None
    except EOFError:
        raise ConfigError("the compressed trace is cut off", file=path) from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is None:  # the decompressor's own
            raise ConfigError("A trace must be compressed by bzip2, and whole", file=path) from None
        raise _unreadable(config, traffic.file, error) from None


def _goal(config: Config, traffic: schema.GoalTraffic, path: Path, plane: PlaneShape | None) -> Program:
    data = _content(config, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError("A program must be UTF-8 text", file=path, line=line) from None
    check_algorithms(config, traffic, (BROADCAST,))
    program = _read(path, read_goal, text)
    if traffic.algorithms:
        nodes = _mapped(config, "map", traffic.map, program.ranks)
        schedules = chosen_schedules(config, traffic, bytes_per_flit(config, traffic), nodes, plane)
        replace_broadcasts(program, schedules)
    return program


def _msccl(config: Config, traffic: schema.MscclTraffic, path: Path, plane: PlaneShape | None) -> Program:
    check_algorithms(config, traffic, tuple(dict.fromkeys(OPERATIONS.values())))
    one_message = traffic.multicast == "hardware"

    def schedule_of(name: str, gpus: Sequence[int], root: int, size_bytes: int) -> Schedule | None:
        nodes = _mapped(config, "map", traffic.map, len(gpus))
        schedules = chosen_schedules(config, traffic, bytes_per_flit(config, traffic), nodes, plane)
        return schedules(name, gpus, root, size_bytes)

    schedules = dict.fromkeys(traffic.algorithms or (), schedule_of)
    return _read(path, read_msccl, _content(config, path), traffic.bytes_per_chunk, one_message, schedules)


def _chakra(config: Config, traffic: schema.ChakraTraffic, path: Path, plane: PlaneShape | None) -> Program:
    check_algorithms(config, traffic)
    ranks = traffic.ranks or len(config.network.processors)
    nodes = _mapped(config, "map", traffic.map, ranks)
    schedules = chosen_schedules(config, traffic, bytes_per_flit(config, traffic), nodes, plane)
    traces: list[list[ChakraNode]] = []
    for rank in range(ranks):
        own = config.source.files.path(traffic.file.replace(RANK, str(rank)))
        traces.append(traces[0] if traces and own == path else _read(own, read_nodes, _content(config, own)))
    return _read(path, read_chakra, traces, traffic.control_dependencies, schedules)


_READERS: dict[type[schema.ProgramTraffic], Callable[..., Program]] = {
    schema.NetraceTraffic: _netrace,
    schema.GoalTraffic: _goal,
    schema.ChakraTraffic: _chakra,
    schema.MscclTraffic: _msccl,
}


def _read(path: Path, reader: Callable[..., Read], *arguments: Any) -> Read:
    try:
        return reader(*arguments)
    except ProgramError as error:
        raise ConfigError(error.problem, file=path, line=error.line) from None


def _content(config: Config, path: Path) -> bytes:
    try:
        with path.open("rb") as file:  # devices may have no end
            content = file.read(MAX_MEGABYTES * 10**6 + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(config, path.name, error) from None
    if len(content) > MAX_MEGABYTES * 10**6:
        raise ConfigError(f"A program must have at most {MAX_MEGABYTES} MB", file=path)
    return content


def _unreadable(config: Config, name: str, error: OSError | ValueError) -> Exception:
    return unreadable(config.source, (*TRAFFIC, "file"), f"program {shown(name)}", error)
