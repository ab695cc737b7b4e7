"""The centres of `KMeans`, from all rows or from chunks, and what is known of them.

    the run of least J of those that begin at the starts,      J* ≥ `kmeans_lower_bound`                (1)

Runs have the options of the model. Lloyd (1982), doi:10.1109/TIT.1982.1056489.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers, Matrix
from gnomon.base import validate_rows
from gnomon.base.chunks import Chunks, read_chunks
from gnomon.cluster._base import best_run, run_all
from gnomon.numerics.weights import check_weights
from gnomon.optim import (
    ChunkedKMeans,
    KMeansResult,
    distances_to,
    exchange_rows,
    kmeans,
    kmeans_chunks,
    kmeans_lower_bound,
    nearest_center,
)
from gnomon.optim.center_distances import check_objective
from gnomon.optim.solution import log_row

__all__ = ["ChunkReader", "FoundCenters", "centers_of_chunks", "centers_of_rows"]

FEW_COLUMNS = 200
"""Columns up to which the bound on J is computed without being asked for."""

ROUNDING = 1e-12
"""By less than this share J of the same clusters may differ between two runs over chunks."""


class FoundCenters(NamedTuple):
    """The best run, J of all, and what belongs to its centres.

    Fields
    ------
    run : KMeansResult or ChunkedKMeans
    restarts : ndarray
    lower_bound : float
        No centres have a lower J; nan where it was not computed.
    spread : ndarray of shape (k,)
        The root mean square of the distances of the rows of each centre.
    labels : ndarray of int of shape (n,)
        None of rows in chunks.
    """

    run: KMeansResult | ChunkedKMeans
    restarts: Floats
    lower_bound: float
    spread: Floats
    labels: Integers


def centers_of_rows(model: Any, rows: Matrix, weights: Floats, starts: Sequence[Floats]) -> FoundCenters:
    """(1) of rows in the metric of the model."""
    runs = run_all(lambda start, n_jobs: _run(model, rows, start, weights, n_jobs), starts, model.n_jobs)
    found = best_run(runs)
    k = len(found.centers)
    bound = kmeans_lower_bound(rows, k, weights, n_jobs=model.n_jobs) if _is_certified(model, rows) else np.nan
    squares = np.bincount(found.labels, weights * found.squares, k)
    total = np.bincount(found.labels, weights, k)
    spread = np.sqrt(np.divide(squares, total, out=np.zeros(k), where=total > 0.0))
    return FoundCenters(found, np.array([run.objective for run in runs]), bound, spread, found.labels)


def _run(model: Any, rows: Matrix, start: Floats, weights: Floats, n_jobs: int) -> KMeansResult:
    # A J that floats cannot hold is refused by name, once the run is over.
    with np.errstate(over="ignore"):
        found = kmeans(
            rows,
            start,
            weights,
            algorithm="auto" if model.algorithm == "lloyd" else model.algorithm,
            tol=model.tol,
            max_iter=model.max_iter,
            on_empty=model.on_empty,
            callback=log_row if model.verbose else None,
            n_jobs=n_jobs,
        )
    check_objective(found.objective, is_zero=found.objective == 0.0 and _all_on_centers(rows, found, weights))
    if model.refine is None:
        return found
    labels, centers, _ = exchange_rows(rows, found.labels, found.centers, weights, max_iter=model.max_iter)
    labels, squares = nearest_center(rows, centers, n_jobs=n_jobs)
    return found._replace(labels=labels, centers=centers, objective=float(weights @ squares), squares=squares)


def _all_on_centers(rows: Matrix, found: KMeansResult, weights: Floats) -> bool:
    """Whether no distance, in place of its square, is above zero."""
    return not np.any(distances_to(rows, found.centers).min(axis=1)[weights > 0.0])


def centers_of_chunks(model: Any, read: ChunkReader, starts: Sequence[Floats]) -> FoundCenters:
    """(1) of rows in chunks, a run after the other."""
    runs: list[ChunkedKMeans] = []
    with np.errstate(over="ignore"):
        for start in starts:
            found = kmeans_chunks(
                read,
                start,
                tol=model.tol,
                max_iter=model.max_iter,
                # All runs have the same rows, hence the same bound.
                certificate=_is_certified(model, start) and not runs,
                callback=log_row if model.verbose else None,
                n_jobs=model.n_jobs,
            )
            check_objective(found.objective, is_zero=found.radius == 0.0)
            runs.append(found)
    best = runs[0]
    for run in runs[1:]:
        if run.objective < best.objective * (1.0 - ROUNDING):
            best = run
    restarts, none = np.array([run.objective for run in runs]), np.empty(0, dtype=np.int64)
    return FoundCenters(best, restarts, runs[0].lower_bound, best.spread, none)


@dataclass(frozen=True)
class ChunkReader:
    """Checked chunks of a model: each call begins a pass over rows and weights."""

    model: Any
    chunks: Chunks

    def first(self) -> tuple[Matrix, Floats]:
        """The first chunk, which says how many columns there are; an error where there is none."""
        for X, weights in read_chunks(self.chunks)():
            return self._checked(X, weights, reset=True)
        raise ValueError("chunks holds no table; give at least one")

    def __call__(self) -> Iterator[tuple[Matrix, Floats]]:
        for X, weights in read_chunks(self.chunks)():
            yield self._checked(X, weights, reset=False)

    def _checked(self, X: ArrayLike, weights: ArrayLike | None, *, reset: bool) -> tuple[Matrix, Floats]:
        rows = validate_rows(self.model, X, reset=reset, accept_sparse="csr", order="C")
        return rows, check_weights(weights, rows).astype(float)


def _is_certified(model: Any, rows: Matrix) -> bool:
    """Whether the bound is computed for rows of so many columns."""
    return rows.shape[1] <= FEW_COLUMNS if model.certificate == "auto" else bool(model.certificate)
