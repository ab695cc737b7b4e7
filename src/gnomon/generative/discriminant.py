"""Linear discriminant analysis.

    log P(c | x) = xᵀ Σ⁻¹ μ_c − ½ μ_cᵀ Σ⁻¹ μ_c + log π_c + const,    Σ = Σ_c (N_c/N) Σ_c                     (1)
    S_B v = λ S_W v                                                                                       (2)

(1) classifies, with one normal law per class and a common covariance; (2) gives the axes on which the class means are
farthest apart in units of the spread within. Fisher (1936), doi:10.1111/j.1469-1809.1936.tb02137.x; Hastie, Tibshirani
& Friedman (2009), section 4.3, doi:10.1007/978-0-387-84858-7. The moments of the classes are summed in one pass and the
rows are decomposed only where the covariance has lost too many digits, so the cost is that of one product XᵀX.
"""

from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats
from gnomon.base import validate_rows
from gnomon.base.parameters import check_parameters
from gnomon.distributions import Normals
from gnomon.generative._class_covariance import AutoShrinkage, check_covariance_options, class_covariances, given_priors
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._forms import LinearForm, linear_scores
from gnomon.generative._gaussian_laws import chain_factors
from gnomon.generative._rows import LabelledRows, class_moments, labelled_rows
from gnomon.numerics.linalg import factor_spd
from gnomon.numerics.parallel import blas_threads
from gnomon.numerics.scatter import discriminant_axes, fix_signs, principal_axes
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import assert_finite, check_choice, check_integer, check_non_negative
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

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
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

    def __init__(
        self,
        solver: Solver = "svd",
        shrinkage: AutoShrinkage = None,
        priors: Priors = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: BaseEstimator | None = None,
    ):
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

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
        check_choice("solver", self.solver, solve)
        check_parameters(self)
        check_covariance_options(self.solver, self.shrinkage, self.covariance_estimator)
        check_non_negative("tol", self.tol)
        rows = labelled_rows(self, X, y, sample_weight, ensure_min_samples=2)
        self.classes_ = rows.classes
        self._n_features_out = self._components(rows)
        self._store_priors(rows.counts, given_priors(self.priors, rows.classes, rows.counts))
        fitted = solve[self.solver](rows)
        self._form, log_prior = fitted.pop("form"), self.class_log_prior_
        fitted["priors_"] = self.class_prior_
        b, c = self._form.b, self._form.c + log_prior
        fitted["coef_"], fitted["intercept_"] = (b, c) if len(c) != 2 else (b[1:] - b[:1], c[1:] - c[:1])
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

    @property
    def linear_form_(self) -> LinearForm:
        check_is_fitted(self)
        b, c = self._form
        return LinearForm(b[1] - b[0], float(c[1] - c[0])) if len(c) == 2 else self._form

    def _components(self, rows: LabelledRows) -> int:
        if np.sum(rows.counts) == len(rows.classes):
            raise ValueError("The number of samples must be more than the number of classes; give more rows")
        most = min(len(rows.classes) - 1, rows.X.shape[1])
        if self.n_components is None:
            return most
        if check_integer("n_components", self.n_components, 1) > most:
            raise ValueError(
                f"n_components={self.n_components} cannot be larger than min(n_features, n_classes - 1) = {most}"
            )
        return self.n_components

    def _by_svd(self, rows: LabelledRows) -> dict[str, Any]:
        """Whiten within the classes, then the axes of the means: scikit-learn's default."""
        (n, d), k = rows.X.shape, len(rows.classes)
        wide = n <= d or k * d * d > _MOST_NUMBERS
        parts = class_moments(rows, diagonal=wide)
        within = parts.pooled().covariance()
        var = within if wide else np.diag(within)
        # A variance at the level of rounding counts as zero.
        flat = var <= (8.0 * _EPS * np.max(np.abs(parts.mean), axis=0)) ** 2
        std = np.where(flat, 1.0, np.sqrt(np.where(flat, 1.0, var)))
        units = np.where(flat, 0.0, 1.0 / std)

        def scaled_rows() -> Floats:
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
            fitted["covariance_"] = np.einsum("k,kij->ij", self.class_prior_, full.covariance())
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
        }

    def _by_lsqr(self, rows: LabelledRows) -> dict[str, Any]:
        """Equation (1) as it stands."""
        parts, cov = self._pooled(rows)
        b = linalg.lstsq(cov, parts.mean.T)[0].T
        return {
            "means_": parts.mean,
            "covariance_": cov,
            "form": LinearForm(b, -0.5 * np.sum(parts.mean * b, axis=1)),
        }

    def _by_eigen(self, rows: LabelledRows) -> dict[str, Any]:
        """Equation (2), and (1) on its axes."""
        parts, within = self._pooled(rows)
        pooled = parts.pooled()
        step = np.sqrt(parts.weight)[:, None] * (parts.mean - pooled.mean)
        total = Moments(np.array([pooled.weight]), pooled.mean[None], (pooled.scatter + step.T @ step)[None])
        one = np.zeros(len(rows.X), dtype=int)
        cov = class_covariances(rows.X, one, total, rows.weights, self.shrinkage, self.covariance_estimator)[0]
        values, axes = discriminant_axes(within, cov - within)
        b = (parts.mean @ axes) @ axes.T
        return {
            "means_": parts.mean,
            "covariance_": within,
            "scalings_": axes,
            "explained_variance_ratio_": (values / np.sum(values))[: self._n_features_out],
            "form": LinearForm(b, -0.5 * np.sum(parts.mean * b, axis=1)),
        }

    def _pooled(self, rows: LabelledRows) -> tuple[Moments, Floats]:
        parts = class_moments(rows)
        covs = class_covariances(rows.X, rows.index, parts, rows.weights, self.shrinkage, self.covariance_estimator)
        self._within = np.einsum("k,kij->ij", self.class_prior_, covs)
        return parts, self._within

    def _rows(self, X: AnyRows) -> Floats:
        return validate_rows(self, X, reset=False, finite=False)

    def _class_scores(self, X: Floats) -> Floats:
        out = linear_scores(X, *self._form)
        if not np.all(np.isfinite(out)):
            assert_finite(X, columns=vars(self).get("feature_names_in_"))
        return out

    def _decision_scores(self, X: Floats) -> Floats:
        return self._class_scores(X)

    def _tied_laws(self) -> Normals:
        if self._within is None or factor_spd(self._within) is None:
            raise ValueError(
                "the covariance within the classes is singular, so there is no density; remove redundant columns, give "
                "more rows, or use solver='eigen' with shrinkage"
            )
        return Normals(self.means_, self._within, "tied")

    def _class_log_densities(self, X: Floats) -> Floats:
        assert_finite(X, columns=vars(self).get("feature_names_in_"))
        return self._tied_laws().log_densities(X, n_jobs=blas_threads())

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        return self._tied_laws()[k].sample(n, rng)

    def _factors(self, X: Floats) -> tuple[list[str], Floats]:
        assert_finite(X, columns=vars(self).get("feature_names_in_"))
        return chain_factors(self._tied_laws(), X[0], vars(self).get("feature_names_in_"))
