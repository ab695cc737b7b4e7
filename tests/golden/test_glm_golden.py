"""Golden values of generalised linear models on x = 0 … 3."""

import numpy as np
import pytest

from gnomon.linear import GLM

X = np.arange(4.0)[:, None]
D = np.array([0.0, 1.0, 0.0, 1.0])


@pytest.mark.spec("LIN-G51", "LIN-145")
@pytest.mark.parametrize("solver", ["irls", "newton", "lbfgs"])
@pytest.mark.parametrize(
    ("family", "link", "y", "b", "w"),
    [
        ("poisson", "log", np.array([1.0, 1.0, 3.0, 6.0]), -0.3261639, 0.7002005),
        ("binomial", "probit", D, -0.8862014, 0.5908010),
        ("binomial", "cloglog", D, -1.5007262, 0.7051800),
    ],
)
def test_maximum_likelihood(solver, family, link, y, b, w):
    model = GLM(family, link, solver=solver, tol=1e-11, max_iter=1000).fit(X, y)
    np.testing.assert_allclose([model.intercept_, model.coef_[0]], [b, w], atol=6e-8)
    assert model.converged_
    if family == "poisson":
        assert model.deviance_ == pytest.approx(0.2583671, abs=6e-8)
