"""A fixed sample of what ``python -m tests.alterations`` alters is refused, or leaves the claim true for a reason."""

import random
from collections.abc import Iterable
from itertools import chain

import pytest

from tests.alterations.checking import Checker
from tests.alterations.documents import document_alterations
from tests.alterations.hardware import Alteration, hardware_alterations
from tests.alterations.networks import NETWORKS, offer
from tests.alterations.sound import reason

SAMPLED = 60


@pytest.fixture(scope="module")
def checker():
    with Checker() as one:
        yield one


def sampled(altered: Iterable[Alteration], draws: random.Random) -> list[Alteration]:
    """A uniform sample of all alterations, without all of them in memory."""
    kept: list[Alteration] = []
    for place, alteration in enumerate(altered):
        if place < SAMPLED:
            kept.append(alteration)
        elif (instead := draws.randrange(place + 1)) < SAMPLED:
            kept[instead] = alteration
    return kept


@pytest.mark.parametrize("name", NETWORKS)
def test_altered_networks_are_refused(name, checker):
    sound = offer(name)
    assert checker.judge(sound)[0] == 0
    altered = chain(hardware_alterations(name, sound, changes=1), document_alterations(sound))
    for alteration in sampled(altered, random.Random(name)):
        code, line = checker.judge(alteration.make())
        what = f"{alteration.kind}: {alteration.where} ends with {code}: {line}"
        assert code in (0, 1), what
        assert "\n" not in line, what
        assert code == 1 or reason(sound, alteration), what
