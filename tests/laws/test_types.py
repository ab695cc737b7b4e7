"""Types: public signatures have them, a user's checker sees them, and wrong uses are refused."""

import doctest
import functools
import inspect
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import gnomon
import public_names
import typed_misuse
import typed_user
from gnomon.numerics import design, parallel, special

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
# Beside that of `make lint`, which has other options: a second run reads what has not changed since.
CACHE = ROOT / ".mypy_cache" / "users"


def as_written(member):
    """The function that stands behind a public name, whatever wraps it; None where the package did not write one."""
    member = member.fget if isinstance(member, property) else member
    member = member.func if isinstance(member, functools.cached_property) else member
    found = inspect.unwrap(member)
    # A dataclass and a named tuple write some of their methods themselves, in no file.
    ours = (
        inspect.isfunction(found)
        and found.__module__.startswith("gnomon")
        and Path(found.__code__.co_filename).exists()
    )
    return found if ours else None


def public_functions(package):
    """Every public function of a package, and every public method of its classes, by name."""
    for name in package.__all__:
        thing = getattr(package, name)
        members = inspect.getmembers_static(thing) if inspect.isclass(thing) else [("", thing)]
        for verb, member in members:
            function = as_written(member)
            if function is not None and (not verb.startswith("_") or verb in ("__init__", "__call__")):
                yield f"{function.__module__}.{function.__qualname__}", function


def lacking(function):
    """The parameters without a type, and "return"."""
    signature = inspect.signature(function)
    typed = {"self", "cls", *(name for name, p in signature.parameters.items() if p.annotation is not p.empty)}
    returns = function.__name__ == "__init__" or signature.return_annotation is not signature.empty
    return [name for name in signature.parameters if name not in typed] + ["return"] * (not returns)


@pytest.mark.parametrize("package", public_names.packages(), ids=lambda package: package.__name__)
def test_public_signatures_are_annotated(package):
    found = {name: lacking(function) for name, function in public_functions(package)}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("package", "name"),
    [(design, "Design.apply"), (design, "Design.rows"), (design, "vectors"), (special, "sigmoid"), (parallel, "team")],
)
def test_functions_are_found_whatever_wraps_them(package, name):
    found = dict(public_functions(package))[f"{package.__name__}.{name}"]
    assert "return" in found.__annotations__


MOST_OF_ONE, MOST_OF_ALL = 40, 45
"""Characters of an annotation, and of a signature for each of its parameters: what fits into a tip of an editor."""


def signatures():
    """Those of every public class that users build, with the text that `help` shows."""
    for name, cls in public_names.objects().items():
        if inspect.isclass(cls) and not issubclass(cls, (tuple, BaseException)):
            yield name, inspect.signature(cls)


def unfolded(signature):
    """Parameters whose annotation is no name or short union of names."""
    texts = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not p.empty}
    long = [name for name, text in texts.items() if not isinstance(text, str) or len(text) > MOST_OF_ONE]
    return long + [name for name, text in texts.items() if "Annotated[" in str(text)]


def test_signatures_show_names_of_types():
    found = dict(signatures())
    assert len(found) > 300
    assert not {name: bad for name, signature in found.items() if (bad := unfolded(signature))}
    bounds = {name: MOST_OF_ALL * (len(signature.parameters) + 1) for name, signature in found.items()}
    assert not {name: len(str(found[name])) for name, bound in bounds.items() if len(str(found[name])) > bound}


def test_a_signature_without_types_is_reported():
    def example(self, X, y: int, *rest, scale: float = 1.0):
        return X, y, rest, scale

    assert lacking(example) == ["X", "rest", "return"]


def complaints_of_mypy(folder):
    """What mypy says of a user's files, by file: pairs of a line and the code of an error."""
    readme = folder / "readme.py"
    readme.write_text(doctest.script_from_examples(README.read_text(encoding="utf-8")), encoding="utf-8")
    files = [readme, Path(typed_user.__file__), Path(typed_misuse.__file__)]
    # Found as an installed package is, so that only the marker `py.typed` makes its types count.
    environment = {**os.environ, "PYTHONPATH": str(Path(gnomon.__file__).parents[1])}
    # SciPy and scikit-learn have no types; those of this package are not theirs to lose.
    options = ["--strict", "--config-file=", "--ignore-missing-imports", f"--cache-dir={CACHE}"]
    command = [sys.executable, "-m", "mypy", *options, *map(str, files)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = defaultdict(list)
    for path, line, words, code in re.findall(r"^(.+?):(\d+): error: (.*)  \[([\w-]+)\]$", done.stdout, re.MULTILINE):
        found[Path(path).name].append((int(line), code, words))
    return found


def test_users_are_typed_and_wrong_uses_are_refused(tmp_path):
    # One test, so that one worker reads the package.
    pytest.importorskip("mypy", reason="types are checked by mypy")
    complaints = complaints_of_mypy(tmp_path)
    assert complaints["typed_user.py"] == []
    assert complaints["readme.py"] == []
    lines = Path(typed_misuse.__file__).read_text(encoding="utf-8").splitlines()
    marks = [(i, re.search(r"# refused: ([\w-]+)$", line)) for i, line in enumerate(lines, start=1)]
    expected = [(i, mark[1]) for i, mark in marks if mark]
    assert expected
    assert sorted((line, code) for line, code, _ in complaints["typed_misuse.py"]) == expected


def test_a_users_script_runs():
    typed_user.main()
