"""Golden values of the rules that choose the number of clusters."""

import numpy as np
import pytest
from sklearn import metrics

from gnomon.cluster import silhouettes
from gnomon.cluster.k_rules import (
    anderson_darling,
    capacity_at,
    elbow,
    gap_choice,
    penalty_path,
    prediction_strength,
    sphere_bic,
)

P7 = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])
BEST = [37.071429, 8.525, 2.5, 1.291667]
TWO, THREE = [0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 2, 1, 1, 1]


@pytest.mark.spec("UNS-G21", "UNS-047")
def test_elbow():
    found = elbow(range(1, 7), [1000, 400, 100, 85, 74, 66])
    assert found.k == 3
    assert found.slopes == pytest.approx([1.321928, 3.419023, 0.564925, 0.621063, 0.627520], abs=1e-6)
    assert found.strengths == pytest.approx([-2.097, 2.854, -0.056, -0.006], abs=1e-3)
    none = elbow(range(1, 7), 1000 / np.arange(1, 7))
    assert none.k is None
    assert none.strengths == pytest.approx([0, 0, 0, 0], abs=1e-12)


@pytest.mark.spec("UNS-G22", "UNS-048")
def test_penalty():
    path = penalty_path([1, 2, 3, 4], BEST)
    assert path.breaks == pytest.approx([1.208333, 6.025, 28.546429], abs=1e-6)
    assert [path.at(lam) for lam in (0.0, 1.2, 1.3, 6.0, 6.1, 28.0, 29.0)] == [4, 4, 3, 3, 2, 2, 1]


@pytest.mark.spec("UNS-G23", "UNS-055")
def test_bic():
    sizes = [[7], [2, 5], [2, 1, 4], [2, 1, 1, 3]]
    found = [sphere_bic(m, J, 2) for m, J in zip(sizes, BEST, strict=True)]
    assert found == pytest.approx([59.201059, 52.836754, 46.504536, 47.595945], abs=1e-5)


@pytest.mark.spec("UNS-G24", "UNS-053")
def test_gap():
    gaps, errors = [0.2, 0.5, 0.9, 0.88, 0.93], [0.02, 0.03, 0.04, 0.05, 0.04]
    assert gap_choice(range(1, 6), gaps, errors) == 3
    assert gap_choice(range(1, 6), gaps, errors, "max") == 3


@pytest.mark.spec("UNS-G25", "UNS-054")
def test_normality():
    assert anderson_darling([0, 1, 2, 3, 4, 20, 21, 22, 23, 24]) == pytest.approx((1.027273, 1.181364), abs=1e-6)
    assert anderson_darling(range(10)) == pytest.approx((0.141109, 0.162276), abs=1e-6)


@pytest.mark.spec("UNS-G26", "UNS-050")
def test_strength_of_a_prediction():
    assert prediction_strength([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]) == pytest.approx(1 / 3)
    assert prediction_strength([1, 1], [0, 0]) == 1.0


@pytest.mark.spec("UNS-G27", "UNS-051")
def test_capacity():
    A, B = np.array([0, 1, 10, 11.0]), np.array([0.2, 0.9, 10.3, 10.8])
    E, F = ((rows[:, None] - centers) ** 2 for rows, centers in ((A, [0.5, 10.5]), (B, [0.55, 10.55])))
    found = [capacity_at(beta, [2, 2], E, F) for beta in (0.0, 0.01, 0.1, 1.0)]
    assert found == pytest.approx([0.0, 0.193555, 0.693023, 0.693147], abs=1e-6)


@pytest.mark.spec("UNS-G28", "UNS-056")
def test_indices_of_quality():
    for labels, expected in ((TWO, (0.645005, 16.742773, 0.364795)), (THREE, (0.539378, 27.657143, 0.270311))):
        scores = (metrics.calinski_harabasz_score(P7, labels), metrics.davies_bouldin_score(P7, labels))
        assert (np.mean(silhouettes(P7, labels)), *scores) == pytest.approx(expected, abs=1e-6)
