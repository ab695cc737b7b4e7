"""Golden values of multi-class support vector machines."""

import numpy as np
import pytest

from gnomon.svm import MulticlassSVC
from gnomon.svm._reductions import two_class_problems

x, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
ROWS = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
SIGNS = np.array([-1, -1, 1, 1, 1])

CASES = {
    "ww": ({"variant": "ww"}, np.array([-4, 0, 4]) / 3, np.array([26, 8, -34]) / 9, 64 / 9),
    "ww_nobias": ({}, np.array([-26, 4, 22]) / 45, np.zeros(3), 17.0903703704),
    "ww_nobias with a constant": (
        {"fit_intercept": True},
        np.array([-1.0714286, 0.2142857, 0.8571429]),
        np.array([1.6428571, -0.2142857, -1.4285714]),
        12.5,
    ),
    "cs": ({"variant": "cs"}, np.array([-8, 1, 7]) / 24, np.array([3, -1, -2]) / 4, 751 / 192),
}


@pytest.mark.spec("KER-G41", "KER-072", "KER-073", "KER-074")
@pytest.mark.parametrize("name", CASES)
def test_three_classes_on_a_line(name):
    options, w, b, objective = CASES[name]
    model = MulticlassSVC(**options, kernel="linear", tol=1e-9).fit(x, y)
    np.testing.assert_allclose(model.coef_[:, 0], w, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-7)
    assert model.objective_ == pytest.approx(objective, rel=1e-8)
    assert model.dual_gap_ < 1e-7


@pytest.mark.spec("KER-G42")
def test_weston_watkins_of_two_classes_is_the_svm():
    model = MulticlassSVC("ww", kernel="linear", tol=1e-10).fit(ROWS, SIGNS)
    np.testing.assert_allclose((model.coef_[1] - model.coef_[0]) / 2, [0.5, -1.0], atol=1e-7)
    assert model.objective_ == pytest.approx(5.75, rel=1e-8)


@pytest.mark.spec("KER-G45")
def test_kernel_work_of_one_against_one_and_one_against_rest():
    """Pairs of rows that are compared, from the sizes of the problems of each reduction."""
    K, N = 10, 1000
    index = np.repeat(np.arange(K), N // K)
    one, rest = (
        sum(len(problem.rows) ** 2 for problem in two_class_problems(index, np.arange(K), way))
        for way in ("ovo", "ovr")
    )
    assert one == 2 * N**2 * (K - 1) // K == 1_800_000
    assert rest == 10_000_000
