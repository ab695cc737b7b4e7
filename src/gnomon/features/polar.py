"""Polar coordinates.

    r = ‖x − c‖,    θ = atan2(x₂ − c₂, x₁ − c₁) ∈ (−π, π],    x = c + r (cos θ, sin θ)                  (1)

and for d > 2 the angles φ_i = atan2(‖(x_{i+1}, …, x_d)‖, x_i) ∈ [0, π] for i < d − 1, with θ of the last two columns.
Rings become slabs. Blumenson (1960), A derivation of n-dimensional spherical coordinates, doi:10.2307/2308932.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.features._base import Column, InvertibleMap

__all__ = ["PolarFeatures"]


class PolarFeatures(InvertibleMap):
    """Radius and angle of two columns, of pairs of columns, or of all columns; the inverse is exact up to rounding.

    The output has the polar columns of every pair, then the columns that are in no pair. Sparse input is refused: the
    angle of a zero row is a convention, not a zero.

    Parameters
    ----------
    center : None, "mean" or array-like of shape (n_features,), default=None
        The point c: the origin, the mean of the training rows, or a given one.
    angle : {"raw", "sincos"}, default="raw"
        "raw": the angle, which jumps at ±π. "sincos": its cosine and sine, which do not.
    columns : list of pairs of int or str, optional
        Pairs of columns, by position or name, each with its own radius and angle.
    hyperspherical : bool, default=False
        One radius and d − 1 angles of all d columns; for d = 2 the same as the default.

    Attributes
    ----------
    center_ : ndarray of shape (n_features_in_,)
        The point c; zero for columns in no pair.

    References
    ----------
    Blumenson, L. E. (1960). A derivation of n-dimensional spherical coordinates. doi:10.2307/2308932

    Examples
    --------
    >>> from gnomon.features import PolarFeatures
    >>> polar = PolarFeatures().fit([[1.0, 1.0]])
    >>> polar.transform([[1.0, 1.0], [-1.0, 0.0]]).round(7).tolist()
    [[1.4142136, 0.7853982], [1.0, 3.1415927]]
    >>> polar.inverse_transform([[1.0, 0.0]]).tolist()
    [[1.0, 0.0]]
    """

    _stored: ClassVar[dict[str, str]] = {"_groups": "int below n_features", "_rest": "int (k,) below n_features"}

    def __init__(
        self,
        center: ArrayLike | Literal["mean"] | None = None,
        *,
        angle: Literal["raw", "sincos"] = "raw",
        columns: Sequence[tuple[Column, Column]] | None = None,
        hyperspherical: bool = False,
    ):
        self.center = center
        self.angle = angle
        self.columns = columns
        self.hyperspherical = hyperspherical

    def _learn(self, X: Floats) -> None:
        self._groups = self._grouped(X.shape[1])
        self._rest = np.setdiff1d(np.arange(X.shape[1]), np.concatenate(self._groups))
        self.center_ = self._center_of(X)
        self.center_[self._rest] = 0

    def _grouped(self, d: int) -> list[Integers]:
        """Arrays of the columns that share a radius."""
        if self.columns is None:
            if d == 1 or (d > 2 and not self.hyperspherical):
                raise ValueError(
                    f"X has n_features = {d}, polar coordinates are of two; give pairs in columns=, or "
                    "hyperspherical=True for more than two"
                )
            return [np.arange(d)]
        if self.hyperspherical:
            raise ValueError("columns and hyperspherical=True exclude each other; give one of them")
        groups = [self._places(pair) for pair in self.columns]
        flat = np.concatenate(groups) if groups else np.empty(0)
        if not groups or any(len(group) != 2 for group in groups) or len(np.unique(flat)) < len(flat):
            raise ValueError(f"columns={self.columns!r} must be pairs of columns, and no column in two of them")
        return groups

    def _center_of(self, X: Floats) -> Floats:
        if self.center is None:
            return np.zeros(X.shape[1], dtype=X.dtype)
        center = X.mean(axis=0) if isinstance(self.center, str) and self.center == "mean" else self.center
        try:
            return np.broadcast_to(np.asarray(center, dtype=X.dtype), X.shape[1:]).copy()
        except ValueError:
            raise ValueError(
                f"center={self.center!r} must be None, 'mean' or {X.shape[1]} numbers; there are that many columns"
            ) from None

    def check_consistent(self) -> None:
        """Refuse groups of fewer columns than an angle needs."""
        if any(len(group) < 2 for group in vars(self).get("_groups", ())):
            raise ValueError("a group has one column, and an angle needs two")

    def _map(self, X: Floats) -> Floats:
        # Adding 0 turns −0 into 0, whose angle is π and not −π.
        centred = X - self.center_.astype(X.dtype) + 0
        polar = [self._polar(centred[:, group]) for group in self._groups]
        return np.hstack([*polar, X[:, self._rest]])

    def _polar(self, x: Floats) -> Floats:
        """Equation (1); ‖(x_i, …, x_d)‖ of every tail by hypot, which neither overflows nor underflows."""
        tails = np.hypot.accumulate(x[:, ::-1], axis=1)[:, ::-1]
        angles = np.arctan2(tails[:, 1:], x[:, :-1])
        angles[:, -1] = np.arctan2(x[:, -1], x[:, -2])
        return np.hstack([tails[:, :1], ANGLES[self.angle].encode(angles)])

    def _unmap(self, Z: Floats) -> Floats:
        X = np.empty((len(Z), self.n_features_in_), dtype=Z.dtype)
        start = 0
        for group in self._groups:
            stop = start + 1 + ANGLES[self.angle].width * (len(group) - 1)
            X[:, group] = self._cartesian(Z[:, start:stop])
            start = stop
        X[:, self._rest] = Z[:, start:]
        return X + self.center_.astype(Z.dtype)

    def _cartesian(self, z: Floats) -> Floats:
        r = z[:, 0]
        cosines, sines = ANGLES[self.angle].decode(z[:, 1:])
        tails = np.cumprod(np.column_stack([r, sines]), axis=1)
        return np.column_stack([tails[:, :-1] * cosines, tails[:, -1]])

    def _names(self, names: Array) -> list[str]:
        words = ANGLES[self.angle].words
        made = []
        for group in self._groups:
            stem = ",".join(names[group])
            numbers = [""] if len(group) == 2 else range(1, len(group))
            made += [f"r({stem})"] + [f"{word}{i}({stem})" for word in words for i in numbers]
        return made + list(names[self._rest])


class _Raw:
    words = ("theta",)
    width = 1

    @staticmethod
    def encode(angles: Floats) -> Floats:
        return angles

    @staticmethod
    def decode(angles: Floats) -> Sequence[Floats]:
        return np.cos(angles), np.sin(angles)


class _SinCos:
    words = ("cos", "sin")
    width = 2

    @staticmethod
    def encode(angles: Floats) -> Floats:
        return np.hstack([np.cos(angles), np.sin(angles)])

    @staticmethod
    def decode(codes: Floats) -> Sequence[Floats]:
        return np.hsplit(codes, 2)


ANGLES: dict[str, type[_Raw] | type[_SinCos]] = {"raw": _Raw, "sincos": _SinCos}
