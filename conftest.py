"""Shared set-up: helpers importable by name, headless pictures, and a kernel cache that cannot be stale."""

import hashlib
import importlib
import os
import pkgutil
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tests"))


def _hash_of_sources():
    digest = hashlib.sha256()
    for path in sorted((HERE / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Numba's cache follows the file of a kernel but not the files of the formulas it calls, so the folder is named
# after all sources; it must be set before numba is imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"gnomon-numba-{_hash_of_sources()}"))
os.environ.setdefault("MPLBACKEND", "Agg")

# Where a function has the name of its module, pytest's import of the module would hide it; packages imported before
# are left as they are.
for _package in pkgutil.iter_modules([str(HERE / "src" / "gnomon")], "gnomon."):
    if _package.ispkg:
        importlib.import_module(_package.name)


@pytest.fixture(autouse=True)
def _close_pictures():
    """Close the figures that a test or an example opened: Matplotlib warns of more than twenty."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
