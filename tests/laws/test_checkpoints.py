"""Laws of stored progress: a file serves one fit, which goes on to the same bits; cross-validation has one for each."""

import datetime
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.base.checkpoint import digest
from gnomon.gp import GPSearchCV, Real
from gnomon.neural import MLPClassifier, MLPRegressor, NetworkClassifier, NetworkRegressor
from gnomon.neural.layers import Dense
from gnomon.optim.schedules import Inverse
from gnomon.transfer import AddNoise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, -1.0, 0.5] + 0.1 * RNG.normal(size=40)
SIGN = (Y > 0.0).astype(int)
WEIGHTS = RNG.uniform(1.0, 2.0, size=40)

pytestmark = pytest.mark.filterwarnings("ignore:not converged", "ignore:.*compares gradients")

NETWORKS = {
    "MLPRegressor": (partial(MLPRegressor, hidden_layer_sizes=(4,)), Y),
    "MLPClassifier": (partial(MLPClassifier, hidden_layer_sizes=(4,)), SIGN),
    "NetworkRegressor": (partial(NetworkRegressor, [Dense(4, "tanh")]), Y),
    "NetworkClassifier": (partial(NetworkClassifier, [Dense(4, "tanh")]), SIGN),
}
OPTIONS = {"learning_rate_init": 0.05, "batch_size": 8, "tol": 0.0, "max_iter": 6, "random_state": 0}


def louder(X, y, rng):
    return X * rng.uniform(1.0, 2.0), y


def softer(X, y, rng):
    return X * rng.uniform(0.5, 1.0), y


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize(
    "more", [{}, {"solver": "sgd", "augment": AddNoise(0.1)}, {"solver": "rprop", "batch_size": "auto"}]
)
def test_a_fit_goes_on_from_its_file_to_the_same_bits(name, more, tmp_path):
    make, y = NETWORKS[name]
    options = {**OPTIONS, **more}
    whole = make(**options).fit(X, y)
    options["checkpoint"] = tmp_path / "fit.npz"
    make(**{**options, "max_iter": 2}).fit(X, y)
    on = make(**options, verbose=False, time_limit=1e9, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(on.theta_, whole.theta_)
    np.testing.assert_array_equal(on.history_["objective"], whole.history_["objective"])


@pytest.mark.parametrize("seed", [3, None, "generator"])
def test_held_out_rows_are_the_same_when_a_fit_goes_on(seed, tmp_path):
    def fitted(epochs, **options):
        given = np.random.default_rng(3) if seed == "generator" else seed
        options |= {**OPTIONS, "random_state": given, "max_iter": epochs}
        return MLPRegressor(hidden_layer_sizes=(4,), early_stopping=True, **options).fit(X, Y)

    first, on = (fitted(epochs, checkpoint=tmp_path / "fit.npz") for epochs in (2, 5))
    assert on.validation_scores_[:2] == first.validation_scores_
    if seed is not None:
        np.testing.assert_array_equal(on.theta_, fitted(5).theta_)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_file_of_another_fit_is_refused_and_the_message_names_what_differs(name, tmp_path):
    make, y = NETWORKS[name]
    options = {**OPTIONS, "checkpoint": tmp_path / "fit.npz"}
    make(**options).fit(X, y, WEIGHTS)
    for rows, targets, weights, sentence in [
        (X + 1e-9, y, WEIGHTS, "in X;"),
        (X.astype(np.float32), y, WEIGHTS, "in X"),
        (X, y[::-1], WEIGHTS, "in y;"),
        (X, y, None, "in sample_weight;"),
        (X, y, WEIGHTS[::-1], "in sample_weight;"),
        (-X, y[::-1], WEIGHTS, "in X and y;"),
    ]:
        with pytest.raises(ValueError, match=f"is of another fit: it differs {sentence}"):
            make(**options).fit(rows, targets, weights)
    for option, value in {
        "random_state": 1,
        "alpha": 0.5,
        "standardize": True,
        "max_norm": 3.0,
        "learning_rate": Inverse(0.05),
        "augment": louder,
        "sampling": "uniform",
        "early_stopping": True,
        "tol": 1e-3,
        "engine": "numpy",
    }.items():
        with pytest.raises(ValueError, match=f"it differs in {option};"):
            make(**{**options, option: value}).fit(X, y, WEIGHTS)
    with pytest.raises(ValueError, match="it differs in validation_data;"):
        make(**options).fit(X, y, WEIGHTS, validation_data=(X, y))


def test_layers_and_functions_count_by_their_content(tmp_path):
    def fitted(layer, augment=None):
        return NetworkRegressor([layer], augment=augment, checkpoint=tmp_path / "fit.npz", **OPTIONS).fit(X, Y)

    def scaled(c):
        return lambda X, y, rng: (c * X, y)

    fitted(Dense(4, "tanh"), scaled(2.0))
    fitted(Dense(4, "tanh"), scaled(2.0))
    for layer, augment, sentence in [
        (Dense(4, "relu"), scaled(2.0), "layers"),
        (Dense(4, "tanh", l2=0.1), scaled(2.0), "layers"),
        (Dense(4, "tanh"), scaled(3.0), "augment"),
        (Dense(4, "tanh"), louder, "augment"),
    ]:
        with pytest.raises(ValueError, match=f"it differs in {sentence};"):
            fitted(layer, augment)


def searched(**options):
    ridge, space = make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": Real(1e-3, 1e3, log=True)}
    fast = {"n_iter": 5, "n_initial_points": 3, "n_candidates": 50, "cv": 3, "random_state": 0}
    return GPSearchCV(ridge, space, **{**fast, **options})


NOISE = {
    **{name: partial(make, **OPTIONS) for name, (make, _) in NETWORKS.items()},
    "converged": partial(MLPRegressor, hidden_layer_sizes=(20,), learning_rate_init=0.05, max_iter=400, random_state=0),
    "GPSearchCV": searched,
}


@pytest.mark.parametrize("name", NOISE)
def test_cross_validation_with_a_file_scores_noise_as_without(name, tmp_path):
    y = RNG.integers(2, size=40) if "Classifier" in name else RNG.normal(size=40)
    plain = cross_val_score(NOISE[name](), X, y, cv=KFold(4))
    kept = NOISE[name](checkpoint=tmp_path / "fit.part")
    for _ in range(2):
        np.testing.assert_array_equal(cross_val_score(kept, X, y, cv=KFold(4), error_score="raise"), plain)
    # Every fold has a file of its own, and a model that the user fits has that which is named.
    assert len(list(tmp_path.iterdir())) == 4
    kept.fit(X, y)
    with pytest.raises(ValueError, match="is of another fit"):
        NOISE[name](checkpoint=tmp_path / "fit.part").fit(X + 1.0, y)
    assert sorted(path.name for path in tmp_path.iterdir())[-1] == "fit.part"


def test_what_a_file_cannot_keep_is_refused(tmp_path):
    file = tmp_path / "fit.npz"
    for name, content in {"other.npz": None, "text.npz": "no archive"}.items():
        np.savez(tmp_path / name, theta=np.zeros(3)) if content is None else (tmp_path / name).write_text(content)
        with pytest.raises(ValueError, match="is no file of a training"):
            MLPRegressor(checkpoint=tmp_path / name).fit(X, Y)
    for options, sentence in [
        ({"checkpoint": tmp_path / "nowhere" / "fit.npz"}, "is in a folder that does not exist"),
        ({"checkpoint": file, "n_restarts": 2}, "is for one start"),
        ({"checkpoint": file, "random_state": open}, "random_state"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            MLPRegressor(**options).fit(X, Y)
    for solver in ("lbfgs", "bfgs", "cg", "newton"):
        with pytest.raises(ValueError, match=r"checkpoint=.* cannot be used by solver"):
            MLPRegressor(solver=solver, checkpoint=file).fit(X, Y)
    with pytest.raises(ValueError, match="give masks='numpy', not 'native'"):
        NetworkRegressor([Dense(2)], masks="native", checkpoint=file).fit(X, Y)
    with pytest.raises(ValueError, match="partial_fit does not support checkpoint"):
        MLPRegressor(checkpoint=file).partial_fit(X, Y)
    warm = MLPRegressor(hidden_layer_sizes=(4,), checkpoint=file, warm_start=True, **OPTIONS).fit(X, Y)
    with pytest.raises(ValueError, match="it differs in theta_;"):
        warm.fit(X, Y)


class Scaled:
    """A callable with a number."""

    def __init__(self, c):
        self.c = c

    def __call__(self, X):
        return self.c * X


def fitted_ridge(y):
    return FrozenEstimator(Ridge().fit(X, y))


FRAME = {"a": [1.0, 2.0], "b": ["x", "y"]}
LIKE = [
    (lambda c: c * X),
    (lambda c: np.asfortranarray(c * X)),
    (lambda c: sparse.csc_matrix(c * np.eye(3))),
    (lambda c: pd.DataFrame(FRAME).assign(a=c)),
    (lambda c: pl.DataFrame(FRAME).with_columns(a=c)),
    (lambda c: pd.Series([c, 1.0], dtype="category")),
    (lambda c: np.array([c, "text", None], dtype=object)),
    (lambda c: {"b": c, "a": {c, "x", "y"}}),
    (lambda c: make_pipeline(StandardScaler(), Ridge(c))),
    (lambda c: make_scorer(r2_score, force_finite=c > 1.0)),
    (lambda c: KFold(3, shuffle=True, random_state=int(c))),
    (lambda c: np.random.default_rng(int(c))),
    (lambda c: np.random.RandomState(int(c))),
    (lambda c: partial(louder, rng=c)),
    (lambda c: louder if c > 1.0 else softer),
    (lambda c: lambda x: c * x),
    (lambda c: lambda x, c=c: c * x),
    Scaled,
    (lambda c: Scaled(c).__call__),
    (lambda c: stats.norm(c, 1.0)),
    (lambda c: datetime.date(2020, 1, int(c))),
    (lambda c: fitted_ridge(c * Y)),
]


@pytest.mark.parametrize("make", LIKE)
def test_a_digest_is_of_content(make):
    assert digest(make(1.0)) == digest(make(1.0))
    assert digest(make(1.0)) != digest(make(2.0))


def test_a_digest_tells_kinds_apart_and_ends():
    values = [
        0,
        0.0,
        False,
        None,
        "0",
        b"0",
        [0],
        (0,),
        [[0]],
        {0: 0},
        np.zeros(1),
        np.zeros((1, 1)),
        np.zeros(1, "f4"),
        [b"a", b"b"],
        [b"abytes:b"],
        [[0], 0],
        [[0, 0]],
    ]
    assert len(set(map(digest, values))) == len(values)
    assert digest(np.float64(1.0)) == digest(1.0)
    around = [1]
    around.append(around)
    assert digest(around) == digest(around)
    # Being fitted, and parameters that change no result, are no difference.
    assert digest(Ridge()) == digest(Ridge().fit(X, Y))
    assert digest(make_pipeline(Ridge(), verbose=True)) == digest(make_pipeline(Ridge()))
