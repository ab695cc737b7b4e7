"""Wrong uses, never run: `test_types` asks that mypy refuses every line that is marked, and no other."""

import numpy as np
from numpy.typing import NDArray

from gnomon.infer import sigmoid_average
from gnomon.numerics.curves import threshold_curve
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import factor_spd, least_squares
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng
from gnomon.numerics.scatter import whitening

Floats = NDArray[np.float64]


def wrong_words(X: Floats, Y: Floats) -> None:
    least_squares(X, Y, method="quick")  # refused: arg-type
    Design(X, intercept="maybe")  # refused: arg-type
    whitening(X, "white")  # refused: arg-type
    sigmoid_average(0.0, 1.0, "exact")  # refused: arg-type


def wrong_arguments(X: Floats, Y: Floats) -> None:
    least_squares([[1.0], [2.0]], Y)  # refused: arg-type
    least_squares(X, Y, positive="yes")  # refused: arg-type
    check_rng("seed")  # refused: arg-type
    map_chunks(len, [1, 2])  # refused: arg-type


def wrong_results(X: Floats, Y: Floats) -> None:
    factor_spd(X).solve(Y)  # refused: union-attr
    assert threshold_curve(X, Y).auc  # refused: attr-defined
    least_squares(X, Y).coef.fit()  # refused: attr-defined
