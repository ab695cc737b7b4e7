"""Every public estimator fitted to a tiny table, and trees of tables taken for large ones; as a script, it prints the
outputs as JSON.

The architecture tests run it with NUMBA_DISABLE_JIT=1 and compare with the compiled kernels.
"""

import json
import sys
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import public_names
from gnomon import search
from gnomon.search import _grow_in_place
from gnomon.testing._tables import example_table, fitted, outputs_of


def outputs():
    """The name of each estimator with what it gives for the rows it was fitted to."""
    found = {}
    for estimator in public_names.estimators():
        X, y = example_table(estimator, n_rows=24)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fitted(estimator, X, y)
            given = outputs_of(model, X)
        found[type(model).__name__] = [np.asarray(values, dtype=float).ravel().tolist() for values in given.values()]
    return found | large_trees()


def large_trees():
    """What trees predict that are grown and read in the ways of large tables."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)).astype(np.float32), rng.integers(0, 2, 60)
    with patch.object(_grow_in_place, "SMALL_SUBTREE", 8):
        in_place = search.grow_in_place(X, y, search.Gini(2))
    binned = search.grow_tree(search.code_columns(X, bins=9), y, search.Gini(2))
    return {name: [tree.predict(X).ravel().tolist()] for name, tree in {"in place": in_place, "bins": binned}.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(outputs()))
