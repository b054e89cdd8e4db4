"""The data of the figures: small versions, checked against the paper."""

import pytest

from hydranoc.studies.spam.measurements import spam_bound, spam_fig2
from topology.common.lattice import lattice_network


@pytest.fixture(scope="module")
def networks():
    return [lattice_network(24, seed=seed) for seed in (1, 2)]


def test_fig2_is_nearly_flat(networks):
    seen = []
    points = spam_fig2(networks, destinations=(1, 4, 23, 99), quick=True, progress=lambda *done: seen.append(done))
    assert [(point.series, point.x) for point in points] == [("24 nodes", 1), ("24 nodes", 4), ("24 nodes", 23)]
    assert seen[-1] == (3, 3)
    assert all(11.2 < point.latency_us < 12.5 for point in points)
    assert points == spam_fig2(networks, destinations=(1, 4, 23, 99), quick=True)


def test_precision_of_the_paper(networks):
    (point,) = spam_fig2(networks, destinations=(8,))
    assert point.half_width_us <= 0.01 * point.latency_us
    assert point.replications >= 10


def test_bound(networks):
    hardware, software, bound = spam_bound(networks, quick=True, processes=2)
    assert bound.latency_us == pytest.approx(50)  # 23 destinations: 5 start-ups of 10 us
    assert software.latency_us > bound.latency_us
    assert hardware.latency_us < 13
    assert hardware.details["largest_us"] >= hardware.latency_us
