"""What the options of a Gaussian mixture say about its covariances.

    Σⱼ + ν² I    or    eigenvalues of Σⱼ ≥ ψ    or    the mode of Σⱼ under an inverse Wishart law                  (1)

Added variance may lower the likelihood; a floor and a law never do. Hathaway (1985), doi:10.1214/aos/1176349557, on why
one of them is needed: a component on a single row has a likelihood without bound.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.distributions import InverseWishart
from gnomon.distributions.normals import COVARIANCE_SHAPES, MixtureCovarianceType
from gnomon.numerics.validation import check_choice, check_non_negative, check_numbers, check_positive
from gnomon.optim import AddedVariance, CovarianceControl, CovarianceFloor, CovariancePrior

__all__ = ["CovarianceWord", "auto_floor", "covariance_control", "covariance_kind"]

CovarianceWord: TypeAlias = MixtureCovarianceType | Literal["fixed"]
"""A covariance type, or that the covariances stay as they are given."""

SHARE = 1e-6
"""The floor of "auto", as a share of the mean variance."""


def covariance_kind(
    covariance_type: CovarianceWord, covariances_init: ArrayLike | None
) -> tuple[MixtureCovarianceType, Floats | None]:
    """The covariance type, and the covariances where they are fixed."""
    check_choice("covariance_type", covariance_type, [*COVARIANCE_SHAPES, "fixed"])
    if covariance_type != "fixed":
        return covariance_type, None
    if covariances_init is None:
        raise ValueError("covariance_type='fixed' needs covariances_init: the covariances to keep")
    cov = check_numbers("covariances_init", covariances_init)
    kinds: dict[int, MixtureCovarianceType] = {0: "tied_spherical", 1: "tied_diag", 2: "tied", 3: "full"}
    if cov.ndim not in kinds:
        raise ValueError(f"covariances_init has shape {cov.shape}; give (), (d,), (d, d) or (k, d, d)")
    return kinds[cov.ndim], cov


def covariance_control(
    reg_covar: float, cov_floor: float | None, covariance_prior: InverseWishart | None
) -> CovarianceControl:
    """One of the three ways of equation (1)."""
    check_non_negative("reg_covar", reg_covar)
    if covariance_prior is not None and cov_floor is not None:
        raise ValueError("cov_floor and covariance_prior exclude each other; give one of them")
    if covariance_prior is not None:
        if not isinstance(covariance_prior, InverseWishart):
            raise TypeError(f"covariance_prior={covariance_prior!r} must be an InverseWishart law; give one, or None")
        return CovariancePrior(covariance_prior.scale, covariance_prior.df)
    return AddedVariance(reg_covar) if cov_floor is None else CovarianceFloor(check_positive("cov_floor", cov_floor))


def auto_floor(X: Floats, weights: Floats | None) -> float:
    """A small share of the mean variance of the cells that are there."""
    s = np.broadcast_to(1.0 if weights is None else weights[:, None], X.shape)
    cells = np.ma.masked_invalid(np.asarray(X, dtype=float))
    variances = np.ma.average((cells - np.ma.average(cells, axis=0, weights=s)) ** 2, axis=0, weights=s)
    size = float(np.mean(variances))
    return SHARE * (size if size > 0.0 else 1.0)
