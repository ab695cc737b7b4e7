"""Shared set-up: helpers importable by name, headless pictures."""

import importlib
import os
import pkgutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tests"))
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
