"""The problem that every linear model solves.

    F(w, b) = Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Ω(w)                                                        (1)

A `Problem` is (1) as a function of the packed parameter θ = (w, b), with the derivatives and bounds that solvers ask
for. It knows nothing of solvers; solvers know nothing of losses and penalties beyond their verbs. Any scaling of the
objective (sum, mean, C …) is a scaling of the weights sᵢ and of the strength of Ω.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from gnomon._jit import compiled, jit
from gnomon._typing import Array, Floats, Integers, Matrix, is_sparse
from gnomon.losses import Loss, SoftmaxLoss
from gnomon.numerics.design import Design
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.sums import sum_of
from gnomon.penalties import Penalty

__all__ = ["LinearMap", "Problem"]

Result = TypeVar("Result")

BLOCK = 2**18
"""Entries of X in a block of rows: what stays in cache between Xw and Xᵀg."""

THREADED = 2**19
"""Entries of X from which on a pass over the rows is worth a second thread."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w) over θ = (w, b), z = Xw + b; θ is (K, width) flattened when a row has K scores.

    Parameters
    ----------
    design : gnomon.numerics.design.Design
    y : ndarray of shape (n,)
        Targets as the loss wants them (`loss.targets`).
    loss : Loss
    penalty : Penalty
    weights : ndarray of shape (n,)
    n_scores : int, default=1
        K: one, or the number of classes for a loss over class indices.
    offset : float or ndarray of shape (n,), default=0.0
        Known part of the scores, added to Xw + b.

    References
    ----------
    Vapnik, V. (1991). Principles of risk minimization for learning theory. NIPS 4, 831–838.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem
    >>> from gnomon.penalties import L2
    >>> design = Design(np.array([[1.0], [2.0]]), intercept="none")
    >>> problem = Problem(design, np.array([1.0, 2.0]), SquaredLoss(), L2(1.0), np.ones(2))
    >>> problem.value_and_gradient(np.array([0.5]))
    (1.5, array([-4.]))
    """

    design: Design
    y: Array
    loss: Loss
    penalty: Penalty
    weights: Floats
    n_scores: int = 1
    offset: float | Floats = 0.0

    @property
    def size(self) -> int:
        """Length of θ."""
        return self.n_scores * self.design.width

    def matrix(self, theta: Floats) -> Floats:
        """θ as (width,) or (K, width)."""
        return theta if self.n_scores == 1 else theta.reshape(self.n_scores, self.design.width)

    def penalized(self, theta: Floats) -> Floats:
        """The part of θ that the penalty acts on, as a view."""
        return self.matrix(theta)[..., : self.design.n_penalized]

    def scores(self, theta: Floats) -> Floats:
        """z = Xw + b, plus the offset."""
        return self.design.apply(self.matrix(theta)) + self.offset

    @property
    def offsets(self) -> Floats:
        """The known part of each row's score, for compiled loops."""
        return np.broadcast_to(np.asarray(self.offset, dtype=float), self.design.n).copy()

    def refuse_offset(self, solver: str) -> None:
        """Raise an error for a solver that cannot use a known part of the scores."""
        if np.any(self.offset):
            raise ValueError(f"{solver} has no place for an offset; leave it out, or choose solver='lbfgs' or 'fista'")

    def data_term(self, theta: Floats) -> tuple[float, Floats]:
        """Σᵢ sᵢ ℓ(yᵢ, zᵢ) and its gradient in θ."""
        terms = self._over_blocks(lambda block: block._whole_term(theta))
        gradient = np.sum([g for _, g in terms], axis=0, dtype=float)
        return float(sum(value for value, _ in terms)), np.ravel(gradient).astype(self.design.dtype, copy=False)

    def _whole_term(self, theta: Floats) -> tuple[float, Floats]:
        value, g = self.at_scores(self.scores(theta))
        return value, self.design.adjoint(g)

    def _over_blocks(self, function: Callable[[Problem], Result]) -> list[Result]:
        """`function` of every block of rows; each thread takes a run of neighbouring blocks."""
        runs = map_chunks(lambda run: [function(block) for block in run], self._runs, n_jobs=len(self._runs))
        return [result for run in runs for result in run]

    @cached_property
    def _runs(self) -> list[list[Problem]]:
        """The problem as runs of blocks of rows, a run per thread; the blocks are views."""
        entries = self.design.n * self.design.width
        if not self.loss.additive or entries < THREADED:
            return [[self]]
        threads = blas_threads()
        count = threads if self.design.sparse else max(threads, entries // BLOCK)
        blocks = [self._rows(rows) for rows in split_rows(self.design.n, count)]
        return [blocks[run] for run in split_rows(len(blocks), threads)]

    def _rows(self, rows: slice) -> Problem:
        return replace(self, design=self.design.block(rows), **self._of_rows(rows))

    def _of_rows(self, rows: slice | Integers) -> dict[str, Any]:
        offset = np.asarray(self.offset)[rows] if np.ndim(self.offset) else self.offset
        return {"y": self.y[rows], "weights": self.weights[rows], "offset": offset}

    def take(self, rows: Integers, factor: float = 1.0) -> Problem:
        """The problem on some rows, a copy, with their weights times `factor`."""
        part = replace(self, design=replace(self.design, X=self.design.X[rows]), **self._of_rows(rows))
        return replace(part, weights=part.weights * factor)

    def at_scores(self, z: Floats) -> tuple[float, Floats]:
        """Σᵢ sᵢ ℓ(yᵢ, zᵢ) and sᵢ ℓ'(yᵢ, zᵢ), for given scores."""
        if self.loss.record is not None and z.ndim == 1:
            g = np.empty_like(z)
            return _sum_and_gradient(compiled(self.loss), self.y, z, self.weights, g), g
        if self.loss.record is not None and self.loss.by_row:
            g = np.empty_like(z)
            return _sum_and_gradient_of_rows(compiled(self.loss), self.y, z, self.weights, g), g
        s = self.weights if z.ndim == 1 else self.weights[:, None]
        return float(self.weights @ self.loss.value(self.y, z)), s * self.loss.gradient(self.y, z)

    def value(self, theta: Floats) -> float:
        """F(θ)."""
        return self.at_scores(self.scores(theta))[0] + self.penalty.value(self.penalized(theta))

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """F(θ) and ∇F(θ); where the penalty has a kink, with its least sub-gradient."""
        value, gradient = self.data_term(theta)
        self.penalized(gradient)[...] += self.penalty.slope(self.penalized(theta))
        return value + self.penalty.value(self.penalized(theta)), gradient

    def hessian(self, theta: Floats) -> Floats:
        """∇²F(θ) as a dense matrix; for K scores K × K blocks, each of the width of the design."""
        H = reduce(add, self._over_blocks(lambda block: block._whole_hessian(block.scores(theta))))
        index = np.arange(self.design.n_penalized)
        for start in range(0, self.size, self.design.width):
            H[start + index, start + index] += self.penalty.strong_convexity
        return H

    def curvatures(self, z: Floats, *, shared: bool = False) -> Floats:
        """One column ∂²ℓ/∂z² for one score; for a softmax a column pₖ(1 − pₖ) K/(K − 1) for each of K classes.

        One column stands for all where they are equal, and with `shared` their mean does in any case.
        """
        if self.n_scores == 1:
            return self.loss.curvature(self.y, z).reshape(len(z), -1)
        p: Floats = self.loss.inverse(z)
        c = p * (1.0 - p) * (p.shape[1] / (p.shape[1] - 1.0))
        if shared:
            return np.mean(c, axis=1, keepdims=True)
        return c[:, :1] if np.all(c == c[:, :1]) else c

    def class_hessians(self, theta: Floats, *, shared: bool = False) -> Floats:
        """XᵀDₖX for every column cₖ of the curvatures, Dₖ = diag(sᵢ cᵢₖ): for one score, ∇² of the data term."""
        return reduce(add, self._over_blocks(lambda block: block._whole_class_hessians(block.scores(theta), shared)))

    def _whole_class_hessians(self, z: Floats, shared: bool) -> Floats:
        return np.stack([gram(self.design, self.weights * c) for c in self.curvatures(z, shared=shared).T])

    def column_squares(self, columns: Integers, center: float | Floats = 0.0) -> Floats:
        """Σᵢ sᵢ (xᵢⱼ − centerⱼ)² for some columns of X; a sparse X has the centre 0."""

        def of_block(block: Problem) -> Floats:
            X: Matrix = block.design.X[:, columns]
            if is_sparse(X):
                return X.multiply(X).T @ block.weights
            return np.square(X - center).T @ block.weights

        return reduce(add, self._over_blocks(of_block))

    def _whole_hessian(self, z: Floats) -> Floats:
        if self.n_scores == 1:
            return self._whole_class_hessians(z, shared=False)[0]
        # Per row diag(p) − ppᵀ: the second part of all K² blocks is one product AᵀA with rows p ⊗ √s x.
        K, width, p = self.n_scores, self.design.width, cast(SoftmaxLoss, self.loss).masses(z)
        H = np.zeros((K, width, K, width), dtype=self.design.dtype)
        for k in range(K):
            H[k, :, k] = gram(self.design, self.weights * p[:, k])
        H = H.reshape(self.size, self.size)
        for rows in split_rows(self.design.n, -(-self.design.n * self.size // (8 * BLOCK))):
            x = self.design.block(rows).dense() * np.sqrt(self.weights[rows])[:, None]
            A = (p[rows, :, None] * x[:, None, :]).reshape(len(x), self.size)
            H -= A.T @ A
        return H

    @cached_property
    def lipschitz(self) -> float:
        """L with ‖∇ data_term(θ) − ∇ data_term(θ')‖ ≤ L ‖θ − θ'‖: smoothness of ℓ times λ_max(XᵀSX)."""
        return self.loss.smoothness * largest_eigenvalue(self.design, self.weights)

    def violation(self, theta: Floats, gradient: Floats) -> float:
        """Largest violation of the optimality conditions, given the gradient of the data term at θ."""
        gradient = self.matrix(gradient)
        inside = self.penalty.gap(self.penalized(theta), gradient[..., : self.design.n_penalized])
        outside = np.abs(gradient[..., self.design.n_penalized :])
        return float(max(np.max(inside, initial=0.0), np.max(outside, initial=0.0)))


def gram(design: Design, weights: Floats) -> Floats:
    """XᵀDX with D = diag(weights) and the constant column included, dense."""
    X, d = design.X, design.d
    if is_sparse(X):
        G = (X.multiply(weights[:, None]).tocsr().T @ X).toarray()
    else:
        # With square roots of the weights it is one symmetric product, half the work; not if a weight is negative.
        convex = not np.any(weights < 0.0)
        scaled = X * (np.sqrt(weights) if convex else weights)[:, None]
        G = scaled.T @ (scaled if convex else X)
    if design.intercept == "none":
        return np.asarray(G)
    H = np.empty((d + 1, d + 1), dtype=G.dtype)
    H[:d, :d] = G
    H[:d, d] = H[d, :d] = design.bias * (X.T @ weights)
    H[d, d] = design.bias**2 * np.sum(weights)
    return H


class LinearMap(Protocol):
    """A matrix that is used only through its products."""

    @property
    def width(self) -> int: ...

    def apply(self, theta: Floats, /) -> Floats: ...

    def adjoint(self, g: Floats, /) -> Floats: ...


def largest_eigenvalue(design: LinearMap, weights: Floats, *, tol: float = 1e-4, max_iter: int = 200) -> float:
    """λ_max(XᵀSX): the power method's Rayleigh quotient, which is never above, plus its residual norm, an allowance."""
    theta = np.random.default_rng(0).standard_normal(design.width)
    value = 0.0
    for _ in range(max_iter):
        theta /= np.linalg.norm(theta)
        image = design.adjoint(weights * design.apply(theta)).astype(float)
        value = float(theta @ image)
        error = float(np.linalg.norm(image - value * theta))
        if error <= tol * value:
            break
        theta = image
    return value + error


@jit
def _sum_and_gradient(loss: Loss, y: Array, z: Floats, s: Floats, g: Floats) -> float:
    values = np.empty(z.shape[0])
    for i in range(z.shape[0]):
        value, slope = loss.value_and_gradient(y[i], z[i])
        values[i] = s[i] * value
        g[i] = s[i] * slope
    return sum_of(values)


@jit
def _sum_and_gradient_of_rows(loss: SoftmaxLoss, y: Array, z: Floats, s: Floats, g: Floats) -> float:
    total = 0.0
    for i in range(z.shape[0]):
        total += s[i] * loss.row(y[i], z[i], g[i])
        for k in range(z.shape[1]):
            g[i, k] *= s[i]
    return total
