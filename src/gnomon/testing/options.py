"""The laws of options: a value of the wrong kind is refused by name, and NumPy's scalars are as good as Python's.

    fit with option = value of another kind   ⇒   an error that names the option                      (1)
    fit with option = numpy scalar of value   ≡   fit with option = value                             (2)

Options come from users' scripts, from files and from grids: a wrong one that is accepted gives a model that nobody
asked for. Buitinck et al. (2013), arXiv:1309.0238, on parameters that are checked at fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from gnomon._typing import ArrayLike
from gnomon.testing._law import require, require_close
from gnomon.testing._tables import fitted, outputs_of, table_of

__all__ = ["check_numpy_options", "check_options"]


def check_options(
    estimator: BaseEstimator,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    leave_out: tuple[str, ...] = (),
) -> None:
    """Every option that is given a value of the wrong kind is refused at `fit`, in a sentence that names it: (1).

    Tried are an object of no use, a string that means nothing where the option is not a free text, and NaN where it is
    a number.

    Parameters
    ----------
    estimator : estimator
        Unfitted; it is cloned. Its own values tell the kind of each option.
    X, y : array-like, optional
        The rows; by default a small table that suits the estimator's tags.
    leave_out : tuple of str, default=()
        Options that take any value, such as a label.

    Raises
    ------
    AssertionError
        With every option and value that was accepted, or refused without its name.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_options
    >>> check_options(Ridge())
    """
    X, y = table_of(estimator, X, y)
    names = [name for name in estimator.get_params(deep=False) if name not in leave_out]
    accepted = []
    for name in names:
        for value in _wrong_values(getattr(estimator, name)):
            refused = _refusal(clone(estimator).set_params(**{name: value}), X, y)
            if refused is None or name not in refused:
                accepted.append(f"{name}={value!r} ({'accepted' if refused is None else refused})")
    law = "an option of the wrong kind is refused by name"
    require(not accepted, law, f"{type(estimator).__name__} fits with {', '.join(accepted)}")


def check_numpy_options(estimator: BaseEstimator, X: ArrayLike | None = None, y: ArrayLike | None = None) -> None:
    """An option may be a scalar of NumPy, as grids of a search give it, and the model is the same: (2).

    Parameters
    ----------
    estimator, X, y
        As in `check_options`.

    Raises
    ------
    AssertionError
        With a sentence that names the law and both numbers.

    Examples
    --------
    >>> from gnomon.linear import Ridge
    >>> from gnomon.testing import check_numpy_options
    >>> check_numpy_options(Ridge(alpha=2.0, solver="cholesky"))
    """
    X, y = table_of(estimator, X, y)
    options = {name: value for name, value in estimator.get_params(deep=False).items() if type(value) in _SCALARS}
    scalars = {name: _SCALARS[type(value)](value) for name, value in options.items()}
    expected = outputs_of(fitted(estimator, X, y), X)
    model = fitted(clone(estimator).set_params(**scalars), X, y)
    for method, values in outputs_of(model, X).items():
        law, where = "an option may be a scalar of NumPy", f"{type(model).__name__}.{method}"
        if values.dtype.kind in "OUS":
            require(np.array_equal(values, expected[method]), law, f"{where} gives other labels")
        else:
            require_close(law, values, expected[method], tol=0.0, where=where)


class _Useless:
    """An object that is no value of any option."""

    def __repr__(self) -> str:
        return "<an object>"


_SCALARS: dict[type, Any] = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}


def _wrong_values(value: Any) -> Iterator[Any]:
    """Values of other kinds than that of `value`."""
    yield _Useless()
    yield "no word of any option"
    if isinstance(value, float):
        yield float("nan")
    if isinstance(value, int) and not isinstance(value, bool):
        yield 2.5 - 10.0


def _refusal(model: Any, X: Any, y: Any) -> str | None:
    """The sentence by which a fit is refused, None if it is not."""
    try:
        model.fit(X, y)
    except (ValueError, TypeError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__} without the name"
    return None
