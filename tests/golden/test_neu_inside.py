"""Golden values of looking inside networks: NEU-G31 to G35, G38, G39."""

import numpy as np
import pytest

from gnomon.evaluation import network_complexity
from gnomon.neural import NetworkFunction, NeuralNetwork, approximation_curve, diagnose, exact_network, max_cells
from gnomon.neural.layers import Dense

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0])


def parameters(found, layer):
    return found.function.network.views(found.function.theta)[layer]


@pytest.mark.spec("NEU-G31", "NEU-143")
def test_exclusive_or_by_construction():
    steps = exact_network(*XOR, "two_layer", direction=(1.0, 2.0))
    assert (-parameters(steps, "dense_1")[1]).tolist() == [0.5, 2.5]
    assert [part.ravel().tolist() for part in parameters(steps, "dense_2")] == [[1, -1], [0]]
    relu = exact_network(*XOR, "relu", direction=(1.0, 2.0))
    assert (-parameters(relu, "dense_1")[1]).tolist() == [0, 1, 2]
    assert parameters(relu, "dense_2")[0].ravel().tolist() == [1, -1, -1]
    maxout = exact_network(*XOR, "maxout", direction=(1.0, 2.0))
    W, b = parameters(maxout, "maxout_1")
    assert W.tolist() == [[1, 0, 1, 2], [2, 0, 2, 4]]
    assert b.tolist() == [0, 0, -1, -3]
    assert maxout.function.network.layers[0].groups == [[0], [1, 2, 3]]
    cells = exact_network(*XOR, "cells")
    W, b = parameters(cells, "dense_1")
    assert W.T.tolist() == [[0, 1], [1, 0]]
    assert b.tolist() == [-0.5, -0.5]
    assert cells.function.network.shapes["dense_2"] == (4,)
    by_hand = NeuralNetwork([Dense(2, "relu"), Dense(1)], 2)
    f = NetworkFunction(by_hand, np.array([1.0, 1, 1, 1, 0, -1, 1, -2, 0]))
    for found in (f, steps.function, relu.function, maxout.function):
        assert found.output(XOR[0]).ravel().tolist() == [0, 1, 1, 0]
    assert cells.predict(XOR[0]).tolist() == [0, 1, 1, 0]


@pytest.mark.spec("NEU-G32", "NEU-141")
def test_most_cells():
    cases = [(2, 2), (3, 2), (4, 2), (5, 3), (10, 2), (3, 5)]
    assert [max_cells(*case) for case in cases] == [4, 7, 11, 26, 56, 8]


@pytest.mark.spec("NEU-G33", "NEU-142")
def test_pieces_of_a_small_network():
    f = NetworkFunction(NeuralNetwork([Dense(2, "relu"), Dense(1)], 2), np.array([1.0, -1, 2, 1, -1, 0.5, 1, 3, 0.2]))
    X = np.array([[1.0, 1.0], [-1.0, 0.2], [0.0, 0.0]])
    found = f.linear_region(X)
    assert f.output(X).ravel() == pytest.approx([3.7, 5.3, 1.7])
    assert found.A[:, :, 0].round(12).tolist() == [[-2, 5], [-3, 3], [-3, 3]]
    assert found.c.ravel() == pytest.approx([0.7, 1.7, 1.7])
    assert found.region[1] == found.region[2] != found.region[0]
    assert found.n_regions == 2


@pytest.mark.spec("NEU-G34", "NEU-144")
def test_numbers_of_symmetries():
    def number(units, activation="tanh", **options):
        network = NeuralNetwork([Dense(units, activation), Dense(1, **options)], 2)
        return NetworkFunction(network, np.zeros(network.n_parameters)).n_symmetries()

    assert [number(units) for units in (2, 3, 10)] == [8, 48, 3715891200]
    assert number(3, "relu") == 6
    assert number(3, "sigmoid") == 48
    assert number(3, "sigmoid", bias=False) == 6


@pytest.mark.spec("NEU-G35", "NEU-145")
def test_interpolation_of_a_sine():
    found = approximation_curve(np.sin, [4, 8, 16, 32], p=np.inf, box=(0, 2 * np.pi), n_points=100_001)
    assert found.errors == pytest.approx([0.2105137, 0.0703776, 0.0188463, 0.0047921], abs=1e-7)
    assert all(f.network.shapes["dense_1"][0] <= H for f, H in zip(found.functions, found.widths, strict=True))


@pytest.mark.spec("NEU-G38", "NEU-148")
def test_complexity_of_weights():
    coefs = [np.array([[1.0, 0.5], [-2.0, 0.5]]), np.array([[3.0], [-1.0]])]
    assert network_complexity(coefs) == pytest.approx(12)
    assert network_complexity(coefs, keep=0.5) == pytest.approx(6)
    assert network_complexity(coefs, norm="entry") == pytest.approx(16)


@pytest.mark.spec("NEU-G39", "NEU-146")
@pytest.mark.parametrize(("activation", "share"), [("sigmoid", 0.2), ("tanh", 0.4)])
def test_saturation(activation, share):
    f = NetworkFunction(NeuralNetwork([Dense(1, activation)], 1), np.array([1.0, 0.0]))
    found = diagnose(f, np.array([[-6.0], [-1], [0], [2], [4]]))
    assert found.layers[0].saturated == pytest.approx(share)
