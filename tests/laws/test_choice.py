"""The rule of choice on made-up scores: a dominated model is never taken, and the sentence says what is done."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from gnomon._registry import Candidate, Facts
from gnomon.io import UserError
from gnomon.report import learn
from gnomon.report._choice import MODEL_RULES, choose
from gnomon.report._trials import Entrant, Trial
from gnomon.report.scores import SCORES, standard_error

FACTS = Facts("regression", n_rows=100, n_features=3)
FOLDS = [(np.arange(80), np.arange(20))] * 5


def trial(name, complexity, losses, failure=""):
    candidate = Candidate(name, "regression", lambda facts, seed: DummyRegressor(), complexity)
    scores = {} if failure else {"RMSE": np.asarray(losses, dtype=float)}
    return Trial(Entrant(candidate, FACTS, "columns"), scores, failure=failure)


def chosen(*trials, rule="simplest", baseline=(10.0,) * 5):
    return choose([trial("baseline", -1.0, baseline), *trials], FOLDS, SCORES["regression"][0], rule)


def name_of(choice):
    return choice.trial.candidate.name


def dominated(one, others):
    """Another is at least as good in loss and in simplicity, and better in one."""
    own = one.mean("RMSE"), one.candidate.complexity
    rivals = [(t.mean("RMSE"), t.candidate.complexity) for t in others]
    return any(loss <= own[0] and size <= own[1] and (loss, size) != own for loss, size in rivals)


SPARSE = trial("sparse", 1.0, [1.34, 1.36, 1.35, 1.34, 1.36])  # worse than the best by .05 in every fold
DENSE = trial("dense", 2.0, [1.0, 1.2, 1.1, 2.2, 3.0])  # worse by .4, but unevenly: within one standard error
BEST = trial("best", 7.0, [1.29, 1.31, 1.30, 1.29, 1.31])


def test_a_worse_and_more_complex_model_is_not_taken_because_its_difference_is_less_certain():
    difference = DENSE.scores["RMSE"] - BEST.scores["RMSE"]
    assert difference.mean() < standard_error(difference, FOLDS)  # hence the plain rule would take it
    assert name_of(chosen(SPARSE, DENSE, BEST)) == "best"
    assert name_of(chosen(DENSE, BEST)) == "dense"  # without the model that beats it in both, it is the simplest


@pytest.mark.parametrize("rule", MODEL_RULES)
def test_no_choice_is_dominated(rule):
    rng = np.random.default_rng(0)
    learned = 0
    for _ in range(300):
        size = rng.integers(1, 7)
        level, spread = rng.uniform(1.0, 3.0, size), rng.choice([0.01, 0.3, 2.0], size)
        field = [trial(str(k), float(rng.integers(4)), level[k] + spread[k] * rng.normal(size=5)) for k in range(size)]
        choice = chosen(*field, rule=rule, baseline=4.0 + rng.normal(size=5))
        learned += choice.learned
        assert not choice.learned or not dominated(choice.trial, field)
        assert choice.rule == MODEL_RULES[rule].text
    assert learned > 100


def test_a_better_and_simpler_model_stands_for_one_that_beats_the_baseline_clearly():
    """Two that vary from fold to fold are better than a third that is clear: what was learned is not the third."""
    clear = trial("clear", 2.0, [1.70, 1.71, 1.69, 1.70, 1.70])
    simpler = trial("simpler", 1.0, [0.9, 2.9, 0.8, 1.2, 1.0])
    elaborate = trial("elaborate", 5.0, [0.7, 3.2, 0.5, 0.9, 0.7])
    baseline = np.full(5, 2.0)
    for unclear in (simpler, elaborate):
        assert not chosen(unclear, baseline=baseline).learned
    assert name_of(chosen(clear, simpler, elaborate, baseline=baseline)) == "simpler"
    assert name_of(chosen(clear, simpler, elaborate, baseline=baseline, rule="best")) == "simpler"
    assert name_of(chosen(clear, elaborate, baseline=baseline)) == "clear"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("simplest", "plain"), ("best", "fine")],
)
def test_the_simplest_of_equals_or_the_best(rule, expected):
    plain, fine = trial("plain", 1.0, [2.0, 2.2, 1.9, 2.1, 2.3]), trial("fine", 5.0, [2.1, 2.0, 1.9, 2.0, 2.2])
    choice = chosen(plain, fine, rule=rule)
    assert choice.learned
    assert name_of(choice) == expected
    assert ("of the difference" in choice.why) == (rule == "simplest")


@pytest.mark.parametrize("rule", MODEL_RULES)
def test_nothing_is_learned_where_the_baseline_is_not_clearly_beaten(rule):
    weak = trial("weak", 1.0, [9.0, 11.0, 9.5, 10.4, 9.9])
    choice = chosen(weak, rule=rule)
    assert not choice.learned
    assert name_of(choice) == "baseline"
    assert not chosen(trial("broken", 1.0, [], failure="it broke"), rule=rule).learned


def test_of_equal_losses_the_simpler_is_the_best():
    same = [2.0, 2.1, 2.2, 1.9, 2.0]
    assert name_of(chosen(trial("b", 2.0, same), trial("a", 1.0, same), rule="best")) == "a"


def test_an_unknown_rule_is_refused():
    with pytest.raises(UserError, match="--rule 'luck' is unknown; give one of: simplest, best"):
        learn({"x": [1.0], "y": [1.0]}, "y", rule="luck")
