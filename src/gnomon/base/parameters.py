"""The parameters of an estimator: kept as scikit-learn asks, and checked against the annotations of its constructor.

    fit accepts a value of a parameter  ⇒  the annotation of that parameter admits it                 (1)

What a type checker refuses in a user's script is refused at fit too, with an error that names the parameter, the value
and what is allowed; so is a number outside the range that is annotated with it (``Annotated[float, Within(0, 1)]``).
What goes with what is left to the estimator.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Splitter
from gnomon.numerics.validation import same_word

__all__ = ["ParameterError", "check_parameters", "store"]


class ParameterError(ValueError, TypeError):
    """A parameter has a value that its annotation does not admit; like scikit-learn's, an error of both kinds.

    Examples
    --------
    >>> from gnomon.base.parameters import ParameterError
    >>> issubclass(ParameterError, ValueError), issubclass(ParameterError, TypeError)
    (True, True)
    """


def store(estimator: object, given: Mapping[str, Any]) -> None:
    """Keep every parameter of ``__init__`` under its name.

    Parameters
    ----------
    estimator : estimator
    given : dict
        ``locals()`` at the beginning of ``__init__``.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.parameters import store
    >>> class Shrunken(BaseEstimator):
    ...     def __init__(self, alpha=1.0, *, centre=True):
    ...         store(self, locals())
    >>> Shrunken(alpha=2.0).get_params()
    {'alpha': 2.0, 'centre': True}
    """
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def check_parameters(estimator: BaseEstimator) -> None:
    """Refuse a value that the annotation of its parameter does not admit: (1).

    Parameters
    ----------
    estimator : estimator
        Parameters without an annotation may have any value.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> from typing import Literal
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.parameters import check_parameters
    >>> class Shrunken(BaseEstimator):
    ...     def __init__(self, alpha: float = 1.0, rule: Literal["min", "1se"] | None = None):
    ...         self.alpha, self.rule = alpha, rule
    >>> check_parameters(Shrunken(2))
    >>> check_parameters(Shrunken(rule="best"))
    Traceback (most recent call last):
    ...
    gnomon.base.parameters.ParameterError: rule='best' is unknown; choose from ['min', '1se', None]
    >>> check_parameters(Shrunken("much"))
    Traceback (most recent call last):
    ...
    gnomon.base.parameters.ParameterError: alpha='much' must be a number; give another value
    """
    cls: Any = type(estimator)
    for name, (default, kinds) in _annotated(cls).items():
        value = getattr(estimator, name)
        if value is default:
            continue
        for kind in kinds:
            if kind.admits(value):
                break
        else:
            raise ParameterError(_refusal(name, value, kinds))


class _Kind(NamedTuple):
    """Values of one kind: which they are, what they are called, and the words among them."""

    admits: Callable[[Any], bool]
    name: str = ""
    words: tuple[Any, ...] = ()


def _refusal(name: str, value: Any, kinds: Sequence[_Kind]) -> str:
    words = [word for kind in kinds for word in kind.words]
    names = [kind.name for kind in kinds if kind.name]
    if words and (not names or (isinstance(value, str) and any(isinstance(word, str) for word in words))):
        others = f", or give {_either(names)}" if names else ""
        return f"{name}={value!r} is unknown; choose from {words}{others}"
    allowed = names + ([f"one of {words}"] if words else [])
    return f"{name}={value!r} must be {_either(allowed)}; give another value"


def _either(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


@cache
def _annotated(cls: Any) -> dict[str, tuple[Any, tuple[_Kind, ...]]]:
    """The default of each annotated parameter of the constructor, and the kinds that it admits."""
    maker = next(base for base in cls.__mro__ if "__init__" in vars(base))
    # The constructor of a dataclass is generated: each field is annotated in the module of the class that declares it.
    annotated = maker if "__dataclass_fields__" in vars(maker) else maker.__init__
    hints, given = get_type_hints(annotated, include_extras=True), signature(cls).parameters
    return {name: (given[name].default, tuple(_kinds(hints[name]))) for name in given if name in hints}


def _kinds(part: Any) -> list[_Kind]:
    """The kinds of values that an annotation admits, one for each part of a union."""
    origin, inside = get_origin(part) or part, get_args(part)
    if origin in (Union, UnionType):
        # A union is flat: what an array may be made of cannot be told from what stands beside it.
        arrays = set(_ARRAY_LIKE) if set(_ARRAY_LIKE) <= set(inside) else set()
        first = [_Kind(_is_array_like, "a number, a sequence or an array")] if arrays else []
        return first + [kind for one in inside if one not in arrays for kind in _kinds(one)]
    if origin is Annotated:
        (kind,), limits = _kinds(inside[0]), inside[1]
        return [_Kind(lambda value: kind.admits(value) and limits.holds(value), f"{kind.name} {limits}")]
    if origin is Literal:
        return [_Kind(lambda value: any(same_word(value, word) for word in inside), words=inside)]
    if part in _PLAIN:
        return [_PLAIN[part]]
    if origin in _CONTAINERS:
        return [_CONTAINERS[origin]]
    if origin is type:
        base = inside[0]
        return [_Kind(lambda value: isinstance(value, type) and issubclass(value, base), f"a class of {base.__name__}")]
    return [_Kind(lambda value: isinstance(value, origin), f"a {origin.__name__}")]


_ARRAY_LIKE = get_args(ArrayLike)


def _is_array_like(value: Any) -> bool:
    return _is_number(value) or _is_collection(value) or isinstance(value, np.ndarray)


def _is_collection(value: Any) -> bool:
    return np.iterable(value) and not isinstance(value, (str, bytes, Mapping))


def _is_truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not _is_truth(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not _is_truth(value) and not math.isnan(value)


def _has_method(name: str) -> Callable[[Any], bool]:
    return lambda value: callable(getattr(value, name, None)) and not isinstance(value, (str, type))


_PLAIN = {
    Any: _Kind(lambda value: True),
    object: _Kind(lambda value: True),
    NoneType: _Kind(lambda value: value is None, words=(None,)),
    bool: _Kind(_is_truth, words=(True, False)),
    int: _Kind(_is_integer, "a whole number"),
    float: _Kind(_is_number, "a number"),
    str: _Kind(lambda value: isinstance(value, str), "a string"),
    # Any object that can be fitted or that splits rows will do, as in scikit-learn.
    BaseEstimator: _Kind(_has_method("fit"), "an estimator"),
    Splitter: _Kind(_has_method("split"), "a splitter"),
}
_CONTAINERS = {
    Callable: _Kind(callable, "a callable"),
    Mapping: _Kind(lambda value: isinstance(value, Mapping), "a dict"),
    Sequence: _Kind(_is_collection, "a sequence"),
    Iterable: _Kind(_is_collection, "a sequence"),
    tuple: _Kind(_is_collection, "a tuple"),
    list: _Kind(_is_collection, "a list"),
    np.ndarray: _Kind(_is_collection, "an array"),
}
