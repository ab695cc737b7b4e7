"""Logistic regression with the strength of its penalty found by cross-validation.

    Ĉ = argmax_C (1/F) Σ_f score(model fitted to all folds but f with C, fold f)                       (1)

Along the grid of C each fit starts from the one before. ``rule="1se"`` takes the smallest C whose mean score is within
one standard error of the best, a simpler model that is not clearly worse: Breiman, Friedman, Olshen & Stone (1984),
section 3.4.3, doi:10.1201/9781315139470. Cross-validation: Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import log_loss, make_scorer
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_method_params, check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    CountOrZero,
    Floats,
    Folds,
    Integers,
    Matrix,
    MatrixLike,
    NonNegative,
    Numbers,
    Positive,
    Scoring,
    Seed,
    Verbosity,
)
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.base.folds import read_folds
from gnomon.base.routing import default_scorer, routed, router
from gnomon.linear._classifier import SparseCoefficients, rows_to_score
from gnomon.linear._errors import Rule, standard_error
from gnomon.linear._legacy_cv import LegacyPenalty, asked_ratios, legacy_attributes, wants_legacy
from gnomon.linear._logistic_fit import MultiClass
from gnomon.linear.logistic import LogisticRegression
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.optim import Solution, warn_unless_all_converged
from gnomon.penalties.forms import Objective

__all__ = ["LogisticRegressionCV"]

SHARED = (
    "fit_intercept", "dual", "solver", "tol", "max_iter", "class_weight", "intercept_scaling", "random_state",
    "multi_class", "verbose",
)  # fmt: skip
"""Parameters that go to every model as they are."""

_DEFAULT_RATIOS = (0.0,)


class LogisticRegressionCV(CallbackSupportMixin, SparseCoefficients, ClassifierMixin, Estimator):
    """Logistic regression whose C (and L1 share) cross-validation chooses.

    Parameters
    ----------
    Cs : int or array-like, default=10
        The values of C, tried in the order given, each from the solution for the last; a number stands for that many
        from 1e-4 to 1e4 in equal ratios.
    l1_ratios : array-like, default=(0.0,)
        The shares of the L1 norm to try. None, which scikit-learn withdraws, is (0.0,).
    fit_intercept : bool, default=True
    cv : int, splitter or iterable, optional
        As in scikit-learn; 5 stratified folds by default.
    dual : bool, default=False
    penalty : {"deprecated", "l2", "l1", "elasticnet"}, default="deprecated"
        As in scikit-learn, which withdraws it: "l2" and "l1" take the place of `l1_ratios`, with a FutureWarning.
    scoring : str or callable, optional
        What (1) maximises; accuracy by default.
    solver : str, default="lbfgs"
        As in `LogisticRegression`.
    tol : float, default=1e-4
    max_iter : int, default=100
    class_weight : dict, "balanced" or None, default=None
    n_jobs : int, optional
        Folds at a time.
    verbose : int, default=0
    refit : bool, default=True
        Fit once more on all rows with the chosen C; otherwise average the best models of the folds.
    intercept_scaling : float, default=1.0
    random_state : int, RandomState or None, default=None
    use_legacy_attributes : bool, default=False
        True gives scikit-learn's older attributes, which it withdraws: `C_` and `l1_ratio_` arrays with an entry per
        row of coefficients, `scores_` of shape (n_folds, n_cs, n_l1_ratios) and `coefs_paths_` of shape (n_folds,
        n_cs, n_l1_ratios, n_features [+ 1]) in dictionaries over the classes (of two, the second only), `n_iter_` of
        shape (1, n_folds, n_cs, n_l1_ratios); without the axis of shares for ``l1_ratios=None`` and for `penalty`
        "l2" and "l1".
    multi_class : {"auto", "softmax", "multinomial", "ovr"}, default="auto"
    rule : {"min", "1se"}, default="min"
        The best mean score, or the smallest C whose mean score is within one standard error of it.

    Attributes
    ----------
    C_, l1_ratio_ : float
        What was chosen.
    Cs_, l1_ratios_ : ndarray
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_rows, n_features [+ 1])
        Coefficients, the intercept (if any) last.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs) or (1, n_folds, n_cs, n_l1_ratios)
    model_ : LogisticRegression
        The final model, with its certificates; without `refit`, these are of the fit that the average replaced.
    classes_, coef_, intercept_, converged_
        Those of `model_`.
    n_features_in_ : int

    References
    ----------
    Stone, M. (1974). Cross-validatory choice and assessment of statistical predictions.
    doi:10.1111/j.2517-6161.1974.tb00994.x

    Breiman, L., Friedman, J., Olshen, R. & Stone, C. (1984). Classification and Regression Trees, section 3.4.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from gnomon.linear import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> best = LogisticRegressionCV(Cs=5, scoring="neg_log_loss").fit(scale(X), y)
    >>> sparing = LogisticRegressionCV(Cs=5, scoring="neg_log_loss", rule="1se").fit(scale(X), y)
    >>> best.C_, bool(sparing.C_ <= best.C_)
    (1.0, True)
    """

    # `use_legacy_attributes` makes arrays of numbers, and dictionaries of arrays.
    C_: Numbers
    l1_ratio_: Numbers
    Cs_: Floats
    l1_ratios_: Floats
    scores_: Any
    coefs_paths_: Any
    n_iter_: Integers
    model_: LogisticRegression
    classes_: Array
    coef_: Floats
    intercept_: Floats
    converged_: bool

    def __init__(
        self,
        *,
        Cs: int | ArrayLike = 10,
        l1_ratios: ArrayLike | None = _DEFAULT_RATIOS,
        fit_intercept: bool = True,
        cv: Folds = None,
        dual: bool = False,
        penalty: LegacyPenalty = "deprecated",
        scoring: Scoring = None,
        solver: str = "lbfgs",
        tol: NonNegative = 1e-4,
        max_iter: CountOrZero = 100,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        verbose: Verbosity = 0,
        refit: bool = True,
        intercept_scaling: Positive = 1.0,
        random_state: Seed = None,
        use_legacy_attributes: bool | Literal["warn"] = False,
        multi_class: MultiClass = "auto",
        rule: Rule = "min",
    ):
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.multi_class = multi_class
        self.rule = rule

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Weights in a score are for the scorer, which asks for them or does not.
    __metadata_request__score: ClassVar = {"sample_weight": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the splitter and the scorer."""
        made = router(self, splitter=self.cv).add_self_request(self)
        scores = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        return made.add(scorer=self._scorer(), method_mapping=scores)

    def _scorer(self, classes: Array | None = None) -> Any:
        """The scorer; the log loss is told the classes, of which rows that are judged may lack some."""
        scoring = self.scoring
        if scoring == "neg_log_loss":
            scoring = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba", labels=classes)
        return default_scorer(self, scoring, "accuracy")

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Score every C on every fold, choose by `rule`, and fit the final model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        **params
            For the splitter and the scorer, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        X, y = validate_rows(self, X, y, accept_sparse="csr", dtype=np.float64)
        legacy = wants_legacy(self.use_legacy_attributes)
        asked = asked_ratios(self.penalty, self.l1_ratios, _DEFAULT_RATIOS)
        check_classification_targets(y)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        self.Cs_, self.l1_ratios_ = self._grid(asked)
        sent = routed(self, "fit", weights, params)
        folds = read_folds(self.cv, X, y, classifier=True, **sent.splitter.split)
        self._prices = _prices(self.class_weight, y, weights)
        _check_folds(folds, y)
        with fit_tasks(self, "fold", len(folds), X=X, y=y) as told:

            def path(fold: tuple[Integers, Integers]) -> tuple[tuple[Array, ...], list[Solution[None]]]:
                found = self._path(X, y, weights, sent.scorer.score, *fold)
                told.done()
                return found

            paths, runs = zip(*map_chunks(path, folds, n_jobs=self.n_jobs), strict=True)
            scores, coefs, iterations = (np.array(part) for part in zip(*paths, strict=True))
            self.scores_, self.coefs_paths_, self.n_iter_ = scores, coefs, iterations.astype(np.int32)
            r, c = _choose(np.mean(scores, axis=0), standard_error(scores), self.Cs_, self.rule)
            self.C_, self.l1_ratio_ = float(self.Cs_[c]), float(self.l1_ratios_[r])
            self.model_ = self._model(self.C_, self.l1_ratio_)
            last = [solution.outcome for solution in self.model_._fit(X, y, weights)]
            warn_unless_all_converged([*itertools.chain(*runs), *last], self.max_iter)
            if not self.refit:
                self._average(scores, coefs)
            self.classes_, self.coef_ = self.model_.classes_, self.model_.coef_
            # One for each row, also where `LogisticRegression` has the number 0.
            self.intercept_ = np.full(len(self.coef_), self.model_.intercept_)
            self.converged_ = self.model_.converged_
            if legacy:
                self.__dict__.update(legacy_attributes(self, shares=asked is not None))
        return self

    def _grid(self, asked: ArrayLike | None) -> tuple[Floats, Floats]:
        """The candidates for C and for the share of the L1 norm, in the order in which they were given."""
        asked = (1.0 if self.penalty == "l1" else 0.0,) if asked is None else asked
        Cs = np.logspace(-4, 4, check_integer("Cs", self.Cs, 1)) if np.ndim(self.Cs) == 0 else self.Cs
        Cs, ratios = np.asarray(Cs, dtype=float), np.atleast_1d(np.asarray(asked, dtype=float))
        if np.ndim(asked) != 1:
            raise ValueError(f"l1_ratios={self.l1_ratios!r} must be a list of numbers in [0, 1]; give one")
        if not (Cs.size and ratios.size):
            raise ValueError(f"Cs={self.Cs!r} or l1_ratios={self.l1_ratios!r} is empty; give values to choose from")
        return Cs, ratios

    def _model(self, C: float, l1_ratio: float, warm_start: bool = False) -> LogisticRegression:
        shared = {name: getattr(self, name) for name in SHARED} | {"class_weight": self._prices}
        return LogisticRegression(C=C, l1_ratio=l1_ratio, warm_start=warm_start, **shared)

    def _path(
        self,
        X: Matrix,
        y: Array,
        weights: Floats | None,
        params: Mapping[str, Any],
        train: Integers,
        test: Integers,
    ) -> tuple[tuple[Array, ...], list[Solution[None]]]:
        """Scores, coefficients and iterations of one fold over the grid, each C from the solution for the last."""
        scorer = self._scorer(np.unique(y))
        learned = X[train], y[train], None if weights is None else weights[train]
        params = _check_method_params(X, params=params, indices=test)
        rows, outcomes = [], []
        for ratio in self.l1_ratios_:
            model = self._model(1.0, float(ratio), warm_start=True)
            for C in self.Cs_:
                outcomes += [solution.outcome for solution in model.set_params(C=float(C))._fit(*learned)]
                theta = np.column_stack([model.coef_, model.intercept_]) if self.fit_intercept else model.coef_
                rows.append((scorer(model, X[test], y[test], **params), theta, max(1, int(np.max(model.n_iter_)))))
        shape = (len(self.l1_ratios_), len(self.Cs_))
        columns = zip(*rows, strict=True)
        return tuple(np.array(column).reshape(*shape, *np.shape(column[0])) for column in columns), outcomes

    def _average(self, scores: Floats, coefs: Floats) -> None:
        """The mean over the folds of each fold's best model, C and share."""
        best = [_choose(table, np.zeros_like(table), self.Cs_, "min") for table in scores]
        r, c = np.transpose(best)
        theta = np.mean(coefs[np.arange(len(coefs)), r, c], axis=0)
        self.C_, self.l1_ratio_ = float(np.mean(self.Cs_[c])), float(np.mean(self.l1_ratios_[r]))
        d = self.n_features_in_
        self.model_.coef_, self.model_.intercept_ = (
            theta[:, :d],
            theta[:, d] if self.fit_intercept else np.zeros(len(theta)),
        )

    def decision_function(self, X: MatrixLike) -> Floats:
        """Log-odds of ``classes_[1]``, or a score per class."""
        X = rows_to_score(self, X)
        return self.model_.decision_function(X)

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class of every row."""
        X = rows_to_score(self, X)
        return self.model_.predict(X)

    def predict_proba(self, X: MatrixLike) -> Floats:
        """P(class | x), a column per class."""
        X = rows_to_score(self, X)
        return self.model_.predict_proba(X)

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """log P(class | x), a column per class."""
        X = rows_to_score(self, X)
        return self.model_.predict_log_proba(X)

    def lam_in(self, name: Objective) -> float:
        """The λ (for "C": C) of the final fit in another of the six scalings of `LogisticRegression.objective`."""
        check_is_fitted(self, "model_")
        if not self.refit:
            raise ValueError("refit=False averages models of folds, each with its own λ; fit with refit=True")
        return self.model_.lam_in(name)

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **score_params: Any) -> float:
        """What `scoring` says of the final model; accuracy by default."""
        X = rows_to_score(self, X)
        asked = routed(self, "score", sample_weight, score_params).scorer.score
        return self._scorer(self.classes_)(self.model_, read_only(X), read_only(y), **asked)


def _prices(class_weight: ClassWeight, y: Array, weights: Floats | None) -> ClassWeight:
    """The prices of the classes; "balanced" is by all rows, the same in every fold."""
    classes = np.unique(y)
    if class_weight == "balanced":
        found = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weights)
        return dict(zip(classes.tolist(), found.tolist(), strict=True))
    unknown = set(class_weight or ()) - set(classes.tolist())
    if unknown:
        raise ValueError(f"class_weight has {sorted(unknown, key=str)}, no classes; choose from {classes.tolist()}")
    return class_weight


def _check_folds(folds: Sequence[tuple[Integers, Integers]], y: Array) -> None:
    """Refuse folds that train without a class: their models could not be compared with the others'."""
    classes = set(np.unique(y).tolist())
    absent = set().union(*(classes - set(y[train].tolist()) for train, _ in folds))
    if absent:
        raise ValueError(
            f"cv leaves classes {sorted(absent)} without a row in some training part; give fewer folds, a stratified "
            "splitter, or leave out classes with too few rows"
        )


def _choose(means: Floats, errors: Floats, Cs: Floats, rule: Rule) -> tuple[int, int]:
    """Indices (share, C) of the best mean; with "1se" the smallest C of that share within one standard error of it.

    Of equal means the first C wins, then the first share.
    """
    c, r = np.unravel_index(np.argmax(means.T), means.T.shape)
    if rule == "1se":
        c = np.argmin(np.where(means[r] >= means[r, c] - errors[r, c], Cs, np.inf))
    return int(r), int(c)
