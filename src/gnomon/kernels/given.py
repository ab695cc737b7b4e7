"""Kernels that are given: as a matrix, as a function, or by a feature map.

    K itself;    k(x, x') = f(x, x');    k(x, x') = Φ(x)ᵀΦ(x')                                    (1)

Whether a function or a matrix is positive semi-definite is not known beforehand; `check_kernel` looks at a sample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _num_samples

from gnomon._typing import Array, Floats, Integers
from gnomon.kernels._base import Kernel, Psd, noun
from gnomon.kernels._rows import NumericRows, as_rows, inner_products, paired_products, same_width
from gnomon.numerics.sharing import read_only

__all__ = ["CallableKernel", "FeatureMapKernel", "Precomputed"]


class GivenRows(NamedTuple):
    """Rows of a Gram matrix, and which of its columns they are themselves.

    Fields
    ------
    values : ndarray of shape (n, m)
    places : ndarray of int
    """

    values: Floats
    places: Integers

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: slice | Integers) -> GivenRows:
        """Some of the rows."""
        return GivenRows(self.values[rows], self.places[rows])


@noun
class Precomputed(Kernel):
    """A Gram matrix in place of the rows: (n, n) at a fit, (m, n) at a prediction.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Precomputed
    >>> against = Precomputed().against(np.array([[2.0, 1.0], [1.0, 3.0]]))
    >>> against.diag(), against.gram(np.array([[0.5, 0.7]]))
    (array([2., 3.]), array([[0.5, 0.7]]))
    """

    whole: ClassVar[bool] = True

    @property
    def psd(self) -> Psd:
        """Unknown."""
        return None

    def prepare(self, A: Any, like: GivenRows | None = None) -> GivenRows:
        """The matrix, square unless it is compared with another."""
        K = as_rows(A)
        n, m = K.shape
        if like is None and n != m:
            raise ValueError(f"Precomputed matrix must be a square matrix; it has shape ({n}, {m})")
        if like is not None and m != like.values.shape[1]:
            raise ValueError(
                f"the precomputed matrix has {m} columns, and {like.values.shape[1]} training rows are compared; "
                f"give k(new row, training row) for all of them"
            )
        return GivenRows(K, np.arange(n))

    def cross(self, P: GivenRows, Q: GivenRows) -> Floats:
        """The columns of the rows that are compared with."""
        if len(Q.places) == P.values.shape[1] and np.array_equal(Q.places, np.arange(len(Q.places))):
            return P.values
        return P.values[:, Q.places]

    def pairs(self, P: GivenRows, Q: GivenRows, i: Integers, j: Integers) -> Floats:
        """Single entries."""
        return P.values[i, Q.places[j]]

    def diagonal(self, P: GivenRows) -> Floats:
        """Entries of rows with themselves."""
        return P.values[np.arange(len(P)), P.places]


class Objects(NamedTuple):
    """Rows of any kind.

    Fields
    ------
    values : array, data frame or list
    """

    values: Any

    def __len__(self) -> int:
        return _num_samples(self.values)

    def take(self, rows: slice | Integers) -> Objects:
        """Some of the rows."""
        if isinstance(self.values, list):
            chosen = range(len(self.values))[rows] if isinstance(rows, slice) else rows
            return Objects([self.values[i] for i in chosen])
        return Objects(self.values[rows])


@noun
class CallableKernel(Kernel):
    """A kernel from a function of two tables, or of two objects.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` gives the matrix of all pairs; with ``pairwise=True`` ``function(a, b)`` gives one number.
    pairwise : bool, default=False
        Then rows may be anything: strings, sets, graphs, in a list.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import CallableKernel
    >>> common = CallableKernel(lambda a, b: len(set(a) & set(b)), pairwise=True)
    >>> common.gram(["tea", "eat", "sun"])
    array([[3., 3., 0.],
           [3., 3., 0.],
           [0., 0., 3.]])
    """

    function: Callable[[Any, Any], Any]
    pairwise: bool = False
    whole: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.function, type) and issubclass(self.function, Kernel):
            name = self.function.__name__
            raise ValueError(f"kernel={name} is a class of kernels; give one of them, for example {name}(…)")

    @property
    def psd(self) -> Psd:
        """Unknown."""
        return None

    @property
    def takes_objects(self) -> bool:
        """A function of two rows takes what it takes."""
        return self.pairwise

    def prepare(self, A: Any, like: Any = None) -> Objects:
        """The rows as they are, which the function may read."""
        return Objects(read_only(A))

    def cross(self, P: Objects, Q: Objects) -> Floats:
        """The function of all pairs."""
        if not self.pairwise:
            try:
                found: Any = self.function(P.values, Q.values)
                K: Floats = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
            except Exception as error:
                error.add_note(
                    f"The kernel function was called with tables of {len(P)} and {len(Q)} rows, to give a matrix of "
                    "all pairs; one of two rows is CallableKernel(function, pairwise=True)."
                )
                raise
            if K.shape != (len(P), len(Q)):
                raise ValueError(
                    f"the kernel function gave shape {K.shape} for {len(P)} and {len(Q)} rows; it must give "
                    f"({len(P)}, {len(Q)}), or be a function of two rows: CallableKernel(function, pairwise=True)"
                )
            return K
        if P is not Q:
            return np.array([[float(self.function(a, b)) for b in Q.values] for a in P.values]).reshape(len(P), len(Q))
        K = np.zeros((len(P), len(P)))
        for i, a in enumerate(P.values):
            for j in range(i + 1):
                K[i, j] = K[j, i] = float(self.function(a, P.values[j]))
        return K

    def pairs(self, P: Objects, Q: Objects, i: Integers, j: Integers) -> Floats:
        """The function of single pairs."""
        one = [(P.take(np.array([a])), Q.take(np.array([b]))) for a, b in zip(i, j, strict=True)]
        return np.array([self.cross(p, q).item() for p, q in one])

    def diagonal(self, P: Objects) -> Floats:
        """The function of each row and itself."""
        every = np.arange(len(P))
        return self.pairs(P, P, every, every)


@noun
class FeatureMapKernel(Kernel):
    """k(x, x') = Φ(x)ᵀΦ(x') for a feature map Φ.

    Parameters
    ----------
    phi : callable or fitted transformer
        From a table to a table with as many rows; of a transformer, its ``transform``.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.1. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import FeatureMapKernel
    >>> k = FeatureMapKernel(lambda X: np.column_stack([np.ones(len(X)), X, X**2, X[:, 0] * X[:, 1]]))
    >>> k.gram(np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]]))
    array([[9.]])
    """

    phi: Any

    @property
    def scales_columns(self) -> bool:
        """Yes: by Φ."""
        return True

    def prepare(self, A: Any, like: NumericRows | None = None) -> NumericRows:
        """The features of the rows."""
        return NumericRows(same_width(self, self.features(A), like))

    def map_size(self, A: Any) -> float:
        """The columns of Φ of one row."""
        return self.features(A[:1]).shape[1]

    def features(self, X: Any) -> Array:
        """Φ of the rows."""
        return as_rows(self.phi(read_only(X)) if callable(self.phi) else self.phi.transform(X))

    def cross(self, P: NumericRows, Q: NumericRows) -> Floats:
        """Inner products of features."""
        return inner_products(P, Q)

    def pairs(self, P: NumericRows, Q: NumericRows, i: Integers, j: Integers) -> Floats:
        """Inner products of features."""
        return paired_products(P, Q, i, j)

    def diagonal(self, P: NumericRows) -> Floats:
        """Squared lengths."""
        every = np.arange(len(P))
        return paired_products(P, P, every, every)
