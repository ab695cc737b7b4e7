"""Matrix factorisation.

    minimise over Z, H    ½ ‖X − Z H‖² + Ω_Z(Z) + Ω_H(H)                                          (1)

Z (n × m) says how much of each pattern a row holds, H (m × d) are the patterns. What each factor may be is an object
of `gnomon.optim.factors`: orthonormal H and free Z are principal components through the origin, one-hot Z and free H
are k-means, non-negative factors are NMF, and an L1 penalty on Z with patterns in the unit ball a sparse dictionary.
"""

from __future__ import annotations

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, Floats, MatrixLike, NonNegative, Seed, is_sparse
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.decomposition._factor_start import FactorStart, start_factors
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.validation import FLOATS
from gnomon.optim import Factors, factorize, half_square, warn_unless_converged
from gnomon.optim.factors import Constraint, as_constraint
from gnomon.optim.solution import Solution

__all__ = ["MatrixFactorization"]

StartWord: TypeAlias = Literal["random", "nndsvd", "pca", "kmeans"]


ADVICE = "squared distances are made of them, so scale X first, for example with MaxNormScaler"


class MatrixFactorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """X ≈ Z H with a constraint on each factor, equation (1).

    Parameters
    ----------
    n_components : int, default=2
        m.
    left, right : Constraint, penalty, callable prox or None, default=None
        What Z and H may be; None for any numbers. See `gnomon.optim.factors`.
    init : {"random", "nndsvd", "pca", "kmeans"}, default="random"
        Where the factors start; afterwards they are moved into their constraints.
    n_init : int, default=1
        Starts; the best is kept.
    tol : float, default=1e-6
        Stop when a round lowers (1) by at most this share of it.
    max_iter : int, default=1000
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    components_ : ndarray of shape (m, d)
        H.
    codes_ : ndarray of shape (n, m)
        Z of the training rows.
    objective_ : float
        The value of (1).
    restarts_ : ndarray of shape (n_init,)
    reconstruction_err_ : float
        ‖X − Z H‖ over the cells that are known.
    history_ : dict of str to ndarray
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str

    References
    ----------
    Udell, M. et al. (2016). Generalized low rank models. doi:10.1561/2200000055

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import MatrixFactorization
    >>> from gnomon.optim.factors import OneHot
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> groups = MatrixFactorization(2, left=OneHot(), init="kmeans", random_state=0).fit(X)
    >>> np.sort(groups.components_.ravel()).round(6), round(2 * groups.objective_, 6)
    (array([ 0.5, 10.5]), 1.0)
    """

    def __init__(
        self,
        n_components: Count = 2,
        *,
        left: Any = None,
        right: Any = None,
        init: StartWord = "random",
        n_init: Count = 1,
        tol: NonNegative = 1e-6,
        max_iter: Count = 1000,
        random_state: Seed = None,
    ):
        self.n_components = n_components
        self.left = left
        self.right = right
        self.init = init
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: object = None, mask: ArrayLike | None = None) -> Self:
        """Find both factors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        mask : array-like of shape (n_samples, n_features), optional
            Weights of cells in [0, 1], or True where a cell is known; a cell of weight 0 may be NaN.

        Returns
        -------
        self
        """
        X, weights = _known(self, X, mask)
        check_squares(X, ADVICE)
        rng = check_random_state(self.random_state)
        left, right = as_constraint(self.left, "left"), as_constraint(self.right, "right")
        runs = [self._run(X, weights, left, right, rng) for _ in range(self.n_init)]
        values = np.array([run.objective for run in runs])
        best: Solution[Factors] = runs[int(np.argmin(values))]
        self.codes_, self.components_ = best.w
        error = half_square(X, *best.w, weights)
        self.objective_ = error + left.value(self.codes_) + right.value(self.components_.T)
        self.restarts_ = values
        self.reconstruction_err_ = float(np.sqrt(2.0 * error))
        self.history_, self.n_iter_ = best.history, best.n_iter
        self.converged_, self.stop_reason_ = best.converged, best.stop_reason
        warn_unless_converged(best, self.max_iter)
        return self

    def fit_transform(self, X: MatrixLike, y: object = None, mask: ArrayLike | None = None) -> Floats:
        """Fit, and the codes Z of the training rows.

        Parameters
        ----------
        X, y, mask
            As in `fit`.

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        return self.fit(X, mask=mask).codes_

    def transform(self, X: MatrixLike) -> Floats:
        """Codes of rows with the patterns as they are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        return best_codes(X, self.components_, as_constraint(self.left), self.tol, self.max_iter)

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """Z H, the rows that codes stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, m)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(X, dtype=FLOATS, input_name="X")
        if Z.shape[1] != len(self.components_):
            raise ValueError(f"X has {Z.shape[1]} columns and there are {len(self.components_)} patterns; give codes")
        return Z @ self.components_

    def _run(
        self, X: Any, weights: Floats | None, left: Constraint, right: Constraint, rng: np.random.RandomState
    ) -> Solution[Factors]:
        start = start_factors(X, self.n_components, FactorStart(self.init), rng)
        Z = left.start(start.left)
        # Patterns that fit the codes at once: a scale of Z that a constraint forbids is taken up by H.
        H = right.update(right.start(np.ascontiguousarray(start.right.T)), Z.T @ Z, np.asarray(X.T @ Z)).T
        return factorize(X, Factors(Z, H), left, right, mask=weights, tol=self.tol, max_iter=self.max_iter)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def best_codes(X: Any, H: Floats, constraint: Constraint, tol: float, max_iter: int) -> Floats:
    """The codes of least (1) with H fixed, by updates until they rest.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition.matrix_factorization import best_codes
    >>> from gnomon.optim.factors import NonNegative
    >>> best_codes(np.array([[2.0, -1.0]]), np.eye(2), NonNegative(), 1e-6, 100)
    array([[2., 0.]])
    """
    G, B = H @ H.T, np.asarray(X @ H.T)
    Z = constraint.update(np.zeros_like(B), G, B)
    for _ in range(max_iter):
        before, Z = Z, constraint.update(Z, G, B)
        if np.max(np.abs(Z - before), initial=0.0) <= tol * np.max(np.abs(Z), initial=0.0):
            break
    return Z


def _known(estimator: Estimator, X: Any, mask: Any) -> tuple[Array, Floats | None]:
    """Rows without gaps, and the weights of cells."""
    if mask is None:
        return validate_rows(estimator, X, accept_sparse="csr"), None
    if is_sparse(X):
        raise ValueError("mask needs a dense X: zeros of a sparse matrix are known cells; give an array")
    X = validate_rows(estimator, X, finite=False)
    weights = check_array(mask, dtype=X.dtype, input_name="mask")
    if weights.shape != X.shape or np.min(weights) < 0.0 or np.max(weights) > 1.0:
        raise ValueError(f"mask of shape {weights.shape} must have the shape {X.shape} of X and weights in [0, 1]")
    if not np.all(np.isfinite(X[weights > 0.0])):
        raise ValueError("X contains NaN or infinity in a cell that mask says is known; set its weight to 0")
    # The mean of the known cells of a column stands for the others at the start; their weight is 0 afterwards.
    filled = np.where(weights > 0.0, X, 0.0)
    means = (filled * weights).sum(axis=0) / np.maximum(weights.sum(axis=0), np.finfo(float).tiny)
    return np.where(weights > 0.0, filled, means), weights
