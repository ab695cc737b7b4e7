"""Weights on their way into estimators that may not take them.

    fit(X, y, w),    or where fit takes no weights    fit(X_I, y_I),  I drawn with P(i) = wᵢ/Σw                      (1)

Freund & Schapire (1997), doi:10.1006/jcss.1997.1504.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from gnomon._typing import Array, ArrayLike, Floats, Integers, MatrixLike

__all__ = ["check_takes_weights", "fit_rows", "fit_weighted", "weight_parameter"]

Estimator = TypeVar("Estimator", bound=BaseEstimator)


def fit_weighted(base: Estimator, X: MatrixLike, y: Array, weights: Floats, rng: np.random.Generator) -> Estimator:
    """A clone of an estimator fitted with weights, or to rows drawn by weight where it takes none.

    Every label is drawn at least once, so that the clone knows them all.

    Parameters
    ----------
    base : estimator
    X, y
        Rows as the estimator takes them, and their targets as an array.
    weights : ndarray of shape (n,)
    rng : numpy.random.Generator
        Draws rows, and the `random_state` of the clone.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from gnomon.base import fit_weighted
    >>> X, y, weights = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 1, 0]), np.array([1.0, 0, 0, 0, 1, 0])
    >>> model = fit_weighted(KNeighborsClassifier(1), X, y, weights, np.random.default_rng(0))
    >>> np.unique(model._fit_X)
    array([0., 4.])
    """
    model = clone(base)
    names = sorted(name for name in model.get_params() if name.split("__")[-1] == "random_state")
    model.set_params(**dict(zip(names, rng.integers(2**31 - 1, size=len(names)).tolist(), strict=True)))
    if has_fit_parameter(model, "sample_weight"):
        return model.fit(X, y, sample_weight=weights)
    rows = rng.choice(len(y), len(y), p=weights / np.sum(weights))
    lacking = np.setdiff1d(y, y[rows]) if y.ndim == 1 and y.dtype.kind != "f" else ()
    rows = np.append(rows, [np.argmax(weights * (y == label)) for label in lacking]).astype(int)
    return model.fit(_safe_indexing(X, rows), y[rows])


def fit_rows(
    base: Estimator, X: Any, y: Array, rows: Integers, weights: ArrayLike | None, params: Mapping[str, Any]
) -> Estimator:
    """A clone of an estimator fitted to some of the rows.

    Parameters
    ----------
    base : estimator
    X, y
        All rows as the estimator takes them, and their targets as an array.
    rows : ndarray of int
        Which of them are fitted.
    weights : array-like of shape (n,), optional
        Of all rows; ValueError where the estimator takes none.
    params : dict
        Further parameters of `fit`; those with a value for each row are cut to the rows that are fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.base.weights import fit_rows
    >>> X, y = np.zeros((3, 1)), np.array([1.0, 2.0, 5.0])
    >>> fit_rows(DummyRegressor(), X, y, np.array([0, 2]), [3.0, 1.0, 1.0], {}).constant_
    array([[2.]])
    """
    given = _check_method_params(X, params={**params, **weight_parameter(base, weights)}, indices=rows)
    return clone(base).fit(_safe_indexing(X, rows), y[rows], **given)


def _steps(estimator: BaseEstimator) -> Sequence[tuple[str, Any]]:
    """The named steps of a pipeline; any other estimator is a single one without a name."""
    return getattr(estimator, "steps", [("", estimator)])


def check_takes_weights(estimator: BaseEstimator) -> None:
    """ValueError where `fit` of an estimator, or of the last step of a pipeline, takes no weights."""
    parameters = signature(_steps(estimator)[-1][1].fit).parameters.values()
    if not any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise ValueError(
            f"{type(estimator).__name__} takes no sample_weight; leave out the weights, and what else needs them, or "
            "choose another estimator"
        )


def weight_parameter(estimator: BaseEstimator, weights: ArrayLike | None) -> dict[str, ArrayLike]:
    """Weights as `fit` takes them: a pipeline by the name of its last step, unless metadata are routed.

    None is no parameter; where there are weights that `fit` does not take, ValueError.
    """
    if weights is None:
        return {}
    check_takes_weights(estimator)
    step = "" if get_config()["enable_metadata_routing"] else _steps(estimator)[-1][0]
    return {f"{step}__sample_weight" if step else "sample_weight": weights}
