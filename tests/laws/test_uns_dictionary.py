"""Laws of sparse codes and dictionaries, and the same work by scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn import decomposition as sklearn_decomposition

from gnomon.decomposition import DictionaryLearning, sparse_encode
from gnomon.linear import Lasso


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    H = rng.normal(size=(6, 8))
    H /= np.linalg.norm(H, axis=1, keepdims=True)
    Z = rng.normal(size=(70, 6)) * (rng.random((70, 6)) < 0.3)
    return Z @ H + 0.05 * rng.normal(size=(70, 8)), H


@pytest.mark.spec("UNS-095", "UNS-G48")
def test_codes_of_an_orthonormal_dictionary():
    x = [[3.0, -0.2, -2.0]]
    for algorithm in ("lasso", "lasso_lars", "lasso_cd", "threshold"):
        assert sparse_encode(x, np.eye(3), algorithm=algorithm, alpha=0.5).tolist() == [[2.5, 0.0, -1.5]]
        assert sparse_encode(x, np.eye(3), algorithm=algorithm, alpha=0.5, positive=True).tolist() == [[2.5, 0.0, 0.0]]
    assert sparse_encode(x, np.eye(3), algorithm="omp", n_nonzero_coefs=1).tolist() == [[3.0, 0.0, 0.0]]


@pytest.mark.spec("UNS-095")
@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "lasso_lars", "alpha": 0.1},
        {"algorithm": "lasso_cd", "alpha": 0.1, "positive": True},
        {"algorithm": "omp", "n_nonzero_coefs": 3},
        {"algorithm": "omp"},
        {"algorithm": "lars", "n_nonzero_coefs": 3},
        {"algorithm": "threshold", "alpha": 0.2},
        {"algorithm": "threshold", "alpha": 0.2, "positive": True},
        {},
    ],
)
def test_codes_are_those_of_scikit_learn(options, table):
    X, H = table
    peer = sklearn_decomposition.sparse_encode(X, H, **options)
    tol = 2e-3 if options.get("algorithm") == "lasso_cd" else 1e-7
    assert sparse_encode(X, H, **options) == pytest.approx(peer, abs=tol)
    given = sparse_encode(X, H, gram=H @ H.T, cov=H @ X.T, **options)
    assert given == pytest.approx(peer, abs=tol)


@pytest.mark.spec("UNS-095")
def test_the_lasso_of_codes_is_the_lasso(table):
    X, H = table
    z = sparse_encode(X[:1], H, algorithm="lasso", alpha=0.3)
    model = Lasso(0.3 / 8, fit_intercept=False, tol=1e-12).fit(H.T, X[0])
    assert z[0] == pytest.approx(model.coef_, abs=1e-7)


@pytest.mark.spec("UNS-095")
def test_codes_that_cannot_be_are_refused(table):
    X, H = table
    for algorithm in ("omp", "lars"):
        with pytest.raises(ValueError, match="Positive constraint"):
            sparse_encode(X, H, algorithm=algorithm, positive=True)
    with pytest.raises(ValueError, match="different numbers of features"):
        sparse_encode(X[:, :3], H)
    with pytest.raises(ValueError, match="algorithm"):
        sparse_encode(X, H, algorithm="magic")
    # An atom that repeats another is not chosen a second time.
    twice = np.vstack([H[:1], H[:1], H[1:2]])
    found = sparse_encode(X, twice, algorithm="omp", n_nonzero_coefs=3)
    assert np.all(np.sum(found != 0, axis=1) <= 2)
    assert np.all(np.isfinite(found))


def objective(X, Z, H, alpha):
    return 0.5 * np.sum((X - Z @ H) ** 2) + alpha * np.sum(np.abs(Z))


@pytest.mark.spec("UNS-094", "UNS-L35")
@pytest.mark.parametrize("options", [{}, {"positive_code": True, "fit_algorithm": "cd"}, {"positive_dict": True}])
def test_a_dictionary_is_feasible_and_its_objective_falls(options, table):
    X, _ = table
    model = DictionaryLearning(6, alpha=0.2, tol=1e-6, max_iter=2000, transform_algorithm="lasso", **options)
    Z = model.fit_transform(X)
    H = model.components_
    assert np.all(np.linalg.norm(H, axis=1) <= 1 + 1e-12)
    assert np.all(np.diff(model.error_) <= 1e-9)
    assert model.objective_ == pytest.approx(objective(X, Z, H, 0.2), rel=1e-9)
    assert len(model.error_) == model.n_iter_
    # The codes are the lasso of the atoms.
    assert objective(X, model.transform(X), H, 0.2) == pytest.approx(model.objective_, rel=1e-4)
    assert not options.get("positive_code") or np.all(Z >= 0)
    assert not options.get("positive_dict") or np.all(H >= 0)


@pytest.mark.spec("UNS-094", "UNS-L35")
def test_a_strong_penalty_leaves_no_code(table):
    X, _ = table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DictionaryLearning(3, alpha=1e3).fit(X)
    assert model.objective_ == pytest.approx(0.5 * np.sum(X**2))
    assert not np.any(sparse_encode(X, model.components_, alpha=1e3))


@pytest.mark.spec("UNS-094")
def test_a_dictionary_is_no_worse_than_that_of_scikit_learn(table):
    X, _ = table
    for m in (4, 12):
        peer = sklearn_decomposition.DictionaryLearning(
            m, alpha=0.2, tol=1e-8, max_iter=500, fit_algorithm="cd", random_state=0
        ).fit(X)
        ours = DictionaryLearning(m, alpha=0.2, max_iter=3000, tol=1e-7).fit(X)
        assert ours.objective_ <= peer.error_[-1] * 1.02


@pytest.mark.spec("UNS-094")
def test_atoms_without_rows_are_replaced_by_the_worst_rows():
    X = np.vstack([np.eye(4) * [5.0, 4.0, 3.0, 2.0]] * 3)
    start = {"code_init": np.ones((12, 3)), "dict_init": np.vstack([np.eye(4)[:1], np.zeros((2, 4))])}
    model = DictionaryLearning(3, alpha=0.1, **start).fit(X)
    assert model.n_reseeded_ >= 2
    # Three of the four directions, those of the longest rows.
    assert np.abs(model.components_).max(axis=0) == pytest.approx([1, 1, 1, 0], abs=1e-6)


@pytest.mark.spec("UNS-094")
def test_chunks_improve_the_dictionary(table):
    X, _ = table
    model = DictionaryLearning(6, alpha=0.2, transform_algorithm="lasso").partial_fit(X[:35])
    values = []
    for passes in (0, 5, 35):
        for _ in range(passes):
            model.partial_fit(X[:35]).partial_fit(X[35:])
        values.append(objective(X, model.transform(X), model.components_, 0.2))
    assert values[2] < 0.97 * values[1] < 0.97**2 * values[0]
    assert model.sums_.n_rows == 35 + 40 * 70
    assert np.all(np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12)


@pytest.mark.spec("UNS-094")
def test_transform_has_the_options_of_scikit_learn(table):
    X, _ = table
    peer = sklearn_decomposition.DictionaryLearning(5, alpha=0.2, max_iter=5, random_state=0, tol=0.0)
    model = DictionaryLearning(5, alpha=0.2, max_iter=300, tol=1e-4).fit(X)
    peer.components_, peer.n_features_in_ = model.components_, 8
    for options in (
        {},
        {"split_sign": True},
        {"transform_algorithm": "lasso_lars"},
        {"transform_algorithm": "lasso_lars", "transform_alpha": 0.5},
        {"transform_algorithm": "threshold", "positive_code": True, "fit_algorithm": "cd"},
        {"transform_n_nonzero_coefs": 3},
    ):
        ours = DictionaryLearning(5, alpha=0.2, max_iter=300, tol=1e-4, **options).fit(X)
        ours.components_ = model.components_
        other = sklearn_decomposition.DictionaryLearning(5, alpha=0.2, **options)
        other.components_, other.n_features_in_ = model.components_, 8
        Z = ours.transform(X)
        assert pytest.approx(other.transform(X), abs=1e-6) == Z
        assert ours.inverse_transform(Z).shape == X.shape
        assert ours.get_feature_names_out().shape == (Z.shape[1],)
    seen = []
    DictionaryLearning(5, alpha=0.2, max_iter=300, tol=1e-4, callback=seen.append).fit(X)
    assert seen[0]["objective"] > seen[-1]["objective"]
    with pytest.raises(ValueError, match="together"):
        DictionaryLearning(5, dict_init=np.ones((5, 8))).fit(X)
    with pytest.raises(ValueError, match="shapes"):
        DictionaryLearning(5, dict_init=np.ones((4, 8)), code_init=np.ones((70, 5))).fit(X)
