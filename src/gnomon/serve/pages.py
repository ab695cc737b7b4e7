"""The page of the server: a form with a field for each column, and what the model answers to it, with its reasons.

The page works without scripts, and its policy allows none: W3C (2024), Content Security Policy Level 3.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2

from gnomon.report.pages import templates as of_reports
from gnomon.report.scores import SCORES, rounded
from gnomon.serve.answers import Answers, OpenModel
from gnomon.serve.fields import Field
from gnomon.serve.why import Reasons

__all__ = ["Page"]

MOST_FIELDS = 200
MOST_CHOICES = 60
"""Levels in a list to choose from; of more, the name is typed."""
MOST_EFFECTS = 12

templates = of_reports.overlay(
    loader=jinja2.ChoiceLoader([jinja2.PackageLoader("gnomon.serve", "."), jinja2.PackageLoader("gnomon.report", ".")])
)


class Page:
    """The page of one model.

    Parameters
    ----------
    model : OpenModel
    fields : list of Field
        The columns that it needs.
    """

    def __init__(self, model: OpenModel, fields: list[Field]):
        self.model, self.fields = model, fields
        self.typical = {field.name: field.typical for field in fields}
        self.hidden = {field.name: field.typical for field in fields[MOST_FIELDS:]}
        style = re.search(r"<style>(.*?)</style>", self.form({}), re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(style[1].encode() if style else b"").digest()).decode()
        self.policy = (
            f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'"
        )

    def form(
        self,
        values: Mapping[str, Any],
        *,
        answers: Answers | None = None,
        why: Reasons | None = None,
        notes: Sequence[str] = (),
        error: str = "",
    ) -> str:
        """The form with these values; above it, what the model answers to them."""
        return templates.get_template("form.html.j2").render(
            task=self.model.task,
            target=self.model.facts["target"],
            origin=_origin(self.model.facts),
            learned=self.model.facts.get("learned", True),
            fields=self.fields[:MOST_FIELDS],
            n_hidden=len(self.hidden),
            values=values,
            answer=answers and _shown(answers),
            why=why,
            largest=max((abs(effect.change) for effect in why.effects), default=1.0) if why else 1.0,
            notes=notes,
            error=error,
            MOST_CHOICES=MOST_CHOICES,
            MOST_EFFECTS=MOST_EFFECTS,
        )

    def refusal(self, text: str) -> str:
        """A page that says why a request is refused."""
        return self.form(self.typical, error=text)


def _shown(answers: Answers) -> dict[str, Any]:
    """The answer to one row by its parts, the likeliest classes first."""
    (row,) = answers.rows()
    shares = sorted(row.pop("probabilities", {}).items(), key=lambda pair: -pair[1])
    return {
        "prediction": _text(row.pop("prediction", row.get("group"))),
        "decision": row.pop("decision", None),
        "set": row.pop("set", None),
        "interval": (_text(row.pop("low")), _text(row.pop("high"))) if "low" in row else None,
        "further": {name: _text(value) for name, value in row.items() if name != "group"},
        "shares": shares,
    }


def _text(value: Any) -> str:
    if value is None:
        return "without bound"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _origin(facts: Mapping[str, Any]) -> str:
    """Which model it is and how it was judged, as far as the notes say."""
    chosen, held = facts.get("chosen"), facts.get("held_out") or {}
    if not isinstance(chosen, str):
        return ""
    usual = [score.name for score in SCORES.get(facts["task"], ())]
    name = next((name for name in (facts.get("metric"), *usual) if name in held), None)
    if name is None or None in (held[name]["value"], held[name]["baseline"]):
        return f"Model: {chosen}."
    value, guess = (rounded(held[name][whose], 3) for whose in ("value", "baseline"))
    n_rows = facts["rows"]["held_out"]
    return f"Model: {chosen}. On {n_rows} held-out rows its {name} was {value}, and that of guessing {guess}."
