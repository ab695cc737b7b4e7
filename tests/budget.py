"""A plugin of pytest: the seconds that each family of tests took and its budget; files in random order.

``pytest --shuffle 7`` runs the files in an order drawn with the seed 7; the tests of a file keep their order.

What outlives a file of tests (tests to come, modules, loaded kernels) is taken out of the sight of Python's garbage
collector, which would otherwise walk through millions of objects again and again.
"""

import gc
import random
from collections import defaultdict
from pathlib import PurePosixPath

WORKERS, SECONDS = 2, 90.0
"""A family has so many seconds of so many workers, with kernels compiled anew."""

# How the names of its files begin, after `test_`; the longest beginning decides.
FAMILIES = {
    "clustering": ("pictures_clusters", "uns_cluster", "uns_kmeans"),
    "command line": (
        "advice", "categories", "choice", "cli", "column_types", "io", "lazy", "pages", "report", "rough_tables",
        "serve", "tables", "warmup",
    ),
    "contract": ("architecture", "bad_input", "checks", "contract", "many_checks", "memory", "namesakes", "testing"),
    "decomposition": ("pictures_decomposition", "uns_"),
    "evaluation": (
        "eva_", "evaluation", "pictures_conformal", "pictures_evaluation", "pictures_metrics", "pictures_risk",
    ),
    "features": ("features", "pictures_features"),
    "generative": ("distributions", "gen_", "pictures_generative", "pictures_mixtures"),
    "kernels": ("ker_", "pictures_kernels", "pictures_machines"),
    "linear": (
        "bayes", "best_subset", "dual", "generic", "glm", "lasso", "least_squares", "linear", "logistic", "lp",
        "nist_strd", "perceptron", "pictures_linear", "ridge", "softmax",
    ),
    "multiclass": (
        "pictures_codes", "pictures_multiclass", "tre_adaboost_ecc", "tre_codes", "tre_output_codes", "tre_reduction",
    ),
    "gaussian processes": ("gp_", "pictures_gp"),
    "neural": ("neu_", "pictures_neural"),
    "optim": ("gradient", "lbfgs", "newton", "pictures_solvers", "proximal", "schedules", "steps", "stochastic"),
    "trees": ("pictures_boosting", "pictures_forests", "pictures_trees", "tre_"),
}  # fmt: skip
EXAMPLES, SHARED = "examples", "shared parts"


def family_of(nodeid):
    """The family of a test; examples in docstrings and pages are one, and files that no family claims are another."""
    path = PurePosixPath(nodeid.split("::")[0])
    if path.parts[0] != "tests":
        return EXAMPLES
    name = path.stem.removeprefix("test_")
    claims = [(len(start), family) for family, starts in FAMILIES.items() for start in starts if name.startswith(start)]
    return max(claims)[1] if claims else SHARED


class Budget:
    """What the reports of all workers add up to, by family."""

    def __init__(self):
        self.seconds, self.tests = defaultdict(float), defaultdict(set)

    def pytest_runtest_logreport(self, report):
        family = family_of(report.nodeid)
        self.seconds[family] += report.duration
        self.tests[family].add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("seconds by family")
        for family, seconds in sorted(self.seconds.items(), key=lambda item: -item[1]):
            over = "  over budget" if seconds > WORKERS * SECONDS else ""
            terminalreporter.write_line(f"{family:<14}{len(self.tests[family]):>6} tests{seconds:>8.1f} s{over}")
        terminalreporter.write_line(f"budget of a family: {SECONDS:g} s of {WORKERS} workers")


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the files in an order drawn with this seed")


def pytest_configure(config):
    config.pluginmanager.register(Budget())


def pytest_collection_finish():
    _hide_what_stays()


def pytest_runtest_teardown(item, nextitem):
    if nextitem is None or nextitem.path != item.path:
        _hide_what_stays()


def _hide_what_stays():
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config, items):
    seed = config.getoption("shuffle")
    if seed is not None:
        files = sorted({item.path for item in items})
        random.Random(seed).shuffle(files)
        place = {path: i for i, path in enumerate(files)}
        items.sort(key=lambda item: place[item.path])
