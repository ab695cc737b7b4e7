"""Multiplicative updates for β-divergences.

    D_β(X, Y) = Σ (X^β + (β − 1) Y^β − β X Y^{β−1}) / (β (β − 1)),    Y = W H
    W ← W ∘ (((Y^{β−2} ∘ X) Hᵀ) / (Y^{β−1} Hᵀ))^γ                                                 (1)

β = 2 is half the squared distance, β → 1 Kullback–Leibler, β → 0 Itakura–Saito. The exponent γ(β), one for 1 ≤ β ≤ 2,
keeps the divergence from rising. Févotte & Idier (2011), doi:10.1162/NECO_a_00168, table 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from gnomon._typing import Floats
from gnomon.optim._factorize import Factors, factor_unit
from gnomon.optim._follow import follow
from gnomon.optim.rules import Check
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import ObjectiveChange

__all__ = ["FactorPenalties", "beta_divergence", "multiplicative_updates"]

TINY = float(np.finfo(np.float32).eps)
"""The least denominator, and the least factor where a power of zero would be infinite."""


def beta_divergence(X: Any, W: Floats, H: Floats, beta: float) -> float:
    """D_β(X, W H).

    References
    ----------
    Févotte, C. & Idier, J. (2011). Algorithms for nonnegative matrix factorization with the beta-divergence.
    doi:10.1162/NECO_a_00168

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import beta_divergence
    >>> found = beta_divergence(np.array([[2.0]]), np.array([[1.0]]), np.array([[1.0]]), 1.0)
    >>> round(found - 2 * float(np.log(2.0)), 12)
    -1.0
    """
    unit = factor_unit(X)
    if unit != 1.0:
        root = np.sqrt(unit)
        return unit**beta * beta_divergence(X / X.dtype.type(unit), W / root, H / root, beta)
    if sparse.issparse(X) and beta == 1.0:
        X = X.tocoo()
        at = np.maximum(np.einsum("ij,ij->i", W[X.row], H.T[X.col]), TINY)
        return float(np.sum(xlogy(X.data, X.data / at) - X.data) + W.sum(axis=0) @ H.sum(axis=1))
    dense = X.toarray() if sparse.issparse(X) else X
    Y = W @ H
    if beta == 2.0:
        off = dense - Y
        return 0.5 * float(np.vdot(off, off))
    Y = np.maximum(Y, TINY)
    if beta == 1.0:
        return float(np.sum(xlogy(dense, dense / Y) - dense + Y))
    if beta == 0.0:
        ratio = dense / Y
        return float(np.sum(ratio - np.log(ratio)) - dense.size)
    power = np.sum(dense**beta) + (beta - 1.0) * np.sum(Y**beta) - beta * np.sum(dense * Y ** (beta - 1.0))
    return float(power / (beta * (beta - 1.0)))


class FactorPenalties(NamedTuple):
    """l1 ‖F‖₁ + ½ l2 ‖F‖² of both factors.

    Fields
    ------
    left_l1, left_l2, right_l1, right_l2 : float

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> from gnomon.optim import FactorPenalties
    >>> FactorPenalties(left_l1=0.5).right_l1
    0.0
    """

    left_l1: float = 0.0
    left_l2: float = 0.0
    right_l1: float = 0.0
    right_l2: float = 0.0


def multiplicative_updates(
    X: Any,
    start: Factors,
    beta: float,
    penalties: FactorPenalties | None = None,
    *,
    fixed_right: bool = False,
    tol: float = 1e-5,
    max_iter: int = 200,
    callback: Callback | None = None,
) -> Solution[Factors]:
    """Minimise a β-divergence between X and W H with non-negative factors, by (1).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    start : Factors
        Positive: a zero stays zero.
    beta : float
    penalties : FactorPenalties, optional
    fixed_right : bool, default=False
        H stays as it is.
    tol : float, default=1e-5
        Stop when a round lowers the objective by at most this share of it.
    max_iter : int, default=200
    callback : callable, optional

    Returns
    -------
    Solution
        With `Factors` in `w`.

    References
    ----------
    Févotte, C. & Idier, J. (2011). Algorithms for nonnegative matrix factorization with the beta-divergence.
    doi:10.1162/NECO_a_00168

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import Factors, multiplicative_updates
    >>> start = Factors(np.ones((2, 1)), np.ones((1, 2)))
    >>> round(multiplicative_updates(np.array([[1.0, 3.0], [2.0, 6.0]]), start, 1.0).objective, 9)
    0.0
    """
    unit = factor_unit(X)
    if unit != 1.0:
        return _in_unit(unit, X, start, beta, penalties or FactorPenalties(), tol, fixed_right, max_iter, callback)
    rounds = _rounds(X, start, beta, penalties or FactorPenalties(), fixed_right)
    # In units of the first value: a divergence of rows that are small is small.
    floor = float(np.finfo(X.dtype).eps) * beta_divergence(X, *start, beta)
    return follow(rounds, ObjectiveChange(tol, floor), max_iter=max_iter, callback=callback)


def _in_unit(
    unit: float, X: Any, start: Factors, beta: float, penalties: FactorPenalties, tol: float, *run: Any
) -> Solution[Factors]:
    """The same for X/u, W/√u and H/√u, where D is u^{−β} times as large: `TINY` has then a meaning."""
    root, scale = float(np.sqrt(unit)), unit**beta
    l1_W, l2_W, l1_H, l2_H = penalties
    other = FactorPenalties(l1_W * root / scale, l2_W * unit / scale, l1_H * root / scale, l2_H * unit / scale)
    fixed_right, max_iter, callback = run
    found = multiplicative_updates(
        X / X.dtype.type(unit),
        Factors(*(F / F.dtype.type(root) for F in start)),
        beta,
        other,
        tol=tol,
        fixed_right=fixed_right,
        max_iter=max_iter,
        callback=callback,
    )
    factors = Factors(*(F * F.dtype.type(root) for F in found.w))
    history = {**found.history, "objective": np.asarray(found.history["objective"]) * scale}
    return found._replace(w=factors, objective=found.objective * scale, history=history)


def _rounds(
    X: Any, start: Factors, beta: float, penalties: FactorPenalties, fixed_right: bool
) -> Iterator[Check[Factors]]:
    W, H = start
    l1_W, l2_W, l1_H, l2_H = penalties

    def objective() -> float:
        extra = l1_W * W.sum() + l1_H * H.sum() + 0.5 * (l2_W * np.vdot(W, W) + l2_H * np.vdot(H, H))
        return beta_divergence(X, W, H, beta) + float(extra)

    yield Check(0, start, objective())
    for iteration in count(1):
        W = _update(X, W, H, beta, l1_W, l2_W)
        if not fixed_right:
            H = _update(X.T, H.T, W.T, beta, l1_H, l2_H).T
        yield Check(iteration, Factors(W, H), objective())


def _update(X: Any, W: Floats, H: Floats, beta: float, l1: float, l2: float) -> Floats:
    """Equation (1) for W with H fixed."""
    if beta == 2.0:
        numerator, denominator = np.asarray(X @ H.T), W @ (H @ H.T)
    elif beta == 1.0:
        numerator = _ratio(X, W, H) @ H.T
        denominator = np.broadcast_to(H.sum(axis=1), W.shape)
    else:
        dense = X.toarray() if sparse.issparse(X) else X
        Y = np.maximum(W @ H, TINY)
        numerator, denominator = (Y ** (beta - 2.0) * dense) @ H.T, Y ** (beta - 1.0) @ H.T
    step = numerator / np.maximum(denominator + l1 + l2 * W, TINY)
    gamma = 1.0 / (2.0 - beta) if beta < 1.0 else 1.0 / (beta - 1.0) if beta > 2.0 else 1.0
    moved = W * (step if gamma == 1.0 else step**gamma)
    return np.maximum(moved, TINY) if beta < 1.0 else moved


def _ratio(X: Any, W: Floats, H: Floats) -> Any:
    """X / (W H), only where X is not zero for a sparse X."""
    if not sparse.issparse(X):
        return X / np.maximum(W @ H, TINY)
    coo = X.tocoo()
    at = np.maximum(np.einsum("ij,ij->i", W[coo.row], H.T[coo.col]), TINY)
    return sparse.csr_matrix((coo.data / at, (coo.row, coo.col)), shape=X.shape)
