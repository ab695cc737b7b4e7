"""What a kernel is.

    K_ij = k(a_i, b_j),    θ = log(hyper-parameters),    ∂K/∂θ exactly                            (1)

A kernel is one formula of two rows. It prepares rows once (scaled, with their squared norms, or as they are), compares
prepared rows in blocks, and says how its values change with its hyper-parameters. Everything else, from Gram matrices
to the algebra of sums and products, is written once, here and in `_algebra`. Schölkopf & Smola (2002), chapter 2.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias, dataclass_transform

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, is_sparse
from gnomon.kernels._evaluate import evaluate, weighted_sums
from gnomon.kernels._pattern import Pattern

__all__ = ["Against", "Bounds", "Hyperparameter", "Kernel", "Prepared", "Psd", "noun"]

Psd: TypeAlias = bool | Literal["conditional", "grid"] | None
Bounds: TypeAlias = tuple[float, float] | Literal["fixed"]
WIDE: Bounds = (1e-5, 1e5)


class Prepared(Protocol):
    """Rows as a kernel compares them."""

    def __len__(self) -> int: ...

    def take(self, rows: slice | Integers) -> Any: ...


class Hyperparameter(NamedTuple):
    """A positive number, or one per column, that can be learned.

    Fields
    ------
    name : str
        As in ``get_params``.
    values : ndarray
        On their own scale; θ is their logarithm.
    bounds : (low, high)
        On the scale of the values.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 13.1. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import RBF
    >>> (2.0 * RBF(length_scale=3.0)).hyperparameters[1].name
    'k2__length_scale'
    """

    name: str
    values: Floats
    bounds: tuple[float, float]


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def noun(cls: type[Any]) -> type[Any]:
    """A kernel from a class with annotated fields: a frozen dataclass whose equality and repr are those of `Kernel`.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapter 2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Radial, noun
    >>> @noun
    ... class Cauchy(Radial):
    ...     def profile(self, s):
    ...         return 1.0 / (1.0 + s)
    >>> Cauchy(2.0)
    Cauchy(length_scale=2.0)
    """
    return dataclass(frozen=True, eq=False, repr=False)(cls)


class Kernel(ABC):
    """Base of every kernel. Most are easier to write from `Radial` or `DotProduct`, which need one formula.

    Attributes
    ----------
    psd : True, False, "conditional", "grid" or None
        Whether every Gram matrix is positive semi-definite: proved, refuted, on the complement of polynomials only, for
        rows on the unit grid only, or unknown.
    support_radius : float
        Distance of rows from which on the kernel is zero; inf where it never is.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapter 2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF, Linear
    >>> k = 0.5 * RBF(length_scale=2.0) + Linear()
    >>> k.gram(np.array([[0.0], [2.0]]))
    array([[0.5       , 0.30326533],
           [0.30326533, 4.5       ]])
    >>> k.diag(np.array([[3.0]]))
    array([9.5])
    """

    whole: ClassVar[bool] = False

    @property
    def psd(self) -> Psd:
        """Whether every Gram matrix is positive semi-definite."""
        return True

    @property
    def cpd_order(self) -> int:
        """Polynomials of a lower degree are left out where the kernel is conditionally positive definite."""
        return 0

    @property
    def support_radius(self) -> float:
        """From which distance on the kernel is zero."""
        return np.inf

    @property
    def takes_objects(self) -> bool:
        """Whether rows may be objects of any kind, in a list."""
        parts = self.children().values()
        return len(parts) > 0 and all(part.takes_objects for part in parts)

    # What a kernel writes.

    @abstractmethod
    def prepare(self, A: Any, like: Any = None) -> Any:
        """The rows A as this kernel compares them; `like` are prepared rows that they will be compared with."""

    @abstractmethod
    def cross(self, P: Any, Q: Any) -> Floats:
        """k(p_i, q_j) of prepared rows; where P is Q, symmetric to the bit."""

    @abstractmethod
    def pairs(self, P: Any, Q: Any, i: Integers, j: Integers) -> Floats:
        """k(p_i, q_j) for the pairs (i, j) that are listed."""

    @abstractmethod
    def diagonal(self, P: Any) -> Floats:
        """k(p_i, p_i)."""

    def pattern(self, P: Any, Q: Any) -> Pattern | None:
        """A sparse matrix that is true wherever k(p_i, q_j) may differ from zero; None where that is everywhere."""
        return None

    def partial(self, name: str, P: Any, Q: Any) -> Iterator[Floats]:
        """∂K/∂θ for one hyper-parameter of its own: a matrix for each of its values."""
        raise NotImplementedError(f"{type(self).__name__} has no derivative in {name}; fix it: {name}_bounds='fixed'")

    # What a kernel says about the functions that it spans; most say nothing.

    def summands(self) -> list["Kernel"]:
        """Kernels whose sum is this one; itself alone where it is no sum."""
        return [self]

    @property
    def constant(self) -> float | None:
        """c of a kernel that is c for all rows; None for others."""
        return None

    def linear_weights(self, d: int) -> Floats:
        """a of the part Σⱼ aⱼ xⱼ x'ⱼ of this kernel, for rows of d columns; zeros where it has none."""
        parts = [part for part in self.summands() if part is not self]
        return np.sum([np.zeros(d), *(part.linear_weights(d) for part in parts)], axis=0)

    def map_size(self, A: Any) -> float:
        """The number of columns of ``features(A)``; inf where there is no finite map."""
        return np.inf

    def finite_map(self, A: Any, most: int) -> Array | None:
        """``features(A)`` where they have at most so many columns; None where not."""
        return self.features(A) if self.map_size(A) <= most else None

    @property
    def local_radius(self) -> float | None:
        """The distance beyond which the kernel is below e⁻⁴ of its value at 0; None where it is not known."""
        return None

    def single(self, P: Any) -> Any:
        """Prepared rows in single precision, whose values are as good as that allows; None where they are not."""
        return None

    # Gram matrices.

    def gram(self, A: Any, B: Any = None) -> Floats:
        """The matrix (1) of the rows of A and B, of A and itself where B is None."""
        P = self.prepare(A)
        return evaluate(self, P, P if B is None else self.prepare(B, like=P))

    def __call__(self, A: Any, B: Any = None) -> Floats:
        return self.gram(A, B)

    def diag(self, A: Any) -> Floats:
        """The diagonal of ``gram(A)``, without the matrix."""
        return self.diagonal(self.prepare(A))

    def against(self, B: Any) -> "Against":
        """This kernel with the rows B prepared, for many comparisons with them."""
        return Against(self, self.prepare(B))

    # Hyper-parameters.

    def children(self) -> dict[str, "Kernel"]:
        """The kernels that this one is made of, by the names of their parameters."""
        return {f.name: value for f in fields(self) if isinstance(value := getattr(self, f.name), Kernel)}  # type: ignore[arg-type]

    def with_children(self, children: Mapping[str, "Kernel"]) -> Self:
        """The same kernel made of others."""
        return replace(self, **children) if children else self  # type: ignore[type-var]

    def own_hyperparameters(self) -> list[Hyperparameter]:
        """Those of its own fields ``x`` that have ``x_bounds``, are positive and not fixed."""
        named = {f.name for f in fields(self)}  # type: ignore[arg-type]
        return [
            Hyperparameter(name, values, getattr(self, f"{name}_bounds"))
            for name in (f.name for f in fields(self))  # type: ignore[arg-type]
            if f"{name}_bounds" in named and getattr(self, f"{name}_bounds") != "fixed"
            if np.all((values := np.atleast_1d(np.asarray(self.hyper_value(name), dtype=float))) > 0.0)
        ]

    def hyper_value(self, name: str) -> Any:
        """The value of a hyper-parameter of its own."""
        return getattr(self, name)

    def with_hyper(self, values: Mapping[str, Any]) -> Self:
        """The same kernel with other values of its own hyper-parameters."""
        return replace(self, **values)  # type: ignore[type-var]

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """Those of this kernel, then those of the kernels that it is made of, in the order of `theta`."""
        nested = [
            Hyperparameter(f"{child}__{name}", values, bounds)
            for child, kernel in self.children().items()
            for name, values, bounds in kernel.hyperparameters
        ]
        return self.own_hyperparameters() + nested

    @property
    def theta(self) -> Floats:
        """Logarithms of the hyper-parameters that are free."""
        return np.log(np.concatenate([h.values for h in self.hyperparameters] or [np.empty(0)]))

    @property
    def bounds(self) -> Floats:
        """Lower and upper bounds of `theta`, of shape (p, 2)."""
        rows = [np.tile(np.log(h.bounds), (len(h.values), 1)) for h in self.hyperparameters]
        return np.concatenate(rows or [np.empty((0, 2))])

    def with_theta(self, theta: ArrayLike) -> Self:
        """The same kernel with other free hyper-parameters."""
        left = np.exp(np.asarray(theta, dtype=float))
        if len(left) != len(self.theta):
            raise ValueError(f"theta has {len(left)} entries; {self!r} has {len(self.theta)} free hyper-parameters")
        values: dict[str, Any] = {}
        for name, old, _ in self.own_hyperparameters():
            part, left = left[: len(old)], left[len(old) :]
            values[name] = float(part[0]) if np.ndim(self.hyper_value(name)) == 0 else part
        parts: dict[str, Kernel] = {}
        for name, child in self.children().items():
            size = len(child.theta)
            parts[name], left = child.with_theta(np.log(left[:size])), left[size:]
        changed = self.with_hyper(values) if values else self
        return changed.with_children(parts)

    def slopes(self, P: Any, Q: Any) -> Iterator[Floats]:
        """∂K/∂θ of prepared rows, one matrix for each entry of `theta`."""
        for hyper in self.own_hyperparameters():
            yield from self.partial(hyper.name, P, Q)

    def contract(self, P: Any, Q: Any, M: Floats) -> Floats:
        """Σ_ij M_ij ∂K_ij/∂θ of prepared rows."""
        return np.array([np.vdot(M, G) for G in self.slopes(P, Q)])

    def gradients(self, A: Any, B: Any = None) -> Floats:
        """∂K/∂θ, of shape (n, m, p)."""
        P = self.prepare(A)
        Q = P if B is None else self.prepare(B, like=P)
        slopes = list(self.slopes(P, Q))
        return np.stack(slopes, axis=-1) if slopes else np.empty((len(P), len(Q), 0))

    def pullback(self, A: Any, B: Any, M: ArrayLike) -> Floats:
        """Σ_ij M_ij ∂K_ij/∂θ, of shape (p,), without p matrices at once."""
        P = self.prepare(A)
        return self.contract(P, P if B is None else self.prepare(B, like=P), np.asarray(M))

    # Algebra; the classes of the results are in `_algebra`, `_functions` and `_mapped`.

    def __add__(self, other: "Kernel | float") -> "Kernel":
        return _algebra().add(self, other)

    def __radd__(self, other: "Kernel | float") -> "Kernel":
        return _algebra().add(other, self)

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        return _algebra().multiply(self, other)

    def __rmul__(self, other: "Kernel | float") -> "Kernel":
        return _algebra().multiply(other, self)

    def __pow__(self, power: int) -> "Kernel":
        return _functions().KernelPower(self, power)

    def polynomial(self, coefs: Sequence[float]) -> "Kernel":
        """Σ_j coefs_j k^j, all coefficients ≥ 0, that of the constant first."""
        return _functions().PolynomialOf(self, tuple(coefs))

    def exp(self) -> "Kernel":
        """exp(k)."""
        return _functions().KernelExponential(self)

    def on(self, columns: "int | str | Sequence[int] | Sequence[str] | slice") -> "Kernel":
        """The kernel of these columns alone, by index or by name."""
        return _mapped().OnColumns(self, columns)

    def warp(self, g: Callable[[Any], Any]) -> "Kernel":
        """k(g(x), g(x')) for a function of all rows at once."""
        return _mapped().Warped(self, g)

    def normalized(self) -> "Kernel":
        """k(x, x') / √(k(x, x) k(x', x')), the cosine of two rows in the feature space."""
        return _mapped().Normalized(self)

    # Explicit maps.

    def features(self, X: Any) -> Any:
        """A table Φ with k(x, x') = Φ(x)ᵀΦ(x'), where a finite one exists."""
        raise ValueError(
            f"{self!r} has no finite map of features; gnomon.features.EmpiricalKernelMap has one for given rows"
        )

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Frequencies ω of shape (n, d) with k(x, x') = k(x, x) E cos ωᵀ(x − x'), by Bochner's theorem."""
        raise ValueError(f"{self!r} has no spectrum that can be drawn from; choose a stationary kernel such as RBF")

    # Columns by name.

    def located(self, names: Sequence[str] | None) -> Self:
        """The same kernel with columns that are given by name replaced by their indices in `names`."""
        return self.with_children({name: child.located(names) for name, child in self.children().items()})

    # Parameters, as scikit-learn asks for them.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the constructor, and with `deep` those of the kernels that this one is made of."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if not deep:
            return own
        children = self.children()
        nested = {
            f"{child}__{name}": value
            for child, kernel in children.items()
            for name, value in kernel.get_params().items()
        }
        return {**own, **children, **nested}

    def set_params(self, **params: Any) -> Self:
        """Change parameters of this object, nested ones as ``k1__length_scale``."""
        changed = self.with_params(**params)
        for f in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, f.name, getattr(changed, f.name))
        return self

    def with_params(self, **params: Any) -> Self:
        """The same kernel with other parameters; this object stays as it is."""
        known = {f.name for f in fields(self)}  # type: ignore[arg-type]
        own = {name: value for name, value in params.items() if name in known}
        changed = replace(self, **own) if own else self  # type: ignore[type-var]
        children: dict[str, Kernel] = changed.children()
        nested: dict[str, dict[str, Any]] = {}
        parts: dict[str, Kernel] = {}
        for name, value in params.items():
            child, _, rest = name.partition("__")
            if name not in known and child not in children:
                raise ValueError(
                    f"Invalid parameter {name!r} for kernel {self!r}; valid parameters are: {sorted(self.get_params())}"
                )
            if rest:
                nested.setdefault(child, {})[rest] = value
            elif name not in known:
                parts[name] = value
        nested_parts = {child: parts.get(child, children[child]).with_params(**rest) for child, rest in nested.items()}
        return changed.with_children({**parts, **nested_parts})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.theta.tobytes()))

    def __repr__(self) -> str:
        shown = [
            f"{f.name}={value!r}"
            for f in fields(self)  # type: ignore[arg-type]
            if not _same(value := getattr(self, f.name), f.default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class Against(NamedTuple):
    """A kernel and the rows that others are compared with, prepared once.

    Fields
    ------
    kernel : Kernel
    prepared : prepared rows

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, chapter 2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> against = Linear().against(np.array([[1.0], [2.0], [3.0]]))
    >>> against.rows(np.array([2])), against.gram(np.array([[10.0]]))
    (array([[3., 6., 9.]]), array([[10., 20., 30.]]))
    """

    kernel: Kernel
    prepared: Any

    def gram(self, A: Any) -> Floats:
        """K(A, B)."""
        return evaluate(self.kernel, self.kernel.prepare(A, like=self.prepared), self.prepared)

    def single(self) -> "Against | None":
        """The same in single precision; None where the kernel has no such values."""
        rows = self.kernel.single(self.prepared)
        return None if rows is None else Against(self.kernel, rows)

    def combine(self, A: Any, coef: Floats) -> Floats:
        """K(A, B) @ coef, without the matrix."""
        return weighted_sums(self.kernel, self.kernel.prepare(A, like=self.prepared), self.prepared, coef)

    def combine_rows(self, indices: Integers, coef: Floats, at: Integers | None = None) -> Floats:
        """K(B, B[indices]) @ coef, without the matrix; for the rows B[at] alone where they are given."""
        rows = self.prepared if at is None else self.prepared.take(at)
        return weighted_sums(self.kernel, rows, self.prepared.take(indices), coef)

    def rows(self, indices: Integers | slice) -> Floats:
        """K(B[indices], B)."""
        return evaluate(self.kernel, self.prepared.take(indices), self.prepared)

    def matrix(self) -> Floats:
        """K(B, B)."""
        return evaluate(self.kernel, self.prepared, self.prepared)

    def diag(self) -> Floats:
        """The diagonal of K(B, B)."""
        return self.kernel.diagonal(self.prepared)

    def take(self, indices: Integers) -> "Against":
        """The same with some of the rows B."""
        return Against(self.kernel, self.prepared.take(indices))


# These modules derive their classes from `Kernel`, so they are imported when one is made.


def _algebra() -> Any:
    from gnomon.kernels import _algebra

    return _algebra


def _functions() -> Any:
    from gnomon.kernels import _functions

    return _functions


def _mapped() -> Any:
    from gnomon.kernels import _mapped

    return _mapped


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b))
    return bool(a is b or a == b)


def as_rows(A: Any) -> Any:
    """Rows of numbers as a two-dimensional array of floats, or a CSR matrix."""
    if is_sparse(A):
        A = A.tocsr()
        return A if A.dtype.kind == "f" else A.astype(float)
    X = np.asarray(A)
    X = X if X.dtype.kind == "f" and X.dtype.itemsize >= 4 else X.astype(float)
    if X.ndim != 2:
        raise ValueError(f"rows have shape {X.shape}, and a 2D array is needed; use X[:, None] or X[None, :]")
    return X
