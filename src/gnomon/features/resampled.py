"""A classifier that is fitted to resampled rows, and to those alone.

    f fitted to sampler(X, y);    p'_c ∝ p_c π_c / q_c  where q are the shares after resampling, π those that hold   (1)

Inside a fit no validation row is ever resampled, whatever splits the rows. Elkan (2001), The foundations of
cost-sensitive learning, IJCAI, 973–978; Saerens, Latinne & Decaestecker (2002), doi:10.1162/089976602753284446.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, available_if
from gnomon.base import given_rows, naming_columns
from gnomon.base.delegation import base_has
from gnomon.base.estimator import Estimator
from gnomon.base.labels import given_labels
from gnomon.base.parameters import store
from gnomon.base.routing import routed, router
from gnomon.base.weights import weight_parameter
from gnomon.features.resampling import RandomOverSampler
from gnomon.numerics.validation import check_part
from gnomon.numerics.weights import Priors, class_shares, effective_train_prior, shift_prior

__all__ = ["ResampledClassifier"]


def _scores_hold(owner: ResampledClassifier) -> bool:
    if owner.prior is not None:
        raise AttributeError(f"scores are not shifted to prior={owner.prior!r}; use predict_proba or predict")
    return base_has("decision_function")(owner)


class ResampledClassifier(ClassifierMixin, MetaEstimatorMixin, Estimator):
    """A classifier behind a sampler, with probabilities of the population if `prior` says what they are: (1).

    Parameters
    ----------
    estimator : classifier
    sampler : object with `fit_resample`, optional
        `RandomOverSampler` by default.
    prior : "train", "uniform", float, array-like or dict, optional
        The shares of the classes where the probabilities will be used: those of the training rows before resampling,
        or given. The class that is predicted is then the most probable one under this prior. None: nothing is shifted,
        and probabilities are those of a population like the resampled rows.

    Attributes
    ----------
    estimator_ : classifier
    sampler_ : sampler
    classes_ : ndarray of shape (n_classes,)
    train_prior_ : ndarray of shape (n_classes,)
        The shares of the classes after resampling, q.
    prior_ : ndarray of shape (n_classes,)
        π; that of `train_prior_` without `prior`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A sampler counts rows, whatever they weigh; a drawn row keeps its weight, and rows of weight zero are left out
    before.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973–978.

    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new a priori
    probabilities. doi:10.1162/089976602753284446

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import ResampledClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(np.repeat([0.0, 1.0], [900, 100])[:, None], 1.0), np.repeat([0, 1], [900, 100])
    >>> even = ResampledClassifier(LogisticRegression()).fit(X, y)
    >>> back = ResampledClassifier(LogisticRegression(), prior="train").fit(X, y)
    >>> even.predict(X).mean() > 0.3, back.predict_proba(X)[:, 1].mean().round(1)
    (np.True_, np.float64(0.1))
    """

    classes_: Array
    estimator_: Any
    sampler_: Any
    train_prior_: Floats
    prior_: Floats

    def __init__(
        self,
        estimator: BaseEstimator,
        sampler: Any = None,
        *,
        prior: Literal["train"] | float | Priors = None,
    ):
        store(self, locals())

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Resample, and fit the classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the sampler and the classifier take.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        given = given_labels(self, self.estimator, X, y, sample_weight)
        self.sampler_ = (
            RandomOverSampler() if self.sampler is None else clone(check_part("sampler", self.sampler, "fit_resample"))
        )
        with naming_columns(self, given.X):
            rows, labels = self.sampler_.fit_resample(given.X, given.y)
            weights = None if given.weights is None else given.weights[self._sources()]
            model = clone(self.estimator)
            wanted = routed(self, "fit", weights).estimator.fit.get("sample_weight")
            self.estimator_ = model.fit(rows, labels, **weight_parameter(model, wanted))
        self.classes_ = given.classes
        self.train_prior_ = effective_train_prior(labels, sample_weight=weights)
        self.prior_ = self._target(effective_train_prior(given.y, sample_weight=given.weights))
        return self

    def predict(self, X: AnyRows) -> Array:
        """The class of every row: the classifier's, or the most probable one under `prior`."""
        if self.prior is None:
            return self._ask(X, lambda model, rows: model.predict(rows))
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """P(class | x), under `prior` where that is given."""
        p = self._ask(X, lambda model, rows: model.predict_proba(rows))
        return p if self.prior is None else shift_prior(p, self.train_prior_, self.prior_)

    @available_if(_scores_hold)
    def decision_function(self, X: AnyRows) -> Floats:
        """The classifier's scores; there are none with a `prior`."""
        return self._ask(X, lambda model, rows: model.decision_function(rows))

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the classifier."""
        return router(self, estimator=self.estimator)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def _ask(self, X: AnyRows, question: Callable[[Any, Any], Any]) -> Any:
        check_is_fitted(self)
        return question(self.estimator_, given_rows(self, self.estimator, X, reset=False))

    def _sources(self) -> Any:
        """Which row each drawn one comes from."""
        found = getattr(self.sampler_, "sample_indices_", None)
        if found is None:
            raise ValueError(
                f"sample_weight cannot follow the rows: {type(self.sampler_).__name__} has no sample_indices_; leave "
                "out the weights, or choose a sampler of gnomon.features"
            )
        return found

    def _target(self, before: Floats) -> Floats:
        if self.prior is None:
            return self.train_prior_
        return (
            before if isinstance(self.prior, str) and self.prior == "train" else class_shares(self.prior, self.classes_)
        )
