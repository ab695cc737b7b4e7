"""The certified least-squares problems of NIST's Statistical Reference Datasets, to the digits that they allow."""

import json

import numpy as np
import pytest

from gnomon.linear import LinearRegression
from real_data import data_path

# Correct significant digits of the worst coefficient, and of the worst standard error (None: the certified error is
# zero to 70 digits). Filip's powers have a condition number of 4e9 even scaled; in Wampler4 and Wampler5 residuals a
# hundred and ten thousand times larger than the fit of Wampler3 multiply the square of theirs.
DIGITS = {
    "norris": (11, 12),
    "pontius": (12, 12),
    "noint1": (13, 13),
    "noint2": (13, 13),
    "longley": (12, 12),
    "wampler1": (8.5, None),
    "wampler2": (11, None),
    "wampler3": (8.5, 12),
    "wampler4": (7.5, 12),
    "wampler5": (5.5, 12),
    "filip": (6.5, 6.5),
}


def problem(name):
    certified = json.loads(data_path("nist_strd/certified_values.json").read_text())[name]
    rows = np.genfromtxt(data_path(f"nist_strd/{name}.csv"), delimiter=",", skip_header=1)
    y, X = rows[:, 0], rows[:, 1:]
    if certified["model"].startswith("polynomial"):
        degree = int(certified["model"].split()[2])
        X = X[:, :1] ** np.arange(1, degree + 1)
    return X, y, "no intercept" not in certified["model"], certified


def log_relative_error(found, certified):
    """−log₁₀ of the largest relative error: the number of correct significant digits, at most 15."""
    found, certified = np.asarray(found, dtype=float), np.array([float(value) for value in certified])
    return -np.log10(max(np.max(np.abs(found - certified) / np.abs(certified)), 1e-15))


@pytest.mark.spec("LIN-031", "LIN-035")
@pytest.mark.parametrize("solver", ["auto", "qr", "svd"])
@pytest.mark.parametrize("name", DIGITS)
def test_certified_digits(name, solver):
    X, y, intercept, certified = problem(name)
    model = LinearRegression(fit_intercept=intercept, solver=solver).fit(X, y)
    of_coef, of_intercept = model.standard_errors()
    coef = [model.intercept_, *model.coef_] if intercept else model.coef_
    errors = [of_intercept, *of_coef] if intercept else of_coef
    digits, error_digits = DIGITS[name]
    assert log_relative_error(coef, certified["coef"]) >= digits
    if error_digits is None:
        assert model.residual_norm_ <= 1e-9 * np.linalg.norm(y)
    else:
        assert log_relative_error(errors, certified["se"]) >= error_digits
        deviation = model.residual_norm_ / np.sqrt(len(y) - len(coef))
        assert log_relative_error([deviation], [certified["residual_sd"]]) >= min(error_digits, 12)


@pytest.mark.spec("LIN-031")
def test_normal_equations_lose_filip():
    X, y, _, certified = problem("filip")
    naive = LinearRegression(solver="normal", on_singular="ignore").fit(X, y)
    assert log_relative_error([naive.intercept_, *naive.coef_], certified["coef"]) < 1
    assert LinearRegression(solver="cholesky").fit(X, y).solver_ == "qr"
