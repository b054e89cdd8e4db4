"""Assumptions of the allocator about waiting heads; proved of an input."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from tests.proofs.claims import Claims

CONTRACT = "heads ask before they wait, for outputs that there are, and keep to them until they have a lane"


def sound_heads(
    claims: Claims, p: HypercubeRouterParameters, port: int, head: tuple[Any, Any, Any, Any], name: str
) -> Iterator[Value]:
    """Assumptions about the heads on a lane into an input.

    Parameters
    ----------
    claims : Claims
    p : HypercubeRouterParameters
    port : int
        The input.
    head : tuple of Value
        ``asking``, ``waiting``, ``wanted`` and ``granted`` of ``HeadAllocator``, of that lane.
    name : str
        Prefix of the names of signals.
    """
    asking, waiting, wanted, granted = head
    asked = claims.was(asking, f"{name}_asking")
    asked_before = claims.was(asked, f"{name}_asked")
    last, got = claims.was(wanted, f"{name}_wanted"), claims.was(granted, f"{name}_granted")
    yield ~waiting | asking & asked & ~got
    yield ~waiting | wanted.any()
    yield ~waiting | ~wanted[p.delivery] | ~wanted[: p.dimensions].any()
    yield ~waiting | ~asked_before | (wanted == last)
    for output in range(len(p.output_lanes)):
        if not p.reaches(port, output):
            yield ~wanted[output]
