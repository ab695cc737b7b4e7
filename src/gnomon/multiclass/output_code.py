"""Any coding matrix: one two-class problem for each column, the nearest codeword decides.

    f_l fitted to M[y, l] over the rows with M[y, l] ≠ 0;    ŷ = argmin_k Σ_l L(M_kl f_l(x))                    (1)
    P(k | x) ∝ Π_{l: M_kl ≠ 0} p_l(M_kl | x) · (½)^{number of zeros}  =  softmax_k(−Σ_l log(1 + e^{−M_kl z_l}))   (2)

z_l are the log-odds of p_l. A code whose rows are far apart repairs wrong columns. Dietterich & Bakiri (1995),
doi:10.1613/jair.105; Allwein, Schapire & Singer (2000), Reducing multiclass to binary: a unifying approach for margin
classifiers, Journal of Machine Learning Research 1, 113–141.
"""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    Bools,
    Count,
    Floats,
    Integers,
    Positive,
    ProperShare,
    RandomState,
    Verbosity,
    available_if,
)
from gnomon.base import FittedColumns, column_outputs, fit_columns, given_rows, offers
from gnomon.base.callbacks import fit_tasks
from gnomon.base.columns import configured
from gnomon.base.delegation import base_has
from gnomon.base.outputs import Output
from gnomon.base.progress import Report, progress_of
from gnomon.losses import Loss
from gnomon.multiclass._base import Reduction, given_params
from gnomon.multiclass._code_report import check_code, code_report, warn_of_repeats
from gnomon.multiclass._code_search import random_code, usual_length
from gnomon.multiclass._coding_matrix import CODES, Code, coding_matrix
from gnomon.multiclass._data_codes import held_out, pca_code, stagewise_code
from gnomon.multiclass._labels import weighted_classes
from gnomon.multiclass.decoding import DECODE_LOSSES, DecodeLoss, Decoding, ZeroCost, code_distances, wrong_columns
from gnomon.numerics.coding import BinaryProblem, code_problem
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import logit
from gnomon.numerics.validation import check_choice, check_non_negative

__all__ = ["OutputCodeClassifier"]

Kind: TypeAlias = Output | Literal["additive"]
"""What is asked of the base: an output, or the sum that boosting made."""
CodeLike: TypeAlias = ArrayLike | Code | Literal["pca", "stagewise"] | None

# The outputs that suit a loss, best first: posteriors for the log-loss, what boosting added up for the exponential.
_SUITABLE: dict[str, tuple[Kind, ...]] = {
    "log": ("proba", "score", "hard"),
    "exponential": ("additive", "score", "proba", "hard"),
    "other": ("score", "proba", "hard"),
}


class OutputCodeClassifier(Reduction):
    """One binary classifier for each column of a coding matrix, decoded by (1); probabilities by (2).

    The parameters of the namesake in scikit-learn mean what they mean there, and by default the code is random with
    ⌊C · code_size⌋ columns. Three things are done differently, because there they cost accuracy: no column is
    constant, equal or opposite to another; of many random codes the one with the largest distance between rows is
    taken; and outputs are decoded by a loss, not by the Euclidean distance, which punishes answers that are right and
    sure. So for few classes there may be fewer columns than ⌊C · code_size⌋: at most 2^(C−1) − 1 are different. With a
    base that has scores, ``code=M, loss="squared"`` is what scikit-learn does with its own draw M of ±1.

    Parameters
    ----------
    estimator : estimator
        Any classifier, or a regressor, whose prediction is then a score around ½.
    code_size : float, default=1.5
        Where `code` and `n_columns` are None: columns for each class.
    random_state : None, int, Generator or RandomState
        For random codes, for "ecoc" and for "stagewise".
    n_jobs : int, optional
        Threads for fits and predictions, as in joblib.
    code : array-like of shape (n_classes, n_columns) or str, optional
        Your own matrix of −1, 0 and +1, its rows in the order of `classes_`; a word of `coding_matrix`: "ovr", "ovo",
        "binary", "exhaustive", "ecoc", "hamming", "random", "random_sparse"; "pca": the principal directions of the
        class means; "stagewise": column after column, each separates the two classes that are confused most on
        validation rows. None is "random" of the length that `code_size` says.
    n_columns : int, optional
        For None, "ecoc", "random", "random_sparse", "pca" and "stagewise": the length, for "stagewise" the largest.
        ⌈10 log₂C⌉ by default, ⌈15 log₂C⌉ with zeros, C − 1 for "pca", ⌊C · code_size⌋ where `code` is None.
    n_errors : int, default=1
        For "hamming": how many wrong columns are to be repaired; above one it is a BCH code.
    n_candidates : int, optional
        Random codes: the best of so many, 1000 by default. "stagewise": columns tried in each stage, 10 by default.
    patience : int, default=5
        For "stagewise": stop after so many columns without a lower validation error.
    validation_fraction : float in (0, 1), default=0.25
        For "stagewise": the share of the rows of each class that only measures. The final columns are fitted to all.
    decode : {"loss", "hamming"}, default="loss"
        Compare scores by a loss, or count the columns that disagree.
    loss : {"auto", "hinge", "exponential", "log", "linear", "squared"} or Loss, default="auto"
        For ``decode="loss"``. "auto": "log" where the estimator has `predict_proba`, else "hinge". Posteriors enter as
        log-odds. "exponential" uses `additive_score` where the estimator, a boosting one, has it.
    zero : {"half", "ignore"}, default="half"
        For ``decode="hamming"``: a zero of the code costs ½, or the mean over the other entries counts.
    reject_threshold : float, optional
        Refuse rows whose best class scores less; the score of a class is minus its distance.
    reject_margin : float, optional
        Refuse rows in which the best class leads the second by less.
    max_distance : float or "radius", optional
        Refuse rows in which more columns disagree with the codeword of the best class (its zeros do not count).
        "radius": as many as the code is sure to repair; an error for a code with zeros that is sure of nothing.
    reject_label : label, optional
        What refused rows are called; −1 for numbers, "reject" for strings by default.
    verbose : int, default=0
        1: about ten lines of progress on stderr; more: a line for each fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    code_book_ : ndarray of int of shape (n_classes, n_columns)
        The coding matrix; always −1, 0 and +1.
    estimators_ : list
        One for each column; their class 1 is the side +1.
    max_distance_ : float or None
        The number that `max_distance` came to.
    history_ : dict
        Only for "stagewise": "iteration", "objective" (mean distance to the own class) and "validation" (error) after
        each column.
    reject_label_ : label or None
        None if nothing is ever refused.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Dietterich, T. G. & Bakiri, G. (1995). Solving multiclass learning problems via error-correcting output codes.
    doi:10.1613/jair.105

    Allwein, E. L., Schapire, R. E. & Singer, Y. (2000). Reducing multiclass to binary: a unifying approach for margin
    classifiers. Journal of Machine Learning Research 1, 113–141.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.multiclass import OutputCodeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OutputCodeClassifier(GaussianNB(), code="exhaustive").fit(X, y)
    >>> model.code_book_.tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]
    >>> round(model.score(X, y), 2)
    0.94
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        code_size: Positive = 1.5,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        code: CodeLike = None,
        n_columns: Count | None = None,
        n_errors: int = 1,
        n_candidates: Count | None = None,
        patience: Count = 5,
        validation_fraction: ProperShare = 0.25,
        decode: Decoding = "loss",
        loss: Literal["auto"] | DecodeLoss | Loss = "auto",
        zero: ZeroCost = "half",
        reject_threshold: float | None = None,
        reject_margin: float | None = None,
        max_distance: float | Literal["radius"] | None = None,
        reject_label: object = None,
        verbose: Verbosity = 0,
    ):
        self.estimator = estimator
        self.code_size = code_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.code = code
        self.n_columns = n_columns
        self.n_errors = n_errors
        self.n_candidates = n_candidates
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.decode = decode
        self.loss = loss
        self.zero = zero
        self.reject_threshold = reject_threshold
        self.reject_margin = reject_margin
        self.max_distance = max_distance
        self.reject_label = reject_label
        self.verbose = verbose

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Choose the code and fit one classifier for each of its columns.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **fit_params
            For the estimator, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        self._check_parameters()
        X = given_rows(self, self.estimator, X, reset=True)
        weights, params = given_params(self, "fit", X, sample_weight, fit_params)
        index, self.classes_ = weighted_classes(X, y, weights)
        self._settle_reject_label()
        self.__dict__.pop("history_", None)  # of an earlier fit, whose code may have had stages
        self.code_book_ = self._choose_code(X, index, weights, params)
        warn_of_repeats(self.code_book_)
        self.max_distance_ = self._radius()
        with fit_tasks(self, "column", self.code_book_.shape[1], X=X, y=y) as told:
            report = told.reported(progress_of(self.verbose, "fit"))
            self._columns = self._fit_columns(X, index, self.code_book_, weights, params, report)
            self.estimators_ = self._columns.estimators
        return self

    def predict(self, X: AnyRows) -> Array:
        """The class of every row, `reject_label_` where the answer is refused.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._answers(X)

    def decision_function(self, X: AnyRows) -> Floats:
        """Minus the distance to the codeword of each class; for two classes how much nearer the second is.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        check_is_fitted(self)
        d = self._distances(self._margins(X), self.code_book_)
        return d[:, 0] - d[:, 1] if self.n_classes_ == 2 else -d

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """P(k | x) by equation (2), whatever the decoding.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        rows = given_rows(self, self.estimator, X, reset=False)
        log_odds = self._column_margins(self._columns, rows, "proba")
        return softmax(-code_distances(log_odds, self.code_book_, loss="log"), axis=1)

    def _check_parameters(self) -> None:
        if not isinstance(self.loss, Loss):
            check_choice("loss", self.loss, ("auto", *DECODE_LOSSES))
        if isinstance(self.code, str):
            check_choice("code", self.code, (*CODES, "pca", "stagewise"))

    def _choose_code(self, X: Any, index: Integers, weights: Floats | None, params: dict[str, Any]) -> Integers:
        C, rng = self.n_classes_, check_rng(self.random_state)
        if self.code is not None and not isinstance(self.code, str):
            return check_code(self.code, C)
        if C <= 2:
            # Two classes give only one binary problem.
            return coding_matrix("binary", C)
        if self.code is None:
            L = self.n_columns or int(C * self.code_size)
            return random_code(C, L, rng, n_candidates=self.n_candidates or 1000)
        if self.code == "pca":
            used = slice(None) if weights is None else weights > 0.0
            rows = check_array(X, accept_sparse="csr", dtype=float)[used]
            return pca_code(
                rows, index[used], np.ones(len(index)) if weights is None else weights[used], self.n_columns
            )
        if self.code == "stagewise":
            return self._grow_code(X, index, weights, params, rng)
        return coding_matrix(
            cast(Code, self.code),
            C,
            n_columns=self.n_columns,
            n_errors=self.n_errors,
            n_candidates=self.n_candidates or 1000,
            random_state=rng,
        )

    def _grow_code(
        self, X: Any, index: Integers, weights: Floats | None, params: dict[str, Any], rng: np.random.Generator
    ) -> Integers:
        """The code of ``code="stagewise"``: columns are fitted to the training rows and judged by the others."""
        s = np.ones(len(index)) if weights is None else weights
        validation = held_out(index, s, self.validation_fraction, rng)
        if not np.any(validation):
            raise ValueError("code='stagewise' needs a class with two rows or more to measure by; choose another code")
        rows = _safe_indexing(X, np.flatnonzero(validation))

        def answers(columns: Integers) -> Floats:
            report = progress_of(self.verbose, "fit")
            fitted = self._fit_columns(X, index, columns, weights, params, report, without=validation)
            return self._column_margins(fitted, rows, self._output_kind())

        code, self.history_ = stagewise_code(
            answers,
            self._distances,
            index[validation],
            s[validation],
            self.n_classes_,
            n_columns=self.n_columns or usual_length(self.n_classes_),
            n_candidates=self.n_candidates or 10,
            patience=self.patience,
            rng=rng,
        )
        return code

    def _fit_columns(
        self,
        X: Any,
        index: Integers,
        code: Integers,
        weights: Floats | None,
        params: dict[str, Any],
        report: Report | None,
        without: Bools | None = None,
    ) -> FittedColumns:
        def problem(l: int) -> BinaryProblem:
            whole = code_problem(index, code[:, l], self.classes_)
            return whole if without is None else _left_after(whole, without)

        problems = [partial(problem, l) for l in range(code.shape[1])]
        return fit_columns(
            self.estimator, X, problems, weights=weights, params=params, n_jobs=self.n_jobs, report=report
        )

    def _radius(self) -> float | None:
        """The most columns that may disagree with the best class."""
        if self.max_distance is None or self.n_classes_ == 1:
            return None
        if isinstance(self.max_distance, str):
            check_choice("max_distance", self.max_distance, ("radius",))
            repaired = code_report(self.code_book_).correctable
            if repaired < 0:
                raise ValueError(
                    "max_distance='radius' would refuse every row: zeros of this code leave classes that even right "
                    "answers may confuse; give max_distance as a number, or a code without zeros"
                )
            return float(repaired)
        return float(check_non_negative("max_distance", self.max_distance))

    def _loss(self) -> DecodeLoss | Loss:
        if self.loss != "auto":
            return self.loss
        return "log" if "proba" in offers(self.estimator) else "hinge"

    def _output_kind(self) -> Kind:
        """Which output of the base is decoded: of those that suit the loss the best that it has."""
        loss = self._loss() if self.decode == "loss" else "other"
        offered = offers(self.estimator)
        if getattr(self.estimator, "additive_score", None) is not None:
            offered = ["additive", *offered]
        suitable = _SUITABLE.get(loss, _SUITABLE["other"]) if isinstance(loss, str) else _SUITABLE["other"]
        return next(kind for kind in suitable if kind in offered)

    def _margins(self, X: AnyRows) -> Floats:
        rows = given_rows(self, self.estimator, X, reset=False)
        return self._column_margins(self._columns, rows, self._output_kind())

    def _column_margins(self, columns: FittedColumns, X: Any, kind: Kind) -> Floats:
        """Outputs of all columns as margins around 0; posteriors as log-odds."""
        if not columns.estimators:
            return np.empty((_num_samples(X), 0))
        if kind == "additive":
            score = configured(methodcaller("additive_score", X))
            return np.column_stack(map_chunks(score, columns.estimators, self.n_jobs))
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        values = column_outputs(columns, X, kind, pairwise=pairwise, n_jobs=self.n_jobs)
        if kind == "proba":
            sure = np.finfo(values.dtype).eps
            return logit(np.clip(values, sure, 1.0 - sure))
        around_half = kind == "hard" or is_regressor(self.estimator)
        return 2.0 * values - 1.0 if around_half else values

    def _distances(self, margins: Floats, code: Integers) -> Floats:
        return code_distances(margins, code, decode=self.decode, loss=self._loss(), zero=self.zero)

    def _may_refuse(self) -> bool:
        return self._refusal().asked or self.max_distance is not None

    def _decide(self, X: AnyRows) -> tuple[Integers, Bools]:
        check_is_fitted(self)
        margins = self._margins(X)
        d = self._distances(margins, self.code_book_)
        index = np.argmin(d, axis=1)
        refused = self._refusal().of(-d)
        if self.max_distance_ is not None:
            refused |= wrong_columns(margins, self.code_book_)[np.arange(len(d)), index] > self.max_distance_
        return index, refused


def _left_after(problem: BinaryProblem, without: Bools) -> BinaryProblem:
    """The problem without some rows."""
    rows = np.arange(len(without)) if problem.rows is None else problem.rows
    kept = ~without[rows]
    return problem._replace(rows=rows[kept], positive=problem.positive[kept])
