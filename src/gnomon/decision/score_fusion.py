"""Fusion: the scores of several systems as one log-likelihood ratio.

    LLR(s) = Σ_j [ α_j s_j  if s_j is there, else δ_j ] + γ                                                  (1)

α, δ and γ minimise the prior-weighted cross-entropy of `ScoreCalibrator`; δ_j is what the absence of a score says.
Brümmer et al. (2007), Fusion of heterogeneous speaker recognition systems in the STBU submission,
doi:10.1109/TASL.2007.902870.
"""

from __future__ import annotations

import warnings
from typing import Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike, NonNegative
from gnomon.base import read_rows
from gnomon.base.estimator import Estimator
from gnomon.decision._posteriors import check_priors, posteriors
from gnomon.decision._score_maps import column_units
from gnomon.decision._softmax_fit import fit_softmax, two_class_maps
from gnomon.decision._wrapper import like
from gnomon.numerics.weights import check_weights

__all__ = ["ScoreFusion"]


class ScoreFusion(ClassifierMixin, Estimator):
    """One log-likelihood ratio from the scores of several systems, equation (1).

    Parameters
    ----------
    prior : float in (0, 1) or "uniform", default="uniform"
        π̃ of the positive class, which the fit serves best, and that of `predict` and `predict_proba`; ½ by default.
    lam : float, default=0.0
        λ ≥ 0 of ½ λ (‖α‖² + ‖δ‖²).

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (n_systems,)
        α.
    missing_ : ndarray of shape (n_systems,)
        δ; 0 for a system whose scores were all there.
    intercept_ : float
        γ.
    objective_ : float
    score_type_ : str
        "llr", of `llr`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Brümmer, N. et al. (2007). Fusion of heterogeneous speaker recognition systems in the STBU submission for the NIST
    speaker recognition evaluation 2006. doi:10.1109/TASL.2007.902870

    Examples
    --------
    Two systems with independent errors are better together:

    >>> import numpy as np
    >>> from gnomon.decision import ScoreFusion, cllr
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> S = rng.normal(size=(1000, 2)) + 2.0 * y[:, None] - 1.0
    >>> S[::10, 1] = np.nan
    >>> fusion = ScoreFusion().fit(S, y)
    >>> bool(cllr(y, fusion.llr(S)) < cllr(y, 2.0 * S[:, 0]))
    True
    """

    def __init__(self, prior: float | Literal["uniform"] = "uniform", lam: NonNegative = 0.0):
        self.prior = prior
        self.lam = lam

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the weights of the systems.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_systems)
            Scores; NaN where a system gave none.
        y : array-like of shape (n_samples,)
            Of two classes; the greater label is the positive one.
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        S, y = read_rows(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_classification_targets(y)
        weights = check_weights(sample_weight, S)
        used = weights > 0.0
        S, weights = S[used], weights[used]
        self.classes_, k = np.unique(y[used], return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}, with "
                f"{len(self.classes_)} class(es); rows of two classes are needed"
            )
        priors = self._priors()
        w = weights * (priors / np.bincount(k, weights))[k]
        present = ~np.isnan(S)
        share = np.maximum(w @ present, np.finfo(float).tiny)
        centre = (w @ np.where(present, S, 0.0)) / share
        gaps = ~np.all(present, axis=0)
        columns = np.column_stack([np.where(present, S - centre, 0.0), (~present[:, gaps]).astype(float)])
        maps = two_class_maps(columns.shape[1])
        fit = fit_softmax(columns, k, w, np.log(priors), maps, column_units(columns), self.lam)
        d = S.shape[1]
        self.coef_, self.missing_ = fit.A[1, :d], np.zeros(d)
        # δ stands in the place of α (s − centre), γ is that of plain scores.
        self.missing_[gaps] = fit.A[1, d:]
        self.missing_ += self.coef_ * centre
        self.intercept_ = float(fit.b[1] - self.coef_ @ centre)
        self.objective_, self.score_type_ = fit.objective, "llr"
        if fit.separable and self.lam == 0.0:
            warnings.warn(
                "the scores divide the classes without error, so the weights grow without bound; give lam > 0",
                ConvergenceWarning, stacklevel=2,
            )  # fmt: skip
        return self

    def llr(self, X: MatrixLike) -> Floats:
        """Log-likelihood ratios, equation (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_systems)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        S = read_rows(self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan")
        return like(np.sum(np.where(np.isnan(S), self.missing_, self.coef_ * S), axis=1) + self.intercept_, X)

    def decision_function(self, X: MatrixLike) -> Floats:
        """Posterior log-odds under the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_systems)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        llr, priors = self.llr(X), self._priors()
        return llr + like(np.log(priors[1:] / priors[0]), llr)

    def predict_proba(self, X: MatrixLike) -> Floats:
        """Probabilities of the two classes under the prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_systems)

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        return like(posteriors(self.llr(X), "llr", self._priors()), X)

    def predict(self, X: MatrixLike) -> Array:
        """The more probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_systems)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int)]

    def _priors(self) -> Floats:
        return check_priors("prior", 0.5 if isinstance(self.prior, str) else self.prior)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
