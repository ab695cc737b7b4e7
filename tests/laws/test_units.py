"""Change of units, for every estimator: predictions are the same in metres and in millimetres, or the fit says so."""

from sklearn.base import is_classifier, is_regressor

import public_names
from gnomon.testing import check_units
from many_checks import over

# Parameters that have a unit, converted with the data; an estimator that is not here has none.
CONVERTED = {
    "Lasso": lambda m, u: m.set_params(alpha=m.alpha * u.x * u.y),
    "ElasticNet": lambda m, u: _with_elastic_net(m, u),
    "Ridge": lambda m, u: m.set_params(alpha=m.alpha * u.x**2 * u.weight),
    "LogisticRegression": lambda m, u: m.set_params(C=m.C / u.x**2 / u.weight),
}


def _with_elastic_net(m, u):
    """α ρ ‖w‖₁ + ½ α (1 − ρ) ‖w‖²: the strengths of the two norms have different units."""
    l1, l2 = m.alpha * m.l1_ratio * u.x * u.y, m.alpha * (1.0 - m.l1_ratio) * u.x**2
    return m.set_params(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2)) if l1 + l2 > 0.0 else None


def precise(estimator):
    """The estimator with a tolerance well below that of the law, where it iterates."""
    options = estimator.get_params(deep=False)
    return estimator.set_params(tol=1e-10, max_iter=10_000) if {"tol", "max_iter"} <= options.keys() else estimator


# Not held to the law yet.
NOT_YET = {
    "AveragedPerceptron", "BaggingRegressor", "BayesianLinearRegression", "BayesianLogisticRegression", "BernoulliNB",
    "CategoricalNB", "DecisionTreeRegressor", "DensityGate", "ElasticNet", "ElasticNetCV", "ExtraTreesRegressor", "GLM",
    "GaussianMixtureClassifier", "GenerativeClassifier", "GradientBoostingClassifier", "GradientBoostingRegressor",
    "HandTreeRegressor", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", "IndicatorRegression",
    "JointTableClassifier", "Lasso", "LassoCV", "LeastSquaresClassifier", "LinearDiscriminantAnalysis",
    "LinearModelClassifier", "LinearModelRegressor", "LinearSVC", "LinearSVM", "LogisticRegression",
    "LogisticRegressionCV", "LpRegression", "MultinomialNB", "NaiveBayes", "OneRule", "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OpenSetClassifier", "OptimalTreeRegressor", "OutputCodeClassifier", "Perceptron", "QuadraticDiscriminantAnalysis",
    "RandomForestRegressor", "RandomizedTreesRegressor", "RidgeCV", "SemiSupervisedClassifier",
    "SemiSupervisedPipeline", "VotedPerceptron",
}  # fmt: skip


def held(estimator):
    predicts = is_classifier(estimator) or is_regressor(estimator)
    return predicts and type(estimator).__name__ not in NOT_YET


@over(filter(held, public_names.estimators()))
def test_predictions_do_not_depend_on_units(estimator):
    check_units(precise(estimator), convert=CONVERTED.get(type(estimator).__name__))
