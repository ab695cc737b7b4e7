"""Probabilities in bins.

    bin k:    n_k = Σ wᵢ,    p̄_k = Σ wᵢ pᵢ/n_k,    ō_k = Σ wᵢ [event i]/n_k                                       (1)

Bins have equal width, equal weight, or one probability each. Probabilities are sorted once; equal ones stay together.
Murphy & Winkler (1977), Reliability of subjective probability forecasts, doi:10.2307/2346866.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base.trials import positive_rows
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["BinSums", "Bins", "Strategy", "read_forecasts"]

Strategy: TypeAlias = Literal["uniform", "quantile", "distinct"]


class BinSums(NamedTuple):
    """Sums over the rows of each bin, empty bins included.

    Fields
    ------
    weight, predicted, events : ndarray of shape (n_bins,)
        n_k, n_k p̄_k and n_k ō_k of (1).
    """

    weight: Floats
    predicted: Floats
    events: Floats


class Bins(NamedTuple):
    """Forecasts in rising order, and how they are divided.

    Fields
    ------
    rising : ndarray of int
        The row of each rank.
    p, event, weights : ndarray of shape (n,)
        Probabilities, whether the event came, and weights, all in rising order of p.
    strategy : {"uniform", "quantile", "distinct"}
    n_bins : int
    """

    rising: Integers
    p: Floats
    event: Floats
    weights: Floats
    strategy: Strategy
    n_bins: int

    def ends(self, w: Floats) -> Integers:
        """0, and the number of rows up to the end of each bin; w in rising order."""
        if self.strategy == "distinct":
            return np.append(0, np.flatnonzero(np.append(np.diff(self.p) > 0.0, True)) + 1)
        steps = np.arange(1, self.n_bins) / self.n_bins
        if self.strategy == "quantile":
            mass = np.cumsum(w)
            steps = self.p[np.searchsorted(mass, steps * mass[-1] * (1.0 - 1e-12)).clip(0, len(mass) - 1)]
        return np.concatenate([[0], np.searchsorted(self.p, steps, side="right"), [len(self.p)]])

    def sums(self, w: Floats, event: Floats | None = None) -> BinSums:
        """Sums with other weights, and with other events; both in rising order."""
        ends = self.ends(w)
        event = self.event if event is None else event
        return BinSums(*(np.diff(np.append(0.0, np.cumsum(part))[ends]) for part in (w, w * self.p, w * event)))


def read_forecasts(
    y_true: ArrayLike,
    proba: ArrayLike,
    strategy: Strategy,
    n_bins: int,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> Bins:
    """Forecasts, checked and sorted: P(positive), or of several columns the largest and whether it was right."""
    check_choice("strategy", strategy, get_args(Strategy))
    check_integer("n_bins", n_bins, 1)
    y, P = np.asarray(y_true), np.asarray(proba, dtype=float)
    if y.ndim != 1 or P.shape[:1] != y.shape or P.ndim > 2 or not len(y):
        raise ValueError(f"y_true of shape {y.shape} and proba of shape {P.shape} must be for the same rows")
    if not np.all((P >= 0.0) & (P <= 1.0)):
        bad = int(np.sum(~((P >= 0.0) & (P <= 1.0))))
        raise ValueError(f"proba is outside [0, 1] or NaN in {bad} places; give probabilities, or calibrate the scores")
    weights = check_weights(sample_weight, np.zeros((len(y), 1)))
    kept = weights > 0.0
    y, P, weights = y[kept], P[kept], weights[kept]
    if P.ndim == 2:
        p, event = _top(y, P)
    else:
        p, event = P, positive_rows(y, pos_label, weights)[0]
    rising = np.argsort(p, kind="stable")
    return Bins(rising, p[rising], event[rising].astype(float), weights[rising], strategy, n_bins)


def _top(y: ArrayLike, P: Floats) -> tuple[Floats, Floats]:
    labels = np.unique(y)
    if len(labels) != P.shape[1]:
        raise ValueError(f"proba has {P.shape[1]} columns for {len(labels)} labels in y_true; give one for each")
    best = np.argmax(P, axis=1)
    return P[np.arange(len(P)), best], labels[best] == y
