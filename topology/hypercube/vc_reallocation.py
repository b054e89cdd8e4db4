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

from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.routing import ADAPTIVE_ONLY

NON_ATOMIC_ESCAPE = "escape-tail"
HYPERCUBE_REALLOCATION = (ATOMIC, NON_ATOMIC_ESCAPE, NON_ATOMIC)


def check_reuse(vc_reallocation: str) -> None:
    """Refuse a value that is not in ``HYPERCUBE_REALLOCATION``.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    if vc_reallocation not in HYPERCUBE_REALLOCATION:
        wanted = f"{', '.join(HYPERCUBE_REALLOCATION[:-1])} or {HYPERCUBE_REALLOCATION[-1]}"
        raise ValueError(f"vc_reallocation is {vc_reallocation!r}; it must be {wanted}")


def unshared_vcs(vcs: int, rule: str, vc_reallocation: str) -> int:
    """Return the number of VCs of a channel, the first ones, that hold one worm at a time.

    Parameters:
        vcs: VCs of the channel.
        rule: One of ``RULES``.
        vc_reallocation: One of ``HYPERCUBE_REALLOCATION``.
    """
    if vc_reallocation == NON_ATOMIC:
        return 0
    return vcs - (vc_reallocation == NON_ATOMIC_ESCAPE and rule != ADAPTIVE_ONLY)
