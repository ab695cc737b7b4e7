"""Pictures of models that were fitted to frames, and of tables and models that do not suit them."""

import numpy as np
import pandas as pd
import pytest

from gnomon import plot
from gnomon.gp import GaussianProcessRegressor, ThinPlateSpline
from gnomon.kernels import RBF, Additive
from gnomon.linear import LogisticRegression
from gnomon.svm import KernelRidge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
PLANE, LINE = pd.DataFrame(X[:, :2], columns=["a", "b"]), pd.DataFrame({"a": X[:, 0]})
Y, Z = (X[:, 0] > 0.0).astype(int), X[:, 0] - X[:, 1]
PROCESS = GaussianProcessRegressor(alpha=0.1, optimizer=None)
ADDITIVE = KernelRidge(kernel=Additive([RBF(), RBF()], order=1))

DRAWN = {
    "process_band": lambda: plot.process_band(PROCESS.fit(LINE, Z), LINE, Z, n_draws=2),
    "cardinal_functions": lambda: plot.cardinal_functions(PROCESS.fit(LINE, Z), LINE),
    "spline_surface": lambda: plot.spline_surface(ThinPlateSpline().fit(PLANE, Z), PLANE, Z),
    "additive_components": lambda: plot.additive_components(ADDITIVE.fit(PLANE, Z), PLANE),
    "probability_surface": lambda: plot.probability_surface(LogisticRegression().fit(PLANE, Y), PLANE),
    "cluster_panels": lambda: plot.cluster_panels({"one": Y}, PLANE),
    "whitening_steps": lambda: plot.whitening_steps(PLANE, Y),
    "polar_remap": lambda: plot.polar_remap(PLANE, Y),
}
REFUSED = {
    "process_band": (lambda: plot.process_band(PROCESS.fit(X, Z), X, Z), "1 column"),
    "cardinal_functions": (lambda: plot.cardinal_functions(PROCESS.fit(X, Z), X), "1 column"),
    "spline_surface": (lambda: plot.spline_surface(ThinPlateSpline().fit(X, Z), X, Z), "2 columns"),
    "probability_surface": (lambda: plot.probability_surface(LogisticRegression().fit(X, Y), X), "2 columns"),
    "a line": (lambda: plot.probability_surface(LogisticRegression().fit(LINE, Y), LINE), "2 columns"),
    "cluster_panels": (lambda: plot.cluster_panels({"one": Y}, X[:, :1]), "2 columns"),
    "no clusters": (lambda: plot.cluster_panels({}, PLANE), "labels"),
    "whitening_steps": (lambda: plot.whitening_steps(X[:, :1]), "2 columns"),
    "polar_remap": (lambda: plot.polar_remap(X[:, :1], Y), "2 columns"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_models_of_frames_are_drawn_without_a_warning(name):
    assert DRAWN[name]() is not None


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_do_not_suit_are_refused(name):
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call()
