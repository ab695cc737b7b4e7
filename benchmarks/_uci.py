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
LEARNING = 1500
"""Of more rows so many, drawn at random, tell the hyper-parameters."""
DENSE = 12_000
"""Rows up to which there is a dense factor, which a table almost without noise needs; beyond, inducing rows."""
INDUCING = 1000


class Score(NamedTuple):
    """(1) of one split, the solver of all its rows, and the share of the prior variance that this left out."""

    error: float
    likelihood: float
    solver: str
    missing: float


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
    some = np.sort(np.random.default_rng(number).permutation(n)[:LEARNING])
    kernel = Constant(1.0) * Matern(np.full(d, 2.0), nu=2.5, length_scale_bounds=(1e-2, 1e6))
    model = GaussianProcessRegressor(kernel, noise="learn", normalize_y=True)
    with warnings.catch_warnings():
        # Columns without use end at their bound; what inducing rows leave out is a column of the table.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        model.fit(split.X[some], split.y[some])
        if n > LEARNING:
            model = GaussianProcessRegressor(
                model.kernel_, noise=model.noise_, normalize_y=True, optimizer=None, n_inducing=INDUCING,
                solver="cholesky" if n <= DENSE else "inducing",
            ).fit(split.X, split.y)  # fmt: skip
    mean, std = model.predict(split.X_test, return_std=True, include_noise=True)
    z = (split.y_test - mean) / std
    likelihood = np.mean(-0.5 * z**2 - np.log(std) - 0.5 * np.log(2.0 * np.pi))
    error = np.sqrt(np.mean((split.y_test - mean) ** 2))
    return Score(float(error), float(likelihood), model.solver_, model.missing_variance_)


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
    scores = [score(name, number) for number in range(len(theirs))]
    ours = np.array([(one.error, one.likelihood) for one in scores])
    n, d = _split(name, 0).X.shape
    missing = max(one.missing for one in scores)
    solver = scores[0].solver + (f", {missing:.1%} of the variance left out" if missing else "")
    cells = [_told(column) for pair in zip(ours.T, theirs.T, strict=True) for column in pair]
    return " | ".join(["", name, f"{n:,}".replace(",", " "), str(d), str(len(scores)), solver, *cells, ""]).strip()


def _told(values):
    """A mean with its standard error, and as many digits as that leaves."""
    error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def main():
    """Print the table."""
    print("| table | rows | columns | splits | solver | RMSE | of networks | LL | of networks |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or TABLES:
        print(_line(name), flush=True)


if __name__ == "__main__":
    main()
