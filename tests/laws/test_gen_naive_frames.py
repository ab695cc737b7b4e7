"""Naive Bayes and tables: frames, gaps, refusals, scales, fractions."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import gammaln

from gnomon.datasets import load_weather_play
from gnomon.generative import (
    BernoulliNB,
    CategoricalNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayes,
)

WEATHER = load_weather_play()
FRAME = load_weather_play(as_frame=True).data
RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3)) * [1.0, 5.0, 0.1] + [0.0, 100.0, 3.0]
Y = RNG.integers(0, 2, 60)


@pytest.mark.spec("GEN-041")
def test_frames_and_arrays_of_any_kind():
    lists = WEATHER.data.tolist()
    expected = CategoricalNB().fit(WEATHER.data, WEATHER.target).predict_proba(WEATHER.data)
    strings = pd.DataFrame(WEATHER.data, columns=WEATHER.feature_names)
    for table in (lists, strings, strings.astype("string"), FRAME, pl.from_pandas(strings), WEATHER.data.astype(str)):
        model = CategoricalNB().fit(table, WEATHER.target)
        np.testing.assert_allclose(model.predict_proba(table), expected, rtol=1e-14)
    bools = strings.assign(windy=strings["windy"] == "true")
    for table in (bools, pl.from_pandas(bools)):
        model = NaiveBayes().fit(table, WEATHER.target)
        np.testing.assert_allclose(model.predict_proba(table), expected, rtol=1e-13)
    labels = pd.Series(WEATHER.target == "yes")
    assert CategoricalNB().fit(strings, labels).classes_.tolist() == [False, True]
    twice = np.vstack([WEATHER.data, WEATHER.data])  # contradictory rows
    both = CategoricalNB().fit(twice, np.repeat(["no", "yes"], 14))
    np.testing.assert_allclose(both.predict_proba(WEATHER.data), 0.5)
    reordered = strings[strings.columns[::-1]]
    with pytest.raises(ValueError, match="feature names"):
        CategoricalNB().fit(strings, WEATHER.target).predict(reordered)


@pytest.mark.spec("GEN-041", "GEN-034")
def test_gaps_of_pandas_and_polars():
    frame = pd.DataFrame(
        {
            "color": ["red", None, "blue", "red", "blue", None],
            "kind": pd.array(["x", "y", pd.NA, "x", "y", "x"], dtype="string"),
            "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
            "count": pd.array([1, 2, None, 4, 5, 6], dtype="Int64"),
            "open": pd.array([True, None, False, True, False, True], dtype="boolean"),
        }
    )
    y = ["a", "a", "a", "b", "b", "b"]
    pandas, polars = NaiveBayes().fit(frame, y), NaiveBayes().fit(pl.from_pandas(frame), y)
    a, b = pandas.predict_proba(frame), polars.predict_proba(pl.from_pandas(frame))
    np.testing.assert_allclose(a, b, rtol=1e-13)
    assert np.all(np.isfinite(a))
    objects = NaiveBayes().fit(frame.astype(object).to_numpy(), y)
    np.testing.assert_allclose(objects.predict_proba(frame.astype(object).to_numpy()), a, rtol=1e-13)
    with pytest.raises(TypeError, match=r"column 'day' holds .*; turn dates into numbers"):
        NaiveBayes().fit(pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 6)}), y)


@pytest.mark.spec("GEN-034", "GEN-046", "GEN-049")
def test_what_cannot_be_fitted_says_what_to_do():
    with pytest.raises(ValueError, match="column 'x1' has no cells, all are missing; drop it, or declare"):
        CategoricalNB().fit([["a", None], ["b", None]], [0, 1])
    declared = CategoricalNB(categories=[None, ["u", "v"]]).fit([["a", None], ["b", None]], [0, 1])
    assert declared.predict([["a", "u"]])[0] == 0
    gone = X.copy()
    gone[Y == 1, 2] = np.nan
    with pytest.raises(ValueError, match="column 'x2' is missing in every row of class 1"):
        GaussianNB().fit(gone, Y)
    single = GaussianNB().fit(X[:3], ["a", "b", "b"])
    assert np.all(np.isfinite(single.predict_log_proba(X)))
    with pytest.raises(ValueError, match="1 sample"):
        GaussianNB(var_smoothing=0).fit(X[:3], ["a", "b", "b"])
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB().fit(np.where(X > 104, np.inf, X), Y)
    with pytest.raises(ValueError, match="too large"):
        GaussianNB().fit(X * 1e200, Y)
    with pytest.raises(ValueError, match="Negative values in data passed to MultinomialNB"):
        MultinomialNB().fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        MultinomialNB().fit(np.where(X > 104, np.nan, np.abs(X)), Y)
    with pytest.raises(ValueError, match=r"entries in \[0, 1\] only"):
        BernoulliNB(binarize=None).fit(X, Y)
    with pytest.raises(ValueError, match="too many"):
        CategoricalNB().fit([[123456789], [5]], [0, 1])
    with pytest.raises(ValueError, match="bandwidth='silverman' is zero"):
        NaiveBayes("kde").fit(np.ones((6, 1)), [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        GaussianNB().partial_fit(X, Y)
    with pytest.raises(ValueError, match="is not the same as on last call"):
        GaussianNB().partial_fit(X, Y, classes=[0, 1]).partial_fit(X, Y, classes=[0, 1, 2])


@pytest.mark.spec("GEN-L11")
def test_tiny_and_huge_scales_and_single_precision():
    expected = GaussianNB().fit(X, Y).predict_proba(X)
    for scale in (1e-100, 1e100):
        np.testing.assert_allclose(GaussianNB().fit(X * scale, Y).predict_proba(X * scale), expected, rtol=1e-8)
    far = GaussianNB(var_smoothing=0).fit(X + 1e8, Y)
    np.testing.assert_allclose(far.var_, GaussianNB(var_smoothing=0).fit(X, Y).var_, rtol=1e-4)
    single = GaussianNB().fit(X.astype(np.float32), Y).predict_proba(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-3)
    bits = np.array([[1, np.nan, 0], [0, 1, 1]], dtype=np.float32)
    assert BernoulliNB().fit(bits, [0, 1]).predict_proba(bits).dtype == np.float32
    assert np.all(np.isfinite(GaussianNB().fit(X, Y).predict_log_proba(X * 1e30)))


@pytest.mark.spec("GEN-047")
def test_fractions_and_stored_zeros_are_counts_too():
    counts = np.array([[0.5, 0.0, 1.5], [0.0, 2.0, 0.25], [1.0, 1.0, 0.0]])
    stored = sparse.csr_array((counts.ravel(), np.tile(np.arange(3), 3), [0, 3, 6, 9]), shape=(3, 3))
    dense, kept = (MultinomialNB(alpha=0).fit(data, [0, 1, 1]) for data in (counts, stored))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(dense.predict_proba(counts), kept.predict_proba(stored), rtol=1e-14)
    for kind in (bool, np.int8, np.uint16, np.int64, np.float32):
        whole = (counts > 0).astype(kind)
        laws = MultinomialNB().fit(whole, [0, 1, 1]).feature_log_prob_
        np.testing.assert_allclose(laws, MultinomialNB().fit((counts > 0).astype(float), [0, 1, 1]).feature_log_prob_)
        np.testing.assert_allclose(laws, MultinomialNB().fit(sparse.csr_array(whole), [0, 1, 1]).feature_log_prob_)
    coefficient = gammaln(3.0) - np.sum(gammaln(counts[0] + 1.0))
    found = dense.class_log_likelihood(counts)[0, 0] - dense.predict_joint_log_proba(counts)[0, 0]
    assert found + dense.class_log_prior_[0] == pytest.approx(coefficient, rel=1e-12)
