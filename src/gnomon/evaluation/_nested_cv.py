"""Nested cross-validation: the choice of parameters is judged on rows that had no part in it.

    outer fold j:   θ̂ⱼ = argmin by inner folds of T_j,    scoreⱼ = score of f_{θ̂ⱼ, T_j} on V_j                   (1)

The best inner score is the largest of many and therefore too good. Varma & Simon (2006), Bias in error estimation when
using cross-validation for model selection, doi:10.1186/1471-2105-7-91; Cawley & Talbot (2010), JMLR 11, 2079–2107.
"""

from __future__ import annotations

from copy import copy
from inspect import signature
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import AnyRows, ArrayLike, Floats, Folds, Scoring
from gnomon.base.columns import configured
from gnomon.base.routing import routing_is_on
from gnomon.evaluation._measures import ScorerRisk, read_score
from gnomon.evaluation._samples import Fold, Observations, group_folds, read_sample
from gnomon.numerics.estimates import Estimate, mean_estimate
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.validation import check_part

__all__ = ["NestedScore", "nested_cv"]


class NestedScore(NamedTuple):
    """Scores of the outer folds, what was chosen in each, and the search on all rows.

    Fields
    ------
    score : Estimate
        Mean of the outer scores.
    scores : ndarray of shape (k,)
        Of each outer fold.
    parameters : list of dict
        The best parameters of each outer fold.
    non_nested : float
        The best score of the inner folds on all rows, which is too good.
    search : estimator
        Fitted to all rows: its `best_estimator_` is the final model.

    References
    ----------
    Varma, S. & Simon, R. (2006). Bias in error estimation when using cross-validation for model selection.
    doi:10.1186/1471-2105-7-91

    Examples
    --------
    >>> from gnomon.evaluation import NestedScore
    >>> NestedScore._fields
    ('score', 'scores', 'parameters', 'non_nested', 'search')
    """

    score: Estimate
    scores: Floats
    parameters: list[dict[str, Any]]
    non_nested: float
    search: Any


def nested_cv(
    search: BaseEstimator,
    X: AnyRows,
    y: ArrayLike | None,
    *,
    cv: Folds = 5,
    scoring: Scoring = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
) -> NestedScore:
    """Judge a search over parameters, equation (1), and fit it to all rows.

    Parameters
    ----------
    search : estimator
        With `best_params_` and `best_score_` once fitted: GridSearchCV and its like. Where its `cv` is a number (or
        None), its folds are of the kind of the outer ones: groups stay whole, and time runs forward.
    X, y : array-like
    cv : int, splitter or iterable, default=5
        The outer folds, as in `cv_risk`.
    scoring : str or callable, optional
        Of the outer folds; by default that of the search.
    groups : array-like of shape (n,), optional
        For both splits.
    sample_weight : array-like of shape (n,), optional
        For the fits and the outer scores; a row of weight zero is no row.
    level : float, default=0.95
        Of the interval.
    n_jobs : int, optional
        Threads over the outer folds; None is one.

    Returns
    -------
    NestedScore

    References
    ----------
    Cawley, G. & Talbot, N. (2010). On over-fitting in model selection and subsequent selection bias in performance
    evaluation. JMLR 11, 2079–2107.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from gnomon.evaluation import nested_cv
    >>> from gnomon.generative import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(QuadraticDiscriminantAnalysis(), {"reg_param": [0.0, 0.5]})
    >>> found = nested_cv(search, X, y)
    >>> round(found.score.value, 3), found.parameters[0], round(found.non_nested, 3)
    (0.98, {'reg_param': 0.0}, 0.98)
    """
    check_part("search", search, "fit", "predict")
    sample = read_sample(X, y, groups=groups, sample_weight=sample_weight)
    search = _with_inner_folds(search, cv, sample)
    folds = sample.folds(search, cv)

    def judge(fold: Fold) -> tuple[float, dict[str, Any]]:
        fitted, here = _fit(search, sample.at(fold.train)), sample.at(fold.test)
        model = getattr(fitted, "best_estimator_", fitted)
        measure = _measure(fitted, model, scoring, sample.weights is not None)
        return measure.score(model, here.X, here.y, here.weights), dict(fitted.best_params_)

    scores, parameters = zip(*map_chunks(configured(judge), folds, n_jobs), strict=True)
    whole = _fit(search, sample.at(sample.present))
    return NestedScore(
        mean_estimate(scores, level=level), np.array(scores), list(parameters), float(whole.best_score_), whole
    )


def _measure(fitted: Any, model: Any, scoring: Scoring, weighted: bool) -> ScorerRisk:
    """The given scorer, or that by which the search chose the model."""
    if scoring is not None:
        return read_score(model, scoring, weighted)
    own = getattr(fitted, "scorer_", None)
    # A search with several scorers chooses by the one that it refits for.
    own = own.get(fitted.refit) if isinstance(own, dict) else own
    return read_score(model, None, weighted) if own is None else ScorerRisk(own)


def _with_inner_folds(search: Any, outer: Any, sample: Observations) -> Any:
    """The search, with inner folds of the kind of the outer ones where it leaves their kind open."""
    options = search.get_params(deep=False)
    search = clone(search)
    inner = options.get("cv")
    if "cv" not in options or not (inner is None or isinstance(inner, Integral)):
        return search
    n_splits = 5 if inner is None else int(inner)
    if getattr(outer, "n_splits", None) is not None and getattr(outer, "split", None) is not None:
        kind = copy(outer)
        kind.n_splits = n_splits
        return search.set_params(cv=kind)
    if sample.groups is not None:
        return search.set_params(cv=group_folds(options.get("estimator", search), n_splits))
    return search


def _fit(search: Any, here: Observations) -> Any:
    """The search fitted to some rows, with their groups and weights."""
    here = here.at(here.present)
    given: dict[str, Any] = {}
    if here.weights is not None:
        given["sample_weight"] = here.weights
    parameters = signature(search.fit).parameters.values()
    takes_groups = any(p.name == "groups" or p.kind is p.VAR_KEYWORD for p in parameters)
    if here.groups is not None and takes_groups:
        given["groups"] = here.groups
    if routing_is_on() and here.groups is not None:
        cv = search.get_params(deep=False).get("cv")
        request = getattr(cv, "set_split_request", None)
        if request is not None:
            request(groups=True)
    fitted = clone(search).fit(here.X, here.y, **given)
    if getattr(fitted, "best_params_", None) is None:
        raise ValueError(f"{type(search).__name__} has no best_params_ after its fit; give a search, or use cv_risk")
    return fitted
