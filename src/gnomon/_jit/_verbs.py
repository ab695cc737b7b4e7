"""Names that kernels may call on every noun, and what else may not have them.

A verb is declared for all named tuples, nouns being such inside kernels: to the compiler, ``window.width`` is the verb
`width` wherever one is declared, and no longer the field of that name.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["VERBS", "refuse_field", "refuse_verb"]

VERBS: dict[str, tuple[str, ...]] = {}
"""Every verb that kernels may call on a noun, with the names of its arguments."""

_FIELDS: dict[str, str] = {}
"""Every field of a tuple that kernels have taken, or of a noun, with the name of its class."""


def refuse_field(cls: str, fields: Iterable[str]) -> None:
    """Raise a TypeError if the tuple or noun `cls` has a field with the name of a verb; else remember its fields."""
    for name in fields:
        if name in VERBS:
            raise _clash(cls, name)
        _FIELDS.setdefault(name, cls)


def refuse_verb(name: str) -> None:
    """Raise a TypeError if a tuple or noun has a field with the name of a new verb."""
    if name in _FIELDS:
        raise _clash(_FIELDS[name], name)


def _clash(cls: str, name: str) -> TypeError:
    arguments = ", ".join(VERBS.get(name, ("…",)))
    return TypeError(
        f"{cls} has a field {name}, and {name}({arguments}) is a verb: a kernel would take {cls}.{name} for the verb; "
        "give one of them another name"
    )
