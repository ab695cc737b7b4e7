"""Any generative classifier without labels: the class is latent.

    maximise    ℓ = Σᵢ sᵢ log Σ_c π_c f_c(xᵢ)                                                           (1)
    E:  γᵢ_c = P(c | xᵢ), by the classifier        M:  the classifier fitted with the weights sᵢ γᵢ_c            (2)

Over naive Bayes this is latent class analysis, over Gaussian classes a Gaussian mixture. Lazarsfeld & Henry (1968),
Latent Structure Analysis; Goodman (1974), doi:10.1093/biomet/61.2.215; hard assignment: Celeux & Govaert (1992),
doi:10.1016/0167-9473(92)90042-E.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Count, CountOrZero, Floats, Integers, RandomState
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.generative._class_em import ClassifierEM, ClassRows, given_rows
from gnomon.generative._contract import BayesClassifier
from gnomon.generative._mixture_contract import MixtureDensity
from gnomon.generative._partial_labels import NO_LABEL
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.generative.mixture_model import StartingShares, start_responsibilities
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_numbers
from gnomon.numerics.weights import check_weights
from gnomon.optim import EMResult, em, warn_unless_em_converged

__all__ = ["LatentClassModel"]


class LatentClassModel(CallbackSupportMixin, MixtureDensity):
    """EM around a generative classifier whose classes nobody has seen, equation (1).

    Parameters
    ----------
    classifier : generative classifier, optional
        Of this package: Gaussian, naive Bayes, over any densities. None: `GaussianClassifier()`.
    n_classes : int, default=2
    hard : bool, default=False
        Fit on predicted labels instead of posteriors.
    tol : float, default=1e-6
        Stop when the mean log-likelihood gains less; hard assignments stop when they repeat.
    max_iter : int, default=500
    n_init : int, default=1
        Starts, of which the best end is kept.
    init_params : {"kmeans", "random"}, optional
        Start from clusters or from random responsibilities. By default clusters where rows are numbers.
    responsibilities_init : array-like of shape (n_samples, n_classes), optional
        The responsibilities to start from.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    classifier_ : generative classifier
        Fitted; its classes are 0, 1, …, n_classes − 1.
    weights_ : ndarray of shape (n_classes,)
        π.
    objective_ : float
        ℓ (of the complete data for hard assignment).
    converged_, stop_reason_, n_iter_, history_, monotone_, restarts_
        How the fit ended and went.
    n_reseeded_ : int
        How many times classes that had lost their rows began anew.
    n_parameters_ : int
        Free parameters, where the classifier counts them.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Goodman, L. A. (1974). Exploratory latent structure analysis using both identifiable and unidentifiable models.
    doi:10.1093/biomet/61.2.215

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import GaussianClassifier, LatentClassModel
    >>> X = np.array([[-1.0], [0.0], [1.0], [2.0]])
    >>> model = LatentClassModel(GaussianClassifier("tied"), 2, tol=1e-12, max_iter=2000, random_state=0).fit(X)
    >>> np.sort(model.classifier_.means_.ravel()).round(4), round(model.objective_, 6)
    (array([-0.486,  1.486]), -5.631177)
    """

    def __init__(
        self,
        classifier: BayesClassifier | None = None,
        n_classes: Count = 2,
        hard: bool = False,
        *,
        tol: float = 1e-6,
        max_iter: CountOrZero = 500,
        n_init: Count = 1,
        init_params: StartingShares | None = None,
        responsibilities_init: ArrayLike | None = None,
        random_state: RandomState = None,
    ):
        self.classifier = classifier
        self.n_classes = n_classes
        self.hard = hard
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.responsibilities_init = responsibilities_init
        self.random_state = random_state

    def fit(self, X: AnyRows, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the classifier takes.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        if self.init_params is not None and self.responsibilities_init is not None:
            raise ValueError("responsibilities_init leaves nothing to init_params; give one of them")
        X = given_rows(self, X, reset=True)
        weights = check_weights(sample_weight, np.empty((_num_samples(X), 0)))
        used = weights > 0.0
        X, weights = _safe_indexing(X, np.flatnonzero(used)), weights[used]
        rows = ClassRows(X, np.full(len(weights), NO_LABEL), weights, np.arange(self.n_classes), self.hard)
        steps = ClassifierEM(self._base(), rows)
        rng = check_rng(self.random_state)
        starts = [self._start(steps, used, rng) for _ in range(self.n_init)]
        with fit_tasks(self, "iteration", self.n_init * self.max_iter, X=X) as told:
            result = em(
                steps.e_step,
                steps.m_step,
                starts.__getitem__,
                tol=self.tol,
                max_iter=self.max_iter,
                hard=self.hard,
                n_init=self.n_init,
                total_weight=rows.total_weight,
                on_decrease="ignore",
                callback=told.rows(),
            )
            return self._set(warn_unless_em_converged(result, self.max_iter))

    @property
    def n_parameters_(self) -> int:
        check_is_fitted(self)
        return self.classifier_.n_parameters_

    def _base(self) -> BayesClassifier:
        return GaussianClassifier() if self.classifier is None else clone(self.classifier)

    def _start(self, steps: ClassifierEM, used: Bools, rng: np.random.Generator) -> BayesClassifier:
        if self.responsibilities_init is None:
            return steps.fit_shares(
                start_responsibilities(self.init_params, steps.rows.X, steps.rows.weights, self.n_classes, rng)
            )
        gamma = check_numbers("responsibilities_init", self.responsibilities_init)
        shape = (len(used), self.n_classes)
        if gamma.shape != shape or not np.all(gamma >= 0.0) or not np.allclose(np.sum(gamma, axis=1), 1.0):
            raise ValueError(f"responsibilities_init must be of shape {shape}, ≥ 0, with rows that sum to 1")
        return steps.fit_shares(gamma[used])

    def _set(self, result: EMResult[BayesClassifier, Floats]) -> Self:
        self.classifier_ = result.theta
        self.weights_ = np.zeros(self.n_classes)
        self.weights_[self.classifier_.classes_] = self.classifier_.class_prior_
        self.objective_, self.history_, self.restarts_ = result.objective, result.history, result.restarts
        self.n_iter_, self.converged_, self.stop_reason_ = result.n_iter, result.converged, result.stop_reason
        self.monotone_, self.n_reseeded_ = result.monotone, result.n_restarts
        return self

    def check_consistent(self) -> None:
        """Refuse classes beyond those that there are."""
        known = vars(vars(self).get("classifier_", self)).get("classes_", np.zeros(0, dtype=int))
        if known.dtype.kind != "i" or np.any((known < 0) | (known >= self.n_classes)):
            raise ValueError(f"the classifier has classes beyond the {self.n_classes} of the model")

    def _log_joint(self, X: AnyRows) -> Floats:
        check_is_fitted(self)
        X, model = given_rows(self, X, reset=False), self.classifier_
        found = model._class_log_densities(model._rows(X)) + model.class_log_prior_
        out = np.full((len(found), self.n_classes), -np.inf)
        out[:, model.classes_] = found
        return out

    def _draw(self, counts: Integers, rng: np.random.Generator) -> Array:
        labels = self.classifier_.classes_.tolist()
        drawn = [(labels.index(c), n) for c, n in enumerate(counts.tolist()) if n]
        return np.concatenate([self.classifier_._sample_class(c, n, rng) for c, n in drawn])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base()).input_tags
        tags.input_tags.string, tags.input_tags.sparse = inner.string, inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
