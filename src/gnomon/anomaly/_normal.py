"""One normal law from rows, for the detectors: refused with the columns and the remedies where rows do not give it."""

import warnings

import numpy as np

from gnomon.distributions import Normals
from gnomon.distributions.normals import covariances_of
from gnomon.numerics.shrinkage import ledoit_wolf_share, oas_share, quartic_sums, shrink_cov
from gnomon.numerics.streaming import group_moments
from gnomon.numerics.validation import check_choice, check_integer, check_interval

__all__ = ["fit_normal"]

TYPES = ("full", "diag", "spherical")
ESTIMATED = ("ledoit_wolf", "oas")


def fit_normal(X, weights, *, covariance_type, ddof, shrinkage, columns=None):
    """A `Normals` of one law, its covariance drawn by `shrinkage` to a multiple of the identity."""
    check_choice("covariance_type", covariance_type, TYPES)
    check_integer("ddof", ddof, 0)
    one = np.zeros(len(X), dtype=int)
    found = group_moments(X, one, 1, weights, diagonal=covariance_type != "full")
    _refuse_few_rows(found, covariance_type, ddof, shrinkage)
    share = _share(shrinkage, covariance_type, found, X, one, weights)
    cov = covariances_of(found.scatter, found.weight - ddof, covariance_type)
    _refuse_constant(cov[0], found.mean[0], share, columns)
    return _factored(Normals(found.mean, _shrunk(cov, share, covariance_type), covariance_type))


def _refuse_few_rows(found, covariance_type, ddof, shrinkage):
    N, d = float(found.weight[0]), found.mean.shape[1]
    if not max(ddof, 1) < N:
        raise ValueError(f"n_samples={N:g} rows leave no variance at ddof={ddof}; give more rows")
    if covariance_type != "full" or d < N:
        return
    what = f"N={N:g} rows are too few for a full covariance of d={d} columns"
    if shrinkage is None or shrinkage == 0.0:
        raise ValueError(
            f"{what}; give more rows, covariance_type='diag', shrinkage='ledoit_wolf' or a share such as 0.1"
        )
    warnings.warn(f"{what} by themselves: the regularisation decides", UserWarning, stacklevel=6)


def _share(shrinkage, covariance_type, found, X, one, weights):
    if shrinkage is None:
        return 0.0
    if not isinstance(shrinkage, str):
        return check_interval("shrinkage", shrinkage, 0.0, 1.0)
    check_choice("shrinkage", shrinkage, ESTIMATED)
    if covariance_type != "full":
        raise ValueError(f"shrinkage={shrinkage!r} weighs correlations; give a number, or covariance_type='full'")
    cov = covariances_of(found.scatter, found.weight, "full")
    if shrinkage == "oas":
        return float(oas_share(cov, found.weight)[0])
    return float(ledoit_wolf_share(cov, found.weight, quartic_sums(X, one, found, weights))[0])


def _shrunk(cov, share, covariance_type):
    if share == 0.0 or covariance_type == "spherical":
        return cov
    if covariance_type == "full":
        return shrink_cov(cov, share)
    return (1.0 - share) * cov + share * np.mean(cov, axis=1, keepdims=True)


def _refuse_constant(cov, mean, share, columns):
    """Name the columns without variance, where nothing is added to it; what rounding leaves counts as none."""
    var = np.diag(cov) if cov.ndim == 2 else np.atleast_1d(cov)
    rounding = np.finfo(float).eps * (np.abs(mean) if var.size == mean.size else np.max(np.abs(mean)))
    still = np.flatnonzero(var <= rounding**2)
    if still.size and (share == 0.0 or still.size == var.size):
        names = [str(j if columns is None else columns[j]) for j in still[:5].tolist()]
        raise ValueError(
            f"columns {names} of X are constant, so that any other value would be infinitely odd; drop them, or give "
            "shrinkage= a share such as 0.01"
        )


def _factored(normals):
    """The laws, proved to be positive definite."""
    try:
        _ = normals.whitener
    except ValueError as error:
        raise ValueError(
            "the covariance is singular: some columns of X are combinations of others; drop those, or give "
            "covariance_type='diag', shrinkage='ledoit_wolf' or a share such as 0.01"
        ) from error
    return normals
