"""Posteriors of every row under the model of all other rows, without refitting.

    without row i of class c and weight s:  δ = xᵢ − μ_c,  N' = N_c − s,  S' = S_c − s (N_c/N') δδᵀ,  xᵢ − μ' = δ N_c/N'
    (M − γδδᵀ)⁻¹ = M⁻¹ + γ M⁻¹δδᵀM⁻¹/(1 − γq),    |M − γδδᵀ| = |M| (1 − γq),    q = δᵀM⁻¹δ                      (1)

with M = α S + β I: in the axes of S it is diagonal for every α and β, which differ from row to row. Sherman & Morrison
(1950), doi:10.1214/aoms/1177729893; moments of fewer rows: Chan, Golub & LeVeque (1983),
doi:10.1080/00031305.1983.10483115. A row whose class has no law without it is refitted, as is one where (1) would
cancel.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, Integers, Numbers
from gnomon.distributions.normals import MixtureCovarianceType
from gnomon.generative._gaussian_cells import cell_moments
from gnomon.numerics.coding import label_index
from gnomon.numerics.special import LOG_2PI, log_sum_exp
from gnomon.numerics.streaming import Moments, group_moments
from gnomon.numerics.weights import check_weights

__all__ = ["CellSpread", "OmittedRows", "Spread", "can_downdate", "loo_posteriors"]

LEAST = 1e-6
"""The smallest 1 − γq, and share of a variance, of which enough digits are left."""


class OmittedRows(NamedTuple):
    """Rows with the place of their class and their weight, each of which is left out in turn."""

    X: Floats
    place: Integers
    s: Floats

    def of_class(self, k: int) -> Bools:
        return self.place == k


class Spread(NamedTuple):
    """Σ = (1 − share) S/(N − ddof) + share · target · I, for each class or for all together.

    Fields
    ------
    kind : covariance type
    ddof : int
        For each class.
    share : float
    unit : bool
        Whether the target is one; else the mean of the variances.
    floor : float
        An eigenvalue (of the correlations, where nothing is shrunk to the identity and `in_units` is False) at or
        below it is treated by the model in a way of its own.
    in_units : bool
        Whether `floor` is in units of the data.
    """

    kind: MixtureCovarianceType = "full"
    ddof: int = 0
    share: float = 0.0
    unit: bool = False
    floor: float = 0.0
    in_units: bool = False

    def moments(self, left: OmittedRows, counts: Array) -> Moments:
        """Of every class; not a number where a cell is missing."""
        return group_moments(left.X, left.place, len(counts), left.s, diagonal=self.kind not in ("full", "tied"))

    def log_densities(self, left: OmittedRows, moments: Moments) -> tuple[Floats, Bools]:
        """log f_k(xᵢ) without row i, (n, K), and whether (1) has enough digits; nan where it is as with the row."""
        if self.kind == "full":
            return self._of_each_class(left, moments)
        if self.kind == "tied":
            return self._of_all_classes(left, moments)
        cells = Moments(np.repeat(moments.weight[:, None], moments.mean.shape[1], axis=1), *moments[1:])
        return CellSpread(self.kind, self.ddof, self.share).log_densities(left, cells)

    def _of_each_class(self, left: OmittedRows, moments: Moments) -> tuple[Floats, Bools]:
        out = np.full((len(left.X), len(moments.weight)), np.nan)
        sure = np.zeros(len(left.X), dtype=bool)
        for k, (N, mean, S) in enumerate(zip(*moments, strict=True)):
            own = left.of_class(k)
            delta, s = left.X[own] - mean, left.s[own]
            found = self._without(S, delta, s, N, N - s - self.ddof)
            out[own, k] = found.log_density(found.q * _ratio(N, N - s) ** 2 / found.rest)
            sure[own] = found.sure(self.floor) & (N - s > 0.0)
        return out, sure

    def _of_all_classes(self, left: OmittedRows, moments: Moments) -> tuple[Floats, Bools]:
        K, N = len(moments.weight), moments.weight[left.place]
        delta = left.X - moments.mean[left.place]
        S, divisor = np.sum(moments.scatter, axis=0), np.sum(moments.weight) - left.s - K * self.ddof
        found = self._without(S, delta, left.s, N, divisor)
        out = np.empty((len(left.X), K))
        for k in range(K):
            form = found.form(left.X - moments.mean[k])
            moved = found.q * _ratio(N, N - left.s) ** 2 / found.rest
            out[:, k] = found.log_density(np.where(left.of_class(k), moved, form))
        return out, found.sure(self.floor) & (N - left.s > 0.0)

    def _without(self, S: Floats, delta: Floats, s: Floats, N: Numbers, divisor: Floats) -> _Downdated:
        """The covariance without each of some rows, whose deviations from their mean are given."""
        a = s * _ratio(N, N - s)
        alpha = (1.0 - self.share) * _ratio(1.0, divisor)
        trace = (np.trace(S) - a * np.sum(delta**2, axis=1)) * _ratio(1.0, divisor) / len(S)
        beta = self.share * (np.ones(len(a)) if self.unit else trace)
        # Correlations have a condition that does not depend on the units, but the identity has no place among them.
        plain = self.in_units or self.share > 0.0
        scale = np.ones(len(S)) if plain else np.sqrt(np.where(np.diag(S) > 0.0, np.diag(S), 1.0))
        # A missing cell leaves no moments: those rows are not sure.
        known = bool(np.all(np.isfinite(S)))
        values, V = np.linalg.eigh(S / scale[:, None] / scale) if known else (np.full(len(S), np.nan), np.eye(len(S)))
        M = alpha[:, None] * np.maximum(values, 0.0) + beta[:, None]
        M = np.where(M > 0.0, M, np.nan)
        u = (delta / scale) @ V
        q = np.sum(u**2 / M, axis=1)
        least = np.min(M, axis=1) / (1.0 if plain else alpha)
        return _Downdated(V, scale, M, u, alpha * a, q, 1.0 - alpha * a * q, least)


class _Downdated(NamedTuple):
    """M − γδδᵀ of (1) for every row, in the axes of S: deviations x are Vᵀ(x/scale)."""

    V: Floats
    scale: Floats
    M: Floats
    u: Floats
    gamma: Floats
    q: Floats
    rest: Floats
    least: Floats

    def form(self, deviations: Floats) -> Floats:
        """xᵀ(M − γδδᵀ)⁻¹x for the deviation x of every row from some mean."""
        v = (deviations / self.scale) @ self.V
        return np.sum(v**2 / self.M, axis=1) + self.gamma * np.sum(v * self.u / self.M, axis=1) ** 2 / self.rest

    def log_density(self, form: Floats) -> Floats:
        """Of a row with that quadratic form."""
        with np.errstate(invalid="ignore", divide="ignore"):
            log_det = np.sum(np.log(self.M), axis=1) + 2.0 * np.sum(np.log(self.scale)) + np.log(self.rest)
        return -0.5 * (form + log_det + self.M.shape[1] * LOG_2PI)

    def sure(self, floor: float) -> Bools:
        """Whether digits are left, and the least eigenvalue without the row, ≥ rest · least, is above the floor."""
        return (self.rest > LEAST) & (self.rest * self.least > floor)


class CellSpread(NamedTuple):
    """One normal law for each class and column; cells that are NaN do not count.

    Fields
    ------
    kind : {"diag", "spherical", "tied_diag", "tied_spherical"}
    ddof : int
    share : float
        Of the mean variance of the columns in each variance.
    smoothing : float
        Share of the largest variance over all rows that is added to every variance.
    floor : float, optional
        Variances below it are raised to it.
    v : ndarray of shape (d,), optional
        Weights of the columns.
    """

    kind: MixtureCovarianceType = "diag"
    ddof: int = 0
    share: float = 0.0
    smoothing: float = 0.0
    floor: float | None = None
    v: Floats | None = None

    def moments(self, left: OmittedRows, counts: Array) -> Moments:
        """Of every class and column, from the cells that are there."""
        return cell_moments(left.X, left.place, counts, left.s, refuse=lambda X: None).cells

    def log_densities(self, left: OmittedRows, cells: Moments) -> tuple[Floats, Bools]:
        """log f_k(xᵢ) without row i, (n, K), and whether enough digits are left; moments have the shape (K, d)."""
        X, seen = np.where(np.isnan(left.X), 0.0, left.X), ~np.isnan(left.X)
        s = left.s[:, None] * seen
        N = cells.weight[left.place]
        delta = np.where(seen, X - cells.mean[left.place], 0.0)
        lost = s * _ratio(N, N - s) * delta**2
        added = self._added(X, s, cells)
        out, sure = np.empty((len(X), len(cells.weight))), np.all(N - s > 0.0, axis=1)
        for k in range(len(cells.weight)):
            own = left.of_class(k)[:, None]
            var, before = self._variances(k, own, s, lost, cells)
            var = var + added if self.floor is None else np.maximum(var, self.floor)
            sure &= np.all((var > LEAST * before) & (var > 0.0), axis=1)
            var = np.where(var > 0.0, var, 1.0)
            moved = np.where(own, delta * _ratio(N, N - s), X - cells.mean[k])
            terms = -0.5 * (moved**2 / var + np.log(var) + LOG_2PI)
            out[:, k] = np.sum(np.where(seen, terms, 0.0) * (1.0 if self.v is None else self.v), axis=1)
        return out, sure

    def _variances(self, k: int, own: Bools, s: Floats, lost: Floats, cells: Moments) -> tuple[Floats, Floats]:
        """Variances of class k without each row, and from what size they were subtracted."""
        tied = self.kind.startswith("tied")
        whole = np.sum(cells.scatter, axis=0) if tied else cells.scatter[k]
        count = np.sum(cells.weight - self.ddof, axis=0) if tied else cells.weight[k] - self.ddof
        less, fewer = (lost, s) if tied else (lost * own, s * own)
        sums, divisor = whole - less, count - fewer
        if self.kind.endswith("spherical"):
            sums, whole = np.mean(sums, axis=1, keepdims=True), np.mean(whole)
        var = sums * _ratio(1.0, divisor)
        var = (1.0 - self.share) * var + self.share * np.mean(var, axis=1, keepdims=True)
        return np.broadcast_to(var, lost.shape), whole * _ratio(1.0, divisor)

    def _added(self, X: Floats, s: Floats, cells: Moments) -> Numbers:
        """`smoothing` times the largest variance of a column over all rows but one."""
        if self.smoothing == 0.0:
            return 0.0
        w, mean, scatter = cells
        N = np.sum(w, axis=0)
        center = np.sum(w * mean, axis=0) / np.where(N > 0.0, N, 1.0)
        whole = np.sum(scatter + w * (mean - center) ** 2, axis=0)
        var = (whole - s * _ratio(N, N - s) * (X - center) ** 2) * _ratio(1.0, N - s)
        return self.smoothing * np.max(var, axis=1, keepdims=True)


def can_downdate(model: Any) -> Literal[True]:
    """For ``available_if``: whether one row can be taken out of the laws by (1); AttributeError where it cannot."""
    options = vars(model)
    others = {
        "estimate": options["estimate"] if options["estimate"] != "mle" else None,
        "shrinkage": options["shrinkage"] if isinstance(options.get("shrinkage"), str) else None,
        "pool": options.get("pool") or None,
        "covariance_estimator": options.get("covariance_estimator"),
    }
    for name, value in others.items():
        if value is not None:
            raise AttributeError(
                f"{name}={value!r} needs all other rows again when one is left out; refit without each row "
                "(gnomon.evaluation.loo_risk)"
            )
    return True


def loo_posteriors(
    model: Any,
    X: AnyRows,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    spread: Spread | CellSpread,
    prior_alpha: float = 0.0,
) -> Floats:
    """P₋ᵢ(c | xᵢ) of every row and class of a fitted classifier, (n, K), for the rows of its fit."""
    X = model._checked(X)
    index, _ = label_index(y, model.classes_)
    s = np.asarray(check_weights(sample_weight, np.empty((len(index), 0))), dtype=float)
    left = OmittedRows(np.asarray(X, dtype=float), index, s)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        moments = spread.moments(left, np.bincount(index, s, minlength=len(model.classes_)))
        logs, sure = spread.log_densities(left, moments)
    if np.any(np.isnan(logs[sure])):
        with_row = model._class_log_densities(X)
        logs = np.where(np.isnan(logs), with_row, logs)
    joint = np.where(sure[:, None], logs, 0.0) + _log_priors(left, model, prior_alpha)
    out = np.exp(joint - log_sum_exp(joint)[:, None])
    for i in np.flatnonzero(~sure).tolist():
        out[i] = _refitted(model, X, y, sample_weight, i)
    return out


def _log_priors(left: OmittedRows, model: Any, alpha: float) -> Floats:
    """log π_c without each row, (n, K): shares change with it, given priors do not."""
    if model.priors is not None:
        return np.broadcast_to(model.class_log_prior_, (len(left.X), len(model.classes_)))
    counts = np.repeat(model.class_count_[None] + alpha, len(left.X), axis=0)
    counts[np.arange(len(counts)), left.place] -= left.s
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(counts, 0.0) / np.sum(counts, axis=1, keepdims=True))


def _refitted(model: BaseEstimator, X: Floats, y: ArrayLike, sample_weight: ArrayLike | None, i: int) -> Floats:
    """P₋ᵢ(c | xᵢ) by a fit without row i; 0 for a class that is gone with it."""
    others = np.delete(np.arange(len(X)), i)
    weights = None if sample_weight is None else np.asarray(sample_weight)[others]
    other = clone(model).fit(X[others], np.asarray(y)[others], sample_weight=weights)
    out = np.zeros(len(model.classes_))
    out[np.searchsorted(model.classes_, other.classes_)] = other.predict_proba(X[i : i + 1])[0]
    return out


def _ratio(a: Numbers, b: Numbers) -> Floats:
    """a/b, and 0 where b is not positive: such rows are refitted."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.divide(a, b, out=np.zeros(b.shape), where=b > 0.0)
