"""Wires between the switches of a multistage network besides channels: the token rings."""

from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire
from topology.min.groups import TOKEN_RULES, Group, TokenGroups


def token_rings(groups: TokenGroups, token: str) -> tuple[Group, ...]:
    """Return the groups that have a token; none without a token rule."""
    return groups.groups if token in TOKEN_RULES else ()


def token_wires(groups: TokenGroups, token: str) -> tuple[SideWire, ...]:
    """Return one wire from each switch of a ring to the next, ring by ring."""
    return tuple(wire for group in token_rings(groups, token) for wire in ring_wires(group))


def ring_wires(group: Group) -> tuple[SideWire, ...]:
    """Return the wires of one ring."""
    following = (*group.switches[1:], group.switches[0])
    return tuple(
        SideWire(switch, "token_out", after, "token_in")
        for switch, after in zip(group.switches, following, strict=True)
    )


def token_status(groups: TokenGroups, token: str) -> tuple[StatusOutput, ...]:
    """Return the error outputs of the rings: a bit per ring each."""
    rings = len(token_rings(groups, token))
    return (StatusOutput("token_lost", rings), StatusOutput("token_duplicated", rings)) if rings else ()
