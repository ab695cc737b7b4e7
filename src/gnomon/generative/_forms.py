"""Log-likelihood ratios as polynomials of the features.

    llr(x) = xᵀ b + c                                                                              (1)
    llr(x) = xᵀ A x + xᵀ b + c                                                                     (2)

Normal classes with one covariance Σ: b = Σ⁻¹(μ₁ − μ₀), c = −½ (μ₁ + μ₀)ᵀ b. With a covariance each: A = −½ (Λ₁ − Λ₀),
b = Λ₁μ₁ − Λ₀μ₀, c = −½ (μ₁ᵀΛ₁μ₁ − μ₀ᵀΛ₀μ₀) + ½ log |Λ₁|/|Λ₀|, Λ = Σ⁻¹. More classes have one form each, log f_k(x) up
to a term common to all. Hastie, Tibshirani & Friedman (2009), section 4.3, doi:10.1007/978-0-387-84858-7.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gnomon._jit import jit
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

    b: Any
    c: Any

    def __call__(self, X):
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

    A: Any
    b: Any
    c: Any

    def __call__(self, X):
        """xᵀAx + xᵀb + c of every row."""
        X = np.asarray(X)
        return np.einsum("...ij,ni,nj->n...", self.A, X, X) + X @ np.transpose(self.b) + self.c


def linear_scores(X, coef, intercept):
    """X coefᵀ + intercept in double precision, on threads; shape (n, k)."""
    out = np.empty((X.shape[0], len(coef)))
    product = _sparse_product(X, coef) if sparse.issparse(X) else _dense_product(X, coef)

    def fill(rows):
        product(rows, out[rows])
        out[rows] += intercept

    map_chunks(fill, split_rows(X.shape[0], max(1, min(64, X.size // 2**17))), blas_threads())
    return out


def _dense_product(X, coef):
    return lambda rows, out: np.matmul(X[rows], coef.T, out=out, dtype=float)


def _sparse_product(X, coef):
    columns = np.ascontiguousarray(coef.T, dtype=float)
    # Unsigned indices cannot mean "from the end", so the kernel need not ask.
    indices, indptr = (part.view(f"u{part.dtype.itemsize}") for part in (X.indices, X.indptr))
    return lambda rows, out: _add_scaled_rows(X.data, indices, indptr[rows.start : rows.stop + 1], columns, out)


@jit
def _add_scaled_rows(data, indices, indptr, columns, out):
    for i in range(out.shape[0]):
        for c in range(out.shape[1]):
            out[i, c] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            for c in range(out.shape[1]):
                out[i, c] += data[k] * columns[indices[k], c]
