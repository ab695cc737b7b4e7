"""EM for a mixture of normal laws.

    ℓ(θ) = Σᵢ sᵢ log Σⱼ wⱼ N(xᵢ; μⱼ, Σⱼ)                                                            (1)
    E:  γᵢⱼ = wⱼ N(xᵢ; μⱼ, Σⱼ) / Σₗ wₗ N(xᵢ; μₗ, Σₗ)
    M:  wⱼ = Nⱼ/N,   μⱼ = Σᵢ sᵢγᵢⱼ xᵢ / Nⱼ,   Σⱼ = Σᵢ sᵢγᵢⱼ (xᵢ − μⱼ)(xᵢ − μⱼ)ᵀ / Nⱼ,   Nⱼ = Σᵢ sᵢγᵢⱼ      (2)

One implementation serves soft and hard assignment, weights, known labels (γ clamped to the components of the class) and
missing cells (rows are grouped by what is observed, and the sums of each group are completed by the conditional laws):
Dempster, Laird & Rubin (1977), doi:10.1111/j.2517-6161.1977.tb01600.x; Celeux & Govaert (1992),
doi:10.1016/0167-9473(92)90042-E; Ghahramani & Jordan (1994), Supervised learning from incomplete data via an EM
approach. ML is ill-posed, as a component may shrink onto a row: a `CovarianceControl` prevents it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.distributions import MultivariateNormal, Normals
from gnomon.distributions.normals import MixtureCovarianceType, Responsibilities
from gnomon.numerics.parallel import calm_blas
from gnomon.numerics.special import log_sum_exp
from gnomon.numerics.streaming import Moments, group_moments, moments
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights, row_weight
from gnomon.optim._em import EMResult, Restart, em
from gnomon.optim.covariance_control import CovarianceControl

__all__ = [
    "GaussianEM",
    "NormalMixture",
    "ObservedRows",
    "fit_normal_missing",
    "observed_rows",
]

OnEmpty: TypeAlias = Literal["keep", "reseed", "drop", "raise"]

MAXIMUM_LIKELIHOOD = CovarianceControl()

_OFFSET = 10.0 * np.finfo(float).eps
"""Added to the weight of every component, so that one without rows does not divide by zero."""


class NormalMixture(NamedTuple):
    """θ of equation (1): the weights and the normal laws.

    Parameters
    ----------
    weights : ndarray of shape (k,)
    laws : Normals

    References
    ----------
    Pearson, K. (1894). Contributions to the mathematical theory of evolution. doi:10.1098/rsta.1894.0003

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> from gnomon.optim import NormalMixture
    >>> theta = NormalMixture(np.array([0.3, 0.7]), Normals([[-1.0], [1.0]], [1.0], "tied_diag"))
    >>> theta.log_joint(np.array([[0.0]])).round(6)
    array([[-2.622911, -1.775613]])
    """

    weights: Floats
    laws: Normals

    def log_joint(self, X: Floats, *, n_jobs: int | None = None) -> Floats:
        """log wⱼ N(xᵢ; μⱼ, Σⱼ), shape (n, k); missing cells (NaN) are integrated out."""
        out = np.empty((len(X), len(self.weights)))
        for part in observed_rows(X):
            laws = self.laws if part.complete else self.laws.marginal(part.columns)
            out[part.rows] = laws.log_densities(part.X, n_jobs=n_jobs)
        with np.errstate(divide="ignore"):
            return out + np.log(self.weights)


class ObservedRows(NamedTuple):
    """Rows that have the same cells missing.

    Parameters
    ----------
    rows : ndarray of int, or slice
        Which rows.
    columns : ndarray of int
        The columns that are observed.
    complete : bool
        Whether these are all columns.
    X : ndarray
        The observed block.

    References
    ----------
    Rubin, D. B. (1976). Inference and missing data. doi:10.1093/biomet/63.3.581

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import observed_rows
    >>> [part.columns.tolist() for part in observed_rows(np.array([[1.0, np.nan], [2.0, 3.0]]))]
    [[0], [0, 1]]
    """

    rows: Integers | slice
    columns: Integers
    complete: bool
    X: Floats


def observed_rows(X: Floats) -> list[ObservedRows]:
    """The rows of X grouped by which cells are not NaN; X itself where none is.

    References
    ----------
    Rubin, D. B. (1976). Inference and missing data. doi:10.1093/biomet/63.3.581

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import observed_rows
    >>> len(observed_rows(np.zeros((3, 2)))), len(observed_rows(np.array([[np.nan, 1.0], [1.0, np.nan]])))
    (1, 2)
    """
    d = X.shape[1]
    # The sum of squares is NaN if and only if a cell is.
    cells = X.ravel(order="K")
    with np.errstate(over="ignore"), calm_blas(1):
        complete = not np.isnan(np.dot(cells, cells))
    if complete:
        return [ObservedRows(slice(None), np.arange(d), True, X)]
    seen = ~np.isnan(X)
    _, pattern = np.unique(np.packbits(seen, axis=1), axis=0, return_inverse=True)
    order = np.argsort(pattern, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(pattern[order])) + 1)
    columns = [np.flatnonzero(seen[rows[0]]) for rows in groups]
    return [
        ObservedRows(rows, cols, len(cols) == d, np.ascontiguousarray(X[np.ix_(rows, cols)]))
        for rows, cols in zip(groups, columns, strict=True)
    ]


@dataclass(frozen=True)
class GaussianEM:
    """The two steps (2) of EM for given rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        NaN where a cell is missing.
    sample_weight : ndarray of shape (n,), optional
    covariance_type : str, default="full"
    control : CovarianceControl, optional
    labels, owners : ndarray of int, optional
        As in `Normals.responsibilities`: rows whose class is known.
    assignment : {"soft", "hard"}, default="soft"
    fixed_weights : ndarray of shape (k,), optional
        Weights that stay as they are.
    fixed_covariances : ndarray, optional
        Covariances that stay as they are, of the covariance type.
    on_empty : {"keep", "reseed", "drop", "raise"}, default="reseed"
        What becomes of a component of weight below `min_count`: nothing; a restart at the row of lowest density with
        the covariance of all rows; removal; an error.
    min_count : float, default=1.0
    n_jobs : int, optional

    References
    ----------
    Dempster, A. P., Laird, N. M. & Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm.
    doi:10.1111/j.2517-6161.1977.tb01600.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Normals
    >>> from gnomon.optim import GaussianEM, NormalMixture, em
    >>> steps = GaussianEM(np.array([[-1.0], [0.0], [1.0], [2.0]]), covariance_type="tied")
    >>> start = NormalMixture(np.full(2, 0.5), Normals([[0.0], [1.0]], [[1.0]], "tied"))
    >>> theta = steps.m_step(steps.e_step(start)[0])
    >>> theta.laws.means.ravel().round(6), theta.laws.covariances.round(6)
    (array([-0.037591,  1.037591]), array([[0.960996]]))
    """

    X: Floats
    sample_weight: Floats | None = None
    covariance_type: MixtureCovarianceType = "full"
    control: CovarianceControl = MAXIMUM_LIKELIHOOD
    labels: Integers | None = None
    owners: Integers | None = None
    assignment: Literal["soft", "hard"] = "soft"
    fixed_weights: Floats | None = None
    fixed_covariances: Floats | None = None
    on_empty: OnEmpty = "reseed"
    min_count: float = 1.0
    n_jobs: int | None = None
    _parts: list[ObservedRows] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_choice("on_empty", self.on_empty, ["keep", "reseed", "drop", "raise"])
        if self.on_empty == "drop" and (self.fixed_weights is not None or self.fixed_covariances is not None):
            raise ValueError("on_empty='drop' needs free weights and covariances; choose 'keep', 'reseed' or 'raise'")
        object.__setattr__(self, "_parts", observed_rows(self.X))

    @property
    def total_weight(self) -> float:
        """Σ sᵢ."""
        return float(len(self.X)) if self.sample_weight is None else float(np.sum(self.sample_weight))

    @property
    def _row_weight(self) -> float:
        return row_weight(self.sample_weight)

    @property
    def _offset(self) -> float:
        """What keeps a component without rows from weighing nothing: a share of the mean weight."""
        return _OFFSET * (self.total_weight / len(self.X) if len(self.X) else 1.0)

    @property
    def filled(self) -> Floats:
        """X with column means for missing cells; X itself where none is missing."""
        if len(self._parts) == 1 and self._parts[0].complete:
            return self.X
        holes = np.isnan(self.X)
        s = np.ones(len(self.X)) if self.sample_weight is None else self.sample_weight
        return np.where(holes, (s @ np.where(holes, 0.0, self.X)) / (s @ ~holes), self.X)

    @property
    def _dense(self) -> bool:
        return self.covariance_type in ("full", "tied")

    def e_step(self, theta: NormalMixture) -> tuple[Responsibilities, float]:
        """The moments of every component, and ℓ (penalised by the control's prior)."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(theta.weights)
        found = [self._expect(part, theta.laws, log_weights) for part in self._parts]
        total = Responsibilities(
            reduce(lambda a, b: a + b, (part.moments for part in found)), sum(part.log_likelihood for part in found)
        )
        return total, total.log_likelihood + self.control.log_prior(theta.laws)

    def m_step(self, posterior: Responsibilities) -> NormalMixture | Restart[NormalMixture]:
        """θ of (2), a `Restart` where a component had to be moved."""
        parts = posterior.moments
        empty = np.flatnonzero(parts.weight < self.min_count * self._row_weight)
        if empty.size == 0 or self.on_empty == "keep":
            return self._maximize(parts._replace(weight=parts.weight + self._offset))
        if self.on_empty == "raise":
            j = int(empty[0])
            raise ValueError(
                f"component {j} has a weight of {parts.weight[j]:.3g}, below min_count={self.min_count:g}; take fewer "
                "components, another start, or on_empty='reseed' or 'drop'"
            )
        kept = np.setdiff1d(np.arange(len(parts.weight)), empty)
        if kept.size == 0:
            return self._maximize(parts._replace(weight=parts.weight + self._offset))
        if self.on_empty == "drop":
            return Restart(self._maximize(parts, kept))
        return Restart(self._reseed(parts, kept, empty))

    def from_labels(self, index: Integers, k: int, rows: Integers | slice = slice(None)) -> NormalMixture:
        """θ by one M-step from a hard assignment of some rows to k components; missing cells count as column means."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        parts = group_moments(self.filled[rows], index, k, weight, diagonal=not self._dense, n_jobs=self.n_jobs)
        return self._maximize(parts._replace(weight=parts.weight + self._offset))

    def from_responsibilities(self, gamma: Floats) -> NormalMixture:
        """θ by one M-step on given responsibilities; missing cells count as column means."""
        s = 1.0 if self.sample_weight is None else self.sample_weight
        found = [_weighted_moments(self.filled, s * gamma[:, j], dense=self._dense) for j in range(gamma.shape[1])]
        return self._maximize(
            Moments(
                np.array([part.weight for part in found]) + self._offset,
                np.stack([part.mean for part in found]),
                np.stack([part.scatter for part in found]),
            )
        )

    def from_means(self, means: Floats, shape: Literal["total", "total_spherical"] = "total") -> NormalMixture:
        """θ with equal weights, given means, and the covariance of all rows reduced to the type; "total_spherical"."""
        k, d = np.shape(means)
        spread = self._total()
        if shape == "total_spherical":
            size = np.trace(spread.scatter) / d
            spread = spread._replace(scatter=size * np.eye(d))
        scatter = spread.scatter if self._dense else np.diag(spread.scatter)
        stacked = np.broadcast_to(scatter, (k, *scatter.shape))
        cov = self._covariances(stacked, np.full(k, spread.weight))
        return NormalMixture(np.full(k, 1.0 / k), Normals(means, cov, self.covariance_type))

    def row_log_likelihood(self, theta: NormalMixture) -> Floats:
        """log Σⱼ wⱼ N(xᵢ; μⱼ, Σⱼ) of every row."""
        return log_sum_exp(theta.log_joint(self.X, n_jobs=self.n_jobs))

    def _expect(self, part: ObservedRows, laws: Normals, log_weights: Floats) -> Responsibilities:
        own = laws if part.complete else laws.marginal(part.columns)
        found = own.responsibilities(
            part.X,
            log_weights,
            None if self.sample_weight is None else self.sample_weight[part.rows],
            labels=None if self.labels is None else self.labels[part.rows],
            owners=self.owners,
            assignment=self.assignment,
            n_jobs=self.n_jobs,
        )
        return found._replace(moments=laws.fill_in(part.columns, found.moments))

    def _maximize(self, parts: Moments, kept: Integers | slice = slice(None)) -> NormalMixture:
        """θ of (2) for the components that are kept."""
        parts = Moments(*(part[kept] for part in parts))
        weights = parts.weight if self.fixed_weights is None else self.fixed_weights[kept]
        cov = self._covariances(parts.scatter, parts.weight, kept)
        return NormalMixture(weights / np.sum(weights), Normals(parts.mean, cov, self.covariance_type))

    def _covariances(self, scatter: Floats, weight: Floats, kept: Integers | slice = slice(None)) -> Floats:
        if self.fixed_covariances is None:
            return self.control.covariances(scatter, weight, self.covariance_type)
        own = self.covariance_type in ("full", "diag", "spherical")
        return self.fixed_covariances[kept] if own else self.fixed_covariances

    def _reseed(self, parts: Moments, kept: Integers, empty: Integers) -> NormalMixture:
        """Restart the empty components, each at one of the rows with the lowest density under the others."""
        badness = self.row_log_likelihood(self._maximize(parts, kept))
        if self.sample_weight is not None:
            # Rows of weight zero do not count.
            badness = np.where(self.sample_weight > 0.0, badness, np.inf)
        worst = np.argsort(badness, kind="stable")[: empty.size]
        total = self._total()
        weight, mean, scatter = (np.array(part) for part in parts)
        weight[empty] = max(self.min_count, 1.0) * self._row_weight
        mean[empty] = np.where(np.isnan(self.X[worst]), total.mean, self.X[worst])
        spread = total.covariance()
        scatter[empty] = weight[empty[0]] * (spread if scatter.ndim == 3 else np.diag(spread))
        return self._maximize(Moments(weight, mean, scatter))

    def _total(self) -> Moments:
        return moments(self.filled, self.sample_weight)


def _weighted_moments(X: Floats, s: Floats, *, dense: bool) -> Moments:
    if not np.sum(s) > 0.0:
        d = X.shape[1]
        return Moments(0.0, np.zeros(d), np.zeros((d, d) if dense else d))
    found = moments(X, s)
    return found if dense else found._replace(scatter=np.diag(found.scatter))


def fit_normal_missing(
    X: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    covariance_type: Literal["full", "diag", "spherical"] = "full",
    tol: float = 1e-9,
    max_iter: int = 1000,
) -> EMResult[MultivariateNormal, Responsibilities]:
    """The normal law of greatest likelihood for rows with missing cells (NaN), missing at random.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Every column must have an observed cell.
    sample_weight : array-like of shape (n,), optional
    covariance_type : {"full", "diag", "spherical"}, default="full"
    tol, max_iter : float, int
        Of `em`.

    Returns
    -------
    EMResult
        `theta` is a `MultivariateNormal`.

    References
    ----------
    Ghahramani, Z. & Jordan, M. (1994). Supervised learning from incomplete data via an EM approach. NIPS 6.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import fit_normal_missing
    >>> X = np.array([[0, 0], [2, 1], [1, 2], [3, 1], [4, np.nan], [np.nan, 3]])
    >>> result = fit_normal_missing(X, tol=1e-12)
    >>> result.theta.mean.round(4), round(result.objective, 6)
    (array([2.2597, 1.5535]), -15.410732)
    """
    rows, weight = np.asarray(X, dtype=float), None
    if rows.ndim != 2 or np.any(np.isinf(rows)):
        raise ValueError(f"X of shape {rows.shape} must be (n, d) without infinities; give rows, with NaN for gaps")
    if sample_weight is not None:
        weight = check_weights(sample_weight, rows).astype(float)
        rows, weight = rows[weight > 0.0], weight[weight > 0.0]
    refuse_empty_columns(rows)
    steps = GaussianEM(rows, weight, covariance_type, on_empty="keep")
    start = steps.from_means(np.nanmean(rows, axis=0)[None])
    result = em(steps.e_step, steps.m_step, start, tol=tol, max_iter=max_iter, total_weight=steps.total_weight)
    return EMResult(result.theta.laws[0], *result[1:])


def refuse_empty_columns(X: Floats, names: Sequence[str] | None = None) -> None:
    """An error that names the columns in which every cell is missing."""
    # A column that is missing throughout is missing in the first row, which rules most columns out quickly.
    suspects = np.flatnonzero(np.all(np.isnan(X[:1]), axis=0))
    empty = suspects[np.all(np.isnan(X[:, suspects]), axis=0)]
    if empty.size:
        called = ", ".join(str(j) if names is None else repr(names[j]) for j in empty)
        raise ValueError(f"column {called} of X is wholly missing; drop it")
