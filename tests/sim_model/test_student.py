"""Student's distribution against SciPy's."""

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from sim_model.statistics.student import student_quantile, student_tail

FREEDOMS = (1, 2, 3, 4, 7, 19, 30, 199, 1_000, 9_999)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tails_equal_scipys(freedom):
    values = np.concatenate(([0.0, 1e9], np.random.default_rng(freedom).normal(0, 3, 50)))
    found = [student_tail(freedom, t) for t in values]
    np.testing.assert_allclose(found, stdtr(freedom, -values), rtol=2e-10)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_equal_scipys(freedom):
    probabilities = [0.001, 0.3, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999]
    found = [student_quantile(freedom, p) for p in probabilities]
    np.testing.assert_allclose(found, [stdtrit(freedom, p) for p in probabilities], rtol=2e-10, atol=1e-12)


def test_many_degrees_of_freedom_and_endless_values():
    assert student_quantile(1e6, 0.975) == pytest.approx(stdtrit(1e6, 0.975), rel=1e-8)
    assert student_tail(5, float("inf")) == 0
    assert student_tail(5, -float("inf")) == 1
