"""Mixtures, few labels among many rows, and classes that nobody has seen, on real data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier

from gnomon.distributions import Normal, Uniform
from gnomon.generative import (
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    MixtureModel,
    MultinomialNB,
    OpenSetClassifier,
    SemiSupervisedClassifier,
    SemiSupervisedPipeline,
    select_components,
)
from real_data import data_path


@pytest.mark.spec("GEN-079", "GEN-067")
def test_old_faithful_has_two_kinds_of_eruption():
    frame = pd.read_csv(data_path("sequences/faithful.csv.gz"))[["eruptions", "waiting"]]
    for criterion in ("bic", "icl"):
        chosen = select_components(frame, range(1, 5), criterion)
        assert chosen.best == 2
    model = chosen.best_estimator
    order = np.argsort(model.weights_)
    np.testing.assert_allclose(model.weights_[order], [0.356, 0.644], atol=2e-3)
    np.testing.assert_allclose(model.means_[order], [[2.036, 54.48], [4.290, 79.97]], atol=0.05)
    assert -model.nll(frame) == pytest.approx(-1130.264, abs=0.05)
    table = chosen.table
    assert np.all(np.diff(table["train"]) > 0.0)
    assert table["bic"][0] - table["bic"][1] > 200.0


@pytest.mark.spec("GEN-066", "GEN-080")
def test_waiting_times_with_a_component_for_noise():
    waiting = pd.read_csv(data_path("sequences/geyser.csv.gz"))[["waiting"]]
    model = MixtureModel([Normal, Normal, Uniform], n_init=5, random_state=0).fit(waiting)
    assert model.monotone_
    short, long = sorted(float(law.mean[0]) for law in model.components_[:2])
    assert short == pytest.approx(54.4, abs=0.5)
    assert long == pytest.approx(80.4, abs=0.5)
    assert model.weights_[2] < 0.1
    # A slip of the pen far out is noise: without that component a normal law would have to reach for it.
    slipped = pd.concat([waiting, pd.DataFrame({"waiting": [400.0, 700.0]})], ignore_index=True)
    robust = MixtureModel([Normal, Normal, Uniform], n_init=5, random_state=0).fit(slipped)
    assert robust.predict(slipped)[-2:].tolist() == [2, 2]
    np.testing.assert_allclose(sorted(float(law.mean[0]) for law in robust.components_[:2]), [short, long], atol=1.0)
    plain = MixtureModel([Normal, Normal], n_init=5, random_state=0).fit(slipped)
    assert max(float(law.var[0]) for law in plain.components_) > 1000.0


@pytest.mark.spec("GEN-085", "GEN-086", "GEN-L44")
def test_thirty_labelled_messages_among_four_thousand():
    table = pd.read_csv(data_path("text/sms_spam.tsv.gz"), sep="\t", header=None, names=["y", "text"], quoting=3)
    X, y = CountVectorizer(min_df=3).fit_transform(table["text"]), table["y"].to_numpy(dtype=object)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:4000], order[4000:]
    few = np.concatenate([train[y[train] == word][:15] for word in ("ham", "spam")])
    labels = np.full(len(y), None)
    labels[few] = y[few]
    semi = SemiSupervisedClassifier(MultinomialNB()).fit(X[train], labels[train])
    alone = MultinomialNB().fit(X[few], y[few].astype(str))
    truth = y[test].astype(str)
    assert semi.classes_.tolist() == ["ham", "spam"]
    assert alone.score(X[test], truth) < 0.85
    assert semi.score(X[test], truth) > 0.95
    assert np.mean(semi.transduction_ == y[train].astype(str)) > 0.95


@pytest.mark.spec("GEN-085", "GEN-L44")
def test_three_bottles_of_each_wine_have_a_label():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    scores = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        few = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:3] for c in range(3)])
        rest = np.setdiff1d(np.arange(len(y)), few)
        labels = np.full(len(y), -1)
        labels[few] = y[few]
        semi = SemiSupervisedClassifier(GaussianClassifier("diag")).fit(X, labels)
        alone = GaussianClassifier("diag", shrinkage=0.1).fit(X[few], y[few])
        scores.append([semi.score(X[rest], y[rest]), alone.score(X[rest], y[rest])])
    mean = np.mean(scores, axis=0)
    assert mean[0] > mean[1] + 0.03
    assert mean[0] > 0.9


@pytest.mark.spec("GEN-087")
def test_five_labelled_digits_of_each_kind():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    labels = np.full(len(y), np.nan)
    for c in range(10):
        labels[rng.permutation(np.flatnonzero(y == c))[:5]] = c
    model = SemiSupervisedPipeline(PCA(20), KNeighborsClassifier(1)).fit(X, labels)
    assert model.classifier_.n_samples_fit_ == 50
    assert model.score(X, y) > 0.8


@pytest.mark.spec("GEN-088")
@pytest.mark.parametrize(
    "model",
    [SelfTrainingClassifier(GaussianClassifier("diag")), LabelPropagation(gamma=2.0, tol=1e-2), LabelSpreading()],
    ids=lambda model: type(model).__name__,
)
def test_self_training_and_spreading_labels_come_from_scikit_learn_with_the_same_mark(model):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X) / 4.0
    labels = np.where(np.arange(len(y)) % 8 == 0, y, -1)
    assert model.fit(X, labels).score(X, y) > 0.85
    assert SemiSupervisedClassifier(GaussianClassifier("diag")).fit(X, labels).score(X, y) > 0.85


@pytest.mark.spec("GEN-084", "GEN-083")
def test_digits_of_which_half_are_nobodys_business():
    X, y = load_digits(return_X_y=True)
    Z = PCA(12, whiten=True, random_state=0).fit_transform(X)
    train, wanted = np.arange(len(y)) % 2 == 0, y < 5
    known, other = GaussianClassifier(shrinkage=0.05), GaussianMixture(6, reg_covar=1e-2, random_state=0)
    model = OpenSetClassifier(known, other).fit(Z[train & wanted], y[train & wanted], X_other=Z[train & ~wanted])
    found = model.predict(Z[~train])
    assert np.mean(found[wanted[~train]] == y[~train & wanted]) > 0.93
    assert np.mean(found[~wanted[~train]] == -1) > 0.93
    closed = model.known_
    low = float(np.quantile(np.max(closed.class_log_likelihood(Z[train & wanted]), axis=1), 0.05))
    by_level = OpenSetClassifier(known, log_threshold=low).fit(Z[train & wanted], y[train & wanted])
    assert np.mean(by_level.predict(Z[~train & ~wanted]) == -1) > 0.9
    assert np.mean(by_level.predict(Z[~train & wanted]) == y[~train & wanted]) > 0.8


@pytest.mark.spec("GEN-083")
def test_mixture_classifiers_are_searched_like_any_other():
    X, y = load_digits(return_X_y=True)
    Z = PCA(8, whiten=True, random_state=0).fit_transform(X)[:600]
    mixture = GaussianMixture(covariance_type="diag", reg_covar=1e-2, random_state=0, max_iter=300)
    grid = {"n_components": [1, 3], "mixture__covariance_type": ["diag", "spherical"]}
    search = GridSearchCV(GaussianMixtureClassifier(mixture=mixture), grid, cv=3).fit(Z, y[:600])
    assert search.best_params_["n_components"] == 3
    assert search.best_score_ > 0.8
