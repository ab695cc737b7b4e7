"""Mixtures of any laws.

    maximise over w, θ    ℓ = Σᵢ sᵢ log Σⱼ wⱼ pⱼ(xᵢ; θⱼ)                                               (1)
    E:  γᵢⱼ ∝ wⱼ pⱼ(xᵢ; θⱼ)        M:  wⱼ = Σᵢ sᵢ γᵢⱼ / Σᵢ sᵢ,   θⱼ = fit of pⱼ to the rows with weights sᵢ γᵢⱼ     (2)

The components may be of different families, such as a normal law and uniform noise: all that EM asks of a family is a
weighted fit. Dempster, Laird & Rubin (1977), doi:10.1111/j.2517-6161.1977.tb01600.x; noise as a component: Banfield &
Raftery (1993), doi:10.2307/2532201.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    Integers,
    NonNegative,
    RandomState,
    TableLike,
)
from gnomon.base import naming_columns
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.distributions import Distribution, MultivariateNormal
from gnomon.distributions.density import (
    Density,
    KnownDensity,
    density_parameters,
    fit_density,
    row_log_density,
    sample_density,
)
from gnomon.generative._mixture_contract import MixtureDensity
from gnomon.generative._rows import any_rows
from gnomon.generative._words import Assignment
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import log_shares, log_sum_exp
from gnomon.numerics.validation import check_choice, check_integer, check_numbers
from gnomon.numerics.weights import check_weights, row_weight
from gnomon.optim import EMResult, Restart, em, kmeans, seed_centers, warn_unless_em_converged

__all__ = ["MixtureModel"]

StartingShares: TypeAlias = Literal["kmeans", "random"]
"""Responsibilities to start from: of clusters, or drawn."""

OnEmpty: TypeAlias = Literal["reseed", "drop", "raise"]

_BLUR = 0.1
"""The share of every row that a start spreads over all components, so that no family meets a single value."""


class MixtureModel(CallbackSupportMixin, MixtureDensity):
    """Mixture of components of any family, equation (1), by EM.

    Parameters
    ----------
    components : list, optional
        For each component what `fit_density` takes: a `Distribution` class, a `DistributionFamily` (one with options),
        an estimator with `score_samples`; or a distribution, which is where EM starts. None: one `MultivariateNormal`.
    weights_init : array-like of shape (k,), optional
        Start weights; equal by default.
    fixed : sequence of int, default=()
        Components that stay as they are given, such as noise on a known box.
    algorithm : {"soft", "hard"}, default="soft"
        EM with responsibilities, or with each row given to one component (the classification likelihood).
    tol : float, default=1e-6
        Stop when the mean log-likelihood gains less.
    max_iter : int, default=500
    n_init : int, default=1
        Starts, of which the best end is kept.
    init_params : {"kmeans", "random"}, optional
        How components without a start get theirs: from clusters, or from random responsibilities. By default clusters
        where rows are numbers.
    on_empty : {"reseed", "drop", "raise"}, default="reseed"
        What becomes of a component of weight below `min_count`: it starts anew on the rows that are explained worst; it
        is removed; or an error.
    min_count : float, default=1.0
    on_decrease : {"warn", "raise", "ignore"}, default="warn"
        What to do if ℓ falls; "ignore" for families whose fit does not maximise the likelihood.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    components_ : list
        The fitted laws.
    weights_ : ndarray of shape (k,)
    objective_ : float
        The log-likelihood (of the complete data for hard EM).
    converged_, stop_reason_, n_iter_, history_, monotone_, restarts_
        How the fit ended and went; `restarts_` has the final objective of every start.
    n_reseeded_ : int
        How many times components had to begin anew.
    n_parameters_ : int
        Free parameters.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    McLachlan, G. & Peel, D. (2000). Finite Mixture Models. doi:10.1002/0471721182

    Banfield, J. & Raftery, A. (1993). Model-based Gaussian and non-Gaussian clustering. doi:10.2307/2532201

    Examples
    --------
    One step of EM for two Poisson laws:

    >>> from gnomon.distributions import Poisson
    >>> from gnomon.generative import MixtureModel
    >>> x = [[0], [1], [2], [8], [9]]
    >>> model = MixtureModel([Poisson(1.0), Poisson(8.0)]).fit(x)
    >>> model.history_["objective"][:2].round(6)
    array([-11.149833, -11.053274])
    >>> model.predict([[3], [6]])
    array([0, 1])
    """

    def __init__(
        self,
        components: Sequence[Density | Distribution] | None = None,
        *,
        weights_init: ArrayLike | None = None,
        fixed: Sequence[int] = (),
        algorithm: Assignment = "soft",
        tol: float = 1e-6,
        max_iter: CountOrZero = 500,
        n_init: Count = 1,
        init_params: StartingShares | None = None,
        on_empty: OnEmpty = "reseed",
        min_count: NonNegative = 1.0,
        on_decrease: Literal["warn", "raise", "ignore"] = "warn",
        random_state: RandomState = None,
    ):
        self.components = components
        self.weights_init = weights_init
        self.fixed = fixed
        self.algorithm = algorithm
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.on_empty = on_empty
        self.min_count = min_count
        self.on_decrease = on_decrease
        self.random_state = random_state

    @classmethod
    def from_laws(cls, laws: Sequence[Distribution], weights: ArrayLike | None = None) -> Self:
        """The mixture of known laws, without data.

        Parameters
        ----------
        laws : list of Distribution
        weights : array-like of shape (k,), optional
            Equal by default.

        Returns
        -------
        MixtureModel
            Ready to predict and to draw from.
        """
        model = cls(list(laws), weights_init=weights)
        model.components_, model.weights_ = list(laws), _checked_weights(weights, len(laws))
        model._is_fixed = [False] * len(laws)
        return model

    def fit(self, X: TableLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, or what the families take.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        X = any_rows(self, X, ensure_min_samples=2)
        weights = check_weights(sample_weight, np.empty((len(X), 0)))
        used = weights > 0.0
        steps = self._steps(X[used], weights[used])
        rng = check_rng(self.random_state)
        with naming_columns(self, X):
            starts = [self._start(steps, rng) for _ in range(self.n_init)]
        with fit_tasks(self, "iteration", self.n_init * self.max_iter, X=X) as told:
            result = em(
                steps.e_step,
                steps.m_step,
                starts.__getitem__,
                tol=self.tol,
                max_iter=self.max_iter,
                hard=steps.hard,
                n_init=self.n_init,
                total_weight=float(np.sum(weights)),
                on_decrease=self.on_decrease,
                callback=told.rows(),
            )
            return self._set(warn_unless_em_converged(result, self.max_iter), steps)

    @property
    def n_parameters_(self) -> int:
        check_is_fitted(self)
        free = [law for law, fixed in zip(self.components_, self._is_fixed, strict=True) if not fixed]
        return sum(map(density_parameters, free)) + len(self.components_) - 1

    def _steps(self, X: Array, weights: Floats) -> MixtureEM:
        given = self._given()
        if self.init_params is not None and all(isinstance(law, Distribution) for law in given):
            raise ValueError(f"init_params={self.init_params!r} is for families; laws with parameters are the start")
        fixed = self._fixed_places(len(given))
        stays: list[Distribution | None] = [None] * len(given)
        for j in fixed:
            law = given[j]
            if not isinstance(law, Distribution):
                raise ValueError(f"fixed={self.fixed!r}: component {j}, {law!r}, is no law; give it parameters")
            stays[j] = law
        families = [type(law) if isinstance(law, Distribution) else law for law in given]
        return MixtureEM(
            X,
            weights,
            tuple(families),
            tuple(stays),
            hard=self.algorithm == "hard",
            on_empty=self.on_empty,
            min_count=self.min_count,
        )

    def _given(self) -> list[Density | Distribution]:
        """A law or a family for each component."""
        if self.components is None:
            return [MultivariateNormal]
        if isinstance(self.components, (str, bytes, Mapping)) or not isinstance(self.components, Iterable):
            raise TypeError(f"components={self.components!r} must be a sequence of laws or families; give a list")
        given = list(self.components)
        if not given:
            raise ValueError("components is empty; give one law or family for each component")
        for law in given:
            if not isinstance(law, Distribution) and not callable(getattr(law, "fit", None)):
                raise TypeError(f"components holds {law!r}, which is no law and has no fit; give a Distribution")
        return given

    def _fixed_places(self, k: int) -> list[int]:
        """The components that stay as they are."""
        if isinstance(self.fixed, (str, bytes, Mapping)) or not isinstance(self.fixed, Iterable):
            raise TypeError(f"fixed={self.fixed!r} must be a sequence of the numbers of components; give a list")
        return sorted({check_integer("fixed: a component", j, 0, k - 1) for j in self.fixed})

    def _start(self, steps: MixtureEM, rng: np.random.Generator) -> LawMixture:
        k = len(steps.families)
        weights = _checked_weights(self.weights_init, k)
        given = self._given()
        if all(isinstance(law, Distribution) for law in given):
            return LawMixture(weights, tuple(given), tuple(range(k)))
        gamma = start_responsibilities(self.init_params, steps.X, steps.weights, k, rng)
        laws = [law if isinstance(law, Distribution) else steps.fit_law(j, gamma) for j, law in enumerate(given)]
        return LawMixture(weights, tuple(laws), tuple(range(k)))

    def _set(self, result: EMResult[LawMixture, Floats], steps: MixtureEM) -> Self:
        theta = result.theta
        self.components_, self.weights_ = list(theta.laws), theta.weights
        self._is_fixed = [steps.fixed[j] is not None for j in theta.origins]
        self.objective_, self.history_, self.restarts_ = result.objective, result.history, result.restarts
        self.n_iter_, self.converged_, self.stop_reason_ = result.n_iter, result.converged, result.stop_reason
        self.monotone_, self.n_reseeded_ = result.monotone, result.n_restarts
        return self

    def _log_joint(self, X: AnyRows) -> Floats:
        check_is_fitted(self)
        # A mixture that was built without data leaves the validation of rows to its laws.
        X = any_rows(self, X, reset=False) if "n_features_in_" in vars(self) else np.asarray(X)
        return LawMixture(self.weights_, tuple(self.components_), ()).log_joint(X)

    def _draw(self, counts: Integers, rng: np.random.Generator) -> Array:
        drawn = zip(self.components_, counts.tolist(), strict=True)
        return np.concatenate([sample_density(law, n, rng) for law, n in drawn if n])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


class LawMixture(NamedTuple):
    """θ of equation (1), and which of the given components each law is."""

    weights: Floats
    laws: tuple[KnownDensity, ...]
    origins: tuple[int, ...]

    def log_joint(self, X: Array) -> Floats:
        """log wⱼ pⱼ(xᵢ), shape (n, k)."""
        with np.errstate(divide="ignore"):
            return np.stack([row_log_density(law, X) for law in self.laws], axis=1) + np.log(self.weights)


@dataclass(frozen=True)
class MixtureEM:
    """The two steps (2) for given rows; `fixed` has the laws that stay, None for the others."""

    X: Array
    weights: Floats
    families: tuple[Density, ...]
    fixed: tuple[Distribution | None, ...]
    hard: bool
    on_empty: OnEmpty
    min_count: float

    def e_step(self, theta: LawMixture) -> tuple[Floats, float]:
        """γ, and ℓ; for hard assignment the likelihood of rows and components together."""
        joint = theta.log_joint(self.X)
        rows = np.max(joint, axis=1) if self.hard else log_sum_exp(joint)
        gamma = np.zeros((len(joint), len(self.families)))
        with np.errstate(divide="ignore"):
            # A row of density zero under every component is divided by the weights of the components.
            gamma[:, list(theta.origins)] = np.exp(log_shares(joint, np.log(theta.weights)))
        return gamma, float(self.weights @ rows)

    def m_step(self, gamma: Floats) -> LawMixture | Restart[LawMixture]:
        """θ of (2), a `Restart` where a component had to be moved or removed."""
        N = self.weights @ gamma
        alive = np.any(gamma > 0.0, axis=0) | (self.on_empty != "drop")
        free = np.array([law is None for law in self.fixed])
        empty = np.flatnonzero((self.min_count * row_weight(self.weights) > N) & free & alive)
        if empty.size == 0:
            return self._maximize(gamma, np.flatnonzero(alive))
        if self.on_empty == "raise":
            j = int(empty[0])
            raise ValueError(
                f"component {j} has a weight of {N[j]:.3g}, below min_count={self.min_count:g}; take fewer components, "
                "another start, or on_empty='reseed' or 'drop'"
            )
        kept = np.setdiff1d(np.flatnonzero(alive), empty)
        if self.on_empty == "drop" and kept.size:
            return Restart(self._maximize(gamma, kept))
        return Restart(self._reseed(gamma, kept, empty))

    def fit_law(self, j: int, gamma: Floats) -> KnownDensity:
        """The law of component j, equation (2)."""
        if self.fixed[j] is not None:
            return self.fixed[j]
        try:
            return fit_density(self.families[j], self.X, self.weights * gamma[:, j])
        except ValueError as error:
            raise ValueError(
                f"component {j} cannot be fitted: {error}; change its family, the start or the number of components"
            ) from error

    def _maximize(self, gamma: Floats, kept: Integers) -> LawMixture:
        N = self.weights @ gamma[:, kept]
        return LawMixture(N / np.sum(N), tuple(self.fit_law(j, gamma) for j in kept), tuple(kept.tolist()))

    def _reseed(self, gamma: Floats, kept: Integers, empty: Integers) -> LawMixture:
        """Every empty component takes a share of the rows that the others explain worst."""
        n, k = gamma.shape
        worst = np.zeros(n)
        if kept.size:
            worst = log_sum_exp(self._maximize(gamma, kept).log_joint(self.X))
        return self._maximize(take_worst(gamma, empty, worst), np.arange(k))


def _checked_weights(weights: ArrayLike | None, k: int) -> Floats:
    if weights is None:
        return np.full(k, 1.0 / k)
    found = check_numbers("weights_init", weights)
    if found.shape != (k,) or np.any(found < 0.0) or not np.isclose(np.sum(found), 1.0):
        raise ValueError(f"weights_init={weights!r} must be {k} numbers ≥ 0 that sum to 1")
    return found


def take_worst(gamma: Floats, empty: Integers, row_log_density: Floats) -> Floats:
    """γ where the empty columns have taken the rows of least density, each the same share of them."""
    n, k = gamma.shape
    order, share = np.argsort(row_log_density, kind="stable"), max(1, n // (2 * k))
    out = np.array(gamma)
    for place, j in enumerate(empty):
        rows = order[place * share : (place + 1) * share]
        out[rows] *= _BLUR
        out[rows, j] = 1.0 - _BLUR
    out[:, empty] += _BLUR / k
    return out / np.sum(out, axis=1, keepdims=True)


def numbers_of(X: Any) -> Floats | None:
    """X as a matrix of finite floats, or None where it is no such thing."""
    try:
        A = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        return None
    return A if A.ndim == 2 and np.all(np.isfinite(A)) else None


def start_responsibilities(
    method: StartingShares | None, X: Any, weights: Floats, k: int, rng: np.random.Generator
) -> Floats:
    """γ⁰ from clusters, in random order, or at random; blurred, so that every component has some of every row."""
    A = numbers_of(X)
    method = ("random" if A is None else "kmeans") if method is None else method
    if check_choice("init_params", method, get_args(StartingShares)) == "random":
        gamma = rng.exponential(size=(len(weights), k))
        return gamma / np.sum(gamma, axis=1, keepdims=True)
    if A is None:
        raise ValueError("init_params='kmeans' needs rows of finite numbers; choose 'random'")
    labels = kmeans(A, A[seed_centers(A, min(k, len(A)), rng, weights)], weights, tol=1e-4).labels
    order = rng.permutation(k)
    return (1.0 - _BLUR) * np.eye(k)[order[labels]] + _BLUR / k
