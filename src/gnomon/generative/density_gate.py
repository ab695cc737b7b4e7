"""Any classifier behind a gate: rows of a kind not seen before get no class.

    ŷ(x) = outlier   if p(x) ≤ τ,    otherwise the class that the classifier gives                    (1)

A discriminative model estimates P(y | x) well and says nothing of p(x): far from the data it is as sure as near them. A
density says how usual a row is. Chow (1970), doi:10.1109/TIT.1970.1054406, and Bishop (1994), Novelty detection and
neural network validation, doi:10.1049/ip-vis:19941330.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from gnomon._typing import Array, ArrayLike, Bools, Floats, TableLike, available_if
from gnomon.base import naming_columns
from gnomon.base.estimator import Estimator
from gnomon.base.routing import asking, routed, router
from gnomon.base.spare_labels import check_spare, spare_label
from gnomon.base.weights import weight_parameter
from gnomon.distributions import MultivariateNormal
from gnomon.distributions.density import Density, fit_density, row_log_density
from gnomon.generative._rows import any_rows, labelled_rows
from gnomon.numerics.coding import label_index
from gnomon.numerics.validation import check_interval, check_label, check_part, check_positive

__all__ = ["DensityGate"]


def _classifier_has(method: str) -> Callable[[Any], bool]:
    def check(gate: DensityGate) -> bool:
        return getattr(gate.classifier if gate.classifier is not None else LogisticRegression, method, None) is not None

    return check


class DensityGate(ClassifierMixin, Estimator):
    """A classifier for P(y | x) and a density for p(x), equation (1).

    Parameters
    ----------
    classifier : estimator, optional
        Any classifier; logistic regression by default.
    density : type, DistributionFamily or estimator, default=MultivariateNormal
        Fitted to all rows, without labels: a `Distribution` class, one with options, or an estimator with
        `score_samples`.
    threshold : float, optional
        τ > 0, a density.
    log_threshold : float, optional
        log τ, in place of `threshold`.
    contamination : float in [0, 1), default=0.01
        Where no threshold is given: the share of the training rows that are to be outliers; 0 makes none.
    outlier_label : label, optional
        −1 for classes that are numbers, "outlier" for strings, by default. It must not be a class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Those of the classifier, without the outliers' label.
    classifier_ : estimator
    density_ : Distribution or estimator
    log_threshold_ : float
    outlier_label_ : label
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Chow, C. K. (1970). On optimum recognition error and reject tradeoff. doi:10.1109/TIT.1970.1054406

    Bishop, C. M. (1994). Novelty detection and neural network validation. doi:10.1049/ip-vis:19941330

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import DensityGate
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(-2, 1, (50, 1)), rng.normal(2, 1, (50, 1))]
    >>> gate = DensityGate(log_threshold=-8.0).fit(X, np.repeat(["a", "b"], 50))
    >>> gate.predict([[-2.0], [1.0], [30.0]]).tolist()
    ['a', 'b', 'outlier']
    """

    def __init__(
        self,
        classifier: BaseEstimator | None = None,
        density: Density = MultivariateNormal,
        threshold: float | None = None,
        *,
        log_threshold: float | None = None,
        contamination: float = 0.01,
        outlier_label: object = None,
    ):
        self.classifier = classifier
        self.density = density
        self.threshold = threshold
        self.log_threshold = log_threshold
        self.contamination = contamination
        self.outlier_label = outlier_label

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier to X and y, the density to X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            For both, where they take it.
        **fit_params
            For the classifier, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_part("classifier", self.classifier, "fit", "predict")
        check_label("outlier_label", self.outlier_label)
        rows = labelled_rows(self, X, y, sample_weight, check=any_rows)
        self.classes_ = rows.classes
        self.outlier_label_ = check_spare(
            "outlier_label", spare_label(self.outlier_label, rows.classes, "outlier"), rows.classes
        )
        params = dict(routed(self, "fit", sample_weight, fit_params).classifier.fit)
        if rows.weights is not None and len(rows.weights) < _num_samples(X):
            # Rows of weight zero do not count, nor do classes that have no other rows.
            used = np.flatnonzero(np.asarray(sample_weight) > 0.0)
            params = _check_method_params(X, params=params, indices=used)
            X = _safe_indexing(X, used)
        with naming_columns(self, rows.X):
            classifier = clone(self._classifier())
            weights = weight_parameter(classifier, params.pop("sample_weight", None))
            self.classifier_ = classifier.fit(X, rows.classes[rows.index], **weights, **params)
            self.density_ = fit_density(self.density, rows.X, rows.weights)
        self.log_threshold_ = self._cut(row_log_density(self.density_, rows.X), rows.weights)
        return self

    def predict(self, X: TableLike) -> Array:
        """The class, or `outlier_label_` where p(x) ≤ τ.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        flagged = self.is_outlier(X)
        index, _ = label_index(self.classifier_.predict(X), self.classes_)
        return _with_label(self.classes_, self.outlier_label_)[np.where(flagged, len(self.classes_), index)]

    def score_samples(self, X: TableLike) -> Floats:
        """log p(x) of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._checked(X)
        return row_log_density(self.density_, X)

    def is_outlier(self, X: TableLike) -> Bools:
        """Whether p(x) ≤ τ.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        return self.score_samples(X) <= self.log_threshold_

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: TableLike) -> Floats:
        """The classifier's P(y | x), for outliers too: ask `is_outlier` whether to use it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        self._checked(X)
        return self.classifier_.predict_proba(X)

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: TableLike) -> Floats:
        """The classifier's scores, for outliers too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        self._checked(X)
        return self.classifier_.decision_function(X)

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the classifier; the weights are for the density too."""
        return router(self, classifier=self._classifier()).add_self_request(self)

    def _classifier(self) -> BaseEstimator:
        return asking(LogisticRegression(max_iter=1000)) if self.classifier is None else self.classifier

    def _checked(self, X: TableLike) -> Array:
        """Rows for the density; the classifier gets X as it came, with its names and kinds of columns."""
        check_is_fitted(self)
        return any_rows(self, X, reset=False)

    def _cut(self, scores: Floats, weights: Floats | None) -> float:
        if self.threshold is not None and self.log_threshold is not None:
            raise ValueError(
                f"threshold={self.threshold!r} and log_threshold={self.log_threshold!r} exclude each other; give one"
            )
        if self.threshold is not None:
            return float(np.log(check_positive("threshold", self.threshold)))
        if self.log_threshold is not None:
            return float(check_interval("log_threshold", self.log_threshold))
        share = check_interval("contamination", self.contamination, 0.0, 1.0, closed="left")
        # The score of the last row that makes up the share: with weights, as if rows were repeated.
        order = np.argsort(scores, kind="stable")
        mass = np.cumsum(np.ones(len(scores)) if weights is None else weights[order])
        count = int(np.searchsorted(mass, share * mass[-1] * (1.0 + 1e-12), side="right"))
        return float(scores[order[count - 1]]) if count else -np.inf


def _with_label(classes: Array, label: Any) -> Array:
    """The classes and one label more; objects where they differ in kind, so that nothing is converted."""
    kinds = {classes.dtype.kind, np.asarray(label).dtype.kind}
    if len(kinds) == 1 or kinds <= set("iuf"):
        return np.append(classes, label)
    return np.array([*classes.tolist(), label], dtype=object)
