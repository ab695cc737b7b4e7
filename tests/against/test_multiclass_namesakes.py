"""The reductions and scikit-learn's of the same name, with scikit-learn's estimators as bases, on the same rows.

Declared differences, which no row shows: `fit` takes weights without metadata routing; `OneVsOneClassifier` has
probabilities, and reads a regressor as a score around one half (there its prediction must equal a label); one class
against nothing has probability one; the code of `OutputCodeClassifier` is better than a random one.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import gnomon.multiclass
from namesakes import DATA, PEERS, _other_errors, unlike, walk

X, CLASSES = DATA["three"]
LABELS = np.column_stack([X[:, 0] > 0.0, X[:, 1] > -1.0, X[:, 2] > 0.0]).astype(int)
# A column that always holds, and one that never does.
SURE = np.column_stack([LABELS[:, :2], np.ones(40, dtype=int), np.zeros(40, dtype=int)])


def table(name, *parts):
    """A table as a row of `walk` takes it, with its name for the report."""

    def made():
        return parts

    made.__name__ = name
    return made


SINGLE = (
    "binary", "three", "words", "objects", "booleans", "signs", "class column", "two label columns", "dense",
    "short target", "nan", "no rows", "three csr", "three float32",
    table("lists", X.tolist(), CLASSES.tolist()), table("bytes", X, CLASSES.astype(np.int8)),
    table("floats", X, CLASSES.astype(float)), table("sparse labels", X, sparse.csr_matrix(LABELS)),
    table("label matrix", X, LABELS), table("lists of labels", X, [[0], [1, 2]] * 20),
)  # fmt: skip
MULTI = (
    table("csr", X, sparse.csr_matrix(LABELS)), table("csr array", X, sparse.csr_array(LABELS)),
    table("csc", X, sparse.csc_matrix(LABELS)), table("truth values", X, LABELS.astype(bool)),
    table("sure", X, SURE), table("sure csr", X, sparse.csr_matrix(SURE)), table("one column", X, LABELS[:, :1]),
)  # fmt: skip
BASES = (LogisticRegression(), Perceptron(), GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0), SVC())
ROWS = {
    "OneVsRestClassifier": [
        ({"estimator": base}, data) for base in (*BASES, LinearRegression()) for data in SINGLE + MULTI
    ],
    "OneVsOneClassifier": [({"estimator": base}, data) for base in BASES for data in (*SINGLE, "one class")],
}
GRAM = table("kernel values", X @ X.T, CLASSES)


def without_extras(found):
    """What is found less the methods that ours have and theirs have not."""
    return [line for line in found if not line.endswith("predict_proba: one of the two has it")]


@pytest.mark.parametrize("name", ROWS)
def test_fits_errors_and_warnings_are_those_of_scikit_learn(name):
    rows = [*ROWS[name], ({"estimator": SVC(kernel="precomputed")}, GRAM)]
    found = without_extras(walk(name, getattr(gnomon.multiclass, name), rows, also=("estimators_", "label_binarizer_")))
    assert not found, "\n".join(found)


THREE = np.arange(3)
CONTINUED = {
    "halves": ([(X[:20], CLASSES[:20]), (X[20:], CLASSES[20:])], THREE),
    "no classes": ([(X, CLASSES)], None),
    "a class comes later": ([(X[CLASSES < 2], CLASSES[CLASSES < 2]), (X, CLASSES)], THREE),
    "one class in a part": ([(X, CLASSES), (X[CLASSES == 1], CLASSES[CLASSES == 1])], THREE),
    "one row": ([(X, CLASSES), (X[:1], CLASSES[:1])], THREE),
    "an unknown class": ([(X, CLASSES)], np.arange(2)),
    "a class never comes": ([(X, CLASSES)], np.arange(5)),
    "unsorted": ([(X, CLASSES)], [2, 0, 1]),
    "other columns": ([(X, CLASSES), (X[:, :2], CLASSES)], THREE),
    "sparse rows": ([(sparse.csr_matrix(X), CLASSES)], THREE),
    "binary": ([DATA["binary"], DATA["binary"]], [0, 1]),
    "label matrix": ([(X, LABELS), (X, LABELS)], THREE),
    "sparse labels": ([(X, sparse.csr_matrix(LABELS))], THREE),
    "short target": ([(X, CLASSES[:-1])], THREE),
}


def continued(cls, base, parts, classes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "divide by zero", RuntimeWarning)
        try:
            model = cls(base)
            for k, part in enumerate(parts):
                model.partial_fit(*part, classes if k == 0 else None)
            return {verb: getattr(model, verb)(X) for verb in ("predict", "decision_function") if hasattr(model, verb)}
        except Exception as error:
            return error


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("base", [Perceptron(), GaussianNB()], ids=lambda base: type(base).__name__)
def test_fits_continue_as_those_of_scikit_learn(name, base):
    found = []
    for case, (parts, classes) in CONTINUED.items():
        theirs, ours = (continued(cls, base, parts, classes) for cls in (PEERS[name], getattr(gnomon.multiclass, name)))
        failed = isinstance(theirs, Exception) or isinstance(ours, Exception)
        found += [f"{case}: {d}" for d in (_other_errors(theirs, ours) if failed else unlike(theirs, ours, 1e-9))]
    assert not found, "\n".join(found)


BAD = {
    "n_jobs": (0.5, np.nan, "two", [1]),
    "verbose": (-1, None, 0.5, "loud", []),
    "code_size": (0.0, -1.0, np.nan, "many", None),
    "random_state": (-1, 0.5, "seed", []),
}


@pytest.mark.parametrize("name", ["OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier"])
def test_values_of_the_wrong_kind_are_refused(name):
    ours = getattr(gnomon.multiclass, name)
    for parameter in set(BAD) & set(ours(GaussianNB()).get_params()):
        for value in BAD[parameter]:
            with pytest.raises((ValueError, TypeError), match=parameter):
                ours(GaussianNB(), **{parameter: value}).fit(X, CLASSES)


@pytest.mark.parametrize("data", ["short target", "nan", "no rows", "dense", "two label columns"])
def test_codes_are_refused_the_same_rows(data):
    kinds = []
    for cls in (PEERS["OutputCodeClassifier"], gnomon.multiclass.OutputCodeClassifier):
        with pytest.raises((ValueError, TypeError)) as caught:
            cls(LogisticRegression()).fit(*DATA[data])
        kinds.append(caught.type)
    assert issubclass(kinds[1], kinds[0])


def test_one_class_is_answered_with_a_warning():
    with pytest.warns(UserWarning, match="only one class"):
        model = gnomon.multiclass.OneVsRestClassifier(LogisticRegression()).fit(*DATA["one class"])
    assert not unlike(np.zeros(40, dtype=int), model.predict(X), 0.0)
