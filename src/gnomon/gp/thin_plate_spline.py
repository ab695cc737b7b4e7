"""Thin-plate splines through scattered points.

    f(x) = a₀ + aᵀx + Σᵢ wᵢ φ(‖x − xᵢ‖),    Σ wᵢ = 0,  Σ wᵢxᵢ = 0                                            (1)
    φ(r) = r³ for one column, r² log r for two, −r for three or more                                       (2)
    [[Φ + λI, T], [Tᵀ, 0]] [w; a] = [y; 0],    T = [1 X]                                                   (3)

f minimises Σ (yᵢ − f(xᵢ))² + λ wᵀΦw. For up to three columns wᵀΦw is ∫ ‖∇²f‖² up to a constant; for d > 3 columns the
squared Fourier transform in that integral is weighted by ‖ω‖^(d−3), which makes f continuous. With λ = 0 f
passes through the points with the least bending; in one column it is the natural cubic spline. Duchon (1977),
doi:10.1007/BFb0086566; Wahba (1990), section 2.4, doi:10.1137/1.9781611970128. (3) is solved on the complement of the
columns of T, where Φ is positive definite, with rows and columns divided by √(1 + λᵢ): rows of tiny weights, whose λᵢ
are huge, then cost the others no digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats, MatrixLike, NonNegative
from gnomon.base.estimator import Estimator
from gnomon.base.rows import validate_rows
from gnomon.gp._merge import merge_duplicates
from gnomon.numerics.linalg import factor_covariance
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.validation import FLOATS
from gnomon.numerics.weights import check_weights

__all__ = ["ThinPlateSpline"]

BLOCK = 1 << 22
"""Distances of new points to the given ones that are in memory at once."""

MISSED = 1e-6
"""How far the spline may miss values, relative to the largest, without a word where they should be met exactly."""

MOST = 1e200
"""λ in units of φ from which on only the affine part is left."""


class _Plate(NamedTuple):
    """φ as a function of r, the degree of its units, and ∫ ‖∇²f‖² over wᵀΦw."""

    profile: Callable[[Floats], Floats]
    degree: int
    energy: float


def _log_profile(r: Floats) -> Floats:
    return r**2 * np.log(np.where(r > 0.0, r, 1.0))


PLATES = {
    1: _Plate(lambda r: r**3, 3, 12.0),
    2: _Plate(_log_profile, 2, 8.0 * np.pi),
    3: _Plate(np.negative, 1, 8.0 * np.pi),
}
"""By the number of columns; 3 for more than three."""


class ThinPlateSpline(MultiOutputMixin, RegressorMixin, Estimator):
    """The smoothest function through scattered points, (1).

    It has no length scale to choose; turning or shifting the points turns or shifts the function.

    Parameters
    ----------
    smoothing : float, default=0.0
        λ ≥ 0; with 0 the points are met exactly.

    Attributes
    ----------
    weights_ : ndarray of shape (n_points,) or (n_points, n_targets)
        w.
    affine_ : ndarray of shape (n_features + 1,) or (n_features + 1, n_targets)
        a₀ and a.
    bending_energy_ : float
        ∫ ‖∇²f‖², summed over targets; for more than three columns 8π wᵀΦw.
    objective_ : float
        Σ (yᵢ − f(xᵢ))² + λ wᵀΦw.
    jitter_ : float
        What was added to λ so that (3) could be solved, where points are nearly equal. A warning says it, and how far
        values are missed.
    X_fit_ : ndarray of shape (n_points, n_features)
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Duchon, J. (1977). Splines minimizing rotation-invariant semi-norms in Sobolev spaces. doi:10.1007/BFb0086566

    Examples
    --------
    A plate held at the corners of a square and lifted by one in the middle:

    >>> import numpy as np
    >>> from gnomon.gp import ThinPlateSpline
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> plate = ThinPlateSpline().fit(X, [0.0, 0.0, 0.0, 0.0, 1.0])
    >>> plate.weights_.round(6), plate.predict([[0.25, 0.25]]).round(6), round(plate.bending_energy_, 6)
    (array([-0.480898, -0.480898, -0.480898, -0.480898,  1.923593]), array([0.588571]), 48.345175)
    """

    _stored: ClassVar[dict[str, str]] = {"_points": "(n_points, n_features)", "_centre": "(n_features,)"}

    weights_: Floats
    affine_: Floats
    X_fit_: Floats

    def __init__(self, smoothing: NonNegative = 0.0):
        self.smoothing = smoothing

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve (3).

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            At least one more point than columns, not all on a line (in a plane).
        y : array-like of shape (n_points,) or (n_points, n_targets)
        sample_weight : array-like of shape (n_points,), optional
            Of the squared errors; needs ``smoothing`` > 0 to have an effect.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True, ensure_min_samples=2)
        dtype, X = X.dtype, X.astype(float)
        plate, Y = _plate_of(X), np.reshape(y, (len(y), -1)).astype(float)
        s = check_weights(sample_weight, X)
        kept = np.flatnonzero(s > 0.0)
        X, Y, s = X[kept], Y[kept], s[kept]
        kept = merge_duplicates(X, Y, np.full(len(Y), self.smoothing), advice="give smoothing > 0")
        X, Y, s = X[kept], Y[kept], s[kept]
        self._centre, self._unit = X.mean(axis=0), float(np.max(np.abs(X - X.mean(axis=0)))) or 1.0
        U = (X - self._centre) / self._unit
        penalty = min(_over(self.smoothing, self._unit, plate.degree), MOST)
        found = _solve(plate, U, Y, penalty / s)
        self._solution, self._points, self.X_fit_ = found, U, X
        self._report(plate, Y, s, penalty, y.ndim, dtype)
        return self

    def check_consistent(self) -> None:
        """Refuse a solution of other points or columns than those of the model."""
        here = vars(self)
        if "_solution" in here and self._solution.a.shape[0] != self.n_features_in_ + 1:
            raise ValueError(f"the affine part is not of {self.n_features_in_} columns")
        if "_solution" in here and len(self._solution.w) != len(self._points):
            raise ValueError(f"the weights are not of {len(self._points)} points")

    def predict(self, X: MatrixLike) -> Floats:
        """f of every row.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_targets)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, dtype=float, reset=False)
        U = (X - self._centre) / self._unit
        values = _values(_plate_of(U), self._points, self._solution, U).astype(self.weights_.dtype)
        return values if self.weights_.ndim == 2 else values[:, 0]

    def _report(self, plate: _Plate, Y: Floats, s: Floats, penalty: float, ndim: int, dtype: Any) -> None:
        """The solution in the units of the user."""
        w, a, squares, jitter = self._solution
        weights = _over(w, self._unit, plate.degree)
        slopes = a[1:] / self._unit
        if plate.profile is _log_profile:
            # log(r/u) = log r − log u, and Σ wᵢ‖x − xᵢ‖² is affine where (1) holds.
            shift = -np.log(self._unit) * weights
            X = self.X_fit_ - self._centre
            constant = a[:1] + np.sum(np.sum(X**2, axis=1)[:, None] * shift, axis=0)
            affine = np.vstack([constant, slopes - 2.0 * X.T @ shift])
        else:
            affine = np.vstack([a[:1], slopes])
        affine[0] -= self._centre @ affine[1:]
        residuals = Y - _values(plate, self._points, self._solution, self._points)
        bending = float(np.sum(squares))
        self.bending_energy_ = plate.energy * _over(bending, self._unit, plate.degree)
        self.objective_ = float(np.sum(s[:, None] * residuals**2)) + penalty * bending
        self.jitter_ = _over(jitter, 1.0 / self._unit, plate.degree)
        missed = float(np.max(np.abs(residuals))) if penalty == 0.0 else 0.0
        if jitter > 0.0 or missed > MISSED * np.max(np.abs(Y)):
            warnings.warn(
                f"points are so near to each other that the spline misses their values by up to {missed:.3g}, with "
                f"smoothing={self.jitter_:.3g} more; give smoothing, or merge them",
                UserWarning,
                stacklevel=3,
            )
        parts = (weights.astype(dtype), affine.astype(dtype))
        self.weights_, self.affine_ = (part if ndim == 2 else part[:, 0] for part in parts)


class _Solution(NamedTuple):
    """w, a and wᵀΦw of each target, and what was added to λ.

    Fields
    ------
    w : ndarray of shape (n_points, n_targets)
    a : ndarray of shape (d + 1, n_targets)
    squares : ndarray of shape (n_targets,)
    jitter : float
    """

    w: Floats
    a: Floats
    squares: Floats
    jitter: float


def _plate_of(X: Floats) -> _Plate:
    return PLATES[min(X.shape[1], 3)]


def _over(values: Any, unit: float, degree: int) -> Any:
    """values/unitᵈ, where the power itself may be beyond all floating-point numbers."""
    with np.errstate(over="ignore"):
        for _ in range(degree):
            values = values / unit
    return values


def _solve(plate: _Plate, U: Floats, Y: Floats, diagonal: Floats) -> _Solution:
    """(3) on the complement of T."""
    n, d = U.shape
    _check_affine(U)
    # Rows and columns times s: SΦS + SλS has entries below max Φ + 1, however large λ is.
    s = 1.0 / np.sqrt(1.0 + diagonal)
    T = s[:, None] * np.hstack([np.ones((n, 1)), U])
    Q, R = linalg.qr(T)
    Phi = plate.profile(cdist(U, U))
    A = s[:, None] * Phi * s
    A[np.diag_indices(n)] += s * diagonal * s
    inside, outside, Y = Q[:, : d + 1], Q[:, d + 1 :], s[:, None] * Y
    v, jitter = np.zeros_like(Y), 0.0
    if n > d + 1:
        precision = factor_covariance(outside.T @ A @ outside)
        v, jitter = outside @ precision.solve(outside.T @ Y), precision.jitter
    a = linalg.solve_triangular(R[: d + 1], inside.T @ (Y - A @ v))
    w = s[:, None] * v
    return _Solution(w, a, np.sum(w * (Phi @ w), axis=0), jitter)


def _check_affine(U: Floats) -> None:
    """Refuse points that leave the affine part of (1) free."""
    n, d = U.shape
    pivots = np.abs(np.diagonal(linalg.qr(np.hstack([np.ones((n, 1)), U]), mode="r")[0]))
    if n < d + 1 or np.min(pivots) < 1e-10 * np.max(pivots):
        shape = ("in the same place", "on one line", "in one plane")[min(d, 3) - 1]
        constant = np.flatnonzero(np.ptp(U, axis=0) == 0.0).tolist()
        advice = f"columns {constant} are constant, drop them" if constant else "drop columns that depend on others"
        raise ValueError(
            f"the {n} different points are all {shape}, which leaves the affine part of a spline of {d} columns free; "
            f"give at least {d + 1} points in general position, or {advice}"
        )


def _values(plate: _Plate, points: Floats, found: _Solution, U: Floats) -> Floats:
    """(1), in the units of the solution, some rows at a time."""
    parts: list[Any] = []
    for rows in split_rows(len(U), max(1, -(-len(U) * len(points) // BLOCK))):
        block = U[rows]
        parts.append(found.a[0] + block @ found.a[1:] + plate.profile(cdist(block, points)) @ found.w)
    return np.concatenate(parts)
