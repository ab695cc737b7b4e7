"""The laws of a split criterion.

    worth(c) = −n_c H(c),  n_c = Σ w,  whichever groups c was joined from                                        (1)
    H ≥ 0,  and a weight of k is the row k times                          if it is an impurity                   (2)
    worth(A ∪ B) ≤ worth(A)                                               if its worth is monotone               (3)
    gains of y − c = gains of y,  answers less c                          if it is centred                       (4)
    worth = −c Σ w ρ_α(y − q_α)                                           if it is a pinball loss                (5)
    H of c·y = c^k H of y,  answers times c                               if its degree is k                     (6)
    H of equal targets = 0, without rounding                              if it says exact_zero                  (7)

Sums, merits and kernels have laws of their own: `_criterion_sums`. Breiman et al. (1984), Classification and Regression
Trees, doi:10.1201/9781315139470.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.search import Criterion, SumCriterion
from gnomon.testing._criterion_sums import check_sums, check_width
from gnomon.testing._law import require, require_close
from gnomon.testing._target_rows import TargetRows, example_rows

__all__ = ["check_criterion"]

TRIALS = 150


def check_criterion(
    criterion: Criterion,
    *,
    impurity: Callable[[Array, Floats], float] | None = None,
    y: ArrayLike | None = None,
    tol: float = 1e-9,
) -> None:
    """Hold a criterion to its laws (1)–(7), those of its sums, and every trait that it declares.

    Parameters
    ----------
    criterion : Criterion
        Any criterion, built in or a user's own.
    impurity : callable (y, w) → float, optional
        H of the rows with these targets, of shape (n,) or (n, n_outputs), and weights, by its definition. Without it,
        nothing but the criterion itself says what H is.
    y : array-like of shape (n,) or (n, n_outputs), optional
        Targets to draw groups from, a dozen rows or more; by default random ones as ``criterion.targets`` says.
    tol : float, default=1e-9
        Largest error, relative to max(1, |expected|).

    Raises
    ------
    AssertionError
        With a sentence that names the law, the rows and the numbers.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.search import CountsCriterion, Gini
    >>> from gnomon.testing import check_criterion
    >>> import numpy as np
    >>> check_criterion(Gini(3), impurity=lambda y, w: 1.0 - np.sum((np.bincount(y, w) / np.sum(w)) ** 2))
    >>> class Squared(CountsCriterion):
    ...     monotone_worth = True
    >>> check_criterion(Squared(2, lambda n: (n[0] * n[1] / np.sum(n) ** 2) ** 2))
    Traceback (most recent call last):
    ...
    AssertionError: law broken: monotone_worth: no rows make a group worth more; ...
    """
    rows = example_rows(criterion, y)
    require(
        criterion.additive == isinstance(criterion, SumCriterion),
        "additive: a criterion with sums is a SumCriterion",
        f"{criterion!r} says additive={criterion.additive}",
    )
    if isinstance(criterion, SumCriterion):
        check_width(criterion)
    _check_worth(criterion, rows, impurity, tol)
    _check_unions(criterion, rows, tol)
    if criterion.is_impurity:
        _check_impurity(criterion, rows, tol)
    if criterion.monotone_worth:
        _check_monotone(criterion, rows, tol)
    if criterion.centred:
        _check_centred(criterion, rows, tol)
    if criterion.pinball is not None:
        _check_pinball(criterion, rows, tol)
    if criterion.degree is not None:
        _check_degree(criterion, criterion.degree, rows, tol)
    if criterion.exact_zero:
        _check_exact_zero(criterion, rows)
    if isinstance(criterion, SumCriterion):
        check_sums(criterion, rows, tol)


def _worth(criterion: Criterion, rows: TargetRows, which: Array) -> float:
    """The worth of a group, 0 of an empty one."""
    return float(rows.together(criterion, which).each().worth[0]) if len(which) else 0.0


def _pairs(rows: TargetRows, seed: int) -> Iterator[tuple[Array, Array]]:
    """Disjoint groups of few rows and of many; now and then the first is empty."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIALS):
        some = rng.permutation(len(rows.w))[: rng.integers(1, rng.choice([4, 10, len(rows.w)]) + 1)]
        cut = rng.integers(0, len(some))
        yield some[:cut], some[cut:]


def _check_worth(
    criterion: Criterion, rows: TargetRows, impurity: Callable[[Array, Floats], float] | None, tol: float
) -> None:
    for _, which in _pairs(rows, 0):
        part, where = rows.together(criterion, which).each(), rows.describe(which)
        require_close("the weight of a group is the sum of w", part.mass, np.sum(rows.w[which]), tol=tol, where=where)
        require_close("a group has as many rows as there are", part.count, len(which), tol=tol, where=where)
        require(not np.isnan(part.worth[0]), "the worth of a group is a number", f"at {where} it is nan")
        if impurity is not None:
            expected = -float(np.sum(rows.w[which])) * impurity(rows.targets[which], rows.w[which])
            require_close("worth = −n H", part.worth, expected, tol=tol, where=where)


def _check_unions(criterion: Criterion, rows: TargetRows, tol: float) -> None:
    k, rng = 5, np.random.default_rng(1)
    group = rng.permutation(np.arange(len(rows.w)) % k)
    found = criterion.groups(rows.flat, rows.w, group, k)
    order = np.asarray(found.order())
    require(sorted(order.tolist()) == list(range(k)), "order has every group once", f"it is {order.tolist()}")
    member = rng.random((8, k)) < 0.5
    member[:, 0] |= ~np.any(member, axis=1)
    for name, parts, sets in (
        ("each", found.each(), np.eye(k, dtype=bool)),
        ("prefixes", found.prefixes(order), np.argsort(order) <= np.arange(k)[:, None]),
        ("unions", found.unions(member), member),
    ):
        for c, chosen in enumerate(sets):
            alone = rows.together(criterion, np.flatnonzero(chosen[group])).each()
            for what in ("worth", "count", "mass"):
                law = f"groups: the {what} of a union, by {name}, is that of its rows"
                where = f"groups {np.flatnonzero(chosen).tolist()} of {k}"
                require_close(law, getattr(parts, what)[c], getattr(alone, what)[0], tol=tol, where=where)
    for g in range(k):
        alone = rows.together(criterion, np.flatnonzero(group == g)).answers[0]
        require_close("groups: an answer is that of its rows", found.answers[g], alone, tol=tol, where=f"group {g}")


def _check_impurity(criterion: Criterion, rows: TargetRows, tol: float) -> None:
    weights = np.random.default_rng(2).integers(1, 4, len(rows.w))
    weighted = rows._replace(w=weights.astype(float))
    repeated = rows._replace(targets=np.repeat(rows.targets, weights, axis=0), w=np.ones(np.sum(weights)))
    starts = np.concatenate([[0], np.cumsum(weights)])
    for _, which in _pairs(rows, 3):
        worth, where = _worth(criterion, rows, which), rows.describe(which)
        require(worth <= tol, "is_impurity: H ≥ 0, so no worth is positive", f"at {where} it is {worth}")
        copies = np.concatenate([np.arange(starts[i], starts[i + 1]) for i in which])
        one, other = weighted.together(criterion, which), repeated.together(criterion, copies)
        for what, found, expected in (
            ("worth", one.each().worth, other.each().worth),
            ("answer", one.answers, other.answers),
        ):
            law = f"is_impurity: a weight of k is the row k times ({what})"
            require_close(law, found, expected, tol=tol, where=weighted.describe(which))


def _check_monotone(criterion: Criterion, rows: TargetRows, tol: float) -> None:
    for before, more in _pairs(rows, 4):
        without = _worth(criterion, rows, before)
        together = _worth(criterion, rows, np.concatenate([before, more]))
        detail = f"{rows.describe(before)} is worth {without}, with {rows.describe(more)} {together}"
        # A group that no split may make can be part of a better one.
        holds = without == -np.inf or together <= without + tol * max(1.0, abs(without))
        require(holds, "monotone_worth: no rows make a group worth more", detail)


def _check_centred(criterion: Criterion, rows: TargetRows, tol: float) -> None:
    c = 1.7
    moved = rows._replace(targets=rows.targets - c)
    for a, b in _pairs(rows, 5):
        both, where = np.concatenate([a, b]), f"{rows.describe(a)} and {rows.describe(b)}"
        worths = np.array([[_worth(criterion, table, some) for some in (a, b, both)] for table in (rows, moved)])
        # A split that is not allowed has no gain.
        if np.all(np.isfinite(worths[0])):
            here, there = worths @ [1.0, 1.0, -1.0]
            require_close("centred: y − c has the gains of y", there, here, tol=tol, where=where)
        answers, others = (table.together(criterion, both).answers for table in (rows, moved))
        require_close("centred: y − c has the answers less c", others, answers - c, tol=tol, where=where)


def _check_pinball(criterion: Criterion, rows: TargetRows, tol: float) -> None:
    assert criterion.pinball is not None
    alpha, factor = criterion.pinball
    for _, which in _pairs(rows, 6):
        y, w = rows.targets[which].reshape(len(which), -1), rows.w[which]
        # The loss has a minimum at one of the targets.
        r = y[:, None, :] - y[None, :, :]
        losses = np.sum(w[:, None, None] * np.maximum(alpha * r, (alpha - 1.0) * r), axis=0)
        expected = -factor * float(np.mean(np.min(losses, axis=0)))
        law = "pinball: worth = −c Σ w ρ(y − q), q the α-quantile"
        require_close(law, _worth(criterion, rows, which), expected, tol=tol, where=rows.describe(which))


def _check_degree(criterion: Criterion, degree: int, rows: TargetRows, tol: float) -> None:
    require(not criterion.classes, "degree: the index of a class has no unit", f"{criterion!r} says degree={degree}")
    for c in (0.3, 7.0):
        scaled = rows._replace(targets=c * rows.targets)
        for _, which in _pairs(rows, 7):
            where = f"c={c}, {rows.describe(which)}"
            worth, other = (_worth(criterion, table, which) for table in (rows, scaled))
            require_close(f"degree: c·y has H times c^{degree}", other / c**degree, worth, tol=tol, where=where)
            answers, others = (table.together(criterion, which).answers for table in (rows, scaled))
            require_close("degree: c·y has the answers times c", others / c, answers, tol=tol, where=where)


def _check_exact_zero(criterion: Criterion, rows: TargetRows) -> None:
    rng = np.random.default_rng(8)
    # Thirds are not exact in binary, as whole numbers and their squares would be.
    targets = rows.targets if criterion.classes else rows.targets / 3.0
    forms = (criterion, criterion.fixed_width()) if isinstance(criterion, SumCriterion) else (criterion,)
    for form, target, m in itertools.product(forms, targets, (1, 2, 3, 10, 100)):
        equal = TargetRows(np.repeat(target[None], m, axis=0), rng.uniform(0.5, 3.0, m))
        worth = _worth(form, equal, np.arange(m))
        # A group that no split may make has no impurity.
        holds = worth in (0.0, -np.inf)
        detail = f"{m} rows of y={target.tolist()} are worth {worth}"
        require(holds, "exact_zero: H of equal targets is computed as zero", detail)
