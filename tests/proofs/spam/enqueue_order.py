"""Order in which requests enqueued, recorded cycle by cycle: the order in the queues of the paper."""

from itertools import permutations
from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, at_most_one
from tests.proofs.inside import Inside


class EnqueueOrder:
    """One bit per pair of inputs.

    Parameters
    ----------
    claims : Claims
    queued : Value
        Inputs in the queues.
    request : list of Value
        Requested outputs per input.
    ports : int

    Members
    -------
    earlier : list of list of Signal
        ``earlier[i][j]``: both are queued, and i was before j was.
    blocks : list of list of Signal
        ``blocks[i][j]``: moreover they share an output.
    """

    def __init__(self, claims: Claims, queued: Any, request: Any, ports: int):
        self.ports = ports
        self._queued = queued
        self._request = request
        self._stood = claims.was(queued, "queued")
        self.earlier: list[list[Any]] = []
        self.blocks: list[list[Any]] = []
        stood = self._stood
        for i in range(ports):
            self.earlier.append([])
            self.blocks.append([])
            for j in range(ports):
                was_earlier = Signal(name=f"was_earlier_{i}_{j}")
                first = Mux(stood[i] & stood[j], was_earlier, stood[i])
                earlier = claims.named(queued[i] & queued[j] & first, f"earlier_{i}_{j}")
                claims.m.d.sync += was_earlier.eq(earlier)
                self.earlier[i].append(earlier)
                shared = (request[i] & request[j]).any()
                self.blocks[i].append(claims.named(earlier & shared, f"blocks_{i}_{j}"))

    def tie(self, claims: Claims, inside: Inside, instance: str | None = None) -> None:
        """Tie the registers of ``OutputRequestQueues`` to the order.

        Parameters
        ----------
        claims : Claims
        inside : Inside
        instance : str or None
            Instance name of the queues, unless they are the part under proof.
        """
        ports = range(self.ports)
        newest = inside.register("newest", instance)
        claims.invariant("the newest was enqueued last", newest == self._queued & ~self._stood)
        older = [Mux(self._queued[i] & ~newest[i], self._request[i], 0) for i in ports]
        claimed = concat(concat(requested[o] for requested in older).any() for o in ports)
        claims.invariant("the older inputs' outputs are noted", inside.register("claimed", instance) == claimed)
        claims.invariant("one enqueues at a time", at_most_one(newest))
        for i, j in permutations(ports, 2):
            held = inside.register(f"wait_{i}_{j}", instance)
            claims.invariant("inputs wait for those ahead of them", held == self.blocks[j][i] & ~newest[i])
            both = self._queued[i] & self._queued[j]
            either = self.earlier[i][j] ^ self.earlier[j][i]
            claims.invariant("of two queued inputs one is earlier", ~both | either)
        for i, j, k in permutations(ports, 3):
            transitive = ~(self.earlier[i][j] & self.earlier[j][k]) | self.earlier[i][k]
            claims.invariant("the queued inputs are in one order", transitive)
