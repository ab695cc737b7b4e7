"""Rows at the border of Gaussian mixtures: numbers with gaps, which EM integrates out.

    p(x_o) = Σⱼ wⱼ N(x_o; μⱼ_o, Σⱼ_oo)    over the cells o of a row that are there                                 (1)

Ghahramani & Jordan (1994), Supervised learning from incomplete data via an EM approach, NIPS 6.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.base import validate_rows
from gnomon.numerics.validation import assert_not_infinite, check_integer
from gnomon.optim.gaussian_em import refuse_empty_columns

__all__ = ["mixture_rows", "refuse_overflow"]


def mixture_rows(model: BaseEstimator, X: ArrayLike, *, reset: bool = False) -> Floats:
    """X, checked; with ``reset`` there must be rows for every component, and cells in every column."""
    X = validate_rows(model, X, finite=False, reset=reset, ensure_min_samples=2 if reset else 1)
    names = vars(model).get("feature_names_in_")
    assert_not_infinite(X, columns=names)
    if reset:
        refuse_empty_columns(X, names)
        k = check_integer("n_components", model.n_components, low=1)
        if len(X) < k:
            raise ValueError(f"n_components={k} exceeds n_samples={len(X)}; give fewer components or more rows")
    return X


def refuse_overflow(X: Floats) -> None:
    """An error where the squares of deviations would overflow."""
    with np.errstate(over="ignore"):
        # The spread of all cells bounds that of any column, and is NaN where a cell is missing.
        if X.size * np.square(float(np.max(X)) - float(np.min(X))) < np.inf:
            return
        spread = np.nanmax(X, axis=0).astype(float) - np.nanmin(X, axis=0)
        if not np.isfinite(len(X) * np.sum(spread**2)):
            raise ValueError("X has values so large that their squares overflow; divide the columns by their size")
