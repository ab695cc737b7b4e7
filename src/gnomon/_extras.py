"""Packages that only parts of gnomon need, and the extras that bring them.

``pip install gnomon`` is the library: every family, with what it is compiled and computed by. Commands, reports,
pictures and model files need more; a part that misses something names the extra to install.
"""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["EXTRAS", "MissingPackageError", "is_installed", "need"]

EXTRAS = {
    "jinja2": "app",
    "matplotlib": "plot",
    "pandas": "frames",
    "pyarrow": "frames",
    "rich": "app",
    "skops": "io",
    "starlette": "app",
    "torch": "neural",
    "typer": "app",
    "uvicorn": "app",
}
"""The extra of each package that is imported only where it is needed; "app" includes "plot" and "io"."""


class MissingPackageError(ImportError):
    """A part of gnomon needs a package that is not installed; the text names the extra that brings it.

    Examples
    --------
    >>> from gnomon._extras import MissingPackageError
    >>> issubclass(MissingPackageError, ImportError)
    True
    """


def is_installed(package: str) -> bool:
    """Whether a package can be found; it is not imported.

    Examples
    --------
    >>> from gnomon._extras import is_installed
    >>> is_installed("numpy"), is_installed("a_name_that_nobody_took")
    (True, False)
    """
    try:
        return find_spec(package) is not None
    except ImportError:
        # What finds modules refuses this one.
        return False
    except ValueError:
        # It is imported already, by a loader that leaves no specification.
        return True


def need(part: str, *packages: str, otherwise: str = "") -> None:
    """Refuse in one sentence what `part` cannot do without `packages`.

    Parameters
    ----------
    part : str
        What needs them, as the user knows it.
    *packages : str
        Keys of `EXTRAS`.
    otherwise : str, default=""
        The end of the sentence: what helps besides.

    Raises
    ------
    MissingPackageError

    Examples
    --------
    >>> from gnomon._extras import need
    >>> need("gnomon.plot", "matplotlib")
    """
    missing = [package for package in packages if not is_installed(package)]
    if not missing:
        return
    extras = {EXTRAS[package] for package in missing}
    extra = "app" if "app" in extras else ",".join(sorted(extras))
    them = "it" if len(missing) == 1 else "them"
    raise MissingPackageError(
        f"{part} needs {' and '.join(missing)}; install {them} with: pip install 'gnomon[{extra}]'{otherwise}",
        name=missing[0],
    )
