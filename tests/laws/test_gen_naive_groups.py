"""Naive Bayes for numbers and for groups of columns: variances, boundaries, any density, weights of columns."""

import numpy as np
import pandas as pd
import pytest

from gnomon.distributions import (
    KDE,
    Exponential,
    Histogram,
    MultivariateNormal,
    Normal,
)
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianMixture,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
)

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3)) * [1.0, 5.0, 0.1] + [0.0, 100.0, 3.0]
Y = RNG.integers(0, 2, 60)


@pytest.mark.spec("GEN-049")
def test_smoothing_and_floor_of_variances():
    plain, smoothed = GaussianNB(var_smoothing=0).fit(X, Y), GaussianNB(var_smoothing=0.1).fit(X, Y)
    np.testing.assert_allclose(smoothed.var_ - plain.var_, 0.1 * np.max(np.var(X, axis=0)), rtol=1e-10)
    assert smoothed.epsilon_ == pytest.approx(0.1 * np.max(np.var(X, axis=0)), rel=1e-12)
    floored = GaussianNB(var_floor=0.5).fit(X, Y)
    np.testing.assert_allclose(floored.var_, np.maximum(plain.var_, 0.5), rtol=1e-13)
    assert floored.epsilon_ == 0.0
    constant = np.column_stack([X, np.where(Y == 1, 2.0, X[:, 0])])
    frame = pd.DataFrame(constant, columns=["a", "b", "c", "height"])
    with pytest.raises(ValueError, match="column 'height' is constant within class 1"):
        GaussianNB(var_smoothing=0).fit(frame, Y)
    for model in (GaussianNB(), GaussianNB(var_floor=1e-3), GaussianNB(variance="shared", var_smoothing=0)):
        assert np.all(np.isfinite(model.fit(constant, Y).predict_log_proba(constant)))
    with pytest.raises(ValueError, match="column 'x3' is constant within class 1"):
        NaiveBayes(var_smoothing=0.0).fit(constant, Y)


@pytest.mark.spec("GEN-049", "GEN-050")
def test_boundaries_are_quadratic_or_linear():
    t = np.linspace(-3.0, 3.0, 9)
    line = np.column_stack([t, 100.0 - 2.0 * t, 3.0 + t])
    quadratic = GaussianNB(var_smoothing=0).fit(X, Y).decision_function(line)
    np.testing.assert_allclose(np.diff(quadratic, 3), 0.0, atol=1e-8 * np.max(np.abs(quadratic)))
    assert np.max(np.abs(np.diff(quadratic, 2))) > 1e-3
    shared = GaussianNB(variance="shared", var_smoothing=0).fit(X, Y)
    np.testing.assert_allclose(np.diff(shared.decision_function(line), 2), 0.0, atol=1e-9)
    means, var = shared.theta_, shared.var_[0]
    pooled = sum(np.sum((X[k == Y] - means[k]) ** 2, axis=0) for k in (0, 1)) / len(X)
    np.testing.assert_allclose(var, pooled, rtol=1e-12)
    np.testing.assert_allclose(shared.coef_[0], (means[1] - means[0]) / var, rtol=1e-12)
    w0 = np.sum((means[0] ** 2 - means[1] ** 2) / (2.0 * var)) + np.log(np.mean(Y == 1) / np.mean(Y == 0))
    assert shared.intercept_[0] == pytest.approx(w0, rel=1e-9)
    np.testing.assert_allclose(X @ shared.coef_[0] + shared.intercept_[0], shared.decision_function(X), atol=1e-9)


@pytest.mark.spec("GEN-051", "GEN-042")
@pytest.mark.parametrize(("word", "law"), [("histogram", Histogram.family(alpha=1.0)), ("kde", KDE)])
def test_histograms_and_kernel_densities_of_each_column(word, law):
    model = NaiveBayes(word).fit(X, Y)
    for k in (0, 1):
        expected = sum(law.fit(X[k == Y, j]).log_density(X[:, j]) for j in range(3))
        np.testing.assert_allclose(model.class_log_likelihood(X)[:, k], expected, rtol=1e-12)
    flexible = NaiveBayes([(j, KDE.family(bandwidth="flexible_bayes")) for j in range(3)]).fit(X, Y)
    assert np.all(np.isfinite(flexible.predict_log_proba(X)))


@pytest.mark.spec("GEN-042")
def test_groups_are_given_by_number_by_name_and_by_any_law():
    frame = pd.DataFrame(np.abs(X), columns=["time", "size", "rate"]).assign(words=np.arange(60) % 3, color=WORDS)
    models = [
        ("time", Exponential),
        (["size", "rate"], MultivariateNormal),
        ("words", "multinomial"),
        (-1, "categorical"),
    ]
    model = NaiveBayes(models).fit(frame, Y)
    law = Exponential.fit(frame["time"][Y == 1])
    assert model.explain(frame.iloc[[0]]).log_factors[0, 1] == pytest.approx(float(law.log_density(frame["time"][0])))
    assert model.explain(frame.iloc[[0]]).names == ("time", "size+rate", "words", "color")
    assert model.n_parameters_ == 2 * (1 + 5 + 0 + 2) + 1
    with pytest.raises(ValueError, match="column 'color' is in 0 groups"):
        NaiveBayes(models[:-1]).fit(frame, Y)
    with pytest.raises(ValueError, match="column 'time' is in 2 groups"):
        NaiveBayes([*models, ("time", Normal)]).fit(frame, Y)
    with pytest.raises(ValueError, match="names the column 'weight'"):
        NaiveBayes([("weight", Normal)]).fit(frame, Y)
    with pytest.raises(ValueError, match=r"column 'color' holds '.*', which is no number"):
        NaiveBayes([*models[:-1], ("color", Normal)]).fit(frame, Y)
    with pytest.raises(ValueError, match="density='gaussian' is unknown"):
        NaiveBayes([*models[:-1], ("color", "gaussian")]).fit(frame, Y)
    slow = NaiveBayes([([0, 1, 2], GaussianMixture(1))]).partial_fit(X, Y, classes=[0, 1])
    with pytest.raises(ValueError, match="has no statistics that add"):
        slow.partial_fit(X, Y)


WORDS = np.array(["red", "green", "blue"], dtype=object)[RNG.integers(0, 3, 60)]


@pytest.mark.spec("GEN-053")
def test_columns_may_count_more_or_less():
    v = np.array([2.0, 0.0, 0.5])
    counts = np.abs(X).astype(int) % 4
    bits = (X.mean(axis=0) < X).astype(float)
    names = ("x0", "x1", "x2")
    pairs = ((GaussianNB(), X), (MultinomialNB(), counts), (CategoricalNB(), counts), (BernoulliNB(), bits))
    for model, data in pairs:
        weighted = model.set_params(feature_weight=v).fit(data, Y)
        terms = type(model)().fit(data, Y).explain(data[:1])
        ratios = dict(zip(terms.names, terms.log_ratio(), strict=True))
        expected = sum(v[j] * ratios.get(name, 0.0) for j, name in enumerate(names))
        assert weighted.llr(data[:1])[0] == pytest.approx(expected, rel=1e-10, abs=1e-12)
    groups = NaiveBayes([([0, 1], MultivariateNormal), (2, "kde")], feature_weight=[3.0, 3.0, 0.0]).fit(X, Y)
    alone = NaiveBayes([([0, 1], MultivariateNormal)]).fit(X[:, :2], Y)
    np.testing.assert_allclose(groups.llr(X), 3.0 * alone.llr(X[:, :2]), rtol=1e-11)
    with pytest.raises(ValueError, match="3 numbers ≥ 0"):
        GaussianNB(feature_weight=[1.0, -1.0, 1.0]).fit(X, Y)
