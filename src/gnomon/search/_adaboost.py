"""AdaBoost: learners fitted one after the other to rows weighted by how badly they fare.

    minimise  L(F) = Σᵢ sᵢ exp(−y(cᵢ)ᵀF(xᵢ)/K),   F = Σ_l h_l,   wᵢ ∝ sᵢ exp(−F_{cᵢ}(xᵢ)/(K − 1))                   (1)

y(c) has 1 at the class c and −1/(K − 1) elsewhere, and rows of F sum to zero, so yᵀF/K = F_c/(K − 1); two classes have
F = (−f, f) and (1) is Σ s exp(−y f). A learner gives shares p_k of the classes at every row, and

    discrete   h = β y(argmax p),   β = (K − 1)²/K · [ln((1 − ε)/ε) + ln(K − 1)],   ε = Σ w 1[argmax p ≠ c]
    real       h = (K − 1)(ln p − mean ln p)
    gentle     h = (K p − 1)/(K − 1), the weighted least-squares fit of y(c)                                        (2)

Freund & Schapire (1997), doi:10.1006/jcss.1997.1504; the loss, real and gentle: Friedman, Hastie & Tibshirani (2000),
doi:10.1214/aos/1016218223; K classes: Zhu, Zou, Rosset & Hastie (2009), doi:10.4310/SII.2009.v2.n3.a8.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.search.adaboost_steps import LEAST_WEIGHT, STEPS, AdaBoostVariant, exponential_loss, row_weights

__all__ = ["AdaBoosted", "adaboost"]

NO_EDGE = 1e-10
"""How much better than chance a learner must be."""


class AdaBoosted(NamedTuple):
    """What `adaboost` found.

    Parameters
    ----------
    models : list
        The learners l = 1, 2, …, whatever `learn` makes.
    betas, brackets, errors : ndarray
        β and its bracket (1 for real and gentle), times the learning rate, and ε of every learner.
    floor : float
        Shares below it count as such in the logarithms of "real".
    scores : ndarray of shape (n, K)
        F of the rows.
    history : dict
        After every round: "iteration", "objective" (1) divided by Σ s, "error" (the share of rows whose largest F is
        not that of their class) and "seconds".
    weights : list of ndarray
        wᵢ before every round, and after the last; empty where they are not kept.
    stop_reason : {"max_iter", "perfect", "no_edge", "interrupted"} or a word of `watch`

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an application to
    boosting. doi:10.1006/jcss.1997.1504

    Examples
    --------
    >>> from gnomon.search import AdaBoosted
    >>> AdaBoosted._fields[:3]
    ('models', 'betas', 'brackets')
    """

    models: list[Any]
    betas: Floats
    brackets: Floats
    errors: Floats
    floor: float
    scores: Floats
    history: dict[str, Array]
    weights: list[Floats]
    stop_reason: str


def adaboost(
    learn: Callable[[Floats], tuple[Any, Floats]],
    index: Integers,
    n_classes: int,
    rounds: int,
    *,
    sample_weight: ArrayLike | None = None,
    variant: AdaBoostVariant = "discrete",
    learning_rate: float = 1.0,
    perfect: Literal["stop", "clip"] = "stop",
    watch: Callable[[Any, float, float], str | None] | None = None,
    keep_weights: bool = False,
) -> AdaBoosted:
    """Minimise (1) by `rounds` learners at most; an interrupt ends the rounds and keeps those that are done.

    Parameters
    ----------
    learn : callable weights → (model, shares)
        Fits a learner to weights that sum to one; shares p are its answers for the rows, shape (n, K).
    index : ndarray of int of shape (n,)
        The class cᵢ of each row.
    n_classes : int
        K ≥ 2.
    rounds : int
    sample_weight : ndarray of shape (n,), optional
        sᵢ > 0; ones by default.
    variant : {"discrete", "real", "gentle"}, default="discrete"
    learning_rate : float, default=1.0
        Factor of every h.
    perfect : {"stop", "clip"}, default="stop"
        The bracket of a learner without errors: 1, or that of ε = 1/(2 Σ s).
    watch : callable (model, β, floor) → str or None, optional
        Called after every round; a word stops and becomes the reason, unless the learner made no errors.
    keep_weights : bool, default=False
        Keep wᵢ of all rounds.

    Returns
    -------
    AdaBoosted

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    doi:10.1214/aos/1016218223

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, adaboost, code_columns, grow_tree
    >>> x, index = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    >>> columns = code_columns(x)
    >>> def stump(weights):
    ...     tree = grow_tree(columns, index, Gini(2), sample_weight=weights, max_depth=1)
    ...     return tree, tree.predict(x)
    >>> found = adaboost(stump, index, 2, 3)
    >>> found.errors.round(6), found.betas.round(6)
    (array([0.3     , 0.214286, 0.181818]), array([0.423649, 0.649641, 0.752039]))
    >>> found.history["objective"].round(6)
    array([0.916515, 0.75214 , 0.580193])
    """
    s = np.ones(len(index)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    total, began, loss, reason = float(np.sum(s)), perf_counter(), 1.0, "max_iter"
    scores, floor = np.zeros((len(index), n_classes)), min(0.5 / total, 0.5 / n_classes)
    made: list[tuple[Any, ...]] = []
    try:
        while len(made) < rounds and reason == "max_iter":
            w = row_weights(scores, index, s)
            model, shares = learn(w)
            error = float(np.sum(w[np.argmax(shares, axis=1) != index]))
            bracket, beta = _step_size(variant, error, n_classes, learning_rate, perfect, total)
            after = scores + STEPS[variant](shares, beta, floor)
            lower = exponential_loss(after, index, s)
            if not _has_edge(variant, error, n_classes, lower, loss):
                reason = "no_edge"
                break
            word = watch(model, beta, floor) if watch is not None else None
            wrong = float(np.sum(s[np.argmax(after, axis=1) != index]) / total)
            entry = (model, w if keep_weights else None, beta, bracket, error, lower, wrong, perf_counter() - began)
            # One statement, so that an interrupt leaves them consistent.
            made, scores, loss = [*made, entry], after, lower
            reason = "perfect" if error == 0.0 else word or reason
    except KeyboardInterrupt:
        if not made:
            raise
        reason = "interrupted"
    numbers = np.array([entry[2:] for entry in made], dtype=float).reshape(len(made), 6).T
    history = dict(zip(("objective", "error", "seconds"), numbers[3:], strict=True))
    history = {"iteration": np.arange(1, len(made) + 1), **history}
    weights = [*(entry[1] for entry in made), row_weights(scores, index, s)] if keep_weights else []
    models, (betas, brackets, errors) = [entry[0] for entry in made], numbers[:3]
    return AdaBoosted(models, betas, brackets, errors, floor, scores, history, weights, reason)


def _step_size(
    variant: AdaBoostVariant, error: float, n_classes: int, rate: float, perfect: str, total: float
) -> tuple[float, float]:
    """(bracket, β) of (2), times the learning rate; both are the rate itself for real and gentle."""
    if variant != "discrete":
        return rate, rate
    bracket = _bracket(error, n_classes, rate, perfect, total)
    return bracket, (n_classes - 1.0) ** 2 / n_classes * bracket


def _bracket(error: float, n_classes: int, rate: float, perfect: str, total: float) -> float:
    """rate · [ln((1 − ε)/ε) + ln(K − 1)]; of a learner without errors 1, or that of ε = 1/(2 Σ s)."""
    if error == 0.0 and perfect == "stop":
        return 1.0
    kept = min(error if error > 0.0 else 0.5 / total, 1.0 - LEAST_WEIGHT)
    return rate * float(np.log((1.0 - kept) / kept) + np.log(n_classes - 1.0))


def _has_edge(variant: AdaBoostVariant, error: float, n_classes: int, after: float, before: float) -> bool:
    if variant == "discrete":
        return error < 1.0 - 1.0 / n_classes - NO_EDGE
    return after < before * (1.0 - NO_EDGE)
