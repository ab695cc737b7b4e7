"""Posterior of one or two parameters on a grid.

    p(θ | D) = p(D | θ) p(θ) / p(D),    p(D) = ∫ p(D | θ) p(θ) dθ ≈ Σ_g v_g p(D | θ_g) p(θ_g)             (1)
    p(x | D) = ∫ p(x | θ) p(θ | D) dθ                                                              (2)

v_g are the weights of the trapezoidal rule, and sums are taken of logarithms. It asks nothing of the model but its
density, and is exact as the grid becomes fine. Gelman et al. (2013), Bayesian Data Analysis, section 10.1,
doi:10.1201/b16018.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import RegularGridInterpolator
from scipy.special import logsumexp

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions import Distribution, log_likelihood

__all__ = ["GridPosterior", "grid_posterior"]


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """The posterior law (1).

    Parameters
    ----------
    grids : tuple of ndarray
        The values of every parameter, increasing.
    log_density_grid : ndarray
        log p(θ | D) at their combinations, an axis for each parameter.
    log_evidence : float
        log p(D).
    laws : list of Distribution
        p(x | θ) at the combinations, the last parameter changing fastest; None where prior or model rule θ out.

    Attributes
    ----------
    mode, mean : float or ndarray of shape (k,)
        One number for one parameter.
    cov : float or ndarray of shape (k, k)
    probabilities : ndarray
        The shares v_g p(θ_g | D) of the combinations; they sum to one.

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 10.1. doi:10.1201/b16018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Bernoulli, Beta
    >>> from gnomon.infer import grid_posterior
    >>> found = grid_posterior(Bernoulli, [1, 1, 0], Beta(2.0, 2.0), np.linspace(0.0, 1.0, 2001))
    >>> round(found.mean, 6), round(found.mode, 6), round(float(found.predictive(1)), 6)
    (0.571429, 0.6, 0.571429)
    """

    grids: tuple[Floats, ...]
    log_density_grid: Floats
    log_evidence: float
    laws: list[Distribution | None]

    @property
    def probabilities(self) -> Floats:
        """The shares of the combinations."""
        return np.exp(self.log_density_grid + _log_volumes(self.grids))

    @property
    def points(self) -> Floats:
        """The combinations, one row each."""
        return _points(self.grids)

    @property
    def mode(self) -> Numbers:
        """The combination of greatest density."""
        return self._plain(self.points[np.argmax(self.log_density_grid)])

    @property
    def mean(self) -> Numbers:
        """E[θ | D]."""
        return self._plain(self.probabilities.ravel() @ self.points)

    @property
    def cov(self) -> Numbers:
        """The covariance of θ given D; for one parameter its variance."""
        Z = self.points - np.atleast_1d(self.mean)
        return self._plain(((Z.T * self.probabilities.ravel()) @ Z).squeeze())

    def density(self, theta: ArrayLike) -> Numbers:
        """p(θ | D), between the points of the grid by linear interpolation, and zero outside."""
        theta = np.asarray(theta, dtype=float)
        rows = theta.reshape(-1, len(self.grids))
        inside = RegularGridInterpolator(self.grids, np.exp(self.log_density_grid), bounds_error=False, fill_value=0.0)
        out = inside(rows)
        return out.reshape(theta.shape if len(self.grids) == 1 else theta.shape[:-1])[()]

    def log_predictive(self, x: ArrayLike) -> Numbers:
        """log p(x | D) of (2), for one observation or for each of several."""
        shares = (self.log_density_grid + _log_volumes(self.grids)).ravel()
        possible = [(share, law) for share, law in zip(shares, self.laws, strict=True) if law is not None]
        return logsumexp([share + law.log_density(x) for share, law in possible], axis=0)

    def predictive(self, x: ArrayLike) -> Numbers:
        """p(x | D) of (2)."""
        return np.exp(self.log_predictive(x))

    def _plain(self, value: Floats) -> Numbers:
        return float(np.squeeze(value)) if len(self.grids) == 1 else value


def grid_posterior(
    model: Callable[..., Distribution],
    X: ArrayLike,
    prior: Distribution | Callable[..., float],
    *grids: ArrayLike,
    sample_weight: ArrayLike | None = None,
) -> GridPosterior:
    """Bayes' theorem (1) for one or two parameters, whatever the model.

    Parameters
    ----------
    model : callable
        (θ₁) or (θ₁, θ₂) → the law of one observation, a `Distribution`; for example a class of distributions.
    X : array-like of shape (n,) or (n, d)
    prior : Distribution, or callable
        The law of θ, or (θ₁, …) → log p(θ); a law that does not integrate to one over the grid is taken as it is.
    *grids : array-like
        Increasing values of each parameter, which hold all but nothing of the posterior.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    GridPosterior

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 10.1. doi:10.1201/b16018

    Examples
    --------
    A Laplace likelihood has no conjugate prior:

    >>> import numpy as np
    >>> from gnomon.distributions import Laplace, Normal
    >>> from gnomon.infer import grid_posterior
    >>> found = grid_posterior(Laplace, [0.0, 1.0, 5.0], Normal(0.0, 100.0), np.linspace(-20.0, 25.0, 4501))
    >>> round(found.mean, 4), round(found.mode, 2), round(found.log_evidence, 4)
    (1.2725, 1.0, -9.7591)
    """
    axes = tuple(_checked_grid(grid, k) for k, grid in enumerate(grids))
    if len(axes) not in (1, 2):
        raise ValueError(f"{len(grids)} grids were given; one or two parameters fit on a grid, use laplace for more")
    points = _points(axes)
    log_prior = _log_prior(prior, points)
    laws = [_law_or_none(model, theta, log) for theta, log in zip(points, log_prior, strict=True)]
    joint = [
        -np.inf if law is None else log + log_likelihood(law, X, sample_weight)
        for law, log in zip(laws, log_prior, strict=True)
    ]
    log_joint = np.array(joint).reshape([axis.size for axis in axes])
    log_evidence = float(logsumexp(log_joint + _log_volumes(axes)))
    if not np.isfinite(log_evidence):
        raise ValueError(f"the evidence on the grid is exp({log_evidence}); choose grids where data and prior agree")
    return GridPosterior(axes, log_joint - log_evidence, log_evidence, laws)


def _law_or_none(model: Callable[..., Distribution], theta: Floats, log_prior: float) -> Distribution | None:
    """The law at θ; None where the prior rules θ out, or at an end of a grid that is outside the domain."""
    try:
        return model(*(float(value) for value in theta)) if log_prior > -np.inf else None
    except ValueError:
        return None


def _checked_grid(grid: ArrayLike, k: int) -> Floats:
    grid = np.asarray(grid, dtype=float)
    if grid.ndim != 1 or grid.size < 2 or not np.all(np.diff(grid) > 0.0) or not np.all(np.isfinite(grid)):
        raise ValueError(f"grid {k} must be at least two increasing numbers; sort it and drop repetitions")
    return grid


def _points(grids: Sequence[Floats]) -> Floats:
    return np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, len(grids))


def _log_volumes(grids: Sequence[Floats]) -> Floats:
    """The logarithms of the trapezoidal weights."""
    out = np.zeros(1)
    for grid in grids:
        gaps = np.concatenate([[0.0], np.diff(grid), [0.0]])
        out = np.add.outer(out, np.log(0.5 * (gaps[1:] + gaps[:-1])))
    return out[0]


def _log_prior(prior: Distribution | Callable[..., float], points: Floats) -> Floats:
    if not isinstance(prior, Distribution):
        return np.array([float(prior(*theta)) for theta in points])
    if prior.vectors or points.shape[1] > 1:
        return np.asarray(prior.row_log_density(points), dtype=float)
    return np.asarray(prior.log_density(points[:, 0]), dtype=float)
