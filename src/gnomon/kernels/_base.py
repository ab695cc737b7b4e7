"""What a kernel is.

    K_ij = k(a_i, b_j),    θ = log(hyper-parameters),    ∂K/∂θ exactly                            (1)

A kernel is one formula of two rows. It prepares rows once (scaled, with their squared norms, or as they are), compares
prepared rows in blocks, and says how its values change with its hyper-parameters. Everything else, from Gram matrices
to the algebra of sums and products, is written once, here and in `_algebra`. Schölkopf & Smola (2002), chapter 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.kernels._against import Against
from gnomon.kernels._evaluate import evaluate
from gnomon.kernels._parameters import Parametrized, noun
from gnomon.kernels._pattern import Pattern
from gnomon.kernels._rows import widened

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


class Kernel(Parametrized, ABC):
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

    def on_grid(self, X: Any) -> bool:
        """Whether the rows are points of the grids that `psd` is true on, where it is true on grids only."""
        return all(part.on_grid(X) for part in self.children().values())

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

    @property
    def scales_columns(self) -> bool:
        """Whether it weighs columns against each other: by widths, by a metric, or by what it makes of them."""
        return any(part.scales_columns for part in self.children().values())

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

    def summands(self) -> list[Kernel]:
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

    def by_axis(self, d: int) -> list[Kernel] | None:
        """k₁, …, k_d with k(x, x') = Π k_j(x_j, x'_j) for rows of d columns; None where it is no such product."""
        return [self] if d == 1 else None

    def single(self, P: Any) -> Any:
        """Prepared rows in single precision, whose values are as good as that allows; None where they are not."""
        return None

    # Gram matrices.

    def gram(self, A: Any, B: Any = None) -> Floats:
        """The matrix (1) of the rows of A and B, of A and itself where B is None."""
        return evaluate(self, *self.prepare_both(A, B))

    def prepare_both(self, A: Any, B: Any = None) -> tuple[Any, Any]:
        """The rows A and B prepared, one object for both where B is None; in the wider of their precisions."""
        P = self.prepare(A if B is None else widened(A, B))
        return P, P if B is None else self.prepare(B, like=P)

    def __call__(self, A: Any, B: Any = None) -> Floats:
        return self.gram(A, B)

    def diag(self, A: Any) -> Floats:
        """The diagonal of ``gram(A)``, without the matrix."""
        return self.diagonal(self.prepare(A))

    def against(self, B: Any) -> Against:
        """This kernel with the rows B prepared, for many comparisons with them."""
        return Against(self, self.prepare(B))

    # Hyper-parameters.

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
        with np.errstate(divide="ignore"):
            # A bound of 0 is none.
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

    def slope_products(self, P: Any, Q: Any, M: Floats, B: Floats) -> Floats:
        """(M ∘ ∂K/∂θ)B of prepared rows, a matrix for each entry of `theta`, of shape (p, n, columns of B)."""
        found = [(M * G) @ B for G in self.slopes(P, Q)]
        return np.stack(found) if found else np.empty((0, len(P), B.shape[1]))

    def contract(self, P: Any, Q: Any, M: Floats) -> Floats:
        """Σ_ij M_ij ∂K_ij/∂θ of prepared rows."""
        return self.slope_products(P, Q, M, np.ones((len(Q), 1), dtype=M.dtype)).sum(axis=(1, 2))

    def gradients(self, A: Any, B: Any = None) -> Floats:
        """∂K/∂θ, of shape (n, m, p)."""
        P, Q = self.prepare_both(A, B)
        slopes = list(self.slopes(P, Q))
        return np.stack(slopes, axis=-1) if slopes else np.empty((len(P), len(Q), 0))

    def pullback(self, A: Any, B: Any, M: ArrayLike) -> Floats:
        """Σ_ij M_ij ∂K_ij/∂θ, of shape (p,), without p matrices at once."""
        return self.contract(*self.prepare_both(A, B), np.asarray(M))

    # Algebra; the classes of the results are in `_algebra`, `_functions` and `_mapped`.

    def __add__(self, other: Kernel | float) -> Kernel:
        return _algebra().add(self, other)

    def __radd__(self, other: Kernel | float) -> Kernel:
        return _algebra().add(other, self)

    def __mul__(self, other: Kernel | float) -> Kernel:
        return _algebra().multiply(self, other)

    def __rmul__(self, other: Kernel | float) -> Kernel:
        return _algebra().multiply(other, self)

    def __pow__(self, power: int) -> Kernel:
        return _functions().KernelPower(self, power)

    def polynomial(self, coefs: Sequence[float]) -> Kernel:
        """Σ_j coefs_j k^j, all coefficients ≥ 0, that of the constant first."""
        return _functions().PolynomialOf(self, tuple(coefs))

    def exp(self) -> Kernel:
        """exp(k)."""
        return _functions().KernelExponential(self)

    def on(self, columns: int | str | Sequence[int] | Sequence[str] | slice) -> Kernel:
        """The kernel of these columns alone, by index or by name."""
        return _mapped().OnColumns(self, columns)

    def warp(self, g: Callable[[Any], Any]) -> Kernel:
        """k(g(x), g(x')) for a function of all rows at once."""
        return _mapped().Warped(self, g)

    def normalized(self) -> Kernel:
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

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.theta.tobytes()))

    def __eq__(self, other: object) -> bool:
        return self.same_parameters(other)


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
