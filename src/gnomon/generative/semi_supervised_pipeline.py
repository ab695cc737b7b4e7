"""Representation from all rows, classifier from the labelled ones.

    φ = fit(x₁ … x_n),        f = fit({(φ(xᵢ), yᵢ) : i labelled})                                        (1)

A plain pipeline would learn the mark of unlabelled rows as a class. Chapelle, Schölkopf & Zien (2006), Semi-Supervised
Learning, section 1.2.4, doi:10.7551/mitpress/9780262033589.001.0001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.decomposition import PCA
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import _check_method_params, _num_samples, check_consistent_length, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, available_if
from gnomon.base import naming_columns
from gnomon.base.estimator import Estimator
from gnomon.base.routing import asking, routed, router
from gnomon.base.weights import weight_parameter
from gnomon.generative._class_em import given_rows
from gnomon.generative._partial_labels import PartialTarget, partial_labels
from gnomon.generative.discriminant import LinearDiscriminantAnalysis
from gnomon.numerics.validation import check_part
from gnomon.numerics.weights import check_weights

__all__ = ["SemiSupervisedPipeline"]


def _classifier_has(verb: str) -> Callable[[Any], bool]:
    def check(self: SemiSupervisedPipeline) -> bool:
        getattr(self.classifier_ if "classifier_" in vars(self) else self._classifier(), verb)
        return True

    return check


class SemiSupervisedPipeline(ClassifierMixin, Estimator):
    """A transformer fitted to all rows, then a classifier fitted to those with a label, equation (1).

    Parameters
    ----------
    transformer : transformer, optional
        PCA, kernel PCA, an embedding by trees, an encoder, a pipeline of such. None: `sklearn.decomposition.PCA()`.
    classifier : classifier, optional
        Any. None: `LinearDiscriminantAnalysis()`.
    unlabeled : "auto", None or label, default="auto"
        What marks a row without a label in `y`: as in `SemiSupervisedClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    transformer_ : transformer
        Fitted to all rows.
    classifier_ : classifier
        Fitted to the labelled ones.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Chapelle, O., Schölkopf, B. & Zien, A. (2006). Semi-Supervised Learning. doi:10.7551/mitpress/9780262033589.001.0001

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from gnomon.generative import SemiSupervisedPipeline
    >>> X = np.array([[-3.0, 0.1], [-2.0, -0.1], [-2.5, 0.3], [2.0, 0.2], [3.0, -0.2], [2.5, -0.3]])
    >>> y = np.array([0, -1, -1, 1, -1, -1])
    >>> model = SemiSupervisedPipeline(PCA(1), KNeighborsClassifier(1)).fit(X, y)
    >>> model.predict(X).tolist(), model.classes_.tolist()
    ([0, 0, 0, 1, 1, 1], [0, 1])
    """

    def __init__(
        self,
        transformer: BaseEstimator | None = None,
        classifier: BaseEstimator | None = None,
        *,
        unlabeled: object = "auto",
    ):
        self.transformer = transformer
        self.classifier = classifier
        self.unlabeled = unlabeled

    # Weights are for the parts, which ask for them or do not.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    def fit(self, X: AnyRows, y: PartialTarget, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit (1).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the transformer takes.
        y : array-like of shape (n_samples,)
            Labels, and `unlabeled` where there is none.
        sample_weight : array-like of shape (n_samples,), optional
            For both, which must take weights; rows of weight zero are left out.
        **fit_params
            For both, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_part("transformer", self.transformer, "fit", "transform")
        check_part("classifier", self.classifier, "fit", "predict")
        X = given_rows(self, X, reset=True)
        y = partial_labels(y, self.unlabeled, who=type(self).__name__)
        check_consistent_length(X, y.codes)
        sent = routed(self, "fit", sample_weight, fit_params)
        with naming_columns(self, X):
            rows, params = _share(self._transformer(), X, np.arange(len(y.codes)), sent.transformer.fit)
            self.transformer_ = self._transformer().fit(_safe_indexing(X, rows), None, **params)
            rows, params = _share(self._classifier(), X, np.flatnonzero(y.has_label), sent.classifier.fit)
            Z = self.transformer_.transform(_safe_indexing(X, rows))
            self.classifier_ = self._classifier().fit(Z, y.classes[y.codes[rows]], **params)
        self.classes_ = self.classifier_.classes_
        return self

    def predict(self, X: AnyRows) -> Array:
        """The class of every row."""
        Z = self._represent(X)
        return self.classifier_.predict(Z)

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """Class probabilities by the classifier."""
        Z = self._represent(X)
        return self.classifier_.predict_proba(Z)

    @available_if(_classifier_has("predict_log_proba"))
    def predict_log_proba(self, X: AnyRows) -> Floats:
        """Their logarithms."""
        Z = self._represent(X)
        return self.classifier_.predict_log_proba(Z)

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: AnyRows) -> Floats:
        """Scores by the classifier."""
        Z = self._represent(X)
        return self.classifier_.decision_function(Z)

    def _represent(self, X: AnyRows) -> Any:
        check_is_fitted(self)
        return self.transformer_.transform(given_rows(self, X, reset=False))

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to both parts."""
        return router(self, transformer=self._transformer(), classifier=self._classifier())

    def _transformer(self) -> BaseEstimator:
        return PCA() if self.transformer is None else clone(self.transformer)

    def _classifier(self) -> BaseEstimator:
        return asking(LinearDiscriminantAnalysis()) if self.classifier is None else clone(self.classifier)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._transformer()).input_tags
        tags.input_tags.string, tags.input_tags.sparse = inner.string, inner.sparse
        # A missing value may be filled by the transformer or reach the classifier: the tag holds only if both accept
        # it.
        tags.input_tags.allow_nan = inner.allow_nan and get_tags(self._classifier()).input_tags.allow_nan
        return tags


def _share(part, X, rows, params):
    """The rows that a part learns from, and what it gets for them; those of weight zero are none."""
    weights = params.get("sample_weight")
    if weights is not None:
        weights = check_weights(weights, np.empty((_num_samples(X), 0)))
        rows = rows[weights[rows] > 0.0]
    others = {name: value for name, value in params.items() if name != "sample_weight"}
    return rows, _check_method_params(X, params=others | weight_parameter(part, weights), indices=rows)
