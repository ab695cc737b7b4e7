"""A day with laws of chance: the census table in chunks, the law of an age, and shares of small groups."""

from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from gnomon.distributions import (
    KDE,
    BetaBernoulli,
    Categorical,
    Exponential,
    Gamma,
    Histogram,
    MultivariateNormal,
    Normal,
    Product,
    log_likelihood,
)
from gnomon.generative import CategoricalNB
from gnomon.optim import maximize_model_evidence
from real_data import data_path


@pytest.fixture(scope="module")
def census():
    train, test = (pd.read_csv(data_path(f"tabular/adult_{part}.csv.gz")) for part in ("train", "test"))
    return train, test


@pytest.mark.spec("GEN-011", "GEN-L02")
def test_a_table_is_fitted_in_chunks(census):
    frame = census[0]
    codes = frame["workclass"].astype("category").cat.codes
    X = np.column_stack([codes, np.log(frame["fnlwgt"]), frame["age"], frame["hours_per_week"]])
    family = Product.family(
        models=[
            (0, Categorical.family(n_values=codes.max() + 1, alpha=1.0)),
            (1, Normal),
            ([2, 3], MultivariateNormal),
        ]
    )
    whole = family.fit(X)
    chunks = [family.statistics(X[start : start + 5000]) for start in range(0, len(X), 5000)]
    np.testing.assert_allclose(family.from_statistics(reduce(add, chunks)).log_density(X), whole.log_density(X))
    assert whole.n_parameters == codes.max() + 2 + 5


@pytest.mark.spec("GEN-002", "GEN-009", "GEN-010")
def test_the_law_that_foretells_the_ages_of_others_best(census):
    """Held-out likelihood ranks the families: a kernel density and a histogram see the shape, two parameters do not."""
    train, test = (frame["age"].to_numpy() - 16.5 for frame in census)
    laws = {
        "exponential": Exponential.fit(train),
        "normal": Normal.fit(train),
        "gamma": Gamma.fit(train),
        "histogram": Histogram.fit(train, bins=np.arange(0.0, 76.0, 2.5), alpha=1.0),
        "kde": KDE.fit(train),
    }
    scores = {name: log_likelihood(law, test) / len(test) for name, law in laws.items()}
    assert min(scores["kde"], scores["histogram"]) > scores["gamma"] > scores["normal"] > scores["exponential"]
    assert laws["kde"].quantile(0.5) == pytest.approx(np.median(train), abs=1.0)


@pytest.mark.spec("GEN-024", "GEN-017")
def test_shares_of_small_groups_are_drawn_towards_the_others(census):
    """The evidence chooses how far: the shrunken shares foretell the test rows better than the raw ones."""
    train, test = (frame.assign(rich=(frame["income"].str.strip(" .") == ">50K").astype(int)) for frame in census)
    groups = {name: part["rich"].to_numpy() for name, part in train.groupby("native_country")}
    best = maximize_model_evidence(BetaBernoulli(), list(groups.values()))
    assert best.converged
    prior = BetaBernoulli(**best.theta)
    assert 0.1 < prior.mean() < 0.4
    later = [(groups[name], part["rich"].to_numpy()) for name, part in test.groupby("native_country") if name in groups]

    def foretold(model):
        return sum(log_likelihood(model.update(before).predictive(), after) for before, after in later)

    assert foretold(prior) > foretold(BetaBernoulli(1.0, 1.0))
    assert foretold(prior) > foretold(BetaBernoulli(1e-9, 1e-9))
    assert foretold(prior) > foretold(BetaBernoulli(1e4 * prior.alpha, 1e4 * prior.beta))


@pytest.mark.spec("GEN-024")
def test_pseudo_counts_by_the_likelihood_of_held_out_labels(census):
    frame = census[0].iloc[:1500]
    columns = frame[["education", "occupation", "native_country", "relationship"]]
    X = columns.apply(lambda column: column.astype("category").cat.codes).to_numpy()
    model = CategoricalNB(min_categories=X.max(axis=0) + 1)
    search = GridSearchCV(model, {"alpha": [1e-6, 1.0, 300.0]}, scoring="neg_log_loss", cv=3)
    search.fit(X, frame["income"])
    assert search.best_params_ == {"alpha": 1.0}
