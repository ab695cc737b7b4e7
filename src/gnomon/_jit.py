"""The only door to Numba.

``jit``       compiles a kernel: serial, without the GIL, cached on disk.
``lean``      does the same for a kernel that creates no array: references are not counted, so a verb of a noun that
              holds arrays costs no more than the loop inside it.
``inner``     does the same as ``lean`` for a kernel that only kernels call, and is compiled as a part of them.
``within``    does the same as ``inner``, and is never called: where a noun of many arrays is handed on, a call would
              copy all that is known of them to the stack, which takes longer than most of what is done with them.
``inner_reordering`` does the same where sums may be taken in any order, which lets it use vectors.
``inner_fused`` does the same where products may be fused with sums, but sums keep their order.
``inline``    makes a formula callable from Python (on arrays) and from kernels (on scalars), from one text.
``choose``    is the conditional of such formulas; ``in_kernels`` makes others that need two texts.
``bits_of`` and ``of_bits`` are a double as the integer with the same bits, and back; ``just_below`` the number before.
``atomic_load``, ``atomic_store``, ``atomic_add``, ``atomic_swap``, ``pause`` are how kernels on several threads meet.
``cell``, ``intrinsic``, ``types``, ``cgutils`` are what instructions are written with.
``noun``      makes a class an immutable value whose verbs kernels can call: ``loss.gradient(y[i], z[i])``.
``compiled``  hands such a value to a kernel.

A kernel is written once for every loss, penalty and design. Numba specialises it by the type of the noun it is
given, and caches the result; nothing is generated from strings and nothing is dispatched while the loop runs.
"""

import copyreg
import hashlib
import importlib
import os
import platform
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import isfunction
from pathlib import Path
from types import CodeType
from typing import Any, Protocol, TypeVar, dataclass_transform

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.extending import intrinsic, overload, overload_method, register_jitable

__all__ = [
    "DISABLED",
    "atomic_add",
    "atomic_load",
    "atomic_store",
    "atomic_swap",
    "bits_of",
    "cell",
    "cgutils",
    "choose",
    "compiled",
    "in_kernels",
    "inline",
    "inner",
    "inner_fused",
    "inner_reordering",
    "intrinsic",
    "jit",
    "just_below",
    "lean",
    "noun",
    "of_bits",
    "pause",
    "types",
    "within",
]

DISABLED = bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0")))
"""True when kernels run as plain Python, for debuggers and coverage."""

T = TypeVar("T")
Function = TypeVar("Function", bound=Callable[..., Any])


class Decorator(Protocol):
    """What returns a function with the signature it had."""

    def __call__(self, kernel: Function, /) -> Function: ...


_STRICT, _FUSED, _REORDERING = False, {"contract"}, {"reassoc", "contract", "nsz"}


class _Part(JITCodeLibrary):
    """Code of which the callers are kernels: it goes into each of theirs and is optimised there.

    Numba optimises and assembles every kernel together with all that it calls, so that what lies n calls deep is
    compiled n times. A part is not compiled on its own, has no machine code and hence no environment in which to run.
    """

    codegen = type("NoEnvironment", (), {"set_env": lambda self, name, environment: None})()

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0


class _PartCompiler(Compiler):
    def __init__(self, typingctx, targetctx, library, *rest):
        super().__init__(typingctx, targetctx, library or _Part(targetctx.codegen(), "part"), *rest)


# Not to be forced inline is said too: a part would learn it from its first caller, and tell it to all that it calls. A
# part has no GIL to release; to say so would make its flags others than those of verbs, and what both call be compiled
# for either.
_WHOLE = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "forceinline": False}
_PART = {"pipeline_class": _PartCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": False}


def _digest(*facts):
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _state(path):
    found = path.stat()
    return str(path), found.st_mtime_ns, found.st_size


_SOURCES = _digest(*(_state(path) for path in sorted(Path(__file__).parent.rglob("*.py"))))


def _door(fastmath: Any, counting: bool, **more: Any) -> Decorator:
    # Every flag is said: what is not said Numba takes from whichever caller compiles the kernel first, and caches it.
    flags = {"error_model": "numpy", "fastmath": fastmath, "_nrt": counting}
    compiler = numba.njit(**flags, **(more or _WHOLE))
    if DISABLED:
        return compiler
    return lambda kernel: _alike_for_constants(compiler(kernel) if more else _kept_while_sources_last(compiler(kernel)))


def _alike_for_constants(kernel):
    """Let `kernel` be compiled once for all numbers of a type: by itself it is for each in the text of callers."""
    template = kernel.get_call_template
    kernel.get_call_template = lambda args, kws: template(
        tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
    )
    return kernel


def _kept_while_sources_last(kernel):
    """Let the cache of `kernel` end with any file of the package: by itself it follows only the kernel's own file.

    The version of an index is compared before the types in it are read, which sources of another day may not know.
    """
    file = kernel._cache._cache_file
    file._version = file._version, _SOURCES
    return kernel


jit = _door(_STRICT, counting=True)
lean = _door(_STRICT, counting=False)
inner = _door(_STRICT, counting=False, **_PART)
within = _door(_STRICT, counting=False, **{**_PART, "forceinline": True})
inner_fused = _door(_FUSED, counting=False, **_PART)
inner_reordering = _door(_REORDERING, counting=False, **_PART)
inline: Decorator = register_jitable(**_PART)


def in_kernels(scalar: Callable[..., Any]) -> Decorator:
    """Give a function of arrays the text `scalar`, with the same arguments, inside kernels."""

    def decorate(function):
        overload(function, strict=False, jit_options=_PART)(lambda *types: scalar)
        return function

    return decorate


@in_kernels(lambda condition, a, b: a if condition else b)
def choose(condition: Any, a: Any, b: Any) -> Any:
    """`a` where `condition` holds, else `b`: ``numpy.where`` on arrays, a plain conditional in kernels.

    References
    ----------
    Harris, C. R. et al. (2020). Array programming with NumPy. doi:10.1038/s41586-020-2649-2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import choose
    >>> choose(np.array([-1.0, 2.0]) > 0.0, 1.0, 0.0)
    array([0., 1.])
    """
    return np.where(condition, a, b)


@intrinsic
def _to_bits(typing, x):
    def emit(context, builder, signature, given):
        return builder.bitcast(given[0], ir.IntType(64))

    return types.int64(types.float64), emit


@intrinsic
def _from_bits(typing, n):
    def emit(context, builder, signature, given):
        return builder.bitcast(given[0], ir.DoubleType())

    return types.float64(types.int64), emit


@in_kernels(lambda x: _to_bits(x))
def bits_of(x):
    """The integer that has the bits of the double `x`."""
    return np.float64(x).view(np.int64)


@in_kernels(lambda n: _from_bits(n))
def of_bits(n):
    """The double that has the bits of the integer `n`."""
    return np.int64(n).view(np.float64)


@intrinsic
def _step_down(typing, x):
    def emit(context, builder, signature, given):
        bits = ir.IntType(x.bitwidth)
        number = builder.bitcast(given[0], bits)
        # The sign stands apart: below zero, the larger whole number is the lower one.
        step = builder.select(builder.icmp_signed("<", number, bits(0)), bits(1), bits(-1))
        return builder.bitcast(builder.add(number, step), given[0].type)

    return x(x), emit


@in_kernels(lambda x: _step_down(x))
def just_below(x):
    """The next number below `x` of its own type; `x` may be −0 or ∞, not 0 or −∞."""
    return np.nextafter(x, x.dtype.type(-np.inf))


def cell(context, builder, kind, array, i):
    """Where ``array[i]`` stands, for instructions."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [i])


@intrinsic
def _load(typing, array, i):
    def emit(context, builder, signature, given):
        return builder.load_atomic(cell(context, builder, array, *given), "seq_cst", 8)

    return types.int64(array, types.intp), emit


@intrinsic
def _store(typing, array, i, value):
    def emit(context, builder, signature, given):
        builder.store_atomic(given[2], cell(context, builder, array, *given[:2]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), emit


@intrinsic
def _add(typing, array, i, value):
    def emit(context, builder, signature, given):
        builder.atomic_rmw("add", cell(context, builder, array, *given[:2]), given[2], "seq_cst")
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), emit


@intrinsic
def _swap(typing, array, i, old, new):
    def emit(context, builder, signature, given):
        there = cell(context, builder, array, *given[:2])
        return builder.extract_value(builder.cmpxchg(there, given[2], given[3], "seq_cst"), 1)

    return types.boolean(array, types.intp, types.int64, types.int64), emit


@intrinsic
def _pause(typing):
    def emit(context, builder, signature, given):
        if platform.machine() in ("x86_64", "AMD64"):
            wait = ir.FunctionType(ir.VoidType(), ())
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), wait), ())
        return context.get_dummy_value()

    return types.void(), emit


@in_kernels(lambda: _pause())
def pause():
    """Leave the processor to its other thread for a moment, while this one waits."""


@in_kernels(lambda array, i: _load(array, i))
def atomic_load(array, i):
    """``array[i]`` as other threads left it; arrays here are of 64-bit integers, in one piece."""
    return array[i]


@in_kernels(lambda array, i, value: _store(array, i, value))
def atomic_store(array, i, value):
    """``array[i] = value``, seen by other threads after all that was written before."""
    array[i] = value


@in_kernels(lambda array, i, value: _add(array, i, value))
def atomic_add(array, i, value):
    """``array[i] += value``, no other thread between."""
    array[i] += value


@in_kernels(lambda array, i, old, new: _swap(array, i, old, new))
def atomic_swap(array, i, old, new):
    """Put `new` where `old` stands; return whether it stood there."""
    if array[i] != old:
        return False
    array[i] = new
    return True


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
    cls = dataclass(frozen=True)(cls)
    names = [field.name for field in fields(cls)]
    # The last field is never read: Numba cannot pass a tuple without fields.
    bases = (namedtuple(cls.__name__, [*names, "end"]),)
    space = {
        "__slots__": (),
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.record",
        "noun": cls,
    }
    cls.record = _Record(cls.__name__, bases, space)
    return cls


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

    Numba's cache index stores the types of all specialisations and reads them all back at once. A noun of the user's
    that cannot be imported then must not make the index unreadable, hence the pickling by name with a placeholder;
    the same stands for a noun whose verbs were written anew, so that no kernel keeps the old ones.
    """


def _record_named(module, path, names, verbs):
    try:
        found = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        if _verbs(found) == verbs:
            return found
    except (ImportError, AttributeError):
        pass
    return _Record("Missing", (namedtuple("Missing", names),), {"__slots__": (), "noun": object})


def _verbs(record):
    found = {name: getattr(record.noun, name, None) for name in VERBS}
    return _digest({name: _instructions(verb.__code__) for name, verb in found.items() if isfunction(verb)})


def _instructions(code):
    constants = [_instructions(item) if isinstance(item, CodeType) else item for item in code.co_consts]
    return code.co_code, code.co_names, constants


def _by_name(record):
    return _record_named, (record.__module__, record.__qualname__, record._fields, _verbs(record))


copyreg.pickle(_Record, _by_name)


def _declare(verb, names):
    def formula(self):
        return getattr(getattr(self.instance_class, "noun", None), verb, None)

    # Numba matches argument names, so each verb needs a typing function with its own.
    space = {"formula": formula}
    exec(f"def typing(self, {', '.join(names)}):\n    return formula(self)", space)
    # What several numbers share is long, and the compiler would leave it a call, which ends every hope of vectors;
    # splitters have hundreds of numbers, which a call would copy.
    options = {**_PART, "forceinline": True} if verb in ("jet", "pair", "examine", "divide") else _PART
    overload_method(types.BaseNamedTuple, verb, jit_options=options)(space["typing"])


for _verb, _names in VERBS.items():
    _declare(_verb, _names)
