"""NMF beside scikit-learn's: the same updates to the last digits, and never a worse optimum."""

import warnings

import numpy as np
import pytest
from sklearn import decomposition as theirs
from sklearn.exceptions import ConvergenceWarning

from gnomon.decomposition import NMF

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 4))) @ np.abs(RNG.normal(size=(4, 15))) + 0.1 * np.abs(RNG.normal(size=(40, 15)))


@pytest.mark.spec("UNS-093")
@pytest.mark.parametrize("beta_loss", ["frobenius", "kullback-leibler", "itakura-saito", 1.5, 3.0])
@pytest.mark.parametrize("alpha_W", [0.0, 0.01])
def test_multiplicative_updates_are_the_same(beta_loss, alpha_W):
    options = {"solver": "mu", "beta_loss": beta_loss, "tol": 0.0, "max_iter": 50, "alpha_W": alpha_W, "l1_ratio": 0.3}
    W, H = np.abs(RNG.normal(size=(40, 4))), np.abs(RNG.normal(size=(4, 15)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, peer = NMF(4, init="custom", **options), theirs.NMF(4, init="custom", **options)
        found, expected = ours.fit_transform(X, W=W, H=H), peer.fit_transform(X, W=W.copy(), H=H.copy())
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(ours.components_, peer.components_, rtol=1e-5)
    assert ours.reconstruction_err_ == pytest.approx(peer.reconstruction_err_, rel=1e-6)


@pytest.mark.spec("UNS-093")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"init": "nndsvd"},
        {"init": "nndsvdar", "random_state": 0},
        {"alpha_W": 0.01, "l1_ratio": 0.5},
        {"alpha_W": 0.01, "alpha_H": 0.002},
    ],
)
def test_coordinate_descent_ends_no_higher(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, peer = (kind(4, tol=1e-5, max_iter=1000, **options) for kind in (NMF, theirs.NMF))
        W, V = ours.fit_transform(X), peer.fit_transform(X)

    def objective(model, codes):
        a, b = model.alpha_W, model.alpha_W if model.alpha_H == "same" else model.alpha_H
        rho, H, (n, d) = model.l1_ratio, model.components_, X.shape
        weigh = lambda F: rho * np.abs(F).sum() + 0.5 * (1 - rho) * np.sum(F**2)  # noqa: E731
        return 0.5 * np.sum((X - codes @ H) ** 2) + d * a * weigh(codes) + n * b * weigh(H)

    assert objective(ours, W) <= objective(peer, V) * (1 + 1e-3)
    assert ours.objective_ == pytest.approx(objective(ours, W), rel=1e-6)
