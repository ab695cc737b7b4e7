"""Gaussian process classification.

    z ~ GP(0, k),    P(y | x, D) = ∫ p(y | z) N(z; m(x), v(x)) dz                                       (1)

with m and v of Laplace's approximation: `gnomon.infer.laplace_classes` for two classes, and for several either one
process for each class against the rest, one for each pair, or `laplace_softmax` for all together. Williams & Barber
(1998), doi:10.1109/34.735807; Rasmussen & Williams (2006), chapter 3.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassifierMixin, clone
from sklearn.gaussian_process.kernels import CompoundKernel
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Count, CountOrZero, Floats, Integers, MatrixLike, RandomState
from gnomon.base import kernel_rows, take_rows
from gnomon.base.estimator import Estimator
from gnomon.gp._class_fit import (
    ClassProblem,
    EvidenceSearch,
    LatentProcess,
    SignedLabels,
    SoftmaxLabels,
    evidence_of,
    fit_latent,
)
from gnomon.gp._peer_kernel import Adopted, adopt
from gnomon.gp._softmax_average import softmax_by_draws, softmax_by_quadrature
from gnomon.gp._tuning import Optimizer
from gnomon.gp.regressor import KernelOfProcess
from gnomon.infer import CLASS_LINKS
from gnomon.kernels import RBF, Constant, refuse_off_grid
from gnomon.numerics.coding import class_pairs, label_index, pair_sums
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.weights import check_weights

__all__ = ["GaussianProcessClassifier"]

DEFAULT = Constant(1.0, value_bounds="fixed") * RBF(1.0, length_scale_bounds="fixed")
MultiClass: TypeAlias = Literal["one_vs_rest", "one_vs_one", "softmax"]
Integration: TypeAlias = Literal["erf", "quadrature", "mackay", "mode"]


class GaussianProcessClassifier(ClassifierMixin, Estimator):
    """Classification by a latent Gaussian process, equation (1).

    Takes scikit-learn's parameters with their meaning; those below `n_jobs` are further ones. The mode of the scores is
    found by Newton's method, the hyper-parameters of the kernel at the maximum of Laplace's evidence.

    Parameters
    ----------
    kernel : Kernel, optional
        One of `gnomon.kernels` or of scikit-learn; by default exp(−½‖x − x'‖²), with nothing to learn.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
    n_restarts_optimizer : int, default=0
    max_iter_predict : int, default=100
        Newton iterations for a mode.
    warm_start : bool, default=False
        Start the first search for a mode where the last fit ended.
    copy_X_train : bool, default=True
    random_state : int, RandomState or None, default=None
        For starts of the optimiser, and for draws with ``multi_class="softmax"``.
    multi_class : {"one_vs_rest", "one_vs_one", "softmax"}, default="one_vs_rest"
        "one_vs_one" gives no probabilities.
    n_jobs : int, optional
        Threads for the problems of two classes.
    link : {"logit", "probit"}, default="logit"
        p(y | z) = σ(yz) or Φ(yz); with "softmax" the logit link of several classes.
    integration : {"erf", "quadrature", "mackay", "mode"}, default="erf"
        How (1) is integrated for the logit link: a sum of five error functions (errors up to 4e-4), exactly,
        σ(m/√(1 + πv/8)), or at the mode. The probit link has a closed form, which "erf" and "quadrature" mean there.
        With ``multi_class="softmax"`` "erf" stands for a mean over draws of the scores, and "quadrature" for a product
        of rules along all directions, for four classes at most. "mackay" is of a logistic score alone.
    n_draws : int, default=1000
        Pairs of draws, for integration="erf" with ``multi_class="softmax"``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    kernel_ : Kernel
        With the hyper-parameters that were found; for several problems a tuple, of scikit-learn's kernels a
        CompoundKernel.
    log_marginal_likelihood_value_ : float
        log q(y), the mean over the problems.
    mode_ : ndarray of shape (n_samples,), or (n_classes, n_samples) with "softmax", or a list for several problems
        ẑ.
    n_iter_ : int
        Newton iterations, the most of all problems.
    converged_ : bool
    stop_reason_ : str
        Of the search for hyper-parameters, or "max_iter" where one for a mode took all its iterations, and "no_change"
        where no step went on from another point.
    objective_ : float
        As `log_marginal_likelihood_value_`.
    gradient_norm_ : float
        The largest slope of log q(y) along a hyper-parameter that no bound stops.
    restarts_ : ndarray, or list for several problems
        log q(y) at the end of every search.
    history_ : dict, or list for several problems
        "iteration" and "objective", which is log p(y | z) − ½zᵀK⁻¹z, of the last search for a mode.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, chapter 3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.gp import GaussianProcessClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> model = GaussianProcessClassifier(integration="quadrature").fit(X, y)
    >>> round(model.log_marginal_likelihood_value_, 6), model.predict_proba([[2.5]]).round(6)
    (-2.732538, array([[0.385681, 0.614319]]))
    >>> mean, variance = model.predict_latent([[2.5]])
    >>> mean.round(6), variance.round(6)
    (array([0.538041]), array([0.723578]))
    """

    classes_: Array

    def __init__(
        self,
        kernel: KernelOfProcess = None,
        *,
        optimizer: Optimizer = "fmin_l_bfgs_b",
        n_restarts_optimizer: CountOrZero = 0,
        max_iter_predict: Count = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: RandomState = None,
        multi_class: MultiClass = "one_vs_rest",
        n_jobs: int | None = None,
        link: Literal["logit", "probit"] = "logit",
        integration: Integration = "erf",
        n_draws: Count = 1000,
    ):
        self.kernel = kernel
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.link = link
        self.integration = integration
        self.n_draws = n_draws

    def fit(self, X: MatrixLike | list[Any], y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the hyper-parameters and the mode of the latent scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or a list of objects for a kernel of pairs
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of log p(yᵢ | zᵢ).

        Returns
        -------
        self
        """
        kernel = adopt(DEFAULT if self.kernel is None else self.kernel)
        rows, y = kernel_rows(self, X, y, kernel=kernel, copy=self.copy_X_train, dtype=float)
        index, self.classes_ = label_index(y)
        self.n_classes_ = len(self.classes_)
        self._check_classes()
        w = check_weights(sample_weight, np.empty((len(index), 1)))
        if not np.all(w > 0.0):
            kept = np.flatnonzero(w > 0.0)
            rows, index, w = take_rows(rows, kept), index[kept], w[kept]
        kernel = kernel.located(vars(self).get("feature_names_in_"))
        refuse_off_grid(kernel, rows)
        problems = self._problems(rows, index, w)
        starts = self._starts(problems)
        self._parts = map_chunks(
            lambda job: fit_latent(kernel, job[0], self._search(), job[1]),
            list(zip(problems, starts, strict=True)),
            self.n_jobs or 1,
        )
        self._set()
        return self

    def predict(self, X: MatrixLike | list[Any]) -> Array:
        """The most probable class; of two that with the score k(x)ᵀ∇ log p of its sign, without a variance.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        rows = self._rows(X)
        if self.n_classes_ == 2 and self.multi_class != "softmax":
            return self.classes_[(self._parts[0].mean(rows) > 0.0).astype(np.intp)]
        if self.multi_class == "one_vs_one":
            return self.classes_[np.argmax(self._votes(rows), axis=1)]
        return self.classes_[np.argmax(self._probabilities(rows), axis=1)]

    def predict_proba(self, X: MatrixLike | list[Any]) -> Floats:
        """(1) for every class.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        check_is_fitted(self)
        if self.n_classes_ > 2 and self.multi_class == "one_vs_one":
            raise ValueError("multi_class='one_vs_one' does not give probabilities; choose 'one_vs_rest' or 'softmax'")
        return self._probabilities(self._rows(X))

    def predict_latent(self, X: MatrixLike | list[Any]) -> tuple[Floats, Floats]:
        """Mean and variance of the latent scores: a column per problem, none of two classes.

        With ``multi_class="softmax"`` the second are covariance matrices of shape (n_queries, n_classes, n_classes).
        """
        rows = self._rows(X)
        parts = [(part.mean(rows), part.spread(rows)) for part in self._parts]
        if len(parts) == 1:
            return parts[0]
        means, variances = zip(*parts, strict=True)
        return np.column_stack(means), np.column_stack(variances)

    def latent_mean_and_variance(self, X: MatrixLike | list[Any]) -> tuple[Floats, Floats]:
        """As `predict_latent`, for two classes."""
        check_is_fitted(self)
        if self.n_classes_ > 2:
            raise ValueError(
                f"latent_mean_and_variance is for two classes and there are {self.n_classes_}; use predict_latent"
            )
        return self.predict_latent(X)

    def log_marginal_likelihood(
        self, theta: ArrayLike | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """log q(y), the mean over problems, for other hyper-parameters where θ is given.

        Parameters
        ----------
        theta : array-like, optional
            For one kernel, or for those of all problems one after another.
        eval_gradient : bool, default=False
            For one problem.
        clone_kernel : bool, default=True
            False sets `kernel_` to that of θ.

        Returns
        -------
        value, or (value, gradient)
        """
        check_is_fitted(self)
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        if eval_gradient and len(self._parts) > 1:
            raise NotImplementedError("the gradient is for one problem; there are several, ask for the value alone")
        values = np.asarray(theta, dtype=float)
        p = len(self._parts[0].kernel.theta)
        n = len(self._parts)
        if len(values) not in (p, p * n):
            for_all = f", or {p * n} for all problems" if n > 1 else ""
            raise ValueError(f"theta has {len(values)} entries; it must have {p}{for_all}")
        each = [values] * n if len(values) == p else np.split(values, n)
        kernels = [part.kernel.with_theta(t) for part, t in zip(self._parts, each, strict=True)]
        found = [evidence_of(kernel, part.problem) for kernel, part in zip(kernels, self._parts, strict=True)]
        if not clone_kernel:
            self._parts = [part._replace(kernel=kernel) for part, kernel in zip(self._parts, kernels, strict=True)]
        value = np.mean([v for v, _, _ in found])
        return (value, found[0][1]) if eval_gradient else value

    @property
    def kernel_(self) -> Any:
        """With the hyper-parameters that were found."""
        kernels = tuple(part.kernel for part in self._parts)
        peers = [kernel.peer for kernel in kernels if isinstance(kernel, Adopted)]
        if len(kernels) == 1:
            return peers[0] if peers else kernels[0]
        return CompoundKernel(peers) if peers else kernels

    @property
    def base_estimator_(self) -> Any:
        """The model itself for two classes; for several scikit-learn's reduction of fitted models of two classes.

        With ``multi_class="softmax"`` there are no such parts.
        """
        check_is_fitted(self)
        if self.n_classes_ == 2:
            return self
        if self.multi_class == "softmax":
            raise AttributeError("multi_class='softmax' is one model of all classes and has no base_estimator_")
        found = {"one_vs_rest": OneVsRestClassifier, "one_vs_one": OneVsOneClassifier}[self.multi_class](clone(self))
        found.classes_, found.n_features_in_ = self.classes_, self.n_features_in_
        found.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(self.classes_)
        found.estimators_, found.pairwise_indices_ = [copy(self) for _ in self._parts], None
        for model, part in zip(found.estimators_, self._parts, strict=True):
            model._parts, model.classes_, model.n_classes_ = [part], np.arange(2), 2
            model._set()
        return found

    @property
    def mode_(self) -> Any:
        """ẑ of each problem."""
        return _each([part.posterior.mode for part in self._parts])

    @property
    def history_(self) -> Any:
        """ψ after each Newton iteration."""
        paths = [part.posterior.history for part in self._parts]
        return _each([{"iteration": np.arange(1, len(path) + 1), "objective": path} for path in paths])

    @property
    def restarts_(self) -> Any:
        """log q(y) at the end of every search."""
        return _each(
            [
                np.array([part.posterior.log_evidence]) if part.tuned is None else part.tuned.values
                for part in self._parts
            ]
        )

    def _check_classes(self) -> None:
        if self.n_classes_ < 2:
            raise ValueError(
                "GaussianProcessClassifier requires 2 or more distinct classes; got 1 class (only class "
                f"{self.classes_[0]} is present)"
            )
        if self.multi_class == "softmax" and self.link != "logit":
            raise ValueError(f"link={self.link!r} is for two classes; multi_class='softmax' has link='logit' alone")
        if self.integration == "mackay" and (self.multi_class == "softmax" or self.link == "probit"):
            raise ValueError(
                "integration='mackay' is of a single logistic score, and there is none with "
                f"link={self.link!r} and multi_class={self.multi_class!r}; choose 'quadrature' or 'mode'"
            )

    def _problems(self, rows: Any, index: Integers, w: Floats) -> list[ClassProblem]:
        """Rows, labels and weights of each process."""
        if self.multi_class == "softmax":
            return [ClassProblem(rows, SoftmaxLabels(index, self.n_classes_, w, self.max_iter_predict))]
        link = CLASS_LINKS[self.link]
        if self.multi_class == "one_vs_one" and self.n_classes_ > 2:
            sides = [((index == i) | (index == j), index == j) for i, j in class_pairs(self.n_classes_)]
        else:
            every = np.ones(len(index), dtype=bool)
            sides = [(every, index == c) for c in ([1] if self.n_classes_ == 2 else range(self.n_classes_))]
        found = []
        for members, positive in sides:
            some = np.flatnonzero(members)
            signs = np.where(positive[some], 1.0, -1.0)
            found.append(ClassProblem(take_rows(rows, some), SignedLabels(signs, link, w[some], self.max_iter_predict)))
        return found

    def _starts(self, problems: list[ClassProblem]) -> list[Any]:
        """The posteriors of the last fit, where they are wanted and have as many rows and classes; else None."""
        before = [part.posterior for part in vars(self).get("_parts", [])] if self.warm_start else []
        before = before if len(before) == len(problems) else [None] * len(problems)
        return [
            start if start is not None and start.mode.shape == problem.labels.shape else None
            for start, problem in zip(before, problems, strict=True)
        ]

    def _search(self) -> EvidenceSearch:
        return EvidenceSearch(self.optimizer, self.n_restarts_optimizer, check_random_state(self.random_state))

    def _set(self) -> None:
        parts = self._parts
        self.log_marginal_likelihood_value_ = float(np.mean([part.posterior.log_evidence for part in parts]))
        self.objective_ = self.log_marginal_likelihood_value_
        self.n_iter_ = max(part.posterior.n_iter for part in parts)
        tuned = [part.tuned for part in parts if part.tuned is not None]
        self.gradient_norm_ = max((found.slope for found in tuned), default=0.0)
        reasons = [found.reason for found in tuned]
        if not all(part.posterior.converged for part in parts):
            reasons.append("max_iter" if self.n_iter_ >= self.max_iter_predict else "no_change")
        self.stop_reason_ = next((reason for reason in reasons if reason != "tol"), "tol")
        self.converged_ = self.stop_reason_ == "tol"

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        kernel = adopt(DEFAULT if self.kernel is None else self.kernel)
        return kernel_rows(self, X, kernel=kernel, reset=False, dtype=float)

    def _probabilities(self, rows: Any) -> Floats:
        if self.multi_class == "softmax":
            return self._softmax_average(self._parts[0], rows)
        link = CLASS_LINKS[self.link]
        each = [link.average(part.mean(rows), part.spread(rows), self.integration) for part in self._parts]
        if len(each) == 1:
            return np.column_stack([1.0 - each[0], each[0]])
        found = np.column_stack(each)
        total = found.sum(axis=1, keepdims=True)
        return found / np.where(total > 0.0, total, 1.0)

    def _softmax_average(self, part: LatentProcess, rows: Any) -> Floats:
        """(1) of all classes together."""
        mean = part.mean(rows)
        if self.integration == "mode":
            return softmax(mean, axis=1)
        if self.integration == "quadrature":
            return softmax_by_quadrature(mean, part.spread(rows))
        seed = self.random_state if isinstance(self.random_state, int | np.integer) else 0
        return softmax_by_draws(mean, part.spread(rows), self.n_draws, int(seed))

    def _votes(self, rows: Any) -> Floats:
        """Votes of all pairs, and a share below one half of a vote for their confidence, as scikit-learn counts."""
        link = CLASS_LINKS[self.link]
        means = np.column_stack([part.mean(rows) for part in self._parts])
        sure = np.column_stack(
            [link.average(part.mean(rows), part.spread(rows), self.integration) for part in self._parts]
        )
        second = means > 0.0
        votes = pair_sums(~second, second, self.n_classes_)
        sums = pair_sums(-sure, sure, self.n_classes_)
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))


def _each(values: list[Any]) -> Any:
    """What is known of the only problem, or a list for several."""
    return values[0] if len(values) == 1 else values
