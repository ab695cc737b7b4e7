"""Hyper-parameters of any estimator by Bayesian optimisation of its cross-validated score.

    minimise over the points x of a space    L(x) = − mean over folds of the score of estimator(x)         (1)

scikit-learn's search does the cross-validation, so that what is fitted to rows, transformers of a pipeline included, is
fitted to training rows alone; `BayesianOptimizer` asks the points. Snoek, Larochelle & Adams (2012), arXiv:1206.2944.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import Tags, get_tags

from gnomon._typing import Array, ArrayLike, Count, Folds, RandomState, Verbosity
from gnomon.base.checkpoint import KeepsProgress, digest, fit_identity
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters, store
from gnomon.base.progress import progress_of
from gnomon.base.targets import check_target
from gnomon.gp._acquisition import AcquisitionLike
from gnomon.gp._checkpoint import SearchFile
from gnomon.gp.bayesian_optimizer import BayesianOptimizer
from gnomon.gp.space import SpaceLike
from gnomon.numerics.sharing import read_only

__all__ = ["BayesSearchCV", "GPSearchCV"]

FREE = frozenset({"cv", "n_iter"})
"""What may change when a search goes on: how long it lasts. Of `cv` the splitter counts that is read from it."""

SearchScoring: TypeAlias = str | Callable[..., Any] | list[str] | tuple[str, ...] | Mapping[str, Any] | None


class GPSearchCV(KeepsProgress, BaseSearchCV, Estimator):
    """Search for the best hyper-parameters by (1), in place of ``GridSearchCV`` or ``RandomizedSearchCV``.

    Fitted attributes, refitting, scorers, metadata and methods of the best estimator are those of scikit-learn's
    searches. An interrupt (Ctrl-C) ends the search after at least one point was evaluated, and the best so far is
    refitted.

    Parameters
    ----------
    estimator : estimator
        May be a pipeline, with names such as ``"svc__C"``.
    space : Space or dict
        Ranges and values by the names of parameters: `Real`, `Integer` or `Category`, each with a condition if it is
        used with some values of others only; a list of values; or a frozen law of SciPy. Parameters that do not exist
        at a point are left as they are in the estimator.
    n_iter : int, default=50
        Points that are evaluated; fewer where the space has fewer.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As of ``GridSearchCV``. Folds are drawn once, even by a splitter without a seed. A point with a fold that
        failed counts as the worst one.
    acquisition : str or Acquisition, default="ei"
        As of `BayesianOptimizer`. Answers of "ei_per_second" depend on the clock.
    n_initial_points : int, default=10
        Of the Sobol sequence, before the first fit of a surrogate.
    n_points : int, default=1
        Points that are asked together, and whose folds are evaluated in parallel. Other than `n_jobs` it changes the
        answer: with fewer points at a time each knows more of the others.
    n_candidates : int, default=100000
        As of `BayesianOptimizer`.
    optimize : str, optional
        Which of several scores is maximised; by default the one that `refit` names.
    random_state : int, Generator, RandomState or None, default=None
    checkpoint : str or path, optional
        A file that is written after every batch; if it is there at the start, the search goes on from it. A search that
        is complete there evaluates its last point again. A file of other data, weights, parameters, scores, folds or
        another seed is refused; `n_iter` may change. A clone, as in cross-validation, has a file of its own beside it:
        ``search-<digest>.json``.

    Attributes
    ----------
    cv_results_, best_estimator_, best_params_, best_score_, best_index_, scorer_, n_splits_, refit_time_, multimetric_
        As of ``GridSearchCV``.
    optimizer_ : BayesianOptimizer
        With all that it was told, for `gnomon.plot` or for further questions.
    history_ : dict
        "iteration", "objective" (the least loss (1) so far), "loss" and "seconds" of every point.
    n_iter_ : int
        Points that were evaluated.
    stop_reason_ : str
        "max_iter", "interrupted", "callback", or "no_change" where all points of the space were tried.

    References
    ----------
    Snoek, J., Larochelle, H. & Adams, R. P. (2012). Practical Bayesian optimization of machine learning algorithms.
    arXiv:1206.2944

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from gnomon.gp import GPSearchCV, Integer, Real
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {
    ...     "kernel": ["rbf", "poly"],
    ...     "C": Real(1e-2, 1e3, log=True),
    ...     "degree": Integer(2, 4, when={"kernel": "poly"}),
    ... }
    >>> search = GPSearchCV(SVC(), space, n_iter=12, n_candidates=1000, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.97), len(search.cv_results_["params"])
    (True, 12)
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        space: SpaceLike,
        *,
        n_iter: Count = 50,
        scoring: SearchScoring = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., Any] = True,
        cv: Folds = None,
        verbose: Verbosity = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        acquisition: AcquisitionLike = "ei",
        n_initial_points: Count = 10,
        n_points: Count = 1,
        n_candidates: Count = 100_000,
        optimize: str | None = None,
        random_state: RandomState = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ):
        store(self, locals())

    def fit(self, X: Any, y: ArrayLike | None = None, **params: Any) -> Self:
        """Search, then fit the best estimator to all rows.

        Parameters
        ----------
        X, y
            Rows and targets, in any form that the estimator takes.
        **params
            For the estimator, the splitter and the scorers, as ``sample_weight`` and ``groups``.

        Returns
        -------
        self
        """
        check_parameters(self)
        _check_pre_dispatch(self.pre_dispatch)
        _check_targets(self, y)
        self._run = _SearchRun(self, X, y, params)
        try:
            super().fit(X, y, **params)
            run = self._run
            # Failures after the last success are in no results that scikit-learn was given.
            self.cv_results_ = run.results()
            self._state, self.history_ = run.optimizer.state(), run.optimizer.history_
            self.n_iter_, self.stop_reason_ = len(run.points), run.stop_reason
        finally:
            del self._run
        return self

    @property
    def optimizer_(self) -> BayesianOptimizer:
        """The optimiser as it was at the end."""
        return _optimizer(self, 0).restored(self._state)

    def score(self, X: Any, y: ArrayLike | None = None, **params: Any) -> float:
        """The score of the best estimator by `scoring`."""
        return super().score(read_only(X), read_only(y), **params)

    def _run_search(self, evaluate_candidates: Callable[..., Any], callback_ctx: Any = None) -> None:
        self._run.search(_Batches(self, evaluate_candidates, callback_ctx))

    def _format_results(
        self, candidate_params: list[Any], n_splits: int, out: list[Any], more_results: Any = None
    ) -> dict[str, Any]:
        """Results of all points: of an earlier run, of this one, and of points that failed."""
        run = self._run
        run.points += candidate_params[run.n_given :]
        run.folds += out[run.n_given * n_splits :]
        run.n_given = max(run.n_given, len(candidate_params))
        with warnings.catch_warnings():
            # Said once for all points, at the end.
            warnings.filterwarnings("ignore", "One or more of the (test|train) scores are non-finite")
            return run.results()

    def __sklearn_tags__(self) -> Tags:
        tags, base = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags, tags.target_tags = deepcopy(base.input_tags), deepcopy(base.target_tags)
        return tags


BayesSearchCV = GPSearchCV


class OneSplit:
    """A splitter whose folds are known."""

    def __init__(self, folds: Sequence[tuple[Array, Array]]):
        self._folds = folds

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[tuple[Array, Array]]:
        """Training and test rows of every fold."""
        return iter(self._folds)


class _Batches:
    """Points on their way through scikit-learn's search, with the same folds for all; callbacks hear of each batch."""

    def __init__(self, owner: GPSearchCV, evaluate: Callable[..., Any], context: Any):
        self._owner, self._evaluate, self._split = owner, evaluate, owner._run.split
        self._search = None if context is None else context.subcontext("search", max_subtasks=None)
        self.stop_asked = False

    def evaluate(self, points: list[Any]) -> dict[str, Any]:
        """Results of all points so far."""
        if self._search is None:
            return self._evaluate(points, cv=self._split)
        batch = self._search.subcontext(
            "batch", max_subtasks=len(points) * self._owner._run.n_splits, sequential_subtasks=False
        )
        batch.call_on_fit_task_begin(estimator=self._owner)
        results = self._evaluate(points, cv=self._split, callback_ctx=batch)
        self.stop_asked = bool(batch.call_on_fit_task_end(estimator=self._owner))
        return results


class _SearchRun:
    """One search: what was asked, told and written."""

    def __init__(self, owner: GPSearchCV, X: Any, y: Any, params: Mapping[str, Any]):
        # Before the optimiser draws its seed from a generator.
        identity = {} if owner.checkpoint is None else fit_identity(owner, FREE, X=X, y=y, **params)
        self._owner, self.optimizer = owner, _optimizer(owner, owner.random_state)
        if isinstance(owner.cv, Iterator):
            # It can be read once, and scikit-learn reads it too.
            owner.cv = list(owner.cv)
        splitter = check_cv(owner.cv, y, classifier=is_classifier(owner.estimator))
        folds = list(splitter.split(X, y, **owner._get_routed_params_for_fit(params).splitter.split))
        self.split, self.n_splits, path = OneSplit(folds), len(folds), None
        if identity:
            identity |= {"cv": digest(splitter), "folds": digest(folds)}
            path = owner._progress_path(identity)
        self._file = SearchFile(path, identity)
        self.points, self.folds = list[dict[str, Any]](), list[Any]()
        self.n_given, self.stop_reason = 0, "max_iter"
        self._report = progress_of(owner.verbose, "point")

    def search(self, batches: _Batches) -> None:
        """Ask and tell until there are `n_iter` points, all are tried, or an interrupt comes."""
        owner, optimizer = self._owner, self.optimizer
        again = self._resumed()
        if again is not None:
            self._evaluated(batches, [again])
            return
        while (n := len(self.points)) < owner.n_iter and self.stop_reason == "max_iter":
            if optimizer.is_exhausted_:
                self.stop_reason = "no_change"
                warnings.warn(
                    f"the space has {n} points, fewer than n_iter={owner.n_iter}; all of them were tried",
                    UserWarning,
                    stacklevel=4,
                )
                return
            points = optimizer.ask(min(owner.n_points, owner.n_iter - n))
            try:
                results = self._evaluated(batches, points)
            except KeyboardInterrupt:
                if not self.n_given:
                    raise
                self.stop_reason = "interrupted"
                return
            self._told(points, results)
            self._file.write(optimizer.state(), self.folds)

    def _evaluated(self, batches: _Batches, points: list[Any]) -> Any:
        try:
            results = batches.evaluate(points)
        except ValueError as error:
            results = self._failed(points, error)
        if batches.stop_asked:
            self.stop_reason = "callback"
        return results

    def _told(self, points: list[Any], results: dict[str, Any]) -> None:
        n = len(points)
        if not results:
            self.optimizer.tell(points, [np.nan] * n)
            return
        name = _optimized(self._owner, results)
        losses = -results[f"mean_test_{name}"][-n:]
        seconds = (results["mean_fit_time"] + results["mean_score_time"])[-n:] * self.n_splits
        self.optimizer.tell(points, losses, seconds)
        if self._report is not None:
            done = len(self.points)
            best = self.optimizer.history_["objective"][-1]
            self._report(done, self._owner.n_iter, f": {name} {-losses[-1]:.4g}, best {-best:.4g}")

    def _resumed(self) -> dict[str, Any] | None:
        """Take over what the file holds; the last point, to evaluate it again, if nothing is left to do."""
        found = self._file.read()
        if found is None:
            return None
        self.optimizer.restored(found["state"])
        # What was asked when the run ended was not evaluated; it is asked again.
        points, folds = self.optimizer.points_, found["folds"]
        if len(points) < self._owner.n_iter:
            self.points, self.folds = points, folds
            return None
        self.points, self.folds = points[:-1], folds[: -self.n_splits]
        return points[-1]

    def _failed(self, points: list[Any], error: ValueError) -> dict[str, Any]:
        """A batch of which scikit-learn says that all its fits failed, which ends no search that had a success."""
        owner = self._owner
        if owner.error_score == "raise" or "fits failed" not in str(error):
            raise error
        self.points += points
        self.folds += [None] * (len(points) * self.n_splits)
        if not any(self.folds) and len(self.points) >= min(owner.n_initial_points, owner.n_iter):
            raise error
        warnings.warn(str(error), FitFailedWarning, stacklevel=5)
        return self.results() if any(self.folds) else {}

    def results(self) -> dict[str, Any]:
        """Those of all points; what is known of a fold without a fit has the form of another fold."""
        one = next(fold for fold in self.folds if fold)
        folds = [fold or _failed_like(one, self._owner.error_score) for fold in self.folds]
        return BaseSearchCV._format_results(self._owner, self.points, self.n_splits, folds)


def _optimizer(owner: GPSearchCV, random_state: RandomState) -> BayesianOptimizer:
    return BayesianOptimizer(
        owner.space,
        owner.acquisition,
        n_initial_points=owner.n_initial_points,
        n_candidates=owner.n_candidates,
        random_state=random_state,
        n_jobs=owner.n_jobs,
    )


def _failed_like(fold: Mapping[str, Any], score: float) -> dict[str, Any]:
    """A fold without a fit, of the form of another."""
    given = {name: fold[name] for name in ("test_scores", "train_scores") if name in fold}
    scores = {k: dict.fromkeys(v, score) if isinstance(v, Mapping) else score for k, v in given.items()}
    return {**fold, **scores, "fit_time": 0.0, "score_time": 0.0, "fit_error": "all fits of the batch failed"}


def _check_targets(owner: GPSearchCV, y: Any) -> None:
    if y is None and get_tags(owner).target_tags.required:
        raise ValueError("GPSearchCV requires y to be passed, but the target y is None; give one for each row")
    check_target(y, numeric=is_regressor(owner), sparse=True)


def _check_pre_dispatch(given: int | str) -> None:
    if isinstance(given, str) and given != "all" and not re.fullmatch(r"(n_jobs|[\d\s.*+/()-])+", given):
        raise ValueError(f"pre_dispatch={given!r} must be 'all', a number, or a formula of n_jobs such as '2*n_jobs'")


def _optimized(owner: GPSearchCV, results: Mapping[str, Any]) -> str:
    """The score that is maximised."""
    names = [name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_")]
    wanted = owner.optimize
    if isinstance(owner.refit, str) and owner.refit not in names and owner.refit != owner.scoring:
        raise ValueError(f"refit={owner.refit!r} is none of the scores {names}; give one of them, True or False")
    if wanted is None:
        wanted = owner.refit if owner.refit in names else names[0] if len(names) == 1 else None
    if wanted not in names:
        raise ValueError(
            f"optimize={owner.optimize!r} and refit={owner.refit!r} name none of the scores {names}; say by optimize "
            "which of them the search maximises"
        )
    return str(wanted)
