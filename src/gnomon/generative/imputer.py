"""Missing cells from a density: what the cells that are there say of those that are not.

    x_m | x_o  ~  Σⱼ γⱼ N(μ_m + Bⱼ (x_o − μ_o), Σ_mm − Bⱼ Σ_om),    Bⱼ = Σ_mo Σ_oo⁻¹,    γⱼ ∝ wⱼ N(x_o; μ_o, Σ_oo)  (1)

for a normal law or a mixture of them, all with index j. The mean of (1) is the guess of least squared error, its mode
the most probable value, and a draw keeps the spread that both lose. Little & Rubin (2019), Statistical Analysis with
Missing Data, doi:10.1002/9781119482260; modes: Carreira-Perpiñán (2000), doi:10.1109/34.888716.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, RandomState
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.distributions import MultivariateNormal, Normal, Normals
from gnomon.distributions.density import Density, KnownDensity, fit_density
from gnomon.generative._rows import labelled_rows
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.numerics.coding import label_index
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import log_softmax
from gnomon.numerics.validation import assert_finite
from gnomon.optim import NormalMixture, fit_normal_missing, observed_rows

__all__ = ["DensityImputer"]

Strategy: TypeAlias = Literal["mean", "mode", "sample"]


class DensityImputer(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Fill missing cells from the conditional law (1) of a fitted density.

    Parameters
    ----------
    density : type, DistributionFamily or estimator, default=MultivariateNormal
        `MultivariateNormal` or `Normal`, possibly with options, or a mixture (`GaussianMixture`). Rows with missing
        cells take part in its fit.
    strategy : {"mean", "mode", "sample"}, default="mean"
        The conditional mean, the most probable value, or a draw.
    by_class : bool, default=False
        Fit one density for each class of y; `transform` then weighs the classes by what is observed, and `impute` takes
        the labels where they are known.
    random_state : None, int, Generator or RandomState
        For "sample".

    Attributes
    ----------
    mixture_ : NormalMixture
        The weights and normal laws of (1).
    owners_ : ndarray of int
        The class of each law, as a position in `classes_`.
    classes_ : ndarray
        With `by_class`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Little, R. J. A. & Rubin, D. B. (2019). Statistical Analysis with Missing Data. doi:10.1002/9781119482260

    Carreira-Perpiñán, M. Á. (2000). Mode-finding for mixtures of Gaussian distributions. doi:10.1109/34.888716

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import MultivariateNormal
    >>> from gnomon.generative import DensityImputer
    >>> law = MultivariateNormal([1.0, 2.0, 3.0], [[2.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.5]])
    >>> DensityImputer.from_density(law).transform([[3.0, np.nan, np.nan]])
    array([[3. , 2.5, 3.3]])
    """

    def __init__(
        self,
        density: Density = MultivariateNormal,
        strategy: Strategy = "mean",
        *,
        by_class: bool = False,
        random_state: RandomState = None,
    ):
        self.density = density
        self.strategy = strategy
        self.by_class = by_class
        self.random_state = random_state

    @classmethod
    def from_density(
        cls, density: KnownDensity, strategy: Strategy = "mean", *, random_state: RandomState = None
    ) -> Self:
        """The imputer of a density that is known, without data.

        Parameters
        ----------
        density : MultivariateNormal, Normal, or fitted mixture
        strategy : {"mean", "mode", "sample"}, default="mean"
        random_state : None, int, Generator or RandomState

        Returns
        -------
        DensityImputer
            Ready to transform.
        """
        imputer = cls(density, strategy, random_state=random_state)
        imputer._store([normal_mixture(density)], [1.0])
        imputer.n_features_in_ = imputer.mixture_.laws.means.shape[1]
        return imputer

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the density.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is a missing cell.
        y : array-like of shape (n_samples,), optional
            Labels; used with `by_class`.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        check_rng(self.random_state)
        if self.by_class and y is None:
            raise ValueError("by_class=True needs the labels y; give them, or by_class=False")
        X = validate_rows(self, X, finite=False)
        labels = np.zeros(len(X), dtype=int) if y is None or not self.by_class else y
        rows = labelled_rows(self, X, labels, sample_weight, check=_as_given)
        self._refuse_infinities(rows.X)
        if self.by_class:
            self.classes_ = rows.classes
        fitted = [self._fit_rows(*rows.of_class(k)) for k in range(len(rows.classes))]
        self._store([normal_mixture(density) for density in fitted], rows.counts / np.sum(rows.counts))
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """X with its missing cells filled.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._fill(self._checked(X), None)

    def impute(self, X: ArrayLike, y: ArrayLike) -> Floats:
        """X with its missing cells filled, given the class of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        X = self._checked(X)
        if not self.by_class:
            raise ValueError("by_class=False learnt nothing of the labels; fit with by_class=True, or call transform")
        index, _ = label_index(y, self.classes_)
        return self._fill(X, index)

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, finite=False)
        self._refuse_infinities(X)
        return X

    def _refuse_infinities(self, X: Floats) -> None:
        assert_finite(np.where(np.isnan(X), 0.0, X), columns=vars(self).get("feature_names_in_"))

    def _fit_rows(self, X: Floats, weights: Floats | None) -> KnownDensity:
        family = getattr(self.density, "law", self.density)
        options = getattr(self.density, "options", {})
        try:
            if family is not MultivariateNormal or not np.any(np.isnan(X)):
                return fit_density(self.density, X, weights)
            return fit_normal_missing(X, weights, covariance_type=options.get("covariance_type", "full")).theta
        except ValueError as error:
            raise ValueError(
                f"{error}; for few rows or dependent columns take density=GaussianMixture(1), which adds reg_covar, or "
                "MultivariateNormal.family(covariance_type='diag')"
            ) from error

    def _store(self, mixtures: Sequence[NormalMixture], shares: Sequence[float] | Floats) -> None:
        laws = Normals(
            np.concatenate([m.laws.means for m in mixtures]), np.concatenate([m.laws.cov_matrices() for m in mixtures])
        )
        weights = np.concatenate([share * np.asarray(m.weights) for m, share in zip(mixtures, shares, strict=True)])
        self.owners_ = np.repeat(np.arange(len(mixtures)), [len(m.laws) for m in mixtures])
        self.mixture_ = NormalMixture(weights, laws)

    def _fill(self, X: Floats, index: Integers | None) -> Floats:
        rng = check_rng(self.random_state)
        out = X.copy()
        for part in observed_rows(X):
            if part.complete:
                continue
            gap = np.setdiff1d(np.arange(X.shape[1]), part.columns)
            known = None if index is None else self.owners_ == index[part.rows][:, None]
            law = _conditional(self.mixture_, gap, part.columns, np.asarray(part.X, dtype=float), known)
            out[np.ix_(np.arange(len(X))[part.rows], gap)] = _STRATEGIES[self.strategy](*law, rng)
        return out

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _as_given(imputer: DensityImputer, X: Floats, y: ArrayLike) -> tuple[Floats, Array]:
    check_consistent_length(X, y)
    return X, np.asarray(y)


@singledispatch
def normal_mixture(density: Any) -> NormalMixture:
    """A density as weights and normal laws; mixtures say theirs in scikit-learn's words."""
    names = ("weights_", "means_", "covariances_", "covariance_type")
    found: list[Any] = [getattr(density, name, None) for name in names]
    if any(value is None for value in found):
        raise ValueError(
            f"{type(density).__name__} has no conditional laws that are known here; give MultivariateNormal, Normal, a "
            "Gaussian mixture or a GaussianClassifier"
        )
    return NormalMixture(found[0], Normals(*found[1:]))


@normal_mixture.register
def _(density: MultivariateNormal) -> NormalMixture:
    return NormalMixture(np.ones(1), Normals(density.mean[None], density.cov_matrix[None]))


@normal_mixture.register
def _(density: Normal) -> NormalMixture:
    mean, var = np.broadcast_arrays(np.atleast_1d(density.mean), density.var)
    return NormalMixture(np.ones(1), Normals(mean[None], var[None], "diag"))


@normal_mixture.register
def _(density: GaussianMixture) -> NormalMixture:
    return density._theta()


@normal_mixture.register
def _(density: GaussianClassifier) -> NormalMixture:
    laws = density.laws_
    if not isinstance(laws, Normals):
        raise ValueError(
            f"estimate={density.estimate!r} leaves Student laws, whose conditional laws are not known here; give a "
            "GaussianClassifier with estimate='mle' or 'map'"
        )
    return NormalMixture(density.class_prior_, laws)


def _conditional(
    mixture: NormalMixture, gap: Integers, seen: Integers, X: Floats, known: Bools | None
) -> tuple[Floats, Floats, Floats]:
    """γ (n, k), means (n, k, m) and covariances (k, m, m) of equation (1)."""
    weights, laws = mixture
    with np.errstate(divide="ignore"):
        score = np.log(np.broadcast_to(weights, (len(X), len(laws))))
    allowed = score if known is None else np.where(known, score, -np.inf)
    score = allowed
    if len(laws) > 1 and len(seen):
        score = score + laws.marginal(seen).log_densities(X)
    # A row of density zero under every law is divided by the weights of the laws.
    score = np.where(np.all(np.isneginf(score), axis=1)[:, None], allowed, score)
    gamma = np.exp(log_softmax(score))
    means, covs = np.empty((len(X), len(laws), len(gap))), np.empty((len(laws), len(gap), len(gap)))
    for j, cov in enumerate(laws.covariances):
        # Least squares, so that observed columns that depend on each other do no harm.
        B = np.linalg.lstsq(cov[np.ix_(seen, seen)], cov[np.ix_(seen, gap)], rcond=None)[0]
        means[:, j] = laws.means[j, gap] + (X - laws.means[j, seen]) @ B
        covs[j] = cov[np.ix_(gap, gap)] - cov[np.ix_(gap, seen)] @ B
    return gamma, means, covs


def _mean(gamma: Floats, means: Floats, covs: Floats, rng: np.random.Generator) -> Floats:
    return np.einsum("nk,nkm->nm", gamma, means)


def _draw(gamma: Floats, means: Floats, covs: Floats, rng: np.random.Generator) -> Floats:
    """A law by its γ, then a value from it."""
    steps = np.cumsum(gamma, axis=1)
    choice = np.minimum(np.sum(rng.random(len(gamma))[:, None] > steps, axis=1), gamma.shape[1] - 1)
    values, U = np.linalg.eigh(covs)
    roots = U * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    noise = rng.standard_normal((len(gamma), means.shape[2]))
    return means[np.arange(len(gamma)), choice] + np.einsum("nij,nj->ni", roots[choice], noise)


def _mode(
    gamma: Floats, means: Floats, covs: Floats, rng: np.random.Generator, *, steps: int = 500, tol: float = 1e-10
) -> Floats:
    """The highest of the points that the fixed-point iteration reaches from the mean of each law."""
    n, k = gamma.shape
    if k == 1:
        return means[:, 0]
    roots = np.linalg.cholesky(covs)
    whiteners = np.linalg.solve(roots, np.broadcast_to(np.eye(covs.shape[1]), covs.shape))
    precisions = np.swapaxes(whiteners, 1, 2) @ whiteners
    with np.errstate(divide="ignore"):
        base = np.log(gamma) - np.sum(np.log(np.diagonal(roots, axis1=1, axis2=2)), axis=1)
    x = means.copy()

    def log_terms(x: Floats) -> Floats:
        z = x[:, :, None, :] - means[:, None, :, :]
        return base[:, None, :] - 0.5 * np.einsum("nskm,kml,nskl->nsk", z, precisions, z)

    for _ in range(steps):
        terms = log_terms(x)
        q = np.exp(terms - np.max(terms, axis=2, keepdims=True))
        lhs = np.einsum("nsk,kml->nsml", q, precisions)
        rhs = np.einsum("nsk,kml,nkl->nsm", q, precisions, means)
        moved = np.linalg.solve(lhs, rhs[..., None])[..., 0]
        change = np.max(np.abs(moved - x))
        x = moved
        if change <= tol * (1.0 + np.max(np.abs(x))):
            break
    height = np.logaddexp.reduce(log_terms(x), axis=2)
    return x[np.arange(n), np.argmax(height, axis=1)]


_STRATEGIES: dict[Strategy, Callable[..., Floats]] = {"mean": _mean, "mode": _mode, "sample": _draw}
