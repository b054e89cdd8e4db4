"""GOAL programs: their sends, receipts and order as messages, and messages as a program."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sim_model.messages.messages import Messages
from sim_model.programs.matching import Matching
from sim_model.programs.program import Need, Operation, Program, ProgramError, check_rank

MAX_RANKS = 1 << 16
MAX_DIGITS = 18
_TOKEN = re.compile(
    r"(?P<skip>[ \t\r]+|//[^\n]*|\#[^\n]*)|(?P<lines>\n|/\*.*?\*/)|(?P<word>[A-Za-z_][\w.]*)|(?P<number>\d+b?)"
    r"|(?P<mark>[{}:])",
    re.DOTALL,
)
_BROADCAST = re.compile(r"bcast(\w*)_\d+")
_ATTRIBUTES = ("tag", "cpu", "nic")
_END = "the end of the file"


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def read_goal(text: str) -> Program:
    """Return a program of ranks.

    Parameters:
        text: The whole file.

    Raises:
        ProgramError: With the line, if it is no such program, names a rank or label that is not there, or has a send
            without a receipt or a receipt without a send.
    """
    return _Reader(text).program()


def _tokens(text: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            wrong = "/*" if text.startswith("/*", position) else text[position]
            raise ProgramError(f"A program must consist of words, numbers, braces and colons, not {wrong!r}", line)
        kind = match.lastgroup or ""
        if kind in ("word", "number", "mark"):
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")
        position = match.end()
    yield _Token("end", _END, line)


class _Reader:
    """Tokens to operations, one statement after the other."""

    def __init__(self, text: str):
        self._tokens = _tokens(text)
        self._next = next(self._tokens)
        self._operations: list[Operation] = []
        self._matching = Matching(self._operations)
        self._seen: set[int] = set()

    def program(self) -> Program:
        self._expect("num_ranks")
        line = self._next.line
        self._ranks = self._number("Number of ranks")
        if not 1 <= self._ranks <= MAX_RANKS:
            raise ProgramError(f"Number of ranks is {self._ranks}; it must be 1 to {MAX_RANKS}", line)
        while self._next.kind != "end":
            self._rank()
        self._matching.finish()
        return Program(self._ranks, self._operations)

    def _take(self) -> _Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _expect(self, text: str) -> None:
        token = self._take()
        if token.text != text:
            raise ProgramError(f"Token is {token.text!r}; it must be {text!r}", token.line)

    def _number(self, what: str, unit: str = "") -> int:
        token = self._take()
        digits = token.text.removesuffix("b") if unit else token.text
        if token.kind != "number" or not digits.isdigit():
            raise ProgramError(f"{what} is {token.text!r}; it must be a whole number{unit}", token.line)
        if len(digits) > MAX_DIGITS:
            raise ProgramError(f"{what} must have at most {MAX_DIGITS} digits, not {len(digits)}", token.line)
        return int(digits)

    def _rank(self) -> None:
        self._expect("rank")
        line = self._next.line
        rank = self._number("Rank")
        check_rank("Rank", rank, self._ranks, line)
        if rank in self._seen:
            raise ProgramError(f"Rank {rank} must be described once, not twice", line)
        self._seen.add(rank)
        self._expect("{")
        block = _Block(rank)
        while self._next.text != "}":
            if self._next.kind == "end":
                raise ProgramError(f"the file is cut off in rank {rank}, which begins in line {line}", self._next.line)
            self._statement(block)
        self._take()
        block.resolve(self._operations)

    def _statement(self, block: "_Block") -> None:
        first = self._take()
        if first.kind != "word":
            raise ProgramError(f"An operation or a label must begin with a letter, not {first.text!r}", first.line)
        if self._next.text in ("requires", "irequires"):
            started = self._take().text == "irequires"
            block.requirements.append((first, self._take(), started))
        elif self._next.text == ":":
            self._take()
            self._operation(block, first.text, self._take())
        else:
            self._operation(block, None, first)

    def _operation(self, block: "_Block", label: str | None, token: _Token) -> None:
        if label in block.labels:
            raise ProgramError(f"Label {label} must be an operation's own in rank {block.rank}", token.line)
        name = f"{token.text if label is None else label} of rank {block.rank}"
        operation = Operation(block.rank, name, line=token.line)
        position = len(self._operations)
        if token.text == "calc":
            operation.duration = self._number("Duration")
            self._attributes()
        elif token.text in ("send", "recv"):
            position = self._communication(block, label, token, operation)
        else:
            raise ProgramError(f"An operation is {token.text!r}; it must be send, recv or calc", token.line)
        if position == len(self._operations):
            self._operations.append(operation)
        if label is not None:
            block.labels[label] = position

    def _communication(self, block: "_Block", label: str | None, token: _Token, operation: Operation) -> int:
        """Add a send or a receipt. Returns the position of its operation."""
        sends = token.text == "send"
        operation.size_bytes = self._number("Size", " of bytes, such as 8b")
        self._expect("to" if sends else "from")
        peer = self._number("Rank")
        check_rank("Receiver" if sends else "Sender", peer, self._ranks, token.line)
        tag = self._attributes().get("tag", 0)
        position = len(self._operations)
        if not sends:
            self._matching.receipt(position, (peer, block.rank, tag))
            return position
        operation.destinations = (peer,)
        broadcast = None if label is None else _BROADCAST.fullmatch(label)
        if broadcast is not None:
            position = block.broadcasts.setdefault(broadcast[1], position)
            self._join(position, operation)
        self._matching.send(position, (block.rank, peer, tag))
        return position

    def _join(self, position: int, send: Operation) -> None:
        """Add a receiver to a broadcast."""
        if position == len(self._operations):
            return
        broadcast = self._operations[position]
        if send.size_bytes != broadcast.size_bytes:
            text = f"Sends of one broadcast must have one size, {broadcast.size_bytes} bytes, not {send.size_bytes}"
            raise ProgramError(text, send.line)
        broadcast.destinations = (*broadcast.destinations, *send.destinations)

    def _attributes(self) -> dict[str, int]:
        found = {}
        while self._next.text in _ATTRIBUTES:
            name = self._take().text
            found[name] = self._number(name.capitalize())
        return found


class _Block:
    """The block of one rank, while it is read."""

    def __init__(self, rank: int):
        self.rank = rank
        self.labels: dict[str, int] = {}
        self.broadcasts: dict[str, int] = {}
        self.requirements: list[tuple[_Token, _Token, bool]] = []

    def resolve(self, operations: list[Operation]) -> None:
        """Resolve the labels that operations require, which may follow them."""
        for who, whom, started in self.requirements:
            waiting, needed = self._position(who), Need(self._position(whom), started)
            if needed not in operations[waiting].needs:
                operations[waiting].needs.append(needed)

    def _position(self, label: _Token) -> int:
        if label.text not in self.labels:
            raise ProgramError(f"Label is {label.text!r}; it must be one of rank {self.rank}", label.line)
        return self.labels[label.text]


def goal_text(messages: Messages, processors: int, body_flits: Sequence[int], bytes_per_flit: int) -> str:
    """Return a program that sends these messages.

    Parameters:
        processors: Ranks of the program.
        body_flits: Length of each message without its header.
        bytes_per_flit: Bytes for which a flit of a message's body stands.
    """
    blocks: list[list[str]] = [[] for _ in range(processors)]
    for message in range(len(messages)):
        source, destinations = int(messages.source[message]), messages.destinations_of(message).tolist()
        size = f"{int(body_flits[message]) * bytes_per_flit}b"
        labels = _labels(message, len(destinations))
        for label, destination in zip(labels, destinations, strict=True):
            blocks[source].append(f"{label}: send {size} to {destination} tag {message}")
            blocks[destination].append(f"r{message}: recv {size} from {source} tag {message}")
        blocks[source] += _waits(messages, message, labels[0])
    lines = [f"num_ranks {processors}"]
    for rank, block in enumerate(blocks):
        lines += ["", f"rank {rank} {{", *(f"  {line}" for line in block), "}"]
    return "\n".join(lines) + "\n"


def _labels(message: int, destinations: int) -> list[str]:
    if destinations == 1:
        return [f"m{message}"]
    return [f"bcast{message}_{number}" for number in range(1, destinations + 1)]


def _waits(messages: Messages, message: int, label: str) -> Iterator[str]:
    """Yield the waits of a message as statements of its source's block."""
    start, source = int(messages.start_cycle[message]), int(messages.source[message])
    if start:
        yield f"s{message}: calc {start}"
        yield f"{label} requires s{message}"
    first, end = messages.parent_offsets[message : message + 2].tolist()
    for wait in range(first, end):
        parent, delay = int(messages.parents[wait]), int(messages.delay_cycles[wait])
        event = f"r{parent}"
        if messages.source[parent] == source:
            event = _labels(parent, int(messages.offsets[parent + 1] - messages.offsets[parent]))[0]
        if delay:
            yield f"d{wait}: calc {delay}"
            yield f"d{wait} requires {event}"
            event = f"d{wait}"
        yield f"{label} requires {event}"
