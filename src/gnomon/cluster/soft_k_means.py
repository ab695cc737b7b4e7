"""Soft k-means and fuzzy c-means.

    minimise over μ and shares z    Σᵢⱼ sᵢ zᵢⱼ δᵢⱼ + (1/β) Σᵢⱼ sᵢ zᵢⱼ log zᵢⱼ,     δᵢⱼ = ‖xᵢ − μⱼ‖²             (1)

    zᵢⱼ = exp(−β δᵢⱼ) / Σ_l exp(−β δᵢ_l),   F(μ) = −(1/β) Σᵢ sᵢ log Σⱼ exp(−β δᵢⱼ)                          (2)

Without the second term of (1) the best shares are zero and one. β = 1/(2σ²) makes (2) the E-step of a mixture of normal
laws with equal weights and the covariance σ²I. Raising β from a value at which all centres coincide is deterministic
annealing: Rose (1998), doi:10.1109/5.726788. Fuzzy c-means minimises Σ sᵢ zᵢⱼᵐ δᵢⱼ instead:

    zᵢⱼ = 1 / Σ_l (δᵢⱼ/δᵢ_l)^{1/(m−1)},   μⱼ = Σ s zᵐ x / Σ s zᵐ                                            (3)

Bezdek (1981), doi:10.1007/978-1-4757-0450-1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, Integers, MatrixLike, NonNegative, Positive, Seed, Within
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.cluster._base import check_n_clusters, warn_unless_settled
from gnomon.cluster._starts import Init, Starts
from gnomon.numerics.special import log_sum_exp
from gnomon.numerics.validation import check_positive
from gnomon.numerics.weights import check_weights
from gnomon.optim import EMResult, distances_to, em, kmeans
from gnomon.optim.center_distances import check_objective, row_unit

__all__ = ["SoftKMeans"]

Fuzziness: TypeAlias = Annotated[float, Within(1.0, closed="neither")]

NUDGE = 1e-6
"""By this share of the spread of the rows centres that coincide are moved apart at each step of annealing."""


class SoftKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters that share rows, equations (1) to (3).

    Parameters
    ----------
    n_clusters : int, default=8
    beta : float or "auto", default="auto"
        How hard the shares are; "auto" is 1/(2σ²) with the variance σ² of a column within the clusters of k-means. Not
        used with "fuzzy".
    membership : {"gibbs", "fuzzy"}, default="gibbs"
        (2) or (3).
    fuzziness : float, default=2.0
        m > 1 of (3).
    anneal : tuple (β₀, factor), optional
        Begin with β₀ and multiply it by `factor` > 1 until `beta` is reached.
    init : str, callable or array, default="k-means++"
        Where to start, as for `KMeans`.
    n_init : int or "auto", default="auto"
    max_iter : int, default=300
    tol : float, default=1e-6
        Stop when a step lowers the objective by less than this share of the mean squared distance from the mean.
    random_state : int, RandomState or None, default=None
    n_jobs : int, optional

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    membership_ : ndarray of shape (n_samples, n_clusters)
        z.
    labels_ : ndarray of int of shape (n_samples,)
        The largest share; the lowest of several.
    beta_ : float
    objective_ : float
        F, or Σ s zᵐ δ.
    n_iter_, converged_, stop_reason_, history_
        Of the run that was kept.
    restarts_ : ndarray
        The objective of every run.

    References
    ----------
    Rose, K. (1998). Deterministic annealing for clustering, compression, classification, regression, and related
    optimization problems. doi:10.1109/5.726788

    Bezdek, J. C. (1981). Pattern recognition with fuzzy objective function algorithms. doi:10.1007/978-1-4757-0450-1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import SoftKMeans
    >>> X = np.array([[-1.0], [0.0], [1.0], [2.0]])
    >>> soft = SoftKMeans(2, beta=2.0, init=[[0.0], [1.0]]).fit(X)
    >>> soft.membership_.sum(axis=1), soft.history_["objective"][:2].round(6)
    (array([1., 1., 1., 1.]), array([1.870596, 0.9927  ]))
    """

    def __init__(
        self,
        n_clusters: Count = 8,
        beta: Positive | Literal["auto"] = "auto",
        *,
        membership: Literal["gibbs", "fuzzy"] = "gibbs",
        fuzziness: Fuzziness = 2.0,
        anneal: tuple[float, float] | None = None,
        init: Init = "k-means++",
        n_init: Count | Literal["auto"] = "auto",
        max_iter: Count = 300,
        tol: NonNegative = 1e-6,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ):
        self.n_clusters = n_clusters
        self.beta = beta
        self.membership = membership
        self.fuzziness = fuzziness
        self.anneal = anneal
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1), or the objective of (3).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X, order="C")
        check_n_clusters(self.n_clusters, X.shape[0])
        self._refuse_unused()
        weights = check_weights(sample_weight, X).astype(float)
        rng = check_random_state(self.random_state)
        self._unit = row_unit(X)
        rows = self._unit.inward(X).astype(float)
        given = self._unit.inward(np.asarray(self.init, dtype=float)) if self._init_is_array() else self.init
        starts = Starts(given, self.n_clusters, self.n_init).draw(rows, weights, rng)
        beta = self._beta(rows, starts[0], weights)
        found = self._descend(rows, weights, starts, beta, rng)
        self._keep(found, beta, X.dtype)
        warn_unless_settled(found.converged, found.stop_reason, self.max_iter, self.history_)
        return self

    def predict_proba(self, X: MatrixLike) -> Floats:
        """The shares of rows, (2) or (3).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, n_clusters)
        """
        apart = self.transform(X)
        return self._shares(self._unit.inward(apart.astype(float)) ** 2, self._scaled_beta).z.astype(apart.dtype)

    def predict(self, X: MatrixLike) -> Integers:
        """The cluster with the largest share; the lowest of several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return np.argmax(self.predict_proba(X), axis=1).astype(np.int32)

    def transform(self, X: MatrixLike) -> Floats:
        """Distances from the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        D : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self)
        return distances_to(validate_rows(self, X, reset=False, order="C"), self.cluster_centers_)

    def _refuse_unused(self) -> None:
        if self.membership == "fuzzy" and (self.anneal is not None or self.beta != "auto"):
            raise ValueError("beta and anneal have no meaning for membership='fuzzy'; leave them out")
        if self.membership == "gibbs" and self.fuzziness != 2.0:
            raise ValueError(f"fuzziness={self.fuzziness} has no meaning for membership='gibbs'; leave it out")
        if self.anneal is not None:
            check_positive("anneal[0]", self.anneal[0])
            if not self.anneal[1] > 1.0:
                raise ValueError(f"anneal[1]={self.anneal[1]} must be > 1: β is multiplied by it until it is `beta`")

    def _init_is_array(self) -> bool:
        return not isinstance(self.init, str) and not callable(self.init)

    def _beta(self, rows: Floats, start: Floats, weights: Floats) -> float:
        """β in the units of `rows`."""
        if self.membership == "fuzzy":
            return np.nan
        if self.beta != "auto":
            return float(self._unit.outward(self.beta, 2))
        within = kmeans(rows, start, weights).objective / (weights.sum() * rows.shape[1])
        if not within > 0.0:
            raise ValueError(
                f"n_clusters={self.n_clusters} leaves no variance within clusters (n_samples={len(rows)}), so "
                "beta='auto' has no value; give beta, or fewer clusters"
            )
        return 0.5 / float(within)

    def _shares(self, squares: Floats, beta: float) -> _Shares:
        return _fuzzy(squares, self.fuzziness) if self.membership == "fuzzy" else _gibbs(squares, beta)

    def _descend(
        self, rows: Floats, weights: Floats, starts: list[Floats], beta: float, rng: np.random.RandomState
    ) -> EMResult[Floats, Floats]:
        mean = np.average(rows, axis=0, weights=weights)
        # EM takes its objective for a number of ordinary size.
        scale = float(np.average(np.sum((rows - mean) ** 2, axis=1), weights=weights)) or 1.0
        steps = _Steps(self, rows, weights, mean, scale)
        options: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "total_weight": float(weights.sum()),
        }
        if self.anneal is not None:
            value, factor = self._unit.outward(self.anneal[0], 2), self.anneal[1]
            while value < beta:
                starts = [em(*steps.at(value), start, **options).theta for start in starts]
                starts = [start + NUDGE * np.sqrt(scale) * rng.normal(size=start.shape) for start in starts]
                value *= factor
        found = em(*steps.at(beta), lambda number: starts[number], n_init=len(starts), n_jobs=self.n_jobs, **options)
        history = {**found.history, "objective": found.history["objective"] * scale}
        restarts = np.asarray(found.restarts) * scale
        return found._replace(objective=found.objective * scale, history=history, restarts=restarts)

    def _keep(self, found: EMResult[Floats, Floats], beta: float, dtype: np.dtype) -> None:
        self.cluster_centers_ = self._unit.outward(found.theta).astype(dtype)
        self.membership_ = found.posterior.astype(dtype)
        self._scaled_beta, self.beta_ = beta, float(self._unit.outward(beta, -2))
        self.labels_ = np.argmax(found.posterior, axis=1).astype(np.int32)
        self.converged_, self.stop_reason_, self.n_iter_ = found.converged, found.stop_reason, found.n_iter
        self.objective_ = float(self._unit.outward(-found.objective, 2))
        self.history_ = {**found.history, "objective": self._unit.outward(-found.history["objective"], 2)}
        self.restarts_ = self._unit.outward(-np.asarray(found.restarts), 2)
        check_objective(self.objective_, is_zero=found.objective == 0.0)

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class _Steps(NamedTuple):
    """The two steps of EM for rows whose mean and mean squared distance from it (`scale`) are known."""

    model: SoftKMeans
    rows: Floats
    weights: Floats
    mean: Floats
    scale: float

    def at(self, beta: float) -> tuple[Callable[[Floats], tuple[Floats, float]], Callable[[Floats], Floats]]:
        """The steps for one β."""
        model, rows, weights, from_mean = self.model, self.rows, self.weights, self.rows - self.mean

        def e_step(centers: Floats) -> tuple[Floats, float]:
            found = model._shares(distances_to(rows, centers, n_jobs=1) ** 2, beta)
            return found.z, -float(weights @ found.cost) / self.scale

        def m_step(z: Floats) -> Floats:
            mass = weights[:, None] * (z**model.fuzziness if model.membership == "fuzzy" else z)
            total = mass.sum(axis=0)
            # A centre too far from all rows to have a share of any goes to their mean.
            return self.mean + (mass.T @ from_mean) / np.where(total > 0.0, total, 1.0)[:, None]

        return e_step, m_step


class _Shares(NamedTuple):
    """Shares of each row, and what each row adds to the objective."""

    z: Floats
    cost: Floats


def _gibbs(squares: Floats, beta: float) -> _Shares:
    """(2)."""
    log = log_sum_exp(-beta * squares)
    return _Shares(np.exp(-beta * squares - log[:, None]), -log / beta)


def _fuzzy(squares: Floats, m: float) -> _Shares:
    """(3); a row on a centre belongs to it alone, to the first of several."""
    least = squares.min(axis=1, keepdims=True)
    on = least[:, 0] == 0.0
    ratio = np.divide(least, squares, out=np.zeros_like(squares), where=squares > 0.0)
    z = ratio ** (1.0 / (m - 1.0))
    z[on] = np.eye(squares.shape[1])[np.argmin(squares[on], axis=1)]
    z /= z.sum(axis=1, keepdims=True)
    return _Shares(z, np.sum(z**m * squares, axis=1))
