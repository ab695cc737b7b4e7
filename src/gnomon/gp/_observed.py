"""What can be read off a process: draws, and after observations what they say of themselves.

    E f(x) = Σᵢ wᵢ(x) yᵢ,    ‖f̂‖² = aᵀKa,    yᵢ − E(yᵢ | y₋ᵢ) = aᵢ/(A⁻¹)ᵢᵢ,    tr KA⁻¹                   (1)

Rasmussen & Williams (2006), sections 2.6, 5.4.2 and 6.2.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel as PeerKernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Floats, MatrixLike, RandomState
from gnomon.base.estimator import Estimator
from gnomon.gp._inducing import bound_criterion
from gnomon.gp._observations import NoisyRows, Parameters, criterion, lower_factor, named
from gnomon.gp._peer_kernel import Adopted
from gnomon.gp._process import Process
from gnomon.gp._solvers import MOST_DENSE, Effort, solve
from gnomon.infer import Conditioned
from gnomon.kernels import Kernel

__all__ = ["ObservedProcess", "columns_of"]


class ObservedProcess(Estimator, metaclass=ABCMeta):
    """A model that is a Gaussian process before and after observations; a subclass fits it."""

    X_train_: Any
    alpha_: Floats
    kernel_: Kernel | PeerKernel
    log_marginal_likelihood_value_: float
    solver_: str
    _data: NoisyRows
    _known: Floats
    _ndim: int
    _parameters: Parameters
    _process: Process
    _targets: Floats

    @property
    def _found(self) -> Conditioned:
        """The process after its observations, where each of them has a weight."""
        self._check_fitted()
        if self._process.rows is not self._data.rows:
            raise AttributeError(
                "a fit by inducing rows has no weights of single observations; this is for the exact solvers, give "
                "solver='cholesky' or 'cg'"
            )
        assert self._process.found is not None
        return self._process.found

    def _check_fitted(self) -> None:
        # By name: a process answers before a fit too, so that scikit-learn's check passes without one.
        check_is_fitted(self, "X_train_")

    @abstractmethod
    def _law(self, rows: Any) -> Process:
        """The posterior after a fit, the prior before."""

    @abstractmethod
    def _noise_of(self, include_noise: bool | ArrayLike, q: int) -> Floats:
        """Variances of the noise of new observations, of shape (q, 1)."""

    @abstractmethod
    def _rows(self, X: Any) -> Any:
        """New rows, validated."""

    def sample_y(
        self,
        X: MatrixLike | list[Any],
        n_samples: int = 1,
        random_state: RandomState = 0,
        *,
        include_noise: bool = False,
    ) -> Floats:
        """Draws of f at all rows together, from the prior before a fit and from the posterior after it.

        Parameters
        ----------
        X : as in `fit`
        n_samples : int, default=1
        random_state : int, RandomState or None, default=0
        include_noise : bool, default=False
            Draw observations instead of f.

        Returns
        -------
        ndarray of shape (n_queries, n_samples) or (n_queries, n_targets, n_samples)
        """
        rows = self._rows(X)
        noise = self._noise_of(include_noise, len(rows))[:, 0]
        draws = self._law(rows).sample(rows, n_samples, check_random_state(random_state), noise)
        return _of_targets(draws)

    def sample_prior(self, X: MatrixLike | list[Any], n: int = 1, random_state: RandomState = None) -> Floats:
        """Draws of f before any observation, with the kernel that was found where there was a fit.

        Returns
        -------
        ndarray of shape (n_queries, n) or (n_queries, n_targets, n)
        """
        rows = self._rows(X)
        law = self._law(rows)._replace(rows=None, found=None)
        if law.trend.free:
            raise ValueError(
                f"mean={law.trend.given!r} has free coefficients, so that the prior has no mean; give a known one"
            )
        return _of_targets(law.sample(rows, n, check_random_state(random_state)))

    def sample_posterior(
        self, X: MatrixLike | list[Any], n: int = 1, random_state: RandomState = None, *, include_noise: bool = False
    ) -> Floats:
        """Draws of f after the observations; as `sample_y`."""
        self._check_fitted()
        return self.sample_y(X, n, random_state, include_noise=include_noise)

    def log_marginal_likelihood(
        self, theta: ArrayLike | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """log p(y), for other hyper-parameters where θ is given.

        Parameters
        ----------
        theta : array-like, optional
            Logarithms of the hyper-parameters, with that of σ² at the end where it is learned.
        eval_gradient : bool, default=False
            Whether to give the gradient in θ too.
        clone_kernel : bool, default=True
            False sets `kernel_` to that of θ.

        Returns
        -------
        value, or (value, gradient)
        """
        self._check_fitted()
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        values = np.asarray(theta, dtype=float)
        parameters = self._parameters.at(values)
        if not clone_kernel:
            self._set_kernel(parameters)
        if self.solver_ == "inducing":
            value, gradient = bound_criterion(self._data, parameters, self._process.rows)(values)
        elif (n := len(self._data.y)) <= MOST_DENSE:
            value, gradient = criterion(self._data, parameters, "lml")(values)
        elif eval_gradient or self.solver_ == "cg":
            raise ValueError(
                f"solver={self.solver_!r} has no {'gradient of the ' if self.solver_ != 'cg' else ''}evidence for {n} "
                f"rows, more than {MOST_DENSE}; fit fewer rows, or give solver='inducing'"
            )
        else:
            value = solve(self.solver_, parameters, self._data, Effort()).evidence
        return (np.float64(value), gradient) if eval_gradient else np.float64(value)

    def loo_predict(self) -> tuple[Floats, Floats]:
        """E(yᵢ | y₋ᵢ) and the standard deviation of yᵢ given the other rows, without a refit.

        Returns
        -------
        mean, std : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        self._check_fitted()
        left, scale = self._found.left_out(), self._process.scale
        mean = self._known + scale.centre + scale.spread * left.mean
        return columns_of(mean), columns_of(np.sqrt(left.variance)[:, None] * scale.spread)

    def smooth(self) -> Floats:
        """E f at the training rows."""
        self._check_fitted()
        return columns_of(self._process.mean(self.X_train_))

    def smoother_matrix(self) -> Floats:
        """S with E f(X) = Sy for the training rows, where the mean is not a known function."""
        self._check_fitted()
        return self._found_weights(self.X_train_)

    def cardinal_weights(self, X: MatrixLike | list[Any]) -> Floats:
        """w with E f(x) = Σ wᵢ yᵢ for each row, of shape (n_queries, n_samples): the equivalent kernel."""
        self._check_fitted()
        return self._found_weights(self._rows(X))

    def rkhs_norm(self) -> float | Floats:
        """‖f̂‖ = √(aᵀKa) of the mean less its trend, for every target."""
        self._check_fitted()
        found = self._found
        Ka = self._process.at_training_rows(found.coef)
        return columns_of(np.sqrt(np.maximum(np.sum(found.coef * Ka, axis=0), 0.0)) * self._process.scale.spread)[()]

    def map_objective(self, f: ArrayLike | None = None, norm: float | None = None) -> float:
        """Σ wᵢ (yᵢ − f(xᵢ))²/σ² + ‖f‖² of the mean, or of the function whose values and norm are given.

        The mean minimises it over all functions of the kernel. It needs noise on every row.
        """
        self._check_fitted()
        if not np.all(self._parameters.noise.variances > 0.0):
            raise ValueError("map_objective divides by the noise of every row, which is 0 for some; give noise > 0")
        y = self._data.y * self._process.scale.spread
        if f is None:
            f, norm = np.reshape(self.smooth(), y.shape) - self._known - self._process.scale.centre, self.rkhs_norm()
        residuals = y - np.reshape(f, y.shape)
        variances = self._parameters.noise.variances[:, None]
        return float(np.sum(residuals**2 / variances) + np.sum(np.square(np.asarray(norm, dtype=float))))

    @property
    def dual_coef_(self) -> Floats:
        """A⁻¹(y − m)."""
        return self.alpha_

    @property
    def L_(self) -> Floats:
        """The Cholesky factor of A."""
        return lower_factor(self._found)

    @property
    def effective_dof_(self) -> float:
        """tr KA⁻¹ = n − Σ σ²sᵢ (A⁻¹)ᵢᵢ."""
        inverse = self._found.precision.diagonal()
        return len(inverse) - float(self._parameters.noise.variances @ inverse)

    @property
    def loo_residuals_(self) -> Floats:
        """yᵢ − E(yᵢ | y₋ᵢ)."""
        return columns_of(self._targets) - self.loo_predict()[0]

    def relevance(self) -> dict[str, float]:
        """1/ℓ for every length scale of the kernel, by its name: how fast f changes along a column."""
        self._check_fitted()
        values = np.exp(self._parameters.theta)
        return {
            name: 1.0 / float(v)
            for name, v in zip(named(self._parameters), values, strict=True)
            if "length_scale" in name
        }

    def hyperparameters(self) -> tuple[Floats, list[str]]:
        """θ, the logarithms of the hyper-parameters that were free, and their names, the noise last."""
        self._check_fitted()
        return self._parameters.theta, named(self._parameters)

    def _set_kernel(self, parameters: Parameters) -> None:
        kernel = parameters.kernel
        self.kernel_ = kernel.peer if isinstance(kernel, Adopted) else kernel

    def _found_weights(self, rows: Any) -> Floats:
        return self._process._replace(found=self._found).weights(rows)

    def _shaped(self, values: Floats) -> Any:
        """Of the shape of y: without the axis of targets where y had none."""
        return values[..., 0] if self._ndim == 1 else values


def columns_of(values: Floats) -> Any:
    """What is said of new values: without the axis of targets where there is one target, as scikit-learn has it."""
    return values[..., 0] if values.shape[-1] == 1 else values


def _of_targets(draws: Floats) -> Floats:
    """Without the axis of targets where there is one of them."""
    return draws[:, 0] if draws.shape[1] == 1 else draws
