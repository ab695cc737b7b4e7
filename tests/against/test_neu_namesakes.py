"""MLPClassifier and MLPRegressor against scikit-learn's: signatures, attributes, predictions, steps, losses, errors."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import neural_network as theirs
from sklearn.exceptions import ConvergenceWarning

from gnomon import neural as ours
from many_checks import check_all
from namesakes import DATA, public_attributes

RNG = np.random.default_rng(0)
X, NUMBERS = DATA["dense"][:2]
TABLES = {
    "MLPClassifier": {
        "two": DATA["binary"][1],
        "three": DATA["three"][1],
        "words": DATA["words"][1],
        "labels": np.column_stack([DATA["binary"][1], DATA["three"][1] > 0]).astype(int),
    },
    "MLPRegressor": {"one": NUMBERS, "several": DATA["two targets"][1]},
}
SMALL = {"hidden_layer_sizes": (4, 3), "max_iter": 3, "random_state": 0}
OPTIONS = [
    {},
    {"activation": "tanh"},
    {"activation": "logistic"},
    {"activation": "identity"},
    {"solver": "sgd"},
    {"solver": "sgd", "learning_rate": "invscaling"},
    {"solver": "sgd", "learning_rate": "adaptive", "nesterovs_momentum": False},
    {"solver": "lbfgs"},
    {"hidden_layer_sizes": 5},
    {"hidden_layer_sizes": ()},
    {"batch_size": 7, "shuffle": False},
    {"alpha": 0.0},
]


def fitted(cls, y, X=X, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls(**{**SMALL, **options}).fit(X, y)


def copied(peer, mine):
    """Our model with the weights of scikit-learn's."""
    mine.coefs_, mine.intercepts_ = peer.coefs_, peer.intercepts_
    return mine


@pytest.mark.spec("NEU-001")
@pytest.mark.parametrize("name", list(TABLES))
def test_parameters_and_defaults(name):
    given = inspect.signature(getattr(ours, name)).parameters
    for parameter in inspect.signature(getattr(theirs, name)).parameters.values():
        assert given[parameter.name].default == parameter.default, parameter.name
        assert given[parameter.name].kind == parameter.kind, parameter.name


@pytest.mark.spec("NEU-001", "NEU-L34", "NEU-012", "NEU-047")
@pytest.mark.parametrize("name", list(TABLES))
def test_equal_weights_give_equal_answers(name):
    def case(options, y):
        peer, mine = (fitted(getattr(module, name), y, **options) for module in (theirs, ours))
        missing = public_attributes(peer) - public_attributes(mine)
        assert not missing, missing
        for attribute in ("n_layers_", "n_outputs_", "out_activation_", "n_features_in_", "t_"):
            assert getattr(peer, attribute) == getattr(mine, attribute), attribute
        assert [W.shape for W in peer.coefs_] == [W.shape for W in mine.coefs_]
        assert type(mine.loss_curve_) is list
        copied(peer, mine)
        for verb in ("predict", "predict_proba", "predict_log_proba"):
            if hasattr(peer, verb):
                expected, found = getattr(peer, verb)(X), getattr(mine, verb)(X)
                assert (expected.dtype, expected.shape) == (found.dtype, found.shape), verb
                if expected.dtype.kind == "f":
                    np.testing.assert_allclose(found, expected, atol=1e-10)
                else:
                    np.testing.assert_array_equal(found, expected)

    check_all(
        ((options, table), lambda options=options, y=y: case(options, y))
        for options in OPTIONS
        for table, y in TABLES[name].items()
    )


@pytest.mark.spec("NEU-L34", "NEU-071", "NEU-074")
@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_steps_are_equal_where_the_penalty_is_scaled_alike(solver):
    def case(name, y, options):
        # In scikit-learn's Adam ε is not corrected for the start; it is made small for both.
        options = {
            **options,
            "solver": solver,
            "max_iter": 4,
            "shuffle": False,
            "alpha": 0.3,
            "tol": 0.0,
            "epsilon": 1e-16,
        }
        start = fitted(getattr(theirs, name), y, **options)
        mine = getattr(ours, name)(**{**SMALL, **options, "penalty_scale": "batch", "warm_start": True})
        mine_start = fitted(getattr(ours, name), y, **options | {"max_iter": 1})
        for attribute, value in vars(mine_start).items():
            if attribute.endswith("_") or attribute.startswith("_"):
                setattr(mine, attribute, value)
        copied(start, mine)
        again = start.set_params(warm_start=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again.fit(X, y)
            mine.fit(X, y)
        for found, expected in zip(mine.coefs_ + mine.intercepts_, again.coefs_ + again.intercepts_, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-8)
        np.testing.assert_allclose(mine.loss_curve_[-4:], again.loss_curve_[-4:], rtol=1e-7)

    steps = [
        {"batch_size": 10},
        {"batch_size": 40, "activation": "tanh"},
        {"batch_size": 8, "nesterovs_momentum": False},
    ]
    check_all(
        ((name, table, options), lambda name=name, y=y, options=options: case(name, y, options))
        for name, tables in (("MLPClassifier", ("two", "three")), ("MLPRegressor", ("one",)))
        for table in tables
        for y in [TABLES[name][table]]
        for options in steps
    )


@pytest.mark.spec("NEU-L34", "NEU-075")
def test_lbfgs_reaches_their_loss():
    for name, table in (("MLPClassifier", "three"), ("MLPRegressor", "one")):
        y = TABLES[name][table]
        options = {"solver": "lbfgs", "activation": "tanh", "alpha": 1.0, "max_iter": 500, "tol": 1e-6}
        peer = fitted(getattr(theirs, name), y, **options)
        mine = fitted(getattr(ours, name), y, **options, n_restarts=3)
        assert mine.loss_ <= peer.loss_ * 1.001
        copied(peer, mine)
        target = mine._targets.code(y)
        J = mine.network_.value_and_gradient(mine.theta_, X, target, loss=mine._targets.loss, alpha=1.0)[0]
        np.testing.assert_allclose(J, peer.loss_, rtol=1e-6)


@pytest.mark.spec("NEU-L34")
def test_sparse_rows_are_dense_rows():
    holes = sparse.csr_array(np.where(X > 0.0, X, 0.0))
    y = TABLES["MLPClassifier"]["three"]
    dense = fitted(ours.MLPClassifier, y, holes.toarray())
    thin = fitted(ours.MLPClassifier, y, holes)
    np.testing.assert_allclose(thin.predict_proba(holes), dense.predict_proba(holes.toarray()), atol=1e-12)


def test_both_warn_and_both_refuse():
    for module in (theirs, ours):
        with pytest.warns(ConvergenceWarning):
            module.MLPClassifier(**SMALL).fit(X, TABLES["MLPClassifier"]["two"])
        with pytest.raises(ValueError, match=r"hidden_layer_sizes must be > 0|hidden_layer_sizes=.*must be > 0"):
            module.MLPClassifier((-1,)).fit(X, TABLES["MLPClassifier"]["two"])
        with pytest.raises(ValueError, match="early_stopping"):
            module.MLPRegressor(early_stopping=True).partial_fit(X, NUMBERS)
        with pytest.raises(AttributeError, match="partial_fit"):
            module.MLPClassifier(solver="lbfgs").partial_fit(X, TABLES["MLPClassifier"]["two"], classes=[0, 1])
        with pytest.raises(ValueError, match=r"(?i)classes"):
            module.MLPClassifier().partial_fit(X, TABLES["MLPClassifier"]["two"])
