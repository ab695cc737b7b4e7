"""Log-likelihood ratios as polynomials of the features.

    llr(x) = xᵀ b + c                                                                              (1)
    llr(x) = xᵀ A x + xᵀ b + c                                                                     (2)

Normal classes with one covariance Σ: b = Σ⁻¹(μ₁ − μ₀), c = −½ (μ₁ + μ₀)ᵀ b. With a covariance each: A = −½ (Λ₁ − Λ₀),
b = Λ₁μ₁ − Λ₀μ₀, c = −½ (μ₁ᵀΛ₁μ₁ − μ₀ᵀΛ₀μ₀) + ½ log |Λ₁|/|Λ₀|, Λ = Σ⁻¹. More classes have one form each, log f_k(x) up
to a term common to all. Hastie, Tibshirani & Friedman (2009), section 4.3, doi:10.1007/978-0-387-84858-7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Compressed, Floats, Integers, Matrix, Numbers
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows

__all__ = ["LinearForm", "QuadraticForm", "linear_scores"]


class LinearForm(NamedTuple):
    """b and c of equation (1), free of priors.

    Parameters
    ----------
    b : ndarray of shape (d,), or (n_classes, d) for more than two classes
    c : float, or ndarray of shape (n_classes,)

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import LinearForm
    >>> LinearForm(np.array([2.0, -1.0]), 0.5)(np.array([[1.0, 1.0]]))
    array([1.5])
    """

    b: Floats
    c: Numbers

    def check_consistent(self) -> None:
        """Refuse as many numbers c as there are not rows of b."""
        if np.shape(self.c) != self.b.shape[:-1]:
            raise ValueError(f"c of shape {np.shape(self.c)} goes with b of shape {self.b.shape}")

    def __call__(self, X: Matrix) -> Floats:
        """xᵀb + c of every row."""
        return X @ np.transpose(self.b) + self.c


class QuadraticForm(NamedTuple):
    """A, b and c of equation (2), free of priors.

    Parameters
    ----------
    A : ndarray of shape (d, d), or (n_classes, d, d) for more than two classes
    b : ndarray of shape (d,) or (n_classes, d)
    c : float or ndarray of shape (n_classes,)

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import QuadraticForm
    >>> QuadraticForm(np.eye(2), np.array([1.0, 0.0]), 0.5)(np.array([[1.0, 2.0]]))
    array([6.5])
    """

    A: Floats
    b: Floats
    c: Numbers

    def __call__(self, X: ArrayLike) -> Floats:
        """xᵀAx + xᵀb + c of every row."""
        X = np.asarray(X)
        return np.einsum("...ij,ni,nj->n...", self.A, X, X) + X @ np.transpose(self.b) + self.c


def linear_scores(X: Any, coef: Floats, intercept: ArrayLike) -> Floats:
    """X coefᵀ + intercept in double precision, on threads; shape (n, k)."""
    out = np.empty((X.shape[0], len(coef)))
    intercept = np.broadcast_to(np.asarray(intercept, dtype=float), (len(coef),))
    fill = (_sparse_product if sparse.issparse(X) else _dense_product)(X, coef, intercept)

    map_chunks(
        lambda rows: fill(rows, out[rows]), split_rows(X.shape[0], max(1, min(64, X.size // 2**17))), blas_threads()
    )
    return out


def _dense_product(X: Floats, coef: Floats, intercept: Floats) -> Callable[[slice, Floats], None]:
    def fill(rows: slice, out: Floats) -> None:
        np.matmul(X[rows], coef.T, out=out, dtype=float)
        out += intercept

    return fill


def _sparse_product(X: Compressed, coef: Floats, intercept: Floats) -> Callable[[slice, Floats], None]:
    # Classes are taken in pairs, so that sums stay in registers; an odd last one has a partner of zeros.
    k = len(coef)
    columns, first = np.zeros((coef.shape[1], k + k % 2)), np.zeros(k + k % 2)
    columns[:, :k], first[:k] = coef.T, intercept
    # Unsigned indices avoid the branch by which Numba wraps negative ones around.
    indices, indptr = (part.view(f"u{part.dtype.itemsize}") for part in (X.indices, X.indptr))
    return lambda rows, out: _sparse_scores(X.data, indices, indptr[rows.start : rows.stop + 1], columns, first, out)


@jit
def _sparse_scores(
    data: Array, indices: Integers, indptr: Integers, columns: Floats, first: Floats, out: Floats
) -> None:
    for i in range(out.shape[0]):
        for c in range(0, out.shape[1], 2):
            a, b = first[c], first[c + 1]
            for k in range(indptr[i], indptr[i + 1]):
                a += data[k] * columns[indices[k], c]
                b += data[k] * columns[indices[k], c + 1]
            out[i, c] = a
            if c + 1 < out.shape[1]:
                out[i, c + 1] = b
