"""KMeans beside scikit-learn's class of the same name: parameters alone and in pairs, data of every kind, errors."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.cluster
from sklearn.exceptions import ConvergenceWarning

from gnomon.cluster import KMeans
from namesakes import DATA, walk

RNG = np.random.default_rng(1)
START = RNG.normal(size=(3, 3))
BASE = {"n_clusters": 3, "random_state": 0}


def _first_rows(X, k, random_state):
    # scikit-learn hands over rows less their mean; ours are as they are, and so are these.
    return X[random_state.permutation(X.shape[0])[:k]]


def duplicates():
    return np.repeat([[0.0, 1.0], [2.0, 3.0]], 4, axis=0), None


ALONE = [
    *(({**BASE, "n_clusters": k}, "dense") for k in (1, 2, 3, 40)),
    *(({**BASE, "init": init}, "dense") for init in ("k-means++", "random", START, START.tolist(), _first_rows)),
    *(({**BASE, "n_init": n}, "dense") for n in ("auto", 1, 4)),
    *(({**BASE, "tol": tol}, "dense") for tol in (0, 1e-4, 0.1, 10.0)),
    *(({**BASE, "algorithm": a}, "dense") for a in ("lloyd", "elkan")),
    *(({**BASE, "copy_x": c}, "dense") for c in (True, False)),
    *(({**BASE, "random_state": r}, "dense") for r in (1, 2, 3)),
]
PAIRS = [
    ({**BASE, "init": init, "n_init": n, "algorithm": a}, "dense")
    for init in ("k-means++", "random")
    for n in (1, 3)
    for a in ("lloyd", "elkan")
]
KINDS = [
    (BASE, name)
    for name in (
        "dense", "integers", "weighted", "scalar weight", "csr", "csc", "csr weighted", "wide", "constant column",
        "one row", "short weights", "matrix weights", "nan weights", "nan", "flat", "no rows",
    )
]  # fmt: skip
# In single precision scikit-learn draws from sums that are rounded to it, so only the same start gives the same end.
GIVEN = [({**BASE, "init": START}, name) for name in ("float32", "zero weights", "weighted", "csr", "csr weighted")]
WRONG = [
    ({**BASE, name: value}, "dense")
    for name, value in [
        ("n_clusters", 0), ("n_clusters", 41), ("n_clusters", 2.5), ("n_clusters", None), ("init", "other"),
        ("init", START[:2]), ("init", START[:, :2]), ("n_init", 0), ("n_init", "other"), ("max_iter", 0),
        ("max_iter", 1.5), ("tol", -1.0), ("tol", "much"), ("algorithm", "full"), ("random_state", "x"),
    ]
]  # fmt: skip
OTHERS = [({**BASE, "init": START, "n_init": 4}, "dense"), ({"n_clusters": 3, "random_state": 0}, duplicates)]


@pytest.mark.spec("UNS-006", "UNS-009", "UNS-010", "UNS-013", "UNS-015")
@pytest.mark.parametrize(
    "rows", [ALONE, PAIRS, KINDS, GIVEN, WRONG, OTHERS], ids=["alone", "pairs", "kinds", "given", "wrong", "others"]
)
def test_the_same_as_scikit_learn(rows):
    assert not walk("KMeans", KMeans, rows)


def test_the_same_parameters_and_verbs():
    theirs, ours = (inspect.signature(cls).parameters for cls in (sklearn.cluster.KMeans, KMeans))
    assert list(ours)[: len(theirs)] == list(theirs)
    for name, parameter in theirs.items():
        assert ours[name].default == parameter.default
        assert ours[name].kind == parameter.kind
    for verb, method in inspect.getmembers(sklearn.cluster.KMeans, inspect.isfunction):
        if not verb.startswith(("_", "set_", "get_")):
            assert set(inspect.signature(method).parameters) <= set(inspect.signature(getattr(KMeans, verb)).parameters)


@pytest.mark.parametrize("name", ["dense", "float32", "csr"])
def test_verbs_give_the_same(name):
    X = DATA[name][0]
    models = [cls(3, init=START, n_init=1).fit(X) for cls in (sklearn.cluster.KMeans, KMeans)]
    for verb in ("transform", "predict", "score", "fit_transform", "fit_predict"):
        theirs, ours = (getattr(model, verb)(X) for model in models)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype or verb == "score"
    assert list(models[0].get_feature_names_out()) == list(models[1].get_feature_names_out())


def test_a_run_that_is_cut_short_is_said_to_be():
    """scikit-learn is silent; every fit of ours says where it stopped."""
    X = DATA["dense"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        theirs = sklearn.cluster.KMeans(8, init="random", n_init=1, random_state=0, max_iter=1).fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        ours = KMeans(8, init="random", n_init=1, random_state=0, max_iter=1).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)


@pytest.mark.parametrize("make", [sklearn.cluster.KMeans, KMeans])
def test_bounds_for_a_single_cluster_warn(make):
    with pytest.warns(RuntimeWarning, match="algorithm='elkan' doesn't make sense for a single cluster"):
        make(1, algorithm="elkan").fit(START)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        make(1).fit(START)
        make(2, algorithm="elkan").fit(START)
