"""Rows that fall into groups, or do not.

    x = centre of its group + noise,    the group is returned                                       (1)

Rings that no straight boundary parts, groups of very different sizes, sizes of t-shirts that overlap, customers with a
group of young people who spend much, classes along which variance misleads, fruits to be grouped by colour or by colour
and size, and a box without any group. Jain (2010), Data clustering: 50 years beyond K-means,
doi:10.1016/j.patrec.2009.09.011.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import Bunch

from gnomon._typing import ArrayLike, Floats, Integers, RandomState
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer, check_non_negative

__all__ = [
    "load_fruits",
    "make_customers",
    "make_elongated",
    "make_groups",
    "make_rings",
    "make_tshirts",
    "make_uniform_box",
]


def make_rings(
    n_samples: int = 200,
    *,
    radii: Sequence[float] = (1.0, 3.0),
    noise: float = 0.1,
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Rings around the origin.

    Parameters
    ----------
    n_samples : int, default=200
        Rows, spread evenly over the rings.
    radii : sequence of float, default=(1.0, 3.0)
    noise : float, default=0.1
        Standard deviation of the radius.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int of shape (n_samples,)
        The ring.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.datasets import make_rings
    >>> X, y = make_rings(4, noise=0.0, random_state=0)
    >>> np.linalg.norm(X, axis=1).round(6), y
    (array([1., 1., 3., 3.]), array([0, 0, 1, 1]))
    """
    rng = check_rng(random_state)
    y = np.sort(np.arange(check_integer("n_samples", n_samples, low=1)) % len(radii))
    angle = rng.uniform(0.0, 2.0 * np.pi, size=len(y))
    radius = np.asarray(radii, dtype=float)[y] + check_non_negative("noise", noise) * rng.standard_normal(len(y))
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def make_groups(
    sizes: Sequence[int] = (900, 30, 30, 40),
    *,
    centers: ArrayLike | None = None,
    sd: float = 1.0,
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Spherical groups of given sizes.

    Parameters
    ----------
    sizes : sequence of int, default=(900, 30, 30, 40)
    centers : array-like of shape (k, d), optional
        By default the corners of a square of side 20, as many as there are sizes, up to four.
    sd : float, default=1.0
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (sum of sizes, d)
    y : ndarray of int

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.datasets import make_groups
    >>> X, y = make_groups((2, 1), sd=0.0)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 0.0], [20.0, 0.0]], [0, 0, 1])
    """
    if centers is None and len(sizes) > 4:
        raise ValueError(f"sizes has {len(sizes)} groups, and a square has four corners; give centers")
    corners = 20.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) if centers is None else np.asarray(centers, dtype=float)
    if len(corners) < len(sizes):
        raise ValueError(f"centers has {len(corners)} rows and there are {len(sizes)} sizes; give one for each")
    y = np.repeat(np.arange(len(sizes)), sizes)
    noise = check_rng(random_state).standard_normal((len(y), corners.shape[1]))
    return corners[y] + check_non_negative("sd", sd) * noise, y


def make_tshirts(n_samples: int = 300, *, random_state: RandomState = None) -> tuple[Floats, Integers]:
    """Heights and widths of people, in centimetres, and the size they wear: small, medium or large; sizes overlap.

    Parameters
    ----------
    n_samples : int, default=300
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int of shape (n_samples,)
        0, 1 or 2.

    Examples
    --------
    >>> from gnomon.datasets import make_tshirts
    >>> X, y = make_tshirts(300, random_state=0)
    >>> [round(float(X[y == size, 0].mean())) for size in range(3)]
    [160, 171, 184]
    """
    rng = check_rng(random_state)
    y = np.sort(np.arange(check_integer("n_samples", n_samples, low=1)) % 3)
    middle = np.array([[160.0, 44.0], [172.0, 50.0], [184.0, 57.0]])[y]
    return middle + rng.standard_normal((len(y), 2)) * [5.0, 2.5], y


def make_customers(n_samples: int = 400, *, random_state: RandomState = None) -> Bunch:
    """Customers by age, annual income (thousands) and spending score (1 to 100), in four groups.

    Parameters
    ----------
    n_samples : int, default=400
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    Bunch
        `data` of shape (n_samples, 3), `target` (the group; 0 are young people who earn little and spend much),
        `feature_names`, `target_names`.

    Examples
    --------
    >>> from gnomon.datasets import make_customers
    >>> customers = make_customers(random_state=0)
    >>> customers.feature_names, customers.data[customers.target == 0].mean(axis=0).round()
    (['Age', 'Annual Income', 'Spending Score'], array([25., 30., 90.]))
    """
    rng = check_rng(random_state)
    y = np.sort(np.arange(check_integer("n_samples", n_samples, low=1)) % 4)
    middle = np.array([[25.0, 30.0, 90.0], [45.0, 55.0, 50.0], [35.0, 90.0, 80.0], [60.0, 65.0, 20.0]])[y]
    noise = rng.standard_normal((len(y), 3)) * [4.0, 6.0, 5.0]
    return Bunch(
        data=middle + noise,
        target=y,
        feature_names=["Age", "Annual Income", "Spending Score"],
        target_names=["young big spenders", "average", "rich spenders", "older savers"],
    )


def make_elongated(n_samples: int = 1000, *, random_state: RandomState = None) -> tuple[Floats, Integers]:
    """Two classes apart in a narrow direction, N(±1.5, 0.4²), and alike in a wide one, N(0, 5²).

    The first principal component is the wide direction and tells nothing of the class; a discriminant finds the other.

    Parameters
    ----------
    n_samples : int, default=1000
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> from gnomon.datasets import make_elongated
    >>> X, y = make_elongated(random_state=0)
    >>> X.std(axis=0).round(), bool(((X[:, 0] > 0) == y).mean() > 0.99)
    (array([2., 5.]), True)
    """
    rng = check_rng(random_state)
    y = np.sort(np.arange(check_integer("n_samples", n_samples, low=1)) % 2)
    return rng.standard_normal((len(y), 2)) * [0.4, 5.0] + np.column_stack([3.0 * y - 1.5, np.zeros(len(y))]), y


def make_uniform_box(
    n_samples: int = 200, n_features: int = 2, *, random_state: RandomState = None
) -> tuple[Floats, Integers]:
    """Rows without groups: uniform in the unit box.

    Parameters
    ----------
    n_samples : int, default=200
    n_features : int, default=2
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int of shape (n_samples,)
        Zeros.

    Examples
    --------
    >>> from gnomon.datasets import make_uniform_box
    >>> X, y = make_uniform_box(5, 3, random_state=0)
    >>> X.shape, y.tolist()
    ((5, 3), [0, 0, 0, 0, 0])
    """
    size = (check_integer("n_samples", n_samples, low=1), check_integer("n_features", n_features, low=1))
    return check_rng(random_state).uniform(size=size), np.zeros(size[0], dtype=np.int64)


def load_fruits() -> Bunch:
    """Sixteen fruits by colour (0 red to 1 orange) and size (centimetres): by colour alone apples are with cherries.

    Returns
    -------
    Bunch
        `data` of shape (16, 2), `target` (0 apple, 1 cherry, 2 orange, 3 peach), `feature_names`, `target_names`.

    Examples
    --------
    >>> from gnomon.datasets import load_fruits
    >>> fruits = load_fruits()
    >>> fruits.data.shape, fruits.target_names
    ((16, 2), ['apple', 'cherry', 'orange', 'peach'])
    """
    colour = [0.05, 0.10, 0.12, 0.08, 0.04, 0.06, 0.09, 0.11, 0.95, 0.92, 0.97, 0.90, 0.85, 0.88, 0.83, 0.86]
    size = [7.5, 8.0, 7.8, 8.2, 2.0, 2.2, 1.9, 2.1, 7.6, 8.1, 7.9, 8.3, 6.8, 7.1, 6.9, 7.2]
    return Bunch(
        data=np.column_stack([colour, size]),
        target=np.repeat(np.arange(4), 4),
        feature_names=["colour", "size"],
        target_names=["apple", "cherry", "orange", "peach"],
    )
