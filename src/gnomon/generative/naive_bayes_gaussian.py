"""Gaussian naive Bayes.

    f_c(x) = ∏_j N(x_j; μ_{cj}, σ²_{cj}),    mean and variance of column j in class c                        (1)
    shared:  σ²_j = (1/N) Σ_c Σ_{i∈c} sᵢ (x_{ij} − μ_{cj})²,    llr(x) = xᵀ b + c,  b_j = (μ_{1j} − μ_{0j})/σ²_j  (2)

Variances of the classes make a quadratic boundary, shared ones a linear one. Everything is a function of moments that
add. Hand & Yu (2001), doi:10.1111/j.1751-5823.2001.tb00465.x; John & Langley (1995), arXiv:1302.4964.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils import Tags

from gnomon._typing import ArrayLike, Floats, available_if
from gnomon.base import validate_rows
from gnomon.distributions import Normal, NormalInverseGammaModel, StudentT
from gnomon.distributions.conjugate import check_prior
from gnomon.distributions.normals import MixtureCovarianceType
from gnomon.generative._forms import LinearForm
from gnomon.generative._gaussian_cells import CellLaws, CellMoments, cell_moments, refuse_constant
from gnomon.generative._leave_one_out import CellSpread, can_downdate, loo_posteriors
from gnomon.generative._naive import NaiveClassifier, check_estimate, check_feature_weight
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import Estimation, Gaps
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_non_negative, check_positive
from gnomon.numerics.weights import Priors

__all__ = ["GaussianNB"]

Variance: TypeAlias = Literal["class", "shared"]


class GaussianNB(NaiveClassifier):
    """Naive Bayes for numbers, equation (1) or (2).

    Parameters
    ----------
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    var_smoothing : float, default=1e-9
        This share of the largest variance of a column is added to every variance; 0 is maximum likelihood.
    variance : {"class", "shared"}, default="class"
        Variances of each class, or those that all classes share.
    var_floor : float, default=None
        Variances below this are raised to it, and nothing is added.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    feature_weight : array-like of shape (n_features,), default=None
        v_j ≥ 0, by which the factor of column j is raised; all one by default.
    estimate : {"mle", "map", "predictive"}, default="mle"
        Equation (1), smoothed; the mode under `parameter_prior`; or no point at all, a Student t for each column.
    parameter_prior : NormalInverseGammaModel, default=None
        The law of every (μ, σ²) before any data, for "map" and "predictive", in place of smoothing and floor.
    missing : {"marginalize", "error"}, default="marginalize"
        NaN: the cell is not counted, and at prediction its factor is left out; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    theta_ : ndarray of shape (n_classes, n_features)
        μ_{cj}.
    var_ : ndarray of shape (n_classes, n_features)
        σ²_{cj}, with what was added.
    epsilon_ : float
        What was added: `var_smoothing` times the largest variance over all rows.
    linear_form_ : LinearForm
        Equation (2), without priors; for more than two classes one form each. Only for shared variances.
    coef_, intercept_ : ndarray of shape (1, n_features) or (n_classes, n_features), (1,) or (n_classes,)
        The linear form with the priors in it.
    statistics_ : CellMoments
        What `partial_fit` adds to.
    n_parameters_ : int
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hand, D. J. & Yu, K. (2001). Idiot's Bayes: not so stupid after all? doi:10.1111/j.1751-5823.2001.tb00465.x

    Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance.
    doi:10.1080/00031305.1983.10483115

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import GaussianNB
    >>> X = [[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]]
    >>> model = GaussianNB(var_smoothing=0).fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.theta_[0].round(6), model.var_[0].round(6)
    (array([-2.      , -1.333333]), array([0.666667, 0.222222]))
    >>> model.predict([[-0.8, np.nan]])
    array(['a'], dtype='<U1')
    >>> GaussianNB(variance="shared", var_smoothing=0).fit(X, [0, 0, 0, 1, 1, 1]).coef_
    array([[ 6., 12.]])
    """

    def __init__(
        self,
        *,
        priors: Priors = None,
        var_smoothing: float = 1e-9,
        variance: Variance = "class",
        var_floor: float | None = None,
        prior_alpha: float = 0.0,
        feature_weight: ArrayLike | None = None,
        estimate: Estimation = "mle",
        parameter_prior: NormalInverseGammaModel | None = None,
        missing: Gaps = "marginalize",
    ):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.variance = variance
        self.var_floor = var_floor
        self.prior_alpha = prior_alpha
        self.feature_weight = feature_weight
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing

    @property
    def linear_form_(self) -> LinearForm:
        if self.variance != "shared" or self.estimate != "mle":
            raise AttributeError("variances of each class have no linear form; choose variance='shared'")
        scale = self._weights() / self.var_[0]
        if len(self.classes_) != 2:
            return LinearForm(self.theta_ * scale, -0.5 * self.theta_**2 @ scale)
        # Means that lie far from zero but near each other lose no digits this way.
        b = (self.theta_[1] - self.theta_[0]) * scale
        return LinearForm(b, float(-0.5 * (self.theta_[1] + self.theta_[0]) @ b))

    @property
    def n_parameters_(self) -> int:
        spread = self.n_features_in_ if self.variance == "shared" else self.theta_.size
        return self.theta_.size + spread + len(self.classes_) - 1

    @available_if(can_downdate)
    def loo_proba(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
        """P₋ᵢ(c | xᵢ): the posterior of every row under the model of all others, for the X and y of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A row is left out with all its weight.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            By rank-one downdates, for the cost of one prediction; rows without which a law is lost are refitted.
        """
        kind: MixtureCovarianceType = "tied_diag" if self.variance == "shared" else "diag"
        cells = CellSpread(kind, smoothing=self.var_smoothing, floor=self.var_floor, v=self._weights())
        return loo_posteriors(self, X, y, sample_weight, cells, self.prior_alpha)

    def _read(self, X: ArrayLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return validate_rows(self, X, y, reset=reset, finite=False)

    def _statistics(self, rows: LabelledRows, before: Any = None) -> CellMoments:
        return cell_moments(rows.X, rows.index, rows.counts, rows.weights, refuse=self._refuse_cells)

    def _solve(self, statistics: CellMoments) -> None:
        shared = self.variance == "shared"
        check_estimate(self.estimate, self.parameter_prior)
        if shared and self.parameter_prior is not None:
            raise ValueError("parameter_prior is a law of the variances of each class; choose variance='class'")
        self.epsilon_ = 0.0
        if self.parameter_prior is not None:
            self._store(self._under_prior(self.parameter_prior, statistics.cells))
            return
        var = statistics.variances(shared=shared)
        if self.var_floor is not None:
            var = np.maximum(var, check_positive("var_floor", self.var_floor))
        else:
            share = check_non_negative("var_smoothing", self.var_smoothing)
            self.epsilon_ = float(share * np.max(statistics.total_variance()))
            var = var + self.epsilon_
        # A class without rows so far must have prior zero: any law will do.
        empty = (statistics.weight == 0.0)[:, None]
        self._store(Normal(statistics.cells.mean, np.where(empty & (var == 0.0), 1.0, var)))

    def _under_prior(self, prior: NormalInverseGammaModel, cells: Moments) -> Normal | StudentT:
        check_prior(prior, (NormalInverseGammaModel,))
        after = prior.given(cells)
        return after.at(after.map()) if self.estimate == "map" else after.predictive()

    def _store(self, law: Normal | StudentT) -> None:
        self.theta_, self.var_ = np.array(law.mode), np.array(law.var)
        self._laws = CellLaws(law, self._weights())

    def _weights(self) -> Floats:
        v = check_feature_weight(self.feature_weight, self.n_features_in_)
        return np.ones(self.n_features_in_) if v is None else v

    def _class_priors(self) -> Priors:
        return self.priors

    def _verify(self) -> None:
        if self.estimate == "mle":
            self._refuse_unseen()
            refuse_constant(self.var_, self.statistics_, self.classes_.tolist(), self._names())

    def _class_log_densities(self, X: Floats) -> Floats:
        return self._laws.log_densities(X, refuse=self._refuse_cells)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        self._verify()
        return self._laws[k].sample(n, rng)

    def _factors(self, X: Floats) -> tuple[list[str], Floats]:
        self._refuse_cells(X)
        seen = np.flatnonzero(~np.isnan(X[0]))
        factors = np.stack([self._laws.cells(X[:1], c)[0] for c in range(len(self.classes_))], axis=1)
        return [self._names()[j] for j in seen], factors[seen]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
