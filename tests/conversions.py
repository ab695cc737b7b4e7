"""Estimators with their parameters in other units, and with a tolerance below that of a law."""

import numpy as np

from gnomon.distributions import Normal
from gnomon.kernels import RBF
from gnomon.testing import ChangeOfUnits

# Parameters that have a unit, converted with the data; an estimator that is not here has none.
CONVERTED = {
    "Lasso": lambda m, u: m.set_params(alpha=m.alpha * u.x * u.y),
    "ElasticNet": lambda m, u: _with_elastic_net(m, u),
    "Ridge": lambda m, u: m.set_params(alpha=m.alpha * u.x**2 * u.weight),
    "IndicatorRegression": lambda m, u: m.set_params(regressor=CONVERTED["Ridge"](m.regressor, u)),
    "ExtremeLearningClassifier": lambda m, u: m.set_params(alpha=m.alpha * u.weight),
    "ExtremeLearningRegressor": lambda m, u: m.set_params(alpha=m.alpha * u.weight),
    "OneRule": lambda m, u: m.set_params(min_bucket=m.min_bucket * u.weight),
    "LogisticRegression": lambda m, u: m.set_params(C=m.C / u.x**2 / u.weight),
    "LogisticRegressionCV": lambda m, u: m.set_params(Cs=np.logspace(-4, 4, m.Cs) / u.x**2 / u.weight),
    "RidgeCV": lambda m, u: m.set_params(alphas=np.multiply(m.alphas, u.x**2 * u.weight)),
    # For a given share of the norms, columns and target must change together.
    "ElasticNetCV": lambda m, u: m if u.x == u.y else None,
    "LinearModelRegressor": lambda m, u: m.set_params(lam=m.lam * u.x**2 * u.weight),
    "LinearModelClassifier": lambda m, u: m.set_params(lam=m.lam * u.x**2),
    "LinearSVM": lambda m, u: m.set_params(lam=0.01 * u.x**2),
    # The intercept is the weight of a column, and penalised.
    "LinearSVC": lambda m, u: None if u.offset else m.set_params(C=m.C / u.x**2 / u.weight, intercept_scaling=u.x),
    # gamma="scale" is that of all entries, so it sees an offset that columns do not share, as in scikit-learn.
    "SVC": lambda m, u: None if u.offset else m.set_params(C=m.C / u.weight),
    "SVR": lambda m, u: (
        None if u.offset else m.set_params(C=m.C * u.y / u.weight, epsilon=m.epsilon * u.y, tol=m.tol * u.y)
    ),
    "BayesianLinearRegression": lambda m, u: _with_prior(m.set_params(sigma2=m.sigma2 * u.y**2), u),
    "BayesianLogisticRegression": lambda m, u: _with_prior(m, u),
    **{
        name: lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u))
        for name in ("BayesDecisionClassifier", "CalibratedScorer", "RejectClassifier", "ThresholdTuner")
    },
    "DecisionRegressor": lambda m, u: m.set_params(estimator=CONVERTED["Ridge"](m.estimator, u)),
    "ScoreFusion": lambda m, u: m.set_params(lam=m.lam * u.x**2),
    "ActiveLearner": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    "ConformalClassifier": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    "ConformalRegressor": lambda m, u: m.set_params(estimator=CONVERTED["Ridge"](m.estimator, u)),
    "OneVsOneClassifier": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    "OneVsRestClassifier": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    "ResampledClassifier": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    "OutputCodeClassifier": lambda m, u: m.set_params(estimator=CONVERTED["LogisticRegression"](m.estimator, u)),
    # Pseudo-counts are rows; a category, or a count, is what it is.
    "BernoulliNB": lambda m, u: None if u.offset else m.set_params(alpha=m.alpha * u.weight),
    "CategoricalNB": lambda m, u: None if u.offset or u.x != 1.0 else m.set_params(alpha=m.alpha * u.weight),
    "MultinomialNB": lambda m, u: None if u.offset or u.x != 1.0 else m.set_params(alpha=m.alpha * u.weight),
    "JointTableClassifier": lambda m, u: None if u.offset or u.x != 1.0 else m.set_params(alpha=m.alpha * u.weight),
    "OraclePredictor": lambda m, u: None,  # the law is given, in its own units
    # What is added to a variance, and a bandwidth, have the unit of a column.
    # The classifier behind a gate is scikit-learn's by default.
    "DensityGate": lambda m, u: None,
    # A leaf has a curvature of at least 1e-3, weights included, as in scikit-learn.
    "HistGradientBoostingClassifier": lambda m, u: m if u.weight == 1.0 else None,
    "HistGradientBoostingRegressor": lambda m, u: m if u.weight == 1.0 else None,
    "GaussianMixtureClassifier": lambda m, u: m if u.x == 1.0 else None,
    "GenerativeClassifier": lambda m, u: m if u.x == 1.0 else None,
    "OpenSetClassifier": lambda m, u: m if u.x == 1.0 else None,
    "QuadraticDiscriminantAnalysis": lambda m, u: m if u.x == 1.0 else None,
    # A linear kernel has no intercept.
    # "scale" is the variance of all entries, whose means differ by column.
    "MulticlassSVC": lambda m, u: None if u.offset else m.set_params(C=m.C / u.weight),
    **{
        name: lambda m, u: None if u.offset else m
        for name in ("NestedOneClassSVM", "RBFNetworkClassifier", "RBFNetworkRegressor")
    },
    # A sum of values has the unit of the weights.
    "SimilarityModel": lambda m, u: None if u.offset or u.weight != 1.0 else m,
    "KernelRidge": lambda m, u: None if u.offset else m.set_params(alpha=m.alpha * u.x**2 * u.weight),
    "KernelRidgeCV": lambda m, u: None if u.offset else m.set_params(alphas=np.multiply(m.alphas, u.x**2 * u.weight)),
    "KernelLogisticRegression": lambda m, u: m.set_params(C=m.C / u.weight, gamma=m.gamma / u.x**2),
    # λ has the unit of φ: r³, r² log r, r.
    "ThinPlateSpline": lambda m, u: m.set_params(smoothing=m.smoothing * u.x * u.weight),
    "GaussianProcessClassifier": lambda m, u: (
        m.set_params(kernel=RBF(u.x, length_scale_bounds="fixed")) if u.weight == 1.0 else None
    ),
    "GaussianProcessRegressor": lambda m, u: m.set_params(
        kernel=RBF(u.x, length_scale_bounds="fixed"), alpha=m.alpha * u.weight
    ),
    # A network starts from weights that suit targets of order one, and sums of rows carry rounding to another minimum.
    **{
        name: lambda m, u: None if u.offset or u.y != 1.0 else m.set_params(alpha=m.alpha * u.weight)
        for name in ("MLPClassifier", "MLPRegressor", "NetworkClassifier", "NetworkRegressor")
    },
    # A step has the size of a row.
    "AveragedPerceptron": lambda m, u: m if u == ChangeOfUnits(x=u.x) else None,
    "VotedPerceptron": lambda m, u: m if u == ChangeOfUnits(x=u.x) else None,
}


def _with_prior(m, u):
    """A coefficient has the unit of y over that of its column; weight 2 is the row twice, so weights have none."""
    return m.set_params(parameter_prior=Normal(0.0, (u.y / u.x) ** 2)) if u.weight == 1.0 else None


def _with_elastic_net(m, u):
    """α ρ ‖w‖₁ + ½ α (1 − ρ) ‖w‖²: the strengths of the two norms have different units."""
    l1, l2 = m.alpha * m.l1_ratio * u.x * u.y, m.alpha * (1.0 - m.l1_ratio) * u.x**2
    # Of strengths this far apart a share keeps one.
    together = min(l1, l2) > 1e-9 * max(l1, l2)
    return m.set_params(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2)) if together else None


def precise(estimator):
    """The estimator with a tolerance well below that of the law, where it iterates, and few candidates."""
    # Beside a constant column the steps of a perceptron have no symmetry.
    wish = {"Cs": 3, "tol": 1e-10, "max_iter": 10_000, "standardize": True}
    options = estimator.get_params(deep=False)
    if options.get("estimator") is not None:
        precise(options["estimator"])
    # Rounds of boosting are no iterations towards an optimum: all of them are run.
    iterates = {"tol", "max_iter"} <= options.keys() and "max_bins" not in options
    wish = {"fit_intercept": False} if "eta0" in options else wish if iterates else {}
    return estimator.set_params(**{name: value for name, value in wish.items() if name in options})
