"""What the options of an estimator may be, as a table, and the error that says so.

    {"alpha": (number(0.0), array), "solver": (words("auto", "svd"),), "positive": (flag,), …}                   (1)

An option is right if one of its kinds holds. Kinds accept what scikit-learn's checks accept, except that a truth value
is no number. Buitinck et al. (2013), arXiv:1309.0238, describe the contract that estimators check options in `fit`.
"""

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Set, Sized
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer_names

__all__ = [
    "Kind",
    "Kinds",
    "OptionError",
    "array",
    "check_options",
    "flag",
    "folds",
    "generator",
    "mapping",
    "none",
    "number",
    "scorer",
    "seed",
    "verbosity",
    "whole",
    "words",
]


class OptionError(ValueError, TypeError):
    """An option is of the wrong kind or out of range: as scikit-learn's, both a ValueError and a TypeError.

    Examples
    --------
    >>> from gnomon.base.options import OptionError
    >>> issubclass(OptionError, ValueError) and issubclass(OptionError, TypeError)
    True
    """


class Kind(NamedTuple):
    """A test of a value, and its words in an error.

    Parameters
    ----------
    says : str
        What is allowed.
    holds : callable
        Whether a value is.
    words : tuple of str
        The strings among what is allowed.

    Examples
    --------
    >>> from gnomon.base.options import number
    >>> kind = number(0.0, 1.0)
    >>> kind.says, kind.holds(0.5), kind.holds(True)
    ('a number in [0, 1]', True, False)
    """

    says: str
    holds: Callable[[object], bool]
    words: tuple[str, ...] = ()


Kinds: TypeAlias = Mapping[str, tuple[Kind, ...]]
"""The table (1)."""


def check_options(estimator: BaseEstimator, kinds: Kinds) -> None:
    """Refuse the first option of `estimator` that is of none of its kinds.

    Parameters
    ----------
    estimator : estimator
    kinds : dict
        The table (1); options that it does not name are left to the caller.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from gnomon.base.options import check_options, number, words
    >>> check_options(Ridge(alpha=-1.0), {"solver": (words("auto"),), "alpha": (number(0.0),)})
    Traceback (most recent call last):
    ...
    gnomon.base.options.OptionError: alpha=-1.0 must be a number ≥ 0; give another value
    """
    for name, allowed in kinds.items():
        value = getattr(estimator, name)
        if any(kind.holds(value) for kind in allowed):
            continue
        says = " or ".join(kind.says for kind in allowed)
        if isinstance(value, str) and any(kind.words for kind in allowed):
            raise OptionError(f"{name}={value!r} is unknown; choose from {says}")
        raise OptionError(f"{name}={value!r} must be {says}; give another value")


def number(
    low: float = -math.inf,
    high: float = math.inf,
    *,
    closed: Literal["both", "left", "right", "neither"] = "both",
    finite: bool = True,
) -> Kind:
    """A real number between `low` and `high`; `closed` says which ends belong to it.

    Examples
    --------
    >>> from gnomon.base.options import number
    >>> number(0.0).holds(float("inf")), number(0.0, closed="neither").says
    (False, 'a number > 0')
    """

    def holds(value: object) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
            return False
        real = float(value)
        above = low <= real if closed in ("both", "left") else low < real
        below = real <= high if closed in ("both", "right") else real < high
        return above and below and (math.isfinite(real) or not finite)

    return Kind(f"a number {_range(low, high, closed)}".rstrip(), holds)


def whole(low: float = -math.inf, high: float = math.inf) -> Kind:
    """A whole number between `low` and `high`, ends included.

    Examples
    --------
    >>> from gnomon.base.options import whole
    >>> whole(1).holds(3), whole(1).holds(0), whole(1).holds(2.0), whole(1).says
    (True, False, False, 'a whole number ≥ 1')
    """

    def holds(value: object) -> bool:
        right = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return right and low <= int(value) <= high  # type: ignore[call-overload]

    return Kind(f"a whole number {_range(low, high, 'both')}".rstrip(), holds)


def words(*allowed: str) -> Kind:
    """One of these strings.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.options import words
    >>> words("gini", "entropy").holds(np.str_("gini")), words("gini").says
    (True, "'gini'")
    """
    listed = " or ".join(repr(word) for word in allowed) if len(allowed) < 3 else str(list(allowed))
    return Kind(listed, lambda value: isinstance(value, str) and value in allowed, allowed)


def _range(low: float, high: float, closed: str) -> str:
    left, right = closed in ("both", "left"), closed in ("both", "right")
    if low == -math.inf and high == math.inf:
        return ""
    if high == math.inf:
        return f"{'≥' if left else '>'} {low:g}"
    if low == -math.inf:
        return f"{'≤' if right else '<'} {high:g}"
    return f"in {'[' if left else '('}{low:g}, {high:g}{']' if right else ')'}"


def _is_array(value: object) -> bool:
    return isinstance(value, Sized) and not isinstance(value, (str, bytes, Mapping, Set))


def _is_seed(value: object) -> bool:
    return value is None or isinstance(value, np.random.RandomState) or whole(0, 2**32 - 1).holds(value)


def _is_splitter(value: object) -> bool:
    able = all(callable(getattr(value, name, None)) for name in ("split", "get_n_splits"))
    return able or whole(2).holds(value) or (isinstance(value, Iterable) and not isinstance(value, str))


def _is_scorer(value: object) -> bool:
    return callable(value) or (isinstance(value, str) and value in get_scorer_names())


flag = Kind("True or False", lambda value: isinstance(value, (bool, np.bool_)))
none = Kind("None", lambda value: value is None)
array = Kind("an array", _is_array)
mapping = Kind("a dict", lambda value: isinstance(value, Mapping))
generator = Kind("a Generator", lambda value: isinstance(value, np.random.Generator))
seed = Kind("None, a whole number in [0, 2³²) or a RandomState", _is_seed)
verbosity = Kind("a whole number ≥ 0 or a truth value", lambda value: flag.holds(value) or whole(0).holds(value))
scorer = Kind("a function or one of sklearn.metrics.get_scorer_names()", _is_scorer)
folds = Kind("a whole number ≥ 2, a splitter or an iterable of (train, test)", _is_splitter)
