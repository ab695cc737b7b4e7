"""Dictionary learning: patterns of which every row uses few.

    minimise over Z, H    ½ ‖X − Z H‖² + α ‖Z‖₁    with    ‖h_j‖ ≤ 1                                (1)

Codes by the lasso, atoms one after the other in closed form; an atom that no row uses is replaced by the row that is
described worst. In chunks the sums ZᵀZ and XᵀZ of the rows before stand for them. Mairal, Bach, Ponce & Sapiro
(2009), doi:10.1145/1553374.1553463.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from gnomon import _typing as types
from gnomon._typing import ArrayLike, Count, Floats, MatrixLike, Seed, Verbosity
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.decomposition._chunk_sums import ChunkSums
from gnomon.decomposition._sparse_encode import Coder, CodingAlgorithm
from gnomon.numerics.linalg import check_squares
from gnomon.numerics.scatter import fix_signs
from gnomon.numerics.validation import FLOATS
from gnomon.optim import Factors, factorize, half_square, lasso_codes, warn_unless_converged
from gnomon.optim.factors import NonNegative, UnitBall
from gnomon.optim.solution import Solution, log_every

__all__ = ["DictionaryLearning"]

StepCallback: TypeAlias = Callable[[Mapping[str, Any]], Any] | None

MEASURED = ("objective_", "error_", "history_", "n_iter_", "converged_", "stop_reason_", "n_reseeded_")
"""What a fit measures of its factors, and further rows make untrue."""

ROUNDS = 10
"""How often unused atoms are replaced, at most."""


class DictionaryLearning(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Sparse codes and the dictionary that makes them short, equation (1).

    Parameters
    ----------
    n_components : int, optional
        m atoms; None for the number of columns.
    alpha : float, default=1
        α.
    max_iter : int, default=1000
        Rounds over both factors.
    tol : float, default=1e-8
        Stop when a round lowers (1) by at most this share of it.
    fit_algorithm : {"lars", "cd"}, default="lars"
        The lasso of the codes has one solution, which coordinate descent finds to rounding for either name; the path
        of "lars" takes no positive codes, as in scikit-learn.
    transform_algorithm : {"lasso", "lasso_lars", "lasso_cd", "lars", "omp", "threshold"}, default="omp"
        How `transform` codes rows, as in `sparse_encode`.
    transform_n_nonzero_coefs : int, optional
        Entries of "lars" and "omp"; None for a tenth of the columns.
    transform_alpha : float, optional
        α of the others; None for `alpha`.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.
    code_init, dict_init : array-like, optional
        Where Z and H start; both or none.
    callback : callable, optional
        Called with a dict of "iteration", "objective" and "seconds" after every round.
    verbose : int, default=0
    split_sign : bool, default=False
        `transform` gives the positive and the negative part of every code.
    random_state : int, RandomState or None, default=None
        Draws which of several rows that are described equally badly replaces an unused atom.
    positive_code, positive_dict : bool, default=False
        Z ≥ 0, H ≥ 0.
    transform_max_iter : int, default=1000

    Attributes
    ----------
    components_ : ndarray of shape (m, d)
        H.
    error_ : ndarray
        (1) after every round.
    objective_ : float
        (1) at the end.
    history_ : dict of str to ndarray
    n_iter_ : int
    converged_ : bool
    stop_reason_ : str
    n_reseeded_ : int
        Atoms that were replaced by a row.

    References
    ----------
    Mairal, J., Bach, F., Ponce, J. & Sapiro, G. (2009). Online dictionary learning for sparse coding.
    doi:10.1145/1553374.1553463

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decomposition import DictionaryLearning
    >>> X = np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 4.0], [0.0, -1.0]])
    >>> model = DictionaryLearning(2, alpha=0.1, transform_algorithm="lasso").fit(X)
    >>> np.abs(model.components_).round(3), model.transform(X[:1]).round(3).max()
    (array([[0., 1.],
           [1., 0.]]), np.float64(2.9))
    """

    def __init__(
        self,
        n_components: Count | None = None,
        *,
        alpha: types.NonNegative = 1,
        max_iter: Count = 1000,
        tol: types.NonNegative = 1e-8,
        fit_algorithm: Literal["lars", "cd"] = "lars",
        transform_algorithm: CodingAlgorithm = "omp",
        transform_n_nonzero_coefs: Count | None = None,
        transform_alpha: types.NonNegative | None = None,
        n_jobs: int | None = None,
        code_init: ArrayLike | None = None,
        dict_init: ArrayLike | None = None,
        callback: StepCallback = None,
        verbose: Verbosity = False,
        split_sign: bool = False,
        random_state: Seed = None,
        positive_code: bool = False,
        positive_dict: bool = False,
        transform_max_iter: Count = 1000,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.fit_algorithm = fit_algorithm
        self.transform_algorithm = transform_algorithm
        self.transform_n_nonzero_coefs = transform_n_nonzero_coefs
        self.transform_alpha = transform_alpha
        self.n_jobs = n_jobs
        self.code_init = code_init
        self.dict_init = dict_init
        self.callback = callback
        self.verbose = verbose
        self.split_sign = split_sign
        self.random_state = random_state
        self.positive_code = positive_code
        self.positive_dict = positive_dict
        self.transform_max_iter = transform_max_iter

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Minimise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: MatrixLike, y: object = None) -> Floats:
        """Fit, and the codes Z of (1) of the training rows, which `transform` gives with the lasso and the same α.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        Z : ndarray of shape (n_samples, m)
        """
        X = validate_rows(self, X)
        check_squares(X, "squared distances are made of them, so scale X first, for example with MaxNormScaler")
        rng = check_random_state(self.random_state)
        left, right = self._constraints()
        found, self.n_reseeded_ = _learn(X, self._start(X), left, right, self._run, self.max_iter, rng)
        self.components_ = H = np.ascontiguousarray(found.w.right)
        # The atoms moved last: these are their codes.
        Z = lasso_codes(H @ H.T, X @ H.T, left.l1, positive=self.positive_code, start=found.w.left, n_jobs=self.n_jobs)
        self.objective_ = half_square(X, Z, H) + left.value(Z)
        self.history_, self.n_iter_ = found.history, found.n_iter
        self.error_ = np.asarray(found.history["objective"])[1:]
        self.converged_, self.stop_reason_ = found.converged, found.stop_reason
        self.sums_ = ChunkSums.of(X, Z)
        warn_unless_converged(found, self.max_iter)
        return self._signed(Z)

    def partial_fit(self, X: MatrixLike, y: object = None) -> Self:
        """Code these rows with the atoms so far, add their sums to those of the rows before, improve the atoms.

        The rows before are those of earlier calls and of `fit`, which begins anew. What was measured of their factors
        is deleted: `objective_`, `error_` and the record of the search.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        first = "sums_" not in vars(self)
        X = validate_rows(self, X, reset=first)
        if first:
            self.components_ = self._start(X).right
        H = self.components_
        Z = lasso_codes(H @ H.T, X @ H.T, self.alpha, positive=self.positive_code, n_jobs=self.n_jobs)
        self.sums_ = ChunkSums.of(X, Z) if first else self.sums_.added(X, Z)
        atoms = self._constraints()[1].update(np.ascontiguousarray(H.T), self.sums_.G, self.sums_.B)
        self.components_ = np.ascontiguousarray(atoms.T)
        for name in MEASURED:
            self.__dict__.pop(name, None)
        return self

    def transform(self, X: MatrixLike) -> Floats:
        """Codes of rows by `transform_algorithm`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, m), or (n_samples, 2 m) with `split_sign`
        """
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        H = self.components_.astype(X.dtype, copy=False)
        alpha = self.alpha if self.transform_alpha is None else self.transform_alpha
        coder = Coder(
            self.transform_algorithm,
            alpha,
            self.transform_n_nonzero_coefs,
            self.positive_code,
            self.transform_max_iter,
            self.n_jobs,
        )
        return self._signed(coder.codes(H @ H.T, X @ H.T, X.shape[1]))

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """Z H, the rows that codes stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, m), or (n_samples, 2 m) with `split_sign`

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(X, dtype=FLOATS, input_name="X")
        m = len(self.components_)
        if Z.shape[1] != (2 * m if self.split_sign else m):
            raise ValueError(
                f"X has {Z.shape[1]} columns and codes have {2 * m if self.split_sign else m}; give codes of transform"
            )
        return (Z[:, :m] - Z[:, m:] if self.split_sign else Z) @ self.components_

    def _constraints(self) -> tuple[NonNegative, UnitBall]:
        if self.positive_code and self.fit_algorithm == "lars":
            raise ValueError("Positive constraint not supported for 'lars' coding; use fit_algorithm='cd'")
        return NonNegative(l1=self.alpha, lower=0.0 if self.positive_code else -np.inf), UnitBall(self.positive_dict)

    def _start(self, X: Floats) -> Factors:
        """What is given, or the singular vectors; atoms beyond the rank are zero until a row replaces them."""
        n, d = X.shape
        m = d if self.n_components is None else self.n_components
        if self.code_init is not None and self.dict_init is not None:
            Z, H = np.array(self.code_init, dtype=X.dtype), np.array(self.dict_init, dtype=X.dtype)
            if Z.shape != (n, m) or H.shape != (m, d):
                raise ValueError(
                    f"code_init and dict_init have shapes {Z.shape} and {H.shape}; they must be {(n, m)} and {(m, d)}"
                )
            scale = np.maximum(np.linalg.norm(H, axis=1), 1.0)
            return Factors(np.ascontiguousarray(Z * scale), H / scale[:, None])
        if self.code_init is not None or self.dict_init is not None:
            raise ValueError("code_init and dict_init are given together or not at all; give the other one too")
        _, s, Vt = linalg.svd(X, full_matrices=False, check_finite=False)
        V = fix_signs(Vt[s > 0.0][:m].T)
        V = np.maximum(V, 0.0) if self.positive_dict else V
        H = np.zeros((m, d), dtype=X.dtype)
        H[: V.shape[1]] = V.T
        return Factors(np.zeros((n, m), dtype=X.dtype), H)

    def _run(self, X: Floats, start: Factors, left: NonNegative, right: UnitBall, most: int) -> Solution[Factors]:
        listeners = [self.callback, log_every(int(self.verbose)) if self.verbose else None]

        def listen(row: Any) -> None:
            for listener in listeners:
                if listener is not None:
                    listener(row)

        return factorize(X, start, left, right, tol=self.tol, max_iter=most, callback=listen)

    def _signed(self, Z: Floats) -> Floats:
        return np.hstack([np.maximum(Z, 0.0), np.maximum(-Z, 0.0)]) if self.split_sign else Z

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) * (2 if self.split_sign else 1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


Run = Callable[[Floats, Factors, NonNegative, UnitBall, int], Solution[Factors]]


def _learn(
    X: Floats, start: Factors, left: NonNegative, right: UnitBall, run: Run, max_iter: int, rng: np.random.RandomState
) -> tuple[Solution[Factors], int]:
    """Minimise (1), replace atoms that no row uses by the rows that are described worst, and go on while it helps."""
    found, reseeded = run(X, start, left, right, max_iter), 0
    for _ in range(ROUNDS):
        atoms = _replaced(X, *found.w, right.positive, rng)
        left_over = max_iter - found.n_iter
        if atoms is None or left_over < 1 or not found.converged:
            break
        unused, H = atoms
        after = run(X, Factors(found.w.left, H), left, right, left_over)
        gained = found.objective - after.objective
        found = _joined(found, after)
        reseeded += len(unused)
        if not gained > 1e-12 * found.objective:
            break
    return found, reseeded


def _replaced(
    X: Floats, Z: Floats, H: Floats, positive: bool, rng: np.random.RandomState
) -> tuple[list[int], Floats] | None:
    """The atoms without a row, and the dictionary with the worst rows in their places; None where there are none."""
    unused = np.flatnonzero(~np.any(Z, axis=0))
    rest, H, replaced = X - Z @ H, np.array(H), []
    for j in unused:
        errors = np.sum(rest**2, axis=1)
        worst = int(rng.choice(np.flatnonzero(errors == errors.max())))
        row = np.maximum(X[worst], 0.0) if positive else X[worst]
        length = float(np.linalg.norm(row))
        if not np.any(rest[worst]) or length == 0.0:
            break
        H[j] = row / length
        replaced.append(int(j))
        # What the new atom describes is no reason for the next one.
        rest = rest - np.outer(rest @ H[j], H[j])
    return (replaced, H) if replaced else None


def _joined(a: Solution[Factors], b: Solution[Factors]) -> Solution[Factors]:
    """The second run as the continuation of the first; its start is the first's end."""
    running = {name: a.history[name][-1] for name in ("iteration", "seconds")}
    history = {
        name: np.concatenate([a.history[name], b.history[name][1:] + running.get(name, 0)]) for name in a.history
    }
    return b._replace(n_iter=a.n_iter + b.n_iter, history=history)
