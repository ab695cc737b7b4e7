"""Naive Bayes over groups of columns, each with a density of its own kind.

    log P(c | x) = log π_c + Σ_g log f_g(x_g | c) − log p(x)                                                      (1)

The groups g of columns are independent within a class, so each is fitted by itself: categories by counting, numbers by
a normal law, a histogram or a kernel density, several columns together by any law of vectors. John & Langley (1995),
arXiv:1302.4964, take kernel densities; Hand & Yu (2001), doi:10.1111/j.1751-5823.2001.tb00465.x, explain why the rule
does well although columns are seldom independent.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, Floats, TableLike
from gnomon.distributions import KDE, Bernoulli, Categorical, Histogram, Multinomial
from gnomon.distributions.density import Density
from gnomon.generative._coded import read_table
from gnomon.generative._naive import NaiveClassifier, check_alpha, check_feature_weight
from gnomon.generative._parts import CategoryPart, DensityPart, NormalPart, Options, Part, PartSums
from gnomon.generative._rows import LabelledRows
from gnomon.generative._words import CategoryGaps, UnknownValues, ZeroPolicy
from gnomon.numerics.domains import Categories
from gnomon.numerics.tables import FeatureTable
from gnomon.numerics.validation import check_choice, check_non_negative
from gnomon.numerics.weights import Priors

__all__ = ["NaiveBayes"]

NumberModel: TypeAlias = Literal["auto", "histogram", "kde"]
"""One word for all columns."""

ColumnModel: TypeAlias = Literal["categorical", "normal", "bernoulli", "histogram", "kde", "multinomial"]
"""A density by name."""

Columns: TypeAlias = int | str | slice | Sequence[int | str]
Models: TypeAlias = NumberModel | Sequence[tuple[Columns, ColumnModel | Density]]

AUTO: dict[NumberModel, ColumnModel] = {"auto": "normal", "histogram": "histogram", "kde": "kde"}
"""What the words for all columns do with columns of numbers."""


class NaiveBayes(NaiveClassifier):
    """Naive Bayes with any densities, equation (1).

    Parameters
    ----------
    models : {"auto", "histogram", "kde"} or list of (columns, density), default="auto"
        "auto": strings, truth values and categories are categorical, numbers normal; the other words take a histogram
        or a kernel density for every column of numbers. A list gives each group of columns (a number or name, or a list
        of them, each column once) its density: one of "categorical", "normal", "bernoulli", "histogram", "kde", which
        take each column by itself; "multinomial", which takes counts together; a `Distribution` class, one with options
        (``Normal.family(ddof=1)``), an estimator with `score_samples` (a mixture); or a conjugate model, whose
        predictive law is then the density.
    alpha : float, default=1.0
        Pseudo-count of every value and bin, for the densities named by a word.
    priors : None, "uniform", array-like of shape (n_classes,) or dict, default=None
        Class priors; None takes the weighted shares of the classes.
    prior_alpha : float, default=0.0
        Pseudo-count of every class where the priors are shares.
    categories : "auto", list of array-like, or dict, default="auto"
        The values of categorical columns, met or not, as in `CategoricalNB`.
    handle_unknown : {"floor", "ignore", "error"}, default="floor"
        What to do with other values at prediction, as in `CategoricalNB`.
    missing : {"marginalize", "state", "error"}, default="marginalize"
        NaN and None: not counted, and left out at prediction. "state": that a cell is missing is itself a value, of
        categorical columns, and a factor of its own for others. "error": refused.
    var_smoothing : float, default=1e-9
        For "normal": this share of the largest variance of these columns is added to every variance.
    feature_weight : array-like of shape (n_features,), default=None
        v ≥ 0, by which the factor of a column (or of a group, whose columns have the same) is raised; one by default.
    zero_policy : {"prior", "raise"}, default="prior"
        For a row to which every class gives density zero: the posterior is the prior, with a warning; or an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_, class_prior_, class_log_prior_ : ndarray of shape (n_classes,)
    laws_ : list
        For each group the laws of its columns in every class.
    statistics_ : PartSums
        What `partial_fit` adds to.
    n_parameters_ : int
    score_type_ : str
        "llr".
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    John, G. H. & Langley, P. (1995). Estimating continuous distributions in Bayesian classifiers. arXiv:1302.4964

    Hand, D. J. & Yu, K. (2001). Idiot's Bayes: not so stupid after all? doi:10.1111/j.1751-5823.2001.tb00465.x

    Examples
    --------
    >>> from gnomon.generative import NaiveBayes
    >>> X = [["red", 1.0], ["red", 2.0], ["blue", 3.0], ["blue", 5.0], ["blue", 7.0]]
    >>> model = NaiveBayes().fit(X, ["a", "a", "a", "b", "b"])
    >>> model.predict_joint_log_proba([["blue", 4.0]]).round(6)
    array([[-5.143322, -4.122911]])
    >>> model.predict_proba([["blue", None]]).round(6)
    array([[0.444444, 0.555556]])
    >>> kernel = NaiveBayes(models=[(0, "categorical"), (1, "kde")]).fit(X, ["a", "a", "a", "b", "b"])
    >>> kernel.predict([["blue", 4.0]])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        models: Models = "auto",
        alpha: float = 1.0,
        priors: Priors = None,
        *,
        prior_alpha: float = 0.0,
        categories: Categories = "auto",
        handle_unknown: UnknownValues = "floor",
        missing: CategoryGaps = "marginalize",
        var_smoothing: float = 1e-9,
        feature_weight: ArrayLike | None = None,
        zero_policy: ZeroPolicy = "prior",
    ):
        self.models = models
        self.alpha = alpha
        self.priors = priors
        self.prior_alpha = prior_alpha
        self.categories = categories
        self.handle_unknown = handle_unknown
        self.missing = missing
        self.var_smoothing = var_smoothing
        self.feature_weight = feature_weight
        self.zero_policy = zero_policy

    @property
    def n_parameters_(self) -> int:
        return sum(laws.n_parameters for laws in self.laws_) + len(self.classes_) - 1

    def _read(self, X: TableLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
        return read_table(self, X, y, reset=reset)

    def _statistics(self, rows: LabelledRows, before: PartSums | None = None) -> PartSums:
        # Chunks follow the plan of the first: a column of strings may be missing throughout a later one.
        parts = self._plan(rows.X) if before is None else before.parts
        options = self._options(rows.X.names)
        return PartSums(rows.counts, parts, tuple(part.statistics(rows, options) for part in parts))

    def _solve(self, statistics: PartSums) -> None:
        options = self._options(self._names())
        classes = self.classes_.tolist()
        pairs = zip(statistics.parts, statistics.sums, strict=True)
        self.laws_ = [part.laws(sums, classes, options) for part, sums in pairs]

    def _verify(self) -> None:
        if any(laws.needs_rows for laws in self.laws_):
            self._refuse_unseen()
        for laws in self.laws_:
            laws.verify()

    def _class_priors(self) -> Priors:
        return self.priors

    def _options(self, names: Sequence[Any]) -> Options:
        if isinstance(self.categories, (str, bytes)) or not isinstance(self.categories, (Mapping, Sequence)):
            check_choice("categories", self.categories, ("auto",))
        weights = check_feature_weight(self.feature_weight, len(names))
        return Options(
            check_alpha(self.alpha, (), force_alpha=True).item(),
            self.categories,
            self.handle_unknown,
            self.missing,
            check_non_negative("var_smoothing", self.var_smoothing),
            np.ones(len(names)) if weights is None else weights,
            tuple(names),
        )

    def _plan(self, table: FeatureTable) -> tuple[Part, ...]:
        """The parts: groups as the user listed them, or what `models` says for the columns there are."""
        groups = self._groups(table)
        places = [(_places(columns, table.names), density) for columns, density in groups]
        _refuse_overlap(places, table.names)
        parts = [part for columns, density in places for part in self._parts(columns, density)]
        if not isinstance(self.categories, str) and not any(isinstance(part, CategoryPart) for part in parts):
            raise ValueError(f"categories={self.categories!r} are given, and no column is categorical; leave them out")
        if self.missing == "state":
            rest = tuple(j for part in parts if not isinstance(part, CategoryPart) for j in part.columns)
            parts += [CategoryPart(rest, of_gaps=True)] if rest else []
        return tuple(parts)

    def _groups(self, table: FeatureTable) -> Sequence[tuple[Any, Any]]:
        """Pairs of columns and densities."""
        if isinstance(self.models, str):
            check_choice("models", self.models, AUTO)
            rest = sorted(set(range(len(table.names))) - set(table.categorical))
            groups = [(list(table.categorical), "categorical"), (rest, AUTO[self.models])]
            return [(columns, word) for columns, word in groups if columns]
        pairs = self.models if np.iterable(self.models) else [self.models]
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            raise ValueError(f"models={self.models!r} must be one of {list(AUTO)}, or a list of (columns, density)")
        return pairs

    def _parts(self, columns: int | list[int], density: Any) -> list[Part]:
        several = tuple(np.atleast_1d(columns).tolist())
        if isinstance(density, str):
            return self._named(several, density)
        if density is Categorical:
            return [CategoryPart(several)]
        if not callable(getattr(density, "fit", None)):
            raise ValueError(
                f"models has the density {density!r}, which has no fit; give a word, a Distribution class, a "
                "DistributionFamily, a conjugate model or an estimator"
            )
        return [DensityPart(several, density, entries=np.ndim(columns) == 0)]

    def _named(self, columns: tuple[int, ...], word: str) -> list[Part]:
        laws = {
            "bernoulli": Bernoulli.family(alpha=self.alpha),
            "histogram": Histogram.family(alpha=self.alpha),
            "kde": KDE.family(),
        }
        check_choice("density", word, ("categorical", "normal", "multinomial", *laws))
        if word in laws:
            return [DensityPart((j,), laws[word], entries=True) for j in columns]
        whole: dict[str, Part] = {"categorical": CategoryPart(columns), "normal": NormalPart(columns)}
        return [whole.get(word, DensityPart(columns, Multinomial.family(alpha=self.alpha)))]

    def _class_log_densities(self, table: FeatureTable) -> Floats:
        return reduce(np.add, (laws.log_densities(table) for laws in self.laws_))

    def _sample_class(self, k: int, n: int, rng: np.random.Generator) -> Array:
        self._verify()
        columns = {}
        for laws in self.laws_:
            columns.update(laws.sample(k, n, rng))
        return np.column_stack([columns[j] for j in range(self.n_features_in_)])

    def _factors(self, table: FeatureTable) -> tuple[list[str], Floats]:
        names, terms = [], []
        for laws in self.laws_:
            more_names, more_terms = laws.factors(table)
            names += more_names
            terms += more_terms
        return names, np.reshape(terms, (len(names), len(self.classes_)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def _places(columns: Any, names: Sequence[Any]) -> Any:
    """Columns by name or number, as numbers: one, or a list."""
    if isinstance(columns, slice):
        return list(range(len(names))[columns])
    if np.ndim(columns):
        return [_places(column, names) for column in columns]
    place = names.index(columns) if columns in names else columns
    is_number = isinstance(place, numbers.Integral) and not isinstance(place, bool)
    if not is_number or not -len(names) <= place < len(names):
        raise ValueError(
            f"models names the column {columns!r}; choose from {list(names)}, or numbers below {len(names)}"
        )
    return int(place) % len(names)


def _refuse_overlap(groups: Sequence[tuple[Any, Any]], names: Sequence[Any]) -> None:
    used = [j for columns, _ in groups for j in np.atleast_1d(columns)]
    times = np.bincount(np.asarray(used, dtype=int), minlength=len(names))
    wrong = np.flatnonzero(times != 1)
    if wrong.size:
        j = wrong[0]
        raise ValueError(
            f"column {names[j]!r} is in {times[j]} groups of models; give each column one, or drop it from X"
        )
