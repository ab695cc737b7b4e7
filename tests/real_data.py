"""Where the real data for stories, peers and benchmarks lies: beside the checkout, or where GNOMON_DATA says."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("GNOMON_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def data_path(name):
    """The path of one data file; the calling test is skipped where it is absent."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"{name} is not here; set GNOMON_DATA to the folder that holds it")
    return path
