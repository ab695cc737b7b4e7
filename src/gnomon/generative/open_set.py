"""Classification with a class for everything else.

    P(c | x) ∝ π_c f_c(x),  c = 1 … C,        P(unknown | x) ∝ π₀ f₀(x)                                  (1)
    without background rows:    unknown where max_c f_c(x) ≤ τ                                          (2)

f₀ is a broad density, by default a mixture, of rows that belong to none of the classes, or of rows of any kind:
Scheirer et al. (2013), Toward open set recognition, doi:10.1109/TPAMI.2012.256. Rule (2): Dubuisson & Masson (1993),
doi:10.1016/0031-3203(93)90097-G.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, TableLike
from gnomon.base import naming_columns
from gnomon.base.spare_labels import check_kind, check_spare, spare_label
from gnomon.distributions.density import (
    Density,
    KnownDensity,
    density_parameters,
    fit_density,
    row_log_density,
    sample_density,
)
from gnomon.generative._contract import BayesClassifier, Rows
from gnomon.generative._rows import any_rows
from gnomon.generative._words import ZeroPolicy
from gnomon.generative.classifier import GenerativeClassifier
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.numerics.validation import check_interval, check_label, check_positive
from gnomon.numerics.weights import check_weights

__all__ = ["OpenSetClassifier"]

Known: TypeAlias = BayesClassifier | Density | Mapping[Any, Density] | None


class OpenSetClassifier(BayesClassifier):
    """Known classes and the class "none of them", equation (1) or (2).

    Parameters
    ----------
    known : generative classifier or density, optional
        The known classes: a classifier of this package, or a density for each class as in `GenerativeClassifier`.
        None: `GaussianClassifier()`.
    other : density, optional
        What is fitted to the background rows. None: `GaussianMixture(2)`.
    other_prior : float in [0, 1], optional
        π₀; None takes the share of the background rows.
    unknown_label : label, optional
        What `predict` calls the rest, and what marks background rows in `y`. None: −1 for numbers, "unknown" for
        strings.
    threshold : float, optional
        τ of (2), a density, for the case without background rows.
    log_threshold : float, optional
        log τ, in place of `threshold`.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives density zero.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        With `unknown_label_` among them, unless there were neither background rows nor a threshold.
    known_ : generative classifier
        Fitted to the rows of the known classes.
    other_ : density or None
        Fitted to the background rows.
    unknown_label_ : label
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Scheirer, W. J., de Rezende Rocha, A., Sapkota, A. & Boult, T. E. (2013). Toward open set recognition.
    doi:10.1109/TPAMI.2012.256

    Dubuisson, B. & Masson, M. (1993). A statistical decision rule with incomplete knowledge about classes.
    doi:10.1016/0031-3203(93)90097-G

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import OpenSetClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (50, 2)), rng.normal(4, 1, (50, 2))])
    >>> model = OpenSetClassifier(log_threshold=-8.0).fit(X, np.repeat(["a", "b"], 50))
    >>> model.predict([[0.0, 0.0], [4.0, 4.0], [20.0, -20.0]]).tolist()
    ['a', 'b', 'unknown']
    """

    _stored: ClassVar[dict[str, str]] = {"_columns": "int (k,) below n_classes"}

    def __init__(
        self,
        known: Known = None,
        other: Density | None = None,
        *,
        other_prior: float | None = None,
        unknown_label: object = None,
        threshold: float | None = None,
        log_threshold: float | None = None,
        zero_policy: ZeroPolicy = "prior",
    ):
        self.known = known
        self.other = other
        self.other_prior = other_prior
        self.unknown_label = unknown_label
        self.threshold = threshold
        self.log_threshold = log_threshold
        self.zero_policy = zero_policy

    @classmethod
    def from_densities(
        cls, known: BayesClassifier, other: KnownDensity, *, other_prior: float, unknown_label: object = None
    ) -> Self:
        """The classifier of known laws, without data.

        Parameters
        ----------
        known : generative classifier
            Ready to predict, as `GaussianClassifier.from_parameters` makes it.
        other : density
            Fitted, or a distribution.
        other_prior : float in [0, 1]
        unknown_label : label, optional

        Returns
        -------
        OpenSetClassifier
        """
        model = cls(known, other, other_prior=other_prior, unknown_label=unknown_label)
        model.known_, model.other_ = known, other
        model.unknown_label_ = spare_label(unknown_label, known.classes_, "unknown")
        model._finish(0.0)
        return model

    def fit(
        self, X: TableLike, y: ArrayLike, X_other: TableLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the known classes, and the density of the rest.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            `unknown_label` marks background rows.
        X_other : array-like of shape (n_other, n_features), optional
            More background rows.
        sample_weight : array-like of shape (n_samples,), optional
            Of the rows of `X`; those of `X_other` have weight 1.

        Returns
        -------
        self
        """
        self._check_options()
        X, y = any_rows(self, X, y)
        y = np.asarray(y)
        weights = check_weights(sample_weight, np.empty((len(X), 0)))
        self.unknown_label_ = spare_label(self.unknown_label, y, "unknown")
        rest = y == self.unknown_label_
        if np.all(rest[weights > 0.0]):
            raise ValueError(
                f"every row of y has unknown_label={self.unknown_label_!r}; give rows of one class at least"
            )
        given = None if sample_weight is None else weights[~rest]
        with naming_columns(self, X):
            self.known_ = self._classifier().fit(X[~rest], y[~rest], sample_weight=given)
        background, s = self._background(X[rest], weights[rest], X_other)
        if len(background) and self._cut() is not None:
            raise ValueError(f"threshold={self._cut()!r} is for data without background rows; leave it out")
        if not len(background) and self.other is not None:
            raise ValueError(f"other={self.other!r} is for background rows, and there are none; give X_other, or None")
        if not len(background) and self._cut() is None and self.other_prior is not None:
            raise ValueError(
                f"other_prior={self.other_prior!r} is for background rows or a threshold, and there are neither; leave "
                "it out"
            )
        density = GaussianMixture(2) if self.other is None else self.other
        self.other_ = fit_density(density, background, s) if len(background) else None
        self._finish(float(np.sum(s)))
        return self

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the known classes and of the density of the rest, and its prior."""
        rest = 0 if self.other_ is None else density_parameters(self.other_) + 1
        return self.known_.n_parameters_ + rest

    def _classifier(self) -> BayesClassifier:
        if self.known is None:
            return GaussianClassifier()
        known = self.known
        return clone(known) if isinstance(known, BayesClassifier) else GenerativeClassifier(known)

    def _check_options(self) -> None:
        check_label("unknown_label", self.unknown_label)
        if self.other_prior is not None:
            check_interval("other_prior", self.other_prior, 0.0, 1.0)

    def _cut(self) -> float | None:
        """log τ, or None."""
        if self.threshold is None:
            return None if self.log_threshold is None else check_interval("log_threshold", self.log_threshold)
        if self.log_threshold is not None:
            raise ValueError(f"threshold={self.threshold!r} and log_threshold={self.log_threshold!r}: give one of them")
        return float(np.log(check_positive("threshold", self.threshold)))

    def _background(self, X: Array, weights: Floats, X_other: TableLike | None) -> tuple[Array, Floats]:
        if X_other is not None:
            more = any_rows(self, X_other, reset=False)
            X, weights = np.concatenate([X, more]), np.concatenate([weights, np.ones(len(more))])
        used = weights > 0.0
        return X[used], weights[used]

    def _finish(self, other_count: float) -> None:
        """Classes and priors, once the densities are there."""
        known = self.known_.classes_
        self._opens = self.other_ is not None or self._cut() is not None
        self.classes_ = known
        if self._opens:
            label = check_spare("unknown_label", check_kind("unknown_label", self.unknown_label_, known), known)
            self.classes_ = np.unique(np.append(known, np.asarray(label)))
        place = {label: c for c, label in enumerate(self.classes_.tolist())}
        self._columns = np.array([place[label] for label in known.tolist()])
        counts = np.full(len(self.classes_), other_count)
        counts[self._columns] = self.known_.class_count_
        share = self._share(other_count, float(np.sum(self.known_.class_count_)))
        priors = np.full(len(self.classes_), share)
        priors[self._columns] = (1.0 - share) * self.known_.class_prior_
        self._store_priors(counts, priors / np.sum(priors))

    def _share(self, other_count: float, known_count: float) -> float:
        if not self._opens:
            return 0.0
        if self.other_prior is not None:
            return check_interval("other_prior", self.other_prior, 0.0, 1.0)
        # By rule (2) the unknown class has no prior; this one is positive, so that posteriors exist, and below
        # rounding.
        return np.finfo(float).tiny if self.other_ is None else other_count / (other_count + known_count)

    def _rows(self, X: AnyRows) -> Rows:
        # A classifier that was built without data leaves the validation of rows to its known classes.
        return any_rows(self if "n_features_in_" in vars(self) else self.known_, X, reset=False)

    def _class_log_densities(self, X: Rows) -> Floats:
        known = self.known_._class_log_densities(self.known_._rows(X))
        return self._with_other(known, -np.inf if self.other_ is None else row_log_density(self.other_, X))

    def _class_scores(self, X: Rows) -> Floats:
        if not self._opens or self.other_ is not None:
            return self._class_log_densities(X)
        known = self.known_._class_log_densities(self.known_._rows(X))
        low = np.max(known, axis=1) <= self._cut()
        return self._with_other(np.where(low[:, None], -np.inf, known), np.where(low, 0.0, -np.inf))

    def _decision_scores(self, X: Rows) -> Floats:
        return self._class_scores(X)

    def _with_other(self, known: Floats, other: float | Floats) -> Floats:
        out = np.empty((len(known), len(self.classes_)))
        if self._opens:
            out[:] = np.reshape(other, (-1, 1))
        out[:, self._columns] = known
        return out

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        places = self._columns.tolist()
        if k in places:
            return self.known_._sample_class(places.index(k), n, rng)
        if self.other_ is None:
            raise ValueError("a threshold is no density of the rest, so nothing can be drawn from it; give X_other")
        return sample_density(self.other_, n, rng)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = get_tags(self._classifier()).input_tags.allow_nan
        return tags
