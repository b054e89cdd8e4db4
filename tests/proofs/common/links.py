"""The link rules (docs/look_up/timing.md) as claims: rights of the far end of a link, and obligations of a part."""

from typing import Any

from amaranth.hdl import Value

from tests.proofs.claims import Claims

HOLDS = "valid and payload hold until the flit moves"


def assume_link_rules(claims: Claims, link: Any, name: str) -> None:
    """Assume that the source of a link keeps valid and payload until the flit moves."""
    claims.assume(_held(claims, link, name))


def prove_link_rules(claims: Claims, link: Any, name: str) -> None:
    """A link of the part holds valid and payload until the flit moves."""
    claims.always(HOLDS, _held(claims, link, name))


def _held(claims: Claims, link: Any, name: str) -> Value:
    waits = claims.was(link.valid & ~link.ready, f"{name}_waiting")
    payload = claims.was(Value.cast(link.payload), f"{name}_payload")
    return ~waits | link.valid & (Value.cast(link.payload) == payload)
