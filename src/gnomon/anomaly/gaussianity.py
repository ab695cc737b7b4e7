"""How nearly normal the columns of a table are, and what would make them more so.

    skewness g₁ = m₃/m₂^{3/2},    excess kurtosis g₂ = m₄/m₂² − 3,    W or A² of each column                  (1)
    b₁ = Σᵢⱼ (zᵢᵀzⱼ)³/n²,    b₂ = Σᵢ ‖zᵢ‖⁴/n   with whitened rows z;   n b₁/6 ~ χ²,  b₂ ~ N(d(d+2), 8d(d+2)/n)       (2)

Shapiro & Wilk (1965), doi:10.1093/biomet/52.3-4.591, for up to 5000 rows; Anderson & Darling (1954),
doi:10.1080/01621459.1954.10501232, above; (2) of all columns together: Mardia (1970), doi:10.1093/biomet/57.3.519.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy.stats import chi2, norm, shapiro
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats
from gnomon.anomaly.log_shift import MOST_FOR_SHAPIRO
from gnomon.numerics.parallel import split_rows
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.validation import assert_finite, check_interval

__all__ = ["ColumnShape", "GaussianityReport", "gaussianity_report"]

STRONG_SKEW = 0.5
HEAVY_TAILS = 1.0
MOST_IN_A_BLOCK = 2**22

NormalityTest: TypeAlias = Literal["shapiro", "anderson"]
Suggestion: TypeAlias = Literal["none", "LogShift", "LogShift of −x", "PowerTransformer", "QuantileTransformer", "drop"]


class ColumnShape(NamedTuple):
    """One column compared with a normal law.

    Parameters
    ----------
    name : str
    skewness, kurtosis : float
        g₁ and g₂ of equation (1), both 0 for a normal law.
    test : {"shapiro", "anderson"}
        Which test was made.
    statistic, p_value : float
    suggestion : {"none", "LogShift", "LogShift of −x", "PowerTransformer", "QuantileTransformer", "drop"}
        What to try: nothing for a column that passes, a logarithm for a skew one, a transform by ranks for heavy or
        odd tails, and no column at all where it is constant.

    References
    ----------
    Shapiro, S. S. & Wilk, M. B. (1965). An analysis of variance test for normality. doi:10.1093/biomet/52.3-4.591

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import gaussianity_report
    >>> income = np.exp(np.random.default_rng(0).normal(size=(200, 1)))
    >>> column = gaussianity_report(income).columns[0]
    >>> round(column.skewness, 2), column.p_value < 0.01, column.suggestion
    (1.69, True, 'LogShift')
    """

    name: str
    skewness: float
    kurtosis: float
    test: NormalityTest
    statistic: float
    p_value: float
    suggestion: Suggestion


class GaussianityReport(NamedTuple):
    """Every column, and all together.

    Parameters
    ----------
    columns : tuple of ColumnShape
    mardia_skewness, mardia_kurtosis : float
        b₁ and b₂ of equation (2); NaN where the covariance is singular.
    skewness_p_value, kurtosis_p_value : float
        Of their tests.

    References
    ----------
    Mardia, K. V. (1970). Measures of multivariate skewness and kurtosis with applications.
    doi:10.1093/biomet/57.3.519

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import gaussianity_report
    >>> report = gaussianity_report(np.random.default_rng(0).normal(size=(200, 2)))
    >>> [column.suggestion for column in report.columns], report.skewness_p_value > 0.01
    (['none', 'none'], True)
    """

    columns: tuple[ColumnShape, ...]
    mardia_skewness: float
    mardia_kurtosis: float
    skewness_p_value: float
    kurtosis_p_value: float

    def __str__(self) -> str:
        lines = [
            f"{c.name}: skewness {c.skewness:.3f}, excess kurtosis {c.kurtosis:.3f}, {c.test} {c.statistic:.4f} "
            f"(p = {c.p_value:.3g}); try {c.suggestion}"
            for c in self.columns
        ]
        whole = (
            f"all columns: Mardia skewness {self.mardia_skewness:.3f} (p = {self.skewness_p_value:.3g}), kurtosis "
            f"{self.mardia_kurtosis:.3f} (p = {self.kurtosis_p_value:.3g})"
        )
        return "\n".join([*lines, whole])


def gaussianity_report(X: ArrayLike, *, alpha: float = 0.01) -> GaussianityReport:
    """Compare every column of X, and all together, with a normal law.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        At least three rows.
    alpha : float in (0, 1), default=0.01
        Columns whose p-value is below this get a suggestion.

    Returns
    -------
    GaussianityReport

    References
    ----------
    Mardia, K. V. (1970). Measures of multivariate skewness and kurtosis with applications.
    doi:10.1093/biomet/57.3.519

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.anomaly import gaussianity_report
    >>> rng = np.random.default_rng(0)
    >>> report = gaussianity_report(np.c_[rng.normal(size=500), rng.lognormal(size=500)])
    >>> [column.suggestion for column in report.columns]
    ['none', 'LogShift']
    """
    check_interval("alpha", alpha, 0.0, 1.0, closed="neither")
    names = getattr(X, "columns", None)
    X = check_array(X, dtype=float, ensure_all_finite=False, ensure_min_samples=3)
    assert_finite(X, columns=names)
    names = [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]
    Z = _centred(X)
    columns = tuple(_column(name, z, alpha) for name, z in zip(names, Z.T, strict=True))
    return GaussianityReport(columns, *_mardia(Z))


def _centred(X: Floats) -> Floats:
    """Columns less their means in units near their greatest size, so that no power overflows; zero where constant."""
    Z = PowerOfTwo.of(X, axis=0).inward(X)
    Z = Z - np.where(np.ptp(Z, axis=0) > 0.0, np.mean(Z, axis=0), Z[0])
    return cast(Floats, PowerOfTwo.of(Z, axis=0).inward(Z))


def _column(name: str, x: Floats, alpha: float) -> ColumnShape:
    """The shape of one centred column."""
    test: NormalityTest = "shapiro" if len(x) <= MOST_FOR_SHAPIRO else "anderson"
    if not np.any(x):
        return ColumnShape(name, np.nan, np.nan, test, np.nan, np.nan, "drop")
    z = x / np.sqrt(np.mean(x**2))
    skewness, kurtosis = float(np.mean(z**3)), float(np.mean(z**4) - 3.0)
    statistic, p_value = {"shapiro": _shapiro, "anderson": _anderson}[test](z)
    suggestion = "none" if p_value >= alpha else _suggestion(skewness, kurtosis)
    return ColumnShape(name, skewness, kurtosis, test, statistic, p_value, suggestion)


def _suggestion(skewness: float, kurtosis: float) -> Suggestion:
    if abs(skewness) > STRONG_SKEW:
        return "LogShift" if skewness > 0.0 else "LogShift of −x"
    return "QuantileTransformer" if kurtosis > HEAVY_TAILS else "PowerTransformer"


def _shapiro(x: Floats) -> tuple[float, float]:
    found = shapiro(x)
    return float(found.statistic), float(found.pvalue)


def _anderson(x: Floats) -> tuple[float, float]:
    """A² with mean and variance estimated, and its p-value: Stephens (1986), in D'Agostino & Stephens, table 4.9."""
    n = len(x)
    z = np.sort((x - np.mean(x)) / np.std(x, ddof=1))
    i = np.arange(1, n + 1)
    a = -n - float(np.mean((2 * i - 1) * (norm.logcdf(z) + norm.logsf(z[::-1]))))
    b = a * (1.0 + 0.75 / n + 2.25 / n**2)
    pieces = (
        (0.2, lambda: 1.0 - np.exp(-13.436 + 101.14 * b - 223.73 * b**2)),
        (0.34, lambda: 1.0 - np.exp(-8.318 + 42.796 * b - 59.938 * b**2)),
        (0.6, lambda: np.exp(0.9177 - 4.279 * b - 1.38 * b**2)),
        (13.0, lambda: np.exp(1.2937 - 5.709 * b + 0.0186 * b**2)),
        (np.inf, lambda: 0.0),
    )
    return a, float(next(p() for limit, p in pieces if b < limit))


def _mardia(Z: Floats) -> tuple[float, float, float, float]:
    """b₁, b₂ and their p-values, equation (2), of centred columns."""
    n, d = Z.shape
    scale = np.sqrt(np.mean(Z**2, axis=0))
    if n <= d or not np.all(scale > 0.0):
        return (np.nan,) * 4
    root, sizes, _ = np.linalg.svd(Z / scale, full_matrices=False)
    if sizes[-1] <= sizes[0] * max(n, d) * np.finfo(float).eps:
        return (np.nan,) * 4
    Z = root * np.sqrt(n)
    skewness, kurtosis = _cubes(Z) / n**2, float(np.mean(np.sum(Z**2, axis=1) ** 2))
    freedom = d * (d + 1) * (d + 2) // 6
    gap = (kurtosis - d * (d + 2)) / np.sqrt(8.0 * d * (d + 2) / n)
    return skewness, kurtosis, float(chi2.sf(n * skewness / 6.0, freedom)), float(2.0 * norm.sf(abs(gap)))


def _cubes(Z: Floats) -> float:
    """Σᵢⱼ (zᵢᵀzⱼ)³ = Σ_abc (Σᵢ z_ia z_ib z_ic)²: over pairs of rows or triples of columns, whichever are fewer."""
    n, d = Z.shape
    if d * d > n:
        blocks = split_rows(n, n * n // MOST_IN_A_BLOCK + 1)
        return float(sum(np.sum((Z[rows] @ Z.T) ** 3) for rows in blocks))
    return float(sum(np.sum(((Z * column[:, None]).T @ Z) ** 2) for column in Z.T))
