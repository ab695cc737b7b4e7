"""Every module of the library imported, and an estimator of every family fitted, where nothing can be imported but what
gnomon declares as its dependencies; then each part that needs more is asked for.

As a script, with the names of the families as arguments, it prints as JSON what was fitted, and the sentence of each
part.
"""

import inspect
import json
import pkgutil
import sys
import warnings
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

DEPENDENCIES = {"numpy", "scipy", "sklearn", "numba", "joblib", "threadpoolctl", "narwhals"}
THEIRS = {"llvmlite", "cloudpickle"}
OWN = {"gnomon", "public_names"}


class Only:
    """A finder that refuses every module that the library may not need."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        root = name.partition(".")[0]
        if not (root in DEPENDENCIES | THEIRS | OWN | sys.stdlib_module_names or root.startswith("_sysconfigdata")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def modules_beside(*parts):
    """Import every module of gnomon but those of `parts`; how many there are."""
    import gnomon

    found = {module.name for module in pkgutil.walk_packages(gnomon.__path__, "gnomon.")}
    others = [name for name in sorted(found) if name.split(".")[1] not in parts]
    return len([import_module(name) for name in others])


def fits(families):
    """The first estimator of each family, fitted to a small table."""
    from sklearn.base import BaseEstimator

    import public_names
    from gnomon.testing._tables import example_table, fitted

    found = {}
    for family in families:
        package = import_module(f"gnomon.{family}")
        offered = [getattr(package, name) for name in sorted(package.__all__)]
        for cls in [thing for thing in offered if inspect.isclass(thing) and issubclass(thing, BaseEstimator)][:1]:
            estimator = cls(**public_names.ARGUMENTS.get(cls.__name__, {}))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted(estimator, *example_table(estimator, n_rows=24))
            found[family] = cls.__name__
    return found


def sentences():
    """What each part says that cannot be had."""
    from sklearn.linear_model import LinearRegression

    import gnomon
    from gnomon import cli, datasets, io, neural
    from gnomon.io.models import NOTES

    sys.argv = ["gnomon", "--version"]
    Path("table.parquet").write_bytes(b"PAR1")
    with ZipFile("model.skops", "w") as archive:
        archive.writestr(NOTES, '{"gnomon": "0.1.0"}')
    network = neural.NetworkRegressor(engine="torch")
    parts = {
        "plot": lambda: gnomon.plot.scree,
        "learn": lambda: gnomon.learn,
        "serve": lambda: gnomon.serve,
        "save": lambda: io.save(LinearRegression().fit([[0.0]], [0.0]), "other.skops"),
        "load": lambda: io.load("model.skops"),
        "parquet": lambda: io.read_table("table.parquet"),
        "frame": lambda: datasets.load_weather_play(as_frame=True),
        "torch": lambda: network.fit([[0.0], [1.0]], [0.0, 1.0]),
        "command": cli.main,
    }
    return {name: _said_by(part) for name, part in parts.items()}


def _said_by(part):
    said = StringIO()
    with redirect_stderr(said):
        try:
            part()
        except ImportError as error:
            return f"{error}"
        except SystemExit as end:
            return f"{said.getvalue()}exit {end.code}"
    return "nothing"


if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parent)]
    sys.meta_path.insert(0, Only)
    answers = (modules_beside("plot", "report", "serve", "cli"), fits(sys.argv[1:]), sentences())
    sys.stdout.write(json.dumps(answers))
