"""Messages of collective operations and contributions to the plane, with errors that name the line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from hydranoc.config import schema
from hydranoc.config.algorithm_choice import AlgorithmChoice, either
from hydranoc.config.hosts import HOSTS
from hydranoc.config.load import TRAFFIC, Config
from hydranoc.config.plane import PlaneShape
from hydranoc.config.schema.collectives import AUTO, EVERYONE
from hydranoc.config.sending import complete_messages, operation_number
from hydranoc.config.source import KeyPath, name_of
from hydranoc.errors import nearest, shown
from sim_model.collectives.algorithm import Case
from sim_model.collectives.choice import best_segments
from sim_model.collectives.registry import ON_PLANE, OPERATIONS, PLANE, ROOTED, SEGMENTED
from sim_model.collectives.schedule import BARRIER
from sim_model.messages.messages import MessageError, Messages
from sim_model.programs.lowering import Moment
from sim_model.programs.performances import Collective, CollectiveError, Performance, Performed, perform

MAX_WORDS = 20_000_000
"""Maximum words of all contributions to the plane together; more take gigabytes."""


@dataclass(frozen=True)
class CollectivePlan:
    """Collective operations of a configuration.

    Members:
        collectives: In the order of the configuration.
        performances: In the order of the operations and their rounds.
        messages: Of all performances. They do not wait for results of the plane.
        starts: Moment at which each contribution to the plane starts, without start-up.
        held: Contributions that messages wait for, by message, with the delay after the end of each result.
    """

    collectives: tuple[Collective, ...]
    performances: tuple[Performance, ...]
    messages: Messages
    starts: Sequence[Moment] = ()
    held: Mapping[int, Mapping[int, int]] = field(default_factory=dict)


class _Entry(NamedTuple):
    """An operation and its place in the configuration."""

    path: KeyPath
    operation: str
    keys: schema.CollectiveKeys

    def name(self, key: str) -> str:
        return name_of((*self.path, key))


def collective_plan(
    config: Config, traffic: schema.CollectiveTraffic, routing: Any, plane: PlaneShape | None = None
) -> CollectivePlan:
    """Return the operations of a configuration, their messages and their contributions to the plane.

    Parameters:
        config
        traffic
        routing: Tables of the family.
        plane: Collective plane of the network; None if it has none.

    Raises:
        ConfigError: For an operation that this network cannot perform.
    """
    for key in ("software", "warmup_cycles"):
        if getattr(traffic, key):
            right = "it must be left out with collective operations"
            text = f"traffic.{key} is {shown(getattr(traffic, key))}; {right}"
            raise config.source.error((*TRAFFIC, key), text)
    entries = list(_entries(config, traffic))
    reader = _Reader(config, traffic, routing, plane)
    collectives = [reader.collective(entry) for entry in entries]
    if plane is not None:
        _check_plane(config, entries, collectives, plane)
    network = routing.network
    channels = network.injection_channels_per_processor
    try:
        found = perform(collectives, len(network.processors), routing.header_flits, channels)
    except CollectiveError as error:
        entry = entries[error.collective]
        raise config.source.error(entry.path, f"{name_of(entry.path)}: {error.problem}") from None
    _check_delays(config, entries, found)
    records = _with_procedures(config, entries, found)
    try:
        messages = complete_messages(records, config, routing)
    except MessageError as error:
        entry = entries[found.performance_of(error.number).collective]
        key = "group" if error.field in ("source", "destinations") else "flits"
        raise config.source.error((*entry.path, key), f"{entry.name(key)}: {error.problem}") from None
    return CollectivePlan(tuple(collectives), tuple(found.performances), messages, found.starts, found.held)


def _entries(config: Config, traffic: schema.CollectiveTraffic) -> Iterator[_Entry]:
    if (traffic.operation is None) == (traffic.operations is None):
        raise config.source.error(TRAFFIC, "traffic must have either operation or operations")
    if traffic.operation is not None:
        yield _Entry(TRAFFIC, traffic.operation, traffic)
        return
    for key in schema.CollectiveKeys.model_fields:
        if key in traffic.model_fields_set:
            text = f"traffic.{key} is {shown(getattr(traffic, key))}; it must be in each of traffic.operations"
            raise config.source.error((*TRAFFIC, key), text)
    for number, keys in enumerate(traffic.operations or ()):
        yield _Entry((*TRAFFIC, "operations", number), keys.operation, keys)


def _check_plane(
    config: Config, entries: Sequence[_Entry], collectives: Sequence[Collective], plane: PlaneShape
) -> None:
    """Refuse blocked receivers, and vectors on the plane that would not fit into memory."""
    words = 0
    for entry, collective in zip(entries, collectives, strict=True):
        if not collective.on_plane:
            continue
        refuse_blocked(config)
        own = plane.words_of(collective.flits, config.network_section.flit_bits)
        words += own * len(collective.processors) * collective.times
        if words > MAX_WORDS:
            text = f"{name_of(entry.path)}: Number of words up to this operation is {words:,}"
            raise config.source.error(entry.path, f"{text}; it must be at most {MAX_WORDS:,}")


def refuse_blocked(config: Config) -> None:
    """Refuse blocked receivers beside operations on the plane.

    Raises:
        ConfigError: If there are any.
    """
    if config.hosts.blocked:
        text = f"hosts.blocked names {len(config.hosts.blocked)} blockades; it must be left out with operations"
        raise config.source.error((*HOSTS, "blocked"), f"{text} on the collective plane")


def _check_delays(config: Config, entries: Sequence[_Entry], found: Performed) -> None:
    """Refuse computations that take longer than any run."""
    for performance in found.performances:
        waits = (delay for number in performance.messages for delay in found.records[number].delays)
        longest = max((*waits, *performance.delays.values()), default=0)
        if longest > schema.MAX_CYCLES:
            entry = entries[performance.collective]
            text = f"{entry.name('compute_cycles_per_flit')}: computations take {longest:,} cycles"
            right = f"they must take at most {schema.MAX_CYCLES:,}"
            raise config.source.error((*entry.path, "compute_cycles_per_flit"), f"{text}; {right}")


def _with_procedures(config: Config, entries: Sequence[_Entry], found: Performed) -> list[Any]:
    """Return the records, with multicasts by the broadcast procedures that their operations name."""
    records = list(found.records)
    for performance in found.performances:
        entry = entries[performance.collective]
        if entry.keys.procedure is None:
            continue
        operation = operation_number(config, (*entry.path, "procedure"), entry.keys.procedure)
        for number in performance.messages:
            if len(records[number].destinations) > 1:
                records[number] = replace(records[number], operation=operation)
    return records


class _Reader:
    """Collective operations from the keys of a configuration."""

    def __init__(self, config: Config, traffic: schema.CollectiveTraffic, routing: Any, plane: PlaneShape | None):
        self._config, self._startup_cycles, self._routing = config, traffic.startup_cycles, routing
        self._processors = len(config.network.processors)
        self._choice = AlgorithmChoice(config, plane, traffic.startup_cycles)

    def collective(self, entry: _Entry) -> Collective:
        """Return the operation of an entry."""
        keys = entry.keys
        processors, flits = self._processors_of(entry), self._flits(entry)
        root = self._root(entry, processors)
        segments = self._segments(entry, len(processors), flits)
        case = Case(len(processors), root, segments)
        algorithm = self._algorithm(entry, case, flits, processors)
        if keys.segment_flits is not None and AUTO != keys.algorithm not in SEGMENTED:
            text = (
                f"{entry.name('segment_flits')} is {keys.segment_flits}; it must be left out in algorithm {algorithm!r}"
            )
            raise self._error(entry, "segment_flits", text)
        return Collective(
            entry.operation,
            algorithm,
            processors,
            flits,
            root,
            segments,
            keys.rounds,
            keys.compute_cycles_per_flit,
            None
            if algorithm == PLANE
            else self._longest(processors, OPERATIONS[entry.operation][algorithm].in_hardware),
            chosen=keys.algorithm == AUTO,
        )

    def _error(self, entry: _Entry, key: str | int, text: str) -> Exception:
        return self._config.source.error((*entry.path, key), text)

    def _processors_of(self, entry: _Entry) -> tuple[int, ...]:
        group, last = entry.keys.group, self._processors - 1
        if group == EVERYONE:
            if last < 1:
                raise self._error(entry, "group", f"{entry.name('group')} is 1 processor; it must be at least 2")
            return tuple(range(self._processors))
        seen = set()
        for position, processor in enumerate(group):
            assert isinstance(processor, int)
            problem = f"it must be a processor, 0 to {last}" if processor > last else "it must be named once"
            if processor > last or processor in seen:
                path = (*entry.path, "group", position)
                raise self._config.source.error(path, f"{name_of(path)} is {processor}; {problem}")
            seen.add(processor)
        return tuple(int(processor) for processor in group)

    def _flits(self, entry: _Entry) -> int:
        flits = entry.keys.flits
        if entry.operation == BARRIER:
            if flits is not None:
                raise self._error(entry, "flits", f"{entry.name('flits')} is {flits}; it must be left out in a barrier")
            return 0
        if flits is None:
            text = f"key 'flits' is missing in {name_of(entry.path)}; operation {entry.operation!r} needs it"
            raise self._config.source.error(entry.path, text)
        return flits

    def _root(self, entry: _Entry, processors: Sequence[int]) -> int:
        root = entry.keys.root
        if root is None:
            return 0
        if entry.operation not in ROOTED:
            right = f"it must be left out in operation {entry.operation!r}"
            raise self._error(entry, "root", f"{entry.name('root')} is {root}; {right}")
        if root not in processors:
            raise self._error(entry, "root", f"{entry.name('root')} is {root}; it must be a processor of the group")
        return processors.index(root)

    def _segments(self, entry: _Entry, members: int, flits: int) -> int:
        if entry.keys.segment_flits is None:
            return best_segments(members, flits, self._startup_cycles)
        return max(1, -(-flits // entry.keys.segment_flits))

    def _algorithm(self, entry: _Entry, case: Case, flits: int, processors: Sequence[int]) -> str:
        known, given = OPERATIONS[entry.operation], entry.keys.algorithm
        names = (AUTO, *known, *((PLANE,) if entry.operation in ON_PLANE else ()))
        if given not in names:
            text = f"{entry.name('algorithm')} is {shown(given)}; it must be {either(names)}{nearest(given, names)}"
            raise self._error(entry, "algorithm", text)
        if entry.keys.procedure is not None:
            operation_number(self._config, (*entry.path, "procedure"), entry.keys.procedure)
        off_plane = self._choice.without_plane(entry.operation, processors)
        if given == PLANE:
            if off_plane:
                text = f"{entry.name('algorithm')} is {PLANE!r}; it must be {either(names[:-1])}: {off_plane}"
                raise self._error(entry, "algorithm", text)
            return PLANE
        wrong = self._without_multicast(entry, processors)
        if given != AUTO:
            if known[given].in_hardware and wrong:
                in_software = [name for name, algorithm in known.items() if not algorithm.in_hardware]
                text = f"{entry.name('algorithm')} is {given!r}; it must be {either((AUTO, *in_software))}"
                raise self._error(entry, "algorithm", f"{text}: {wrong}")
            return given
        return self._choice.fastest(
            entry.operation,
            case,
            flits,
            processors,
            lambda name: not (known[name].in_hardware and wrong),
            entry.keys.compute_cycles_per_flit,
        )

    def _without_multicast(self, entry: _Entry, processors: Sequence[int]) -> str:
        """Return the reason why a group has no multicast in hardware; empty if it has one."""
        family, section = self._config.family, self._config.network_section
        if family.multicasts(section):
            return ""
        procedures = family.operations(section)
        if not procedures:
            return f"family {family.name!r} has no multicast in hardware"
        if len(processors) < self._processors:
            return f"family {family.name!r} broadcasts to all {self._processors} processors"
        if entry.keys.procedure is None:
            return f"family {family.name!r} needs the key 'procedure' for a broadcast, with {either(procedures)}"
        return ""

    def _longest(self, processors: Sequence[int], in_hardware: bool) -> int:
        """Return the longest body of a message."""
        header_flits = self._routing.header_flits(processors[: None if in_hardware else 1])
        return max(1, self._config.family.longest_message(self._config.network_section) - header_flits)
