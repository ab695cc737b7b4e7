"""Laws of the ways to choose the number of clusters."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, MeanShift
from sklearn.linear_model import LinearRegression
from sklearn.metrics import silhouette_samples
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from gnomon.cluster import KMeans, dp_means, k_curves, select_k, silhouettes
from gnomon.cluster.k_rules import anderson_darling, capacity_at, elbow, penalty_path, prediction_strength

RNG = np.random.default_rng(12)
CENTERS = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [9.0, 9.0]])
GROUPS = np.vstack([c + RNG.normal(size=(30, 2)) for c in CENTERS])
BOX = RNG.uniform(size=(120, 2))
FAST = KMeans(n_init=3)


@pytest.mark.spec("UNS-L19", "UNS-047")
@pytest.mark.parametrize("a", [0.3, 1.0, 2.0, 4.0])
def test_a_power_of_k_has_no_elbow(a):
    ks = np.arange(1, 12)
    assert elbow(ks, 50.0 * ks**-a).k is None


@pytest.mark.spec("UNS-L19", "UNS-048")
def test_a_higher_price_gives_fewer_clusters():
    costs = np.sort(RNG.exponential(size=9))[::-1] * 10
    path = penalty_path(range(1, 10), costs)
    chosen = [path.at(lam) for lam in np.linspace(0, 40, 200)]
    assert np.all(np.diff(chosen) <= 0)
    assert path.at(1e9) == 1
    # For every price the path names what a search over all k finds.
    for lam in np.linspace(0.01, 40, 50):
        assert path.at(lam) == 1 + np.argmin(costs + lam * np.arange(1, 10))


@pytest.mark.spec("UNS-L22", "UNS-050", "UNS-051")
def test_bounds_of_capacity_and_strength():
    E, F = RNG.exponential(size=(50, 4)), RNG.exponential(size=(50, 4))
    sizes = np.bincount(np.argmin(E, axis=1), minlength=4)
    shares = sizes / 50
    entropy = -np.sum(shares * np.log(shares))
    assert capacity_at(0.0, sizes, E, F) == pytest.approx(entropy - np.log(4))
    assert all(capacity_at(beta, sizes, E, F) <= np.log(4) for beta in (0.1, 1.0, 10.0))
    labels = RNG.integers(0, 3, size=40)
    other = RNG.integers(0, 3, size=40)
    assert prediction_strength(np.zeros(40), other) <= 1.0
    assert prediction_strength(labels, other) == prediction_strength(labels, (other + 1) % 3)
    assert prediction_strength((labels + 2) % 3, other) == prediction_strength(labels, other)


ANSWERS = {
    "elbow": {},
    "gap": {"n_references": 8, "rule": "max"},
    "stability": {"n_splits": 4},
    "prediction_strength": {"n_splits": 4},
    "bic": {},
    "silhouette": {},
    "calinski_harabasz": {},
    "davies_bouldin": {},
    "gmeans": {},
    "penalty": {"penalty": 200.0},
}


@pytest.mark.spec("UNS-047", "UNS-048", "UNS-049", "UNS-050", "UNS-051", "UNS-053", "UNS-054", "UNS-055", "UNS-056")
@pytest.mark.parametrize("method", ANSWERS)
def test_separated_groups_are_counted(method):
    found = select_k(GROUPS, range(1, 7), method=method, estimator=FAST, random_state=0, **ANSWERS[method])
    assert found.k == 4, str(found)
    assert "4 clusters" in str(found)
    assert all(len(values) == len(found.table["k"]) for values in found.table.values())


@pytest.mark.spec("UNS-051")
def test_capacity_grows_up_to_the_groups_that_are_there():
    found = select_k(GROUPS, range(1, 6), method="capacity", n_splits=4, estimator=FAST, random_state=0)
    capacity = found.table["capacity"]
    # It leans to larger numbers, but never to fewer than there are.
    assert found.k >= 4
    assert "leans to larger numbers" in str(found)
    assert np.all(capacity[:3] < capacity[3])
    assert np.all((capacity >= 0.0) & (capacity <= np.log(found.table["k"]) + 1e-9))
    # Of groups that overlap it asks for more than there are, and stability does not.
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 2.6]])
    X = np.vstack([c + np.random.default_rng(0).normal(size=(40, 2)) for c in centers])
    answers = {
        name: select_k(X, range(2, 7), method=name, n_splits=6, estimator=FAST, random_state=0)
        for name in ("capacity", "stability")
    }
    assert answers["capacity"].k > answers["stability"].k == 3


@pytest.mark.spec("UNS-047", "UNS-053", "UNS-054", "UNS-050", "UNS-L19")
def test_a_box_without_structure_has_no_clusters():
    for method, options in [
        ("elbow", {"n_references": 5}),
        ("gap", {"n_references": 8}),
        ("prediction_strength", {"n_splits": 5}),
    ]:
        found = select_k(BOX, range(1, 6), method=method, estimator=FAST, random_state=0, **options)
        assert found.k in (None, 1), str(found)
        assert str(found).startswith("no ")
    one = RNG.normal(size=(150, 3))
    assert select_k(one, method="gmeans", random_state=0).k == 1
    assert select_k(one, method="gmeans", bonferroni=True, random_state=0).k == 1


@pytest.mark.spec("UNS-049")
def test_noise_has_no_stable_number():
    noise = np.random.default_rng(1).normal(size=(60, 12))
    found = select_k(noise, [4, 6], method="stability", n_splits=6, estimator=FAST, random_state=0)
    assert found.k is None
    assert found.verdict == "no stable number"


@pytest.mark.spec("UNS-L21", "UNS-052")
def test_held_out_cost_falls_with_every_cluster_and_chooses_nothing():
    found = select_k(GROUPS, [1, 2, 4, 8, 12], method="heldout", n_splits=4, estimator=FAST, random_state=0)
    assert found.k is None
    assert "keeps falling" in found.reason
    assert np.all(np.diff(found.table["heldout"]) < 0)
    assert np.all(found.table["heldout"][1:] > found.table["train"][1:])


@pytest.mark.spec("UNS-L20", "UNS-G54")
@pytest.mark.parametrize(("d", "slope"), [(1, -2.0), (2, -1.05), (4, -0.55)])
def test_the_cost_of_a_box_falls_as_a_power_of_k(d, slope):
    X = np.random.default_rng(d).uniform(size=(1000, d))
    ks = [2, 4, 8, 16]
    table = select_k(X, ks, method="elbow", estimator=KMeans(n_init=3), random_state=0).table
    fitted = np.polyfit(np.log(ks), np.log(table["cost"]), 1)[0]
    assert fitted == pytest.approx(slope, abs=0.12)


@pytest.mark.spec("UNS-057", "UNS-046")
def test_what_clusters_are_for_decides():
    def scorer(labels, model):
        return -model.inertia_ / len(labels)

    free = select_k(GROUPS, [1, 2, 4, 6], method="downstream", scorer=scorer, estimator=FAST, random_state=0)
    dear = select_k(
        GROUPS, [1, 2, 4, 6], method="downstream", scorer=scorer, cost_per_cluster=5.0, estimator=FAST, random_state=0
    )
    assert (free.k, dear.k) == (6, 4)
    assert FAST.set_params(n_clusters=3).fit(GROUPS).cluster_centers_.shape[0] == 3


@pytest.mark.spec("UNS-047", "UNS-056")
def test_other_clusterers_and_samples():
    tree = AgglomerativeClustering()
    assert select_k(GROUPS, range(1, 7), method="elbow", estimator=tree).k == 4
    assert select_k(GROUPS, range(1, 7), method="silhouette", estimator=tree).k == 4
    with pytest.raises(ValueError, match="predict"):
        select_k(GROUPS, [2], method="stability", estimator=tree)
    with pytest.raises(ValueError, match=r"estimator=MeanShift.* has no n_clusters"):
        select_k(GROUPS, [2, 3], method="silhouette", estimator=MeanShift())
    part = select_k(GROUPS, range(1, 7), method="bic", sample_size=80, random_state=0)
    assert part.k == 4


@pytest.mark.spec("UNS-047", "UNS-048")
def test_what_cannot_be_chosen_is_refused():
    for options, said in [
        ({"method": "magic"}, "method"),
        ({"method": "penalty"}, "penalty"),
        ({"method": "downstream"}, "scorer"),
        ({"method": "stability", "ks": [1]}, "ks"),
        ({"method": "silhouette", "ks": [1]}, "ks"),
        ({"method": "elbow", "ks": []}, "ks"),
        ({"method": "elbow", "ks": [300]}, "rows"),
        ({"method": "gmeans", "alpha": 0.3}, "alpha"),
    ]:
        with pytest.raises(ValueError, match=said):
            select_k(GROUPS, options.pop("ks", [1, 2]), **options)
    with pytest.raises(TypeError, match="method"):
        select_k(GROUPS, [1, 2])
    with pytest.raises(ValueError, match="cost"):
        select_k(GROUPS, [2, 3], method="silhouette", random_state=0).path()
    # A cost of zero needs no more clusters.
    assert select_k(np.repeat(CENTERS, 3, axis=0), range(1, 5), method="elbow", random_state=0).k == 4
    assert select_k(GROUPS, range(1, 6), method="elbow", random_state=0).path().at(1e9) == 1


@pytest.mark.spec("UNS-048")
def test_a_price_for_each_cluster():
    found = dp_means(GROUPS, 25.0)
    assert len(found.centers) == 4
    assert np.all(np.diff(found.history) <= 1e-9)
    squares = np.sum((GROUPS - found.centers[found.labels]) ** 2)
    assert found.objective == pytest.approx(squares + 25.0 * 4)
    assert len(dp_means(GROUPS, 1e9).centers) == 1
    with pytest.raises(ValueError, match="penalty"):
        dp_means(GROUPS, 0.0)


@pytest.mark.spec("UNS-056")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "precomputed"])
def test_silhouettes_are_those_of_scikit_learn(metric, monkeypatch):
    labels = np.repeat([0, 1, 2, 5], 30)
    labels[7] = 9
    X = GROUPS + 20.0
    X = np.abs(X[:, None] - X).sum(axis=2) if metric == "precomputed" else X
    monkeypatch.setattr("gnomon.cluster._silhouettes.BLOCK", 1000)
    assert silhouettes(X, labels, metric=metric) == pytest.approx(
        silhouette_samples(X, labels, metric=metric), abs=1e-9
    )
    pairs = np.array([[0.0], [1.0], [5.0], [9.0]])
    assert select_k(pairs, [3], method="silhouette", random_state=0).k == 3
    with pytest.raises(ValueError, match="Number of labels"):
        silhouettes(GROUPS, np.zeros(120))
    if metric == "precomputed":
        for wrong, said in [
            (X - 1.0, "negative"),
            (X + 1.0, "diagonal"),
            (np.triu(X), "symmetric"),
            (X[:, :9], "square"),
        ]:
            with pytest.raises(ValueError, match=said):
                silhouettes(wrong, labels, metric=metric)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("gap", "n_references, reference, rule"),
        ("stability", "n_splits"),
        ("bic", "it has none"),
        ("downstream", "scorer, pipeline, y, cv, scoring, cost_per_cluster"),
    ],
)
def test_an_option_of_another_method_is_refused_with_those_of_this_one(method, options):
    with pytest.raises(TypeError, match=f"penalty=2.0 is no option of method='{method}'.*{options}"):
        select_k(GROUPS, method=method, penalty=2.0)


@pytest.mark.spec("UNS-054")
def test_splits_at_the_critical_value():
    """The statistic of one cluster beside the table of critical values, and what it decides."""
    rng = np.random.default_rng(0)

    def decided(x, **options):
        return select_k(x[:, None], [1], method="gmeans", random_state=0, **options).k

    for gap in np.linspace(0.0, 6.0, 25):
        x = np.sort(np.concatenate([rng.normal(size=30), rng.normal(size=30) + gap]))
        A = anderson_darling(x)[1]
        halves = [anderson_darling(part)[1] for part in (x[:30], x[30:])]
        for level, critical in [(1e-4, 1.8692), (0.01, 1.035), (0.05, 0.752)]:
            if critical >= A:
                assert decided(x, alpha=level) == 1
            elif max(halves) < 0.5:
                assert decided(x, alpha=level) >= 2
    # A hundred tests at once ask for more: the level is divided by the number of clusters.
    x = np.concatenate([rng.normal(size=40) + 40.0 * j for j in range(6)] + [[300.0, 304.0, 308.0, 312.0] * 10])
    assert decided(x, alpha=0.05, bonferroni=True) <= decided(x, alpha=0.05)
    # Fewer than eight rows say nothing.
    seven = np.array([0.0, 0.1, 0.2, 0.3, 90.0, 90.1, 90.2])
    assert decided(seven, alpha=0.1) == 1
    assert decided(np.r_[seven, 90.3], alpha=0.1) == 2


@pytest.mark.spec("UNS-054")
def test_a_share_of_the_level_for_each_cluster(monkeypatch):
    levels = []
    real = k_curves._critical
    monkeypatch.setattr(k_curves, "_critical", lambda level: levels.append(level) or real(level))
    select_k(GROUPS, [1], method="gmeans", alpha=0.01, bonferroni=True, random_state=0)
    assert levels[0] == 0.01
    assert levels[1] == 0.005
    assert set(levels) <= {0.01 / j for j in range(1, 9)}
    assert min(levels) < 0.005
    levels.clear()
    select_k(GROUPS, [1], method="gmeans", alpha=0.01, random_state=0)
    assert set(levels) == {0.01}


@pytest.mark.spec("UNS-047")
def test_bends_beside_those_of_boxes():
    found = select_k(GROUPS, range(1, 8), method="elbow", n_references=9, random_state=0)
    boxes, strongest = found.table["reference"], np.nanmax(found.table["strength"])
    assert len(boxes) == 9
    assert found.table["z"] == pytest.approx((strongest - boxes.mean()) / boxes.std())
    assert found.table["p"] == pytest.approx((1 + np.sum(boxes >= strongest)) / 10)
    assert found.table["z"] > 3.0
    assert f"p = {found.table['p']:.2f}" in found.reason


@pytest.mark.spec("UNS-054", "UNS-056")
@pytest.mark.parametrize("method", ["gmeans", "silhouette", "davies_bouldin"])
@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_number_of_clusters_has_no_unit(method, unit):
    plain, other = (select_k(s * GROUPS, range(1, 6), method=method, random_state=0).k for s in (1.0, unit))
    assert plain == other == 4


@pytest.mark.spec("UNS-057")
def test_the_number_that_a_pipeline_predicts_best_with():
    rng = np.random.default_rng(0)
    # Four groups in the plane, and a target that differs between them.
    y = np.repeat([0.0, 5.0, 1.0, 6.0], 30) + 0.1 * rng.normal(size=120)
    order = rng.permutation(120)
    pipeline = make_pipeline(KMeans(n_init=5, random_state=0), LinearRegression())
    options = {"pipeline": pipeline, "y": y[order], "cv": 4, "scoring": "neg_mean_squared_error"}
    found = select_k(GROUPS[order], range(1, 7), method="downstream", random_state=0, **options)
    expected = [
        cross_val_score(
            make_pipeline(KMeans(k, n_init=5, random_state=0), LinearRegression()),
            GROUPS[order], y[order], cv=4, scoring="neg_mean_squared_error",
        ).mean()
        for k in range(1, 7)
    ]  # fmt: skip
    assert found.table["score"] == pytest.approx(expected)
    assert found.k == int(np.argmax(expected)) + 1 >= 4
    priced = select_k(
        GROUPS[order], range(1, 7), method="downstream", random_state=0, cost_per_cluster=100.0, **options
    )
    assert priced.k == 1
    for own in ({"estimator": KMeans()}, {"sample_size": 50}):
        with pytest.raises(ValueError, match="pipeline"):
            select_k(GROUPS[order], [2], method="downstream", **own, **options)
    for wrong in ({}, {"scorer": lambda labels, model: 0.0, **options}, {**options, "pipeline": LinearRegression()}):
        with pytest.raises(ValueError, match="pipeline"):
            select_k(GROUPS[order], [2], method="downstream", **wrong)
