"""What the package offers, found by walking it: public packages, public objects, estimators, losses and penalties."""

import functools
import importlib
import inspect
import pkgutil

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

import gnomon
from gnomon.anomaly import CentroidDistanceDetector
from gnomon.decision import ScoreCalibrator
from gnomon.distributions import KDE, Normal
from gnomon.features import RandomOverSampler
from gnomon.generative import GaussianMixture, GaussianNB
from gnomon.gp import Real
from gnomon.linear import LogisticRegression, Ridge
from gnomon.losses import Loss
from gnomon.neural import Autoencoder
from gnomon.neural.layers import Dense
from gnomon.penalties import Penalty

ANY_ROWS = KDE.family(bandwidth=1.0)
"""A density of any rows: few, or with constant columns."""

# A descent draws no batches, so that weights are repetitions; linear hidden units with a penalty have one minimum.
SMALL_NETWORK = {
    "alpha": 1.0,
    "solver": "lbfgs",
    "tol": 1e-10,
    "max_iter": 5000,
    "standardize": False,
    "random_state": 0,
}

# A contract is shown by few trees, draws, or strengths of a penalty as well as by many.
FEW = {"Cs": 2, "alphas": 3, "n_draws": 100, "n_estimators": 3, "n_samples": 100}

# What cannot be built without arguments, or not for every table, with the least that makes it possible.
ARGUMENTS = {
    "ActiveLearner": {"estimator": LogisticRegression()},  # it needs a base
    "Autoencoder": {"n_components": 1, "activation": "identity", "solver": "svd"},  # the only fit with one optimum
    "BestSubset": {"max_nonzero": 2},  # the default proves its optimum on tables of noise, which takes long
    "BayesDecisionClassifier": {"estimator": LogisticRegression()},  # it needs a base
    # Two folds fit tiny tables; classes that scores divide without error need a penalty.
    "CalibratedScorer": {"estimator": LogisticRegression(), "calibrator": ScoreCalibrator(lam=0.01), "cv": 2},
    "CentroidDistanceDetector": {"random_state": 0},  # centres are drawn
    "ConformalClassifier": {"estimator": LogisticRegression(), "method": "cross", "cv": 3},  # it needs a base
    "ConformalRegressor": {"estimator": Ridge(), "method": "cross", "cv": 3},  # likewise
    "DecisionRegressor": {"estimator": Ridge()},  # it needs a base
    "DensityDetector": {"density": Normal},  # some tables have fewer rows than columns
    # Some tables have fewer rows than columns, or the classes −1 and 1.
    "DensityGate": {"density": ANY_ROWS, "contamination": 0.0, "outlier_label": -9},
    "DensityImputer": {"density": GaussianMixture()},
    # On tables of noise the last digits take thousands of rounds; `fit_transform` gives the codes of the lasso.
    "DictionaryLearning": {"tol": 1e-4, "transform_algorithm": "lasso"},
    "GenerativeAdversarialNetwork": {"max_iter": 3},  # all epochs are done
    "ExhaustiveSelector": {"estimator": "least_squares", "cv": 2},  # it needs a criterion; two folds fit tiny tables
    "GaussianClassifier": {"pool": 0.5, "shrinkage": 0.1},  # some tables have classes with fewer rows than columns
    # Rows that repeat need noise above rounding; hyper-parameters of tables of noise lie on their bounds.
    # It needs a base; folds of two fit tiny tables.
    "GPSearchCV": {
        "estimator": GaussianNB(),
        "space": {"var_smoothing": Real(1e-9, 1e-6, log=True)},
        "n_iter": 3,
        "n_initial_points": 2,
        "n_candidates": 64,
        "error_score": "raise",
        "cv": 2,
        "random_state": 0,
    },
    "GaussianProcessClassifier": {"integration": "quadrature"},  # the sum of error functions is off by 4e-4
    "GaussianProcessRegressor": {"alpha": 0.1, "optimizer": None},
    "GaussianDetector": {"covariance_type": "diag"},  # likewise
    "GenerativeClassifier": {"density": ANY_ROWS},  # likewise; a kernel density takes any rows
    "GradientBoostingRegressor": {"n_estimators": 20},  # fewer rounds explain too little of the target
    "GreedySelector": {"estimator": "least_squares", "cv": 2},  # it needs a criterion; two folds fit tiny tables
    **{
        name: {"n_clusters": 3}  # some tables have four different rows
        for name in ("KMeans", "KMedians", "KMedoids", "PairwiseClustering", "SoftKMeans", "SphericalKMeans")
    },
    "DivisiveClustering": {"random_state": 0},  # 2-means starts from rows that are drawn
    "KernelKMeans": {"n_clusters": 3, "algorithm": "kpca"},  # checks set the number of components
    # By default γ depends on how often a row is repeated; two fits agree to the root of the tolerance.
    "KernelLogisticRegression": {"gamma": 0.5, "tol": 1e-12},
    "LogisticRegressionCV": {"Cs": 2, "cv": 2},  # some tables have three rows of a class
    "MahalanobisDetector": {"covariance_type": "diag"},  # some tables have fewer rows than columns
    # Some tables have fewer rows than columns; of several latent classes the start would depend on the order of rows.
    "JointTableClassifier": {"alpha": 1.0},  # numbers hardly repeat, so most cells of a table are empty
    "LatentClassModel": {"classifier": GaussianNB(), "n_classes": 1},
    "MixtureModel": {"components": [ANY_ROWS]},  # any rows have a kernel density
    "MLPClassifier": {**SMALL_NETWORK, "hidden_layer_sizes": (3,), "activation": "identity"},
    "MLPRegressor": {**SMALL_NETWORK, "hidden_layer_sizes": (3,), "activation": "identity"},
    "NetworkClassifier": {**SMALL_NETWORK, "layers": (Dense(3),)},
    "NetworkRegressor": {**SMALL_NETWORK, "layers": (Dense(3),)},
    "MulticlassSVC": {"tol": 1e-9},  # laws are closer than a thousandth of the margin
    "NestedContours": {"density": ANY_ROWS},
    "Nystroem": {"n_components": 5},  # some tables have ten rows
    "NestedOneClassSVM": {"levels": (0.8,), "tol": 1e-9},  # likewise; of several, thresholds are found to few digits
    # Some tables have classes with fewer rows than columns, or the classes −1 and 1.
    "OpenSetClassifier": {"known": ANY_ROWS, "unknown_label": -9},
    # It needs a network; the linear autoencoder is the only one with one optimum.
    "HiddenFeatures": {"net": Autoencoder(1, activation="identity", solver="svd"), "layer": 0},
    "HistGradientBoostingClassifier": {"max_iter": 5},
    "HistGradientBoostingRegressor": {"max_iter": 20},  # fewer rounds explain too little of the target
    "IndicatorRegression": {"regressor": Ridge()},  # it needs a base
    "OraclePredictor": {"conditional": functools.partial(np.mean, axis=1)},  # it needs a law
    "ResampledClassifier": {"estimator": LogisticRegression(), "sampler": RandomOverSampler(random_state=0)},
    "OneVsOneClassifier": {"estimator": LogisticRegression()},  # a reduction needs a base
    "OneVsRestClassifier": {"estimator": LogisticRegression()},  # likewise
    "OutputCodeClassifier": {"estimator": LogisticRegression()},  # a reduction needs a base
    "PolarFeatures": {"hyperspherical": True},  # plane angles exist for two columns only
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},  # some tables have classes with fewer rows than columns
    "RandomProjection": {"n_components": 2},  # tables are small, and the default asks for thousands of directions
    # A rejected row has no class that a check would know; the class −1 is in some tables.
    "RejectClassifier": {"estimator": LogisticRegression(), "cost": 1.0, "reject_label": -9},
    "ScoreFusion": {"lam": 0.01},  # some tables have columns that divide the classes without error
    # Some tables have classes with fewer rows than columns, or the classes −1 and 1.
    "SVC": {"tol": 1e-9},  # a tolerance below that of the laws
    "SVR": {"tol": 1e-9},  # likewise
    "SemiSupervisedClassifier": {"base": GaussianNB(), "unlabeled": None},
    # The class −1 again; and both parts must take weights.
    "SemiSupervisedPipeline": {"transformer": StandardScaler(), "unlabeled": None},
    "SparseSelector": {"lam": 0.02},  # the default keeps no column of some tables with targets of order 1e-2
    "ThinPlateSpline": {"smoothing": 0.1},  # no function passes through equal rows with different targets
    "ThresholdTuner": {"estimator": LogisticRegression(), "cv": 2},  # without a base its rows are scores
    "VariationalAutoencoder": {"tol": 1e6, "n_iter_no_change": 1},  # a contract needs no good fit
    # Folds of some tables have one good row, or constant columns; of labels of any kind, 1 is taken as anomalous.
    "TunedDetector": {"detector": CentroidDistanceDetector(1, random_state=0), "cv": 2, "anomaly_label": 1},
}

# Not of tables: their rows are scores, one for each row or one for each class, and they have laws of their own.
OF_SCORES = {"ScoreCalibrator"}
# Nor these: their rows are all points of a grid.
OF_GRIDS = {"GridInterpolator"}

FOLDERS = ("gnomon", "gnomon.numerics")


@functools.cache
def packages():
    """Every public package of gnomon; of `FOLDERS`, which have no names of their own, the public modules."""
    found = []
    for module in pkgutil.walk_packages(gnomon.__path__, "gnomon."):
        parent, _, name = module.name.rpartition(".")
        if parent in FOLDERS and module.name not in FOLDERS and not name.startswith("_"):
            found.append(importlib.import_module(module.name))
    return found


@functools.cache
def objects():
    """Every public class and function, once, under the shortest name by which it is offered."""
    offered = {}
    for package in sorted(packages(), key=lambda package: package.__name__.count(".")):
        for name in package.__all__:
            thing = getattr(package, name)
            if inspect.isclass(thing) or inspect.isroutine(thing):
                offered.setdefault(thing, f"{package.__name__}.{name}")
    return {name: thing for thing, name in offered.items()}


def classes(base):
    """Every public class that can be made and descends from `base`, in the order of the names."""
    found = [thing for thing in objects().values() if inspect.isclass(thing) and issubclass(thing, base)]
    return sorted((cls for cls in found if not inspect.isabstract(cls)), key=lambda cls: cls.__name__)


def estimators():
    """One unfitted instance of every public estimator, as it is by default but for `FEW` and `ARGUMENTS`."""
    found = [cls for cls in classes(BaseEstimator) if cls.__name__ not in OF_SCORES | OF_GRIDS]
    return [cls(**(_few(cls) | ARGUMENTS.get(cls.__name__, {}))) for cls in found]


def _few(cls):
    numbers = {name: p.default for name, p in inspect.signature(cls).parameters.items() if isinstance(p.default, int)}
    return {name: value for name, value in FEW.items() if name in numbers}


def losses():
    """Every public loss class."""
    return classes(Loss)


def penalties():
    """Every public penalty class."""
    return classes(Penalty)
