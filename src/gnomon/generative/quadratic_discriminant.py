"""Quadratic discriminant analysis.

    log P(c | x) = −½ (x − μ_c)ᵀ Σ_c⁻¹ (x − μ_c) − ½ log |Σ_c| + log π_c + const,    Σ_c = R_c diag(λ_c) R_cᵀ        (1)

One normal law per class, each with its own covariance: the boundaries are quadrics. Hastie, Tibshirani & Friedman
(2009), section 4.3, doi:10.1007/978-0-387-84858-7; the regularised form: Friedman (1989),
doi:10.1080/01621459.1989.10478752. The covariances come from moments summed in one pass; the rows are decomposed
only where these have lost too many digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NoReturn, Self, cast

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, ArrayLike, Floats, NonNegative, Share, available_if
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
from gnomon.generative._forms import QuadraticForm
from gnomon.generative._gaussian_laws import (
    EstimationPlan,
    PredictiveLaws,
    chain_factors,
    have_gaps,
    mend_gaps,
    moments_of_incomplete_rows,
    quadratic_form,
    refuse_cells,
    root_of,
)
from gnomon.generative._leave_one_out import Spread, can_downdate, loo_posteriors
from gnomon.generative._rows import LabelledRows, class_moments, labelled_rows
from gnomon.generative._words import Estimation, Gaps
from gnomon.numerics.parallel import blas_threads
from gnomon.numerics.scatter import fix_signs, principal_axes
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.weights import Priors, row_weight

__all__ = ["QuadraticDiscriminantAnalysis"]


class QuadraticDiscriminantAnalysis(BayesClassifier):
    """Quadratic discriminant analysis, equation (1).

    A namesake of scikit-learn's class, with its parameters, attributes and denominators (1/N_c), and with what every
    classifier by Bayes' rule offers: `llr`, priors at prediction, `score_samples`, `sample`, `explain`.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        "svd" takes `reg_param`; "eigen" takes shrinkage or a covariance estimator.
    shrinkage : None, "auto" or float in [0, 1], default=None
        Of each class covariance towards a multiple of the identity; "auto" is Ledoit–Wolf on standardised columns.
    priors : array-like of shape (n_classes,), "uniform" or dict, optional
        The shares of the classes by default.
    reg_param : float in [0, 1], default=0.0
        r in (1 − r) Σ_c + r I, for "svd".
    store_covariance : bool, default=False
        Whether `covariance_` is kept.
    tol : float, default=1e-4
        A class whose covariance has an eigenvalue not above it is refused.
    covariance_estimator : estimator, optional
        With `fit` and `covariance_`, for "eigen", in place of shrinkage.
    estimate : {"mle", "map", "predictive"}, default="mle"
        The parameters of equation (1); their mode under `parameter_prior`; or no point estimate: the class density is
        the posterior predictive one, a Student t, and the attributes describe the mode.
    parameter_prior : NormalInverseWishartModel, optional
        A conjugate law over (μ_c, Σ_c), the same for every class, for "map" and "predictive"; it does the work of
        `reg_param`, shrinkage and a covariance estimator, and goes with none of them.
    missing : {"error", "marginalize"}, default="error"
        What to do with NaN: refuse, as scikit-learn does; or predict from the cells that are there, and fit by EM.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    priors_ : ndarray of shape (n_classes,)
    rotations_ : list of ndarray of shape (n_features, n_features)
        R_c of each class: its principal axes.
    scalings_ : list of ndarray of shape (n_features,)
        λ_c of each class: the variances along them, largest first.
    covariance_ : list of ndarray of shape (n_features, n_features)
        Σ_c; only if `store_covariance`.
    quadratic_form_ : QuadraticForm
        llr(x) = xᵀAx + xᵀb + c without priors; for more than two classes one form each.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    n_parameters_ : int
        C d(d + 3)/2 of the laws, and C − 1 of the priors.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.3.
    doi:10.1007/978-0-387-84858-7

    Friedman, J. H. (1989). Regularized discriminant analysis. doi:10.1080/01621459.1989.10478752

    Examples
    --------
    >>> from gnomon.generative import QuadraticDiscriminantAnalysis
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    >>> model.scalings_[0].round(6)
    array([0.845061, 0.043828])
    """

    def __init__(
        self,
        *,
        solver: Literal["svd", "eigen"] = "svd",
        shrinkage: AutoShrinkage = None,
        priors: Priors = None,
        reg_param: Share = 0.0,
        store_covariance: bool = False,
        tol: NonNegative = 1e-4,
        covariance_estimator: BaseEstimator | None = None,
        estimate: Estimation = "mle",
        parameter_prior: NormalInverseWishartModel | None = None,
        missing: Gaps = "error",
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate equation (1).

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
        check_normal_prior(self, reg_param=self.reg_param)
        rows = labelled_rows(self, X, y, sample_weight, finite=False)
        self.classes_ = rows.classes
        self._refuse_few(rows)
        gaps = have_gaps(self, rows.X, self.missing)
        check_covariance_options(self.solver, self.shrinkage, self.covariance_estimator)
        self._store_priors(rows.counts, given_priors(self.priors, rows.classes, rows.counts))
        means, covs, self._predictive = self._estimate(rows, gaps)
        own_rows = not gaps and self.parameter_prior is None
        axes = [self._axes(rows, means[k], cov, k, own_rows) for k, cov in enumerate(covs)]
        share = self.reg_param if self.solver == "svd" else 0.0
        covs = (1.0 - share) * covs + share * np.eye(covs.shape[1])
        self._laws = Normals(means, covs, "full")
        self._unpack(axes, covs, rows.X.dtype)
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
        svd = self.solver == "svd"
        share = float((self.reg_param if svd else self.shrinkage) or 0.0)
        spread = Spread("full", share=share, unit=svd, floor=self.tol, in_units=True)
        return loo_posteriors(self, X, y, sample_weight, spread)

    @property
    def n_parameters_(self) -> int:
        check_is_fitted(self)
        return self._laws.n_parameters + len(self.classes_) - 1

    @property
    def quadratic_form_(self) -> QuadraticForm:
        check_is_fitted(self)
        if self._predictive is not None:
            raise AttributeError("the logarithm of a posterior predictive density is not quadratic; use estimate='map'")
        return quadratic_form(self._laws)

    def _estimate(self, rows: LabelledRows, gaps: bool) -> tuple[Floats, Floats, PredictiveLaws | None]:
        """Means and covariances of the classes; and their predictive laws, where these are asked for."""
        check_complete(self, gaps)
        parts = moments_of_incomplete_rows(rows, "full") if gaps else class_moments(rows)
        if self.parameter_prior is None:
            covs = class_covariances(rows.X, rows.index, parts, rows.weights, self.shrinkage, self.covariance_estimator)
            return parts.mean, covs, None
        plan = EstimationPlan("full", estimate="map", parameter_prior=self.parameter_prior)
        columns = vars(self).get("feature_names_in_", np.arange(self.n_features_in_)).tolist()
        classes = self.classes_.tolist()
        mode, _ = plan.laws(parts, classes, columns, one_row=row_weight(rows.weights))
        if self.estimate == "map":
            return mode.means, mode.covariances, None
        laws, _ = replace(plan, estimate="predictive").laws(parts, classes, columns, one_row=row_weight(rows.weights))
        return mode.means, mode.covariances, cast(PredictiveLaws, laws)

    def _refuse_few(self, rows: LabelledRows) -> None:
        if len(rows.classes) < 2:
            raise ValueError(f"The number of classes has to be greater than one. Got {len(rows.classes)} class.")
        n_rows = rows.counts / row_weight(rows.weights)
        least = int(np.argmin(n_rows))
        if n_rows[least] <= 1:
            label = rows.classes[least]
            raise ValueError(f"y has only 1 sample in class {label}, covariance is ill defined; give more, or drop it")

    def _axes(self, rows: LabelledRows, mean: Floats, cov: Floats, k: int, own_rows: bool) -> tuple[Floats, Floats]:
        """λ and R of class k, largest first; refused where not of full rank."""

        def centred() -> Floats:
            if not own_rows:
                return root_of(cov)
            X, weights = rows.of_class(k)
            share = np.ones(len(X)) if weights is None else weights
            return (X - mean) * np.sqrt(share / np.sum(share))[:, None]

        if self.solver == "svd":
            values, R = principal_axes(cov, centred, floor=self.reg_param or self.tol)
            values = (1.0 - self.reg_param) * values + self.reg_param
        else:
            values, R = linalg.eigh(cov)
            values, R = values[::-1], R[:, ::-1]
        if not np.all(values > self.tol):
            self._refuse_rank(rows, k, values)
        return values, fix_signs(R)

    def _refuse_rank(self, rows: LabelledRows, k: int, values: Floats) -> NoReturn:
        label, n, d = rows.classes[k], int(np.sum(rows.index == k)), rows.X.shape[1]
        what = f"The covariance matrix of class {label} is not full rank"
        if self.solver == "svd" and n <= d:
            raise linalg.LinAlgError(
                f"{what}: it has {n:g} samples for {d} features. Give more, or use solver='eigen' and set shrinkage."
            )
        word = "shrinkage" if self.solver == "eigen" else "reg_param"
        least, largest = float(values[-1]), float(values[0])
        if least > d * np.finfo(float).eps * largest:
            raise linalg.LinAlgError(
                f"{what} by the measure of tol={self.tol:g}: its variances go down to {least:.3g}, though only "
                f"{largest / least:.3g} times below the largest. Scale the columns of X, or lower `tol`; where a "
                f"column depends on others, increase `{word}`."
            )
        raise linalg.LinAlgError(f"{what}. Increase the value of `{word}` to reduce the collinearity.")

    def _unpack(self, axes: Sequence[tuple[Floats, Floats]], covs: Floats, dtype: np.dtype[Any]) -> None:
        self.means_, self.priors_ = (np.asarray(a, dtype=dtype) for a in (self._laws.means, self.class_prior_))
        self.scalings_ = [values.astype(dtype) for values, _ in axes]
        self.rotations_ = [R.astype(dtype) for _, R in axes]
        if self.store_covariance:
            self.covariance_ = [cov.astype(dtype) for cov in covs]

    def _rows(self, X: AnyRows) -> Floats:
        return validate_rows(self, X, reset=False, finite=False)

    def _class_log_densities(self, X: Floats) -> Floats:
        laws = self._densities()
        return mend_gaps(self, laws.log_densities(X, n_jobs=blas_threads()), X, self.missing, lambda: laws)

    def _densities(self) -> Normals | PredictiveLaws:
        return self._laws if self._predictive is None else self._predictive

    def _decision_scores(self, X: Floats) -> Floats:
        # Scikit-learn leaves the powers of 2π out.
        return self._class_log_densities(X) + 0.5 * X.shape[1] * LOG_2PI

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        return self._densities()[k].sample(n, rng)

    def _factors(self, X: Floats) -> tuple[list[str], Floats]:
        if self._predictive is not None:
            return super()._factors(X)
        refuse_cells(self, X, self.missing)
        return chain_factors(self._laws, X[0], vars(self).get("feature_names_in_"))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
