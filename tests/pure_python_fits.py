"""Every public estimator fitted to a tiny table; run as a script, it prints the outputs as JSON.

The architecture tests run it with NUMBA_DISABLE_JIT=1 and compare with the compiled kernels.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import public_names
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
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(outputs()))
