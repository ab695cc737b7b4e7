"""Classification by Bayes' rule from one density per class.

    ŷ(x) = argmax_c  log π_c + log f_c(x),        f_c fitted to the rows of class c                    (1)

Duda, Hart & Stork (2001), Pattern Classification, chapter 2; the rule minimises the probability of error where the
densities and priors are the true ones: Devroye, Györfi & Lugosi (1996), theorem 2.1, doi:10.1007/978-1-4612-0711-5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, TableLike
from gnomon.base import naming_columns
from gnomon.distributions import ConjugateModel, Distribution, DistributionFamily, MultivariateNormal
from gnomon.distributions.density import (
    Density,
    KnownDensity,
    density_parameters,
    fit_density,
    observed_log_density,
    row_log_density,
    sample_density,
)
from gnomon.generative._contract import BayesClassifier, Rows
from gnomon.generative._gaps import fit_observed, fits_gaps
from gnomon.generative._naive import check_estimate
from gnomon.generative._rows import LabelledRows, any_rows, labelled_rows
from gnomon.generative._words import Estimation, Gaps, ZeroPolicy
from gnomon.numerics.validation import assert_finite
from gnomon.numerics.weights import Priors

__all__ = ["GenerativeClassifier"]


class GenerativeClassifier(BayesClassifier):
    """Bayes' rule over any densities, equation (1).

    Parameters
    ----------
    density : type, DistributionFamily, estimator or dict, default=MultivariateNormal
        What is fitted to the rows of each class: a `Distribution` class, one with options (`Normal.family(ddof=1)`), an
        estimator with `fit` and `score_samples` (a mixture, a kernel density); or a dict from class to one of these.
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares: (N_c + a)/(N + C a).
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives density zero: the posterior is the prior, with a warning; or an error.
    estimate : {"mle", "map", "predictive"}, default="mle"
        Densities of greatest likelihood; of greatest posterior density under `parameter_prior`; or no point estimate:
        the law of the next observation, the parameters integrated out.
    parameter_prior : law or conjugate model, or a dict from class to such, optional
        Over the parameters of the density, which is a `Distribution` then: for "map" what its `fit` takes as `prior`,
        for "predictive" a conjugate model whose data have that law.
    missing : {"marginalize", "error"}, default="marginalize"
        What to do with NaN: fit to and predict from the cells that are there, where the density can (laws of one
        variable for each column, `MultivariateNormal`, estimators that take gaps); or refuse.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    densities_ : list
        The fitted density of each class.
    class_prior_, class_log_prior_, class_count_ : ndarray of shape (n_classes,)
    score_type_ : str
        "llr": `llr` is a log-likelihood ratio.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Duda, R. O., Hart, P. E. & Stork, D. G. (2001). Pattern Classification, chapter 2. Wiley.

    Devroye, L., Györfi, L. & Lugosi, G. (1996). A Probabilistic Theory of Pattern Recognition, chapter 2.
    doi:10.1007/978-1-4612-0711-5

    Examples
    --------
    >>> from gnomon.distributions import Normal
    >>> from gnomon.generative import GenerativeClassifier
    >>> model = GenerativeClassifier(Normal).fit([[1.0], [2.0], [3.0], [5.0], [7.0]], ["a", "a", "a", "b", "b"])
    >>> model.predict_proba([[4.0]]).round(6)
    array([[0.403283, 0.596717]])
    >>> model.predict([[4.0]], priors={"a": 0.9, "b": 0.1})
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        density: Density | Mapping[Any, Density] = MultivariateNormal,
        *,
        priors: Priors = None,
        prior_alpha: float = 0.0,
        zero_policy: ZeroPolicy = "prior",
        estimate: Estimation = "mle",
        parameter_prior: Any = None,
        missing: Gaps = "marginalize",
    ):
        self.density = density
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.zero_policy = zero_policy
        self.estimate = estimate
        self.parameter_prior = parameter_prior
        self.missing = missing

    @classmethod
    def from_densities(
        cls,
        densities: Mapping[Any, KnownDensity] | Sequence[KnownDensity],
        priors: Priors = "uniform",
        *,
        classes: ArrayLike | None = None,
    ) -> Self:
        """The classifier of a known generator, without data: the best there is for it.

        Parameters
        ----------
        densities : dict or sequence
            Class to density, or the densities in the order of `classes`.
        priors : "uniform", array-like of shape (n_classes,) or dict, default="uniform"
        classes : array-like, optional
            By default the keys of the dict, sorted, or 0, 1, ….

        Returns
        -------
        GenerativeClassifier
            Ready to predict.
        """
        named = densities if isinstance(densities, Mapping) else dict(enumerate(densities))
        if classes is not None and not isinstance(densities, Mapping):
            named = dict(zip(np.asarray(classes).tolist(), densities, strict=True))
        if len(named) < 1:
            raise ValueError("densities is empty; give one for each class")
        model = cls(named, priors=priors)
        model.classes_ = np.unique(list(named))
        model.densities_ = [named[label] for label in model.classes_.tolist()]
        model._store_priors(np.zeros(len(named)), priors)
        return model

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a density to the rows of each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two is the row twice.

        Returns
        -------
        self
        """
        check_estimate(self.estimate, self.parameter_prior)
        rows = labelled_rows(self, X, y, sample_weight, check=any_rows)
        self._refuse_gaps(rows.X)
        self.classes_ = rows.classes
        with naming_columns(self, rows.X):
            self.densities_ = [self._fit_class(rows, k) for k in range(len(self.classes_))]
        self._store_priors(rows.counts, self.priors, prior_alpha=self.prior_alpha)
        return self

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the densities, and C − 1 of the priors."""
        return sum(map(density_parameters, self.densities_)) + len(self.classes_) - 1

    def _fit_class(self, rows: LabelledRows, k: int) -> KnownDensity:
        label = rows.classes.tolist()[k]
        X, weights = rows.of_class(k)
        try:
            law = (fit_observed if _are_numbers(X) else fit_density)(self._density_of(label), X, weights)
            # A law that cannot be evaluated must raise now, not at the first prediction.
            _log_density(law, X[:1])
        except ValueError as error:
            raise ValueError(
                f"class {label!r} with {len(X)} rows: {error}; if rows are few, give more, a simpler density or a prior"
            ) from error
        return law

    def _density_of(self, label: object) -> Density:
        density = _entry("density", self.density, label)
        if self.estimate == "mle":
            return density
        return with_prior(density, self.estimate, _entry("parameter_prior", self.parameter_prior, label))

    def _rows(self, X: AnyRows) -> Rows:
        X = any_rows(self, X, reset=False) if "n_features_in_" in vars(self) else _plain(X)
        self._refuse_gaps(X)
        return X

    def _refuse_gaps(self, X: Rows) -> None:
        if not self._takes_gaps() and _are_numbers(X):
            assert_finite(X, columns=vars(self).get("feature_names_in_"))

    def _class_log_densities(self, X: Rows) -> Floats:
        return np.stack([_log_density(law, X) for law in self.densities_], axis=1)

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        return sample_density(self.densities_[k], n, rng)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self._takes_gaps()
        return tags

    def _takes_gaps(self) -> bool:
        return self.missing != "error" and fits_gaps(self.density)


def with_prior(density: Any, estimate: Estimation, prior: Any) -> Any:
    """What is fitted in place of the density: the mode under a prior, or the predictive law."""
    law, options = (density.law, density.options) if isinstance(density, DistributionFamily) else (density, {})
    if not (isinstance(law, type) and issubclass(law, Distribution)):
        raise ValueError(f"estimate={estimate!r} needs a Distribution class as density, not {density!r}")
    if estimate == "map":
        if "prior" not in signature(law.from_statistics).parameters:
            raise ValueError(f"{law.__name__} is not estimated under a prior; choose estimate='mle', or another law")
        return DistributionFamily(law, {**options, "prior": prior})
    if not isinstance(prior, ConjugateModel) or law not in prior.likelihoods:
        raise ValueError(
            f"parameter_prior={prior!r} does not integrate out the parameters of {law.__name__}; give a conjugate "
            "model of it, or choose estimate='map'"
        )
    if options:
        raise ValueError(f"the options {options} of {law.__name__} do not enter its predictive law; leave them out")
    return prior


def _entry(name: str, given: Any, label: object) -> Any:
    if not isinstance(given, Mapping):
        return given
    if label not in given:
        raise ValueError(f"{name} has no entry for class {label!r}, only for {list(given)}; add one")
    return given[label]


def _are_numbers(X: Rows) -> bool:
    return isinstance(X, np.ndarray) and X.dtype.kind == "f"


def _log_density(law: KnownDensity, X: Rows) -> Floats:
    return observed_log_density(law, X) if _are_numbers(X) and np.any(np.isnan(X)) else row_log_density(law, X)


def _plain(X: AnyRows) -> Array:
    """Rows for a classifier that was built without data and so knows no number of columns."""
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; give rows, an array of shape (n_samples, n_features)")
    return X
