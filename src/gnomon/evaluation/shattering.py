"""How many labellings a class of functions can give to points.

    Π(X) = |{(sign f(x₁), …, sign f(x_N)) : f ∈ F}|,    X is shattered if  Π(X) = 2^N                                (1)
    affine functions on R^D, general position:  Π = 2 Σ_{k=0}^{D} C(N − 1, k)                                        (2)
    any class of VC dimension h:  Π ≤ Σ_{k=0}^{h} C(N, k)                                                            (3)
    R ≤ R̂ + √((h (ln(2N/h) + 1) + ln(4/δ)) / N)  with probability 1 − δ                                              (4)

(2): Cover (1965), doi:10.1109/PGEC.1965.264137. (3): Sauer (1972), doi:10.1016/0097-3165(72)90019-2. (4): Vapnik
(1998), Statistical Learning Theory, section 4.3, ISBN 978-0-471-03003-4.
"""

from __future__ import annotations

from itertools import product
from math import comb, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.validation import check_integer, check_interval, check_positive
from gnomon.optim import is_separable

__all__ = ["Dichotomies", "growth_function", "is_shattered", "n_dichotomies", "vc_bound", "vc_dimension"]

_MOST_POINTS = 12
"""All 2^N labellings are tried."""


class Dichotomies(NamedTuple):
    """The labellings that a class can give to N points.

    Fields
    ------
    number : int
        Π(X).
    labellings : ndarray of shape (number, N)
        Of −1 and +1.
    first_failure : ndarray of shape (N,) or None
        The first labelling that it cannot give, in the order of binary numbers; None if X is shattered.

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities with applications in
    pattern recognition. doi:10.1109/PGEC.1965.264137

    Examples
    --------
    >>> from gnomon.evaluation import n_dichotomies
    >>> found = n_dichotomies([[0.0], [1.0], [2.0]])
    >>> found.number, found.first_failure.tolist(), found.shattered
    (6, [-1, 1, -1], False)
    """

    number: int
    labellings: Integers
    first_failure: Integers | None

    @property
    def shattered(self) -> bool:
        """Whether every labelling can be given."""
        return self.first_failure is None

    def suprema(self, X: Floats, signs: Floats) -> Floats:
        """max_f (1/N) Σ σᵢ f(xᵢ) for every row σ of `signs`."""
        return np.max(signs @ self.labellings.T, axis=1) / signs.shape[1]


def n_dichotomies(X: ArrayLike, estimator: BaseEstimator | None = None, *, fit_intercept: bool = True) -> Dichotomies:
    """Π(X) of equation (1), by trying all 2^N labellings.

    Parameters
    ----------
    X : array-like of shape (N, D)
        At most 12 points.
    estimator : classifier, optional
        A labelling counts if it is predicted after a fit to it; one label for all counts always. By default the affine
        functions, by one linear programme for each labelling, exactly.
    fit_intercept : bool, default=True
        Whether the affine functions have an intercept; it belongs to an estimator otherwise.

    Returns
    -------
    Dichotomies

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities with applications in
    pattern recognition. doi:10.1109/PGEC.1965.264137

    Examples
    --------
    Lines in the plane give 14 of 16 labellings to the corners of a square; exclusive or is missing, twice:

    >>> from gnomon.evaluation import n_dichotomies
    >>> square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> n_dichotomies(square).number, n_dichotomies(square).first_failure.tolist()
    (14, [-1, 1, 1, -1])
    """
    rows = check_array(X, dtype=float)
    N = len(rows)
    if N > _MOST_POINTS:
        raise ValueError(f"X has {N} points, and all 2^{N} labellings would be tried; give at most {_MOST_POINTS}")
    if estimator is not None and not fit_intercept:
        raise ValueError("fit_intercept is for affine functions; set it on the estimator")
    every = np.array(list(product([-1, 1], repeat=N)))
    if estimator is None:
        # A labelling and its opposite stand or fall together.
        half = np.array([_is_affine(rows, signs, fit_intercept) for signs in every[: len(every) // 2]])
        given = np.concatenate([half, half[::-1]])
    else:
        given = np.array([_is_fitted(rows, signs, estimator) for signs in every])
    failures = every[~given]
    return Dichotomies(int(np.sum(given)), every[given], failures[0] if len(failures) else None)


def _is_affine(X: Floats, signs: Integers, fit_intercept: bool) -> bool:
    """Whether some w has σᵢ (xᵢ, 1)ᵀw > 0 for all i: the points σᵢ (xᵢ, 1) are separated from their opposites at 0."""
    Z = signs[:, None] * (np.column_stack([X, np.ones(len(X))]) if fit_intercept else X)
    return bool(is_separable(np.concatenate([Z, -Z]), np.repeat([1, 0], len(Z)), fit_intercept=False))


def _is_fitted(X: Floats, signs: Integers, estimator: Any) -> bool:
    constant = bool(np.all(signs == signs[0]))
    return constant or bool(np.all(clone(estimator).fit(X, signs).predict(X) == signs))


def is_shattered(X: ArrayLike, estimator: BaseEstimator | None = None, *, fit_intercept: bool = True) -> bool:
    """Whether every labelling of the points can be given: Π(X) = 2^N in (1).

    Parameters
    ----------
    X, estimator, fit_intercept
        As in `n_dichotomies`.

    References
    ----------
    Vapnik, V. N. & Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to their
    probabilities. doi:10.1137/1116025

    Examples
    --------
    >>> from gnomon.evaluation import is_shattered
    >>> is_shattered([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), is_shattered([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    (True, False)
    """
    return n_dichotomies(X, estimator, fit_intercept=fit_intercept).shattered


def vc_dimension(space: int | ArrayLike, *, fit_intercept: bool = True) -> int:
    """VC dimension of the affine functions: D + 1 on R^D, D without an intercept.

    Parameters
    ----------
    space : int or array-like of shape (n, D)
        The dimension D, or points: of functions on the affine subspace of dimension r that these span it is r + 1 (of
        the linear subspace, r without an intercept).
    fit_intercept : bool, default=True

    References
    ----------
    Vapnik, V. N. & Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to their
    probabilities. doi:10.1137/1116025

    Examples
    --------
    >>> from gnomon.evaluation import vc_dimension
    >>> vc_dimension(3), vc_dimension([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    (4, 2)
    """
    if np.ndim(space) == 0:
        return check_integer("space", space, 1) + bool(fit_intercept)
    X = check_array(space, dtype=float)
    # In units of each column, so that the rank is that of the geometry and not of the units.
    centred = X - np.mean(X, axis=0) if fit_intercept else X
    scale = np.max(np.abs(centred), axis=0)
    return int(np.linalg.matrix_rank(centred / np.where(scale > 0.0, scale, 1.0))) + bool(fit_intercept)


def growth_function(n: int, *, n_features: int | None = None, h: int | None = None, fit_intercept: bool = True) -> int:
    """The most labellings of n points: (2) for affine functions, or the bound (3) for a VC dimension.

    Parameters
    ----------
    n : int
        N.
    n_features : int, optional
        D, for (2).
    h : int, optional
        A VC dimension, for (3). One of the two is given.
    fit_intercept : bool, default=True
        In (2); without an intercept, D − 1 takes the place of D.

    References
    ----------
    Cover, T. M. (1965). doi:10.1109/PGEC.1965.264137

    Sauer, N. (1972). On the density of families of sets. doi:10.1016/0097-3165(72)90019-2

    Examples
    --------
    >>> from gnomon.evaluation import growth_function
    >>> growth_function(4, n_features=2), growth_function(4, h=3)
    (14, 15)
    """
    N = check_integer("n", n, 1)
    if (n_features is None) == (h is None):
        raise ValueError(f"n_features={n_features!r} and h={h!r}: give one of them")
    if h is not None:
        return sum(comb(N, k) for k in range(check_integer("h", h, 0) + 1))
    D = check_integer("n_features", n_features, 1) - (not fit_intercept)
    return 2 * sum(comb(N - 1, k) for k in range(D + 1))


def vc_bound(train_risk: float, n: int, h: float, delta: float = 0.05) -> float:
    """The bound (4) on the risk of whatever function of the class was chosen on n rows.

    Parameters
    ----------
    train_risk : float
        R̂, of the 0/1 loss.
    n : int
        N.
    h : float
        VC dimension.
    delta : float in (0, 1), default=0.05

    References
    ----------
    Vapnik, V. N. (1998). Statistical Learning Theory, section 4.3. ISBN 978-0-471-03003-4

    Examples
    --------
    >>> from gnomon.evaluation import vc_bound
    >>> round(vc_bound(0.0, 1000, 3), 6)
    0.163978
    """
    N, h = check_integer("n", n, 1), check_positive("h", h)
    check_interval("delta", delta, 0.0, 1.0, closed="neither")
    if h > 2 * N:
        raise ValueError(f"n={N} rows are fewer than h/2={h / 2:g}, and (4) says nothing; give more rows")
    return float(train_risk) + sqrt((h * (log(2.0 * N / h) + 1.0) + log(4.0 / delta)) / N)
