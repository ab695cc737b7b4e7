"""Cost curves.

    NE(x) = FNR · x + FPR · (1 − x),    x = π c_fn/(π c_fn + (1 − π) c_fp)                                     (1)

A point of the ROC curve is a line in the plane of the operating condition x (prior and costs together) and the
normalised expected cost; the lower envelope of all lines is what the best threshold reaches. "Call all negative" is the
line x, "call all positive" the line 1 − x. Drummond & Holte (2006), doi:10.1007/s10994-006-8199-5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.evaluation._error_curves import score_curve

__all__ = ["CostEnvelope", "cost_curve"]


class CostEnvelope(NamedTuple):
    """The lower envelope of (1), exactly: its corners, and the lines that meet there.

    Fields
    ------
    x, cost : ndarray of shape (k + 1,)
        Corners of the envelope, from x = 0 to 1; between them it is straight.
    fpr, fnr : ndarray of shape (k,)
        Of the line between two corners: a vertex of the ROC hull.
    thresholds : ndarray of shape (k,)
        Positive is s > t.

    References
    ----------
    Drummond, C. & Holte, R. C. (2006). Cost curves: an improved method for visualizing classifier performance.
    doi:10.1007/s10994-006-8199-5

    Examples
    --------
    >>> from gnomon.evaluation import cost_curve
    >>> cost_curve([0, 0, 1, 1], [0.1, 0.4, 0.5, 0.8]).cost.tolist()
    [0.0, 0.0, 0.0, 0.0]
    """

    x: Floats
    cost: Floats
    fpr: Floats
    fnr: Floats
    thresholds: Floats

    def at(self, x: ArrayLike) -> Floats:
        """The least normalised cost at operating conditions x in [0, 1]."""
        return np.interp(np.asarray(x, dtype=float), self.x, self.cost)

    @property
    def area(self) -> float:
        """The mean cost over all x: of all operating conditions alike."""
        return float(np.trapezoid(self.cost, self.x))


def cost_curve(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> CostEnvelope:
    """The least cost of any threshold at every operating condition, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed.
    pos_label : label or "rare", optional
        The greater of two labels by default.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    CostEnvelope

    References
    ----------
    Drummond, C. & Holte, R. C. (2006). Cost curves: an improved method for visualizing classifier performance.
    doi:10.1007/s10994-006-8199-5

    Examples
    --------
    >>> from gnomon.evaluation import cost_curve
    >>> curve = cost_curve([0, 0, 1, 0, 1, 1, 1, 0], [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1])
    >>> curve.x.round(4).tolist(), curve.cost.round(4).tolist()
    ([0.0, 0.0, 0.6667, 1.0, 1.0], [0.0, 0.0, 0.1667, 0.0, 0.0])
    """
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    places = curve.hull_places()
    hull = curve[places]
    fpr, fnr = hull.fpr, 1.0 - hull.tpr
    rise, fall = np.diff(fpr), -np.diff(fnr)
    x = np.concatenate([[0.0], rise / (rise + fall), [1.0]])
    line = np.minimum(np.arange(len(x)), len(fpr) - 1)
    return CostEnvelope(x, fnr[line] * x + fpr[line] * (1.0 - x), fpr, fnr, curve.strict_thresholds[places])
