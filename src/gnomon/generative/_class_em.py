"""EM where the class of a row is what is hidden, for some rows or for all.

    ℓ = Σ_{i labelled} sᵢ log π_{yᵢ} f_{yᵢ}(xᵢ)  +  Σ_{i unlabelled} sᵢ log Σ_c π_c f_c(xᵢ)                       (1)
    E:  γᵢ = one-hot of yᵢ, or the posterior     M:  fit on every row C times, as class c with weight sᵢ γᵢ_c        (2)

Around any generative classifier the steps are `predict` and `fit`; Gaussian classes and mixtures have their sums taken
in one pass. Nigam, McCallum, Thrun & Mitchell (2000), doi:10.1023/A:1007692713085; Celeux & Govaert (1992) on hard
assignment, doi:10.1016/0167-9473(92)90042-E.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Protocol, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from gnomon._typing import AnyRows, Array, Bools, Floats, Integers
from gnomon.base import read_rows, validate_rows
from gnomon.distributions import Normals, Responsibilities
from gnomon.distributions.normals import covariances_of
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._gaussian_laws import EstimationPlan, refuse_cells
from gnomon.generative._partial_labels import NO_LABEL
from gnomon.generative._rows import any_rows
from gnomon.generative._words import Assignment
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.generative.mixture_classifier import GaussianMixtureClassifier
from gnomon.generative.mixture_model import numbers_of, take_worst
from gnomon.numerics.linalg import factor_spd
from gnomon.numerics.special import log_shares, log_sum_exp
from gnomon.numerics.streaming import Moments, group_moments, moments
from gnomon.numerics.tables import as_frame
from gnomon.numerics.weights import class_priors, row_weight
from gnomon.optim import EMResult, GaussianEM, NormalMixture, Restart, kmeans, seed_centers

__all__ = ["ClassRows", "ClassSteps", "ClassifierEM", "class_em", "given_rows", "start_codes"]


_RIDGE = 1e-6
"""Of the mean variance, added to a covariance to start from that is singular."""

_HINT = 1e-9
"""What a row without a class weighs at the start: nothing, but its categories are known to exist."""


@dataclass(frozen=True)
class ClassRows:
    """Rows as they were given, the position of their class (−1: hidden), their weights, and the classes."""

    X: Any
    labels: Integers
    weights: Floats
    classes: Array
    hard: bool = False

    @property
    def assignment(self) -> Assignment:
        """`hard` as a word."""
        return "hard" if self.hard else "soft"

    @property
    def total_weight(self) -> float:
        """Σ sᵢ."""
        return float(np.sum(self.weights))


def given_rows(estimator: BaseEstimator, X: AnyRows, *, reset: bool) -> Any:
    """Rows for a classifier inside `estimator`: a data frame as it is, anything else as an array or sparse matrix."""
    if as_frame(X) is not None:
        read_rows(estimator, X, reset=reset, skip_check_array=True)
        return X
    return any_rows(estimator, X, reset=reset, accept_sparse="csr")


def start_codes(rows: ClassRows, free: Integers, rng: np.random.Generator) -> Integers:
    """The class with which each row starts, −1 for none: its own; for free classes, the clusters that labels avoid."""
    codes, k = np.array(rows.labels), len(rows.classes)
    hidden = codes == NO_LABEL
    if free.size == 0 or not np.any(hidden):
        return codes
    A = numbers_of(rows.X)
    if A is None:
        codes[hidden] = rng.choice(free, size=int(np.sum(hidden)))
        return codes
    clusters = kmeans(A, A[seed_centers(A, min(k, len(A)), rng, rows.weights)], rows.weights, tol=1e-4).labels
    labelled = np.bincount(clusters[~hidden], minlength=k)
    for c, cluster in zip(free, np.argsort(labelled, kind="stable"), strict=False):
        codes[hidden & (clusters == cluster)] = c
    return codes


class ClassSteps(Protocol):
    """The steps of EM over rows whose classes are partly hidden, and the classifier that they end with."""

    @property
    def hard(self) -> bool: ...
    @property
    def allows_fall(self) -> bool: ...
    def start(self, codes: Integers) -> Any: ...
    def e_step(self, theta: Any, /) -> tuple[Any, float]: ...
    def m_step(self, posterior: Any, /) -> Any: ...
    def model(self, result: EMResult[Any, Any]) -> BayesClassifier: ...


@dataclass(frozen=True)
class ClassifierEM:
    """The steps (2) around any generative classifier."""

    base: BayesClassifier
    rows: ClassRows
    allows_fall = True
    """A smoothed or shrunk fit maximises no likelihood."""

    @property
    def hard(self) -> bool:
        """Whether the driver has to make assignments hard."""
        return self.rows.hard

    def start(self, codes: Integers) -> BayesClassifier:
        """The classifier fitted to the rows that have a class; from the others it learns what values there are."""
        k = len(self.rows.classes)
        table = np.concatenate([np.eye(k), np.full((1, k), _HINT)])
        return self.fit_shares(table[codes])

    def e_step(self, model: BayesClassifier) -> tuple[Floats, float]:
        """γ, and ℓ of (1)."""
        joint = self._log_joint(model)
        found = np.max(joint, axis=1) if self.hard else log_sum_exp(joint)
        lost = np.isneginf(found)
        joint[lost] = self._clamped(np.zeros((int(np.sum(lost)), joint.shape[1])), lost)
        even = np.zeros(joint.shape[1])
        return np.exp(log_shares(joint, even)), float(self.rows.weights @ found)

    def m_step(self, gamma: Floats) -> BayesClassifier | Restart[BayesClassifier]:
        """The classifier fitted with the responsibilities as weights; a class that has lost its rows starts anew."""
        N = self.rows.weights @ gamma
        least = min(row_weight(self.rows.weights), 0.5 * self.rows.total_weight / len(N))
        empty = np.flatnonzero(least > N)
        # A class with labelled rows is not restarted, however small their weight.
        empty = np.setdiff1d(empty, self.rows.labels)
        if empty.size == 0:
            return self.fit_shares(gamma)
        rest = self.fit_shares(np.delete(gamma, empty, axis=1), np.delete(self.rows.classes, empty))
        gamma = take_worst(gamma, empty, log_sum_exp(self._log_joint(rest)))
        one_hot = np.eye(len(N))[self.rows.labels]
        return Restart(self.fit_shares(np.where((self.rows.labels != NO_LABEL)[:, None], one_hot, gamma)))

    def model(self, result: EMResult[BayesClassifier, Floats]) -> BayesClassifier:
        """The classifier that EM ended with."""
        return result.theta

    def fit_shares(self, gamma: Floats, classes: Array | None = None) -> BayesClassifier:
        """The classifier fitted to every row c times, with label c and weight sᵢ γᵢ_c."""
        classes = self.rows.classes if classes is None else classes
        shares = self.rows.weights[:, None] * gamma
        i, c = np.nonzero(shares > 0.0)
        return clone(self.base).fit(_safe_indexing(self.rows.X, i), classes[c], sample_weight=shares[i, c])

    def _log_joint(self, model: BayesClassifier) -> Floats:
        """log π_c f_c(x) for all classes, also those that the model lost, with labelled rows clamped."""
        found = model._class_log_densities(model._rows(self.rows.X)) + model.class_log_prior_
        out = np.full((len(found), len(self.rows.classes)), -np.inf)
        out[:, np.isin(self.rows.classes, model.classes_)] = found
        return self._clamped(out, slice(None))

    def _clamped(self, joint: Floats, which: slice | Bools) -> Floats:
        labels = self.rows.labels[which]
        other = (labels != NO_LABEL)[:, None] & (labels[:, None] != np.arange(joint.shape[1]))
        return np.where(other, -np.inf, joint)


@dataclass(frozen=True)
class GaussianClassesEM:
    """The steps (2) for one normal law per class; the M-step is that of `GaussianClassifier`, with its options."""

    shell: GaussianClassifier
    rows: ClassRows
    steps: GaussianEM
    plan: EstimationPlan
    hard = False

    @property
    def allows_fall(self) -> bool:
        """Whether the M-step is anything but maximum likelihood."""
        plan, shell = self.plan, self.shell
        given = plan.parameter_prior is not None or shell.priors is not None
        return bool(given or plan.ddof or plan.shrinks or plan.pool or shell.prior_alpha)

    def start(self, codes: Integers) -> NormalMixture:
        """Maximum likelihood on the rows that have a class; a covariance that they cannot determine is a common one."""
        used, kind = codes != NO_LABEL, self.plan.covariance_type
        X, s, k = self.steps.filled, self.rows.weights, len(self.rows.classes)
        parts = group_moments(X[used], codes[used], k, s[used], diagonal=self.plan.diagonal)
        weight = np.where(parts.weight > 0.0, parts.weight, 1.0)
        spread = common_spread(parts, X, s)
        one = row_weight(s)
        short = np.array([_undetermined(N / one, S) for N, S in zip(parts.weight, parts.scatter, strict=True)])
        shared = weight.reshape(-1, *[1] * spread.ndim) * spread
        scatter = np.where(short.reshape(-1, *[1] * spread.ndim), shared, parts.scatter)
        laws = Normals(parts.mean, covariances_of(scatter, weight, kind), kind)
        return NormalMixture(self._priors(weight), laws)

    def e_step(self, theta: NormalMixture) -> tuple[Responsibilities, float]:
        """The moments of every class, and ℓ of (1)."""
        return self.steps.e_step(theta)

    def m_step(self, posterior: Responsibilities) -> NormalMixture:
        """The laws of `GaussianClassifier` for these moments."""
        parts = posterior.moments
        columns, one = list(range(parts.mean.shape[1])), row_weight(self.rows.weights)
        laws, _ = self.plan.laws(parts, self.rows.classes.tolist(), columns, one_row=one)
        # Classifiers with predictive laws get the steps of `ClassifierEM`.
        return NormalMixture(self._priors(parts.weight), cast(Normals, laws))

    def model(self, result: EMResult[NormalMixture, Responsibilities]) -> GaussianClassifier:
        """The classifier of the laws that EM ended with."""
        model = self.shell
        model.classes_, model.statistics_ = self.rows.classes, result.posterior.moments
        model._laws, model.shrinkage_ = result.theta.laws, self.plan.share_of(model.statistics_)
        model._store_priors(model.statistics_.weight, result.theta.weights)
        return model

    def _priors(self, counts: Array) -> Floats:
        return class_priors(self.shell.priors, self.rows.classes, counts, alpha=self.shell.prior_alpha)


@dataclass(frozen=True)
class MixtureClassesEM:
    """The steps (2) for a Gaussian mixture per class; a labelled row is shared by the components of its class."""

    shell: GaussianMixtureClassifier
    rows: ClassRows
    steps: GaussianEM
    owners: Integers
    hard = False

    @property
    def allows_fall(self) -> bool:
        """What the covariance control says."""
        return self.steps.control.allows_fall

    def start(self, codes: Integers) -> NormalMixture:
        """A mixture for every class, on the rows that one normal law per class would give it."""
        X, single = self.steps.filled, GaussianClassifier()
        first = replace(self.rows, X=X)
        plain = class_em(single, first)
        theta = plain.start(codes)
        likely = np.argmax(theta.log_joint(X), axis=1)
        y = self.rows.classes[np.where(codes == NO_LABEL, likely, codes)]
        model = clone(self.shell).fit(X, y, sample_weight=self.rows.weights)
        shares = [pi * mixture.weights_ for pi, mixture in zip(model.class_prior_, model.mixtures_, strict=True)]
        means = np.concatenate([mixture.means_ for mixture in model.mixtures_])
        covariances = np.concatenate([mixture.covariances_ for mixture in model.mixtures_])
        return NormalMixture(np.concatenate(shares), Normals(means, covariances, self.steps.covariance_type))

    def e_step(self, theta: NormalMixture) -> tuple[Responsibilities, float]:
        """The moments of every component, and ℓ of (1)."""
        return self.steps.e_step(theta)

    def m_step(self, posterior: Responsibilities) -> NormalMixture | Restart[NormalMixture]:
        """Equation (2) of `GaussianEM`."""
        return self.steps.m_step(posterior)

    def model(self, result: EMResult[NormalMixture, Responsibilities]) -> GaussianMixtureClassifier:
        """The classifier of the mixtures that EM ended with."""
        model, owners, theta = self.shell, self.owners, result.theta
        model.classes_, model.mixtures_ = self.rows.classes, []
        priors = np.bincount(owners, theta.weights)
        for c, prior in enumerate(priors):
            own = owners == c
            laws = Normals(theta.laws.means[own], theta.laws.covariances[own], theta.laws.covariance_type)
            mixture = _mixture_of(model).set_params(n_components=int(np.sum(own)))
            mixture.n_features_in_ = model.n_features_in_
            part = result._replace(theta=NormalMixture(theta.weights[own] / prior, laws))
            model.mixtures_.append(mixture._set(part, self.steps))
        model._store_priors(np.bincount(owners, result.posterior.moments.weight), priors / np.sum(priors))
        return model


@singledispatch
def class_em(base: BaseEstimator, rows: ClassRows) -> ClassSteps:
    """The steps of EM for a classifier: around its `fit`, unless its sums can be taken in one pass."""
    if not isinstance(base, BayesClassifier):
        raise ValueError(f"base={base!r} is no generative classifier of this package; choose one, such as GaussianNB()")
    return ClassifierEM(base, rows)


@class_em.register
def _(base: GaussianClassifier, rows: ClassRows) -> ClassSteps:
    plan = base._plan()
    if plan.needs_quartics or plan.estimate == "predictive":
        return ClassifierEM(base, rows)
    shell = clone(base)
    X = validate_rows(shell, rows.X, finite=False)
    refuse_cells(shell, X, shell.missing)
    steps = GaussianEM(
        X, rows.weights, plan.covariance_type, labels=rows.labels, assignment=rows.assignment, on_empty="keep"
    )
    return GaussianClassesEM(shell, rows, steps, plan)


@class_em.register
def _(base: GaussianMixtureClassifier, rows: ClassRows) -> ClassSteps:
    shell, mixture = clone(base), _mixture_of(base)
    if mixture.covariance_type not in ("full", "diag", "spherical") or isinstance(base.n_components, str):
        raise ValueError(
            f"covariance_type={mixture.covariance_type!r} with n_components={base.n_components!r}: with hidden classes "
            "choose 'full', 'diag' or 'spherical', and give the numbers of components"
        )
    X = validate_rows(shell, rows.X, finite=False)
    counts = [shell._count(label) for label in rows.classes.tolist()]
    owners = np.repeat(np.arange(len(counts)), counts)
    steps = replace(
        mixture._steps(X, rows.weights),
        labels=rows.labels,
        owners=owners,
        assignment=rows.assignment,
        on_empty="keep",
    )
    return MixtureClassesEM(shell, rows, steps, owners)


def common_spread(parts: Moments, X: Floats, weights: Floats) -> Floats:
    """The covariance within the classes, or that of all rows where the classes cannot determine it; never singular."""
    pooled, k = parts.pooled(), len(parts.weight)
    if not _undetermined(pooled.weight / row_weight(weights) - k + 1.0, pooled.scatter):
        return pooled.scatter / pooled.weight
    total = moments(X, weights).covariance()
    if factor_spd(total) is None:
        # A start must have finite densities; whether a constant column is an error is decided in the M-step.
        size = np.mean(np.diag(total))
        total = total + (_RIDGE * size if size > 0.0 else 1.0) * np.eye(len(total))
    return total if pooled.scatter.ndim == 2 else np.diag(total)


def _undetermined(weight: float, scatter: Floats) -> bool:
    """Whether so many rows, with this scatter, cannot have a covariance of full rank."""
    dense = scatter.ndim == 2
    if not weight > (len(scatter) if dense else 1):
        return True
    return factor_spd(scatter) is None if dense else not np.all(scatter > 0.0)


def _mixture_of(classifier: GaussianMixtureClassifier) -> GaussianMixture:
    return GaussianMixture() if classifier.mixture is None else clone(classifier.mixture)
