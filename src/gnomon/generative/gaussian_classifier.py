"""Normal class densities and Bayes' rule.

    f_c = N(μ_c, Σ_c),    μ_c = (1/N_c) Σ_{i∈c} sᵢ xᵢ,    Σ_c = (1/N_c) Σ_{i∈c} sᵢ (xᵢ − μ_c)(xᵢ − μ_c)ᵀ           (1)
    tied:  Σ = (1/N) Σ_c Σ_{i∈c} sᵢ (xᵢ − μ_c)(xᵢ − μ_c)ᵀ,    llr(x) = xᵀ b + c                                (2)

With a covariance for each class the boundary is quadratic, with a common one linear. Everything is a function of
moments that add, so chunks give what the whole table gives. Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x;
pooling and shrinkage: Friedman (1989), doi:10.1080/01621459.1989.10478752.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, ArrayLike, Floats, available_if
from gnomon.base import validate_rows
from gnomon.distributions import NormalInverseWishartModel, Normals
from gnomon.distributions.normals import MixtureCovarianceType
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._forms import LinearForm, QuadraticForm, linear_scores
from gnomon.generative._gaussian_laws import (
    EstimationPlan,
    PredictiveLaws,
    Shrinkage,
    chain_factors,
    have_gaps,
    mend_gaps,
    moments_of_incomplete_rows,
    quadratic_form,
    refuse_cells,
    whiten,
    whiten_back,
)
from gnomon.generative._leave_one_out import Spread, can_downdate, loo_posteriors
from gnomon.generative._rows import LabelledRows, class_moments, labelled_rows
from gnomon.generative._words import Estimation, Gaps
from gnomon.numerics.parallel import blas_threads
from gnomon.numerics.shrinkage import quartic_sums
from gnomon.numerics.streaming import Moments
from gnomon.numerics.weights import Priors, row_weight

__all__ = ["GaussianClassifier"]


class GaussianClassifier(BayesClassifier):
    """Bayes' rule with a normal density for each class, equation (1) or (2).

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "tied_diag", "spherical", "tied_spherical"}, default="full"
        "full": a matrix for each class, a quadratic boundary. "tied": one matrix, a linear boundary. "diag": variances
        for each class, which is Gaussian naive Bayes. "spherical": one variance for each class.
    ddof : int, default=0
        0 is maximum likelihood; 1 divides by N_c − 1, where tied by N − C.
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    shrinkage : None, float in [0, 1], "ledoit_wolf" or "oas", default=None
        Share s in (1 − s) Σ + s (tr Σ/d) I, given or estimated, for each covariance.
    pool : float in [0, 1], default=0.0
        λ in (1 − λ) Σ_c + λ Σ_tied, before shrinkage.
    estimate : {"mle", "map", "predictive"}, default="mle"
        The parameters of equation (1); their mode under `parameter_prior`; or no point estimate: the class density is
        the posterior predictive one, a Student t.
    parameter_prior : NormalInverseWishart model, optional
        A conjugate law over (μ_c, Σ_c), the same for every class, for "map" and "predictive" with full covariances.
    missing : {"marginalize", "error"}, default="marginalize"
        What to do with NaN: predict from the cells that are there, and fit by EM; or refuse.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    covariances_ : ndarray
        (C, d, d), (d, d), (C, d), (d,), (C,) or (), in the order of the covariance types above.
    shrinkage_ : float or ndarray
        The share that was used, one for each covariance.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    laws_ : Normals
        The class densities; for "predictive" those of `MultivariateT`, with the same verbs.
    statistics_ : Moments
        Of the classes: what `partial_fit` adds to.
    n_parameters_ : int
        Free parameters of means, covariances and priors.
    quadratic_form_ : QuadraticForm
        llr(x) = xᵀAx + xᵀb + c; for more than two classes one form each.
    linear_form_ : LinearForm
        The same without A, where covariances are tied; otherwise AttributeError.
    coef_, intercept_ : ndarray of shape (1, n_features) or (n_classes, n_features), (1,) or (n_classes,)
        The linear form with the priors in it.
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Friedman, J. H. (1989). Regularized discriminant analysis. doi:10.1080/01621459.1989.10478752

    Examples
    --------
    >>> from gnomon.generative import GaussianClassifier
    >>> X = [[0, 0], [1, 0], [0, 1], [1, 1], [3, 2], [4, 2], [3, 3], [4, 4]]
    >>> model = GaussianClassifier(covariance_type="tied").fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.covariances_
    array([[0.25   , 0.0625 ],
           [0.0625 , 0.46875]])
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([[11.172414,  3.310345]]), array([-27.724138]))
    >>> model.llr([[2.0, 1.5]]).round(6)
    array([-0.413793])
    """

    def __init__(
        self,
        covariance_type: MixtureCovarianceType = "full",
        *,
        ddof: int = 0,
        priors: Priors = None,
        prior_alpha: float = 0.0,
        shrinkage: Shrinkage = None,
        pool: float = 0.0,
        estimate: Estimation = "mle",
        parameter_prior: NormalInverseWishartModel | None = None,
        missing: Gaps = "marginalize",
    ):
        self.covariance_type = covariance_type
        self.ddof = ddof
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.shrinkage = shrinkage
        self.pool = pool
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing

    @classmethod
    def from_parameters(
        cls,
        means: ArrayLike,
        covariances: ArrayLike,
        priors: Priors = "uniform",
        *,
        covariance_type: MixtureCovarianceType = "full",
        classes: ArrayLike | None = None,
    ) -> Self:
        """The classifier of known normal densities, without data.

        Parameters
        ----------
        means : array-like of shape (n_classes, n_features)
        covariances : array-like
            Of the shape of `covariances_`.
        priors : "uniform", array-like of shape (n_classes,) or dict, default="uniform"
        covariance_type : str, default="full"
        classes : array-like of shape (n_classes,), optional
            In ascending order; 0, 1, … by default.

        Returns
        -------
        GaussianClassifier
            Ready to predict.
        """
        model = cls(covariance_type, priors=priors)
        laws = Normals(np.asarray(means), np.asarray(covariances), covariance_type)
        model.classes_ = np.arange(len(laws)) if classes is None else np.unique(classes)
        if len(model.classes_) != len(laws):
            raise ValueError(f"classes={classes!r} are not {len(laws)} different labels, one for each row of means")
        model.n_features_in_ = laws.means.shape[1]
        model._store_priors(np.zeros(len(laws)), priors)
        model._laws, model.shrinkage_ = laws, 0.0
        return model

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate equation (1) or (2).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is a missing cell.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        plan = self._plan()
        rows = labelled_rows(self, X, y, sample_weight, finite=False, ensure_min_samples=2)
        # A fit that fails must not leave the laws of an earlier fit behind.
        self.__dict__.pop("_laws", None)
        self.classes_, self.statistics_ = rows.classes, self._moments(rows, plan)
        self._one_row = row_weight(rows.weights)
        quartics = None
        if plan.needs_quartics:
            scale = np.full(self.statistics_.mean.shape, plan.unit(self.statistics_))
            quartics = quartic_sums(rows.X, rows.index, self.statistics_, rows.weights, scale=scale)
        self._solve(plan, quartics)
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add a chunk of rows: after the last chunk the model is that of all rows at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Without missing cells.
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All classes there will be; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        plan = self._plan()
        first = "statistics_" not in vars(self)
        if first and classes is None:
            raise ValueError("classes=None in the first call of partial_fit; list every class that will come")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise ValueError(f"classes={classes!r} differ from those of the first call, {known.tolist()}")
        if plan.needs_quartics:
            raise ValueError("shrinkage='ledoit_wolf' needs all rows at once; give a number or 'oas', or call fit")
        rows = labelled_rows(self, X, y, sample_weight, classes=known, reset=first)
        part = class_moments(rows, diagonal=plan.diagonal)
        self.classes_ = known
        self.statistics_ = part if first else self.statistics_ + part
        self._one_row = max(0.0 if first else self._one_row, row_weight(rows.weights))
        # The first chunks may be too short for a covariance: the laws are made when they are asked for.
        self.__dict__.pop("_laws", None)
        self._store_priors(self.statistics_.weight, self.priors, prior_alpha=self.prior_alpha)
        return self

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
        spread = Spread(self.covariance_type, self.ddof, float(self.shrinkage or 0.0))
        return loo_posteriors(self, X, y, sample_weight, spread, self.prior_alpha)

    @property
    def laws_(self) -> Normals | PredictiveLaws:
        check_is_fitted(self)
        if "_laws" not in vars(self):
            self._solve(self._plan())
        return self._laws

    @property
    def means_(self) -> Floats:
        return self.laws_.means

    @property
    def covariances_(self) -> Floats:
        return self.laws_.covariances

    @property
    def n_parameters_(self) -> int:
        return self.laws_.n_parameters + len(self.classes_) - 1

    @property
    def linear_form_(self) -> LinearForm:
        laws = self._linear_laws()
        if laws is None:
            raise AttributeError(
                f"covariance_type={self.covariance_type!r} has no linear form; read quadratic_form_, or choose a tied "
                "covariance"
            )
        form = _ratios_to_first(laws)
        if len(self.classes_) == 2:
            return LinearForm(form.b[0], float(form.c[0]))
        W = laws.whitener
        centers = whiten(W, laws.means)
        return LinearForm(whiten_back(W, centers), -0.5 * np.sum(centers**2, axis=1))

    @property
    def quadratic_form_(self) -> QuadraticForm:
        laws = self.laws_
        if isinstance(laws, PredictiveLaws):
            raise AttributeError("the logarithm of a posterior predictive density is not quadratic; use estimate='map'")
        return quadratic_form(laws)

    @property
    def coef_(self) -> Floats:
        return np.atleast_2d(self.linear_form_.b)

    @property
    def intercept_(self) -> Floats:
        form, log_prior = self.linear_form_, self.class_log_prior_
        return np.atleast_1d(form.c + (log_prior[1] - log_prior[0] if len(log_prior) == 2 else log_prior))

    def _plan(self) -> EstimationPlan:
        return EstimationPlan(
            self.covariance_type, self.ddof, self.shrinkage, self.pool, self.estimate, self.parameter_prior
        )

    def _moments(self, rows: LabelledRows, plan: EstimationPlan) -> Moments:
        if not have_gaps(self, rows.X, self.missing):
            return class_moments(rows, diagonal=plan.diagonal)
        if plan.needs_quartics:
            raise ValueError("shrinkage='ledoit_wolf' needs rows without missing cells; give a number or 'oas'")
        return moments_of_incomplete_rows(rows, self.covariance_type)

    def _solve(self, plan: EstimationPlan, quartics: Floats | None = None) -> None:
        columns = vars(self).get("feature_names_in_", np.arange(self.n_features_in_))
        self._laws, self.shrinkage_ = plan.laws(
            self.statistics_, self.classes_.tolist(), columns.tolist(), quartics, one_row=self._one_row
        )
        self._store_priors(self.statistics_.weight, self.priors, prior_alpha=self.prior_alpha)

    def _rows(self, X: AnyRows) -> Floats:
        return validate_rows(self, X, reset=False, finite=False)

    def _class_log_densities(self, X: Floats) -> Floats:
        return self._mend(self.laws_.log_densities(X, n_jobs=blas_threads()), X)

    def _class_scores(self, X: Floats) -> Floats:
        laws = self._linear_laws()
        if laws is None or len(laws) == 1:
            return self._class_log_densities(X)
        out = np.zeros((len(X), len(laws)))
        out[:, 1:] = linear_scores(X, *_ratios_to_first(laws))
        return self._mend(out, X)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        return self.laws_[k].sample(n, rng)

    def _factors(self, X: Floats) -> tuple[list[str], Floats]:
        laws = self.laws_
        if isinstance(laws, PredictiveLaws):
            return super()._factors(X)
        refuse_cells(self, X, self.missing)
        return chain_factors(laws, X[0], vars(self).get("feature_names_in_"))

    def _mend(self, out: Floats, X: Floats) -> Floats:
        return mend_gaps(self, out, X, self.missing, lambda: self.laws_)

    def _linear_laws(self) -> Normals | None:
        """The laws, where their ratios are linear."""
        laws = self.laws_
        return laws if isinstance(laws, Normals) and laws.covariance_type.startswith("tied") else None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def _ratios_to_first(laws: Normals) -> LinearForm:
    """llr of every other class against the first, as a linear form: differences of means lose no digits."""
    W, means = laws.whitener[1:], laws.means
    b = whiten_back(W, whiten(W, means[1:] - means[0]))
    return LinearForm(b, -0.5 * np.einsum("kd,kd->k", means[1:] + means[0], b))
