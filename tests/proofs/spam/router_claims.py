"""Claims about a whole ``SpamRouter``: flits appear on the right outputs, once, in order, worms unmixed.

The whole part is included, and only the link rules and sound messages are assumed.
"""

from typing import Any

from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe
from tests.proofs.common.pair_claims import joined_ports, prove_pair
from tests.proofs.common.progress import routed_progress
from tests.proofs.common.whole_claims import prove_alone
from tests.proofs.spam.whole_router import WholeRouter

PORTS = 3


def router(buffer_flits: int, routing_cycles: int) -> Describe:
    """Claims about a router with three ports, 8-bit flits and headers of one flit.

    Parameters
    ----------
    buffer_flits, routing_cycles : int
        As in ``SpamRouterParameters``; buffers of up to two.
    """

    def describe(claims: Claims) -> None:
        whole = WholeRouter(claims, PORTS, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
        tracked = prove_alone(claims, whole)
        all_valid = concat(link.valid for link in whole.part.outputs).all()
        claims.possible("a flit comes out of all outputs at once", all_valid & tracked.comes_out)

    return describe


def progress(cycles: int, **settings: Any) -> Describe:
    """Claims about a router with three ports and ready outputs that stalls for at most ``cycles`` cycles."""
    return routed_progress(lambda claims: WholeRouter(claims, PORTS, **settings), cycles)


def pair(ports: int) -> Describe:
    """Claims about two routers with some number of ports that are joined by a link."""

    def describe(claims: Claims) -> None:
        out, entry = joined_ports(ports - 1)
        first = WholeRouter(claims, ports, name="first", joined=out)
        second = WholeRouter(claims, ports, name="second", joined=entry)
        tracked = prove_pair(claims, first, second)
        both = concat(link.valid for link in second.part.outputs).all()
        claims.possible("a flit that has crossed comes out of all outputs", both & tracked.comes_out)

    return describe
