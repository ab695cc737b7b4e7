"""Wrong uses, never run: `test_types` asks that mypy refuses every line that is marked, and no other."""

import numpy as np
from numpy.typing import NDArray

from gnomon.distributions import Beta
from gnomon.generative import GaussianClassifier, GaussianMixture
from gnomon.infer import grid_posterior, sigmoid_average
from gnomon.linear import BestSubset, Lasso, LassoCV, LinearModelRegressor, LinearSVC, LogisticRegression, Ridge, path
from gnomon.losses import LogisticLoss
from gnomon.multiclass import coding_matrix
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import factor_spd, least_squares
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng
from gnomon.numerics.scatter import whitening
from gnomon.optim import fit_linear
from gnomon.penalties import L2

Floats = NDArray[np.float64]


def wrong_words(X: Floats, Y: Floats) -> None:
    least_squares(X, Y, method="quick")  # refused: arg-type
    Design(X, intercept="maybe")  # refused: arg-type
    whitening(X, "white")  # refused: arg-type
    sigmoid_average(0.0, 1.0, "exact")  # refused: arg-type
    GaussianMixture(2, covariance_type="round")  # refused: arg-type
    GaussianClassifier(shrinkage="strong")  # refused: arg-type
    coding_matrix("short", 4)  # refused: arg-type


def wrong_arguments(X: Floats, Y: Floats) -> None:
    least_squares([[1.0], [2.0]], Y)  # refused: arg-type
    least_squares(X, Y, positive="yes")  # refused: arg-type
    check_rng("seed")  # refused: arg-type
    map_chunks(len, [1, 2])  # refused: arg-type
    L2("strong")  # refused: arg-type
    fit_linear(X, Y, LogisticLoss())  # refused: arg-type
    fit_linear(Design(X), Y, "logistic")  # refused: arg-type
    fit_linear(Design(X), Y, LogisticLoss(), LogisticLoss())  # refused: arg-type
    grid_posterior(len, Y, Beta(2.0, 2.0), Y)  # refused: arg-type


def wrong_models(X: Floats, Y: Floats) -> None:
    LogisticRegression(penalty="l3")  # refused: arg-type
    LogisticRegression(class_weight="even")  # refused: arg-type
    LogisticRegression(random_state=np.random.default_rng(0))  # refused: arg-type
    Lasso(objective="total")  # refused: arg-type
    LassoCV(rule="2se")  # refused: arg-type
    LinearSVC(loss="logistic")  # refused: arg-type
    LinearModelRegressor("hinge")  # refused: arg-type
    LinearModelRegressor(L2())  # refused: arg-type
    Ridge(strength=1.0)  # refused: call-arg
    Ridge().fit(X)  # refused: call-arg
    path(X, Y, LogisticLoss(), LogisticLoss())  # refused: arg-type


def wrong_results(X: Floats, Y: Floats) -> None:
    factor_spd(X).solve(Y)  # refused: union-attr
    assert threshold_curve(X, Y).auc  # refused: attr-defined
    least_squares(X, Y).coef.fit()  # refused: attr-defined
    Lasso().fit(X, Y).coef_.fit()  # refused: attr-defined
    BestSubset(1).fit(X, Y).lam_for(1)[0]  # refused: index
