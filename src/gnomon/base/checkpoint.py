"""Which fit a file of stored progress belongs to.

    identity = {name → digest of what is given by that name}:    a file serves the fits of its own identity    (1)

Names are those of the data and of all parameters but those that only bound the work. A digest depends on content
alone: it is the same in another process, where objects have other addresses. Functions count by their name and code,
objects by their class and state, as `pickle` reads it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterator, Mapping
from copyreg import dispatch_table
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import is_sparse

__all__ = ["KeepsProgress", "digest", "fit_identity", "refuse_other_fit"]

ANYWHERE = frozenset({"checkpoint", "memory", "n_jobs", "pre_dispatch", "verbose"})
"""Parameters that change no result, of whatever estimator of a composition."""


def digest(value: Any) -> str:
    """A digest of the content of a value.

    Parameters
    ----------
    value : object
        An array, table, estimator, function, or whatever else is made of these.

    Returns
    -------
    str

    Examples
    --------
    A function made anew has another address and the same digest; other code has another one:

    >>> from gnomon.base.checkpoint import digest
    >>> def noise(sigma):
    ...     return lambda X: X + sigma
    >>> digest(noise(1.0)) == digest(noise(1.0)), digest(noise(1.0)) == digest(noise(2.0))
    (True, False)
    """
    reading = _Reading()
    reading.read(value)
    return reading.state.hexdigest()


def fit_identity(model: BaseEstimator, free: Collection[str], /, **given: Any) -> dict[str, str]:
    """The identity (1) of a fit.

    Parameters
    ----------
    model : estimator
        All of its parameters count, those of nested estimators included.
    free : collection of str
        Parameters of the model itself that only bound the work, as "max_iter".
    **given
        What the fit is given besides: rows, targets, weights, folds.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from gnomon.base.checkpoint import fit_identity
    >>> identity = fit_identity(Ridge(), {"max_iter"}, X=[[1.0]], y=[2.0])
    >>> identity == fit_identity(Ridge(max_iter=9), {"max_iter"}, X=[[1.0]], y=[2.0])
    True
    >>> other = fit_identity(Ridge(alpha=2.0), {"max_iter"}, X=[[1.0]], y=[-2.0])
    >>> [name for name in identity if identity[name] != other[name]]
    ['y', 'alpha']
    """
    asked = {
        name: value
        for name, value in model.get_params(deep=True).items()
        if name not in free and name.rpartition("__")[2] not in ANYWHERE
    }
    return {"class": digest(type(model).__qualname__)} | {k: digest(v) for k, v in (given | asked).items()}


def refuse_other_fit(path: Path, found: Mapping[str, str], mine: Mapping[str, str]) -> None:
    """ValueError that names what differs, where a file is of another fit.

    Examples
    --------
    >>> from pathlib import Path
    >>> from gnomon.base.checkpoint import refuse_other_fit
    >>> refuse_other_fit(Path("a.npz"), {"X": "0", "alpha": "1"}, {"X": "2", "alpha": "3"})
    Traceback (most recent call last):
    ValueError: checkpoint='a.npz' is of another fit: it differs in X and alpha; give another file or delete it
    """
    names = [name for name in [*mine, *(set(found) - set(mine))] if found.get(name) != mine.get(name)]
    # An estimator differs wherever one of its parameters does, whose own name is the clearer one.
    names = [name for name in names if not any(other.startswith(f"{name}__") for other in names)]
    if names:
        listed = ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]
        raise ValueError(
            f"checkpoint={str(path)!r} is of another fit: it differs in {listed}; give another file or delete it"
        )


class KeepsProgress:
    """Mixin of estimators with the parameter `checkpoint`, which names the file of one fit.

    A clone stands for many fits, as those of cross-validation, of which each has a file of its own beside that which is
    named: ``run.npz`` becomes ``run-<digest of the identity>.npz``.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator, clone
    >>> from gnomon.base.checkpoint import KeepsProgress
    >>> class Slow(KeepsProgress, BaseEstimator):
    ...     def __init__(self, checkpoint=None):
    ...         self.checkpoint = checkpoint
    >>> slow, identity = Slow("run.npz"), {"X": "0"}
    >>> slow._progress_path(identity).name, clone(slow)._progress_path(identity).name
    ('run.npz', 'run-6c1d34638096107e.npz')
    """

    checkpoint: Any
    _inherited_checkpoint: Any = None

    def __sklearn_clone__(self) -> Self:
        twin: Self = super().__sklearn_clone__()  # type: ignore[misc]
        if self.checkpoint is not None:
            twin._inherited_checkpoint = self.checkpoint
        return twin

    def _progress_path(self, identity: Mapping[str, str]) -> Path:
        path = Path(self.checkpoint)
        # A path that was set after cloning is meant for this very estimator.
        own = self._inherited_checkpoint is None or self._inherited_checkpoint != self.checkpoint
        return path if own else path.with_name(f"{path.stem}-{digest(dict(identity))[:16]}{path.suffix}")


class _Reading:
    """A walk through all that a value consists of."""

    def __init__(self) -> None:
        self.state = blake2b(digest_size=16)
        self._within: list[int] = []
        self._frozen = False

    def read(self, value: Any) -> None:
        """Write a value with its parts; what is a part of itself ends the walk."""
        value = value.item() if isinstance(value, (np.bool, np.number, np.str_)) else value
        if id(value) in self._within:
            return self._put("cycle", str(self._within[::-1].index(id(value))).encode())
        if value is None or type(value) in (bool, int, float, complex, str):
            return self._put(type(value).__name__, repr(value).encode())
        if isinstance(value, (bytes, bytearray)):
            return self._put("bytes", bytes(value))
        frozen = self._frozen
        parts = self._parts(value)
        self._within.append(id(value))
        for part in parts:
            self.read(part)
        self._within.pop()
        self._frozen = frozen
        return self._put("end", b"")

    def _put(self, kind: str, content: bytes) -> None:
        # With its length no piece can be read as the beginning of the next.
        self.state.update(f"{kind}:{len(content)}:".encode())
        self.state.update(content)

    def _parts(self, value: Any) -> list[Any]:
        """What a value consists of; its kind, and numbers in bulk, are written here."""
        frame = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            self._put("frame", repr(list(frame.schema.items())).encode())
            return [column.to_numpy() for column in frame.iter_columns()]
        if isinstance(frame, nw.Series):
            self._put("series", f"{frame.name!r} {frame.dtype}".encode())
            return [frame.to_numpy()]
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            self._put("objects", str(value.shape).encode())
            return value.ravel().tolist()
        if isinstance(value, (np.ndarray, np.generic)):
            self._put("array", f"{np.asarray(value).dtype} {value.shape}".encode())
            self._put("numbers", np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)  # type: ignore[arg-type]
            return []
        if is_sparse(value):
            rows = value.tocsr()
            return [type(value).__name__, value.shape, rows.data, rows.indices, rows.indptr]
        for kind, parts in _PARTS:
            if isinstance(value, kind):
                self._put(type(value).__qualname__, b"")
                return parts(value)
        if isinstance(value, BaseEstimator) and not self._is_frozen(value):
            given = value.get_params(deep=False)
            return [type(value), *((name, given[name]) for name in sorted(given) if name not in ANYWHERE)]
        if is_dataclass(value) and not isinstance(value, BaseEstimator):
            return [type(value), *((f.name, getattr(value, f.name)) for f in fields(value))]
        return _as_pickled(value)

    def _is_frozen(self, value: BaseEstimator) -> bool:
        """Whether a clone of this, or of what it is a part of, keeps what was learned."""
        own = type(value).__sklearn_clone__
        self._frozen |= own not in (BaseEstimator.__sklearn_clone__, KeepsProgress.__sklearn_clone__)
        return self._frozen


def _as_pickled(value: Any) -> list[Any]:
    """What `pickle` would write of an object."""
    if value is np.random.mtrand._rand:
        # NumPy's own generator, of which nobody knows how often it was used.
        return ["numpy.random"]
    if (python := getattr(value, "py_func", None)) is not None:
        # A function that Numba compiled: its state has a number of the process.
        return [python]
    try:
        reduce = dispatch_table.get(type(value))
        found: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except TypeError as error:
        raise ValueError(
            f"checkpoint= must recognise its fit, and {value!r} among its parameters or data cannot be read ({error}); "
            "give a value that can be pickled, or leave checkpoint out"
        ) from error
    if isinstance(found, str):
        return [type(value).__module__, found]
    # How to make it, from what, its state, and what a list or a dict of its own holds.
    return [*found[:2], *map(_plain, found[2:])]


def _plain(part: Any) -> Any:
    """A part without the order in which attributes were set; iterators as lists."""
    if isinstance(part, dict) and all(isinstance(name, str) for name in part):
        return sorted(part.items())
    return list(part) if isinstance(part, Iterator) else part


def _code(code: types.CodeType) -> list[Any]:
    return [code.co_code, code.co_names, code.co_varnames, code.co_freevars, *code.co_consts]


def _function(f: types.FunctionType) -> list[Any]:
    cells = [content for cell in f.__closure__ or () for content in _content(cell)]
    return [f.__module__, f.__qualname__, f.__code__, f.__defaults__, f.__kwdefaults__, *cells]


def _content(cell: types.CellType) -> list[Any]:
    """What a variable of an outer function holds, which may be nothing yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _class(kind: type) -> list[Any]:
    methods = sorted((name, f.__code__) for name, f in vars(kind).items() if isinstance(f, types.FunctionType))
    return [kind.__module__, kind.__qualname__, *methods]


_PARTS: list[tuple[Any, Callable[[Any], list[Any]]]] = [
    (list, list),
    (tuple, list),
    (dict, lambda value: list(value.items())),
    ((set, frozenset), lambda value: sorted(map(digest, value))),
    (types.FunctionType, _function),
    (types.MethodType, lambda f: [f.__func__, f.__self__]),
    (types.BuiltinFunctionType, lambda f: [f.__module__, f.__qualname__, f.__self__]),
    (np.ufunc, lambda f: [f.__name__]),
    (types.CodeType, _code),
    (types.ModuleType, lambda module: [module.__name__]),
    (partial, lambda f: [f.func, f.args, f.keywords]),
    (type, _class),
]
"""Kinds of values and what they consist of."""
