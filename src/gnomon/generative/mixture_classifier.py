"""Bayes' rule with a Gaussian mixture for each class.

    P(c | x) ∝ π_c Σⱼ w_cj N(x; μ_cj, Σ_cj),        j = 1 … k_c                                        (1)

Each class may have its own number of components, so that its rows need not be one cloud. Hastie & Tibshirani (1996),
Discriminant analysis by Gaussian mixtures, doi:10.1111/j.2517-6161.1996.tb02073.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags

from gnomon._typing import AnyRows, ArrayLike, Count, Floats, Integers
from gnomon.base import validate_rows
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._rows import LabelledRows, labelled_rows
from gnomon.generative._words import ZeroPolicy
from gnomon.generative.gaussian_mixture import GaussianMixture
from gnomon.generative.select import select_components
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.numerics.weights import Priors

__all__ = ["GaussianMixtureClassifier"]

_FOLDS = 5


class GaussianMixtureClassifier(BayesClassifier):
    """Bayes' rule with a Gaussian mixture as the density of each class, equation (1).

    Parameters
    ----------
    n_components : int, dict or "cv", default=1
        k_c, the same for all classes; or from class to number; or "cv", by held-out likelihood from 1 to
        `max_components`.
    mixture : GaussianMixture, optional
        Carries all other options: covariance type, starts, regularisation. None: `GaussianMixture()`.
    max_components : int, default=5
        The most that "cv" tries.
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives density zero.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    mixtures_ : list of GaussianMixture
        The fitted density of each class.
    n_components_ : ndarray of int of shape (n_classes,)
        k_c.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    n_parameters_ : int
        Free parameters of the mixtures and priors.
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Hastie, T. & Tibshirani, R. (1996). Discriminant analysis by Gaussian mixtures.
    doi:10.1111/j.2517-6161.1996.tb02073.x

    Examples
    --------
    Class 1 lies on both sides of class 0:

    >>> import numpy as np
    >>> from gnomon.generative import GaussianMixtureClassifier
    >>> X = np.array([-6.0, -5.0, -4.0, -1.0, 0.0, 1.0, 4.0, 5.0, 6.0])[:, None]
    >>> y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1])
    >>> model = GaussianMixtureClassifier({0: 1, 1: 2}).fit(X, y)
    >>> np.sort(model.mixtures_[1].means_.ravel()).round(6), model.predict([[-5.5], [0.5], [4.5]])
    (array([-5.,  5.]), array([1, 0, 1]))
    """

    def __init__(
        self,
        n_components: int | Mapping[Any, int] | Literal["cv"] = 1,
        *,
        mixture: GaussianMixture | None = None,
        max_components: Count = 5,
        priors: Priors = None,
        prior_alpha: float = 0.0,
        zero_policy: ZeroPolicy = "prior",
    ):
        self.n_components = n_components
        self.mixture = mixture
        self.max_components = max_components
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.zero_policy = zero_policy

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a mixture to the rows of each class.

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
        rows = labelled_rows(self, X, y, sample_weight, finite=False, ensure_min_samples=2)
        if self.max_components != 5 and not isinstance(self.n_components, str):
            raise ValueError(
                f"max_components={self.max_components} is for n_components='cv'; choose it, or leave it out"
            )
        self.classes_ = rows.classes
        self.mixtures_ = [self._fit_class(rows, c) for c in range(len(rows.classes))]
        self._store_priors(rows.counts, self.priors, prior_alpha=self.prior_alpha)
        return self

    @property
    def n_components_(self) -> Integers:
        return np.array([len(mixture.weights_) for mixture in self.mixtures_])

    @property
    def n_parameters_(self) -> int:
        return sum(mixture.n_parameters_ for mixture in self.mixtures_) + len(self.classes_) - 1

    def _fit_class(self, rows: LabelledRows, c: int) -> GaussianMixture:
        label = rows.classes.tolist()[c]
        X, weights = rows.of_class(c)
        if len(X) == 1:
            # A mixture needs two rows; a row equals itself twice with half the weight.
            X, weights = np.repeat(X, 2, axis=0), np.full(2, 0.5 * rows.counts[c])
        mixture = GaussianMixture() if self.mixture is None else clone(self.mixture)
        k = self._count(label)
        try:
            most = min(self.max_components if k is None else 1, len(X) // 2)
            if most > 1:
                options: dict[str, Any] = {"estimator": mixture, "cv": min(_FOLDS, len(X)), "sample_weight": weights}
                return select_components(X, range(1, most + 1), **options).best_estimator
            return mixture.set_params(n_components=k or 1).fit(X, sample_weight=weights)
        except ValueError as error:
            raise ValueError(f"class {label!r} with weight {rows.counts[c]:g}: {error}") from error

    def _count(self, label: object) -> int | None:
        """k_c, None where it is to be chosen."""
        if isinstance(self.n_components, str):
            check_choice("n_components", self.n_components, ("cv",))
            return None
        if not isinstance(self.n_components, Mapping):
            return check_integer("n_components", self.n_components, 1)
        if label not in self.n_components:
            raise ValueError(f"n_components has no entry for class {label!r}, only for {list(self.n_components)}")
        return check_integer(f"n_components[{label!r}]", self.n_components[label], 1)

    def _rows(self, X: AnyRows) -> Floats:
        return validate_rows(self, X, reset=False, finite=False)

    def _class_log_densities(self, X: Floats) -> Floats:
        return np.stack([mixture._log_densities(X) for mixture in self.mixtures_], axis=1)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        return self.mixtures_[k].sample(n, random_state=rng)[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
