"""Memory: X is not copied more than a method needs, sparse input stays sparse, predicting allocates its answer alone.

Peaks are counted by tracemalloc, to which NumPy reports every array, so that they do not depend on the machine.
"""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier, is_regressor

import public_names
from gnomon.decomposition import PCA
from gnomon.linear import GLM
from gnomon.testing._tables import example_table, fitted

MODELS = [estimator for estimator in public_names.estimators() if is_classifier(estimator) or is_regressor(estimator)]


def over(estimators):
    return pytest.mark.parametrize("estimator", list(estimators), ids=lambda estimator: type(estimator).__name__)


def peak_of(work):
    """Bytes at the peak of `work()`, above what was there before; kernels are compiled by a first run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        work()
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def tall(estimator, dtype=np.float64):
    X, y = example_table(estimator, n_rows=4000, n_columns=20)
    return X.astype(dtype), y.astype(dtype) if is_regressor(estimator) else y


# Copies of X at the peak of a fit to 4000 × 20 doubles: what the method needs, with room for a working array.
COPIES = {
    "ElasticNet": 3.0,
    "Lasso": 3.0,
    "LeastSquaresClassifier": 2.0,
    # Of 4000 rows each of the two samples that its solver begins with is half of the table.
    "LinearModelClassifier": 6.0,
    "LinearModelRegressor": 3.0,
    "LinearRegression": 2.0,
    "LogisticRegression": 3.0,
    "Perceptron": 2.0,
    "Ridge": 2.0,
    "RidgeCV": 4.0,
}
# Above some thousand columns these work by products with X and its transpose alone.
BY_PRODUCTS = ("Lasso", "LinearRegression", "LogisticRegression", "Perceptron", "Ridge")


def named(names):
    return over(estimator for estimator in MODELS if type(estimator).__name__ in names)


@named(COPIES)
def test_fitting_takes_few_copies_of_the_table(estimator):
    X, y = tall(estimator)
    assert peak_of(lambda: fitted(estimator, X, y)) <= COPIES[type(estimator).__name__] * X.nbytes


@named(("Lasso", "LinearModelRegressor", "LogisticRegression"))
def test_single_precision_takes_less_memory(estimator):
    (X, y), (small, targets) = tall(estimator), tall(estimator, np.float32)
    single, double = peak_of(lambda: fitted(estimator, small, targets)), peak_of(lambda: fitted(estimator, X, y))
    assert single <= 0.75 * double


# A joint table of more columns has more cells than it takes.
COLUMNS = {"JointTableClassifier": 3}


@over(MODELS)
def test_predicting_allocates_less_than_the_table(estimator):
    X, y = example_table(estimator, n_rows=60, n_columns=COLUMNS.get(type(estimator).__name__, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = fitted(estimator, X, y)
    many = np.tile(X, (200, 1))
    assert peak_of(lambda: model.predict(many)) <= many.nbytes + 2**24


@named(BY_PRODUCTS)
def test_sparse_input_stays_sparse(estimator):
    X = sparse.random(400, 20_000, density=5e-4, random_state=0, format="csr")
    y = np.random.default_rng(0).normal(size=400)
    y = (y > 0.0).astype(int) if is_classifier(estimator) else y
    assert peak_of(lambda: fitted(estimator, X, y)) <= 0.25 * 8 * X.shape[0] * X.shape[1]


@named(("GLM", "LinearRegression", "LinearModelRegressor", "LogisticRegression", "Ridge"))
def test_no_square_matrix_of_the_columns_where_it_would_outweigh_the_rows(estimator):
    X = sparse.random(2500, 3000, density=1e-3, random_state=0, format="csr")
    y = np.random.default_rng(0).normal(size=2500)
    y = (y > 0.0).astype(int) if is_classifier(estimator) else y
    assert peak_of(lambda: fitted(estimator, X, y)) <= 0.25 * 8 * X.shape[1] ** 2


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_generalised_linear_models_of_wide_sparse_rows(alpha):
    """Without X's weight in matrices, and to the same minimum."""
    X = sparse.random(1200, 1500, density=2e-3, random_state=0, format="csr")
    y = np.random.default_rng(0).poisson(np.exp(0.3 * X @ np.ones(1500))).astype(float)
    model = GLM("poisson", alpha=alpha, max_iter=1000)
    assert peak_of(lambda: model.fit(X, y)) <= 0.25 * 8 * X.shape[1] ** 2
    assert model.covariance_ is None
    with pytest.raises(ValueError, match="set alpha=0" if alpha else "1500 columns.*give fewer columns"):
        model.summary()
    # More columns than rows have no best unpenalised fit.
    if alpha:
        assert model.converged_
        assert model.objective_ == pytest.approx(GLM("poisson", alpha=alpha, solver="irls").fit(X, y).objective_)


@named(("RidgeCV",))
def test_leave_one_out_of_wide_sparse_rows_takes_matrices_of_the_rows(estimator):
    X = sparse.random(300, 20_000, density=1e-3, random_state=0, format="csr")
    assert peak_of(lambda: fitted(estimator, X, np.arange(300.0))) <= 0.25 * 8 * X.shape[0] * X.shape[1]


@pytest.mark.spec("UNS-069")
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("solver", ["covariance_eigh", "randomized", "arpack"])
def test_principal_components_are_found_without_a_copy_of_the_rows(solver, offset):
    X = np.random.default_rng(0).normal(size=(60_000, 30)) * np.linspace(1.0, 4.0, 30) + offset
    peak = peak_of(lambda: PCA(3, svd_solver=solver, random_state=0).fit(X))
    # A random range of thirteen directions is nearly half of a table of thirty columns, and its factor another half.
    assert peak < (1.6 if solver == "randomized" else 0.5) * X.nbytes
