"""Instructions that Python has no word for: bits of numbers, and what threads need to work on one array.

Each is also written in plain Python, which says what it does. Alexandrescu, A. et al. (2008). C++ memory model,
sequential consistency: every load and store here is ordered with all others.
"""

from __future__ import annotations

import platform

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from gnomon._jit._compile import in_kernels

__all__ = [
    "atomic_add",
    "atomic_load",
    "atomic_store",
    "atomic_swap",
    "bits_of",
    "cell",
    "just_below",
    "of_bits",
    "pause",
]


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
