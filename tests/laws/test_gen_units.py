"""Change of units: the model of c·X, of X + c and of c·s is that of X and s, as far as the digits of the data go.

    log f_{cX}(cx) = log f_X(x) − d log c,    P_{cX}(k | cx) = P_X(k | x),    ℓ(c·s) = c ℓ(s)                  (1)

Options in the units of the data (reg_covar, var_smoothing = 0, tol of QDA) are zero here.
"""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from gnomon.anomaly import (
    CentroidDistanceDetector,
    DensityDetector,
    GaussianDetector,
    MahalanobisDetector,
    NestedContours,
    TunedDetector,
)
from gnomon.distributions import KDE, Laplace, MultivariateNormal, MultivariateT, Normal
from gnomon.generative import (
    DensityGate,
    DensityImputer,
    GaussianClassifier,
    GaussianMixture,
    GaussianMixtureClassifier,
    GaussianNB,
    GenerativeClassifier,
    LatentClassModel,
    LinearDiscriminantAnalysis,
    MixtureModel,
    NaiveBayes,
    OpenSetClassifier,
    QuadraticDiscriminantAnalysis,
    SemiSupervisedClassifier,
    SemiSupervisedPipeline,
)
from many_checks import check_all

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1, 2], 40)
D = 3
MIX = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
X = RNG.normal(size=(120, D)) @ MIX + 2.2 * np.eye(3)[Y]
S = RNG.uniform(0.5, 2.0, 120)
SOME = np.where(RNG.random(120) < 0.5, Y, -1)
SCALES = (1e-150, 1e-8, 1e30, 1e150)
OFFSETS = (1e4, 1e8, 1e12)


def mixture(k, **options):
    return GaussianMixture(k, **({"reg_covar": 0.0, "random_state": 0, "max_iter": 300} | options))


SUPERVISED = {
    "GaussianNB": GaussianNB(var_smoothing=0.0),
    "GaussianNB default": GaussianNB(),
    "NaiveBayes": NaiveBayes(var_smoothing=0.0),
    **{f"LDA {solver}": LinearDiscriminantAnalysis(solver) for solver in ("svd", "lsqr", "eigen")},
    "QDA svd": QuadraticDiscriminantAnalysis(tol=0.0),
    "QDA eigen": QuadraticDiscriminantAnalysis(solver="eigen", tol=0.0),
    **{f"Gaussian {kind}": GaussianClassifier(kind) for kind in ("full", "tied", "diag", "spherical", "tied_diag")},
    "Gaussian shrunk": GaussianClassifier("tied_spherical", shrinkage=0.3),
    "mixtures": GaussianMixtureClassifier(1, mixture=mixture(1)),
    **{
        f"any {law.__name__}": GenerativeClassifier(law) for law in (MultivariateNormal, Normal, Laplace, MultivariateT)
    },
    "open set": OpenSetClassifier(),
    "gate": DensityGate(GaussianNB(var_smoothing=0.0)),
}
UNSUPERVISED = {
    **{f"mixture {kind}": mixture(3, covariance_type=kind) for kind in ("full", "tied", "diag", "spherical")},
    "mixture hard": mixture(3, algorithm="hard"),
    "mixture floor": mixture(3, cov_floor="auto"),
    "mixture grown": mixture(3, init_params="lbg"),
    "mixture model": MixtureModel([MultivariateNormal] * 2, tol=1e-4, random_state=0),
    "mixture of columns": MixtureModel([Normal, Normal], tol=1e-4, random_state=0),
    "latent": LatentClassModel(tol=1e-3, random_state=0),
    "imputer": DensityImputer(),
    "normal detector": GaussianDetector(),
    "Mahalanobis": MahalanobisDetector(),
    "density detector": DensityDetector(random_state=0),
}
WITHOUT_WEIGHTS = {
    "mixture gradient": (mixture(2, algorithm="gradient", tol=1e-8), None),
    "shrunk by Ledoit & Wolf": (GaussianClassifier(shrinkage="ledoit_wolf"), Y),
    "LDA by Ledoit & Wolf": (LinearDiscriminantAnalysis("eigen", "auto"), Y),
    "kernel densities": (GenerativeClassifier(KDE), Y),
    "pipeline": (SemiSupervisedPipeline(), SOME),
    "centroids": (CentroidDistanceDetector(3, random_state=0), None),
    "contours": (NestedContours(random_state=0), None),
    "tuned": (TunedDetector(), (Y == 2).astype(int)),
}
"""Where a weight is a number of rows, as in an estimated share or bandwidth, c·s is other data; others take none."""

WEIGHTED = {
    **{name: (model, Y) for name, model in SUPERVISED.items()},
    **{name: (model, None) for name, model in UNSUPERVISED.items()},
    "semi-supervised": (SemiSupervisedClassifier(), SOME),
}
ALL = WEIGHTED | WITHOUT_WEIGHTS


def outputs(model, rows):
    """What a fitted model says of rows, by name; densities, objectives and cells in their own units."""
    out = {}
    for verb in ("predict", "predict_proba", "score_samples"):
        if callable(getattr(model, verb, None)):
            out[verb] = np.asarray(getattr(model, verb)(rows), dtype=float)
    if isinstance(model, DensityImputer):
        out["transform"] = model.transform(np.where(np.arange(D) == 0, np.nan, rows))
    out |= {name: vars(model)[name] for name in ("objective_", "lower_bound_", "converged_") if name in vars(model)}
    return out


def fitted(model, rows, target, weights=None):
    """A fit without a warning: nothing here is hard."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {} if weights is None else {"sample_weight": weights}
        return clone(model).fit(rows, target, **given)


def same(found, expected, tol, shifts=None, units=None):
    shifts, units = shifts or {}, units or {}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        here = np.asarray(found[name], dtype=float) / units.get(name, 1.0) + shifts.get(name, 0.0)
        if name in ("predict", "converged_"):
            np.testing.assert_array_equal(here, value, err_msg=name)
        else:
            np.testing.assert_allclose(here, value, rtol=tol, atol=tol, err_msg=name)


def scaled(model, target, c):
    log = D * np.log(c)
    shifts = {"score_samples": log, "lower_bound_": log, "objective_": len(X) * log}
    units = {"transform": c}
    if isinstance(model, (CentroidDistanceDetector, MahalanobisDetector)):
        shifts = {}
        units |= {"score_samples": c} if isinstance(model, CentroidDistanceDetector) else {}
    before, after = fitted(model, X, target), fitted(model, c * X, target)
    same(outputs(after, c * X), outputs(before, X), 1e-6, shifts, units)


def moved(model, target, c):
    far = X + c
    near = far - c  # the digits that are left
    before, after = outputs(fitted(model, near, target), near), outputs(fitted(model, far, target), far)
    after |= {name: after[name] - c for name in after if name == "transform"}
    # A row that lies between two classes may fall to either side when it is rounded.
    odds = np.sort(before.get("predict_proba", np.ones((1, 1))), axis=1)
    if odds.shape[1] > 1 and np.min(odds[:, -1] - odds[:, -2]) < 1e-2:
        before.pop("predict"), after.pop("predict")
    same(after, before, max(1e-6, 3e-14 * c))


@pytest.mark.parametrize("name", ALL)
def test_columns_may_be_measured_in_any_unit(name):
    model, target = ALL[name]
    check_all((f"{c:g}", lambda c=c: scaled(model, target, c)) for c in SCALES)


@pytest.mark.parametrize("name", ALL)
def test_columns_may_lie_far_from_zero(name):
    model, target = ALL[name]
    check_all((f"{c:g}", lambda c=c: moved(model, target, c)) for c in OFFSETS)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_have_no_unit(name):
    model, target = WEIGHTED[name]
    before = outputs(fitted(model, X, target, S), X)

    def case(c):
        same(outputs(fitted(model, X, target, c * S), X), before, 1e-6, units={"objective_": c})

    check_all((f"{c:g}", lambda c=c: case(c)) for c in SCALES)


def test_few_rows_stay_few_whatever_their_weights():
    few = np.r_[0:3, 40:80]
    for weights in (None, np.full(len(few), 1e-9)):
        with pytest.raises(ValueError, match="class 0 has N_c=3 rows for d=3"):
            GaussianClassifier().fit(X[few], Y[few], sample_weight=weights)
        with pytest.raises(ValueError, match="N=3 rows are too few"):
            GaussianDetector().fit(X[few[:3]], sample_weight=None if weights is None else weights[:3])


def test_chunks_of_small_weights_are_the_whole():
    model = GaussianClassifier()
    for part in (slice(0, 120, 2), slice(1, 120, 2)):
        model.partial_fit(X[part], Y[part], classes=[0, 1, 2], sample_weight=1e-9 * S[part])
    whole = GaussianClassifier().fit(X, Y, sample_weight=S)
    assert model.predict_proba(X) == pytest.approx(whole.predict_proba(X))
