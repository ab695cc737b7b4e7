"""A kernel from what an estimator is given: an object, a name, a function.

    "rbf": exp(−γ r²),   "linear": xᵀx',   "poly": (γ xᵀx' + c)^m,   "precomputed": K,
    "sigmoid": tanh(γ xᵀx' + c),   "laplacian": exp(−γ ‖x − x'‖₁),   "cosine", "chi2", "additive_chi2"     (1)

Names keep the parameters of scikit-learn: γ is a number, "scale" for 1/(d Var X), "auto" or None for 1/d.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._typing import Array, Floats
from gnomon.kernels._base import Kernel
from gnomon.kernels.chi_squared import AdditiveChi2, Chi2
from gnomon.kernels.cosine import Cosine
from gnomon.kernels.dot_product import Linear, Polynomial
from gnomon.kernels.given import CallableKernel, Precomputed
from gnomon.kernels.laplacian import Laplacian
from gnomon.kernels.rbf import RBF
from gnomon.kernels.sigmoid import Sigmoid

__all__ = ["KERNEL_NAMES", "KernelLike", "read_kernel"]

KernelLike: TypeAlias = Kernel | str | Callable[[Any, Any], Any]
Gamma: TypeAlias = float | Literal["scale", "auto"] | None


def read_kernel(
    kernel: KernelLike,
    X: Array | None = None,
    *,
    gamma: Gamma = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    names: Sequence[str] | None = None,
    weights: Floats | None = None,
) -> Kernel:
    """The kernel object that `kernel` means for the training rows `X`.

    Parameters
    ----------
    kernel : Kernel, callable, or one of {"linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", \
"chi2", "additive_chi2", "precomputed"}
        "sigmoid" is not positive semi-definite, "additive_chi2" only on coefficients that sum to zero.
    X : array or sparse matrix of shape (n, d), optional
        Training rows; needed where γ depends on them.
    gamma : float, "scale", "auto" or None, default="scale"
        γ of a kernel that is named, None for 1 with "chi2"; a Kernel object has its own.
    degree, coef0 : float
        m and c of a kernel that is named.
    names : sequence of str, optional
        Names of the columns of X, for kernels of columns by name.
    weights : ndarray of shape (n,), optional
        Of the rows in Var X; ones by default, as in scikit-learn.

    Returns
    -------
    Kernel

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapter 2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import read_kernel
    >>> read_kernel("rbf", np.array([[0.0], [2.0]]), gamma="scale")
    RBF(length_scale=0.7071067811865476)
    >>> read_kernel("poly", degree=2, gamma=0.5, coef0=1.0)
    Polynomial(degree=2, scale=0.5)
    """
    if isinstance(kernel, Kernel):
        return kernel.located(names)
    if callable(kernel):
        return CallableKernel(kernel)
    if not isinstance(kernel, str) or kernel not in NAMED:
        raise ValueError(f"kernel={kernel!r} must be a Kernel, a callable or one of {', '.join(map(repr, NAMED))}")
    if kernel == "chi2" and gamma is None:
        gamma = 1.0
    return NAMED[kernel](_length_scale(X, gamma, weights), degree, coef0)


def _length_scale(X: Array | None, gamma: Gamma, weights: Floats | None) -> Callable[[], float]:
    """ℓ of γ = 1/(2ℓ²), when it is asked for; from the spread itself, which no scale of X overflows."""

    def of_rows() -> float:
        if gamma == "scale":
            if X is None:
                raise ValueError("gamma='scale' needs the training rows X; give γ as a number")
            spread = _spread(X, weights)
            return float(np.sqrt(0.5 * X.shape[1]) * spread) if spread > 0.0 else np.sqrt(0.5)
        if gamma == "auto" or gamma is None:
            if X is None:
                raise ValueError(f"gamma={gamma!r} needs the training rows X; give γ as a number")
            return float(np.sqrt(0.5 * X.shape[1]))
        if isinstance(gamma, str | bool) or not gamma >= 0.0:
            raise ValueError(f"gamma={gamma!r} must be a number ≥ 0, 'scale' or 'auto'")
        return np.inf if gamma == 0.0 else float(np.sqrt(0.5) / np.sqrt(gamma))

    return of_rows


def _spread(X: Any, weights: Floats | None) -> float:
    """The standard deviation of all entries, those of a row weighted alike."""
    n, d = X.shape
    part = np.ones(n) if weights is None else weights * (n / np.sum(weights))
    values, each = X, part[:, None]
    if sparse.issparse(X):
        rows = X.tocsr()
        values, each = rows.data, np.repeat(part, np.diff(rows.indptr))
    unit = float(np.max(np.abs(values), initial=0.0))
    if unit == 0.0 or not np.isfinite(unit):
        return 0.0
    mean = float(np.sum(each * (values / unit)) / (n * d))
    # Entries that are not stored are zeros.
    absent = n * d - float(np.sum(each)) if sparse.issparse(X) else 0.0
    squares = float(np.sum(each * (values / unit - mean) ** 2)) + absent * mean**2
    return unit * float(np.sqrt(max(squares, 0.0) / (n * d)))


def _gamma(length_scale: float) -> float:
    """γ = 1/(2ℓ²), where it is a number that keeps its digits."""
    gamma = 0.5 / length_scale / length_scale
    if gamma < np.finfo(float).tiny and np.isfinite(length_scale):
        raise ValueError(
            f"gamma is 1/(d Var X), and X has the standard deviation {length_scale:.3g}, whose square is too large; "
            "divide the columns of X by their scale (StandardScaler)"
        )
    return gamma


NAMED: dict[str, Callable[[Callable[[], float], float, float], Kernel]] = {
    "linear": lambda scale, degree, coef0: Linear(),
    "poly": lambda scale, degree, coef0: Polynomial(degree, coef0, _gamma(scale())),  # type: ignore[arg-type]
    "polynomial": lambda scale, degree, coef0: Polynomial(degree, coef0, _gamma(scale())),  # type: ignore[arg-type]
    "rbf": lambda scale, degree, coef0: RBF(scale()),
    "sigmoid": lambda scale, degree, coef0: Sigmoid(_gamma(scale()), coef0),
    "laplacian": lambda scale, degree, coef0: Laplacian(1.0 / _gamma(scale())),
    "cosine": lambda scale, degree, coef0: Cosine(),
    "chi2": lambda scale, degree, coef0: Chi2(_gamma(scale())),
    "additive_chi2": lambda scale, degree, coef0: AdditiveChi2(),
    "precomputed": lambda scale, degree, coef0: Precomputed(),
}
"""Names, as scikit-learn spells them, and what each means given ℓ, the degree and the constant."""

KERNEL_NAMES = tuple(NAMED)
