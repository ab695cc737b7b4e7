"""Decoding: how far the outputs of all columns are from the codeword of each class.

    Hamming  d_k = Σ_l (1 − M_kl h_l)/2,    h_l = +1 if f_l > 0, else −1                                       (1)
    loss     d_k = Σ_l L(M_kl f_l)                                                                             (2)

A zero of M costs ½ in (1) and L(0) in (2). Euclidean distance to the codewords is neither: it penalises outputs that
are correct and confident. Allwein, Schapire & Singer (2000), Reducing multiclass to binary, Journal of Machine Learning
Research 1, 113–141.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats, Integers, Numbers
from gnomon.losses import CallableLoss, ExponentialLoss, HingeLoss, LogisticLoss, Loss, SquaredLoss
from gnomon.numerics.validation import FLOATS, check_choice

__all__ = ["DECODE_LOSSES", "DecodeLoss", "Decoding", "ZeroCost", "code_distances", "wrong_columns"]

Decoding: TypeAlias = Literal["loss", "hamming"]
DecodeLoss: TypeAlias = Literal["hinge", "exponential", "log", "linear", "squared"]

ZeroCost: TypeAlias = Literal["half", "ignore"]
"""What a zero of the code costs by Hamming's distance."""


def _minus_margin(y: Numbers, z: Numbers) -> Numbers:
    return -y * z


DECODE_LOSSES: dict[DecodeLoss, Loss] = {
    "hinge": HingeLoss(),
    "exponential": ExponentialLoss(),
    "log": LogisticLoss(),
    "linear": CallableLoss(_minus_margin),
    "squared": SquaredLoss(),
}
"""L of equation (2) by name."""


def code_distances(
    scores: ArrayLike,
    code: ArrayLike,
    *,
    decode: Decoding = "loss",
    loss: DecodeLoss | Loss = "hinge",
    zero: ZeroCost = "half",
) -> Floats:
    """The distance of every row of outputs to the codeword of every class; the smallest decides.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_columns)
        Margins f: above 0 speaks for the classes with +1.
    code : array-like of shape (n_classes, n_columns)
        The coding matrix M.
    decode : {"loss", "hamming"}, default="loss"
        Equation (2) or (1).
    loss : {"hinge", "exponential", "log", "linear", "squared"} or Loss, default="hinge"
        With z = M_kl f_l: max(0, 1 − z), e^(−z), log(1 + e^(−z)), −z, (1 − z)²; or any loss of targets ±1.
    zero : {"half", "ignore"}, default="half"
        For "hamming": a zero costs ½; or the distance is the mean over the non-zero entries of the class.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    References
    ----------
    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 113–141.

    Examples
    --------
    Three weak votes for class 0 against one strong vote for class 1: Hamming counts, the hinge weighs.

    >>> from gnomon.multiclass import code_distances
    >>> code, f = [[1, 1, 1, 1], [-1, -1, -1, -1]], [[0.2, 0.1, 0.1, -3.0]]
    >>> code_distances(f, code, decode="hamming").tolist()
    [[1.0, 3.0]]
    >>> code_distances(f, code).round(2).tolist()
    [[6.6, 3.4]]
    """
    f, M = np.asarray(scores), np.asarray(code)
    f = f if f.dtype in FLOATS else f.astype(float)
    check_choice("decode", decode, get_args(Decoding))
    check_choice("zero", zero, get_args(ZeroCost))
    if decode == "hamming":
        wrong = wrong_columns(f, M)
        zeros = np.sum(M == 0, axis=1, dtype=f.dtype)
        # A class that is zero in every column, such as the only class of an empty code, is at distance zero.
        return wrong + zeros / 2 if zero == "half" else wrong / np.maximum(M.shape[1] - zeros, 1)
    if not isinstance(loss, Loss):
        loss = DECODE_LOSSES[check_choice("loss", loss, DECODE_LOSSES)]
    # M has three values, so that two products with 0/1 matrices give all sums over l.
    with np.errstate(over="ignore"):
        total = loss.value(1.0, f) @ _where(M == 1, f) + loss.value(1.0, -f) @ _where(M == -1, f)
        total += loss.value(1.0, 0.0 * f[:1]) @ _where(M == 0, f)
    return np.clip(total, np.finfo(f.dtype).min, np.finfo(f.dtype).max)


def wrong_columns(scores: Floats, code: Integers) -> Floats:
    """In how many columns that know the class the side h of (1) is not that of the class."""
    positive = (scores > 0.0).astype(scores.dtype)
    return (1 - positive) @ _where(code == 1, scores) + positive @ _where(code == -1, scores)


def _where(mask: Bools, like: Floats) -> Floats:
    """The classes of each column for which the mask holds, as a table of 0 and 1 to multiply with."""
    return mask.T.astype(like.dtype)
