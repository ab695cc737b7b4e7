"""Every transformer of the family keeps scikit-learn's contract, in the forms that scikit-learn's checks can fit."""

import pytest
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from gnomon import features
from gnomon._registry import discover, warmups

ESTIMATORS = [
    features.AddBias(),
    features.AddBias(position="first"),
    features.BasisExpansion(),
    features.Cap(),
    features.ColumnSubset(),
    features.ExhaustiveSelector("least_squares", cv=2),
    features.GreedySelector(Ridge(), cv=2),
    features.GreedySelector("least_squares", "backward", cv=2),
    features.MaxNormScaler(),
    features.PolarFeatures(hyperspherical=True),
    features.PolarFeatures("mean", angle="sincos", hyperspherical=True),
    features.PolynomialMap(),
    features.PolynomialMap(basis="chebyshev"),
    features.PolynomialMap(homogeneous=True, weights="kernel"),
    features.PosNegPart(),
    features.QuadraticExpansion(),
    features.QuadraticExpansion(symmetric=True),
    features.SparseSelector(lam=0.02),
    features.SparseSelector("logistic", lam=0.02),
    features.SparseSelector("svm", lam=0.02),
    features.Waterfall(),
    features.Waterfall(breaks=[0.0, 1.0]),
    features.Whitener(),
    features.Whitener(kind="cholesky", ddof=1),
    features.Winsorizer(),
    features.WithinClassWhitener(),
]


# Some checks give fewer rows than columns, or a constant column: a whitener says so.
@pytest.mark.filterwarnings("ignore:the covariance is singular")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_the_family_offers_its_kernels_for_warming_up():
    discover()
    jobs = dict(warmups())
    for name in ("features: polynomial maps", "features: selection of columns"):
        jobs[name]()
