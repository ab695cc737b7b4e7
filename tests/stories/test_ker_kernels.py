"""Kernels built for real tables: carbon dioxide over the years, messages as strings, zinc along a river."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.linalg import spsolve

from gnomon.kernels import RBF, CallableKernel, ExpSineSquared, Linear, Wendland, White, components, gram_matrix
from gnomon.svm import SVC, KernelRidge
from real_data import data_path


@pytest.mark.spec("KER-033", "KER-034", "KER-024", "KER-037")
def test_trend_and_season_continue_carbon_dioxide():
    # The header names fewer columns than there are.
    table = pd.read_csv(data_path("gp/co2_mauna_loa_monthly.csv"), header=None, skiprows=1)
    frame = pd.DataFrame({"year": table[1] - 1990.0})
    y = table[2].to_numpy()
    known = (frame["year"] < 5.0).to_numpy()
    soon = ((frame["year"] >= 5.0) & (frame["year"] < 8.0)).to_numpy()
    trend = 400.0 * RBF(30.0) + Linear()
    season = 9.0 * ExpSineSquared(1.0, 1.0) * RBF(40.0)
    errors = {}
    for name, kernel in {"smooth": 400.0 * RBF(1.0), "built": (trend + season).on("year")}.items():
        model = KernelRidge(alpha=0.1, kernel=kernel, parametric="constant").fit(frame[known], y[known])
        errors[name] = np.sqrt(np.mean((model.predict(frame[soon]) - y[soon]) ** 2))
    assert errors["built"] < 2.5
    assert errors["smooth"] > 5 * errors["built"]
    parts = model.components(frame)
    assert parts.shape == (len(frame), 3)
    yearly = parts[:, 2]
    assert 4.0 < yearly.max() - yearly.min() < 8.0


@pytest.mark.spec("KER-003")
def test_messages_are_compared_as_strings():
    with gzip.open(data_path("text/sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    kind, text = (np.array(column, dtype=object) for column in zip(*lines[:900], strict=True))

    def pieces(message):
        return {message[i : i + 3] for i in range(len(message) - 2)}

    cache = {message: pieces(message.lower()) for message in text}
    shared = CallableKernel(lambda a, b: len(cache[a] & cache[b]), pairwise=True).normalized()
    usable = [i for i, message in enumerate(text) if cache[message]][:420]
    rows, y = [text[i] for i in usable], kind[usable]
    model = SVC(kernel=shared, C=10.0).fit(rows[:280], y[:280])
    assert model.score(rows[280:], y[280:]) > 0.93


@pytest.mark.spec("KER-027", "KER-025")
def test_zinc_is_interpolated_with_a_sparse_matrix():
    meuse = pd.read_csv(data_path("gp/meuse.csv"))
    X, y = meuse[["x", "y"]].to_numpy(dtype=float), np.log(meuse["zinc"].to_numpy())
    kernel = 0.6 * Wendland(900.0) + White(0.05)
    K = gram_matrix(X, kernel, sparse=True)
    assert K.nnz < 0.5 * K.shape[0] ** 2
    fitted = kernel.k1.gram(X, X) @ spsolve(K.tocsc(), y - y.mean()) + y.mean()
    dense = kernel.k1.gram(X) @ np.linalg.solve(kernel.gram(X), y - y.mean()) + y.mean()
    np.testing.assert_allclose(fitted, dense, rtol=1e-8)
    assert np.corrcoef(fitted, y)[0, 1] > 0.9
    beta = np.linalg.solve(kernel.gram(X), y - y.mean())
    np.testing.assert_allclose(components(kernel.k1, beta, X, X)[:, 0] + y.mean(), dense, rtol=1e-10)
