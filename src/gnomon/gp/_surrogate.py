"""The law of an expensive function after some of its values.

    (f(x) − m)/t ~ GP(0, c · k(x, x')),  k Matérn 5/2 with a length scale for each parameter              (1)
    (y − m)/t = (f(x) − m)/t + ε,  ε ~ N(0, σ²),   θ = (log c, log ℓ₁, …, log ℓ_d, log σ²)               (2)
    θ at the maximum of log p(y | θ) + log p(θ), or drawn from p(θ | y)                                  (3)

m and t are the mean and the standard deviation of the values. The laws of θ are normal ones that expect short length
scales: of a few values the likelihood alone takes any function for a flat one. Snoek, Larochelle & Adams (2012),
arXiv:1206.2944.
"""

from typing import NamedTuple

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
ENOUGH = {"maxiter": 40, "ftol": 1e-5, "gtol": 1e-3}
"""Of a search for θ: what is beyond changes no question."""
LEAST_SHARE = 1e-12
"""Of the prior variance that is left at a point, whatever rounding says."""
BURN_IN = 10


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


class Surrogate(NamedTuple):
    """The law (1) after the values, in their units.

    Fields
    ------
    kernel : Matern
    amplitude : float
        c.
    Z : ndarray of shape (n, D)
    found : Conditioned
    centre, spread : float
        m and t.
    """

    kernel: Matern
    amplitude: float
    Z: Floats
    found: Conditioned
    centre: float
    spread: float

    def predict(self, Z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of f at each row."""
        k = self.amplitude * self.kernel.gram(Z, self.Z)
        left = self.amplitude - self.found.precision.quadratic(k.T)
        return self._in_units(k @ self.found.coef[:, 0], left)

    def slopes(self, Z: Floats) -> tuple[Floats, Floats]:
        """Derivatives of mean and standard deviation along the columns, each of shape (q, D)."""
        k = self.amplitude * self.kernel.gram(Z, self.Z)
        solved = self.found.precision.solve(k.T).T
        left = np.maximum(self.amplitude - np.einsum("ij,ij->i", k, solved), LEAST_SHARE * self.amplitude)
        P, Q = self.kernel.prepare_both(Z, self.Z)
        slope = self.amplitude * self.kernel.slope(self.kernel.separation.cross(P, Q))
        mean = self._along(Z, slope * self.found.coef[:, 0])
        return self.spread * mean, -self.spread * self._along(Z, slope * solved) / np.sqrt(left)[:, None]

    def _along(self, Z: Floats, M: Floats) -> Floats:
        """Σᵢ Mᵢ ∂sᵢ/∂z of the separations s = Σ (z − zᵢ)²/ℓ²."""
        scale = np.asarray(self.kernel.length_scale, dtype=float)
        return 2.0 * (Z * M.sum(axis=1, keepdims=True) - M @ self.Z) / scale**2

    def quick(self) -> "QuickSurrogate":
        """The same for many rows, to the digits of single precision."""
        precision = self.found.precision
        assert isinstance(precision, CholeskyPrecision)
        inverse, _ = lapack.dtrtri(precision.lower, lower=1)
        root = np.sqrt(self.amplitude)
        return QuickSurrogate(self, self.Z.astype(np.float32), (root * np.tril(inverse).T).astype(np.float32))

    def _in_units(self, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
        left = np.maximum(variance, LEAST_SHARE * self.amplitude)
        return self.centre + self.spread * mean, self.spread * np.sqrt(left)


class QuickSurrogate(NamedTuple):
    """A surrogate in single precision; `root` is √c L⁻ᵀ."""

    exact: Surrogate
    Z: Floats
    root: Floats

    def predict(self, Z: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of f at each row of single precision."""
        exact = self.exact
        k = exact.kernel.gram(Z, self.Z)
        V = k @ self.root
        left = exact.amplitude * (1.0 - np.einsum("ij,ij->i", V, V, dtype=np.float32))
        mean = k @ (exact.amplitude * exact.found.coef[:, 0]).astype(np.float32)
        return exact._in_units(mean.astype(float), left.astype(float))


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


def _problem(values: Values) -> tuple[_Problem, float, float]:
    centre, spread = float(np.mean(values.y)), float(np.std(values.y))
    spread = spread if spread > 0.0 else 1.0
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
    return Surrogate(kernel, float(np.exp(theta[0])), values.Z, found, centre, spread)
