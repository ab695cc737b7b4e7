"""Interpolation of values on a regular grid, as filtering.

    f(x) = Σ_j c_j k(i₀ + t − j),  i₀ = ⌊x⌋, t = x − i₀,    c = K⁻¹y;   c = y where K is the identity       (1)
    var f(x) = k(0) − k(x)ᵀK⁻¹k(x)                                                                      (2)

x is in steps of the grid. With the boundary "gp" f is the posterior mean of a Gaussian process with the kernel k that
was observed without noise, and (2) its variance. On a grid of several axes kernel and covariance are products, so
that K⁻¹ and the sum (1) are applied along one axis after another. Unser (1999), Splines: a perfect fit for signal and
image processing, doi:10.1109/79.799930; Keys (1981), doi:10.1109/TASSP.1981.1163711.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_feature_names, check_is_fitted

from gnomon._typing import ArrayLike, Bools, Floats, MatrixLike
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters
from gnomon.base.rows import validate_rows
from gnomon.gp._grid_axis import Boundary, GridAxis, Taps
from gnomon.gp._grid_reading import KernelOfGrid, as_values, grid_axes, read_grid
from gnomon.gp._grid_values import at_points, on_axes
from gnomon.kernels import Kernel
from gnomon.numerics.linalg import NotPositiveDefiniteError
from gnomon.numerics.parallel import split_rows

__all__ = ["GridInterpolator"]

Extrapolation: TypeAlias = Literal["nearest", "linear", "mean"] | None

BLOCK = 1 << 20
"""Weights of new points that are in memory at once."""


class GridInterpolator(MultiOutputMixin, RegressorMixin, Estimator):
    """A function through values on a regular grid, equation (1), with its derivatives and its uncertainty (2).

    Parameters
    ----------
    kernel : str or Kernel, default="bspline3"
        "nearest", "linear", "catmull_rom", "sinc" and "lanczos" (sinc with a window of three steps) take the values
        as coefficients; "bspline2" to "bspline5" solve for them. A Kernel of `gnomon.kernels` is in the units of the
        axes: one of grids (`BSpline`, `CatmullRom`, `Sinc`) serves every axis, others are a product over the axes,
        such as `TensorProduct`.
    boundary : {"mirror", "periodic", "gp"}, default="mirror"
        How the coefficients continue beyond the grid: mirrored at its ends, periodically (a step follows the last
        point, then the first one comes again), or not at all, which is the Gaussian process of the values.
    extrapolate : {"nearest", "linear", "mean"}, optional
        What a point outside of the grid is given: the value at its nearest point of the grid's box; the line through
        the last two points along each axis; the mean of all values. None refuses such points.

    Attributes
    ----------
    axes_ : list of ndarray
        Coordinates along each axis.
    kernels_ : list of Kernel
        One for each axis.
    coef_ : ndarray of the shape of the values
        c of (1).
    mean_ : float or ndarray of shape (n_targets,)
        Of all values.
    jitter_ : float
        The largest amount that was added to the diagonal of K of an axis; a warning says it too.
    n_features_in_ : int
        The number of axes.
    feature_names_in_ : ndarray
        Where rows of a data frame were given.

    References
    ----------
    Unser, M. (1999). Splines: a perfect fit for signal and image processing. doi:10.1109/79.799930

    Keys, R. G. (1981). Cubic convolution interpolation for digital image processing. doi:10.1109/TASSP.1981.1163711

    Examples
    --------
    Linear interpolation: the value (1 − t) y_i + t y_{i+1} with the variance 2t(1 − t).

    >>> import numpy as np
    >>> from gnomon.gp import GridInterpolator
    >>> hat = GridInterpolator("linear").fit([1.0, 3.0, 2.0, 5.0, 4.0])
    >>> mean, std = hat.predict([[1.3]], return_std=True)
    >>> mean.round(12), (std**2).round(12)
    (array([2.7]), array([0.42]))

    An image at three times as many points along each axis:

    >>> image = np.outer(np.arange(4.0), [1.0, 2.0, 4.0])
    >>> zoomed = GridInterpolator().fit(image).predict_grid([np.linspace(0, 3, 10), np.linspace(0, 2, 7)])
    >>> zoomed.shape, bool(np.allclose(zoomed[::3, ::3], image))
    ((10, 7), True)
    """

    axes_: list[Floats]
    kernels_: list[Kernel]
    coef_: Floats

    def __init__(
        self,
        kernel: KernelOfGrid = "bspline3",
        *,
        boundary: Boundary = "mirror",
        extrapolate: Extrapolation = None,
    ):
        self.kernel = kernel
        self.boundary = boundary
        self.extrapolate = extrapolate

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the coefficients.

        Parameters
        ----------
        X : array-like
            The values themselves, on the points 0, 1, 2, … of each axis, if `y` is not given. Else a list of one
            array of equally spaced coordinates for each axis; or an array of shape (n_points, n_axes) whose rows are
            all points of such a grid, in any order.
        y : array-like, optional
            Values of shape (n_1, …, n_D), with a further dimension for several targets; of rows (n_points,) or
            (n_points, n_targets).

        Returns
        -------
        self
        """
        check_parameters(self)
        data = read_grid(X, y)
        _check_feature_names(self, None if y is None else X, reset=True)
        axes = grid_axes(data.axes, self.kernel, self.boundary)
        C, jitter = data.values, 0.0
        for d, axis in enumerate(axes):
            C, added = axis.coefficients(C, d)
            jitter = max(jitter, added)
        self._axes, self._C, self._several = axes, np.ascontiguousarray(C), data.several
        self.axes_, self.kernels_ = data.axes, [axis.kernel for axis in axes]
        self.coef_ = self._C if data.several else self._C[..., 0]
        means = np.mean(data.values, axis=tuple(range(len(axes))))
        self.mean_ = means if data.several else float(means[0])
        self.jitter_, self.n_features_in_ = jitter, len(axes)
        if jitter > 0.0:
            self._say_jitter(data.values)
        return self

    def _say_jitter(self, values: Floats) -> None:
        """By how much the values are missed; refused where nothing of them is left."""
        on_grid = on_axes(self._C, [axis.taps(np.arange(float(axis.n))) for axis in self._axes])
        missed = float(np.max(np.abs(on_grid - values)))
        text = (
            f"{self.jitter_:.3g} was added to the diagonal of the kernel matrix of an axis, which was not positive "
            f"definite: the values are missed by up to {missed:.3g}; choose a shorter length scale"
        )
        if not missed <= np.max(np.abs(values)):
            raise NotPositiveDefiniteError(text)
        warnings.warn(text, UserWarning, stacklevel=3)

    def predict(self, X: MatrixLike, return_std: bool = False, *, derivative: int | Sequence[int] | None = None) -> Any:
        """f at each row, and its standard deviation.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_axes)
        return_std : bool, default=False
        derivative : int or sequence of int, optional
            The order of the derivative along each axis; one number for a single axis.

        Returns
        -------
        mean, or (mean, std)
            Of shape (n_queries,) or (n_queries, n_targets).
        """
        check_is_fitted(self)
        X = validate_rows(self, X, dtype=float, reset=False)
        orders = self._orders(derivative, return_std)
        places = [axis.places(X[:, d]) for d, axis in enumerate(self._axes)]
        away = [self._beyond(d, u, orders) for d, u in enumerate(places)]
        taps = sum(min(axis.n, 16) if np.isfinite(axis.reach) else axis.n for axis in self._axes)
        parts = split_rows(len(X), max(1, -(-len(X) * taps // BLOCK)))
        mean = np.concatenate([at_points(self._C, self._taps([u[rows] for u in places], orders)) for rows in parts])
        if self.extrapolate == "mean":
            mean[reduce(np.logical_or, away)] = self.mean_
        mean = mean if self._several else mean[:, 0]
        return (
            (mean, self._std([axis.explained(u) for axis, u in self._with(places)], np.multiply))
            if return_std
            else mean
        )

    def predict_grid(
        self,
        axes: Sequence[ArrayLike],
        return_std: bool = False,
        *,
        derivative: int | Sequence[int] | None = None,
    ) -> Any:
        """f at all points of another grid, one axis at a time.

        Parameters
        ----------
        axes : sequence of array-like
            Coordinates along each axis, in any order and at any distances.
        return_std, derivative : as in `predict`

        Returns
        -------
        mean, or (mean, std)
            Of shape (q_1, …, q_D), with a further dimension for several targets.
        """
        check_is_fitted(self)
        if len(axes) != len(self._axes):
            raise ValueError(f"axes has {len(axes)} entries for a grid of {len(self._axes)} axes; give one for each")
        orders = self._orders(derivative, return_std)
        given = [as_values(x, f"axis {d}").astype(float) for d, x in enumerate(axes)]
        if any(x.ndim != 1 for x in given):
            raise ValueError(f"axes have shapes {[x.shape for x in given]}; give one-dimensional coordinates")
        places = [axis.places(x) for axis, x in self._with(given)]
        away = [self._beyond(d, u, orders) for d, u in enumerate(places)]
        mean = on_axes(self._C, self._taps(places, orders))
        if self.extrapolate == "mean":
            mean[reduce(np.logical_or.outer, away)] = self.mean_
        mean = mean if self._several else mean[..., 0]
        explained = [axis.explained(u) for axis, u in self._with(places)] if return_std else []
        return (mean, self._std(explained, np.multiply.outer)) if return_std else mean

    def _with(self, parts: Sequence[Floats]) -> list[tuple[GridAxis, Floats]]:
        return list(zip(self._axes, parts, strict=True))

    def _orders(self, derivative: int | Sequence[int] | None, return_std: bool) -> list[int]:
        """The order of the derivative along each axis."""
        if derivative is None:
            return [0] * len(self._axes)
        orders: Any = np.atleast_1d(derivative)
        if orders.shape != (len(self._axes),) or np.any(orders != orders.astype(int)) or np.any(orders < 0):
            raise ValueError(
                f"derivative={derivative!r} must be a whole number ≥ 0 for each of {len(self._axes)} axes, such as "
                f"{(1, *[0] * (len(self._axes) - 1))}"
            )
        if return_std and np.any(orders):
            raise ValueError("return_std gives the uncertainty of f, not that of a derivative; ask for one of them")
        return [int(order) for order in orders]

    def _beyond(self, d: int, u: Floats, orders: Sequence[int]) -> Bools:
        """Which positions lie outside of axis d; refused where nothing says what they are given."""
        axis = self._axes[d]
        away = axis.outside(u)
        if away.any() and (self.extrapolate is None or any(orders)):
            low, high = sorted((axis.start, axis.start + axis.step * (axis.n - 1)))
            found = axis.start + axis.step * u[np.argmax(away)]
            advice = (
                "derivatives exist inside only" if any(orders) else "give extrapolate='nearest', 'linear' or 'mean'"
            )
            raise ValueError(
                f"{int(away.sum())} of {len(u)} points are outside of the grid along axis {d}, such as {found:g}; it "
                f"reaches from {low:g} to {high:g}; {advice}"
            )
        return away

    def _taps(self, places: Sequence[Floats], orders: Sequence[int]) -> list[Taps]:
        """Weights of the coefficients along each axis, of points outside as `extrapolate` says."""
        return [self._axis_taps(axis, u, order) for (axis, u), order in zip(self._with(places), orders, strict=True)]

    def _axis_taps(self, axis: GridAxis, u: Floats, order: int) -> Taps:
        if self.boundary == "periodic":
            return axis.taps(u, order)
        end = np.clip(u, 0.0, axis.n - 1.0)
        taps = axis.taps(end, order)
        further = u - end
        if self.extrapolate != "linear" or not np.any(further):
            return taps
        # f(end) + further · (f(end) − f(one step inside)), in units of the step.
        inside = axis.taps(end - np.sign(further), 0)
        size = np.abs(further)[:, None]
        return Taps(
            np.hstack([taps.places, inside.places]), np.hstack([(1.0 + size) * taps.weights, -size * inside.weights])
        )

    def _std(self, explained: list[Floats], combine: Any) -> Floats:
        """The root of (2), for all targets."""
        prior = float(np.prod([axis.prior for axis in self._axes]))
        variance = prior - reduce(combine, explained)
        if np.min(variance) < -1e-8 * prior:
            raise NotPositiveDefiniteError(
                f"the posterior variance is {np.min(variance):.3g} where the prior one is {prior:.3g}: "
                f"{self.kernels_} are no covariances between the points of this grid; choose another kernel"
            )
        std = np.sqrt(np.maximum(variance, 0.0))
        return np.repeat(std[..., None], self._C.shape[-1], axis=-1) if self._several else std
