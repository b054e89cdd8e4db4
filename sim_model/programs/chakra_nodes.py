"""Nodes of a Chakra execution trace: a file of one rank, a protocol buffer per node behind one for the whole trace."""

from typing import NamedTuple

from sim_model.programs.collectives import COLLECTIVES
from sim_model.programs.program import ProgramError
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

    Members
    -------
    number : int
        Its id, which others depend on.
    kind : int
        See ``KINDS``.
    duration : int
        Microseconds.
    data, control : tuple of int
        Ids of the nodes that it depends on.
    attributes : mapping of str to int or str
        Those that communication has.
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

    Raises
    ------
    ProgramError
        With the byte of the node, if the file is none, is cut off, or a node is of no known type or lacks what it
        needs.
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
        raise ProgramError(f"byte {byte}: node {node.number}: Type must be 1 to {KINDS[-1]}, not {node.kind}")
    if not node.communicates:
        return
    needed = {SEND: ("comm_dst", "comm_size"), RECEIVE: ("comm_src", "comm_size"), COLLECTIVE: ("comm_size",)}
    for name in needed[node.kind]:
        value = node.attributes.get(name)
        if not isinstance(value, int) or value < 0:
            shown = "nothing" if value is None else value
            raise ProgramError(f"byte {byte}: node {node.number}: {name} must be a number from 0 on, not {shown}")
    kind = node.attributes.get("comm_type", 0)
    if not isinstance(kind, int) or not 0 <= kind < len(COLLECTIVES):
        text = f"comm_type must be 0 to {len(COLLECTIVES) - 1}, not {kind}"
        raise ProgramError(f"byte {byte}: node {node.number}: {text}")
