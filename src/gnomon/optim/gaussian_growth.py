"""Other ways to fit normal mixtures: growth by splitting, and gradient ascent.

    μⱼ → μⱼ ± α √λ₁ u₁,    wⱼ → ½wⱼ, ½wⱼ,    Σⱼ → Σⱼ, Σⱼ;    then EM;    k = 1, 2, 4, …                       (1)
    ∇ℓ(θ) = ∇Q(θ'; θ) at θ' = θ:    wⱼ = softmax(a)ⱼ,  Σⱼ⁻¹ = UⱼᵀUⱼ  with U lower triangular, log of its diagonal   (2)

(λ₁, u₁) is the leading eigenpair of Σⱼ. Splitting: Linde, Buzo & Gray (1980), doi:10.1109/TCOM.1980.1094577. Fisher's
identity (2) gives the gradient from the same sums as EM: Salakhutdinov, Roweis & Ghahramani (2003), Optimization with
EM and expectation-conjugate-gradient, ICML 20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.linalg.blas import dtrsm

from gnomon._typing import Floats
from gnomon.distributions import MultivariateNormal, Normals
from gnomon.distributions.normals import Responsibilities
from gnomon.numerics.special import log_softmax
from gnomon.numerics.streaming import Moments, moments
from gnomon.numerics.validation import check_integer, check_positive
from gnomon.optim._em import EMResult, em
from gnomon.optim._lbfgs import lbfgs
from gnomon.optim.covariance_control import CovarianceControl
from gnomon.optim.gaussian_em import GaussianEM, NormalMixture
from gnomon.optim.solution import Callback, Row

__all__ = ["fit_by_gradient", "grow_by_splitting", "split_components"]


def grow_by_splitting(
    steps: GaussianEM,
    k: int,
    alpha: float = 0.1,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    callback: Callback | None = None,
) -> list[NormalMixture]:
    """Grow a mixture from one component to k by equation (1), with EM after each round.

    Parameters
    ----------
    steps : GaussianEM
    k : int
        Where it is not a power of two, the last round splits the heaviest components only.
    alpha : float, default=0.1
        > 0: at zero the halves would stay equal.
    tol, max_iter, callback : float, int, callable
        Of `em`, for every round.

    Returns
    -------
    list of NormalMixture
        The stages, after EM; the last one has k components.

    References
    ----------
    Linde, Y., Buzo, A. & Gray, R. (1980). An algorithm for vector quantizer design. doi:10.1109/TCOM.1980.1094577

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import GaussianEM, grow_by_splitting
    >>> steps = GaussianEM(np.array([[-1.0], [0.0], [1.0], [2.0]]), covariance_type="tied", on_empty="keep")
    >>> one, two = grow_by_splitting(steps, 2, tol=1e-12, max_iter=1000)
    >>> one.laws.covariances, two.laws.means.ravel().round(6)
    (array([[1.25]]), array([ 1.485989, -0.485989]))
    """
    check_integer("k", k, low=1)
    check_positive("lbg_alpha", alpha)
    path = [steps.from_labels(np.zeros(len(steps.X), dtype=int), 1)]
    while len(path[-1].weights) < k:
        split = split_components(path[-1], k - len(path[-1].weights), alpha)
        result = em(
            steps.e_step,
            steps.m_step,
            split,
            tol=tol,
            max_iter=max_iter,
            total_weight=steps.total_weight,
            on_decrease="ignore" if steps.control.allows_fall else "warn",
            callback=callback,
        )
        path.append(result.theta)
    return path


def split_components(theta: NormalMixture, most: int, alpha: float) -> NormalMixture:
    """Equation (1) for the heaviest components, at most `most` of them.

    References
    ----------
    Linde, Y., Buzo, A. & Gray, R. (1980). An algorithm for vector quantizer design. doi:10.1109/TCOM.1980.1094577

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> from gnomon.optim import NormalMixture, split_components
    >>> one = NormalMixture(np.ones(1), Normals([[0.5]], [[1.25]], "tied"))
    >>> split_components(one, 1, 0.1).laws.means.ravel().round(6)
    array([0.611803, 0.388197])
    """
    laws, k = theta.laws, len(theta.weights)
    heaviest = np.argsort(-theta.weights, kind="stable")[:most]
    halves = np.where(np.isin(np.arange(k), heaviest), 2, 1)
    origin = np.repeat(np.arange(k), halves)
    sign = np.concatenate([[1.0, -1.0][:count] if count == 2 else [0.0] for count in halves])
    shift = np.stack([_leading(laws[j]) for j in range(k)])
    means = laws.means[origin] + alpha * sign[:, None] * shift[origin]
    own = laws.covariance_type in ("full", "diag", "spherical")
    covariances = laws.covariances[origin] if own else laws.covariances
    weights = (theta.weights / halves)[origin]
    return NormalMixture(weights, Normals(means, covariances, laws.covariance_type))


def _leading(law: MultivariateNormal) -> Floats:
    """√λ₁ u₁ with the largest entry of u₁ positive."""
    values, U = np.linalg.eigh(law.cov_matrix)
    u = U[:, -1]
    return np.sqrt(values[-1]) * u * np.sign(u[np.argmax(np.abs(u))])


def fit_by_gradient(
    steps: GaussianEM, theta: NormalMixture, *, tol: float = 1e-6, max_iter: int = 500, callback: Callback | None = None
) -> EMResult[NormalMixture, Responsibilities]:
    """Maximise ℓ from θ by L-BFGS with the gradient (2).

    Parameters
    ----------
    steps : GaussianEM
        Without fixed parts or control of the covariances, and with soft assignment.
    theta : NormalMixture
    tol : float, default=1e-6
        On the largest entry of the gradient of ℓ per unit of weight.
    max_iter : int, default=500
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    EMResult

    References
    ----------
    Salakhutdinov, R., Roweis, S. & Ghahramani, Z. (2003). Optimization with EM and
    expectation-conjugate-gradient. ICML 20.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> from gnomon.optim import GaussianEM, NormalMixture, fit_by_gradient
    >>> steps = GaussianEM(np.array([[-1.0], [0.0], [1.0], [2.0]]), covariance_type="tied")
    >>> start = NormalMixture(np.full(2, 0.5), Normals([[-0.5], [1.5]], [[0.5]], "tied"))
    >>> round(fit_by_gradient(steps, start, tol=1e-9).objective, 6)
    -5.631177
    """
    has_prior = steps.control.log_prior(theta.laws) != 0.0
    if steps.fixed_weights is not None or steps.fixed_covariances is not None or has_prior:
        raise ValueError("the gradient needs free weights and covariances without a prior; use algorithm='soft'")
    if steps.labels is not None or steps.assignment != "soft":
        raise ValueError("the gradient takes neither labels nor hard assignment; use em with these steps")
    # In units of the columns the coordinates of (2) are of one size, and the gradient has no unit.
    center, scale = _units(steps)
    own = replace(steps, control=CovarianceControl(), on_empty="keep")
    free = replace(own, X=(steps.X - center) / scale)
    coordinates, log_units = _Coordinates(theta.laws), own.total_weight * float(np.sum(np.log(scale)))

    def fun(v: Floats) -> tuple[float, Floats]:
        here = coordinates.unpack(v)
        posterior, value = free.e_step(here)
        return -value / free.total_weight, -coordinates.gradient(here, posterior.moments) / free.total_weight

    def report(row: Row) -> bool | None:
        return callback and callback({**row, "objective": -row["objective"] * free.total_weight - log_units})

    start = coordinates.pack(_in_units(theta, center, scale))
    found = lbfgs(fun, start, tol=tol, max_iter=max_iter, callback=report)
    best = _in_units(coordinates.unpack(found.w), -center / scale, 1.0 / scale)
    posterior, value = own.e_step(best)
    history = {**found.history, "objective": -found.history["objective"] * free.total_weight - log_units}
    return EMResult(best, posterior, value, found.n_iter, found.converged, found.stop_reason, True, history, None)


def _units(steps: GaussianEM) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of every column; one deviation for all where laws are spherical."""
    total = moments(steps.filled, steps.sample_weight)
    var = np.diag(total.covariance())
    var = np.full_like(var, np.mean(var)) if steps.covariance_type.endswith("spherical") else var
    return total.mean, np.where(var > 0.0, np.sqrt(var), 1.0)


def _in_units(theta: NormalMixture, center: Floats, scale: Floats) -> NormalMixture:
    """θ for the rows (x − m)/s."""
    laws = theta.laws
    square = {"full": np.outer(scale, scale), "tied": np.outer(scale, scale), "diag": scale**2, "tied_diag": scale**2}
    cov = laws.covariances / square.get(laws.covariance_type, scale[0] ** 2)
    return NormalMixture(theta.weights, Normals((laws.means - center) / scale, cov, laws.covariance_type))


class _Coordinates:
    """θ as an unconstrained vector (a, μ, U) of equation (2), for one covariance type."""

    def __init__(self, laws: Normals) -> None:
        self.kind, (self.k, self.d) = laws.covariance_type, laws.means.shape
        self.dense = laws.is_dense
        self.tied, self.round = self.kind.startswith("tied"), self.kind.endswith("spherical")
        self.lower = np.tril_indices(self.d)
        self.on_diagonal = self.lower[0] == self.lower[1]

    def pack(self, theta: NormalMixture) -> Floats:
        U = theta.laws.whitener[: 1 if self.tied else self.k]
        if self.dense:
            U = U[:, self.lower[0], self.lower[1]].copy()
            U[:, self.on_diagonal] = np.log(U[:, self.on_diagonal])
        else:
            U = np.log(U[:, : 1 if self.round else self.d, 0])
        return np.concatenate([np.log(theta.weights), theta.laws.means.ravel(), U.ravel()])

    def unpack(self, v: Floats) -> NormalMixture:
        k, d = self.k, self.d
        weights = np.exp(log_softmax(v[None, :k]))[0]
        means, rest = v[k : k + k * d].reshape(k, d), v[k + k * d :].reshape(1 if self.tied else k, -1)
        if not self.dense:
            var = np.exp(-2.0 * rest)
            var = var[:, 0] if self.round else var
            return NormalMixture(weights, Normals(means, var[0] if self.tied else var, self.kind))
        roots = [dtrsm(1.0, U, np.eye(d), lower=1) for U in self._triangles(rest)]
        cov = np.stack([root @ root.T for root in roots])
        return NormalMixture(weights, Normals(means, cov[0] if self.tied else cov, self.kind))

    def gradient(self, theta: NormalMixture, parts: Moments) -> Floats:
        """∇ℓ from the moments of the components."""
        N, U = parts.weight, theta.laws.whitener
        S = parts.about(theta.laws.means)
        step = parts.mean - theta.laws.means
        if self.dense:
            by_mean = np.einsum("kba,kb->ka", U, np.einsum("kab,kb->ka", U, step))
            by_root = -(U @ S)
            diagonal = np.arange(self.d)
            by_root[:, diagonal, diagonal] = N[:, None] + by_root[:, diagonal, diagonal] * U[:, diagonal, diagonal]
            by_root = by_root[:, self.lower[0], self.lower[1]]
        else:
            precision = U[:, :, 0] ** 2
            by_mean = precision * step
            by_root = N[:, None] - precision * S
            by_root = np.sum(by_root, axis=1, keepdims=True) if self.round else by_root
        by_root = np.sum(by_root, axis=0, keepdims=True) if self.tied else by_root
        by_weight = N - np.sum(N) * theta.weights
        return np.concatenate([by_weight, (N[:, None] * by_mean).ravel(), by_root.ravel()])

    def _triangles(self, rest: Floats) -> Iterator[Floats]:
        for row in rest:
            U = np.zeros((self.d, self.d))
            U[self.lower] = np.where(self.on_diagonal, np.exp(np.where(self.on_diagonal, row, 0.0)), row)
            yield U
