"""Compiled code: all that this package uses of Numba.

Kernels, which Python calls:

``jit``                 serial, without the GIL, kept on disk.
``jit_no_alloc``        the same for a kernel that creates no array: references are not counted, so that passing a noun
                        that holds arrays costs nothing.
``outermost_jit``       the same for a large kernel that only Python calls: a third of the space is enough to keep it.

Subroutines, which only kernels call; they are compiled as a part of each kernel that does:

``subroutine``          allocates nothing.
``inlined_subroutine``  the same, always inlined: a call would copy the fields of nouns that hold many arrays.
``subroutine_reassoc``  the same, and sums may be taken in any order (SIMD).
``subroutine_fma``      the same, and a product and a sum may be fused; sums keep their order.

Formulas, which are one text for arrays in Python and for numbers in kernels:

``jitable``             such a formula.
``choose``              its conditional; ``in_kernels`` gives a function another text inside kernels.

Nouns, immutable values that kernels take:

``noun``                makes a class one.
``verb``                declares a method that kernels may call, as ``loss.gradient(y[i], z[i])``; ``inlined_verb`` one
                        that is always inlined.
``compiled``            the form in which a kernel takes a noun.

Instructions: ``bits_of`` and ``of_bits`` reinterpret a double as an integer and back; ``just_below`` is the next number
below; ``atomic_load``, ``atomic_store``, ``atomic_add``, ``atomic_swap`` and ``pause`` synchronise threads; others are
written with ``cell``, ``intrinsic``, ``types`` and ``cgutils``.

`kernel_cache` says where compiled kernels are kept, `MISSING` which of Numba's private names this release lacks.
"""

from __future__ import annotations

from numba.core import cgutils, types
from numba.extending import intrinsic

from gnomon._jit._compile import (
    DISABLED,
    choose,
    in_kernels,
    inlined_subroutine,
    jit,
    jit_no_alloc,
    jitable,
    outermost_jit,
    subroutine,
    subroutine_fma,
    subroutine_reassoc,
)
from gnomon._jit._instructions import (
    atomic_add,
    atomic_load,
    atomic_store,
    atomic_swap,
    bits_of,
    cell,
    just_below,
    of_bits,
    pause,
)
from gnomon._jit._nouns import compiled, inlined_verb, noun, verb
from gnomon._jit._numba import MISSING

__all__ = [
    "DISABLED",
    "MISSING",
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
    "inlined_subroutine",
    "inlined_verb",
    "intrinsic",
    "jit",
    "jit_no_alloc",
    "jitable",
    "just_below",
    "noun",
    "of_bits",
    "outermost_jit",
    "pause",
    "subroutine",
    "subroutine_fma",
    "subroutine_reassoc",
    "types",
    "verb",
]
