"""Certificates, for every estimator that has one: true in every unit, by the objective computed anew."""

import numpy as np
import pytest

import public_names
from conversions import CONVERTED, precise
from gnomon.linear import Lasso
from gnomon.testing import ChangeOfUnits, check_certificate
from gnomon.testing._tables import example_table, fitted
from many_checks import over


def scores(model, X):
    """Xw + b in extended precision, a column for each function."""
    w = np.atleast_2d(model.coef_).astype(np.longdouble)
    return X @ w.T + np.asarray(model.intercept_, dtype=np.longdouble)


def signs(model, y):
    """±1 for each function: the second of two classes, or each against the rest."""
    one = y[:, None] == (model.classes_[1:] if len(model.classes_) == 2 else model.classes_)
    return np.where(one, 1, -1)


def sum_of_squares(model, X, y, s):
    return s @ (scores(model, X)[:, 0] - y) ** 2


def norms(model):
    w = np.asarray(model.coef_, dtype=np.longdouble)
    return np.sum(np.abs(w)), np.sum(w * w)


def elastic_net(model, X, y, s):
    # Of a search, what it chose.
    options = model.get_params()
    alpha, r = (vars(model).get(f"{name}_", options.get(name, 1.0)) for name in ("alpha", "l1_ratio"))
    one, two = norms(model)
    return sum_of_squares(model, X, y, s) / (2 * s.sum()) + alpha * (r * one + (1 - r) * two / 2)


def cross_entropy(f, model, y, s):
    """Σ s (log Σₖ exp fₖ − f_y)."""
    right = f[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return s @ (np.logaddexp.reduce(f, axis=1) - right)


def softmax(model, X, y, s):
    return model.C * cross_entropy(scores(model, X), model, y, s) + norms(model)[1] / 2


def mean_half(loss):
    def value(model, X, y, s):
        margins = signs(model, y) * scores(model, X)
        return np.sum(s @ loss(margins)) / s.sum() + model.lam * norms(model)[1] / 2

    return value


def hinge(margins):
    return np.maximum(0, 1 - margins)


def linear_svc(model, X, y, s):
    b = np.asarray(model.intercept_, dtype=np.longdouble) / model.intercept_scaling
    losses = hinge(signs(model, y) * scores(model, X)) ** 2
    return model.C * np.sum(s @ losses) + (norms(model)[1] + np.sum(b * b)) / 2


def selector(model, X, y, s):
    return s @ (scores(model, X)[:, 0] - y) ** 2 / s.sum() + model.lam * norms(model)[0]


def kernel_scores(model, X):
    """f + b of the training rows, a column for each function, and Σ‖f‖²; kernels are computed in doubles."""
    f = np.asarray(model.decision_function(X.astype(float)) if "classes_" in vars(model) else model.predict(X))
    return f.reshape(len(X), -1), np.sum(np.square(model.rkhs_norm()))


def kernel_machine(model, X, y, s):
    f, norm = kernel_scores(model, X)
    return norm / 2 + model.C * np.sum(s @ hinge(signs(model, y) * f))


def tube(model, X, y, s):
    f, norm = kernel_scores(model, X)
    return norm / 2 + model.C * s @ np.maximum(0, np.abs(y - f[:, 0]) - model.epsilon)


def one_class(model, X, y, s):
    total = model.nu * float(s.sum())
    outside = s @ np.maximum(0, -model.decision_function(X.astype(float))) / total**2
    return np.square(model.rkhs_norm() / total) / 2 - model.rho_ + outside


def nested(model, X, y, s):
    return np.sum(np.square(model.rkhs_norm()) / (2 * model.lambda_)) - np.sum(model.dual_coef_)


def all_pairs(model, X, y, s):
    f, norm = kernel_scores(model, X)
    place = np.arange(len(y)), np.searchsorted(model.classes_, y)
    lack = np.maximum(0, 2 + f - f[place][:, None])
    lack[place] = 0
    return norm / 2 + model.C * np.sum(s @ lack)


def kernel_softmax(model, X, y, s):
    f, norm = kernel_scores(model, X)
    return norm / 2 + model.C * cross_entropy(f, model, y, s)


def of_columns(u):
    """‖w‖² has the unit of X⁻²."""
    return u.x**-2


def of_target(u):
    return u.y**2


# What each estimator with a `dual_gap_` minimises, and the unit of that.
OBJECTIVES = {
    **dict.fromkeys(("Lasso", "LassoCV", "ElasticNet", "ElasticNetCV"), (elastic_net, of_target)),
    "LinearModelRegressor": (
        lambda m, X, y, s: sum_of_squares(m, X, y, s) + m.lam * norms(m)[1],
        lambda u: u.y**2 * u.weight,
    ),
    "LinearModelClassifier": (mean_half(lambda margins: np.logaddexp(0, -margins)), None),
    "LinearSVM": (mean_half(hinge), None),
    "LinearSVC": (linear_svc, of_columns),
    "LogisticRegression": (softmax, of_columns),
    "LpRegression": (lambda m, X, y, s: s @ np.abs(scores(m, X)[:, 0] - y) ** m.p, lambda u: u.y * u.weight),
    "SparseSelector": (selector, None),
    "SVC": (kernel_machine, None),
    "SVR": (tube, of_target),
    "OneClassSVM": (one_class, None),
    "NestedOneClassSVM": (nested, None),
    "MulticlassSVC": (all_pairs, None),
    "KernelLogisticRegression": (kernel_softmax, None),
}
MORE_CONVERTED = {
    "SparseSelector": lambda m, u: m.set_params(lam=m.lam * u.x),
    "OneClassSVM": lambda m, u: None if u.offset else m,
}


@over(each for each in public_names.estimators() if type(each).__name__ in OBJECTIVES)
def test_certificates_are_true_in_every_unit(estimator):
    name = type(estimator).__name__
    X, y = example_table(estimator)
    # Machines of pairs of classes add up what each pair costs.
    y = np.minimum(y, 1) if name == "SVC" else y
    value, unit = OBJECTIVES[name]
    check_certificate(precise(estimator), value, X, y, unit=unit, convert={**CONVERTED, **MORE_CONVERTED}.get(name))


def test_every_estimator_with_a_gap_is_held_to_it():
    found = {
        type(each).__name__
        for each in public_names.estimators()
        if not np.isnan(vars(fitted(each, *example_table(each))).get("dual_gap_", np.nan))
    }
    assert found == set(OBJECTIVES)


ALPHA = 0.1


class Zeros(Lasso):
    """The answer zero where columns are far from zero, said to be the optimum."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if np.abs(np.mean(X)) > 1e3:
            self.coef_, self.intercept_ = np.zeros(X.shape[1]), float(np.mean(y))
            self.objective_ = 0.5 * float(np.var(y))
        return self


class Halved(Lasso):
    """An objective that is not that of the coefficients."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.objective_ = 0.5 * self.objective_
        return self


class NegativeGap(Lasso):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.dual_gap_ = -0.1 * self.objective_
        return self


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Zeros, r"X\+sd·10000: \S+ where \S+ is possible"),
        (Halved, r"as given: objective_ \S+, and the coefficients cost"),
        (NegativeGap, "dual_gap_ .* is negative"),
    ],
)
def test_a_false_certificate_is_found_out(broken, law):
    units = (ChangeOfUnits(offset=1e4),)
    with pytest.raises(AssertionError, match=f"law broken: a certificate is true in every unit.*{law}"):
        check_certificate(broken(ALPHA), elastic_net, units=units)
    check_certificate(Lasso(ALPHA), elastic_net, units=units)
