"""One machine, however its rows and its kernel are given: dense, sparse, as a matrix, a function or a list."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris

from gnomon.kernels import CallableKernel
from gnomon.svm import SVC, SVR, KernelPerceptron, KernelRidge, OneClassSVM

IRIS = load_iris()
X, Y = IRIS.data, IRIS.target
WORDS = ["A A", "A", "B", "B B", "A B"]
COUNTS = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 1.0]])


def common_letters(A, B):
    return np.array([[a.count("A") * b.count("A") + a.count("B") * b.count("B") for b in B] for a in A], dtype=float)


@pytest.mark.spec("KER-L26", "KER-076")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.lil_array])
@pytest.mark.filterwarnings("ignore::gnomon.kernels.NotPSDWarning")
def test_sparse_rows_give_the_machine_of_dense_ones(kernel, form):
    digits, labels = load_digits(n_class=4, return_X_y=True)
    for rows, y in ((X, Y), (digits[:100], labels[:100])):
        for Machine in (SVC, SVR, OneClassSVM):
            dense, found = (Machine(kernel=kernel).fit(A, y) for A in (rows, form(rows)))
            np.testing.assert_array_equal(found.support_, dense.support_)
            np.testing.assert_array_equal(found.dual_coef_.toarray(), dense.dual_coef_)
            np.testing.assert_array_equal(found.intercept_, dense.intercept_)
            np.testing.assert_array_equal(found.support_vectors_.toarray(), dense.support_vectors_)
            score = "predict" if Machine is SVR else "decision_function"
            scores = getattr(found, score)(form(rows)), getattr(dense, score)(rows)
            np.testing.assert_allclose(*scores, atol=1e-9 * np.abs(scores[1]).max())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_function_may_give_a_sparse_matrix_and_reads_rows_as_they_are(form):
    kinds = []

    def product(A, B):
        kinds.append((type(A), type(B)))
        return A @ B.T

    rows = form(X[:100])
    model = SVC(kernel=product, tol=1e-6).fit(rows, Y[:100])
    expected = SVC(kernel="linear", tol=1e-6).fit(X[:100], Y[:100]).decision_function(X[:100])
    np.testing.assert_allclose(model.decision_function(rows), expected, atol=1e-5)
    assert {kind for pair in kinds for kind in pair} == {type(rows)}


@pytest.mark.parametrize("Machine", [SVC, SVR, KernelRidge, KernelPerceptron])
def test_a_function_of_two_lists_takes_objects(Machine):
    y = np.array([1, 1, 2, 2, 1])
    options = {} if Machine in (KernelRidge, KernelPerceptron) else {"tol": 1e-8}
    expected = Machine(kernel="linear", **options).fit(COUNTS, y).predict(COUNTS)
    if Machine is not KernelRidge:
        found = Machine(kernel=common_letters, **options).fit(WORDS, y).predict(WORDS)
        np.testing.assert_allclose(found, expected, atol=1e-6)
    pairs = CallableKernel(lambda a, b: float(common_letters([a], [b])[0, 0]), pairwise=True)
    np.testing.assert_allclose(Machine(kernel=pairs, **options).fit(WORDS, y).predict(WORDS), expected, atol=1e-6)


def test_a_function_of_one_column():
    column, target = X[:, :1], X[:, 1]
    for Machine in (SVC, SVR, OneClassSVM):
        y = Y if Machine is SVC else target
        found = Machine(kernel=lambda A, B: A @ B.T, tol=1e-6).fit(column, y).predict(column)
        gram = Machine(kernel="precomputed", tol=1e-6).fit(column @ column.T, y).predict(column @ column.T)
        np.testing.assert_allclose(found, gram, atol=1e-5)


def test_sigmoids_are_deprecated_with_what_fits_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC().fit(X, Y)
    for name in ("probA_", "probB_"):
        with pytest.warns(FutureWarning, match=f"Attribute `{name}` was deprecated"):
            assert getattr(model, name).size == 0


@pytest.mark.spec("KER-L25", "KER-058")
@pytest.mark.parametrize("options", [{}, {"cache_size": 0.01}, {"shrinking": False}, {"tol": 0.1}], ids=str)
def test_few_rows_are_solved_to_all_digits_whatever_the_way(options):
    for Machine, y in ((SVC, Y), (SVR, X[:, 3]), (OneClassSVM, None)):
        ways = [
            Machine(kernel="linear", **options).fit(X[:, :3], y),
            Machine(kernel="precomputed", **options).fit(X[:, :3] @ X[:, :3].T, y),
            Machine(kernel=lambda A, B: A @ B.T, **options).fit(X[:, :3], y),
        ]
        for model in ways:
            assert model.kkt_residual_ <= 1e-8
            np.testing.assert_allclose(model.intercept_, ways[0].intercept_, atol=1e-7)
        score = "predict" if Machine is SVR else "decision_function"
        f, g = (getattr(model, score)(X[:, :3]) for model in (ways[0], ways[2]))
        np.testing.assert_allclose(f, g, atol=1e-7)
