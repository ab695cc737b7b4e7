"""Linear models: least squares, ridge, lasso, logistic regression and their kin, as scikit-learn estimators."""

from gnomon.linear.bayes import BayesianLinearRegression
from gnomon.linear.bayes_logistic import BayesianLogisticRegression
from gnomon.linear.cost import Cost, CostReport, cost_report
from gnomon.linear.generic import LinearModelClassifier, LinearModelRegressor
from gnomon.linear.least_squares import LinearRegression
from gnomon.linear.ridge import Ridge
from gnomon.linear.ridge_cv import RidgeCV

__all__ = [
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "Cost",
    "CostReport",
    "LinearModelClassifier",
    "LinearModelRegressor",
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "cost_report",
]
