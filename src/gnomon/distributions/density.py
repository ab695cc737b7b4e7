"""Anything that can be fitted as a density: a class of distributions, one with options, or an estimator.

    fit:  X, s  →  p̂ with log p̂(x)                                                                   (1)

A `Distribution` class, a `DistributionFamily` or a conjugate model gives a law; an unfitted scikit-learn estimator with
`score_samples` (a mixture, a kernel density) is cloned and fitted. These four functions are all that classifiers,
gates, imputers and detectors use of either; what they do for an estimator is registered where the estimator is defined.
"""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike
from gnomon.distributions._base import Distribution, DistributionFamily
from gnomon.distributions.conjugate import ConjugateModel

__all__ = [
    "Density",
    "KnownDensity",
    "density_parameters",
    "fit_density",
    "observed_log_density",
    "row_log_density",
    "sample_density",
    "takes_gaps",
]

Density: TypeAlias = type[Distribution] | DistributionFamily | ConjugateModel | BaseEstimator
"""What a density is fitted by; an estimator has `score_samples`."""

KnownDensity: TypeAlias = Distribution | BaseEstimator
"""A density that is there: a law, or an estimator that is fitted."""


@singledispatch
def fit_density(density: Any, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Any:
    """The density of the rows of X, equation (1).

    Parameters
    ----------
    density : type, DistributionFamily, ConjugateModel or estimator
        A `Distribution` class, a `DistributionFamily` (a class with options), a conjugate model (its predictive law is
        the density), or an estimator with `fit` and `score_samples`.
    X : ndarray of shape (n_samples, n_features)
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Distribution or estimator

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normal, fit_density, row_log_density
    >>> law = fit_density(Normal, np.array([[1.0, 0.0], [3.0, 2.0]]))
    >>> row_log_density(law, np.array([[2.0, 1.0]])).round(7)
    array([-1.8378771])
    """
    if not callable(getattr(density, "fit", None)):
        raise ValueError(
            f"density={density!r} has no fit; give a Distribution class, a DistributionFamily or an estimator"
        )
    return density.fit(X, sample_weight)


@fit_density.register
def _(density: BaseEstimator, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Any:
    if sample_weight is None:
        return clone(density).fit(X, None)
    if not has_fit_parameter(density, "sample_weight"):
        raise ValueError(f"{type(density).__name__} takes no sample_weight; leave the weights out, or repeat the rows")
    return clone(density).fit(X, None, sample_weight=sample_weight)


@singledispatch
def row_log_density(density: Any, X: MatrixLike) -> Floats:
    """log p(x) of every row under a fitted density.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KernelDensity
    >>> from gnomon.distributions import row_log_density
    >>> row_log_density(KernelDensity().fit([[0.0]]), np.array([[0.0]])).round(7)
    array([-0.9189385])
    """
    return np.asarray(density.score_samples(X), dtype=float)


@row_log_density.register
def _(density: Distribution, X: MatrixLike) -> Floats:
    return np.asarray(density.row_log_density(X), dtype=float)


def takes_gaps(density: Any) -> bool:
    """Whether a density is an estimator that deals with missing cells itself.

    Examples
    --------
    >>> from sklearn.neighbors import KernelDensity
    >>> from gnomon.distributions.density import takes_gaps
    >>> takes_gaps(KernelDensity())
    False
    """
    return isinstance(density, BaseEstimator) and bool(get_tags(density).input_tags.allow_nan)


@singledispatch
def observed_log_density(density: Any, X: Floats) -> Floats:
    """log p of the cells of every row that are there, under a fitted density; NaN is a missing cell.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal
    >>> from gnomon.distributions.density import observed_log_density
    >>> observed_log_density(MultivariateNormal(np.zeros(2), np.eye(2)), np.array([[0.0, np.nan]])).round(7)
    array([-0.9189385])
    """
    if np.any(np.isnan(X)) and not takes_gaps(density):
        raise ValueError(
            f"X has missing cells, and {type(density).__name__} takes none; fill them in, or take "
            "MultivariateNormal or GaussianMixture"
        )
    return row_log_density(density, X)


@observed_log_density.register
def _(density: Distribution, X: Floats) -> Floats:
    return np.asarray(density.observed_log_density(X), dtype=float)


@singledispatch
def sample_density(density: Any, n: int, rng: np.random.Generator) -> Array:
    """n rows drawn from a fitted density, in any order.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal, sample_density
    >>> sample_density(MultivariateNormal(np.zeros(2), np.eye(2)), 3, np.random.default_rng(0)).shape
    (3, 2)
    """
    seed = int(rng.integers(2**31))
    if "random_state" in signature(density.sample).parameters:
        drawn = density.sample(n, random_state=seed)
    else:
        drawn = copy(density).set_params(random_state=seed).sample(n)
    # Mixtures return the component of each row as well.
    return drawn[0] if isinstance(drawn, tuple) else drawn


@sample_density.register
def _(density: Distribution, n: int, rng: np.random.Generator) -> Floats:
    return np.asarray(density.sample(n, rng)).reshape(n, -1)


@singledispatch
def density_parameters(density: Any) -> int:
    """Free parameters of a fitted density; NotImplementedError where it does not count them.

    References
    ----------
    Akaike, H. (1974). A new look at the statistical model identification. doi:10.1109/TAC.1974.1100705

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal, density_parameters
    >>> density_parameters(MultivariateNormal(np.zeros(2), np.eye(2)))
    5
    """
    count = getattr(density, "n_parameters_", None)
    if count is None:
        raise NotImplementedError(f"{type(density).__name__} does not count its parameters")
    return int(count)


@density_parameters.register
def _(density: Distribution) -> int:
    return int(density.n_parameters)
