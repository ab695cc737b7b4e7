"""Every option of every generative and anomaly estimator: what is of the wrong kind or unused is refused, by name."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import gnomon.anomaly as anomaly
import gnomon.generative as generative
from gnomon.distributions import Dirichlet, MultivariateNormal, Normal, NormalInverseWishartModel, Poisson
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    DensityGate,
    DensityImputer,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    GaussianNB,
    LatentClassModel,
    MixtureModel,
    MultinomialNB,
    OpenSetClassifier,
    QuadraticDiscriminantAnalysis,
    SemiSupervisedClassifier,
)
from many_checks import check_all, over

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 20)
X = RNG.normal(size=(40, 3)) + 3.0 * Y[:, None]
COUNTS = RNG.integers(0, 3, (40, 3))
OF_COUNTS = ("BernoulliNB", "CategoricalNB", "MultinomialNB", "NaiveBayes", "JointTableClassifier")
WRONG = (object(), b"x", 2.0 + 0.0j, "bogus")
LABELS = ("outlier_label", "unknown_label", "unlabeled", "anomaly_label")
"""Options that may be any string or number."""

ESTIMATORS = [
    value()
    for family in (generative, anomaly)
    for value in map(family.__dict__.get, family.__all__)
    if inspect.isclass(value) and issubclass(value, BaseEstimator)
]


def rows_for(estimator):
    return COUNTS if type(estimator).__name__ in OF_COUNTS else X


def refused(estimator, name, value):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=name):
        clone(estimator).set_params(**{name: value}).fit(rows_for(estimator), Y)


@over(ESTIMATORS)
def test_a_value_of_the_wrong_kind_is_refused_by_name(estimator):
    cases = [
        (f"{name}={value!r}", lambda name=name, value=value: refused(estimator, name, value))
        for name in estimator.get_params(deep=False)
        for value in WRONG
        if not (name in LABELS and isinstance(value, str))
    ]
    assert cases
    check_all(cases)


NIW = NormalInverseWishartModel(np.zeros(3), 1.0, np.eye(3), 5.0)
TWO = [Normal, Normal]
UNUSED = [
    (GaussianMixture(2, lbg_alpha=0.5), "lbg_alpha"),
    (GaussianMixture(1, precisions_init=[np.eye(3)], covariances_init=[np.eye(3)]), "covariances_init"),
    (GaussianMixture(1, cov_floor=0.1, covariance_prior=1.0), "covariance_prior"),
    (GaussianMixtureClassifier(1, max_components=3), "max_components"),
    (MixtureModel([Normal(0.0, 1.0), Normal(1.0, 1.0)], init_params="random"), "init_params"),
    (LatentClassModel(init_params="random", responsibilities_init=np.full((40, 2), 0.5)), "init_params"),
    (OpenSetClassifier(other=MultivariateNormal), "other"),
    (OpenSetClassifier(other_prior=0.2), "other_prior"),
    (OpenSetClassifier(threshold=0.1, log_threshold=-2.0), "threshold"),
    (DensityGate(threshold=0.1, log_threshold=-2.0), "threshold"),
    (GaussianClassifier("diag", shrinkage="oas"), "shrinkage"),
    (GaussianClassifier(parameter_prior=NIW), "parameter_prior"),
    (MultinomialNB(parameter_prior=Dirichlet([1.0, 1.0])), "parameter_prior"),
    (anomaly.TunedDetector(beta=2.0), "beta"),
    (anomaly.GaussianDetector(epsilon=0.1, log_epsilon=-1.0), "epsilon"),
    (anomaly.GaussianDetector(epsilon=0.1, contamination=0.1), "contamination"),
]
OUTSIDE = [
    (MixtureModel(TWO, fixed="bogus"), "fixed"),
    (MixtureModel(TWO, fixed=[2]), "fixed"),
    (MixtureModel(TWO, fixed=[-1]), "fixed"),
    (MixtureModel([Poisson, 3]), "components"),
    (MixtureModel(Normal), "components"),
    (OpenSetClassifier(other_prior=7.0, threshold=0.1), "other_prior"),
    (OpenSetClassifier(log_threshold=np.nan), "log_threshold"),
    (GaussianMixture(max_iter=-1), "max_iter"),
    (GaussianMixture(verbose=-1), "verbose"),
    (GaussianMixture(n_jobs=1.5), "n_jobs"),
    (GaussianMixture(min_count=-1.0), "min_count"),
    (GaussianMixture(on_empty=0), "on_empty"),
    (GaussianMixture(algorithm="gradient", reg_covar=0.1), "reg_covar"),
    (GaussianMixtureClassifier(0), "n_components"),
    (GaussianMixtureClassifier({0: 1, 1: 0}), "n_components"),
    (GaussianNB(var_smoothing=-1e-9), "var_smoothing"),
    (CategoricalNB(min_categories=0), "min_categories"),
    (BernoulliNB(alpha=-1.0), "alpha"),
    (BernoulliNB(alpha=True), "alpha"),
    (MultinomialNB(class_prior=[0.5, 0.6]), "class_prior"),
    (SemiSupervisedClassifier(unlabeled_weight=-1.0), "unlabeled_weight"),
    (DensityImputer(by_class=1), "by_class"),
    (QuadraticDiscriminantAnalysis(reg_param=1.5), "reg_param"),
    (anomaly.GaussianDetector(level=1.5), "level"),
    (anomaly.GaussianDetector(ddof=-1), "ddof"),
    (anomaly.MahalanobisDetector(contamination=1.5), "contamination"),
    (anomaly.TunedDetector(beta=0.0, metric="fbeta"), "beta"),
    (anomaly.TunedDetector(anomaly_label="z"), "anomaly_label"),
    (anomaly.TunedDetector(cv=1), "cv"),
]


@pytest.mark.parametrize("table", [UNUSED, OUTSIDE], ids=["unused", "outside"])
def test_options_that_are_unused_or_outside_their_range_are_refused_by_name(table):
    def case(estimator, name):
        with pytest.raises((ValueError, TypeError), match=name):
            estimator.fit(rows_for(estimator), Y)

    check_all((repr(estimator), lambda e=estimator, n=name: case(e, n)) for estimator, name in table)
