"""Networks that several topology tests use."""

import pytest

from tests.networks import figure_1, random_irregular
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


@pytest.fixture
def figure_1_labels() -> SpamLabels:
    return SpamLabels(figure_1(), root=0)


@pytest.fixture(params=range(6))
def random_routing(request) -> SpamRouting:
    return SpamRouting(SpamLabels(random_irregular(request.param)), flit_bits=32)
