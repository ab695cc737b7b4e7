"""Whether what a model file held fits together: kernels read arrays without looking at their bounds.

    an object is sound if its parts are, its fields have the types that its class declares, its arrays the shapes
    that its documentation gives, and its own `check_consistent` finds no fault                                  (1)

A shape such as ``(n_classes, n_features)`` holds if each of its letters stands for one number throughout an object:
`n_features` for its attribute of that name (or `n_features_`, or `n_features_in_`), a letter without such an
attribute for what it was met as first. What can be computed anew from the rest of an object is not taken from a file.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters

__all__ = ["check_stored"]

Shape: TypeAlias = tuple[str, ...]

NUMBERS, WHOLE, TRUTHS, TEXT = "fiu", "iu", "b", "OUS"
"""Kinds of types of arrays of numbers, of whole numbers, of truth values, and of labels."""


def check_stored(thing: Any) -> None:
    """Refuse an object of which some part does not fit the others: (1).

    Parameters
    ----------
    thing : object
        An estimator, a noun, or a collection of them, as it was read from a file.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.io.stored import check_stored
    >>> from gnomon.linear import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> check_stored(model)
    >>> model.coef_ = np.zeros((1, 3))
    >>> check_stored(model)
    Traceback (most recent call last):
    ...
    ValueError: coef_ of LogisticRegression has the shape (1, 3), not (1, n_features) or (n_classes, n_features)
    """
    _check(thing, {})


def _check(thing: Any, met: dict[int, Any]) -> None:
    # What was met is kept, so that no number of an object is given to a second one.
    if id(thing) in met or isinstance(thing, (str, bytes, int, float, NoneType, type)):
        return
    met[id(thing)] = thing
    for part in _parts(thing):
        _check(part, met)
    cls = type(thing)
    if not cls.__module__.startswith("gnomon.") and not isinstance(thing, BaseEstimator):
        return
    if is_dataclass(cls) or isinstance(thing, tuple):
        _check_fields(thing)
    elif isinstance(thing, Estimator) and vars(thing).keys() >= inspect.signature(cls).parameters.keys():
        # A model of an earlier version may lack a parameter that came later.
        check_parameters(thing)
    _check_described(thing)
    check = getattr(thing, "check_consistent", None)
    if check is not None:
        check()


def _parts(thing: Any) -> Iterable[Any]:
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, (list, tuple, set, frozenset)):
        return thing
    if isinstance(thing, np.ndarray):
        if thing.dtype.kind == "O":
            return list(thing.flat)
        return []
    held = getattr(thing, "__dict__", {})
    for name in [name for name in held if isinstance(inspect.getattr_static(type(thing), name, None), cached_property)]:
        del held[name]
    return list(held.values())


def _check_fields(record: Any) -> None:
    """Compare the fields of a noun or named tuple with their annotations, and let it compute what follows from them."""
    cls: Any = type(record)
    for name, annotation in _annotations(cls).items():
        try:
            value = getattr(record, name)
        except AttributeError:
            raise ValueError(f"{cls.__name__} has no {name}") from None
        if not _admits(annotation, value):
            raise ValueError(f"{name} of {cls.__name__} is {_described(value)}, not {_name(annotation)}")
    again = getattr(record, "__post_init__", None)
    if again is not None:
        # What is given for the initialisation alone is not kept; its default is how values are kept.
        again(**{name: getattr(cls, name) for name in inspect.signature(again).parameters})


@cache
def _annotations(cls: Any) -> dict[str, Any]:
    names = [field.name for field in fields(cls)] if is_dataclass(cls) else getattr(cls, "_fields", ())
    # A name that a module imports for checkers alone stands for any type.
    unknown: dict[str, Any] = {}
    hints: dict[str, Any] = {}
    while not hints and names:
        try:
            hints = get_type_hints(cls, localns=unknown, include_extras=True)
        except NameError as error:
            unknown[str(error.name)] = Any
    return {name: hints[name] for name in names if name in hints}


def _admits(annotation: Any, value: Any) -> bool:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return any(_admits(part, value) for part in parts)
    if origin is Annotated:
        return _admits(parts[0], value) and parts[1].holds(value)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is np.ndarray:
        (scalar,) = get_args(parts[1])
        scalar = get_origin(scalar) or scalar
        return isinstance(value, np.ndarray) and (scalar is Any or _is_of(value.dtype, scalar))
    if origin is tuple and parts:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return isinstance(value, tuple) and all(_admits(parts[0], item) for item in value)
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(_admits, parts, value))
    if origin is dict:
        return isinstance(value, dict) and all(_admits(parts[1], item) for item in value.values())
    if annotation in _PLAIN:
        return isinstance(value, _PLAIN[annotation]) and not (annotation is not bool and isinstance(value, bool))
    if isinstance(annotation, type) and annotation is not Any and not getattr(annotation, "_is_protocol", False):
        return isinstance(value, annotation)
    return True


_PLAIN: dict[Any, tuple[type, ...]] = {
    int: (int, np.integer),
    float: (float, int, np.floating, np.integer),
    bool: (bool, np.bool_),
    str: (str,),
}


def _is_of(dtype: np.dtype[Any], scalar: type) -> bool:
    if scalar is np.floating:
        return dtype in (np.float32, np.float64)
    return issubclass(dtype.type, scalar)


def _name(annotation: Any) -> str:
    return str(getattr(annotation, "__name__", annotation)) if get_origin(annotation) is None else str(annotation)


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return f"{value!r:.40}"


class _Described(NamedTuple):
    """What the documentation of a class gives for an attribute: kinds of its type, shapes it may have."""

    kinds: str
    shapes: tuple[Shape, ...]
    below: str = ""


def _check_described(thing: Any) -> None:
    """Compare the arrays of an object with its documentation; letters of shapes stand for one number each."""
    cls, as_dict = type(thing).__name__, getattr(thing, "_asdict", None)
    held = vars(thing) if as_dict is None else as_dict()
    letters = {_ENDING.sub("", name): n for name, n in held.items() if isinstance(n, (int, np.integer))}
    for name, value in held.items():
        if _COUNT.match(name) and isinstance(value, (float, int)) and not (value >= 0 and value == int(value)):
            raise ValueError(f"{name} of {cls} is {value}, which is no count")
    if isinstance(classes := held.get("classes_"), np.ndarray):
        if letters.setdefault("n_classes", max(len(classes), 1)) != len(classes):
            raise ValueError(f"classes_ of {cls} has {len(classes)} of {letters['n_classes']} classes")
        coef = held.get("coef_")
        foreign = not isinstance(thing, Estimator) and isinstance(coef, np.ndarray) and coef.ndim == 2
        if foreign and (k := len(classes)) and len(coef) not in _pieces(k):
            raise ValueError(f"coef_ of {cls} has the shape {coef.shape}, which is not that of {k} classes")
    kind: Any = type(thing)
    described, undecided, bounded = _descriptions(kind), [], []
    for name, value in held.items():
        kinds, shapes, below = described.get(name) or _of(name, "")
        for array in value if isinstance(value, (list, tuple)) else (value,):
            if not isinstance(array, np.ndarray) or array.dtype.names:
                continue
            dtype = array.dtype
            number = dtype.kind in NUMBERS + TRUTHS and dtype.isnative and dtype not in (np.float16, np.longdouble)
            if dtype.kind not in kinds or not (number or dtype.kind in TEXT):
                raise ValueError(f"{name} of {cls} is an array of {array.dtype}")
            if below:
                bounded.append((name, array, below))
            if shapes and array is value:
                undecided.append((name, array.shape, shapes))
    while undecided:
        left = []
        for name, shape, shapes in undecided:
            found = [meaning for one in shapes if (meaning := _meaning(shape, one, letters)) is not None]
            if not found:
                wanted = " or ".join(f"({', '.join(one)}{',' * (len(one) == 1)})" for one in shapes)
                raise ValueError(f"{name} of {cls} has the shape {shape}, not {wanted}")
            if len(found) == 1:
                letters |= found[0]
            else:
                left.append((name, shape, shapes))
        if len(left) == len(undecided):
            break
        undecided = left
    for name, array, below in bounded:
        if below in letters and np.any((array < 0) | (array >= letters[below])):
            raise ValueError(f"{name} of {cls} has numbers that are not below {below}, which is {letters[below]}")


def _pieces(n_classes: int) -> tuple[int, ...]:
    """How many linear functions classes may have: one of two, one each, one for each pair."""
    return (1,) * (n_classes <= 2) + (n_classes, n_classes * (n_classes - 1) // 2)


def _meaning(shape: tuple[int, ...], documented: Shape, letters: dict[str, Any]) -> dict[str, int] | None:
    """What the letters of a documented shape stand for in a shape, beyond `letters`; None if they contradict them."""
    if "..." in documented:
        at = documented.index("...")
        n_last = len(documented) - at - 1
        if len(shape) < at + n_last:
            return None
        shape = shape[:at] + shape[len(shape) - n_last :]
        documented = documented[:at] + documented[at + 1 :]
    if len(shape) != len(documented):
        return None
    found: dict[str, int] = {}
    for size, letter in zip(shape, documented, strict=True):
        if letter.isdigit():
            known: int | None = int(letter)
        elif letter.isidentifier():
            letter = _ENDING.sub("", letter)
            known = found.get(letter, letters.get(letter))
            found[letter] = size
        else:
            continue
        if known is not None and known != size:
            return None
    return found


_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)$")
_SHAPES = re.compile(r"(?:shape |^|^int |^float )((?:\([^()]*\)(?:,? or |, )?)+)")
_INT = re.compile("^int|of int")
_ENDING = re.compile("(_in)?_$")
_BELOW = re.compile(r"below (\w+)")
_COUNT = re.compile("_?n_[a-z_]*(_|_in_|_out)$")
_OF_LABELS = re.compile("(^|_)(classes|categories|groups|labels?|names|names_in|transduction|y)_?$")
"""Attributes whose arrays may hold text."""


@cache
def _descriptions(cls: type) -> dict[str, _Described]:
    """Of each attribute, public ones by documentation, private ones by what the class has in `_stored`."""
    found: dict[str, _Described] = {}
    sections = ("Attributes",) if issubclass(cls, BaseEstimator) else ("Parameters", "Attributes", "Fields")
    for ancestor in reversed(cls.__mro__):
        if ancestor.__module__.startswith("gnomon."):
            found |= _entries(inspect.cleandoc(ancestor.__dict__.get("__doc__") or ""), sections)
            found |= {name: _of(name, words) for name, words in ancestor.__dict__.get("_stored", {}).items()}
    return found


def _entries(doc: str, sections: tuple[str, ...]) -> Iterator[tuple[str, _Described]]:
    section, lines = "", doc.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following and set(following) == {"-"}:
            section = line
        entry = _ENTRY.match(line)
        if entry and section in sections:
            yield from ((name, _of(name, entry[2])) for name in entry[1].split(", "))


def _of(name: str, words: str) -> _Described:
    """What the words of an entry say of arrays; without any words, what a name does."""
    kinds = TRUTHS if "of bool" in words else WHOLE if _INT.search(words) else NUMBERS + TRUTHS * (not words)
    text = "of str" in words or (_OF_LABELS.search(name) and not words.startswith(("float", "int")))
    found = [shape for group in _SHAPES.findall(words) for shape in re.findall(r"\(([^()]*)\)", group)]
    shapes = tuple(tuple(part.strip() for part in shape.split(",") if part.strip()) for shape in found)
    below = _BELOW.search(words)
    return _Described(
        kinds + TEXT * bool(text), shapes or (("n_classes",),) * (name == "classes_"), below[1] if below else ""
    )
