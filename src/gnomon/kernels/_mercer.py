"""Mercer's theorem on a sample, and as a check.

    k(x, x') = Σ_i λ_i φ_i(x) φ_i(x'),   λ̂_i = λ_i(K)/n,   φ̂_i(x) = (√n/λ_i(K)) Σ_j U_ji k(x, x_j)   (1)
    ∬ k(x, x') g(x) g(x') dx dx' ≥ 0    for all g on a compact domain                             (2)

A kernel that is not negative in (2) for any g is positive semi-definite on the domain. Mercer (1909),
doi:10.1098/rsta.1909.0016; Williams & Seeger (2000), The effect of the input density distribution on kernel-based
classifiers, ICML.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, eigvalsh, qr
from scipy.stats import qmc
from sklearn.utils import check_random_state

from gnomon._typing import ArrayLike, Floats, Seed
from gnomon.kernels._base import Against, Kernel

__all__ = ["MercerExpansion", "MercerReport", "mercer_check", "mercer_expansion"]


class MercerExpansion(NamedTuple):
    """The first terms of (1) on a sample.

    Fields
    ------
    values : ndarray of shape (q,)
        λ̂, largest first.
    against : Against
        The kernel and the sample.
    coefs : ndarray of shape (n, q)
        √n U_ji/λ_i.

    References
    ----------
    Williams, C. K. I. & Seeger, M. (2000). The effect of the input density distribution on kernel-based classifiers.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, mercer_expansion
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> expansion = mercer_expansion(RBF(), X)
    >>> np.allclose(expansion.gram(X), RBF().gram(X))
    True
    """

    values: Floats
    against: Against
    coefs: Floats

    def functions(self, X: Any) -> Floats:
        """φ̂_i at the rows of X, of shape (n, q); on the sample their mean squares are one."""
        return self.against.gram(X) @ self.coefs

    def gram(self, A: Any, B: Any = None) -> Floats:
        """Σ_i λ̂_i φ̂_i(a) φ̂_i(b), the kernel as far as it was expanded."""
        first = self.functions(A)
        return (first * self.values) @ (first if B is None else self.functions(B)).T


def mercer_expansion(kernel: Kernel, X: Any, q: int | None = None, *, tol: float = 1e-12) -> MercerExpansion:
    """The eigenvalues and eigenfunctions (1), from the Gram matrix of a sample.

    Parameters
    ----------
    kernel : Kernel
    X : rows
    q : int, optional
        How many; None for all above `tol` times the largest.
    tol : float, default=1e-12

    Returns
    -------
    MercerExpansion

    References
    ----------
    Mercer, J. (1909). Functions of positive and negative type. doi:10.1098/rsta.1909.0016

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, mercer_expansion
    >>> mercer_expansion(RBF(), np.array([[0.0], [1.0], [2.0]])).values.round(6)
    array([0.642699, 0.288222, 0.06908 ])
    """
    against = kernel.against(X)
    K = against.matrix().astype(float)
    n = len(K)
    if q is not None and not 1 <= q <= n:
        raise ValueError(f"q={q!r} must lie between 1 and {n}, the number of rows")
    values, U = eigh(K)
    values, U = values[::-1], U[:, ::-1]
    if values[-1] < -max(1e-10, tol) * values[0]:
        raise ValueError(
            f"an eigenvalue is {values[-1]:.3g}, the largest {values[0]:.3g}: {kernel!r} is not positive "
            "semi-definite, and has no Mercer expansion"
        )
    keep = int(np.sum(values > tol * values[0])) if q is None else min(q, int(np.sum(values > tol * values[0])))
    values, U = values[:keep], U[:, :keep]
    return MercerExpansion(values / n, against, np.sqrt(n) * U / values)


class MercerReport(NamedTuple):
    """What `mercer_check` found; true as a condition where no function makes (2) negative.

    Fields
    ------
    psd : bool
    least, largest : float
        Of (2) over functions with ∫g² = 1.
    n_functions : int

    References
    ----------
    Mercer, J. (1909). Functions of positive and negative type. doi:10.1098/rsta.1909.0016

    Examples
    --------
    >>> from gnomon.kernels import BSpline, mercer_check
    >>> bool(mercer_check(BSpline(1), [(0.0, 5.0)])), bool(mercer_check(BSpline(2), [(0.0, 5.0)]))
    (True, False)
    """

    psd: bool
    least: float
    largest: float
    n_functions: int

    def __bool__(self) -> bool:
        return self.psd


def mercer_check(
    kernel: Kernel,
    domain: ArrayLike,
    *,
    n_nodes: int = 256,
    n_functions: int | None = None,
    tol: float = 1e-10,
    random_state: Seed = 0,
) -> MercerReport:
    """Evaluate (2) by quadrature, for the worst combination of random functions.

    Nodes are those of Gauss and Legendre for one column, of Sobol's sequence for several. In the span of the random
    functions the least value of (2) is an eigenvalue, so no combination of them is overlooked.

    Parameters
    ----------
    kernel : Kernel
    domain : array-like of shape (d, 2)
        Lower and upper end for each column.
    n_nodes : int, default=256
        Of the quadrature; for several columns a power of two is best.
    n_functions : int, optional
        Random functions; None for as many as nodes, which span all functions on them.
    tol : float, default=1e-10
        Values above −tol times the largest are rounding.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    MercerReport

    References
    ----------
    Mercer, J. (1909). Functions of positive and negative type. doi:10.1098/rsta.1909.0016

    Examples
    --------
    >>> from gnomon.kernels import RBF, Truncated, mercer_check
    >>> mercer_check(RBF(), [(0.0, 3.0)]).psd, mercer_check(Truncated(RBF(), 1.0), [(0.0, 3.0)]).psd
    (True, False)
    """
    ends = np.asarray(domain, dtype=float)
    if ends.ndim != 2 or ends.shape[1] != 2 or not np.all(ends[:, 0] < ends[:, 1]):
        raise ValueError(f"domain={domain!r} must be a pair (low, high) with low < high for each column")
    m = n_nodes if n_functions is None else n_functions
    if n_nodes < 1 or not 1 <= m <= n_nodes:
        raise ValueError(f"n_functions={n_functions!r} must lie between 1 and n_nodes={n_nodes}")
    nodes, weights = _quadrature(ends, n_nodes)
    roots = np.sqrt(weights)
    form = roots[:, None] * kernel.gram(nodes).astype(float) * roots
    if m < n_nodes:
        # Orthonormal combinations of the random functions.
        G = qr(check_random_state(random_state).normal(size=(n_nodes, m)), mode="economic")[0]
        form = G.T @ form @ G
    values = eigvalsh(0.5 * (form + form.T))
    return MercerReport(bool(values[0] >= -tol * values[-1]), float(values[0]), float(values[-1]), m)


def _quadrature(ends: Floats, n: int) -> tuple[Floats, Floats]:
    """Nodes of shape (n, d) and weights for the integral over a box."""
    low, high = ends.T
    if len(ends) == 1:
        x, w = np.polynomial.legendre.leggauss(n)
        return low + (high - low) * 0.5 * (x[:, None] + 1.0), 0.5 * (high - low) * w
    points = qmc.Sobol(len(ends), scramble=False).random_base2(int(np.ceil(np.log2(n))))[:n]
    return low + (high - low) * points, np.full(n, np.prod(high - low) / n)
