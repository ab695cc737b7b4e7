"""The lasso beside scikit-learn's, in the same process."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy import sparse

from gnomon.linear import ElasticNet, ElasticNetCV, Lasso, LassoCV


def make(seed=0, n=120, d=200):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1.0
    return X, X[:, :8] @ rng.standard_normal(8) + 0.5 * rng.standard_normal(n)


@pytest.mark.spec("LIN-042", "LIN-043")
@pytest.mark.parametrize("alpha", [0.5, 0.05, 0.01])
@pytest.mark.parametrize("options", [{}, {"positive": True}, {"fit_intercept": False}])
def test_same_coefficients(alpha, options):
    X, y = make()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    tight = {"alpha": alpha, "tol": 1e-13, **options}
    ours, theirs = Lasso(**tight), peer.Lasso(max_iter=200_000, **tight)
    ours.fit(X, y, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    net = ElasticNet(l1_ratio=0.3, **tight).fit(sparse.csr_matrix(X), y)
    same = peer.ElasticNet(l1_ratio=0.3, max_iter=200_000, **tight).fit(X, y)
    np.testing.assert_allclose(net.coef_, same.coef_, atol=2e-6)


@pytest.mark.spec("LIN-042")
def test_dual_gap_is_on_the_same_scale():
    X, y = make()
    theirs = peer.Lasso(alpha=0.05, tol=1e-3).fit(X, y)
    ours = Lasso(alpha=0.05, tol=1e-9).fit(X, y)
    objective = np.sum((y - theirs.predict(X)) ** 2) / (2 * len(y)) + 0.05 * np.abs(theirs.coef_).sum()
    assert objective - ours.objective_ <= theirs.dual_gap_ + 1e-9


@pytest.mark.spec("LIN-049")
def test_cross_validation_chooses_the_same():
    X, y = make(n=90, d=60)
    ours, theirs = LassoCV(tol=1e-8).fit(X, y), peer.LassoCV(tol=1e-8, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-9)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-3)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    shares = [0.3, 0.9]
    ours = ElasticNetCV(l1_ratio=shares, tol=1e-8).fit(X, y)
    theirs = peer.ElasticNetCV(l1_ratio=shares, tol=1e-8, max_iter=100_000).fit(X, y)
    assert (ours.alpha_, ours.l1_ratio_) == pytest.approx((theirs.alpha_, theirs.l1_ratio_))
