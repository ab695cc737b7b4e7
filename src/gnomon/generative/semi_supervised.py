"""Classifiers that learn from rows with a label and rows without.

    maximise    ℓ = Σ_{i labelled} sᵢ log π_{yᵢ} f_{yᵢ}(xᵢ)  +  λ Σ_{i unlabelled} sᵢ log Σ_c π_c f_c(xᵢ)            (1)

by EM: after every E-step a labelled row belongs to its class alone, an unlabelled one to all classes in the shares of
its posterior. ℓ never falls where the classes are fitted by maximum likelihood. Nigam, McCallum, Thrun & Mitchell
(2000), Text classification from labeled and unlabeled documents using EM, doi:10.1023/A:1007692713085.

Two other roads need no class here. Self-training and labels that spread over a graph of neighbours are in scikit-learn,
and take the classifiers of this package and the same mark −1:

>>> import numpy as np
>>> from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
>>> from gnomon.generative import GaussianNB
>>> X = np.concatenate([np.linspace(0, 1, 20), np.linspace(4, 5, 20)])[:, None]
>>> y = np.full(40, -1)
>>> y[[0, 19, 20, 39]] = [0, 0, 1, 1]
>>> model = SelfTrainingClassifier(GaussianNB(), threshold=0.9).fit(X, y)
>>> model.predict([[0.5], [4.5]]).tolist(), int((model.transduction_ == np.repeat([0, 1], 20)).sum())
([0, 1], 40)
>>> [type(m)().fit(X, y).predict([[0.5], [4.5]]).tolist() for m in (LabelPropagation(), LabelSpreading())]
[[0, 1], [0, 1]]

Yarowsky (1995), doi:10.3115/981658.981684; Zhou et al. (2004), Learning with local and global consistency, NIPS 16.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples, check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, NonNegative, RandomState
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.generative._class_em import ClassRows, class_em, given_rows, start_codes
from gnomon.generative._contract import BayesClassifier, Rows
from gnomon.generative._partial_labels import PartialLabels, PartialTarget, partial_labels
from gnomon.generative._words import Assignment
from gnomon.generative.gaussian_classifier import GaussianClassifier
from gnomon.numerics.random import check_rng
from gnomon.numerics.weights import check_weights
from gnomon.optim import EMResult, em, warn_unless_em_converged

__all__ = ["SemiSupervisedClassifier"]


class SemiSupervisedClassifier(CallbackSupportMixin, BayesClassifier):
    """A generative classifier fitted to labelled and unlabelled rows, equation (1).

    Parameters
    ----------
    base : generative classifier, optional
        Of this package: Gaussian, naive Bayes, Gaussian mixtures, over any densities. None: `GaussianClassifier()`.
    unlabeled : "auto", None or label, default="auto"
        What marks a row without a label in `y`, beside NaN and None, which always do. "auto": −1 in a column of
        integers. None: nothing else, so that −1 can be a class.
    unlabeled_weight : float, default=1.0
        λ ≥ 0; 0 learns from the labelled rows alone.
    n_free : int, default=0
        Classes of which there is no label at all, found among the unlabelled rows; they are called by the next integers
        or by "new_0", "new_1" ….
    algorithm : {"soft", "hard"}, default="soft"
        Posteriors, or the most probable class of each row.
    tol : float, default=1e-6
        Stop when the mean of (1) gains less.
    max_iter : int, default=500
    random_state : None, int, Generator or RandomState
        For the start of free classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    model_ : generative classifier
        Fitted to all rows.
    transduction_ : ndarray of shape (n_samples,)
        The class of every row of the fit: its label, or the most probable one.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
        The counts are sums of responsibilities.
    objective_ : float
        (1).
    converged_, stop_reason_, n_iter_, history_, monotone_
        How the fit ended and went.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Nigam, K., McCallum, A., Thrun, S. & Mitchell, T. (2000). Text classification from labeled and unlabeled documents
    using EM. doi:10.1023/A:1007692713085

    Chapelle, O., Schölkopf, B. & Zien, A. (2006). Semi-Supervised Learning. doi:10.7551/mitpress/9780262033589.001.0001

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.generative import SemiSupervisedClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-2, 1, (100, 1)), rng.normal(2, 1, (100, 1))])
    >>> y = np.full(200, -1)
    >>> y[:2], y[-2:] = 0, 1
    >>> model = SemiSupervisedClassifier().fit(X, y)
    >>> model.model_.means_.ravel().round(1), model.monotone_
    (array([-1.8,  2.1]), True)
    """

    def __init__(
        self,
        base: BayesClassifier | None = None,
        unlabeled: object = "auto",
        unlabeled_weight: NonNegative = 1.0,
        *,
        n_free: int = 0,
        algorithm: Assignment = "soft",
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: RandomState = None,
    ):
        self.base = base
        self.unlabeled = unlabeled
        self.unlabeled_weight = unlabeled_weight
        self.n_free = n_free
        self.algorithm = algorithm
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: AnyRows, y: PartialTarget, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the base takes.
        y : array-like of shape (n_samples,)
            Labels, and `unlabeled` where there is none.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        X = given_rows(self, X, reset=True)
        y = partial_labels(y, self.unlabeled, n_free=self.n_free, who=type(self).__name__)
        check_consistent_length(X, y.codes)
        rows = self._class_rows(X, y, sample_weight)
        steps = class_em(GaussianClassifier() if self.base is None else self.base, rows)
        start = steps.start(start_codes(rows, y.free, check_rng(self.random_state)))
        with fit_tasks(self, "iteration", self.max_iter, X=X) as told:
            result = em(
                steps.e_step,
                steps.m_step,
                start,
                tol=0.0 if rows.hard else self.tol,
                max_iter=self.max_iter,
                hard=steps.hard,
                total_weight=rows.total_weight,
                on_decrease="ignore" if steps.allows_fall else "warn",
                callback=told.rows(),
            )
            self._set(steps.model(warn_unless_em_converged(result, self.max_iter)), result, y)
            self.transduction_ = self._transduce(X, y)
        return self

    def _class_rows(self, X: Any, y: PartialLabels, sample_weight: ArrayLike | None) -> ClassRows:
        """The rows that count: those of weight zero are none."""
        weights = check_weights(sample_weight, np.empty((_num_samples(X), 0)))
        weights = np.where(y.has_label, 1.0, self.unlabeled_weight) * weights
        used = np.flatnonzero(weights > 0.0)
        lost = np.setdiff1d(np.arange(len(y.classes)), np.append(y.codes[used], y.free))
        if lost.size:
            raise ValueError(f"class {y.classes.tolist()[lost[0]]!r} has labels on rows of weight zero only; drop them")
        if used.size < len(weights):
            X = _safe_indexing(X, used)
        return ClassRows(X, y.codes[used], weights[used], y.classes, self.algorithm == "hard")

    def _set(self, model: BayesClassifier, result: EMResult[Any, Any], y: PartialLabels) -> None:
        self.model_, self.classes_ = model, y.classes
        self.class_count_, self.class_prior_ = model.class_count_, model.class_prior_
        self.class_log_prior_ = model.class_log_prior_
        self.objective_, self.history_, self.monotone_ = result.objective, result.history, result.monotone
        self.n_iter_, self.converged_, self.stop_reason_ = result.n_iter, result.converged, result.stop_reason

    def _transduce(self, X: Any, y: PartialLabels) -> Array:
        codes = np.array(y.codes)
        hidden = np.flatnonzero(~y.has_label)
        if hidden.size:
            joint = self._class_scores(_safe_indexing(X, hidden)) + self.class_log_prior_
            codes[hidden] = np.argmax(joint, axis=1)
        return self.classes_[codes]

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the base."""
        return self.model_.n_parameters_

    def _rows(self, X: AnyRows) -> Rows:
        return given_rows(self, X, reset=False)

    def _class_log_densities(self, X: Rows) -> Floats:
        return self.model_._class_log_densities(self.model_._rows(X))

    def _class_scores(self, X: Rows) -> Floats:
        return self.model_._class_scores(self.model_._rows(X))

    def _decision_scores(self, X: Rows) -> Floats:
        return self.model_._decision_scores(self.model_._rows(X))

    def _factors(self, X: Rows) -> tuple[list[str], Floats]:
        return self.model_._factors(self.model_._rows(X))

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        return self.model_._sample_class(k, n, rng)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(GaussianClassifier() if self.base is None else self.base).input_tags
        tags.input_tags.string, tags.input_tags.sparse = inner.string, inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
