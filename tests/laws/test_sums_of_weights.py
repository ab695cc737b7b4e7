"""What the sum of all weights may change: nothing, or only what it is weighed against."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import public_names
from gnomon.anomaly import GaussianDetector, MahalanobisDetector
from gnomon.decomposition import PCA, DiscriminantProjection
from gnomon.distributions import MultivariateNormal, Normal
from gnomon.features import Whitener
from gnomon.generative import GaussianClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from gnomon.linear import LinearRegression
from gnomon.testing._tables import example_table, fitted, outputs_of
from many_checks import over

N = 36
OF_VARIANCES = [
    *(detector(ddof=1) for detector in (GaussianDetector, MahalanobisDetector)),
    GaussianClassifier(ddof=1),
    PCA(2, whiten=True),
    PCA(2, svd_solver="incremental"),
    Whitener(ddof=1),
]
WEIGHTED = [
    *(e for e in public_names.estimators() if "sample_weight" in inspect.signature(e.fit).parameters),
    *(MahalanobisDetector(shrinkage=how) for how in ("ledoit_wolf", "oas")),
    *(GaussianClassifier(shrinkage=how) for how in ("ledoit_wolf", "oas")),
    DiscriminantProjection(solver="eigen", shrinkage="auto"),
    LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
    LinearRegression(ddof=1),
    PCA(2, ddof=0, whiten=True),
    *OF_VARIANCES,
]

# The sum of weights is that of a likelihood or of losses, which these weigh against what weights do not scale.
AGAINST = {
    "a penalty or a prior law of parameters": """
        ActiveLearner BayesDecisionClassifier BayesianLinearRegression BayesianLogisticRegression CalibratedScorer
        ConformalClassifier ConformalRegressor DecisionRegressor DensityGate ExtremeLearningClassifier
        ExtremeLearningRegressor HistGradientBoostingClassifier HistGradientBoostingRegressor IndicatorRegression
        KernelLogisticRegression KernelRidge KernelRidgeCV LinearModelRegressor LinearSVC LogisticRegression
        LogisticRegressionCV MLPClassifier MLPRegressor MulticlassSVC NetworkClassifier NetworkRegressor OneClassSVM
        OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier RejectClassifier ResampledClassifier Ridge RidgeCV
        SVC SVR ThinPlateSpline ThresholdTuner""",
    "pseudo-counts": "BernoulliNB CategoricalNB DensityForest DensityTree JointTableClassifier MultinomialNB OneRule",
    "a prior law of functions": "GaussianProcessClassifier GaussianProcessRegressor",
    "the number of rows, in an estimate of shrinkage": "shrinkage",
    "the degrees of freedom": "ddof PCA Whitener",
    "nothing: the scores are sums over rows": "Perceptron SimilarityModel",
}
CHANGED = {name for names in AGAINST.values() for name in names.split()}


def may_change(estimator):
    options = {name for name in ("ddof", "shrinkage") if estimator.get_params().get(name) not in (0, None, 0.1)}
    return type(estimator).__name__ in CHANGED or bool(options & CHANGED)


def numbers(model):
    """Fitted attributes that are floats, and where they are finite."""
    found = {name: np.asarray(v) for name, v in vars(model).items() if isinstance(v, float | np.ndarray)}
    return {name: np.isfinite(values) for name, values in found.items() if values.dtype.kind == "f"}


@over(WEIGHTED)
@pytest.mark.filterwarnings("ignore")
def test_the_sum_of_weights_changes_only_what_it_is_weighed_against(estimator):
    X, y = example_table(estimator, n_rows=N, n_columns=3)
    s = np.random.default_rng(1).uniform(0.5, 2.0, N)
    plain = fitted(estimator, X, y, sample_weight=s)
    wanted, finite = outputs_of(plain, X), numbers(plain)
    few = 4.0 * len(np.unique(y)) if estimator.get_params().get("ddof") else 1e-6
    for sum_of_weights in (few, max(few, 1.0), 1e6 * s.sum()):
        model = fitted(estimator, X, y, sample_weight=s * (sum_of_weights / s.sum()))
        given = outputs_of(model, X)
        for name, values in given.items():
            if values.dtype.kind == "f":
                assert np.all(np.isfinite(values) | ~np.isfinite(wanted[name])), name
            if not may_change(estimator):
                size = np.max(np.abs(wanted[name])) if values.dtype.kind in "fi" else 0.0
                np.testing.assert_allclose(values, wanted[name], atol=1e-6 * size, err_msg=name)
        # Variances that degrees of freedom leave undetermined are not a number, never infinite.
        for name, values in numbers(model).items():
            if values.shape == finite[name].shape:
                assert np.all(values | ~finite[name] | np.isnan(vars(model)[name])), name


@over(OF_VARIANCES)
def test_weights_that_leave_no_degrees_of_freedom_are_refused(estimator):
    """Those of each class, of a classifier: the mean takes one, and rounding is nothing."""
    X, y = example_table(estimator, n_rows=N, n_columns=3)
    n_groups = len(np.unique(y)) if is_classifier(estimator) else 1
    for total in (1e-6, 0.999, 1.0, 1.0 + 1e-15):
        s = total / np.bincount(y, minlength=N)[y] if n_groups > 1 else np.full(N, total / N)
        with pytest.raises(ValueError, match="ddof=1"):
            clone(estimator).fit(X, y, sample_weight=s)


@pytest.mark.parametrize("law", [Normal, MultivariateNormal])
def test_weights_of_one_row_have_no_degrees_of_freedom(law):
    """However their sum is rounded."""
    X = np.random.default_rng(0).normal(size=(80, 2))[:, 0 if law is Normal else slice(None)]
    for s in (np.full(80, 1 / 80), np.full(80, (1 + 1e-15) / 80), np.full(80, 1e-9)):
        with pytest.raises(ValueError, match="ddof=1"):
            law.fit(X, sample_weight=s, ddof=1)
