"""Base of the models of all families: their interface to the common simulation."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.engine import Engine
from sim_model.messages.messages import Messages
from topology.common.channels import ChannelNetwork
from topology.common.input_errors import error_outputs
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire


@dataclass(frozen=True)
class Wait:
    """An input channel that is blocked.

    Members:
        channel: Input channel whose first flit waits.
        message: Message of that flit.
        blockers: Channels of which at least one has to make progress before this one can.
        reason: For people: what is waited for.
    """

    channel: int
    message: int
    blockers: tuple[int, ...]
    reason: str


class Model(ABC):
    """A network of one family, without messages.

    Members:
        routing: The family's network and tables, or rules of routing.
        link_cycles: Cycles that a flit takes from one switch to the next.
    """

    routing: Any
    link_cycles: int = 1

    @property
    def network(self) -> ChannelNetwork:
        """The network."""
        return self.routing.network

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.routing.flit_bits

    @property
    @abstractmethod
    def buffer_depth_flits(self) -> int:
        """Flits that the input buffer of a switch holds."""

    @property
    def registers_wake(self) -> bool:
        """True if a switch may have work as soon as one of its output registers is emptied."""
        return False

    @property
    def delivers_over_channels(self) -> bool:
        """True if hosts get messages over delivery channels, which they can stall."""
        return True

    @property
    def header_flits(self) -> Callable[[Sequence[int]], int]:
        """Header length in flits of a message to some destinations: processors, each of them once.

        It depends on their number alone, unless the function is a ``HeaderLengths``.
        """
        return self.routing.header_flits

    def sent_header(self, messages: Messages, message: int) -> int:
        """Return the header of a message as its source sends it, as an integer; its first flit is the lowest bits.

        Parameters:
            messages
            message: Number of the message, its position there.
        """
        return self.routing.header_value(int(messages.source[message]), messages.destinations_of(message).tolist())

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Wires between switches besides channels; recordings hold their values."""
        return ()

    @property
    def status_outputs(self) -> tuple[StatusOutput, ...]:
        """Outputs for the status of the network; recordings hold their values. Others are expected to be 0."""
        return error_outputs(self.network)

    def header_changes(self, variant: np.ndarray, /) -> list[tuple[int, int, np.ndarray]]:
        """Return the header fields that changed on the way, for flits recorded with these variants; by default none.

        Variants are not 0: that is a flit as its source has sent it.

        Parameters:
            variant (int array): Of each flit of headers in a recording.

        Returns:
            list of (int, int, int array): Low bit and width, at most 32, of each field that changes, and its values.
        """
        return []

    def is_spoilt(self, variant: np.ndarray, /) -> np.ndarray:
        """Return whether the body of a flit that is recorded with a variant has been spoilt on the way.

        Parameters:
            variant (int array): Of each flit in a recording.

        Returns:
            bool array of the same shape
        """
        return np.zeros(len(variant), dtype=bool)

    def copy_log(self, router_state: Any, /) -> np.ndarray | None:
        """Return every delivered copy, see ``Results.copy_log``; None if messages have one copy per destination.

        Parameters:
            router_state (named tuple of arrays): As ``make_state`` gives it.

        Returns:
            structured array or None: See ``Results.copy_log``.
        """
        return None

    def discarded(self, router_state: Any, /) -> int:
        """Return the number of unroutable worms.

        Parameters:
            router_state (named tuple of arrays): As ``make_state`` gives it.
        """
        return int(router_state.discards.worms[0])

    def reception(self, messages: Messages, copy_log: Any, /) -> dict[str, int]:
        """Return counts, by name, of the copies in a log that hosts accept or reject; empty without a log.

        Parameters:
            messages
            copy_log (structured array or None): Result of ``copy_log``.
        """
        return {}

    @abstractmethod
    def make_state(self, messages: Messages) -> Any:
        """Return tables and registers of the routers before cycle 0: a (nested) named tuple of arrays.

        Parameters:
            messages: Messages of the hosts: some models keep values of their own for each.
        """

    @abstractmethod
    def run_cycles(self, state: EngineState, routers: Any, trace: Trace, until_cycle: int) -> int:
        """Return the compiled loop, which changes the state that it is given.

        Parameters:
            state: Everything but the routers.
            routers (named tuple of arrays): As ``make_state`` gives it.
            trace: Gets a row for each cycle that is run; without rows nothing is recorded.
            until_cycle: The first cycle that is not run any more.

        Returns:
            int: Why it stopped: ``LIMIT``, ``FINISHED`` or ``DEADLOCKED`` of ``sim_model/engines/cycle/clock.py``.
        """

    def bound_loop(self, state: EngineState, routers: Any, trace: Trace) -> Callable[[int], int | None]:
        """Return ``run_cycles`` as a function of ``until_cycle``, for many short calls.

        Parameters:
            state, routers, trace: As of ``run_cycles``.
        """
        return partial(self.run_cycles, state, routers, trace)

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Faster engines that the model has, the preferred one first."""
        return ()

    @abstractmethod
    def describe_router(self, state: EngineState, routers: Any, switch: int) -> str:
        """Return the whole state of a router as text, for mismatch and deadlock reports.

        Parameters:
            state: Everything but the routers.
            routers (named tuple of arrays): As ``make_state`` gives it.
            switch

        Returns:
            Some lines.
        """

    @abstractmethod
    def waits(self, state: EngineState, routers: Any) -> list[Wait]:
        """Return the waits of all input channels with flits, in a network where nothing moves.

        Parameters:
            state: Everything but the routers.
            routers (named tuple of arrays): As ``make_state`` gives it.
        """
