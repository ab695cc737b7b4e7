"""The law of an expensive function after some of its values.

    (f(x) − m)/t ~ GP(0, c · k(x, x')),  k Matérn 5/2 with a length scale for each parameter              (1)
    (y − m)/t = (f(x) − m)/t + ε,  ε ~ N(0, σ²),   θ = (log c, log ℓ₁, …, log ℓ_d, log σ²)               (2)
    θ at the maximum of log p(y | θ) + log p(θ), or drawn from p(θ | y)                                  (3)

m and t are the mean and the standard deviation of the values. The laws of θ are normal ones that expect short length
scales: of a few values the likelihood alone takes any function for a flat one. Snoek, Larochelle & Adams (2012),
arXiv:1206.2944.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize
from scipy.linalg import lapack

from gnomon._typing import Floats, Integers
from gnomon.gp._observations import Noise, NoisyRows, Parameters, criterion, factored
from gnomon.infer import Conditioned, slice_sample
from gnomon.kernels import Constant, Matern
from gnomon.numerics.linalg import CholeskyPrecision

__all__ = ["Surrogate", "Values", "draws_of", "learned", "start_of", "surrogate"]

NOISE = (1e-8, 1.0)
CENTRES = (0.7, float(np.log(0.1)), float(np.log(1e-3)))
"""Of the laws of log c, log ℓ (for one parameter; √d times that for d) and log σ²."""
SPREADS = (1.0, 0.5, 3.0)
WITHIN = 4.0
"""θ is sought within so many standard deviations of its law."""
ENOUGH = {"maxiter": 20, "ftol": 1e-4, "gtol": 1e-3}
"""Of a search for θ: what is beyond changes no question."""
LEAST_SHARE = 1e-12
"""Of the prior variance that is left at a point, whatever rounding says."""
BURN_IN = 10
SINGLE = 1e-5
"""The share of noise from which on rounding to single precision is not what decides."""


class Law(NamedTuple):
    """The normal law of θ, entry by entry.

    Fields
    ------
    centre, spread : ndarray of shape (d + 2,)
    """

    centre: Floats
    spread: Floats

    @property
    def bounds(self) -> Floats:
        """Of θ, of shape (d + 2, 2)."""
        found = self.centre[:, None] + WITHIN * self.spread[:, None] * np.array([-1.0, 1.0])
        found[-1] = np.log(NOISE)
        return found

    def log_density(self, theta: Floats) -> tuple[float, Floats]:
        """Up to a constant, and its gradient."""
        z = (theta - self.centre) / self.spread
        return -0.5 * float(z @ z), -z / self.spread


class Values(NamedTuple):
    """What is known: columns of points, values, and the parameter of each column.

    Fields
    ------
    Z : ndarray of shape (n, D)
    y : ndarray of shape (n,)
    groups : ndarray of shape (D,)
    """

    Z: Floats
    y: Floats
    groups: Integers


def law_of(d: int) -> Law:
    """The law of θ for d parameters."""
    c, length, noise = CENTRES
    centre = np.concatenate([[c], np.full(d, length + 0.5 * np.log(d)), [noise]])
    return Law(centre, np.concatenate([SPREADS[:1], np.full(d, SPREADS[1]), SPREADS[2:]]))


def start_of(d: int) -> Floats:
    """θ before any value."""
    return law_of(d).centre


class Slopes(NamedTuple):
    """Mean and standard deviation, and their derivatives along the columns."""

    mean: Floats
    std: Floats
    by_mean: Floats
    by_std: Floats


class Surrogate(NamedTuple):
    """The law (1) after the values, in their units.

    Fields
    ------
    kernel : Matern
    amplitude, noise : float
        c and σ².
    near : prepared rows
        Z as the kernel compares them.
    Z : ndarray of shape (n, D)
    found : Conditioned
    centre, spread : float
        m and t.
    """

    kernel: Matern
    amplitude: float
    noise: float
    near: Any
    Z: Floats
    found: Conditioned
    centre: float
    spread: float

    def predict(self, Z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of f at each row."""
        k = self.amplitude * self.kernel.profile(self._separations(Z))
        return self._in_units(k @ self.found.coef[:, 0], self.amplitude - self.found.precision.quadratic(k.T))

    def predict_with_slopes(self, Z: Floats) -> Slopes:
        """The same, and the derivatives along the columns."""
        s = self._separations(Z)
        k, slope = self.amplitude * self.kernel.profile(s), self.amplitude * self.kernel.slope(s)
        solved = self.found.precision.solve(k.T).T
        mean, std = self._in_units(k @ self.found.coef[:, 0], self.amplitude - np.einsum("ij,ij->i", k, solved))
        by_mean = self.spread * self._along(Z, slope * self.found.coef[:, 0])
        # t² itself may be beyond all numbers.
        by_std = -self.spread * self._along(Z, slope * solved) / (std / self.spread)[:, None]
        return Slopes(mean, std, by_mean, by_std)

    def _separations(self, Z: Floats) -> Floats:
        return self.kernel.separation.cross(self.kernel.prepare(Z, like=self.near), self.near)

    def _along(self, Z: Floats, M: Floats) -> Floats:
        """Σᵢ Mᵢ ∂sᵢ/∂z of the separations s = Σ (z − zᵢ)²/ℓ²."""
        scale = np.asarray(self.kernel.length_scale, dtype=float)
        return 2.0 * (Z * M.sum(axis=1, keepdims=True) - M @ self.Z) / scale**2

    def quick(self) -> QuickSurrogate:
        """The same for many rows, in single precision where the noise leaves no more digits."""
        precision = self.found.precision
        assert isinstance(precision, CholeskyPrecision)
        inverse, _ = lapack.dtrtri(precision.lower, lower=1)
        dtype = np.dtype(np.float32 if self.noise > SINGLE * self.amplitude else np.float64)
        inverse_scale = 1.0 / np.asarray(self.kernel.length_scale, dtype=float)
        centre = self.Z.mean(axis=0)
        X = (self.Z - centre) * inverse_scale
        return QuickSurrogate(
            self,
            dtype,
            centre.astype(dtype),
            (np.sqrt(5.0) * inverse_scale).astype(dtype),
            (-2.0 * np.sqrt(5.0) * X.T).astype(dtype),
            (5.0 * np.einsum("ij,ij->i", X, X)).astype(dtype),
            np.column_stack([np.sqrt(self.amplitude) * np.tril(inverse).T, self.amplitude * self.found.coef]).astype(
                dtype
            ),
        )

    def _in_units(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        left = np.maximum(variance, LEAST_SHARE * self.amplitude)
        return self.centre + self.spread * mean, self.spread * np.sqrt(left)


class QuickSurrogate(NamedTuple):
    """A surrogate for many rows: 5‖z − xᵢ‖²/ℓ² by one product of matrices, k from it in place, and one more product.

    Fields
    ------
    exact : Surrogate
    dtype : numpy.dtype
    centre, scale : ndarray of shape (D,)
        A row z becomes √5 (z − centre)/ℓ.
    rows : ndarray of shape (D, n)
    squares : ndarray of shape (n,)
        Of the rows that are known.
    roots : ndarray of shape (n, n + 1)
        √c L⁻ᵀ, and the coefficients of the mean.
    """

    exact: Surrogate
    dtype: Any
    centre: Floats
    scale: Floats
    rows: Floats
    squares: Floats
    roots: Floats

    def predict(self, Z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of f at each row."""
        Z = (Z.astype(self.dtype, copy=False) - self.centre) * self.scale
        z = Z @ self.rows
        z += self.squares
        z += np.einsum("ij,ij->i", Z, Z)[:, None]
        np.maximum(z, 0.0, out=z)
        # (1 + r + r²/3) e^(−r) for r = √z.
        k = z / self.dtype.type(3.0)
        np.sqrt(z, out=z)
        k += z
        k += self.dtype.type(1.0)
        np.negative(z, out=z)
        np.exp(z, out=z)
        k *= z
        V = k @ self.roots
        mean, V = V[:, -1].astype(float), V[:, :-1]
        left = self.exact.amplitude * (1.0 - np.einsum("ij,ij->i", V, V))
        return self.exact._in_units(mean, left.astype(float))


class _Problem(NamedTuple):
    """log p(y | θ) + log p(θ) of (3), and the model at θ; columns of one parameter share its length scale."""

    data: NoisyRows
    start: Parameters
    places: Integers
    law: Law

    def objective(self, theta: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        value, slopes = criterion(self.data, self.start, "lml")(theta[self.places])
        prior, more = self.law.log_density(theta)
        return value + prior, np.bincount(self.places, weights=slopes, minlength=len(theta)) + more

    def value(self, theta: Floats) -> float:
        """Without the gradient."""
        try:
            evidence = factored(self.at(theta), self.data, jitter=False).log_evidence()
        except np.linalg.LinAlgError:
            return -np.inf
        return evidence + self.law.log_density(theta)[0]

    def at(self, theta: Floats) -> Parameters:
        """Kernel and noise."""
        return self.start.at(theta[self.places])


def _scale(y: Floats) -> tuple[float, float]:
    """Mean and standard deviation, 1 for a constant; squares of the values may be beyond all numbers."""
    largest = float(np.max(np.abs(y))) or 1.0
    shares = y / largest
    centre = float(np.mean(shares))
    far = float(np.max(np.abs(shares - centre)))
    if far <= np.finfo(float).eps * abs(centre):
        return largest * centre, 1.0
    return largest * centre, largest * far * float(np.sqrt(np.mean(((shares - centre) / far) ** 2)))


def _problem(values: Values) -> tuple[_Problem, float, float]:
    centre, spread = _scale(values.y)
    d = int(values.groups[-1]) + 1
    kernel = Constant(1.0) * Matern(np.ones(len(values.groups)), 2.5)
    data = NoisyRows(values.Z, ((values.y - centre) / spread)[:, None], None)
    start = Parameters(kernel, Noise(1.0, np.ones(len(values.y)), NOISE))
    places = np.concatenate([[0], 1 + values.groups, [d + 1]])
    return _Problem(data, start, places, law_of(d)), centre, spread


def learned(values: Values, starts: list[Floats]) -> Floats:
    """θ at the best maximum of (3) that is reached from the starts."""
    problem, _, _ = _problem(values)

    def cost(theta: Floats) -> tuple[float, Floats]:
        value, slopes = problem.objective(theta)
        # A matrix that is not positive definite: as bad as anything, without a direction.
        return (-value, -slopes) if np.isfinite(value) else (1e300, np.zeros_like(theta))

    ends = [
        optimize.minimize(cost, start, method="L-BFGS-B", jac=True, bounds=problem.law.bounds, options=ENOUGH)
        for start in starts
    ]
    return min(ends, key=lambda end: end.fun).x


def draws_of(values: Values, start: Floats, n_draws: int, rng: np.random.Generator) -> Floats:
    """θ drawn from p(θ | y), of shape (n_draws, d + 2)."""
    problem, _, _ = _problem(values)
    return slice_sample(problem.value, start, n_draws, rng, burn_in=BURN_IN, bounds=problem.law.bounds)


def surrogate(values: Values, theta: Floats) -> Surrogate:
    """The law after the values, for given θ."""
    problem, centre, spread = _problem(values)
    found = factored(problem.at(theta), problem.data, jitter=True)
    kernel = Matern(np.exp(theta[1:-1])[values.groups], 2.5)
    c, noise = float(np.exp(theta[0])), float(np.exp(theta[-1]))
    return Surrogate(kernel, c, noise, kernel.prepare(values.Z), values.Z, found, centre, spread)
