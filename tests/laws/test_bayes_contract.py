"""Scikit-learn's contract for Bayesian regression beyond the defaults, which the architecture tests check."""

import pytest

from gnomon.linear import BayesianLinearRegression
from many_checks import check_contract, over

ESTIMATORS = [
    BayesianLinearRegression(sigma2="conjugate"),
    BayesianLinearRegression(optimize_evidence=True),
    BayesianLinearRegression(parameter_prior="laplace", n_draws=50, burn_in=10, random_state=0),
]


@pytest.mark.filterwarnings("ignore:the evidence has no maximum")
@over(ESTIMATORS)
def test_scikit_learn_contract(estimator):
    check_contract(estimator)
