"""Houses and forests of trees: intervals and sets hold the truth as often as they say."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnomon import decision
from gnomon.io import load, save
from gnomon.linear import Ridge
from gnomon.trees import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from real_data import data_path


@pytest.fixture(scope="module")
def houses():
    """Rows in random order, with words and gaps; prices in units of 100 000 dollars."""
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).sample(4500, random_state=0)
    X, y = table.drop(columns="median_house_value"), table["median_house_value"].to_numpy() / 1e5
    return X[:2500], y[:2500], X[2500:], y[2500:]


@pytest.fixture(scope="module")
def woods():
    table = pd.read_csv(data_path("tabular/covtype_sample.csv.gz")).sample(frac=1.0, random_state=0)
    X, y = table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()
    return X[:5000], y[:5000], X[5000:], y[5000:]


def few_in(n, c, *, rows=None):
    """What coverage on new rows may be, with probability 0.998: calibration and test both draw."""
    misses = int((n + 1) * (1.0 - c) + 1e-9)
    spread = np.sqrt(c * (1.0 - c) / rows)
    return stats.beta(n + 1 - misses, misses).ppf([0.001, 0.999]) + 3.1 * spread * np.array([-1.0, 1.0])


@pytest.mark.slow
def test_houses_get_intervals_from_the_out_of_bag_rows_of_one_forest(houses, tmp_path):
    X, y, X_new, y_new = houses
    forest = RandomForestRegressor(40, random_state=0, n_jobs=2)
    model = decision.ConformalRegressor(forest, method="bootstrap", n_jobs=2).fit(X, y)
    for c in (0.5, 0.9):
        low, high = few_in(len(y), c, rows=len(y_new))
        # Members of a mean over fewer trees err a little more than the forest, so coverage is above rather than below.
        assert low < model.predict_interval(X_new, c).covers(y_new).mean() < high + 0.02
    save(model, tmp_path / "houses.skops")
    again = load(tmp_path / "houses.skops")
    np.testing.assert_array_equal(again.predict_interval(X_new[:50]), model.predict_interval(X_new[:50]))


def test_better_models_of_houses_have_shorter_intervals_and_all_cover(houses):
    X, y, X_new, y_new = houses
    numbers = X.columns.drop(["ocean_proximity", "total_bedrooms"])
    boosted = HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=60, random_state=0)
    models = {
        "linear": decision.ConformalRegressor(Ridge(), random_state=0),
        "boosted": decision.ConformalRegressor(boosted, random_state=0),
        "quantile": decision.ConformalRegressor(boosted, conformity="quantile", random_state=0),
    }
    low, high = few_in(625, 0.9, rows=len(y_new))
    found = {}
    for name, model in models.items():
        found[name] = model.fit(X[numbers], y).predict_interval(X_new[numbers])
        assert low < found[name].covers(y_new).mean() < high
    assert found["boosted"].width.mean() < 0.85 * found["linear"].width.mean()
    # Dear houses vary more: the score by quantiles is the better of the two.
    assert models["quantile"].score(X_new[numbers], y_new) > models["boosted"].score(X_new[numbers], y_new)
    assert np.ptp(found["boosted"].width) < 1e-12 < 1.0 < np.ptp(found["quantile"].width)


def test_every_part_of_the_coast_is_covered(houses):
    X, y, X_new, y_new = houses
    forest = RandomForestRegressor(40, random_state=0, n_jobs=2)
    model = decision.ConformalRegressor(forest, method="bootstrap", by="ocean_proximity", n_jobs=2)
    places = X_new["ocean_proximity"].to_numpy()
    common = np.isin(places, ["<1H OCEAN", "INLAND", "NEAR BAY", "NEAR OCEAN"])
    hits = model.fit(X, y).predict_interval(X_new[common]).covers(y_new[common])
    for place in np.unique(places[common]):
        here = places[common] == place
        low, high = few_in(int(np.sum(X["ocean_proximity"] == place)), 0.9, rows=int(here.sum()))
        assert low < hits[here].mean() < high + 0.03


def test_woods_get_sets_that_hold_the_kind_of_tree(woods):
    X, y, X_new, y_new = woods
    forest = RandomForestClassifier(40, min_samples_leaf=2, random_state=0, n_jobs=2)
    low, high = few_in(1250, 0.9, rows=len(y_new))
    sizes = {}
    for conformity in ("lac", "aps"):
        model = decision.ConformalClassifier(forest, conformity=conformity, random_state=0).fit(X, y)
        sets = model.predict_set(X_new)
        assert low < sets.covers(y_new).mean() < (high if conformity == "lac" else 1.0)
        sizes[conformity] = sets.size.mean()
    assert sizes["lac"] < min(sizes["aps"], 2.0)
    # By class: rare kinds are covered as well as common ones; the rarest, of seven rows, is in every set.
    by_class = decision.ConformalClassifier(forest, by="class", calibration_size=0.4, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="there are 7 of weight 7: 5000 rows get an infinite set"):
        sets = by_class.predict_set(X_new)
    for kind, n in zip(*np.unique(by_class.groups_, return_counts=True), strict=True):
        here = y_new == kind
        least = few_in(n, 0.9, rows=int(here.sum()))[0] if n >= 9 else 0.999
        assert least < sets.covers(y_new)[here].mean()
