"""Pictures of models that were fitted to frames, and of tables and models that do not suit them."""

import inspect
import pickle
from contextlib import suppress

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from gnomon import plot
from gnomon.cluster import KMeans
from gnomon.decomposition import PCA
from gnomon.gp import GaussianProcessRegressor, ThinPlateSpline
from gnomon.kernels import RBF, Additive
from gnomon.linear import LinearRegression, LogisticRegression
from gnomon.svm import SVC, KernelRidge
from gnomon.trees import DecisionTreeClassifier

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


XY, TREE = X[:, :2], DecisionTreeClassifier(max_depth=2)
GIVEN = {
    "k-means": KMeans(2, n_init=1, random_state=0).fit(XY),
    "tree": DecisionTreeClassifier(max_depth=2).fit(XY, Y),
    "line": LinearRegression().fit(XY, Z),
    "other columns": LogisticRegression().fit(X, Y),
    "unfitted": PCA(),
    "unfitted tree": TREE,
    "class": PCA,
    "number": 3,
    "empty": {},
}
ARGUMENTS = {"y": Y, "ys": {"a": Z}, "far": 9.0 * XY[0], "label": 0, "x": XY[0], "resolution": 20}
MODELS = (
    "model",
    "models",
    "estimator",
    "forest",
    "net",
    "network",
    "detectors",
    "before",
    "centers",
    "code",
    "history",
)
PICTURES = [name for name in plot.__all__ if set(MODELS) & set(inspect.signature(getattr(plot, name)).parameters)]


def _drawn(name, model, rows):
    """The picture of `model`, the other arguments being such as most pictures draw."""
    picture, known, arguments = getattr(plot, name), ARGUMENTS | {"X": rows}, {}
    for key, parameter in inspect.signature(picture).parameters.items():
        if key in (*MODELS, "after"):
            several = "Mapping" in parameter.annotation and hasattr(model, "fit")
            arguments[key] = {"a": model} if several else model
        elif key in known and (parameter.default is parameter.empty or key == "resolution"):
            arguments[key] = known[key]
    return picture(**arguments)


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_picture_cannot_draw_is_refused_in_one_sentence(name):
    for model in GIVEN.values():
        for rows in (XY, X[:, :1]):
            with suppress(TypeError, ValueError):
                _drawn(name, model, rows)
    plt.close("all")


LACKING = {
    "scree": (lambda: plot.scree(GIVEN["k-means"]), TypeError, r"model=KMeans\(.* has no explained_variance"),
    "svm_margin": (lambda: plot.svm_margin(GIVEN["tree"], XY, Y), TypeError, "model=Dec.* has no decision_function"),
    "by parameter": (lambda: plot.probability_surface(SVC().fit(XY, Y), XY), TypeError, "has no predict_proba"),
    "unfitted": (lambda: plot.svm_margin(SVC(), XY, Y), NotFittedError, r"model=SVC\(\) has no classes_, .*fit it"),
    "refitted": (lambda: plot.bootstrap_trees(PCA(), XY, Y), TypeError, r"estimator=PCA\(.*\) has no tree_"),
    "class": (lambda: plot.scree(PCA), TypeError, "model=PCA is a class"),
    "entry": (lambda: plot.anomaly_contours({"a": TREE}, XY), NotFittedError, r"detectors\['a'\]=.* has no offset_"),
    "empty": (lambda: plot.adversarial_losses({}), ValueError, "history is empty"),
    "key": (lambda: plot.adversarial_losses({"loss": [1.0]}), ValueError, r"history has no entry .* has \['loss'\]"),
    "result": (lambda: plot.confusion_table(3), TypeError, "matrix=3 has no counts"),
    "array": (lambda: plot.dendrogram(TREE), TypeError, "merges=.* is no array"),
    "mapping": (lambda: plot.fits(TREE, LINE, Z), TypeError, "models=.* is no mapping"),
    "function": (lambda: plot.latent_grid(TREE, (1, 2)), TypeError, "decode=.* is no function"),
    "problem": (lambda: plot.solver_race(TREE), TypeError, "problem=.* is no Problem"),
    "steps of EM": (lambda: plot.em_panels(GIVEN["k-means"], XY), TypeError, "model=.* has no steps of EM"),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_an_argument_lacks_is_named(name):
    call, kind, words = LACKING[name]
    with pytest.raises(kind, match=words):
        call()


def test_errors_inside_a_model_stay_what_they_are():
    class Faulty(PCA):
        def transform(self, X):
            return self.misspelt

    with pytest.raises(AttributeError, match="'Faulty' object has no attribute 'misspelt'"):
        plot.biplot(Faulty().fit(XY), XY)


def test_pictures_can_be_pickled():
    for name in plot.__all__:
        picture = getattr(plot, name)
        assert pickle.loads(pickle.dumps(picture)) is picture


def test_a_row_of_a_tree_may_be_a_dict_of_its_columns():
    model = DecisionTreeClassifier(max_depth=2).fit(PLANE, Y)
    row = dict(PLANE.iloc[0])
    bold, by_array = ([text.get_alpha() for text in plot.tree(model, x=x).texts] for x in (row, PLANE.iloc[[0]]))
    assert bold == by_array
