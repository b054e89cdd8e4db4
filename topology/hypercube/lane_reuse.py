"""When another worm may have a lane of a hypercube, and which lanes so hold flits of several worms.

===============  =====================================================================================================
``empty``        when the buffer behind it is empty, and all credits are back
``escape-tail``  an escape lane as soon as the tail before has been sent into it, if there is room behind that; all
                 others when they are empty
``tail``         any lane as soon as the tail before has been sent into it, if there is room behind that. Can deadlock
===============  =====================================================================================================

What that means for freedom from deadlock is in ``deadlock.py``. A lane that another worm may have behind a tail is
*shared*, as there.
"""

from topology.common.lanes import REUSE_EMPTY, REUSE_TAIL
from topology.hypercube.routing import ADAPTIVE_ONLY

REUSE_ESCAPE_TAIL = "escape-tail"
HYPERCUBE_REUSE = (REUSE_EMPTY, REUSE_ESCAPE_TAIL, REUSE_TAIL)


def check_reuse(lane_reuse: str) -> None:
    """Refuse what is none of ``HYPERCUBE_REUSE``.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    if lane_reuse not in HYPERCUBE_REUSE:
        wanted = f"{', '.join(HYPERCUBE_REUSE[:-1])} or {HYPERCUBE_REUSE[-1]}"
        raise ValueError(f"Reuse of lanes must be {wanted}, not {lane_reuse!r}")


def unshared_lanes(lanes: int, rule: str, lane_reuse: str) -> int:
    """Return how many lanes of a channel, the first ones, have one worm at a time.

    Parameters
    ----------
    lanes : int
        Lanes of the channel.
    rule : str
        One of ``RULES``.
    lane_reuse : str
        One of ``HYPERCUBE_REUSE``.
    """
    if lane_reuse == REUSE_TAIL:
        return 0
    return lanes - (lane_reuse == REUSE_ESCAPE_TAIL and rule != ADAPTIVE_ONLY)
