"""VC reallocation in hypercubes, and the virtual channels that so hold flits of several worms.

===============  =====================================================================================================
``empty``        when the buffer behind it is empty, and all credits are back
``escape-tail``  an escape channel as soon as the tail before has been sent into it, if there is room behind that; all
                 others when they are empty
``tail``         any VC as soon as the tail before has been sent into it, if there is room behind that. Can deadlock
===============  =====================================================================================================

The consequences for freedom from deadlock are in ``deadlock.py``. A VC that another worm may have behind a tail is
*shared*, as there.
"""

from topology.common.lanes import REUSE_EMPTY, REUSE_TAIL
from topology.hypercube.routing import ADAPTIVE_ONLY

REUSE_ESCAPE_TAIL = "escape-tail"
HYPERCUBE_REUSE = (REUSE_EMPTY, REUSE_ESCAPE_TAIL, REUSE_TAIL)


def check_reuse(lane_reuse: str) -> None:
    """Refuse a value that is not in ``HYPERCUBE_REUSE``.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    if lane_reuse not in HYPERCUBE_REUSE:
        wanted = f"{', '.join(HYPERCUBE_REUSE[:-1])} or {HYPERCUBE_REUSE[-1]}"
        raise ValueError(f"Reuse of lanes must be {wanted}, not {lane_reuse!r}")


def unshared_lanes(lanes: int, rule: str, lane_reuse: str) -> int:
    """Return the number of VCs of a channel, the first ones, that hold one worm at a time.

    Parameters
    ----------
    lanes : int
        VCs of the channel.
    rule : str
        One of ``RULES``.
    lane_reuse : str
        One of ``HYPERCUBE_REUSE``.
    """
    if lane_reuse == REUSE_TAIL:
        return 0
    return lanes - (lane_reuse == REUSE_ESCAPE_TAIL and rule != ADAPTIVE_ONLY)
