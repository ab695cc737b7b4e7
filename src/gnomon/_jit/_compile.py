"""Functions that are compiled: by which options, and kept where.

A kernel is called from Python; a subroutine only by kernels, and is compiled as a part of each of them.
Lam, Pitrou & Seibert (2015), doi:10.1145/2833157.2833162.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numba
import numpy as np
from numba.extending import overload, register_jitable

from gnomon._jit._numba import PART, flags, kept, one_for_all_literals, refuse_kernels

__all__ = [
    "DISABLED",
    "Decorator",
    "Function",
    "choose",
    "in_kernels",
    "inlined_subroutine",
    "jit",
    "jit_no_alloc",
    "jitable",
    "outermost_jit",
    "subroutine",
    "subroutine_fma",
    "subroutine_reassoc",
]

DISABLED = bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0")))
"""True when kernels run as plain Python, for debuggers and coverage."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Decorator(Protocol):
    """What returns a function with the signature it had."""

    def __call__(self, function: Function, /) -> Function: ...


_STRICT: bool = False
_FUSED, _REORDERING = {"contract"}, {"reassoc", "contract", "nsz"}


def _compiler(fastmath: bool | set[str], counting: bool, **more: Any) -> Decorator:
    compiler: Decorator = numba.njit(**{**flags(fastmath, counting), **more})

    def decorate(function: Function) -> Function:
        compiled = compiler(function)
        return compiled if DISABLED else one_for_all_literals(compiled)

    return decorate


def _kernel(counting: bool) -> Decorator:
    # A subroutine has no GIL to release; to say so would make its flags others than those of verbs, and what both call
    # would be compiled twice.
    compiler = _compiler(_STRICT, counting, nogil=True)

    def decorate(function: Function) -> Function:
        compiled = compiler(function)
        return compiled if DISABLED else kept(compiled)

    return decorate


def outermost_jit(function: Function) -> Function:
    """Compile a kernel as `jit_no_alloc` does that only Python calls."""
    compiled = _compiler(_STRICT, counting=False, nogil=True)(function)
    return compiled if DISABLED else refuse_kernels(kept(compiled, linked=False))


jit = _kernel(counting=True)
jit_no_alloc = _kernel(counting=False)
subroutine = _compiler(_STRICT, counting=False, **PART)
inlined_subroutine = _compiler(_STRICT, counting=False, **{**PART, "forceinline": True})
subroutine_fma = _compiler(_FUSED, counting=False, **PART)
subroutine_reassoc = _compiler(_REORDERING, counting=False, **PART)
jitable: Decorator = register_jitable(**PART) if PART else register_jitable


def in_kernels(scalar: Callable[..., Any]) -> Decorator:
    """Give a function of arrays the text `scalar`, with the same arguments, inside kernels."""

    def decorate(function: Function) -> Function:
        overload(function, strict=False, jit_options=PART)(lambda *types: scalar)
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
