"""Linear models: least squares, ridge, lasso, logistic regression and their kin, as scikit-learn estimators."""

from gnomon.linear.bayes import BayesianLinearRegression
from gnomon.linear.bayes_logistic import BayesianLogisticRegression
from gnomon.linear.cost import Cost, CostReport, cost_report
from gnomon.linear.elastic_net import ElasticNet
from gnomon.linear.generic import LinearModelClassifier, LinearModelRegressor
from gnomon.linear.lasso import Lasso
from gnomon.linear.least_squares import LinearRegression
from gnomon.linear.lp import LpRegression, NonConvexWarning
from gnomon.linear.ridge import Ridge
from gnomon.linear.ridge_cv import RidgeCV

__all__ = [
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "Cost",
    "CostReport",
    "ElasticNet",
    "Lasso",
    "LinearModelClassifier",
    "LinearModelRegressor",
    "LinearRegression",
    "LpRegression",
    "NonConvexWarning",
    "Ridge",
    "RidgeCV",
    "cost_report",
]
