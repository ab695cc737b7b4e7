"""Gaussian mixtures beside scikit-learn's, from the same start."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.mixture import GaussianMixture as Peer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.generative import GaussianMixture

DATA = {"iris": load_iris().data, "wine": StandardScaler().fit_transform(load_wine().data)[:, :6]}


@pytest.mark.spec("GEN-067", "GEN-068", "GEN-069")
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("name", list(DATA))
def test_the_same_fit_from_the_same_start(name, kind):
    X = DATA[name]
    first = Peer(3, covariance_type=kind, random_state=0, max_iter=0).fit(X)
    start = {"weights_init": first.weights_, "means_init": first.means_, "precisions_init": first.precisions_}
    options = {"covariance_type": kind, "tol": 1e-6, "max_iter": 1000, "random_state": 0, **start}
    ours, theirs = (cls(3, **options).fit(X) for cls in (GaussianMixture, Peer))
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.converged_ == theirs.converged_
    for attribute in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.lower_bounds_, theirs.lower_bounds_, rtol=1e-9)
    for method in ("score_samples", "predict_proba", "predict", "bic", "aic", "score"):
        np.testing.assert_allclose(getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-7, atol=1e-9)
    assert ours.n_parameters_ == theirs._n_parameters()
    assert ours.nll(X) == pytest.approx(-len(X) * theirs.score(X), rel=1e-9)
    s = np.arange(len(X)) % 3
    assert ours.nll(X, s) == pytest.approx(ours.nll(X.repeat(s, axis=0)))
    assert ours.score(X, sample_weight=s) == pytest.approx(theirs.score(X.repeat(s, axis=0)), rel=1e-7)
    assert ours.bic(X, s) == pytest.approx(theirs.bic(X.repeat(s, axis=0)), rel=1e-7)
    np.testing.assert_array_equal(clone(ours).fit_predict(X, np.ones(3)), theirs.predict(X))
    upper = np.where(X[:, 0] > np.median(X[:, 0]), 1.0, 0.0)
    heavy = clone(ours).fit_predict(X, sample_weight=upper)
    np.testing.assert_array_equal(heavy, clone(ours).fit(X, sample_weight=upper).predict(X))
    assert not np.array_equal(heavy, theirs.predict(X))


@pytest.mark.spec("GEN-067", "GEN-073")
@pytest.mark.parametrize("init", ["kmeans", "random"])
def test_an_optimum_as_good_from_our_own_starts(init):
    X = DATA["iris"]
    ours, theirs = (
        cls(3, init_params=init, n_init=10, random_state=0, max_iter=500).fit(X) for cls in (GaussianMixture, Peer)
    )
    assert ours.lower_bound_ >= theirs.lower_bound_ - 0.02


@pytest.mark.spec("GEN-067")
def test_no_iterations_and_warm_starts():
    X = DATA["iris"]
    start = GaussianMixture(3, max_iter=0, random_state=0).fit(X)
    assert start.n_iter_ == 0
    model = GaussianMixture(3, max_iter=3, tol=0.0, random_state=0, warm_start=True)
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(X)
    before = model.lower_bound_
    with pytest.warns(UserWarning, match="did not converge"):
        model.fit(X)
    assert model.lower_bound_ > before


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_warm_starts_of_one_iteration_converge():
    models = [make(3, max_iter=1, random_state=0, warm_start=True) for make in (GaussianMixture, Peer)]
    for model in models:
        assert any(model.fit(DATA["iris"]).converged_ for _ in range(200))
    assert models[0].n_iter_ == models[1].n_iter_ == 1
    assert models[0].lower_bound_ == pytest.approx(models[1].lower_bound_, abs=0.01)


@pytest.mark.spec("GEN-067", "GEN-061")
def test_in_a_pipeline_and_a_grid_y_is_ignored():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), GaussianMixture(random_state=0, reg_covar=1e-3, max_iter=300)),
        {"gaussianmixture__n_components": [1, 2, 3]},
    ).fit(X[np.random.default_rng(0).permutation(len(X))], y)
    assert search.best_params_["gaussianmixture__n_components"] > 1


@pytest.mark.spec("GEN-067")
def test_single_precision_stays():
    X = DATA["iris"].astype(np.float32)
    model = GaussianMixture(3, random_state=0).fit(X)
    assert {model.means_.dtype, model.covariances_.dtype, model.predict_proba(X).dtype} == {np.dtype(np.float32)}
    double = GaussianMixture(3, random_state=0).fit(X.astype(float))
    np.testing.assert_allclose(model.means_, double.means_, rtol=1e-5)
