"""Maps from scores to log-likelihood ratios (two classes) or log-likelihoods (K classes), and how each is fitted.

    logistic      α s + γ                           prior-weighted logistic regression                       (1)
    temperature   α s                               (1) without an offset of its own
    beta          a log p − b log(1 − p) + c,  p = σ(s),  a, b ≥ 0
    pav           the best non-decreasing map
    venn_abers    two isotonic fits for each score
    K classes:  logistic α s_k + γ_k,  temperature α s_k,  matrix A s + γ

Where scores have a prior π in them, temperature is α (s − logit π) of log-odds, and α s − logit π of margins, which are
zero where the posteriors are equal; α (s_k − log π_k) and α s_k − log π_k of K classes.

Brümmer & du Preez (2006), doi:10.1016/j.csl.2005.08.001; Kull, Silva Filho & Flach (2017), Beta calibration,
doi:10.1214/17-EJS1338SI; Guo et al. (2017), On calibration of modern neural networks, ICML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.base.trials import ScoredTrials
from gnomon.decision._pav import fit_pav
from gnomon.decision._softmax_fit import SoftmaxFit, affine_maps, fit_softmax, scale_maps, two_class_maps
from gnomon.decision._venn_abers import fit_venn_abers
from gnomon.numerics.special import log_sigmoid
from gnomon.optim import fit_sigmoid

__all__ = ["OF_CLASSES", "OF_TRIALS", "AffineMap", "Calibration", "MapOptions", "column_units"]


class MapOptions(NamedTuple):
    """Priors of the classes, those in the scores, the penalty, and whether ends are smoothed.

    `offsets` are −log π of the scores, added after they are scaled, or before.
    """

    priors: Floats
    offsets: Floats
    after: bool
    lam: float
    laplace: bool

    @property
    def log_odds(self) -> float:
        return float(np.log(self.priors[1] / self.priors[0]))


class AffineMap(NamedTuple):
    """slope · s + offset, for each class where these are arrays."""

    slope: Any
    offset: Any

    def llr(self, scores: Floats) -> Floats:
        if np.ndim(self.slope) == 2:
            return (scores - np.mean(scores, axis=1, keepdims=True)) @ self.slope.T + self.offset
        return _times(self.slope, scores) + self.offset


def _times(slope: float, scores: Floats) -> Floats:
    """slope · s; zero for every score, infinite ones included, where the slope is zero."""
    return slope * scores if slope else np.zeros_like(scores)


class BetaMap(NamedTuple):
    """a log σ(s) − b log σ(−s) + c."""

    a: float
    b: float
    c: float

    def llr(self, scores: Floats) -> Floats:
        return _times(self.a, log_sigmoid(scores)) - _times(self.b, log_sigmoid(-scores)) + self.c


class Calibration(NamedTuple):
    """A fitted map, and whether a threshold divides the classes without error, so that the slope has no bound."""

    map: Any
    separable: bool = False
    converged: bool = True
    objective: float = np.nan


def column_units(X: Floats) -> Floats:
    """The size of each column, positive, without overflow."""
    largest = np.max(np.abs(X), axis=0, initial=0.0)
    return np.where(largest > 0.0, largest, 1.0)


def _logistic(trials: ScoredTrials, weights: Floats, options: MapOptions) -> Calibration:
    fit = fit_sigmoid(trials.scores, trials.positive.astype(float), weights, lam=options.lam)
    found = AffineMap(fit.slope, fit.offset - options.log_odds)
    return Calibration(found, fit.separable, fit.converged, fit.objective)


def _temperature(trials: ScoredTrials, weights: Floats, options: MapOptions) -> Calibration:
    before, after = (0.0, options.offsets) if options.after else (options.offsets[1] - options.offsets[0], np.zeros(2))
    fit = _two_classes(trials.scores[:, None] + before, trials, weights, options, after)
    slope = float(fit.A[1, 0])
    found = AffineMap(slope, float(slope * before + after[1] - after[0]))
    return Calibration(found, fit.separable, fit.converged, fit.objective)


def _beta(trials: ScoredTrials, weights: Floats, options: MapOptions) -> Calibration:
    columns = np.column_stack([log_sigmoid(trials.scores), -log_sigmoid(-trials.scores)])
    used = np.array([True, True])
    # A negative coefficient would make the map fall: that column is left out, as Kull et al. (2017), section 4, do.
    while True:
        fit = _two_classes(columns[:, used], trials, weights, options)
        ab = np.zeros(2)
        ab[used] = fit.A[1]
        if np.all(ab >= 0.0):
            break
        used &= ab >= 0.0
    found = BetaMap(float(ab[0]), float(ab[1]), float(fit.b[1]))
    return Calibration(found, fit.separable, fit.converged, fit.objective)


def _two_classes(
    X: Floats, trials: ScoredTrials, weights: Floats, options: MapOptions, offsets: Floats | None = None
) -> SoftmaxFit:
    """The best log-odds that are linear in X; the offsets of the classes are fitted too unless they are given."""
    maps, fixed = two_class_maps(X.shape[1], offset=offsets is None), 0.0 if offsets is None else offsets
    k = trials.positive.astype(int)
    return fit_softmax(X, k, weights, np.log(options.priors) + fixed, maps, column_units(X), options.lam)


OF_TRIALS: dict[str, Callable[[ScoredTrials, Floats, MapOptions], Calibration]] = {
    "logistic": _logistic,
    "temperature": _temperature,
    "beta": _beta,
    "pav": lambda trials, weights, options: Calibration(fit_pav(trials.curve(), laplace=options.laplace)),
    "venn_abers": lambda trials, weights, options: Calibration(fit_venn_abers(trials.curve())),
}
"""From trials of two classes and weights that sum to the priors."""


def _of_classes(
    maps_of: Callable[[int], Floats], *, fixed: bool = False
) -> Callable[[Floats, Integers, Floats, MapOptions], Calibration]:
    def fit(scores: Floats, k: Integers, weights: Floats, options: MapOptions) -> Calibration:
        K = scores.shape[1]
        # A constant of each row says nothing of the classes.
        S = scores - np.mean(scores, axis=1, keepdims=True)
        offsets = options.offsets - np.mean(options.offsets) if fixed else np.zeros(K)
        before, after = (np.zeros(K), offsets) if options.after else (offsets, np.zeros(K))
        S = S + before
        units = np.full(K, np.max(column_units(S)))
        found = fit_softmax(S, k, weights, np.log(options.priors) + after, maps_of(K), units, options.lam)
        b = found.b + found.A @ before + after
        chosen = AffineMap(found.A, b - np.mean(b))
        return Calibration(chosen, found.separable, found.converged, found.objective)

    return fit


OF_CLASSES = {
    "logistic": _of_classes(lambda K: scale_maps(K, offsets=True)),
    "temperature": _of_classes(lambda K: scale_maps(K, offsets=False), fixed=True),
    "matrix": _of_classes(affine_maps),
}
"""From log-likelihoods (or log-posteriors) of each class."""
