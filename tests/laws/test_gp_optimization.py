"""Laws of Bayesian optimisation: acquisitions, slice sampling, spaces, questions and answers."""

import json
import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from gnomon.gp import BayesianOptimizer, Category, Integer, Real, Space, _next_point
from gnomon.gp._acquisition import RULES, aim
from gnomon.gp._surrogate import Values, start_of, surrogate
from gnomon.infer import (
    ExpectedImprovement,
    LowerConfidenceBound,
    MeanRatio,
    ProbabilityOfImprovement,
    log_expected_excess,
    slice_sample,
)

ACQUISITIONS = [
    ExpectedImprovement(),
    ExpectedImprovement(xi=0.3),
    LowerConfidenceBound(),
    MeanRatio(),
    ProbabilityOfImprovement(xi=0.1),
]
MEANS, STDS = (part.ravel() for part in np.meshgrid([-1.0, 0.2, 3.0, 40.0], [0.01, 0.5, 2.0]))


@pytest.mark.spec("GP-054")
def test_expected_improvement_is_an_integral():
    for mean, std, best in [(0.2, 0.5, 0.3), (1.0, 0.4, 0.1), (-2.0, 3.0, 0.5)]:
        integral, _ = integrate.quad(lambda f, m=mean, s=std, b=best: (b - f) * stats.norm.pdf(f, m, s), -60.0, best)
        found = ExpectedImprovement().value(np.array([mean]), np.array([std]), best)
        np.testing.assert_allclose(found, [integral], rtol=1e-9)


@pytest.mark.spec("GP-054")
def test_its_logarithm_has_all_digits_wherever_it_is():
    mpmath = pytest.importorskip("mpmath", reason="the reference has 60 digits")
    mpmath.mp.dps = 60
    # In so many digits φ(z) + zΦ(z) loses none that count, down to z = −1e5.
    for z in (8.0, 0.3, -0.999, -1.001, -7.0, -49.9, -50.1, -1e3, -1e5):
        x = mpmath.mpf(z)
        exact = mpmath.log(mpmath.npdf(x) + x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2)
        np.testing.assert_allclose(log_expected_excess(np.array([z])), [float(exact)], rtol=5e-14, atol=1e-15)
        # The part beside −z²/2, where a wrong series would hide.
        rest = log_expected_excess(np.array([z])) + 0.5 * z * z
        np.testing.assert_allclose(rest, [float(exact + x * x / 2)], rtol=1e-9, atol=3e-16 * z * z)


@pytest.mark.spec("GP-053", "GP-054")
@pytest.mark.parametrize("acquisition", ACQUISITIONS, ids=repr)
def test_slopes_of_merits_are_derivatives(acquisition):
    merit, h = acquisition.merit(MEANS, STDS, 0.3), 1e-6
    for slope, step_mean, step_std in ((merit.by_mean, 1.0, 0.0), (merit.by_std, 0.0, 1.0)):
        d = h * STDS
        above = acquisition.merit(MEANS + d * step_mean, STDS + d * step_std, 0.3).value
        below = acquisition.merit(MEANS - d * step_mean, STDS - d * step_std, 0.3).value
        np.testing.assert_allclose(slope, (above - below) / (2.0 * d), rtol=1e-4, atol=1e-6)


@pytest.mark.spec("GP-053", "GP-054")
def test_merits_order_candidates_as_values_do():
    sign = {LowerConfidenceBound: -1.0, MeanRatio: -1.0}
    near = np.abs(MEANS) < 10.0
    for acquisition in ACQUISITIONS:
        value = sign.get(type(acquisition), 1.0) * acquisition.value(MEANS, STDS, 0.3)[near]
        merit = acquisition.merit(MEANS, STDS, 0.3).value[near]
        apart = value[:, None] > value + 1e-12
        assert np.all((merit[:, None] > merit)[apart])


@pytest.mark.spec("GP-L20")
def test_acquisitions_of_points_above_the_best():
    stds = np.array([0.0, 1e-3, 0.1, 1.0, 10.0])
    worse = np.full(5, 0.5)
    for acquisition in (ExpectedImprovement(), ProbabilityOfImprovement()):
        values = acquisition.value(worse, stds, 0.3)
        assert np.all(values >= 0.0)
        assert values[0] == 0.0
        assert np.all(np.diff(values) >= 0.0)
        assert np.all(np.diff(values[2:]) > 0.0)
    np.testing.assert_allclose(ExpectedImprovement().value(np.array([0.1]), np.zeros(1), 0.3), [0.2])
    means = np.array([0.3, -0.2, 0.7])
    assert np.argmax(LowerConfidenceBound(kappa=0.0).merit(means, np.ones(3), 0.0).value) == np.argmin(means)
    with pytest.raises(ValueError, match=r"kappa=-1\.0 must be ≥ 0"):
        LowerConfidenceBound(kappa=-1.0)


@pytest.mark.spec("GP-054")
def test_slice_samples_have_the_law_that_was_asked():
    bounds = np.array([[0.0, np.inf], [-np.inf, np.inf]])

    def log_density(x):
        return -x[0] - 0.5 * ((x[1] - 2.0 * x[0]) / 0.5) ** 2 if x[0] >= 0.0 else -np.inf

    draws = slice_sample(log_density, np.array([1.0, 1.0]), 4000, np.random.default_rng(0), bounds=bounds, burn_in=50)
    thin = draws[::20, 0]
    assert stats.kstest(thin, "expon").pvalue > 1e-3
    assert stats.kstest((draws[::20, 1] - 2.0 * thin) / 0.5, "norm").pvalue > 1e-3
    with pytest.raises(ValueError, match="positive and finite"):
        slice_sample(log_density, np.array([-1.0, 0.0]), 1, np.random.default_rng(0))


SPACE = {
    "kernel": ["rbf", "poly", None],
    "C": Real(1e-3, 1e3, log=True),
    "shift": Real(-1.0, 1.0 / 3.0),
    "trees": Integer(1, 1000, log=True),
    "depth": Integer(-2, 5),
    "degree": Integer(2, 4, when={"kernel": ["poly", None]}),
    "coef0": Real(0.0, 1.0, when={"kernel": "poly", "degree": [3, 4]}),
}


@pytest.mark.spec("GP-052")
def test_a_space_reads_back_what_it_wrote():
    space = Space(SPACE)
    points = space.sample(300, random_state=0)
    U = space.to_unit(points)
    assert space.from_unit(np.nan_to_num(U, nan=0.7)) == points
    assert np.all((U >= 0.0) & (U <= 1.0) | np.isnan(U))
    Z = space.transform(points)
    assert Z.shape == (300, space.n_columns) == (300, 9)
    assert np.all((Z >= 0.0) & (Z <= 1.0))
    chosen = [["rbf", "poly", None].index(point["kernel"]) for point in points]
    assert np.array_equal(Z[:, :3], np.eye(3)[chosen])
    for point, u in zip(points, U, strict=True):
        assert ("degree" in point) == (point["kernel"] != "rbf") == (not math.isnan(u[5]))
        assert ("coef0" in point) == (point["kernel"] == "poly" and point["degree"] >= 3)
        assert {type(value) for value in point.values()} <= {str, float, int, type(None)}
    # Each value of a choice and each interval of equal length gets its share.
    assert abs(sum(p["kernel"] == "poly" for p in points) - 100) < 10
    assert abs(sum(p["C"] < 1.0 for p in points) - 150) < 5
    for ends in ({"C": 1e-3, "shift": -1.0}, {"C": 1e3, "shift": 1.0 / 3.0}):
        point = {"kernel": "rbf", "trees": 1000, "depth": 5, **ends}
        assert space.from_unit(np.nan_to_num(space.to_unit([point]), nan=0.5)) == [point]


@pytest.mark.spec("GP-052")
@pytest.mark.parametrize(
    "real", [Real(3e-9, 7e5, log=True), Real(1e-300, 1e300, log=True), Real(-1e-7, 3.3), Real(1e9, 1e9 + 7.0)], ids=repr
)
def test_numbers_that_are_asked_are_read_back_to_the_last_digit(real):
    for u in [0.0, 1.0, *np.random.default_rng(0).random(500)]:
        value = real.code_at(u)
        assert real.code_at(real.unit(value)) == value
        assert real.low <= value <= real.high
        if 0.0 < u < 1.0:
            assert float(f"{value:.12g}") == value


@pytest.mark.spec("GP-052")
def test_a_space_reads_what_searches_of_scikit_learn_take():
    read = Space(
        {
            "a": stats.uniform(1.0, 2.0),
            "b": stats.loguniform(1e-3, 1e3),
            "c": stats.randint(2, 5),
            "d": [1, 2],
            "e": np.array([0.5, 0.7]),
            "f": [(1, 2), [3], True, 1],
        }
    ).dimensions
    assert read["a"] == Real(1.0, 3.0)
    assert read["b"] == Real(1e-3, 1e3, log=True)
    assert read["c"] == Integer(2, 4)
    # Two numbers in a list are two values, not a range.
    assert read["d"] == Category([1, 2])
    assert [type(value) for value in read["e"].values] == [float, float]
    assert [read["f"].code("f", value) for value in ((1, 2), [3], True, 1)] == [0, 1, 2, 3]


@pytest.mark.spec("GP-052")
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Space({"a": (0.1, 1.0)}), r"a=\(0.1, 1.0\) has no clear meaning; give Real"),
        (lambda: Space({"a": stats.norm()}), "a=.* has no clear meaning"),
        (lambda: Space({}), "at least one parameter"),
        (lambda: Space([{"a": [1]}]), "must be a dict"),
        (lambda: Space({"a": Real(0.0, 1.0, when={"b": 1})}), "'a' exists when 'b'.*no other parameter"),
        (lambda: Space({"a": Real(0.0, 1.0), "b": Category([1], when={"a": 0.5})}), "'a' .*is real"),
        (
            lambda: Space({"a": Category([1, 2], when={"b": 1}), "b": Category([1, 2], when={"a": 1})}),
            r"\['a', 'b'\] depend on each other",
        ),
        (lambda: Space({"a": Category(["x"]), "b": Real(0.0, 1.0, when={"a": "y"})}), "a='y' is none of the values"),
        (lambda: Real(1.0, 1.0), r"Real\(1.0, 1.0\) must have finite ends low < high"),
        (lambda: Real(0.0, 1.0, log=True), "must have low > 0"),
        (lambda: Integer(0, 9, log=True), "must have low ≥ 1"),
        (lambda: Integer(0.5, 9), "whole ends"),
        (lambda: Category([]), "no values"),
        (lambda: Category(["x", None, "x"]), "has 'x' twice"),
        (lambda: Real(False, True), "must have finite ends"),
        (lambda: Real(0.1, 1.0, log="yes"), "log='yes' must be True or False"),
        (lambda: Space({"a": Real(0.0, 1.0, when="b"), "b": ["x"]}), "when='b' of 'a' must be a dict"),
    ],
    ids=lambda case: "" if callable(case) else case,
)
def test_a_space_without_meaning_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.spec("GP-052")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"C": 1e9}, "C=1000000000.0 must be from 0.001 to 1000.0"),
        ({"C": "much"}, "C='much' must be a number"),
        ({"trees": 2.5}, "trees=2.5 must be a whole number"),
        ({"kernel": "linear"}, "kernel='linear' is none of the values"),
        ({"degree": 2}, "'degree' does not exist in the point"),
        ({"gamma": 1.0}, "'gamma' is no parameter of the space"),
        ({"C": ...}, "'C' is missing"),
    ],
    ids=str,
)
def test_a_point_that_is_none_is_refused_by_the_name_of_the_parameter(change, sentence):
    point = {"kernel": "rbf", "C": 1.0, "shift": 0.0, "trees": 3, "depth": 0} | change
    with pytest.raises(ValueError, match=sentence):
        Space(SPACE).codes({name: value for name, value in point.items() if value is not ...})


def rosenbrock(point):
    return (1.0 - point["x"]) ** 2 + 100.0 * (point["y"] - point["x"] ** 2) ** 2


PLANE = {"x": Real(-2.0, 2.0), "y": Real(-1.0, 3.0)}


def optimizer_of(space=PLANE, acquisition="ei", seed=0, **options):
    options = {"n_initial_points": 4, "n_candidates": 300, **options}
    return BayesianOptimizer(space, acquisition, random_state=seed, **options)


def run(optimizer, n, function=rosenbrock):
    asked = []
    for _ in range(n):
        asked.append(optimizer.ask())
        optimizer.tell(asked[-1], function(asked[-1]), 0.1 + abs(asked[-1].get("x", 1.0)))
    return asked


@pytest.mark.spec("GP-050", "GP-051")
def test_slopes_of_the_surrogate_are_derivatives():
    rng = np.random.default_rng(0)
    Z, at, h = rng.random((12, 4)), rng.random((5, 4)), 1e-6
    values = Values(Z, np.sin(5.0 * Z[:, 0]) + Z[:, 2] + 7.0, np.array([0, 1, 1, 2]))
    law = surrogate(values, start_of(3))
    _, _, mean, std = law.predict_with_slopes(at)
    for j in range(4):
        step = h * np.eye(4)[j]
        above, below = law.predict(at + step), law.predict(at - step)
        np.testing.assert_allclose(mean[:, j], (above[0] - below[0]) / (2.0 * h), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(std[:, j], (above[1] - below[1]) / (2.0 * h), rtol=1e-5, atol=1e-7)
    for noise, rtol in ((1e-3, 1e-3), (1e-7, 1e-7)):
        theta = start_of(3)
        theta[-1] = np.log(noise)
        law = surrogate(values, theta)
        np.testing.assert_allclose(law.quick().predict(at), law.predict(at), rtol=rtol)


@pytest.mark.spec("GP-050", "GP-053", "GP-054")
@pytest.mark.parametrize("acquisition", [*RULES, LowerConfidenceBound(kappa=1.0)], ids=str)
def test_the_same_seed_asks_the_same_and_a_file_goes_on_with_it(acquisition, tmp_path):
    whole, first = optimizer_of(acquisition=acquisition), optimizer_of(acquisition=acquisition)
    asked = run(whole, 8)
    assert run(first, 6) == asked[:6]
    first.save(tmp_path / "state.json")
    json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))
    again = optimizer_of(acquisition=acquisition, seed=99).restore(tmp_path / "state.json")
    assert run(again, 2) == asked[6:]
    assert again.best_point_ == whole.best_point_
    for name, column in whole.history_.items():
        np.testing.assert_array_equal(again.history_[name], column)
    assert run(optimizer_of(acquisition=acquisition, seed=1), 2) != asked[:2]


def test_the_state_of_another_search_is_refused():
    state = optimizer_of().state()
    for other in (optimizer_of(acquisition="lcb"), optimizer_of({"x": Real(0.0, 1.0)}), optimizer_of(n_candidates=99)):
        with pytest.raises(ValueError, match=r"of another optimisation: its (acquisition|space|n_candidates) is"):
            other.restored(state)
    with pytest.raises(ValueError, match="acquisition='best' is unknown; choose from"):
        optimizer_of(acquisition="best")


@pytest.mark.spec("GP-050")
def test_points_that_are_pending_are_not_asked_again_nor_their_neighbours():
    optimizer = optimizer_of()
    run(optimizer, 6)
    batch = optimizer.ask(4)
    places = optimizer.space.to_unit(batch)
    apart = np.linalg.norm(places[:, None] - places, axis=2)[np.triu_indices(4, 1)]
    assert apart.min() > 1e-2
    # In any order, and with one that was not asked.
    optimizer.tell([*batch[::-1], {"x": 1.0, "y": 1.0}], [*map(rosenbrock, batch[::-1]), 0.0])
    assert optimizer.best_point_ == {"x": 1.0, "y": 1.0}
    assert len(optimizer.points_) == 11
    assert optimizer.state()["pending"] == []


@pytest.mark.spec("GP-050")
def test_first_points_do_not_look_at_losses():
    asked = [run(optimizer_of(n_initial_points=6), 7, loss) for loss in (rosenbrock, lambda point: -rosenbrock(point))]
    assert asked[0][:6] == asked[1][:6]
    assert asked[0][6] != asked[1][6]
    # Points of a Sobol sequence: of four, one in each quarter of a range.
    x = np.sort([point["x"] for point in asked[0][:4]])
    assert np.array_equal(np.floor((x + 2.0) / 1.0), np.arange(4.0))
    # Points from elsewhere count.
    told = optimizer_of(n_initial_points=4)
    told.tell(asked[0][:4], [rosenbrock(point) for point in asked[0][:4]])
    assert told.ask() != optimizer_of(n_initial_points=4).ask()


@pytest.mark.spec("GP-050")
def test_failed_runs_count_as_the_worst():
    def failing(point):
        return math.nan if point["x"] < 0.0 else rosenbrock(point)

    optimizer = optimizer_of()
    asked = run(optimizer, 16, failing)
    assert any(point["x"] < 0.0 for point in asked)
    assert optimizer.best_point_["x"] >= 0.0
    assert np.isfinite(optimizer.history_["objective"][-1])
    # A function that is as good as the worst loss there asks the same.
    worst = optimizer_of()
    for point in asked:
        worst.tell(point, failing(point))
    values = worst._values("loss").y
    assert np.max(values) == values[[point["x"] < 0.0 for point in asked]].min()
    # Nothing but failures is no information.
    hopeless = optimizer_of()
    run(hopeless, 7, lambda point: math.inf)
    with pytest.raises(ValueError, match="no run has succeeded"):
        hopeless.best_point_  # noqa: B018


@pytest.mark.spec("GP-050", "GP-052")
def test_a_finite_space_is_tried_out_without_repetition():
    space = {"a": ["x", "y"], "b": Integer(1, 3), "c": Category([True, False], when={"a": "x"})}
    optimizer = optimizer_of(space, n_initial_points=3)
    asked = run(optimizer, 9, lambda point: point["b"] + 0.1 * (point["a"] == "x") + 0.1 * point.get("c", 0))
    assert optimizer.is_exhausted_
    assert len({json.dumps(point) for point in asked}) == 9
    # A function with noise may be asked again.
    assert optimizer.ask() in asked


@pytest.mark.spec("GP-050", "GP-052")
def test_the_best_of_a_mixed_space_is_found():
    space = Space(
        {
            "kind": ["a", "b", "c"],
            "n": Integer(1, 64, log=True),
            "x": Real(1e-4, 1.0, log=True, when={"kind": ["b", "c"]}),
        }
    )

    def loss(point):
        from_n = (math.log2(point["n"]) - 3.0) ** 2
        return from_n + {"a": 1.0, "b": 0.0, "c": 3.0}[point["kind"]] + (math.log10(point.get("x", 1e-2)) + 2.0) ** 2

    optimizer = optimizer_of(space, n_initial_points=8, n_candidates=2000)
    run(optimizer, 30, loss)
    assert optimizer.best_point_["kind"] == "b"
    assert optimizer.best_loss_ < 0.1
    assert optimizer.best_loss_ < min(loss(point) for point in space.sample(30, random_state=0))


@pytest.mark.spec("GP-051")
@pytest.mark.parametrize("n", [300, 20_000, 150_000])
def test_as_many_candidates_as_were_asked_are_compared(n, monkeypatch):
    monkeypatch.setattr(_next_point, "BLOCK", 1 << 13)
    optimizer = optimizer_of(n_candidates=n)
    for _ in range(2):
        blocks = [block.U for block in optimizer._all_candidates().blocks()]
        assert max(map(len, blocks)) <= 1 << 13
        assert len(np.unique(np.vstack(blocks), axis=0)) == n
    assert BayesianOptimizer(PLANE).n_candidates == 100_000
    few = optimizer_of({"a": ["x", "y"], "b": Integer(1, 3)}, n_candidates=n)
    assert few._all_candidates().size == 6


@pytest.mark.spec("GP-051")
def test_the_next_point_does_not_depend_on_the_size_of_a_block(monkeypatch):
    asked = {}
    for block in (1 << 5, 1 << 14):
        monkeypatch.setattr(_next_point, "BLOCK", block)
        asked[block] = run(optimizer_of(n_candidates=1000), 7)
    assert asked[1 << 5] == asked[1 << 14]


@pytest.mark.spec("GP-052")
def test_a_surrogate_sees_whole_numbers_and_choices_as_they_are_evaluated():
    for dimension in (Integer(1, 5), Integer(1, 500, log=True), Category(["a", "b", "c"])):
        space = Space({"n": dimension})
        U = np.linspace(0.0, 1.0, 301)[:, None]
        assert np.array_equal(space.columns(U), space.transform(space.from_unit(U)))


@pytest.mark.spec("GP-054")
def test_seconds_are_divided_by_where_their_logarithm_is_learned():
    optimizer = optimizer_of(acquisition="ei_per_second")
    points = Space(PLANE).sample(12, random_state=0)
    optimizer.tell(points, [rosenbrock(point) for point in points], [math.exp(3.0 * point["x"]) for point in points])
    target, _ = optimizer._aim(np.random.default_rng(0))
    Z = optimizer.space.transform(points)
    np.testing.assert_allclose(target.seconds.predict(Z)[0], [3.0 * point["x"] for point in points], atol=0.05)
    at = np.random.default_rng(0).random((5, 2))
    improvement = target._replace(seconds=None)
    log_seconds = target.seconds.predict(at)[0]
    np.testing.assert_allclose(target.value(at), improvement.value(at) - log_seconds)
    np.testing.assert_allclose(target.value_and_slopes(at)[0], target.value(at))


@pytest.mark.spec("GP-051")
def test_ascent_from_the_best_candidates_beats_them(monkeypatch):
    function = optimizer_of(n_candidates=300)
    run(function, 8)
    law, known = function._believing()
    best = float(np.min(law.predict(known)[0]))
    point = function.ask()

    def merit(points):
        mean, std = law.predict(function.space.transform(points))
        return ExpectedImprovement().merit(mean, std, best).value

    dense = [{"x": float(x), "y": float(y)} for x in np.linspace(-2, 2, 81) for y in np.linspace(-1, 3, 81)]
    assert merit([point])[0] >= np.max(merit(dense)) - 1e-3
    monkeypatch.setattr(_next_point, "_ascended", lambda space, aim, U: U)
    again = optimizer_of(n_candidates=300)
    run(again, 4)
    for one, loss in zip(function.points_[4:8], function.history_["loss"][4:8], strict=True):
        again.tell(one, loss)
    again._n_asked, again._theta = 8, {"loss": function._theta["loss"]}
    assert merit([point])[0] > merit([again.ask()])[0]


@pytest.mark.spec("GP-054")
def test_expected_improvement_is_averaged_over_hyper_parameters():
    rng = np.random.default_rng(0)
    Z = rng.random((8, 2))
    values, at = Values(Z, np.sin(6.0 * Z[:, 0]), np.array([0, 1])), rng.random((5, 2))
    laws = [surrogate(values, start_of(2) + shift) for shift in (-0.5, 0.0, 0.7)]
    averaged = aim(RULES["ei_mcmc"], laws, Z, None)
    each = [ExpectedImprovement().value(*law.predict(at), np.min(law.predict(Z)[0])) for law in laws]
    np.testing.assert_allclose(np.exp(averaged.value(at)), np.mean(each, axis=0), rtol=1e-9)
    value, slopes = averaged.value_and_slopes(at)
    np.testing.assert_allclose(value, averaged.value(at))
    for j in range(2):
        step = 1e-6 * np.eye(2)[j]
        differences = (averaged.value(at + step) - averaged.value(at - step)) / 2e-6
        np.testing.assert_allclose(slopes[:, j], differences, rtol=1e-4, atol=1e-5)
    # Draws of hyper-parameters ask other questions than the best of them.
    assert run(optimizer_of(acquisition="ei_mcmc"), 6)[4:] != run(optimizer_of(), 6)[4:]


@pytest.mark.spec("GP-054")
def test_cheap_points_are_preferred_per_second():
    def seconds(point):
        return 100.0 if point["x"] > 0.0 else 1.0

    counts = {}
    for acquisition in ("ei", "ei_per_second"):
        optimizer = optimizer_of({"x": Real(-1.0, 1.0)}, acquisition, n_initial_points=4)
        for _ in range(12):
            point = optimizer.ask()
            optimizer.tell(point, abs(abs(point["x"]) - 0.5), seconds(point))
        counts[acquisition] = sum(point["x"] > 0.0 for point in optimizer.points_)
    assert counts["ei_per_second"] < counts["ei"]
    optimizer = optimizer_of(acquisition="ei_per_second")
    for point in optimizer.ask(4):
        optimizer.tell(point, rosenbrock(point))
    with pytest.raises(ValueError, match="needs the seconds"):
        optimizer.ask()


def test_answers_that_are_none_are_refused():
    optimizer = optimizer_of()
    for point, loss, sentence in [
        ({"x": 0.0}, 1.0, "'y' is missing"),
        ({"x": 0.0, "y": 0.0}, [1.0, 2.0], "must be one number"),
        ([{"x": 0.0, "y": 0.0}], [1.0, 2.0], "1 points, 2 losses"),
        ("x", 1.0, "is no point"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            optimizer.tell(point, loss)
    for ask in (optimizer.predict, optimizer.acquisition_values):
        with pytest.raises(ValueError, match="nothing has been told"):
            ask([{"x": 0.0, "y": 0.0}])
    with pytest.raises(ValueError, match=r"seconds=-1\.0 must be ≥ 0 and finite"):
        optimizer.tell({"x": 0.0, "y": 0.0}, 1.0, -1.0)
    with pytest.raises(ValueError, match=r"acquisition=\['ei'\] is unknown"):
        optimizer_of(acquisition=["ei"])


def test_constant_losses_are_no_obstacle():
    optimizer = optimizer_of()
    assert len({tuple(point.values()) for point in run(optimizer, 10, lambda point: 3.0)}) == 10
    assert special.logsumexp(optimizer.predict(optimizer.points_)[0]) == pytest.approx(3.0 + math.log(10.0))


def branin(x):
    a, b = 15.0 * x[0] - 5.0, 15.0 * x[1]
    valley = (b - 5.1 / (4.0 * np.pi**2) * a * a + 5.0 / np.pi * a - 6.0) ** 2
    return valley + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(a) + 10.0


WIDTHS = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0]] * 2)
CENTRES = np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]) * 1e-4


def hartmann(x):
    return -np.array([1.0, 1.2, 3.0, 3.2]) @ np.exp(-np.sum(WIDTHS * (x - CENTRES) ** 2, axis=1))


@pytest.mark.slow
@pytest.mark.spec("GP-050", "GP-L21")
@pytest.mark.parametrize(("function", "d", "least"), [(branin, 2, 0.397887), (hartmann, 3, -3.86278)])
def test_standard_functions_need_a_twentieth_of_random_search(function, d, least):
    missed, random = [], []
    for seed in range(3):
        optimizer = BayesianOptimizer(
            {f"x{j}": Real(0.0, 1.0) for j in range(d)}, n_initial_points=5, n_candidates=5000, random_state=seed
        )
        for _ in range(30):
            point = optimizer.ask()
            optimizer.tell(point, function(np.array(list(point.values()))))
        missed.append(optimizer.best_loss_ - least)
        random.append(min(map(function, np.random.default_rng(seed).random((600, d)))) - least)
    assert np.median(missed) < min(0.03, np.median(random))
