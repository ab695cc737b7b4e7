"""A separable penalty on a quadratic model, minimised over a growing set W of coordinates.

    q(δ) = gᵀδ + ½ δᵀHδ + Σⱼ∈W Ωⱼ(wⱼ + δⱼ),    H = Σᵢ Dᵢ (xᵢ − m)(xᵢ − m)ᵀ                          (1)

m = Σ Dᵢxᵢ/Σ Dᵢ when b is free, which is b eliminated exactly; else m = 0. Two loops minimise (1), chosen by their cost:
with the Gram matrix H of the columns in W an update costs |W|, with the residual vector it costs one column. Where
either is slow, Newton steps on the support finish: on fixed signs (1) is a linear system, solved by Cholesky and cut at
the best sign change. Friedman, Hastie & Tibshirani (2010), doi:10.18637/jss.v033.i01 (both loops); Lee, Battle, Raina &
Ng (2006), Efficient sparse coding algorithms, NIPS 19 (steps on the support).
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from scipy import linalg, sparse

from gnomon._jit import compiled, jit
from gnomon._typing import Compressed, Floats, Integers, Matrix, NDArray
from gnomon.numerics.design import SparseVectors, Vectors, vectors
from gnomon.numerics.parallel import calm_blas
from gnomon.optim._dual_passes import shuffle
from gnomon.penalties import Penalty

__all__ = ["QuadraticModel", "minimize_gram"]

EPOCHS = 10  # fewest passes before a Newton step on the support
FULL_SWEEP = 5  # every so many passes all of W is visited, in the others only its nonzeros
SUPPORT_STEPS = 8  # consecutive Newton steps on the support
MOST_CUTS = 50  # sign changes that one of them examines
LARGEST_GRAM = 4096  # columns; a Gram matrix of 128 MiB
EPS = np.finfo(float).eps


class QuadraticModel:
    """Equation (1) for one D, over coordinates that are added and never taken away.

    Parameters
    ----------
    X : ndarray or CSC matrix of shape (n, d)
    D : ndarray of shape (n,)
        Positive weights of the rows.
    centred : bool
        Whether b is eliminated.
    """

    def __init__(self, X: Matrix, D: Floats, *, centred: bool) -> None:
        # X and A are dense or sparse as `sparse` says, which a type checker cannot follow.
        self.X: Any = X
        self.D = D
        self.root = np.sqrt(D)
        self.mass = float(D.sum())
        self.centred = centred
        self.sparse = sparse.issparse(X)
        self.W = np.empty(0, dtype=np.intp)
        self.included = np.zeros(X.shape[1], dtype=bool)
        self.means = np.empty(0)
        self.norms = np.empty(0)
        self.A: Any = sparse.csr_matrix((0, X.shape[0]), dtype=X.dtype) if self.sparse else _Rows(X.shape[0], X.dtype)
        self._gram: Floats = np.empty((0, 0))

    def include(self, wanted: Integers) -> None:
        """Add the coordinates of `wanted` that are not in W yet."""
        new = wanted[~self.included[wanted]]
        if not new.size:
            return
        self.included[new] = True
        fresh, means, norms = (self._scaled_sparse if self.sparse else self._scaled_dense)(new)
        # Dense columns are centred once, in `_scaled_dense`; sparse ones while they are used.
        self.means = np.concatenate([self.means, means if self.sparse else np.zeros(new.size)])
        # A constant column is only rounding error after centring.
        negligible = norms <= 1e-14 * self.mass * means**2
        self.norms = np.concatenate([self.norms, np.where(negligible, 0.0, norms)])
        self.W = np.concatenate([self.W, new])
        self.A = _stacked(self.A, fresh) if self.sparse else self.A.append(fresh)

    def _scaled_dense(self, new: Integers) -> tuple[Floats, Floats, Floats]:
        columns = self.X[:, new].T
        means = columns @ self.D / self.mass if self.centred else np.zeros(new.size)
        fresh = (columns - means[:, None].astype(columns.dtype)) * self.root
        return fresh, means, np.einsum("ij,ij->i", fresh, fresh, dtype=float)

    def _scaled_sparse(self, new: Integers) -> tuple[Compressed, Floats, Floats]:
        X, columns = self.X, cast(SparseVectors, vectors(self.X.T))
        indptr = np.concatenate([[0], np.cumsum(np.diff(X.indptr)[new])]).astype(X.indptr.dtype)
        data, indices = np.empty(indptr[-1], dtype=X.dtype), np.empty(indptr[-1], dtype=X.indices.dtype)
        sums, norms = np.empty(new.size), np.empty(new.size)
        _scale_columns(columns.data, columns.indices, columns.indptr, new, self.root, data, indices, sums, norms)
        means = sums / self.mass if self.centred else np.zeros(new.size)
        fresh = sparse.csr_matrix((data, indices, indptr), shape=(new.size, X.shape[0]))
        return fresh, means, norms - self.mass * means**2

    @property
    def rows(self) -> Any:
        """The scaled columns of W, one per row."""
        return self.A if self.sparse else self.A.filled

    def prefers_gram(self) -> bool:
        """Whether an update through H is cheaper than one through the residual."""
        k = self.W.size
        length = self.A.nnz / max(k, 1) if self.sparse else self.X.shape[0]
        return k <= min(LARGEST_GRAM, 2 * length)

    def gram(self) -> Floats:
        """H over W; only what was added since the last call is computed."""
        known, k = self._gram.shape[0], self.W.size
        if known < k:
            H = np.empty((k, k))
            if known:
                H[:known, :known] = self._gram
            H[known:] = self._products(np.arange(known, k), np.arange(k))
            H[:known, known:] = H[known:, :known].T
            self._gram = H
        return self._gram

    def _products(self, left: Integers, right: Integers) -> Floats:
        P = self.rows[left] @ self.rows[right].T
        P = P.toarray() if self.sparse else P
        return P - self.mass * np.outer(self.means[left], self.means[right])

    def minimize(
        self, penalty: Penalty, w: Floats, g: Floats, *, tol: float, max_epochs: int, seed: NDArray[np.uint64]
    ) -> tuple[Floats, int]:
        """Minimise (1) over W from w with gradient g there, b being optimal; `seed` is that of `shuffle`, 0 for none.

        Returns the new w and the number of passes; the violation of the optimality conditions is at most `tol` unless
        `max_epochs` was reached.
        """
        # Below this the violations are rounding errors of H w.
        rounding = 4.0 * EPS * self.norms.max(initial=0.0) * np.abs(w).max(initial=0.0)
        tol = max(tol, rounding)
        loop = self._gram_loop if self.prefers_gram() else self._residual_loop
        return loop(penalty, np.array(w, dtype=float), np.array(g, dtype=float), tol, max_epochs, seed)

    def _gram_loop(
        self, penalty: Penalty, w: Floats, g: Floats, tol: float, max_epochs: int, seed: NDArray[np.uint64]
    ) -> tuple[Floats, int]:
        return minimize_gram(self.gram(), self.norms, penalty, w, g, tol=tol, max_epochs=max_epochs, seed=seed)

    def _residual_loop(
        self, penalty: Penalty, w: Floats, g: Floats, tol: float, max_epochs: int, seed: NDArray[np.uint64]
    ) -> tuple[Floats, int]:
        record, columns = compiled(penalty), compiled(vectors(self.rows))
        start, epochs, patience = w.copy(), 0, _patience(w)
        r, offset = np.zeros(self.X.shape[0]), np.zeros(1)
        while epochs < max_epochs:
            left = min(patience, max_epochs - epochs)
            passes, done = _descend_residual(
                record, columns, self.norms, self.means, self.mass, w, g, r, offset, tol, left, seed
            )
            epochs += passes
            if done or epochs >= max_epochs:
                break
            support = np.flatnonzero(w)
            if support.size <= LARGEST_GRAM // 2:
                H = self._products(support, support)
                gradient = g + self._image(w - start)
                w[support] += _support_steps(penalty, H, w[support], gradient[support])
                r[:] = self._back(w - start)
                offset[0] = -self.means @ (w - start)
            patience = _patience(w)
        return w, epochs

    def _back(self, delta: Floats) -> Floats:
        return self.rows.T @ delta

    def _image(self, delta: Floats) -> Floats:
        return self.rows @ self._back(delta) - self.mass * self.means * (self.means @ delta)

    def gradient(self, g: Floats) -> Floats:
        """Xᵀg over W, for a g that sums to zero if b is eliminated."""
        return self.rows @ (g / self.root)

    def scores(self, delta: Floats) -> Floats:
        """Change of the scores without the part of b that does not depend on δ."""
        return self._back(delta) / self.root - np.sum(self.means * delta)


def minimize_gram(
    H: Floats,
    norms: Floats,
    penalty: Penalty,
    w: Floats,
    g: Floats,
    *,
    tol: float,
    max_epochs: int,
    seed: NDArray[np.uint64],
) -> tuple[Floats, int]:
    """Minimise (1) for any H with diagonal `norms`, from w with gradient g there, both of which are overwritten.

    Coordinates of norm zero stay where they are. Returns the new w and the number of passes.
    """
    record = compiled(penalty)
    epochs, patience = 0, _patience(w)
    while epochs < max_epochs:
        passes, done = _descend_gram(record, H, norms, w, g, tol, min(patience, max_epochs - epochs), seed)
        epochs += passes
        if done or epochs >= max_epochs:
            break
        step = _support_steps(penalty, H, w, g)
        g += H @ step
        w += step
        patience = _patience(w)
    return w, epochs


def _patience(w: Floats) -> int:
    """Passes that cost about as much as a Newton step on the support, and a few."""
    return EPOCHS + int(np.count_nonzero(w)) // 8


def _support_steps(penalty: Penalty, H: Floats, w: Floats, g: Floats) -> Floats:
    """Newton steps on the coordinates that are not zero, while they lower (1); returns the sum of the steps."""
    start, w, g = w, w.copy(), g.copy()
    for _ in range(SUPPORT_STEPS):
        on = np.flatnonzero(w)
        if not on.size:
            break
        block = H[np.ix_(on, on)]
        d = -_solve_positive(block, penalty.strong_convexity, g[on] + penalty.slope(w[on]))
        step, finished = _best_cut(penalty, w[on], d, float(g[on] @ d), float(d @ (block @ d)))
        w[on] += step
        g += H[:, on] @ step
        if finished:
            break
    # Rounding must not leave a coordinate that was set to zero slightly off zero.
    return np.where(w == 0.0, -start, w - start)


def _solve_positive(H: Floats, curvature: float, g: Floats) -> Floats:
    """(H + curvature·I)⁻¹g.

    To a singular H (more coordinates than rows) a small multiple of I is added: the solution then moves along the null
    space, where only the penalty matters, until a sign changes.
    """
    diagonal = np.diag_indices_from(H)
    for lift in (0.0, 1e-9, 1e-6):
        system = H.copy()
        system[diagonal] += curvature + lift * np.mean(H[diagonal])
        try:
            with calm_blas(len(g)):
                return linalg.cho_solve(linalg.cho_factor(system, overwrite_a=True, check_finite=False), g)
        except linalg.LinAlgError:
            continue
    return g / np.max(H[diagonal])


def _best_cut(penalty: Penalty, w: Floats, d: Floats, slope: float, curvature: float) -> tuple[Floats, bool]:
    """The best of the full step and the steps at which a sign changes (Lee et al. 2006, feature-sign search).

    Also whether nothing is left to do: the full step was the best, or none lowers (1).
    """
    crossing = d * np.sign(w) < -np.abs(w)
    cuts = np.append(np.sort(-w[crossing] / d[crossing])[:MOST_CUTS], 1.0)
    values = cuts * (slope + 0.5 * curvature * cuts) + penalty.term(w + cuts[:, None] * d).sum(axis=1)
    best = int(np.argmin(values))
    if values[best] >= penalty.value(w):
        return np.zeros_like(w), True
    step = cuts[best] * d
    if cuts[best] < 1.0:
        exact = crossing & (-w / np.where(d == 0.0, 1.0, d) == cuts[best])
        step[exact] = -w[exact]
    return step, cuts[best] == 1.0


class _Rows:
    """A growing stack of rows, doubled when full, so that adding one costs O(1) copies of it."""

    def __init__(self, width: int, dtype: np.dtype[Any]) -> None:
        self.size = 0
        self.buffer = np.empty((0, width), dtype=dtype)

    def append(self, rows: Floats) -> Self:
        """Put `rows` at the end and return self."""
        needed = self.size + rows.shape[0]
        if needed > self.buffer.shape[0]:
            grown = np.empty((max(needed, 2 * self.buffer.shape[0]), self.buffer.shape[1]), dtype=self.buffer.dtype)
            grown[: self.size] = self.filled
            self.buffer = grown
        self.buffer[self.size : needed] = rows
        self.size = needed
        return self

    @property
    def filled(self) -> Floats:
        """The rows so far."""
        return self.buffer[: self.size]


def _stacked(above: Any, below: Any) -> Any:
    return sparse.vstack([above, below], format="csr") if above.shape[0] else below


@jit
def _scale_columns(
    data: Floats,
    indices: Integers,
    indptr: Integers,
    W: Integers,
    root: Floats,
    out: Floats,
    out_indices: Integers,
    sums: Floats,
    norms: Floats,
) -> None:
    """The columns W times √D, one after the other, with Σ D x and Σ D x² of each."""
    q = 0
    for k in range(W.shape[0]):
        total, square = 0.0, 0.0
        for p in range(indptr[W[k]], indptr[W[k] + 1]):
            i = indices[p]
            scaled = data[p] * root[i]
            out[q], out_indices[q] = scaled, i
            total += scaled * root[i]
            square += scaled * scaled
            q += 1
        sums[k], norms[k] = total, square


@jit
def _descend_gram(
    penalty: Penalty,
    H: Floats,
    norms: Floats,
    w: Floats,
    g: Floats,
    tol: float,
    max_epochs: int,
    seed: NDArray[np.uint64],
) -> tuple[int, bool]:
    k, worst, full = w.shape[0], 0.0, True
    order: Integers = np.arange(k)
    for epoch in range(max_epochs):
        worst = 0.0
        # Every coordinate once, so that a pass without violations proves that there are none.
        if seed[0] > 0:
            shuffle(order, k, seed)
        for j in order:
            h = norms[j]
            if h <= 0.0 or not (full or w[j] != 0.0):
                continue
            worst = max(worst, penalty.gap(w[j], g[j]))
            old = w[j]
            w[j] = penalty.prox(old - g[j] / h, 1.0 / h)
            step = w[j] - old
            if step != 0.0:
                for l in range(k):
                    g[l] += step * H[j, l]
        if full and worst <= tol:
            return epoch + 1, True
        full = worst <= tol or epoch % FULL_SWEEP == FULL_SWEEP - 1
    return max_epochs, False


@jit
def _descend_residual(
    penalty: Penalty,
    columns: Vectors,
    norms: Floats,
    means: Floats,
    mass: float,
    w: Floats,
    g: Floats,
    r: Floats,
    offset: Floats,
    tol: float,
    max_epochs: int,
    seed: NDArray[np.uint64],
) -> tuple[int, bool]:
    k, worst, full = w.shape[0], 0.0, True
    order: Integers = np.arange(k)
    for epoch in range(max_epochs):
        worst = 0.0
        # Every coordinate once, so that a pass without violations proves that there are none.
        if seed[0] > 0:
            shuffle(order, k, seed)
        for j in order:
            h = norms[j]
            if h <= 0.0 or not (full or w[j] != 0.0):
                continue
            slope = g[j] + columns.dot(j, r) + offset[0] * mass * means[j]
            worst = max(worst, penalty.gap(w[j], slope))
            old = w[j]
            w[j] = penalty.prox(old - slope / h, 1.0 / h)
            step = w[j] - old
            if step != 0.0:
                columns.add(j, step, r)
                offset[0] -= step * means[j]
        if full and worst <= tol:
            return epoch + 1, True
        full = worst <= tol or epoch % FULL_SWEEP == FULL_SWEEP - 1
    return max_epochs, False
