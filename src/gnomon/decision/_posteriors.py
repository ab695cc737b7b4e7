"""Probabilities of the classes, from whatever a system says of a row.

    P(k | x) ∝ π_k f(x | k),    for two classes  logit P(T | x) = LLR + logit π_T                                (1)

Brümmer & du Preez (2006), Application-independent evaluation of speaker detection, doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import softmax

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_choice, check_interval, check_numbers

__all__ = ["Kind", "check_priors", "posteriors"]

Kind: TypeAlias = Literal["posterior", "log_posterior", "log_likelihood", "llr"]


def posteriors(scores: ArrayLike, kind: Kind, priors: float | ArrayLike | None) -> Floats:
    """P(k | x) of (1), from any kind of scores."""
    check_choice("kind", kind, ("posterior", "log_posterior", "log_likelihood", "llr"))
    s = check_numbers("scores", scores)
    if np.any(np.isnan(s)):
        raise ValueError(f"scores contains NaN in {int(np.sum(np.isnan(s)))} cells; repair the model that made them")
    if kind.endswith("posterior"):
        if priors is not None:
            raise ValueError(f"priors are part of kind={kind!r} already; leave them out, or shift them by shift_prior")
        return s if kind == "posterior" else np.exp(s)
    if priors is None:
        raise ValueError(f"kind={kind!r} needs priors; give those of the application")
    p = check_priors("priors", priors)
    if kind == "llr":
        if s.ndim != 1 or len(p) != 2:
            raise ValueError(f"kind='llr' takes one number for each row and two priors; got {s.shape} and {len(p)}")
        z = s + np.log(p[1] / p[0])
        return np.column_stack([sigmoid(-z), sigmoid(z)])
    if s.ndim != 2 or s.shape[1] != len(p):
        raise ValueError(f"kind='log_likelihood' takes (n_samples, {len(p)}) for {len(p)} priors; got {s.shape}")
    if np.any(np.isposinf(s)) or not np.all(np.any(np.isfinite(s), axis=1)):
        raise ValueError("scores has rows of log-likelihoods with ∞, or −∞ alone; no posterior follows from them")
    return softmax(s + np.log(p), axis=1)


def check_priors(name: str, prior: float | ArrayLike) -> Floats:
    """Priors of all classes, positive; one number is that of the second of two."""
    p = check_numbers(name, prior)
    if p.ndim == 0:
        share = float(check_interval(name, float(p), 0.0, 1.0, closed="neither"))
        return np.array([1.0 - share, share])
    if p.ndim != 1 or len(p) < 2 or not np.all(p > 0.0) or abs(np.sum(p) - 1.0) > 1e-6:
        raise ValueError(f"{name}={p.tolist()} must be numbers in (0, 1) that sum to 1, one for each class")
    return p / np.sum(p)
