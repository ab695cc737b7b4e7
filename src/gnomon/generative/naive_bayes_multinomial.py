"""Multinomial naive Bayes: counts of words.

    log f_c(x) = log[(Σ_j x_j)! / ∏_j x_j!] + Σ_j x_j log π_{cj},    π_{cj} = (N_{cj} + α) / (N_c + Σ_j α)       (1)
    llr(x) = xᵀ b,    b_j = log π_{1j} − log π_{0j}                                                        (2)

N_{cj} is how often word j occurs in the documents of class c, N_c all words there. The coefficient is the same for
every class: posteriors and (2) do not have it, log p(x) does. With all of the posterior law in place of a point the
class density is the Dirichlet-multinomial one of Madsen, Kauchak & Elkan (2005), doi:10.1145/1102351.1102420. McCallum
& Nigam (1998), A comparison of event models for naive Bayes text classification.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, Compressed, Floats, Matrix, MatrixLike, is_sparse
from gnomon.base import map_rows
from gnomon.distributions import Multinomial
from gnomon.distributions.counts import CategoryPrior, pseudo_counts, smooth
from gnomon.distributions.discrete import Counts
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
from gnomon.generative._words import Estimation, ZeroPolicy
from gnomon.numerics.saddle_point import log_gamma_ratio
from gnomon.numerics.validation import assert_finite
from gnomon.numerics.weights import Priors

__all__ = ["MultinomialNB"]


class MultinomialNB(NaiveClassifier):
    """Naive Bayes for counts, equation (1).

    `predict_joint_log_proba` and `decision_function` leave the coefficient out, as scikit-learn does;
    `class_log_likelihood`, `score_samples` and `log_likelihood` have it. A count that is missing is refused: no factor
    belongs to it alone.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        Pseudo-counts ≥ 0; 0 is maximum likelihood.
    force_alpha : bool, default=True
        False raises `alpha` to 1e-10 where it is smaller.
    fit_prior : bool, default=True
        Class priors from the class counts; False: all equal.
    class_prior : array-like of shape (n_classes,) or dict, default=None
        Class priors, in place of the counts.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    feature_weight : array-like of shape (n_features,), default=None
        v_j ≥ 0 in Σ_j v_j x_j log π_{cj}; all one by default.
    estimate : {"mle", "map", "predictive"}, default="mle"
        Equation (1); its π at the mode under `parameter_prior`; or no point at all, the Dirichlet-multinomial density.
    parameter_prior : DirichletCategorical or Dirichlet, default=None
        The law of π before any data, for "map" and "predictive", in place of `alpha`.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives probability zero: the posterior is the prior, with a warning; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    feature_count_ : ndarray of shape (n_classes, n_features)
        N_{cj}.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log π_{cj}.
    linear_form_ : LinearForm
        Equation (2), without priors; for more than two classes one form each. Not for "predictive".
    coef_, intercept_ : ndarray of shape (1, n_features) or (n_classes, n_features), (1,) or (n_classes,)
        The linear form with the priors in it.
    statistics_ : Counts
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

    Madsen, R. E., Kauchak, D. & Elkan, C. (2005). Modeling word burstiness using the Dirichlet distribution.
    doi:10.1145/1102351.1102420

    Examples
    --------
    >>> from gnomon.generative import MultinomialNB
    >>> books = [[10, 2, 1], [10, 8, 0], [1, 20, 2]]
    >>> model = MultinomialNB(alpha=0).fit(books, ["romance", "romance", "manga"])
    >>> model.linear_form_.b.round(6)
    array([ 2.697239, -0.99164 , -0.99164 ])
    >>> model.llr([[1, 1, 1]]).round(6), model.predict_proba([[1, 1, 1]]).round(6)
    (array([0.713959]), array([[0.196691, 0.803309]]))
    >>> model.class_log_likelihood([[10, 2, 1]]).round(6)[0, 1]
    np.float64(-3.324737)
    """

    _prior_option = "class_prior"

    def __init__(
        self,
        *,
        alpha: ArrayLike = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Priors = None,
        prior_alpha: float = 0.0,
        feature_weight: ArrayLike | None = None,
        estimate: Estimation = "mle",
        parameter_prior: CategoryPrior | None = None,
        zero_policy: ZeroPolicy = "prior",
    ):
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha
        self.feature_weight = feature_weight
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.zero_policy = zero_policy

    @property
    def linear_form_(self) -> LinearForm:
        if self.estimate == "predictive":
            raise AttributeError("estimate='predictive' is not linear in the counts; choose 'mle' or 'map'")
        return self._laws.ratio()

    @property
    def n_parameters_(self) -> int:
        return self.feature_count_.size - 1

    def _read(self, X: MatrixLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return map_rows(self._checked_counts, read_matrix(self, X, y, reset=reset))

    def _checked_counts(self, X: Matrix) -> Matrix:
        """Finite and ≥ 0."""
        assert_finite(X, columns=vars(self).get("feature_names_in_"))
        values = X.data if is_sparse(X) else X
        if values.size and np.min(values) < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__} (input X): the least is {np.min(values):g}; "
                "counts are ≥ 0"
            )
        return X

    def _statistics(self, rows: LabelledRows, before: Any = None) -> Counts:
        return Counts(rows.counts, group_sums(rows.X, rows.index, len(rows.classes), rows.weights))

    def _solve(self, statistics: Counts) -> None:
        check_estimate(self.estimate, self.parameter_prior)
        self.feature_count_ = statistics.counts
        d = self.n_features_in_
        alpha = check_alpha(self.alpha, (d,), force_alpha=self.force_alpha)
        self._added = pseudo_counts(alpha, self.estimate, self.parameter_prior, d, "X")
        with np.errstate(divide="ignore"):
            self.feature_log_prob_ = np.log(smooth(self.feature_count_, self._added))
        logs = self.feature_log_prob_
        self._laws = LinearLaws(logs, np.zeros_like(logs), check_feature_weight(self.feature_weight, d))

    def _class_priors(self) -> Priors:
        return count_priors(self)

    def _class_scores(self, X: Matrix) -> Floats:
        if self.estimate != "predictive":
            return self._laws.scores(X)
        a = self.feature_count_ + self._added
        rows, total = sparse.csr_array(X), np.sum(a, axis=1)
        words = np.stack([_row_sums(rows, self._predictive_terms(rows, a_c)) for a_c in a], axis=1)
        length = X @ np.ones(X.shape[1])
        return words - log_gamma_ratio(total, length[:, None])

    def _predictive_terms(self, rows: Compressed, a: Floats) -> Floats:
        """log Γ(a_j + x_j)/Γ(a_j), the factor of every stored count."""
        weights = check_feature_weight(self.feature_weight, len(a))
        here = a[rows.indices]
        terms = log_gamma_ratio(here, rows.data)
        return terms if weights is None else weights[rows.indices] * terms

    def _class_log_densities(self, X: Matrix) -> Floats:
        return self._class_scores(X) + log_coefficients(X)[:, None]

    def _joint_scores(self, X: Matrix) -> Floats:
        return self._class_scores(X)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        """Documents of the mean length of the class."""
        words, weight = np.sum(self.feature_count_[k]), self.class_count_[k]
        length = round(words / weight) if weight > 0.0 else 1
        return Multinomial(np.exp(self.feature_log_prob_[k]), n_trials=max(1, length)).sample(n, rng)

    def _factors(self, X: Any) -> tuple[list[str], Floats]:
        rows, names = sparse.csr_array(X[:1]), self._names()
        single = sparse.csr_array((rows.data, rows.indices, np.arange(rows.nnz + 1)), shape=(rows.nnz, X.shape[1]))
        factors = self._class_scores(single)
        rest = self._class_log_densities(X) - np.sum(factors, axis=0)
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isneginf(np.sum(factors, axis=0)), log_coefficients(X)[:, None], rest)
        return [*(names[j] for j in rows.indices), "coefficient"], np.vstack([factors, rest])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def log_coefficients(X: Matrix) -> Floats:
    """log (Σ x_j)!/∏ x_j! of every row, through Γ where counts are fractions."""
    rows = sparse.csr_array(X)
    return gammaln(X @ np.ones(X.shape[1]) + 1.0) - _row_sums(rows, gammaln(rows.data + 1.0))


def _row_sums(rows: Compressed, values: Array) -> Floats:
    return sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape) @ np.ones(rows.shape[1])
