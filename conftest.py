"""Shared set-up: helpers importable by name, headless pictures, the table of seconds."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "tests"))
os.environ.setdefault("MPLBACKEND", "Agg")
pytest_plugins = ["budget", "few_models", "still_clock"]


def pytest_collection_modifyitems(items):
    """Every example also runs with the least and the newest versions."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("smoke")


@pytest.fixture(autouse=True)
def _close_pictures():
    """Close the figures that a test or an example opened: Matplotlib warns of more than twenty."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
