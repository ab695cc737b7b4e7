"""One page of reference for each public package, written from its ``__all__`` when the site is built."""

import inspect
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import gnomon

__all__ = ["packages", "page", "setup"]

# Modules with a page of their own, and packages that users do not import from.
MODULES = ("numerics.design", "optim.schedules", "optim.stopping")
INNER = ("cli", "numerics")


def setup(app):
    """Write the pages before Sphinx looks for them."""
    app.connect("builder-inited", _write, priority=100)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True}


def _skip(app, what, name, member, skip, options):
    """Leave out the setters of metadata routing, which scikit-learn adds to every estimator."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def packages():
    """The public packages and modules, without the leading "gnomon."."""
    found = [module.name for module in iter_modules(gnomon.__path__) if module.ispkg]
    return sorted([name for name in found if not name.startswith("_") and name not in INNER] + list(MODULES))


def _write(app):
    folder = Path(app.srcdir) / "reference"
    folder.mkdir(exist_ok=True)
    pages = {name: page(f"gnomon.{name}") for name in packages()}
    written = {name: text for name, text in pages.items() if text}
    for name, text in written.items():
        _if_changed(folder / f"{name}.rst", text)
    listed = "\n".join(f"   {name}" for name in written)
    _if_changed(folder / "index.rst", f"Reference\n=========\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n")


def _if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def page(package):
    """The reStructuredText of one package: a table of its names, then each with its documentation."""
    module = import_module(package)
    members = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    own = {name: member for name, member in members.items() if _home(member, package)}
    if not own:
        return ""
    title = f"{package}\n{'=' * len(package)}"
    table = "\n".join(f"   {name}" for name in own)
    parts = [title, f".. currentmodule:: {package}", f".. autosummary::\n   :nosignatures:\n\n{table}"]
    return "\n\n".join(parts + [_entry(package, name, member) for name, member in own.items()]) + "\n"


def _home(member, package):
    """Whether the member is documented here: what another package defines is documented there."""
    return getattr(member, "__module__", None) is not None and (
        member.__module__ == package
        or (member.__module__.startswith(package + ".") and not _own_page(member.__module__, package))
    )


def _own_page(module, package):
    return module != package and module.removeprefix("gnomon.") in MODULES


def _entry(package, name, member):
    if inspect.isclass(member):
        return f".. autoclass:: {package}.{name}\n   :members:\n   :show-inheritance:"
    return f".. autofunction:: {package}.{name}" if callable(member) else f".. autodata:: {package}.{name}"
