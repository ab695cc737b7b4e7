"""Namesakes of scikit-learn, parameter by parameter and in pairs: attributes, types, shapes, errors and warnings.

A case is a choice of parameters, of the table and of the arguments of `fit`. Both libraries fit it in this process, and
must both refuse it, with errors of one kind, or both fit it, with warnings of the same kinds; then all that
scikit-learn's model shows must be there, of the same type, dtype and shape, and where nothing is drawn with the same
values.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn import ensemble as theirs
from sklearn import tree as their_trees
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from gnomon import trees as ours
from many_checks import check_all

rng = np.random.default_rng(0)
N = 60
X = rng.normal(size=(N, 4)).round(2)
NUMBERS = (X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=N)).round(2)
TABLES = {
    "array": X,
    "single": X.astype(np.float32),
    "whole": np.round(4 * X).astype(int),
    "fortran": np.asfortranarray(X),
    "gaps": np.where(rng.random(X.shape) < 0.1, np.nan, X),
    "csr": sparse.csr_matrix(np.round(X)),
    "csc": sparse.csc_array(np.round(X)),
    "frame": pd.DataFrame(X, columns=list("abcd")),
    "one column": X[:, :1],
    "infinite": np.where(X > 2.0, np.inf, X),
    "list": X.tolist(),
    "vector": X[:, 0],
    "none": X[:0],
    "constant": np.ones((N, 2)),
}
LABELS = {
    "two": (NUMBERS > 0).astype(int),
    "three": np.digitize(NUMBERS, [-0.5, 0.5]),
    "words": np.array(["no", "yes"])[(NUMBERS > 0).astype(int)],
    "truth": NUMBERS > 0,
    "floats": (NUMBERS > 0) * 2.0 - 1.0,
    "objects": np.array(["b", "a"], dtype=object)[(NUMBERS > 0).astype(int)],
    "one class": np.zeros(N, dtype=int),
    "column": (NUMBERS > 0).astype(int)[:, None],
    "two outputs": np.column_stack([NUMBERS > 0, np.digitize(NUMBERS, [-0.5, 0.5])]).astype(int),
    "multilabel": np.column_stack([NUMBERS > 0, NUMBERS > 0.5]).astype(int),
    "real": NUMBERS,
    "short": (NUMBERS > 0).astype(int)[:-1],
    "missing": np.where(NUMBERS > 2.0, np.nan, (NUMBERS > 0) * 1.0),
    "nothing": None,
}
TARGETS = {
    "real": NUMBERS,
    "whole": np.round(4 * NUMBERS).astype(int),
    "single": NUMBERS.astype(np.float32),
    "counts": np.round(np.abs(4 * NUMBERS)),
    "constant": np.full(N, 3.0),
    "column": NUMBERS[:, None],
    "two outputs": np.column_stack([NUMBERS, X[:, 0]]),
    "words": np.array(["no", "yes"])[(NUMBERS > 0).astype(int)],
    "objects": NUMBERS.astype(object),
    "short": NUMBERS[:-1],
    "missing": np.where(NUMBERS > 2.0, np.nan, NUMBERS),
    "nothing": None,
}
WEIGHTS = {
    "equal": np.ones(N),
    "whole": rng.integers(1, 4, N),
    "any": rng.uniform(0.1, 2.0, N),
    "zero": np.zeros(N),
    "negative": np.linspace(-1.0, 1.0, N),
    "short": np.ones(N - 1),
    "list": [1.0] * N,
    "number": 2.0,
    "column": np.ones((N, 1)),
    "missing": np.where(np.arange(N) == 3, np.nan, 1.0),
}
"""Arguments of `fit` by name."""

GROWTH = {
    "max_depth": [1, -1, 2.5, "3", np.int64(2)],
    "min_samples_split": [10, 0.2, 1, 1.5, "2"],
    "min_samples_leaf": [5, 0.1, 0, 1.0],
    "min_weight_fraction_leaf": [0.1, 0.5, 0.6, -0.1],
    "max_features": [2, 0.5, "log2", 0, 9, 1.5, "auto", np.str_("sqrt")],
    "max_leaf_nodes": [2, 5, 1, 2.5],
    "min_impurity_decrease": [0.05, -0.1],
    "random_state": [None, np.random.RandomState(0), -1, "0"],
    "ccp_alpha": [0.02, -0.1],
}
CLASS_WEIGHTS = [None, "balanced", {0: 1.0, 1: 2.0}, {0: 1.0}, "other", {0: 1.0, 7: 2.0}, 3]
MONOTONE = [None, [1, 0, 0, 0], [1, 0, -1, 0], [1, 0], [2, 0, 0, 0], "up"]
ENSEMBLE = {"n_estimators": [1, 0, 2.5, np.int64(2)], "n_jobs": [2], "verbose": [0], "warm_start": [True]}
BAGS = {
    "bootstrap": [True, False, "yes"],
    "oob_score": [False, True, 3],
    "max_samples": [None, 10, 0.5, 0.0, 1.5, 0],
}
BOOSTED = {
    "learning_rate": [0.1, 1.0, 0.0, -0.1],
    "n_estimators": [1, 3, 0, 2.5],
    "subsample": [1.0, 0.5, 0.0, 1.5],
    "criterion": ["friedman_mse", "squared_error", "other"],
    "init": [None, "zero", "mean"],
    "verbose": [0],
    "warm_start": [False, True],
    "validation_fraction": [0.1, 0.5, 0.0, 1.0],
    "n_iter_no_change": [None, 2, 0],
    "tol": [1e-4, 0.0, -1.0],
}
HISTOGRAM = {
    "learning_rate": [0.1, 1.0, 0.0],
    "max_iter": [1, 3, 0, 2.5],
    "max_leaf_nodes": [31, 5, None, 1],
    "max_depth": [None, 2, 0],
    "min_samples_leaf": [20, 5, 0],
    "l2_regularization": [0.0, 1.0, -1.0],
    "max_features": [1.0, 0.5, 0.0, 1.5],
    "max_bins": [255, 16, 1, 256],
    "categorical_features": [None, "from_dtype", [0], [True, False, False, False], ["a"], [9], "other"],
    "monotonic_cst": MONOTONE,
    "interaction_cst": [None, "pairwise", "no_interactions", [{0, 1}], [{0, 9}], "other"],
    "warm_start": [False, True],
    "early_stopping": ["auto", True, False, "yes"],
    "scoring": ["loss", None, "other"],
    "validation_fraction": [0.1, None, 0.5, 0.0],
    "n_iter_no_change": [10, 2, 0],
    "tol": [1e-7, 0.0, -1.0],
    "verbose": [0],
    "random_state": [None, 0],
}
OPTIONS = {
    "DecisionTreeClassifier": {
        **GROWTH,
        "criterion": ["gini", "entropy", "log_loss", "other", np.str_("entropy")],
        "splitter": ["best", "random", "other"],
        "class_weight": CLASS_WEIGHTS,
        "monotonic_cst": MONOTONE,
    },
    "DecisionTreeRegressor": {
        **GROWTH,
        "criterion": ["squared_error", "friedman_mse", "absolute_error", "poisson", "other"],
        "splitter": ["best", "random", "other"],
        "monotonic_cst": MONOTONE,
    },
    "RandomForestClassifier": {
        **GROWTH, **ENSEMBLE, **BAGS,
        "criterion": ["gini", "entropy", "log_loss", "other"],
        "class_weight": [*CLASS_WEIGHTS, "balanced_subsample"],
        "monotonic_cst": MONOTONE,
    },
    "RandomForestRegressor": {
        **GROWTH, **ENSEMBLE, **BAGS,
        "criterion": ["squared_error", "friedman_mse", "absolute_error", "poisson", "other"],
        "monotonic_cst": MONOTONE,
    },
    "ExtraTreesClassifier": {
        **GROWTH, **ENSEMBLE, **BAGS,
        "criterion": ["gini", "entropy", "other"],
        "class_weight": [*CLASS_WEIGHTS, "balanced_subsample"],
        "monotonic_cst": MONOTONE,
    },
    "ExtraTreesRegressor": {
        **GROWTH, **ENSEMBLE, **BAGS,
        "criterion": ["squared_error", "absolute_error", "other"],
        "monotonic_cst": MONOTONE,
    },
    "BaggingClassifier": {
        **ENSEMBLE, **BAGS, "random_state": [None, 0],
        "estimator": [None, LogisticRegression(), their_trees.DecisionTreeClassifier(), "tree"],
        "max_features": [1.0, 2, 0.5, 0, 9, 1.5], "bootstrap_features": [False, True],
    },
    "BaggingRegressor": {
        **ENSEMBLE, **BAGS, "random_state": [None, 0],
        "estimator": [None, LinearRegression(), their_trees.DecisionTreeRegressor(), "tree"],
        "max_features": [1.0, 2, 0.5, 0, 9, 1.5], "bootstrap_features": [False, True],
    },
    "AdaBoostClassifier": {
        "n_estimators": [1, 3, 0, 2.5],
        "learning_rate": [1.0, 0.5, 0.0, -1.0],
        "estimator": [None, their_trees.DecisionTreeClassifier(max_depth=2), LogisticRegression(), DummyClassifier()],
        "random_state": [None, 0],
    },
    "GradientBoostingClassifier": {
        **GROWTH, **BOOSTED, "loss": ["log_loss", "exponential", "other"],
        "init": [None, "zero", "mean", LogisticRegression(), DummyClassifier()],
    },
    "GradientBoostingRegressor": {
        **GROWTH, **BOOSTED, "loss": ["squared_error", "absolute_error", "huber", "quantile", "other"],
        "alpha": [0.9, 0.5, 0.0, 1.0], "init": [None, "zero", "mean", LinearRegression(), DummyRegressor()],
    },
    "HistGradientBoostingClassifier": {**HISTOGRAM, "loss": ["log_loss", "other"], "class_weight": CLASS_WEIGHTS},
    "HistGradientBoostingRegressor": {
        **HISTOGRAM, "loss": ["squared_error", "absolute_error", "gamma", "poisson", "quantile", "other"],
        "quantile": [None, 0.3, 1.5],
    },
    "RandomTreesEmbedding": {
        **ENSEMBLE, **{name: GROWTH[name] for name in GROWTH if name not in ("max_features", "ccp_alpha")},
        "sparse_output": [True, False, "no"],
    },
}  # fmt: skip
PAIRS = {
    "Tree": [
        {"splitter": "random", "max_features": 2},
        {"max_depth": 2, "max_leaf_nodes": 3},
        {"max_leaf_nodes": 3, "min_impurity_decrease": 0.02},
        {"criterion": "absolute_error", "monotonic_cst": [1, 0, 0, 0]},
        {"criterion": "entropy", "monotonic_cst": [1, 0, 0, 0]},
    ],
    "Forest": [
        {"bootstrap": False, "oob_score": True},
        {"bootstrap": False, "max_samples": 10},
        {"bootstrap": False, "class_weight": "balanced_subsample"},
        {"class_weight": "balanced_subsample", "warm_start": True},
        {"class_weight": "balanced", "warm_start": True},
        {"oob_score": True, "n_estimators": 1},
        {"oob_score": True, "max_samples": 0.5, "n_estimators": 20},
    ],
    "ExtraTrees": [
        {"bootstrap": False, "oob_score": True},
        {"bootstrap": False, "max_samples": 10},
        {"bootstrap": True, "oob_score": True, "n_estimators": 20},
    ],
    "Bagging": [
        {"bootstrap": False, "oob_score": True},
        {"bootstrap": False, "max_samples": 10},
        {"oob_score": True, "warm_start": True},
        {"oob_score": True, "n_estimators": 20},
        {"max_features": 2, "bootstrap_features": True},
    ],
    "GradientBoosting": [
        {"loss": "exponential", "init": "zero"},
        {"loss": "huber", "alpha": 0.5},
        {"loss": "huber", "init": LinearRegression()},
        {"loss": "quantile", "alpha": 0.2, "subsample": 0.5},
        {"subsample": 0.5, "n_iter_no_change": 2},
        {"n_iter_no_change": 2, "validation_fraction": 0.5},
        {"n_iter_no_change": 2, "tol": 10.0},
    ],
    "Hist": [
        {"early_stopping": True, "validation_fraction": None},
        {"early_stopping": True, "validation_fraction": 0.5, "n_iter_no_change": 1},
        {"early_stopping": True, "scoring": None},
        {"loss": "quantile", "quantile": 0.3},
        {"max_depth": 1, "l2_regularization": 3.0},
    ],
}
"""Parameters that interact."""

SMALL = {"n_estimators": 3, "max_iter": 3}
EXACT = ("DecisionTreeRegressor", "GradientBoostingRegressor", "HistGradientBoostingRegressor")
"""Namesakes that draw nothing by themselves; classes have equal splits, among which scikit-learn draws."""

DRAWING = {"splitter", "subsample", "max_features", "n_iter_no_change", "init", "loss", "criterion", "early_stopping"}
"""Parameters that draw, or whose losses have many equal splits or best values."""


class Outcome:
    """What became of a fit: the error, or the model, and the kinds of its warnings."""

    def __init__(self, make, rows, y, fit):
        self.error, self.model = None, None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self.model = make().fit(rows, y, **fit)
            except Exception as error:
                self.error = error
        kinds = {warning.category.__name__ for warning in caught}
        self.warnings = kinds - {"RuntimeWarning", "DeprecationWarning", "FutureWarning", "PendingDeprecationWarning"}


def kind_of(error):
    """The kind of an error as scikit-learn's users can catch it; its own is both of two."""
    return {kind for kind in (ValueError, TypeError, AttributeError, KeyError, IndexError) if isinstance(error, kind)}


def shown(model):
    """The public fitted attributes of scikit-learn's model."""
    return [name for name in dir(model) if name.endswith("_") and not name.startswith("_")]


def described(value):
    """Type, dtype and shape of an attribute, as far as they are part of the contract."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.kind if value.dtype.kind in "USO" else value.dtype.str, value.ndim
    if isinstance(value, list):
        return "list", *({described(each) for each in value[:2]} if value else ())
    if isinstance(value, bool | np.bool_):
        return "truth"
    if isinstance(value, int | np.integer):
        return "whole"
    if isinstance(value, float | np.floating):
        return "number"
    return "object"


HIDDEN = {"tree_", "estimators_", "estimator_", "init_", "one_hot_encoder_"}
"""Compared by their use, not by their type."""


def compare(name, params, table="array", target=None, weights=None):
    """One case."""
    their_class = getattr(theirs, name, None) or getattr(their_trees, name)
    our_class = getattr(ours, name)
    classes = "Classifier" in name
    y = (LABELS if classes else TARGETS)[target or ("two" if classes else "real")]
    fit = {} if weights is None else {"sample_weight": WEIGHTS[weights]}
    small = {key: value for key, value in SMALL.items() if key in OPTIONS[name]}
    params = {**small, **({"random_state": 0} if "random_state" in OPTIONS[name] else {}), **params}
    there, here = (
        Outcome(lambda kind=kind: kind(**clone_values(params)), TABLES[table], y, fit)
        for kind in (their_class, our_class)
    )
    if there.error is not None or here.error is not None:
        assert there.error is not None, f"we refuse: {here.error!r}"
        assert here.error is not None, f"they refuse: {there.error!r}"
        assert kind_of(here.error) & kind_of(there.error), f"{here.error!r} for {there.error!r}"
        return
    assert here.warnings == there.warnings
    for attribute in shown(there.model):
        value = attribute_of(there.model, attribute)
        mine = attribute_of(here.model, attribute)
        assert isinstance(mine, Exception) == isinstance(value, Exception), f"{attribute}: {mine!r} for {value!r}"
        if attribute not in HIDDEN and not isinstance(value, Exception):
            assert described(mine) == described(value), f"{attribute}: {mine!r} for {value!r}"
    compare_answers(name, there.model, here.model, TABLES[table], params)


def clone_values(params):
    """Estimators and generators of their own for each library."""
    fresh = {np.random.RandomState: lambda value: np.random.RandomState(0)}
    return {
        key: clone(value) if isinstance(value, BaseEstimator) else fresh.get(type(value), lambda value: value)(value)
        for key, value in params.items()
    }


def attribute_of(model, name):
    try:
        return getattr(model, name)
    except AttributeError as error:
        return error


def compare_answers(name, there, here, rows, params):
    """Predictions: types and shapes, and values where nothing is drawn and no two splits are equal."""
    exact = name in EXACT and not DRAWING & {key for key, value in params.items() if value not in (None, "best", 1.0)}
    for verb in ("predict", "predict_proba", "decision_function", "transform", "apply"):
        if not hasattr(there, verb):
            continue
        # Scikit-learn's boosted trees cannot be applied to a list, and do not know the names of a frame.
        bare = verb == "apply" and name.startswith("Gradient") and isinstance(rows, list | pd.DataFrame)
        found = [getattr(there, verb)(np.asarray(rows) if bare else rows), getattr(here, verb)(rows)]
        for a, b in zip(*found, strict=True) if isinstance(found[0], list) else [found]:
            assert sparse.issparse(a) == sparse.issparse(b), verb
            assert a.ndim == b.ndim, (verb, a.shape, b.shape)
            assert verb == "transform" or a.shape == b.shape, (verb, a.shape, b.shape)
            assert verb in ("apply", "transform") or a.dtype == b.dtype, (verb, a.dtype, b.dtype)
            if exact and verb == "predict":
                np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-7, err_msg=verb)


def cases(name):
    """All cases of a namesake: every value of every parameter, pairs that interact, tables, targets, weights."""
    options = OPTIONS[name]
    for parameter, values in options.items():
        for value in values:
            yield {"params": {parameter: value}}
    for beginning, pairs in PAIRS.items():
        for pair in pairs:
            if beginning in name and set(pair) <= set(options):
                yield {"params": pair}
    for table in TABLES:
        yield {"params": {}, "table": table}
    for target in LABELS if "Classifier" in name else TARGETS:
        yield {"params": {}, "target": target}
    for weights in WEIGHTS:
        yield {"params": {}, "weights": weights}
    if "oob_score" in options:
        for target in LABELS if "Classifier" in name else TARGETS:
            yield {"params": {"oob_score": True, "bootstrap": True, "n_estimators": 12}, "target": target}


DIFFERENT = {
    "weights='negative'": "weights are ≥ 0",
    "oob_score=True, warm_start=True": "bags are known of every member, kept or new",
    "oob_score=True, bootstrap=True, n_estimators=12, target='two outputs'": "several outputs have out-of-bag answers",
    "HistGradientBoostingClassifier: target='one class'": "one class has one probability",
    "scoring='other'": "an unknown word is refused whether it is used or not",
    "table='infinite'": "infinity has no distance from anything",
    "table='gaps'": "missing values have a branch of their own where scikit-learn refuses them",
    "table='csr'": "sparse tables are taken where scikit-learn's histograms refuse them",
    "table='csc'": "likewise",
}
"""Cases in which more is offered, or something is refused that has no meaning, with the reason."""


def spelled(case):
    """A case as text."""
    parts = {**case["params"], **{key: value for key, value in case.items() if key != "params"}}
    return ", ".join(f"{key}={value!r}" for key, value in parts.items())


@pytest.mark.parametrize("name", list(OPTIONS))
def test_namesakes_agree(name):
    named = [(spelled(case), case) for case in cases(name)]
    # Threads, as processes start slowly.
    with parallel_config(backend="threading"):
        check_all(
            (text, lambda case=case: compare(name, **case))
            for text, case in named
            if not DIFFERENT.keys() & {text, f"{name}: {text}"}
        )


def test_nothing_is_forgotten():
    for name, options in OPTIONS.items():
        known = (getattr(theirs, name, None) or getattr(their_trees, name))().get_params(deep=False)
        assert set(known) <= set(options), (name, set(known) - set(options))
        assert is_classifier(getattr(ours, name)()) == name.endswith("Classifier")
