"""The pages of the documentation: what they show runs, and what they generate is true."""

import doctest
import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from daily import daily

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

PAGES = sorted(path.name for path in DOCS.glob("*.md") if "```python" in path.read_text(encoding="utf-8"))
SESSIONS = sorted(path.name for path in DOCS.glob("*.md") if "\n>>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", daily(PAGES, *(page for page in PAGES if page != "extend.md")))
def test_the_code_of_a_page_runs(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    code = "\n\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))
    # A module of its own, as a user's file would be: nouns are found again by module and name.
    space = {"__name__": f"page_{page.removesuffix('.md')}"}
    exec(compile(code, str(DOCS / page), "exec"), space)


@pytest.mark.parametrize("page", SESSIONS)
def test_a_session_of_a_page_gives_what_it_shows(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    ran = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert ran.attempted
    assert not ran.failed


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(path.name for path in (DOCS / "examples").glob("plot_*.py")))
def test_an_example_of_the_gallery_draws(example):
    runpy.run_path(str(DOCS / "examples" / example))
    assert plt.get_fignums()


def test_the_solver_table_agrees_with_the_solvers():
    solver_table = pytest.importorskip("solver_table", reason="the table is a Sphinx directive")
    found = solver_table.cells()
    assert {"none", "L2", "L1", "EN"} <= set(found["cd", "squared"])
    assert "L1" not in found["newton", "logistic"]
    assert found["dcd", "hinge"] == ["L2*"]
    assert ("newton", "hinge") not in found


def test_formulas_survive_as_text():
    paper_text = pytest.importorskip("paper_text")
    lines = [
        "Loss.",
        "",
        "    ℓ*(y, u) = |r|^p    (1)",
        "",
        "Uses `|x|` and ℓ* and coef_.",
        "",
        "Attributes",
        "----------",
    ]
    lines += ["coef_ : ndarray", "    The |w| of it.", "", "Examples", "--------", ">>> a | b", "c*d"]
    out = paper_text.as_markup(lines)
    assert out[2:5] == ["::", "", "    ℓ*(y, u) = |r|^p    (1)"]
    assert "Uses `|x|` and ℓ\\* and coef\\_." in out
    assert "coef\\_ : ndarray" in out
    assert "    The \\|w\\| of it." in out
    assert out[-2:] == [">>> a | b", "c*d"]


def test_reference_pages_cover_the_public_names():
    reference_pages = pytest.importorskip("reference_pages")
    text = reference_pages.page("gnomon.losses")
    assert ".. autoclass:: gnomon.losses.LogisticLoss" in text
    # What lives elsewhere is documented there.
    assert "autofunction:: gnomon.losses.noun" not in text
