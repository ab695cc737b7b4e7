"""Calibration: scores of any scale become log-likelihood ratios, which serve every application.

    minimise over α, β   ½ λ α²  +  (π̃/n_T) Σ_T log(1 + e^−(αs+β))  +  ((1 − π̃)/n_F) Σ_F log(1 + e^(αs+β))        (1)
    LLR = α s + γ,    γ = β − logit π̃                                                                     (2)

and other maps in the place of α s + β. What comes out has no prior in it: at decision time that of the application is
added. Brümmer & du Preez (2006), Application-independent evaluation of speaker detection,
doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

import warnings
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Array, ArrayLike, Floats, NonNegative
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters
from gnomon.base.scores import ScoreType
from gnomon.base.targets import check_target
from gnomon.base.trials import read_trials
from gnomon.decision._posteriors import check_priors, posteriors
from gnomon.decision._score_maps import OF_CLASSES, OF_TRIALS, Calibration, MapOptions
from gnomon.numerics.validation import check_choice, check_numbers
from gnomon.numerics.weights import check_weights

__all__ = ["ScoreCalibrator"]

CalibrationMethod: TypeAlias = Literal["logistic", "temperature", "beta", "pav", "venn_abers", "matrix"]


class ScoreCalibrator(TransformerMixin, Estimator):
    """A map from scores to log-likelihood ratios, fitted to trials that the scoring model has not seen.

    Parameters
    ----------
    method : {"logistic", "temperature", "beta", "pav", "venn_abers", "matrix"}, default="logistic"
        Scores of two classes: an affine map by (1); a scale alone; beta calibration, which reads scores as log-odds;
        pool-adjacent-violators; Venn–Abers. Of K classes, one column each: "logistic" (one scale, an offset for each
        class), "temperature" (one scale) or "matrix" (any affine map).
    prior : float, array-like of shape (n_classes,) or "uniform", default="uniform"
        π̃ of (1), the prior that the fit serves best: ½ by default, that of the positive of two classes as a number.
        Isotonic maps are the best for every prior, and take none.
    lam : float, default=0.0
        λ ≥ 0 of (1), in units of s²; isotonic maps take none.
    laplace : bool, default=True
        Of "pav": whether a trial of each class is added at both ends, so that no ratio is infinite.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    map_ : NamedTuple
        The fitted map.
    alpha_, beta_, gamma_ : float
        α, β and γ of (1) and (2), where the map is affine in one score; for K classes α, and γ for each class.
    objective_ : float
        The value of (1); nan for isotonic maps.
    score_type_ : str
        "llr".

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Brümmer, N. & van Leeuwen, D. A. (2006). On calibration of language recognition scores.
    doi:10.1109/ODYSSEY.2006.248106

    Kull, M., Silva Filho, T. M. & Flach, P. (2017). Beyond sigmoids: how to obtain well-calibrated probabilities from
    binary classifiers with beta calibration. doi:10.1214/17-EJS1338SI

    Vovk, V., Petej, I. & Fedorova, V. (2015). Large-scale probabilistic predictors with and without guarantees of
    validity. arXiv:1511.00213

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import ScoreCalibrator
    >>> s, y = np.array([-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1]), np.array([0, 0, 1, 0, 1, 1, 1, 0])
    >>> calibrator = ScoreCalibrator().fit(s, y)
    >>> round(calibrator.alpha_, 6), round(calibrator.gamma_, 6)
    (1.845211, -0.03665)
    >>> calibrator.transform([0.0, 1.0]).round(4), calibrator.predict_proba([0.0, 1.0], prior=0.1).round(4)[:, 1]
    (array([-0.0366,  1.8086]), array([0.0967, 0.404 ]))
    """

    def __init__(
        self,
        method: CalibrationMethod = "logistic",
        prior: float | ArrayLike | Literal["uniform"] = "uniform",
        lam: NonNegative = 0.0,
        *,
        laplace: bool = True,
    ):
        self.method = method
        self.prior = prior
        self.lam = lam
        self.laplace = laplace

    def fit(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        score_type: ScoreType = "llr",
        score_prior: float | ArrayLike | None = None,
    ) -> Self:
        """Fit the map.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Of rows that the scoring model was not fitted to; log-likelihoods or log-posteriors of K classes.
        y : array-like of shape (n_samples,)
            Rows of every class are needed; the greater of two labels is the positive one.
        sample_weight : array-like of shape (n_samples,), optional
        score_type : {"llr", "log_posterior_ratio", "margin"}, default="llr"
            What the scores are: (multiples of) ratios or log-likelihoods; log-odds or log-posteriors; or numbers of
            which zero parts the classes, or the greatest has the class. "temperature" takes the prior out of the last
            two; other maps have offsets of their own.
        score_prior : float or array-like of shape (n_classes,), optional
            The prior in scores that are not ratios, under which the scoring model was trained.

        Returns
        -------
        self
        """
        check_parameters(self)
        s = _scores(scores)
        options = self._options(s, score_type, score_prior)
        if s.ndim == 1:
            trials = read_trials(y, s, None, sample_weight)
            self._require_finite(trials.scores)
            self.classes_ = np.array(trials.labels)
            k = trials.positive.astype(int)
            found = OF_TRIALS[self.method](trials, _prior_weights(k, trials.weights, options.priors), options)
        else:
            s, k, weights = self._rows_of_classes(s, y, sample_weight)
            found = OF_CLASSES[self.method](s, k, _prior_weights(k, weights, options.priors), options)
        self.map_, self.objective_ = found.map, found.objective
        self.score_type_ = "llr"
        self._publish(options)
        self._warn(found)
        return self

    def transform(self, scores: ArrayLike) -> Floats:
        """Log-likelihood ratios, or log-likelihoods of each class up to a constant of the row.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)

        Returns
        -------
        ndarray of the same shape
        """
        check_is_fitted(self, "map_")
        s = _scores(scores)
        if s.shape[1:] != ((len(self.classes_),) if self._by_class else ()):
            raise ValueError(f"scores has shape {s.shape}; the map was fitted for the classes {self.classes_.tolist()}")
        if self._by_class:
            self._require_finite(s)
        return self.map_.llr(s)

    def predict_proba(self, scores: ArrayLike, prior: float | ArrayLike | None = None) -> Floats:
        """Probabilities of the classes under a prior.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
        prior : float or array-like of shape (n_classes,), optional
            Of the application, in (0, 1); that of the constructor by default.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        llr = self.transform(scores)
        priors = self._priors(len(self.classes_)) if prior is None else prior
        return posteriors(llr, "llr" if llr.ndim == 1 else "log_likelihood", priors)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.target_tags.required = True
        return tags

    def _priors(self, n_classes: int) -> Floats:
        if isinstance(self.prior, str):
            return np.full(n_classes, 1.0 / n_classes)
        return check_priors("prior", self.prior)

    def _options(self, s: Floats, score_type: ScoreType, score_prior: float | ArrayLike | None) -> MapOptions:
        table = OF_TRIALS if s.ndim == 1 else OF_CLASSES
        if self.method not in table:
            columns = "one score for each row" if s.ndim == 1 else f"{s.shape[1]} columns, one for each class"
            raise ValueError(f"method={self.method!r} is not for {columns}; choose from {list(table)}")
        isotonic = self.method in ("pav", "venn_abers")
        if isotonic and (self.lam != 0.0 or not isinstance(self.prior, str)):
            raise ValueError(f"method={self.method!r} is the same for every prior and takes no lam; leave both out")
        if self.method != "pav" and not self.laplace:
            raise ValueError(f"laplace=False is for method='pav'; leave it out for {self.method!r}")
        self._by_class = s.ndim == 2
        K = s.shape[1] if s.ndim == 2 else 2
        priors = self._priors(K)
        check_choice("score_type", score_type, get_args(ScoreType))
        if (score_type == "llr") != (score_prior is None):
            raise ValueError(
                f"score_type={score_type!r} with score_prior={score_prior!r}: ratios have no prior in them, and other "
                "scores have one; give both, or neither"
            )
        within = np.full(K, 1.0 / K) if score_prior is None else check_priors("score_prior", score_prior)
        for name, p in (("prior", priors), ("score_prior", within)):
            if len(p) != K:
                raise ValueError(f"{name} has {len(p)} numbers for {K} classes; give one for each")
        return MapOptions(priors, -np.log(within), score_type == "margin", float(self.lam), self.laplace)

    def _rows_of_classes(
        self, s: Floats, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Floats, Array, Floats]:
        labels = np.asarray(check_target(y))
        if labels.shape != s.shape[:1]:
            raise ValueError(f"y of shape {labels.shape} must be one label for each of {len(s)} rows of scores")
        weights = check_weights(sample_weight, s)
        used = weights > 0.0
        self.classes_, k = np.unique(labels[used], return_inverse=True)
        if len(self.classes_) != s.shape[1]:
            raise ValueError(
                f"scores has {s.shape[1]} columns and y the {len(self.classes_)} classes {self.classes_.tolist()[:5]}; "
                "rows of every class are needed, in the order of the columns"
            )
        self._require_finite(s[used])
        return s[used], k, weights[used]

    def _require_finite(self, s: Floats) -> None:
        if self.method not in ("pav", "venn_abers") and not np.all(np.isfinite(s)):
            otherwise = "limit them" if self._by_class else "choose method='pav'"
            raise ValueError(
                f"scores has {int(np.sum(~np.isfinite(s)))} infinite values, which no {self.method} map can take; "
                f"{otherwise}, or leave those rows out"
            )

    def _publish(self, options: MapOptions) -> None:
        if self.method == "logistic" and not self._by_class:
            self.alpha_, self.gamma_ = self.map_.slope, self.map_.offset
            self.beta_ = self.gamma_ + options.log_odds
        elif self.method in ("logistic", "temperature"):
            self.alpha_ = float(self.map_.slope[0, 0]) if self._by_class else self.map_.slope
            self.gamma_ = self.map_.offset

    def _warn(self, found: Calibration) -> None:
        if self.method in ("logistic", "temperature") and self.alpha_ < 0.0:
            warnings.warn(
                f"alpha_={self.alpha_:.4g} is negative: greater scores speak for the other class; check the sign of "
                "the scores and the order of the labels",
                stacklevel=3,
            )
        if found.separable and self.lam == 0.0:
            warnings.warn(
                "a threshold divides the classes without error, so the slope grows without bound; give lam > 0, or "
                "more trials",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not found.converged:
            warnings.warn("the fit has not converged; give lam > 0", ConvergenceWarning, stacklevel=3)


def _scores(scores: ArrayLike) -> Floats:
    """One column as one score for each row; NaN is refused."""
    s = check_numbers("scores", scores)
    s = s[:, 0] if s.ndim == 2 and s.shape[1] == 1 else s
    if s.ndim not in (1, 2) or s.shape[1:] == (0,):
        raise ValueError(f"scores has shape {s.shape}; give one score for each row, or one for each row and class")
    if np.any(np.isnan(s)):
        raise ValueError(f"scores contains NaN in {int(np.sum(np.isnan(s)))} cells; repair the model that made them")
    return s


def _prior_weights(k: Array, weights: Floats, priors: Floats) -> Floats:
    """Weights of which each class has its prior in all."""
    return weights * (priors / np.bincount(k, weights, len(priors)))[k]
