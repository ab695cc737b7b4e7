"""The laws of a split criterion with sums.

    sums(A ∪ B) = sums(A) + sums(B),  wherever they stand and whatever stands there                     (1)
    merit(A) + merit(B) − merit(A ∪ B) = worth(A) + worth(B) − worth(A ∪ B)                             (2)
    kernels compute what Python computes                                                                (3)

and each declared trait is what its verb says. Breiman et al. (1984), doi:10.1201/9781315139470.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from gnomon._jit import compiled, jit
from gnomon._typing import Array, Floats
from gnomon.search import SumCriterion
from gnomon.testing._law import require, require_close
from gnomon.testing._target_rows import TargetRows

__all__ = ["check_sums", "check_width"]

TRIALS = 40


def check_sums(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    """Hold a criterion with sums to (1)–(3) and to its traits; likewise its form of a fixed width."""
    other = criterion.fixed_width()
    check_width(other)
    _check_same(criterion, other, rows, tol)
    for one in (criterion,) if other is criterion else (criterion, other):
        _check_additive(one, rows, tol)
        _check_merit(one, rows, tol)
        _check_whole_groups(one, rows, tol)
        _check_shortcuts(one, rows, tol)
        _check_answers(one, rows, tol)
        _check_counts_unread(one, rows, tol)
        if one.class_weights:
            _check_class_weights(one, rows, tol)
        if one.two_sums():
            _check_two_sums(one, rows, tol)
        if one.convex_merit():
            _check_convex(one, rows, tol)
        if one.clips():
            _check_clipping(one, rows, tol)
        _check_cuts_left_out(one, rows, tol)
        if one.compiled:
            _check_kernels(one, rows, tol)


def check_width(criterion: SumCriterion) -> None:
    """Check the width, by which all arrays of sums are allocated."""
    detail = f"width() is {criterion.width()} and size {criterion.size}"
    require(criterion.width() == criterion.size + 1, "width is size + 1", detail)


def _sums(criterion: SumCriterion, rows: TargetRows, which: Array) -> Floats:
    """The sums of some rows, added one by one."""
    sums = np.zeros(criterion.size + 1)
    for i in which:
        criterion.tally(sums, 0, rows.flat, int(i), rows.w[i])
    return sums


def _groups(rows: TargetRows, seed: int, most: int = 8) -> Iterator[tuple[Array, Array]]:
    """Pairs of disjoint groups that are not empty."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIALS):
        some = rng.permutation(len(rows.w))[: rng.integers(2, most + 1)]
        cut = rng.integers(1, len(some))
        yield some[:cut], some[cut:]


def _check_additive(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    width = criterion.size + 1
    before = np.random.default_rng(0).uniform(1.0, 2.0, 3 * width)
    for i in range(len(rows.w)):
        alone, there = _sums(criterion, rows, np.array([i])), before.copy()
        criterion.weigh(there, width, rows.flat, i, rows.w[i])
        expected = before.copy()
        expected[width + 1 : 2 * width] += alone[1:]
        law = "weigh adds the same to a group wherever it stands, and to nothing else"
        require_close(law, there, expected, tol=tol, where=rows.describe(np.array([i])))


def _check_merit(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    for a, b in _groups(rows, 1):
        parts = [_sums(criterion, rows, some) for some in (a, b)]
        three = [*parts, parts[0] + parts[1]]
        worths, merits = ([verb(sums, 0) for sums in three] for verb in (criterion.worth, criterion.merit))
        law = "the gain by merits is that by worths"
        if np.all(np.isfinite(worths)):
            where = f"{rows.describe(a)} and {rows.describe(b)}"
            found, expected = (v[0] + v[1] - v[2] for v in (merits, worths))
            require_close(law, found, expected, tol=tol, where=where)
        else:
            same = np.array_equal(np.isneginf(worths), np.isneginf(merits))
            require(same, "a group that no split may make has merit and worth −∞", f"at {rows.describe(a)}")


def _check_whole_groups(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    m, width = len(rows.w), criterion.size + 1
    cells = np.random.default_rng(2).integers(0, 9, m).astype(np.uint8)
    found = np.zeros((2, width))
    if criterion.compiled:
        # They may call functions that only kernels can call.
        _weigh_compiled(compiled(criterion), rows.flat, rows.w, cells, *found)
    else:
        _weigh(criterion, rows.flat, rows.w, cells, *found)
    for verb, sums, which in (
        ("weigh_all", found[0], np.arange(m)),
        ("weigh_range", found[1], np.flatnonzero((cells >= 2) & (cells <= 6))),
    ):
        law = f"{verb} adds what row after row adds"
        require_close(law, sums, _sums(criterion, rows, which), tol=tol, where=f"{len(which)} rows")


def _weigh(criterion, y, w, cells, everything, within):
    criterion.weigh_all(everything, 0, y, w, len(w))
    criterion.weigh_range(within, 0, cells, 2, 6, y, w, len(w))


_weigh_compiled = jit(_weigh)


def _check_shortcuts(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    many = np.stack([_sums(criterion, rows, a) for a, _ in _groups(rows, 3)])
    for verb, found, one in (
        ("masses", criterion.masses(many), criterion.mass),
        ("worths", criterion.worths(many), criterion.worth),
    ):
        expected = [one(sums, 0) for sums in many]
        require_close(f"{verb} are those of one group each", found, expected, tol=tol, where="some group")
    for sums in many:
        center, shrunk = criterion.center(sums, 0), [criterion.shrunk(sums, 0, more) for more in (0.5, 5.0, 50.0)]
        falling = all(abs(b) <= abs(a) * (1.0 + tol) and a * b >= 0.0 for a, b in itertools.pairwise(shrunk))
        detail = f"at sums {sums.tolist()} the center {center} becomes {shrunk} with more and more weight"
        require(falling and shrunk[0] * center >= 0.0, "shrunk goes from the center to zero", detail)


def _check_answers(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    if criterion.n_outputs != 1:
        return
    for a, _ in _groups(rows, 4):
        sums = _sums(criterion, rows, a)
        law = "the center is the answer, of classes the frequency of the last"
        require_close(
            law, criterion.center(sums, 0), criterion.answers(sums[None])[0, -1], tol=tol, where=rows.describe(a)
        )


def _check_counts_unread(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    if not criterion.classes:
        return
    for a, _ in _groups(rows, 5):
        sums = _sums(criterion, rows, a)
        other = sums.copy()
        other[0] = 0.0
        for verb in (criterion.mass, criterion.worth, criterion.merit, criterion.center):
            law = f"{verb.__name__} of classes does not read the number of rows"
            require_close(law, verb(other, 0), verb(sums, 0), tol=tol, where=rows.describe(a))


def _check_class_weights(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    K = criterion.size
    require(criterion.class_counts == (K,), "class_weights: there is one output of `size` classes", f"{criterion!r}")
    for a, _ in _groups(rows, 6):
        sums, weights = _sums(criterion, rows, a), np.bincount(rows.targets[a], rows.w[a], minlength=K)
        require_close(
            "class_weights: the sums are weights of classes", sums[1:], weights, tol=tol, where=rows.describe(a)
        )
    for k in range(K):
        sums = np.zeros(K + 1)
        sums[0], sums[1 + k] = 2.0, 2.5
        law = "class_weights: a group of one class is worth 0"
        require_close(law, criterion.worth(sums, 0), 0.0, tol=tol, where=f"class {k} alone")


def _check_two_sums(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    for a, b in _groups(rows, 7):
        parts = [_sums(criterion, rows, some) for some in (a, b)]
        whole, where = parts[0] + parts[1], rows.describe(np.concatenate([a, b]))
        first, second = criterion.first_sum(whole, 0), criterion.second_sum(whole, 0)
        for name, found, verb in (("first", first, criterion.first_sum), ("second", second, criterion.second_sum)):
            expected = verb(parts[0], 0) + verb(parts[1], 0)
            require_close(f"two_sums: the {name} sum adds up", found, expected, tol=tol, where=where)
        merit, mass = criterion.merit_of(first, second), criterion.mass_of(first, second)
        require_close("two_sums: merit_of is the merit", merit, criterion.merit(whole, 0), tol=tol, where=where)
        require_close("two_sums: mass_of is the mass", mass, criterion.mass(whole, 0), tol=tol, where=where)


def _check_convex(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    for i in range(len(rows.w)):
        sums = _sums(criterion, rows, np.array([i]))
        where = f"at {rows.describe(np.array([i]))} they are {sums.tolist()}"
        require(np.all(sums >= 0.0), "convex_merit: no sum falls as rows are added", where)
    rng = np.random.default_rng(8)
    for _ in range(TRIALS):
        ends = rng.exponential(size=(2, criterion.size + 1)) * (rng.random((2, criterion.size + 1)) < 0.8)
        ends[:, 1] += 0.1
        middle = np.mean(ends, axis=0)
        middle[0] = 0.0
        chord, here = 0.5 * (criterion.merit(ends[0], 0) + criterion.merit(ends[1], 0)), criterion.merit(middle, 0)
        detail = f"between the sums {ends[0, 1:].tolist()} and {ends[1, 1:].tolist()} it is {here}, the chord {chord}"
        holds = here <= chord + tol * max(1.0, abs(chord))
        require(holds, "convex_merit: the merit lies below its chords, whatever the number of rows", detail)


def _check_clipping(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    for a, _ in _groups(rows, 9):
        sums = _sums(criterion, rows, a)
        found, worth = criterion.worth_at(sums, 0, criterion.center(sums, 0)), criterion.worth(sums, 0)
        require_close("clips: worth_at the center is the worth", found, worth, tol=tol, where=rows.describe(a))


def _check_cuts_left_out(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    k, rng = 7, np.random.default_rng(10)
    for _ in range(TRIALS):
        few = rng.permutation(len(rows.w))[:3]
        sums = np.stack([_sums(criterion, rows, rng.choice(few, rng.integers(1, 3))) for _ in range(k)])
        flat, width = np.ravel(sums), criterion.size + 1
        left, whole = np.cumsum(sums, axis=0), np.sum(sums, axis=0)
        merits = [criterion.merit(some, 0) + criterion.merit(whole - some, 0) for some in left[:-1]]
        skipped = [bool(criterion.no_cut_between(flat, c * width, (c + 1) * width)) for c in range(k - 1)]
        kept = [merit for merit, skip in zip(merits, skipped, strict=True) if not skip]
        best = max([criterion.merit(whole, 0), *kept])
        for c in np.flatnonzero(skipped):
            detail = f"between {sums[c].tolist()} and {sums[c + 1].tolist()} the merit is {merits[c]}, else {best}"
            holds = merits[c] <= best + tol * max(1.0, abs(best))
            require(holds, "no_cut_between: no cut left out is better than all others", detail)


def _check_same(criterion: SumCriterion, other: SumCriterion, rows: TargetRows, tol: float) -> None:
    for a, _ in _groups(rows, 11):
        sums = _sums(criterion, rows, a)
        require_close(
            "fixed_width: the sums are the same", _sums(other, rows, a), sums, tol=tol, where=rows.describe(a)
        )
        for verb in ("mass", "worth", "merit", "center"):
            found, expected = (getattr(one, verb)(sums, 0) for one in (other, criterion))
            require_close(f"fixed_width: {verb} is the same", found, expected, tol=tol, where=rows.describe(a))


VERBS = (
    "width", "mass", "worth", "merit", "center", "shrunk", "clips", "worth_at", "two_sums", "first_sum", "second_sum",
    "merit_of", "mass_of", "convex_merit", "no_cut_between",
)  # fmt: skip


def _ask(criterion, y, w, sums, out):
    """Fill `sums` with those of two groups, and `out` with the results of the verbs for the first."""
    width = criterion.width()
    for i in range(len(w)):
        criterion.tally(sums, (i % 2) * width, y, i, w[i])
    a, b = criterion.first_sum(sums, 0), criterion.second_sum(sums, 0)
    out[0], out[1], out[2] = width, criterion.mass(sums, 0), criterion.worth(sums, 0)
    out[3], out[4], out[5] = criterion.merit(sums, 0), criterion.center(sums, 0), criterion.shrunk(sums, 0, 3.0)
    out[6], out[7] = criterion.clips(), criterion.worth_at(sums, 0, 0.3)
    out[8], out[9], out[10] = criterion.two_sums(), a, b
    out[11], out[12] = criterion.merit_of(a, b), criterion.mass_of(a, b)
    out[13], out[14] = criterion.convex_merit(), criterion.no_cut_between(sums, 0, width)


_ask_compiled = jit(_ask)


def _check_kernels(criterion: SumCriterion, rows: TargetRows, tol: float) -> None:
    rng = np.random.default_rng(12)
    for m in (2, 3, 4, 8, len(rows.w)):
        which = rng.permutation(len(rows.w))[:m]
        given = np.ravel(rows.targets[which]), rows.w[which]
        (sums, plain), (others, fast) = ((np.zeros(2 * criterion.width()), np.zeros(len(VERBS))) for _ in range(2))
        _ask(criterion, *given, sums, plain)
        _ask_compiled(compiled(criterion), *given, others, fast)
        where = rows.describe(which)
        require_close("the sums are the same in a kernel", others, sums, tol=tol, where=where)
        for verb, found, expected in zip(VERBS, fast, plain, strict=True):
            # An optional verb may return NaN.
            if not (np.isnan(found) and np.isnan(expected)):
                require_close(f"{verb} is the same in a kernel", found, expected, tol=tol, where=where)
