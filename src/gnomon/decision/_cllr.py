"""Cost of log-likelihood ratios over all applications, and how proper scores divide.

    Cllr = ½ [ mean over H_T of log₂(1 + e^−s) + mean over H_F of log₂(1 + e^s) ]                                (1)
    S = Σ_k (π_k / N_k) Σ_{i in k} S(k, qᵢ),    qᵢ ∝ π f(xᵢ | ·)                                               (2)
    S(scores) = S(best calibrated scores) + [S(scores) − S(best calibrated scores)] = discrimination + calibration

1 bit is what scores without information cost. Brümmer & du Preez (2006), Application-independent evaluation of speaker
detection, doi:10.1016/j.csl.2005.08.001; Gneiting & Raftery (2007), doi:10.1198/016214506000001437; Ferrer & Ramos
(2024), Evaluating posterior probabilities: decision theory, proper scoring rules, and calibration, arXiv:2408.02841.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone

from gnomon import infer
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base.trials import ScoredTrials, read_trials
from gnomon.decision._pav import fit_pav
from gnomon.decision._posteriors import Kind, check_priors, posteriors
from gnomon.decision.application import Application
from gnomon.decision.score_calibrator import ScoreCalibrator
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights

__all__ = ["ScoreSplit", "calibration_split", "cllr", "min_cllr", "proper_score"]

Rule: TypeAlias = Literal["log", "brier"] | Application | Callable[[Integers, Floats], Floats]


def cllr(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> float:
    """Equation (1), in bits: how good log-likelihood ratios are in all applications together.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    scores : array-like of shape (n_samples,)
        Log-likelihood ratios; an infinite one on the wrong side costs ∞.
    pos_label : label or "rare", optional
        By default the greater of two labels.
    sample_weight : array-like of shape (n_samples,), optional

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import cllr, min_cllr
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> round(cllr(y, s), 6), round(min_cllr(y, s), 6)
    (0.67437, 0.344361)
    """
    return _cllr(read_trials(y_true, scores, pos_label, sample_weight))


def min_cllr(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> float:
    """Cllr of the same scores after the best non-decreasing map: what no calibration can save.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight
        As in `cllr`; the scores may have any scale.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import min_cllr
    >>> min_cllr([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0])
    0.0
    """
    trials = read_trials(y_true, scores, pos_label, sample_weight)
    return _cllr(trials._replace(scores=fit_pav(trials.curve(), laplace=False).llr(trials.scores)))


def _cllr(trials: ScoredTrials) -> float:
    # log(1 + e^−s) for H_T, log(1 + e^s) for H_F.
    bits = np.logaddexp(0.0, np.where(trials.positive, -trials.scores, trials.scores)) / np.log(2.0)
    sides = (trials.positive, ~trials.positive)
    return float(np.mean([np.average(bits[side], weights=trials.weights[side]) for side in sides]))


def proper_score(
    y_true: ArrayLike,
    scores: ArrayLike,
    rule: Rule = "log",
    *,
    kind: Kind = "posterior",
    priors: float | ArrayLike | None = None,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The mean (2) of a proper scoring rule over labelled rows, each class with its prior; smaller is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Rows of every class; the columns of `scores` are the labels, sorted.
    scores : array-like of shape (n_samples, n_classes), or (n_samples,)
        As `kind` says: "posterior", "log_posterior", "log_likelihood" or "llr".
    rule : {"log", "brier"}, Application or callable, default="log"
        −log q_k; Σ_j (q_j − [j = k])²; the cost of the Bayes decision, for costs of an application (its priors are not
        used); or a function of the numbers of the true classes and the posteriors that returns what each row costs.
    kind, priors
        As in `bayes_decision`. For posteriors `priors` weigh the classes in (2): by default as they occur.
    normalize : bool, default=True
        Divide by the score of the constant posterior π: 1 is useless.
    sample_weight : array-like of shape (n_samples,), optional

    References
    ----------
    Gneiting, T. & Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation.
    doi:10.1198/016214506000001437

    Ferrer, L. & Ramos, D. (2024). Evaluating posterior probabilities: decision theory, proper scoring rules, and
    calibration. arXiv:2408.02841

    Examples
    --------
    >>> from gnomon.decision import proper_score
    >>> round(proper_score([0, 0, 1], [[0.8, 0.2], [0.6, 0.4], [0.5, 0.5]]), 6)
    0.74736
    >>> round(proper_score([0, 0, 1], [[0.8, 0.2], [0.6, 0.4], [0.5, 0.5]], "brier"), 6)
    0.675
    """
    y = np.asarray(y_true)
    weights = check_weights(sample_weight, np.empty((len(y), 0)))
    labels, k = np.unique(y, return_inverse=True)
    shares = np.bincount(k, weights)
    given = kind in ("log_likelihood", "llr")
    q = posteriors(scores, kind, priors if given else None)
    p = shares / np.sum(shares) if priors is None else check_priors("priors", priors)
    if q.ndim != 2 or q.shape != (len(y), len(labels)) or len(p) != len(labels) or not np.all(shares > 0.0):
        raise ValueError(
            f"scores of shape {np.shape(scores)} and {len(p)} priors must fit {len(y)} rows of the {len(labels)} "
            f"classes {labels.tolist()[:5]}; rows of every class are needed"
        )
    used = weights > 0.0
    if np.any(q[used] < 0.0) or np.any(np.abs(np.sum(q[used], axis=1) - 1.0) > 1e-6):
        raise ValueError(f"scores has rows that are no {kind}: probabilities must be ≥ 0 and sum to 1; normalise them")
    per_row = weights * (p / shares)[k]
    cost = _rule(rule)
    value = float(per_row[used] @ cost(k[used], q[used]))
    constant = float(p @ cost(np.arange(len(p)), np.tile(p, (len(p), 1))))
    return value / constant if normalize else value


def _rule(rule: Rule) -> Callable[[Integers, Floats], Floats]:
    if callable(rule):
        return rule
    if isinstance(rule, Application):
        return lambda k, q: np.asarray(rule.costs)[infer.expected_cost(q, rule.costs).actions, k]
    check_choice("rule", rule, ("log", "brier"))
    return _log if rule == "log" else _brier


def _log(k: Integers, q: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return -np.log(q[np.arange(len(k)), k])


def _brier(k: Integers, q: Floats) -> Floats:
    return np.sum((q - np.eye(q.shape[1])[k]) ** 2, axis=1)


class ScoreSplit(NamedTuple):
    """A proper score in two parts, equation (3).

    Fields
    ------
    actual, discrimination, calibration : float
        actual = discrimination + calibration.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import calibration_split
    >>> found = calibration_split([0, 0, 1, 1], [-3.0, 1.0, 0.5, 2.0])
    >>> round(found.actual - found.discrimination - found.calibration, 12)
    0.0
    """

    actual: float
    discrimination: float
    calibration: float


def calibration_split(
    y_true: ArrayLike,
    scores: ArrayLike,
    rule: Rule = "log",
    *,
    priors: float | ArrayLike = "uniform",
    calibrator: ScoreCalibrator | None = None,
    sample_weight: ArrayLike | None = None,
) -> ScoreSplit:
    """How much of a proper score better calibration would save, equation (3).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    scores : array-like of shape (n_samples,) or (n_samples, n_classes)
        Log-likelihood ratios, or log-likelihoods of each class.
    rule : {"log", "brier"}, Application or callable, default="log"
        As in `proper_score`; with "log" and equal priors the parts are Cllr and its minimum.
    priors : float, array-like of shape (n_classes,) or "uniform", default="uniform"
    calibrator : ScoreCalibrator, optional
        Fitted to the same rows. By default pool-adjacent-violators for ratios, whose result is the least of every
        proper score; an affine map for more classes, for which no such map exists.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    ScoreSplit
        Normalised as `proper_score` is.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.decision import calibration_split
    >>> s, y = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1], [0, 0, 1, 0, 1, 1, 1, 0]
    >>> found = calibration_split(y, s)
    >>> round(found.actual, 6), round(found.discrimination, 6)
    (0.67437, 0.344361)
    """
    s = np.asarray(scores, dtype=float)
    binary = s.ndim == 1
    K = 2 if binary else s.shape[1]
    p = np.full(K, 1.0 / K) if isinstance(priors, str) else priors
    usual = ScoreCalibrator("pav", laplace=False) if binary else ScoreCalibrator(prior=p)
    better = clone(usual if calibrator is None else calibrator).fit(s, y_true, sample_weight).transform(s)
    kind: Kind = "llr" if binary else "log_likelihood"
    actual, least = (
        proper_score(y_true, v, rule, kind=kind, priors=p, sample_weight=sample_weight) for v in (s, better)
    )
    return ScoreSplit(actual, least, actual - least)
