"""The laws of a kernel.

    K = Kᵀ,   diag(K) = diagonal,   pairs and blocks are entries of K                              (1)
    λ_min(K) ≥ −10⁻¹⁰ λ_max(K)                              where the kernel says that it is one      (2)
    ∂K/∂θ equals differences of K,   Σ M ∂K/∂θ = contract(M)                                       (3)
    a copy by its parameters, or by its own θ, is equal to it                                     (4)
    Φ(x)ᵀΦ(x') = K where there is a finite map;   K = 0 outside its pattern                        (5)

Schölkopf & Smola (2002), Learning with Kernels, chapters 2 and 13.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from gnomon.kernels import Kernel, check_kernel
from gnomon.testing._law import require, require_close

__all__ = ["check_kernel_laws"]

STEP = 1e-5


def check_kernel_laws(kernel: Kernel, X: Any, *, tol: float = 1e-7) -> None:
    """Hold a kernel to its laws (1)–(5) on some rows; those of verbs that it does not have are passed over.

    Parameters
    ----------
    kernel : Kernel
        Built in, or a user's own.
    X : array-like of shape (n, d), or a list of objects
        Rows that it compares, twenty or more.
    tol : float, default=1e-7
        Largest error of (3) and (5), relative to max(1, |expected|); the others allow rounding alone.

    Raises
    ------
    AssertionError
        With a sentence that names the law and the numbers.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapters 2 and 13. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Radial, noun
    >>> from gnomon.testing import check_kernel_laws
    >>> X = np.linspace(0.0, 4.0, 25)[:, None]
    >>> check_kernel_laws(RBF(1.3), X)
    >>> @noun
    ... class Box(Radial):
    ...     def profile(self, s):
    ...         return (s < 1.0).astype(float)
    >>> check_kernel_laws(Box(length_scale_bounds="fixed"), X)
    Traceback (most recent call last):
    ...
    AssertionError: law broken: a kernel with psd=True has no negative eigenvalue; of 25 rows the least is ...
    """
    K = kernel.gram(X)
    _check_matrix(kernel, X, K)
    _check_eigenvalues(kernel, K)
    _check_gradients(kernel, X, tol)
    _check_copies(kernel)
    _check_maps(kernel, X, K, tol)


def _check_matrix(kernel: Kernel, X: Any, K: Any) -> None:
    uneven = float(np.max(np.abs(K - K.T), initial=0.0))
    require(uneven == 0.0, "a Gram matrix is symmetric to the bit", f"the largest difference is {uneven:.3g}")
    require_close("diag is the diagonal", kernel.diag(X), np.diag(K), tol=1e-12, where="some row")
    against = kernel.against(X)
    n = len(K)
    i, j = np.arange(n), np.roll(np.arange(n), 1)
    P = against.prepared
    require_close("listed pairs are entries", kernel.pairs(P, P, i, j), K[i, j], tol=1e-11, where="some pair")
    some = np.arange(0, n, 2)
    require_close("blocks are entries", against.rows(some), K[some], tol=1e-11, where="some row")
    few = against.take(some).diag()
    require_close("a diagonal of some rows is theirs", few, np.diag(K)[some], tol=1e-12, where="some row")


def _check_eigenvalues(kernel: Kernel, K: Any) -> None:
    if kernel.psd is True:
        report = check_kernel(K)
        detail = f"of {report.n_rows} rows the least is {report.least:.3g}, the largest {report.largest:.3g}"
        require(report.psd, "a kernel with psd=True has no negative eigenvalue", detail)


def _check_gradients(kernel: Kernel, X: Any, tol: float) -> None:
    rows = X[:12]
    G, theta = kernel.gradients(rows), kernel.theta
    law = "theta has an entry for each derivative"
    require(G.shape[2] == len(theta), law, f"{G.shape[2]} derivatives, {len(theta)} entries")
    for p, name in enumerate(name for name, values, _ in kernel.hyperparameters for _ in values):
        step = STEP * np.eye(len(theta))[p]
        up, down = (kernel.with_theta(theta + sign * step).gram(rows) for sign in (1.0, -1.0))
        law = f"the derivative in log {name} equals differences"
        require_close(law, G[:, :, p], (up - down) / (2.0 * STEP), tol=tol, where="some pair")
    M = np.random.default_rng(0).normal(size=G.shape[:2])
    law = "pullback sums derivatives"
    require_close(law, kernel.pullback(rows, None, M), np.einsum("ij,ijp->p", M, G), tol=tol, where="theta")


def _check_copies(kernel: Kernel) -> None:
    require(clone(kernel) == kernel, "a clone is equal", f"{clone(kernel)!r} from {kernel!r}")
    law = "the parameters make the kernel again"
    require(type(kernel)(**kernel.get_params(deep=False)) == kernel, law, repr(kernel))
    law = "theta survives with_theta"
    require_close(law, kernel.with_theta(kernel.theta).theta, kernel.theta, tol=1e-12, where="theta")
    law = "bounds have a row for each entry of theta"
    require(kernel.bounds.shape == (len(kernel.theta), 2), law, f"their shape is {kernel.bounds.shape}")


def _check_maps(kernel: Kernel, X: Any, K: Any, tol: float) -> None:
    if np.isfinite(size := kernel.map_size(X)):
        Z = kernel.features(X)
        require(Z.shape[1] == size, "map_size is the number of features", f"{size}, and there are {Z.shape[1]}")
        require_close("inner products of features are the kernel", Z @ Z.T, K, tol=tol, where="some pair")
    P = kernel.prepare(X)
    if (pattern := kernel.pattern(P, P)) is not None:
        outside = np.where(pattern.toarray(), 0.0, K)
        require_close("the kernel is zero outside its pattern", outside, 0.0, tol=0.0, where="some pair")
