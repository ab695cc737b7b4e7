"""The empirical kernel map: coordinates in which a kernel is an inner product.

    K = U Λ Uᵀ,    xᵢ ↦ row i of R = U Λ^½,    x ↦ Λ^{−½} Uᵀ k(x),    R Rᵀ = K                        (1)

A linear model on R is the kernel model on the rows. Schölkopf, Mika, Burges, Knirsch, Müller, Rätsch & Smola (1999),
Input space versus feature space in kernel-based methods, doi:10.1109/72.788641.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from gnomon._typing import Count, Floats, MatrixLike, NonNegative
from gnomon.base import kernel_of
from gnomon.features._kernel_map import KernelMap, warn_of_negative
from gnomon.kernels import Kernel, KernelLike
from gnomon.numerics.scatter import fix_signs

__all__ = ["EmpiricalKernelMap"]


class EmpiricalKernelMap(KernelMap):
    """Coordinates (1) of rows whose inner products are the kernel.

    Parameters
    ----------
    kernel : Kernel, callable or str, default="rbf"
        A name as in scikit-learn, or "precomputed".
    n_components : int, optional
        The first coordinates alone, those of the largest λ; None for all.
    gamma : float, optional
        Of a kernel that is named; None for 1/d.
    degree, coef0 : float
        Of a kernel that is named.
    tol : float, default=1e-10
        Coordinates with λ ≤ tol · λ_max are left out.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (m,)
        λ, largest first.
    eigenvectors_ : ndarray of shape (n, m)
        U; the largest entry of each is positive.
    embedding_ : ndarray of shape (n, m)
        R, the training rows.
    X_fit_ : ndarray, sparse matrix or list
        The training rows.

    References
    ----------
    Schölkopf, B. et al. (1999). Input space versus feature space in kernel-based methods. doi:10.1109/72.788641

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import EmpiricalKernelMap
    >>> from gnomon.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> R = EmpiricalKernelMap(RBF()).fit_transform(X)
    >>> np.allclose(R @ R.T, RBF().gram(X))
    True
    """

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        n_components: Count | None = None,
        *,
        gamma: NonNegative | None = None,
        degree: NonNegative = 3,
        coef0: float = 1.0,
        tol: NonNegative = 1e-10,
    ):
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol

    def fit_transform(self, X: MatrixLike | list[Any], y: object = None) -> Floats:
        """Learn the map, and R of the training rows.

        Parameters
        ----------
        X : as in `fit`
        y : ignored

        Returns
        -------
        R : ndarray of shape (n_samples, m)
        """
        return self.fit(X).embedding_

    def _read(self, rows: Any) -> Kernel:
        return kernel_of(self, rows)

    def _learn(self, rows: Any) -> None:
        K = self._kernel.against(rows).matrix()
        values, U = eigh(0.5 * (K + K.T), check_finite=False)
        values, U = values[::-1], U[:, ::-1]
        share = max(self.tol, len(K) * float(np.finfo(K.dtype).eps))
        warn_of_negative(values, share, "negative ones go", stacklevel=3)
        m = max(1, int(np.sum(values > share * max(float(values[0]), 0.0))))
        m = m if self.n_components is None else min(m, self.n_components)
        self.X_fit_ = rows
        self.eigenvalues_, self.eigenvectors_ = values[:m], fix_signs(U[:, :m])
        self.embedding_ = self.eigenvectors_ * np.sqrt(np.maximum(self.eigenvalues_, 0.0))

    def _map(self, rows: Any) -> Floats:
        roots = np.sqrt(np.maximum(self.eigenvalues_, 0.0))
        start = np.zeros(self.eigenvectors_.shape, dtype=roots.dtype)
        whiten = np.divide(self.eigenvectors_, roots, out=start, where=roots > 0.0)
        return self._kernel.against(self.X_fit_).gram(rows) @ whiten

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)
