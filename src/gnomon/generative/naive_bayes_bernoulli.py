"""Bernoulli naive Bayes: which words occur at all.

    log f_c(x) = Σ_j x_j log p_{cj} + (1 − x_j) log(1 − p_{cj}),    p_{cj} = (n_{cj} + α) / (N_{cj} + 2α)        (1)
    llr(x) = xᵀ b + c,    b_j = logit p_{1j} − logit p_{0j},    c = Σ_j log (1 − p_{1j})/(1 − p_{0j})           (2)

n_{cj} is the weight of the rows of class c with a one in column j, N_{cj} that of the rows where the cell is known.
Words that are absent count too. McCallum & Nigam (1998), A comparison of event models for naive Bayes text
classification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, Floats, Matrix, MatrixLike
from gnomon.base import map_rows
from gnomon.distributions import Bernoulli, Beta, BetaBernoulli
from gnomon.distributions.conjugate import check_prior
from gnomon.distributions.counts import smooth
from gnomon.distributions.discrete import Trials
from gnomon.generative._forms import LinearForm
from gnomon.generative._naive import (
    LinearLaws,
    NaiveClassifier,
    check_alpha,
    check_estimate,
    check_feature_weight,
    count_priors,
    group_sums,
    read_matrix,
)
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import Estimation, Gaps, ZeroPolicy
from gnomon.numerics.validation import check_non_negative
from gnomon.numerics.weights import Priors

__all__ = ["BernoulliNB"]


class BernoulliNB(NaiveClassifier):
    """Naive Bayes for bits, equation (1).

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts ≥ 0 of ones and of zeros; 0 is maximum likelihood.
    force_alpha : bool, default=True
        False raises `alpha` to 1e-10 where it is smaller.
    binarize : float or None, default=0.0
        Above this an entry is a one; None: the entries lie in [0, 1] already.
    fit_prior : bool, default=True
        Class priors from the class counts; False: all equal.
    class_prior : array-like of shape (n_classes,) or dict, default=None
        Class priors, in place of the counts.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    feature_weight : array-like of shape (n_features,), default=None
        v_j ≥ 0, by which the factor of column j is raised; all one by default.
    estimate : {"mle", "map", "predictive"}, default="mle"
        Equation (1), or p at the mode or the mean of its law under `parameter_prior`; the mean is the predictive law.
    parameter_prior : BetaBernoulli or Beta, default=None
        The law of every p before any data, for "map" and "predictive", in place of `alpha`.
    missing : {"marginalize", "error"}, default="marginalize"
        NaN: the cell is not counted, and at prediction its factor is left out; or an error.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives probability zero: the posterior is the prior, with a warning; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        n_{cj}.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log p_{cj}.
    linear_form_ : LinearForm
        Equation (2), without priors; for more than two classes one form each.
    coef_, intercept_ : ndarray of shape (1, n_features) or (n_classes, n_features), (1,) or (n_classes,)
        The linear form with the priors in it.
    statistics_ : Trials
        What `partial_fit` adds to.
    n_parameters_ : int
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    McCallum, A. & Nigam, K. (1998). A comparison of event models for naive Bayes text classification. AAAI-98 Workshop
    on Learning for Text Categorization.

    Examples
    --------
    >>> from gnomon.generative import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 1]], [1, 1, 0, 0])
    >>> model.predict_proba([[1, 0, 0]]).round(6), model.score_samples([[1, 0, 0]]).round(6)
    (array([[0.142857, 0.857143]]), array([-2.212973]))
    """

    _prior_option = "class_prior"

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Priors = None,
        prior_alpha: float = 0.0,
        feature_weight: ArrayLike | None = None,
        estimate: Estimation = "mle",
        parameter_prior: BetaBernoulli | Beta | None = None,
        missing: Gaps = "marginalize",
        zero_policy: ZeroPolicy = "prior",
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha
        self.feature_weight = feature_weight
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing
        self.zero_policy = zero_policy

    @property
    def linear_form_(self) -> LinearForm:
        return self._laws.ratio()

    @property
    def n_parameters_(self) -> int:
        return self.feature_count_.size + len(self.classes_) - 1

    def _read(self, X: MatrixLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return map_rows(self._checked_bits, read_matrix(self, X, y, reset=reset))

    def _checked_bits(self, X: Matrix) -> Matrix:
        self._refuse_cells(X)
        return _map_entries(X, self._bits)

    def _bits(self, values: Array) -> Floats:
        if values.dtype.kind != "f" or not np.isnan(np.sum(values)):
            return self._cut(values)
        bits = self._cut(np.nan_to_num(values))
        return np.where(np.isnan(values), np.nan, bits).astype(bits.dtype)

    def _cut(self, values: Array) -> Floats:
        kind = values.dtype if values.dtype.kind == "f" else float
        if self.binarize is not None:
            return (values > check_non_negative("binarize", self.binarize)).astype(kind)
        if values.size and not (np.min(values) >= 0 and np.max(values) <= 1):
            raise ValueError("binarize=None takes entries in [0, 1] only; give a threshold, or make X binary")
        return values.astype(kind)

    def _statistics(self, rows: LabelledRows, before: Any = None) -> Trials:
        k = len(rows.classes)
        X, gaps = _split(rows.X)
        trials = np.repeat(rows.counts[:, None], X.shape[1], axis=1)
        if gaps is not None:
            trials = trials - group_sums(gaps, rows.index, k, rows.weights)
        return Trials(rows.counts, group_sums(X, rows.index, k, rows.weights), trials)

    def _solve(self, statistics: Trials) -> None:
        check_estimate(self.estimate, self.parameter_prior)
        ones, trials = statistics.total, statistics.trials
        self.feature_count_ = ones
        p = smooth(np.stack([trials - ones, ones], axis=-1), self._added())
        with np.errstate(divide="ignore"):
            self.feature_log_prob_, absent = np.log(p[..., 1]), np.log(p[..., 0])
        weights = check_feature_weight(self.feature_weight, self.n_features_in_)
        self._laws = LinearLaws(self.feature_log_prob_, absent, weights)

    def _added(self) -> Floats:
        """Pseudo-counts of zeros and of ones, (d, 2) or what broadcasts to it."""
        prior = self.parameter_prior
        if prior is not None:
            check_prior(prior, (BetaBernoulli, Beta))
            return np.stack(np.broadcast_arrays(prior.beta, prior.alpha), axis=-1) - (self.estimate == "map")
        return check_alpha(self.alpha, (self.n_features_in_,), force_alpha=self.force_alpha)[..., None]

    def _class_priors(self) -> Priors:
        return count_priors(self)

    def _class_log_densities(self, X: Matrix) -> Floats:
        return self._laws.scores(*_split(X))

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        return Bernoulli(np.exp(self.feature_log_prob_[k])).sample(n, rng)

    def _factors(self, X: Any) -> tuple[list[str], Floats]:
        row = X[:1].toarray()[0] if sparse.issparse(X) else X[0]
        seen = np.flatnonzero(~np.isnan(row))
        laws, names = self._laws, self._names()
        with np.errstate(invalid="ignore"):
            factors = (laws.coef * row + laws.absent).T
        factors[(laws.never & (row > 0.0)).T | (laws.always & (row < 1.0)).T] = -np.inf
        return [names[j] for j in seen], factors[seen]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.classifier_tags.poor_score = True
        return tags


def _map_entries(X: Any, function: Callable[[Array], Floats]) -> Any:
    if sparse.issparse(X):
        return sparse.csr_array((function(X.data), X.indices, X.indptr), shape=X.shape)
    return function(X)


def _split(X: Any) -> tuple[Any, Any]:
    """X with zeros for missing cells, and where these are (None: nowhere)."""
    values = X.data if sparse.issparse(X) else X
    if not np.isnan(np.sum(values)):
        return X, None
    return _map_entries(X, np.nan_to_num), _map_entries(X, lambda entries: np.isnan(entries).astype(float))
