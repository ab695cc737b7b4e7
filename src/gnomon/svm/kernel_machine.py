"""What all kernel machines are.

    f(x) = Σᵢ βᵢ k(xᵢ, x) + b,    ‖f‖_H = √(βᵀKβ)                                                 (1)

Schölkopf, Herbrich & Smola (2001), doi:10.1007/3-540-44581-1_27.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Floats, MatrixLike, NonNegative, Numbers
from gnomon.base import count_rows, is_given_matrix, kernel_rows
from gnomon.base.estimator import Estimator
from gnomon.kernels import KernelLike
from gnomon.svm._expansion import Expansion

__all__ = ["KernelMachine"]


class KernelMachine(Estimator, metaclass=ABCMeta):
    """A model whose function is a sum of kernels at training rows, equation (1).

    Theorem (Schölkopf, Herbrich & Smola 2001): let L be any function of f(x₁) … f(xₙ) and g be increasing. Split
    f = f₁ + f₂ with f₁ in the span of k(xᵢ, ·) and f₂ orthogonal to it. Since f(xᵢ) = ⟨f, k(xᵢ, ·)⟩ = f₁(xᵢ), f₂ has no
    part in the loss, and ‖f‖² = ‖f₁‖² + ‖f₂‖²: so f₂ = 0 for the minimiser of L + g(‖f‖). It therefore has the form
    (1), with n numbers βᵢ however many features the kernel has.

    A subclass writes ``_expansion``, which gives its fitted function; everything below follows from it.

    Attributes
    ----------
    n_parameters_ : int
        Rows with a dual coefficient that is not zero; it grows with n.

    References
    ----------
    Schölkopf, B., Herbrich, R. & Smola, A. J. (2001). A generalized representer theorem.
    doi:10.1007/3-540-44581-1_27

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.svm import KernelMachine, KernelRidge
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 1.0])
    >>> model = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(X, y)
    >>> isinstance(model, KernelMachine), model.n_parameters_, round(model.rkhs_norm() ** 2, 7)
    (True, 3, 1.2795182)
    >>> model.bumps([[1.5]]).round(4), model.predict([[1.5]]).round(4)
    (array([[-0.1977,  0.8906,  0.3773]]), array([1.0702]))
    """

    kernel: KernelLike

    @abstractmethod
    def _expansion(self) -> Expansion:
        """The fitted function."""

    def check_consistent(self) -> None:
        """Refuse a function whose coefficients are not those of its rows."""
        if not {"dual_coef_", "_coef", "_coef_of_rows"} & set(vars(self)):
            return
        _, rows, coef, intercept = self._expansion()
        if isinstance(rows, np.ndarray) and rows.dtype.kind in "fiu" and rows.ndim != 2:
            raise ValueError(f"the rows have the shape {rows.shape}")
        if coef.ndim not in (1, 2) or len(coef) != count_rows(rows) or np.shape(intercept) not in ((), coef.shape[1:]):
            raise ValueError(f"coefficients of shape {coef.shape} are not those of {count_rows(rows)} rows")

    @property
    def n_parameters_(self) -> int:
        """How many training rows have a dual coefficient."""
        check_is_fitted(self)
        coef = self._expansion().coef
        return int(np.count_nonzero(np.any(coef.reshape(len(coef), -1) != 0.0, axis=1)))

    def rkhs_norm(self) -> Numbers:
        """‖f‖_H = √(βᵀKβ) of f − b, for each function where there are several.

        Returns
        -------
        float or ndarray of shape (k,)
        """
        check_is_fitted(self)
        norms = np.sqrt(self._expansion().squared_norms())
        return float(norms) if np.ndim(norms) == 0 else norms

    def bumps(self, X: MatrixLike | list[Any]) -> Floats:
        """The terms βᵢ k(xᵢ, x): f is their sum plus b.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples, n) or (n_samples, n, k)
        """
        return self._expansion().bumps(self._rows(X))

    def components(self, X: MatrixLike | list[Any]) -> Floats:
        """Σᵢ βᵢ kⱼ(xᵢ, x) for each summand kⱼ of a sum of kernels: f is their sum plus b.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_samples, p) or (n_samples, p, k)
            In the order of ``kernel.summands()``.
        """
        return self._expansion().components(self._rows(X))

    def local_score(self, X: MatrixLike, radius: NonNegative | None = None) -> Floats:
        """b + Σ βᵢ over the training rows with ‖xᵢ − x‖ ≤ radius, which f resembles where bumps are narrow.

        What lies further than 2h adds at most e⁻⁴ Σ|βᵢ| to f.

        Parameters
        ----------
        X : as in `fit`
        radius : float, optional
            2h for a Gaussian kernel exp(−r²/h²); needed for others.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, k)
        """
        return self._expansion().local_scores(self._rows(X), radius)

    def _rows(self, X: MatrixLike | list[Any]) -> Any:
        """New rows, checked against those of `fit`."""
        check_is_fitted(self)
        return kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_given_matrix(self.kernel)
        return tags
