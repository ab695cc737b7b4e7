"""Golden values of the perceptron family: OR, AND, XOR, the pocket's start, three classes."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import AveragedPerceptron, Perceptron, VotedPerceptron, mistake_bound
from gnomon.numerics.design import Design
from gnomon.optim import perceptron

CORNERS = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
OR, AND, XOR = np.array([-1, 1, 1, 1]), np.array([-1, -1, -1, 1]), np.array([-1, 1, 1, -1])
TEXTBOOK = {"selection": "cyclic", "tol": None, "fit_intercept": False}

LOGIC = pytest.mark.parametrize(
    ("y", "w", "updates", "epochs", "alpha", "bound", "mean", "batch_updates", "batch_w"),
    [
        (OR, (-1, 2, 2), 9, 6, (5, 2, 2, 0), 27, (-0.4166667, 1.3333333, 1.5833333), 4, (-1, 2, 2)),
        (AND, (-4, 3, 2), 18, 9, (2, 5, 4, 7), 51, (-2.5555556, 2.0833333, 1.3333333), 9, (-3, 2, 2)),
    ],
    ids=["or", "and"],
)


@pytest.mark.spec("LIN-G27", "LIN-G28", "LIN-100", "LIN-105", "LIN-102", "LIN-108")
@LOGIC
def test_logic(y, w, updates, epochs, alpha, bound, mean, batch_updates, batch_w):
    model = Perceptron(**TEXTBOOK).fit(CORNERS, y)
    np.testing.assert_array_equal(model.coef_, [w])
    assert (model.n_updates_, model.n_iter_, model.stop_reason_) == (updates, epochs, "perfect")
    np.testing.assert_array_equal(model.mistake_counts_, alpha)
    assert mistake_bound(CORNERS, y) == pytest.approx(bound, abs=1e-9)
    averaged = AveragedPerceptron(selection="cyclic", fit_intercept=False).fit(CORNERS, y)
    np.testing.assert_allclose(averaged.coef_, [mean], atol=6e-8)
    batch = Perceptron(**TEXTBOOK, mode="batch").fit(CORNERS, y)
    np.testing.assert_array_equal(batch.coef_, [batch_w])
    # The last pass finds no mistake and moves nothing.
    assert batch.n_iter_ - 1 == batch_updates
    assert batch.converged_


@pytest.mark.spec("LIN-G27", "LIN-100", "LIN-104")
def test_or_visit_by_visit():
    signs = OR.astype(float)
    run = perceptron(Design(CORNERS, "none"), signs, np.ones(4), np.zeros((1, 3)), keep_log=True)
    np.testing.assert_array_equal(run.details["log"][:, 1], [0, 1, 2, 0, 0, 1, 0, 2, 0])
    assert run.details["visits"] == 24
    votes = [0, 0, 0, 1, 3, 0, 2, 1, 1, 7]
    plain, eager = (
        VotedPerceptron(votes, selection="cyclic", fit_intercept=False).fit(CORNERS, OR)
        for votes in ("correct", "freund_schapire")
    )
    np.testing.assert_array_equal(plain.votes_[0], votes)
    np.testing.assert_array_equal(eager.votes_[0], [votes[0], *(vote + 1 for vote in votes[1:])])
    np.testing.assert_array_equal(plain.vectors_[0][-1], [-1.0, 2.0, 2.0])
    np.testing.assert_array_equal(plain.predict(CORNERS), OR)
    # A vector has one vote for every row it was right about, however long it is.
    points = np.vstack([CORNERS, [[1.0, 0.4, 0.3], [1.0, -3.0, 5.0]]])
    for model in (plain, eager):
        counted = sum(c * np.sign(points @ w) for w, c in zip(model.vectors_[0], model.votes_[0], strict=True))
        np.testing.assert_array_equal(model.decision_function(points), counted)


@pytest.mark.spec("LIN-G29", "LIN-102")
def test_batch_updates_that_cancel_are_no_convergence():
    with pytest.warns(ConvergenceWarning, match="not converged after 1 passes"):
        model = Perceptron(**TEXTBOOK, mode="batch").fit(CORNERS, XOR)
    np.testing.assert_array_equal(model.coef_, np.zeros((1, 3)))
    assert not model.converged_
    np.testing.assert_array_equal(model.history_["mistakes"], [4])


@pytest.mark.spec("LIN-G30", "LIN-100", "LIN-101")
@pytest.mark.parametrize("selection", ["cyclic", "first_misclassified"])
def test_four_points_and_a_least_squares_start(selection):
    X = np.array([[1.0, 0.0, 0.0], [1.0, 2.0, 2.0], [1.0, 2.0, 0.0], [1.0, 3.0, 0.0]])
    y = np.array([-1, -1, 1, 1])
    words = {**TEXTBOOK, "selection": selection}
    model = Perceptron(**words).fit(X, y)
    np.testing.assert_array_equal(model.coef_, [[-1.0, 2.0, -2.0]])
    assert model.n_updates_ == 5
    started = Perceptron(**words, init="linear_regression").fit(X, y)
    np.testing.assert_allclose(started.coef_, [[-0.8571429, 0.7142857, -0.7857143]], atol=6e-8)
    assert started.n_updates_ == 0
    assert started.converged_


@pytest.mark.spec("LIN-G31", "LIN-107")
def test_three_classes_at_once():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    model = Perceptron(**TEXTBOOK, multi_class="joint").fit(X, y)
    np.testing.assert_array_equal(model.coef_, [[2.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert model.n_updates_ == 3
    np.testing.assert_array_equal(model.predict(X), y)
