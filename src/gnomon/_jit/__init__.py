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
``verb``      declares a method that kernels may call; ``inlined_verb`` one that is copied to where it is called.
``compiled``  hands such a value to a kernel.
"""

from numba.core import cgutils, types
from numba.extending import intrinsic

from gnomon._jit._compile import (
    DISABLED,
    choose,
    in_kernels,
    inline,
    inner,
    inner_fused,
    inner_reordering,
    jit,
    lean,
    within,
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
    "inline",
    "inlined_verb",
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
    "verb",
    "within",
]
