"""Gradient boosting: trees added one after the other, each a step down the slope of the loss.

    F ← F + η f,   f the tree of largest Newton gain  ½ [G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ)],
    leaf values −G / (H + λ),   G = Σ sᵢ ∂ℓ(yᵢ, Fᵢ),  H = Σ sᵢ ∂²ℓ(yᵢ, Fᵢ)                                       (1)

Friedman (2001), Greedy function approximation, doi:10.1214/aos/1013203451; second order: Chen & Guestrin (2016),
doi:10.1145/2939672.2939785. With several scores (softmax) every round grows one tree for each. Losses without curvature
(absolute, pinball, Huber's) take curvature one for the search, and leaves then have the value that minimises the loss.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import compiled, jit
from gnomon.numerics.parallel import map_chunks
from gnomon.search.criteria import Newton
from gnomon.search.forest import Forest
from gnomon.search.grow import grow_parts

__all__ = ["Boosted", "BoostingPlan", "boost"]


@dataclass(frozen=True, eq=False)
class BoostingPlan:
    """How rounds of (1) are done.

    Parameters
    ----------
    loss : Loss
    learning_rate : float, default=0.1
        The step η.
    lam : float, default=0.0
        The ridge penalty λ of leaf values.
    subsample : float, default=1.0
        Share of the rows, drawn anew without replacement, from which a tree is grown.
    criterion : Criterion, optional
        A criterion other than Newton's gain, for trees grown on the negative gradient with the rows' weights.
    n_scores : int, default=1
        Trees per round.
    n_jobs : int, optional
        Threads, over the trees of a round.
    growth : dict
        Arguments of `grow_tree`.

    References
    ----------
    Friedman, J. H. (2002). Stochastic gradient boosting. doi:10.1016/S0167-9473(01)00065-2

    Examples
    --------
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.search import BoostingPlan
    >>> BoostingPlan(SquaredLoss(half=True)).learning_rate
    0.1
    """

    loss: Any
    learning_rate: float = 0.1
    lam: float = 0.0
    subsample: float = 1.0
    criterion: Any = None
    n_scores: int = 1
    n_jobs: int | None = None
    growth: dict = None


class Boosted(NamedTuple):
    """What `boost` found: `trees[r][k]`, the tree of round r for score k; the scores of the rows; the mean losses.

    Parameters
    ----------
    trees : list of list of Tree
    scores : ndarray of shape (n_samples, n_scores)
    history : dict
        "iteration", "objective", "seconds", and "validation" where there are held-out rows.
    stop_reason : str

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from gnomon.search import Boosted
    >>> Boosted._fields
    ('trees', 'scores', 'history', 'stop_reason')
    """

    trees: list
    scores: np.ndarray
    history: dict
    stop_reason: str


def boost(columns, y, plan, rounds, *, start, sample_weight=None, rng=None, watch=None, first=0):
    """Add `rounds` rounds of trees to the scores `start`.

    Parameters
    ----------
    columns : Columns
    y : ndarray of shape (n_samples,)
        Targets as the loss takes them.
    plan : BoostingPlan
    rounds : int
    start : ndarray of shape (n_samples, n_scores)
        Scores before the first round.
    sample_weight : ndarray of shape (n_samples,), optional
    rng : numpy.random.Generator, optional
        Draws rows and columns.
    watch : callable (round, trees, objective) → str or None, optional
        Called after every round; a word stops and becomes the reason.
    first : int, default=0
        Number of the first round.

    Returns
    -------
    Boosted

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.search import BoostingPlan, boost, code_columns
    >>> x, y = np.arange(1.0, 7.0)[:, None], np.array([1.0, 1, 2, 8, 9, 10])
    >>> plan = BoostingPlan(SquaredLoss(half=True), learning_rate=0.5, growth={"max_depth": 1})
    >>> found = boost(code_columns(x), y, plan, 3, start=np.full((6, 1), y.mean()))
    >>> [tree[0].threshold[0].item() for tree in found.trees]
    [3.5, 3.5, 4.5]
    >>> round(float(np.sum((y - found.scores[:, 0]) ** 2)), 6)
    3.391927
    """
    n = columns.n_samples
    w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    scores = np.array(start, dtype=float, order="F")
    rng = np.random.default_rng(0) if rng is None else rng
    total = np.sum(w)
    began, trees, reason = perf_counter(), [], "max_iter"
    history = {"iteration": [], "objective": [], "seconds": []}
    for turn in range(first, first + rounds):
        rows = _drawn_rows(n, w, plan.subsample, rng)
        trees.append(_round(columns, y, w, scores, rows, plan, rng))
        objective = float(np.sum(w * plan.loss.value(y, _scores(scores))) / total)
        for name, value in zip(history, (turn + 1, objective, perf_counter() - began), strict=True):
            history[name].append(value)
        word = watch(turn + 1, trees, objective) if watch is not None else None
        if word:
            reason = word
            break
    return Boosted(trees, scores, {name: np.array(values) for name, values in history.items()}, reason)


def _scores(scores):
    return scores[:, 0] if scores.shape[1] == 1 else scores


def _drawn_rows(n, w, subsample, rng):
    rows = np.flatnonzero(w).astype(np.int32)
    if subsample >= 1.0:
        return rows
    return np.sort(rng.choice(rows, max(1, int(subsample * len(rows))), replace=False))


def _round(columns, y, w, scores, rows, plan, rng):
    """One tree for each score; adds their answers to the scores."""
    gradient, curvature = _slopes(plan.loss, y, scores, w)
    seeds = rng.integers(0, 2**63, plan.n_scores)

    def work(k):
        g, h = gradient[:, k], curvature[:, k]
        if plan.criterion is None:
            tree, parts = grow_parts(
                columns, g, Newton(float(plan.lam)), sample_weight=h, rows=rows, min_impurity=-np.inf, min_gain=1e-12,
                seed=int(seeds[k]), **plan.growth,
            )  # fmt: skip
        else:
            residual = -g / np.where(w > 0.0, w, 1.0)
            tree, parts = grow_parts(
                columns, residual, plan.criterion, sample_weight=w, rows=rows, seed=int(seeds[k]), **plan.growth
            )
        return _stepped(tree, parts, g, h, y, w, scores[:, k], plan)

    grown = map_chunks(work, range(plan.n_scores), plan.n_jobs if plan.n_scores > 1 else None)
    for k, (tree, parts) in enumerate(grown):
        _add_answers(tree, parts, columns, scores[:, k])
    return [tree for tree, _ in grown]


def _slopes(loss, y, scores, w):
    """Gradients and curvatures, times weights; one column for each score."""
    gradient, curvature = np.empty(scores.shape, order="F"), np.empty(scores.shape, order="F")
    if scores.shape[1] == 1:
        if loss.best_shift is None:
            _pairs(compiled(loss), y, scores[:, 0], w, gradient[:, 0], curvature[:, 0])
        else:
            gradient[:, 0] = w * loss.gradient(y, scores[:, 0])
            curvature[:, 0] = w
        return gradient, curvature
    p = loss.inverse(scores)
    np.multiply(w[:, None], loss.gradient(y, scores), out=gradient)
    np.multiply(w[:, None], p * (1.0 - p), out=curvature)
    return gradient, curvature


@jit
def _pairs(loss, y, z, w, gradient, curvature):
    for i in range(len(y)):
        gradient[i] = w[i] * loss.gradient(y[i], z[i])
        curvature[i] = w[i] * loss.curvature(y[i], z[i])


def _stepped(tree, parts, g, h, y, w, scores, plan):
    """The tree with the step of each leaf, times the learning rate, as its answers."""
    leaves = np.flatnonzero(tree.is_leaf)
    steps = np.zeros(tree.node_count)
    if plan.loss.best_shift is None:
        _newton_steps(parts.rows, parts.start, parts.stop, g, h, float(plan.lam), steps)
    else:
        for leaf in leaves:
            rows = parts.rows[parts.start[leaf] : parts.stop[leaf]]
            steps[leaf] = plan.loss.best_shift(y[rows] - scores[rows], w[rows])
    return tree.with_answers(plan.learning_rate * steps[:, None]), parts


@jit
def _newton_steps(rows, start, stop, g, h, lam, steps):
    for node in range(len(start)):
        total_g, total_h = 0.0, 0.0
        for i in range(start[node], stop[node]):
            total_g += g[rows[i]]
            total_h += h[rows[i]]
        steps[node] = -total_g / (total_h + lam) if total_h + lam > 1e-150 else 0.0


def _add_answers(tree, parts, columns, scores):
    """Add to every score the answer of its leaf: by the parts for rows that grew the tree, by codes for the others."""
    seen = np.zeros(len(scores), dtype=bool)
    for leaf in np.flatnonzero(tree.is_leaf):
        rows = parts.rows[parts.start[leaf] : parts.stop[leaf]]
        scores[rows] += tree.answers[leaf, 0]
        seen[rows] = True
    if not np.all(seen):
        others = np.flatnonzero(~seen)
        scores[others] += tree.predict(columns.values(others))[:, 0]


def sum_of_rounds(trees, n_scores):
    """One `Forest` for each score."""
    return [Forest.of([round_[k] for round_ in trees]) for k in range(n_scores)]
