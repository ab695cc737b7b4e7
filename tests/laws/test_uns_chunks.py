"""Factors of rows that come in chunks: what chunks cannot change, and what they must reach."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from gnomon.decomposition import NMF, DictionaryLearning, sparse_encode

RNG = np.random.default_rng(4)
X = RNG.gamma(0.6, size=(60, 3)) @ RNG.gamma(0.6, size=(3, 8)) + 0.05 * RNG.random((60, 8))
H0 = RNG.random((3, 8))
OPTIONS = {"n_components": 3, "init": "custom", "max_iter": 3000}
CUTS = {"whole": [60], "two": [25, 35], "many": [7] * 8 + [4], "rows": [1] * 60}


def cut(rows, sizes):
    return [rows[a:b] for a, b in zip(np.r_[0, np.cumsum(sizes)[:-1]], np.cumsum(sizes), strict=True)]


@pytest.mark.spec("UNS-110", "UNS-093")
@pytest.mark.parametrize("penalties", [{}, {"alpha_W": 0.003, "alpha_H": 0.002, "l1_ratio": 0.4}])
@pytest.mark.parametrize("name", CUTS)
def test_cuts_do_not_change_the_patterns(name, penalties):
    whole = NMF(**OPTIONS, **penalties, tol=1e-2).fit_chunks([X], H=H0)
    assert whole.n_iter_ > 3
    for rows in (X, sparse.csr_matrix(X)):
        model = NMF(**OPTIONS, **penalties, tol=1e-2).fit_chunks(lambda rows=rows: iter(cut(rows, CUTS[name])), H=H0)
        np.testing.assert_allclose(model.components_, whole.components_, rtol=1e-6, atol=1e-8)
        assert model.objective_ == pytest.approx(whole.objective_, rel=1e-8)


@pytest.mark.spec("UNS-110", "UNS-L35")
@pytest.mark.parametrize("penalties", [{}, {"alpha_W": 0.003, "alpha_H": 0.002, "l1_ratio": 0.4}])
def test_passes_lower_the_objective_to_a_fixed_point(penalties):
    model = NMF(**OPTIONS, **penalties, tol=1e-6).fit_chunks(cut(X, CUTS["two"]), H=H0)
    assert model.converged_
    assert np.all(np.diff(model.history_["objective"]) <= 1e-9 * model.objective_)
    H = model.components_
    n, d = X.shape
    a, b, rho = (penalties.get(word, 0.0) for word in ("alpha_W", "alpha_H", "l1_ratio"))
    # Each row of codes by Lawson & Hanson: the penalties are further rows of a least squares problem, and a shift.
    A = H @ H.T + d * a * (1 - rho) * np.eye(3)
    root = np.linalg.cholesky(A).T
    W = np.array([nnls(root, np.linalg.solve(root.T, H @ x - d * a * rho))[0] for x in X])

    def weigh(F):
        return rho * np.sum(F) + 0.5 * (1 - rho) * np.sum(F**2)

    fit = 0.5 * np.sum((X - W @ H) ** 2)
    assert model.objective_ == pytest.approx(fit + d * a * weigh(W) + n * b * weigh(H), rel=1e-7)
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * fit), rel=1e-5)
    # The gradient of H is zero where H is positive, and never negative.
    slope = W.T @ (W @ H - X) + n * b * (rho + (1 - rho) * H)
    assert np.all(slope > -1e-3 * np.max(W.T @ X))
    assert np.all(np.abs(slope[H > 1e-6]) < 1e-3 * np.max(W.T @ X))
    again = NMF(**OPTIONS, **penalties, tol=1e-3).fit(X, W=W, H=H)
    assert again.objective_ == pytest.approx(model.objective_, rel=1e-4)


@pytest.mark.spec("UNS-110", "UNS-093")
def test_mini_batches_come_near_all_rows():
    rng = np.random.default_rng(1)
    patterns = rng.gamma(0.6, size=(3, 8))
    stream = [rng.gamma(0.6, size=(40, 3)) @ patterns + 0.05 * rng.random((40, 8)) for _ in range(60)]
    rows = np.vstack(stream[-20:])

    def left(H):
        model = NMF(3, init="custom", max_iter=1000)
        model.fit_chunks([rows[:40]], H=H).components_ = H
        return np.linalg.norm(rows - model.transform(rows) @ H) / np.linalg.norm(rows)

    online = NMF(3, random_state=0)
    first = None
    for chunk in stream:
        online.partial_fit(chunk)
        first = online.components_ if first is None else first
    best = NMF(3, random_state=0, tol=1e-6, max_iter=2000).fit(rows)
    errors = left(online.components_), left(best.components_), left(first)
    assert errors[0] < 3.0 * errors[1]
    assert errors[0] < 0.5 * errors[2]
    assert online.sums_.n_rows == 2400


@pytest.mark.spec("UNS-110", "UNS-093")
def test_a_stream_of_the_same_rows_tends_to_their_fit_at_any_price():
    """Equation (1) with the codes of `transform`: a price of the patterns counts once for each row that was seen."""

    def priced(model):
        W, H = model.set_params(tol=1e-10, max_iter=5000).transform(X), model.components_
        return np.sum((X - W @ H) ** 2) + 0.05 * (8 * np.sum(W**2) + 60 * np.sum(H**2))

    options = {"n_components": 3, "init": "nndsvd", "alpha_W": 0.05}
    online, whole = NMF(**options), NMF(**options, tol=1e-9, max_iter=5000).fit(X)
    for _ in range(200):
        online.partial_fit(X)
    assert priced(whole) == pytest.approx(2.0 * whole.objective_, rel=1e-6)
    assert priced(whole) * (1 - 1e-6) <= priced(online) < 1.1 * priced(whole)


@pytest.mark.spec("UNS-093")
def test_a_random_order_of_the_patterns():
    W0 = RNG.random((60, 3))
    models = [
        NMF(3, shuffle=mixed, random_state=seed, init="custom", max_iter=2, tol=1e-2)
        for mixed, seed in [(False, 0), (True, 0), (True, 0), (True, 1)]
    ]
    with pytest.warns(ConvergenceWarning):
        H = [model.fit(X, W=W0, H=H0).components_ for model in models]
    assert np.array_equal(H[1], H[2])
    # From one start, only the order can make a difference.
    assert not any(np.array_equal(*pair) for pair in [(H[0], H[1]), (H[0], H[3]), (H[1], H[3])])
    plain, mixed = (NMF(3, shuffle=s, random_state=0, tol=1e-4, max_iter=5000).fit(X) for s in (False, True))
    assert mixed.objective_ == pytest.approx(plain.objective_, rel=1e-2)


@pytest.mark.spec("UNS-110")
def test_what_chunks_cannot_do_is_refused():
    for options, chunks, word in [
        ({"solver": "mu"}, [X], "solver"),
        ({"normalize": "rows"}, [X], "normalize"),
        ({}, [], "no table"),
        ({}, iter([X]), "only once"),
        ({}, [(X, np.ones(60))], "weights"),
        ({}, [X, -X], "Negative"),
        ({}, [X, X[:, :3]], "features"),
        ({"init": "custom"}, [X], "H"),
    ]:
        with pytest.raises(ValueError, match=word):
            NMF(3, **options).fit_chunks(chunks)
    with pytest.raises(ValueError, match="solver"):
        NMF(3, solver="mu").partial_fit(X)


@pytest.mark.spec("UNS-094")
def test_sums_of_a_stream():
    """After every chunk G = Σ_c β_c… Z_cᵀZ_c/n_c with the codes of that time: Mairal et al. (2009), section 3.4.2."""
    rows = np.random.default_rng(0).normal(size=(30, 4))
    model = DictionaryLearning(3, alpha=0.2)
    G, B = np.zeros((3, 3)), np.zeros((4, 3))
    for t, chunk in enumerate((rows[:10], rows[10:20], rows[20:])):
        H = model._start(chunk).right if t == 0 else model.components_
        Z = sparse_encode(chunk, H, algorithm="lasso_cd", alpha=0.2)
        theta = (t + 1) * 10
        beta = (theta + 1 - 10) / (theta + 1)
        G, B = beta * G + Z.T @ Z / 10, beta * B + chunk.T @ Z / 10
        model.partial_fit(chunk)
        np.testing.assert_allclose(model.sums_.G, G, atol=1e-6)
        np.testing.assert_allclose(model.sums_.B, B, atol=1e-6)
    assert (model.sums_.n_chunks, model.sums_.n_rows) == (3, 30)
