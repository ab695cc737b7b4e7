"""Resampling against rare classes: rows left out of large classes, or added to small ones.

    default       every class as large as the smallest (leaving out), or as the largest (adding)
    ratio = r     n_c ≤ n_min / r (leaving out),    n_c ≥ r n_max (adding)                                          (1)
    prior = π     n_c = m π_c, with the largest m that needs no new row, or the smallest that leaves none out
    copies        x + ε,  εⱼ ~ N(0, (noise·sdⱼ)²), sdⱼ inside the class;   SMOTE: x + u (x' − x),  u ~ U(0, 1)       (2)

Resample inside the training folds alone (`ResampledClassifier`): copies of a validation row in the training set make
its score worthless. He & Garcia (2009), Learning from imbalanced data, doi:10.1109/TKDE.2008.239; SMOTE, with x' one of
the nearest rows of the same class: Chawla et al. (2002), doi:10.1613/jair.953.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags, _safe_indexing, check_array

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    Integers,
    NonNegative,
    Positive,
    RandomState,
    is_sparse,
)
from gnomon.base.estimator import Estimator
from gnomon.base.labels import given_labels
from gnomon.base.parameters import store
from gnomon.base.rows import stack_rows
from gnomon.numerics.random import check_rng
from gnomon.numerics.tables import as_frame
from gnomon.numerics.validation import assert_finite, check_integer, check_interval
from gnomon.numerics.weights import Priors, class_shares

__all__ = ["SMOTE", "RandomOverSampler", "RandomUnderSampler"]


class Sampler(Estimator):
    """Shared by all: (1) says how many rows of each class, a subclass which ones."""

    classes_: Array
    counts_: Integers
    sizes_: Integers
    sample_indices_: Integers

    def fit(self, X: AnyRows, y: ArrayLike) -> Self:
        """Find how many rows each class has and should have.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._read(X, y)
        return self

    def fit_resample(self, X: AnyRows, y: ArrayLike) -> tuple[Any, Any]:
        """The resampled rows and labels, of the kinds that were given; `sample_indices_` says whence they come.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        X, y
        """
        rows, labels = self._read(X, y)
        rng = check_rng(self.random_state)
        index = np.searchsorted(self.classes_, labels)
        members = [np.flatnonzero(index == k) for k in range(len(self.classes_))]
        self.sample_indices_ = self._draw(members, rng)
        return self._rows(rows, index, rng), _safe_indexing(y, self.sample_indices_)

    def _read(self, X: AnyRows, y: ArrayLike) -> tuple[Any, Array]:
        rows, labels, _ = given_labels(self, BaseEstimator(), X, y)
        self.classes_, self.counts_ = np.unique(labels, return_counts=True)
        self.sizes_ = self._sizes()
        return rows, labels

    @abstractmethod
    def _sizes(self) -> Integers:
        """How many rows of each class."""

    @abstractmethod
    def _draw(self, members: Sequence[Integers], rng: np.random.Generator) -> Integers:
        """Which rows."""

    def _rows(self, X: Any, index: Integers, rng: np.random.Generator) -> Any:
        return _safe_indexing(X, self.sample_indices_)

    def _wanted(self, *, adding: bool) -> Integers:
        """(1)."""
        counts = self.counts_
        given = {name: getattr(self, name) for name in ("ratio", "prior", "sizes") if getattr(self, name) is not None}
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} both say how large the classes should be; give one of them")
        if self.sizes is not None:
            return self._given_sizes(self.sizes, adding)
        if self.prior is not None:
            shares = class_shares(self.prior, self.classes_)
            total = np.max(counts / shares) if adding else np.min(counts / shares)
            near = np.rint(total * shares)
            return (np.maximum(near, counts) if adding else np.clip(near, 1, counts)).astype(int)
        r = 1.0 if self.ratio is None else check_interval("ratio", float(self.ratio), 0.0, 1.0, closed="right")
        if adding:
            return np.maximum(counts, np.rint(r * np.max(counts))).astype(int)
        return np.minimum(counts, np.rint(np.min(counts) / r)).astype(int)

    def _given_sizes(self, sizes: Mapping[Any, int], adding: bool) -> Integers:
        known = self.classes_.tolist()
        if unknown := [label for label in sizes if label not in known]:
            raise ValueError(f"sizes names {unknown}, which y lacks; it has {known}")
        wanted = [check_integer(f"sizes[{k!r}]", sizes.get(k, n), 1) for k, n in zip(known, self.counts_, strict=True)]
        wrong = [k for k, n, m in zip(known, self.counts_, wanted, strict=True) if (m < n if adding else m > n)]
        if wrong:
            raise ValueError(
                f"sizes={dict(sizes)!r} has {'fewer' if adding else 'more'} rows than there are of {wrong}; "
                f"{'choose RandomUnderSampler to leave rows out' if adding else 'choose RandomOverSampler to add rows'}"
            )
        return np.array(wanted)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


class RandomUnderSampler(Sampler):
    """Rows of large classes left out, uniformly at random, until the classes have the sizes (1).

    Parameters
    ----------
    ratio : float in (0, 1], optional
        The smallest class over the largest one, at least; 1 by default.
    prior : float, array-like, dict or "uniform", optional
        The share of each class; one number is that of the greater of two labels.
    sizes : dict from labels to int, optional
        The rows of each class; a label that is missing keeps all of its rows.
    replacement : bool, default=False
        Draw with replacement, the smallest class too: bootstrap samples of equal size, as balanced forests take.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    counts_, sizes_ : ndarray of int of shape (n_classes,)
        Rows of each class before and after.
    sample_indices_ : ndarray of int
        The rows kept, in their order.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    He, H. & Garcia, E. A. (2009). Learning from imbalanced data. doi:10.1109/TKDE.2008.239

    Chen, C., Liaw, A. & Breiman, L. (2004). Using random forest to learn imbalanced data. University of California,
    Berkeley, TR 666.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomUnderSampler
    >>> X, y = np.arange(100.0)[:, None], np.repeat(["F", "T"], [90, 10])
    >>> Xr, yr = RandomUnderSampler(random_state=0).fit_resample(X, y)
    >>> np.unique(yr, return_counts=True)[1].tolist()
    [10, 10]

    Balanced bagging is a bag of such fits:

    >>> from gnomon.features import ResampledClassifier
    >>> from gnomon.trees import BaggingClassifier, DecisionTreeClassifier
    >>> member = ResampledClassifier(DecisionTreeClassifier(), RandomUnderSampler(replacement=True))
    >>> BaggingClassifier(member, 5, random_state=0).fit(X, y).predict([[3.0], [97.0]]).tolist()
    ['F', 'T']
    """

    def __init__(
        self,
        *,
        ratio: Positive | None = None,
        prior: float | Priors = None,
        sizes: Mapping[Any, CountOrZero] | None = None,
        replacement: bool = False,
        random_state: RandomState = None,
    ):
        store(self, locals())

    def _sizes(self) -> Integers:
        return self._wanted(adding=False)

    def _draw(self, members: Sequence[Integers], rng: np.random.Generator) -> Integers:
        drawn = [rng.choice(rows, m, replace=self.replacement) for rows, m in zip(members, self.sizes_, strict=True)]
        return np.sort(np.concatenate(drawn))


class AddingSampler(Sampler):
    """Shared by those that add rows: all given rows in their order, then the new ones, class by class."""

    def _sizes(self) -> Integers:
        return self._wanted(adding=True)

    def _draw(self, members: Sequence[Integers], rng: np.random.Generator) -> Integers:
        copies = [self._copies(rows, m - len(rows), rng) for rows, m in zip(members, self.sizes_, strict=True)]
        return np.concatenate([np.arange(np.sum(self.counts_)), *copies]).astype(np.intp)

    def _copies(self, rows: Integers, extra: int, rng: np.random.Generator) -> Integers:
        """Every row as often, and so many more of them without replacement as are still missing."""
        whole, rest = divmod(extra, len(rows))
        return np.append(np.tile(rows, whole), rng.choice(rows, rest, replace=False))

    def _rows(self, X: Any, index: Integers, rng: np.random.Generator) -> Any:
        sources = self.sample_indices_[len(index) :]
        if not self._moves() or len(sources) == 0:
            return _safe_indexing(X, self.sample_indices_)
        if is_sparse(X):
            raise ValueError(
                f"{type(self).__name__} would fill the zeros of a sparse X; give an array, or copy rows only"
            )
        numbers = _NumberColumns.of(X)
        moved = self._moved(numbers.cells, index, sources, rng)
        return numbers.stacked(moved.astype(numbers.cells.dtype, copy=False), sources)

    def _moves(self) -> bool:
        """Whether new rows differ from those that they are copies of."""
        return True

    @abstractmethod
    def _moved(self, cells: Floats, index: Integers, sources: Integers, rng: np.random.Generator) -> Floats:
        """(2) for copies of the rows `sources`."""


class RandomOverSampler(AddingSampler):
    """Rows of small classes repeated until the classes have the sizes (1), exactly or with noise (2).

    Parameters
    ----------
    ratio, prior, sizes
        As in `RandomUnderSampler`; here rows are added.
    method : {"repeat", "bootstrap"}, default="repeat"
        Each row of the class as often as any other, up to one; or drawn with replacement.
    noise : float ≥ 0, default=0.0
        Standard deviation of what is added to each number of a copy, in units of that of its column within its class.
        Given rows, and columns that are not numbers, stay as they are.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    counts_, sizes_ : ndarray of int of shape (n_classes,)
        Rows of each class before and after.
    sample_indices_ : ndarray of int
        0 … n − 1, then the rows of which the others are copies.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    He, H. & Garcia, E. A. (2009). Learning from imbalanced data. doi:10.1109/TKDE.2008.239

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomOverSampler
    >>> X, y = np.arange(5.0)[:, None], ["F", "F", "F", "F", "T"]
    >>> Xr, yr = RandomOverSampler(random_state=0).fit_resample(X, y)
    >>> Xr.ravel().tolist(), yr
    ([0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0], ['F', 'F', 'F', 'F', 'T', 'T', 'T', 'T'])
    """

    def __init__(
        self,
        *,
        ratio: Positive | None = None,
        prior: float | Priors = None,
        sizes: Mapping[Any, CountOrZero] | None = None,
        method: Literal["repeat", "bootstrap"] = "repeat",
        noise: NonNegative = 0.0,
        random_state: RandomState = None,
    ):
        store(self, locals())

    def _copies(self, rows: Integers, extra: int, rng: np.random.Generator) -> Integers:
        return rng.choice(rows, extra) if self.method == "bootstrap" else super()._copies(rows, extra, rng)

    def _moves(self) -> bool:
        return self.noise > 0.0

    def _moved(self, cells: Floats, index: Integers, sources: Integers, rng: np.random.Generator) -> Floats:
        # Gaps stay gaps, and do not count; a column of gaps alone has no spread.
        present = np.ma.array(cells, mask=np.isnan(cells))
        spread = np.array([np.ma.std(present[index == k], axis=0).filled(0.0) for k in range(len(self.classes_))])
        return cells[sources] + self.noise * spread[index[sources]] * rng.standard_normal(
            (len(sources), cells.shape[1])
        )


class SMOTE(AddingSampler):
    """New rows of small classes on the lines between rows and their nearest neighbours of the same class: (2).

    Parameters
    ----------
    ratio, prior, sizes
        As in `RandomUnderSampler`; here rows are added.
    k_neighbors : int, default=5
        Among so many neighbours x' is drawn; fewer where the class has fewer rows. Distances are Euclidean, in the
        units of the columns: scale these first.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    counts_, sizes_ : ndarray of int of shape (n_classes,)
        Rows of each class before and after.
    sample_indices_ : ndarray of int
        0 … n − 1, then the row x of each new one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Chawla, N. V., Bowyer, K. W., Hall, L. O. & Kegelmeyer, W. P. (2002). SMOTE: synthetic minority over-sampling
    technique. doi:10.1613/jair.953

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import SMOTE
    >>> X, y = np.array([[0.0], [1.0], [2.0], [8.0], [9.0]]), [0, 0, 0, 1, 1]
    >>> Xr, yr = SMOTE(random_state=0).fit_resample(X, y)
    >>> len(Xr), bool(8.0 < Xr[-1, 0] < 9.0)
    (6, True)
    """

    def __init__(
        self,
        *,
        ratio: Positive | None = None,
        prior: float | Priors = None,
        sizes: Mapping[Any, CountOrZero] | None = None,
        k_neighbors: Count = 5,
        random_state: RandomState = None,
    ):
        store(self, locals())

    def _moved(self, cells: Floats, index: Integers, sources: Integers, rng: np.random.Generator) -> Floats:
        assert_finite(cells)
        other = np.empty_like(sources)
        for k in np.unique(index[sources]):
            rows, mine = np.flatnonzero(index == k), np.flatnonzero(index[sources] == k)
            near = min(self.k_neighbors, len(rows) - 1)
            if near == 0:
                other[mine] = sources[mine]  # a row without neighbours is repeated
                continue
            found = NearestNeighbors(n_neighbors=near).fit(cells[rows]).kneighbors(return_distance=False)
            place = np.searchsorted(rows, sources[mine])
            other[mine] = rows[found[place, rng.integers(0, near, len(mine))]]
        return cells[sources] + rng.random((len(sources), 1)) * (cells[other] - cells[sources])


class _NumberColumns(NamedTuple):
    """The numeric columns of a table, as floats, and where they stand."""

    X: Any
    cells: Floats
    names: list[str] | None

    @classmethod
    def of(cls, X: Any) -> Self:
        frame = as_frame(X)
        if frame is None:
            return cls(X, check_array(X, dtype=(np.float64, np.float32), ensure_all_finite="allow-nan"), None)
        names = [name for name in frame.columns if frame[name].dtype.is_numeric()]
        return cls(X, np.asarray(frame.select(names).to_numpy(), dtype=float), names)

    def stacked(self, moved: Floats, sources: Integers) -> Any:
        """The table, and below it copies of the rows `sources` whose numbers are `moved`."""
        if self.names is None:
            return np.concatenate([self.cells, moved])
        frame: Any = as_frame(stack_rows(self.X, _safe_indexing(self.X, sources)))
        table = np.concatenate([self.cells, moved])
        return frame.with_columns(
            *(_replaced(frame[name], table[:, j]) for j, name in enumerate(self.names))
        ).to_native()


def _replaced(column: nw.Series[Any], values: Floats) -> nw.Series[Any]:
    """A column with other numbers, of its own kind where that is a float; gaps stay what they are."""
    kind = column.dtype if column.dtype.is_float() else nw.Float64()
    numbers = nw.new_series(column.name, values, kind, backend=nw.get_native_namespace(column))
    return numbers.zip_with(~column.is_null(), column.cast(kind)) if column.null_count() else numbers
