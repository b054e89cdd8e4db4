"""Chakra execution traces: computations and transfers of the ranks of a machine-learning job, one file for each rank.

A node starts when all nodes that it depends on have ended; computations take the time that the trace has measured, and
the network determines the time of communication. Only data dependencies count: control dependencies record nested calls
of the framework, and make circles together with them. Collective operations of one process group are matched in the
order of the files, and become messages (``collectives.py``); by default a broadcast is one message to all, from the
member ``comm_root``, by default the first.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sim_model.programs.collectives import ALGORITHMS, ScheduleOf, add_operation, default_schedule
from sim_model.programs.matching import Matching
from sim_model.programs.plane_order import order_plane_calls
from sim_model.programs.program import Need, Operation, PlaneCall, Program, ProgramError, check_rank
from sim_model.programs.protobuf import WireError, delimited, fields, numbers, signed

ID, NAME, KIND, CONTROL, DATA, DURATION, ATTRIBUTE = 1, 2, 3, 4, 5, 7, 10
"""Numbers of a node's fields."""
SEND, RECEIVE, COLLECTIVE = 5, 6, 7
KINDS = range(1, 8)
"""Types of nodes: 1 metadata, 2 and 3 loads and stores, 4 computations, and these."""
_INTEGERS = frozenset({7, 9, 11, 13})
_TEXT = 29
_WANTED = {b"comm_type", b"comm_size", b"comm_src", b"comm_dst", b"comm_tag", b"comm_root", b"pg_name"}


class ChakraNode(NamedTuple):
    """One node.

    Members:
        number: Its id, which others depend on.
        kind: See ``KINDS``.
        duration: Microseconds.
        data, control (tuple of int): Ids of the nodes that it depends on.
        attributes (mapping of str to int or str): Those that communication has.
    """

    number: int
    kind: int
    duration: int
    data: tuple[int, ...]
    control: tuple[int, ...]
    attributes: dict[str, int | str]

    @property
    def communicates(self) -> bool:
        """True if it is a send, a receipt, or a collective operation and not just the call of one."""
        return self.kind in (SEND, RECEIVE) or (self.kind == COLLECTIVE and "comm_type" in self.attributes)


def read_nodes(data: bytes) -> list[ChakraNode]:
    """Return the nodes of one rank's file, in its order.

    Raises:
        ProgramError: With the byte of the node, if the file is none, is cut off, or a node is of no known type or lacks
            what it needs.
    """
    found: list[ChakraNode] = []
    seen: set[int] = set()
    try:
        for position, (byte, message) in enumerate(delimited(data)):
            if position == 0:
                for _ in fields(message):  # the whole trace's own message: versions and times
                    pass
                continue
            node = _node(byte, message)
            if node.number in seen:
                raise ProgramError(f"byte {byte}: Number of a node must be its own, not {node.number} again")
            seen.add(node.number)
            found.append(node)
    except WireError as error:
        raise ProgramError(f"byte {error.byte}: {error.problem}") from None
    return found


def _node(byte: int, message: bytes) -> ChakraNode:
    number = kind = duration = 0
    data: list[int] = []
    control: list[int] = []
    attributes: dict[str, int | str] = {}
    try:
        for field in fields(message):
            if field.number in (ID, KIND, DURATION) and isinstance(field.value, int):
                number = field.value if field.number == ID else number
                kind = field.value if field.number == KIND else kind
                duration = field.value if field.number == DURATION else duration
            elif field.number == DATA:
                data += numbers(field.value)
            elif field.number == CONTROL:
                control += numbers(field.value)
            elif field.number == ATTRIBUTE and isinstance(field.value, bytes):
                attributes |= _attribute(field.value)
    except (WireError, UnicodeDecodeError) as error:
        problem = error.problem if isinstance(error, WireError) else "text is not UTF-8"
        raise ProgramError(f"byte {byte}: node {number}: {problem}") from None
    node = ChakraNode(number, kind, duration, tuple(dict.fromkeys(data)), tuple(dict.fromkeys(control)), attributes)
    _check(node, byte)
    return node


def _attribute(message: bytes) -> dict[str, int | str]:
    name, value = b"", None
    for field in fields(message):
        if field.number == 1 and isinstance(field.value, bytes):
            name = field.value
        elif field.number in _INTEGERS and isinstance(field.value, int):
            value = signed(field.value)
        elif field.number == _TEXT and isinstance(field.value, bytes) and name == b"pg_name":
            value = field.value.decode()
    return {} if value is None or name not in _WANTED else {name.decode(): value}


def _check(node: ChakraNode, byte: int) -> None:
    if node.kind not in KINDS:
        raise ProgramError(f"byte {byte}: node {node.number}: Type is {node.kind}; it must be 1 to {KINDS[-1]}")
    if not node.communicates:
        return
    needed = {SEND: ("comm_dst", "comm_size"), RECEIVE: ("comm_src", "comm_size"), COLLECTIVE: ("comm_size",)}
    for name in needed[node.kind]:
        value = node.attributes.get(name)
        if not isinstance(value, int) or value < 0:
            shown = "nothing" if value is None else value
            raise ProgramError(f"byte {byte}: node {node.number}: {name} is {shown}; it must be a number from 0 on")
    kind = node.attributes.get("comm_type", 0)
    if not isinstance(kind, int) or not 0 <= kind < len(ALGORITHMS):
        text = f"comm_type is {kind}; it must be 0 to {len(ALGORITHMS) - 1}"
        raise ProgramError(f"byte {byte}: node {node.number}: {text}")


class _Call(NamedTuple):
    """A collective operation as one rank sees it."""

    rank: int
    node: ChakraNode
    begin: int  # positions of the operations at its beginning and its end
    end: int


def read_chakra(
    traces: Sequence[Sequence[ChakraNode]], control: bool = False, schedule_of: ScheduleOf = default_schedule
) -> Program:
    """Return the program of all ranks; a unit of time is a microsecond.

    Parameters:
        traces (sequence of sequences of ChakraNode): The nodes of each rank, see ``read_nodes``.
        control: Control dependencies count as well.
        schedule_of: Schedules of collective operations.

    Raises:
        ProgramError: If a node depends on one that is not there, a send has no receipt or the other way round, or ranks
            disagree on a collective operation.
    """
    return _Reader(traces, schedule_of).program(control)


class _Reader:
    """Nodes to operations, rank by rank."""

    def __init__(self, traces: Sequence[Sequence[ChakraNode]], schedule_of: ScheduleOf):
        self._traces, self._schedule_of = traces, schedule_of
        self._operations: list[Operation] = []
        self._matching = Matching(self._operations)
        self._calls: dict[str, dict[int, list[_Call]]] = defaultdict(lambda: defaultdict(list))  # by group and rank
        self._plane_calls: list[PlaneCall] = []

    def program(self, control: bool) -> Program:
        for rank, nodes in enumerate(self._traces):
            self._add_rank(rank, nodes, control)
        for group, calls in self._calls.items():
            self._add_collectives(group, calls)
        self._matching.finish()
        if self._plane_calls:
            order_plane_calls(len(self._traces), self._operations, self._plane_calls)
        return Program(len(self._traces), self._operations, self._plane_calls)

    def _add_rank(self, rank: int, nodes: Sequence[ChakraNode], control: bool) -> None:
        begins: dict[int, int] = {}
        ends: dict[int, int] = {}
        for node in nodes:
            begins[node.number] = len(self._operations)
            self._add_node(rank, node)
            ends[node.number] = len(self._operations) - 1
        for node in nodes:
            needs = self._operations[begins[node.number]].needs
            wanted = dict.fromkeys((*node.data, *node.control)) if control else node.data
            for number in wanted:
                if number not in ends:
                    text = (
                        f"node {node.number} of rank {rank}: a node that it depends on is {number}, which is not there"
                    )
                    raise ProgramError(text)
                needs.append(Need(ends[number]))

    def _add_node(self, rank: int, node: ChakraNode) -> None:
        operation = Operation(rank, f"node {node.number} of rank {rank}")
        position = len(self._operations)
        self._operations.append(operation)
        if not node.communicates:
            operation.duration = node.duration
        elif node.kind in (SEND, RECEIVE):
            self._add_communication(rank, node, operation, position)
        else:
            self._operations.append(Operation(rank, operation.name, needs=[Need(position)]))
            group = str(node.attributes.get("pg_name", ""))
            self._calls[group][rank].append(_Call(rank, node, position, position + 1))

    def _add_communication(self, rank: int, node: ChakraNode, operation: Operation, position: int) -> None:
        sends = node.kind == SEND
        peer = int(node.attributes["comm_dst" if sends else "comm_src"])
        check_rank(f"{operation.name}: {'comm_dst' if sends else 'comm_src'}", peer, len(self._traces))
        operation.size_bytes = int(node.attributes["comm_size"])
        tag = node.attributes.get("comm_tag", 0)
        if sends:
            operation.destinations = (peer,)
            self._matching.send(position, (rank, peer, tag))
        else:
            self._matching.receipt(position, (peer, rank, tag))

    def _add_collectives(self, group: str, calls: dict[int, list[_Call]]) -> None:
        ranks = sorted(calls)
        first = calls[ranks[0]]
        for rank in ranks:
            if len(calls[rank]) != len(first):
                right = f"it must be {len(first)} as on rank {ranks[0]}"
                text = f"Number of collective operations of group {group!r} is {len(calls[rank])} on rank {rank}"
                raise ProgramError(f"{text}; {right}")
        for together in zip(*(calls[rank] for rank in ranks), strict=True):
            self._add_collective(together)

    def _add_collective(self, calls: Sequence[_Call]) -> None:
        first = calls[0]
        wanted = [first.node.attributes.get(name, 0) for name in ("comm_type", "comm_size", "comm_root")]
        for call in calls:
            own = [call.node.attributes.get(name, 0) for name in ("comm_type", "comm_size", "comm_root")]
            if own != wanted:
                text = f"type, size and root are {own}; they must be {wanted} as on rank {first.rank}"
                raise ProgramError(f"node {call.node.number} of rank {call.rank}: {text}")
        kind, size_bytes, root = map(int, wanted)
        if not 0 <= root < len(calls):
            text = f"comm_root is {root}; it must be a member, 0 to {len(calls) - 1}"
            raise ProgramError(f"node {first.node.number} of rank {first.rank}: {text}")
        self._add_transfers(list(ALGORITHMS)[kind], size_bytes, root, calls)

    def _add_transfers(self, name: str, size_bytes: int, root: int, calls: Sequence[_Call]) -> None:
        ranks, begins, ends = (
            [call.rank for call in calls],
            [call.begin for call in calls],
            [call.end for call in calls],
        )
        schedule = self._schedule_of(name, ranks, root, size_bytes)
        added = add_operation(self._operations, name, schedule, size_bytes, ranks, begins, ends)
        self._plane_calls += [added] if added is not None else []
