"""Gaussian processes on the published splits of nine tables, beside networks with dropout.

    RMSE = √(mean (y − E y)²),    LL = mean log N(y; E y, var y)    over the rows that a split holds out       (1)

Tables and splits: Hernández-Lobato & Adams (2015), arXiv:1502.05336. Results of networks with dropout on the same
splits are in the files: Gal & Ghahramani (2016), arXiv:1506.02142. ``python -m benchmarks._uci [table …]`` prints the
means over the splits and their standard errors, as the family page of Gaussian processes has them.
"""

import sys
import warnings
from typing import NamedTuple

import numpy as np

from benchmarks._real import real_path

__all__ = ["TABLES", "Score", "published", "score"]

TABLES = (
    "yacht", "bostonHousing", "energy", "concrete", "wine-quality-red", "kin8nm", "power-plant",
    "naval-propulsion-plant", "protein-tertiary-structure",
)  # fmt: skip
FEWEST, SHARE = 1500, 0.1
"""Of more rows so many, or this share of them, tell the hyper-parameters; drawn at random, as `_drawn` says."""
MOST = 12_000
"""Of more rows so many condition the process, for which there is a dense factor."""


class Score(NamedTuple):
    """(1) of one split, and how many rows to learn from condition the process."""

    error: float
    likelihood: float
    rows: int


class Split(NamedTuple):
    """Standardised columns and the target, for learning and held out."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def score(name, number):
    """(1) of a process with a length scale for each column, learned at the maximum of the evidence."""
    from sklearn.exceptions import ConvergenceWarning

    from gnomon.gp import GaussianProcessRegressor
    from gnomon.kernels import Constant, Matern

    split = _split(name, number)
    n, d = split.X.shape
    some, most = (_drawn(split.X, m, number) for m in (max(FEWEST, int(SHARE * n)), MOST))
    kernel = Constant(1.0) * Matern(np.full(d, 2.0), nu=2.5, length_scale_bounds=(1e-2, 1e6))
    model = GaussianProcessRegressor(kernel, noise="learn", normalize_y=True)
    spread = 1.0
    with warnings.catch_warnings():
        # Columns without use end at their bound.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(split.X[some], split.y[some])
        if n > len(some):
            model = GaussianProcessRegressor(
                model.kernel_, noise=model.noise_, normalize_y=True, optimizer=None, solver="cholesky"
            ).fit(split.X[most], split.y[most])
            spread = _spread(model)
    mean, std = model.predict(split.X_test, return_std=True, include_noise=True)
    std = spread * std
    z = (split.y_test - mean) / std
    likelihood = np.mean(-0.5 * z**2 - np.log(std) - 0.5 * np.log(2.0 * np.pi))
    error = np.sqrt(np.mean((split.y_test - mean) ** 2))
    return Score(float(error), float(likelihood), len(model.X_train_))


def _drawn(X, m, seed):
    """The places of m rows, drawn at random, and of their copies: these tell how much noise there is."""
    _, kind = np.unique(X, axis=0, return_inverse=True)
    return np.flatnonzero(np.isin(kind, kind[np.random.default_rng(seed).permutation(len(X))[:m]]))


def _spread(model):
    """s of the law with s²A instead of A that has the most evidence, s² = yᵀA⁻¹y/n; it leaves the mean as it is."""
    return float(np.sqrt(model.y_train_ @ model.dual_coef_ / len(model.y_train_)))


def published(name):
    """RMSE and LL of networks with dropout, a row for each split."""
    with np.load(real_path(f"uci_regression/{name}.npz"), allow_pickle=False) as file:
        return np.column_stack([file["result_test_MC_rmse"], file["result_test_ll"]])


def _split(name, number):
    with np.load(real_path(f"uci_regression/{name}.npz"), allow_pickle=False) as file:
        X, y, test = file["X"].astype(float), file["y"].astype(float), file[f"test_{number}"].astype(int)
    train = np.setdiff1d(np.arange(len(y)), test)
    width = X[train].std(axis=0)
    Z = (X - X[train].mean(axis=0)) / np.where(width > 0.0, width, 1.0)
    return Split(Z[train], y[train], Z[test], y[test])


def _line(name):
    """One row of the table in Markdown."""
    theirs = published(name)
    scores = []
    for number in range(len(theirs)):
        print(f"{name}: split {number + 1} of {len(theirs)}", file=sys.stderr)
        scores.append(score(name, number))
    ours = np.array([(one.error, one.likelihood) for one in scores])
    n, d = _split(name, 0).X.shape
    cells = [_told(column) for pair in zip(ours.T, theirs.T, strict=True) for column in pair]
    numbers = [f"{number:,}".replace(",", " ") for number in (n, d, scores[0].rows, len(scores))]
    return " | ".join(["", name, *numbers, *cells, ""]).strip()


def _told(values):
    """A mean with its standard error, and as many digits as that leaves."""
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def main():
    """Print the table."""
    print("| table | rows | columns | conditioned on | splits | RMSE | of networks | LL | of networks |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or TABLES:
        print(_line(name), flush=True)


if __name__ == "__main__":
    main()
