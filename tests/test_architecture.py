"""Layers, style, documentation, scikit-learn's contract, and rules for the project's own text."""

import ast
import functools
import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import gnomon
import public_names
import pure_python_fits
from many_checks import check_contract, over

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "gnomon"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SPECIFICATION = ROOT.parent / "shared" / "spec"

OBJECTS = public_names.objects()
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
FORMULAS = ("losses", "penalties", "distributions", "optim", "infer", "linear", "features")
BESIDE = ("plot", "datasets", "report", "serve", "cli", "testing", "io")

# References stand where there is mathematics: estimators, nouns, algorithms. These packages, modules and objects only
# validate, convert, hold, read, write or draw something, and need none; nor does an exception or a warning.
WITHOUT_MATHEMATICS = (
    "_jit",
    "_registry",
    *BESIDE,
    "base",
    "distributions.density",
    "numerics.coding",
    "numerics.curves.ratio",
    "numerics.design",
    "numerics.domains",
    "numerics.gram_design",
    "numerics.linalg.rows",
    "numerics.parallel",
    "numerics.random",
    "numerics.sharing",
    "numerics.tables",
    "numerics.validation",
    "numerics.weights.check_weights",
    "numerics.weights.row_weight",
    "optim._fit_linear.Solver",
    "optim._fit_linear.applicable_solvers",
    "optim.solution",
    "search._growers",
)

MOST_LINES = 500
TEXTS = {".py", ".md", ".toml", ".txt", ".j2", ".html", ".cfg", ".yml", ".yaml", ""}


class Reading(NamedTuple):
    """What is looked for in the syntax tree of a module; the tree itself is not kept."""

    doc: str | None
    imports: list
    classes: dict
    functions: list


@functools.cache
def reading_of(module):
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    return Reading(
        ast.get_docstring(tree),
        [node for node in statements_of(tree) if isinstance(node, ast.Import | ast.ImportFrom)],
        {node.name: [ast.unparse(base) for base in node.bases] for node in tree.body if isinstance(node, ast.ClassDef)},
        [node.name for node in tree.body if isinstance(node, ast.FunctionDef)],
    )


def statements_of(block):
    """Every statement within a block; expressions, which are most of a tree and hold none, are passed over."""
    for statement in getattr(block, "body", ()):
        yield statement
        yield from statements_of(statement)
    for field in ("orelse", "finalbody", "handlers", "cases"):
        for part in getattr(block, field, ()):
            yield part
            yield from statements_of(part)


def imports_of(module):
    for node in reading_of(module).imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield node.module or ""


def run(*command):
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


def test_layers_hold_with_no_ignored_import():
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    assert contracts
    assert not [contract for contract in contracts if contract.get("ignore_imports")]
    cli = pytest.importorskip("importlinter.cli", reason="the contracts are checked by import-linter")
    result = run("-c", f"import sys; from {cli.__name__} import lint_imports; sys.exit(lint_imports(no_cache=True))")
    assert result.returncode == 0, result.stdout + result.stderr


def test_only_jit_imports_numba():
    importing = [module for module in MODULES if any(name.split(".")[0] == "numba" for name in imports_of(module))]
    assert {Path(module).parts[0] for module in importing} == {"_jit"}


def defined_in(module):
    return {*reading_of(module).functions, *reading_of(module).classes}


def test_a_public_module_has_another_name_than_what_it_defines():
    # Else `gnomon.optim.em` would be a function or a module, whichever was imported last.
    public = [module for module in MODULES if not Path(module).stem.startswith("_")]
    assert not [module for module in public if Path(module).stem in defined_in(module)]


def names_taken_by(module):
    """Every module or name that a module imports, in full."""
    for node in reading_of(module).imports:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_private_to_another(name, module):
    """Whether an imported name is private to a package of gnomon to which `module` does not belong."""
    root, *path = name.split(".")
    return root == "gnomon" and path[:1] != module.split("/")[:1] and any(part.startswith("_") for part in path[1:])


def test_what_is_private_to_a_package_is_used_in_it_alone():
    assert is_private_to_another("gnomon.optim._em.em", "linear/ridge.py")
    taken = {
        module: [name for name in names_taken_by(module) if is_private_to_another(name, module)] for module in MODULES
    }
    assert not {module: names for module, names in taken.items() if names}


def test_a_class_name_has_one_meaning():
    homes = defaultdict(list)
    for module in MODULES:
        for name, bases in reading_of(module).classes.items():
            # A class that extends its namesake means the same.
            if name not in (base.split(".")[-1] for base in bases):
                homes[name].append(module)
    assert not {name: modules for name, modules in homes.items() if len(modules) > 1}


def test_layers_do_not_import_the_packages_beside_them():
    beside = {f"gnomon.{name}" for name in BESIDE}
    layers = [module for module in MODULES if module.split("/")[0] in FORMULAS]
    found = {module: {".".join(name.split(".")[:2]) for name in imports_of(module)} & beside for module in layers}
    assert not {module: names for module, names in found.items() if names}


@pytest.mark.parametrize("command", [("check", "--no-cache"), ("format", "--check", "--no-cache")], ids=" ".join)
def test_style(command):
    pytest.importorskip("ruff", reason="style is checked by ruff")
    result = run("-m", "ruff", *command, ".")
    assert result.returncode == 0, result.stdout + result.stderr


# A weight makes one step of a perceptron longer, a repeated row makes two steps; scikit-learn's class does the same.
ONLINE = "a weight scales a step, a repeated row is visited again"
# The check gives negative numbers to whatever has a decision function, whether or not its tags say "positive only".
COUNTS = "counts and codes are never negative"
# Two equal rows are drawn independently of each other; scikit-learn's classes do the same.
DRAWN = "weights are the chances of rows in a bootstrap sample, which is drawn anew"
# Which rows are drawn depends on where they stand; from given centres the law holds (test_uns_kmeans).
SEEDS = "clusters start from rows that are drawn"
EXPECTED_FAILURES = {
    "VariationalAutoencoder": {
        "check_sample_weight_equivalence_on_dense_data": "every row has draws of its own while training"
    },
    "ThinPlateSpline": {
        "check_sample_weight_equivalence_on_dense_data": "its table has more columns than rows (test_gp_splines)"
    },
    "KernelRidgeCV": {
        f"check_sample_weight_equivalence_on_{kind}_data": "left out, a row takes all its weight with it"
        for kind in ("dense", "sparse")
    },
    **{
        name: {f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")}
        for name in ("BaggingClassifier", "BaggingRegressor", "RandomForestClassifier", "RandomForestRegressor")
    },
    **{
        name: {f"check_sample_weight_equivalence_on_{kind}_data": SEEDS for kind in ("dense", "sparse")}
        for name in (
            "KMeans",
            "KMedians",
            "KernelKMeans",
            "PairwiseClustering",
            "RBFNetworkClassifier",
            "RBFNetworkRegressor",
            "SoftKMeans",
        )
    },
    "SphericalKMeans": {
        **{f"check_sample_weight_equivalence_on_{kind}_data": SEEDS for kind in ("dense", "sparse")},
        **{
            f"check_{name}": "rows of zeros have no direction"
            for name in (
                "estimators_dtypes",
                "estimator_sparse_tag",
                "estimator_sparse_array",
                "estimator_sparse_matrix",
            )
        },
    },
    **{
        name: {
            f"check_sample_weight_equivalence_on_{kind}_data": "gamma='scale' is that of all rows, as in scikit-learn"
            for kind in ("dense", "sparse")
        }
        for name in ("OneClassSVM", "SVC", "SVR")
    },
    "RejectClassifier": {
        f"check_sample_weight_equivalence_on_{kind}_data": "it sets folds, which a cost refuses (test_eva_decide)"
        for kind in ("dense", "sparse")
    },
    "ResampledClassifier": {
        f"check_sample_weight_equivalence_on_{kind}_data": "a sampler counts rows, whatever they weigh"
        for kind in ("dense", "sparse")
    },
    "TunedDetector": {"check_fit2d_1feature": "a fold of its ten rows has one good row, which the detector refuses"},
    "Perceptron": {f"check_sample_weight_equivalence_on_{kind}_data": ONLINE for kind in ("dense", "sparse")},
    "OneVsRestClassifier": {
        "check_classifiers_one_label": "as in scikit-learn it warns of a single class, and warnings are errors here"
    },
    "Ridge": {"check_non_transformer_estimators_n_iter": "as in scikit-learn, closed forms have n_iter_ None"},
    "PCA": {
        f"check_sample_weight_equivalence_on_{kind}_data": "a row twice is two rows: where rows are few, None is more"
        for kind in ("dense", "sparse")
    },
    "MultinomialNB": {"check_decision_proba_consistency": COUNTS},
}


# Of every family; they also pass with the least and the newest versions of everything.
AT_THE_FLOORS = (
    "CalibratedScorer", "ConformalRegressor", "DecisionTreeClassifier", "GaussianMixture", "GaussianNB",
    "GaussianProcessRegressor", "HistGradientBoostingClassifier", "KMeans", "KNeighborsClassifier", "KernelRidge",
    "Lasso", "LinearDiscriminantAnalysis", "LogisticRegression", "MLPRegressor", "MahalanobisDetector", "Nystroem",
    "OneVsRestClassifier", "PCA", "RandomForestRegressor", "SVC",
)  # fmt: skip


# Some checks give fewer rows than columns, or a constant column: a whitener and least squares warn.
@pytest.mark.filterwarnings("ignore:the covariance is singular")
@pytest.mark.filterwarnings("ignore:X has rank")
@pytest.mark.filterwarnings("ignore:.*the regularisation decides")
# With class weights 1000 : 0.0001 the perceptron does not converge within the passes that the check allows.
@pytest.mark.filterwarnings("ignore:not converged after 1000 passes")
# A joint table gives probability zero to rows that it has not seen, and warns.
@pytest.mark.filterwarnings("ignore:.* rows have density zero under every class")
# A class whose rows all have weight zero is never predicted, and the reductions warn.
@pytest.mark.filterwarnings("ignore:no row of .* takes part in a fit")
# Of labels that have nothing to do with the rows a calibrator finds scores that speak for the other class.
@pytest.mark.filterwarnings("ignore:alpha_=.* is negative")
@over(public_names.estimators(), smoke=AT_THE_FLOORS)
def test_scikit_learn_contract(estimator):
    check_contract(estimator, EXPECTED_FAILURES.get(type(estimator).__name__))


def test_every_family_offers_estimators():
    families = {cls.__module__.split(".")[1] for cls in public_names.classes(BaseEstimator)}
    assert {"linear", "features", "generative", "anomaly"} <= families


def test_a_public_package_says_what_it_offers():
    for package in public_names.packages():
        assert package.__doc__, package.__name__
        assert list(package.__all__) == sorted(package.__all__, key=_as_ruff_sorts), package.__name__
        assert not [name for name in package.__all__ if not hasattr(package, name)], package.__name__


def _as_ruff_sorts(name):
    """Constants, then classes, then the rest."""
    return (not name.isupper(), not name[:1].isupper(), name)


def lacking(section, things):
    """Names of the things whose docstring has no section of this form."""
    docs = {name: inspect.cleandoc(vars(thing).get("__doc__") or thing.__doc__) for name, thing in things.items()}
    return [name for name, doc in docs.items() if not re.search(section, doc, re.MULTILINE)]


def is_mathematics(thing):
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return False
    home = f"{thing.__module__}.{thing.__name__}".removeprefix("gnomon.")
    return not any(f"{home}.".startswith(f"{part}.") for part in WITHOUT_MATHEMATICS)


def test_public_objects_have_an_example():
    assert not lacking(r"^Examples\n-+\n(.*\n)*>>> ", OBJECTS)


def test_mathematics_has_a_reference():
    mathematics = {name: thing for name, thing in OBJECTS.items() if is_mathematics(thing)}
    assert {thing.__name__ for thing in mathematics.values()} >= {"Ridge", "HuberLoss", "em", "grow_tree"}
    assert not lacking(r"^References\n-+\n\S", mathematics)


def test_what_needs_no_reference_exists():
    homes = {f"{thing.__module__}.{thing.__name__}." for thing in OBJECTS.values()}
    homes |= {f"gnomon.{module.removesuffix('.py').replace('/', '.')}." for module in MODULES}
    assert not [part for part in WITHOUT_MATHEMATICS if not any(h.startswith(f"gnomon.{part}.") for h in homes)]


def sections_of(cls):
    doc = inspect.cleandoc(cls.__doc__)
    return dict(re.findall(r"^(\w+)\n-+\n((?:(?!^\w+\n-+$).*\n?)*)", doc, re.MULTILINE))


def test_estimators_document_their_parameters():
    def missing(cls):
        heads = re.findall(r"^\S.*", sections_of(cls).get("Parameters", ""), re.MULTILINE)
        documented = {name for head in heads for name in head.split(" : ")[0].split(", ")}
        return set(inspect.signature(cls).parameters) - documented

    assert not {cls.__name__: missing(cls) for cls in public_names.classes(BaseEstimator) if missing(cls)}


def test_estimators_document_their_attributes():
    attributes = {cls.__name__: sections_of(cls).get("Attributes", "") for cls in public_names.classes(BaseEstimator)}
    assert not [name for name, text in attributes.items() if not re.search(r"^\w+_\b", text, re.MULTILINE)]


def test_a_module_opens_with_what_it_computes():
    docs = {module: reading_of(module).doc for module in MODULES}
    assert not [module for module, doc in docs.items() if not doc]
    of_formulas = [m for m in MODULES if m.split("/")[0] in FORMULAS and not m.split("/")[-1].startswith("_")]
    assert not [module for module in of_formulas if "(1)" not in docs[module]]


def test_no_module_is_long(record_property):
    lengths = {module: len((SOURCE / module).read_text(encoding="utf-8").splitlines()) for module in MODULES}
    record_property("modules over 400 lines", {module: n for module, n in lengths.items() if n > 400})
    assert not {module: n for module, n in lengths.items() if n > MOST_LINES}


@functools.cache
def spec_marks():
    """What stands within the parentheses of every mark of the specification below tests/, with the name of its file."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py"))}
    return [(path.name, ids) for path, text in texts.items() for ids in re.findall(r"mark\.spec\(([^)]*)\)", text)]


def test_marks_of_the_specification_are_literal():
    assert not [mark for mark in spec_marks() if not re.fullmatch(r'\s*("[^"]+"(,\s*|\s*$))+', mark[1])]


def test_marks_name_ids_of_the_specification():
    if not SPECIFICATION.is_dir():
        pytest.skip("no specification beside this checkout")
    text = "\n".join(path.read_text(encoding="utf-8") for path in SPECIFICATION.glob("*.md"))
    known = set(re.findall(r"[A-Z]{2,4}-[A-Z]?\d{2,3}", text))
    used = {(mark, name) for name, ids in spec_marks() for mark in re.findall(r'"([^"]+)"', ids)}
    assert used
    assert not [pair for pair in sorted(used) if pair[0] not in known]


def test_the_text_of_the_project_names_no_machine():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    folders = "|".join(("work", "root", "home"))
    private = re.compile(rf"(?<![\w./~<])/({folders})/|https?://(\d+\.\d+\.\d+\.\d+|[\w-]+)(:\d+)?(/|\s)")
    found = {}
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in TEXTS and path.is_file():
            hits = private.search(path.read_text(encoding="utf-8"))
            found.update({name: hits.group()} if hits else {})
    assert not found


def test_the_package_is_typed_and_has_one_version():
    assert (SOURCE / "py.typed").exists()
    assert PROJECT["project"]["version"] == gnomon.__version__


def test_the_two_commands_of_the_readme_exist():
    readme, makefile = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    # What the README says that files may be is installed by the first command.
    assert "Parquet" in readme
    assert re.search(r"^demo:.*/\.frames$", makefile, re.MULTILINE)
    assert any(need.startswith("pyarrow") for need in PROJECT["project"]["optional-dependencies"]["frames"])


def test_only_the_checks_of_a_change_set_up_pytorch():
    makefile, pins, checks = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "constraints.txt", ".ci/run")
    )
    extras = PROJECT["project"]["optional-dependencies"]
    assert [name for name, needs in extras.items() if any(need.startswith("torch") for need in needs)] == ["neural"]
    assert re.search(r"^torch==\d", pins, re.MULTILINE)
    assert re.findall(r"^(.*):.*/\.neural$", makefile, re.MULTILINE) == ["neural"]
    assert re.search(r"^make neural\nmake test$", checks, re.MULTILINE)


def test_warnings_are_errors_and_examples_are_run():
    options = PROJECT["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"] == ["error"]
    assert "--doctest-modules" in options["addopts"]
    assert {"src", "README.md"} <= set(options["testpaths"])


def test_kernels_run_as_plain_python_with_the_same_result():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    script = str(ROOT / "tests" / "pure_python_fits.py")
    result = subprocess.run(
        [sys.executable, "-W", "error", script], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    plain, ours = json.loads(result.stdout), pure_python_fits.outputs()
    assert plain.keys() == ours.keys()
    for name, outputs in ours.items():
        for without, values in zip(plain[name], outputs, strict=True):
            np.testing.assert_allclose(without, values, rtol=1e-6, atol=1e-8, err_msg=name)
