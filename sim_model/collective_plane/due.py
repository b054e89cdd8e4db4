"""Results that end in the next cycle of a plane, which its registers show before the cycle is run."""

import numpy as np

from sim_model.collective_plane.hosts import stalls
from sim_model.collective_plane.state import LAST, PlaneState


def due_jobs(cycle: int, state: PlaneState) -> list[int]:
    """Return the jobs whose results end in a cycle: barriers that are done, and last beats that hosts take.

    Parameters:
        cycle: Next cycle of the plane.
        state
    """
    found = []
    endpoints = state.endpoints
    for processor in np.flatnonzero((endpoints.done != 0) | (endpoints.valid != 0)).tolist():
        endpoint = endpoints[processor]
        first = int(endpoint.first_member)
        done = int(endpoint.done)
        found += [int(state.members[first + group].done) for group in range(state.groups) if done >> group & 1]
        if endpoint.valid and endpoint.marks & LAST and not stalls(processor, cycle, state):
            found.append(_awaited(first + int(endpoint.group), state))
    return found


def _awaited(member: int, state: PlaneState) -> int:
    """Return the job whose result beats come next at a member."""
    job = int(state.members[member].awaited)
    while state.jobs[job].by_wire != 0:
        job += 1
    return job
