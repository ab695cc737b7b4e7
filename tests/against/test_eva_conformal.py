"""Conformal sets against those of MAPIE 1.6.0, stored by `mapie_values.py`; in the same process where it is here."""

import importlib.util
import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, QuantileRegressor, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import mapie_values as peer
from gnomon.decision import ConformalClassifier, ConformalRegressor
from mapie_values import ASK, CALIBRATE, COVERAGE, HOLD, LEARN, NEW, ONE_OUT, TRAIN, A, B, X, Y

STORED = json.loads(peer.STORED.read_text(encoding="utf-8"))


def split():
    fitted = Ridge(0.1).fit(X[TRAIN], Y[TRAIN])
    return ConformalRegressor(fitted, coverage=COVERAGE, method="prefit").fit(X[CALIBRATE], Y[CALIBRATE])


def cross():
    return ConformalRegressor(Ridge(0.1), coverage=COVERAGE, method="cross", cv=KFold(7)).fit(X[TRAIN], Y[TRAIN])


def jackknife():
    model = ConformalRegressor(LinearRegression(), coverage=COVERAGE, method="jackknife+")
    return model.fit(X[ONE_OUT], Y[ONE_OUT])


def quantile():
    ends = [QuantileRegressor(quantile=q, alpha=0.0).fit(X[TRAIN], Y[TRAIN]) for q in (0.075, 0.925)]
    model = ConformalRegressor(
        Ridge().fit(X[TRAIN], Y[TRAIN]), coverage=COVERAGE, method="prefit", conformity="quantile", bounds=tuple(ends)
    )
    return model.fit(X[CALIBRATE], Y[CALIBRATE])


OURS = {"split": split, "cross": cross, "jackknife+": jackknife, "quantile": quantile}


@pytest.mark.parametrize("name", OURS)
def test_intervals_are_those_of_mapie(name):
    found = OURS[name]().predict_interval(X[NEW])
    np.testing.assert_allclose(found, STORED[name], rtol=1e-9)


def test_sets_are_those_of_mapie():
    fitted = GaussianNB().fit(A[LEARN], B[LEARN])
    model = ConformalClassifier(fitted, method="prefit").fit(A[HOLD], B[HOLD])
    counts = [model.predict_set(A[ASK], c).included.sum(axis=0) for c in (0.8, 0.98)]
    np.testing.assert_array_equal(np.transpose(counts), STORED["lac"])


@pytest.mark.skipif(importlib.util.find_spec("mapie") is None, reason="MAPIE is not installed")
def test_mapie_gives_what_is_stored():
    for name, found in peer.values().items():
        np.testing.assert_allclose(found, STORED[name], rtol=1e-9)
