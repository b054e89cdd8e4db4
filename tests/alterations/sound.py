"""Alterations that leave the claim true, each with the reason; all others have to be refused."""

from tests.alterations.hardware import Alteration
from tests.alterations.networks import Offer

REASONS: list[tuple[str, str, str]] = []


def reason(_name: str, _sound: Offer, _made: Alteration) -> str:
    """Why an alteration leaves the claim true; empty if it does not."""
    return ""
