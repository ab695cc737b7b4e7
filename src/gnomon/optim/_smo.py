"""Sequential minimal optimisation by working sets.

    minimise over β    ½ βᵀ(K + diag r)β − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s                     (1)

Of all rows those that violate the optimality conditions most, half of them on either side, join the half of the last
working set that is newest. Pairs of them take steps on their dense block of K until it is nearly optimal
(`smo_pairs`), and one product with their rows of K updates the gradient of all. Rows that no pair can move are left
out (shrinking) and looked at again before the end, with their gradient computed anew. Platt (1998); Fan, Chen & Lin
(2005), JMLR 6, 1889–1918; Wen et al. (2018), ThunderSVM, JMLR 19, 1–5. A kernel with few features is handed to an
interior point (`_feature_start`) if a few steps do not suffice, and the steps end what that has found.

Without s, a variable without bounds, kernel or target takes up the sum: the same steps serve.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.kernels import Against
from gnomon.optim._feature_start import feature_start
from gnomon.optim._follow import Checks, follow
from gnomon.optim._kernel_blocks import is_inner, kernel_blocks
from gnomon.optim.kernel_dual import InterceptRange, KernelDual
from gnomon.optim.rules import Check, StopRule
from gnomon.optim.separability import is_separable
from gnomon.optim.smo_pairs import PairState, descend_pairs
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, RelativeGap

__all__ = ["smo"]

WORKING_SET = 512
"""Most variables of a block: two megabytes of its matrix."""

PATIENCE, GROWTH = 16, 4
"""After so many blocks they become twice as large, up to this multiple: more variables are free than a block holds."""

FLOOR = 1e-12
"""Least curvature of a pair, as a share of the largest diagonal entry of K."""

INNER = 0.1
"""A block is solved until its violation is this share of that of all rows."""

EVERY, ROUGHLY = 8, 0.1
"""More than half as many working sets as this start from the solution for every eighth row, up to this violation."""

FEW = 0.6
"""Shrink when at most this share of the rows stays active."""

NOISE = 1e-2
"""The gradient is computed anew where its accumulated rounding may exceed this share of the tolerance; rows of K may be
in single precision until then where the rounding of one term does not."""

SUSPECT, VANISHING = 1e-4, 1e-14
"""Without bounds: ‖f‖² below these shares of (Σ|β|)² max K_ii lets us ask whether F has a minimum, or says no."""

MOST_STEPS = 10_000_000
"""Without a limit of the user, or a hundred for each row: LIBSVM's."""

EASY = 2
"""Steps for each row after which a kernel with few features is handed to an interior point."""

PER_FEATURE = 4
"""A kernel has few features where it has so many rows for each."""

SHARPENED, ROUNDS, PER_ROW, ROUNDING = 300, 4, 4, 1e-8
"""Of up to so many rows the free ones solve their equations at the end, so often, with so many steps for each row
between, until the violation is this share of the tolerance."""

FEW_ROWS = 1000
"""Up to so many rows a linear programme answers that question."""


def smo(
    against: Against,
    problem: KernelDual,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    cache_size: float = 200.0,
    start: Floats | None = None,
    shrinking: bool = True,
    working_set: int = WORKING_SET,
    gap_tol: float | None = None,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    against : Against
        The kernel and the n rows.
    problem : KernelDual
    tol : float, default=1e-3
        Stop when the optimality conditions hold up to this, in units of f.
    max_iter : int, optional
        Most steps of two variables; by default ten millions, or a hundred for each row if that is more.
    cache_size : float, default=200.0
        Megabytes for rows of K.
    start : ndarray of shape (n,), optional
        A feasible β to start from.
    shrinking : bool, default=True
        Leave out rows that are likely to stay where they are.
    working_set : int, default=512
        Most variables of a block.
    gap_tol : float, optional
        Stop also when F + P is at most this share of |F|.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        w is β, objective F, intercept b, dual_gap F + P, gradient_norm the largest violation; details has "range" (of
        b) and "scores" (Kβ). In the history "violation" is that of the active rows, whose number is "active"; "gap" is
        known where no row is left out.

    References
    ----------
    Fan, R.-E., Chen, P.-H. & Lin, C.-J. (2005). Working set selection using second order information for training
    support vector machines. JMLR 6, 1889-1918.

    Examples
    --------
    Regression with ε = ½ through (0, 0), (1, 1), (2, 2): the slope ½ is enough.

    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, smo
    >>> x = np.arange(3.0)
    >>> found = smo(Linear().against(x[:, None]), KernelDual(x, -np.ones(3), np.ones(3), epsilon=0.5), tol=1e-9)
    >>> found.w, found.intercept, found.objective, round(found.dual_gap, 12)
    (array([-0.25,  0.  ,  0.25]), 0.5, -0.125, 0.0)
    """
    run = _Run(against, problem, cache_size, working_set, tol, shrinking)
    limit = max(MOST_STEPS, 100 * len(problem.target)) if max_iter is None else max_iter
    rule: StopRule = KKT(tol) if gap_tol is None else KKT(tol) | RelativeGap(gap_tol)
    found = follow(run.checks(start, limit), rule, max_iter=limit, callback=callback)
    return run.certified(found)


class _Run:
    """The state of a run: β of all rows, the gradient of the active ones, which of them are active."""

    def __init__(
        self, against: Against, problem: KernelDual, cache_size: float, size: int, tol: float, shrinking: bool
    ) -> None:
        self.against, self.problem, self.cache_size = against, problem, cache_size
        self.tol, self.shrinking = tol, shrinking
        ridge = 0.0 if problem.ridge is None else problem.ridge
        self.diagonal = against.diag().astype(float) + ridge
        self.scale = float(np.max(np.abs(self.diagonal), initial=0.0))
        self.size, self.most, self.blocks, self.separable = size, GROWTH * size, 0, False
        self.steps = 0
        self.cache = kernel_blocks(self._fast(tol) or against, cache_size)
        self.features = _few_features(against) if problem.bounded else None
        self.beta: Floats = problem.start()
        self.range = InterceptRange(np.inf, -np.inf)

    def _fast(self, tol: float) -> Against | None:
        """The kernel in single precision, where its rounding is small beside the tolerance and there is much to do."""
        problem = self.problem
        largest = float(np.max(np.maximum(problem.upper, -problem.lower), initial=0.0))
        rounding = float(np.finfo(np.float32).eps) * self.scale * largest
        return self.against.single() if rounding <= NOISE * tol and len(self.diagonal) > self.size else None

    def checks(self, start: Floats | None, limit: int) -> Checks:
        """The state at the start and after each block."""
        self.beta = self._coarse(limit) if start is None else np.array(start, dtype=float)
        self._look_at_all(rough=True)
        yield self._check()
        kept: Integers = np.empty(0, dtype=np.int64)
        while True:
            if self.range.violation <= self.tol:
                if self._exact():
                    return
                self._look_at_all()
                self.shrinking = False
                kept = np.empty(0, dtype=np.int64)
                yield self._check()
                continue
            if self.features is not None and self.steps >= EASY * len(self.beta):
                self._leap(limit)
                kept = np.empty(0, dtype=np.int64)
                yield self._check()
                if np.finfo(float).eps * self.scale * float(np.sum(np.abs(self.beta))) > self.tol:
                    # f is not known to within the tolerance: no step could tell whether it gains.
                    return
                continue
            self.blocks += 1
            if self.blocks % PATIENCE == 0:
                self.size = min(2 * self.size, self.most)
            chosen = self._choose(kept)
            if not self._descend(chosen, limit):
                return
            if self._falls_for_ever():
                self.value = -math.inf
            yield self._check()
            kept = self._shrink(chosen)

    def _coarse(self, limit: int) -> Floats:
        """β to start from: with many rows, roughly that of every eighth of them alone."""
        beta, n = self.problem.start(), len(self.beta)
        if self.problem.total or not self.problem.bounded or 2 * n <= EVERY * self.size or self.features is not None:
            return beta
        some = np.arange(0, n, EVERY)
        part = _Run(
            self.against.take(some), self.problem.take(some), self.cache_size, self.size, ROUGHLY, self.shrinking
        )
        found = follow(part.checks(None, limit), KKT(ROUGHLY), max_iter=limit)
        if found.stop_reason == "interrupted":
            raise KeyboardInterrupt
        beta[some], self.steps = found.w, found.n_iter
        return beta

    def certified(self, found: Solution[Floats]) -> Solution[Floats]:
        """The solution with its intercept, its gap and its violation over all rows."""
        if len(self.active) < len(self.beta) or not np.array_equal(self.beta, found.w):
            self.beta = found.w
            self._look_at_all()
        few = len(self.beta) <= min(SHARPENED, self.size)
        # Without targets, as in novelty detection, exact scores of free rows are zero: rounding would decide labels.
        if found.stop_reason == "kkt" and few and np.any(self.problem.target):
            self._sharpen()
        return self.problem.certified(found._replace(w=self.beta), self.problem.scores(self.beta, self.g))

    def _sharpen(self) -> None:
        """The digits that steps within the tolerance lack: the free rows solve their equations, and steps in between
        find rows that should be free, or should not. The machine then does not depend on the way to it."""
        everyone, given, unit = np.arange(len(self.beta)), self.tol, self.scale or 1.0
        self.tol, K = ROUNDING * given, self.cache.block(everyone)
        K[np.diag_indices_from(K)] = self.diagonal
        for _ in range(ROUNDS):
            free = np.flatnonzero(self.problem.free(self.beta))
            if not len(free) or self.range.violation <= self.tol:
                break
            M = np.zeros((len(free) + 1, len(free) + 1))
            M[:-1, :-1] = K[np.ix_(free, free)]
            right = np.append(-(self.g + self.problem.upward(self.beta))[free], 0.0)
            if self.problem.total is not None:
                M[-1, :-1] = M[:-1, -1] = unit
                right[-1] = (self.problem.total - float(np.sum(self.beta))) * unit
            before, reached = self.beta, self.range.violation
            self.beta = before.copy()
            self.beta[free] += linalg.lstsq(M, right, lapack_driver="gelsy", check_finite=False)[0][:-1]
            stays = self.problem.free(self.beta)[free] & (np.sign(self.beta[free]) == np.sign(before[free]))
            if np.all(stays):
                self._look_at_all()
            if not np.all(stays) or not self.range.violation < reached:
                self.beta = before
                self._look_at_all()
            if self.range.violation > self.tol:
                self._descend(everyone, self.steps + PER_ROW * len(self.beta))
        self.tol = given

    def _look_at_all(self, *, rough: bool = False) -> None:
        """Every row active, the gradient computed anew; a rough one is as good as those of the steps."""
        self.active = np.arange(len(self.beta))
        if not rough and (self.cache.n < len(self.beta) or self.cache.against is not self.against):
            self.cache = kernel_blocks(self.against, self.cache_size)
        support, f = np.flatnonzero(self.beta), np.zeros(len(self.beta))
        if len(support):
            f = self.cache.combine(support, self.beta[support])
        self.g = self.problem.gradient(self.beta, f)
        self.noise = self._rounding(self.beta) if rough else 0.0
        self.value = self.problem.objective(self.beta, f)
        self.live = self.problem
        self.range = self.live.range(self.beta, self.g)

    def _leap(self, limit: int) -> None:
        """To the end of the path of an interior point, once; back where its rounding leaves it short of this point."""
        assert self.features is not None
        found, before, reached = feature_start(self.features, self.problem, limit - self.steps), self.beta, self.value
        self.features, self.steps, self.beta = None, self.steps + found.n_iter, found.beta
        self._look_at_all()
        if not self.value <= reached:
            self.beta = before
            self._look_at_all()

    def _falls_for_ever(self) -> bool:
        """Whether f vanishes beside β, which without bounds grows along a direction of the null space of K."""
        if self.problem.bounded:
            return False
        beta = self.beta[self.active]
        square = float(beta @ self.live.scores(beta, self.g))
        # The square of Σ|β| may overflow where ‖f‖² does not.
        total = float(np.sum(np.abs(self.beta)))
        share = square / total / (self.scale * total)
        asks = not self.separable and len(self.beta) <= FEW_ROWS and self.problem.epsilon == 0.0
        if share <= SUSPECT and asks:
            self.separable = _separates(self.against.matrix(), self.problem)
            return not self.separable
        return share <= VANISHING

    def _exact(self) -> bool:
        """Whether the gradient is that of all rows, up to rounding that the tolerance does not see."""
        return len(self.active) == len(self.beta) and self.noise <= NOISE * self.tol

    def _rounding(self, change: Floats) -> float:
        """What a change of β may add to the error of the gradient."""
        return float(np.finfo(self.cache.dtype).eps) * self.scale * float(np.sum(np.abs(change)))

    def _check(self) -> Check[Floats]:
        whole = len(self.active) == len(self.beta)
        more = {"violation": self.range.violation, "active": float(len(self.active))}
        kkt, gap = math.nan, math.nan
        if whole:
            f = self.problem.scores(self.beta, self.g)
            gap = self.problem.gap(self.beta, f, self.problem.intercept(self.beta, self.g))
            kkt = self.range.violation if self._exact() else math.nan
        return Check(self.steps, self.beta.copy(), self.value, kkt=kkt, gap=gap, more=more)

    def _choose(self, kept: Integers) -> Integers:
        """The most violating active rows that are not kept, and the newest half of those that are."""
        m, q = len(self.active), min(self.size, self.cache.capacity)
        if m <= q:
            return np.arange(m)
        # The pair that violates most is always in the set: there is room for one new row on either side.
        kept = kept[: min(q // 2, q - 2)]
        beta = self.beta[self.active]
        up, down = self.g + self.live.upward(beta), self.g + self.live.downward(beta)
        up[kept], down[kept] = np.inf, -np.inf
        room = q - len(kept)
        # Rows that no other row violates with gain nothing, and rows at infinity are in the set already: a row that is
        # in it twice would lose a step.
        growing = np.argpartition(up, room // 2)[: room // 2]
        growing = growing[up[growing] < -self.range.high]
        down[growing] = -np.inf
        falling = np.argpartition(-down, room - room // 2)[: room - room // 2]
        falling = falling[down[falling] > -self.range.low]
        # In order: entries of a row that lie far apart are looked up along it.
        return np.concatenate([np.sort(np.concatenate([growing, falling])), kept])

    def _descend(self, chosen: Integers, limit: int) -> bool:
        """Steps on the block of the chosen rows; whether there were any."""
        state = self._state(chosen)
        before = state.beta.copy()
        slope = state.g.copy()
        tol = max(self.tol, INNER * self.range.violation) if len(chosen) < len(self.active) else self.tol
        alone = len(chosen) == len(self.active) and self.problem.bounded
        most = min(limit - self.steps, 10**7 if alone else 100 * len(chosen))
        if self.features is not None:
            most = min(most, EASY * len(self.beta) - self.steps)
        steps, _ = descend_pairs(state, FLOOR * self.scale, tol, most)
        q = len(chosen)
        change = state.beta[:q] - before[:q]
        self.steps += steps
        # F is quadratic between two points: its change is the mean slope times the step, and that of ε‖β‖₁.
        self.value += 0.5 * float(change @ (slope[:q] + state.g[:q]))
        self.value += self.live.epsilon * float(np.sum(np.abs(state.beta[:q]) - np.abs(before[:q])))
        self.beta[self.active[chosen]] = state.beta[:q]
        if len(chosen) == len(self.active):
            self.g[chosen] = state.g[:q]
        else:
            self.g += self.cache.combine(chosen, change)
            if self.live.ridge is not None:
                self.g[chosen] += self.live.ridge[chosen] * change
        self.noise += self._rounding(change)
        self.range = self.live.range(self.beta[self.active], self.g)
        return steps > 0 and bool(np.any(change))

    def _state(self, chosen: Integers) -> PairState:
        rows, live = self.active[chosen], self.live.take(chosen)
        K = self.cache.block(chosen)
        K[np.diag_indices_from(K)] = self.diagonal[rows]
        beta = self.beta[rows]
        arrays = [self.diagonal[rows], live.lower, live.upper, np.full(len(rows), live.epsilon), beta, self.g[chosen]]
        arrays += [live.upward(beta), live.downward(beta)]
        if self.problem.total is not None:
            return PairState(K, *arrays)
        slack = [0.0, -np.inf, np.inf, 0.0, 0.0, 0.0, 0.0, 0.0]
        return PairState(np.pad(K, (0, 1)), *(np.append(a, x) for a, x in zip(arrays, slack, strict=True)))

    def _shrink(self, kept: Integers) -> Integers:
        """Leave out rows that no pair can move, if they are many; the kept rows by their new numbers."""
        if not self.shrinking or len(self.active) <= 2 * self.size:
            return kept
        beta = self.beta[self.active]
        up, down = self.g + self.live.upward(beta), self.g + self.live.downward(beta)
        stays = ~((up > -self.range.high) & (down < -self.range.low))
        stays[kept] = True
        if np.count_nonzero(stays) > FEW * len(stays):
            return kept
        active = np.flatnonzero(stays)
        self.cache.keep(active)
        self.active, self.g, self.live = self.active[active], self.g[active], self.live.take(active)
        return np.searchsorted(active, kept)


def _few_features(against: Against) -> Floats | None:
    """Φ where K = ΦΦᵀ has few columns Φ."""
    if not is_inner(against) or is_sparse(against.prepared.values):
        return None
    X = against.prepared.values.astype(float, copy=False)
    return X if PER_FEATURE * X.shape[1] <= len(X) else None


def _separates(K: Floats, problem: KernelDual) -> bool:
    """Whether some f of the kernel has the sign of t at every row: otherwise a hard margin does not exist."""
    values, V = np.linalg.eigh(K.astype(float))
    kept = values > FLOOR * max(float(values[-1]), 0.0)
    found = is_separable(
        V[:, kept] * np.sqrt(values[kept]), problem.target > 0.0, fit_intercept=problem.total is not None
    )
    # Eigenvectors have rounding errors of their own; what counts is f from the rows of K.
    f = K @ (V[:, kept] @ (found.w / np.sqrt(values[kept]))) + found.b
    return found.separable and bool(np.all(f * problem.target > 0.0))
