"""Principal component analysis.

    minimise over W (WᵀW = I)    Σᵢ sᵢ ‖xᵢ − x̄ − W Wᵀ(xᵢ − x̄)‖²                                  (1)

The columns of W are the first m eigenvectors of the covariance; z = Wᵀ(x − x̄) are the scores. Pearson (1901),
doi:10.1080/14786440109462720. As a density, with σ² the mean of the other eigenvalues: `_component_density`.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon._typing import ArrayLike, Count, CountOrZero, Floats, Matrix, MatrixLike, NonNegative, Seed, is_sparse
from gnomon.base import validate_rows
from gnomon.base.chunks import Chunks, read_chunks
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.decomposition._checked_moments import check_values, checked_moments
from gnomon.decomposition._component_density import ComponentDensity
from gnomon.decomposition._how_many import HowMany, number_asked, number_kept, reference_variances
from gnomon.decomposition._sketch import Sketch, add_to_sketch
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import (
    ITERATIVE,
    Principal,
    Route,
    choose_route,
    components_of_moments,
    principal_components,
)
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import FLOATS, check_choice
from gnomon.numerics.weights import check_weights, residual_weight

__all__ = ["PCA"]

SvdSolver: TypeAlias = Literal[
    "auto", "full", "covariance_eigh", "dual", "arpack", "randomized", "power", "incremental"
]

EXACT_SUMS = 20_000
"""Up to so many columns, chunks are added as scatter matrices; beyond, as the components kept so far."""


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """The directions of largest variance, the rows seen in them, and the density that they define.

    Parameters
    ----------
    n_components : int, float, {"mle", "parallel", "elbow"} or None, default=None
        m; a share of the variance in (0, 1] for the fewest components that reach it; "mle" by the evidence (Minka
        2000), "parallel" by comparison with permuted columns (Horn 1965), "elbow" by the profile likelihood of the
        eigenvalues (Zhu & Ghodsi 2006); None for all min(n, d).
    copy : bool, default=True
        Kept for compatibility; X is never changed.
    whiten : bool or {"pca", "zca"}, default=False
        Scores in units of their standard deviation ("pca", True), or rotated back to the columns ("zca"). Directions
        without variance are left out, with a warning.
    svd_solver : {"auto", "full", "covariance_eigh", "dual", "arpack", "randomized", "power", "incremental"}, \
            default="auto"
        See `gnomon.numerics.principal`; "auto" takes the smaller of the two symmetric matrices unless it is large and
        few components are asked for.
    tol : float, default=0.0
        Of "arpack" and "power".
    iterated_power : int or "auto", default="auto"
        Of "randomized".
    n_oversamples : int, default=10
        Of "randomized".
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Of "randomized".
    random_state : int, RandomState or None, default=None
        Of "randomized", "arpack", "power" and ``n_components="parallel"``.
    center : bool, default=True
        False for directions through the origin, as a truncated singular value decomposition.
    ddof : float, default=1
        Variances are sums divided by n − ddof; with weights n is their sum, which must be larger than `ddof`.

    Attributes
    ----------
    components_ : ndarray of shape (m, d)
        Wᵀ; the largest entry of each row is positive.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (m,)
        Eigenvalues λ of the covariance, and their shares.
    singular_values_ : ndarray of shape (m,)
        √((n − ddof) λ).
    mean_ : ndarray of shape (d,)
        x̄; zeros where rows are not centred.
    n_components_ : int
    n_samples_ : int
    noise_variance_ : float
        σ², the mean of the eigenvalues that were left out.
    error_estimate_ : float
        ‖Sv − λv‖ / λ₁ at worst, for solvers that iterate.

    References
    ----------
    Tipping, M. E. & Bishop, C. M. (1999). Probabilistic principal component analysis. doi:10.1111/1467-9868.00196

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import PCA
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]])
    >>> pca = PCA(1, ddof=0).fit(X)
    >>> pca.explained_variance_.round(6), pca.components_.round(6)
    (array([3.908568]), array([[0.779005, 0.627018]]))
    >>> W, centred = pca.components_.T, X - X.mean(axis=0)
    >>> round(float(np.sum((centred - centred @ W @ W.T) ** 2)), 6), round(8 * pca.noise_variance_, 6)
    (2.606453, 2.606453)
    """

    def __init__(
        self,
        n_components: HowMany = None,
        *,
        copy: bool = True,
        whiten: bool | Literal["pca", "zca"] = False,
        svd_solver: SvdSolver = "auto",
        tol: NonNegative = 0.0,
        iterated_power: CountOrZero | Literal["auto"] = "auto",
        n_oversamples: Count = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: Seed = None,
        center: bool = True,
        ddof: NonNegative = 1,
    ):
        store(self, locals())

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; 2 equals the row twice.

        Returns
        -------
        self
        """
        X = validate_rows(self, X, finite=False, accept_sparse=("csr", "csc"), ensure_min_samples=2)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        self._sums: Moments | Sketch | None = None
        n, d = X.shape
        few = int(self.n_components) if isinstance(self.n_components, int | np.integer) else None
        route = choose_route(n, d, few, is_sparse(X)) if self.svd_solver == "auto" else self.svd_solver
        if route == "incremental":
            return self._add(X, weights)
        m = number_asked(self.n_components, n, d, route)
        found, center = self._principal(X, weights, m, route)
        reference = reference_variances(self.n_components, X, weights, self.random_state, center=self.center)
        weight = n if weights is None else float(weights.sum())
        self._keep(found, center, n, weight, X.dtype, reference)
        kept = slice(self.n_components_)
        self._sums = Sketch(found.values[kept], found.axes[:, kept], center, weight, found.total)
        return self

    def partial_fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to those of earlier calls, and of `fit` or `fit_chunks`, which begin anew.

        Up to 20,000 columns the sums of all rows are kept, so the result is that of `fit` on all of them, in any order;
        beyond, after `fit`, or with ``svd_solver="incremental"``, the components kept so far stand for the earlier rows
        (Ross et al. 2008, doi:10.1007/s11263-007-0075-7), which is exact where none was left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        first = vars(self).get("_sums") is None
        X = validate_rows(self, X, finite=False, reset=first, accept_sparse=("csr", "csc"))
        return self._add(X, None if sample_weight is None else check_weights(sample_weight, X))

    def fit_chunks(self, chunks: Chunks) -> Self:
        """Fit to rows that come in chunks, each seen once.

        Parameters
        ----------
        chunks : iterable, or function that returns one
            Of X, or of pairs (X, sample_weight).

        Returns
        -------
        self
        """
        self._sums = None
        for X, weights in read_chunks(chunks, once=True)():
            self.partial_fit(X, sample_weight=weights)
        if self._sums is None:
            raise ValueError("chunks holds no table; give at least one")
        return self

    @staticmethod
    def merge(a: PCA, b: PCA) -> PCA:
        """The model of the rows of both, from two models that were fitted by `partial_fit`.

        Parameters
        ----------
        a, b : PCA
            With the same parameters.

        Returns
        -------
        PCA

        Examples
        --------
        >>> import numpy as np
        >>> from gnomon.decomposition import PCA
        >>> X = np.random.default_rng(0).normal(size=(20, 3))
        >>> both = PCA.merge(PCA(2).partial_fit(X[:8]), PCA(2).partial_fit(X[8:]))
        >>> bool(np.allclose(both.components_, PCA(2).fit(X).components_))
        True
        """
        first, second = (vars(model).get("_sums") for model in (a, b))
        if not (isinstance(first, Moments) and isinstance(second, Moments)):
            raise ValueError("a and b must keep the sums of their rows; fit them by partial_fit or fit_chunks")
        joint: PCA = clone(a)
        for name in ("n_features_in_", "feature_names_in_"):
            if name in vars(a):
                setattr(joint, name, getattr(a, name))
        return joint._of_sums(first + second, a.n_samples_ + b.n_samples_, a.components_.dtype)

    def transform(self, X: MatrixLike) -> Floats:
        """Scores z = Wᵀ(x − x̄), whitened where that was asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape ``(n_samples, n_components_)``, or (n_samples, n_features) with ``whiten="zca"``
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse=("csr", "csc"))
        Z = self._scores(X)
        if self.whiten:
            Z /= np.sqrt(self.explained_variance_).astype(Z.dtype)
        return Z @ self.components_.astype(Z.dtype) if self.whiten == "zca" else Z

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """Rows x̄ + W z that have these scores.

        Parameters
        ----------
        X : array-like of shape ``(n_samples, n_components_)``
            Scores, as `transform` gives them.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(X, dtype=FLOATS, input_name="X")
        if Z.shape[1] != self._n_features_out:
            raise ValueError(f"X has {Z.shape[1]} columns and transform gives {self._n_features_out}; give scores")
        if self.whiten == "zca":
            Z = Z @ self.components_.T
        if self.whiten:
            Z = Z * np.sqrt(self.explained_variance_)
        return Z @ self.components_ + self.mean_

    def reconstruction_error(
        self, X: ArrayLike, *, reduction: Literal["mean", "sum", "none"] = "mean"
    ) -> float | Floats:
        """Squared distances ‖x − x̂‖² of rows from the plane of the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        reduction : {"mean", "sum", "none"}, default="mean"
            Over the rows; "none" for one number a row.

        Returns
        -------
        float, or ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        check_choice("reduction", reduction, ("mean", "sum", "none"))
        X = validate_rows(self, X, reset=False)
        off = X - self.mean_ - self._scores(X) @ self.components_
        errors = np.einsum("ij,ij->i", off, off)
        return errors if reduction == "none" else float(errors.mean() if reduction == "mean" else errors.sum())

    @property
    def compression_ratio_(self) -> float:
        """Numbers to store for scores, components and mean, for each number of the table: (nm + md + d) / (nd)."""
        n, (m, d) = self.n_samples_, self.components_.shape
        return (n * m + m * d + d) / (n * d)

    def get_covariance(self) -> Floats:
        """W(Λ − σ²I)Wᵀ + σ²I, the covariance of the density.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        return self._density().covariance()

    def get_precision(self) -> Floats:
        """The inverse of `get_covariance`, by its eigenvalues.

        Returns
        -------
        ndarray of shape (n_features, n_features)
        """
        return self._density().precision()

    def score_samples(self, X: ArrayLike) -> Floats:
        """log p(x) of every row under the density.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        density = self._density()
        return density.log_density(validate_rows(self, X, reset=False))

    def score(self, X: ArrayLike, y: object = None) -> float:
        """The mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Floats:
        """Draw rows from the density.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._density().sample(n_samples, check_random_state(random_state))

    def _principal(self, X: Matrix, weights: Floats | None, m: int, route: Route) -> tuple[Principal, Floats]:
        """Components, and the centre that they are seen from."""
        if route == "covariance_eigh":
            return self._from_moments(checked_moments(X, weights, vars(self).get("feature_names_in_")), m)
        check_values(X, vars(self).get("feature_names_in_"))
        rows = rows_about(X, weights, center=self.center)
        found = principal_components(
            rows,
            m,
            route=route,
            tol=self.tol,
            iterated_power=self.iterated_power,
            n_oversamples=self.n_oversamples,
            normalizer=self.power_iteration_normalizer,
            # To seed a generator costs as much as a small fit.
            rng=check_random_state(self.random_state) if route in ITERATIVE else None,
        )
        return found, rows.center

    def _keep(
        self, found: Principal, center: Floats, n: int, weight: float, dtype: Any, reference: Floats | None = None
    ) -> Self:
        """Choose how many components stay, and set the attributes."""
        d = len(center)
        values, total = found.values, found.total
        divisor = float(residual_weight(weight, self.ddof)) if total > 0.0 else 1.0
        if not divisor > 0.0:
            raise ValueError(
                f"{n} rows of total weight {weight:.6g} leave nothing to divide by at ddof={self.ddof:g}; give weights "
                "with a larger sum, or ddof=0"
            )
        m = number_kept(self.n_components, values, total, weight, reference)
        if self.whiten:
            kept = int(np.sum(values[:m] > np.finfo(dtype).eps * d * values[0]))
            if kept < m:
                warnings.warn(
                    f"{m - kept} of {m} components have no variance beyond rounding, which cannot be whitened, and are "
                    f"left out; remove redundant columns, or ask for at most {kept} components",
                    LinAlgWarning,
                    stacklevel=3,
                )
                m = kept
        rest = min(n, d) - m
        self.mean_ = center.astype(dtype)
        self.components_ = np.ascontiguousarray(found.axes[:, :m].T, dtype=dtype)
        self.explained_variance_ = (values[:m] / divisor).astype(dtype)
        self.explained_variance_ratio_ = (values[:m] / total if total > 0.0 else np.zeros(m)).astype(dtype)
        self.singular_values_ = np.sqrt(values[:m]).astype(dtype)
        noise = float(max(total - values[:m].sum(), 0.0) / divisor / rest) if rest > 0 else 0.0
        self.noise_variance_ = noise if dtype == np.float64 or rest <= 0 else dtype.type(noise)
        self.error_estimate_ = found.error
        self.n_components_, self.n_samples_ = m, n
        return self

    def _add(self, X: Matrix, weights: Floats | None) -> Self:
        """Add a chunk to the sums of all rows, or to the components that stand for them."""
        sums = vars(self).get("_sums")
        seen = self.n_samples_ if sums is not None else 0
        as_components = self.svd_solver == "incremental" or X.shape[1] > EXACT_SUMS
        if isinstance(sums, Sketch) or (as_components and sums is None):
            check_values(X, vars(self).get("feature_names_in_"))
            self._sums = sums = add_to_sketch(sums, X, weights, self.n_components, center=self.center)
            found = Principal(sums.values, sums.axes, sums.total)
            return self._keep(found, sums.mean, seen + X.shape[0], sums.weight, X.dtype)
        chunk = checked_moments(X, weights, vars(self).get("feature_names_in_"))
        return self._of_sums(chunk if sums is None else sums + chunk, seen + X.shape[0], X.dtype)

    def _of_sums(self, sums: Moments, n: int, dtype: Any) -> Self:
        d, asked = len(sums.mean), self.n_components
        if isinstance(asked, str) and asked == "parallel":
            raise ValueError(
                "n_components='parallel' permutes all rows, which sums do not keep; use fit, or another rule"
            )
        self._sums = sums
        # Fewer rows so far than components asked for: as many as there are.
        asked = min(int(asked), n, d) if isinstance(asked, int | np.integer) else asked
        m = number_asked(asked, n, d, "covariance_eigh")
        return self._keep(*self._from_moments(sums, m), n, float(sums.weight), dtype)

    def _from_moments(self, sums: Moments, m: int) -> tuple[Principal, Floats]:
        center = sums.mean if self.center else np.zeros_like(sums.mean)
        return components_of_moments(sums, m, center=self.center), center

    def _scores(self, X: Any) -> Floats:
        W = self.components_.T.astype(X.dtype, copy=False)
        mean = self.mean_.astype(X.dtype, copy=False)
        return X @ W - mean @ W if is_sparse(X) else (X - mean) @ W

    def _density(self) -> ComponentDensity:
        check_is_fitted(self)
        return ComponentDensity(self.mean_, self.components_, self.explained_variance_, self.noise_variance_)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[1] if self.whiten == "zca" else self.components_.shape[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
