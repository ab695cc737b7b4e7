"""Gaussian processes on real data: a century of carbon dioxide, a river bank, tables of engineers, house prices."""

import csv
import gzip
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from gnomon.gp import GaussianProcessRegressor
from gnomon.kernels import RBF, ExpSineSquared, Matern, RationalQuadratic, Spherical, Wendland, White
from real_data import data_path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import _uci


def carbon_dioxide():
    """Decimal years and parts per million on Mauna Loa, months that were measured."""
    with data_path("gp/co2_mauna_loa_monthly.csv").open(encoding="utf-8") as lines:
        rows = [(float(row["Decimal Date"]), float(row["Average"])) for row in csv.DictReader(lines)]
    table = np.array([row for row in rows if row[1] > 0.0])
    return table[:, :1], table[:, 1]


def test_carbon_dioxide_beyond_2003():
    """The composite kernel of Rasmussen & Williams, section 5.4.3, learned from what they found."""
    t, y = carbon_dioxide()
    before = t[:, 0] < 2004.0
    kernel = (
        66.0**2 * RBF(67.0)
        + 2.4**2 * RBF(90.0) * ExpSineSquared(1.3, 1.0, periodicity_bounds="fixed")
        + 0.66**2 * RationalQuadratic(1.2, alpha=0.78)
        + 0.18**2 * RBF(0.134)
        + 0.19**2 * White(1.0)
    )
    model = GaussianProcessRegressor(kernel, mean=y[before].mean())
    with warnings.catch_warnings():
        # The ridge of the evidence is flat: amplitude and width of the rise go together.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(t[before], y[before])
    mean, std = model.predict(t[~before], return_std=True)
    year, error = t[~before, 0], y[~before] - mean
    near, far = year < 2007.0, year < 2014.0
    assert np.sqrt(np.mean(error[near] ** 2)) < 1.0
    # Of the 95 % band; later the rise grew faster than it ever had, and the band is left.
    assert np.mean(np.abs(error[far]) < 1.96 * std[far]) > 0.9
    assert np.mean(np.abs(error) < 1.96 * std) < 0.9
    smooth = lambda values: values - np.convolve(values, np.ones(12) / 12.0, "same")  # noqa: E731
    assert np.corrcoef(smooth(y[~before])[12:-12], smooth(mean)[12:-12])[0, 1] > 0.97


def meuse(name):
    with gzip.open(data_path(name), "rt", encoding="utf-8") if name.endswith("gz") else data_path(name).open() as lines:
        return np.genfromtxt(lines, delimiter=",", names=True, dtype=None, encoding="utf-8")


def test_a_map_of_zinc_on_a_river_bank():
    table, grid = meuse("gp/meuse.csv"), meuse("gp/meuse_grid.csv.gz")
    X, y = np.column_stack([table["x"], table["y"]]), np.log(table["zinc"])
    new = np.column_stack([grid["x"], grid["y"]])
    model = GaussianProcessRegressor(0.5906078 * Spherical(897.0209), noise=0.05066243, mean="ordinary", optimizer=None)
    mean, std = model.fit(X, y).predict(new, return_std=True, include_noise=True)
    assert mean.shape == (3103,)
    # gstat's summary of the same map.
    assert_allclose([mean.min(), mean.max()], [4.7765, 7.4399], atol=2e-3)
    assert_allclose([np.min(std**2), np.max(std**2)], [0.0855, 0.5003], atol=2e-3)
    # Zinc lies by the river: a distance to it as a drift explains the map better, by cross-validation without a refit.
    near = np.sqrt(np.where(np.isfinite(table["dist"]), table["dist"], 0.0))
    residuals = model.loo_residuals_
    place = {tuple(row): value for row, value in zip(X, near, strict=True)}
    drift = GaussianProcessRegressor(
        0.1487 * Spherical(700.3), noise=0.0798, optimizer=None,
        mean=lambda rows: np.column_stack([np.ones(len(rows)), [place[tuple(row)] for row in rows]]),
    ).fit(X, y)  # fmt: skip
    assert np.mean(drift.loo_residuals_**2) < np.mean(residuals**2)
    assert drift.beta_[1] < -2.0


def gains(name, splits):
    """How much better than networks with dropout (Gal & Ghahramani 2016) on each split: in log-density, in error."""
    data_path(f"uci_regression/{name}.npz")
    ours = np.array([_uci.score(name, number)[:2] for number in range(splits)])
    return (ours - _uci.published(name)[:splits])[:, ::-1] * [1.0, -1.0]


def test_two_published_splits_of_yachts():
    assert np.all(gains("yacht", 2) > [0.4, 0.0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["yacht", "bostonHousing", "energy"])
def test_all_published_splits_against_networks_with_dropout(name):
    found = gains(name, 20)
    likelihood, error = found.mean(axis=0)
    assert likelihood > 0.0
    assert error > 2.0 * found[:, 1].std(ddof=1) / np.sqrt(20.0)


def california():
    with gzip.open(data_path("tabular/california_housing.csv.gz"), "rt", encoding="utf-8") as lines:
        table = np.genfromtxt(lines, delimiter=",", names=True, dtype=None, encoding="utf-8")
    places = np.column_stack([table["longitude"], table["latitude"]])
    order = np.random.default_rng(0).permutation(len(table))
    return places[order], np.log(table["median_house_value"][order])


def test_house_prices_by_place_with_a_compact_kernel():
    """20 640 rows, of which each is near to some hundred: sparse factors, and no matrix of all pairs."""
    X, y = california()
    train, test = slice(0, 18_000), slice(18_000, None)
    kernel = 0.3 * Wendland(0.1, smoothness=2)
    centre = y[train].mean()
    model = GaussianProcessRegressor(kernel, noise=0.06, mean=centre, optimizer=None).fit(X[train], y[train])
    assert model.solver_ == "sparse"
    assert model.score(X[test], y[test]) > 0.7
    some = slice(18_000, 18_400)
    mean, std = model.predict(X[some], return_std=True, include_noise=True)
    assert 0.88 < np.mean(np.abs(y[some] - mean) < 1.96 * std) < 0.99


def test_house_prices_by_place_with_inducing_rows():
    X, y = california()
    train, test = slice(0, 18_000), slice(18_000, None)
    kernel = 0.3 * Matern(0.5, nu=1.5)
    with pytest.warns(UserWarning, match="rows leave"):
        model = GaussianProcessRegressor(
            kernel, noise=0.06, mean=y[train].mean(), optimizer=None, n_inducing=200
        ).fit(X[train], y[train])  # fmt: skip
    assert model.solver_ == "inducing"
    assert model.evidence_gap_ > 0.0
    assert model.score(X[test], y[test]) > 0.55
    mean, std = model.predict(X[test], return_std=True, include_noise=True)
    assert np.mean(np.abs(y[test] - mean) < 1.96 * std) > 0.85
