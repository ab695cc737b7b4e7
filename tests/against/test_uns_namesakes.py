"""Components, landmarks and graph cuts beside scikit-learn's classes of the same names, parameter by parameter.

Declared differences, which no row shows. PCA: `n_components=1.0` and dense solvers on sparse rows are more than
scikit-learn takes, and None keeps all components of sparse rows too; one row is refused; whitening leaves components
without variance out, and does not change the density, which it does there; σ² of "covariance_eigh" is that of the other
solvers where there are fewer rows than columns. KernelPCA: rows of integers are stored as floats and a given matrix as
it is, not centred; eigenvectors of zero eigenvalues and sketches that have not converged are arbitrary. Nystroem: an
eigenvalue of rounding is left out where it is raised to 1e-12 there, and "sigmoid" and "additive_chi2" are no kernels.
SpectralClustering: rows without an edge are refused or clusters of their own; "discretize" keeps the best of several
starts; "cluster_qr" gives `n_clusters` clusters whatever `n_components` is. NMF stops by its own rules;
where (1) has several optima it may end in another.
"""

import copy
import inspect
import itertools

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.kernel_approximation
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF as PeerRBF
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from gnomon.cluster import SpectralClustering
from gnomon.decomposition import NMF, PCA, DictionaryLearning, KernelPCA, sparse_encode
from gnomon.features import Nystroem
from namesakes import DATA, VERBS, both, walk

X = DATA["dense"][0]
VERBS = (*VERBS, "transform")
PAIRS = {
    "PCA": (PCA, sklearn.decomposition.PCA),
    "KernelPCA": (KernelPCA, sklearn.decomposition.KernelPCA),
    "NMF": (NMF, sklearn.decomposition.NMF),
    "DictionaryLearning": (DictionaryLearning, sklearn.decomposition.DictionaryLearning),
    "Nystroem": (Nystroem, sklearn.kernel_approximation.Nystroem),
    "SpectralClustering": (SpectralClustering, sklearn.cluster.SpectralClustering),
}


def bumps(a, b, power=1.0):
    """A function of two rows, and of nothing else."""
    assert np.ndim(a) == np.ndim(b) == 1
    return float(np.exp(-np.sum((a - b) ** 2))) ** power


def positive():
    return np.abs(X) + 0.1, None


def similarities():
    return rbf_kernel(X), None


def distances():
    return np.linalg.norm(X[:, None] - X[None], axis=2), None


def lopsided():
    return rbf_kernel(X) * np.linspace(1.0, 2.0, 40), None


def pairs(options):
    """Every option alone, and every two of them."""
    alone = [{name: value} for name, values in options.items() for value in values]
    return alone + [a | b for a, b in itertools.combinations(alone, 2) if not set(a) & set(b)]


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_parameters_in_the_same_order(name):
    ours, theirs = (inspect.signature(cls).parameters for cls in PAIRS[name])
    assert list(ours)[: len(theirs)] == list(theirs)
    assert all(ours[p].default == theirs[p].default and ours[p].kind == theirs[p].kind for p in theirs)


WRONG_PCA = [
    {"n_components": -1}, {"n_components": 1.5}, {"n_components": "x"}, {"n_components": 4}, {"svd_solver": "x"},
    {"tol": -1.0}, {"whiten": "x"}, {"n_oversamples": 0}, {"power_iteration_normalizer": "x"}, {"iterated_power": -1},
    {"n_components": 3, "svd_solver": "arpack"}, {"n_components": 0.5, "svd_solver": "randomized"},
    {"n_components": "mle", "svd_solver": "arpack"}, {"n_components": 0, "svd_solver": "arpack"},
]  # fmt: skip


@pytest.mark.spec("UNS-065", "UNS-068", "UNS-071")
def test_principal_components():
    solvers = ("auto", "full", "covariance_eigh", "arpack", "randomized")
    rows = [({"n_components": c}, "dense") for c in (None, 0, 1, 2, 3, 0.5, 0.99, "mle")]
    rows += [({}, table) for table in ("float32", "integers", "constant column", "nan", "flat", "no rows")]
    rows += [({"n_components": 0, "svd_solver": s}, "dense") for s in ("full", "covariance_eigh")]
    rows += [
        ({"n_components": c, "svd_solver": s}, "dense")
        for s in ("full", "covariance_eigh")
        for c in (None, 0.5, "mle", 3)
    ]
    rows += [
        ({"n_components": 2, "svd_solver": s, "random_state": 0, **more}, table)
        for s in solvers
        for more in ({}, {"whiten": True}, {"tol": 1e-6}, {"iterated_power": 9}, {"copy": False})
        for table in ("dense", "float32", *(("wide",) if s != "covariance_eigh" else ()))
    ]
    rows += [({"n_components": 2, "svd_solver": s}, "csr") for s in ("auto", "arpack", "covariance_eigh")]
    rows += [(options, "dense") for options in WRONG_PCA]
    found = walk("PCA", PCA, rows, verbs=VERBS)
    found += walk("PCA", PCA, [row for row in rows if "whiten" not in row[0]], verbs=("score_samples", "score"))
    assert not found, "\n".join(found)


@pytest.mark.spec("UNS-077", "UNS-079")
def test_kernel_components():
    kernels = ("linear", "poly", "rbf", "sigmoid", "cosine", bumps, PeerRBF(0.8))
    options = {"gamma": (0.3,), "degree": (2,), "coef0": (0.5,), "alpha": (0.2,), "eigen_solver": ("dense",)}
    options["fit_inverse_transform"] = (True,)
    # tanh is a kernel for few γ and c.
    rows = [
        ({"kernel": k, "n_components": 3, **more}, "dense")
        for k in kernels
        for more in [{}, *pairs(options)]
        if k != "sigmoid" or not {"gamma", "coef0"} & set(more)
    ]
    rows += [
        ({"n_components": 2, "kernel": k}, t) for k in ("rbf", "linear") for t in ("float32", "csr", "csc", "wide")
    ]
    rows += [({"n_components": 2}, t) for t in ("constant column", "nan", "flat", "no rows")]
    rows += [({"kernel": bumps, "kernel_params": {"power": 2.0}, "n_components": 2}, "dense")]
    rows += [
        ({"kernel": "rbf", "gamma": 0.1, "n_components": c, **more}, "dense")
        for c in (None, 1, 3, 40, 41, 0, 2.5)
        for more in ({}, {"remove_zero_eig": True}, {"eigen_solver": "arpack", "random_state": 0})
    ]
    wrong = [{"alpha": -1.0}, {"kernel": "x"}, {"kernel": 3}, {"tol": -1.0}, {"iterated_power": -1}, {"max_iter": 0}]
    rows += [(options, "dense") for options in wrong]
    rows += [({"kernel": "precomputed", "fit_inverse_transform": True}, similarities)]
    found = walk("KernelPCA", KernelPCA, rows, verbs=VERBS)
    given = [({"kernel": "precomputed", "n_components": 2}, similarities)]
    found += walk("KernelPCA", KernelPCA, given, verbs=VERBS, also=["X_fit_"])
    assert not found, "\n".join(found)


@pytest.mark.spec("UNS-104")
def test_landmarks():
    kernels = ("poly", "polynomial", "rbf", "laplacian", "chi2", bumps, PeerRBF(0.8), "x", 3)
    options = {"gamma": (0.3,), "degree": (2,), "coef0": (0.5,), "kernel_params": ({},), "n_components": (5,)}
    base = {"n_components": 4, "random_state": 1}
    rows = [({**base, "kernel": k, **more}, positive) for k in kernels for more in [{}, *pairs(options)]]
    rows += [({**base, "kernel": bumps, "kernel_params": {"power": 2.0}}, "dense")]
    rows += [({**base, "kernel_params": {"gamma": 2.0}, **more}, "dense") for more in ({}, {"gamma": 0.1})]
    rows += [(base, table) for table in ("dense", "float32", "wide", "constant column", "nan", "flat", "no rows")]
    rows += [({**base, "kernel": "precomputed", "gamma": 1.0}, similarities)]
    rows += [({"n_components": c, "random_state": 0}, "dense") for c in (0, 1, 40, 41, 2.5)]
    rows += [({**base, "degree": 0.5}, "dense"), ({**base, "gamma": -1.0}, "dense")]
    found = walk("Nystroem", Nystroem, rows, verbs=("transform",), also=["kernel_"])
    # Landmarks that depend on each other: φ is the same, K^{−½} beyond their span is not.
    dependent = [({**base, "kernel": k}, t) for k in ("linear", "cosine", "rbf") for t in ("dense", "csr")]
    found += walk("Nystroem", Nystroem, dependent, verbs=("transform",), also=["normalization_"])
    assert not found, "\n".join(found)


BASE = {"n_clusters": 3, "random_state": 0}


@pytest.mark.spec("UNS-042", "UNS-043")
def test_graph_cuts():
    affinities = ("rbf", "poly", "polynomial", "linear", "sigmoid", "laplacian", "chi2", "cosine", bumps)
    words = ({"gamma": 0.3}, {"degree": 2}, {"coef0": 0.5}, {"assign_labels": "cluster_qr"})
    rows = [({**BASE, "affinity": a}, positive) for a in affinities]
    rows += [({**BASE, "affinity": a, **more}, positive) for a in ("rbf", "poly", bumps) for more in words]
    rows += [({**BASE, "affinity": bumps, "kernel_params": {"power": 2.0}}, "dense")]
    rows += [({**BASE, "affinity": "precomputed"}, table) for table in (similarities, lopsided, "dense")]
    rows += [({**BASE, "affinity": "precomputed_nearest_neighbors"}, distances)]
    rows += [({**BASE, "affinity": "nearest_neighbors", "n_neighbors": q}, "dense") for q in (3, 10, 20, 41, 0)]
    rows += [({**BASE, "eigen_solver": e, "eigen_tol": t}, "dense") for e in ("arpack", None) for t in ("auto", 1e-9)]
    rows += [({**BASE, "eigen_solver": "lobpcg", "eigen_tol": 1e-9}, "dense")]
    rows += [({**BASE, "n_clusters": k}, "dense") for k in (1, 2, 5, 39, 41, 0, 2.5)]
    rows += [({**BASE, "n_components": m}, "dense") for m in (2, 4, 6, 0)]
    rows += [({**BASE, "n_init": n, "random_state": 3}, "dense") for n in (1, 4, 0)]
    rows += [(BASE, table) for table in ("csr", "wide", "constant column", "one row", "nan", "flat", "no rows")]
    wrong = [{"affinity": "x"}, {"affinity": 3}, {"assign_labels": "x"}, {"eigen_solver": "x"}, {"gamma": -1.0}]
    rows += [({**BASE, **more}, "dense") for more in wrong]
    found = walk("SpectralClustering", SpectralClustering, rows, verbs=(), also=["labels_"])
    for row in rows:
        (theirs, *_), (mine, *_) = both("SpectralClustering", SpectralClustering, row)
        if not isinstance(theirs, Exception) and adjusted_rand_score(theirs.labels_, mine.labels_) != 1.0:
            found.append(f"{row}: other clusters")
    assert not found, "\n".join(found)


@pytest.mark.spec("UNS-043")
@pytest.mark.parametrize("solver", ["arpack", "lobpcg"])
def test_the_eigensolver_that_is_asked_for_is_used(solver, monkeypatch):
    module = inspect.getmodule(SpectralClustering)
    used = []
    way = module.ITERATIVE[solver]
    monkeypatch.setitem(
        module.ITERATIVE, solver, way._replace(find=lambda *given: used.append(solver) or way.find(*given))
    )
    exact = SpectralClustering(3, random_state=0).fit(X)
    assert not used
    model = SpectralClustering(3, eigen_solver=solver, eigen_tol=1e-10, random_state=0).fit(X)
    assert used == [solver]
    assert model.eigenvalues_[:3] == pytest.approx(exact.eigenvalues_[:3], abs=1e-8)
    assert np.array_equal(model.labels_ == model.labels_[0], exact.labels_ == exact.labels_[0])
    with pytest.warns(RuntimeWarning, match="at most"):
        SpectralClustering(40, eigen_solver=solver, random_state=0).fit(X)
    assert used == [solver]


@pytest.mark.spec("UNS-043")
def test_steps_are_told(capsys):
    SpectralClustering(3, random_state=0).fit(X)
    assert capsys.readouterr().err == ""
    SpectralClustering(3, random_state=0, verbose=True).fit(X)
    told = capsys.readouterr().err
    assert "step 2 of 3: 10 eigenvectors" in told
    assert "3 clusters" in told


@pytest.mark.spec("UNS-093")
def test_factors_are_refused_and_warned_of_alike():
    def rows_of(change):
        def table():
            return change(np.abs(X)), None

        return table

    N = {"n_components": 2, "random_state": 0, "max_iter": 500}
    same = [lambda A: A, sparse.csr_matrix, lambda A: np.round(3 * A).astype(int), lambda A: A[:1]]
    wrong = [lambda A: -A, lambda A: np.where(A > 2.0, np.nan, A), lambda A: A[:, 0], lambda A: A[:0]]
    rows = [(N, rows_of(change)) for change in (*same, *wrong)]
    options = {
        "n_components": (0, 2.5), "init": ("x", "custom", "nndsvd", "random"), "solver": ("x", "mu"), "tol": (-1.0,),
        "beta_loss": ("kullback-leibler", "x"), "max_iter": (0,), "alpha_W": (-1.0,), "l1_ratio": (2.0,),
    }  # fmt: skip
    rows += [({**N, **more}, positive) for more in pairs(options)]
    found = walk("NMF", NMF, rows, verbs=(), also=["components_", "reconstruction_err_"])
    assert not found, "\n".join(found)


@pytest.mark.spec("UNS-094")
def test_dictionaries():
    D = {"n_components": 3, "alpha": 0.3, "max_iter": 60, "random_state": 0}
    rows = [({**D, **more}, "dense") for more in (
        {"fit_algorithm": "lars", "positive_code": True}, {"transform_algorithm": "x"}, {"fit_algorithm": "x"},
        {"n_components": 0}, {"alpha": -1.0}, {"max_iter": -1}, {"tol": -1.0}, {"transform_n_nonzero_coefs": 0},
    )]  # fmt: skip
    rows += [({**D, "transform_algorithm": "x"}, "dense"), (D, "nan"), (D, "flat"), (D, "no rows"), (D, "csr")]
    assert not walk("DictionaryLearning", DictionaryLearning, rows)
    for more in ({}, {"fit_algorithm": "cd"}, {"fit_algorithm": "cd", "positive_code": True}, {"positive_dict": True}):
        options = {**D, "fit_algorithm": "cd", **more}
        theirs, ours = (cls(**options).fit(X) for cls in PAIRS["DictionaryLearning"][::-1])
        assert ours.objective_ <= theirs.error_[-1] * (1.0 + 1e-3)
    for algorithm in ("omp", "lasso_lars", "lasso_cd", "lars", "threshold"):
        theirs, ours = (
            cls(**D, transform_algorithm=algorithm, transform_alpha=0.2, split_sign=True)
            for cls in PAIRS["DictionaryLearning"][::-1]
        )
        theirs.fit(X)
        ours.fit(X).components_ = theirs.components_
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=2e-4)


def encode(function, options):
    """The codes, or the error."""
    try:
        return function(**{"X": FEW, "dictionary": ATOMS, **copy.deepcopy(options)})
    except (ValueError, TypeError) as error:
        return error


FEW = X[:8]
ATOMS = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0] + 0.1
ATOMS /= np.linalg.norm(ATOMS, axis=1, keepdims=True)
ENCODED = {
    "algorithm": ("lasso_lars", "lasso_cd", "lars", "omp", "threshold", "x"),
    "alpha": (0.2, 1.5),
    "n_nonzero_coefs": (1, 2),
    "gram": (ATOMS @ ATOMS.T,),
    "cov": (ATOMS @ FEW.T,),
    "copy_cov": (False,),
    "init": (np.zeros((8, 3)),),
    "max_iter": (500,),
    "check_input": (False,),
    "positive": (True,),
    "dictionary": (ATOMS[:, :2],),
}


@pytest.mark.spec("UNS-095")
def test_codes_of_a_dictionary():
    assert list(inspect.signature(sparse_encode).parameters) == list(
        inspect.signature(sklearn.decomposition.sparse_encode).parameters
    )
    for options in [{}, *pairs(ENCODED)]:
        theirs, ours = (encode(f, options) for f in (sklearn.decomposition.sparse_encode, sparse_encode))
        assert isinstance(ours, Exception) == isinstance(theirs, Exception), (options, ours, theirs)
        if options.get("positive") and options.get("algorithm", "lasso_lars") == "lasso_lars":
            # Their path with a sign is no lasso (their documentation says so); their coordinate descent is.
            theirs = encode(sklearn.decomposition.sparse_encode, {**options, "algorithm": "lasso_cd"})
        if not isinstance(theirs, Exception):
            np.testing.assert_allclose(ours, theirs, atol=1e-4, err_msg=str(options))


@pytest.mark.spec("UNS-095")
def test_what_the_words_of_the_coder_do(capsys):
    hole = X.copy()
    hole[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        sparse_encode(hole, ATOMS)
    assert np.all(np.isfinite(sparse_encode(hole, ATOMS, algorithm="threshold", check_input=False)[1:]))
    quiet = sparse_encode(X, ATOMS, alpha=0.1)
    assert capsys.readouterr().err == ""
    assert np.array_equal(sparse_encode(X, ATOMS, alpha=0.1, verbose=2), quiet)
    assert capsys.readouterr().err.splitlines()[-1] == "tenth of the rows 10 of 10"


@pytest.mark.spec("UNS-094")
def test_seeds_choose_among_rows_that_are_equally_bad():
    rows = np.eye(6)
    start = {"code_init": np.zeros((6, 2)), "dict_init": np.eye(6)[:2] * [[1.0], [0.0]]}

    def atoms(seed):
        return DictionaryLearning(2, alpha=0.1, random_state=seed, **start).fit(rows).components_

    assert len({int(np.argmax(np.abs(atoms(seed)[1]))) for seed in range(6)}) > 1
    assert np.array_equal(atoms(2), atoms(2))


def test_a_given_kernel_matrix_is_centred_by_its_rows_and_its_columns():
    lopsided = np.array([[1.0, 2.0, 0.0], [3.0, 40.0, 5.0], [0.0, 4.0, 9.0]])
    options = {"kernel": "precomputed", "n_components": 2, "eigen_solver": "dense"}
    ours, theirs = (make(**options).fit(lopsided) for make in (KernelPCA, sklearn.decomposition.KernelPCA))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_)
