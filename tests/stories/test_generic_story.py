"""A user compares losses and penalties on real mail, watches a solver, and robustly prices houses."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.linear import LinearModelClassifier, LinearModelRegressor
from gnomon.losses import CallableLoss, SquaredHingeLoss
from gnomon.optim import check_convex, check_gradient
from gnomon.penalties import L1, ElasticNetPenalty
from real_data import data_path


@pytest.mark.spec("LIN-053", "LIN-095")
def test_spam_with_several_losses_and_penalties():
    mail = pd.read_csv(data_path("esl/spam.csv.gz"))
    X, y = np.log1p(mail.iloc[:, :-1].to_numpy()), mail.iloc[:, -1].to_numpy()
    train, test, y_train, y_test = train_test_split(X, y, random_state=0)
    accuracy, zeros = {}, {}
    for loss in ("logistic", SquaredHingeLoss(), "squared"):
        for penalty in ("l2", L1(), ElasticNetPenalty(l1_ratio=0.9)):
            model = make_pipeline(StandardScaler(), LinearModelClassifier(loss, penalty, lam=0.01, tol=1e-5))
            model.fit(train, y_train)
            fit = model[-1]
            assert fit.converged_
            assert fit.dual_gap_ <= 1e-3 * fit.objective_
            accuracy[loss, penalty] = model.score(test, y_test)
            zeros[loss, penalty] = int(np.sum(fit.coef_ == 0.0))
    assert min(accuracy.values()) > 0.88
    assert accuracy["logistic", "l2"] > 0.92
    assert all(count == 0 for (_, penalty), count in zeros.items() if penalty == "l2")
    assert all(count > 5 for (_, penalty), count in zeros.items() if penalty == L1())


@pytest.mark.spec("LIN-053", "LIN-017")
def test_a_loss_of_ones_own_prices_houses_in_spite_of_outliers():
    houses = pd.read_csv(data_path("tabular/california_housing.csv.gz")).dropna().iloc[:4000]
    X = StandardScaler().fit_transform(houses[["median_income", "housing_median_age", "latitude", "longitude"]])
    y = houses["median_house_value"].to_numpy() / 1e5
    spoilt = y.copy()
    spoilt[::50] = 500.0  # typing errors
    huber = CallableLoss(
        lambda y, z: np.where(np.abs(y - z) < 1.0, 0.5 * (y - z) ** 2, np.abs(y - z) - 0.5),
        lambda y, z: np.clip(z - y, -1.0, 1.0),
        smoothness=1.0,
    )
    z = np.linspace(-3.0, 3.0, 7)
    assert check_gradient(lambda z: (float(np.sum(huber.value(0.1, z))), huber.gradient(0.1, z)), z)
    assert check_convex(lambda z: float(np.sum(huber.value(0.1, z))), z[:, None])

    def error(loss):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            model = LinearModelRegressor(loss, lam=1.0, solver="fista", tol=1e-3, max_iter=5000).fit(X, spoilt)
        return np.mean(np.abs(model.predict(X) - y)[np.arange(len(y)) % 50 != 0])

    assert error(huber) < 0.7 < 5.0 < error("squared")
