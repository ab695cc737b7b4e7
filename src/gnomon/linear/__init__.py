"""Linear models: least squares, ridge, lasso, logistic regression and their kin, as scikit-learn estimators."""

from __future__ import annotations

from gnomon.linear._path import Path, path
from gnomon.linear._separation import SeparationWarning
from gnomon.linear.averaged import AveragedPerceptron
from gnomon.linear.bayes import BayesianLinearRegression
from gnomon.linear.bayes_logistic import BayesianLogisticRegression
from gnomon.linear.best_subset import BestSubset
from gnomon.linear.cost import Cost, CostReport, cost_report
from gnomon.linear.elastic_net import ElasticNet
from gnomon.linear.elastic_net_cv import ElasticNetCV
from gnomon.linear.generic import LinearModelClassifier, LinearModelRegressor
from gnomon.linear.glm import GLM, GLMSummary
from gnomon.linear.lasso import Lasso
from gnomon.linear.lasso_cv import LassoCV
from gnomon.linear.least_squares import LinearRegression
from gnomon.linear.least_squares_classifier import LeastSquaresClassifier
from gnomon.linear.linear_svc import LinearSVC
from gnomon.linear.logistic import LogisticRegression, convert_parametrization
from gnomon.linear.logistic_cv import LogisticRegressionCV
from gnomon.linear.lp import LpRegression, NonConvexWarning
from gnomon.linear.margins import WidestMargin, distance, margin, mistake_bound, update_gain, widest_margin
from gnomon.linear.perceptron import Perceptron
from gnomon.linear.ridge import Ridge
from gnomon.linear.ridge_cv import RidgeCV
from gnomon.linear.svm import LinearSVM
from gnomon.linear.voted import VotedPerceptron
from gnomon.penalties import convert_lam

__all__ = [
    "GLM",
    "AveragedPerceptron",
    "BayesianLinearRegression",
    "BayesianLogisticRegression",
    "BestSubset",
    "Cost",
    "CostReport",
    "ElasticNet",
    "ElasticNetCV",
    "GLMSummary",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearModelClassifier",
    "LinearModelRegressor",
    "LinearRegression",
    "LinearSVC",
    "LinearSVM",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LpRegression",
    "NonConvexWarning",
    "Path",
    "Perceptron",
    "Ridge",
    "RidgeCV",
    "SeparationWarning",
    "VotedPerceptron",
    "WidestMargin",
    "convert_lam",
    "convert_parametrization",
    "cost_report",
    "distance",
    "margin",
    "mistake_bound",
    "path",
    "update_gain",
    "widest_margin",
]
