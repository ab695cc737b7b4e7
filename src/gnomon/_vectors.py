"""Instructions on vectors that compilers do not find by themselves.

``add_two``, ``add_four`` add two or four numbers of one array to those of another.
``add_to_all``   adds four numbers of one array at four places of another.
``sift_eight``   divides eight rows into those with a flag and those without.
``extremes_of``  finds the least and the largest of each of 32 columns of bytes.
``count_at_most`` counts in each of 32 columns of bytes those up to a cut.
``copy_block``   copies 32 bytes.

Each is also written in plain Python, which says what it does.
"""

from contextlib import contextmanager

import numpy as np
from llvmlite import ir

from gnomon._jit import cell, cgutils, in_kernels, intrinsic, types

__all__ = ["BLOCK", "add_four", "add_to_all", "add_two", "copy_block", "count_at_most", "extremes_of", "sift_eight"]

BLOCK = 32
"""Bytes of a vector, and of a block of records."""


def _adding(size):
    """An instruction that adds `size` doubles of one array to those at several places of another."""

    def add(typing, to, places, terms, i):
        def emit(context, builder, signature, given):
            vector = ir.VectorType(ir.DoubleType(), size).as_pointer()
            # Read once: after a store the compiler would not know that it is still the same.
            added = builder.load(builder.bitcast(cell(context, builder, terms, *given[2:]), vector), align=8)
            for at in cgutils.unpack_tuple(builder, given[1]):
                there = builder.bitcast(cell(context, builder, to, given[0], at), vector)
                builder.store(builder.fadd(builder.load(there, align=8), added), there, align=8)
            return context.get_dummy_value()

        return types.void(to, types.UniTuple(types.uintp, len(places)), terms, types.uintp), emit

    return intrinsic(add)


_add_twos, _add_fours = _adding(2), _adding(4)


@in_kernels(lambda to, at, terms, i: _add_twos(to, (np.uint64(at),), terms, i))
def add_two(to, at, terms, i):
    """``to[at : at + 2] += terms[i : i + 2]``; both are doubles, in one piece, counted through."""
    to.reshape(-1)[at : at + 2] += terms.reshape(-1)[i : i + 2]


@in_kernels(lambda to, at, terms, i: _add_fours(to, (np.uint64(at),), terms, i))
def add_four(to, at, terms, i):
    """``to[at : at + 4] += terms[i : i + 4]``; both are doubles, in one piece."""
    to[at : at + 4] += terms[i : i + 4]


@in_kernels(lambda to, a, b, c, d, terms, i: _add_fours(to, (a, b, c, d), terms, i))
def add_to_all(to, a, b, c, d, terms, i):
    """`add_four` at a, b, c and d, which are no two the same."""
    for at in (a, b, c, d):
        add_four(to, at, terms, i)


# For each set of bits its members in ascending order, a byte each, as an index of eight places.
_MEMBERS = [sum(k << 8 * place for place, k in enumerate(k for k in range(8) if bits >> k & 1)) for bits in range(256)]


def _eight_at(context, builder, kind, array, i):
    width = context.get_data_type(kind.dtype)
    return builder.bitcast(cell(context, builder, kind, array, i), ir.VectorType(width, 8).as_pointer())


@intrinsic
def _divide_eight(typing, rows, i, flags, left, spare, right):
    def emit(context, builder, signature, given):
        array, i, marks, left, other, right = given
        here = builder.load(_eight_at(context, builder, rows, array, i), align=4)
        marked = builder.load(_eight_at(context, builder, flags, marks, i), align=1)
        told = builder.icmp_unsigned("!=", marked, ir.Constant(marked.type, None))
        bits = builder.zext(builder.bitcast(told, ir.IntType(8)), ir.IntType(64))
        store = _store_permuted if "+avx2" in context.codegen().magic_tuple()[2] else _store_one_by_one
        store(context, builder, here, bits, rows, array, left)
        store(context, builder, here, builder.xor(bits, ir.Constant(bits.type, 255)), spare, other, right)
        return builder.ctpop(bits)

    return types.uint64(rows, types.uint64, flags, types.uint64, spare, types.uint64), emit


def _store_permuted(context, builder, here, bits, kind, array, at):
    """Store the members of a set of eight rows first, in the order of a permutation that is looked up."""
    table, name = ir.ArrayType(ir.IntType(64), 256), "gnomon.members"
    members = builder.module.globals.get(name)
    if members is None:
        members = ir.GlobalVariable(builder.module, table, name)
        members.linkage, members.global_constant = "internal", True
        members.initializer = ir.Constant(table, _MEMBERS)
    order = builder.load(builder.gep(members, [ir.Constant(bits.type, 0), bits]))
    order = builder.zext(builder.bitcast(order, ir.VectorType(ir.IntType(8), 8)), here.type)
    kinds = ir.FunctionType(here.type, (here.type, here.type))
    permute = cgutils.get_or_insert_function(builder.module, kinds, "llvm.x86.avx2.permd")
    builder.store(builder.call(permute, (here, order)), _eight_at(context, builder, kind, array, at), align=4)


def _store_one_by_one(context, builder, here, bits, kind, array, at):
    """Store the members of a set of eight rows; each of the others is overwritten by the next, or follows the last."""
    for k in range(8):
        row = builder.extract_element(here, ir.Constant(ir.IntType(32), k))
        builder.store(row, cell(context, builder, kind, array, at))
        bit = builder.and_(builder.lshr(bits, ir.Constant(bits.type, k)), ir.Constant(bits.type, 1))
        at = builder.add(at, bit)


@in_kernels(lambda rows, i, flags, left, spare, right: _divide_eight(rows, i, flags, left, spare, right))
def sift_eight(rows, i, flags, left, spare, right):
    """Of eight rows from rows[i] on, put those with a flag at rows[left] and the others at spare[right], in order.

    Returns how many have a flag. In both places eight cells are overwritten, so that left ≤ i must hold; rows have 32
    bits, flags a byte.
    """
    some, told = rows[i : i + 8].copy(), flags[i : i + 8] != 0
    count = int(np.sum(told))
    rows[left : left + count] = some[told]
    spare[right : right + 8 - count] = some[~told]
    return count


def _block_at(context, builder, kind, array, i):
    return builder.bitcast(cell(context, builder, kind, array, i), _BYTES.as_pointer())


_BYTES = ir.VectorType(ir.IntType(8), BLOCK)


@contextmanager
def _each_block(context, builder, kind, records, at, stride, rows):
    """A loop over the blocks that begin at ``at, at + stride, …``."""
    with cgutils.for_range(builder, rows) as loop:
        place = builder.add(at, builder.mul(loop.index, stride))
        yield builder.load(_block_at(context, builder, kind, records, place), align=1)


def _kept(builder, value):
    """A variable that begins as `value`."""
    held = cgutils.alloca_once(builder, value.type)
    builder.store(value, held)
    return held


@intrinsic
def _find_extremes(typing, records, at, stride, rows, low, high):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, low_, high_ = given
        first = builder.load(_block_at(context, builder, records, records_, at_), align=1)
        least, most = _kept(builder, first), _kept(builder, first)
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            for held, order in ((least, "<"), (most, ">")):
                known = builder.load(held)
                builder.store(builder.select(builder.icmp_unsigned(order, block, known), block, known), held)
        zero = ir.Constant(ir.IntType(64), 0)
        builder.store(builder.load(least), _block_at(context, builder, low, low_, zero), align=1)
        builder.store(builder.load(most), _block_at(context, builder, high, high_, zero), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, low, high), emit


@in_kernels(lambda records, at, stride, rows, low, high: _find_extremes(records, at, stride, rows, low, high))
def extremes_of(records, at, stride, rows, low, high):
    """The least and the largest of each column of `rows` blocks, 32 bytes each, at ``at, at + stride, …``."""
    blocks = _blocks(records, at, stride, rows)
    low[:BLOCK], high[:BLOCK] = np.min(blocks, axis=0), np.max(blocks, axis=0)


def _blocks(records, at, stride, rows):
    return np.array([records[at + i * stride : at + i * stride + BLOCK] for i in range(rows)])


@intrinsic
def _count_bytes(typing, records, at, stride, rows, cuts, counts):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, cuts_, counts_ = given
        zero = ir.Constant(ir.IntType(64), 0)
        most = builder.load(_block_at(context, builder, cuts, cuts_, zero), align=1)
        found = _kept(builder, ir.Constant(_BYTES, None))
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            within = builder.sext(builder.icmp_unsigned("<=", block, most), _BYTES)
            builder.store(builder.sub(builder.load(found), within), found)
        builder.store(builder.load(found), _block_at(context, builder, counts, counts_, zero), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, cuts, counts), emit


@in_kernels(lambda records, at, stride, rows, cuts, counts: _count_bytes(records, at, stride, rows, cuts, counts))
def count_at_most(records, at, stride, rows, cuts, counts):
    """How many bytes of each column of `rows` blocks, 255 at most, are not above the cut of the column."""
    counts[:BLOCK] = np.sum(_blocks(records, at, stride, rows) <= cuts[:BLOCK], axis=0) if rows else 0


@intrinsic
def _copy_bytes(typing, to, at, source, i):
    def emit(context, builder, signature, given):
        block = builder.load(_block_at(context, builder, source, *given[2:]), align=1)
        builder.store(block, _block_at(context, builder, to, *given[:2]), align=1)
        return context.get_dummy_value()

    return types.void(to, types.uint64, source, types.uint64), emit


@in_kernels(lambda to, at, source, i: _copy_bytes(to, at, source, i))
def copy_block(to, at, source, i):
    """``to[at : at + 32] = source[i : i + 32]``, bytes."""
    to[at : at + BLOCK] = source[i : i + BLOCK]
