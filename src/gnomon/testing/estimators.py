"""The laws of an estimator, beyond scikit-learn's own checks.

    fit(X, y, s) = fit(each row i repeated sᵢ times),    sᵢ ∈ {0, 1, 2, …}                            (1)

and: single precision stays single, the caller's arrays stay as they were, sparse input gives what dense input gives,
and a model read from its file gives what the model gave.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from gnomon._typing import Array, ArrayLike
from gnomon.io import load, save
from gnomon.testing._law import require, require_close
from gnomon.testing._tables import fitted, outputs_of, table_of, with_folds

__all__ = [
    "check_float32_is_kept",
    "check_input_untouched",
    "check_save_load",
    "check_sparse_equals_dense",
    "check_weights_are_repetitions",
]


def check_weights_are_repetitions(
    estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None, *, tol: float = 1e-4
) -> None:
    """A row of weight k is that row k times, and one of weight 0 is no row: equation (1).

    An estimator without `sample_weight` passes. Where it cross-validates, copies of a row stay in one fold.

    Parameters
    ----------
    estimator : estimator
        Unfitted; it is cloned.
    X, y : array-like, optional
        The rows; by default a small table that suits the estimator's tags.
    tol : float, default=1e-4
        Largest difference of the outputs, relative to max(1, |output|). Iterative models need a tolerance of their own
        well below it.

    Raises
    ------
    AssertionError
        With a sentence that names the law and both numbers.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_weights_are_repetitions
    >>> check_weights_are_repetitions(Ridge())
    """
    X, y = table_of(estimator, X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        return
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, size=len(y))
    copies, groups = np.repeat(np.arange(len(y)), weights), rng.integers(0, 3, size=len(y))
    weighted = fitted(with_folds(estimator, X, y, groups), X, y, sample_weight=weights.astype(float))
    repeated = fitted(with_folds(estimator, X[copies], y[copies], groups[copies]), X[copies], y[copies])
    _require_same("a weight of k is the row k times", weighted, repeated, X, X, tol)


def check_float32_is_kept(
    estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None, *, tol: float = 1e-2
) -> None:
    """Fitted to float32, a model gives float32, near what it gives in float64.

    Parameters
    ----------
    estimator, X, y
        As in `check_weights_are_repetitions`.
    tol : float, default=1e-2
        Largest difference from the outputs in float64, relative to max(1, |output|).

    Raises
    ------
    AssertionError
        With a sentence that names the law, the method and what was found.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_float32_is_kept
    >>> check_float32_is_kept(Ridge())
    """
    X, y = table_of(estimator, X, y)
    small, targets = X.astype(np.float32), y.astype(np.float32) if y.dtype.kind == "f" else y
    model = fitted(estimator, small, targets)
    for method, values in outputs_of(model, small).items():
        law, kind = "float32 stays float32", values.dtype
        require(kind.kind != "f" or kind == np.float32, law, f"{_name(estimator)}.{method} gives {kind}")
    _require_same("float32 is near float64", model, fitted(estimator, X, y), small, X, tol)


def check_input_untouched(estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None) -> None:
    """Neither fitting nor predicting changes the arrays that were given, nor needs to: they may be read-only.

    Parameters
    ----------
    estimator, X, y
        As in `check_weights_are_repetitions`.

    Raises
    ------
    AssertionError
        With a sentence that names the law and the array.

    Examples
    --------
    >>> from gnomon.linear import LinearRegression
    >>> from gnomon.testing import check_input_untouched
    >>> check_input_untouched(LinearRegression())
    """
    X, y = table_of(estimator, X, y)
    weights = np.linspace(0.5, 1.5, len(y))
    options = {"sample_weight": weights} if has_fit_parameter(estimator, "sample_weight") else {}
    for order in ("C", "F"):
        given = {"X": np.array(X, order=order), "y": np.array(y), **{name: np.array(v) for name, v in options.items()}}
        before = {name: values.copy() for name, values in given.items()}
        outputs_of(fitted(estimator, **given), given["X"])
        for name, values in given.items():
            same = np.array_equal(values, before[name])
            require(same, "the caller's arrays stay as they were", f"{_name(estimator)} changed {name} (order {order})")
        for values in given.values():
            values.flags.writeable = False
        outputs_of(fitted(estimator, **given), given["X"])


def check_sparse_equals_dense(
    estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None, *, tol: float = 1e-4
) -> None:
    """CSR, CSC and dense input of the same numbers give the same model; one that takes no sparse input says so.

    Parameters
    ----------
    estimator, X, y
        As in `check_weights_are_repetitions`; the rows are dense.
    tol : float, default=1e-4
        Largest difference of the outputs, relative to max(1, |output|).

    Raises
    ------
    AssertionError
        With a sentence that names the law and both numbers.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_sparse_equals_dense
    >>> check_sparse_equals_dense(Ridge())
    """
    X, y = table_of(estimator, X, y)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    if not get_tags(estimator).input_tags.sparse:
        return _require_refusal(estimator, sparse.csr_array(X), y)
    dense = fitted(estimator, X, y)
    for layout in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        law = f"{layout.__name__} input gives what dense input gives"
        _require_same(law, fitted(estimator, layout(X), y), dense, layout(X), X, tol)
    return None


def check_save_load(estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None) -> None:
    """A model that was saved and loaded has the same parameters and gives the same numbers, to the last digit.

    Parameters
    ----------
    estimator, X, y
        As in `check_weights_are_repetitions`.

    Raises
    ------
    AssertionError
        With a sentence that names the law and both numbers.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_save_load
    >>> check_save_load(Ridge(alpha=0.3))
    """
    X, y = table_of(estimator, X, y)
    model = fitted(estimator, X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.skops")
        save(model, path)
        loaded = load(path)
    before, after = repr(model.get_params()), repr(loaded.get_params())
    require(before == after, "a loaded model has the parameters of the saved one", f"{after} is not {before}")
    _require_same("a loaded model gives what the saved one gave", loaded, model, X, X, 0.0)


def _name(estimator: BaseEstimator) -> str:
    return type(estimator).__name__


def _require_same(law: str, model: Any, other: Any, X: Any, X_other: Any, tol: float) -> None:
    expected = outputs_of(other, X_other)
    for method, values in outputs_of(model, X).items():
        where = f"{_name(model)}.{method}"
        shape, same = expected[method].shape, values.shape == expected[method].shape
        require(same, law, f"{where} gives shape {values.shape}, not {shape}")
        if values.dtype.kind in "OUS":
            require(np.array_equal(values, expected[method]), law, f"{where} gives other labels")
        else:
            require_close(law, values, expected[method], tol=tol, where=where)


def _require_refusal(estimator: BaseEstimator, X: Any, y: Array) -> None:
    law = "an estimator that takes no sparse input refuses it with an error that says so"
    try:
        clone(estimator).fit(X, y)
    except (TypeError, ValueError) as error:
        require("parse" in str(error), law, f"{_name(estimator)} says {error}")
    else:
        require(False, law, f"{_name(estimator)} accepted it; set its tag input_tags.sparse")
