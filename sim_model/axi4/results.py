"""Results of transactions."""

from dataclasses import dataclass

import numpy as np

from sim_model.axi4.transactions import Transactions


@dataclass(frozen=True, eq=False)
class Axi4Results:
    """Results of N transactions so far.

    Members:
        transactions
        offered_cycle (int64[N]): First cycle on channel AW or AR; -1 before, like the next one.
        done_cycle (int64[N]): Cycle in which the manager takes B, or the last beat of R.
        response (int64[N]): Worst one.
        receivers (int64[N]): Number of subordinates; 0 without a destination.
        cycles: Cycles of the run.
        write_beats, read_beats: Beats that subordinates and managers have taken.
        stalls: Cycles of waiting by cause, all ends together.
        deadlocked: True if nothing can move any more.
        stopped: Processor of a subordinate that has rested for ``timeout_cycles``, which ends the run; None without.
    """

    transactions: Transactions
    offered_cycle: np.ndarray
    done_cycle: np.ndarray
    response: np.ndarray
    receivers: np.ndarray
    cycles: int
    write_beats: int
    read_beats: int
    stalls: dict[str, int]
    deadlocked: bool
    stopped: int | None

    @property
    def unfinished(self) -> int:
        """Transactions whose response has not come."""
        return int((self.done_cycle < 0).sum())

    @property
    def latency(self) -> np.ndarray:
        """Cycles from the offer to the end of the response, int64[N]; without meaning for what is not done."""
        return self.done_cycle - self.offered_cycle
