"""Golden values of generalised linear models on x = 0 … 3."""

import numpy as np
import pytest
from scipy.optimize import root
from scipy.special import ndtr

from gnomon.linear import GLM

X = np.arange(4.0)[:, None]
D = np.array([0.0, 1.0, 0.0, 1.0])


def poisson_slopes(y, z):
    return y - np.exp(z)


def probit_slopes(y, z):
    sign = 2 * y - 1
    return sign * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / ndtr(sign * z)


def cloglog_slopes(y, z):
    rate = np.exp(z)
    return np.where(y == 1, rate / np.expm1(rate), -rate)


@pytest.mark.spec("LIN-G51", "LIN-145")
@pytest.mark.parametrize("solver", ["irls", "newton", "lbfgs"])
@pytest.mark.parametrize(
    ("family", "link", "slopes", "y", "b", "w"),
    [
        ("poisson", "log", poisson_slopes, np.array([1.0, 1.0, 3.0, 6.0]), -0.3261639, 0.7002005),
        # The specification ends in …014 and in …800; the likelihood equations have roots −0.88620147 and 0.70518005.
        ("binomial", "probit", probit_slopes, D, -0.8862015, 0.5908010),
        ("binomial", "cloglog", cloglog_slopes, D, -1.5007262, 0.7051801),
    ],
)
def test_maximum_likelihood(solver, family, link, slopes, y, b, w):
    model = GLM(family, link, solver=solver, tol=1e-13, max_iter=1000).fit(X, y)
    A = np.column_stack([np.ones(4), X])
    exact = root(lambda theta: A.T @ slopes(y, A @ theta), [b, w], tol=1e-15).x
    np.testing.assert_allclose(exact, [b, w], rtol=0, atol=5e-8)
    np.testing.assert_allclose([model.intercept_, model.coef_[0]], exact, rtol=0, atol=1e-9)
    assert model.converged_
    if family == "poisson":
        assert model.deviance_ == pytest.approx(0.2583671, abs=5e-8)
