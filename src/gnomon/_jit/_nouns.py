"""Nouns: immutable values whose verbs kernels can call.

A kernel is written once for every loss, penalty and design. Numba specialises it by the type of the noun it is given;
nothing is generated from strings and nothing is dispatched while the loop runs.
"""

import copyreg
import importlib
from collections import namedtuple
from dataclasses import dataclass, fields
from inspect import Parameter, Signature, isfunction
from typing import Any, TypeVar, dataclass_transform

from numba.core import types
from numba.extending import overload_method

from gnomon._jit._compile import DISABLED
from gnomon._jit._numba import PART, instructions
from gnomon._jit._sources import digest

__all__ = ["compiled", "noun"]

T = TypeVar("T")

_FORCED = {"jet", "pair", "examine", "divide"}

# Every verb that a kernel may call on a noun, with the names of its arguments.
VERBS = {
    # a loss, at one sample
    "value": ("y", "z"),
    "gradient": ("y", "z"),
    "pair": ("y", "z"),
    "jet": ("y", "z"),
    "row": ("y", "z", "g"),
    "curvature": ("y", "z"),
    "conjugate": ("y", "u"),
    "dual_upper": ("weight",),
    "dual_slope": ("y", "alpha", "score", "weight"),
    "dual_bend": ("alpha", "weight"),
    "dual_step": ("y", "alpha", "score", "norm", "weight"),
    # a family and a link, at one sample
    "deviance": ("y", "mean"),
    "variance": ("mean",),
    "value_at": ("y", "z", "link"),
    "gradient_at": ("y", "z", "link"),
    "curvature_at": ("z", "link"),
    "mean": ("z",),
    "mean_slope": ("z",),
    "log_mean": ("z",),
    "log_mean_slope": ("z",),
    "log_rest": ("z",),
    "log_rest_slope": ("z",),
    # a penalty, at one coordinate
    "term": ("w",),
    "slope": ("w",),
    "prox": ("x", "step"),
    "gap": ("w", "g"),
    # a schedule, after t updates; a form of momentum
    "rate": ("t",),
    "mix": ("weight", "rate"),
    # a set of vectors, at one of them
    "dot": ("i", "v"),
    "add": ("i", "c", "v"),
    "squared_norm": ("i",),
    "count": ("i",),
    "index": ("i", "k"),
    # a split criterion, at the sums of a group of rows
    "width": (),
    "tally": ("sums", "at", "y", "i", "w"),
    "weigh": ("sums", "at", "y", "i", "w"),
    "weigh_all": ("sums", "at", "y", "w", "m"),
    "weigh_range": ("sums", "at", "cells", "low", "high", "y", "w", "m"),
    "mass": ("sums", "at"),
    "worth": ("sums", "at"),
    "merit": ("sums", "at"),
    "twofold": (),
    "first": ("sums", "at"),
    "second": ("sums", "at"),
    "merit_of": ("a", "b"),
    "mass_of": ("a", "b"),
    "center": ("sums", "at"),
    "clips": (),
    "worth_at": ("sums", "at", "value"),
    "shrunk": ("sums", "at", "more"),
    "rising": (),
    "alike": ("sums", "a", "b"),
    # what is done with the leaves of all rows in a tree
    "take": ("tree", "leaves"),
    # a splitter of nodes
    "examine": ("nodes", "first", "made"),
    "divide": ("nodes", "node", "made"),
    "split_column": ("columns", "codes", "criterion", "limits", "work", "j", "rows", "scale"),
}


@dataclass_transform(frozen_default=True)
def noun(cls: type[T]) -> type[T]:
    """Make `cls` a frozen dataclass whose verbs can be called from kernels.

    References
    ----------
    Lam, S. K., Pitrou, A. & Seibert, S. (2015). Numba: a LLVM-based Python JIT compiler. doi:10.1145/2833157.2833162

    Examples
    --------
    >>> from gnomon._jit import noun
    >>> @noun
    ... class Scaled:
    ...     factor: float = 1.0
    ...
    ...     def term(self, w):
    ...         return self.factor * abs(w)
    >>> Scaled(2.0)
    Scaled(factor=2.0)
    >>> Scaled(2.0).term(-3.0)
    6.0
    """
    made: Any = dataclass(frozen=True)(cls)
    names = [field.name for field in fields(made)]
    # The last field is never read: Numba cannot pass a tuple without fields.
    bases = (namedtuple(cls.__name__, [*names, "end"]),)
    space = {
        "__slots__": (),
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.record",
        "noun": made,
    }
    made.record = _Record(cls.__name__, bases, space)
    return made


def compiled(value: Any) -> Any:
    """Return `value`, and the nouns among its fields, in the form in which kernels take them."""
    if DISABLED:
        return value
    held = (getattr(value, name) for name in value.record._fields[:-1])
    return value.record(
        *(compiled(item) if isinstance(getattr(item, "record", None), _Record) else item for item in held), 0
    )


class _Record(type):
    """The type of the tuples that stand for nouns inside kernels.

    They are pickled by name, so that a compiled kernel that is read from disk knows them as they are in this process.
    """

    noun: type

    def verbs(cls) -> str:
        """What the verbs do, wherever they were written: a notebook has no file to tell by."""
        found = {name: getattr(cls.noun, name, None) for name in VERBS}
        return digest({name: instructions(verb.__code__) for name, verb in found.items() if isfunction(verb)})


def _record_named(module: str, path: str) -> Any:
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


copyreg.pickle(_Record, lambda record: (_record_named, (record.__module__, record.__qualname__)))


def _declare(verb: str, names: tuple[str, ...]) -> None:
    def verb_of(self, *given):
        return getattr(getattr(self.instance_class, "noun", None), verb, None)

    # Numba compares the names of arguments with those of the verb itself.
    typing: Any = verb_of
    typing.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", *names)])
    options = {**PART, "forceinline": True} if verb in _FORCED else PART
    # Not strict: a verb may say the types of its arguments.
    overload_method(types.BaseNamedTuple, verb, jit_options=options, strict=False)(typing)


for _verb, _names in VERBS.items():
    _declare(_verb, _names)
