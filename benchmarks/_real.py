"""Real tables for the rows, from the folder of real data; where a file is absent, its rows are a note in the table."""

import gzip

import numpy as np

from benchmarks._data import REAL, make

__all__ = ["adult", "california", "cover", "one_hot_adult", "real_path", "usps", "usps_split"]


def real_path(name):
    """The path of one file; FileNotFoundError says how to get its rows measured."""
    path = REAL / name
    if not path.exists():
        raise FileNotFoundError(f"{name} is not in {REAL}; set GNOMON_DATA to the folder that holds it")
    return path


def adult(n=32_561):
    """The census data with their categories as they are."""
    import pandas as pd

    parts = []
    for name in ("train", "test"):
        with gzip.open(real_path(f"tabular/adult_{name}.csv.gz"), "rt") as file:
            parts.append(pd.read_csv(file, skipinitialspace=True, na_values="?"))
    train, test = parts
    target = train.columns[-1]
    y, y_test = (part[target].astype(str).str.contains(">50K").to_numpy().astype(int) for part in (train, test))
    X, X_test = train.drop(columns=target), test.drop(columns=target)
    for column in X.select_dtypes(exclude="number"):
        values = sorted(set(X[column].dropna()) | set(X_test[column].dropna()))
        X[column] = pd.Categorical(X[column], categories=values)
        X_test[column] = pd.Categorical(X_test[column], categories=values)
    return make(X[:n], y[:n], X_test=X_test, y_test=y_test)


def one_hot_adult(n=32_561, *, standardize=False):
    """The census data with a column of zeros and ones for each level."""
    import pandas as pd

    data = adult(n)
    X, X_test = (pd.get_dummies(part).to_numpy(dtype=float) for part in (data.X, data.X_test))
    return make(_standardized(X) if standardize else X, data.y, X_test=X_test, y_test=data.y_test)


def cover(n=8000):
    """Forest cover, standardised: seven classes of very different size, and columns with very few ones."""
    table = np.loadtxt(real_path("tabular/covtype_sample.csv.gz"), delimiter=",", skiprows=1)
    X, y = _standardized(table[:, :-1]), np.unique(table[:, -1], return_inverse=True)[1]
    return make(X[:n], y[:n], X_test=X[8000:], y_test=y[8000:])


def usps(n=7291):
    """Handwritten digits of 16×16 pixels."""
    table = np.loadtxt(real_path("esl/zip.train.csv.gz"), delimiter=",", skiprows=1)
    return make(table[:n, 1:], table[:n, 0].astype(int))


def usps_split(n=7291):
    """The same digits with those that are kept for testing."""
    data = usps(n)
    table = np.loadtxt(real_path("esl/zip.test.csv.gz"), delimiter=",", skiprows=1)
    return make(data.X, data.y, X_test=table[:, 1:], y_test=table[:, 0].astype(int))


def california(n=20_433, *, degree=3, classes=False):
    """Prices of houses from all products of up to three columns, standardised: nearly collinear."""
    import pandas as pd
    from sklearn.preprocessing import PolynomialFeatures

    table = pd.read_csv(real_path("tabular/california_housing.csv.gz")).select_dtypes("number").dropna()
    y = table.pop("median_house_value").to_numpy() / 1e5
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    X = PolynomialFeatures(degree, include_bias=False).fit_transform(_standardized(table.to_numpy()))
    return make(_standardized(X)[chosen], (y > np.median(y)).astype(int)[chosen] if classes else y[chosen])


def _standardized(X):
    spread = X.std(axis=0)
    return np.ascontiguousarray((X - X.mean(axis=0))[:, spread > 0.0] / spread[spread > 0.0])
