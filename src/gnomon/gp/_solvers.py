"""How systems with the covariance A are solved, and which way suits which data.

    "kronecker"   rows are a full grid and k is a product over its axes: eigenvectors of each axis
    "sparse"      k has a support, so that few pairs of rows are related: sparse factors
    "cholesky"    up to 10 000 rows: a dense factor
    "inducing"    beyond: the variational bound of some hundred inducing rows, with what it may miss
    "cg"          beyond, for exact rows or a drift: conjugate gradients, with products of A in blocks  (1)

Rasmussen & Williams (2006), chapter 8; Wendland (2004), Scattered Data Approximation, doi:10.1017/CBO9780511617539.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from gnomon._typing import Floats
from gnomon.base import take_rows
from gnomon.gp._full_grid import full_grid
from gnomon.gp._inducing import bound_of, choose_rows, condition_inducing
from gnomon.gp._observations import NoisyRows, Parameters, covariance
from gnomon.infer import Conditioned, condition
from gnomon.kernels import Kernel
from gnomon.numerics.linalg import (
    CholeskyPrecision,
    IterativePrecision,
    KroneckerPrecision,
    NotPositiveDefiniteError,
    Precision,
    SparsePrecision,
    extend_cholesky,
    factor_covariance,
)

__all__ = ["MOST_DENSE", "Approximation", "Effort", "Solved", "Solver", "choose_solver", "solve"]

Solver: TypeAlias = Literal["auto", "cholesky", "sparse", "cg", "kronecker", "inducing"]

MOST_DENSE = 10_000
FEWEST_STRUCTURED = 256
"""Rows up to which "auto" takes a dense factor whatever the structure: it is as fast there, and has L."""
DENSITY = 0.1
LEAST_NOISE = 1e-6
"""Of the prior variance, for inducing rows."""
MISSING = 0.02
"""Share of the prior variance that inducing rows may leave without a word."""


class Effort(NamedTuple):
    """Limits of the solvers that have them.

    Fields
    ------
    n_inducing : int
        Most inducing rows.
    tol : float
        The relative residual at which conjugate gradients end.
    max_iter : int or None
        Their iterations; None for 10n.
    """

    n_inducing: int = 500
    tol: float = 1e-10
    max_iter: int | None = None


class Solved(NamedTuple):
    """The process after its observations, and the solver that was used.

    Fields
    ------
    found : Conditioned
    name : str
    evidence : float
        log p(y), or the lower bound that the solver has.
    rows : array or list
        That `found` is about.
    approximation : Approximation or None
    residuals : ndarray
        ‖Aa − y‖/‖y‖ after every iteration, the largest over targets, where there were iterations.
    """

    found: Conditioned
    name: str
    evidence: float
    rows: Any
    approximation: Approximation | None = None
    residuals: Floats = np.empty(0)

    def warn(self, n_inducing: int) -> None:
        """Say what inducing rows leave unexplained, and what was added to the diagonal; called by a part of a fit."""
        cost, jitter = self.approximation, self.found.precision.jitter
        if cost is not None and cost.missing > MISSING:
            warnings.warn(
                f"{len(self.rows)} rows leave {cost.missing:.2g} of the prior variance unexplained, the evidence may "
                f"lack up to {cost.gap:.3g}; raise n_inducing={n_inducing}",
                UserWarning,
                stacklevel=4,
            )
        if jitter > 0.0:
            warnings.warn(
                f"{jitter:.3g} was added to the diagonal of the covariance, which was not positive definite; give at "
                "least as much noise (alpha) to say so yourself",
                UserWarning,
                stacklevel=4,
            )


class Approximation(NamedTuple):
    """What inducing rows cost.

    Fields
    ------
    gap : float
        The most that log p(y) can exceed its lower bound by.
    missing : float
        Mean share of the prior variance of the rows that the inducing ones do not explain.
    """

    gap: float
    missing: float


class CovarianceProduct(NamedTuple):
    """X → AX, tile by tile, or by the sparse matrix K where there is one."""

    kernel: Kernel
    rows: Any
    K: Any
    variances: Floats

    def __call__(self, X: Floats) -> Floats:
        product = self.kernel.against(self.rows).combine(self.rows, X) if self.K is None else self.K @ X
        return product + self.variances[:, None] * X


def solve(
    name: str, parameters: Parameters, data: NoisyRows, effort: Effort, before: Precision | None = None
) -> Solved:
    """Condition by the solver of this name; `before` is that of the first rows, which "cholesky" extends."""
    if name == "inducing":
        return _inducing(parameters, data, effort.n_inducing)
    if name == "cg":
        return _iterative(parameters, data, effort)
    try:
        precision = FACTORS[name](parameters, data, before)
    except NotPositiveDefiniteError as error:
        raise NotPositiveDefiniteError(f"{error}; {_advice(parameters.kernel)}") from None
    found = condition(precision, data.y, data.H)
    return Solved(found, name, found.log_evidence(), data.rows)


def _inducing(parameters: Parameters, data: NoisyRows, n_inducing: int) -> Solved:
    inducing = take_rows(data.rows, choose_rows(parameters.kernel, data.rows, n_inducing))
    bound = bound_of(parameters, data, inducing)
    gap = bound.upper(data.y, parameters.noise.variances) - bound.value
    prior = np.asarray(parameters.kernel.diag(data.rows), dtype=float)
    cost = Approximation(max(gap, 0.0), float(np.sum(bound.missing) / np.sum(prior)))
    found = condition_inducing(parameters, data, inducing, bound)
    return Solved(found, "inducing", bound.value, inducing, cost)


def choose_solver(solver: Solver, parameters: Parameters, data: NoisyRows) -> str:
    """The table (1), from the top; "inducing" is refused where it has no bound."""
    if solver == "inducing":
        if data.H is not None:
            raise ValueError(
                "solver='inducing' takes a known mean; instead of a mean with free coefficients add Constant() or "
                "Linear() to the kernel"
            )
        if not _bounded(parameters):
            raise ValueError("solver='inducing' needs noise > 0 on every row; give alpha, or noise='learn'")
    return _automatic(parameters, data) if solver == "auto" else solver


def _bounded(parameters: Parameters) -> bool:
    """Whether there is noise on every row, without which the bound of inducing rows is −∞."""
    return parameters.noise.bounds is not None or bool(np.all(parameters.noise.variances > 0.0))


def _automatic(parameters: Parameters, data: NoisyRows) -> str:
    n, kernel = len(data.y), parameters.kernel
    if n > FEWEST_STRUCTURED:
        if (
            _equal_noise(parameters)
            and _axis_kernels(kernel, data.rows) is not None
            and full_grid(data.rows) is not None
        ):
            return "kronecker"
        if np.isfinite(kernel.support_radius):
            P = kernel.prepare(data.rows)
            pattern: Any = kernel.pattern(P, P)
            if pattern is not None and pattern.nnz < DENSITY * n**2:
                return "sparse"
    if n <= MOST_DENSE:
        return "cholesky"
    return "inducing" if data.H is None and _noisy(parameters, data) else "cg"


def _noisy(parameters: Parameters, data: NoisyRows) -> bool:
    """Whether the noise is so large that inducing rows can serve: below it they would have to be exact."""
    if parameters.noise.bounds is not None:
        return True
    return bool(np.min(parameters.noise.variances) > LEAST_NOISE * np.mean(parameters.kernel.diag(data.rows)))


def _cholesky(parameters: Parameters, data: NoisyRows, before: Precision | None) -> Precision:
    if not isinstance(before, CholeskyPrecision) or before.jitter > 0.0:
        return factor_covariance(covariance(parameters, data.rows), overwrite=True)
    n, kernel = len(before.lower), parameters.kernel
    old, new = data.rows[:n], data.rows[n:]
    C = np.array(kernel.gram(new), dtype=float)
    C[np.diag_indices_from(C)] += parameters.noise.variances[n:]
    try:
        return extend_cholesky(before, np.asarray(kernel.gram(old, new), dtype=float), C)
    except NotPositiveDefiniteError:
        # New rows that the old ones determine: all rows together need jitter.
        return factor_covariance(covariance(parameters, data.rows), overwrite=True)


def _sparse(parameters: Parameters, data: NoisyRows, before: Precision | None) -> Precision:
    K = parameters.kernel.against(data.rows).sparse_gram(data.rows)
    if K is None:
        raise ValueError(
            f"solver='sparse' needs a kernel that is zero beyond some distance, such as Wendland; found "
            f"{parameters.kernel!r}"
        )
    return SparsePrecision(K + sparse.diags_array(parameters.noise.variances))


def _iterative(parameters: Parameters, data: NoisyRows, effort: Effort) -> Solved:
    kernel, variances = parameters.kernel, parameters.noise.variances
    K = kernel.against(data.rows).sparse_gram(data.rows)
    multiply: Any = CovarianceProduct(kernel, data.rows, K, variances)
    diagonal = np.asarray(kernel.diag(data.rows), dtype=float) + variances
    precision = IterativePrecision(multiply, diagonal, effort.tol, effort.max_iter)
    found = condition(precision, data.y, data.H)
    # The last system is that of the targets; those of a drift come before it.
    return Solved(found, "cg", found.log_evidence(), data.rows, residuals=precision.residuals[-1].max(axis=1))


def _kronecker(parameters: Parameters, data: NoisyRows, before: Precision | None) -> Precision:
    kernels, grid = _axis_kernels(parameters.kernel, data.rows), full_grid(data.rows)
    if kernels is None or grid is None or not _equal_noise(parameters):
        raise ValueError(
            "solver='kronecker' needs rows that are a full grid, a kernel that is a product over its axes (RBF, "
            f"TensorProduct) and equal noise; found {len(data.y)} rows and {parameters.kernel!r}"
        )
    axes = [np.asarray(k.gram(values[:, None]), dtype=float) for k, values in zip(kernels, grid.axes, strict=True)]
    return KroneckerPrecision.of_axes(axes, float(parameters.noise.variances[0]), grid.order)


def _equal_noise(parameters: Parameters) -> bool:
    variances = parameters.noise.variances
    return bool(np.all(variances == variances[0]))


def _axis_kernels(kernel: Kernel, rows: Any) -> list[Kernel] | None:
    if not isinstance(rows, np.ndarray) or rows.shape[1] < 2:
        return None
    return kernel.by_axis(rows.shape[1])


def _advice(kernel: Kernel) -> str:
    if kernel.psd is True:
        return "give more noise (alpha)"
    return f"{kernel!r} is not known to be positive semi-definite (psd={kernel.psd!r}), choose another kernel"


FACTORS: dict[str, Callable[[Parameters, NoisyRows, Precision | None], Precision]] = {
    "cholesky": _cholesky,
    "sparse": _sparse,
    "kronecker": _kronecker,
}
"""The ways of (1) that factor A."""
