"""AXI4 managers and memories on two networks, run cycle by cycle."""

from dataclasses import dataclass

import numpy as np

from sim_model.axi4.data import axi4_data, mixed
from sim_model.axi4.loop import step_ends
from sim_model.axi4.make_state import make_ends, make_network
from sim_model.axi4.messages import axi4_messages
from sim_model.axi4.results import Axi4Results
from sim_model.axi4.state import CAUSES, CYCLE, READ_BEATS, STOPPED, WRITE_BEATS
from sim_model.axi4.system import Axi4System
from sim_model.axi4.trace import EndTrace, make_trace
from sim_model.axi4.transactions import Transactions
from sim_model.engines.cycle.clock import DEADLOCKED, LIMIT
from sim_model.engines.cycle.records import NEVER, NONE
from sim_model.engines.cycle.state import make_trace as make_network_trace
from sim_model.loops.bound import bound
from topology.axi4.words import OKAY, SLVERR
from topology.common.host_pattern import EAGER, LEVELS, HostBehaviour
from topology.common.link_stages import LinkStages


@dataclass(frozen=True)
class Axi4Hosts:
    """Behaviour of managers and memories.

    Parameters:
        outstanding: Transactions that a manager has under way, in both directions together.
        memory_cycles: Cycles from a request, with all of its data, to its first response; at least 1.
        error_level: Responses of 256, on average, that are SLVERR.
        patterns: Pauses and stalls.
    """

    outstanding: int = 8
    memory_cycles: int = 1
    error_level: int = 0
    patterns: HostBehaviour = EAGER


@dataclass(frozen=True)
class Axi4Trace:
    """Recording of some cycles.

    Members:
        ends: Of all ports.
        moved (bool[cycles, channels and stages]): Of the requests, and of the responses.
    """

    ends: EndTrace
    moved: tuple[np.ndarray, np.ndarray]


class Axi4Simulation:
    """The golden model of two networks with AXI4 ends at work.

    Parameters:
        system
        transactions: Of all managers.
        hosts

    Members:
        messages: Requests and responses.
        data: Of writes and memories.
        state: Of all ends.

    Raises:
        ValueError: If there is no transaction.
    """

    def __init__(self, system: Axi4System, transactions: Transactions, hosts: Axi4Hosts = Axi4Hosts()):
        if not len(transactions):
            raise ValueError("transactions are 0; there must be at least 1")
        self.system, self.transactions = system, transactions
        self.messages = axi4_messages(system, transactions)
        self.data = axi4_data(system, transactions, self.messages)
        draws = mixed(np.arange(len(self.messages.receiver)) + (1 << 43)) % np.uint64(LEVELS)
        self.answers = np.where(draws < hosts.error_level, SLVERR, OKAY)
        self.state = make_ends(
            *(system, transactions, self.messages, self.data, hosts.patterns),
            memory_cycles=hosts.memory_cycles,
            outstanding=hosts.outstanding,
            answers=self.answers,
        )
        given = ((system.requests, self.messages.requests), (system.responses, self.messages.responses))
        self._models = tuple(model for model, _ in given)
        self._networks = tuple(make_network(model, messages) for model, messages in given)
        self._routers = tuple(model.make_state(messages) for model, messages in given)
        self._links = tuple(LinkStages(model.network, model.link_cycles) for model, _ in given)
        self._reason = LIMIT
        self._no_trace = make_trace(0, 0, 0)

    @property
    def cycle(self) -> int:
        """The next cycle to be run."""
        return int(self.state.counters[CYCLE])

    def run(self, until_cycle: int = NEVER) -> Axi4Results:
        """Run to the end of all transactions, to a cycle, or until nothing can move any more.

        Parameters:
            until_cycle: First cycle that is not run.
        """
        traces = [make_network_trace(0, links, 0) for links in self._links]
        steps = [
            model.bound_loop(network, routers, trace)
            for model, network, routers, trace in zip(self._models, self._networks, self._routers, traces, strict=True)
        ]
        step_own = bound(step_ends, self.state, *self._networks, self._no_trace)
        cycle = self.cycle
        while cycle < until_cycle:
            self._reason = step_own(0)
            if self._reason != LIMIT:
                break
            cycle += 1
            for step in steps:
                step(cycle)
        return self.results()

    def record(self, cycles: int) -> Axi4Trace:
        """Run some cycles and return what happens in each, also behind the end of all transactions.

        Parameters:
            cycles: Number of cycles.
        """
        trace = make_trace(cycles, len(self.state.managers), len(self.state.subordinates))
        rows = [make_network_trace(1, links, self._signal_bits(i)) for i, links in enumerate(self._links)]
        requests, responses = (np.zeros((cycles, links.moved_bits), dtype=bool) for links in self._links)
        for row in range(cycles):
            step_ends(self.state, *self._networks, trace, row)
            parts = zip(self._models, self._networks, self._routers, rows, (requests, responses), strict=True)
            for model, network, routers, one, seen in parts:
                one.flits[:] = NONE
                model.run_cycles(network, routers, one, self.cycle)
                seen[row] = one.moved[0]
        return Axi4Trace(trace, (requests, responses))

    def _signal_bits(self, number: int) -> int:
        model = self._models[number]
        return sum(item.bits for item in (*model.side_wires, *model.status_outputs))

    def results(self) -> Axi4Results:
        """Return what has been done so far; a copy."""
        state = self.state
        own = state.transactions
        stopped = int(state.counters[STOPPED])
        return Axi4Results(
            transactions=self.transactions,
            offered_cycle=own["offered_cycle"].copy(),
            done_cycle=own["done_cycle"].copy(),
            response=own["response"].copy(),
            receivers=own["receivers"].copy(),
            cycles=self.cycle,
            write_beats=int(state.counters[WRITE_BEATS]),
            read_beats=int(state.counters[READ_BEATS]),
            stalls=dict(zip(CAUSES, state.stalls.tolist(), strict=True)),
            deadlocked=self._reason == DEADLOCKED,
            stopped=self.system.areas.subordinates[stopped - 1] if stopped else None,
        )
