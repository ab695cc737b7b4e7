"""Scikit-learn's contract beyond the defaults, which the architecture tests check for every estimator."""

import pytest
from sklearn.linear_model import Ridge

from gnomon import features
from gnomon._registry import discover, warmups
from many_checks import check_contract, over

ESTIMATORS = [
    features.AddBias(position="first"),
    features.GreedySelector(Ridge(), cv=2),
    features.GreedySelector("least_squares", "backward", cv=2),
    features.PolarFeatures("mean", angle="sincos", hyperspherical=True),
    features.PolynomialMap(basis="chebyshev"),
    features.PolynomialMap(homogeneous=True, weights="kernel"),
    features.QuadraticExpansion(symmetric=True),
    features.SparseSelector(lam=1e-3),
    features.SparseSelector("logistic", lam=1e-3),
    features.SparseSelector("svm", lam=1e-3),
    features.Waterfall(breaks=[0.0, 1.0]),
    features.Whitener(kind="cholesky", ddof=1),
]


# Some checks give fewer rows than columns, or a constant column: a whitener says so.
@pytest.mark.filterwarnings("ignore:the covariance is singular")
@over(ESTIMATORS)
def test_scikit_learn_contract(estimator):
    check_contract(estimator)


def test_the_family_offers_its_kernels_for_warming_up():
    discover()
    jobs = dict(warmups())
    for name in ("features: polynomial maps", "features: selection of columns"):
        jobs[name]()
