"""Classes that follow known rules: an OR of ANDs, and a diagonal line.

    y = 1[ some term holds ],  a term = l₁ and … and l_k,  each l a column or its negation                         (1)
    y = 1[ x₁ + x₂ > c ]                                                                                           (2)

A tree represents (1) with one path per term, but needs ever more steps to approximate (2), where one weighted sum
suffices. Valiant (1984), A theory of the learnable, doi:10.1145/1968.1972, on (1); Murthy, Kasif & Salzberg (1994),
arXiv:cs/9408103, on (2).
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np

from gnomon._typing import Floats, Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer, check_interval, check_non_negative

__all__ = ["make_diagonal", "make_dnf"]


@overload
def make_dnf(
    n_samples: int = ...,
    n_features: int = ...,
    *,
    n_terms: int = ...,
    n_literals: int = ...,
    flip: float = ...,
    random_state: RandomState = ...,
    return_terms: Literal[False] = ...,
) -> tuple[Floats, Integers]: ...


@overload
def make_dnf(
    n_samples: int = ...,
    n_features: int = ...,
    *,
    n_terms: int = ...,
    n_literals: int = ...,
    flip: float = ...,
    random_state: RandomState = ...,
    return_terms: Literal[True],
) -> tuple[Floats, Integers, list[dict[int, int]]]: ...


def make_dnf(
    n_samples: int = 500,
    n_features: int = 8,
    *,
    n_terms: int = 3,
    n_literals: int = 3,
    flip: float = 0.0,
    random_state: RandomState = None,
    return_terms: bool = False,
) -> tuple[Floats, Integers] | tuple[Floats, Integers, list[dict[int, int]]]:
    """Bits, and whether a random formula in disjunctive normal form holds for them, equation (1).

    Parameters
    ----------
    n_samples : int, default=500
        Rows of bits, each one with probability one half.
    n_features : int, default=8
        Columns; those that no term mentions are irrelevant.
    n_terms : int, default=3
        Terms joined by OR, all different.
    n_literals : int, default=3
        Columns that a term mentions, at most `n_features`.
    flip : float in [0, 1], default=0.0
        Probability that a label is the wrong one.
    random_state : int, Generator, RandomState or None, default=None
        Seed.
    return_terms : bool, default=False
        Also return the formula.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    y : ndarray of shape (n_samples,)
    terms : list of dict
        The formula, only with ``return_terms=True``: for each term the columns it mentions and the value (0 or 1) that
        they must have.

    References
    ----------
    Valiant, L. G. (1984). A theory of the learnable. doi:10.1145/1968.1972

    Examples
    --------
    >>> from gnomon.datasets import make_dnf
    >>> X, y, terms = make_dnf(n_terms=2, n_literals=2, random_state=0, return_terms=True)
    >>> terms
    [{5: 0, 7: 0}, {0: 0, 7: 1}]
    >>> by_hand = (X[:, 5] == 0) & (X[:, 7] == 0) | (X[:, 0] == 0) & (X[:, 7] == 1)
    >>> bool((by_hand == y).all())
    True
    """
    n, p = check_integer("n_samples", n_samples, 1), check_integer("n_features", n_features, 1)
    k, wanted = check_integer("n_literals", n_literals, 1, p), check_integer("n_terms", n_terms, 1)
    check_interval("flip", flip, 0, 1)
    rng = check_rng(random_state)
    terms = _terms(p, k, wanted, rng)
    X = rng.integers(0, 2, (n, p)).astype(float)
    y = np.any([np.all(X[:, list(term)] == list(term.values()), axis=1) for term in terms], axis=0)
    y = (y != (rng.uniform(size=n) < flip)).astype(np.int64)
    return (X, y, terms) if return_terms else (X, y)


def make_diagonal(
    n_samples: int = 200,
    *,
    threshold: float = 1.0,
    margin: float = 0.0,
    flip: float = 0.0,
    n_irrelevant: int = 0,
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Points of the unit square on either side of a diagonal line, equation (2).

    Parameters
    ----------
    n_samples : int, default=200
        Rows, the first two columns uniform on [0, 1]².
    threshold : float in [0, 2], default=1.0
        c.
    margin : float, default=0.0
        Points nearer to the line, |x₁ + x₂ − c| < margin, are drawn again.
    flip : float in [0, 1], default=0.0
        Probability that a label is the wrong one.
    n_irrelevant : int, default=0
        Further columns, uniform on [0, 1].
    random_state : int, Generator, RandomState or None, default=None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_irrelevant)
    y : ndarray of shape (n_samples,)

    References
    ----------
    Murthy, S. K., Kasif, S. & Salzberg, S. (1994). A system for induction of oblique decision trees. arXiv:cs/9408103

    Examples
    --------
    >>> from gnomon.datasets import make_diagonal
    >>> X, y = make_diagonal(random_state=0)
    >>> bool(((X[:, 0] + X[:, 1] > 1) == y).all())
    True
    """
    n, extra = check_integer("n_samples", n_samples, 1), check_integer("n_irrelevant", n_irrelevant, 0)
    c, gap = check_interval("threshold", threshold, 0, 2), check_non_negative("margin", margin)
    most = 0.9 * max(c, 2.0 - c)
    if gap > most:
        raise ValueError(f"margin={margin!r} leaves hardly a point of the unit square; give one up to {most:g}")
    check_interval("flip", flip, 0, 1)
    rng = check_rng(random_state)
    X = rng.uniform(size=(n, 2))
    while np.any(near := np.abs(np.sum(X, axis=1) - c) < gap):
        X[near] = rng.uniform(size=(np.sum(near), 2))
    y = (np.sum(X, axis=1) > c) != (rng.uniform(size=n) < flip)
    return np.column_stack([X, rng.uniform(size=(n, extra))]), y.astype(np.int64)


def _terms(p: int, k: int, wanted: int, rng: np.random.Generator) -> list[dict[int, int]]:
    """Different terms of k literals over p columns, as dicts from column to value."""
    terms = []
    for _ in range(1000 * wanted):
        columns = np.sort(rng.choice(p, k, replace=False)).tolist()
        term = dict(zip(columns, rng.integers(0, 2, k).tolist(), strict=True))
        if term not in terms:
            terms.append(term)
        if len(terms) == wanted:
            return terms
    raise ValueError(
        f"n_terms={wanted} is more than there are of n_literals={k} over n_features={p}, or nearly all; ask for fewer"
    )
