"""How much predictions change when rows are transformed.

    unchanged = (1/n) #{i : ŷ(T x_i) = ŷ(x_i)},    change = mean over i and k of |f_k(T x_i) − f_k(x_i)|         (1)

for a family of transformations T with a strength each. Goodfellow et al. (2009), Measuring invariances in deep
networks, NeurIPS 22.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.numerics.augment import Augmentation, augment_rows
from gnomon.numerics.random import check_rng

__all__ = ["InvarianceReport", "invariance_report"]


class InvarianceReport(NamedTuple):
    """What `invariance_report` finds, by strength.

    Fields
    ------
    strengths : ndarray
    unchanged : ndarray
        Share of rows with the same prediction as before.
    score_change : ndarray
        Mean |Δscore|.

    References
    ----------
    Goodfellow, I., Le, Q., Saxe, A., Lee, H. & Ng, A. Y. (2009). Measuring invariances in deep networks. NeurIPS 22.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import InvarianceReport
    >>> InvarianceReport(np.array([0.0]), np.array([1.0]), np.array([0.0])).unchanged
    array([1.])
    """

    strengths: Floats
    unchanged: Floats
    score_change: Floats


def invariance_report(
    model: Any,
    X: ArrayLike,
    transformation: Callable[[float], Augmentation],
    strengths: Sequence[float],
    *,
    method: str = "predict_proba",
    random_state: RandomState = 0,
) -> InvarianceReport:
    """Equation (1) for each strength.

    Parameters
    ----------
    model : estimator
        Fitted, with `predict` and `method`.
    X : array-like
        Rows.
    transformation : callable
        Strength → transformation, for example `gnomon.transfer.Rotate`, or ``lambda k: Shift(k, image_shape=(8, 8))``.
    strengths : sequence of float
    method : str, default="predict_proba"
        What gives the scores.
    random_state : int, Generator, RandomState or None, default=0

    References
    ----------
    Goodfellow, I., Le, Q., Saxe, A., Lee, H. & Ng, A. Y. (2009). Measuring invariances in deep networks. NeurIPS 22.

    Examples
    --------
    A classifier of distances from the origin does not care for rotations:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from gnomon.neural import invariance_report
    >>> from gnomon.transfer import AddNoise, Rotate
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> model = KNeighborsClassifier(15).fit(X, np.linalg.norm(X, axis=1) > 1)
    >>> bool(invariance_report(model, X[:200], Rotate, [180]).unchanged[0] > 0.9)
    True
    >>> bool(invariance_report(model, X[:200], AddNoise, [2.0]).unchanged[0] < 0.8)
    True
    """
    rng, rows = check_rng(random_state), np.asarray(X)
    labels, scores = model.predict(rows), np.asarray(getattr(model, method)(rows))
    unchanged, change = [], []
    for strength in strengths:
        changed, _ = augment_rows([transformation(strength)], rows, None, rng)
        unchanged.append(float(np.mean(model.predict(changed) == labels)))
        change.append(float(np.mean(np.abs(np.asarray(getattr(model, method)(changed)) - scores))))
    return InvarianceReport(np.asarray(strengths, dtype=float), np.array(unchanged), np.array(change))
