"""Model files: `save` and `load` by skops; loading never runs code from the file.

A file is a zip archive of plain arrays and a description in JSON, and a note of gnomon's own. Before
anything is built, every type that the description names must be one that skops trusts or one of gnomon's own
estimators and nouns; the names are looked up in what is installed, never taken from the file on trust.

skops is imported where a file is written or read: it imports PyTorch, Dask and xarray where they are installed.
"""

from __future__ import annotations

import importlib
import inspect
import json
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from scipy import sparse
from sklearn import model_selection
from sklearn.base import BaseEstimator
from sklearn.calibration import _CalibratedClassifier, _SigmoidCalibration
from sklearn.dummy import DummyClassifier
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.utils import Bunch

import gnomon
from gnomon._extras import MissingPackageError, need
from gnomon.io._errors import UserError
from gnomon.io.files import outfile
from gnomon.io.stored import check_stored

__all__ = ["ModelFileError", "load", "notes", "save", "write_model"]

NOTES = "gnomon.json"
MOST_NOTES = 8_000_000
MOST_UNPACKED, MOST_TIMES = 100_000_000, 200
"""A file beyond the first number of bytes, and beyond so many times its own size, was not packed by `save`."""


class ModelFileError(UserError):
    """A file that is no model file of gnomon, is damaged, or names types that may not be loaded.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.io import ModelFileError, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.skops")
    ...     _ = path.write_text("not a model")
    ...     try:
    ...         load(path)
    ...     except ModelFileError as error:
    ...         print(str(error).removeprefix(str(path)))
    : this is no model file (no zip archive); give a file that gnomon.io.save wrote
    """


def save(model: BaseEstimator, path: str | Path, **facts: Any) -> None:
    """Write a fitted estimator to `path`, whole or not at all.

    Parameters
    ----------
    model : estimator
        Any estimator of gnomon or scikit-learn, or a pipeline of them.
    path : str or path
        Usually ends in ``.skops``.
    **facts
        Anything that JSON can hold, kept beside the model for `notes`.

    References
    ----------
    The skops project, secure persistence: skops.readthedocs.io/en/stable/persistence.html

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.dummy import DummyClassifier
    >>> from gnomon.io import load, notes, save
    >>> model = DummyClassifier().fit([[0], [1]], ["no", "no"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.skops")
    ...     save(model, path, target="answer")
    ...     load(path).predict([[2]]).tolist(), notes(path)["target"]
    (['no'], 'answer')
    """
    with outfile(path) as temporary:
        write_model(model, temporary, **facts)


def write_model(model: BaseEstimator, path: Path, **facts: Any) -> None:
    """`save` without an atomic rename, for callers that have their own `outbox`."""
    try:
        _skops().dump(model, path, compression=zipfile.ZIP_DEFLATED)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        path.unlink(missing_ok=True)
        raise ModelFileError(
            f"the model holds what cannot be written ({error}), as a module of PyTorch; only estimators of gnomon and "
            "scikit-learn, and what they are made of, can be saved"
        ) from error
    unknown = _untrusted(path)
    if unknown:
        path.unlink()
        raise ModelFileError(
            f"the model holds types that could not be loaded again: {', '.join(unknown)}; "
            "only estimators of gnomon and scikit-learn, and what they are made of, can be saved"
        )
    noted = json.dumps({"gnomon": gnomon.__version__, **facts}, indent=1)
    if len(noted.encode()) > MOST_NOTES:
        path.unlink()
        raise ModelFileError(f"the notes have {len(noted)} characters; at most {MOST_NOTES} bytes fit beside a model")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(NOTES, noted)


def load(path: str | Path) -> Any:
    """The estimator that `save` wrote to `path`.

    Nothing in the file is executed. A file that is damaged, comes from elsewhere, or names a type that is neither
    trusted by skops nor an estimator or noun of gnomon raises `ModelFileError`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.preprocessing import StandardScaler
    >>> from gnomon.io import load, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scaler.skops")
    ...     save(StandardScaler().fit([[0.0], [2.0]]), path)
    ...     load(path).transform([[3.0]]).tolist()
    [[2.0]]
    """
    path = Path(path)
    _warn_of_other_version(path, notes(path)["gnomon"])
    unknown = _untrusted(path)
    if unknown:
        raise ModelFileError(
            f"{path}: holds types that are not loaded: {', '.join(unknown)}; "
            "only estimators of gnomon and scikit-learn, and what they are made of, are accepted"
        )
    try:
        model = _skops().load(path, trusted=sorted(_allowed(path)))
        check_stored(model)
    except Exception as error:
        raise ModelFileError(f"{path}: the model cannot be rebuilt ({_short(error)}); save it again") from error
    return model


def notes(path: str | Path) -> dict[str, Any]:
    """What was noted when the model was saved: gnomon's version and the facts given to `save`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.io import notes, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.skops")
    ...     save(DummyRegressor().fit([[0]], [1.0]), path, task="regression")
    ...     sorted(notes(path))
    ['gnomon', 'task']
    """
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        raise ModelFileError(f"{path}: this is no model file (no zip archive); give a file that gnomon.io.save wrote")
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_bombs(path, archive)
            damaged = archive.testzip()
            if damaged:
                raise zipfile.BadZipFile(f"{damaged} is damaged")
            found = json.loads(archive.read(NOTES))
            return {**found, "gnomon": str(found["gnomon"])}
    except ModelFileError:
        raise
    except KeyError as error:
        raise ModelFileError(
            f"{path}: this archive was not written by gnomon ({NOTES} is missing); "
            "give a file that gnomon.io.save wrote"
        ) from error
    except Exception as error:
        raise ModelFileError(f"{path}: the file is damaged ({_short(error)}); save or copy it again") from error


def _refuse_bombs(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse an archive that unpacks to far more than it holds, before anything is unpacked."""
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    noted = sum(entry.file_size for entry in entries if entry.filename == NOTES)
    if noted > MOST_NOTES or unpacked > max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size):
        raise ModelFileError(
            f"{path}: would unpack to {unpacked / 1e6:.0f} MB, {noted / 1e6:.0f} of them notes, which no "
            "model file does; save the model again"
        )
    if len({entry.filename for entry in entries}) < len(entries):
        raise ModelFileError(f"{path}: holds two parts of one name, which no model file does; save the model again")


def _warn_of_other_version(path: Path, version: str) -> None:
    here = gnomon.__version__
    if version.split(".")[:2] != here.split(".")[:2]:
        warnings.warn(
            f"{path} was saved by gnomon {version}, this is {here}; check its predictions, or fit and save it again",
            UserWarning,
            stacklevel=3,
        )


def _skops() -> Any:
    """skops.io, or an error that names the extra to install."""
    need("a model file", "skops")
    return importlib.import_module("skops.io")


def _untrusted(path: Path) -> list[str]:
    """Names in the file that neither skops nor `_allowed` allows."""
    skops = _skops()
    try:
        named = skops.get_untrusted_types(file=path)
    except Exception as error:
        raise ModelFileError(f"{path}: the description of the model is damaged ({_short(error)})") from error
    return sorted(set(named) - _allowed(path))


def _allowed(path: Path) -> set[str]:
    """Those of the names in the file that are harmless, or estimators, nouns or results defined by gnomon.

    Only modules of the installed package are imported, and only classes defined there that are estimators,
    dataclasses or named tuples count: a function of gnomon, or a name that gnomon imports from elsewhere, does not.
    """
    named = _skops().get_untrusted_types(file=path)
    modules = {name.rpartition(".")[0] for name in named if name.startswith("gnomon.")}
    own = {f"{m.__name__}.{cls.__name__}" for m in map(_installed, modules) if m for cls in _classes(m)}
    return (own | _harmless()) & set(named)


@cache
def _harmless() -> set[str]:
    """Names of scikit-learn, NumPy and SciPy that skops leaves to its caller and that fitted models hold.

    They are types without code of the file's own, and the metrics behind scikit-learn's scorers, which only compute.
    """
    scorers = [get_scorer(name) for name in get_scorer_names()]
    splitters = [getattr(model_selection, name) for name in model_selection.__all__ if name.endswith(("Fold", "Split"))]
    # A search without `scoring` holds the scorer that asks its estimator.
    own_score = check_scoring(DummyClassifier())
    known = [_CalibratedClassifier, _SigmoidCalibration, type(own_score), *map(type, scorers), *splitters]
    known += [scorer._score_func for scorer in scorers]
    # Training rows, which skops reads from an archive of plain arrays.
    known += [sparse.csr_array, sparse.csr_matrix]
    # What ensembles of named estimators keep them in.
    known += [Bunch]
    return {"numpy.dtype", *(f"{thing.__module__}.{thing.__name__}" for thing in known)}


def _installed(name: str) -> ModuleType | None:
    """The module of gnomon of this name, or None if there is no such module."""
    try:
        return importlib.import_module(name)
    except MissingPackageError:
        raise
    except ImportError:
        return None


def _classes(module: ModuleType) -> Iterator[type]:
    for _, cls in inspect.getmembers(module, inspect.isclass):
        if cls.__module__ == module.__name__ and (issubclass(cls, (BaseEstimator, tuple)) or is_dataclass(cls)):
            yield cls


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:160]
