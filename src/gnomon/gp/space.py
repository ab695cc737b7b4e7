"""A space of parameters, some of which exist only where others have certain values.

    point  ↔  u ∈ [0, 1]ᵈ, one coordinate for each parameter, NaN where it does not exist              (1)
    u  →  columns: one for a number, k for one of k values, ½ where the parameter does not exist        (2)

Points that differ only in what does not exist are one point, and (2) gives them equal rows. Conditions as in Hutter &
Osborne (2013), arXiv:1310.5738.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.stats import qmc

from gnomon._typing import Array, Bools, Floats, RandomState
from gnomon.gp.dimensions import Category, Code, Dimension, Integer, Real
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer

__all__ = ["Codes", "Space", "SpaceLike", "sobol"]

Codes: TypeAlias = tuple[Code | None, ...]
"""A point as it is written down: the code of each parameter, None where it does not exist."""

ABSENT = 0.5


class Condition(NamedTuple):
    """One parent of a parameter, and codes of its values for which the parameter exists."""

    parent: int
    codes: list[Code]


class Space:
    """Parameters by name.

    Parameters
    ----------
    dimensions : dict
        Of each parameter a `Real`, an `Integer` or a `Category`; or, as in scikit-learn's searches, a list of values or
        a frozen ``scipy.stats.uniform``, ``loguniform`` or ``randint``.

    References
    ----------
    Hutter, F. & Osborne, M. A. (2013). A kernel for hierarchical parameter spaces. arXiv:1310.5738

    Examples
    --------
    A degree exists for one of the kernels only:

    >>> from gnomon.gp import Integer, Real, Space
    >>> space = Space({
    ...     "kernel": ["rbf", "poly"],
    ...     "C": Real(1e-2, 1e2, log=True),
    ...     "degree": Integer(2, 4, when={"kernel": "poly"}),
    ... })
    >>> space.from_unit([[0.2, 0.5, 0.9], [0.8, 0.5, 0.9]])
    [{'kernel': 'rbf', 'C': 1.0}, {'kernel': 'poly', 'C': 1.0, 'degree': 4}]
    >>> space.to_unit([{"kernel": "rbf", "C": 1.0}])
    array([[0.25, 0.5 ,  nan]])
    >>> space.transform([{"kernel": "rbf", "C": 1.0}])
    array([[1. , 0. , 0.5, 0.5]])
    """

    def __init__(self, dimensions: Mapping[str, Any]):
        if not isinstance(dimensions, Mapping) or not dimensions:
            raise ValueError(
                f"space={dimensions!r} must be a dict with at least one parameter; for parameters of only some models "
                "give them a condition: when={...}"
            )
        self.dimensions = {str(name): _read(name, given) for name, given in dimensions.items()}
        self.names = list(self.dimensions)
        self._list = list(self.dimensions.values())
        self._conditions = [self._conditions_of(name) for name in self.names]
        self._order = self._sorted()

    def __repr__(self) -> str:
        return f"Space({self.dimensions!r})"

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_columns(self) -> int:
        """Columns of (2)."""
        return sum(dimension.width for dimension in self._list)

    @property
    def groups(self) -> Array:
        """The parameter of each column of (2)."""
        return np.repeat(np.arange(len(self)), [dimension.width for dimension in self._list])

    @property
    def is_real(self) -> Bools:
        """Whether a parameter is a real number."""
        return np.array([math.isinf(dimension.size) for dimension in self._list])

    def transform(self, points: Iterable[Mapping[str, Any]]) -> Floats:
        """The columns (2) of points, of shape (n, n_columns)."""
        return self.columns(self.to_unit(points))

    def to_unit(self, points: Iterable[Mapping[str, Any]]) -> Floats:
        """u of (1), of shape (n, d)."""
        return self.unit_of([self.codes(point) for point in points])

    def from_unit(self, U: Any) -> list[dict[str, Any]]:
        """The points at u; coordinates of parameters that do not exist are not looked at."""
        found = np.reshape(np.asarray(U, dtype=float), (-1, len(self)))
        if np.any(found < 0.0) or np.any(found > 1.0):
            raise ValueError("U must be in [0, 1]; give places of the unit cube")
        return [self.point(codes) for codes in self.codes_at(self.existing(found))]

    def sample(self, n: int, random_state: RandomState = None) -> list[dict[str, Any]]:
        """Points of a scrambled Sobol sequence."""
        seed = int(check_rng(random_state).integers(2**63))
        return self.from_unit(sobol(len(self), check_integer("n", n, 1), seed))

    def enumerate(self, most: int) -> Floats | None:
        """u of all points, where all parameters together have at most `most` values; None where they have more."""
        sizes = [dimension.size for dimension in self._list]
        if math.prod(sizes) > most:
            return None
        places = [np.array([d.unit(code) for code in d.codes()]) for d in self._list]
        grid = self.existing(np.stack([part.ravel() for part in np.meshgrid(*places, indexing="ij")], axis=1))
        _, first = np.unique(np.nan_to_num(grid, nan=-1.0), axis=0, return_index=True)
        return grid[np.sort(first)]

    # Points as they are written down.

    def codes(self, point: Mapping[str, Any]) -> Codes:
        """A point written down; ValueError that names the parameter that is unknown, missing or out of range."""
        if not isinstance(point, Mapping):
            raise ValueError(f"{point!r} is no point; give a dict of parameters by name")
        unknown = [name for name in point if name not in self.dimensions]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no parameter of the space; its parameters are {self.names}")
        found: list[Code | None] = [None] * len(self)
        for j in self._order:
            name = self.names[j]
            exists = all(found[c.parent] in c.codes for c in self._conditions[j])
            if exists and name not in point:
                raise ValueError(f"{name!r} is missing in the point {dict(point)!r}; give a value")
            if not exists and name in point:
                raise ValueError(
                    f"{name!r} does not exist in the point {dict(point)!r}: it needs {self._list[j].when!r}; leave it "
                    "out"
                )
            if exists:
                found[j] = self._list[j].code(name, point[name])
        return tuple(found)

    def point(self, codes: Codes) -> dict[str, Any]:
        """The point that was written down."""
        return {
            name: dimension.value(code)
            for name, dimension, code in zip(self.names, self._list, codes, strict=True)
            if code is not None
        }

    def unit_of(self, codes: Sequence[Codes]) -> Floats:
        """u of points that were written down."""
        U = np.full((len(codes), len(self)), np.nan)
        for i, row in enumerate(codes):
            for j, code in enumerate(row):
                if code is not None:
                    U[i, j] = self._list[j].unit(code)
        return U

    def codes_at(self, U: Floats) -> list[Codes]:
        """The points at u, written down."""
        return [
            tuple(None if math.isnan(u) else d.code_at(u) for u, d in zip(row, self._list, strict=True))
            for row in U.tolist()
        ]

    # Many places at once.

    def existing(self, U: Floats) -> Floats:
        """u with NaN for parameters that do not exist there."""
        U = np.array(U, dtype=float)
        for j in self._order:
            for parent, codes in self._conditions[j]:
                U[~self._list[parent].holds(U[:, parent], codes), j] = np.nan
        return U

    def columns(self, U: Floats) -> Floats:
        """The columns (2)."""
        Z = np.hstack([dimension.columns(U[:, j]) for j, dimension in enumerate(self._list)])
        Z[np.isnan(U)[:, self.groups]] = ABSENT
        return Z

    def nearby(self, U: Floats, steps: Floats, rng: np.random.Generator) -> Floats:
        """For every row of U a place at a distance of about its step, where some of the parameters have changed."""
        moved = np.where(np.isnan(U), rng.random(U.shape), U)
        changed = rng.random(U.shape) < max(0.5, 1.0 / len(self))
        for j, dimension in enumerate(self._list):
            for step in np.unique(steps):
                rows = np.flatnonzero((steps == step) & changed[:, j])
                moved[rows, j] = dimension.nearby(moved[rows, j], float(step), rng)
        return self.existing(moved)

    # Conditions.

    def _conditions_of(self, name: str) -> list[Condition]:
        found = []
        when = self.dimensions[name].when
        if not isinstance(when, Mapping | None):
            raise ValueError(f"when={when!r} of {name!r} must be a dict of values by the names of other parameters")
        for parent, values in (when or {}).items():
            if parent not in self.dimensions or parent == name:
                raise ValueError(f"{name!r} exists when {parent!r} …, which is no other parameter of {self.names}")
            dimension = self.dimensions[parent]
            if math.isinf(dimension.size):
                raise ValueError(
                    f"{name!r} exists when {parent!r} …, which is real; a condition needs Integer or Category"
                )
            allowed = list(values) if isinstance(values, (list, set, frozenset, np.ndarray)) else [values]
            found.append(Condition(self.names.index(parent), [dimension.code(parent, value) for value in allowed]))
        return found

    def _sorted(self) -> list[int]:
        """Parameters, each after those on which it depends."""
        order: list[int] = []
        while len(order) < len(self):
            ready = [
                j for j in range(len(self)) if j not in order and all(c.parent in order for c in self._conditions[j])
            ]
            if not ready:
                left = [name for j, name in enumerate(self.names) if j not in order]
                raise ValueError(f"the conditions of {left} depend on each other in a circle; break it")
            order += ready
        return order


SpaceLike: TypeAlias = Space | Mapping[str, Any]


def sobol(d: int, n: int, seed: int) -> Floats:
    """The first n points of a scrambled Sobol sequence in d dimensions."""
    return qmc.Sobol(d, scramble=True, seed=np.random.default_rng(seed)).random_base2(math.ceil(math.log2(n)))[:n]


def _read(name: str, given: Any) -> Dimension:
    """A dimension from what scikit-learn's searches take for a parameter."""
    if isinstance(given, Dimension):
        return given
    law = getattr(getattr(given, "dist", None), "name", None)
    if law in FROZEN:
        return FROZEN[law](given)
    if isinstance(given, (list, np.ndarray)) and len(given):
        return Category([value.item() if isinstance(value, np.generic) else value for value in given])
    raise ValueError(
        f"{name}={given!r} has no clear meaning; give Real(low, high), Integer(low, high), Category(values), a list of "
        "values, or a frozen scipy.stats.uniform, loguniform or randint"
    )


def _uniform(rv: Any) -> Dimension:
    return Real(*(float(end) for end in rv.support()))


def _loguniform(rv: Any) -> Dimension:
    return Real(*(float(end) for end in rv.support()), log=True)


def _randint(rv: Any) -> Dimension:
    return Integer(*(int(end) for end in rv.support()))


FROZEN: dict[str, Callable[[Any], Dimension]] = {
    "uniform": _uniform,
    "loguniform": _loguniform,
    "reciprocal": _loguniform,
    "randint": _randint,
}
"""Frozen laws of SciPy by their names."""
