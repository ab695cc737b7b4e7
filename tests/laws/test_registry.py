"""The registry: a family offers itself, the command never names one."""

import ast
from dataclasses import FrozenInstanceError
from importlib import import_module
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor

import gnomon
from gnomon import _registry
from gnomon._registry import Candidate, Facts, candidates, discover, register, register_warmup, warmups
from gnomon.trees import RandomForestClassifier

WIDE = Facts("regression", n_rows=10, n_features=100)
LONG = Facts("regression", n_rows=10_000, n_features=3)


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch):
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())


def make(facts, random_state):
    return DummyRegressor()


def names(facts):
    return [c.name for c in candidates(facts)]


def test_candidates_come_from_simple_to_elaborate_whatever_the_order_of_registration():
    for name, complexity in (("c", 3), ("a", 1), ("b", 2)):
        register(Candidate(name, "regression", make, complexity))
    assert names(LONG) == ["a", "b", "c"]


def test_a_candidate_is_offered_only_for_its_task_and_for_data_that_suit_it():
    register(Candidate("long only", "regression", make, 1, suits=lambda facts: facts.n_rows > facts.n_features))
    assert names(LONG) == ["long only"]
    assert names(WIDE) == []
    assert names(Facts("classification", 10_000, 3, n_classes=2)) == []


def test_registering_a_name_again_replaces_it():
    register(Candidate("a", "regression", make, 1))
    register(Candidate("a", "regression", make, 2))
    assert [c.complexity for c in candidates(LONG)] == [2]


def test_candidates_and_facts_are_values():
    with pytest.raises(FrozenInstanceError):
        LONG.n_rows = 1
    with pytest.raises(FrozenInstanceError):
        Candidate("a", "regression", make, 1).name = "b"


def test_warm_up_jobs_are_listed_by_name():
    done = []
    register_warmup("b", lambda: done.append("b"))
    register_warmup("a", lambda: done.append("a"))
    for _, job in warmups():
        job()
    assert done == ["a", "b"]


def test_families_are_found_by_their_module_of_candidates(tmp_path, monkeypatch):
    family = tmp_path / "shop" / "toys"
    family.mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").touch()
    (family / "__init__.py").touch()
    text = "from gnomon._registry import Candidate, register\nregister(Candidate('toy', 'regression', None, 1))\n"
    (family / "_candidates.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert discover("shop") == ["shop.toys._candidates"]
    assert names(LONG) == ["toy"]


def imports_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def test_the_command_and_the_report_import_no_model():
    """What they compare comes from the registry alone; of a family they may use the protocol of a study.

    Families without a candidate have no model to compare: calibration and sets stand around whichever is chosen. The
    forest that tells later rows from earlier ones is a test.
    """
    root = Path(gnomon.__file__).parent
    families = {
        f"gnomon.{path.parent.name}"
        for path in root.glob("*/_candidates.py")
        if any(alias.name == "Candidate" for node in imports_of(path) for alias in node.names)
    }
    imports = [
        node for folder in ("cli", "report") for path in (root / folder).glob("*.py") for node in imports_of(path)
    ]
    ours = [node for node in imports if any((node.module or "").startswith(family) for family in families)]
    named = [getattr(import_module(node.module), alias.name) for node in ours for alias in node.names]
    assert {"gnomon.generative", "gnomon.linear", "gnomon.trees"} <= families
    models = [thing for thing in named if isinstance(thing, type) and issubclass(thing, BaseEstimator)]
    assert models == [RandomForestClassifier]
