"""Nearest neighbours and scikit-learn's classes of the same name: every parameter alone and in pairs, on the same rows.

Declared differences, which no row shows: of rows at equal distance ours takes the lower index, scikit-learn any;
distances of sparse rows are computed in double precision also from single; parameters that a metric does not have are
refused; a target of strings is refused by our
regressor; sparse targets are read as dense ones; a fit takes rows, not a tree of scikit-learn.
"""

import copy
import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

import gnomon.neighbors
from namesakes import DATA, PEERS, unlike

NAMES = ("KNeighborsClassifier", "KNeighborsRegressor")
OPTIONS = {
    "n_neighbors": (1, 3, 40, None),
    "weights": ("uniform", "distance", None, lambda d: np.exp(-d)),
    "algorithm": ("auto", "brute", "kd_tree", "ball_tree"),
    "leaf_size": (1, 30),
    "p": (1, 1.5, 2, 3.0, np.inf, 0.5, None),
    "metric": ("minkowski", "euclidean", "l1", "chebyshev", "canberra", "cosine", "sqeuclidean", "hamming",
               "nan_euclidean", "haversine", "correlation", "jaccard",
               lambda a, b: np.abs(a - b).max()),
    "metric_params": (None, {"p": 3}, {"w": np.array([1.0, 2.0, 0.5])}),
    "n_jobs": (None, 2),
}  # fmt: skip
WRONG = [
    {"n_neighbors": 0}, {"n_neighbors": 2.5}, {"n_neighbors": "all"}, {"weights": "even"}, {"algorithm": "tree"},
    {"leaf_size": 0}, {"p": 0}, {"p": -1}, {"p": "two"}, {"metric": "far"}, {"metric": 3}, {"metric_params": 3},
    {"n_jobs": 1.5},
]  # fmt: skip
TARGETS = {
    "KNeighborsClassifier": ("binary", "binary float32", "binary csr", "signs", "booleans", "three", "three csr",
                             "words", "objects", "one class", "class column", "two label columns", "short target",
                             "nan", "dense", "no rows", "one row", "nan target", "flat"),
    "KNeighborsRegressor": ("dense", "float32", "mixed", "integers", "csr", "csc", "csr two targets", "two targets",
                            "column", "wide", "constant target", "short target", "nan", "nan target", "flat",
                            "no rows", "one row"),
}  # fmt: skip


def chebyshev(a, b):
    return np.abs(a - b).max()


ALONE = [{name: value} for name, values in OPTIONS.items() for value in values]


def pairs():
    """Every two options of different parameters; scikit-learn ignores weights of columns with "sqeuclidean"."""
    ignored = {"metric", "metric_params"}
    return [
        a | b
        for a, b in itertools.combinations(ALONE, 2)
        if not set(a) & set(b) and not ({*a, *b} == ignored and a["metric"] == "sqeuclidean")
    ]


def outcome(call):
    """What a call returns or the kind of its error, and the kinds of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as error:
            value = error
    return value, {warning.category for warning in caught}


def tied(model, X):
    """Whether scikit-learn may choose other rows at equal distances."""
    found, _ = outcome(lambda: model.kneighbors(X, n_neighbors=model.n_samples_fit_ - (X is None)))
    if isinstance(found, Exception):  # a graph, which does not hold so many
        return False
    return np.any(np.diff(found[0], axis=1) <= 1e-9 * found[0][:, 1:])


def few_verbs(model, X):
    """What a fitted model says of new rows."""
    yield "kneighbors", lambda: model.kneighbors(X)
    yield "predict", lambda: model.predict(X)


def verbs(model, X):
    """Everything that a fitted model says of new rows, of the stored ones, and of none."""
    yield from ((f"kneighbors {name}", lambda q=q: model.kneighbors(q)) for name, q in (("new", X), ("stored", None)))
    for mode in ("connectivity", "distance", "none"):
        yield f"graph {mode}", lambda mode=mode: model.kneighbors_graph(X, mode=mode)
    yield "two neighbours", lambda: model.kneighbors(X, n_neighbors=2, return_distance=False)
    yield "too many", lambda: model.kneighbors(X, n_neighbors=10_000)
    yield "none", lambda: model.kneighbors(X, n_neighbors=0)
    yield "half", lambda: model.kneighbors(X, n_neighbors=2.5)
    for verb in ("predict", "predict_proba"):
        if hasattr(model, verb):
            yield from (
                (f"{verb} {name}", lambda q=q, verb=verb: getattr(model, verb)(q))
                for name, q in (("new", X), ("stored", None))
            )


def compare(name, options, X, y, Q, verbs):
    """What our class does otherwise than scikit-learn's."""
    classes = PEERS[name], getattr(gnomon.neighbors, name)
    # Scikit-learn writes to `metric_params`.
    (theirs, their_warnings), (mine, my_warnings) = (
        outcome(lambda c=c: c(**copy.deepcopy(options)).fit(X, y)) for c in classes
    )
    if isinstance(theirs, Exception) or isinstance(mine, Exception):
        return errors_unlike(theirs, mine)
    found = [f"warnings {my_warnings}, theirs {their_warnings}"] if my_warnings != their_warnings else []
    for attribute in (
        "effective_metric_",
        "effective_metric_params_",
        "n_samples_fit_",
        "n_features_in_",
        "classes_",
        "outputs_2d_",
    ):
        if hasattr(theirs, attribute) != hasattr(mine, attribute):
            found.append(f"{attribute}: one of the two has it")
        elif hasattr(theirs, attribute):
            found += [f"{attribute}: {d}" for d in unlike(getattr(theirs, attribute), getattr(mine, attribute), 1e-12)]
    for (verb, their_call), (_, my_call) in zip(verbs(theirs, Q), verbs(mine, Q), strict=True):
        (a, their_warnings), (b, my_warnings) = outcome(their_call), outcome(my_call)
        if isinstance(a, Exception) or isinstance(b, Exception):
            found += [f"{verb}: {d}" for d in errors_unlike(a, b)]
            continue
        if their_warnings != my_warnings:
            found.append(f"{verb}: warnings {my_warnings}, theirs {their_warnings}")
        if tied(mine, None if "stored" in verb else Q):
            a, b = (v[:1] if isinstance(v, tuple) else () for v in (a, b))
        found += [f"{verb}: {d}" for d in unlike(a, b, 1e-9)]
    return found


def errors_unlike(theirs, mine):
    kinds = (ValueError, TypeError)
    if isinstance(theirs, Exception) and isinstance(mine, Exception):
        allowed = tuple(kind for kind in kinds if isinstance(theirs, kind)) or (type(theirs),)
        return [] if isinstance(mine, allowed) else [f"our error {mine!r}, theirs {theirs!r}"]
    return [f"our error {mine!r}"] if isinstance(mine, Exception) else [f"no error, theirs {theirs!r}"]


def differences(name, rows, table, verbs=verbs):
    X, y, Q = table
    return [f"{options}: {d}" for options in rows for d in compare(name, options, X, y, Q, verbs)]


def table(name, d=3):
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(45, d)), rng.normal(size=(7, d))
    y = np.digitize(X[:, 0], [-0.5, 0.5]) if name == NAMES[0] else X[:, :2] + 1.0
    return X, y, Q


@pytest.mark.spec("KER-080", "KER-081")
@pytest.mark.parametrize("name", NAMES)
def test_every_option_alone_and_in_pairs(name):
    found = differences(name, ALONE, table(name)) + differences(name, pairs(), table(name), few_verbs)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", NAMES)
def test_many_columns_single_precision_and_sparse_rows(name):
    options = [{}, {"algorithm": "brute"}, {"algorithm": "kd_tree"}, {"metric": "manhattan"}, {"metric": "cosine"},
               {"metric": "canberra"}, {"weights": "distance"}, {"p": 3}, {"metric": chebyshev}]  # fmt: skip
    X, y, Q = table(name, 20)
    holes = [np.where(A > 0.3, A, 0.0) for A in (X, Q)]
    found = differences(name, options, (X, y, Q))
    found += differences(name, options[:6], (sparse.csr_matrix(holes[0]), y, sparse.csr_matrix(holes[1])))
    found += differences(name, options[:1], (sparse.csr_matrix(holes[0]), y, holes[1]))
    found += differences(name, options[:1], (holes[0], y, sparse.csr_matrix(holes[1])))
    assert not found, "\n".join(found)
    single = [A.astype(np.float32) for A in (X, Q)]
    for model in (
        cls(weights="distance").fit(single[0], y.astype(np.float32))
        for cls in (PEERS[name], getattr(gnomon.neighbors, name))
    ):
        assert model.kneighbors(single[1])[0].dtype == np.float64
        assert model.predict(single[1]).dtype == (np.float32 if name == NAMES[0] else np.float64)


@pytest.mark.parametrize("name", NAMES)
def test_distances_that_are_given(name):
    X, y, Q = table(name)
    D, E = (np.linalg.norm(A[:, None] - X, axis=-1) for A in (X, Q))
    options = [
        {"metric": "precomputed", **o}
        for o in ({}, {"weights": "distance"}, {"algorithm": "kd_tree"}, {"n_neighbors": 45})
    ]
    found = differences(name, options, (D, y, E)) + differences(name, options[:1], (D[:, :5], y, E))
    found += differences(name, options[:1], (-D, y, E))
    graph = kneighbors_graph(X, 20, mode="distance", include_self=True)
    found += differences(name, options[:3], (graph, y, graph[:5]))
    unsorted = graph.copy()
    unsorted.data, unsorted.indices = (part.reshape(45, 20)[:, ::-1].ravel() for part in (graph.data, graph.indices))
    found += differences(name, options[:2], (unsorted, y, graph[:5]))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_and_wrong_value(name):
    found = []
    for data in TARGETS[name]:
        X, y, *_ = DATA[data]
        found += [
            f"{data}: {d}" for d in differences(name, [{"n_neighbors": 3}, {"weights": "distance"}], (X, y, X[:3]))
        ]
    found += differences(name, WRONG, table(name))
    assert not found, "\n".join(found)
