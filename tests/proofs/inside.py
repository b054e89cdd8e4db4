"""A part under proof, with access to its internals: its placed parts, its registers, the rows of its memories.

Properties speak of ports. What is inside is for invariants only, which tie it to a reference model.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any

from amaranth.hdl import Const, Elaboratable, Fragment, Module, Signal
from amaranth.hdl._mem import MemoryInstance

from rtl.parts.part import Part
from tests.proofs.claims import Claims


class Workbench:
    """An ``Exporter`` that records placed parts, and omits those that are left out.

    Parameters
    ----------
    left_out : collection of type
        Kinds of parts that are reduced to their ports; the proof drives their outputs.

    Members
    -------
    placed : dict of str to Part or interface
        By instance name.
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

    Parameters
    ----------
    claims : Claims
    part : Part
    left_out : collection of type
        Kinds of parts to leave out.
    name : str
        Where there are several parts, each has a name of its own.

    Members
    -------
    placed : dict of str to Part or interface
        The parts in the part, by instance name.
    """

    def __init__(self, claims: Claims, part: Part, left_out: Collection[type] = (), name: str = "part"):
        workbench = Workbench(left_out)
        self._fragment: Any = Fragment.get(part, workbench)
        self.placed = workbench.placed
        claims.m.submodules[name] = self

    def elaborate(self, _platform):
        return self._fragment

    def register(self, name: str, inside: str | None = None) -> Any:
        """A register by its name in the source text.

        Parameters
        ----------
        name : str
        inside : str or None
            Instance name of the part in the part that has it; with a slash for a part in that part.

        Raises
        ------
        KeyError
            If there is none of that name; then the invariants are out of date.
        """
        fragment = self._part_of(inside)
        for statement in () if fragment is None else fragment.statements.get("sync", ()):
            for signal in statement._lhs_signals():
                if signal.name == name:
                    return signal
        raise KeyError(f"no register {name!r} any more: bring the invariants of this proof up to date")

    def state(self, inside: str | None = None) -> Callable[[str], Any]:
        """True if the only state machine of a part is in the named state."""
        register = self.register("fsm_state", inside)
        numbers: dict[str, int] = {}
        with suppress(KeyError):  # the register has more values than there are states
            for number in range(1 << len(register)):
                numbers[register.decoder(number).split("/")[0]] = number
        return lambda name: register == numbers[name]

    def memory_row(self, row: int, memory: str | None = None) -> Signal:
        """One row of a memory, seen through a read port of its own.

        Parameters
        ----------
        row : int
        memory : str or None
            Instance name of the memory, with slashes as in ``register``; not needed if there is only one.
        """
        store = self._memory_of(memory)
        data = Signal(store._data.shape, name=f"row_{row}")
        address = Const(row, max(0, (store._data.depth - 1).bit_length()))
        store.read_port(domain="comb", addr=address, data=data, en=Const(1), transparent_for=())
        return data

    def memory_output(self, memory: str) -> Any:
        """Data of the first read port of a memory."""
        return self._memory_of(memory)._read_ports[0]._data

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
