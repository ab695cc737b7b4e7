"""Gaussian mixtures.

    maximise over w, μ, Σ    ℓ = Σᵢ sᵢ log Σⱼ wⱼ N(xᵢ; μⱼ, Σⱼ)                                         (1)

by EM, soft or hard, or by its gradient. The covariances are full, diagonal, spherical or given, one each or tied. Rows
may have weights and missing cells (NaN), which are integrated out. Dempster, Laird & Rubin (1977),
doi:10.1111/j.2517-6161.1977.tb01600.x; McLachlan & Peel (2000), Finite Mixture Models, doi:10.1002/0471721182.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    Integers,
    NonNegative,
    Positive,
    RandomState,
    Verbosity,
)
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.chunks import Chunks, read_chunks
from gnomon.base.going_on import check_known_columns
from gnomon.distributions import InverseWishart
from gnomon.distributions.normals import Responsibilities
from gnomon.generative._mixture_chunks import ChunkedEM, per_unit, step_after_chunk
from gnomon.generative._mixture_contract import MixtureDensity
from gnomon.generative._mixture_options import CovarianceWord, auto_floor, covariance_control, covariance_kind
from gnomon.generative._mixture_rows import mixture_rows, refuse_overflow
from gnomon.generative._mixture_start import StartCustom, StartMethod, drawn_starts
from gnomon.numerics.streaming import Moments
from gnomon.numerics.weights import check_weights
from gnomon.optim import (
    EMResult,
    GaussianEM,
    NormalMixture,
    Restart,
    em,
    fit_by_gradient,
    grow_by_splitting,
    warn_unless_em_converged,
)
from gnomon.optim.gaussian_em import OnEmpty
from gnomon.optim.solution import Callback, log_every, log_row

__all__ = ["GaussianMixture"]

_PARTING = 1e-6
"""The tolerance of the stages of "lbg": a larger one takes the slow start of two halves that part for convergence."""


Found: TypeAlias = EMResult[NormalMixture, Responsibilities]


class GaussianMixture(CallbackSupportMixin, MixtureDensity):
    """Mixture of normal laws, equation (1).

    Takes scikit-learn's parameters with scikit-learn's meaning; those from `algorithm` on are added. `y` is ignored.

    Parameters
    ----------
    n_components : int, default=1
    covariance_type : {"full", "tied", "diag", "spherical", "tied_diag", "tied_spherical", "fixed"}, default="full"
        "fixed" keeps `covariances_init`.
    tol : float, default=1e-3
        Stop when the mean log-likelihood gains less.
    reg_covar : float, default=1e-6
        ν² added to the diagonal of every covariance after each M-step; with it ℓ may fall.
    max_iter : int, default=100
    n_init : int, default=1
        Starts, of which the best end is kept.
    init_params : {"kmeans", "k-means++", "random", "random_from_data", "lbg"}, default="kmeans"
        How the start is made; "lbg" grows from one component by splitting.
    weights_init, means_init, precisions_init : array-like, optional
        Parts of the start that are given.
    random_state : None, int, Generator or RandomState
    warm_start : bool, default=False
        Start from the last fit.
    verbose : int, default=0
        1 or more sends the start, every `verbose_interval`-th iteration and the end of every fit to the logger
        ``gnomon.optim``, at level INFO; `history_` holds all of them.
    verbose_interval : int, default=10
    algorithm : {"soft", "hard", "gradient"}, default="soft"
        EM with responsibilities; with each row given to one component (the classification likelihood); or L-BFGS on ℓ
        itself, without `reg_covar`, which it refuses.
    start : {"responsibilities", "total", "total_spherical"}, default="responsibilities"
        Whether the seeds become responsibilities and one M-step, or means with equal weights and the covariance of all
        rows.
    covariances_init : array-like, optional
        Start covariances, or the given ones of "fixed", in the shape of `covariances_`.
    cov_floor : float or "auto", optional
        In place of `reg_covar`: the least eigenvalue ψ; ℓ then never falls. "auto" is 1e-6 of the mean variance.
    covariance_prior : InverseWishart, optional
        In place of `reg_covar`: a law over every covariance, with attributes `scale` (Ψ) and `df` (ν₀).
    on_empty : {"keep", "reseed", "drop", "raise"}, optional
        What becomes of a component of weight below `min_count`; "keep", and "reseed" for hard EM.
    min_count : float, optional
        1, and 2 for hard EM.
    fix_weights : {None, "uniform"}, default=None
        Keep the weights at 1/k.
    lbg_alpha : float, default=0.1
        How far "lbg" moves the halves of a component apart, in standard deviations.
    n_jobs : int, optional
        Threads over chunks of rows; −1 uses all processors.

    Attributes
    ----------
    weights_ : ndarray of shape (k,)
    means_ : ndarray of shape (k, d)
    covariances_ : ndarray
        (k, d, d), (d, d), (k, d), (k,), (d,) or () by covariance type.
    precisions_, precisions_cholesky_ : ndarray
        Of the same shape: inverses, and the upper triangular P with P Pᵀ = Σ⁻¹ (their diagonals).
    lower_bound_, lower_bounds_ : float, list
        Mean log-likelihood at the last E-step, and at every one.
    objective_ : float
        The log-likelihood at the last E-step (penalised under a prior; of the complete data for hard EM).
    converged_, stop_reason_, n_iter_, history_, monotone_, restarts_
        How the fit ended and went; `restarts_` has the final objective of every start.
    n_parameters_ : int
        Free parameters.
    n_reseeded_ : int
        How many components had to begin anew.
    path_ : list of NormalMixture
        The stages of "lbg".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    McLachlan, G. & Peel, D. (2000). Finite Mixture Models. doi:10.1002/0471721182

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import GaussianMixture
    >>> X = np.array([[-1.0], [0.0], [1.0], [2.0]])
    >>> options = {"covariance_type": "tied", "reg_covar": 0.0, "means_init": [[0.0], [1.0]], "tol": 1e-12}
    >>> model = GaussianMixture(2, **options, start="total", max_iter=1000).fit(X)
    >>> model.means_.ravel().round(5), model.covariances_.round(5), round(4 * model.lower_bound_, 6)
    (array([-0.48599,  1.48599]), array([[0.27783]]), -5.631177)
    """

    _floor: float | None = None
    _average: Moments
    _n_chunks: int

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: CovarianceWord = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: CountOrZero = 100,
        n_init: Count = 1,
        init_params: StartMethod = "kmeans",
        weights_init: ArrayLike | None = None,
        means_init: ArrayLike | None = None,
        precisions_init: ArrayLike | None = None,
        random_state: RandomState = None,
        warm_start: bool = False,
        verbose: Verbosity = 0,
        verbose_interval: Count = 10,
        algorithm: Literal["soft", "hard", "gradient"] = "soft",
        start: StartCustom = "responsibilities",
        covariances_init: ArrayLike | None = None,
        cov_floor: float | Literal["auto"] | None = None,
        covariance_prior: InverseWishart | None = None,
        on_empty: OnEmpty | None = None,
        min_count: NonNegative | None = None,
        fix_weights: Literal["uniform"] | None = None,
        lbg_alpha: Positive = 0.1,
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.verbose_interval = verbose_interval
        self.algorithm = algorithm
        self.start = start
        self.covariances_init = covariances_init
        self.cov_floor = cov_floor
        self.covariance_prior = covariance_prior
        self.on_empty = on_empty
        self.min_count = min_count
        self.fix_weights = fix_weights
        self.lbg_alpha = lbg_alpha
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN where a cell is missing.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        if self._goes_on():
            check_known_columns(self, X)
        X = mixture_rows(self, X, reset=True)
        self._floor = None
        steps = self._steps(X, sample_weight)
        refuse_overflow(steps.X)
        with fit_tasks(self, "iteration", self._most_iterations(), X=X) as told:
            starts = self._starts(steps, told)
            result = self._ALGORITHMS[self.algorithm](self, steps, starts, told)
            return self._finish(result, steps)

    def fit_chunks(self, chunks: Chunks) -> Self:
        """Maximise (1) over rows that come in chunks, such as the row groups of a file, in the memory of one chunk.

        The steps are those of `fit` on all rows, from the same start. The start is made from the first chunk, unless
        `weights_init`, `means_init` and covariances (or precisions) give it.

        Parameters
        ----------
        chunks : iterable, or function that returns one
            Of X, or of pairs (X, sample_weight). It is read once for every step, and once more to count; a generator
            can only be read once, so give the function that makes it.

        Returns
        -------
        self
        """
        if self.init_params == "lbg" or self.algorithm == "gradient" or self.cov_floor == "auto":
            raise ValueError(
                "init_params='lbg', algorithm='gradient' and cov_floor='auto' need all rows at once; choose another "
                "start, 'soft' or 'hard', and a number"
            )
        read = read_chunks(chunks)
        X, weights = next(read(), (np.empty((0, 1)), None))
        steps = self._steps(mixture_rows(self, X, reset=True), weights)
        if steps.on_empty == "reseed":
            raise ValueError("on_empty='reseed' needs all rows at once; choose 'keep', 'drop' or 'raise'")
        chunked = ChunkedEM(steps, read, lambda X, weights: self._steps(mixture_rows(self, X), weights))
        with fit_tasks(self, "iteration", self._most_iterations()) as told:
            result = self._by_em(chunked, self._starts(steps, told), told)
            return self._finish(result, chunked)

    def partial_fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from one more chunk, by stepwise EM: each is seen once. The first one is fitted, unless `fit` was.

        A component that a chunk leaves without rows is kept under ``on_empty="drop"``: later ones may have its rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self

        Notes
        -----
        Cappé, O. & Moulines, E. (2009). On-line expectation-maximization algorithm for latent data models.
        doi:10.1111/j.1467-9868.2009.00698.x
        """
        if "weights_" not in vars(self):
            return self.fit(X, sample_weight=sample_weight)
        steps = self._steps(mixture_rows(self, X), sample_weight)
        steps = replace(steps, on_empty="keep") if steps.on_empty == "drop" else steps
        self._n_chunks += 1
        result, self._average = step_after_chunk(steps, self._theta(), self._average, self._n_chunks)
        return self._set(result, steps)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Moments:
        """Expected weight, mean and scatter of every component, as `Moments`; those of batches add."""
        check_is_fitted(self)
        X = mixture_rows(self, X)
        return self._steps(X, sample_weight).e_step(self._theta())[0].moments

    def m_step(self, statistics: Moments) -> NormalMixture:
        """The parameters that maximise the expected likelihood given `statistics`, as a `NormalMixture`."""
        check_is_fitted(self)
        steps = replace(self._steps(np.empty((0, self.n_features_in_)), None), on_empty="keep")
        # A component that is kept does not begin anew.
        return cast(NormalMixture, steps.m_step(Responsibilities(statistics, np.nan)))

    def stationarity_gap(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The largest change of a weight, mean or covariance by one more step of EM, regularised as the fit was."""
        check_is_fitted(self)
        X = mixture_rows(self, X)
        steps, theta = replace(self._steps(X, sample_weight), on_empty="keep"), self._theta()
        after = cast(NormalMixture, steps.m_step(steps.e_step(theta)[0]))
        pairs = [
            (theta.weights, after.weights),
            (theta.laws.means, after.laws.means),
            (theta.laws.covariances, after.laws.covariances),
        ]
        return max(float(np.max(np.abs(a - b))) for a, b in pairs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _steps(self, X: Floats, sample_weight: ArrayLike | None) -> GaussianEM:
        kind, given = covariance_kind(self.covariance_type, self.covariances_init)
        self._check_options()
        hard = self.algorithm == "hard"
        k = self.n_components
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((len(X), 0)))
        if weights is not None and not np.all(weights > 0.0):
            # A row of weight zero does not count, even where its density is zero.
            X, weights = X[weights > 0.0], weights[weights > 0.0]
        return GaussianEM(
            X,
            weights,
            kind,
            control=covariance_control(self.reg_covar, self._floor_of(X, weights), self.covariance_prior),
            assignment="hard" if hard else "soft",
            fixed_weights=None if self.fix_weights is None else np.full(k, 1.0 / k),
            fixed_covariances=given,
            on_empty=("reseed" if hard else "keep") if self.on_empty is None else self.on_empty,
            min_count=(2.0 if hard else 1.0) if self.min_count is None else self.min_count,
            n_jobs=self.n_jobs,
        )

    def _check_options(self) -> None:
        """Refuse what the other options leave unused."""
        if self.init_params != "lbg" and self.lbg_alpha != 0.1:
            raise ValueError(
                f"lbg_alpha={self.lbg_alpha!r} is for init_params='lbg'; choose it, or leave lbg_alpha out"
            )
        if self.precisions_init is not None and self.covariances_init is not None:
            raise ValueError("precisions_init and covariances_init exclude each other; give one of them")

    def _floor_of(self, X: Floats, weights: Floats | None) -> float | None:
        """The floor under the covariances; that of "auto" is kept from the first rows on."""
        if not isinstance(self.cov_floor, str):
            return self.cov_floor
        if self._floor is None:
            self._floor = auto_floor(X, weights)
        return self._floor

    def _most_iterations(self) -> int | None:
        """How many iterations all starts take at most; None where mixtures grow, which is not known beforehand."""
        n_starts = 1 if self._goes_on() else self.n_init
        return None if self.init_params == "lbg" else n_starts * self.max_iter

    def _goes_on(self) -> bool:
        return self.warm_start and "weights_" in vars(self)

    def _heard(self, told: Tasks) -> Callback | None:
        """What is called after every iteration, if anything."""
        return told.rows(log_every(self.verbose_interval) if self.verbose else None)

    def _starts(self, steps: GaussianEM, told: Tasks) -> list[NormalMixture]:
        if self._goes_on():
            return [self._theta()]
        if self.init_params == "lbg":
            self.path_ = grow_by_splitting(
                steps,
                self.n_components,
                self.lbg_alpha,
                tol=min(self.tol, _PARTING),
                max_iter=max(self.max_iter, 500),
                callback=self._heard(told),
            )
            return [self.path_[-1]]
        return drawn_starts(self, steps)

    def _by_em(self, steps: GaussianEM | ChunkedEM, starts: list[NormalMixture], told: Tasks) -> Found:
        result = em(
            steps.e_step,
            steps.m_step,
            starts.__getitem__,
            tol=0.0 if self.algorithm == "hard" else self.tol,
            max_iter=max(self.max_iter - 1, 0),
            n_init=len(starts),
            total_weight=steps.total_weight,
            on_decrease="ignore" if steps.control.allows_fall else "warn",
            callback=self._heard(told),
        )
        if self.max_iter == 0:
            return result
        # A warm start gains over the end of the last fit, also where there is but one iteration to compare.
        if self._goes_on() and result.n_iter == 0 and result.stop_reason == "max_iter":
            gain = result.objective / steps.total_weight - vars(self).get("lower_bound_", np.nan)
            if abs(gain) < self.tol:
                result = result._replace(converged=True, stop_reason="tol")
        # The posterior is known, so one more M-step costs nothing; scikit-learn ends with it too.
        last = steps.m_step(result.posterior)
        told.done()
        # A component restarted here would get no further iteration.
        return result if isinstance(last, Restart) else result._replace(theta=last, n_iter=result.n_iter + 1)

    def _by_gradient(self, steps: GaussianEM, starts: list[NormalMixture], told: Tasks) -> Found:
        if self.cov_floor is not None:
            raise ValueError("algorithm='gradient' has no floor under the covariances; leave cov_floor out, or 'soft'")
        # The default means the default of EM; any other number was meant.
        if self.reg_covar not in (0.0, 1e-6):
            raise ValueError(
                f"algorithm='gradient' maximises ℓ itself and adds no reg_covar={self.reg_covar!r}; leave it out, or "
                "choose algorithm='soft'"
            )
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "callback": self._heard(told)}
        results = [fit_by_gradient(steps, theta, **limits) for theta in starts]
        best = max(results, key=lambda result: result.objective)
        return best._replace(restarts=np.array([result.objective for result in results]))

    _ALGORITHMS = {"soft": _by_em, "hard": _by_em, "gradient": _by_gradient}  # noqa: RUF012 - words to methods

    def _finish(self, result: Found, steps: GaussianEM | ChunkedEM) -> Self:
        self._average, self._n_chunks = per_unit(result.posterior.moments), 1
        if self.verbose:
            log_row({name: getattr(result, name) for name in ("n_iter", "objective", "converged", "stop_reason")})
        return self._set(warn_unless_em_converged(result, self.max_iter, stacklevel=4), steps)

    def _set(self, result: Found, steps: GaussianEM | ChunkedEM) -> Self:
        dtype = steps.X.dtype
        laws, total = result.theta.laws, steps.total_weight
        # In double precision: rounded, a narrow covariance may lose its positive definiteness.
        self._fitted = NormalMixture(np.asarray(result.theta.weights), laws)
        self.weights_ = np.asarray(result.theta.weights).astype(dtype)
        self.means_, self.covariances_ = laws.means.astype(dtype), laws.covariances.astype(dtype)
        self.precisions_cholesky_, self.precisions_ = (part.astype(dtype) for part in laws.precisions())
        self.objective_, self.history_, self.restarts_ = result.objective, result.history, result.restarts
        self.lower_bound_ = result.objective / total
        self.lower_bounds_ = list(result.history["objective"] / total)
        self.n_iter_, self.converged_, self.stop_reason_ = result.n_iter, result.converged, result.stop_reason
        self.monotone_, self.n_reseeded_ = result.monotone, result.n_restarts
        fixed = self.covariance_type == "fixed"
        self.n_parameters_ = (
            (laws.means.size if fixed else laws.n_parameters)
            + (len(self.weights_) - 1 if self.fix_weights is None else 0)
        )  # fmt: skip
        return self

    def _theta(self) -> NormalMixture:
        check_is_fitted(self)
        return self._fitted

    def _log_joint(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        X = mixture_rows(self, X)
        return self._theta().log_joint(X, n_jobs=self.n_jobs)

    def _draw(self, counts: Integers, rng: np.random.Generator) -> Floats:
        return self._theta().laws.sample(counts, rng)
