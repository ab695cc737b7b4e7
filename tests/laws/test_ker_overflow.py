"""Rows and weights near the ends of the numbers: a right answer, or a sentence that names them."""

import numpy as np
import pytest
from scipy import sparse

from gnomon.decomposition import KernelPCA
from gnomon.kernels import Linear, Polynomial, Sigmoid
from gnomon.svm import SVC, SVR, KernelLogisticRegression, KernelPerceptron, KernelRidge, MulticlassSVC, OneClassSVM

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 2))
Y = (X[:, 0] > 0.0).astype(int)
MACHINES = [SVC, SVR, OneClassSVM, MulticlassSVC, KernelRidge, KernelLogisticRegression, KernelPerceptron, KernelPCA]
FORMS = [np.asarray, sparse.csr_array]


@pytest.mark.spec("KER-L26")
@pytest.mark.parametrize("Machine", MACHINES)
@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", Linear(), Polynomial(2), Polynomial(9), Sigmoid()])
@pytest.mark.parametrize("size", [1e155, 1e200, 1e300])
@pytest.mark.filterwarnings("ignore::gnomon.kernels.NotPSDWarning")
def test_rows_whose_comparisons_overflow_are_refused_by_name(Machine, kernel, size):
    if isinstance(kernel, Sigmoid) or (kernel == "sigmoid" and Machine in (KernelRidge, KernelPCA)):
        # It is bounded, and γ = 1/d there.
        return
    for rows in (np.array([[size], [-size]]), np.where(np.arange(40).reshape(20, 2) == 7, size, X)):
        with pytest.raises(ValueError, match=r"X\b.*(scale|StandardScaler)"):
            Machine(kernel=kernel).fit(rows, np.arange(len(rows)) % 2)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", [1e-150, 1e-60, 1e60, 1e140])
def test_rows_whose_comparisons_are_numbers_are_fitted(form, unit):
    rows, expected = form(X * unit), SVC(kernel="linear", C=1.0).fit(X, Y).decision_function(X)
    found = SVC(kernel="linear", C=1.0 / unit / unit).fit(rows, Y).decision_function(rows)
    np.testing.assert_allclose(found, expected, atol=2e-3)
    expected = SVC(kernel="poly").fit(X, Y).decision_function(X)
    np.testing.assert_allclose(SVC(kernel="poly").fit(rows, Y).decision_function(rows), expected, atol=2e-3)


@pytest.mark.parametrize("unit", [1e-300, 1e-100, 3.0, 1e100, 1e300])
def test_regions_do_not_depend_on_the_unit_of_the_weights(unit):
    expected, found = OneClassSVM(tol=1e-6).fit(X), OneClassSVM(tol=1e-6).fit(X, sample_weight=np.full(20, unit))
    np.testing.assert_allclose(found.decision_function(X) / unit, expected.decision_function(X), atol=1e-5)
    np.testing.assert_allclose([found.objective_, found.rho_], [expected.objective_, expected.rho_], rtol=1e-5)
    for model in (found, expected):
        assert model.history_["objective"][-1] == pytest.approx(model.objective_)


@pytest.mark.parametrize("Machine", [SVC, SVR, OneClassSVM, MulticlassSVC, KernelRidge, KernelLogisticRegression])
def test_weights_without_a_sum_are_refused(Machine):
    with pytest.raises(ValueError, match="sample_weight has entries up to 1e\\+308"):
        Machine().fit(X, Y, sample_weight=np.full(20, 1e308))
