"""Columns on wild scales.

    sd_max > 100 · lower quartile of the sd of the columns that vary                                  (1)

Then at least a quarter of the columns is not seen in distances and inner products.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gnomon.kernels import Kernel

__all__ = ["warn_of_wild_scales"]

WILD = 100.0
"""From this ratio on, (1) is warned of."""

ENOUGH = 1000
"""Rows that say how widely a column is spread: more change no factor of a hundred."""


def warn_of_wild_scales(model: Any, rows: Any, kernel: Kernel | None = None, *, stacklevel: int = 3) -> None:
    """Warn where (1) holds for a dense table; others, and rows that are no table, have scales of their own.

    Parameters
    ----------
    model : estimator
        Whose `feature_names_in_` are used, if it has any.
    rows : array, sparse matrix or list
    kernel : Kernel, optional
        What compares the rows; one that weighs columns by itself is not warned of. None for distances.
    stacklevel : int, default=3
        That of the caller of `fit`, if `fit` calls this.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> from gnomon.base import warn_of_wild_scales
    >>> from gnomon.svm import KernelRidge
    >>> X = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 1.0, 1e4]
    >>> with pytest.warns(UserWarning, match="column 2 has standard deviation"):
    ...     warn_of_wild_scales(KernelRidge(), X)
    """
    weighed = kernel is not None and (kernel.whole or kernel.scales_columns)
    if weighed or not isinstance(rows, np.ndarray) or rows.shape[1] < 2:
        return
    sd = _deviations(rows[:: max(1, len(rows) // ENOUGH)])
    found = sd[sd > 0.0]
    if len(found) < 2:
        return
    small, largest = np.sort(found)[(len(found) - 1) // 4], int(np.argmax(sd))
    if sd[largest] > WILD * small:
        names = vars(model).get("feature_names_in_")
        column = largest if names is None else repr(str(names[largest]))
        warnings.warn(
            f"features on wild scales: column {column} has standard deviation {sd[largest]:.3g}, a quarter of them "
            f"at most {small:.3g}, which distances and inner products hardly see; put a StandardScaler or MinMaxScaler "
            "before the model",
            stacklevel=stacklevel,
        )


def _deviations(rows: Any) -> Any:
    """The standard deviation of each column, in a unit in which squares do not overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        unit = np.max(np.abs(rows), axis=0, initial=0.0)
        return unit * np.std(rows / np.where(unit > 0.0, unit, 1.0), axis=0)
