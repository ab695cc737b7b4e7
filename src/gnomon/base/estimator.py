"""The root of all estimators: scikit-learn's `BaseEstimator`, with links to the reference of this package.

    <the URL "Documentation" of the installed package>/reference/<family>.html#gnomon.<family>.<class>             (1)

The HTML that a notebook shows for an estimator has such a link for it. Where the package names no such URL there is
none.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from sklearn.base import BaseEstimator

from gnomon.base.scores import ScoreTypeOfClassifier

__all__ = ["Estimator", "documentation_url"]

PACKAGE = __name__.partition(".")[0]


@cache
def documentation_url() -> str | None:
    """Where the pages of the installed package are, by its own metadata; None where these do not say.

    Examples
    --------
    >>> from gnomon.base.estimator import documentation_url
    >>> documentation_url() is None or documentation_url().startswith("http")
    True
    """
    try:
        urls = metadata(PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = dict(url.split(", ", 1) for url in urls)
    return named["Documentation"].rstrip("/") if "Documentation" in named else None


class Estimator(BaseEstimator):
    """What every estimator of this package is.

    Examples
    --------
    >>> from gnomon.base.estimator import Estimator
    >>> class Mean(Estimator): ...
    >>> Mean()._get_doc_link()
    ''
    """

    _doc_link_module = PACKAGE

    score_type_ = ScoreTypeOfClassifier()
    """What the score of a classifier means: "llr", "log_posterior_ratio" or "margin"."""

    def _get_doc_link(self) -> str:
        return super()._get_doc_link() if documentation_url() else ""

    @property
    def _doc_link_template(self) -> str:
        return f"{documentation_url()}/reference/{{family}}.html#{PACKAGE}.{{family}}.{{name}}"

    def _doc_link_url_param_generator(self) -> dict[str, str]:
        return {"family": type(self).__module__.split(".")[1], "name": type(self).__name__}
