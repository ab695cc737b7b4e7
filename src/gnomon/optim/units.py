"""Linear problems in natural units.

    xᵢⱼ = mⱼ + cⱼ x'ᵢⱼ,   yᵢ = μ + d y'ᵢ,   sᵢ = σ s'ᵢ,   wⱼ = (d/cⱼ) w'ⱼ,   b = μ + d b' − mᵀw             (1)

    Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + Ω(w) = σφ [Σᵢ s'ᵢ ℓ'(y'ᵢ, x'ᵢᵀw' + b') + Ω'(w')],   ℓ(μ + dy, μ + dz) = φ ℓ'(y, z)    (2)

Solvers square columns, add them up and compare gradients with a tolerance; that is right where columns, targets and
weights are neither far from zero, compared with their spread, nor very large or small. Other problems are solved in the
units (1). Scales are powers of two and mⱼ, μ lie among the values themselves, where a difference is exact (Sterbenz
1974), so that no digit of the data is lost. Columns are scaled one by one where there is no penalty, else all alike:
Ω' is then a penalty of the same kind. What is returned is rounded in the units of the data, and certified there:
objective and gap are those of the rounded coefficients. On scaling before solving: Higham (2002), sections 7.3 and
2.5, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from gnomon._typing import Floats, Matrix, is_sparse
from gnomon.numerics.design import Design
from gnomon.numerics.scale import PowerOfTwo, largest_entry
from gnomon.optim.problem import Problem
from gnomon.optim.solution import Callback, Solution
from gnomon.penalties import Penalty

__all__ = [
    "ABSOLUTE",
    "FIRST_ORDER",
    "RELATIVE",
    "Band",
    "NaturalProblem",
    "column_extent",
    "column_units",
    "inverse_hessian",
    "natural_problem",
    "refuse_far",
    "solve_naturally",
    "value_at",
    "weight_unit",
]

FAR = 128.0
"""A column further from zero than this many times its range is shifted."""

FARTHEST = 1e6
"""Of a posterior: its covariance loses twice the digits of this ratio."""

SAMPLE = 32
"""Rows that suffice to see that a column is not far from zero."""

WHOLE = 2**18
"""Entries of X up to which all of it is looked at."""


class Band(NamedTuple):
    """The sizes of columns and targets, and the sum and mean of weights, that a solver takes as they are."""

    columns: tuple[float, float]
    targets: tuple[float, float]
    weights: tuple[float, float]


ABSOLUTE = Band((2.0**-6, 2.0**20), (2.0**-6, 2.0**30), (2.0**-6, 2.0**20))
"""For solvers that compare a gradient with a number."""

EXACT = Band(*3 * [(1.0, 1.0)])
"""For programs with tolerances of their own: every size becomes one."""

FIRST_ORDER = Band((2.0**-6, 2.0**6), (2.0**-6, 2.0**20), (2.0**-6, 2.0**20))
"""For those that see no curvature besides, and need columns of the height of the constant one."""

RELATIVE = Band(*3 * [(2.0**-100, 2.0**100)])
"""For solvers whose steps and tests do not depend on units: only squares must not overflow."""


def weight_unit(weights: Floats, band: Band = ABSOLUTE) -> float:
    """σ of (1): 1, or a power of two near the mean where the sum is below the band, or the mean above it."""
    total, (low, high) = float(np.sum(weights, dtype=float)), band.weights
    return float(PowerOfTwo.of(total / len(weights), within=(low / len(weights), high)).value) if total > 0.0 else 1.0


@dataclass(frozen=True, eq=False)
class NaturalProblem:
    """A problem, and the same in the units (1).

    Parameters
    ----------
    given, problem : Problem
        In the units of the data, and in natural ones.
    shift, scale : ndarray of shape (d,)
        m and c.
    origin, target, weight, value : float
        μ, d, σ and σφ.
    """

    given: Problem
    problem: Problem
    shift: Floats
    scale: Floats
    origin: float
    target: float
    weight: float
    value: float

    @property
    def finest(self) -> float:
        """The size of the smallest column beside that of the largest: what a test of gradients must resolve."""
        size = _sizes(self.problem.design.X)
        size = size[size > 0.0]
        return float(np.min(size) / np.max(size)) if len(size) else 1.0

    def under(self, penalty: Penalty) -> Self:
        """The same with another penalty."""
        unit = 1.0 if _is_zero(penalty) or not len(self.scale) else self.target / float(self.scale[0])
        inside = _penalty_in_units(penalty, unit, self.value) if _is_movable(penalty) else penalty
        return replace(self, given=replace(self.given, penalty=penalty), problem=replace(self.problem, penalty=inside))

    def inward(self, theta: Floats) -> Floats:
        """θ in natural units."""
        design, phi = self.given.design, np.array(self.given.matrix(theta), dtype=float)
        w, phi_b = np.array(phi[..., : design.d]), phi[..., design.d :]
        if design.intercept == "free":
            b = np.longdouble(design.bias) * phi_b[..., 0] - np.longdouble(self.origin) + self._through_origin(w)
            phi_b[..., 0] = b / self.target / design.bias
        else:
            phi_b *= design.bias / self.problem.design.bias / self.target
        phi[..., : design.d] = w * (self.scale / self.target)
        return phi.ravel()

    def outward(self, phi: Floats) -> Floats:
        """θ in the units of the data, rounded to their type: b belongs to the rounded w."""
        design = self.given.design
        theta = np.array(self.given.matrix(phi), dtype=design.dtype)
        b = self.given.matrix(phi)[..., design.d :] * np.longdouble(self.target)
        theta[..., : design.d] = self.given.matrix(phi)[..., : design.d] * (self.target / self.scale)
        if design.intercept == "free":
            through = self._through_origin(theta[..., : design.d])
            b = b + (np.longdouble(self.origin) - through[..., None]) / design.bias
        else:
            b = b * (self.problem.design.bias / design.bias)
        theta[..., design.d :] = b
        return theta.ravel()

    @property
    def jacobian(self) -> Floats:
        """∂θ/∂θ' for one score."""
        design = self.given.design
        J = np.diag(np.append(self.target / self.scale, np.full(design.width - design.d, self.target)))
        if design.intercept == "free":
            J[design.d, : design.d] = -self.shift * self.target / self.scale / design.bias
        else:
            J[design.d :] *= self.problem.design.bias / design.bias
        return J

    def _through_origin(self, w: Floats) -> Floats:
        """mᵀw; it may cancel against b, so it is kept in extended precision."""
        far = np.flatnonzero(self.shift)
        return np.sum(w[..., far].astype(np.longdouble) * self.shift[far], axis=-1)

    def solve(self, run: Callable[..., Solution[Floats]], theta: Floats | None, **options: Any) -> Solution[Floats]:
        """`run(problem, start, **options)` in natural units, from zeros or θ, reported in the units of the data."""
        if options.get("callback") is not None:
            options["callback"] = self.heard(options["callback"])
        start = np.zeros(self.given.size) if theta is None else self.inward(theta)
        return self.reported(run(self.problem, start.astype(self.given.design.dtype), **options))

    def reported(self, solution: Solution[Floats]) -> Solution[Floats]:
        """The solution in the units of the data, with the objective and the gap of the coefficients as rounded."""
        theta = self.outward(solution.w)
        objective, violation = self._certified(self.inward(theta))
        # F − gap, a value of the dual, bounds the minimum from below wherever the coefficients are rounded to.
        gap = max(objective - (solution.objective - solution.dual_gap), 0.0)
        return solution._replace(
            w=theta,
            objective=self.value * objective,
            dual_gap=self.value * gap if np.isfinite(solution.dual_gap) else solution.dual_gap,
            gradient_norm=violation if np.isfinite(solution.gradient_norm) else solution.gradient_norm,
            history={name: self._converted(name, column) for name, column in solution.history.items()},
            details={n: self.weight * value if n == "alpha" else value for n, value in solution.details.items()},
        )

    def _certified(self, phi: Floats) -> tuple[float, float]:
        """F in natural units, and the largest violation of the optimality conditions in those of the data."""
        problem, d = self.problem, self.given.design.d
        value, gradient = problem.data_term(phi)
        g = np.array(problem.matrix(gradient), dtype=float) * (self.value / self.target)
        g[..., :d] *= self.scale
        if problem.design.intercept == "free":
            g[..., :d] += g[..., d:] * (self.shift / problem.design.bias)
        else:
            g[..., d:] *= self.given.design.bias / problem.design.bias
        objective = value + problem.penalty.value(problem.penalized(phi))
        return objective, self.given.violation(self.outward(phi), g.ravel())

    def _converted(self, name: str, column: Any) -> Any:
        """A column of the history in the units of the data; for gradients, a bound on theirs."""
        if name in ("objective", "gap", "dual"):
            return self.value * column
        if name in ("gradient_norm", "kkt"):
            return self.value / self.target * float(np.max(self.scale + np.abs(self.shift), initial=1.0)) * column
        return np.array([self.outward(phi) for phi in column]) if name == "iterates" else column

    def heard(self, callback: Callback) -> Callback:
        """A callback that is told rows in the units of the data."""
        return lambda row: callback({name: self._converted(name, value) for name, value in row.items()})


def natural_problem(problem: Problem, band: Band = ABSOLUTE, *, alike: bool = False) -> NaturalProblem | None:
    """The problem in natural units, None if it is in natural units already; `alike` scales all columns alike."""
    movable = _is_movable(problem.penalty)
    shift, scale = _columns(problem.design, band, movable, alike or not _is_zero(problem.penalty))
    if not _is_zero(problem.penalty):
        _refuse_vanishing(problem.design, scale)
    origin, target = _targets(problem, band, movable)
    weight = weight_unit(problem.weights, band) if movable else 1.0
    if not (np.any(shift) or np.any(scale != 1.0) or origin or target != 1.0 or weight != 1.0):
        return None
    loss, factor = problem.loss.rescaled(target) or (problem.loss, 1.0)
    design, common = problem.design, float(scale[0]) if len(scale) else 1.0
    bias = design.bias / common if design.intercept == "penalized" else design.bias
    inside = replace(
        problem,
        design=Design(_rescaled(design.X, shift, scale), design.intercept, bias),
        y=(problem.y - origin) / problem.y.dtype.type(target) if origin or target != 1.0 else problem.y,
        loss=loss,
        weights=problem.weights / problem.weights.dtype.type(weight),
        offset=problem.offset / target,
    )
    return NaturalProblem(problem, inside, shift, scale, origin, target, weight, weight * factor).under(problem.penalty)


def inverse_hessian(problem: Problem, theta: Floats, invert: Callable[[Floats], Floats]) -> Floats:
    """∇²F(θ)⁻¹ for one score, by `invert` in natural units."""
    natural = natural_problem(problem)
    if natural is None:
        return invert(problem.hessian(theta))
    J = natural.jacobian
    return J @ (invert(natural.problem.hessian(natural.inward(theta))) / natural.value) @ J.T


def value_at(problem: Problem, theta: Floats) -> float:
    """F(θ), evaluated in natural units."""
    natural = natural_problem(problem)
    return problem.value(theta) if natural is None else natural.value * natural.problem.value(natural.inward(theta))


def column_units(X: Matrix, *, shifted: bool) -> tuple[Matrix, Floats, Floats]:
    """(X − 1mᵀ) diag(c)⁻¹, m and c of (1), with columns of size one; m = 0 unless `shifted`."""
    design = Design(X, "free" if shifted else "none")
    shift, scale = _columns(design, EXACT, movable=True, alike=False)
    return _rescaled(X, shift, scale), shift, scale


def refuse_far(center: Floats, spread: Floats, names: Sequence[str] | None = None) -> None:
    """ValueError if a column is so far from zero that the joint law of w and b cannot be held in double precision."""
    far = np.flatnonzero(np.abs(center) > FARTHEST * spread)
    far = far[spread[far] > 0.0]
    if len(far):
        j = int(far[0])
        name = f"x{j}" if names is None else names[j]
        raise ValueError(
            f"column {name} is {abs(center[j]) / spread[j]:.1e} times its spread away from zero: its coefficient and "
            "the intercept are so correlated that floating point cannot hold their joint law; subtract its mean first"
        )


def column_extent(X: Matrix) -> tuple[Floats, Floats]:
    """The middle and the range of every column that may be far from zero; others have a range as large as they are."""
    low, high, _ = _extent(X, every=False)
    return low + 0.5 * (high - low), high - low


def solve_naturally(
    run: Callable[..., Solution[Floats]], problem: Problem, band: Band = ABSOLUTE, **options: Any
) -> Solution[Floats]:
    """`run(problem, zeros, **options)`, in natural units where the problem is far from them."""
    natural = natural_problem(problem, band)
    if natural is not None:
        return natural.solve(run, None, **options)
    return run(problem, np.zeros(problem.size, dtype=problem.design.dtype), **options)


def _is_zero(penalty: Penalty) -> bool:
    return penalty.smooth and float(penalty.term(1.0)) == 0.0


def _is_movable(penalty: Penalty) -> bool:
    """Whether the penalty has the verb `in_units`; one without it allows shifts only."""
    return type(penalty).in_units is not Penalty.in_units


def _penalty_in_units(penalty: Penalty, unit: float, value: float) -> Penalty:
    try:
        return penalty.in_units(unit, value)
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"penalty={penalty!r} overflows where columns, targets and weights have their natural sizes: coefficients "
            f"are counted in units of {unit:.3g} there, the objective in units of {value:.3g}; scale the columns of X "
            "(StandardScaler) or the targets y, or give a strength (alpha, lam or C) nearer to them"
        ) from None


def _columns(design: Design, band: Band, movable: bool, alike: bool) -> tuple[Floats, Floats]:
    """m and c of (1)."""
    X, d = design.X, design.d
    low, high, size = _extent(X, every=not alike)
    with np.errstate(over="ignore"):
        extent = high - low
    far = (size / FAR > extent) & (high > low) & (design.intercept == "free")
    shift = np.where(far, low + 0.5 * np.where(far, extent, 0.0), 0.0).astype(design.dtype).astype(float)
    size = np.where(far, 0.5 * extent, size)
    if not movable or not d:
        return shift, np.ones(d)
    if alike:
        return shift, np.full(d, PowerOfTwo.of(size, within=band.columns).value)
    return shift, PowerOfTwo.of(size, axis=(), within=band.columns).value


def _refuse_vanishing(design: Design, scale: Floats) -> None:
    """ValueError where columns of one unit differ so much in size that the squares of some are zero."""
    most = float(np.finfo(design.dtype).max)
    if not len(scale) or scale[0] < most**0.25:
        return
    size = np.where((found := _sizes(design.X)) > 0.0, found, np.inf)
    least, largest = int(np.argmin(size)), int(np.argmax(found))
    if (found[least] / found[largest]) ** 2 < 1024.0 * float(np.finfo(design.dtype).smallest_subnormal):
        raise ValueError(
            f"X has entries up to {found[largest]:.3g} in column {largest} and only up to {found[least]:.3g} in column "
            f"{least}: in one unit, which a penalty needs, the squares of the latter are zero; mend that entry, or "
            "scale the columns (StandardScaler)"
        )


def _extent(X: Matrix, *, every: bool) -> tuple[Floats, Floats, Floats]:
    """Least and largest value and largest modulus of the columns, exact where a column is far from zero.

    Elsewhere those of a sample of rows; with `every`, a column of which the sample sees only zeros is exact too.
    """
    if is_sparse(X):
        return _sparse_extent(X, every)
    n, d = X.shape
    rows: Floats = X if X.size <= WHOLE or n <= 2 * SAMPLE else X[np.linspace(0, n - 1, SAMPLE).astype(np.intp)]
    low, high, size = _dense_extent(rows)
    if rows is not X:
        doubtful = np.flatnonzero((size / FAR / 2.0 > 0.5 * high - 0.5 * low) | (every & (size == 0.0)))
        if 4 * len(doubtful) > d:
            return _dense_extent(X)
        for block in np.array_split(doubtful, -(-len(doubtful) * n // WHOLE) or 1):
            low[block], high[block], size[block] = _dense_extent(X[:, block])
    return low, high, size


def _dense_extent(X: Floats) -> tuple[Floats, Floats, Floats]:
    low = np.min(X, axis=0, initial=np.inf).astype(float)
    high = np.max(X, axis=0, initial=-np.inf).astype(float)
    return low, high, np.maximum(np.abs(low), np.abs(high))


def _sparse_extent(X: Any, every: bool) -> tuple[Floats, Floats, Floats]:
    """A column with a zero in it is not far from zero: only full columns are looked at, and the largest entry of X."""
    n, d = X.shape
    size = largest_entry(X, axis=0).astype(float) if every else np.full(d, float(largest_entry(X)))
    low, high = np.minimum(-size, 0.0), size.copy()
    stored = np.bincount(X.indices, minlength=d) if X.format == "csr" else np.diff(X.tocsc().indptr)
    full = np.flatnonzero(stored == n)
    if len(full):
        low[full], high[full], size[full] = _dense_extent(X[:, full].toarray())
    return low, high, size


def _sizes(X: Matrix) -> Floats:
    return _extent(X, every=True)[2]


def _targets(problem: Problem, band: Band, movable: bool) -> tuple[float, float]:
    """μ and d of (1): only for losses of the residual y − z."""
    if problem.loss.rescaled(1.0) is None or not len(problem.y):
        return 0.0, 1.0
    low, high = float(np.min(problem.y)), float(np.max(problem.y))
    size = max(abs(low), abs(high))
    far = problem.design.intercept == "free" and low < high and size / FAR > high - low
    origin = float(problem.y.dtype.type(low + 0.5 * (high - low))) if far else 0.0
    size = 0.5 * (high - low) if far else size
    return origin, PowerOfTwo.of(size, within=band.targets).value if movable else 1.0


def _rescaled(X: Matrix, shift: Floats, scale: Floats) -> Matrix:
    """(X − 1mᵀ) diag(c)⁻¹, in the format of X; only full columns of a sparse matrix have a shift."""
    if not (np.any(shift) or np.any(scale != 1.0)):
        return X
    m, c = shift.astype(X.dtype), scale.astype(X.dtype)
    if not is_sparse(X):
        moved = X - m
        moved /= c
        return moved
    moved = X.copy()
    column = moved.indices if moved.format == "csr" else np.repeat(np.arange(X.shape[1]), np.diff(moved.indptr))
    moved.data = (moved.data - m[column]) / c[column]
    return moved
