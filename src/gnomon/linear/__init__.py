"""Linear models: least squares, ridge, lasso, logistic regression and their kin, as scikit-learn estimators."""

from gnomon.linear.cost import Cost, CostReport, cost_report
from gnomon.linear.generic import LinearModelClassifier, LinearModelRegressor
from gnomon.linear.least_squares import LinearRegression

__all__ = [
    "Cost",
    "CostReport",
    "LinearModelClassifier",
    "LinearModelRegressor",
    "LinearRegression",
    "cost_report",
]
