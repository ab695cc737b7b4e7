"""Members of a bag: drawing their rows and columns, fitting and combining them.

    rows_t ~ n draws of the rows, columns_t ~ p draws of the columns, both by the seed of member t alone            (1)

Breiman (1996), doi:10.1007/BF00058655; out-of-bag answers: Breiman (2001), doi:10.1023/A:1010933404324.
"""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble._base import _set_random_states
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, check_array, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted, has_fit_parameter

from gnomon.numerics.parallel import map_chunks, map_until_interrupt
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.tables import given_rows
from gnomon.numerics.validation import check_integer, check_interval
from gnomon.numerics.weights import check_weights
from gnomon.trees._forest import progress_of

__all__ = ["Bagging", "base_has"]


def base_has(method):
    """For `available_if`: whether the estimator has a method."""

    def check(self):
        getattr((vars(self).get("estimators_") or [self._base()])[0], method)
        return True

    return check


class Bagging(MetaEstimatorMixin, BaseEstimator):
    """What both kinds share; `_answers(member, X)` is what is averaged."""

    def _base(self):
        return self._default(binning="auto") if self.estimator is None else self.estimator

    def _checked(self, X, *, reset):
        return given_rows(self, self._base(), X, reset=reset)

    def _target(self, y):
        """Targets as an array without gaps."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None; give it")
        return check_array(y, ensure_2d=False, dtype=None, input_name="y")

    def _fit_members(self, X, y, sample_weight, fit_params):
        n = _num_samples(X)
        if len(y) != n:
            raise ValueError(f"X has {n} rows and y has {len(y)}: inconsistent numbers of samples; give one y per row")
        self.estimator_ = self._base()
        params = self._params(fit_params)
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((n, 0))).astype(float)
        n_members = check_integer("n_estimators", self.n_estimators, 1)
        keep = self.estimators_ if self.warm_start and "estimators_" in vars(self) else []
        self._check_kept(len(keep), n_members, n)
        if not keep:
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
        self._seeds = spawn_seeds(self._seed, n_members)
        self._shape, self._weights = (n, self._width(X)), weights
        self._sizes = self._resolved(*self._shape)
        report = progress_of(self.verbose, n_members)

        def work(t):
            member = self._fit_member(t, X, y, params)
            if report is not None:
                report(t)
            return member

        self.estimators_ = keep + map_until_interrupt(work, range(len(keep), n_members), self.n_jobs)
        self.estimators_features_ = [self._drawn(t)[1] for t in range(len(self.estimators_))]
        if len(self.estimators_) < n_members:
            warnings.warn(
                f"interrupted after {len(self.estimators_)} of {n_members} members, which are kept; fit again with "
                "warm_start=True to fit the others",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _params(self, fit_params):
        """What the user sends to the estimator, by routing."""
        _raise_for_params(fit_params, self, "fit")
        return process_routing(self, "fit", **fit_params).estimator.fit if _routing_enabled() else {}

    def _check_kept(self, n_kept, n_members, n):
        if n_kept > n_members:
            raise ValueError(
                f"n_estimators={n_members} is less than the {n_kept} members that warm_start=True keeps; give as many"
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("oob_score=True needs bootstrap=True; otherwise rows are seldom out of bag")
        if n_kept and self.oob_score and self._shape[0] != n:
            raise ValueError(
                f"X has {n} rows and the members that warm_start=True keeps were fitted to {self._shape[0]}; give the "
                "same rows, or oob_score=False"
            )

    def _width(self, X):
        """Number of columns; one for texts, which have none."""
        return vars(self).get("n_features_in_", 1)

    def _resolved(self, n, p):
        """How many rows and columns a member gets."""
        total = n if self._weights is None else float(np.sum(self._weights))
        most = np.inf if self.bootstrap else n
        rows = n if self.max_samples is None else _count("max_samples", self.max_samples, total, most)
        return rows, _count("max_features", self.max_features, p, p)

    def _drawn(self, t):
        """Rows and columns of member t, equation (1)."""
        (n, p), (m, k) = self._shape, self._sizes
        draw = np.random.default_rng(self._seeds[t])
        columns = draw.integers(0, p, k) if self.bootstrap_features else np.sort(draw.permutation(p)[:k])
        shares = None if self._weights is None else self._weights / np.sum(self._weights)
        if shares is None and self.bootstrap:
            return draw.integers(0, n, m), columns
        return draw.choice(n, m, replace=bool(self.bootstrap), p=shares), columns

    def _fit_member(self, t, X, y, params):
        rows, columns = self._drawn(t)
        member = clone(self.estimator_)
        _set_random_states(member, np.random.RandomState(self._seeds[t] % 2**32))
        X = self._of_member(X, columns)
        counts = np.bincount(rows, minlength=len(y))
        # A learner that takes weights needs no copy of the rows; a class without any weight may be too much for it.
        complete = "n_classes_" not in vars(self) or len(np.unique(y[rows])) == self.n_classes_
        if complete and has_fit_parameter(member, "sample_weight"):
            return member.fit(X, y, sample_weight=counts, **params)
        params = _check_method_params(X, params=params, indices=rows)
        return member.fit(_safe_indexing(X, rows), y[rows], **params)

    def _of_member(self, X, columns):
        """The columns of a member; X itself where these are all."""
        p = self._shape[1]
        return X if len(columns) == p and not self.bootstrap_features else _safe_indexing(X, columns, axis=1)

    def _mean(self, X, answers=None):
        """Mean answer of all members, added in their order."""
        check_is_fitted(self, "estimators_")
        X = self._checked(X, reset=False)
        ask = self._answers if answers is None else answers

        def work(t):
            return ask(self.estimators_[t], self._of_member(X, self.estimators_features_[t]))

        return sum(map_chunks(work, range(len(self.estimators_)), self.n_jobs)) / len(self.estimators_)

    def _out_of_bag(self, X):
        """Mean answer of the members that have not seen a row; NaN where all have."""
        n = self._shape[0]
        total, votes = 0.0, np.zeros(n)

        def work(t):
            rows, columns = self._drawn(t)
            out = np.setdiff1d(np.arange(n), rows)
            here = self._of_member(_safe_indexing(X, out), columns)
            return out, self._answers(self.estimators_[t], here) if len(out) else None

        for out, answers in map_chunks(work, range(len(self.estimators_)), self.n_jobs):
            if answers is None:
                continue
            total = np.zeros((n, *np.shape(answers)[1:])) if np.ndim(total) == 0 else total
            total[out] += answers
            votes[out] += 1.0
        if not np.all(votes):
            warnings.warn(
                f"{int(np.sum(votes == 0.0))} rows are in the bag of every member, so they have no out-of-bag answer "
                "(Some inputs do not have OOB scores); fit more members",
                UserWarning,
                stacklevel=3,
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            return total / votes.reshape(-1, *(1,) * (np.ndim(total) - 1))

    @property
    def estimators_samples_(self):
        """The rows of each member, with repetitions."""
        check_is_fitted(self, "estimators_")
        return [self._drawn(t)[0] for t in range(len(self.estimators_))]

    def __len__(self):
        return len(self.estimators_)

    def __getitem__(self, t):
        return self.estimators_[t]

    def __iter__(self):
        return iter(self.estimators_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def get_metadata_routing(self):
        """How scikit-learn routes metadata to the estimator."""
        methods = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self._base(), method_mapping=methods)


def _count(name, value, n, most):
    """A number as it is, a fraction of n as one."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return check_integer(name, value, 1, most)
    return max(1, int(check_interval(name, value, 0.0, 1.0, closed="right") * n))
