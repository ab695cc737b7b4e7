"""The same fit by a class of ours and by scikit-learn's class of the same name, and what differs.

A row is (parameters, data[, fit]): the parameters of both classes, the name of a table in `DATA` (or a function that
makes one), and what else `fit` takes. Errors and warnings are compared by kind, everything else by type, dtype, shape
and value.
"""

import copy
import inspect
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
from sklearn.utils import all_estimators

PEERS = dict(all_estimators())
WARNINGS = (ConvergenceWarning, FutureWarning, DataConversionWarning, UserWarning)
KINDS = (NotFittedError, *WARNINGS, ValueError, TypeError, AttributeError)
# What a solver counts or measures on its way: ours must be of the same type and shape, where theirs counts at all.
COUNTED = {"n_iter_", "dual_gap_", "t_", "solver_"}


def _tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + np.array([0.5, -1.0, 0.0])
    Y = X @ rng.normal(size=(3, 2)) + 0.3 * rng.normal(size=(40, 2)) + 2.0
    y, s = Y[:, 0], rng.uniform(0.2, 3.0, size=40)
    binary, classes = (y > np.median(y)).astype(int), np.digitize(y, np.quantile(y, [0.3, 0.7]))
    words = np.array(["red", "green", "blue"])[classes]
    holes = sparse.csr_array(np.where(X > 0.0, X, 0.0))
    frame = X.astype(np.float32)
    return {
        "dense": (X, y),
        "float32": (frame, y.astype(np.float32)),
        "mixed": (frame, y),
        "integers": (np.round(X * 3).astype(int), np.round(y).astype(int)),
        "weighted": (X, y, {"sample_weight": s}),
        "scalar weight": (X, y, {"sample_weight": 2.0}),
        "zero weights": (X, y, {"sample_weight": np.r_[np.zeros(10), np.ones(30)]}),
        "short weights": (X, y, {"sample_weight": s[:-1]}),
        "matrix weights": (X, y, {"sample_weight": s[:, None]}),
        "nan weights": (X, y, {"sample_weight": np.full(40, np.nan)}),
        "csr": (holes, y),
        "csc": (holes.tocsc(), y),
        "csr weighted": (holes, y, {"sample_weight": s}),
        "csr two targets": (holes, Y),
        "two targets": (X, Y),
        "two targets weighted": (X, Y, {"sample_weight": s}),
        "column": (X, y[:, None]),
        "wide": (X[:10].repeat(5, axis=1) + rng.normal(size=(10, 15)), y[:10]),
        "constant target": (X, np.ones(40)),
        "constant column": (np.column_stack([X, np.ones(40)]), y),
        "one row": (X[:1], y[:1]),
        "short target": (X, y[:-1]),
        "nan": (np.where(X > 2.0, np.nan, X), y),
        "nan target": (X, np.r_[np.nan, y[1:]]),
        "flat": (X[:, 0], y),
        "no rows": (X[:0], y[:0]),
        "strings": (X, words),
        "binary": (X, binary),
        "binary weighted": (X, binary, {"sample_weight": s}),
        "binary float32": (frame, binary),
        "binary csr": (holes, binary),
        "signs": (X, 2.0 * binary - 1.0),
        "booleans": (X, binary.astype(bool)),
        "three": (X, classes),
        "three weighted": (X, classes, {"sample_weight": s}),
        "three csr": (holes, classes),
        "three float32": (frame, classes),
        "words": (X, words),
        "objects": (X, words.astype(object)),
        "one class": (X, np.zeros(40, dtype=int)),
        "class column": (X, classes[:, None]),
        "two label columns": (X, np.column_stack([binary, classes])),
    }


DATA = _tables()


def both(name, ours, row):
    """The outcomes of a row for scikit-learn's class and for ours."""
    parameters, data, *more = row
    X, y, *fit = data() if callable(data) else DATA[data]
    fit = {**(fit[0] if fit else {}), **(more[0] if more else {})}
    return [_outcome(cls, parameters, X, y, fit) for cls in (PEERS[name], ours)]


def _outcome(cls, parameters, X, y, fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # Copies: some options allow a class to overwrite what it is given.
            found = cls(**copy.deepcopy(parameters)).fit(copy.deepcopy(X), y, **fit)
        except Exception as error:
            found = error
    return found, {_kind(w.category) for w in caught}, X


def _kind(cls):
    return next((kind for kind in KINDS if issubclass(cls, kind)), cls)


VERBS = ("predict", "decision_function", "predict_proba", "predict_log_proba")


def differences(name, ours, row, *, rtol=1e-5, also=(), verbs=VERBS):
    """What our class does otherwise than scikit-learn's, as a list of sentences.

    `also` are attributes that are not compared, `verbs` the methods that are called with the rows of the fit.
    """
    (theirs, their_warnings, X), (mine, my_warnings, _) = both(name, ours, row)
    if isinstance(theirs, Exception) or isinstance(mine, Exception):
        return _other_errors(theirs, mine)
    # A solver of ours may need fewer iterations, but a warning that scikit-learn does not give is a difference.
    said = (my_warnings ^ their_warnings) - ({ConvergenceWarning} & their_warnings)
    found = [f"{kind.__name__} by {'us' if kind in my_warnings else 'them'} alone" for kind in said]
    for attribute in sorted(public_attributes(theirs) - set(also)):
        if not hasattr(mine, attribute):
            found.append(f"no {attribute}")
            continue
        values = getattr(theirs, attribute), getattr(mine, attribute)
        if attribute in COUNTED and values[0] is None:
            continue
        found += [f"{attribute}: {d}" for d in unlike(*values, rtol, values_too=attribute not in COUNTED)]
    for verb in verbs:
        if hasattr(theirs, verb) != hasattr(mine, verb):
            found.append(f"{verb}: one of the two has it")
        elif hasattr(theirs, verb):
            found += [
                f"{verb}: {d}" for d in _other_answers(*(_call(model, verb, X) for model in (theirs, mine)), rtol)
            ]
    return found


def _call(model, verb, X):
    try:
        return getattr(model, verb)(X)
    except Exception as error:
        return error


def _other_answers(theirs, mine, rtol):
    if isinstance(theirs, Exception) or isinstance(mine, Exception):
        return _other_errors(theirs, mine)
    return unlike(theirs, mine, rtol)


def _other_errors(theirs, mine):
    if not isinstance(theirs, Exception):
        return [f"our error: {mine!r}"]
    if not isinstance(mine, Exception):
        return [f"no error, theirs: {theirs!r}"]
    # Their error for a parameter of the wrong kind is a ValueError and a TypeError.
    allowed = tuple(kind for kind in KINDS if isinstance(theirs, kind)) or (type(theirs),)
    return [] if isinstance(mine, allowed) else [f"our error {mine!r}, theirs {theirs!r}"]


def public_attributes(model):
    """Fitted attributes by scikit-learn's convention, properties included."""
    given = {attribute for attribute in vars(model) if attribute.endswith("_") and not attribute.startswith("_")}
    properties = {n for n, _ in inspect.getmembers(type(model), lambda v: isinstance(v, property)) if n.endswith("_")}
    return {a for a in given | properties if not a.startswith("_") and hasattr(model, a)}


def unlike(theirs, mine, rtol, values_too=True):
    """How two values differ."""
    if sparse.issparse(theirs) or sparse.issparse(mine):
        if type(theirs) is not type(mine):
            return [f"{type(mine).__name__}, theirs {type(theirs).__name__}"]
        return unlike(theirs.toarray(), mine.toarray(), rtol, values_too)
    if isinstance(theirs, dict) and isinstance(mine, dict):
        if list(theirs) != list(mine):
            return [f"keys {list(mine)}, theirs {list(theirs)}"]
        return [f"[{k}] {d}" for k in theirs for d in unlike(theirs[k], mine[k], rtol, values_too)]
    if isinstance(theirs, (list, tuple)) and type(theirs) is type(mine) and len(theirs) == len(mine):
        return [d for pair in zip(theirs, mine, strict=True) for d in unlike(*pair, rtol, values_too)]
    traits = [(value is None, isinstance(value, list), np.shape(value)) for value in (theirs, mine)]
    if traits[0] != traits[1]:
        return [f"{mine!r} of type {type(mine).__name__}, theirs {theirs!r} of type {type(theirs).__name__}"]
    a, b = np.asarray(theirs), np.asarray(mine)
    if isinstance(theirs, str) and isinstance(mine, str):
        return [f"{mine}, theirs {theirs}"] if values_too and mine != theirs else []
    if (isinstance(theirs, np.ndarray), a.dtype) != (isinstance(mine, np.ndarray), b.dtype):
        return [f"dtype {b.dtype}, theirs {a.dtype}"]
    if not values_too or a.dtype.kind == "O":
        return []
    if a.dtype.kind in "fc":
        scale = max(float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)), 1e-12)
        slack = rtol if a.dtype != np.float32 else max(rtol, 3e-3)
        return [] if np.allclose(a, b, rtol=slack, atol=slack * scale, equal_nan=True) else [f"{b}, theirs {a}"]
    return [] if np.array_equal(a, b) else [f"{b}, theirs {a}"]


def walk(name, ours, rows, **options):
    """All differences of all rows, each with its row."""
    return [f"{name}{_shown(row)}: {d}" for row in rows for d in differences(name, ours, row, **options)]


def _shown(row):
    data = row[1] if isinstance(row[1], str) else row[1].__name__
    return f"({', '.join(f'{k}={v!r}' for k, v in row[0].items())}) on {data!r}"
