"""What scikit-learn is withdrawing from its cross-validated logistic regression, with its meaning and its warnings.

    penalty="l2" is l1_ratios=(0,),    penalty="l1" is l1_ratios=(1,)                                  (1)

and fitted attributes in a dictionary over the classes. Deprecated in scikit-learn 1.8, to end with 1.10 and 1.12.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike
from gnomon.numerics.validation import check_choice

if TYPE_CHECKING:
    from gnomon.linear.logistic_cv import LogisticRegressionCV

__all__ = ["LegacyPenalty", "asked_ratios", "legacy_attributes", "wants_legacy"]

LegacyPenalty: TypeAlias = Literal["deprecated", "l1", "l2", "elasticnet"]


def asked_ratios(penalty: LegacyPenalty, l1_ratios: ArrayLike | None, default: ArrayLike) -> ArrayLike | None:
    """The shares of the L1 norm that (1) and `l1_ratios` ask for; None where the grid has no axis for them."""
    check_choice("penalty", penalty, get_args(LegacyPenalty))
    if penalty == "deprecated":
        if l1_ratios is None:
            _warn("l1_ratios=None is deprecated in scikit-learn 1.8 and an error in 1.10; give numbers in [0, 1]")
        return l1_ratios
    _warn(
        "penalty is deprecated in scikit-learn 1.8 and gone in 1.10; leave it out and give l1_ratios=(0,) for 'l2', "
        "l1_ratios=(1,) for 'l1', numbers between for 'elasticnet'"
    )
    if penalty == "elasticnet":
        if l1_ratios is None:
            raise ValueError("penalty='elasticnet' with l1_ratios=None has no share of the L1 norm; give l1_ratios")
        return l1_ratios
    if l1_ratios is not None and not np.array_equal(l1_ratios, default):
        warnings.warn(f"l1_ratios={l1_ratios!r} is read with penalty='elasticnet' only", UserWarning, stacklevel=4)
    return None


def wants_legacy(use_legacy_attributes: bool | Literal["warn"]) -> bool:
    """Whether the attributes take the shapes of `legacy_attributes`."""
    check_choice("use_legacy_attributes", use_legacy_attributes, (True, False, "warn"))
    if use_legacy_attributes == "warn":
        _warn("use_legacy_attributes='warn' is True until scikit-learn 1.10 and False from then on; give one of them")
    return bool(use_legacy_attributes)


def legacy_attributes(model: LogisticRegressionCV, *, shares: bool) -> dict[str, Any]:
    """The attributes of a fitted search in scikit-learn's older shapes; `shares` is whether they have an axis of them.

    C and the share are repeated for every row of coefficients; scores and paths are dictionaries over the classes,
    of two classes the second only, with axes (fold, C, share).
    """
    rows = len(model.coef_)
    classes = model.classes_[-rows:].tolist()
    pick = slice(None) if shares else 0
    scores, n_iter = (np.swapaxes(a, 1, 2)[..., pick] for a in (model.scores_, model.n_iter_))
    paths = np.moveaxis(model.coefs_paths_, (3, 2), (0, 2))[:, :, :, pick]
    return {
        "C_": np.full(rows, model.C_),
        "l1_ratio_": np.full(rows, model.l1_ratio_),
        "scores_": {c: scores.copy() for c in classes},
        "coefs_paths_": dict(zip(classes, paths, strict=True)),
        "n_iter_": n_iter[None],
    }


def _warn(sentence: str) -> None:
    warnings.warn(sentence, FutureWarning, stacklevel=4)
