"""Nouns: immutable values whose verbs kernels can call.

A kernel is written once for every loss, penalty and design. Numba specialises it by the type of the noun it is given;
nothing is generated from strings and nothing is dispatched while the loop runs.
"""

from __future__ import annotations

import copyreg
import importlib
from collections import namedtuple
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, TypeVar, dataclass_transform

from numba.core import types
from numba.extending import overload_method

from gnomon._jit._compile import DISABLED, Function
from gnomon._jit._numba import PART
from gnomon._jit._verbs import VERBS, refuse_field, refuse_verb

__all__ = ["compiled", "inlined_verb", "noun", "verb"]

T = TypeVar("T")


def verb(method: Function) -> Function:
    """Let kernels call a method by its name on every noun that has it; written where the verb is declared.

    All nouns share the names of verbs, so two declarations of one name must have the same arguments, and no noun or
    named tuple that kernels take may have a field of that name.

    Examples
    --------
    >>> from gnomon._jit import verb
    >>> class Shape:
    ...     @verb
    ...     def area(self, scale):
    ...         return 0.0
    >>> class Other:
    ...     @verb
    ...     def area(self, width, height):
    ...         return width * height
    Traceback (most recent call last):
    TypeError: the verb area is declared with the arguments (scale) already, and now with (width, height); ...
    """
    return _declared(method, PART)


def inlined_verb(method: Function) -> Function:
    """Do the same as `verb`; the compiler copies the text of the method to where it is called.

    For what is so long that the compiler would leave it a call, in a loop that is then not vectorised, and for
    arguments of so many numbers that a call would spend its time on copying them.
    """
    return _declared(method, {**PART, "forceinline": True})


def _declared(method: Function, options: dict[str, Any]) -> Function:
    name, arguments = method.__name__, signature(method)
    names = tuple(arguments.parameters)[1:]
    if name not in VERBS:
        refuse_verb(name)
        VERBS[name] = names

        def verb_of(self, *given):
            return getattr(getattr(self.instance_class, "noun", None), name, None)

        # Numba compares the names of arguments with those of the verb that is found; types that are said differ.
        typing: Any = verb_of
        typing.__signature__ = arguments
        overload_method(types.BaseNamedTuple, name, jit_options=options, strict=False)(typing)
    elif VERBS[name] != names:
        raise TypeError(
            f"the verb {name} is declared with the arguments ({', '.join(VERBS[name])}) already, "
            f"and now with ({', '.join(names)}); use these, or give it another name"
        )
    return method


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
    refuse_field(cls.__name__, names)
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


def _record_named(module: str, path: str) -> Any:
    found = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


copyreg.pickle(_Record, lambda record: (_record_named, (record.__module__, record.__qualname__)))
