"""Instructions on vectors that compilers do not find by themselves.

``add_two``, ``add_four`` add two or four numbers of one array to those of another.
``add_to_all``   adds four numbers of one array at four places of another.
``sift_eight``   divides eight rows into those with a flag and those without.
``widen``        takes 32 columns of bytes into the least and the largest of each.
``count_at_most`` counts in each of 32 columns of bytes those up to a cut.
``copy_block``   copies 32 bytes.
``turn_block``   writes 32 blocks column by column.
``members_up_to`` tells which of 64 bytes are not above a cut, as the bits of a word.
``extremes_within`` finds the least and the largest of those of 64 bytes that a word marks.
``size_of_set``  counts the bits of a word.

Each is also written in plain Python, which says what it does.
"""

from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from llvmlite import ir

from gnomon._jit import cell, cgutils, in_kernels, intrinsic, types
from gnomon._typing import Array, Floats, Integers, NDArray

__all__ = [
    "BLOCK",
    "ROW",
    "add_four",
    "add_to_all",
    "add_two",
    "copy_block",
    "count_at_most",
    "extremes_within",
    "members_up_to",
    "sift_eight",
    "size_of_set",
    "turn_block",
    "widen",
]

BLOCK = 32
"""Bytes of a vector, and of a block of records."""

ROW = 64
"""Bytes that a word has a bit for."""

Bytes: TypeAlias = NDArray[np.uint8]


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
def add_two(to: Floats, at: int, terms: Floats, i: int) -> None:
    """``to[at : at + 2] += terms[i : i + 2]``; both are doubles, in one piece, counted through."""
    to.reshape(-1)[at : at + 2] += terms.reshape(-1)[i : i + 2]


@in_kernels(lambda to, at, terms, i: _add_fours(to, (np.uint64(at),), terms, i))
def add_four(to: Floats, at: int, terms: Floats, i: int) -> None:
    """``to[at : at + 4] += terms[i : i + 4]``; both are doubles, in one piece."""
    to[at : at + 4] += terms[i : i + 4]


@in_kernels(lambda to, a, b, c, d, terms, i: _add_fours(to, (a, b, c, d), terms, i))
def add_to_all(to: Floats, a: int, b: int, c: int, d: int, terms: Floats, i: int) -> None:
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
def sift_eight(rows: Integers, i: int, flags: Array, left: int, spare: Integers, right: int) -> int:
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
def _take_in(typing, records, at, stride, rows, low, high):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, low_, high_ = given
        zero = ir.Constant(ir.IntType(64), 0)
        to = [_block_at(context, builder, *pair, zero) for pair in ((low, low_), (high, high_))]
        least, most = (_kept(builder, builder.load(place, align=1)) for place in to)
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            for held, order in ((least, "<"), (most, ">")):
                known = builder.load(held)
                builder.store(builder.select(builder.icmp_unsigned(order, block, known), block, known), held)
        for held, place in zip((least, most), to, strict=True):
            builder.store(builder.load(held), place, align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, low, high), emit


@in_kernels(lambda records, at, stride, rows, low, high: _take_in(records, at, stride, rows, low, high))
def widen(records: Bytes, at: int, stride: int, rows: int, low: Bytes, high: Bytes) -> None:
    """Take `rows` blocks of 32 bytes, at ``at, at + stride, …``, into the least `low` and the largest `high`."""
    blocks = _blocks(records, at, stride, rows)
    low[:BLOCK] = np.min([low[:BLOCK], *blocks], axis=0)
    high[:BLOCK] = np.max([high[:BLOCK], *blocks], axis=0)


def _blocks(records: Bytes, at: int, stride: int, rows: int) -> Bytes:
    blocks = [records[at + i * stride : at + i * stride + BLOCK] for i in range(rows)]
    return np.array(blocks, dtype=np.uint8).reshape(-1, BLOCK)


@intrinsic
def _count_bytes(typing, records, at, stride, rows, cuts, counts):
    def emit(context, builder, signature, given):
        records_, at_, stride_, rows_, cuts_, counts_ = given
        zero = ir.Constant(ir.IntType(64), 0)
        most = builder.load(_block_at(context, builder, cuts, cuts_, zero), align=1)
        found = _kept(builder, ir.Constant(_BYTES, None))
        kinds = ir.FunctionType(_BYTES, (_BYTES, _BYTES))
        less = cgutils.get_or_insert_function(builder.module, kinds, f"llvm.usub.sat.v{BLOCK}i8")
        one = ir.Constant(_BYTES, [1] * BLOCK)
        with _each_block(context, builder, records, records_, at_, stride_, rows_) as block:
            # 1 − (byte − cut), never below zero: masks of comparisons would have to be made bytes again.
            within = builder.call(less, (one, builder.call(less, (block, most))))
            builder.store(builder.add(builder.load(found), within), found)
        builder.store(builder.load(found), _block_at(context, builder, counts, counts_, zero), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, types.uint64, cuts, counts), emit


@in_kernels(lambda records, at, stride, rows, cuts, counts: _count_bytes(records, at, stride, rows, cuts, counts))
def count_at_most(records: Bytes, at: int, stride: int, rows: int, cuts: Bytes, counts: Bytes) -> None:
    """How many bytes of each column of `rows` blocks, 255 at most, are not above the cut of the column."""
    counts[:BLOCK] = np.sum(_blocks(records, at, stride, rows) <= cuts[:BLOCK], axis=0)


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
    to[at : at + BLOCK] = source[i : i + BLOCK]


@intrinsic
def _transpose(typing, records, at, stride, to, i):
    def emit(context, builder, signature, given):
        records_, at_, stride_, to_, i_ = given
        word = ir.IntType(64)
        rows = []
        for k in range(BLOCK):
            place = builder.add(at_, builder.mul(stride_, ir.Constant(word, k)))
            rows.append(builder.load(_block_at(context, builder, records, records_, place), align=1))
        # Five times the first half is shuffled into the second: bits of places move from columns to rows.
        half, which = BLOCK // 2, ir.VectorType(ir.IntType(32), BLOCK)
        low, high = (ir.Constant(which, [k // 2 + k % 2 * BLOCK + first for k in range(BLOCK)]) for first in (0, half))
        for _ in range(5):
            pairs = zip(rows[:half], rows[half:], strict=True)
            rows = [builder.shuffle_vector(*pair, order) for pair in pairs for order in (low, high)]
        for k, row in enumerate(rows):
            place = builder.add(i_, ir.Constant(word, k * ROW))
            builder.store(row, _block_at(context, builder, to, to_, place), align=1)
        return context.get_dummy_value()

    return types.void(records, types.uint64, types.uint64, to, types.uint64), emit


@in_kernels(lambda records, at, stride, to, i: _transpose(records, at, stride, to, i))
def turn_block(records: Bytes, at: int, stride: int, to: Bytes, i: int) -> None:
    """Byte c of the blocks at ``at, at + stride, …`` to the 32 cells from ``to[i + 64 c]`` on, for 32 blocks.

    What stands behind the end of `records` is read too; there must be room.
    """
    here = min(BLOCK, -(-(len(records) - int(at)) // int(stride)))
    for c, column in enumerate(_blocks(records, at, stride, here).T):
        to[i + c * ROW : i + c * ROW + here] = column


def _row_at(context, builder, kind, array, i):
    row = ir.VectorType(ir.IntType(8), ROW)
    return builder.load(builder.bitcast(cell(context, builder, kind, array, i), row.as_pointer()), align=1)


def _everywhere(builder, byte):
    """A row of the same byte."""
    row = ir.VectorType(ir.IntType(8), ROW)
    first = builder.insert_element(ir.Constant(row, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), ROW), [0] * ROW))


@intrinsic
def _mark_up_to(typing, bytes_, at, cut):
    def emit(context, builder, signature, given):
        row, cuts = _row_at(context, builder, bytes_, *given[:2]), _everywhere(builder, given[2])
        return builder.bitcast(builder.icmp_unsigned("<=", row, cuts), ir.IntType(ROW))

    return types.uint64(bytes_, types.uint64, types.uint8), emit


@in_kernels(lambda bytes_, at, cut: _mark_up_to(bytes_, at, cut))
def members_up_to(bytes_: Bytes, at: int, cut: int) -> int:
    """The set of i < 64 with ``bytes_[at + i] <= cut``, as the bits of a word."""
    return np.packbits(bytes_[at : at + ROW] <= cut, bitorder="little").view(np.uint64)[0]


@intrinsic
def _find_extremes(typing, bytes_, at, members):
    def emit(context, builder, signature, given):
        row = _row_at(context, builder, bytes_, *given[:2])
        inside = builder.bitcast(given[2], ir.VectorType(ir.IntType(1), ROW))
        found = []
        for name, other in (("umin", 255), ("umax", 0)):
            kinds = ir.FunctionType(ir.IntType(8), (row.type,))
            reduce = cgutils.get_or_insert_function(builder.module, kinds, f"llvm.vector.reduce.{name}.v{ROW}i8")
            found.append(builder.call(reduce, (builder.select(inside, row, ir.Constant(row.type, [other] * ROW)),)))
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.uint8, 2)(bytes_, types.uint64, types.uint64), emit


@in_kernels(lambda bytes_, at, members: _find_extremes(bytes_, at, members))
def extremes_within(bytes_: Bytes, at: int, members: int) -> tuple[int, int]:
    """The least and the largest of ``bytes_[at + i]`` over the i < 64 whose bits are set; one is."""
    inside = bytes_[at : at + ROW][np.unpackbits(np.array([members]).view(np.uint8), bitorder="little") > 0]
    return int(np.min(inside)), int(np.max(inside))


@intrinsic
def _count_bits(typing, members):
    return types.uint64(types.uint64), lambda context, builder, signature, given: builder.ctpop(given[0])


@in_kernels(lambda members: _count_bits(members))
def size_of_set(members: int) -> int:
    """How many bits of a word are set."""
    return int(members).bit_count()
