"""Laws of λ in other scalings: the translation refits the same model."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.linear import ElasticNet, Lasso, LinearSVC, LinearSVM, LogisticRegression, LogisticRegressionCV, Ridge
from gnomon.penalties.forms import OBJECTIVES

HALVED = ("sum_half", "mean_half", "C", "loss_mean")
TIGHT = {"tol": 1e-13, "max_iter": 100_000}
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3)) * [1.0, 2.0, 0.5]
y = X @ [1.0, -0.5, 0.0] + 0.3 * rng.normal(size=40)
labels = np.digitize(y, [-0.7, 0.7])
s = rng.integers(0, 4, 40).astype(float)

REGRESSORS = {
    "lasso": (Lasso, {"alpha": 0.2, **TIGHT}, OBJECTIVES),
    "lasso of a sum": (Lasso, {"objective": "sum", "lam": 3.0, **TIGHT}, OBJECTIVES),
    "elastic net": (ElasticNet, {"alpha": 0.2, "l1_ratio": 0.3, **TIGHT}, HALVED),
    "elastic net of a sum": (ElasticNet, {"objective": "sum", "lam": 3.0, "l1_ratio": 0.3, **TIGHT}, ("sum", "mean")),
    "elastic net, r = 1": (ElasticNet, {"alpha": 0.2, "l1_ratio": 1.0, **TIGHT}, OBJECTIVES),
    "elastic net, r = 0": (ElasticNet, {"alpha": 0.2, "l1_ratio": 0.0, **TIGHT}, OBJECTIVES),
    "ridge": (Ridge, {"alpha": 3.0}, OBJECTIVES),
}
ELASTIC = {"l1_ratio": 0.3, "solver": "fista", **TIGHT}
CLASSIFIERS = {
    "logistic": (LogisticRegression, {"C": 0.3, "solver": "newton", "tol": 1e-12}, OBJECTIVES),
    "logistic, softmax in a mean": (
        LogisticRegression,
        {"objective": "mean", "lam": 0.1, "solver": "newton", "tol": 1e-12},
        OBJECTIVES,
    ),
    "logistic, prices": (
        LogisticRegression,
        {"C": 0.3, "class_weight": "balanced", "prior": [0.2, 0.3, 0.5], "solver": "newton", "tol": 1e-12},
        OBJECTIVES,
    ),
    "logistic, L1": (LogisticRegression, {"C": 0.3, "l1_ratio": 1.0, "solver": "fista", **TIGHT}, OBJECTIVES),
    "logistic, elastic net": (LogisticRegression, {"C": 0.3, **ELASTIC}, HALVED),
    "logistic, elastic net of a sum": (
        LogisticRegression,
        {"objective": "sum", "lam": 3.0, **ELASTIC},
        ("sum", "mean"),
    ),
    "SVM": (LinearSVM, {"C": 0.3, "solver": "qp"}, OBJECTIVES),
    "SVM, L1": (LinearSVM, {"C": 0.3, "loss": "squared_hinge", "penalty": "l1", **TIGHT}, OBJECTIVES),
    "SVM, prices": (
        LinearSVM,
        {"C": 0.3, "loss": "squared_hinge", "class_weight": "balanced", "tol": 1e-10},
        OBJECTIVES,
    ),
    "SVC": (LinearSVC, {"C": 0.3, "tol": 1e-10}, OBJECTIVES),
    "SVC, L1": (LinearSVC, {"C": 0.3, "penalty": "l1", "dual": False, **TIGHT}, OBJECTIVES),
    "SVC, jointly": (
        LinearSVC,
        {"C": 0.3, "multi_class": "crammer_singer", "tol": 1e-10, "max_iter": 100_000},
        OBJECTIVES,
    ),
}


def refitted(cls, options, target, name, **strength):
    kept = {key: value for key, value in options.items() if key not in ("alpha", "C", "objective", "lam")}
    return cls(**kept | {"objective": name} | strength).fit(X, target, s)


@pytest.mark.spec("LIN-047")
@pytest.mark.parametrize("case", [*REGRESSORS, *CLASSIFIERS])
def test_lam_in_every_scaling_refits_the_same(case):
    cls, options, names = (REGRESSORS | CLASSIFIERS)[case]
    target = y if case in REGRESSORS else labels
    model = cls(**options).fit(X, target, s)
    others = [refitted(cls, options, target, name, lam=model.lam_in(name)) for name in names]
    for name, again in zip(names, others, strict=True):
        assert_allclose(again.coef_, model.coef_, atol=2e-6, err_msg=name)
    # λ is the fit's, not the word's: another one is another model.
    off = refitted(cls, options, target, names[0], lam=3.0 * model.lam_in(names[0]))
    assert np.max(np.abs(off.coef_ - model.coef_)) > 1e-3


@pytest.mark.spec("LIN-047")
@pytest.mark.parametrize("case", ["elastic net", "elastic net of a sum", "logistic, elastic net"])
def test_an_elastic_net_has_no_lam_where_the_square_is_weighed_otherwise(case):
    """The error gives the λ and the share with which it is the same fit."""
    cls, options, names = (REGRESSORS | CLASSIFIERS)[case]
    target = y if case in REGRESSORS else labels
    model = cls(**options).fit(X, target, s)
    for name in set(OBJECTIVES) - set(names):
        with pytest.raises(ValueError, match=r"l1_ratio=0.3 is this fit; use lam=") as caught:
            model.lam_in(name)
        lam, share = (float(v) for v in re.search(r"lam=(\S+) with l1_ratio=(\S+)$", str(caught.value)).groups())
        kept = options | {"l1_ratio": share}
        assert_allclose(refitted(cls, kept, target, name, lam=lam).coef_, model.coef_, atol=2e-6, err_msg=name)


@pytest.mark.spec("LIN-047")
def test_words_of_squared_loss_are_no_words_of_classifiers():
    for model in (LogisticRegression(), LinearSVM(), LinearSVC()):
        with pytest.raises(ValueError, match="name='alpha_lasso' is unknown"):
            model.fit(X, labels).lam_in("alpha_lasso")
    with pytest.raises(ValueError, match="name='sums' is unknown"):
        Lasso().fit(X, y).lam_in("sums")


@pytest.mark.spec("LIN-047")
def test_of_a_model_found_by_cross_validation():
    model = LogisticRegressionCV(Cs=[0.1, 1.0], cv=3).fit(X, labels)
    assert model.lam_in("C") == pytest.approx(model.C_)
    assert model.lam_in("mean_half") == pytest.approx(1.0 / (40 * model.C_))
    with pytest.raises(ValueError, match="fit with refit=True"):
        LogisticRegressionCV(Cs=[0.1, 1.0], cv=3, refit=False).fit(X, labels).lam_in("C")


@pytest.mark.spec("LIN-047")
def test_no_penalty_is_an_infinite_c():
    model = LogisticRegression(C=np.inf).fit(X, labels)
    assert (model.lam_in("C"), model.lam_in("sum")) == (np.inf, 0.0)
