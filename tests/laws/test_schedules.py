"""Laws of the schedules: their formulas, their sums, and the Robbins–Monro conditions."""

import math

import numpy as np
import pytest

from gnomon._jit import compiled, jit
from gnomon.optim import gradient_descent, schedules
from gnomon.optim.schedules import (
    SCHEDULES,
    Capped,
    ConstantRate,
    Inverse,
    InverseT0,
    PegasosRate,
    Plateau,
    Power,
    RobbinsMonroWarning,
    as_schedule,
    rates,
    scale_rate,
    warn_unless_robbins_monro,
)
from stable_ids import stable_repr

FORMULAS = [
    (ConstantRate(0.3), lambda t: 0.3, False),
    (Inverse(2.0), lambda t: 2.0 / (1.0 + t), True),
    (Inverse(2.0, offset=1), lambda t: 2.0 / (2.0 + t), True),
    (Power(2.0, 0.75), lambda t: 2.0 / (1.0 + t) ** 0.75, True),
    (Power(2.0, 0.5), lambda t: 2.0 / (1.0 + t) ** 0.5, False),
    (Power(2.0, 1.2), lambda t: 2.0 / (1.0 + t) ** 1.2, False),
    (Power(2.0, 1.0, offset=3), lambda t: 2.0 / (4.0 + t), True),
    (InverseT0(2.0, t0=7.0), lambda t: 2.0 / (1.0 + t / 7.0), True),
    (InverseT0(2.0, t0=7.0, offset=2), lambda t: 2.0 / (1.0 + (t + 2.0) / 7.0), True),
    (Capped(), lambda t: min(0.1, 100.0 / (t + 1.0)), True),
    (Capped(0.5, 3.0, offset=2), lambda t: min(0.5, 3.0 / (t + 3.0)), True),
    (PegasosRate(0.1), lambda t: 1.0 / (0.1 * (t + 1.0)), True),
    (PegasosRate(0.1, offset=2), lambda t: 1.0 / (0.1 * (t + 3.0)), True),
    (Plateau(0.2), lambda t: 0.2, False),
]


@jit
def _rate_in_kernel(schedule, t):
    return schedule.rate(t)


@pytest.mark.spec("LIN-090")
@pytest.mark.parametrize(("schedule", "formula", "_"), FORMULAS, ids=stable_repr)
def test_a_schedule_is_its_formula_everywhere(schedule, formula, _):
    times = np.array([0, 1, 2, 10, 1000])
    expected = [formula(t) for t in times]
    np.testing.assert_allclose([schedule(int(t)) for t in times], expected, rtol=1e-15)
    np.testing.assert_allclose(schedule(times), expected, rtol=1e-15)
    np.testing.assert_allclose([_rate_in_kernel(compiled(schedule), float(t)) for t in times], expected, rtol=1e-14)
    np.testing.assert_allclose(rates(schedule, 3, 4), [formula(t) for t in range(3, 7)], rtol=1e-15)


@pytest.mark.spec("LIN-091")
@pytest.mark.parametrize(("schedule", "formula", "verdict"), FORMULAS, ids=stable_repr)
def test_robbins_monro_is_decided_by_the_true_sums(schedule, formula, verdict):
    assert schedule.robbins_monro is verdict
    total, squares = schedule.series
    eta = rates(schedule, 0, 10**6)
    for claimed, terms in ((total, eta), (squares, eta**2)):
        partial, doubled = terms[: 10**5].sum(), terms.sum()
        if math.isinf(claimed):
            # A divergent series keeps growing by a fixed share when the horizon grows tenfold.
            assert doubled - partial > 1e-3 * terms[0]
        else:
            assert partial <= doubled <= claimed * (1.0 + 1e-12)
            assert claimed - doubled <= (claimed - partial) * 0.7 + 1e-12


@pytest.mark.spec("LIN-091")
def test_an_unknown_function_of_t_has_no_verdict_and_failing_schedules_warn():
    unknown = as_schedule(lambda t: 1.0 / (1.0 + t))
    assert unknown.robbins_monro is None
    assert warn_unless_robbins_monro(unknown) is unknown
    np.testing.assert_allclose(rates(unknown, 0, 3), [1.0, 0.5, 1.0 / 3.0])
    with pytest.warns(RobbinsMonroWarning, match="convergence needs"):
        warn_unless_robbins_monro(ConstantRate(0.1))
    assert warn_unless_robbins_monro(Inverse(0.1)) == Inverse(0.1)


@pytest.mark.spec("LIN-090")
def test_a_plateau_divides_by_ten_at_most_twice_and_only_without_progress():
    schedule, seen = Plateau(1.0, patience=2), []
    for objective in [10.0, 9.0, 9.0, 9.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]:
        schedule = schedule.observe(objective)
        seen.append(schedule(0))
    assert seen == [1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01]
    fresh = Plateau(1.0)
    assert fresh.observe(1.0) is not fresh
    assert fresh == Plateau(1.0)


@pytest.mark.spec("LIN-090")
def test_a_plateau_schedule_lowers_the_step_of_a_run_that_stalls():
    H = np.diag([1.0, 10.0])

    # The step is too long for the second direction: the objective oscillates until the step drops.
    def fun(w):
        return (0.5 * float(w @ H @ w), H @ w)

    history = gradient_descent(fun, np.ones(2), step=Plateau(0.1999), max_iter=3000, tol=1e-8).history
    steps = np.unique(history["step"][1:])
    assert steps.min() < 0.1999
    assert history["objective"][-1] < 1e-12


@pytest.mark.spec("LIN-090")
def test_words_numbers_and_functions_become_schedules():
    for word, kind in SCHEDULES.items():
        assert as_schedule(word) == kind()
    assert as_schedule(1) == ConstantRate(1.0)
    assert as_schedule(np.float32(0.5)) == ConstantRate(0.5)
    with pytest.raises(ValueError, match="step='linear' is unknown"):
        as_schedule("linear")
    with pytest.raises(ValueError, match="no schedule"):
        as_schedule([0.1])
    for kind, arguments in (
        (Inverse, (0.0,)),
        (Power, (1.0, -1.0)),
        (InverseT0, (1.0, math.inf)),
        (ConstantRate, (-1,)),
    ):
        with pytest.raises(ValueError, match="must be"):
            kind(*arguments)


@pytest.mark.spec("LIN-092")
def test_the_batch_rule_multiplies_by_the_root_of_n():
    assert scale_rate(0.01, 400) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="n=0 must be"):
        scale_rate(0.01, 0)
    assert "rule of thumb" in schedules.scale_rate.__doc__
