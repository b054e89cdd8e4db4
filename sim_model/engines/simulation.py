"""A network with messages, run cycle by cycle or to the end."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim_model.engines.counts import counts_by_cycles
from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.endpoints import make_endpoints
from sim_model.engines.cycle.state import CYCLE, NEVER, EngineState, Trace, make_state, make_trace
from sim_model.engines.deadlock import deadlock_report
from sim_model.engines.engine import CYCLE_ENGINE, ENGINES, Engine, Runner
from sim_model.engines.hosts import count_event
from sim_model.engines.model import Model
from sim_model.engines.results import Results
from sim_model.messages.messages import Messages
from topology.common.counter_bus import ChannelCounts
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.common.link_stages import LinkStages


class EngineError(ValueError):
    """An engine that cannot run this simulation; the message names one that can."""


@dataclass(frozen=True)
class CycleReport:
    """Moves, acceptances and deliveries of one cycle.

    Members:
        moved (bool array, shape (channels and then stages,)): Channels and stages (``LinkStages``) out of which a flit
            moved.
        accepted (list of (injector, message)): Messages that injectors accepted; an injector's number is its position
            in the network's ``injection_channels``, so its processor's where each has one.
        ejected (list of (processor, message, flit index)): Flits that reached their processor.
    """

    moved: np.ndarray
    accepted: list[tuple[int, int]]
    ejected: list[tuple[int, int, int]]


class Simulation:
    """The golden model at work (docs/look_up/timing.md).

    Parameters:
        model: Network and routers of a family, such as ``SpamModel``.
        messages: Messages of the hosts.
        startup_cycles: Cycles that a host prepares each message before it offers it to its injector.
        count_channels: Count what happens on each channel, for ``channel_counts``; a run then takes longer.
        hosts: Pauses of sources and stalls of receivers; by default none.
        engine (str or None): ``worm`` moves whole worms, ``planes`` the flits of 64 routers at a time, ``cycle`` one
            flit after the other; they agree in all results (docs/understand/engines.md). None: the first of the model's
            engines that can run the messages, if that pays. A run that is recorded, stepped, copied or looked into is
            done by cycles, once more from its beginning if it has begun otherwise.

    Members:
        links (LinkStages): The links, as long as the model has them.
        cycle: The next cycle to be run.
        finished, deadlocked (bool): True if no work is left, or if nothing can ever move again.

    Raises:
        ValueError: If there is no message, the start-up is negative, a message is sent over an injection channel that
            its source does not have, or hosts are to behave as they cannot in this model.
        EngineError: If flits cannot be moved as they are to be.
    """

    def __init__(
        self,
        model: Model,
        messages: Messages,
        startup_cycles: int = 0,
        *,
        count_channels: bool = False,
        hosts: HostBehaviour = EAGER,
        engine: str | None = None,
    ):
        if startup_cycles < 0:
            raise ValueError(f"Start-up must take at least 0 cycles, not {startup_cycles!r}")
        if hosts.stalls and not model.delivers_over_channels:
            raise ValueError("Hosts that get packets where they are stored cannot stall: no channel leads to them")
        _check_injection(messages, model.network.injection_channels_per_processor)
        self.model = model
        self.messages = messages
        self.links = LinkStages(model.network, model.link_cycles)
        self._startup_cycles, self._hosts, self._counting = startup_cycles, hosts, count_channels
        self._engine = self._choose(engine)
        self._state, self._router_state = self._first_states()
        self._fast_run: Runner | None = None
        self._reason = FINISHED if len(messages) == 0 else LIMIT
        self._no_trace = make_trace(0, self.links, 0)

    def _choose(self, name: str | None) -> Engine | None:
        """Return the engine, or None for that of cycles.

        Raises:
            EngineError: If it cannot run these messages, or there is none of that name.
        """
        if name not in (None, *ENGINES):
            raise EngineError(f"Engine is {name!r}; it must be one of {', '.join(ENGINES)}")
        if name is None:
            engines = self.model.engines
            return next((one for one in engines if one.pays(self.messages) and not self._obstacle_to(one)), None)
        if name == CYCLE_ENGINE:
            return None
        engine = next((one for one in self.model.engines if one.name == name), None)
        obstacle = "for these routers" if engine is None else self._obstacle_to(engine)
        if obstacle:
            raise EngineError(f"Engine is {name!r}; it must be {CYCLE_ENGINE!r} {obstacle}")
        return engine

    def _obstacle_to(self, engine: Engine) -> str:
        """Return why an engine cannot run these messages, or an empty string."""
        if self.links.most:
            return "for links with register stages"
        if self._hosts != EAGER:
            return "for hosts that hold back"
        return engine.obstacle(self.messages)

    def _first_states(self) -> tuple[EngineState, Any]:
        """Return links and hosts, and the routers unless the engine has its own, before cycle 0."""
        state = make_state(
            self.links,
            self.messages,
            make_endpoints(self.model.network, self.messages, self._hosts, self.model.header_flits),
            buffer_depth_flits=self.model.buffer_depth_flits,
            startup_cycles=self._startup_cycles,
            registers_wake=self.model.registers_wake,
            count_channels=self._counting,
        )
        return state, None if self._has_own_routers else self.model.make_state(self.messages)

    @property
    def _has_own_routers(self) -> bool:
        return self._engine is not None and self._engine.has_own_routers

    @property
    def engine(self) -> str:
        """Name of the engine: ``worm``, ``planes`` or ``cycle``."""
        return CYCLE_ENGINE if self._engine is None else self._engine.name

    @property
    def state(self) -> EngineState:
        """Everything but the routers, flit by flit; reading it switches the run to the cycle engine."""
        self._go_by_cycles()
        return self._state

    @property
    def router_state(self) -> Any:
        """The routers, like ``state``."""
        self._go_by_cycles()
        return self._router_state

    def _go_by_cycles(self) -> None:
        """Do what has been run by another engine once more, by cycles."""
        if self._engine is None:
            return
        found, self._fast_run, self._engine = self.results(), None, None
        self._state, self._router_state = self._first_states()
        self._reason = FINISHED if len(self.messages) == 0 else LIMIT
        again = self.run(found.cycles)
        if not np.array_equal(found.arrival_cycle, again.arrival_cycle):
            raise RuntimeError("The engines disagree; please report the configuration")

    @property
    def cycle(self) -> int:
        """The next cycle to be run."""
        return int(self._state.counters[CYCLE])

    @property
    def finished(self) -> bool:
        """True if all messages are sent and the network is empty."""
        return self._reason == FINISHED

    @property
    def deadlocked(self) -> bool:
        """True if flits are left that can never move again."""
        return self._reason == DEADLOCKED

    def run(self, until_cycle: int | None = None) -> Results:
        """Run until all is delivered, or a deadlock, or the given cycle (which is not run any more).

        Parameters:
            until_cycle: The first cycle that is not run any more; None sets no limit.

        Returns:
            Results so far.
        """
        self.advance(NEVER if until_cycle is None else until_cycle)
        return self.results()

    def advance(self, until_cycle: int) -> None:
        """Run like ``run``, without results.

        Parameters:
            until_cycle: The first cycle that is not run any more.
        """
        if self._reason != LIMIT:
            return
        if self._engine is not None:
            self._fast_run = self._fast_run or self._engine.start(self._state, self.messages)
            self._reason = self._fast_run.run(self._state, self._router_state, until_cycle)
        else:
            self._reason = self.model.run_cycles(self._state, self._router_state, self._no_trace, until_cycle)

    def release(self, message: int, cycle: int) -> None:
        """Count an event outside of the network for a message, as that of one of its parents.

        Parameters:
            message: Its number.
            cycle: The message does not start before; at least the next cycle of the run.
        """
        count_event(self.cycle, message, cycle, self.state)
        self._reason = LIMIT

    def record(self, cycles: int) -> Trace:
        """Run exactly ``cycles`` cycles and return what happened in each.

        After the end or a deadlock the clock goes on: no flit moves, but side wires can still change.

        Parameters:
            cycles: At least 0.

        Returns:
            A row for each cycle. Offers are accepted in the cycle in which they are made.
        """
        signals = (*self.model.side_wires, *self.model.status_outputs)
        trace = make_trace(cycles, self.links, sum(item.bits for item in signals))
        reason = self.model.run_cycles(self.state, self.router_state, trace, self.cycle + cycles)
        if cycles:
            self._reason = reason
        return trace

    def step(self) -> CycleReport:
        """Run one cycle.

        Returns:
            Report of the cycle.
        """
        trace = self.record(1)
        accepted, ejected = trace.accepted_message[0], trace.ejected_message[0]
        processors = self.model.network.delivery_processors
        return CycleReport(
            moved=trace.moved[0],
            accepted=[(int(i), int(accepted[i])) for i in np.flatnonzero(accepted >= 0)],
            ejected=[
                (processors[d], int(ejected[d]), int(trace.ejected_flit[0, d])) for d in np.flatnonzero(ejected >= 0)
            ],
        )

    @property
    def counts_channels(self) -> bool:
        """True if the run counts flits, stalls and bubbles of each channel."""
        return len(self._state.tallies) == len(self.model.network.channels)

    def snapshot(self) -> Any:
        """Return a copy of the whole state, for ``restore``."""
        return _copied((self.state, self.router_state)), self._reason

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot, which stays usable.

        Parameters:
            snapshot: Result of ``snapshot``.
        """
        (state, router_state), self._reason = snapshot
        self._engine = self._fast_run = None
        self._state, self._router_state = _copied((state, router_state))

    def results(self) -> Results:
        """Return what has been delivered so far; a copy."""
        if self._has_own_routers:
            return Results.of(self.messages, self._state, deadlocked=self.deadlocked)
        log = self.model.copy_log(self._router_state)
        results = Results.of(self.messages, self._state, deadlocked=self.deadlocked, copy_log=log)
        discarded = self.model.discarded(self._router_state)
        return replace(results, reception=self.model.reception(self.messages, log), discarded=discarded)

    def channel_counts(self) -> ChannelCounts:
        """Return a copy of the counts of each channel so far.

        Raises:
            ValueError: If the simulation was created without ``count_channels``.
        """
        if not self.counts_channels:
            raise ValueError("Channels are counted only in a simulation with count_channels=True")
        if self._fast_run is not None:
            return self._fast_run.counts(self._state)
        return counts_by_cycles(self._state)

    def describe_router(self, switch: int) -> str:
        """Return the whole state of a router as text, for mismatch reports.

        Parameters:
            switch

        Returns:
            Some lines.
        """
        return self.model.describe_router(self.state, self.router_state, switch)

    def deadlock_report(self) -> str:
        """Return a readable cycle of waiting input channels, and the state of their routers."""
        network = self.model.network
        waits = self.model.waits(self.state, self.router_state)
        return deadlock_report(network, waits, self.cycle)


def _check_injection(messages: Messages, injection_channels: int) -> None:
    """Check injection channels: messages may belong to another network, and the compiled loop checks no index."""
    if len(messages) and int(messages.injection.max()) >= injection_channels:
        number = int(messages.injection.argmax())
        allowed = "0" if injection_channels == 1 else f"0 to {injection_channels - 1}"
        raise ValueError(
            f"Injection channel of message {number} is {int(messages.injection[number])}; "
            f"it must be {allowed} in this network"
        )


def _copied(value: Any) -> Any:
    """Return a copy of a nested tuple of arrays and numbers."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        copies = [_copied(part) for part in value]
        return type(value)(*copies) if hasattr(value, "_fields") else tuple(copies)
    return value
