"""Docstrings as written for paper: their formulas are text, not markup.

A docstring says |r|^p, ℓ*(y, u) and coef_ as it would on paper; in reStructuredText these are substitutions, emphasis
and links. This extension escapes them, and sets indented formulas as literal blocks, before the docstring is parsed.
"""

import re

__all__ = ["as_markup", "setup"]

SECTION = re.compile(r"^-{3,}\s*$")
# Sections in which napoleon escapes the names itself.
ESCAPED_BY_NAPOLEON = ("Parameters", "Other Parameters", "Fields", "Returns", "Yields")
CODE = re.compile(r"(``.+?``|`[^`]+`|:\w+:`[^`]+`|https?://\S+)")


def setup(app):
    """Connect before napoleon, which reads what this leaves."""
    app.connect("autodoc-process-docstring", _process, priority=100)
    return {"parallel_read_safe": True}


def _process(app, what, name, obj, options, lines):
    lines[:] = as_markup(lines)


def as_markup(lines):
    """The lines with formulas escaped and, before the first section, indented formulas as literal blocks."""
    out, doctest, section = [], False, ""
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if SECTION.match(following.strip()) and line and not line[0].isspace():
            section = line.strip()
        doctest = line.strip().startswith(">>>") or (doctest and bool(line.strip()))
        if doctest or SECTION.match(line.strip()):
            out.append(line)
        elif _opens_formula(out, line, section):
            out += ["::", "", line]
        elif (not section and line[:1].isspace()) or (section in ESCAPED_BY_NAPOLEON and _is_entry(line, following)):
            out.append(line)
        else:
            out.append(_escaped(line))
    return out


def _opens_formula(out, line, section):
    """Whether an indented line starts a block of its own in the prose before the sections."""
    if section or not line[:1].isspace() or not line.strip() or line.lstrip().startswith(("-", "*", "1.")):
        return False
    before = next((previous for previous in reversed(out) if previous.strip()), "")
    return bool(out) and not out[-1].strip() and not before[:1].isspace() and not before.rstrip().endswith("::")


def _is_entry(line, following):
    """Whether the line names a parameter: napoleon itself escapes names."""
    depth = len(line) - len(line.lstrip())
    deeper = bool(following.strip()) and len(following) - len(following.lstrip()) > depth
    return bool(line.strip()) and (" : " in line or (deeper and not line.rstrip().endswith((".", ",", ":"))))


def _escaped(line):
    parts = CODE.split(line)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([*|\\])", r"\\\1", parts[k])
        parts[k] = re.sub(r"(\w)_(?!\w)", r"\1\\_", parts[k])
    return "".join(parts)
