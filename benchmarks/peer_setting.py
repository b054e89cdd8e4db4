"""Setting of the golden model and its peers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """The setting of all programs: a square mesh, packets of one length, and uniform unicasts.

    Parameters
    ----------
    side : int
        Nodes in each dimension.
    flits : int
        Of a packet.
    load : float
        Flits per node and cycle.
    cycles : int
        Cycles in which packets are sent.
    """

    side: int
    flits: int
    load: float
    cycles: int
