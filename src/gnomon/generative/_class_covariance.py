"""Covariances of classes for discriminant analysis, by scikit-learn's options.

    Σ_c = S_c/N_c,    shrunk: (1 − s) Σ_c + s (tr Σ_c/d) I,    "auto": D [(1 − s) R_c + s I] D                     (1)

R_c is the correlation matrix of class c and D its standard deviations: "auto" standardises the columns and takes the
share s of Ledoit & Wolf (2004), doi:10.1016/S0047-259X(03)00096-4.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import Array, Floats, Integers, Share
from gnomon.distributions import NormalInverseWishartModel
from gnomon.generative._naive import check_estimate
from gnomon.numerics.shrinkage import ledoit_wolf_share, quartic_sums, shrink_cov
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_numbers
from gnomon.numerics.weights import Priors, class_priors

__all__ = [
    "AutoShrinkage",
    "check_complete",
    "check_covariance_options",
    "check_normal_prior",
    "class_covariances",
    "given_priors",
]

AutoShrinkage: TypeAlias = Literal["auto"] | Share | None


def check_covariance_options(solver: str, shrinkage: AutoShrinkage, covariance_estimator: BaseEstimator | None) -> None:
    """Refuse what the solver "svd" does not do, and both ways of regularising at once."""
    if solver == "svd" and shrinkage is not None:
        raise NotImplementedError("shrinkage not supported with 'svd' solver; choose solver='eigen'")
    if solver == "svd" and covariance_estimator is not None:
        raise ValueError("covariance_estimator is not supported with solver='svd'; choose solver='eigen'")
    if covariance_estimator is not None and shrinkage:
        raise ValueError("covariance_estimator and shrinkage are both given; leave one of them at None")


def check_normal_prior(estimator: Any, **others: float) -> None:
    """Refuse an estimate that does not go with the prior, and what else regularises beside a prior."""
    check_estimate(estimator.estimate, estimator.parameter_prior)
    if estimator.parameter_prior is None:
        return
    if not isinstance(estimator.parameter_prior, NormalInverseWishartModel):
        raise ValueError(f"parameter_prior={estimator.parameter_prior!r} must be a NormalInverseWishartModel")
    for name, value in {"shrinkage": estimator.shrinkage, **others}.items():
        if value:
            raise ValueError(f"{name}={value!r} beside a parameter_prior, which does its work; leave it out")
    if estimator.covariance_estimator is not None:
        raise ValueError("covariance_estimator beside a parameter_prior, which does its work; leave it at None")


def check_complete(estimator: Any, gaps: bool) -> None:
    """Refuse missing cells where the rows themselves are needed."""
    if gaps and (estimator.shrinkage == "auto" or estimator.covariance_estimator is not None):
        raise ValueError(
            "X has missing cells, and shrinkage='auto' and covariance_estimator need whole rows; give shrinkage as a "
            "number, or fill the cells in"
        )


def given_priors(priors: Priors, classes: Array, counts: Array) -> Floats:
    """Priors as scikit-learn takes them: an array that does not sum to one is divided by its sum, with a warning."""
    if priors is None or isinstance(priors, (str, Mapping)):
        return class_priors(priors, classes, counts)
    p = check_numbers("priors", priors)
    if np.any(p < 0.0):
        raise ValueError(f"priors={p.tolist()} must be non-negative; give probabilities")
    if abs(np.sum(p) - 1.0) > 1e-5:
        warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=3)
    return class_priors(p / np.sum(p), classes)


def class_covariances(
    X: Floats,
    index: Integers,
    moments: Moments,
    weights: Floats | None,
    shrinkage: AutoShrinkage,
    covariance_estimator: BaseEstimator | None,
) -> Floats:
    """Σ_c of equation (1), stacked; or what an estimator with `covariance_` finds for the rows of each class."""
    if covariance_estimator is not None:
        if weights is not None:
            raise ValueError("covariance_estimator takes no sample_weight; leave the weights out, or use shrinkage")
        return np.stack([_by_estimator(covariance_estimator, X[index == k]) for k in range(len(moments.weight))])
    cov = moments.covariance()
    if shrinkage is None:
        return cov
    if shrinkage != "auto":
        return shrink_cov(cov, shrinkage)
    scale = np.sqrt(np.diagonal(cov, axis1=1, axis2=2))
    scale = np.where(scale > 0.0, scale, 1.0)
    units = scale[:, :, None] * scale[:, None, :]
    R = cov / units
    share = ledoit_wolf_share(R, moments.weight, quartic_sums(X, index, moments, weights, scale=scale))
    return shrink_cov(R, share) * units


def _by_estimator(estimator: BaseEstimator, X: Floats) -> Floats:
    # Anything with `fit` and `covariance_` will do, also what returns nothing from `fit`.
    fitted: Any = clone(estimator, safe=False)
    fitted.fit(X)
    cov = getattr(fitted, "covariance_", None)
    if cov is None:
        raise ValueError(f"{type(estimator).__name__} does not have a covariance_ attribute; give one that has")
    return np.atleast_2d(cov)
