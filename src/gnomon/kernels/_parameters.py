"""Parameters of a kernel, its own and those of the kernels that it is made of.

    k.get_params()["k1__length_scale"]  is  k.k1.get_params()["length_scale"]                     (1)

The names and verbs are those of scikit-learn, so that its searches reach every number inside a kernel. Buitinck et al.
(2013), arXiv:1309.0238.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, dataclass_transform

import numpy as np

__all__ = ["Parametrized", "noun"]


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


class Parametrized:
    """An immutable value with annotated fields, some of which are values of this kind themselves."""

    def children(self) -> dict[str, Any]:
        """The kernels that this one is made of, by the names of their parameters."""
        return {f.name: value for f in fields(self) if isinstance(value := getattr(self, f.name), Parametrized)}  # type: ignore[arg-type]

    def with_children(self, children: Mapping[str, Any]) -> Self:
        """The same kernel made of others."""
        return replace(self, **children) if children else self  # type: ignore[type-var]

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
        children: dict[str, Any] = changed.children()
        nested: dict[str, dict[str, Any]] = {}
        parts: dict[str, Any] = {}
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

    def same_parameters(self, other: object) -> bool:
        """Whether the other object is of the same class, with equal parameters."""
        if type(self) is not type(other):
            return False
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(_same(mine[name], theirs[name]) for name in mine)

    def __repr__(self) -> str:
        shown = [
            f"{f.name}={value!r}"
            for f in fields(self)  # type: ignore[arg-type]
            if not _same(value := getattr(self, f.name), f.default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b))
    return bool(a is b or a == b)
