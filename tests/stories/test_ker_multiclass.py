"""Machines of all classes at once on real tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.svm import MulticlassSVC
from real_data import data_path


def table(name):
    rows = pd.read_csv(data_path(f"tabular/{name}.csv.gz"), header=None).to_numpy(dtype=float)
    return rows[:, :-1], rows[:, -1].astype(int)


@pytest.mark.spec("KER-L32")
def test_without_intercept_the_sum_of_margins_is_no_worse_than_the_largest():
    """Mean accuracy over six tables, three folds each: Doğan, Glasmachers and Igel's finding."""
    digits, labels = load_digits(return_X_y=True)
    used = digits[:500].std(axis=0) > 0.0
    tables = [
        load_iris(return_X_y=True),
        load_wine(return_X_y=True),
        (digits[:500, used], labels[:500]),
        *map(table, ("glass", "wheat-seeds", "new-thyroid")),
    ]
    found = {
        variant: np.mean(
            [
                cross_val_score(make_pipeline(StandardScaler(), MulticlassSVC(variant, C=10.0)), *each, cv=3).mean()
                for each in tables
            ]
        )
        for variant in ("ww_nobias", "cs")
    }
    assert found["ww_nobias"] >= found["cs"], found
