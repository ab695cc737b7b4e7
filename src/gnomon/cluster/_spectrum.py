"""The smallest eigenvalues of the Laplacian of a graph.

    L v = λ v,    L = D − W  ("none"),    or    L_sym = I − D^{−½} W D^{−½}                            (1)

from the other end: those of S = D^{−½} W D^{−½} near 1, or of cI − L near c, which Krylov methods find by products with
W alone. Lehoucq, Sorensen & Yang (1998), doi:10.1137/1.9780898719628; Knyazev (2001), doi:10.1137/S1064827500366124.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from gnomon._typing import Floats
from gnomon.numerics.linalg import top_eigh
from gnomon.numerics.scatter import fix_signs

__all__ = ["ITERATIVE", "ZERO", "Eigen", "Laplacian", "LaplacianSpectrum", "smallest_eigenvectors"]

Laplacian: TypeAlias = Literal["rw", "sym", "none"]

ZERO = 1e-10
"""Eigenvalues below this, and negative ones of rounding, are zero."""


class Eigen(NamedTuple):
    """How m eigenvectors are found: by a way of `ITERATIVE`, or directly."""

    solver: str | None
    m: int
    tol: float
    rng: np.random.RandomState


class LaplacianSpectrum(NamedTuple):
    """The smallest eigenvalues λ of a symmetric Laplacian, its orthonormal eigenvectors, and max ‖L u − λ u‖."""

    values: Floats
    vectors: Floats
    residual: float


def smallest_eigenvectors(W: Any, degrees: Floats, laplacian: Laplacian, eigen: Eigen) -> LaplacianSpectrum:
    """(1) of a graph with weights W, as `eigen` says; "rw" has the eigenvalues of "sym"."""
    n = len(degrees)
    if laplacian == "none":
        top = 2.0 * float(degrees.max())
        shift, scale = top - degrees, np.ones(n)
    else:
        top, shift, scale = 1.0, np.zeros(n), 1.0 / np.sqrt(degrees)

    def apply(V: Floats) -> Floats:
        V = V.reshape(n, -1)
        return shift[:, None] * V + scale[:, None] * np.asarray(W @ (scale[:, None] * V))

    # Drawn by the direct way too, so that k-means starts from the same rows as after Lanczos.
    start = eigen.rng.uniform(-1.0, 1.0, size=n)
    if eigen.solver is None:
        values, vectors = top_eigh(apply(np.eye(n)), eigen.m)
    else:
        values, vectors = ITERATIVE[eigen.solver].find(_operator(apply, n), start, eigen)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], fix_signs(vectors[:, order])
    residual = float(np.max(np.linalg.norm(apply(vectors) - values * vectors, axis=0)))
    found = top - values
    return LaplacianSpectrum(np.where(np.abs(found) < ZERO * top, 0.0, found), vectors, residual)


def _by_arpack(A: LinearOperator, start: Floats, eigen: Eigen) -> tuple[Floats, Floats]:
    n = len(start)
    # Lanczos needs room for the eigenvalues beside those that are asked for, which lie close to them.
    room = min(n, max(4 * eigen.m, 40))
    try:
        return eigsh(A, eigen.m, which="LA", tol=eigen.tol, ncv=room, v0=start, maxiter=20 * n)
    except ArpackNoConvergence as error:
        raise RuntimeError(
            f"{error}; raise eigen_tol, or use eigen_solver=None, which is direct for small graphs"
        ) from None


def _by_lobpcg(A: LinearOperator, start: Floats, eigen: Eigen) -> tuple[Floats, Floats]:
    block = np.column_stack([start, eigen.rng.standard_normal((len(start), eigen.m - 1))])
    return lobpcg(A, np.linalg.qr(block)[0], largest=True, tol=eigen.tol or None, maxiter=500)


class _Iterative(NamedTuple):
    """A way to find some eigenvectors, and how many at most of n rows."""

    find: Callable[[LinearOperator, Floats, Eigen], tuple[Floats, Floats]]
    most: Callable[[int], int]


ITERATIVE = {
    "arpack": _Iterative(_by_arpack, lambda n: n - 1),
    # A block of LOBPCG is a fifth of the matrix at most.
    "lobpcg": _Iterative(_by_lobpcg, lambda n: n // 5),
}


def _operator(apply: Any, n: int) -> LinearOperator:
    return LinearOperator((n, n), matvec=lambda v: apply(v).ravel(), matmat=apply, dtype=np.float64)
