"""Several normal laws at once: the components of a mixture, the classes of a classifier, the states of a chain.

    log pⱼ(x) = −½ ‖Lⱼ⁻¹ (x − μⱼ)‖² − log |Lⱼ| − ½ d log 2π,      Σⱼ = Lⱼ Lⱼᵀ,    j = 1 … k           (1)
    γᵢⱼ = wⱼ pⱼ(xᵢ) / Σₗ wₗ pₗ(xᵢ),      Nⱼ = Σᵢ sᵢ γᵢⱼ,   Fⱼ = Σᵢ sᵢ γᵢⱼ zᵢⱼ,   Sⱼ = Σᵢ sᵢ γᵢⱼ zᵢⱼ zᵢⱼᵀ   (2)

with zᵢⱼ = xᵢ − μⱼ: sums about the old means lose no digits, however small or far away a component is. Rows are taken in
tiles that stay in cache, and (2) is summed while the tile is there, so the n × k responsibilities are never stored.
Bishop (2006), Pattern Recognition and Machine Learning, section 9.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.linalg.blas import dtrsm

from gnomon._typing import Array, ArrayLike, Floats, Integers, Numbers
from gnomon.distributions._normal_kernels import fill_log_densities, sums_of_responsibilities
from gnomon.distributions.normal import CovarianceType, MultivariateNormal
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import residual_weight

__all__ = ["COVARIANCE_SHAPES", "MixtureCovarianceType", "Normals", "Responsibilities"]

MixtureCovarianceType: TypeAlias = Literal["full", "tied", "diag", "spherical", "tied_diag", "tied_spherical"]

COVARIANCE_SHAPES: dict[MixtureCovarianceType, str] = {
    "full": "kdd",
    "tied": "dd",
    "diag": "kd",
    "spherical": "k",
    "tied_diag": "d",
    "tied_spherical": "",
}
"""The axes of `covariances` for each covariance type."""

_NO_LABEL = -1


class Responsibilities(NamedTuple):
    """What the E-step of a mixture finds: equation (2) as moments, and the log-likelihood.

    Parameters
    ----------
    moments : Moments
        Weight Nⱼ, mean and scatter of the rows of each component, each row counted γᵢⱼ times.
    log_likelihood : float
        Σ sᵢ log Σⱼ wⱼ pⱼ(xᵢ); for hard assignment Σ sᵢ maxⱼ log wⱼ pⱼ(xᵢ).

    References
    ----------
    Dempster, A. P., Laird, N. M. & Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm.
    doi:10.1111/j.2517-6161.1977.tb01600.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> laws = Normals(np.array([[0.0], [1.0]]), np.array([1.0]), "tied_diag")
    >>> found = laws.responsibilities(np.array([[-1.0], [0.0], [1.0], [2.0]]), np.log([0.5, 0.5]))
    >>> found.moments.mean.ravel().round(6), round(found.log_likelihood, 6)
    (array([-0.037591,  1.037591]), -6.097362)
    """

    moments: Moments
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Normals:
    """k normal laws of vectors with covariances of one type, equation (1).

    Parameters
    ----------
    means : ndarray of shape (k, d)
    covariances : ndarray
        (k, d, d) for "full", (d, d) for "tied", (k, d) for "diag", (k,) for "spherical", (d,) for "tied_diag" and ()
        for "tied_spherical".
    covariance_type : str, default="full"

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 9.2.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> laws = Normals(np.array([[-1.0], [1.0]]), np.array([1.0, 4.0]), "spherical")
    >>> laws.log_densities(np.array([[1.0]])).round(6)
    array([[-2.918939, -1.612086]])
    """

    means: Floats
    covariances: Floats
    covariance_type: MixtureCovarianceType = "full"

    def __post_init__(self) -> None:
        means, cov = np.array(self.means, dtype=float), np.array(self.covariances, dtype=float)
        kind = check_choice("covariance_type", self.covariance_type, list(COVARIANCE_SHAPES))
        if means.ndim != 2:
            raise ValueError(f"means has shape {means.shape}; give (k, d)")
        k, d = means.shape
        wanted = covariance_shape(kind, k, d)
        if cov.shape != wanted:
            raise ValueError(f"{kind} covariances of {k} laws of {d} coordinates have shape {wanted}, not {cov.shape}")
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "covariances", cov)

    @classmethod
    def from_statistics(
        cls, moments: Moments, *, covariance_type: MixtureCovarianceType = "full", ddof: float = 0
    ) -> Self:
        """The laws of greatest likelihood given the moments of each; `ddof` is taken from the weight of each law."""
        divisor = residual_weight(moments.weight, ddof)
        if np.any(divisor <= 0.0):
            j = int(np.argmin(divisor))
            raise ValueError(
                f"component {j} has a total weight of {moments.weight[j]:g}, which leaves nothing to divide by at "
                f"ddof={ddof}; give it more rows or take fewer components"
            )
        return cls(moments.mean, covariances_of(moments.scatter, divisor, covariance_type), covariance_type)

    def __len__(self) -> int:
        return len(self.means)

    @property
    def is_dense(self) -> bool:
        """Whether the coordinates of a law are correlated, so that whitening needs a triangle and not a diagonal."""
        return self.covariance_type in ("full", "tied")

    @cached_property
    def whitener(self) -> Floats:
        """Lⱼ⁻¹ of equation (1), packed by rows: (k, d, d), lower triangular; (k, d, 1) where it is diagonal."""
        k, d = self.means.shape
        if not self.is_dense:
            own = self.covariances[:, None] if self.covariance_type == "spherical" else self.covariances
            var = np.broadcast_to(own, (k, d))
            if not np.all(var > 0.0):
                raise ValueError(_singular(int(np.argmin(np.min(var, axis=1))), np.min(var)))
            return np.ascontiguousarray(1.0 / np.sqrt(var))[:, :, None]
        stacked = self.covariances[None] if self.covariance_type == "tied" else self.covariances
        roots = [_inverse_root(cov, j) for j, cov in enumerate(stacked)]
        return np.ascontiguousarray(np.broadcast_to(roots, (k, d, d)))

    @cached_property
    def log_norms(self) -> Floats:
        """−log |Lⱼ| − ½ d log 2π, the constants of equation (1)."""
        U = self.whitener
        roots = np.diagonal(U, axis1=1, axis2=2) if self.is_dense else U[:, :, 0]
        return np.sum(np.log(roots), axis=1) - 0.5 * self.means.shape[1] * LOG_2PI

    def precisions(self) -> tuple[Floats, Floats]:
        """Upper triangular P with P Pᵀ = Σ⁻¹ (or its diagonal), and Σ⁻¹, both in the shape of the covariances."""
        if not self.is_dense:
            return 1.0 / np.sqrt(self.covariances), 1.0 / self.covariances
        P = np.swapaxes(self.whitener, 1, 2)
        P = P if self.covariance_type == "full" else P[0]
        return P, P @ np.swapaxes(P, -1, -2)

    @property
    def n_parameters(self) -> int:
        """Free parameters of the means and covariances."""
        k, d = self.means.shape
        return (
            k * d
            + {
                "full": k * d * (d + 1) // 2,
                "tied": d * (d + 1) // 2,
                "diag": k * d,
                "spherical": k,
                "tied_diag": d,
                "tied_spherical": 1,
            }[self.covariance_type]
        )

    def __getitem__(self, j: int) -> MultivariateNormal:
        """The law number j, as a `MultivariateNormal`."""
        own: dict[MixtureCovarianceType, Callable[[Floats], tuple[Floats, CovarianceType]]] = {
            "full": lambda c: (c[j], "full"),
            "tied": lambda c: (c, "full"),
            "diag": lambda c: (c[j], "diag"),
            "spherical": lambda c: (c[j], "spherical"),
            "tied_diag": lambda c: (c, "diag"),
            "tied_spherical": lambda c: (c, "spherical"),
        }
        return MultivariateNormal(self.means[j], *own[self.covariance_type](self.covariances))

    def cov_matrices(self) -> Floats:
        """Σⱼ as matrices, (k, d, d)."""
        return np.stack([self[j].cov_matrix for j in range(len(self))])

    def marginal(self, idx: Integers) -> Normals:
        """The laws of the coordinates `idx`."""
        own = {
            "full": lambda c: c[:, idx][:, :, idx],
            "tied": lambda c: c[np.ix_(idx, idx)],
            "diag": lambda c: c[:, idx],
            "tied_diag": lambda c: c[idx],
        }.get(self.covariance_type, lambda c: c)
        return Normals(self.means[:, idx], own(self.covariances), self.covariance_type)

    def log_densities(self, X: ArrayLike, *, n_jobs: int | None = None) -> Floats:
        """log pⱼ(xᵢ), shape (n, k).

        Parameters
        ----------
        X : ndarray of shape (n, d)
        n_jobs : int, optional
            Threads; by default as many as BLAS may use.
        """
        X = self._checked(X)
        out = np.empty((len(X), len(self)))

        def fill(rows: slice) -> None:
            # A square that overflows gives density zero; plain Python would warn of it, compiled code does not.
            with np.errstate(over="ignore"):
                fill_log_densities(X[rows], self.means, self.whitener, self.log_norms, out[rows])

        map_chunks(fill, _chunks(X, len(self)), n_jobs or blas_threads())
        return out

    def responsibilities(
        self,
        X: ArrayLike,
        log_weights: Floats,
        sample_weight: ArrayLike | None = None,
        *,
        labels: ArrayLike | None = None,
        owners: ArrayLike | None = None,
        assignment: Literal["soft", "hard"] = "soft",
        n_jobs: int | None = None,
    ) -> Responsibilities:
        """Equation (2) for the mixture of these laws.

        Parameters
        ----------
        X : ndarray of shape (n, d)
        log_weights : ndarray of shape (k,)
            log wⱼ.
        sample_weight : ndarray of shape (n,), optional
        labels : ndarray of int of shape (n,), optional
            The class of each row where it is known, otherwise −1: such a row belongs to laws of its class alone.
        owners : ndarray of int of shape (k,), optional
            The class of each law; by default law j is class j.
        assignment : {"soft", "hard"}, default="soft"
            "hard" gives each row to its most probable law, γ = 0 or 1.
        n_jobs : int, optional

        Returns
        -------
        Responsibilities
        """
        X, k = self._checked(X), len(self)
        s = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        labels = np.full(len(X), _NO_LABEL) if labels is None else np.asarray(labels)
        owners = np.arange(k) if owners is None else np.asarray(owners)
        const = self.log_norms + log_weights
        hard = check_choice("assignment", assignment, ["soft", "hard"]) == "hard"

        def work(rows: slice) -> tuple[Floats, Floats, Floats, float]:
            return sums_of_responsibilities(
                X[rows], s[rows], labels[rows], owners, self.means, self.whitener, const, hard=hard
            )

        parts = map_chunks(work, _chunks(X, k), n_jobs or blas_threads())
        N, F, S, total = (sum(part) for part in zip(*parts, strict=True))
        return Responsibilities(self._moments(N, F, S), float(total))

    def fill_in(self, observed: Integers, moments: Moments) -> Moments:
        """Moments of whole rows from those of their coordinates `observed`, the others filled by these laws.

        Missing coordinates have the conditional mean μ_m + B(x_o − μ_o), B = Σ_mo Σ_oo⁻¹, and the conditional
        covariance Σ_mm − BΣ_om is added to the scatter: Ghahramani & Jordan (1994). Being linear in the rows, this
        is done to their sums.
        """
        k, d = self.means.shape
        if len(observed) == d:
            return moments
        missing = np.setdiff1d(np.arange(d), observed)
        mean, N = self.means.copy(), moments.weight
        mean[:, observed] = moments.mean
        step = moments.mean - self.means[:, observed]
        if not self.is_dense:
            scatter = np.zeros((k, d))
            scatter[:, observed] = moments.scatter
            scatter[:, missing] = N[:, None] * np.stack([self[j].var[missing] for j in range(k)])
            return Moments(N, mean, scatter)
        scatter = np.zeros((k, d, d))
        for j in range(k):
            cov = self[j].cov
            B = _regression(cov, missing, observed)
            mean[j, missing] += B @ step[j]
            cross = B @ moments.scatter[j]
            scatter[j][np.ix_(observed, observed)] = moments.scatter[j]
            scatter[j][np.ix_(missing, observed)] = cross
            scatter[j][np.ix_(observed, missing)] = cross.T
            rest = cov[np.ix_(missing, missing)] - B @ cov[np.ix_(observed, missing)]
            scatter[j][np.ix_(missing, missing)] = cross @ B.T + N[j] * rest
        return Moments(N, mean, scatter)

    def sample(self, counts: Integers, rng: np.random.Generator) -> Floats:
        """`counts[j]` draws from law j, one law after the other."""
        return np.concatenate([self[j].sample(int(n), rng) for j, n in enumerate(counts)])

    def _checked(self, X: ArrayLike) -> Array:
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.means.shape[1]:
            raise ValueError(f"X has shape {X.shape}; give rows of {self.means.shape[1]} numbers")
        return X

    def _moments(self, N: Floats, F: Floats, S: Floats) -> Moments:
        step = F / np.where(N > 0.0, N, 1.0)[:, None]
        if not self.is_dense:
            return Moments(N, self.means + step, np.maximum(S[:, :, 0] - F * step, 0.0))
        S = S + np.tril(S, -1).transpose(0, 2, 1)
        return Moments(N, self.means + step, S - F[:, :, None] * step[:, None, :])


def covariance_shape(covariance_type: MixtureCovarianceType, k: int, d: int) -> tuple[int, ...]:
    """The shape of the covariances of k laws of d coordinates."""
    return tuple({"k": k, "d": d}[axis] for axis in COVARIANCE_SHAPES[covariance_type])


def covariances_of(scatter: Floats, divisor: Floats, covariance_type: MixtureCovarianceType) -> Floats:
    """Covariances of one type from the scatter of each group, (k, d, d) or its diagonals (k, d), and their divisors."""
    total = np.sum(divisor)
    return {
        "full": lambda: scatter / divisor[:, None, None],
        "tied": lambda: np.sum(scatter, axis=0) / total,
        "diag": lambda: scatter / divisor[:, None],
        "spherical": lambda: np.mean(scatter, axis=1) / divisor,
        "tied_diag": lambda: np.sum(scatter, axis=0) / total,
        "tied_spherical": lambda: np.mean(np.sum(scatter, axis=0)) / total,
    }[covariance_type]()


def _inverse_root(cov: Floats, j: int) -> Floats:
    try:
        L = np.linalg.cholesky(cov)
    except np.linalg.LinAlgError:
        raise ValueError(_singular(j, np.linalg.eigvalsh(cov)[0])) from None
    # LAPACK's triangular solve starts the BLAS threads for a matrix of any size, that of BLAS does not.
    return dtrsm(1.0, L, np.eye(len(L)), lower=1)


def _singular(j: int, smallest: Numbers) -> str:
    return (
        f"the covariance of component {j} is not positive definite: its least eigenvalue is {smallest:.3g}; raise "
        "reg_covar, set a floor (cov_floor), take fewer components or a simpler covariance_type"
    )


def _regression(cov: Floats, missing: Integers, observed: Integers) -> Floats:
    """B = Σ_mo Σ_oo⁻¹."""
    if observed.size == 0:
        return np.zeros((missing.size, 0))
    return np.linalg.solve(cov[np.ix_(observed, observed)], cov[np.ix_(observed, missing)]).T


def _chunks(X: Array, k: int) -> list[slice]:
    # The chunks do not depend on the number of threads, so neither do the sums.
    return split_rows(len(X), max(1, min(16, X.size * k // 2**18)))
