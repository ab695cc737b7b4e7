"""What networks of radial functions share: centres, widths, and one least-squares problem.

    h(x) = Σ_k w_k exp(−γ_k ‖x − μ_k‖²) + b                                                                          (1)

Centres by k-means do not look at y: Moody & Darken (1989), doi:10.1162/neco.1989.1.2.281; the width of centres that
are d_max apart, γ = K/d_max²: Haykin (1999), Neural Networks, section 5.13.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats, MatrixLike, Positive
from gnomon.base import validate_rows, warn_of_wild_scales
from gnomon.base.estimator import Estimator
from gnomon.kernels import read_kernel
from gnomon.optim import kmeans, radial_design, radial_network, seed_centers, warn_unless_converged

__all__ = ["Centers", "RadialModel", "Widths"]

Centers: TypeAlias = Literal["all", "kmeans", "random"] | ArrayLike
Widths: TypeAlias = Positive | Literal["scale", "dmax"] | ArrayLike

DEFAULT_CENTERS = 10
DEFAULT_STARTS = 3

BLOCK = 2**22
"""Entries of Φ at a time."""


class RadialModel(Estimator):
    """Base of the networks of this module; a subclass says what the targets are."""

    centers: Centers
    n_centers: int | None
    gamma: Widths
    mode: Literal["interpolate", "lstsq"]
    lam: float
    fit_intercept: bool
    learn_gamma: bool | Literal["loo"]
    n_init: int | None
    max_iter: int
    tol: float
    random_state: Any

    def _fit_network(self, X: Floats, Y: Floats, weights: Floats) -> None:
        """Choose centres and widths, solve for the weights, and keep what was found."""
        self._refuse_what_is_unused()
        warn_of_wild_scales(self, X, stacklevel=4)
        self.centers_ = self._choose_centers(X, weights)
        start = self._read_widths(X, weights)
        rows, targets, s = X, Y, weights
        if self.mode == "interpolate":
            rows, targets, s = merged(X, Y, weights)
        found = radial_network(
            rows, targets, self.centers_, start, s, mode=self.mode, lam=self.lam, intercept=self.fit_intercept,
            learn=LEARN[self.learn_gamma], tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        self.gamma_ = found.gamma if np.ndim(self.gamma) else float(found.gamma[0])
        self._coef, self._b = found.coef, found.intercept
        residuals = radial_design(X, self.centers_, found.gamma) @ found.coef + found.intercept - Y
        self.objective_ = float(np.sum(weights @ residuals**2) + self.lam * np.sum(found.coef**2))
        self.condition_, self.loo_residuals_ = found.condition, found.loo_residuals
        self._keep_solution(found.solution)
        self.n_parameters_ = self._count_parameters(Y.shape[1])

    def _keep_solution(self, solution: Any) -> None:
        if solution is None:
            self.history_: Any = {"iteration": np.zeros(1, dtype=int), "objective": np.array([self.objective_])}
            self.n_iter_, self.converged_, self.stop_reason_ = 1, True, "exact"
            return
        warn_unless_converged(solution, self.max_iter, stacklevel=5)
        self.history_, self.n_iter_ = solution.history, solution.n_iter
        self.converged_, self.stop_reason_ = solution.converged, solution.stop_reason

    def _outputs(self, X: MatrixLike) -> Floats:
        """h(x) for each target."""
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False)
        size = max(1, BLOCK // len(self.centers_))
        blocks = [
            radial_design(rows[i : i + size], self.centers_, self.gamma_) @ self._coef + self._b
            for i in range(0, len(rows), size)
        ]
        return np.concatenate(blocks).astype(rows.dtype, copy=False)

    # Centres and widths.

    def _choose_centers(self, X: Floats, weights: Floats) -> Floats:
        if isinstance(self.centers, str):
            return CHOICES[self.centers](self, X, weights)
        centers = np.asarray(self.centers, dtype=float)
        if centers.ndim != 2 or centers.shape[1] != X.shape[1] or not len(centers) or not np.all(np.isfinite(centers)):
            raise ValueError(
                f"centers has shape {centers.shape}; give finite rows with {X.shape[1]} columns, as X has, or one of "
                f"{list(CHOICES)}"
            )
        return centers

    def _number(self, X: Floats) -> int:
        k = DEFAULT_CENTERS if self.n_centers is None else self.n_centers
        if k > len(X):
            raise ValueError(f"n_centers={k} must be at most n_samples = {len(X)}, the number of rows; give fewer")
        return k

    def _read_widths(self, X: Floats, weights: Floats) -> Floats:
        """γ of shape (1,) or (K,)."""
        if isinstance(self.gamma, str):
            found = WIDTHS[self.gamma](X, weights, self.centers_)
            if found < np.finfo(float).tiny:
                raise ValueError(
                    f"gamma={self.gamma!r} is one over a square of distances in X, which has entries up to "
                    f"{np.max(np.abs(X)):.3g}; divide the columns of X by their scale (StandardScaler)"
                )
            return np.array([found])
        gamma = np.atleast_1d(np.asarray(self.gamma, dtype=float))
        if gamma.ndim != 1 or len(gamma) not in {1, len(self.centers_)} or not np.all((gamma > 0) & np.isfinite(gamma)):
            raise ValueError(
                f"gamma={self.gamma!r} must be a positive number, one for each of {len(self.centers_)} centres, "
                "'scale' or 'dmax'"
            )
        return gamma

    def _refuse_what_is_unused(self) -> None:
        word = self.centers if isinstance(self.centers, str) else "an array"
        if self.n_centers is not None and word in ("all", "an array"):
            raise ValueError(f"n_centers={self.n_centers} has no use with centers={word}; leave it out")
        if self.n_init is not None and word != "kmeans":
            raise ValueError(f"n_init={self.n_init} has no use with centers={word}; leave it out")
        if self.mode == "interpolate" and (word != "all" or self.lam > 0.0 or self.fit_intercept):
            raise ValueError(
                f"mode='interpolate' needs centers='all', lam=0 and no intercept; found centers={word}, "
                f"lam={self.lam}, fit_intercept={self.fit_intercept}; use mode='lstsq'"
            )
        if self.learn_gamma is True and word == "all" and self.lam == 0.0:
            raise ValueError(
                "learn_gamma=True with centers='all' has nothing to lower: the rows are interpolated for every gamma; "
                "use learn_gamma='loo', fewer centres, or lam"
            )
        if self.learn_gamma == "loo" and word == "all" and self.lam == 0.0 and self.mode == "lstsq":
            raise ValueError("learn_gamma='loo' with centers='all' needs mode='interpolate', or lam: Φ is square")
        if self.learn_gamma == "loo" and not isinstance(self.gamma, str) and np.ndim(self.gamma):
            raise ValueError("learn_gamma='loo' finds one gamma for all centres; give one number to start from")

    def _count_parameters(self, n_outputs: int) -> int:
        """Weights; centres that were chosen; widths that were learned; intercepts."""
        K, d = self.centers_.shape
        chosen = K * d if isinstance(self.centers, str) and self.centers != "all" else 0
        learned = np.size(self.gamma_) if self.learn_gamma else 0
        return K * n_outputs + chosen + learned + n_outputs * self.fit_intercept


def distinct_rows(X: Floats) -> tuple[Any, Any]:
    """Where each distinct row first is, in that order, and the place of every row among them."""
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    return first[order], place[np.ravel(inverse)]


def merged(X: Floats, Y: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Distinct rows with the mean of the targets of equal ones: no function interpolates different ones."""
    first, place = distinct_rows(X)
    mass: Floats = np.bincount(place, weights).astype(float)
    means = np.column_stack([np.bincount(place, weights * y) / mass for y in Y.T])
    spread = np.abs(means[place] - Y).max(initial=0.0)
    if spread > 1e-9 * np.abs(Y).max(initial=0.0):
        warnings.warn(
            "equal rows have different targets, which no function interpolates: their mean is taken; use mode='lstsq'",
            UserWarning,
            stacklevel=5,
        )
    return X[first], means, mass


def _by_kmeans(model: RadialModel, X: Floats, weights: Floats) -> Floats:
    """The best of several runs of k-means."""
    k, rng = model._number(X), check_random_state(model.random_state)
    starts = DEFAULT_STARTS if model.n_init is None else model.n_init
    runs = [kmeans(X, X[seed_centers(X, k, rng, weights)], weights) for _ in range(starts)]
    model.restarts_ = np.array([run.objective for run in runs])
    return runs[int(np.argmin(model.restarts_))].centers


def _by_chance(model: RadialModel, X: Floats, weights: Floats) -> Floats:
    rng = check_random_state(model.random_state)
    return X[np.sort(seed_centers(X, model._number(X), rng, weights, method="random"))]


def _of_spread(X: Floats, weights: Floats, centers: Floats) -> float:
    """1/(d Var X), as of a kernel that is named."""
    kernel: Any = read_kernel("rbf", X, weights=weights)
    return 0.5 / kernel.scale / kernel.scale


def _dmax(X: Floats, weights: Floats, centers: Floats) -> float:
    """K/d_max² for the largest distance of two centres."""
    unit = float(np.max(np.abs(centers), initial=0.0)) or 1.0
    farthest = float(np.max(pdist(centers / unit), initial=0.0))
    if farthest == 0.0:
        raise ValueError("gamma='dmax' needs two different centres; give gamma as a number")
    return len(centers) / farthest / farthest / unit / unit


LEARN: dict[Any, Any] = {False: "no", True: "training", "loo": "loo"}
CHOICES: dict[str, Callable[[RadialModel, Floats, Floats], Floats]] = {
    "all": lambda model, X, weights: X[distinct_rows(X)[0]],
    "kmeans": _by_kmeans,
    "random": _by_chance,
}
WIDTHS: dict[str, Callable[[Floats, Floats, Floats], float]] = {
    "scale": _of_spread,
    "dmax": _dmax,
}
