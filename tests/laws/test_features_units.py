"""What counts as singular does not depend on the units of the columns."""

import warnings

import numpy as np
import pytest
from scipy import linalg

from gnomon.anomaly import GaussianDetector, MahalanobisDetector, gaussianity_report
from gnomon.decomposition import DiscriminantProjection
from gnomon.features import Whitener, WithinClassWhitener
from gnomon.generative import GaussianClassifier, GaussianMixture, LinearDiscriminantAnalysis
from gnomon.numerics.scatter import whitening

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 40)
X = RNG.normal(size=(80, 4)) @ RNG.normal(size=(4, 4)) + Y[:, None]
UNITS = [np.full(4, 1e-6), np.full(4, 1e6), 10.0 ** np.array([-6, -2, 2, 6]), 10.0 ** np.array([6, 0, 0, -6])]
KINDS = [(cls, kind) for cls in (Whitener, WithinClassWhitener) for kind in ("zca", "pca", "cholesky")]


def lengths(model, rows):
    return np.sum(model.fit(rows, Y).transform(rows) ** 2, axis=1)


@pytest.mark.spec("LIN-172", "LIN-173", "LIN-L39", "KER-015")
@pytest.mark.parametrize(("cls", "kind"), KINDS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_rows_of_full_rank_are_whitened_in_all_units(cls, kind, unit):
    model = cls(kind)
    np.testing.assert_allclose(lengths(model, X * unit), lengths(cls(kind), X), rtol=1e-9)
    assert model.rank_ == 4
    Z = model.transform(X * unit)
    parts = [Z] if cls is Whitener else [Z[k == Y] for k in (0, 1)]
    np.testing.assert_allclose(np.mean([np.cov(Z.T, ddof=0) for Z in parts], axis=0), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(model.inverse_transform(Z) / unit, X, rtol=1e-9, atol=1e-9)
    if kind == "zca":
        P = model.whitening_
        np.testing.assert_allclose(P, P.T, rtol=1e-6, atol=1e-12 * np.abs(P).max())
    single = cls(kind).fit((X * unit).astype(np.float32), Y)
    assert single.rank_ == 4


@pytest.mark.parametrize("kind", ["zca", "pca"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_columns_that_others_determine_are_found_in_all_units(kind, unit):
    rows = np.column_stack([X[:, :3], X[:, 0] - 2.0 * X[:, 2]])
    with pytest.warns(linalg.LinAlgWarning, match="1 of 4"):
        expected = lengths(Whitener(kind), rows)
    model = Whitener(kind)
    with pytest.warns(linalg.LinAlgWarning, match="1 of 4"):
        found = lengths(model, rows * unit)
    assert model.rank_ == 3
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    raised = Whitener(kind, singular="floor", tol=1e-8)
    with pytest.warns(linalg.LinAlgWarning, match="raised"):
        np.testing.assert_allclose(lengths(raised, rows * unit), expected, rtol=1e-3)


@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_a_constant_column_is_one_however_large(unit):
    rows = np.column_stack([X[:, :3], np.full(80, 1e8 / 3.0)])
    model = Whitener()
    with pytest.warns(linalg.LinAlgWarning, match="1 of 4"):
        found = lengths(model, rows * unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(found, lengths(Whitener(), X[:, :3]), rtol=1e-9)
    with pytest.raises(ValueError, match="every column is constant"):
        whitening(np.zeros((2, 2)))


DECISIONS = {
    "linear discriminant": lambda Z, u: LinearDiscriminantAnalysis().fit(Z, Y).decision_function(Z),
    "linear discriminant, eigen": lambda Z, u: LinearDiscriminantAnalysis("eigen").fit(Z, Y).decision_function(Z),
    "full classes": lambda Z, u: GaussianClassifier("full").fit(Z, Y).decision_function(Z),
    "tied classes": lambda Z, u: GaussianClassifier("tied").fit(Z, Y).decision_function(Z),
    "mixture": lambda Z, u: GaussianMixture(1, reg_covar=0.0).fit(Z).score_samples(Z) + np.log(u).sum(),
    "Mahalanobis": lambda Z, u: MahalanobisDetector().fit(Z).score_samples(Z),
    "Gaussian": lambda Z, u: GaussianDetector().fit(Z).score_samples(Z) + np.log(u).sum(),
    "Mardia": lambda Z, u: np.array(gaussianity_report(Z).mardia_skewness),
    "projection": lambda Z, u: np.abs(DiscriminantProjection().fit(Z, Y).transform(Z)),
}


@pytest.mark.parametrize("name", DECISIONS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
def test_covariances_of_full_rank_are_so_in_all_units(name, unit):
    np.testing.assert_allclose(DECISIONS[name](X * unit, unit), DECISIONS[name](X, np.ones(4)), rtol=1e-6, atol=1e-8)
