"""Categorical naive Bayes.

    f_c(x) = ∏_j P(X_j = x_j | c),    P(X_j = v | c) = (n_{cjv} + α) / (n_{cj} + α V_j)                             (1)

n_{cjv} is the weight of the rows of class c with the value v in column j, n_{cj} that of its rows in which column j is
known, and V_j the number of values that the column may take, met or not: the same in every class. α = 1 is Laplace's
rule, α = 0 maximum likelihood; α > 0 is the posterior mean under a Dirichlet(α) law, the mode under Dirichlet(α + 1).
Maron (1961), doi:10.1145/321075.321084; Lidstone (1920) for other α.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import Tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, TableLike
from gnomon.distributions.counts import CategoryCounts, CategoryPrior, gather
from gnomon.generative._coded import (
    CodedRows,
    column_alphas,
    column_factors,
    declared_codes,
    known_codes,
    read_table,
    refuse_empty,
)
from gnomon.generative._naive import NaiveClassifier, check_estimate, check_feature_weight, count_priors
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import CategoryGaps, Estimation, UnknownValues, ZeroPolicy
from gnomon.numerics.domains import Categories, domains_of
from gnomon.numerics.weights import Priors

__all__ = ["CategoricalNB"]

CategoryPriors: TypeAlias = CategoryPrior | Sequence[CategoryPrior] | None


class CategoricalNB(NaiveClassifier):
    """Naive Bayes for categories, equation (1): strings, truth values or whole numbers, with gaps.

    Parameters
    ----------
    alpha : float, array-like of shape (n_features,) or list of arrays, default=1.0
        Pseudo-counts ≥ 0: one for all, one for each column, or for each column one for each of its values.
    force_alpha : bool, default=True
        False raises `alpha` to 1e-10 where it is smaller.
    fit_prior : bool, default=True
        Class priors from the class counts; False: all equal.
    class_prior : array-like of shape (n_classes,) or dict, default=None
        Class priors, in place of the counts.
    min_categories : int or array-like of shape (n_features,), default=None
        V_j is at least this.
    categories : "auto", list of array-like, or dict, default="auto"
        The values of every column, met or not; a dict names the columns of a data frame, and leaves the others as they
        are. "auto": those that a categorical column of the frame declares; for numbers, which are cut to whole ones,
        those from 0 to the largest; for strings those that are met.
    handle_unknown : {"floor", "ignore", "error"}, default="floor"
        A value that is none of them, at prediction: its probability is α/(n_{cj} + α V_j), with a warning; its factor
        is left out; or an error.
    missing : {"marginalize", "state", "error"}, default="marginalize"
        NaN and None: not counted, and left out at prediction; a value of its own in columns where some are missing in
        `fit`; or an error.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    feature_weight : array-like of shape (n_features,), default=None
        v_j ≥ 0, by which the factor of column j is raised; all one by default.
    estimate : {"mle", "map", "predictive"}, default="mle"
        Equation (1), or the probabilities at the mode or the mean of their law under `parameter_prior`; the mean is
        the predictive law.
    parameter_prior : DirichletCategorical, Dirichlet, or list of them, default=None
        The law of the probabilities before any data, one for each column if they differ, for "map" and "predictive",
        in place of `alpha`.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives probability zero: the posterior is the prior, with a warning; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    categories_ : list of ndarray
        The values of each column; None among them is the state of missing cells.
    n_categories_ : ndarray of shape (n_features,)
        V_j.
    category_count_ : list of ndarray of shape (n_classes, V_j)
        n_{cjv}.
    feature_log_prob_ : list of ndarray of shape (n_classes, V_j)
        log P(X_j = v | c).
    statistics_ : CategoryCounts
        What `partial_fit` adds to.
    n_parameters_ : int
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Maron, M. E. (1961). Automatic indexing: an experimental inquiry. doi:10.1145/321075.321084

    Lidstone, G. J. (1920). Note on the general case of the Bayes–Laplace formula for inductive or a posteriori
    probabilities. Transactions of the Faculty of Actuaries 8, 182–192.

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.generative import CategoricalNB
    >>> weather = load_weather_play()
    >>> model = CategoricalNB(categories=weather.categories).fit(weather.data, weather.target)
    >>> model.predict_proba([["sunny", "hot", "high", "true"]]).round(6)
    array([[0.837254, 0.162746]])
    >>> print(model.explain(["sunny", "hot", "high", None]).table())
                       no         yes   log-ratio
    prior       0.3571429   0.6428571   0.5877867
    x0          0.5000000   0.2500000  -0.6931472
    x1          0.3750000   0.2500000  -0.4054651
    x2          0.7142857   0.3636364  -0.6751287
    joint       0.0478316   0.0146104
    posterior   0.7660167   0.2339833
    evidence    0.0624420
    """

    _prior_option = "class_prior"

    def __init__(
        self,
        *,
        alpha: ArrayLike | Sequence[ArrayLike] = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Priors = None,
        min_categories: ArrayLike | None = None,
        categories: Categories = "auto",
        handle_unknown: UnknownValues = "floor",
        missing: CategoryGaps = "marginalize",
        prior_alpha: float = 0.0,
        feature_weight: ArrayLike | None = None,
        estimate: Estimation = "mle",
        parameter_prior: CategoryPriors = None,
        zero_policy: ZeroPolicy = "prior",
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.missing = missing
        self.prior_alpha = prior_alpha
        self.feature_weight = feature_weight
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.zero_policy = zero_policy

    @property
    def n_parameters_(self) -> int:
        k = len(self.classes_)
        return int(k * np.sum(self.n_categories_ - 1)) + k - 1

    def _read(self, X: TableLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return read_table(self, X, y, reset=reset)

    def _verify(self) -> None:
        refuse_empty(self.statistics_)

    def _statistics(self, rows: LabelledRows, before: Any = None) -> CategoryCounts:
        which = range(self.n_features_in_)
        domains = domains_of(rows.X, which, self.categories, self.min_categories)
        codes = declared_codes(rows.X, which, domains)
        return CategoryCounts.of_codes(codes, rows.X.names, domains, rows.index, rows.counts, rows.weights)

    def _solve(self, found: CategoryCounts) -> None:
        check_estimate(self.estimate, self.parameter_prior)
        tables = found.tables(
            column_alphas(self.alpha, found, self.missing, force_alpha=self.force_alpha),
            missing=self.missing,
            handle_unknown=self.handle_unknown,
            estimate=self.estimate,
            priors=column_priors(self.parameter_prior, len(found.domains)),
        )
        self._tables = tables
        self.categories_ = [table.labels for table in tables]
        self.n_categories_ = np.array([table.probabilities.shape[1] for table in tables])
        self.category_count_ = [c[:, :size] for c, size in zip(found.counts, self.n_categories_, strict=True)]
        with np.errstate(divide="ignore"):
            self.feature_log_prob_ = [np.log(table.probabilities) for table in tables]
        self._weights = check_feature_weight(self.feature_weight, self.n_features_in_)

    def _class_priors(self) -> Priors:
        return count_priors(self)

    def _rows(self, X: AnyRows) -> CodedRows:
        table, which = super()._rows(X), range(self.n_features_in_)
        return CodedRows(known_codes(table, which, self.statistics_.domains, self.handle_unknown), table.dtype)

    def _class_log_densities(self, rows: CodedRows) -> Floats:
        return gather(rows.codes, [table.logs for table in self._tables], self._weights)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        return np.column_stack([table.sample(k, n, rng) for table in self._tables])

    def _factors(self, rows: CodedRows) -> tuple[list[str], Floats]:
        there, factors = column_factors(rows.codes, self._tables, self.statistics_.domains, self._weights)
        names = self._names()
        return [names[j] for j in there], factors

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.classifier_tags.poor_score = True
        return tags


def column_priors(
    parameter_prior: CategoryPrior | Sequence[CategoryPrior] | None, d: int
) -> list[CategoryPrior] | None:
    """The prior of each column, from one for all or a list of them."""
    if parameter_prior is None:
        return None
    priors = list(parameter_prior) if isinstance(parameter_prior, Sequence) else [parameter_prior] * d
    if len(priors) != d:
        raise ValueError(f"parameter_prior lists {len(priors)} laws for {d} columns; give one, or one for each")
    return priors
