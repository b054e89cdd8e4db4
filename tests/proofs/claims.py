"""Claims of a proof about a part: assumptions, properties that hold, and states that can be reached."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from amaranth.asserts import AnyConst, AnySeq
from amaranth.back import rtlil
from amaranth.hdl import Assert, Assume, ClockDomain, Const, Cover, Elaboratable, Fragment, Module, Signal, Value
from amaranth.hdl._mem import MemoryInstance

from rtl.generator.structure import flat_ports
from rtl.parts.part import Part
from rtl.parts.selection import concat

# Claims of a proof about a part: assumptions, properties that hold, and states that can be reached.

TOP = "top"
_NAME = re.compile(r"[a-zA-Z0-9:,'+ -]+")
_CHECK_CELL = re.compile(r'cell \$check (\S+)\n(\s+)parameter \\FORMAT "([^"]*)"')


class Claims:
    """Collects the claims of one proof.

    m: The module that holds the part, with the clock domain ``sync``.
    design: The finished module, once everything is claimed.
    properties, invariants, possibilities: Names of the claims made so far.
    """

    def __init__(self, only: str | None = None):
        self.m: Any = Module()
        # registers begin as after a reset; reset is never asserted during a run
        self.m.domains.sync = domain = ClockDomain("sync", reset_less=True)
        self.clock = domain.clk
        self.design: Any = None
        self.only = only
        self.properties: list[str] = []
        self.invariants: list[str] = []
        self.possibilities: list[str] = []

    def assume(self, condition: Any) -> None:
        """Assume that a condition is true in every cycle: an obligation of the part's user."""
        self.m.d.comb += Assume(_one_bit(condition))

    def always(self, name: str, condition: Any) -> None:
        """Property: the condition is true in every cycle. A name used again adds to the property."""
        _note(self.properties, name)
        if self.only in (None, name):
            self.m.d.comb += Assert(_one_bit(condition), name)

    def invariant(self, name: str, condition: Any) -> None:
        """Tie the inside of the part to the reference model, so that induction closes. Proved like a property."""
        name = f"invariant: {name}"
        _note(self.invariants, name)
        if self.only is None:
            self.m.d.comb += Assert(_one_bit(condition), name)

    @contextmanager
    def proved_elsewhere(self) -> Iterator[None]:
        """Within this block properties are invariants: they are those of another proof, and this one builds on them."""
        always, self.always = self.always, self.invariant
        try:
            yield
        finally:
            self.always = always

    def possible(self, name: str, condition: Any) -> None:
        """The condition can come true; otherwise the assumptions would exclude important states."""
        _note(self.possibilities, name)
        if self.only is None:
            self.m.d.comb += Cover(_one_bit(condition), name)

    def was(self, value: Any, name: str) -> Any:
        """The value one cycle ago; 0 in the first cycle."""
        before = Signal(len(Value.cast(value)), name=f"was_{name}")
        self.m.d.sync += before.eq(value)
        return before

    def named(self, value: Any, name: str) -> Any:
        """The value as a signal with a name, for use in loops and for waveforms."""
        signal = Signal(len(Value.cast(value)), name=name)
        self.m.d.comb += signal.eq(value)
        return signal

    def anything(self, target: Any) -> None:
        """Let a signal have any value, another one in every cycle."""
        target = Value.cast(target)
        value: Any = AnySeq(len(target))
        self.m.d.comb += target.eq(value)

    def anything_of(self, bits: int, name: str) -> Any:
        """A signal with any value, another one in every cycle."""
        signal = Signal(bits, name=name)
        self.anything(signal)
        return signal

    def constant(self, bits: int, name: str) -> Any:
        """A number that may be any, but is the same in every cycle."""
        signal = Signal(bits, name=name)
        value: Any = AnyConst(bits)
        self.m.d.comb += signal.eq(value)
        return signal

    def never_changes(self, target: Any) -> None:
        """Assume that an input keeps its value."""
        self.assume(target == self.constant(len(target), "kept"))

    def free_inputs(self, part: Any, besides: tuple[str, ...] = ()) -> None:
        """Let all inputs of a part have any value, but for those whose names begin with one of the given words."""
        for name, is_input, value in flat_ports(part):
            if is_input and not name.startswith(besides):
                self.anything(value)


def started(claims: Claims) -> Value:
    """True in all cycles but the first one after reset, in which nothing is ready yet."""
    return claims.was(1, "started")


def at_most_one(bits: Any) -> Value:
    """True if at most one bit of a signal is set."""
    return ~concat(bits[i] & bits[:i].any() for i in range(1, len(bits))).any()


def _one_bit(condition: Any) -> Value:
    """A condition of several bits would be true if any of them is, which is hardly intended."""
    value = Value.cast(condition)
    if len(value) != 1:
        raise ValueError(f"Condition must have one bit, not {len(value)!r}")
    return value


def _note(names: list[str], name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"Claim name is {name!r}; it must be words")
    if name not in names:
        names.append(name)


Describe = Callable[[Claims], None]
"""Adds a part and the claims about it to the module of the claims."""


def collect(describe: Describe, only: str | None = None) -> Claims:
    """Make a module with a part and its claims."""
    claims = Claims(only)
    describe(claims)
    claims.design = Fragment.get(claims.m, None)
    if only is not None and only not in claims.properties:
        raise ValueError(f"Property is {only!r}; it must be one of {', '.join(claims.properties)}")
    return claims


def rtlil_of(describe: Describe, only: str | None = None) -> str:
    """A part and its claims in RTLIL, every claim under its own name.

    A clock that is not a port would never tick, and everything would hold; so the clock is one.
    """
    claims = collect(describe, only)
    return _named_checks(rtlil.convert(claims.design, name=TOP, ports=[claims.clock], emit_src=False))


def _named_checks(text: str) -> str:
    """Name the check cells by their messages; a property of several asserts has numbered cells."""
    used: dict[str, int] = {}

    def renamed(match: re.Match) -> str:
        name = match[3]
        used[name] = used.get(name, 0) + 1
        cell = f"{name.replace(' ', '_')}#{used[name]}"
        return f'cell $check \\{cell}\n{match[2]}parameter \\FORMAT "{name}"'

    return _CHECK_CELL.sub(renamed, text)


def claim_of(cell: str) -> str:
    """The name of the claim that a check cell belongs to."""
    return cell.rpartition("#")[0].replace("_", " ")


# A part under proof, with access to its internals: its placed parts, its registers, the rows of its memories.


class Workbench:
    """An ``Exporter`` that records placed parts, and omits those that are left out.

    placed: By instance name.
    """

    def __init__(self, left_out: Collection[type] = ()):
        self.left_out = tuple(left_out)
        self.placed: dict[str, Any] = {}

    def instance(self, m: Module, name: str, part: Part) -> Any:
        """Put a part in, or just its ports."""
        if isinstance(part, self.left_out):
            self.placed[name] = part.signature.create(path=(name,))
        else:
            m.submodules[name] = part
            self.placed[name] = part
        return self.placed[name]


class Inside(Elaboratable):
    """Puts a part into the module of the claims.

    placed: The parts in the part, by instance name.
    """

    def __init__(self, claims: Claims, part: Part, left_out: Collection[type] = (), name: str = "part"):
        workbench = Workbench(left_out)
        self._fragment: Any = Fragment.get(part, workbench)
        self.placed = workbench.placed
        claims.m.submodules[name] = self

    def elaborate(self, _platform):
        return self._fragment

    def register(self, name: str, inside: str | None = None) -> Any:
        """A register by its name in the source text."""
        return self._driven("sync", name, inside)

    def _driven(self, domain: str, name: str, inside: str | None) -> Any:
        fragment = self._part_of(inside)
        for statement in () if fragment is None else fragment.statements.get(domain, ()):
            for signal in statement._lhs_signals():
                if signal.name == name:
                    return signal
        raise KeyError(f"no register or wire {name!r} any more: bring the invariants of this proof up to date")

    def registers(self) -> Iterator[Any]:
        """Yield all registers, at any depth, that a reset sets to a first value."""
        pending = [self._fragment]
        for fragment in pending:  # grows while it is read
            pending += [sub for sub, _, _ in fragment.subfragments]
            found = {id(s): s for line in fragment.statements.get("sync", ()) for s in line._lhs_signals()}
            yield from (signal for signal in found.values() if not signal.reset_less)

    def wire(self, name: str, inside: str | None = None) -> Any:
        """A combinational signal by its name in the source text."""
        return self._driven("comb", name, inside)

    def state(self, inside: str | None = None, fsm: str = "fsm") -> Callable[[str], Any]:
        """True if a state machine of a part, by default the only one, is in the named state."""
        register = self.register(f"{fsm}_state", inside)
        numbers: dict[str, int] = {}
        with suppress(KeyError):  # the register has more values than there are states
            for number in range(1 << len(register)):
                numbers[register.decoder(number).split("/")[0]] = number
        return lambda name: register == numbers[name]

    def memory_row(self, row: int, memory: str | None = None) -> Signal:
        """One row of a memory, seen through a read port of its own."""
        store = self._memory_of(memory)
        data = Signal(store._data.shape, name=f"row_{row}")
        address = Const(row, max(0, (store._data.depth - 1).bit_length()))
        store.read_port(domain="comb", addr=address, data=data, en=Const(1), transparent_for=())
        return data

    def memory_output(self, memory: str) -> Any:
        """Data of the first read port of a memory."""
        return self._memory_of(memory)._read_ports[0]._data

    def memory_enables(self, memory: str) -> tuple[Any, Any]:
        """Enables of the first read port and the first write port of a memory."""
        store = self._memory_of(memory)
        return store._read_ports[0]._en, store._write_ports[0]._en

    def _memory_of(self, name: str | None) -> Any:
        fragment = self._part_of(name)
        if fragment is None:
            raise KeyError(f"no memory {name!r} any more: bring the invariants of this proof up to date")
        (store,) = _memories(fragment)
        return store

    def _part_of(self, path: str | None) -> Any:
        fragment = self._fragment
        for instance in path.split("/") if path else ():
            fragment = None if fragment is None else _instance(fragment, instance)
        return fragment


def _instance(fragment: Any, name: str) -> Any:
    """The part of some instance name, at any depth."""
    for sub, instance, _ in fragment.subfragments:
        found = sub if instance == name else _instance(sub, name)
        if found is not None:
            return found
    return None


def _memories(fragment: Fragment) -> Iterator[Any]:
    if isinstance(fragment, MemoryInstance):
        yield fragment
    for sub, _, _ in fragment.subfragments:
        yield from _memories(sub)
