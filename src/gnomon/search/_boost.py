"""Gradient boosting: trees added one after the other, each a step down the slope of the loss.

    F ← F + η f,   f the tree of largest Newton gain  ½ [G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ)],
    leaf values −G / (H + λ),   G = Σ sᵢ ∂ℓ(yᵢ, Fᵢ),  H = Σ sᵢ ∂²ℓ(yᵢ, Fᵢ)                                       (1)

Friedman (2001), Greedy function approximation, doi:10.1214/aos/1013203451; second order: Chen & Guestrin (2016),
doi:10.1145/2939672.2939785. With several scores (softmax) every round grows one tree for each. Losses without curvature
take curvature one for the search; leaves then have the value that minimises the loss (absolute, pinball, Huber's), or
the mean step down the slope.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.losses import Loss
from gnomon.numerics.parallel import split_rows, team
from gnomon.numerics.sums import sum_of
from gnomon.search._boosted_leaves import add_answers, newton_values, shift_values
from gnomon.search._criterion import SumCriterion
from gnomon.search._grow import Grower, NodeRows, rows_of
from gnomon.search._monotone import bounded
from gnomon.search.boosting_scores import flat_scores, has_curvature, mean_loss
from gnomon.search.columns import Columns
from gnomon.search.criteria import Newton
from gnomon.search.prune import prune_tree
from gnomon.search.tree import Tree
from gnomon.search.units import Units, safe_unit

__all__ = ["Boosted", "BoostingPlan", "Round", "boost"]

Adapt: TypeAlias = Callable[[Array, Floats, Floats], Loss] | None

ROWS_PER_PIECE = 8192
"""Rows of which one thread computes gradients and curvatures at a time."""

SMALL_TABLE = 2**16
"""Rows below which helpers stay with the grower between trees; with more rows they compute gradients too."""

PURE_SHARE = 1e-13
"""Variances of gradients below this share of their mean square are rounding."""


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
    criterion : SumCriterion, optional
        A criterion other than Newton's gain, for trees grown on the negative gradient with the rows' weights.
    n_scores : int, default=1
        Trees per round.
    n_jobs : int, optional
        Threads, over rows and over the trees of a round.
    growth : dict
        Arguments of `grow_tree`.
    adapt : callable (y, scores, weights) → Loss, optional
        The loss of a round, where it depends on how far the scores are off.
    ccp_alpha : float, default=0.0
        Every tree is pruned at this price of a leaf.
    between : {"middle", "lower"}, default="middle"
        Which of several best shifts a leaf takes.
    leaf_factor : float, default=1.0
        Factor of leaf values beside η: Friedman's (K − 1)/K for K classes.

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

    loss: Loss
    learning_rate: float = 0.1
    lam: float = 0.0
    subsample: float = 1.0
    criterion: SumCriterion | None = None
    n_scores: int = 1
    n_jobs: int | None = None
    growth: dict[str, Any] = field(default_factory=dict)
    adapt: Adapt = None
    ccp_alpha: float = 0.0
    between: Literal["middle", "lower"] = "middle"
    leaf_factor: float = 1.0

    def in_units(self, units: Units) -> BoostingPlan:
        """The same plan for weights in other units, in which λ and the limits of growth are too."""
        if units.plain:
            return self
        return replace(self, lam=float(units.weight.inward(self.lam)), growth=units.limits(self.growth))


class Round(NamedTuple):
    """What is known after a round: its number, its trees, the rows they grew from, all scores, losses.

    Parameters
    ----------
    turn : int
        Rounds so far.
    trees : list of Tree
        One for each score.
    rows : ndarray of int
    scores : ndarray of shape (n_samples, n_scores)
    objective : float
        Mean loss of all rows.
    loss : Loss
        That of the round.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from gnomon.search import Round
    >>> Round._fields
    ('turn', 'trees', 'rows', 'scores', 'objective', 'loss')
    """

    turn: int
    trees: list[Tree]
    rows: Integers
    scores: Floats
    objective: float
    loss: Loss


class Boosted(NamedTuple):
    """What `boost` found: `trees[r][k]`, the tree of round r for score k; the scores of the rows; the mean losses.

    Parameters
    ----------
    trees : list of list of Tree
    scores : ndarray of shape (n_samples, n_scores)
    history : dict
        "iteration", "objective" and "seconds"; with `subsample`, also the mean losses of the rows drawn after the
        round, "in_bag", and of the others before and after it, "oob_before" and "oob".
    stop_reason : str
        What `watch` said, "max_iter" or "interrupted": an interrupt ends the rounds, not the work done.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from gnomon.search import Boosted
    >>> Boosted._fields
    ('trees', 'scores', 'history', 'stop_reason')
    """

    trees: list[list[Tree]]
    scores: Floats
    history: dict[str, Array]
    stop_reason: str


def boost(
    columns: Columns,
    y: Array,
    plan: BoostingPlan,
    rounds: int,
    *,
    start: ArrayLike,
    sample_weight: ArrayLike | None = None,
    seed: int = 0,
    watch: Callable[[Round], str | None] | None = None,
    first: int = 0,
) -> Boosted:
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
    seed : int, default=0
        Draws rows and columns; what round r draws depends on (seed, r) alone.
    watch : callable Round → str or None, optional
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
    w = np.ones(columns.n_samples) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    units = Units(_weight_unit(plan.loss, y, w))
    w, plan = units.weights(w), plan.in_units(units)
    scores = np.array(start, dtype=float, order="F")
    began, trees, history, reason = perf_counter(), [], [], "max_iter"
    with team(plan.n_jobs) as run:
        slopes = _Slopes(y, scores, w, run)
        slopes.take(plan.loss)
        growers = [_grower(columns, slopes, plan, 0)]
        growers += [_grower(columns, slopes, plan, k, growers[0].joint) for k in range(1, plan.n_scores)]
        # To wake helpers takes as long as to grow a small tree.
        awake = growers[0].with_helpers() if len(y) < SMALL_TABLE else nullcontext()
        try:
            with awake:
                for turn in range(first, first + rounds):
                    entry, made, rows = _round(columns, slopes, growers, plan, _Draws(seed, turn))
                    made = [units.restored(tree) for tree in made]
                    trees.append(made)
                    history.append({"iteration": turn + 1, **entry, "seconds": perf_counter() - began})
                    now = Round(turn + 1, made, rows, scores, entry["objective"], slopes.loss)
                    word = watch(now) if watch is not None else None
                    if word:
                        reason = word
                        break
        except KeyboardInterrupt:
            if not trees:
                raise
            reason = "interrupted"
            scores = start + _sum(trees[: len(history)], columns)
    names = history[0] if history else ("iteration", "objective", "seconds")
    found = {name: np.array([entry[name] for entry in history]) for name in names}
    return Boosted(trees[: len(history)], scores, found, reason)


def _weight_unit(loss, y, w):
    """The unit of weights: of their own, or of their products with targets where gradients are of the size of these."""
    unit = safe_unit(w)
    return safe_unit(w, y) if unit.is_one and loss.targets == "count" else unit


def _sum(rounds, columns):
    """Σ of all rounds at all rows, one column for each score."""
    X = columns.values(np.arange(columns.n_samples))
    return np.sum([[tree.predict(X)[:, 0] for tree in trees] for trees in rounds], axis=0).T


class _Draws:
    """What round `turn` draws: rows, then a seed for each tree. To make a generator takes as long as a small node."""

    def __init__(self, seed, turn):
        self._entropy = [seed, turn]

    @cached_property
    def _rng(self):
        return np.random.default_rng(self._entropy)

    def rows(self, rows, subsample):
        """The rows from which the trees grow."""
        if subsample >= 1.0:
            return rows
        return np.sort(self._rng.choice(rows, max(1, int(subsample * len(rows))), replace=False))

    def seeds(self, growers):
        """A seed for each grower; zeros where these draw nothing."""
        if not growers[0].draws:
            return [0] * len(growers)
        return self._rng.integers(0, 2**63, len(growers)).tolist()


def _bag_losses(loss, y, scores, w, rows, subsample):
    """Mean losses of the rows drawn and of the others; nothing where all are drawn."""
    if subsample >= 1.0:
        return {}
    out = np.setdiff1d(np.arange(len(y)), rows)
    return {name: mean_loss(loss, y[part], scores[part], w[part]) for name, part in (("in_bag", rows), ("oob", out))}


class _Slopes:
    """Gradients and curvatures of all rows, times weights, at their scores; computed anew after every round.

    Rows are divided among threads.
    """

    def __init__(self, y, scores, w, run):
        self.y, self.scores, self.w, self.run = y, scores, w, run
        self.rows, self.total = rows_of(w), max(float(np.sum(w)), np.finfo(float).tiny)
        self.gradient, self.curvature = np.empty(scores.shape, order="F"), np.empty(scores.shape, order="F")
        arrays = y, scores[:, 0], w, self.gradient[:, 0], self.curvature[:, 0], np.empty(len(w))
        parts = split_rows(len(w), max(1, len(w) // ROWS_PER_PIECE))
        self._pieces = [[values[part] for values in arrays] for part in parts]

    def take(self, loss):
        """Compute the gradients and curvatures of a loss; return its mean."""
        self.loss = loss
        z, curved = flat_scores(self.scores), has_curvature(loss)
        if z.ndim > 1 or not curved or loss.record is None:
            self._take_plainly(loss, z, curved)
            return mean_loss(loss, self.y, self.scores, self.w)
        noun = compiled(loss)
        return float(sum(self.run(lambda rows: _gradients_and_curvatures(noun, *rows), self._pieces)) / self.total)

    def _take_plainly(self, loss, z, curved):
        shape, y, w = self.scores.shape, self.y, self.w[:, None]
        # At a kink the left derivative: a row whose residual is zero must still count.
        at = z if loss.best_shift is None else np.where(z == y, np.nextafter(z, -np.inf), z)
        self.gradient[:] = w * np.reshape(loss.gradient(y, at), shape)
        self.curvature[:] = w * (np.reshape(loss.curvature(y, z), shape) if curved else 1.0)


@jit_no_alloc
def _gradients_and_curvatures(loss, y, z, w, gradient, curvature, values):
    # Without a running sum the loop vectorizes.
    for i in range(len(y)):
        value, first, second = loss.value_gradient_curvature(y[i], z[i])
        values[i] = w[i] * value
        gradient[i] = w[i] * first
        curvature[i] = w[i] * second
    return sum_of(values)


def _round(columns, slopes, growers, plan, draws):
    """One tree for each score, added to the scores; its entry in the history, the trees, and the rows they grew from.

    Gradients are then computed at the new scores.
    """
    y, scores, w, loss = slopes.y, slopes.scores, slopes.w, slopes.loss
    if plan.adapt is not None:
        loss = plan.adapt(y, flat_scores(scores), w)
        slopes.take(loss)
    rows = draws.rows(slopes.rows, plan.subsample)
    before = _bag_losses(loss, y, scores, w, rows, plan.subsample)
    seeds = draws.seeds(growers)

    def work(k):
        g, h = slopes.gradient[:, k], slopes.curvature[:, k]
        tree, parts = _grown(growers[k], g, w, rows, plan, seeds[k])
        residuals = y - scores[:, k] if loss.best_shift else None
        return _stepped(tree, parts, g, h, residuals, w, loss, plan), parts

    grown = slopes.run(work, range(plan.n_scores))
    for k, (tree, parts) in enumerate(grown):
        add_answers(tree, parts, columns, scores[:, k])
    objective = slopes.take(loss)
    after = _bag_losses(loss, y, scores, w, rows, plan.subsample)
    bags = {"in_bag": after["in_bag"], "oob_before": before["oob"], "oob": after["oob"]} if after else {}
    return {"objective": objective, **bags}, [tree for tree, _ in grown], rows


def _grower(columns, slopes, plan, k, joint=None):
    """Grows the trees of score k, by Newton's gain or by another criterion on the negative gradient."""
    # Threads grow one tree each where a round has several, else they share the columns of one.
    run = slopes.run if plan.n_scores == 1 else None
    more = {"most_rows": len(slopes.rows), "run": run, "joint": joint, **plan.growth}
    if plan.criterion is not None:
        return Grower(columns, np.empty(len(slopes.y)), plan.criterion, slopes.w, **more)
    g, h = slopes.gradient[:, k], slopes.curvature[:, k]
    return Grower(columns, g, Newton(float(plan.lam)), h, min_impurity=-np.inf, **more)


def _grown(grower, g, w, rows, plan, seed):
    """A tree, and where its rows are."""
    if plan.criterion is None:
        return grower.grow(rows, seed)
    np.divide(-g, np.where(w > 0.0, w, 1.0), out=grower.y)
    # Equal gradients are pure, though their computed variance may exceed zero by rounding.
    tree, parts = grower.grow(rows, seed, purest=PURE_SHARE * float(np.average(grower.y**2, weights=w)))
    if plan.ccp_alpha <= 0.0:
        return tree, parts
    tree = prune_tree(tree, plan.ccp_alpha)
    return tree, _placed(tree, rows, grower.columns)


def _placed(tree, rows, columns):
    """The parts of rows in a tree that was pruned: in preorder those of a subtree are neighbours."""
    leaf = tree.apply(columns.values(rows))
    order = np.argsort(leaf, kind="stable")
    start, stop = (np.searchsorted(leaf[order], node) for node in (np.arange(tree.node_count), tree.ends))
    return NodeRows(rows[order], start, stop)


def _stepped(tree, parts, g, h, residuals, w, loss, plan):
    """The tree with the step of each leaf, times the learning rate, as its answers."""
    monotone = plan.growth.get("monotone")
    if loss.best_shift is not None:
        nodes = np.flatnonzero(tree.is_leaf) if monotone is None else np.arange(tree.node_count)
        values = shift_values(nodes, parts, loss, residuals, w, plan.between)
    elif plan.criterion is not None:
        values = newton_values(tree, parts, g, h, float(plan.lam))
    else:
        # Without a split that gains anything, the scores stay as they are.
        values = tree.answers[:, 0] if tree.node_count > 1 else np.zeros(1)
    values = values if monotone is None else bounded(tree, values, monotone)
    return tree.with_answers((plan.learning_rate * plan.leaf_factor * values)[:, None])
