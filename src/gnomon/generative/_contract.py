"""Bayes' rule over class densities: what every generative classifier offers.

    log P(c | x) = log π_c + log f_c(x) − log p(x),        p(x) = Σ_c π_c f_c(x)                       (1)
    llr(x) = log f₁(x) − log f₀(x),        log-odds = llr + log π₁/π₀                                  (2)

A classifier gives the densities f_c and the priors π_c; everything else follows here, in logarithms. The class is the
one of largest π_c f_c(x), ties go to the lowest index, so with two classes the second needs log-odds > 0. A row to
which every class gives density zero has no posterior: `zero_policy` says what then, and nothing is ever not a number.
Duda, Hart & Stork (2001), Pattern Classification, chapter 2.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias, get_args

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._jit import jit_no_alloc
from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, Integers, RandomState
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.generative._explanation import Explanation
from gnomon.generative._rows import in_precision_of
from gnomon.generative._words import ZeroPolicy
from gnomon.numerics.coding import label_index
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import log_sum_exp
from gnomon.numerics.validation import check_choice, check_integer, check_positive
from gnomon.numerics.weights import Priors, check_weights, class_priors

__all__ = ["BayesClassifier", "Rows"]

Rows: TypeAlias = Any
"""Rows in the form that the densities of a model take: an array, a sparse matrix, a table or codes."""


class BayesClassifier(ClassifierMixin, Estimator, ABC):
    """Base of the classifiers by Bayes' rule; a subclass gives what is abstract and leaves the public methods alone.

    `fit` of a subclass sets `classes_` (sorted) and calls `_store_priors`. The subclass defines `_class_log_densities`
    and `_sample_class`; it may define `_rows` (how rows are checked), `_class_scores` (densities up to a term common
    to all classes, where that is cheaper), `_joint_scores`, `_decision_scores` and `_factors`.
    """

    classes_: Array
    zero_policy: ZeroPolicy = "prior"
    """What to do with rows of density zero under every class, unless a parameter of the subclass says otherwise."""
    _prior_option = "priors"
    """The option that gives the priors."""

    @abstractmethod
    def _class_log_densities(self, X: Rows) -> Floats:
        """log f_c(x), shape (n, C), of rows that `_rows` returned."""

    @abstractmethod
    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """n rows drawn from f_k."""

    def _rows(self, X: AnyRows) -> Rows:
        """The rows of X, checked, in the form that the densities take."""
        return validate_rows(self, X, reset=False)

    def _class_scores(self, X: Rows) -> Floats:
        """log f_c(x) plus a term that may depend on x but not on the class: enough for posteriors and ratios."""
        return self._class_log_densities(X)

    def _joint_scores(self, X: Rows) -> Floats:
        """What `predict_joint_log_proba` adds log priors to."""
        return self._class_log_densities(X)

    def _decision_scores(self, X: Rows) -> Floats:
        """What `decision_function` adds log priors to, for more than two classes."""
        return self._joint_scores(X)

    def _factors(self, X: Rows) -> tuple[list[str], Floats]:
        """Names, and log-factors of shape (m, C) that add up to the log-densities of the single row X."""
        return ["x"], self._class_log_densities(X)

    def _store_priors(self, counts: ArrayLike, priors: Priors, *, prior_alpha: float = 0.0) -> None:
        """Set `class_count_`, `class_prior_` and `class_log_prior_`, once `classes_` is known."""
        check_choice("zero_policy", self.zero_policy, get_args(ZeroPolicy))
        self.class_count_ = np.asarray(counts, dtype=float)
        self.class_prior_ = class_priors(
            priors, self.classes_, self.class_count_, alpha=prior_alpha, name=self._prior_option
        )
        self.class_log_prior_ = _log(self.class_prior_)

    def predict(self, X: AnyRows, priors: Priors = None) -> Array:
        """The most probable class of each row; ties go to the lowest index.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            Priors of the application, in place of the fitted ones; the densities stay as they are.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        joint = self._joint(self._class_scores(X), priors)
        place = np.empty(len(joint), dtype=np.intp)
        first_largest(joint, place)
        return self.classes_[place]

    def predict_log_proba(self, X: AnyRows, priors: Priors = None) -> Floats:
        """log P(c | x) of equation (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        out = in_precision_of(self._log_posteriors(X, priors), X)
        # A probability that rounds to one has the logarithm zero, so that both methods agree in single precision.
        out[out > -0.25 * np.finfo(out.dtype).eps] = 0.0
        return out

    def predict_proba(self, X: AnyRows, priors: Priors = None) -> Floats:
        """P(c | x) of equation (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        out = self._log_posteriors(X, priors)
        return in_precision_of(np.exp(out, out=out), X)

    def predict_joint_log_proba(self, X: AnyRows, priors: Priors = None) -> Floats:
        """log π_c f_c(x).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        return in_precision_of(self._joint_scores(X) + self._log_priors(priors), X)

    def class_log_likelihood(self, X: AnyRows) -> Floats:
        """log f_c(x), which no prior enters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._checked(X)
        return in_precision_of(self._class_log_densities(X), X)

    def decision_function(self, X: AnyRows) -> Floats:
        """Two classes: the log-odds (2) of `classes_[1]`, so that P(classes_[1] | x) = σ(f). More: log π_c f_c(x).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        X = self._checked(X)
        if len(self.classes_) == 2:
            joint = self._joint(self._class_scores(X), None)
            return in_precision_of(joint[:, 1] - joint[:, 0], X)
        return in_precision_of(self._joint(self._decision_scores(X), None), X)

    def llr(self, X: AnyRows, positive: object = None, negative: object = None) -> Floats:
        """Log-likelihood ratio (2) of two classes, which no prior enters; 0 where both densities are 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        positive, negative : labels, optional
            By default, with two classes, `classes_[1]` and `classes_[0]`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        k, j = self._pair(positive, negative)
        scores = self._class_scores(X)
        return in_precision_of(_difference(scores[:, k], scores[:, j]), X)

    def log_odds(
        self, X: AnyRows, positive: object = None, negative: object = None, *, priors: Priors = None
    ) -> Floats:
        """Log-odds (2): the ratio of `llr` plus log π_positive/π_negative.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        positive, negative : labels, optional
            By default, with two classes, `classes_[1]` and `classes_[0]`.
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        k, j = self._pair(positive, negative)
        joint = self._joint(self._class_scores(X), priors)
        return in_precision_of(_difference(joint[:, k], joint[:, j]), X)

    def score_samples(self, X: AnyRows, priors: Priors = None) -> Floats:
        """log p(x) of equation (1): a density, so it may exceed 0; −inf where every class gives density zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        return in_precision_of(log_sum_exp(self._class_log_densities(X) + self._log_priors(priors)), X)

    def is_outlier(self, X: AnyRows, threshold: float | None = None, *, log_threshold: float | None = None) -> Bools:
        """Whether p(x) ≤ τ.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        threshold : float, optional
            τ > 0, a density.
        log_threshold : float, optional
            log τ, in place of `threshold`.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        if threshold is not None and log_threshold is None:
            cut = float(np.log(check_positive("threshold", threshold)))
        elif log_threshold is not None and threshold is None:
            cut = log_threshold
        else:
            raise ValueError(f"threshold={threshold!r} and log_threshold={log_threshold!r}: give exactly one of them")
        return self.score_samples(X) <= cut

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[Array, Array]:
        """Draw classes from the priors, then rows from the densities of these classes.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : None, int, Generator or RandomState

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        n = check_integer("n_samples", n_samples, 1)
        rng = check_rng(random_state)
        p = np.exp(self.class_log_prior_)
        index = np.sort(rng.choice(len(p), size=n, p=p / np.sum(p)))
        drawn, counts = np.unique(index, return_counts=True)
        rows = np.concatenate([self._sample_class(k, m, rng) for k, m in zip(drawn, counts, strict=True)])
        order = rng.permutation(n)
        return rows[order], self.classes_[index[order]]

    def log_likelihood(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Σᵢ sᵢ [log f_{yᵢ}(xᵢ) + log π_{yᵢ}].

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        X = self._checked(X)
        index, _ = label_index(y, self.classes_)
        joint = self._class_log_densities(X) + self.class_log_prior_
        if len(index) != len(joint):
            raise ValueError(f"y has {len(index)} labels for the {len(joint)} rows of X; give one for each")
        weights = check_weights(sample_weight, joint)
        used = weights > 0.0  # a row of weight zero does not count, even where its term is infinite
        return float(weights[used] @ joint[np.arange(len(joint)), index][used])

    def explain(self, x: AnyRows | Sequence[Any], priors: Priors = None) -> Explanation:
        """Why one row gets its class: prior, factors, joint, evidence and posterior.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features)
            One row; a data frame of one row too.
        priors : "uniform", array-like of shape (n_classes,) or dict, optional
            In place of the fitted ones.

        Returns
        -------
        Explanation
        """
        names, factors = self._factors(self._checked(_table_of_one(x)))
        log_prior = self._log_priors(priors)
        log_joint = log_prior + np.sum(factors, axis=0)
        posterior = self._joint(np.sum(factors, axis=0, keepdims=True), priors)
        posterior = np.exp(posterior - log_sum_exp(posterior))[0]
        return Explanation(self.classes_, tuple(names), np.exp(log_prior), factors, log_joint, posterior)

    def _checked(self, X: AnyRows) -> Rows:
        check_is_fitted(self)
        return self._rows(X)

    def _log_priors(self, priors: Priors) -> Floats:
        return self.class_log_prior_ if priors is None else _log(class_priors(priors, self.classes_))

    def _log_posteriors(self, X: Rows, priors: Priors) -> Floats:
        joint = self._joint(self._class_scores(X), priors)
        joint -= log_sum_exp(joint)[:, None]
        return joint

    def _joint(self, scores: Floats, priors: Priors) -> Floats:
        """log π_c f_c(x) up to a term common to the classes, every row with a finite largest entry."""
        log_prior = self._log_priors(priors)
        joint = np.require(scores, dtype=float, requirements="W")
        largest = np.empty(len(joint))
        add_to_rows(joint, log_prior, largest)
        if not np.all(np.isfinite(largest)):
            if np.any(np.isnan(largest)):
                self._refuse_nan(joint)
            self._settle_zeros(joint, largest, log_prior)
            # Classes with infinite density differ only by their priors.
            peaks = largest == np.inf
            joint[peaks] = np.where(joint[peaks] == np.inf, log_prior, -np.inf)
        return joint

    def _refuse_nan(self, joint: Floats) -> NoReturn:
        row, k = np.argwhere(np.isnan(joint))[0]
        raise ValueError(
            f"the density of class {self.classes_.tolist()[k]!r} at row {row} is not a number; check that density and "
            "the row"
        )

    def _settle_zeros(self, joint: Floats, largest: Floats, log_prior: Floats) -> None:
        zero = largest == -np.inf
        count = int(np.sum(zero))
        if not count:
            return
        policy = check_choice("zero_policy", self.zero_policy, get_args(ZeroPolicy))
        what = f"{count} of {len(joint)} rows have density zero under every class"
        if policy == "raise":
            raise ValueError(f"{what}, first row {int(np.argmax(zero))}; smooth the densities, or zero_policy='prior'")
        warnings.warn(
            f"{what}: their posterior is the prior; smooth the densities if that is not wanted",
            UserWarning,
            stacklevel=4,
        )
        joint[zero] = log_prior

    def _pair(self, positive: object, negative: object) -> tuple[int, int]:
        if positive is None and negative is None and len(self.classes_) == 2:
            return 1, 0
        labels = self.classes_.tolist()
        for name, label in (("positive", positive), ("negative", negative)):
            if label not in labels:
                raise ValueError(f"{name}={label!r} is not a class; choose from {labels}")
        return labels.index(positive), labels.index(negative)


# The results are allocated by the caller: kernels without allocations compile in half the time.
@jit_no_alloc
def add_to_rows(A: Floats, b: Floats, top: Floats) -> None:
    """Add b to every row of A, in place, and return in `top` the largest entry of each; NaN if one is."""
    for i in range(A.shape[0]):
        most, odd = -np.inf, False
        for c in range(A.shape[1]):
            # A class of prior zero does not count, even if its density is infinite.
            x = A[i, c] + b[c] if b[c] > -np.inf else -np.inf
            A[i, c] = x
            odd |= x != x
            most = x if x > most else most
        top[i] = np.nan if odd else most


@jit_no_alloc
def first_largest(A: Floats, out: Integers) -> None:
    """In `out` the place of the largest entry of every row, the first of several."""
    for i in range(A.shape[0]):
        # Selections instead of branches, which would be mispredicted: any class may win.
        most, place = A[i, 0], 0
        for c in range(1, A.shape[1]):
            x = A[i, c]
            place = c if x > most else place
            most = x if x > most else most
        out[i] = place


def _table_of_one(x: Any) -> Any:
    """One row as a table; ValueError where there are several."""
    if np.ndim(x) == 2 and np.shape(x)[0] != 1:
        raise ValueError(f"x has {len(x)} rows; explain one row at a time")
    return [x] if np.ndim(x) == 1 else x


def _log(p: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(p)


def _difference(a: Floats, b: Floats) -> Floats:
    """a − b, and 0 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)
