"""Coding matrices found by search: random columns, the best of many draws, and climbing by single entries.

    choose M with the largest ρ = min_{k≠k'} Δ(k, k'),    Δ(k, k') = Σ_l (1 − M_kl M_k'l)/2                     (1)
    climb by lowering  Σ_{k<k'} e^{−4 Δ(k, k')}                                                                (2)

(2) is a soft form of (1): the closest pairs of rows count most. No column is constant, equal to another or opposite to
one, since its classifier would add no information. There are 2^{C−1} − 1 such columns without zeros, and
(3^C − 2^{C+1} + 1)/2 with them. Dietterich & Bakiri (1995), doi:10.1613/jair.105; Allwein, Schapire & Singer (2000),
Journal of Machine Learning Research 1, 113–141.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.multiclass._code_report import distinct_columns, separated
from gnomon.multiclass._fixed_codes import MOST_EXHAUSTIVE, all_columns, exhaustive
from gnomon.numerics.parallel import calm_blas
from gnomon.numerics.validation import check_integer

__all__ = ["check_length", "climb_rows", "count_columns", "ecoc", "random_code", "usual_length"]

_STEEPNESS = 4.0
# Up to here, or where a good part of them is wanted, all columns are listed and drawn without replacement; beyond,
# equal columns are rare and left out.
_MOST_LISTED = 255
_MOST_SWEEPS = 100
_MOST_CELLS = 2**20


def count_columns(n_classes: int, *, sparse: bool = False) -> int:
    """The number of distinct columns, up to sign."""
    if sparse:
        return (3**n_classes - 2 ** (n_classes + 1) + 1) // 2
    return 2 ** (n_classes - 1) - 1


def usual_length(n_classes: int, *, sparse: bool = False) -> int:
    """⌈10 log₂C⌉, with zeros ⌈15 log₂C⌉: Allwein et al. (2000), section 6."""
    return math.ceil((15 if sparse else 10) * math.log2(n_classes))


def random_code(
    n_classes: int, n_columns: int, rng: np.random.Generator, *, sparse: bool = False, n_candidates: int = 1000
) -> Integers:
    """The draw with the largest ρ of `n_candidates`; entries are ±1 with equal chance, `sparse`: 0 with chance ½."""
    check_integer("n_candidates", n_candidates, 1)
    available = count_columns(n_classes, sparse=sparse)
    n_columns = min(n_columns, available)
    check_length(n_classes, n_columns)
    draw = _drawer(n_classes, n_columns, rng, sparse=sparse)
    best, reached, left = None, 0.0, 1 if n_columns == available else n_candidates
    block = max(1, _MOST_CELLS // max(n_classes * max(n_classes, n_columns), n_columns**2))
    while left > 0:
        with calm_blas(n_classes):
            codes = draw(min(block, left))
            distances = _least_distances(codes)
        left -= len(codes)
        for place in np.argsort(-distances, kind="stable"):
            if distances[place] <= reached:
                break
            if separated(codes[place]):
                best, reached = codes[place], distances[place]
    if best is None:
        raise ValueError(
            f"none of {n_candidates} random codes with {n_columns} columns tells all {n_classes} classes apart; give "
            "more columns (n_columns, or code_size where code is None) or more candidates (n_candidates)"
        )
    return best


def ecoc(n_classes: int, n_columns: int | None, rng: np.random.Generator) -> Integers:
    """Dietterich & Bakiri's recipe: all columns, the best of all columns, or a random code improved by (2)."""
    if n_columns is None and n_classes <= 7:
        return exhaustive(n_classes)
    n_columns = usual_length(n_classes) if n_columns is None else n_columns
    if n_classes <= MOST_EXHAUSTIVE:
        found = _best_columns(exhaustive(n_classes), n_columns, rng)
    else:
        found = climb_rows(random_code(n_classes, n_columns, rng, n_candidates=10), _soft_minimum)
    if not separated(found):
        raise ValueError(
            f"no code with {n_columns} columns was found that tells all {n_classes} classes apart; give more columns "
            "by n_columns, or choose code='binary'"
        )
    return found


def climb_rows(code: Integers, gain: Callable[[Integers, int], Floats]) -> Integers:
    """Change signs one by one, row after row, as long as `gain` finds a change that pays and leaves all columns valid.

    `gain(code, row)` gives for every column what changing the sign there would bring; only positive gains are taken.
    """
    code = code.copy()
    for _ in range(_MOST_SWEEPS):
        changed = False
        for row in range(len(code)):
            gains = gain(code, row)
            for column in np.argsort(-gains, kind="stable"):
                if gains[column] <= 0.0:
                    break
                if _may_change(code, row, column):
                    code[row, column] *= -1
                    changed = True
                    break
        if not changed:
            break
    return code


def _may_change(code: Integers, row: int, column: int) -> bool:
    """Whether the column stays different from all others, and from a constant, when its sign in `row` changes."""
    new = code[:, column].copy()
    new[row] *= -1
    return bool(abs(np.sum(new)) < len(code) and np.all(np.abs(new @ code) < len(code)))


def _soft_minimum(code: Integers, row: int) -> Floats:
    """How much (2) falls, for each column of a row without zeros, when the sign there changes."""
    distances = (code.shape[1] - code @ code[row]) / 2
    distances[row] = np.inf
    # The shift keeps the terms representable; a common factor changes no comparison.
    terms = np.exp(-_STEEPNESS * (distances - np.min(distances)))
    # Where the rows agree the change adds one to their distance, elsewhere it takes one away.
    gains = terms @ (1.0 - np.exp(-_STEEPNESS * code * code[row]))
    return np.where(gains > 1e-9 * np.sum(terms), gains, 0.0)


def _best_columns(code: Integers, n_columns: int, rng: np.random.Generator) -> Integers:
    """A subset of the columns: random ones first, then each is exchanged for the best one until (2) falls no more."""
    if n_columns >= code.shape[1]:
        return code
    check_length(len(code), n_columns)
    a, b = np.triu_indices(len(code), 1)
    differ = code[a] != code[b]
    chosen = rng.choice(code.shape[1], n_columns, replace=False)
    for _ in range(_MOST_SWEEPS):
        before = chosen.copy()
        for place in range(n_columns):
            others = np.delete(chosen, place)
            distances = np.sum(differ[:, others], axis=1)[:, None] + differ
            costs = np.sum(np.exp(-_STEEPNESS * (distances - np.min(distances))), axis=0)
            costs[others] = np.inf
            # Exchanges without gain could cycle.
            if np.min(costs) < (1.0 - 1e-9) * costs[chosen[place]]:
                chosen[place] = np.argmin(costs)
        if np.array_equal(before, chosen):
            break
    return code[:, np.sort(chosen)]


def check_length(n_classes: int, n_columns: int) -> None:
    """ValueError where the columns are fewer than the bits of the number of classes."""
    least = (n_classes - 1).bit_length()
    if n_columns < least:
        raise ValueError(
            f"{n_columns} columns cannot tell {n_classes} classes apart; give at least {least}, by n_columns or, where "
            "code is None, by a larger code_size"
        )


def _least_distances(codes: Integers) -> Floats:
    """ρ of each of many codes, of shape (n_codes, n_classes, n_columns)."""
    # Single precision is exact for these counts, and BLAS multiplies it.
    small = codes.astype(np.float32)
    distances = (codes.shape[2] - small @ np.swapaxes(small, 1, 2)) / 2
    diagonal = np.arange(codes.shape[1])
    distances[:, diagonal, diagonal] = np.inf
    return np.min(distances, axis=(1, 2))


def _drawer(n_classes: int, n_columns: int, rng: np.random.Generator, *, sparse: bool) -> Callable[[int], Integers]:
    """A function of n that draws n codes with distinct columns."""
    if count_columns(n_classes, sparse=sparse) > max(_MOST_LISTED, 8 * n_columns):
        return lambda n: _fresh_codes((n, n_classes, n_columns), rng, sparse=sparse)
    listed = _ternary_columns(n_classes) if sparse else all_columns(n_classes)
    # A zero has chance 1/2, each sign 1/4; without zeros all columns are equally likely.
    log_chance = -np.log(2.0) * np.sum(np.abs(listed), axis=0)

    def draw(n: int) -> Integers:
        # The largest of log-chance + Gumbel noise are a draw without replacement: Efraimidis & Spirakis (2006).
        keys = log_chance + rng.gumbel(size=(n, listed.shape[1]))
        chosen = np.sort(np.argpartition(-keys, n_columns - 1, axis=1)[:, :n_columns], axis=1)
        return np.moveaxis(listed[:, chosen], 1, 0)

    return draw


def _ternary_columns(n_classes: int) -> Integers:
    columns = np.array(list(product((-1, 0, 1), repeat=n_classes))).T
    columns = columns[:, (np.max(columns, axis=0) == 1) & (np.min(columns, axis=0) == -1)]
    return columns[:, distinct_columns(columns)]


def _fresh_codes(shape: tuple[int, int, int], rng: np.random.Generator, *, sparse: bool) -> Integers:
    """Codes drawn entry by entry: of twice as many columns the first that are questions, and new ones."""
    n_codes, n_classes, n_columns = shape
    values = np.array([-1, 0, 0, 1] if sparse else [-1, 1])
    codes = values[rng.integers(len(values), size=(n_codes, n_classes, 2 * n_columns))]
    small = codes.astype(np.float32)
    overlaps = np.abs(np.swapaxes(small, 1, 2) @ small)
    sizes = np.sum(np.abs(codes), axis=1)
    same = (overlaps == sizes[:, None, :]) & (overlaps == sizes[:, :, None])
    asks = (np.max(codes, axis=1) == 1) & (np.min(codes, axis=1) == -1)
    good = asks & ~np.any(np.triu(same, 1), axis=1)
    order = np.argsort(~good, axis=1, kind="stable")[:, None, :n_columns]
    chosen = np.take_along_axis(codes, order, axis=2)
    if np.any(short := np.sum(good, axis=1) < n_columns):
        chosen[short] = _fresh_codes((int(np.sum(short)), n_classes, n_columns), rng, sparse=sparse)
    return chosen
