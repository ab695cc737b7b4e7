"""Laws of learning from labelled and unlabelled rows."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomTreesEmbedding
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from gnomon.distributions import Exponential
from gnomon.generative import (
    CategoricalNB,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    GaussianNB,
    GenerativeClassifier,
    MultinomialNB,
    SemiSupervisedClassifier,
    SemiSupervisedPipeline,
)

FINE = GaussianMixture(cov_floor=0.1, tol=1e-9, max_iter=5000, random_state=0)
BASES = {
    "full": GaussianClassifier(),
    "tied": GaussianClassifier("tied"),
    "diag": GaussianClassifier("diag"),
    "naive": GaussianNB(var_smoothing=0.0),
    "mixture": GaussianMixtureClassifier(1, mixture=GaussianMixture(reg_covar=0.0)),
    "mixtures": GaussianMixtureClassifier(2, mixture=FINE),
    "any": GenerativeClassifier(),
}


def some_labels(n=120, kept=8, centers=3, spread=1.5):
    X, y = make_blobs(n, centers=centers, cluster_std=spread, random_state=0)
    hidden = np.full(n, -1)
    for c in range(centers):
        rows = np.flatnonzero(y == c)[:kept]
        hidden[rows] = c
    return X, y, hidden


def never_falls(history):
    values = history["objective"]
    return np.all(np.diff(values) >= -1e-9 * (1.0 + np.abs(values[:-1])))


@pytest.mark.spec("GEN-L43", "GEN-085")
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical", "tied_diag", "tied_spherical"])
def test_with_every_label_it_is_the_supervised_classifier(kind):
    X, y, _ = some_labels()
    a, b = SemiSupervisedClassifier(GaussianClassifier(kind)).fit(X, y), GaussianClassifier(kind).fit(X, y)
    np.testing.assert_allclose(a.model_.means_, b.means_, atol=1e-12)
    np.testing.assert_allclose(a.model_.covariances_, b.covariances_, atol=1e-12)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-10)
    assert a.objective_ == pytest.approx(b.log_likelihood(X, y), abs=1e-8)
    assert a.transduction_.tolist() == y.tolist()


@pytest.mark.spec("GEN-L43", "GEN-085")
@pytest.mark.parametrize("name", BASES)
def test_with_weight_zero_it_learns_from_the_labelled_rows_alone(name):
    X, _, hidden = some_labels(kept=12)
    a = SemiSupervisedClassifier(BASES[name], unlabeled_weight=0.0).fit(X, hidden)
    seen = hidden >= 0
    b = BASES[name].fit(X[seen], hidden[seen])
    tolerance = 1e-3 if name == "mixtures" else 1e-8
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=tolerance)
    np.testing.assert_allclose(a.class_prior_, b.class_prior_, atol=1e-10)


@pytest.mark.spec("GEN-L43", "GEN-085")
@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("algorithm", ["soft", "hard"])
def test_the_objective_never_falls_and_is_that_of_the_specification(name, algorithm):
    X, _, hidden = some_labels()
    model = SemiSupervisedClassifier(BASES[name], algorithm=algorithm, unlabeled_weight=0.5).fit(X, hidden)
    assert model.converged_
    assert never_falls(model.history_)
    if algorithm == "soft":
        seen = hidden >= 0
        expected = model.log_likelihood(X[seen], hidden[seen]) + 0.5 * np.sum(model.score_samples(X[~seen]))
        assert model.objective_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.spec("GEN-L43", "GEN-085")
@pytest.mark.parametrize("name", ["full", "naive", "any"])
def test_labelled_rows_belong_to_their_class_alone_and_priors_are_shares_of_all_rows(name):
    X, _, hidden = some_labels(kept=20)
    hidden[0] = (hidden[0] + 1) % 3  # a label that the density contradicts still counts
    model = SemiSupervisedClassifier(BASES[name], tol=1e-10, max_iter=2000).fit(X, hidden)
    gamma = model.predict_proba(X)
    gamma[hidden >= 0] = np.eye(3)[hidden[hidden >= 0]]
    np.testing.assert_allclose(model.class_prior_, np.mean(gamma, axis=0), atol=1e-5)
    means = gamma.T @ X / np.sum(gamma, axis=0)[:, None]
    again = GaussianClassifier().fit(np.tile(X, (3, 1)), np.repeat([0, 1, 2], len(X)), sample_weight=gamma.T.ravel())
    np.testing.assert_allclose(again.means_, means, atol=1e-10)
    if name == "full":
        np.testing.assert_allclose(model.model_.means_, means, atol=1e-4)
        np.testing.assert_allclose(model.model_.covariances_, again.covariances_, atol=1e-3)
    assert model.transduction_[0] == hidden[0]


@pytest.mark.spec("GEN-L43", "GEN-085")
def test_without_any_label_it_is_a_gaussian_mixture():
    X, truth, _ = some_labels(spread=0.8)
    model = SemiSupervisedClassifier(n_free=3, tol=1e-8, max_iter=2000, random_state=0).fit(X, np.full(len(X), -1))
    mixture = GaussianMixture(3, reg_covar=0.0, tol=1e-8, max_iter=2000, n_init=3, random_state=0).fit(X)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.objective_ == pytest.approx(-mixture.nll(X), abs=1e-5)
    np.testing.assert_allclose(model.score_samples(X), mixture.score_samples(X), atol=1e-3)
    assert len(np.unique(model.transduction_[truth == 0])) <= 2


@pytest.mark.spec("GEN-L43", "GEN-085")
def test_the_fused_steps_are_those_around_the_classifier():
    X, _, hidden = some_labels()
    fused = SemiSupervisedClassifier(GaussianClassifier(), tol=1e-9).fit(X, hidden)
    around = SemiSupervisedClassifier(GenerativeClassifier(), tol=1e-9).fit(X, hidden)
    assert fused.objective_ == pytest.approx(around.objective_, abs=1e-7)
    np.testing.assert_allclose(fused.predict_proba(X), around.predict_proba(X), atol=1e-6)


@pytest.mark.spec("GEN-L44", "GEN-085")
def test_two_labels_for_each_class_and_many_rows_without():
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 250)
        X = np.where(y[:, None] == 1, [2.5, 0.0], [0.0, 0.0]) + rng.normal(size=(500, 2))
        new = np.where(y[:, None] == 1, [2.5, 0.0], [0.0, 0.0]) + rng.normal(size=(500, 2))
        hidden = np.full(500, -1)
        hidden[[0, 1, 250, 251]] = [0, 0, 1, 1]
        semi = SemiSupervisedClassifier(GaussianClassifier("tied")).fit(X, hidden)
        alone = GaussianClassifier("tied", pool=0.0, shrinkage=0.1).fit(X[hidden >= 0], hidden[hidden >= 0])
        errors.append([1.0 - semi.score(new, y), 1.0 - alone.score(new, y)])
    mean = np.mean(errors, axis=0)
    assert mean[0] <= mean[1]
    assert mean[0] < 0.2


@pytest.mark.spec("GEN-L10", "GEN-085")
@pytest.mark.parametrize("name", ["full", "naive", "mixture"])
def test_a_weight_is_a_number_of_rows(name):
    X, _, hidden = some_labels(kept=10)
    weights = np.random.default_rng(0).integers(0, 4, size=len(X))
    a = SemiSupervisedClassifier(BASES[name], tol=1e-9).fit(X, hidden, sample_weight=weights)
    b = SemiSupervisedClassifier(BASES[name], tol=1e-9).fit(np.repeat(X, weights, axis=0), np.repeat(hidden, weights))
    assert a.objective_ == pytest.approx(b.objective_, abs=1e-6)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)


@pytest.mark.spec("GEN-085")
def test_components_of_a_class_share_its_labelled_rows():
    rng = np.random.default_rng(0)
    corner = rng.integers(4, size=600)
    X = 6.0 * np.array([[0, 0], [1, 1], [0, 1], [1, 0]])[corner] + rng.normal(size=(600, 2))
    y = corner // 2
    hidden = np.where(np.arange(600) < 60, y, -1)
    base = GaussianMixtureClassifier({0: 2, 1: 2}, mixture=GaussianMixture(random_state=0, n_init=3))
    model = SemiSupervisedClassifier(base).fit(X, hidden)
    assert model.model_.n_components_.tolist() == [2, 2]
    assert model.score(X, y) > 0.98
    assert sum(mixture.weights_.sum() for mixture in model.model_.mixtures_) == pytest.approx(2.0)
    centers = np.concatenate([mixture.means_ for mixture in model.model_.mixtures_]).round().astype(int)
    assert {tuple(row) for row in centers.tolist()} == {(0, 0), (6, 6), (0, 6), (6, 0)}
    with pytest.raises(ValueError, match="covariance_type='tied'"):
        SemiSupervisedClassifier(GaussianMixtureClassifier(2, mixture=GaussianMixture(covariance_type="tied"))).fit(
            X, y
        )


@pytest.mark.spec("GEN-085")
@pytest.mark.parametrize("base", [GaussianClassifier(), GaussianNB()], ids=["fused", "around"])
def test_a_class_without_a_label_is_found(base):
    X, y, hidden = some_labels(n=300, kept=10, spread=0.5)
    hidden[hidden == 2] = -1
    model = SemiSupervisedClassifier(base, n_free=1, random_state=0).fit(X, hidden)
    assert model.classes_.tolist() == [0, 1, 2]
    assert np.mean(model.predict(X) == y) > 0.9
    named = SemiSupervisedClassifier(base, n_free=1, random_state=0)
    named.fit(X, np.where(hidden < 0, None, np.array(["left", "right", "?"])[hidden]))
    assert named.classes_.tolist() == ["left", "new_0", "right"]
    np.testing.assert_allclose(named.predict_proba(X)[:, [0, 2, 1]], model.predict_proba(X), atol=1e-8)


@pytest.mark.spec("GEN-085", "GEN-034")
def test_gaps_in_rows_and_classes_with_a_single_label():
    X, y, hidden = some_labels(kept=1, n=150, spread=0.8)
    X = np.where((np.random.default_rng(0).random(X.shape) < 0.1) & (hidden < 0)[:, None], np.nan, X)
    model = SemiSupervisedClassifier().fit(X, hidden)
    assert never_falls(model.history_)
    assert np.all(np.isfinite(model.predict_proba(X)))
    assert model.score(X, y) > 0.7


@pytest.mark.spec("GEN-085")
def test_counts_words_and_densities_of_any_kind():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    hidden = np.where(np.arange(300) % 30 == 0, y, -1)
    counts = rng.multinomial(12, [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], size=(150, 2)).transpose(1, 0, 2).reshape(-1, 3)
    words = np.where(rng.random((300, 3)) < 0.85, np.array(["red", "blue"])[y][:, None], "green")
    times = rng.exponential(np.where(y == 1, 8.0, 1.0)[:, None], size=(300, 2))
    for base, X in ((MultinomialNB(), counts), (CategoricalNB(), words), (GenerativeClassifier(Exponential), times)):
        model = SemiSupervisedClassifier(base).fit(X, hidden)
        assert model.converged_
        assert model.score(X, y) > 0.85
        assert np.all(np.isfinite(model.predict_proba(X)))


@pytest.mark.spec("GEN-085")
def test_a_data_frame_keeps_its_names_and_kinds():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    frame = pd.DataFrame({"size": rng.normal(4.0 * y), "colour": np.where(rng.random(200) < 0.9, y, 1 - y)})
    frame["colour"] = frame["colour"].map({0: "red", 1: "blue"})
    labels = pd.Series(np.where(np.arange(200) % 20 == 0, y, -1))
    model = SemiSupervisedClassifier(CategoricalNB()).fit(frame[["colour"]], labels)
    assert model.feature_names_in_.tolist() == ["colour"]
    assert model.score(frame[["colour"]], y) > 0.85
    numbers = SemiSupervisedClassifier().fit(frame[["size"]], labels)
    assert numbers.score(frame[["size"]], y) > 0.9


@pytest.mark.spec("GEN-086")
@pytest.mark.parametrize("estimator", [SemiSupervisedClassifier(), SemiSupervisedPipeline()], ids=["em", "pipeline"])
def test_what_stands_for_no_label(estimator):
    pd = pytest.importorskip("pandas")
    X, y, hidden = some_labels(centers=2)
    reference = estimator.fit(X, hidden).predict(X)
    gap = hidden < 0
    kinds = {
        "floats": np.where(gap, np.nan, hidden.astype(float)),
        "objects": np.where(gap, None, hidden.astype(object)),
        "pandas": pd.Series(np.where(gap, pd.NA, hidden), dtype="Int64"),
        "nested": np.where(gap, np.nan, hidden.astype(object)),
    }
    for labels in kinds.values():
        fitted = estimator.fit(X, labels)
        assert fitted.predict(X).tolist() == reference.tolist()
    for mark in (-7, 99):
        fitted = type(estimator)(unlabeled=mark).fit(X, np.where(gap, mark, hidden))
        assert fitted.predict(X).tolist() == reference.tolist()
    words = np.array(["b", "w", ""])[hidden]
    fitted = type(estimator)(unlabeled="").fit(X, words)
    assert fitted.classes_.tolist() == ["b", "w"]
    assert fitted.predict(X).tolist() == np.array(["b", "w"])[reference].tolist()
    both = type(estimator)(unlabeled=None).fit(X, 2 * y - 1)
    assert both.classes_.tolist() == [-1, 1]


@pytest.mark.spec("GEN-086")
def test_labels_that_leave_one_class_or_none_are_refused():
    X, y, _ = some_labels(centers=2)
    with pytest.raises(ValueError, match="if −1 is a class, set unlabeled"):
        SemiSupervisedClassifier().fit(X, 2 * y - 1)
    with pytest.raises(ValueError, match="y has no label among its 120 rows"):
        SemiSupervisedClassifier().fit(X, np.full(120, -1))
    with pytest.raises(ValueError, match=r"base=KNeighborsClassifier\(\) must be a BayesClassifier"):
        SemiSupervisedClassifier(KNeighborsClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="labels on rows of weight zero only"):
        SemiSupervisedClassifier().fit(X, y, sample_weight=(y == 0).astype(float))
    with pytest.raises(ValueError, match=r"n_samples|inconsistent"):
        SemiSupervisedClassifier().fit(X, y[:-1])


@pytest.mark.spec("GEN-085", "GEN-060")
def test_classes_that_the_rows_cannot_determine_are_named():
    X, y, hidden = some_labels(centers=2, spread=0.8)
    flat = np.c_[X, np.ones(len(X))]
    with pytest.raises(ValueError, match="column 2 is constant within"):
        SemiSupervisedClassifier(GaussianClassifier("diag")).fit(flat, hidden)
    with pytest.raises(ValueError, match="remove"):
        SemiSupervisedClassifier().fit(flat, hidden)
    assert SemiSupervisedClassifier(GaussianClassifier(shrinkage=0.01)).fit(flat, hidden).score(flat, y) > 0.9
    mixtures = SemiSupervisedClassifier(GaussianMixtureClassifier(2, mixture=GaussianMixture(random_state=0)))
    assert mixtures.fit(flat, hidden).score(flat, y) > 0.9
    light = SemiSupervisedClassifier(GaussianNB()).fit(X, hidden, sample_weight=np.where(hidden == 0, 0.01, 1.0))
    assert light.converged_
    with pytest.raises(ValueError, match="class 0 has N_c=1 rows"):
        SemiSupervisedClassifier().fit(X[:1], [0])


@pytest.mark.spec("GEN-087")
def test_a_representation_from_all_rows_and_a_classifier_from_the_labelled_ones():
    X, y, hidden = some_labels(n=200, kept=3, spread=0.6)
    wide = np.hstack([X, np.random.default_rng(0).normal(scale=0.5, size=(200, 8))])
    model = SemiSupervisedPipeline(PCA(2), KNeighborsClassifier(1)).fit(wide, hidden)
    np.testing.assert_allclose(np.abs(model.transformer_.components_), np.abs(PCA(2).fit(wide).components_), atol=1e-8)
    assert model.classifier_.n_samples_fit_ == 9
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.score(wide, y) > 0.8
    plain = make_pipeline(PCA(2), KNeighborsClassifier(1)).fit(wide, hidden)
    assert -1 in plain.predict(wide)
    trees = SemiSupervisedPipeline(RandomTreesEmbedding(30, random_state=0), KNeighborsClassifier(1)).fit(wide, hidden)
    assert trees.predict_proba(wide).shape == (200, 3)
    with pytest.raises(AttributeError):
        trees.decision_function  # noqa: B018 - that the classifier has none is the point
    with pytest.raises(ValueError, match="PCA takes no sample_weight"):
        model.fit(wide, hidden, sample_weight=np.ones(200))
