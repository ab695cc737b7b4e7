"""The best way to divide groups of rows in two.

    maximise over cuts c    merit(g_1 ∪ … ∪ g_c) + merit(g_{c+1} ∪ … ∪ g_k)                                       (1)

Groups of a numeric column stand in the order of their values, and those of a category in the order of their mean
response, in which the best cut is the best of all subsets for two classes and for squared error (Breiman et al. 1984,
theorem 4.5, doi:10.1201/9781315139470). With more classes all subsets of at most ten categories are compared; more
categories are ordered along the first principal component of their class profiles (Coppersmith, Hong & Hosking 1999,
doi:10.1023/A:1009869804967). Of equal cuts the first is taken.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine
from gnomon.search._groups import occurs

TIE = 1e-12
"""Gains closer than this, relative to the impurity of the node, are equal."""

LOW, HIGH, DIRECTION, MIDDLE, CHOSEN, TRIED = range(6)
"""Entries of the array of bounds: the limits of the answers of a node, 1 or −1 where a column is monotone, the value
between the two sides of the best cut of a column, of the best of all columns, and of the cut weighed last. Where
answers are not bounded it is None, and kernels are compiled without."""

ALL_SUBSETS = 10
POWER_STEPS = 50


@subroutine
def merit_within(criterion, sums, at, bounds):
    """The merit of a group whose answer is kept between the bounds, where the criterion asks for it."""
    if bounds is None:
        return criterion.merit(sums, at)
    if criterion.clips() and (bounds[LOW] > -np.inf or bounds[HIGH] < np.inf):
        value = min(max(criterion.center(sums, at), bounds[LOW]), bounds[HIGH])
        return criterion.worth_at(sums, at, value)
    return criterion.merit(sums, at)


@subroutine
def best_cut(criterion, limits, sums, order, k, missing, scale, bounds):
    """Cut the groups ``order[:k]``; group `missing` (−1: none) is tried on both sides of every cut.

    The sums of the node stand at ``limits.total``, before those of the two sides. Returns the merit of the two sides,
    how many groups are left of the cut, and whether the missing group is left.
    """
    width = criterion.width()
    total = limits.total
    left, right = total + width, total + 2 * width
    best, cut, missing_left = -np.inf, 0, 0
    free = is_free(limits, bounds)
    for side in range(1 if missing < 0 else 2):
        for s in range(width):
            sums[left + s] = sums[missing * width + s] if side == 1 else 0.0
        # All known rows against all missing ones is a cut only where the missing are right.
        for c in range(k if missing >= 0 and side == 0 else k - 1):
            g = order[c] * width
            for s in range(width):
                sums[left + s] += sums[g + s]
                sums[right + s] = sums[total + s] - sums[left + s]
            if free and c + 1 < k and criterion.no_cut_between(sums, g, order[c + 1] * width):
                continue
            if allowed(criterion, limits, sums, left, right, bounds):
                merit = merit_within(criterion, sums, left, bounds) + merit_within(criterion, sums, right, bounds)
                if merit > best + scale:
                    best, cut, missing_left = merit, c + 1, side
                    keep_middle(bounds)
    return best, cut, missing_left


@subroutine
def is_free(limits, bounds):
    """Whether every cut is allowed, so that those that cannot be best need not be weighed."""
    if bounds is not None and bounds[DIRECTION] != 0.0:
        return False
    return not limits.counting and limits.min_mass <= 0.0


@subroutine
def is_bounded(bounds):
    """Whether any bound holds."""
    if bounds is None:
        return False
    return bounds[DIRECTION] != 0.0 or bounds[LOW] > -np.inf or bounds[HIGH] < np.inf


@subroutine
def keep_middle(bounds):
    """Keep the middle of the cut weighed last, the best so far."""
    if bounds is not None:
        bounds[MIDDLE] = bounds[TRIED]


@subroutine
def best_bin(criterion, limits, histogram, place, size, sums, scores, scale):
    """Cut the histogram at `place`, where no row is missing and no bound holds, in loops that vectorize.

    Returns the merit of the two sides, the last code on the left and the first on the right that occur, which are equal
    where there is no cut. Merits stay the same over codes that do not occur.
    """
    width, total, counting = criterion.width(), limits.total, limits.counting
    first, last = np.int64(0), size - 1
    while first < last and not occurs(criterion, counting, histogram, place + first * width):
        first += 1
    while first < last and not occurs(criterion, counting, histogram, place + last * width):
        last -= 1
    firsts, seconds, rows, merits = scores[0], scores[1], scores[2], scores[3]
    # Unsigned indices avoid Numba's branch for negative ones, which would prevent vectorization.
    start, stop = np.uint64(first), np.uint64(last)
    a, b, n = 0.0, 0.0, 0.0
    for c in range(start, stop):
        g = np.uint64(place) + np.uint64(c) * np.uint64(width)
        a += criterion.first_sum(histogram, g)
        b += criterion.second_sum(histogram, g)
        n += histogram[g]
        firsts[c], seconds[c], rows[c] = a, b, n
    a, b, n = criterion.first_sum(sums, total), criterion.second_sum(sums, total), sums[total]
    least, lightest = (limits.min_rows if counting else -1.0), limits.min_mass
    for c in range(start, stop):
        x, z = firsts[c], seconds[c]
        merit = criterion.merit_of(x, z) + criterion.merit_of(a - x, b - z)
        enough = min(rows[c], n - rows[c]) >= least
        heavy = min(criterion.mass_of(x, z), criterion.mass_of(a - x, b - z)) >= lightest
        merits[c] = merit if enough & heavy else -np.inf
    best = -np.inf
    for c in range(start, stop):
        best = max(best, merits[c])
    if best == -np.inf:
        return best, first, first
    cut = first
    while merits[cut] < best - scale:
        cut += 1
    after = cut + 1
    while not occurs(criterion, counting, histogram, place + after * width):
        after += 1
    return merits[cut], cut, after


@subroutine
def allowed(criterion, limits, sums, left, right, bounds):
    if limits.counting and (sums[left] < limits.min_rows or sums[right] < limits.min_rows):
        return False
    least = limits.min_mass
    if least > 0.0 and (criterion.mass(sums, left) < least or criterion.mass(sums, right) < least):
        return False
    if bounds is not None and bounds[DIRECTION] != 0.0:
        # Answers must lie within the bounds and differ in the direction of the column.
        low, high = criterion.center(sums, left), criterion.center(sums, right)
        if criterion.clips():
            low, high = min(max(low, bounds[LOW]), bounds[HIGH]), min(max(high, bounds[LOW]), bounds[HIGH])
        if bounds[DIRECTION] * (high - low) < 0.0 or min(low, high) < bounds[LOW] or max(low, high) > bounds[HIGH]:
            return False
        bounds[TRIED] = 0.5 * (low + high)
    return True


@subroutine
def against_rest(criterion, limits, sums, g, bounds):
    """The merit of group g and of all others together; −∞ if the two may not be parted."""
    width = criterion.width()
    total = limits.total
    left, right = total + width, total + 2 * width
    for s in range(width):
        sums[left + s] = sums[g * width + s]
        sums[right + s] = sums[total + s] - sums[left + s]
    if not allowed(criterion, limits, sums, left, right, bounds):
        return -np.inf
    return merit_within(criterion, sums, left, bounds) + merit_within(criterion, sums, right, bounds)


@subroutine
def best_subset(criterion, limits, sums, order, k, scale, bounds):
    """The best of all divisions of at most ten groups in two: its merit, and how many groups of `order` are left."""
    width = criterion.width()
    total = limits.total
    left, right = total + width, total + 2 * width
    best, chosen = -np.inf, 0
    # The last group is always right: the other half of the subsets are the same divisions.
    for subset in range(1, 1 << (k - 1)):
        for s in range(width):
            sums[left + s] = 0.0
            for g in range(k - 1):
                if (subset >> g) & 1:
                    sums[left + s] += sums[g * width + s]
            sums[right + s] = sums[total + s] - sums[left + s]
        if allowed(criterion, limits, sums, left, right, bounds):
            merit = merit_within(criterion, sums, left, bounds) + merit_within(criterion, sums, right, bounds)
            if merit > best + scale:
                best, chosen = merit, subset
                keep_middle(bounds)
    cut = 0
    for g in range(k):
        if (chosen >> g) & 1:
            order[cut] = g
            cut += 1
    return best, cut


@jit_no_alloc
def order_categories(criterion, many_classes, sums, order, key, scratch, k):
    """Order groups by mean response, or along the first principal component of their class profiles."""
    width = criterion.width()
    if many_classes:
        _principal_scores(sums, k, width, key, scratch)
    else:
        for g in range(k):
            key[g] = criterion.center(sums, g * width)
    for g in range(k):
        order[g] = g
    heap_sort(order, key, k)


@subroutine
def heap_sort(order, key, k):
    """Sort ``order[:k]`` by key, equal keys by their number."""
    for end in range(k // 2 - 1, -1, -1):
        _sift_down(order, key, end, k)
    for end in range(k - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        _sift_down(order, key, 0, end)


@subroutine
def _sift_down(order, key, i, end):
    g = order[i]
    while 2 * i + 1 < end:
        below = 2 * i + 1
        if below + 1 < end and _before(key, order[below], order[below + 1]):
            below += 1
        if not _before(key, g, order[below]):
            break
        order[i] = order[below]
        i = below
    order[i] = g


@subroutine
def _before(key, a, b):
    return key[a] < key[b] or (key[a] == key[b] and a < b)


@subroutine
def _principal_scores(sums, k, width, key, scratch):
    """Scores of class profiles p_g = n_g· / n_g on the leading eigenvector of Σ_g n_g (p_g − p̄)(p_g − p̄)ᵀ."""
    size = width - 1
    axis, image, mean = scratch[0], scratch[1], scratch[2]
    mass = 0.0
    for c in range(size):
        # Profiles sum to one, so a constant vector is in the kernel of the matrix and must not be the start.
        axis[c] = 1.0 + 0.1 * c * c
        mean[c] = 0.0
        for g in range(k):
            mean[c] += sums[g * width + 1 + c]
        mass += mean[c]
    for c in range(size):
        mean[c] /= mass
    for _ in range(POWER_STEPS):
        _project(sums, k, width, axis, mean, key)
        norm = 0.0
        for c in range(size):
            image[c] = 0.0
            for g in range(k):
                n_g = _row_mass(sums, g, width)
                image[c] += key[g] * (sums[g * width + 1 + c] - n_g * mean[c])
            norm += image[c] * image[c]
        if norm <= 0.0:
            break
        for c in range(size):
            axis[c] = image[c] / np.sqrt(norm)
    _project(sums, k, width, axis, mean, key)


@subroutine
def _project(sums, k, width, axis, mean, key):
    """key_g = axisᵀ (p_g − p̄)."""
    for g in range(k):
        n_g = _row_mass(sums, g, width)
        key[g] = 0.0
        for c in range(width - 1):
            key[g] += axis[c] * (sums[g * width + 1 + c] / max(n_g, 1e-300) - mean[c])


@subroutine
def _row_mass(sums, g, width):
    total = 0.0
    for c in range(1, width):
        total += sums[g * width + c]
    return total
