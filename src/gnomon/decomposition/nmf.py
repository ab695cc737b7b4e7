"""Non-negative matrix factorisation.

    minimise over W, H ≥ 0    D(X, W H) + d α_W Ω(W) + n α_H Ω(H),    Ω(F) = ρ ‖F‖₁ + ½ (1 − ρ) ‖F‖²       (1)

D is half the squared distance, or another β-divergence. Coordinate descent takes several sweeps for each product with
X: Cichocki & Phan (2009), doi:10.1587/transfun.E92.A.708; Gillis & Glineur (2012), doi:10.1162/NECO_a_00256. Each
round begins beyond the last two: Ang & Gillis (2019), doi:10.1162/neco_a_01157. Multiplicative updates: Lee & Seung
(2001), NIPS.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, check_non_negative

from gnomon import _typing as types
from gnomon._typing import ArrayLike, Count, Floats, MatrixLike, Seed, Share, Verbosity
from gnomon.base import validate_rows
from gnomon.base.chunks import Chunks, read_chunks
from gnomon.base.estimator import Estimator
from gnomon.decomposition._chunk_sums import ChunkSums
from gnomon.decomposition._factor_start import FactorStart, Way, start_factors
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.validation import FLOATS
from gnomon.optim import (
    FactorPenalties,
    Factors,
    beta_divergence,
    change_in_units,
    code_rows,
    factorize,
    factorize_chunks,
    half_square,
    multiplicative_updates,
    warn_unless_converged,
)
from gnomon.optim.factors import Constraint, NonNegative, Shuffled
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Solution, log_every
from gnomon.optim.stopping import KKT

__all__ = ["NMF"]

StartWord: TypeAlias = Literal["random", "nndsvd", "nndsvda", "nndsvdar", "custom"] | None
BetaLoss: TypeAlias = float | Literal["frobenius", "kullback-leibler", "itakura-saito"]

MEASURED = ("objective_", "reconstruction_err_", "history_", "n_iter_", "converged_", "stop_reason_")
"""What a fit measures of its factors, and further rows make untrue."""

LOSSES = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


class NMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """X ≈ W H with non-negative factors: parts that add up, equation (1).

    Parameters
    ----------
    n_components : int, "auto" or None, default="auto"
        m; "auto" from factors that are given, else the number of columns, as None.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar", "custom"} or None, default=None
        None for "nndsvda" where m is at most the smaller side of X, else "random".
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, or multiplicative updates, which any divergence needs but the squared distance.
    beta_loss : float or {"frobenius", "kullback-leibler", "itakura-saito"}, default="frobenius"
        β of D.
    tol : float, default=1e-4
        "cd" stops when the violations of the optimality conditions are this share of those at the start, or a round
        lowers (1) by less than a thousandth of this share; "mu" when a round lowers (1) by a tenth of it.
    max_iter : int, default=200
    random_state : int, RandomState or None, default=None
    alpha_W : float, default=0.0
    alpha_H : float or "same", default="same"
        α_W and α_H in (1).
    l1_ratio : float, default=0.0
        ρ.
    verbose : int, default=0
    shuffle : bool, default=False
        "cd" goes through the patterns in a random order in every update.
    normalize : {"rows"} or None, default=None
        "rows" scales every pattern of (1) to the sum 1, and its codes accordingly; where α_W or α_H is not zero, the
        codes are found anew for the scaled patterns, as `transform` does.

    Attributes
    ----------
    components_ : ndarray of shape (m, d)
        H.
    n_components_ : int
    reconstruction_err_ : float
        ‖X − W H‖, or the root of twice D.
    objective_ : float
        The value of (1) of the factors that are returned.
    history_ : dict of str to ndarray
        Of the search for both factors, before patterns are scaled.
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    sums_ : ChunkSums
        What `partial_fit` knows of the rows before.

    References
    ----------
    Cichocki, A. & Phan, A.-H. (2009). Fast local algorithms for large scale nonnegative matrix and tensor
    factorizations. doi:10.1587/transfun.E92.A.708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import NMF
    >>> X = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 3.0]])
    >>> model = NMF(2, tol=1e-8, max_iter=1000)
    >>> W = model.fit_transform(X)
    >>> (W @ model.components_).round(4)
    array([[1., 2., 0.],
           [2., 4., 0.],
           [0., 0., 3.]])
    """

    def __init__(
        self,
        n_components: Count | Literal["auto"] | None = "auto",
        *,
        init: StartWord = None,
        solver: Literal["cd", "mu"] = "cd",
        beta_loss: BetaLoss = "frobenius",
        tol: types.NonNegative = 1e-4,
        max_iter: Count = 200,
        random_state: Seed = None,
        alpha_W: types.NonNegative = 0.0,
        alpha_H: types.NonNegative | Literal["same"] = "same",
        l1_ratio: Share = 0.0,
        verbose: Verbosity = 0,
        shuffle: bool = False,
        normalize: Literal["rows"] | None = None,
    ):
        self.n_components = n_components
        self.init = init
        self.solver = solver
        self.beta_loss = beta_loss
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.alpha_W = alpha_W
        self.alpha_H = alpha_H
        self.l1_ratio = l1_ratio
        self.verbose = verbose
        self.shuffle = shuffle
        self.normalize = normalize

    def fit(self, X: MatrixLike, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None) -> Self:
        """Find both factors.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        W, H : array-like, optional
            Where to start, with ``init="custom"``.

        Returns
        -------
        self
        """
        self.fit_transform(X, W=W, H=H)
        return self

    def fit_transform(
        self, X: MatrixLike, y: object = None, W: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> Floats:
        """Fit, and the codes W of the training rows.

        Parameters
        ----------
        X, y, W, H
            As in `fit`.

        Returns
        -------
        W : ndarray of shape (n_samples, m)
        """
        X = validate_rows(self, X, accept_sparse=("csr", "csc"))
        check_squares(X, "squared distances are made of them, so scale X first, for example with MaxNormScaler")
        beta = self._beta(X)
        m = self._number(X, H)
        start = self._start(X, m, W, H)
        found = self._solve(X, start, beta, fixed_right=False)
        warn_unless_converged(found, self.max_iter)
        (codes, H_found), self.objective_ = found.w, found.objective
        if self.normalize == "rows":
            sums = H_found.sum(axis=1)
            sums = np.where(sums > 0.0, sums, 1.0)
            codes, H_found = codes * sums, H_found / sums[:, None]
            if any(self._penalties(*X.shape)):
                again = self._code(X, H_found, beta)
                codes, self.objective_ = again.w.left, again.objective
        self.components_, self.n_components_ = np.ascontiguousarray(H_found), m
        fit = half_square(X, codes, H_found) if beta == 2.0 else beta_divergence(X, codes, H_found, beta)
        self.reconstruction_err_ = float(np.sqrt(2.0 * fit))
        self.history_, self.n_iter_ = found.history, found.n_iter
        self.converged_, self.stop_reason_ = found.converged, found.stop_reason
        self.sums_ = ChunkSums.of(X, codes)
        return codes

    def fit_chunks(self, chunks: Chunks, H: ArrayLike | None = None) -> Self:
        """Minimise (1) over rows that come in chunks, in the memory of one chunk; the codes are not kept.

        The start is made from the first chunk. However the rows are cut, the patterns are the same.

        Parameters
        ----------
        chunks : iterable of X, or function that returns one
            It is read once for every pass; a generator can only be read once, so give the function that makes it.
        H : array-like of shape (m, n_features), optional
            Where to start, with ``init="custom"``.

        Returns
        -------
        self
        """
        if self.solver != "cd" or self.normalize is not None:
            raise ValueError("fit_chunks needs solver='cd' and normalize=None; leave them out, or use fit")
        begin = read_chunks(chunks)

        def read() -> Iterator[Any]:
            for X, weights in begin():
                if weights is not None:
                    raise ValueError("a chunk comes with weights, which NMF does not take; give X alone")
                yield self._read(X, reset=False)

        chunk = next(begin(), None)
        if chunk is None:
            raise ValueError("chunks holds no table; give at least one")
        first = self._read(chunk[0], reset=True)
        start = self._first_patterns(first, H)
        n = sum(X.shape[0] for X in read())
        left, right = self._sides(n, first.shape[1])
        log = log_every(int(self.verbose)) if self.verbose else None
        found = factorize_chunks(read, start, left, right, stop=self._rule(first), max_iter=self.max_iter, callback=log)
        warn_unless_converged(found, self.max_iter)
        self.components_, self.n_components_ = found.w, len(found.w)
        fit, G, B = 0.0, np.zeros((len(start), len(start)), start.dtype), np.zeros(start.T.shape, start.dtype)
        for X in read():
            Z = code_rows(X, found.w, left)
            fit, G, B = fit + half_square(X, Z, found.w), G + Z.T @ Z, B + np.asarray(X.T @ Z)
        self.reconstruction_err_ = float(np.sqrt(2.0 * fit))
        self.objective_, self.history_, self.n_iter_ = found.objective, found.history, found.n_iter
        self.converged_, self.stop_reason_ = found.converged, found.stop_reason
        self.sums_ = ChunkSums(G / n, B / n, 1.0, 1, n)
        return self

    def partial_fit(self, X: MatrixLike, y: object = None) -> Self:
        """Code these rows with the patterns so far, add their sums to those of the rows before, improve the patterns.

        The rows before are those of earlier calls and of `fit` or `fit_chunks`, which begin anew. What was measured of
        their factors is deleted: `objective_`, `reconstruction_err_` and the record of the search.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        if self.solver != "cd" or self.normalize is not None:
            raise ValueError("partial_fit needs solver='cd' and normalize=None; leave them out, or use fit")
        first = "sums_" not in vars(self)
        X = self._read(X, reset=first)
        if first:
            self.components_ = self._first_patterns(X, None)
            self.n_components_ = len(self.components_)
        codes = code_rows(X, self.components_, self._sides(1, X.shape[1])[0])
        self.sums_ = ChunkSums.of(X, codes) if first else self.sums_.added(X, codes)
        right = self._sides(self.sums_.weight, X.shape[1])[1]
        patterns = right.update(np.ascontiguousarray(self.components_.T), self.sums_.G, self.sums_.B)
        self.components_ = np.ascontiguousarray(patterns.T)
        for name in MEASURED:
            self.__dict__.pop(name, None)
        return self

    def transform(self, X: MatrixLike) -> Floats:
        """Codes of rows with the patterns as they are: non-negative least squares for every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        W : ndarray of shape (n_samples, m)
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False, accept_sparse=("csr", "csc"))
        return self._code(X, self.components_.astype(X.dtype, copy=False), self._beta(X)).w.left

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """W H, the rows that codes stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, m)

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        W = check_array(X, dtype=FLOATS, accept_sparse=("csr", "csc"), input_name="X")
        if W.shape[1] != self.n_components_:
            raise ValueError(f"X has {W.shape[1]} columns and there are {self.n_components_} patterns; give codes")
        return W @ self.components_

    def _beta(self, X: Any) -> float:
        """β of the loss; an error where the rows or the solver do not suit it."""
        least = X.min()
        if least < 0.0:
            raise ValueError(
                f"Negative values in data passed to NMF (input X): the least is {least:.4g}, and parts only add up; "
                "shift or clip those columns, or use PCA"
            )
        beta = float(LOSSES.get(self.beta_loss, np.nan)) if isinstance(self.beta_loss, str) else float(self.beta_loss)
        if self.solver == "cd" and beta != 2.0:
            raise ValueError(
                f"beta_loss={self.beta_loss!r} needs solver='mu'; coordinate descent, 'cd', minimises 'frobenius'"
            )
        if beta <= 0.0 and X.min() == 0.0:
            raise ValueError("When beta_loss <= 0 and X contains zeros, the solver may diverge: add a small constant")
        return beta

    def _read(self, X: Any, *, reset: bool) -> Any:
        X = validate_rows(self, X, reset=reset, accept_sparse=("csr", "csc"))
        self._beta(X)
        return X

    def _first_patterns(self, X: Any, H: ArrayLike | None) -> Floats:
        """Where H starts, from the rows of a chunk or as given."""
        m = self._number(X, H)
        if self.init == "custom":
            return _given("H", H, (m, X.shape[1]), X.dtype)
        return np.ascontiguousarray(self._start(X, m, None, None).right)

    def _number(self, X: Any, H: ArrayLike | None) -> int:
        if self.n_components == "auto" and H is not None:
            return len(np.asarray(H))
        return int(self.n_components) if isinstance(self.n_components, int | np.integer) else X.shape[1]

    def _start(self, X: Any, m: int, W: ArrayLike | None, H: ArrayLike | None) -> Factors:
        if self.init == "custom":
            return Factors(_given("W", W, (X.shape[0], m), X.dtype), _given("H", H, (m, X.shape[1]), X.dtype))
        way: Way = self.init or ("nndsvda" if m <= min(X.shape) else "random")
        if way == "nndsvd" and self.solver == "mu":
            warnings.warn(
                "solver='mu' multiplies, so it cannot change the zeros that init='nndsvd' starts with; use 'nndsvda'",
                stacklevel=3,
            )
        if way != "random" and m > min(X.shape):
            raise ValueError(f"init={way!r} can only be used when n_components={m} <= min(n_samples, n_features)")
        return start_factors(X, m, FactorStart(way, positive=True), check_random_state(self.random_state))

    def _solve(self, X: Any, start: Factors, beta: float, *, fixed_right: bool) -> Solution[Factors]:
        run: dict[str, Any] = {"fixed_right": fixed_right, "max_iter": self.max_iter}
        run["callback"] = log_every(int(self.verbose)) if self.verbose else None
        if self.solver == "mu":
            return multiplicative_updates(X, start, beta, self._penalties(*X.shape), tol=self.tol / 10.0, **run)
        return factorize(X, start, *self._sides(*X.shape), stop=self._rule(X), **run)

    def _code(self, X: Any, H: Floats, beta: float) -> Solution[Factors]:
        """Minimise (1) over W, from a start that does not depend on how H was found."""
        level = float(np.sqrt(X.mean() / len(H))) if self.solver == "mu" else 0.0
        return self._solve(X, Factors(np.full((X.shape[0], len(H)), level, X.dtype), H), beta, fixed_right=True)

    def _rule(self, X: Any) -> StopRule:
        return KKT(self.tol) | change_in_units(X, 1e-3 * self.tol)

    def _penalties(self, n: float, d: int) -> FactorPenalties:
        """Of (1), for n rows and d columns."""
        alpha_W, alpha_H = self.alpha_W, self.alpha_W if self.alpha_H == "same" else float(self.alpha_H)
        share = self.l1_ratio
        return FactorPenalties(
            d * alpha_W * share, d * alpha_W * (1 - share), n * alpha_H * share, n * alpha_H * (1 - share)
        )

    def _sides(self, n: float, d: int) -> tuple[Constraint, Constraint]:
        """What W and H may be."""
        of = self._penalties(n, d)
        sides = NonNegative(of.left_l1, of.left_l2), NonNegative(of.right_l1, of.right_l2)
        if not self.shuffle:
            return sides
        rng = check_random_state(self.random_state)
        return Shuffled(sides[0], rng), Shuffled(sides[1], rng)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _given(name: str, factor: ArrayLike | None, shape: tuple[int, int], dtype: Any) -> Floats:
    if factor is None or np.shape(factor) != shape:
        found = "None" if factor is None else f"shape {np.shape(factor)}"
        raise ValueError(f"init='custom' needs {name} of shape {shape}; got {found}")
    check_non_negative(np.asarray(factor), f"NMF (input {name})")
    return np.array(factor, dtype=dtype)
