"""Margins: how far a linear classifier is from its mistakes.

    functional margin  y (xᵀw + b),    signed distance  (xᵀw + b)/‖w‖,    γ = max_{‖u‖=1} minᵢ yᵢ xᵢᵀu            (1)

A perceptron that starts at zero makes at most (R/γ)² mistakes, R = max ‖xᵢ‖ (Novikoff 1962, Proc. Symposium on the
Mathematical Theory of Automata 12, 615–622). The vector of least length with yᵢ xᵢᵀw ≥ 1 for all i is w = u/γ; it is
found exactly as a least-distance problem (Lawson & Hanson 1974, chapter 23, doi:10.1137/1.9781611971217).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, sparse

from gnomon._typing import ArrayLike, Floats, MatrixLike, Numbers

__all__ = ["WidestMargin", "distance", "margin", "mistake_bound", "update_gain", "widest_margin"]


def margin(X: MatrixLike, y: ArrayLike, w: ArrayLike, b: float = 0.0) -> Floats:
    """Functional margins yᵢ (xᵢᵀw + b): positive where the sign of the score is right.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        −1 or +1.
    w : array-like of shape (n_features,)
    b : float, default=0.0

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Cristianini, N. & Shawe-Taylor, J. (2000). An Introduction to Support Vector Machines, section 2.1.
    doi:10.1017/CBO9780511801389

    Examples
    --------
    >>> from gnomon.linear import margin
    >>> margin([[3.0, 4.0], [1.0, 0.0]], [1, -1], [3.0, 4.0], b=-5.0)
    array([20.,  2.])
    """
    return _signs(y) * (_product(X, w) + b)


def distance(X: MatrixLike, w: ArrayLike, b: float = 0.0) -> Floats:
    """Signed distances (xᵢᵀw + b)/‖w‖ from the plane xᵀw + b = 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    w : array-like of shape (n_features,)
        Not zero.
    b : float, default=0.0

    Returns
    -------
    ndarray of shape (n_samples,)

    References
    ----------
    Cristianini, N. & Shawe-Taylor, J. (2000). An Introduction to Support Vector Machines, section 2.1.
    doi:10.1017/CBO9780511801389

    Examples
    --------
    >>> from gnomon.linear import distance
    >>> distance([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], b=-5.0)
    array([ 4., -1.])
    """
    length = float(np.linalg.norm(w))
    if length == 0.0:
        raise ValueError("w=0 has no plane; give a vector that is not zero")
    return (_product(X, w) + b) / length


class WidestMargin(NamedTuple):
    """γ and u of (1); γ = 0 and u = None where no plane through the origin separates the classes.

    References
    ----------
    Novikoff, A. (1962). On convergence proofs on perceptrons. Proc. Symposium on the Mathematical Theory of Automata,
    12, 615–622.

    Examples
    --------
    >>> from gnomon.linear import widest_margin
    >>> gamma, direction = widest_margin([[2.0], [-3.0]], [1, -1])
    >>> round(gamma, 7), direction
    (2.0, array([1.]))
    """

    gamma: float
    direction: Floats | None


def widest_margin(X: MatrixLike, y: ArrayLike) -> WidestMargin:
    """γ = max_{‖u‖=1} minᵢ yᵢ xᵢᵀu and its u: the widest margin of a plane through the origin.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        With a column of ones for a plane with an offset.
    y : array-like of shape (n_samples,)
        −1 or +1.

    Returns
    -------
    WidestMargin

    References
    ----------
    Lawson, C. & Hanson, R. (1974). Solving Least Squares Problems, chapter 23. doi:10.1137/1.9781611971217

    Examples
    --------
    >>> from gnomon.linear import widest_margin
    >>> round(widest_margin([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], [-1, 1, 1, 1]).gamma, 7)
    0.3333333
    """
    signed = _signs(y)[:, None] * _dense(X)
    # Lawson & Hanson (1974), (23.22): the residual of a non-negative fit of e_{d+1} is the shortest feasible vector.
    scale = float(np.max(np.abs(signed), initial=0.0)) or 1.0
    E = np.vstack([signed.T / scale, np.ones(len(signed))])
    target = np.zeros(len(E))
    target[-1] = 1.0
    u, _ = optimize.nnls(E, target)
    r = E @ u - target
    if -r[-1] <= 1e-12:
        return WidestMargin(0.0, None)
    w = -r[:-1] / r[-1]
    length = float(np.linalg.norm(w))
    return WidestMargin(scale / length, w / length) if length > 0.0 else WidestMargin(0.0, None)


def mistake_bound(X: MatrixLike, y: ArrayLike, u: ArrayLike | None = None) -> float:
    """(R/γ)², the most mistakes that a perceptron from zero can make on these rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        −1 or +1.
    u : array-like of shape (n_features,), optional
        A separating direction; by default the one with the widest margin, which gives the best bound.

    Returns
    -------
    float
        Infinite where the rows are not separated.

    References
    ----------
    Novikoff, A. (1962). On convergence proofs on perceptrons. Proc. Symposium on the Mathematical Theory of Automata,
    12, 615–622.

    Examples
    --------
    >>> from gnomon.linear import mistake_bound
    >>> round(mistake_bound([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], [-1, 1, 1, 1]), 7)
    27.0
    """
    gamma = widest_margin(X, y).gamma if u is None else float(np.min(_signs(y) * distance(X, u)))
    return float(np.max(_squares(X))) / gamma**2 if gamma > 0.0 else np.inf


def update_gain(x: ArrayLike, eta: float = 1.0) -> Numbers:
    """η ‖x‖²: by how much one update w ← w + η y x raises the margin y xᵀw of its own example.

    Parameters
    ----------
    x : array-like of shape (n_features,) or (n_samples, n_features)
    eta : float, default=1.0

    Returns
    -------
    float or ndarray

    References
    ----------
    Rosenblatt, F. (1958). The perceptron. doi:10.1037/h0042519

    Examples
    --------
    >>> from gnomon.linear import update_gain
    >>> float(update_gain([3.0, 4.0], eta=0.5))
    12.5
    """
    return eta * np.sum(np.square(np.asarray(x, dtype=float)), axis=-1)


def _signs(y: ArrayLike) -> Floats:
    y = np.asarray(y, dtype=float)
    if not np.all(np.abs(y) == 1.0):
        raise ValueError(f"y has values {np.unique(y).tolist()[:5]}; margins need labels −1 and +1, recode it")
    return y


def _product(X: Any, w: ArrayLike) -> Floats:
    return (X if sparse.issparse(X) else np.asarray(X, dtype=float)) @ np.asarray(w, dtype=float)


def _dense(X: Any) -> Floats:
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)


def _squares(X: Any) -> Floats:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else update_gain(X)
