"""Laws of classification with a class for everything else."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from gnomon.distributions import MultivariateNormal, Uniform
from gnomon.generative import GaussianClassifier, GaussianMixture, GaussianNB, OpenSetClassifier


def table(seed=0):
    X, y = make_blobs(200, centers=[[-3.0, 0.0], [3.0, 0.0]], random_state=seed)
    background = np.random.default_rng(seed).uniform(-12.0, 12.0, size=(150, 2))
    return X, y, background


@pytest.mark.spec("GEN-L46", "GEN-084")
@pytest.mark.parametrize("known", [None, GaussianNB(), MultivariateNormal], ids=["default", "classifier", "density"])
def test_the_prior_of_the_rest_goes_from_the_closed_set_to_all_unknown(known):
    X, y, background = table()
    closed = GaussianClassifier("diag") if isinstance(known, GaussianNB) else GaussianClassifier()
    closed.fit(X, y)
    open_set = OpenSetClassifier(known, GaussianMixture(2, random_state=0))
    middle = open_set.fit(X, y, X_other=background)
    assert middle.classes_.tolist() == [-1, 0, 1]
    np.testing.assert_allclose(middle.class_prior_, np.array([150, 100, 100]) / 350)
    np.testing.assert_allclose(np.sum(middle.predict_proba(background), axis=1), 1.0)
    assert np.mean(middle.predict(X) == y) > 0.85
    far = background[np.max(np.abs(background), axis=1) > 8.0]
    assert np.mean(middle.predict(far) == -1) > 0.9
    none = open_set.set_params(other_prior=0.0).fit(X, y, X_other=background)
    np.testing.assert_allclose(none.predict_proba(X)[:, 1:], closed.predict_proba(X), atol=1e-6)
    tiny = open_set.set_params(other_prior=1e-12).fit(X, y, X_other=background)
    np.testing.assert_allclose(tiny.predict_proba(X)[:, 1:], closed.predict_proba(X), atol=1e-6)
    every = open_set.set_params(other_prior=1.0).fit(X, y, X_other=background)
    assert set(every.predict(X).tolist()) == {-1}
    np.testing.assert_allclose(every.predict_proba(X)[:, 0], 1.0)


@pytest.mark.spec("GEN-084")
def test_background_rows_may_be_marked_in_y():
    X, y, background = table()
    apart = OpenSetClassifier(other=GaussianMixture(2, random_state=0)).fit(X, y, X_other=background)
    rows, labels = np.r_[X, background], np.r_[y, np.full(150, -1)]
    marked = OpenSetClassifier(other=GaussianMixture(2, random_state=0)).fit(rows, labels)
    np.testing.assert_allclose(marked.predict_proba(X), apart.predict_proba(X), atol=1e-10)
    words = np.array(["cat", "dog", "unknown"])[labels]
    named = OpenSetClassifier(other=GaussianMixture(2, random_state=0)).fit(rows, words)
    assert named.classes_.tolist() == ["cat", "dog", "unknown"]
    assert named.unknown_label_ == "unknown"
    np.testing.assert_allclose(named.predict_proba(X)[:, [2, 0, 1]], marked.predict_proba(X), atol=1e-10)
    drawn, z = named.sample(300, random_state=0)
    assert drawn.shape == (300, 2)
    assert set(z.tolist()) == {"cat", "dog", "unknown"}
    assert named.n_parameters_ == named.known_.n_parameters_ + 12


@pytest.mark.spec("GEN-084")
def test_without_background_rows_low_densities_are_unknown():
    X, y, background = table()
    closed = GaussianClassifier().fit(X, y)
    rows = np.r_[X, background]
    highest = np.max(closed.class_log_likelihood(rows), axis=1)
    cut = float(np.sort(highest)[100])
    model = OpenSetClassifier(log_threshold=cut).fit(X, y)
    found = model.predict(rows)
    np.testing.assert_array_equal(found == -1, highest <= cut)
    np.testing.assert_array_equal(found[found != -1], closed.predict(rows)[found != -1])
    proba = model.predict_proba(rows)
    np.testing.assert_allclose(np.sum(proba, axis=1), 1.0)
    np.testing.assert_allclose(proba[highest > cut, 1:], closed.predict_proba(rows[highest > cut]), atol=1e-12)
    np.testing.assert_allclose(model.score_samples(rows), closed.score_samples(rows))
    same = OpenSetClassifier(threshold=float(np.exp(cut)) * (1 + 1e-12)).fit(X, y)
    assert same.predict(rows).tolist() == found.tolist()
    with pytest.raises(ValueError, match="nothing can be drawn"):
        model._sample_class(0, 1, np.random.default_rng(0))


@pytest.mark.spec("GEN-084")
def test_other_densities_weights_and_words_that_clash():
    X, y, background = table()
    box = OpenSetClassifier(other=Uniform).fit(X, y, X_other=background)
    assert box.other_.row_log_density(np.zeros((1, 2)))[0] == pytest.approx(-2 * np.log(24.0), abs=0.05)
    assert box.predict([[0.0, 9.0]]).tolist() == [-1]
    weights = np.random.default_rng(0).integers(0, 3, size=len(X))
    a = OpenSetClassifier(other=Uniform).fit(X, y, X_other=background, sample_weight=weights)
    b = OpenSetClassifier(other=Uniform).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights), X_other=background)
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-10)
    closed = OpenSetClassifier().fit(X, y)
    assert closed.classes_.tolist() == [0, 1]
    np.testing.assert_allclose(closed.predict_proba(X), GaussianClassifier().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError, match="unknown_label=1 is one of the classes"):
        OpenSetClassifier.from_densities(GaussianClassifier().fit(X, y), box.other_, other_prior=0.1, unknown_label=1)
    with pytest.raises(ValueError, match="every row of y has unknown_label=-1"):
        OpenSetClassifier().fit(X, np.full(len(X), -1))
    with pytest.raises(ValueError, match="leave it out"):
        OpenSetClassifier(threshold=0.1).fit(X, y, X_other=background)
    with pytest.raises(ValueError, match="give one of them"):
        OpenSetClassifier(threshold=0.1, log_threshold=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="other_prior=2"):
        OpenSetClassifier(other_prior=2.0).fit(X, y, X_other=background)
