"""The models that `gnomon learn` compares in a test: few, so that a test of what is said does not pay for all."""

import pytest

from gnomon import _registry
from gnomon._registry import discover, register


@pytest.fixture
def only(monkeypatch):
    """A registry with these candidates alone: new ones, or those of the families by name, for every task they know."""
    discover()
    known = dict(_registry._registered.models)

    def keep(*chosen):
        monkeypatch.setattr(_registry, "_registered", _registry._Registered())
        for one in chosen:
            named = [known[task, name] for task, name in known if name == one] if isinstance(one, str) else [one]
            assert named, f"no model is called {one!r}; there are {sorted(name for _, name in known)}"
            for candidate in named:
                register(candidate)

    return keep
