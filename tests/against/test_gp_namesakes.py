"""Gaussian processes against scikit-learn's, parameter by parameter.

Declared differences: draws come from a Cholesky factor, so that the same seed gives others; names of
hyper-parameters are in the order of our constructors; words of errors and warnings.
"""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier as PeerClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Peer
from sklearn.gaussian_process import kernels as peer
from sklearn.utils._testing import ignore_warnings

from gnomon.gp import GaussianProcessClassifier, GaussianProcessRegressor
from gnomon.kernels import RBF, Constant, Matern, RationalQuadratic

RNG = np.random.default_rng(0)
X, NEW = RNG.uniform(-2.0, 2.0, (30, 2)), RNG.uniform(-2.5, 2.5, (6, 2))
Y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.standard_normal(30)
PAIRS = {
    "default": (None, None),
    "rbf": (Constant(1.0) * RBF(1.0), peer.ConstantKernel(1.0) * peer.RBF(1.0)),
    "ard": (RBF(np.array([1.0, 1.0])), peer.RBF([1.0, 1.0])),
    "matern": (Matern(1.0, nu=2.5), peer.Matern(1.0, nu=2.5)),
    "rq": (RationalQuadratic(1.0, alpha=1.0), peer.RationalQuadratic(1.0, alpha=1.0)),
    "peer": (peer.ConstantKernel(1.0) * peer.RBF(1.0) + peer.WhiteKernel(0.1),) * 2,
}


@pytest.mark.spec("GP-002", "GP-022")
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.05},
        {"alpha": np.linspace(0.01, 0.2, 30)},
        {"alpha": 0.05, "optimizer": None},
        {"alpha": 0.05, "normalize_y": True},
        {"alpha": 0.05, "n_restarts_optimizer": 2, "random_state": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("targets", [1, 2])
@ignore_warnings(category=ConvergenceWarning)
def test_fits(name, options, targets):
    y = Y if targets == 1 else np.column_stack([Y, Y**2])
    ours, theirs = (
        cls(k, **options).fit(X, y) for cls, k in zip((GaussianProcessRegressor, Peer), PAIRS[name], strict=True)
    )
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-5)
    tol = {"rtol": 5e-3, "atol": 5e-3} if len(theirs.kernel_.theta) and options.get("optimizer", 1) else {"rtol": 1e-7}
    assert_allclose(np.sort(ours.kernel_.theta), np.sort(theirs.kernel_.theta), atol=0.02)
    for kind in ({}, {"return_std": True}, {"return_cov": True}):
        a, b = ours.predict(NEW, **kind), theirs.predict(NEW, **kind)
        for part, other in zip(a if kind else [a], b if kind else [b], strict=True):
            assert part.shape == other.shape
            assert part.dtype == other.dtype
            assert_allclose(part, other, **tol)
    for attribute in ("X_train_", "y_train_", "alpha_", "L_"):
        assert getattr(ours, attribute).shape == getattr(theirs, attribute).shape


@pytest.mark.parametrize("name", ["rbf", "ard", "peer"])
def test_the_likelihood_at_other_parameters(name):
    ours, theirs = (
        cls(k, alpha=0.05, optimizer=None).fit(X, Y)
        for cls, k in zip((GaussianProcessRegressor, Peer), PAIRS[name], strict=True)
    )
    theta = ours.kernel_.theta + 0.3
    for a, b in zip(
        ours.log_marginal_likelihood(theta, True), theirs.log_marginal_likelihood(theta, True), strict=True
    ):
        assert_allclose(a, b, rtol=1e-8)
    for model in (ours, theirs):
        with pytest.raises(ValueError, match="Gradient can only be evaluated for theta!=None"):
            model.log_marginal_likelihood(None, True)
        model.log_marginal_likelihood(theta, clone_kernel=False)
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_one_column_of_targets_is_predicted_as_a_vector(normalize_y):
    ours, theirs = (
        cls(k, alpha=0.05, optimizer=None, normalize_y=normalize_y).fit(X, Y[:, None])
        for cls, k in zip((GaussianProcessRegressor, Peer), PAIRS["rbf"], strict=True)
    )
    assert_allclose(ours.predict(NEW), theirs.predict(NEW))
    for kind in ({"return_std": True}, {"return_cov": True}):
        for part, other in zip(ours.predict(NEW, **kind), theirs.predict(NEW, **kind), strict=True):
            assert part.shape == other.shape
            assert_allclose(part, other)
    assert ours.sample_y(NEW, 4).shape == theirs.sample_y(NEW, 4).shape
    for name in ("y_train_", "alpha_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape == (30, 1)
    assert ours.loo_residuals_.shape == (30,)


@pytest.mark.parametrize("n_targets", [None, 1, 3])
def test_before_a_fit(n_targets):
    ours, theirs = (
        cls(k, n_targets=n_targets) for cls, k in zip((GaussianProcessRegressor, Peer), PAIRS["rbf"], strict=True)
    )
    for kind in ({}, {"return_std": True}, {"return_cov": True}):
        a, b = ours.predict(NEW, **kind), theirs.predict(NEW, **kind)
        for part, other in zip(a if kind else [a], b if kind else [b], strict=True):
            assert part.shape == other.shape
            assert_allclose(part, other)
    assert ours.sample_y(NEW, 4).shape == theirs.sample_y(NEW, 4).shape


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"alpha": [0.1, 0.2]}, ValueError),
        ({"optimizer": "newton"}, ValueError),
        ({"n_targets": 2}, ValueError),
        ({"n_restarts_optimizer": -1}, ValueError),
        ({"normalize_y": "yes"}, (ValueError, TypeError)),
        ({"kernel": "rbf"}, ValueError),
    ],
)
def test_errors_are_of_the_same_kind(options, error):
    kernel = {"kernel": options.get("kernel", PAIRS["rbf"][0])}, {"kernel": options.get("kernel", PAIRS["rbf"][1])}
    for cls, own in zip((GaussianProcessRegressor, Peer), kernel, strict=True):
        with pytest.raises(error):
            cls(**{**options, **own}).fit(X, Y)


def test_both_deviations_at_once_are_refused():
    for cls in (GaussianProcessRegressor, Peer):
        with pytest.raises(RuntimeError):
            cls(optimizer=None).fit(X, Y).predict(NEW, return_std=True, return_cov=True)


def test_an_optimizer_of_the_user():
    def optimizer(cost, start, bounds):
        return start + 0.1, cost(start + 0.1, eval_gradient=False)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (
            cls(k, alpha=0.05, optimizer=optimizer).fit(X, Y)
            for cls, k in zip((GaussianProcessRegressor, Peer), PAIRS["rbf"], strict=True)
        )
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta)
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_)


@pytest.mark.spec("GP-041", "GP-044")
@pytest.mark.parametrize("name", ["default", "rbf", "ard", "peer"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [{}, {"optimizer": None}, {"warm_start": True}, {"multi_class": "one_vs_one", "n_jobs": 2}],
    ids=str,
)
@ignore_warnings(category=ConvergenceWarning)
def test_classifiers(name, n_classes, options):
    y = np.array(["a", "b", "c"])[np.digitize(Y, [0.0] if n_classes == 2 else [-0.4, 0.4])]
    classes = GaussianProcessClassifier, PeerClassifier
    ours, theirs = (cls(k, **options).fit(X, y) for cls, k in zip(classes, PAIRS[name], strict=True))
    tol = 1e-7 if "optimizer" in options or name == "default" else 5e-3
    if "warm_start" in options:
        # Its evidence depends on where the last search for a mode ended, so that its optimiser stops early.
        assert ours.log_marginal_likelihood_value_ > theirs.log_marginal_likelihood_value_ - 1e-3
        return
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=tol)
    assert ours.predict(NEW).tolist() == theirs.predict(NEW).tolist()
    if options.get("multi_class") != "one_vs_one" or n_classes == 2:
        assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=max(tol, 1e-6))
    else:
        for model in (ours, theirs):
            with pytest.raises(ValueError, match="one_vs_one"):
                model.predict_proba(NEW)
    if n_classes == 2:
        for a, b in zip(ours.latent_mean_and_variance(NEW), theirs.latent_mean_and_variance(NEW), strict=True):
            assert_allclose(a, b, rtol=0.05 if tol > 1e-6 else 1e-5)


@pytest.mark.parametrize("cls", [GaussianProcessClassifier, GaussianProcessRegressor])
def test_a_compound_kernel_is_refused(cls):
    with pytest.raises(ValueError, match="CompoundKernel"):
        cls(kernel=peer.CompoundKernel([peer.RBF(), peer.RBF()])).fit(X, Y > 0.0)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_base_estimator_is_scikit_learns(multi_class, k):
    labels = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5]) if k == 3 else (Y > 0.0).astype(int)]
    ours, theirs = (
        cls(optimizer=None, multi_class=multi_class).fit(X, labels).base_estimator_
        for cls in (GaussianProcessClassifier, PeerClassifier)
    )
    assert list(ours.classes_) == list(theirs.classes_)
    assert list(ours.predict(NEW)) == list(theirs.predict(NEW))
    if k == 2:
        return
    assert type(ours) is type(theirs)
    for mine, part in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert_allclose(mine.predict_proba(NEW), part.predict_proba(NEW), atol=1e-4)
        assert_allclose(mine.log_marginal_likelihood_value_, part.log_marginal_likelihood_value_, rtol=1e-6)


def test_one_process_of_all_classes_has_no_base_estimator():
    model = GaussianProcessClassifier(multi_class="softmax", optimizer=None)
    assert not hasattr(model, "base_estimator_")
    assert not hasattr(model.fit(X, np.digitize(Y, [-0.5, 0.5])), "base_estimator_")
