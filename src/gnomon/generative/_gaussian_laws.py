"""Normal laws of classes from their moments.

    Σ_c = (1 − s) [(1 − λ) S_c/(N_c − ddof) + λ S_W] + s m_c I,    S_W = Σ_c S_c / (N − C ddof)                (1)

λ pools the classes, s shrinks to a multiple of the identity: Friedman (1989), doi:10.1080/01621459.1989.10478752. A law
that the rows cannot determine is refused, with the class, its rows and the remedies.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Array, Floats, Integers, Numbers
from gnomon.distributions import MultivariateT, NormalInverseWishartModel, Normals
from gnomon.distributions.normals import COVARIANCE_SHAPES, MixtureCovarianceType, covariances_of
from gnomon.generative._forms import QuadraticForm
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import Estimation, Gaps
from gnomon.numerics.linalg import factor_spd
from gnomon.numerics.shrinkage import ledoit_wolf_share, oas_share, shrink_cov
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import assert_finite, check_choice, check_integer, check_interval
from gnomon.numerics.weights import residual_weight
from gnomon.optim import GaussianEM, em, observed_rows, warn_unless_em_converged

__all__ = [
    "EstimationPlan",
    "PredictiveLaws",
    "Shrinkage",
    "chain_factors",
    "have_gaps",
    "mend_gaps",
    "moments_of_incomplete_rows",
    "quadratic_form",
    "refuse_cells",
    "root_of",
    "tied_posterior",
    "whiten",
    "whiten_back",
]

ShrinkageRule: TypeAlias = Literal["ledoit_wolf", "oas"]

Shrinkage: TypeAlias = ShrinkageRule | float | None
"""A rule for the share of the identity in a covariance, or the share; None leaves the covariance as it is."""

_TIED: dict[MixtureCovarianceType, MixtureCovarianceType] = {
    "full": "tied",
    "diag": "tied_diag",
    "spherical": "tied_spherical",
}
_ESTIMATED = get_args(ShrinkageRule)
_REMEDIES = (
    "give more rows, choose a simpler covariance_type ('tied', 'diag', 'spherical'), shrinkage='ledoit_wolf', "
    "pool > 0, or a parameter_prior"
)


@dataclass(frozen=True)
class EstimationPlan:
    """How equation (1) is to be made: the options of `GaussianClassifier`, checked together."""

    covariance_type: MixtureCovarianceType = "full"
    ddof: int = 0
    shrinkage: Shrinkage = None
    pool: float = 0.0
    estimate: Estimation = "mle"
    parameter_prior: NormalInverseWishartModel | None = None

    def __post_init__(self) -> None:
        check_choice("covariance_type", self.covariance_type, COVARIANCE_SHAPES)
        check_integer("ddof", self.ddof, 0)
        check_interval("pool", self.pool, 0.0, 1.0)
        check_choice("estimate", self.estimate, get_args(Estimation))
        if isinstance(self.shrinkage, str):
            check_choice("shrinkage", self.shrinkage, _ESTIMATED)
        elif self.shrinkage is not None:
            check_interval("shrinkage", self.shrinkage, 0.0, 1.0)
        if (self.estimate == "mle") != (self.parameter_prior is None):
            raise ValueError(
                f"estimate={self.estimate!r} with parameter_prior={self.parameter_prior!r}: 'map' and 'predictive' "
                "need a parameter_prior, 'mle' takes none; choose one way"
            )
        if self.parameter_prior is not None and (self.covariance_type != "full" or self.shrinks or self.pool):
            raise ValueError(
                "a parameter_prior needs covariance_type='full', and shrinkage=None, pool=0: it does their work"
            )
        if self.diagonal and self.shrinkage in _ESTIMATED:
            raise ValueError(
                f"shrinkage={self.shrinkage!r} weighs correlations, which covariance_type={self.covariance_type!r} "
                "does not have; give a number, or choose 'full' or 'tied'"
            )

    @property
    def diagonal(self) -> bool:
        """Whether only squares are summed."""
        return self.covariance_type not in ("full", "tied")

    @property
    def shrinks(self) -> bool:
        return self.shrinkage is not None and self.shrinkage != 0.0

    @property
    def needs_quartics(self) -> bool:
        return self.shrinkage == "ledoit_wolf"

    def laws(
        self,
        moments: Moments,
        classes: Sequence[Any],
        columns: Sequence[Any],
        quartics: Floats | None = None,
        *,
        one_row: float = 1.0,
    ) -> tuple[Normals | PredictiveLaws, Numbers]:
        """The class laws, and the share s of each covariance; `quartics` are in units of `unit`.

        A weight of `one_row` is a row, where it is asked whether there are enough.
        """
        self._refuse_few_rows(moments, classes, one_row)
        prior = self.parameter_prior
        if prior is not None and self.estimate == "predictive":
            return PredictiveLaws(prior.given(part).predictive() for part in _parts(moments)), 0.0
        if prior is not None:
            modes = [prior.mode_given(part) for part in _parts(moments)]
            return Normals(np.stack([law.mean for law in modes]), np.stack([law.cov_matrix for law in modes])), 0.0
        cov, share = self._covariances(moments, quartics)
        self._refuse_flat(cov, moments.mean, classes, columns)
        self._refuse_singular(cov, classes)
        return Normals(moments.mean, cov, self.covariance_type), share

    def _covariances(self, moments: Moments, quartics: Floats | None) -> tuple[Floats, Numbers]:
        divisor, kind = residual_weight(moments.weight, self.ddof), self.covariance_type
        cov = covariances_of(moments.scatter, divisor, kind)
        if self.pool and kind in _TIED:
            cov = (1.0 - self.pool) * cov + self.pool * covariances_of(moments.scatter, divisor, _TIED[kind])
        share = self.share_of(moments, quartics)
        if not self.shrinks:
            return cov, share
        if self.diagonal:
            size = np.mean(cov, axis=-1, keepdims=True) if kind in ("diag", "tied_diag") else cov
            return (1.0 - share) * cov + share * size, share
        return shrink_cov(cov, share), share

    @staticmethod
    def unit(moments: Moments) -> float:
        """A common size of the columns, in which fourth powers neither overflow nor vanish."""
        size = float(np.sqrt(np.max(_diagonal(moments.scatter) / moments.weight[:, None])))
        return size if size > 0.0 else 1.0

    def share_of(self, moments: Moments, quartics: Floats | None = None) -> Numbers:
        """s of equation (1), given or estimated."""
        if self.shrinkage not in _ESTIMATED:
            return self.shrinkage or 0.0
        pooled = self.covariance_type == "tied"
        n = np.sum(moments.weight) if pooled else moments.weight
        cov = covariances_of(moments.scatter, moments.weight, self.covariance_type)
        if self.shrinkage == "oas":
            return oas_share(cov, n)
        cov = cov / self.unit(moments) ** 2
        sums = np.asarray(quartics)
        return ledoit_wolf_share(cov, n, np.sum(sums) if pooled else sums)

    def _refuse_few_rows(self, moments: Moments, classes: Sequence[Any], one_row: float) -> None:
        N, d = moments.weight / one_row, moments.mean.shape[1]
        least = int(np.argmin(N))
        if not N[least] > 0.0:
            raise ValueError(f"class {classes[least]!r} has no rows; give some, or leave it out of the classes")
        if self.parameter_prior is not None:
            return
        if self.covariance_type == "tied":
            short = np.sum(N) - len(N) < d
            what = f"{np.sum(N):g} rows in {len(N)} classes cannot determine one covariance of {d} columns"
        elif self.covariance_type == "full":
            short = N[least] <= d
            what = f"class {classes[least]!r} has N_c={N[least]:g} rows for d={d} columns, too few for a covariance"
        else:
            short, what = False, ""
        if short and not (self.shrinks or self.pool):
            raise ValueError(f"{what} of full rank; {_REMEDIES}")
        if short:
            warnings.warn(f"{what} of full rank by themselves: the regularisation decides", UserWarning, stacklevel=5)
        left = residual_weight(moments.weight, self.ddof)
        left = left if self.covariance_type in _TIED else np.sum(left)
        if not np.all(left > 0.0):
            raise ValueError(
                f"class {classes[least]!r} has N_c={moments.weight[least]:g} rows, which leaves nothing to divide by "
                f"at ddof={self.ddof}; give more rows, or ddof=0"
            )

    def _refuse_flat(self, cov: Floats, means: Floats, classes: Sequence[Any], columns: Sequence[Any]) -> None:
        """No column may be constant: the variance that rounding leaves is none."""
        shapes = {"full": _diagonal, "tied": _diagonal, "spherical": _column, "tied_spherical": _column}
        var = shapes.get(self.covariance_type, np.asarray)(cov)
        floor = (8.0 * np.finfo(float).eps * np.abs(means)) ** 2
        flat = ~(np.broadcast_to(var, means.shape) > floor)
        if not np.any(flat):
            return
        k, j = np.argwhere(flat)[0]
        whose = f"class {classes[k]!r}" if self.covariance_type in _TIED else "every class"
        which = "all columns are" if "spherical" in self.covariance_type else f"column {columns[j]!r} is"
        raise ValueError(f"{which} constant within {whose}; remove what is constant, or give shrinkage or pool > 0")

    def _refuse_singular(self, cov: Floats, classes: Sequence[Any]) -> None:
        if self.diagonal:
            return
        for k, matrix in enumerate(cov.reshape(-1, *cov.shape[-2:])):
            if factor_spd(matrix) is None:
                whose = f"class {classes[k]!r}" if self.covariance_type == "full" else "the classes"
                raise ValueError(
                    f"the covariance of {whose} is singular: columns depend linearly on each other; remove such "
                    f"columns, or {_REMEDIES}"
                )


class PredictiveLaws:
    """The posterior predictive Student laws of the classes, with the verbs of `Normals`."""

    covariance_type: MixtureCovarianceType = "full"

    def __init__(self, laws: Iterable[MultivariateT]):
        self.laws = list(laws)

    def __getitem__(self, k: int) -> MultivariateT:
        return self.laws[k]

    @property
    def means(self) -> Floats:
        """Their locations, (k, d)."""
        return np.stack([law.location for law in self.laws])

    @property
    def covariances(self) -> Floats:
        """Their covariances, (k, d, d); infinite for two degrees of freedom or fewer."""
        return np.stack([law.cov for law in self.laws])

    @property
    def n_parameters(self) -> int:
        """Those of the normal laws that were integrated out."""
        k, d = self.means.shape
        return k * d * (d + 3) // 2

    def log_densities(self, X: Floats, *, n_jobs: int | None = None) -> Floats:
        """log p_k(x), shape (n, k); NaN where a cell is."""
        out = np.full((len(X), len(self.laws)), np.nan)
        whole = np.isfinite(np.sum(X, axis=1))
        for k, law in enumerate(self.laws):
            out[whole, k] = law.log_density(np.asarray(X[whole], dtype=float))
        return out

    def marginal(self, idx: Integers) -> PredictiveLaws:
        """The laws of the coordinates `idx`."""
        return PredictiveLaws(law.marginal(idx) for law in self.laws)


def _diagonal(cov: Floats) -> Floats:
    return np.diagonal(cov, axis1=-2, axis2=-1)


def _column(cov: Floats) -> Floats:
    return np.expand_dims(cov, -1)


def _parts(moments: Moments) -> list[Moments]:
    return [Moments(*(part[k] for part in moments)) for k in range(len(moments.weight))]


def moments_of_incomplete_rows(
    rows: LabelledRows, covariance_type: MixtureCovarianceType, *, tol: float = 1e-9, max_iter: int = 1000
) -> Moments:
    """Moments of each class where cells are missing: of the rows as EM completes them, Ghahramani & Jordan (1994)."""
    seen = ~np.isnan(rows.X)
    for k, label in enumerate(rows.classes.tolist()):
        unseen = np.flatnonzero(~np.any(seen[rows.index == k], axis=0))
        if len(unseen):
            raise ValueError(
                f"column {unseen[0]} is missing in every row of class {label!r}; drop the column, or fill it in"
            )
    steps = GaussianEM(rows.X, rows.weights, covariance_type, labels=rows.index, on_empty="keep")
    start = steps.from_labels(rows.index, len(rows.classes))
    try:
        result = em(steps.e_step, steps.m_step, start, tol=tol, max_iter=max_iter, total_weight=steps.total_weight)
    except ValueError as error:
        raise ValueError(
            f"missing cells cannot be integrated out, as a class has too few rows or columns that depend on each other "
            f"({error}); fill the cells in (DensityImputer), give more rows, or choose covariance_type='tied' or 'diag'"
        ) from error
    warn_unless_em_converged(result, max_iter)
    return result.posterior.moments


def refuse_cells(estimator: BaseEstimator, X: Floats, missing: Gaps) -> None:
    """No infinities; no missing cells where these are refused."""
    known = X if missing == "error" else np.where(np.isnan(X), 0.0, X)
    assert_finite(known, columns=vars(estimator).get("feature_names_in_"))


def have_gaps(estimator: BaseEstimator, X: Floats, missing: Gaps) -> bool:
    """Whether cells of X are missing, once `refuse_cells` has passed."""
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.sum(X)
    if not np.isfinite(size):
        refuse_cells(estimator, X, missing)
    return bool(np.isnan(size) and np.any(np.isnan(X)))


def mend_gaps(
    estimator: BaseEstimator, out: Floats, X: Floats, missing: Gaps, laws: Callable[[], Normals | PredictiveLaws]
) -> Floats:
    """Log-densities of rows with missing cells from those that are there; such rows betray themselves by NaN."""
    odd = np.flatnonzero(~np.isfinite(out[:, -1]))
    if len(odd):
        refuse_cells(estimator, X[odd], missing)
        for part in observed_rows(X[odd]):
            rows = odd[part.rows]
            out[rows] = 0.0
            if len(part.columns):
                own = laws() if part.complete else laws().marginal(part.columns)
                out[rows] = own.log_densities(part.X)
    return out


def root_of(cov: Floats) -> Floats:
    """A matrix Z with ZᵀZ = Σ, in place of rows with that covariance."""
    values, U = np.linalg.eigh(cov)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * U.T


def tied_posterior(prior: NormalInverseWishartModel, moments: Moments) -> tuple[Floats, Floats, PredictiveLaws]:
    """Means of the classes, their common covariance and their predictive laws, given one Σ ~ IW(ν, Ψ) for all.

    μ_c | Σ ~ N(m, Σ/κ) for every class: Ψ and ν grow by what each class adds, and the density of (μ_1, …, μ_C, Σ) is
    largest at Σ = Ψ/(ν + C + d + 1).
    """
    parts = [prior.given(part) for part in _parts(moments)]
    k, d = moments.mean.shape
    scale = prior.scale + sum(part.scale - prior.scale for part in parts)
    df = prior.df + float(np.sum(moments.weight))
    each = [replace(part, scale=scale, df=df).predictive() for part in parts]
    return np.stack([part.loc for part in parts]), scale / (df + k + d + 1.0), PredictiveLaws(each)


def chain_factors(laws: Normals, x: Floats, names: Sequence[Any] | Array | None = None) -> tuple[list[str], Floats]:
    """Names and log p_k(x_j | x_1 … x_{j−1}) of the cells of one row that are there: the factors of `explain`."""
    seen = np.flatnonzero(~np.isnan(x))
    own = laws.marginal(seen)
    # Coordinate j of L⁻¹(x − μ) belongs to p(x_j | x_1 … x_{j−1}).
    z = whiten(own.whitener, x[seen] - own.means)
    roots = np.diagonal(own.whitener, axis1=1, axis2=2) if own.is_dense else own.whitener[:, :, 0]
    labels = [f"x{j}" if names is None else str(names[j]) for j in seen.tolist()]
    return labels, (np.log(roots) - 0.5 * (z**2 + LOG_2PI)).T


def whiten(W: Floats, V: Floats) -> Floats:
    """W_k v_k for the triangles (or diagonals) W that `Normals.whitener` holds."""
    return np.einsum("kij,kj->ki", W, V) if W.shape[1] == W.shape[2] else W[:, :, 0] * V


def whiten_back(W: Floats, V: Floats) -> Floats:
    """W_kᵀ v_k."""
    return np.einsum("kji,kj->ki", W, V) if W.shape[1] == W.shape[2] else W[:, :, 0] * V


def quadratic_form(laws: Normals) -> QuadraticForm:
    """llr(x) = xᵀAx + xᵀb + c of two laws; of more, the form of each."""
    W = laws.whitener
    W = W if laws.is_dense else W[:, :, 0, None] * np.eye(W.shape[1])
    centers = whiten(W, laws.means)
    A, b = -0.5 * np.einsum("kji,kjl->kil", W, W), whiten_back(W, centers)
    c = laws.log_norms + 0.5 * laws.means.shape[1] * LOG_2PI - 0.5 * np.sum(centers**2, axis=1)
    if len(c) != 2:
        return QuadraticForm(A, b, c)
    return QuadraticForm(A[1] - A[0], b[1] - b[0], float(c[1] - c[0]))
