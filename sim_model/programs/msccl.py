"""MSCCL: collective operations as XML, a program for every GPU.

A GPU has thread blocks (``tb``), each with one GPU to which it sends and one from which it receives over a channel, and
a list of steps that run one after the other:

    s                     sends chunks
    r, rrc                receives, and reduces into a buffer
    rcs, rrs, rrcs        receives, and sends on what it has received, or the sum
    cpy, re, nop          does something within the GPU, or nothing

``depid`` and ``deps`` name a thread block and a step of the same GPU that must have ended before; a step has ``cnt``
chunks. Messages from one GPU to another over a channel arrive in the order in which they are sent. A program whose
``coll`` is ``broadcast`` names a broadcast: its steps are how software carries it, and hardware needs one message.
Another algorithm may replace the steps of a program that names its operation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple
from xml.parsers import expat

from sim_model.programs.collectives import ScheduleOf, add_operation
from sim_model.programs.matching import Matching
from sim_model.programs.program import Need, Operation, Program, ProgramError, check_rank

SENDS = frozenset({"s", "rcs", "rrs", "rrcs"})
RECEIVES = frozenset({"r", "rrc", "rcs", "rrs", "rrcs"})
STEPS = SENDS | RECEIVES | {"cpy", "re", "nop"}
BROADCAST = "broadcast"
OPERATIONS = {
    "allreduce": "all-reduce",
    "allgather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "reducescatter": "reduce-scatter",
    "alltoall": "all-to-all",
    "broadcast": BROADCAST,
    "reduce": "reduce",
}
"""Names of operations by the ``coll`` of a program."""
MAX_GPUS = 1 << 16
MAX_DIGITS = 9
NO_PEER = -1
_INSIDE = {"algo": None, "gpu": "algo", "tb": "gpu", "step": "tb"}


class _Step(NamedTuple):
    kind: str
    chunks: int
    block: int  # of the step that must have ended, or NO_PEER
    step: int
    line: int


@dataclass
class _Block:
    """A thread block."""

    number: int
    send: int
    receive: int
    channel: int
    line: int
    steps: list[_Step] = field(default_factory=list)


@dataclass
class _Algorithm:
    """The whole file: thread blocks by number and GPU."""

    gpus: int
    collective: str
    chunks: int
    blocks: dict[int, dict[int, _Block]] = field(default_factory=dict)


def read_msccl(
    data: bytes,
    bytes_per_chunk: int,
    one_message: bool = False,
    schedules: Mapping[str, ScheduleOf] = MappingProxyType({}),
) -> Program:
    """Return the program of all GPUs, which are its ranks; nothing in it takes time but messages.

    Parameters:
        data: The XML file.
        one_message: A program that is named a broadcast becomes one message from its root to all others.
        schedules: Schedules in place of the steps, by the name of the program's operation.

    Raises:
        ProgramError: With the line, if it is no such program, names a GPU or step that is not there, or has a send
            without a receipt or a receipt without a send.
    """
    algorithm = _Parser().algorithm(data)
    if schedules:
        name = OPERATIONS.get(algorithm.collective, "")
        if name not in schedules:
            known = [collective for collective, operation in OPERATIONS.items() if operation in schedules]
            raise ProgramError(f"coll is {algorithm.collective!r}; it must be {' or '.join(known)}", 1)
        return _named(algorithm, name, schedules[name], bytes_per_chunk)
    if one_message and algorithm.collective == BROADCAST:
        return _broadcast(algorithm, bytes_per_chunk)
    return _Reader(algorithm, bytes_per_chunk).program()


class _Parser:
    """Elements to an algorithm."""

    def __init__(self):
        self._expat = expat.ParserCreate("UTF-8")  # whatever the file says: Python has codecs that are no encodings
        self._expat.StartElementHandler = self._begin
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._refuse
        self._open: list[str] = []
        self._algorithm: _Algorithm | None = None
        self._gpu, self._block = 0, _Block(0, NO_PEER, NO_PEER, 0, 1)

    def algorithm(self, data: bytes) -> _Algorithm:
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            inside = f" within {self._open[-1]}" if self._open else ""
            raise ProgramError(f"not valid XML: {expat.ErrorString(error.code)}{inside}", error.lineno) from None
        assert self._algorithm is not None
        return self._algorithm

    def _refuse(self, *_declaration: Any) -> None:
        raise ProgramError("A program must have no document type", self._expat.CurrentLineNumber)

    def _begin(self, name: str, attributes: Mapping[str, str]) -> None:
        line = self._expat.CurrentLineNumber
        inside = self._open[-1] if self._open else None
        if name not in _INSIDE or _INSIDE[name] != inside:
            allowed = [known for known, outer in _INSIDE.items() if outer == inside]
            raise ProgramError(f"Token is {name!r}; it must be {' or '.join(allowed) or 'nothing'}", line)
        self._open.append(name)
        getattr(self, f"_begin_{name}")(_Attributes(name, attributes, line))

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _begin_algo(self, attributes: "_Attributes") -> None:
        gpus = attributes.number("ngpus", 1, MAX_GPUS)
        self._algorithm = _Algorithm(gpus, attributes.text("coll", ""), attributes.number("nchunksperloop", 1))

    def _begin_gpu(self, attributes: "_Attributes") -> None:
        assert self._algorithm is not None
        self._gpu = attributes.number("id", 0)
        check_rank("Id of a GPU", self._gpu, self._algorithm.gpus, attributes.line)
        if self._gpu in self._algorithm.blocks:
            raise ProgramError(f"Id of a GPU must be its own, not {self._gpu} again", attributes.line)
        self._algorithm.blocks[self._gpu] = {}

    def _begin_tb(self, attributes: "_Attributes") -> None:
        assert self._algorithm is not None
        send, receive = attributes.number("send", NO_PEER), attributes.number("recv", NO_PEER)
        for peer in (send, receive):
            if peer != NO_PEER:
                check_rank("Peer of a thread block", peer, self._algorithm.gpus, attributes.line)
        number = attributes.number("id", 0)
        self._block = _Block(number, send, receive, attributes.number("chan", 0), attributes.line)
        if number in self._algorithm.blocks[self._gpu]:
            raise ProgramError(f"Id of a thread block must be its own, not {number} again", attributes.line)
        self._algorithm.blocks[self._gpu][number] = self._block

    def _begin_step(self, attributes: "_Attributes") -> None:
        kind, position = attributes.text("type"), attributes.number("s", 0)
        if kind not in STEPS:
            raise ProgramError(
                f"Type of a step is {kind!r}; it must be one of {', '.join(sorted(STEPS))}", attributes.line
            )
        if position != len(self._block.steps):
            raise ProgramError(
                f"Number of the step is {position}; it must be {len(self._block.steps)}", attributes.line
            )
        for kinds, peer, verb in ((SENDS, self._block.send, "send"), (RECEIVES, self._block.receive, "recv")):
            if kind in kinds and peer == NO_PEER:
                text = f"Thread block {self._block.number} must have a {verb} for a step of type {kind}, not {NO_PEER}"
                raise ProgramError(text, attributes.line)
        block, step = attributes.number("depid", NO_PEER), attributes.number("deps", NO_PEER)
        self._block.steps.append(_Step(kind, attributes.number("cnt", 0), block, step, attributes.line))


class _Attributes:
    """Attributes of an element, checked as they are read."""

    def __init__(self, element: str, values: Mapping[str, str], line: int):
        self.line = line
        self._element, self._values = element, values

    def text(self, name: str, default: str | None = None) -> str:
        value = self._values.get(name, default)
        if value is None:
            raise ProgramError(f"{self._element} must have {name}", self.line)
        return value

    def number(self, name: str, least: int, most: int | None = None) -> int:
        text = self.text(name)
        digits = text.removeprefix("-")
        value = int(text) if digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS else None
        if value is None or value < least or (most is not None and value > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise ProgramError(f"{name} is {text[:40]!r}; it must be a number, {allowed}", self.line)
        return value


class _Reader:
    """Steps to operations."""

    def __init__(self, algorithm: _Algorithm, bytes_per_chunk: int):
        self._algorithm, self._bytes_per_chunk = algorithm, bytes_per_chunk
        self._operations: list[Operation] = []
        self._matching = Matching(self._operations)
        self._first: dict[tuple[int, int, int], int] = {}  # operations of a step, by GPU, thread block and step
        self._last: dict[tuple[int, int, int], int] = {}

    def program(self) -> Program:
        for gpu, blocks in sorted(self._algorithm.blocks.items()):
            for block in blocks.values():
                for number in range(len(block.steps)):
                    self._add_step(gpu, block, number)
        self._add_dependencies()
        self._matching.finish()
        return Program(self._algorithm.gpus, self._operations)

    def _add_step(self, gpu: int, block: _Block, number: int) -> None:
        step, key = block.steps[number], (gpu, block.number, number)
        name = f"step {number} of thread block {block.number} of GPU {gpu}"
        size_bytes = step.chunks * self._bytes_per_chunk
        needs = [Need(self._last[gpu, block.number, number - 1])] if number else []
        self._first[key] = len(self._operations)
        if step.kind not in SENDS or step.kind in RECEIVES:
            if step.kind in RECEIVES:
                self._matching.receipt(len(self._operations), (block.receive, gpu, block.channel))
            self._operations.append(Operation(gpu, name, size_bytes=size_bytes, needs=needs, line=step.line))
            needs = [Need(self._first[key])]
        if step.kind in SENDS:
            self._matching.send(len(self._operations), (gpu, block.send, block.channel))
            self._operations.append(Operation(gpu, name, 0, (block.send,), size_bytes, needs, line=step.line))
        self._last[key] = len(self._operations) - 1

    def _add_dependencies(self) -> None:
        for gpu, blocks in self._algorithm.blocks.items():
            for block in blocks.values():
                for number, step in enumerate(block.steps):
                    if step.block != NO_PEER:
                        needed = self._last.get((gpu, step.block, step.step))
                        if needed is None:
                            text = f"depid and deps must name a step of GPU {gpu}, not {step.block} and {step.step}"
                            raise ProgramError(text, step.line)
                        self._operations[self._first[gpu, block.number, number]].needs.append(Need(needed))


def _broadcast(algorithm: _Algorithm, bytes_per_chunk: int) -> Program:
    """Return one message from the GPU that only sends to all others."""
    root = _root(algorithm, BROADCAST)
    others = tuple(gpu for gpu in range(algorithm.gpus) if gpu != root)
    size_bytes = algorithm.chunks * bytes_per_chunk
    return Program(algorithm.gpus, [Operation(root, f"broadcast of GPU {root}", 0, others, size_bytes, line=1)])


def _root(algorithm: _Algorithm, name: str) -> int:
    """Return the only GPU that receives nothing in a broadcast, or sends nothing in a reduction."""
    kinds, verb = (RECEIVES, "receives") if name == BROADCAST else (SENDS, "sends")
    roots = [
        gpu
        for gpu in range(algorithm.gpus)
        if not any(step.kind in kinds for block in algorithm.blocks.get(gpu, {}).values() for step in block.steps)
    ]
    if len(roots) != 1:
        raise ProgramError(f"A {name} must have one GPU that {verb} nothing, not {len(roots)}", 1)
    return roots[0]


def _named(algorithm: _Algorithm, name: str, schedule_of: ScheduleOf, bytes_per_chunk: int) -> Program:
    """Return the program's operation by another algorithm; its vector has all chunks of a loop."""
    gpus = range(algorithm.gpus)
    root = _root(algorithm, name) if name in (BROADCAST, "reduce") else 0
    operations = [Operation(gpu, f"GPU {gpu}", line=1) for gpu in (*gpus, *gpus)]
    size_bytes = algorithm.chunks * bytes_per_chunk
    schedule, ends = schedule_of(name, gpus, root, size_bytes), range(algorithm.gpus, 2 * algorithm.gpus)
    call = add_operation(operations, name, schedule, size_bytes, gpus, gpus, ends)
    return Program(algorithm.gpus, operations, () if call is None else (call,))
