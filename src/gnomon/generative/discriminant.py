"""Linear discriminant analysis.

    log P(c | x) = xᵀ Σ⁻¹ μ_c − ½ μ_cᵀ Σ⁻¹ μ_c + log π_c + const,    Σ = Σ_c (N_c/N) Σ_c                     (1)
    S_B v = λ S_W v                                                                                       (2)

(1) classifies, with one normal law per class and a common covariance; (2) gives the axes on which the class means are
farthest apart in units of the spread within. Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x; Hastie, Tibshirani
& Friedman (2009), section 4.3, doi:10.1007/978-0-387-84858-7. The moments of the classes are summed in one pass and the
rows are decomposed only where the covariance has lost too many digits, so the cost is that of one product XᵀX.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, NonNegative, available_if
from gnomon.base import validate_rows
from gnomon.distributions import NormalInverseWishartModel, Normals
from gnomon.generative._class_covariance import (
    AutoShrinkage,
    check_complete,
    check_covariance_options,
    check_normal_prior,
    class_covariances,
    given_priors,
)
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._forms import LinearForm, linear_scores
from gnomon.generative._gaussian_laws import (
    PredictiveLaws,
    chain_factors,
    have_gaps,
    mend_gaps,
    moments_of_incomplete_rows,
    refuse_cells,
    root_of,
    tied_posterior,
)
from gnomon.generative._leave_one_out import Spread, can_downdate, loo_posteriors
from gnomon.generative._rows import LabelledRows, class_moments, labelled_rows
from gnomon.generative._words import Estimation, Gaps
from gnomon.numerics.linalg import factor_spd
from gnomon.numerics.parallel import blas_threads
from gnomon.numerics.scatter import discriminant_axes, fix_signs, principal_axes
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.numerics.weights import Priors

__all__ = ["LinearDiscriminantAnalysis"]

Solver: TypeAlias = Literal["svd", "lsqr", "eigen"]

_EPS = np.finfo(float).eps
_MOST_NUMBERS = 2**27
"""Numbers that the moments of all classes may hold (1 GB); beyond, the rows themselves are decomposed."""


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BayesClassifier):
    """Linear discriminant analysis, equations (1) and (2).

    A namesake of scikit-learn's class, with its parameters, attributes and denominators (1/N), and with what every
    classifier by Bayes' rule offers: `llr`, priors at prediction, `score_samples`, `sample`, `explain`.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        "svd": whiten within the classes, dropping directions without variance, then find (2) among the means. "lsqr":
        solve (1) by least squares; no `transform`. "eigen": solve (2) as a generalised eigenproblem. The last two take
        shrinkage.
    shrinkage : None, "auto" or float in [0, 1], default=None
        Of each class covariance towards a multiple of the identity; "auto" is Ledoit–Wolf on standardised columns.
    priors : array-like of shape (n_classes,), "uniform" or dict, optional
        The shares of the classes by default.
    n_components : int, optional
        Axes that `transform` keeps; min(n_classes − 1, n_features) by default.
    store_covariance : bool, default=False
        Whether the solver "svd" keeps `covariance_`.
    tol : float, default=1e-4
        For "svd": directions whose standard deviation within the classes, in units of the columns', is below it are
        dropped.
    covariance_estimator : estimator, optional
        With `fit` and `covariance_`, for "lsqr" and "eigen", in place of shrinkage.
    estimate : {"mle", "map", "predictive"}, default="mle"
        The parameters of equation (1); their mode under `parameter_prior`; or no point estimate: the class density is
        the posterior predictive one, a Student t, which has no linear form. The axes (2) are those of the mode then.
    parameter_prior : NormalInverseWishartModel, optional
        A conjugate law over the class means and their common covariance, for "map" and "predictive"; it does the work
        of shrinkage and of a covariance estimator, and goes with neither.
    missing : {"error", "marginalize"}, default="error"
        What to do with NaN: refuse, as scikit-learn does; or predict from the cells that are there, and fit by EM.
        `transform` takes none.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Both not for "predictive".
    covariance_ : ndarray of shape (n_features, n_features)
        Σ_c π_c Σ_c; with "svd" only if `store_covariance`.
    means_ : ndarray of shape (n_classes, n_features)
    priors_ : ndarray of shape (n_classes,)
    scalings_ : ndarray of shape (n_features, rank)
        The axes of (2); not with "lsqr".
    xbar_ : ndarray of shape (n_features,)
        Σ_c π_c μ_c; with "svd".
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Shares of λ; not with "lsqr".
    linear_form_ : LinearForm
        llr(x) = xᵀb + c without priors; for more than two classes one form each.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    n_parameters_ : int
        C d + d(d + 1)/2 of the laws, and C − 1 of the priors.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems.
    doi:10.1111/j.1469-1809.1936.tb02137.x

    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.3.
    doi:10.1007/978-0-387-84858-7

    Examples
    --------
    >>> from gnomon.generative import LinearDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[-0.8, -1]])
    array(['a'], dtype='<U1')
    >>> model.projection_score([[-0.8, -1.0], [0.5, 1.0]]).round(6)
    array([-1.,  1.])
    """

    coef_: Floats
    intercept_: Floats
    covariance_: Floats
    means_: Floats
    priors_: Floats
    scalings_: Floats
    xbar_: Floats
    explained_variance_ratio_: Floats
    _within: Floats | None
    _predictive: PredictiveLaws | None

    def __init__(
        self,
        solver: Solver = "svd",
        shrinkage: AutoShrinkage = None,
        priors: Priors = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: NonNegative = 1e-4,
        covariance_estimator: BaseEstimator | None = None,
        *,
        estimate: Estimation = "mle",
        parameter_prior: NormalInverseWishartModel | None = None,
        missing: Gaps = "error",
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find equations (1) and (2).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        solve = {"svd": self._by_svd, "lsqr": self._by_lsqr, "eigen": self._by_eigen}
        check_normal_prior(self)
        rows = labelled_rows(self, X, y, sample_weight, ensure_min_samples=2, finite=False)
        self.classes_, self._predictive = rows.classes, None
        self._n_features_out = self._components(rows)
        gaps = have_gaps(self, rows.X, self.missing)
        check_covariance_options(self.solver, self.shrinkage, self.covariance_estimator)
        self._store_priors(rows.counts, given_priors(self.priors, rows.classes, rows.counts))
        fitted = solve[self.solver](rows, gaps)
        self._form, self._common, log_prior = fitted.pop("form"), fitted.pop("common"), self.class_log_prior_
        fitted["priors_"] = self.class_prior_
        if self.estimate != "predictive":
            b, c = self._form.b, self._form.c + log_prior
            if len(c) == 2:
                fitted["coef_"], fitted["intercept_"] = b[1:] - b[:1], c[1:] - c[:1]
            else:
                fitted["coef_"], fitted["intercept_"] = b + self._common.b, c + self._common.c
        for name, value in fitted.items():
            setattr(self, name, np.asarray(value, dtype=rows.X.dtype))
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Project on the axes of equation (2).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, min(rank, n_components))
        """
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        axes = self.scalings_[:, : self._n_features_out].T.astype(float)
        start = axes @ self.xbar_ if self.solver == "svd" else 0.0
        return linear_scores(X, axes, -start).astype(X.dtype, copy=False)

    def projection_score(self, X: ArrayLike) -> Floats:
        """ŵᵀx with ‖ŵ‖ = 1, for two classes, pointing from the first to the second.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        if len(self.classes_) != 2:
            raise ValueError(f"{len(self.classes_)} classes have no single direction; use transform")
        w = self._form.b[1] - self._form.b[0]
        length = np.linalg.norm(w)
        if not length > 0.0:
            raise ValueError("the class means coincide, so there is no direction from one to the other")
        return linear_scores(X, w[None] / length, 0.0)[:, 0].astype(X.dtype, copy=False)

    def predict_at(self, X: ArrayLike, threshold: float, *, tie: Literal["negative", "positive"] = "negative") -> Array:
        """`classes_[1]` where the projection exceeds a threshold of one's own choice, for two classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        threshold : float
            On the scale of `projection_score`.
        tie : {"negative", "positive"}, default="negative"
            Which class a score equal to the threshold belongs to.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        exceeds = {"negative": np.greater, "positive": np.greater_equal}
        above = exceeds[check_choice("tie", tie, exceeds)](self.projection_score(X), threshold)
        return self.classes_[above.astype(np.intp)]

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
        svd = self.solver == "svd"
        # Axes of the means that were dropped leave no rule for those of one row less; given priors weigh the scatters.
        full_rank = min(len(self.classes_) - 1, self.n_features_in_)
        simple = self.scalings_.shape[1] == full_rank if svd else self.priors is None
        floor = (4.0 * self.tol**2 if svd else 0.0) if simple else np.inf
        return loo_posteriors(
            self, X, y, sample_weight, Spread("tied", share=float(self.shrinkage or 0.0), floor=floor)
        )

    @property
    def n_parameters_(self) -> int:
        check_is_fitted(self)
        (k, d) = self.means_.shape
        return k * d + d * (d + 1) // 2 + k - 1

    @property
    def linear_form_(self) -> LinearForm:
        check_is_fitted(self)
        if self.estimate == "predictive":
            raise AttributeError("the logarithm of a posterior predictive density is not linear; use estimate='map'")
        b, c = self._form
        if len(c) == 2:
            return LinearForm(b[1] - b[0], float(c[1] - c[0]))
        return LinearForm(b + self._common.b, c + self._common.c)

    def _components(self, rows: LabelledRows) -> int:
        if len(rows.index) == len(rows.classes):
            raise ValueError("The number of samples must be more than the number of classes; give more rows")
        most = min(len(rows.classes) - 1, rows.X.shape[1])
        if self.n_components is None:
            return most
        if check_integer("n_components", self.n_components, 1) > most:
            raise ValueError(
                f"n_components={self.n_components} cannot be larger than min(n_features, n_classes - 1) = {most}"
            )
        return self.n_components

    def _by_svd(self, rows: LabelledRows, gaps: bool) -> dict[str, Any]:
        """Whiten within the classes, then the axes of the means: scikit-learn's default."""
        (n, d), k = rows.X.shape, len(rows.classes)
        own_rows = not gaps and self.parameter_prior is None
        wide = own_rows and (n <= d or k * d * d > _MOST_NUMBERS)
        parts, mode = (class_moments(rows, diagonal=wide), None) if own_rows else self._pooled(rows, gaps)
        within = parts.pooled().covariance() if self.parameter_prior is None or mode is None else mode
        var = within if wide else np.diag(within)
        # A variance at the level of rounding counts as zero.
        flat = var <= (8.0 * _EPS * np.max(np.abs(parts.mean), axis=0)) ** 2
        std = np.where(flat, 1.0, np.sqrt(np.where(flat, 1.0, var)))
        units = np.where(flat, 0.0, 1.0 / std)

        def scaled_rows() -> Floats:
            if not own_rows:
                return root_of(within) * units
            share = np.full(n, 1.0) if rows.weights is None else rows.weights
            return (rows.X - parts.mean[rows.index]) * units * np.sqrt(share / np.sum(share))[:, None]

        correlation = None if wide else within * units[:, None] * units
        values, axes = principal_axes(correlation, scaled_rows, floor=self.tol**2)
        kept = values > self.tol**2
        whiten = axes[:, kept] / std[:, None] / np.sqrt(values[kept])
        self._within = None if wide else within
        fitted = self._among_means(parts, whiten)
        if self.store_covariance:
            full = class_moments(rows) if wide else parts
            mean = np.einsum("k,kij->ij", self.class_prior_, full.covariance())
            fitted["covariance_"] = mean if self.parameter_prior is None else within
        return fitted

    def _among_means(self, parts: Moments, whiten: Floats) -> dict[str, Any]:
        """The axes of the class means in whitened coordinates, and equation (1) on them."""
        prior, k = self.class_prior_, len(self.classes_)
        xbar = prior @ parts.mean
        weight = np.sqrt(np.sum(parts.weight) * prior / max(k - 1, 1))
        _, S, Vt = linalg.svd((weight[:, None] * (parts.mean - xbar)) @ whiten, full_matrices=False)
        total = np.sum(S**2)
        axes = whiten @ Vt[self.tol * (S[0] if len(S) else 0.0) < S].T
        centers = (parts.mean - xbar) @ axes
        b = centers @ axes.T
        return {
            "means_": parts.mean,
            "xbar_": xbar,
            "scalings_": fix_signs(axes),
            "explained_variance_ratio_": (S**2 / (total if total > 0.0 else 1.0))[: self._n_features_out],
            "form": LinearForm(b, -0.5 * np.sum(centers**2, axis=1) - b @ xbar),
            "common": LinearForm(np.zeros(len(xbar)), 0.0),
        }

    def _by_lsqr(self, rows: LabelledRows, gaps: bool) -> dict[str, Any]:
        """Equation (1) as it stands."""
        parts, cov = self._pooled(rows, gaps)
        return {
            "means_": parts.mean,
            "covariance_": cov,
            **self._forms(parts.mean, lambda rows: _solved(cov, rows)),
        }

    def _by_eigen(self, rows: LabelledRows, gaps: bool) -> dict[str, Any]:
        """Equation (2), and (1) on its axes."""
        parts, within = self._pooled(rows, gaps)
        values, axes = discriminant_axes(within, self._between(rows, parts, within))
        return {
            "means_": parts.mean,
            "covariance_": within,
            "scalings_": axes,
            "explained_variance_ratio_": (values / np.sum(values))[: self._n_features_out],
            **self._forms(parts.mean, lambda rows: (rows @ axes) @ axes.T),
        }

    def _forms(self, means: Floats, solve: Callable[[Floats], Floats]) -> dict[str, LinearForm]:
        """Equation (1) about the mean of all classes, and the form that all classes have in common beside it.

        Far from zero the scores of (1) as it stands are large and differ little; about the mean no digit is lost.
        """
        center = self.class_prior_ @ means
        b, common = solve(means - center), solve(center[None])[0]
        c = -0.5 * np.sum((means - center) * b, axis=1) - b @ center
        return {"form": LinearForm(b, c), "common": LinearForm(common, -0.5 * center @ common)}

    def _between(self, rows: LabelledRows, parts: Moments, within: Floats) -> Floats:
        """The covariance of all rows less that within; under a prior, that of the class means."""
        pooled = parts.pooled()
        step = np.sqrt(parts.weight)[:, None] * (parts.mean - pooled.mean)
        if self.parameter_prior is not None:
            return step.T @ step / pooled.weight
        total = Moments(np.array([pooled.weight]), pooled.mean[None], (pooled.scatter + step.T @ step)[None])
        one = np.zeros(len(rows.X), dtype=int)
        return (
            class_covariances(rows.X, one, total, rows.weights, self.shrinkage, self.covariance_estimator)[0] - within
        )

    def _pooled(self, rows: LabelledRows, gaps: bool) -> tuple[Moments, Floats]:
        """Moments of the classes, with the means of equation (1), and its Σ."""
        check_complete(self, gaps)
        parts = moments_of_incomplete_rows(rows, "tied") if gaps else class_moments(rows)
        if self.parameter_prior is not None:
            means, self._within, predictive = tied_posterior(self.parameter_prior, parts)
            self._predictive = predictive if self.estimate == "predictive" else None
            return parts._replace(mean=means), self._within
        covs = class_covariances(rows.X, rows.index, parts, rows.weights, self.shrinkage, self.covariance_estimator)
        self._within = np.einsum("k,kij->ij", self.class_prior_, covs)
        return parts, self._within

    def _rows(self, X: AnyRows) -> Floats:
        return validate_rows(self, X, reset=False, finite=False)

    def _class_scores(self, X: Floats) -> Floats:
        if self._predictive is not None:
            return self._class_log_densities(X)
        return mend_gaps(self, linear_scores(X, *self._form), X, self.missing, self._tied_laws)

    def _decision_scores(self, X: Floats) -> Floats:
        if self._predictive is not None:
            return self._class_scores(X)
        return self._class_scores(X) + self._common(np.where(np.isnan(X), 0.0, X))[:, None]

    def _tied_laws(self) -> Normals:
        if self._within is None or factor_spd(self._within) is None:
            raise ValueError(
                "the covariance within the classes is singular, so there is no density; remove redundant columns, give "
                "more rows, or use solver='eigen' with shrinkage"
            )
        return Normals(self.means_, self._within, "tied")

    def _class_log_densities(self, X: Floats) -> Floats:
        laws = self._densities()
        return mend_gaps(self, laws.log_densities(X, n_jobs=blas_threads()), X, self.missing, lambda: laws)

    def _densities(self) -> Normals | PredictiveLaws:
        return self._tied_laws() if self._predictive is None else self._predictive

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        return self._densities()[k].sample(n, rng)

    def _factors(self, X: Floats) -> tuple[list[str], Floats]:
        if self._predictive is not None:
            return super()._factors(X)
        refuse_cells(self, X, self.missing)
        return chain_factors(self._tied_laws(), X[0], vars(self).get("feature_names_in_"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def _solved(cov: Floats, rows: Floats) -> Floats:
    """Σ⁻¹x of every row; of the least norm where Σ is singular."""
    # The factor is one of the correlations, whose condition does not depend on the units of the columns.
    factor = factor_spd(cov)
    return linalg.lstsq(cov, rows.T)[0].T if factor is None else factor.solve(rows.T).T
