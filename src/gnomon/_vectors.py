"""Vector instructions that compilers do not derive from loops.

``add_two``, ``add_four``  add two or four doubles of one array to those of another.
``add_to_all``             adds four doubles of one array at four places of another.
``partition_eight``        divides eight rows into those with a flag and those without.
``update_extremes``        extends the minima and maxima of 32 columns of bytes by some rows.
``count_at_most``          counts in each of 32 columns the bytes that are not above a cut.
``copy_block``             copies 32 bytes.
``transpose_block``        writes a block of 32 × 32 bytes column by column.
``mask_at_most``           marks those of 64 bytes that are not above a cut, as the bits of a word.
``extremes_within``        finds the minimum and maximum of those of 64 bytes that a word marks.
``popcount``               counts the bits of a word.

Each also has a body in plain Python, which defines it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from llvmlite import ir

from gnomon._jit import cell, cgutils, in_kernels, intrinsic, types
from gnomon._typing import Array, Floats, Integers, NDArray

__all__ = [
    "VECTOR_BYTES",
    "WORD_BITS",
    "add_four",
    "add_to_all",
    "add_two",
    "copy_block",
    "count_at_most",
    "extremes_within",
    "mask_at_most",
    "partition_eight",
    "popcount",
    "transpose_block",
    "update_extremes",
]

VECTOR_BYTES = 32
"""Bytes of a vector, and of a block of records."""

WORD_BITS = 64
"""Bytes of which a word marks a set, a bit for each."""

Bytes: TypeAlias = NDArray[np.uint8]


def _adding(size):
    """An instruction that adds `size` doubles of one array to those at several places of another."""

    def add(typing, to, places, terms, i):
        def emit(context, builder, signature, given):
            vector = ir.VectorType(ir.DoubleType(), size).as_pointer()
            # Loaded once: after a store the compiler cannot rule out aliasing and would load again.
            added = builder.load(builder.bitcast(cell(context, builder, terms, *given[2:]), vector), align=8)
            for at in cgutils.unpack_tuple(builder, given[1]):
                there = builder.bitcast(cell(context, builder, to, given[0], at), vector)
                builder.store(builder.fadd(builder.load(there, align=8), added), there, align=8)
            return context.get_dummy_value()

        return types.void(to, types.UniTuple(types.uintp, len(places)), terms, types.uintp), emit

    return intrinsic(add)


_add_twos, _add_fours = _adding(2), _adding(4)


@in_kernels(lambda to, at, terms, i: _add_twos(to, (np.uint64(at),), terms, i))
def add_two(to: Floats, at: int, terms: Floats, i: int) -> None:
    """``to[at : at + 2] += terms[i : i + 2]``, with indices into the flattened arrays; both are contiguous doubles."""
    to.reshape(-1)[at : at + 2] += terms.reshape(-1)[i : i + 2]


@in_kernels(lambda to, at, terms, i: _add_fours(to, (np.uint64(at),), terms, i))
def add_four(to: Floats, at: int, terms: Floats, i: int) -> None:
    """``to[at : at + 4] += terms[i : i + 4]``; both are contiguous doubles."""
    to[at : at + 4] += terms[i : i + 4]


@in_kernels(lambda to, a, b, c, d, terms, i: _add_fours(to, (a, b, c, d), terms, i))
def add_to_all(to: Floats, a: int, b: int, c: int, d: int, terms: Floats, i: int) -> None:
    """`add_four` at a, b, c and d, all different."""
    for at in (a, b, c, d):
        add_four(to, at, terms, i)


# For each byte the positions of its set bits in ascending order, a byte each: the index of a permutation.
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
        flagged = builder.icmp_unsigned("!=", marked, ir.Constant(marked.type, None))
        bits = builder.zext(builder.bitcast(flagged, ir.IntType(8)), ir.IntType(64))
        store = _store_permuted if "+avx2" in context.codegen().magic_tuple()[2] else _store_one_by_one
        store(context, builder, here, bits, rows, array, left)
        store(context, builder, here, builder.xor(bits, ir.Constant(bits.type, 255)), spare, other, right)
        return builder.ctpop(bits)

    return types.uint64(rows, types.uint64, flags, types.uint64, spare, types.uint64), emit


def _store_permuted(context, builder, here, bits, kind, array, at):
    """Store the members of a set of eight rows first, by a permutation looked up by the bits of the set."""
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
def partition_eight(rows: Integers, i: int, flags: Array, left: int, spare: Integers, right: int) -> int:
    """Of eight rows from rows[i] on, put those with a flag at rows[left] and the others at spare[right], in order.

    Returns how many have a flag. In both places eight cells are overwritten, so that left ≤ i must hold; rows have 32
    bits, flags a byte.
    """
    some, flagged = rows[i : i + 8].copy(), flags[i : i + 8] != 0
    count = int(np.sum(flagged))
    rows[left : left + count] = some[flagged]
    spare[right : right + 8 - count] = some[~flagged]
    return count


def _block_at(context, builder, kind, array, i):
    return builder.bitcast(cell(context, builder, kind, array, i), _BYTES.as_pointer())


_BYTES = ir.VectorType(ir.IntType(8), VECTOR_BYTES)


@contextmanager
def _each_block(context, builder, kind, records, at, stride, rows):
    """A loop over the blocks that begin at ``at, at + stride, …``."""
    with cgutils.for_range(builder, rows) as loop:
        place = builder.add(at, builder.mul(loop.index, stride))
        yield builder.load(_block_at(context, builder, kind, records, place), align=1)


def _variable(builder, value):
    """A variable that begins as `value`."""
    held = cgutils.alloca_once(builder, value.type)
    builder.store(value, held)
    return held


@intrinsic
def _extend_extremes(typing, records, at, stride, rows, low, high):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, low_, high_ = given
        zero = ir.Constant(ir.IntType(64), 0)
        to = [_block_at(context, builder, *pair, zero) for pair in ((low, low_), (high, high_))]
        least, most = (_variable(builder, builder.load(place, align=1)) for place in to)
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            for held, order in ((least, "<"), (most, ">")):
                known = builder.load(held)
                builder.store(builder.select(builder.icmp_unsigned(order, block, known), block, known), held)
        for held, place in zip((least, most), to, strict=True):
            builder.store(builder.load(held), place, align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, low, high), emit


@in_kernels(lambda records, at, stride, rows, low, high: _extend_extremes(records, at, stride, rows, low, high))
def update_extremes(records: Bytes, at: int, stride: int, rows: int, low: Bytes, high: Bytes) -> None:
    """Extend the minima `low` and maxima `high` by `rows` blocks of 32 bytes, at ``at, at + stride, …``."""
    blocks = _blocks(records, at, stride, rows)
    low[:VECTOR_BYTES] = np.min([low[:VECTOR_BYTES], *blocks], axis=0)
    high[:VECTOR_BYTES] = np.max([high[:VECTOR_BYTES], *blocks], axis=0)


def _blocks(records: Bytes, at: int, stride: int, rows: int) -> Bytes:
    blocks = [records[at + i * stride : at + i * stride + VECTOR_BYTES] for i in range(rows)]
    return np.array(blocks, dtype=np.uint8).reshape(-1, VECTOR_BYTES)


@intrinsic
def _count_bytes(typing, records, at, stride, rows, cuts, counts):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, cuts_, counts_ = given
        zero = ir.Constant(ir.IntType(64), 0)
        most = builder.load(_block_at(context, builder, cuts, cuts_, zero), align=1)
        found = _variable(builder, ir.Constant(_BYTES, None))
        kinds = ir.FunctionType(_BYTES, (_BYTES, _BYTES))
        less = cgutils.get_or_insert_function(builder.module, kinds, f"llvm.usub.sat.v{VECTOR_BYTES}i8")
        one = ir.Constant(_BYTES, [1] * VECTOR_BYTES)
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            # 1 − (byte − cut) with saturation: the mask of a comparison would have to be widened to bytes.
            within = builder.call(less, (one, builder.call(less, (block, most))))
            builder.store(builder.add(builder.load(found), within), found)
        builder.store(builder.load(found), _block_at(context, builder, counts, counts_, zero), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, cuts, counts), emit


@in_kernels(lambda records, at, stride, rows, cuts, counts: _count_bytes(records, at, stride, rows, cuts, counts))
def count_at_most(records: Bytes, at: int, stride: int, rows: int, cuts: Bytes, counts: Bytes) -> None:
    """How many bytes of each column of `rows` blocks, 255 at most, are not above the cut of the column."""
    counts[:VECTOR_BYTES] = np.sum(_blocks(records, at, stride, rows) <= cuts[:VECTOR_BYTES], axis=0)


@intrinsic
def _copy_bytes(typing, to, at, source, i):
    def emit(context, builder, signature, given):
        block = builder.load(_block_at(context, builder, source, *given[2:]), align=1)
        builder.store(block, _block_at(context, builder, to, *given[:2]), align=1)
        return context.get_dummy_value()

    return types.void(to, types.uint64, source, types.uint64), emit


@in_kernels(lambda to, at, source, i: _copy_bytes(to, at, source, i))
def copy_block(to: Bytes, at: int, source: Bytes, i: int) -> None:
    """``to[at : at + 32] = source[i : i + 32]``, bytes."""
    to[at : at + VECTOR_BYTES] = source[i : i + VECTOR_BYTES]


@intrinsic
def _transpose(typing, records, at, stride, to, i):
    def emit(context, builder, signature, given):
        records_, at_, stride_, to_, i_ = given
        word = ir.IntType(64)
        rows = []
        for k in range(VECTOR_BYTES):
            place = builder.add(at_, builder.mul(stride_, ir.Constant(word, k)))
            rows.append(builder.load(_block_at(context, builder, records, records_, place), align=1))
        # Five perfect shuffles of the two halves: each moves one bit of the column index to the row index.
        half, which = VECTOR_BYTES // 2, ir.VectorType(ir.IntType(32), VECTOR_BYTES)
        lanes = range(VECTOR_BYTES)
        low, high = (ir.Constant(which, [k // 2 + k % 2 * VECTOR_BYTES + first for k in lanes]) for first in (0, half))
        for _ in range(5):
            pairs = zip(rows[:half], rows[half:], strict=True)
            rows = [builder.shuffle_vector(*pair, order) for pair in pairs for order in (low, high)]
        for k, row in enumerate(rows):
            place = builder.add(i_, ir.Constant(word, k * WORD_BITS))
            builder.store(row, _block_at(context, builder, to, to_, place), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, to, types.uint64), emit


@in_kernels(lambda records, at, stride, to, i: _transpose(records, at, stride, to, i))
def transpose_block(records: Bytes, at: int, stride: int, to: Bytes, i: int) -> None:
    """Byte c of the blocks at ``at, at + stride, …`` to the 32 cells from ``to[i + 64 c]`` on, for 32 blocks.

    Reads up to 31 blocks beyond the end of `records`, which must be allocated.
    """
    here = min(VECTOR_BYTES, -(-(len(records) - int(at)) // int(stride)))
    for c, column in enumerate(_blocks(records, at, stride, here).T):
        to[i + c * WORD_BITS : i + c * WORD_BITS + here] = column


def _row_at(context, builder, kind, array, i):
    row = ir.VectorType(ir.IntType(8), WORD_BITS)
    return builder.load(builder.bitcast(cell(context, builder, kind, array, i), row.as_pointer()), align=1)


def _everywhere(builder, byte):
    """A vector of the same byte."""
    row = ir.VectorType(ir.IntType(8), WORD_BITS)
    first = builder.insert_element(ir.Constant(row, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), WORD_BITS), [0] * WORD_BITS))


@intrinsic
def _mark_up_to(typing, bytes_, at, cut):
    def emit(context, builder, signature, given):
        row, cuts = _row_at(context, builder, bytes_, *given[:2]), _everywhere(builder, given[2])
        return builder.bitcast(builder.icmp_unsigned("<=", row, cuts), ir.IntType(WORD_BITS))

    return types.uint64(bytes_, types.uint64, types.uint8), emit


@in_kernels(lambda bytes_, at, cut: _mark_up_to(bytes_, at, cut))
def mask_at_most(bytes_: Bytes, at: int, cut: int) -> int:
    """The set of i < 64 with ``bytes_[at + i] <= cut``, as the bits of a word."""
    return np.packbits(bytes_[at : at + WORD_BITS] <= cut, bitorder="little").view(np.uint64)[0]


@intrinsic
def _find_extremes(typing, bytes_, at, members):
    def emit(context, builder, signature, given):
        row = _row_at(context, builder, bytes_, *given[:2])
        inside = builder.bitcast(given[2], ir.VectorType(ir.IntType(1), WORD_BITS))
        found = []
        for name, other in (("umin", 255), ("umax", 0)):
            kinds = ir.FunctionType(ir.IntType(8), (row.type,))
            reduce = cgutils.get_or_insert_function(builder.module, kinds, f"llvm.vector.reduce.{name}.v{WORD_BITS}i8")
            chosen = builder.select(inside, row, ir.Constant(row.type, [other] * WORD_BITS))
            found.append(builder.call(reduce, (chosen,)))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.uint8, 2)(bytes_, types.uint64, types.uint64), emit


@in_kernels(lambda bytes_, at, members: _find_extremes(bytes_, at, members))
def extremes_within(bytes_: Bytes, at: int, members: int) -> tuple[int, int]:
    """The least and the largest of ``bytes_[at + i]`` over the i < 64 whose bits are set; one is."""
    inside = bytes_[at : at + WORD_BITS][np.unpackbits(np.array([members]).view(np.uint8), bitorder="little") > 0]
    return int(np.min(inside)), int(np.max(inside))


@intrinsic
def _count_bits(typing, members):
    return types.uint64(types.uint64), lambda context, builder, signature, given: builder.ctpop(given[0])


@in_kernels(lambda members: _count_bits(members))
def popcount(members: int) -> int:
    """How many bits of a word are set."""
    return int(members).bit_count()
