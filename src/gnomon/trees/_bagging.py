"""Members of a bagged ensemble: drawing their rows and columns, fitting and combining them.

    rows_t ~ m draws of the rows, columns_t ~ k draws of the columns, both by the seed of member t alone            (1)

Breiman (1996), doi:10.1007/BF00058655; out-of-bag answers: Breiman (2001), doi:10.1023/A:1010933404324.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone, is_regressor
from sklearn.ensemble._base import _set_random_states
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, _safe_indexing, check_array, get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
)
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted, has_fit_parameter

from gnomon._typing import Array, ArrayLike, Floats, Integers, Numbers, Sparse, TableLike
from gnomon.base import given_rows
from gnomon.base.callbacks import CallbackSupportMixin, Tasks
from gnomon.base.estimator import Estimator
from gnomon.base.going_on import check_known_columns
from gnomon.base.progress import progress_of
from gnomon.base.routing import routed, router
from gnomon.base.targets import check_target
from gnomon.numerics.parallel import map_chunks, map_until_interrupt
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.trees._bags import Draw, DrawnBags, bag_size
from gnomon.trees._cost import CostMixin, Member, members_of

__all__ = ["Bagging"]


class Bagging(CostMixin, CallbackSupportMixin, MetaEstimatorMixin, Estimator):
    """Shared by classifier and regressor; subclasses define `_answers(member, X)`, which is averaged."""

    # Weights are chances of rows in the draws, so they are wanted whatever the estimator asks for.
    __metadata_request__fit: ClassVar = {"sample_weight": True}

    estimator_: Any
    estimators_: list[Any]
    estimators_features_: list[Integers]
    oob_score_: float
    _bags: DrawnBags
    _seed: int

    def _base(self) -> Any:
        return self._default(binning="auto") if self.estimator is None else self.estimator

    def _checked(self, X: TableLike | Sparse, *, reset: bool) -> Any:
        if reset and self._continues():
            check_known_columns(self, X)
        return given_rows(self, self._base(), X, reset=reset)

    def check_consistent(self) -> None:
        """Refuse members of columns or classes that the rows do not have."""
        if "estimators_" not in vars(self):
            return
        if len(self.estimators_) != len(self.estimators_features_):
            raise ValueError(f"{len(self.estimators_)} members have {len(self.estimators_features_)} sets of columns")
        if any(np.any((at < 0) | (at >= self._width(None))) for at in self.estimators_features_):
            raise ValueError(f"a member has columns beyond the {self._width(None)} of the rows")
        if "n_classes_" not in vars(self):
            return
        each = [np.asarray(vars(member).get("classes_", 0)) for member in self.estimators_]
        if any(some.dtype.kind != "i" or np.any((some < 0) | (some >= self.n_classes_)) for some in each):
            raise ValueError(f"a member has classes beyond the {self.n_classes_} of the model")

    def _target(self, y: ArrayLike | None) -> Array:
        """Targets as an array without missing values."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None; give it")
        return check_array(check_target(y, numeric=is_regressor(self)), ensure_2d=False, dtype=None, input_name="y")

    def _fit_members(
        self, X: Any, y: Array, sample_weight: ArrayLike | None, fit_params: dict[str, Any], told: Tasks
    ) -> None:
        n = _num_samples(X)
        if len(y) != n:
            raise ValueError(f"X has {n} rows and y has {len(y)}: inconsistent numbers of samples; give one y per row")
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            if name in vars(self):
                delattr(self, name)
        self.estimator_ = self._base()
        params = routed(self, "fit", params=fit_params).estimator.fit
        draw = self._draw(n, sample_weight)
        n_members = int(self.n_estimators)
        keep = self.estimators_ if self._continues() else []
        self._check_kept(len(keep), n_members, n)
        if not keep:
            self._seed = int(check_rng(self.random_state).integers(0, 2**63))
        before = self._bags if keep else DrawnBags()
        self._bags = before.extended(len(keep), spawn_seeds(self._seed, n_members), draw)
        kept = self.estimators_features_[: len(keep)] if keep else []
        self.estimators_features_ = kept + [self._columns(t, self._width(X)) for t in range(len(keep), n_members)]
        report = told.reported(progress_of(self.verbose, "member"))

        def work(t):
            told.go_on()
            member = self._fit_member(t, X, y, params)
            if report is not None:
                report(t + 1, n_members)
            return member

        self.estimators_ = keep + map_until_interrupt(work, range(len(keep), n_members), self.n_jobs)
        self.estimators_features_ = self.estimators_features_[: len(self.estimators_)]
        if len(self.estimators_) < n_members:
            warnings.warn(
                f"interrupted after {len(self.estimators_)} of {n_members} members, which are kept; fit again with "
                "warm_start=True to fit the others",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _new_members(self) -> int:
        """How many members a fit is to make."""
        return max(int(self.n_estimators) - (len(self.estimators_) if self._continues() else 0), 0)

    def _continues(self) -> bool:
        """Whether this fit keeps the members of the last one."""
        return self.warm_start and "estimators_" in vars(self)

    def _check_kept(self, n_kept: int, n_members: int, n: int) -> None:
        if n_kept > n_members:
            raise ValueError(
                f"n_estimators={n_members} is less than the {n_kept} members that warm_start=True keeps; give as many"
            )
        if n_kept == n_members:
            warnings.warn(
                f"n_estimators={n_members} members are there already: Warm-start fitting without increasing "
                "n_estimators does not fit new ones; give more, or warm_start=False",
                UserWarning,
                stacklevel=4,
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("oob_score=True needs bootstrap=True; otherwise rows are seldom out of bag")
        others = [draw.n for draw in self._bags.draws if draw.n != n] if n_kept else []
        if self.oob_score and others:
            raise ValueError(
                f"X has {n} rows and the members that warm_start=True keeps were fitted to {others[0]}; give the same "
                "rows, or oob_score=False"
            )

    def _width(self, X: Any) -> int:
        """Number of columns; one for texts, which have none."""
        return vars(self).get("n_features_in_", 1)

    def _draw(self, n: int, sample_weight: ArrayLike | None) -> Draw:
        """How the rows of new members are drawn."""
        weights = check_weights(sample_weight, np.empty((n, 0)))
        if sample_weight is not None and not self.bootstrap:
            warnings.warn(
                f"{type(self).__name__} draws rows in proportion to sample_weight, which without replacement is not "
                "what repeated rows would be; it is recommended to use bootstrap=True",
                UserWarning,
                stacklevel=4,
            )
        return Draw.of(weights, bag_size(self.max_samples, weights), replace=bool(self.bootstrap))

    def _columns(self, t: int, p: int) -> Integers:
        """The columns of member t, equation (1)."""
        k, draw = _count("max_features", self.max_features, p), np.random.default_rng([self._bags.seeds[t], 1])
        return draw.integers(0, p, k) if self.bootstrap_features else np.sort(draw.permutation(p)[:k])

    def _fit_member(self, t: int, X: Any, y: Array, params: dict[str, Any]) -> Any:
        rows = self._bags.rows(t)
        member = clone(self.estimator_)
        _set_random_states(member, np.random.RandomState(self._bags.seeds[t] % 2**32))
        X = self._of_member(X, self.estimators_features_[t])
        counts = np.bincount(rows, minlength=len(y))
        # A learner that takes weights needs no copy of the rows; not all learners accept a class of zero total weight.
        complete = "n_classes_" not in vars(self) or len(np.unique(y[rows])) == self.n_classes_
        if complete and has_fit_parameter(member, "sample_weight"):
            member.fit(X, y, sample_weight=counts, **params)
        else:
            params = _check_method_params(X, params=params, indices=rows)
            member.fit(_safe_indexing(X, rows), y[rows], **params)
        return member

    def _of_member(self, X: Any, columns: Integers) -> Any:
        """The columns of a member; X itself where these are all."""
        return X if np.array_equal(columns, np.arange(self._width(X))) else _safe_indexing(X, columns, axis=1)

    def _mean(self, X: TableLike | Sparse, answers: Callable[[Any, Any], Floats] | None = None) -> Floats:
        """Mean answer of all members, added in their order."""
        check_is_fitted(self, "estimators_")
        X = self._checked(X, reset=False)
        ask = self._answers if answers is None else answers

        def work(t):
            return ask(self.estimators_[t], self._of_member(X, self.estimators_features_[t]))

        return sum(map_chunks(work, range(len(self.estimators_)), self.n_jobs)) / len(self.estimators_)

    def _out_of_bag(self, X: Any) -> Floats:
        """Mean prediction of each row by the members that have not seen it; NaN where all have."""
        n = _num_samples(X)
        total: Numbers = 0.0
        votes = np.zeros(n)

        def work(t):
            out = np.flatnonzero(self._bags.counts(t) == 0.0)
            here = self._of_member(_safe_indexing(X, out), self.estimators_features_[t])
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

    def _members(self) -> list[Member]:
        def ask(t):
            return lambda X: self.estimators_[t].predict(
                self._of_member(self._checked(X, reset=False), self.estimators_features_[t])
            )

        return members_of(self.estimators_, map(ask, range(len(self.estimators_))))

    @property
    def estimators_samples_(self) -> list[Integers]:
        """The rows of each member, with repetitions."""
        check_is_fitted(self, "estimators_")
        return [self._bags.rows(t) for t in range(len(self.estimators_))]

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, t: int) -> Any:
        return self.estimators_[t]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the estimator."""
        return router(self, estimator=self._base()).add_self_request(self)


def _count(name: str, value: float, n: int) -> int:
    """An integer unchanged; a fraction as that share of n."""
    if isinstance(value, numbers.Integral):
        return check_integer(name, value, 1, n)
    return max(1, int(value * n))
