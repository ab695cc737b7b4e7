"""The pages of reports and of `gnomon serve` in a browser: on a phone and on a screen, in light and dark, by keyboard.

W3C (2023), Web Content Accessibility Guidelines 2.2: 1.1.1 names of pictures, 1.4.3 contrast, 1.4.10 reflow, 2.1.1
keyboard, 2.4.1 bypass.
"""

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from browser import CHROMIUM, browser
from gnomon._registry import Candidate
from gnomon.datasets import make_engines
from gnomon.io import Table
from gnomon.report import Aims, anomaly_page, cluster_page, find_anomalies, find_clusters, learn, page
from gnomon.serve import Asked, open_model
from gnomon.serve.fields import fields_of
from gnomon.serve.pages import Page
from gnomon.serve.why import explain
from small_server import serving, write_model

pytestmark = pytest.mark.skipif(CHROMIUM is None or sys.platform == "win32", reason="there is no Chromium here")

LONG = "a column whose name is as long as names of columns are in some tables, and longer than a phone is wide"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


def study_of_offers():
    rng = np.random.default_rng(0)
    n = 200
    x, home = rng.normal(size=(2, n)), rng.choice(["own", "rented", "w" * 60], n)
    words = np.array(["cheap", "broken", "fine", "splendid"])[rng.integers(0, 4, (n, 6))]
    day = np.datetime64("2026-01-01") + rng.integers(0, 300, n)
    texts = [" ".join([*row, f"{k}"]) for k, row in enumerate(words)]
    sold = np.where(x[0] + (words == "splendid").sum(axis=1) + 0.5 * rng.normal(size=n) > 1.5, "sold", "not sold")
    table = Table({"price": x[0], LONG: x[1], "home": home, "day": day, "text": texts, "sold": sold})
    return learn(table, "sold", aims=Aims(fn_cost=1.0, fp_cost=5.0, coverage=0.9))


def report_of_learning():
    study, command = study_of_offers(), "gnomon learn offers.csv --target sold"
    return page(study, study.table, source="offers.csv", digest="0" * 64, command=command)


def piece_of_a_notebook():
    """What a notebook shows, in a page with the colours of one."""
    return f"""<!doctype html><meta name="viewport" content="width=device-width">
    <style>@media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee; }} a {{ color: #9cf; }} }}
    </style>
    <title>notebook</title><a class="skip" href="#cell">Skip</a>
    <main id="cell" tabindex="-1"><h1>notebook</h1>
    {study_of_offers()._repr_html_()}<p>one</p><p>two</p><p>three</p><p>four</p><p>five</p></main>"""


def report_of_groups():
    rng = np.random.default_rng(0)
    table = Table({LONG: rng.normal(size=90) + 9.0 * (np.arange(90) % 3), "b": rng.normal(size=90)})
    return cluster_page(find_clusters(table, n_clusters=3), table, source="shop.csv")


def report_of_anomalies():
    X, bad = make_engines(200, 20, random_state=0)
    table = Table({"heat": X[:, 0], LONG: X[:, 1], "state": np.where(bad == bad.max(), "odd", "fine")})
    return anomaly_page(find_anomalies(table, "state"), table, source="engines.csv")


def answer_of_the_form(tmp_path):
    write_model(tmp_path / "m.skops", "repaid")
    model = open_model(tmp_path / "m.skops")
    shown = Page(model, fields_of(model))
    cells = {"income": "€ 12,50", "years": "3", "home": "boat"}
    row = Table({name: [cell] for name, cell in cells.items()}, decimal=",")
    why, notes = explain(model, row, shown.typical, Asked()), list(model.remarks(row))
    return shown.form(cells, answers=model.answers(row, Asked(proba=True)), why=why, notes=notes)


def faults_of(tab, path, width, theme):
    """What is wrong with a page at this width and theme, in words."""
    tab.open(path.as_uri(), width, theme)
    tab.press("Tab")
    skips = tab.value("document.activeElement.className") == "skip"
    tab.press("Enter")
    skips = skips and tab.value("location.hash !== '' && document.activeElement.matches(location.hash)")
    found = tab.measured()
    assert found["dark"] == (theme == "dark")
    assert found["texts"] > 10
    assert found["stops"] > 0
    faults = {name: found[name] for name in ("unnamed", "unlabelled", "unreachable", "unscrollable", "pale")}
    faults["too wide"] = [widest] if (widest := max(found["inner"], found["scroll"])) > width else []
    faults["leaps of headings"] = [leap for leap in np.diff(found["headings"]).tolist() if leap > 1]
    faults["nothing to skip to"] = [] if skips else ["the first stop"]
    return {name: wrong for name, wrong in faults.items() if wrong}


@pytest.mark.parametrize("which", ["learning", "notebook", "groups", "anomalies", "form"])
def test_a_page_can_be_read_on_a_phone_and_by_keyboard_in_both_themes(tab, only, which, tmp_path):
    if which in ("learning", "notebook"):
        only(Candidate("logistic", "classification", lambda facts, seed: LogisticRegression(max_iter=500), 1,
                       explain=lambda model: model.coef_))  # fmt: skip
    makers = {
        "learning": report_of_learning,
        "notebook": piece_of_a_notebook,
        "groups": report_of_groups,
        "anomalies": report_of_anomalies,
    }
    html = makers[which]() if which in makers else answer_of_the_form(tmp_path)
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    faults = {
        (width, theme): found
        for width in (400, 1200)
        for theme in ("light", "dark")
        if (found := faults_of(tab, path, width, theme))
    }
    assert not faults


def test_the_measures_see_what_is_wrong(tab, tmp_path):
    """A page with every fault: else a measure that sees nothing would pass all pages."""
    bad = (
        """<!doctype html><meta name="viewport" content="width=device-width"><h1>a</h1><h3>b</h3>
    <div style="width: 2000px">far</div><svg width=9 height=9></svg><input><p style="color: #ccc">pale</p>
    <div style="overflow-x: auto; width: 50px"><span style="white-space: nowrap">a long line of words</span></div>
    <button disabled>no</button><a href="#x">link</a>"""
        + "<p>words</p>" * 10
    )
    path = tmp_path / "bad.html"
    path.write_text(bad, encoding="utf-8")
    found = faults_of(tab, path, 400, "light")
    assert set(found) == {
        "leaps of headings",
        "nothing to skip to",
        "pale",
        "too wide",
        "unlabelled",
        "unnamed",
        "unreachable",
        "unscrollable",
    }


def test_the_form_of_a_server_is_filled_in_and_answers(tab, tmp_path):
    """The policy and the checks of origin let the page's own form through, and no script."""
    write_model(tmp_path / "m.skops", "repaid")
    with serving(tmp_path / "m.skops") as server:
        address = f"http://127.0.0.1:{server.port}/"
        tab.open(address, 400, "light")
        assert tab.value("document.querySelector('.said') === null")
        tab.value("document.querySelector('[name=income]').value = '€ 90,00'; document.querySelector('button').focus()")
        tab.press("Enter")
        tab.wait("Page.loadEventFired")
        _, said = server.json({"income": 90, "years": tab.value("document.querySelector('[name=years]').value"),
                               "home": tab.value("document.querySelector('[name=home]').value")})  # fmt: skip
        assert tab.value("document.querySelector('.said').textContent") == said["predictions"][0]["prediction"]
        assert tab.value("document.querySelector('[name=income]').value") == "€ 90,00"
        assert tab.measured()["scroll"] == 400
        tab.value("s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
        assert tab.value("window.ran === undefined")
