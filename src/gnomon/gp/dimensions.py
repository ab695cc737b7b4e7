"""One parameter of a search: its values, and where each stands in [0, 1].

    real     u = (g(x) − g(low))/(g(high) − g(low)),                       g(x) = x or log x           (1)
    integer  u = (g(x) − g(low − ½))/(g(high + ½) − g(low − ½))                                        (2)
    one of k u = (i + ½)/k                                                                             (3)

Of an integer and of a choice every value owns an interval of u, and stands in its middle; so equal numbers of points
fall on each. A surrogate sees an integer as the value that is evaluated, not as a number between two of them: Garrido-
Merchán & Hernández-Lobato (2020), doi:10.1016/j.neucom.2019.11.004.
"""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import Bools, Floats

__all__ = ["Category", "Code", "Dimension", "Integer", "Real"]

Code: TypeAlias = float | int
"""How a value is written down: a number, or the index of a choice."""

DIGITS = 12
"""Of numbers that are asked, so that they are read back from u to the last digit."""
LEAST, MOST = 3, 15
"""Digits of the width of a range, and those that a number has."""


class Dimension(ABC):
    """What a search knows of one parameter; `when` says of which values of others it depends whether it exists.

    References
    ----------
    Garrido-Merchán, E. C. & Hernández-Lobato, D. (2020). Dealing with categorical and integer-valued variables in
    Bayesian optimization with Gaussian processes. doi:10.1016/j.neucom.2019.11.004

    Examples
    --------
    >>> from gnomon.gp import Integer
    >>> depth = Integer(1, 5)
    >>> depth.value(depth.code_at(0.5)), depth.size
    (3, 5)
    """

    when: Mapping[str, Any] | None

    @property
    @abstractmethod
    def size(self) -> float:
        """The number of values; inf for a real one."""

    @property
    def width(self) -> int:
        """The number of columns that a surrogate sees."""
        return 1

    @property
    @abstractmethod
    def scale(self) -> Literal["linear", "log", "none"]:
        """On which scale values are numbers; "none" where they are none."""

    @abstractmethod
    def codes(self) -> range:
        """The codes of all values, where there is a finite number of them."""

    @abstractmethod
    def code(self, name: str, value: Any) -> Code:
        """How a value is written down; ValueError, with the name of the parameter, if it is none."""

    @abstractmethod
    def value(self, code: Code) -> Any:
        """The value that a code stands for."""

    @abstractmethod
    def code_at(self, u: float) -> Code:
        """The code of the value at u."""

    @abstractmethod
    def unit(self, code: Code) -> float:
        """u of a value."""

    @abstractmethod
    def columns(self, u: Floats) -> Floats:
        """What a surrogate sees, of shape (n, width)."""

    def nearby(self, u: Floats, step: float, rng: np.random.Generator) -> Floats:
        """Places at a distance of about `step`."""
        return np.clip(u + step * rng.standard_normal(u.shape), 0.0, 1.0)

    def holds(self, u: Floats, allowed: Sequence[Code]) -> Bools:
        """Whether the value at u is one of those with these codes."""
        cells = np.isin(self.cells(u), [self.cells(np.array([self.unit(code)]))[0] for code in allowed])
        return cells & ~np.isnan(u)

    def cells(self, u: Floats) -> Floats:
        """The index of the interval that u falls into, for dimensions of finite size."""
        return np.minimum(np.floor(u * self.size), self.size - 1)

    def snapped(self, u: Floats) -> Floats:
        """The middle of the interval that u falls into; u itself where values are real."""
        return u


@dataclass(frozen=True)
class Real(Dimension):
    """A real number, equation (1).

    Parameters
    ----------
    low, high : float
        Both ends belong to the range.
    log : bool, default=False
        Whether orders of magnitude count equally; low > 0 then.
    when : dict, optional
        Values of other parameters, one or a list of each, for which this one exists: ``when={"kernel": "rbf"}``.

    References
    ----------
    Snoek, J., Larochelle, H. & Adams, R. P. (2012). Practical Bayesian optimization of machine learning algorithms.
    arXiv:1206.2944

    Examples
    --------
    >>> from gnomon.gp import Real
    >>> C = Real(1e-3, 1e3, log=True)
    >>> C.value(C.code_at(0.5)), round(C.unit(0.1), 6)
    (1.0, 0.333333)
    """

    low: float
    high: float
    log: bool = field(default=False, kw_only=True)
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _check_range(self, self.low, self.high, self.log, 0.0)

    @property
    def size(self) -> float:
        return math.inf

    @property
    def scale(self) -> Literal["linear", "log", "none"]:
        return "log" if self.log else "linear"

    def codes(self) -> range:
        raise ValueError(f"{self!r} has infinitely many values")

    def code(self, name: str, value: Any) -> Code:
        return float(_checked(self, name, value, numbers.Real, "a number"))

    def value(self, code: Code) -> float:
        return float(code)

    def code_at(self, u: float) -> Code:
        if u in (0.0, 1.0):
            return float(self.high if u else self.low)
        a, b = _scaled(self.low, self.log), _scaled(self.high, self.log)
        x = a + u * (b - a)
        x = float(f"{math.exp(x):.{DIGITS}g}") if self.log else round(x, _decimals(self.low, self.high))
        return float(min(max(x, self.low), self.high))

    def unit(self, code: Code) -> float:
        a, b = _scaled(self.low, self.log), _scaled(self.high, self.log)
        return min(max((_scaled(code, self.log) - a) / (b - a), 0.0), 1.0)

    def columns(self, u: Floats) -> Floats:
        return u[:, None]


@dataclass(frozen=True)
class Integer(Dimension):
    """A whole number, equation (2).

    Parameters
    ----------
    low, high : int
        Both ends belong to the range.
    log : bool, default=False
        Whether orders of magnitude count equally; low ≥ 1 then.
    when : dict, optional
        As of `Real`.

    References
    ----------
    Garrido-Merchán, E. C. & Hernández-Lobato, D. (2020). Dealing with categorical and integer-valued variables in
    Bayesian optimization with Gaussian processes. doi:10.1016/j.neucom.2019.11.004

    Examples
    --------
    >>> from gnomon.gp import Integer
    >>> [Integer(1, 3).value(Integer(1, 3).code_at(u)) for u in (0.0, 0.3, 0.4, 1.0)]
    [1, 1, 2, 3]
    """

    low: int
    high: int
    log: bool = field(default=False, kw_only=True)
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if not isinstance(end, numbers.Integral):
                raise ValueError(f"Integer({self.low!r}, {self.high!r}) must have whole ends; use Real for others")
        _check_range(self, self.low, self.high, self.log, 1.0)

    @property
    def size(self) -> float:
        return self.high - self.low + 1

    @property
    def scale(self) -> Literal["linear", "log", "none"]:
        return "log" if self.log else "linear"

    def codes(self) -> range:
        return range(self.low, self.high + 1)

    def code(self, name: str, value: Any) -> Code:
        return int(_checked(self, name, value, numbers.Integral, "a whole number"))

    def value(self, code: Code) -> int:
        return int(code)

    def code_at(self, u: float) -> Code:
        # Beyond 2⁵³ cells are rounded.
        return min(self.low + int(self.cells(np.array([u]))[0]), self.high)

    def unit(self, code: Code) -> float:
        return float(self._middle(np.array([code - self.low], dtype=float))[0])

    def columns(self, u: Floats) -> Floats:
        return self.snapped(u)[:, None]

    def cells(self, u: Floats) -> Floats:
        if not self.log:
            return super().cells(u)
        a, b = math.log(self.low - 0.5), math.log(self.high + 0.5)
        found = np.floor(np.exp(a + u * (b - a)) + 0.5) - self.low
        return np.clip(found, 0.0, self.size - 1.0)

    def snapped(self, u: Floats) -> Floats:
        return self._middle(self.cells(u))

    def _middle(self, cells: Floats) -> Floats:
        if not self.log:
            return (cells + 0.5) / self.size
        a, b = math.log(self.low - 0.5), math.log(self.high + 0.5)
        return (np.log(cells + self.low) - a) / (b - a)


@dataclass(frozen=True)
class Category(Dimension):
    """One of some values of any kind, equation (3); a surrogate sees a column of zeros and ones for each.

    Parameters
    ----------
    values : sequence
        Strings, numbers, None, tuples, estimators …
    when : dict, optional
        As of `Real`.

    References
    ----------
    Garrido-Merchán, E. C. & Hernández-Lobato, D. (2020). Dealing with categorical and integer-valued variables in
    Bayesian optimization with Gaussian processes. doi:10.1016/j.neucom.2019.11.004

    Examples
    --------
    >>> from gnomon.gp import Category
    >>> features = Category([None, "sqrt", 0.5, (1, 2)])
    >>> features.code("max_features", (1, 2)), features.value(0) is None
    (3, True)
    """

    values: Sequence[Any]
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise ValueError("Category([]) has no values; give at least one")
        plain = [(type(value), value) for value in self.values if value is None or np.isscalar(value)]
        twins = [value for i, (_, value) in enumerate(plain) if plain[i] in plain[:i]]
        if twins:
            raise ValueError(f"Category({list(self.values)!r}) has {twins[0]!r} twice; give each value once")

    @property
    def size(self) -> float:
        return len(self.values)

    @property
    def scale(self) -> Literal["linear", "log", "none"]:
        return "none"

    @property
    def width(self) -> int:
        return len(self.values)

    def codes(self) -> range:
        return range(len(self.values))

    def code(self, name: str, value: Any) -> Code:
        for same in (lambda a, b: a is b, _equal):
            for i, known in enumerate(self.values):
                if same(known, value):
                    return i
        raise ValueError(f"{name}={value!r} is none of the values {list(self.values)}; give one of them")

    def value(self, code: Code) -> Any:
        return self.values[int(code)]

    def code_at(self, u: float) -> Code:
        return int(self.cells(np.array([u]))[0])

    def unit(self, code: Code) -> float:
        return (code + 0.5) / len(self.values)

    def columns(self, u: Floats) -> Floats:
        return (self.cells(u)[:, None] == np.arange(len(self.values))).astype(float)

    def nearby(self, u: Floats, step: float, rng: np.random.Generator) -> Floats:
        return np.where(rng.random(u.shape) < step, rng.random(u.shape), u)

    def snapped(self, u: Floats) -> Floats:
        return (self.cells(u) + 0.5) / len(self.values)


def _scaled(x: float, log: bool) -> float:
    return math.log(x) if log else float(x)


def _decimals(low: float, high: float) -> int:
    """Decimal places that leave `DIGITS` digits to the larger end, and `LEAST` to the width of a narrow range."""
    size, width = (math.floor(math.log10(x)) for x in (max(abs(low), abs(high)), high - low))
    return max(DIGITS - 1 - size, min(LEAST - 1 - width, MOST - 1 - size))


def _check_range(dimension: Dimension, low: float, high: float, log: bool, least: float) -> None:
    kind = type(dimension).__name__
    numeric = all(isinstance(end, numbers.Real) and not isinstance(end, bool | np.bool_) for end in (low, high))
    if not (numeric and low < high and math.isfinite(high - low)):
        raise ValueError(f"{kind}({low!r}, {high!r}) must have finite ends low < high; give others")
    if not isinstance(log, bool | np.bool_):
        raise ValueError(f"log={log!r} must be True or False; give one of them")
    if log and not (low > 0.0 and low >= least):
        must = "low > 0" if least == 0.0 else f"low ≥ {least:g}"
        raise ValueError(f"{kind}({low!r}, {high!r}, log=True) must have {must}; give another end, or log=False")


def _checked(dimension: Any, name: str, value: Any, kind: type, words: str) -> Any:
    ends = f"from {dimension.low!r} to {dimension.high!r}"
    if not isinstance(value, kind) or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={value!r} must be {words} {ends}; give one")
    if not dimension.low <= value <= dimension.high:
        raise ValueError(f"{name}={value!r} must be {ends}; give another value, or a wider range")
    return value


def _equal(a: Any, b: Any) -> bool:
    """Whether two values are of one kind and equal; arrays are compared as a whole."""
    return isinstance(b, type(a)) and bool(np.all(np.equal(a, b)) if isinstance(a, np.ndarray) else a == b)
