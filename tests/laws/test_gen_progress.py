"""What a mixture says of itself while it is fitted."""

import numpy as np
import pytest

from gnomon.generative import GaussianMixture


@pytest.mark.spec("GEN-063")
@pytest.mark.parametrize(
    ("options", "n_runs"),
    [
        ({}, 1),
        ({"n_init": 3, "init_params": "random"}, 3),
        ({"algorithm": "hard"}, 1),
        ({"algorithm": "gradient"}, 1),
        ({"init_params": "lbg"}, 2),
    ],
    ids=str,
)
def test_progress_is_logged_when_asked_for(options, n_runs, caplog):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-1.0, 1.0, (60, 1)), rng.normal(1.0, 1.0, (60, 1))])
    fit = {"tol": 1e-7, "max_iter": 5000, "random_state": 0, **options}
    with caplog.at_level("INFO", logger="gnomon.optim"):
        quiet = GaussianMixture(2, **fit).fit(X)
        assert not caplog.records
        model = GaussianMixture(2, **fit, verbose=1, verbose_interval=3).fit(X)
    assert model.objective_ == quiet.objective_
    *rows, end = [record.args for record in caplog.records]
    assert end["n_iter"] == model.n_iter_
    assert end["stop_reason"] == model.stop_reason_
    assert all(row["iteration"] % 3 == 0 for row in rows)
    assert sum(row["iteration"] == 0 for row in rows) == n_runs
    # What was told of the best start is what the history holds.
    told = {row["objective"] for row in rows}
    assert set(model.history_["objective"][model.history_["iteration"] % 3 == 0]) <= told


def test_an_interval_below_one_is_refused():
    with pytest.raises(ValueError, match="verbose_interval=0"):
        GaussianMixture(verbose_interval=0).fit(np.eye(2))
