"""Gaussian process regression.

    f ~ GP(m, k),  yᵢ = f(xᵢ) + εᵢ,  εᵢ ~ N(0, σ²/wᵢ),  A = K + σ²W⁻¹                                    (1)
    f(x) | y ~ N( m(x) + k(x)ᵀA⁻¹(y − m),  k(x, x) − k(x)ᵀA⁻¹k(x) )                                       (2)

Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, algorithm 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.gaussian_process.kernels import Kernel as PeerKernel
from sklearn.utils import Tags, assert_all_finite, check_random_state

from gnomon._typing import ArrayLike, Count, CountOrZero, Floats, MatrixLike, Positive, RandomState
from gnomon.base import kernel_rows, take_rows
from gnomon.base.rows import stack_rows
from gnomon.distributions import Distribution
from gnomon.gp._inducing import tune_bound
from gnomon.gp._noise import NoiseLike, more_noise, new_noise
from gnomon.gp._observations import NoisyRows, Parameters, Tune, criterion, named, scored_evidence
from gnomon.gp._observed import ObservedProcess, columns_of
from gnomon.gp._peer_kernel import adopt
from gnomon.gp._process import Process, TargetScale
from gnomon.gp._reading import Reading, normalised, read_observations, some_noise
from gnomon.gp._solvers import MOST_DENSE, Effort, Solved, Solver, choose_solver, solve
from gnomon.gp._trend import MeanLike, read_trend
from gnomon.gp._tuning import Optimizer, Tuned, tune
from gnomon.kernels import RBF, Constant, Kernel
from gnomon.numerics.weights import check_weights

__all__ = ["GaussianProcessRegressor"]

DEFAULT = Constant(1.0) * RBF(1.0)
KernelOfProcess: TypeAlias = Kernel | PeerKernel | None


class GaussianProcessRegressor(MultiOutputMixin, RegressorMixin, ObservedProcess):
    """Regression by a Gaussian process, equations (1) and (2).

    Takes scikit-learn's parameters with their meaning; those below `random_state` are further ones. The mean is also
    the minimiser of (1/σ²) Σ wᵢ (yᵢ − f(xᵢ))² + ‖f‖² over the functions of the kernel, that is kernel ridge regression
    with λ = σ². Hyper-parameters of the kernel that are not fixed are found at the maximum of log p(y).

    Parameters
    ----------
    kernel : Kernel, optional
        One of `gnomon.kernels` or of scikit-learn; by default c exp(−½‖x − x'‖²/ℓ²), from c = ℓ = 1.
    alpha : float or array-like of shape (n_samples,), default=1e-10
        σ² of (1), or one variance for each row.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        Which search maximises the criterion; None leaves the kernel as it is. "fmin_l_bfgs_b" is the built-in one:
        steps by the average information where the criterion has it (tune="lml" with an exact solver and up to 8
        targets), else, and where these steps end without a maximum, L-BFGS-B. A function is called as
        ``optimizer(cost, start, bounds=bounds)`` and returns the best θ and its cost.
    n_restarts_optimizer : int, default=0
        Further searches, from points drawn uniformly between the bounds of log θ.
    normalize_y : bool, default=False
        Centre and scale the targets; the kernel and `alpha` are then in units of their standard deviation. Where `mean`
        is known, it is the centre, and the unit is the root of the mean squared deviation from it.
    copy_X_train : bool, default=True
    n_targets : int, optional
        Columns of y, for draws before a fit.
    random_state : int, RandomState or None, default=None
    noise : float, array-like of shape (n_samples,), or "learn", optional
        Another name of `alpha`; "learn" finds σ² together with the kernel.
    mean : float, "constant", "linear" or callable, optional
        m of (1), 0 by default. A number, or a function that gives a value for each row, is known; "constant" and
        "linear" have coefficients that are estimated, and so has a function that gives several columns. Geostatistics
        says "simple" (zero), "ordinary" (constant) and "universal" (linear) kriging, which are other names here; the
        nugget is `noise`.
    tune : {"lml", "loo"}, default="lml"
        What is maximised: log p(y) (of what a drift leaves, where there is one), or Σ log p(yᵢ | y₋ᵢ).
    prior : dict of str to Distribution, optional
        Laws of log θ by the names of hyper-parameters ("k2__length_scale", "noise"), added to the criterion.
    solver : {"auto", "cholesky", "sparse", "cg", "kronecker", "inducing"}, default="auto"
        How systems with A are solved; `solver_` says what "auto" chose. "inducing", the only one that is not exact,
        sees the rows through `n_inducing` of them: `log_marginal_likelihood_value_` is then Titsias' lower bound,
        which the search maximises, and `evidence_gap_` and `missing_variance_` say what it costs.
    n_jobs : int, optional
        Threads for restarts.
    n_inducing : int, default=500
        Most rows for solver="inducing".
    solver_tol : float, default=1e-10
        ‖Aa − y‖/‖y‖ at which solver="cg" ends.
    solver_max_iter : int, optional
        Iterations of solver="cg"; 10n by default.

    Attributes
    ----------
    kernel_ : Kernel
        With the hyper-parameters that were found.
    X_train_, y_train_ : ndarray
        Rows, without later ones of equal noise-free ones, and targets, normalised if they were.
    alpha_, dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        A⁻¹(y − m), under both names.
    L_ : ndarray of shape (n_samples, n_samples)
        The Cholesky factor of A, where there is one.
    noise_ : float or ndarray
        σ², in units of the normalised targets.
    beta_ : ndarray of shape (p,) or (p, n_targets)
        Coefficients of the drift.
    log_marginal_likelihood_value_ : float
        log p(y); NaN with solver="cg", which does not find log |A|.
    jitter_ : float
        What was added to the diagonal of A to make it positive definite; a warning says it too.
    solver_ : str
    solver_residuals_ : ndarray of shape (n_iterations + 1,)
        ‖Aa − y‖/‖y‖ before the first iteration of solver="cg" and after each, the largest over targets; else empty.
    evidence_gap_ : float
        What log p(y) can be larger than `log_marginal_likelihood_value_` by, proved; 0 where the solver is exact.
    missing_variance_ : float
        Share of the prior variance of the rows that inducing ones do not explain; 0 where the solver is exact.
    objective_ : float
        The criterion at the end, priors included.
    gradient_norm_ : float
        Its largest slope along a hyper-parameter that no bound stops.
    converged_ : bool
    n_iter_ : int
    stop_reason_ : str
    history_ : dict
        "iteration" and "objective" of the search that was kept.
    restarts_ : ndarray
        The criterion at the end of every search.
    effective_dof_ : float
        tr KA⁻¹.
    loo_residuals_ : ndarray
        yᵢ − E(yᵢ | y₋ᵢ).
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning. MIT Press.

    Examples
    --------
    Two observations without noise; between them (2) is k(x)ᵀK⁻¹y with variance k(x, x) − k(x)ᵀK⁻¹k(x):

    >>> import numpy as np
    >>> from gnomon.gp import GaussianProcessRegressor
    >>> X, y = np.array([[0.0], [1.0]]), np.array([1.0, 2.0])
    >>> model = GaussianProcessRegressor(noise=0.0, optimizer=None).fit(X, y)
    >>> mean, std = model.predict([[0.5]], return_std=True)
    >>> mean.round(7), (std**2).round(7)
    (array([1.6479553]), array([0.0304564]))
    >>> K, k = np.exp(-0.5 * (X - X.T) ** 2), np.exp(-0.5 * (X - 0.5) ** 2)
    >>> (k.T @ np.linalg.solve(K, y)).round(7), (1.0 - k.T @ np.linalg.solve(K, k)).round(7)
    (array([1.6479553]), array([[0.0304564]]))
    """

    kernel_: Kernel | PeerKernel
    X_train_: Any
    y_train_: Floats

    def __init__(
        self,
        kernel: KernelOfProcess = None,
        *,
        alpha: float | ArrayLike = 1e-10,
        optimizer: Optimizer = "fmin_l_bfgs_b",
        n_restarts_optimizer: CountOrZero = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: Count | None = None,
        random_state: RandomState = None,
        noise: NoiseLike = None,
        mean: MeanLike = None,
        tune: Tune = "lml",
        prior: Mapping[str, Distribution] | None = None,
        solver: Solver = "auto",
        n_jobs: int | None = None,
        n_inducing: Count = 500,
        solver_tol: Positive = 1e-10,
        solver_max_iter: Count | None = None,
    ):
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.noise = noise
        self.mean = mean
        self.tune = tune
        self.prior = prior
        self.solver = solver
        self.n_jobs = n_jobs
        self.n_inducing = n_inducing
        self.solver_tol = solver_tol
        self.solver_max_iter = solver_max_iter

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the hyper-parameters and condition the process on the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
            w of (1): yᵢ counts as the mean of wᵢ observations. How much these differed is not known, and says nothing
            of σ² where that is learned.

        Returns
        -------
        self
        """
        kernel = adopt(DEFAULT if self.kernel is None else self.kernel)
        rows, y = kernel_rows(
            self, X, y, kernel=kernel, multi_output=True, y_numeric=True, copy=self.copy_X_train, dtype=float
        )
        Y = _targets(y)
        self._check_targets(Y)
        self._ndim, self._trend = np.ndim(y), read_trend(self.mean, rows)
        read = read_observations(
            rows,
            Y,
            kernel.located(vars(self).get("feature_names_in_")),
            self._trend,
            sample_weight,
            alpha=self.alpha,
            noise=self.noise,
            normalize=self.normalize_y,
        )
        solver = choose_solver(self.solver, read.parameters, read.data)
        found = self._search(read.data, read.parameters, solver)
        parameters = read.parameters if found is None else read.parameters.at(found.theta)
        self._keep(read, parameters, solve(solver, parameters, read.data, self._effort()))
        self._certify(found)
        return self

    def predict(
        self,
        X: MatrixLike | list[Any],
        return_std: bool = False,
        return_cov: bool = False,
        *,
        include_noise: bool | ArrayLike = False,
    ) -> Any:
        """The mean of f at each row, and its standard deviation or joint covariance; before a fit those of the prior.

        Parameters
        ----------
        X : as in `fit`
        return_std, return_cov : bool, default=False
            At most one of them.
        include_noise : bool or array-like of shape (n_queries,), default=False
            Whether the law of an observation is meant, with σ² added, instead of that of f. An array has the variances
            of the noise, which must be given where those of the training rows were.

        Returns
        -------
        mean, or (mean, std), or (mean, cov)
            Of shape (n_queries,), (n_queries, n_targets) and so on.
        """
        if return_std and return_cov:
            raise RuntimeError("at most one of return_std and return_cov can be requested; ask for one of them")
        rows = self._rows(X)
        process = self._law(rows)
        if not (return_std or return_cov):
            return columns_of(process.mean(rows))
        extra = self._noise_of(include_noise, len(rows)) * process.scale.spread**2
        if return_cov:
            C = process.covariance(rows)
            C[np.diag_indices(len(rows))] += extra
            return columns_of(process.mean(rows)), columns_of(C)
        mean, variance = process.moments(rows)
        return columns_of(mean), columns_of(np.sqrt(variance + extra))

    def update(
        self,
        X: MatrixLike | list[Any],
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        noise: float | ArrayLike | None = None,
    ) -> Self:
        """Condition on further rows, with the hyper-parameters that were found: the same as a fit to all rows.

        A Cholesky factor grows by the new rows, in O(n²) operations for each. What is said of the search for
        hyper-parameters (`objective_`, `converged_`, `history_` …) stays that of the fit.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        noise : float or array-like, optional
            Variances of the noise of the new rows, needed where those of the training rows were an array.

        Returns
        -------
        self
        """
        self._check_fitted()
        rows, y = kernel_rows(
            self, X, y, kernel=self._parameters.kernel, reset=False, multi_output=True, y_numeric=True, dtype=float
        )
        new = _targets(y)
        if new.shape[1] != self._targets.shape[1]:
            raise ValueError(f"y has {new.shape[1]} targets and the fit had {self._targets.shape[1]}; give as many")
        weights = check_weights(sample_weight, new)
        kept = np.flatnonzero(weights > 0.0)
        rows, new, weights = take_rows(rows, kept), new[kept], weights[kept]
        noises = more_noise(self._parameters.noise, some_noise(noise, kept), new, weights, self._has_level())
        read = normalised(
            stack_rows(self.X_train_, rows),
            np.vstack([self._targets, new]),
            np.append(self._weights, weights),
            Parameters(self._parameters.kernel, noises),
            self._trend,
            self.normalize_y,
        )
        solver = choose_solver(self.solver, read.parameters, read.data)
        before = self._process.found
        solved = solve(solver, read.parameters, read.data, self._effort(), before and before.precision)
        self._keep(read, read.parameters, solved)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def _effort(self) -> Effort:
        return Effort(self.n_inducing, self.solver_tol, self.solver_max_iter)

    def _check_targets(self, Y: Floats) -> None:
        if self.n_targets is not None and Y.shape[1] != self.n_targets:
            raise ValueError(
                f"The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {Y.shape[1]} != {self.n_targets}."
            )

    def _search(self, data: NoisyRows, start: Parameters, solver: str) -> Tuned | None:
        """The hyper-parameters at the maximum of the criterion; None where none is free."""
        if self.optimizer is None or not len(start.theta):
            return None
        options: dict[str, Any] = {
            "optimizer": self.optimizer,
            "n_restarts": self.n_restarts_optimizer,
            "rng": check_random_state(self.random_state),
            "names": named(start),
            "n_jobs": self.n_jobs,
        }
        if solver == "inducing":
            if self.tune != "lml":
                raise ValueError(f"tune={self.tune!r} needs an exact solver; solver='inducing' has tune='lml' alone")
            return tune_bound(data, start, self.n_inducing, self.prior, options)
        if len(data.y) > MOST_DENSE:
            raise ValueError(
                f"solver={solver!r} has no gradient of the evidence for {len(data.y)} rows, more than {MOST_DENSE}; "
                "give optimizer=None with hyper-parameters that were found on fewer rows, or solver='inducing'"
            )
        options["scored"] = scored_evidence(data, start, self.tune, self.prior)
        return tune(criterion(data, start, self.tune, self.prior), start.theta, start.bounds, **options)

    def _keep(self, read: Reading, parameters: Parameters, solved: Solved) -> None:
        """The fitted attributes."""
        data, found, cost = read.data, solved.found, solved.approximation
        self._data, self._parameters, self._targets, self._known = data, parameters, read.targets, read.known
        self._weights = read.weights
        self._process = Process(parameters.kernel, self._trend, read.scale, solved.rows, found)
        self._set_kernel(parameters)
        self.X_train_, self.y_train_ = data.rows, self._shaped(data.y)
        self.alpha_, self.beta_ = self._shaped(found.coef), self._shaped(self._trend.coefficients(found.drift))
        self.jitter_, self.solver_, self.solver_residuals_ = found.precision.jitter, solved.name, solved.residuals
        self.log_marginal_likelihood_value_ = solved.evidence
        self.evidence_gap_ = 0.0 if cost is None else cost.gap
        self.missing_variance_ = 0.0 if cost is None else cost.missing
        noise = parameters.noise
        self.noise_ = (
            noise.level if np.all(noise.shares == noise.shares[:1]) and noise.shares[0] == 1.0 else noise.variances
        )
        self.n_parameters_ = len(data.y)
        solved.warn(self.n_inducing)

    def _certify(self, found: Tuned | None) -> None:
        """What the search for hyper-parameters ended with."""
        self.objective_ = self.log_marginal_likelihood_value_ if found is None else found.value
        self.gradient_norm_ = 0.0 if found is None else found.slope
        self.converged_ = True if found is None else found.converged
        self.stop_reason_ = "tol" if found is None else found.reason
        self.n_iter_ = 0 if found is None else found.n_iter
        path = np.array([self.objective_]) if found is None else found.history
        self.history_ = {"iteration": np.arange(1, len(path) + 1), "objective": path}
        self.restarts_ = np.array([self.objective_]) if found is None else found.values

    def _rows(self, X: Any) -> Any:
        kernel = adopt(DEFAULT if self.kernel is None else self.kernel)
        return kernel_rows(self, X, kernel=kernel, reset="X_train_" not in vars(self), dtype=float)

    def _law(self, rows: Any) -> Process:
        """The posterior after a fit, the prior before."""
        if "_process" in vars(self):
            return self._process
        kernel = adopt(DEFAULT if self.kernel is None else self.kernel)
        m = self.n_targets or 1
        return Process(kernel, read_trend(self.mean, rows), TargetScale(np.zeros(m), np.ones(m)))

    def _noise_of(self, include_noise: bool | ArrayLike, q: int) -> Floats:
        """Variances of the noise of new observations, of shape (q, 1)."""
        given = self.alpha if self.noise is None else self.noise
        level = self._parameters.noise.level if self._has_level() and "_parameters" in vars(self) else given
        return new_noise(include_noise, q, level)

    def _has_level(self) -> bool:
        """Whether the noise of all rows is one number, weights aside."""
        return np.ndim(self.alpha if self.noise is None else self.noise) == 0


def _targets(y: ArrayLike) -> Floats:
    """A column of finite numbers for each target."""
    assert_all_finite(found := np.asarray(y, dtype=float), input_name="y")
    return found.reshape(len(found), -1)
