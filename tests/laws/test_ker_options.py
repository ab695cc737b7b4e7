"""An option that a kernel cannot use is refused, in every estimator with a kernel."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import public_names
from gnomon.kernels import RBF, Linear
from gnomon.svm import SVC, KernelRidge

OTHERS = {"gamma": 0.25, "degree": 2, "coef0": 0.5, "kernel_params": {"width": 1.0}}
Y = np.repeat([0, 1], 10)
X = np.random.default_rng(0).normal(size=(20, 2)) + 5.0 * Y[:, None]


def named_kernels():
    """Every estimator that takes a kernel by name, its parameter of it, and each parameter of such a kernel."""
    rows = [(cls, inspect.signature(cls).parameters) for cls in public_names.classes(BaseEstimator)]
    return [
        pytest.param(cls, kernel, word, id=f"{cls.__name__}-{word}")
        for cls, words in rows
        for kernel in ("kernel", "affinity")
        for word in OTHERS
        if kernel in words and word in words
    ]


@pytest.mark.spec("KER-054")
@pytest.mark.filterwarnings("ignore:n_components:UserWarning")
@pytest.mark.parametrize(("Model", "kernel", "word"), named_kernels())
def test_parameters_of_a_named_kernel_beside_a_kernel_object_are_refused(Model, kernel, word):
    with pytest.raises(ValueError, match=rf"{word}\W"):
        Model(**{kernel: RBF(2.0), word: OTHERS[word]}).fit(X, Y)
    default = inspect.signature(Model).parameters[word].default
    Model(**{kernel: RBF(2.0), word: default}).fit(X, Y)


def test_a_kernel_that_is_named_leaves_what_it_has_no_use_for():
    """As in scikit-learn, so that a search over kernels by name may cover the parameters of each."""
    expected = SVC(kernel="linear").fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(SVC(kernel="linear", gamma=9.0, degree=7).fit(X, Y).decision_function(X), expected)
    np.testing.assert_allclose(
        KernelRidge(kernel="linear", gamma=9.0).fit(X, Y).predict(X), KernelRidge(kernel=Linear()).fit(X, Y).predict(X)
    )
