"""Principal components of rows that come in chunks, without their scatter matrix.

    [ √λ vᵀ ;  X − x̄_new ;  √(W w / (W + w)) (x̄_new − x̄) ] = U Σ Vᵀ                              (1)

The components kept so far stand for the rows before; the last row is the step of the mean. Ross, Lim, Lin & Yang
(2008), doi:10.1007/s11263-007-0075-7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, Matrix
from gnomon.numerics.centred_rows import RowsAbout, rows_about
from gnomon.numerics.principal import principal_components

__all__ = ["Sketch", "add_to_sketch"]


class Sketch(NamedTuple):
    """Components that stand for the rows seen so far.

    Fields
    ------
    values, axes : ndarray
        λ and v.
    mean : ndarray of shape (d,)
    weight, total : float
    """

    values: Floats
    axes: Floats
    mean: Floats
    weight: float
    total: float


def add_to_sketch(
    sketch: Sketch | None, X: Matrix, weights: Floats | None, n_components: Any, *, center: bool
) -> Sketch:
    """The sketch of the rows so far and of those of X.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition._sketch import add_to_sketch
    >>> first = add_to_sketch(None, np.array([[0.0, 0.0], [2.0, 2.0]]), None, 1, center=True)
    >>> add_to_sketch(first, np.array([[4.0, 4.0]]), None, 1, center=True).values.round(12)
    array([16.])
    """
    whole = isinstance(n_components, int | np.integer) and not isinstance(n_components, bool)
    if n_components is not None and not whole:
        raise ValueError(
            f"n_components={n_components!r} must be a whole number or None where components stand for the rows before: "
            "after fit, with svd_solver='incremental', or beyond 20,000 columns"
        )
    rows = rows_about(X, weights, center=center)
    weight = float(X.shape[0] if weights is None else weights.sum())
    Z = rows.dense()
    total = float(np.vdot(Z, Z))
    mean = rows.center
    if sketch is not None:
        both = sketch.weight + weight
        step = np.sqrt(sketch.weight * weight / both) * (mean - sketch.mean)
        Z = np.vstack([np.sqrt(sketch.values)[:, None] * sketch.axes.T, Z, step[None, :]])
        total += sketch.total + float(step @ step)
        mean = sketch.mean + (weight / both) * (mean - sketch.mean)
        weight = both
    m = min(Z.shape) if n_components is None else min(int(n_components), *Z.shape)
    found = principal_components(RowsAbout(Z, np.zeros(Z.shape[1]), None), m)
    return Sketch(found.values, found.axes, mean, weight, total)
