"""From the words of the perceptron to runs of it, one for each class against the rest or one for all.

    seed of the dataset, seed of the permutations  ←  two draws from the random state                         (1)

The visits are those of scikit-learn's stochastic gradient descent: a Fisher–Yates shuffle of the last order with
Marsaglia's (2003) 32-bit xorshift generator, doi:10.18637/jss.v008.i14, seeded alike in every pass, and for sparse rows
an intercept that learns a hundred times more slowly than the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsmr
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight

from gnomon._jit import jit_no_alloc
from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, Matrix
from gnomon.base.callbacks import Tasks
from gnomon.linear._report import log_row
from gnomon.linear._runs import report_mistakes, unpack
from gnomon.numerics.design import Design
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_choice
from gnomon.optim import SELECTIONS, Patience, Solution, perceptron

if TYPE_CHECKING:
    from gnomon.linear.perceptron import Perceptron

__all__ = ["Examples", "Mode", "MultiClass", "PenaltyWord", "Start", "StartWord", "fit_perceptron", "start_of"]

StartWord: TypeAlias = Literal["zeros", "random", "linear_regression"]
PenaltyWord: TypeAlias = Literal[None, "l2", "l1", "elasticnet"]
Mode: TypeAlias = Literal["online", "batch"]
MultiClass: TypeAlias = Literal["ovr", "joint"]
Start: TypeAlias = tuple[ArrayLike | None, ArrayLike | None]
"""Coefficients and intercepts to start from, where they are known."""

LARGEST = np.iinfo(np.int32).max
SLOW_INTERCEPT = 0.01
"""Share of a step that b takes beside sparse rows."""


class Examples(NamedTuple):
    """X, the index of the class of every row, and sample weights."""

    X: Matrix
    class_index: Integers
    weights: Floats


def fit_perceptron(
    model: Perceptron,
    examples: Examples,
    start: Start,
    max_iter: int,
    rng: np.random.RandomState,
    told: Tasks,
) -> None:
    """Run the perceptron and set the attributes of the model."""
    _check(model)
    K, index = len(model.classes_), examples.class_index
    held_out = _held_out(model, examples)
    prices = compute_class_weight(model.class_weight, classes=model.classes_, y=model.classes_[index])
    design = Design(examples.X, "free" if model.fit_intercept else "none")
    joint = model.multi_class == "joint" and K > 2
    problems = [(index, prices[index])] if joint else list(_against_rest(index, K, prices))
    seeds = [rng] if len(problems) == 1 else rng.randint(LARGEST, size=K)
    # Starts may draw from the one random state, so they are made in order, before the threads.
    starts = [start_of(model, design, target, K if joint else 1, start, k) for k, (target, _) in enumerate(problems)]

    def run(task: tuple[tuple[Array, Floats], Any, Floats]) -> Solution[Floats]:
        (target, price), seed, theta = task
        options = _options(model, design, target, examples.weights, held_out, check_random_state(seed), max_iter)
        callback = told.rows(log_row if model.verbose else None)
        return perceptron(design, target, examples.weights * price, theta, callback=callback, **options)

    solutions = map_chunks(run, zip(problems, seeds, starts, strict=True), model.n_jobs)
    report_mistakes(model, solutions)
    model.coef_, model.intercept_ = unpack(design, np.vstack([solution.w for solution in solutions]))
    if K == 2:
        # As in scikit-learn, the one intercept of two classes is double.
        model.intercept_ = model.intercept_.astype(float)
    model.t_ += float(model.n_iter_ * design.n)


def _check(model: Perceptron) -> None:
    plain = model.mode == "online" and model.multi_class == "ovr" and model.selection in (None, *SELECTIONS[:3])
    if model.penalty is not None and not plain:
        raise ValueError(
            f"penalty={model.penalty!r} goes with mode='online', multi_class='ovr' and a selection that visits every "
            "row; set penalty=None"
        )


def _against_rest(index: Integers, K: int, prices: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Signs and prices: of two classes as they are, of more with the price of the positive class only."""
    if K == 2:
        yield np.where(index == 1, 1.0, -1.0), prices[index]
        return
    for k in range(K):
        yield np.where(index == k, 1.0, -1.0), np.where(index == k, prices[k], 1.0)


def _held_out(model: Perceptron, examples: Examples) -> Bools:
    """Rows kept for validation."""
    mask = np.zeros(examples.X.shape[0], dtype=bool)
    if model.early_stopping:
        split = StratifiedShuffleSplit(test_size=model.validation_fraction, random_state=model.random_state)
        mask[next(split.split(np.zeros((len(mask), 1)), examples.class_index))[1]] = True
        if not np.any(examples.weights[mask] > 0):
            raise ValueError("the held-out rows have no positive sample_weight; change random_state")
    return mask


def _options(
    model: Perceptron,
    design: Design,
    target: Array,
    weights: Floats,
    held_out: Bools,
    rng: np.random.RandomState,
    max_iter: int,
) -> dict[str, Any]:
    rng.randint(1, LARGEST)
    seed = rng.randint(LARGEST)
    namesake = model.selection is None
    return {
        "eta": float(model.eta0),
        "intercept_rate": SLOW_INTERCEPT if namesake and design.sparse else 1.0,
        "selection": _orders(design.n, held_out, seed if model.shuffle else None) if namesake else model.selection,
        "mode": model.mode,
        "pocket": model.pocket,
        "decay": _decay(model),
        "patience": _patience(model, design, target, weights, held_out),
        "max_iter": max_iter,
        "random_state": rng,
    }


def _decay(model: Perceptron) -> tuple[float, float] | None:
    if model.penalty is None:
        return None
    l1 = {"l2": 0.0, "l1": 1.0, "elasticnet": model.l1_ratio}[model.penalty]
    return (1.0 - l1) * model.eta0 * model.alpha, l1 * model.eta0 * model.alpha


def _patience(model: Perceptron, design: Design, target: Array, weights: Floats, held_out: Bools) -> Patience | None:
    if model.tol is None:
        return None
    score = _held_out_score(design, target, weights, held_out) if model.early_stopping else None
    return Patience(model.tol, model.n_iter_no_change, score)


def _held_out_score(design: Design, target: Array, weights: Floats, held_out: Bools) -> Callable[[Floats], float]:
    """Minus the accuracy on the rows kept for validation."""
    part, signs = Design(design.X[held_out], design.intercept), target[held_out]

    def score(theta: Floats) -> float:
        right = np.where(part.apply(theta)[:, 0] > 0.0, 1.0, -1.0) == signs
        return -float(np.average(right, weights=weights[held_out]))

    return score


def _orders(n: int, held_out: Bools, seed: int | None) -> Iterator[Integers]:
    """The visits of every pass, as scikit-learn makes them; None for a seed keeps the order."""
    order = np.arange(n)
    while True:
        if seed is not None:
            _shuffle(order, np.uint32(seed))
        yield order[~held_out[order]]


def start_of(model: Perceptron, design: Design, target: Array, n_scores: int, start: Start, k: int) -> Floats:
    """The weights to start from, of shape (n_scores, width)."""
    coef, intercept = start
    words: dict[object, Callable[..., Floats]] = {
        "zeros": _zeros,
        "random": _random,
        "linear_regression": _least_squares,
    }
    theta = np.zeros((n_scores, design.width))
    if coef is not None:
        theta[:, : design.d] = _rows_of("coef_init", coef, model, n_scores, k, design.d)
    elif np.ndim(model.init) == 0:
        check_choice("init", model.init, tuple(words))
        theta = words[model.init](model, design, target, n_scores)
    else:
        W = _rows_of("init", model.init, model, n_scores, k, design.d, design.d + 1)[:, : design.width]
        theta[:, : W.shape[1]] = W
    if intercept is not None and design.intercept != "none":
        theta[:, design.d] = _rows_of("intercept_init", np.reshape(intercept, (-1, 1)), model, n_scores, k, 1)[:, 0]
    return theta


def _rows_of(name: str, values: Any, model: Perceptron, n_scores: int, k: int, *widths: int) -> Floats:
    """Rows k … of a table with a row for each score of the model, or with one row for all of them."""
    W = np.atleast_2d(np.asarray(values, dtype=float))
    total = len(model.classes_) if len(model.classes_) > 2 else 1
    if W.ndim != 2 or len(W) not in (1, total) or W.shape[1] not in widths or not np.all(np.isfinite(W)):
        shapes = " or ".join(f"({total}, {width})" for width in widths)
        raise ValueError(f"{name} of shape {np.shape(values)} must be finite and of shape {shapes}, or one such row")
    return W if len(W) in (1, n_scores) else W[k : k + 1]


def _zeros(model: Perceptron, design: Design, target: Array, n_scores: int) -> Floats:
    return np.zeros((n_scores, design.width))


def _random(model: Perceptron, design: Design, target: Array, n_scores: int) -> Floats:
    return check_random_state(model.random_state).standard_normal((n_scores, design.width))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _least_squares(model: Perceptron, design: Design, target: Array, n_scores: int) -> Floats:
    """The minimum-norm least-squares fit to signs, class by class."""
    shape = (design.n, design.width)
    forward, back = (lambda v: design.apply(np.ravel(v))), (lambda g: design.adjoint(np.ravel(g)))
    A = LinearOperator(shape, matvec=forward, rmatvec=back, dtype=float)
    signs = [target] if n_scores == 1 else [np.where(target == k, 1.0, -1.0) for k in range(n_scores)]
    return np.array([lsmr(A, t, atol=1e-14, btol=1e-14, maxiter=10 * max(shape))[0] for t in signs])


@jit_no_alloc
def _shuffle(order: Integers, seed: np.uint32) -> None:
    n = order.shape[0]
    x = seed if seed != np.uint32(0) else np.uint32(1)
    for i in range(n - 1):
        x ^= np.uint32(x << np.uint32(13))
        x ^= np.uint32(x >> np.uint32(17))
        x ^= np.uint32(x << np.uint32(5))
        j = i + np.int64(x % np.uint32(2147483648)) % (n - i)
        order[i], order[j] = order[j], order[i]
