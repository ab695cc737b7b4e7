"""The cache of compiled kernels: a kernel is compiled anew if, and only if, something it is made of has changed."""

import ast
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gnomon
from gnomon._jit import DISABLED, kernel_cache
from gnomon._jit._sources import closure
from gnomon.cli._app import app

SOURCE = Path(gnomon.__file__).parent
ONCE, AGAIN = (1, 0) if not DISABLED else (0, 0)

# A package of its own beside a copy of the compiled layer: a kernel, a subroutine and a constant in other modules, a
# noun from outside, and two modules that the kernel does not reach.
FILES = {
    "mine.py": """
from gnomon._jit import noun
from gnomon.penalties import Penalty
@noun
class Scaled:
    factor: float = 1.0
    def term(self, w): return w * IN_VERB
""",
    "copied/__init__.py": "from copied.part import f\nfrom copied.other import h",
    "copied/part.py": "from gnomon._jit import subroutine as s\nfrom .constant import C\n@s\ndef f(x): return x + C",
    "copied/constant.py": "C = IN_CONSTANT",
    "copied/other.py": "def h(x): return IN_OTHER",
    "copied/kernel.py": """
from copied import f
from gnomon._jit import jit
@jit
def g(x, noun): return noun.term(f(x))
""",
    "copied/__main__.py": """
import mine
from gnomon._jit import DISABLED, compiled
from .kernel import g
print(g(1.0, compiled(mine.Scaled())), 0 if DISABLED else g.stats.cache_misses.total())
""",
}
VALUES = {"IN_VERB": "10", "IN_CONSTANT": "1", "IN_OTHER": "1"}


def write(folder, **values):
    """The files with the values given; those that stay as they are keep their time stamps."""
    for name, text in FILES.items():
        path = folder / name
        for word, value in {**VALUES, **values}.items():
            text = text.replace(word, value)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def environment(folder, cache):
    return {
        **os.environ,
        "NUMBA_CACHE_DIR": str(cache),
        "PYTHONPATH": os.pathsep.join([str(folder), str(SOURCE.parent)]),
    }


def run(folder, cache):
    """The value that the kernel gives in a process of its own, and how often it was compiled there."""
    done = subprocess.run(
        [sys.executable, "-m", "copied"],
        cwd=folder,
        env=environment(folder, cache),
        capture_output=True,
        text=True,
        check=True,
    )
    value, compiled = done.stdout.split()
    return float(value), int(compiled)


def test_a_kernel_is_compiled_again_after_an_edit_of_what_it_reaches_alone(tmp_path):
    cache = tmp_path / "cache"
    write(tmp_path)
    assert run(tmp_path, cache) == (20.0, ONCE)
    write(tmp_path, IN_OTHER="2")
    assert run(tmp_path, cache) == (20.0, AGAIN)
    write(tmp_path, IN_CONSTANT="2")
    assert run(tmp_path, cache) == (30.0, ONCE)
    write(tmp_path, IN_VERB="30", IN_CONSTANT="2")
    assert run(tmp_path, cache) == (90.0, ONCE)
    write(tmp_path)
    assert run(tmp_path, cache) == (20.0, AGAIN)


def test_a_kernel_is_not_compiled_again_when_its_sources_are_touched_moved_or_cloned(tmp_path):
    cache = tmp_path / "cache"
    write(tmp_path / "here")
    assert run(tmp_path / "here", cache) == (20.0, ONCE)
    # A clone has another path, other time stamps and other files.
    shutil.copytree(tmp_path / "here", tmp_path / "clone", copy_function=shutil.copyfile)
    (tmp_path / "here").rename(tmp_path / "away")
    assert run(tmp_path / "clone", cache) == (20.0, AGAIN)


EDITED = """
import pathlib
from copied.kernel import g
import mine
from gnomon._jit import compiled
pathlib.Path("copied/constant.py").write_text("C = 5")
print(g(1.0, compiled(mine.Scaled())))
"""


@pytest.mark.slow
def test_what_is_written_while_a_process_runs_is_not_taken_for_what_it_has_imported(tmp_path):
    cache = tmp_path / "cache"
    write(tmp_path)
    (tmp_path / "edited.py").write_text(EDITED, encoding="utf-8")
    subprocess.run([sys.executable, "edited.py"], cwd=tmp_path, env=environment(tmp_path, cache), check=True)
    assert run(tmp_path, cache) == (60.0, ONCE)


def test_two_processes_may_fill_the_cache_at_once(tmp_path):
    cache = tmp_path / "cache"
    write(tmp_path)
    command = {"args": [sys.executable, "-m", "copied"], "cwd": tmp_path, "env": environment(tmp_path, cache)}
    both = [subprocess.Popen(**command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert {process.communicate()[0].split()[0] for process in both} == {"20.0"}
    assert run(tmp_path, cache) == (20.0, AGAIN)
    if not DISABLED:
        assert [path.suffix for path, _ in kernel_cache.entries(cache)] == [kernel_cache.ENDING]


TWICE = """
import copied.__main__, mine
from copied.kernel import g
from gnomon._jit import compiled
g(1, compiled(mine.Scaled()))
"""


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_where_nothing_can_be_written_one_warning_says_so_and_kernels_work(tmp_path):
    write(tmp_path)
    (tmp_path / "file").write_text("no folder")
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", TWICE],
        cwd=tmp_path,
        env=environment(tmp_path, tmp_path / "file"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["20.0", "1"]
    assert done.stderr.count("compiled kernels cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
def test_a_file_that_cannot_be_read_is_compiled_anew(tmp_path):
    cache = tmp_path / "cache"
    write(tmp_path)
    run(tmp_path, cache)
    ((path, _),) = kernel_cache.entries(cache)
    for content in (b"", b"\x80\x04N."):
        path.write_bytes(content)
        assert run(tmp_path, cache) == (20.0, 1)
    assert run(tmp_path, cache) == (20.0, 0)


DAMAGED = """
import os, random, sys
from pathlib import Path
import gnomon._jit, mine
from gnomon._jit import compiled
path, = Path(os.environ["NUMBA_CACHE_DIR"]).rglob("g-*.kernel")
whole = path.read_bytes()
draw = random.Random(0)
def flipped(place):
    return whole[:place] + bytes([whole[place] ^ 1 << draw.randrange(8)]) + whole[place + 1 :]
edits = [flipped(draw.randrange(len(whole))) for _ in range(8)]
edits += [whole[:-1], whole[: len(whole) // 2], whole + b"0"]
edits += [whole[:2000] + bytes(64) + whole[2064:], bytes(len(whole))]
for content in edits:
    path.write_bytes(content)
    if not (child := os.fork()):
        from copied.kernel import g
        print(g(1.0, compiled(mine.Scaled())), g.stats.cache_misses.total(), flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1], path.read_bytes() == content, flush=True)
"""


@pytest.mark.skipif(DISABLED or not hasattr(os, "fork"), reason="nothing is compiled, or processes are not forked")
def test_a_file_of_which_any_byte_has_changed_is_compiled_anew(tmp_path):
    write(tmp_path)
    run(tmp_path, tmp_path / "cache")
    command, variables = [sys.executable, "-c", DAMAGED], environment(tmp_path, tmp_path / "cache")
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["20.0 1", "0 False"] * 13


def test_an_entry_is_read_as_it_was_written_or_not_at_all(tmp_path):
    path = tmp_path / f"a{kernel_cache.ENDING}"
    kernel_cache.write(path, b"content")
    kept = path.read_bytes()
    assert kernel_cache.read(path) == b"content"
    for place in range(len(kept)):
        path.write_bytes(kept[:place] + bytes([kept[place] ^ 4]) + kept[place + 1 :])
        assert kernel_cache.read(path) is None
        path.write_bytes(kept[:place])
        assert kernel_cache.read(path) is None


def imported(module):
    """The modules of the package that a module imports, by its syntax tree and by what Python finds there."""
    found = importlib.import_module(module)
    tree = ast.parse(Path(found.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "gnomon":
            source = importlib.import_module(node.module)
            for name in (alias.name for alias in node.names):
                thing = getattr(source, name)
                yield thing.__name__ if type(thing) is type(ast) else getattr(thing, "__module__", None)


MODULES = [name for _, name, _ in pkgutil.walk_packages([str(SOURCE)], "gnomon.") if not name.endswith("__main__")]


def test_the_closure_of_a_module_has_all_that_it_imports():
    for module in MODULES:
        defined = {name for name in imported(module) if (name or "").startswith("gnomon") and name != "gnomon"}
        assert defined <= closure(module).keys(), module


def test_the_closure_of_a_kernel_is_small():
    reached = closure("gnomon.optim.quadratic_model").keys()
    assert "gnomon._jit._compile" in reached
    assert not [name for name in reached if re.match(r"gnomon\.(linear|trees|search|plot|report|cli)", name)]


@pytest.mark.parametrize(
    ("variables", "platform", "expected"),
    [
        ({"NUMBA_CACHE_DIR": "/here", "XDG_CACHE_HOME": "/there"}, "linux", "/here/gnomon"),
        ({"XDG_CACHE_HOME": "/there"}, "linux", "/there/gnomon"),
        ({"HOME": "/users/me"}, "linux", "/users/me/.cache/gnomon"),
        ({"HOME": "/users/me"}, "darwin", "/users/me/Library/Caches/gnomon"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/gnomon/Cache"),
    ],
)
def test_kernels_are_kept_where_the_platform_keeps_such_things(monkeypatch, variables, platform, expected):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert kernel_cache.folder() == Path(expected)


def test_a_user_without_a_home_has_no_cache_and_no_error(monkeypatch):
    monkeypatch.setattr(Path, "expanduser", lambda path: (_ for _ in ()).throw(RuntimeError("no home")))
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    kernel_cache._say_that_nothing_is_kept.cache_clear()
    with pytest.warns(RuntimeWarning, match="compiled kernels cannot be kept"):
        path = entry("one", days=None)
    assert kernel_cache.read(path) is None


def entry(name, days=0.0):
    path = kernel_cache.folder() / "processor" / "module" / f"{name}{kernel_cache.ENDING}"
    kernel_cache.write(path, b"1234")
    if days is not None:
        os.utime(path, times=(time.time() - days * kernel_cache.DAY,) * 2)
    return path


def test_what_was_not_used_for_90_days_goes_and_what_is_read_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, read, new = entry("old", 91), entry("read", 91), entry("new", 89)
    assert kernel_cache.read(read) == b"1234"
    assert kernel_cache.clear(kernel_cache.folder(), kernel_cache.UNUSED_DAYS) == 1
    assert [path.exists() for path in (old, read, new)] == [False, True, True]


def test_old_kernels_go_when_a_new_one_is_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old = entry("old", 91)
    (kernel_cache.folder() / "swept").unlink(missing_ok=True)
    kernel_cache._delete_unused.cache_clear()
    entry("new")
    assert not old.exists()


def test_the_command_tells_where_kernels_are_and_deletes_them(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    path = entry("one")
    told = CliRunner().invoke(app, ["cache"])
    assert told.exit_code == 0
    assert f"1 kernels, 0.0 MB, in {kernel_cache.folder()}" in told.output
    cleared = CliRunner().invoke(app, ["cache", "--clear"])
    assert "1 kernels deleted" in cleared.output
    assert not path.exists()
    assert CliRunner().invoke(app, ["cache"]).output.startswith("0 kernels")


PLAIN = """
import numba.core.compiler
del numba.core.compiler.CompileResult._reduce
import numpy as np
from gnomon._jit import MISSING
from gnomon.FAMILY import MODEL
assert MISSING == ["numba.core.compiler.CompileResult._reduce"], MISSING
X = np.random.default_rng(0).normal(size=(60, 3))
print(MODEL.fit(X, X @ [1.0, -2.0, 0.0] > 0.1).predict(X).astype(float).tolist())
"""


@pytest.mark.skipif(DISABLED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("family", "model"),
    [
        ("linear", "ElasticNet(0.1)"),
        pytest.param("linear", "LinearSVC()", marks=pytest.mark.slow),
        pytest.param("linear", "LogisticRegression(l1_ratio=1.0, solver='saga')", marks=pytest.mark.slow),
        pytest.param("generative", "GaussianMixture(2, random_state=0)", marks=pytest.mark.slow),
        pytest.param("trees", "RandomForestClassifier(5, random_state=0)", marks=pytest.mark.slow),
        pytest.param("trees", "HistGradientBoostingClassifier(max_iter=5)", marks=pytest.mark.slow),
    ],
)
def test_results_are_the_same_where_numba_lacks_a_private_name(tmp_path, family, model):
    plain = PLAIN.replace("import MODEL", f"import {model.partition('(')[0]}").replace("FAMILY", family)
    plain = plain.replace("MODEL", model)
    answers = []
    for text in (plain, re.sub(r"del .*|assert .*", "", plain)):
        (tmp_path / "fits.py").write_text(text, encoding="utf-8")
        command = [sys.executable, str(tmp_path / "fits.py")]
        done = subprocess.run(command, env=environment(tmp_path, tmp_path), capture_output=True, text=True, check=True)
        answers.append(ast.literal_eval(done.stdout))
    np.testing.assert_allclose(*answers, rtol=1e-9)
