"""What selectors by the error of an estimator share.

    transform keeps the columns S that `_select` found to make L̂(S) small                              (1)

Kohavi & John (1997), doi:10.1016/S0004-3702(97)00043-X, call this a wrapper.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from sklearn.base import MetaEstimatorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Bools, MatrixLike
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters
from gnomon.base.routing import routed, router
from gnomon.features._subset_score import SubsetError, accepted, error_scorer, subset_error

__all__ = ["ErrorSelector"]


class ErrorSelector(SelectorMixin, MetaEstimatorMixin, Estimator, ABC):
    """Base of the selectors that compare values of L̂; a subclass writes `_select`."""

    @abstractmethod
    def _select(self, error: SubsetError, d: int) -> tuple[Bools, float]:
        """The mask of the columns chosen among d, and their error; `error` is the function L̂."""

    def fit(self, X: MatrixLike, y: ArrayLike, **params: Any) -> Self:
        """Choose the columns.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        **params
            For the estimator, the splitter and the scorer, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_parameters(self)
        options = accepted(self.estimator)
        finite = options.pop("ensure_all_finite") is True
        X, y = validate_rows(self, X, y, finite=finite, multi_output=True, **options)
        if not options["y_numeric"]:
            check_classification_targets(y)
        sent = routed(self, "fit", params=params)
        error = subset_error(self.estimator, X, y, self.cv, self.scoring, self.n_jobs, sent)
        self.support_, self.error_ = self._select(error, X.shape[1])
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the estimator, the splitter and the scorer."""
        return router(
            self, estimator=self.estimator, splitter=self.cv, scorer=error_scorer(self.estimator, self.scoring)
        )

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        options = accepted(self.estimator)
        tags.input_tags.allow_nan = options["ensure_all_finite"] == "allow-nan"
        tags.input_tags.sparse = options["accept_sparse"] == "csc"
        tags.target_tags.required = True
        return tags
