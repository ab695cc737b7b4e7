"""What every reduction does alike: rows for the base, weights and other parameters on their way to it, its abilities.

    base  f_l : x → ±1, fitted to problem l;    reduction  (f_1(x), …, f_L(x)) → class                      (1)

Allwein, Schapire & Singer (2000), Reducing multiclass to binary, JMLR 1, 113–141.
"""

import logging

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import MetaEstimatorMixin, is_regressor
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _num_samples, column_or_1d

from gnomon.multiclass._reject import RejectingClassifier
from gnomon.numerics.coding import offers
from gnomon.numerics.tables import given_rows
from gnomon.numerics.weights import check_weights

__all__ = ["Reduction", "base_has", "checked_target", "given_rows", "log_fits", "predictor", "routed", "single_labels"]


def predictor(name, estimator):
    """`estimator` if it can predict; ValueError where it cannot."""
    if getattr(estimator, "predict", None) is None:
        raise ValueError(f"{name}={estimator!r} has no predict; give a classifier or a regressor")
    return estimator


def checked_target(y):
    """`y` as it is; ValueError where it holds NaN or infinity."""
    values = y.data if sparse.issparse(y) else np.asarray(y)
    if values.dtype.kind == "f":
        assert_all_finite(values, input_name="y")
    return y


def single_labels(y):
    """One label for each row; ValueError for a multi-label target."""
    if type_of_target(checked_target(y), input_name="y").startswith("multilabel"):
        raise ValueError(
            "y is a multi-label target, of which a row may have several classes; use OneVsRestClassifier, or give one "
            "label for each row"
        )
    return column_or_1d(y, warn=True)


def routed(owner, method, X, sample_weight, params):
    """Checked weights, and what else the user sends to the base; with routing what the base asked for."""
    if get_config()["enable_metadata_routing"]:
        params = dict(process_routing(owner, method, sample_weight=sample_weight, **params).estimator[method])
        sample_weight = params.pop("sample_weight", None)
    elif params:
        raise ValueError(
            f"{list(params)} can be sent to the estimator only by routing; call "
            "sklearn.set_config(enable_metadata_routing=True), and let the estimator request them"
        )
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, np.empty((_num_samples(X), 0)))
    return sample_weight, params


def log_fits(done, total):
    """Send the progress of the fits to the logger ``gnomon.multiclass``."""
    logging.getLogger("gnomon.multiclass").info("%d of %d binary problems fitted", done, total)


def base_has(method):
    """For `available_if`: whether the base has a method; the error says what to do where it has not."""

    def check(self):
        base = (vars(self).get("estimators_") or [self.estimator])[0]
        if getattr(base, method, None) is None or (method != "partial_fit" and is_regressor(base)):
            raise AttributeError(f"{type(base).__name__} has no {method}{_ADVICE.get(method, '')}")
        return True

    return check


_ADVICE = {
    "predict_proba": "; wrap it by sklearn.calibration.CalibratedClassifierCV first",
    "decision_function": "; use predict_proba or predict",
}


class Reduction(MetaEstimatorMixin, RejectingClassifier):
    """A classifier made of binary fits of `estimator`."""

    @property
    def n_classes_(self):
        """Number of classes."""
        return len(self.classes_)

    def _kind(self, wanted):
        """What the base is asked for: `wanted`, or for "auto" the best that it has."""
        found = offers(predictor("estimator", self.estimator))
        if wanted == "auto":
            return found[0]
        if wanted not in found:
            raise ValueError(
                f"{type(self.estimator).__name__} gives {found}, not {wanted!r}; choose one of these, or wrap the "
                "estimator by sklearn.calibration.CalibratedClassifierCV to get probabilities"
            )
        return wanted

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def get_metadata_routing(self):
        """How scikit-learn routes metadata to the base.

        Returns
        -------
        MetadataRouter
        """
        methods = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=methods)
