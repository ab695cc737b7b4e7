"""What a factor of a matrix may be, and its best update.

    minimise over F    ½ tr(F G Fᵀ) − tr(F Bᵀ) + Ω(F)                                             (1)

For X ≈ Z H with H fixed, F = Z, G = H Hᵀ, B = X Hᵀ; with Z fixed, F = Hᵀ, G = ZᵀZ, B = XᵀZ: one text serves both sides,
and the data enter by G and B alone. The verb `update` of a constraint never raises (1): here in closed form, or by
coordinate descent (Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708); by proximal steps in `proximal_factors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from gnomon._typing import Bools, Floats
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.optim.constraint import Constraint
from gnomon.optim.factor_rows import descend
from gnomon.optim.proximal_factors import AtMost, Proximal, Simplex
from gnomon.penalties import L1, L2, NoPenalty

__all__ = [
    "AtMost",
    "Constraint",
    "Free",
    "NonNegative",
    "OneHot",
    "Orthonormal",
    "Proximal",
    "Shuffled",
    "Simplex",
    "Support",
    "UnitBall",
    "as_constraint",
]

SWEEPS = 8
"""Passes of coordinate descent over a factor in one update, at most: G and B cost more than a few of them."""

REST = 0.01
"""Sweeps over a row end when one moves it by less than this share of the first."""


@dataclass(frozen=True)
class Free(Constraint):
    """Any numbers: least squares, with an optional square penalty.

    Parameters
    ----------
    l2 : float, default=0.0
        Ω = ½ l2 ‖F‖².

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, section 5.3. ISBN 978-1-4214-0794-4.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import Free
    >>> Free().update(np.zeros((1, 2)), np.diag([2.0, 4.0]), np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """

    l2: float = 0.0

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """B G⁺."""
        A = G + self.l2 * np.eye(len(G), dtype=G.dtype)
        try:
            return linalg.cho_solve(linalg.cho_factor(A), B.T).T
        except linalg.LinAlgError:
            return linalg.lstsq(A, B.T)[0].T

    def value(self, F: Floats) -> float:
        """½ l2 ‖F‖²."""
        return 0.5 * self.l2 * float(np.vdot(F, F))


@dataclass(frozen=True)
class NonNegative(Constraint):
    """Numbers ≥ `lower`, with optional penalties of the elastic net, by coordinate descent.

    Parameters
    ----------
    l1, l2 : float, default=0.0
        Ω = l1 ‖F‖₁ + ½ l2 ‖F‖².
    lower : float, default=0.0
        0, or −inf for numbers of any sign: the lasso.

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import NonNegative
    >>> NonNegative(l1=0.5, lower=-np.inf).update(np.zeros((1, 3)), np.eye(3), np.array([[3.0, -0.2, -2.0]]))
    array([[ 2.5,  0. , -1.5]])
    """

    l1: float = 0.0
    l2: float = 0.0
    lower: float = 0.0

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """Some sweeps over every row."""
        return self.update_from(F, G, B)[0]

    def update_from(self, F: Floats, G: Floats, B: Floats) -> tuple[Floats, float]:
        """The same, and the violations that the first sweep met, added up."""
        out = np.array(F, order="C")
        G = np.ascontiguousarray(G, dtype=out.dtype)
        B = np.ascontiguousarray(B, dtype=out.dtype)
        threads = blas_threads()
        chunks = split_rows(len(out), max(1, min(4 * threads, len(out) // 64)))

        def work(rows: slice) -> float:
            return descend(out[rows], G, B[rows], self.l1, self.l2, self.lower, SWEEPS, REST)

        return out, float(sum(map_chunks(work, chunks, threads)))

    @property
    def goes_beyond(self) -> bool:
        """Only at `lower` = 0, where a zero stays zero; numbers of any sign would leave it."""
        return self.lower == 0.0

    def beyond(self, F: Floats, before: Floats, beta: float) -> Floats:
        """F + β (F − before), no entry below zero."""
        if beta == 0.0 or not self.goes_beyond:
            return F
        further = F - before
        further *= beta
        further += F
        return np.maximum(further, 0.0, out=further)

    def value(self, F: Floats) -> float:
        """l1 ‖F‖₁ + ½ l2 ‖F‖²."""
        return float(self.l1 * np.sum(np.abs(F)) + 0.5 * self.l2 * np.vdot(F, F))


@dataclass(frozen=True, eq=False)
class Shuffled(Constraint):
    """Another constraint, its coordinates in a random order at every update.

    Parameters
    ----------
    inner : Constraint
    rng : RandomState

    References
    ----------
    Hsieh, C.-J. & Dhillon, I. S. (2011). Fast coordinate descent methods with variable selection for non-negative
    matrix factorization. doi:10.1145/2020408.2020577

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import NonNegative, Shuffled
    >>> Shuffled(NonNegative(), np.random.RandomState(0)).update(np.zeros((1, 2)), np.eye(2), np.array([[3.0, -1.0]]))
    array([[3., 0.]])
    """

    inner: Constraint
    rng: np.random.RandomState

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """That of the other, in a random order."""
        return self.update_from(F, G, B)[0]

    def update_from(self, F: Floats, G: Floats, B: Floats) -> tuple[Floats, float]:
        """The same, and the violations that it met."""
        order = self.rng.permutation(len(G))
        found, off = self.inner.update_from(F[:, order], G[np.ix_(order, order)], B[:, order])
        out = np.empty_like(found)
        out[:, order] = found
        return out, off

    @property
    def goes_beyond(self) -> bool:
        """Whether the other does."""
        return self.inner.goes_beyond

    def beyond(self, F: Floats, before: Floats, beta: float) -> Floats:
        """That of the other."""
        return self.inner.beyond(F, before, beta)

    def value(self, F: Floats) -> float:
        """That of the other."""
        return self.inner.value(F)


@dataclass(frozen=True, eq=False)
class Support(Constraint):
    """Zero outside a pattern: local patterns.

    Parameters
    ----------
    mask : array of bool
        Where H (of shape (m, d)) or Z (n, m) may differ from zero.
    right : bool, default=True
        Whether the mask is that of H.

    References
    ----------
    Bolte, J., Sabach, S. & Teboulle, M. (2014). Proximal alternating linearized minimization.
    doi:10.1007/s10107-013-0701-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import Support
    >>> Support([[True, False]], right=False).update(np.zeros((1, 2)), np.eye(2), np.ones((1, 2)))
    array([[1., 0.]])
    """

    mask: Any
    right: bool = True

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """Least squares of every row on the columns that it may use."""
        mask: Bools = np.asarray(self.mask, dtype=bool)
        mask = mask.T if self.right else mask
        if mask.shape != F.shape:
            raise ValueError(
                f"mask has shape {np.shape(self.mask)} and the factor {F.shape[::-1] if self.right else F.shape}"
            )
        out = np.zeros_like(F)
        for pattern in np.unique(mask, axis=0):
            rows = np.flatnonzero((mask == pattern).all(axis=1))
            if pattern.any():
                out[np.ix_(rows, pattern)] = linalg.lstsq(G[np.ix_(pattern, pattern)], B[np.ix_(rows, pattern)].T)[0].T
        return out


@dataclass(frozen=True)
class Orthonormal(Constraint):
    """Orthonormal components: FᵀF = I, by the singular value decomposition of B.

    References
    ----------
    Schönemann, P. H. (1966). A generalized solution of the orthogonal Procrustes problem. doi:10.1007/BF02289451

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import Orthonormal
    >>> Orthonormal().update(np.zeros((2, 1)), np.eye(1), np.array([[3.0], [4.0]]))
    array([[0.6],
           [0.8]])
    """

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """U Vᵀ of B = U Σ Vᵀ: tr(F G Fᵀ) is the same for all such F."""
        U, _, Vt = linalg.svd(B, full_matrices=False)
        return U @ Vt


@dataclass(frozen=True)
class OneHot(Constraint):
    """One 1 in every row, the rest 0: rows are assigned to patterns.

    References
    ----------
    Ding, C. & He, X. (2004). K-means clustering via principal component analysis. doi:10.1145/1015330.1015408

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import OneHot
    >>> OneHot().update(np.zeros((1, 2)), np.diag([1.0, 9.0]), np.array([[2.0, 5.0]]))
    array([[1., 0.]])
    """

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """The pattern of least ½ G_jj − B_ij; of several, the first."""
        out = np.zeros_like(F)
        out[np.arange(len(F)), np.argmin(0.5 * np.diag(G) - B, axis=1)] = 1.0
        return out


@dataclass(frozen=True)
class UnitBall(Constraint):
    """Components of length at most one, updated one after the other; unused ones stay as they are.

    References
    ----------
    Mairal, J., Bach, F., Ponce, J. & Sapiro, G. (2009). Online dictionary learning for sparse coding.
    doi:10.1145/1553374.1553463

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factors import UnitBall
    >>> UnitBall().update(np.zeros((2, 1)), np.eye(1), np.array([[3.0], [4.0]]))
    array([[0.6],
           [0.8]])
    """

    positive: bool = False

    def update(self, F: Floats, G: Floats, B: Floats) -> Floats:
        """Algorithm 2 of Mairal et al."""
        out = np.array(F)
        for j in range(F.shape[1]):
            if G[j, j] > 0.0:
                step = out[:, j] + (B[:, j] - out @ G[:, j]) / G[j, j]
                step = np.maximum(step, 0.0) if self.positive else step
                out[:, j] = step / max(float(np.linalg.norm(step)), 1.0)
        return out


def as_constraint(given: Any, name: str = "constraint") -> Constraint:
    """A constraint from what a user gives: an object, a penalty, a proximal operator, or None for any numbers.

    Parameters
    ----------
    given : Constraint, L1, L2, callable prox or None
    name : str, default="constraint"
        Of the argument, for errors.

    Returns
    -------
    Constraint

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms. doi:10.1561/2400000003

    Examples
    --------
    >>> from gnomon.optim.factors import as_constraint
    >>> from gnomon.penalties import L1
    >>> as_constraint(L1(0.5))
    NonNegative(l1=0.5, l2=0.0, lower=-inf)
    """
    if given is None or isinstance(given, NoPenalty):
        return Free()
    if isinstance(given, Constraint):
        return given
    if isinstance(given, L1):
        return NonNegative(l1=given.strength, lower=-np.inf)
    if isinstance(given, L2):
        return Free(l2=2.0 * given.strength)
    if callable(given):
        return Proximal(given)
    raise ValueError(f"{name}={given!r} must be a constraint of gnomon.optim.factors, L1, L2, prox(F, step) or None")
