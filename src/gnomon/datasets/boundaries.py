"""Four problems that a linear classifier cannot solve, each with the map after which it can.

    y = 1[f(x) > 0],    f not linear in x, but linear in φ(x)                                      (1)

A centre inside corners or a ring, a linear boundary with a few outliers to capture, a quadratic boundary, and a
threshold in one column. Cover (1965), Geometrical and statistical properties of systems of linear inequalities,
doi:10.1109/PGEC.1965.264137, on why maps into more columns separate.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, overload

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import Binarizer

from gnomon._typing import Floats, Integers, RandomState
from gnomon.features import PolarFeatures, PolynomialMap, Waterfall
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_interval

__all__ = ["make_center_corner", "make_linear_outliers", "make_quadratic_boundary", "make_threshold"]

Sample: TypeAlias = tuple[Floats, Integers]
MappedSample: TypeAlias = tuple[Floats, Integers, TransformerMixin]
"""A sample, and the map in whose space a plane separates it."""


@overload
def make_center_corner(
    n_samples: int = ...,
    *,
    shape: Literal["corners", "ring"] = ...,
    noise: float = ...,
    random_state: RandomState = ...,
    return_map: Literal[False] = ...,
) -> Sample: ...


@overload
def make_center_corner(
    n_samples: int = ...,
    *,
    shape: Literal["corners", "ring"] = ...,
    noise: float = ...,
    random_state: RandomState = ...,
    return_map: Literal[True],
) -> MappedSample: ...


def make_center_corner(
    n_samples: int = 200,
    *,
    shape: Literal["corners", "ring"] = "corners",
    noise: float = 0.1,
    random_state: RandomState = None,
    return_map: bool = False,
) -> Sample | MappedSample:
    """Class 1 in the centre, class 0 in the four corners or on a ring around it.

    The radius separates the classes: φ is `PolarFeatures()`.

    Parameters
    ----------
    n_samples : int, default=200
        Rows; half of them (rounded up) in class 1.
    shape : {"corners", "ring"}, default="corners"
        "corners": class 1 uniform in the unit disc, class 0 in squares of side 1 around (±2, ±2). "ring": both classes
        on rings, of radius 1 and 2.
    noise : float, default=0.1
        Standard deviation of the radii of the rings.
    random_state : int, Generator, RandomState or None, default=None
        Seed.
    return_map : bool, default=False
        Also return the unfitted map φ.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
    map : transformer
        Only with ``return_map=True``.

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities.
    doi:10.1109/PGEC.1965.264137

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.datasets import make_center_corner
    >>> X, y, phi = make_center_corner(random_state=0, return_map=True)
    >>> make_pipeline(phi, LogisticRegression()).fit(X, y).score(X, y)
    1.0
    """
    check_choice("shape", shape, ("corners", "ring"))
    rng = check_rng(random_state)
    y = _halves(n_samples)
    angle = rng.uniform(-np.pi, np.pi, n_samples)
    if shape == "ring":
        radius = 2.0 - y + noise * rng.normal(size=n_samples)
        X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        inside = np.sqrt(rng.uniform(size=n_samples))[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        corners = rng.choice([-2.0, 2.0], (n_samples, 2)) + rng.uniform(-0.5, 0.5, (n_samples, 2))
        X = np.where(y[:, None] == 1, inside, corners)
    return _shuffled(X, y, rng, PolarFeatures(), return_map)


@overload
def make_linear_outliers(
    n_samples: int = ..., *, outliers: float = ..., random_state: RandomState = ..., return_map: Literal[False] = ...
) -> Sample: ...


@overload
def make_linear_outliers(
    n_samples: int = ..., *, outliers: float = ..., random_state: RandomState = ..., return_map: Literal[True]
) -> MappedSample: ...


def make_linear_outliers(
    n_samples: int = 200, *, outliers: float = 0.05, random_state: RandomState = None, return_map: bool = False
) -> Sample | MappedSample:
    """A linear boundary x₁ > 0, but a few rows of class 1 lie far away on the side of class 0.

    A slope of its own for x₁ < −4 captures them: φ is ``Waterfall(breaks=[-4, 0])``.

    Parameters
    ----------
    n_samples : int, default=200
        Rows.
    outliers : float in [0, 1], default=0.05
        Share of the rows of class 1 that lie at x₁ in [−8, −6].
    random_state, return_map
        As in `make_center_corner`.

    Returns
    -------
    X, y, map
        As in `make_center_corner`.

    References
    ----------
    Friedman, J. H. (1991). Multivariate adaptive regression splines. doi:10.1214/aos/1176347963

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.datasets import make_linear_outliers
    >>> X, y, phi = make_linear_outliers(random_state=0, return_map=True)
    >>> make_pipeline(phi, LogisticRegression(C=100)).fit(X, y).score(X, y)
    1.0
    """
    check_interval("outliers", outliers, 0, 1)
    rng = check_rng(random_state)
    y = _halves(n_samples)
    side = np.where(y == 1, 1.0, -1.0)
    X = np.column_stack([side * rng.uniform(0.5, 3.0, n_samples), rng.normal(size=n_samples)])
    far = rng.permutation(np.flatnonzero(y == 1))[: round(outliers * np.sum(y))]
    X[far, 0] = rng.uniform(-8.0, -6.0, len(far))
    return _shuffled(X, y, rng, Waterfall(breaks=[-4.0, 0.0]), return_map)


@overload
def make_quadratic_boundary(
    n_samples: int = ..., *, margin: float = ..., random_state: RandomState = ..., return_map: Literal[False] = ...
) -> Sample: ...


@overload
def make_quadratic_boundary(
    n_samples: int = ..., *, margin: float = ..., random_state: RandomState = ..., return_map: Literal[True]
) -> MappedSample: ...


def make_quadratic_boundary(
    n_samples: int = 200, *, margin: float = 0.1, random_state: RandomState = None, return_map: bool = False
) -> Sample | MappedSample:
    """The boundary x₂ = x₁² − 1.

    It is linear in the monomials of degree two: φ is ``PolynomialMap(2, include_bias=False)``.

    Parameters
    ----------
    n_samples : int, default=200
        Rows; half of them (rounded up) in class 1, above the parabola.
    margin : float, default=0.1
        Least vertical distance of a row from the boundary.
    random_state, return_map
        As in `make_center_corner`.

    Returns
    -------
    X, y, map
        As in `make_center_corner`.

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities.
    doi:10.1109/PGEC.1965.264137

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.datasets import make_quadratic_boundary
    >>> X, y, phi = make_quadratic_boundary(random_state=0, return_map=True)
    >>> make_pipeline(phi, LogisticRegression(C=100)).fit(X, y).score(X, y)
    1.0
    """
    check_interval("margin", margin, 0)
    rng = check_rng(random_state)
    y = _halves(n_samples)
    x = rng.uniform(-2.0, 2.0, n_samples)
    X = np.column_stack([x, x**2 - 1.0 + (2 * y - 1) * (margin + rng.uniform(0.0, 2.0, n_samples))])
    return _shuffled(X, y, rng, PolynomialMap(2, include_bias=False), return_map)


@overload
def make_threshold(
    n_samples: int = ...,
    *,
    threshold: float = ...,
    margin: float = ...,
    random_state: RandomState = ...,
    return_map: Literal[False] = ...,
) -> Sample: ...


@overload
def make_threshold(
    n_samples: int = ...,
    *,
    threshold: float = ...,
    margin: float = ...,
    random_state: RandomState = ...,
    return_map: Literal[True],
) -> MappedSample: ...


def make_threshold(
    n_samples: int = 200,
    *,
    threshold: float = 0.5,
    margin: float = 0.2,
    random_state: RandomState = None,
    return_map: bool = False,
) -> Sample | MappedSample:
    """The boundary x₂ = −1 up to a threshold of x₁ and x₂ = 1 above it: class 1 is x₂ > 2·I(x₁ > t) − 1.

    It is linear in (I(x₁ > t), x₂): φ is scikit-learn's `Binarizer` on the first column.

    Parameters
    ----------
    n_samples : int, default=200
        Rows; half of them (rounded up) in class 1.
    threshold : float, default=0.5
        t.
    margin : float, default=0.2
        Least vertical distance of a row from the boundary.
    random_state, return_map
        As in `make_center_corner`.

    Returns
    -------
    X, y, map
        As in `make_center_corner`.

    References
    ----------
    Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities.
    doi:10.1109/PGEC.1965.264137

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from gnomon.datasets import make_threshold
    >>> X, y, phi = make_threshold(random_state=0, return_map=True)
    >>> make_pipeline(phi, LogisticRegression(C=100)).fit(X, y).score(X, y)
    1.0
    """
    check_interval("margin", margin, 0)
    rng = check_rng(random_state)
    y = _halves(n_samples)
    x = threshold + rng.uniform(-2.0, 2.0, n_samples)
    boundary = 2.0 * (x > threshold) - 1.0
    X = np.column_stack([x, boundary + (2 * y - 1) * (margin + rng.uniform(0.0, 1.5, n_samples))])
    indicator = ColumnTransformer([("above", Binarizer(threshold=threshold), [0])], remainder="passthrough")
    return _shuffled(X, y, rng, indicator, return_map)


def _halves(n: int) -> Integers:
    """Class 0 for the first half of the rows, class 1 for the rest."""
    check_integer("n_samples", n, 1)
    return (np.arange(n) >= n // 2).astype(np.int64)


def _shuffled(
    X: Floats, y: Integers, rng: np.random.Generator, phi: TransformerMixin, return_map: bool
) -> Sample | MappedSample:
    order = rng.permutation(len(y))
    return (X[order], y[order], phi) if return_map else (X[order], y[order])
