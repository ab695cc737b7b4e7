"""An option of a network is used or refused: with every solver and engine a change of it changes the fit, or raises."""

from dataclasses import fields, replace

import numpy as np
import pytest

from gnomon.neural import MLPClassifier, MLPRegressor, NetworkRegressor
from gnomon.neural._parameters import EstimatorParameters
from gnomon.neural.layers import Conv2D, Dense, DropConnect, Embedding, Maxout, Recurrent
from gnomon.optim import Rprop
from gnomon.optim.schedules import Ramp
from gnomon.optim.updates import Adam
from gnomon.transfer import AddNoise

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.digitize(Y, [0.0, 1.0])
WEIGHTS = RNG.uniform(0.5, 1.0, size=40)

DESCENTS = ["lbfgs", "bfgs", "cg", "newton"]
SOLVERS = ["adam", "sgd", "gd", "rprop", "rprop+", "irprop-", *DESCENTS, Adam(0.8), Rprop()]
ENGINES = ["numpy", "torch"]

# The changed value, and with which other options it is tried.
CHANGES = {
    "alpha": (5.0, {}),
    "l1": (5.0, {}),
    "objective": ("mean", {"alpha": 1.0}),
    "penalty_scale": ("batch", {"alpha": 5.0}),
    "penalize_intercept": (True, {"alpha": 5.0}),
    "max_norm": (0.1, {}),
    "sampling": ("uniform", {}),
    "per": ("epoch", {"learning_rate": "inv"}),
    "adapt_ratio": ((10.0, 100.0), {}),
    "curvature": ("hessian", {}),
    "max_iter": (2, {}),
    "tol": (1e3, {"n_iter_no_change": 1}),
    "tol_grad": (1e3, {}),
    "time_limit": (0.0, {}),
    "track_objective": (True, {}),
    "n_restarts": (2, {}),
    "augment": (AddNoise(0.5), {}),
    "random_state": (1, {}),
    "early_stopping": (True, {}),
    "monitor": ("loss", {}),
    "standardize": (True, {}),
    "pretrain": ("autoencoder", {}),
    "keep_hidden": (0.5, {}),
    "keep_input": (0.5, {}),
    "init": ("glorot_uniform", {}),
    "output_weights": ([2.0], {}),
    "activation": ("tanh", {}),
    "hidden_layer_sizes": ((4,), {}),
    "loss": ("absolute_error", {}),
}
OWN_VALUES = [
    ("learning_rate", "inv"), ("learning_rate", "plateau"), ("learning_rate", lambda t: 0.1),
    ("momentum", Ramp(0.5, 0.6)),
]  # fmt: skip

# Those of scikit-learn's networks, which there and here the solvers read that have them.
THEIRS = {
    "batch_size", "shuffle", "learning_rate", "learning_rate_init", "power_t", "momentum", "nesterovs_momentum",
    "beta_1", "beta_2", "epsilon", "max_fun", "n_iter_no_change", "validation_fraction", "warm_start", "verbose",
}  # fmt: skip
ELSEWHERE = {"solver", "engine", "n_jobs", "checkpoint"}
"""What the law goes through; threads, which change no result; and a file, of which `test_checkpoints` has the laws."""

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def ended(make, *, solver, engine, X=X, y=Y, **options):
    """All that a fit leaves, or None where it is refused."""
    batches = {} if "rop" in str(solver) else {"batch_size": 8}
    given = {"random_state": 0, "max_iter": 5, "tol": 0.0, "standardize": False, **batches, **options}
    try:
        model = make(solver=solver, engine=engine, **given).fit(X, y, WEIGHTS)
    except ValueError:
        return None
    history = {name: np.asarray(column).tobytes() for name, column in model.history_.items() if name != "seconds"}
    return model.theta_.tobytes(), history, model.stop_reason_, tuple(model.restarts_), model.converged_


def test_every_option_has_its_case():
    names = {field.name for field in fields(EstimatorParameters)}
    assert names == (set(CHANGES) | THEIRS | ELSEWHERE) & names


@pytest.mark.spec("NEU-010")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_an_option_changes_the_fit_or_is_refused(solver, engine):
    if engine == "torch":
        pytest.importorskip("torch")

    def make(**options):
        return MLPRegressor(**{"hidden_layer_sizes": (5,), **options})

    for name, (value, more) in CHANGES.items():
        before = ended(make, solver=solver, engine=engine, **more)
        after = ended(make, solver=solver, engine=engine, **{**more, name: value})
        assert after is None or after != before, name


@pytest.mark.parametrize("solver", [*DESCENTS, "rprop", Rprop()], ids=str)
@pytest.mark.parametrize(("name", "value"), OWN_VALUES)
def test_rates_and_momenta_of_our_own_are_refused_by_solvers_that_have_none(solver, name, value):
    with pytest.raises(ValueError, match=f"{name}=.* has none"):
        MLPRegressor(hidden_layer_sizes=(3,), solver=solver, **{name: value}).fit(X, Y)


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_weights_of_classes_are_used_by_every_solver(solver):
    def make(**options):
        return MLPClassifier(**{"hidden_layer_sizes": (5,), **options})

    plain, weighted = (ended(make, solver=solver, engine="numpy", y=LABELS, class_weight=w) for w in (None, {0: 5.0}))
    assert plain != weighted


LAYERS = [
    ([Dense(3, "tanh")], X),
    ([Maxout(3)], X),
    ([DropConnect(3, 1.0)], X),
    ([Conv2D(2, 2)], RNG.normal(size=(40, 1, 3, 3))),
    ([Embedding([0], [3], 2)], np.c_[RNG.integers(3, size=40), X]),
    ([Recurrent(3)], RNG.normal(size=(40, 2, 3))),
]


@pytest.mark.spec("NEU-010")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("stack", "rows"), LAYERS, ids=[type(stack[0]).__name__ for stack, _ in LAYERS])
def test_penalties_and_bounds_of_a_layer_are_used_or_refused(stack, rows, engine):
    if engine == "torch":
        pytest.importorskip("torch")
    shape = rows.shape[1:] if rows.ndim > 2 else None

    def fitted(solver, **own):
        def make(**options):
            return NetworkRegressor([replace(stack[0], **own)], input_shape=shape, **options)

        return ended(make, solver=solver, engine=engine, X=rows)

    names = {field.name for field in fields(stack[0])} & {"l1", "l2", "max_norm"}
    assert names
    for name in names:
        value = {"l1": 3.0, "l2": 3.0, "max_norm": 0.05}[name]
        for solver in ("adam", "sgd", "gd", "rprop"):
            assert fitted(solver) != fitted(solver, **{name: value}), (solver, name)
        for solver in DESCENTS:
            plain, changed = fitted(solver), fitted(solver, **{name: value})
            assert plain is None or (changed is None) == (name != "l2"), (solver, name)
            assert plain is None or plain != changed
    with pytest.raises(ValueError, match=r"of layer '.*' cannot be used by solver='lbfgs', which needs one smooth"):
        NetworkRegressor([Dense(3, max_norm=1.0)], solver="lbfgs").fit(X, Y)
