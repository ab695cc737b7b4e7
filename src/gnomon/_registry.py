"""The registry: how a family offers its models to the command line without being named there.

A family writes one module, ``_candidates.py`` in its package, that calls `register` and `register_warmup` when it is
imported. `discover` imports every such module; `candidates` then lists the models that suit the data. This module is in
the lowest layer, so every layer may import it, and of gnomon it imports only types.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sklearn.base import BaseEstimator

from gnomon._typing import Floats
from gnomon._words import Task

__all__ = ["Candidate", "Facts", "LevelCoding", "candidates", "discover", "register", "register_warmup", "warmups"]

LevelCoding: TypeAlias = Literal["columns", "frequent", "means", "words"]
"""How the levels of a category reach a model: a column of zeros and ones for each, or the frequent; as the mean of the
target over their rows; as they are."""


@dataclass(frozen=True)
class Facts:
    """What a family may know of the data when it decides whether a model suits them.

    Parameters
    ----------
    task : {"classification", "regression", "anomaly"}
        What is predicted.
    n_rows, n_features : int
        Shape of the training matrix as the model gets it (a column per level counts as one).
    n_classes : int, default=0
        Number of classes; 0 for regression and for anomalies.
    sparse : bool, default=False
        Whether the prepared matrix is a SciPy sparse matrix.

    Examples
    --------
    >>> from gnomon._registry import Facts
    >>> Facts("classification", n_rows=150, n_features=4, n_classes=3).n_classes
    3
    """

    task: Task
    n_rows: int
    n_features: int
    n_classes: int = 0
    sparse: bool = False


Make: TypeAlias = Callable[[Facts, int], BaseEstimator]
"""What builds a model for a table of which these facts are known, with a seed."""


def _always(facts: Facts) -> bool:
    return True


@dataclass(frozen=True)
class Candidate:
    """One model for a kind of data.

    Parameters
    ----------
    name : str
        What the user reads, unique within its task.
    task : {"classification", "regression", "anomaly"}
        What it predicts.
    make : callable (facts, random_state) → estimator
        Builds an unfitted scikit-learn estimator; imports what it needs itself, so that registering is cheap.
    complexity : float
        Place in the order from simple (small) to elaborate (large); among models of equal merit the simplest is taken.
    suits : callable facts → bool, default=always
        Whether the model is sensible for data with these `Facts`.
    note : str, default=""
        One sentence for the report: what the model is.
    probabilities : bool, default=True
        For classifiers: whether the estimator has ``predict_proba``. Where not, its scores are calibrated from outside.
        For detectors: whether ``score_samples`` is a log density, so that held-out rows can judge it without labels.
    explain : callable estimator → array of shape (n_outputs, n_features), optional
        The coefficients of a fitted model in the order of the prepared columns.
    rules : callable (estimator, names, center, scale) → str, optional
        A fitted model as text, in the names of the prepared columns and, since these hold (value − centre) / scale, in
        the units of the table.
    shares : callable estimator → array of shape (n_features,), optional
        What the model itself counts as the importance of the prepared columns.
    levels : {"columns", "frequent", "means", "words"}, default="columns"
        How categories reach the model: one column per level (sparse where there are many), one column for each of the
        most frequent levels, the mean of the target over the rows of a level, or as they are, in an array of objects.
        A model of means is tried where a category has many levels.
    space : callable facts → dict, optional
        Parameters of the estimator that a search may set, by name: a list of values, or a frozen ``uniform``,
        ``loguniform`` or ``randint`` of ``scipy.stats``.
    usual_warnings : str, default=""
        A regular expression of warnings that any table may give and that no reader of a report can mend.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon._registry import Candidate, Facts
    >>> mean = Candidate("mean", "regression", lambda facts, random_state: DummyRegressor(), complexity=0)
    >>> mean.suits(Facts("regression", n_rows=10, n_features=1))
    True
    """

    name: str
    task: Task
    make: Make
    complexity: float
    suits: Callable[[Facts], bool] = _always
    note: str = ""
    probabilities: bool = True
    explain: Callable[[Any], Floats] | None = None
    rules: Callable[[Any, Sequence[str], Floats, Floats], str] | None = None
    shares: Callable[[Any], Floats] | None = None
    levels: LevelCoding = "columns"
    space: Callable[[Facts], dict[str, Any]] | None = None
    usual_warnings: str = ""


@dataclass
class _Registered:
    """What has been registered in this process, by name."""

    models: dict[tuple[str, str], Candidate] = field(default_factory=dict)
    jobs: dict[str, Callable[[], object]] = field(default_factory=dict)


_registered = _Registered()


def register(candidate: Candidate) -> None:
    """Offer `candidate`; one of the same name and task is replaced, so that a module may be imported twice.

    Examples
    --------
    >>> from gnomon._registry import Candidate, register
    >>> register(Candidate("none", "regression", lambda facts, random_state: None, 1, suits=lambda facts: False))
    """
    _registered.models[candidate.task, candidate.name] = candidate


def register_warmup(name: str, job: Callable[[], object]) -> None:
    """Offer a small piece of work, ``job()``, that compiles the kernels which `name` describes.

    Examples
    --------
    >>> from gnomon._registry import register_warmup, warmups
    >>> register_warmup("nothing", lambda: None)
    >>> "nothing" in dict(warmups())
    True
    """
    _registered.jobs[name] = job


def candidates(facts: Facts) -> list[Candidate]:
    """Every registered model that suits `facts`, from simple to elaborate.

    Examples
    --------
    >>> from gnomon._registry import Facts, candidates
    >>> found = candidates(Facts("regression", n_rows=100, n_features=2))
    >>> [c.complexity for c in found] == sorted(c.complexity for c in found)
    True
    """
    suited = [c for c in _registered.models.values() if c.task == facts.task and c.suits(facts)]
    return sorted(suited, key=lambda c: (c.complexity, c.name))


def warmups() -> list[tuple[str, Callable[[], object]]]:
    """Every registered warm-up job with its name, in the order of the names.

    Examples
    --------
    >>> from gnomon._registry import warmups
    >>> all(callable(job) for _, job in warmups())
    True
    """
    return sorted(_registered.jobs.items())


def discover(package: str = "gnomon") -> list[str]:
    """Import the ``_candidates`` module of every sub-package of `package`; return the names of those found.

    Examples
    --------
    >>> from gnomon._registry import discover
    >>> all(name.endswith("._candidates") for name in discover())
    True
    """
    root = importlib.import_module(package)
    families = [module.name for module in pkgutil.iter_modules(root.__path__) if module.ispkg]
    # The packages are searched on disk, not imported.
    found = [
        module.name
        for family in families
        for module in pkgutil.iter_modules(
            [str(Path(place, family)) for place in root.__path__], f"{package}.{family}."
        )
        if module.name.endswith("._candidates")
    ]
    for name in found:
        importlib.import_module(name)
    return found
