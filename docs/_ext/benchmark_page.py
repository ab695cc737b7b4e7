"""The directive ``benchmark-results``: the table that ``make bench`` wrote, or how to make one."""

from pathlib import Path

from sphinx.util.docutils import SphinxDirective

__all__ = ["BenchmarkResults", "setup"]

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results"


class BenchmarkResults(SphinxDirective):
    """Takes the name of a family and parses its Markdown in place."""

    required_arguments = 1

    def run(self):
        """The nodes of the table, or of a sentence where nothing was measured."""
        path = RESULTS / f"{self.arguments[0]}.md"
        self.env.note_dependency(str(path))
        text = path.read_text(encoding="utf-8") if path.exists() else "*No results yet: run* `make bench`."
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app):
    """Register the directive."""
    app.add_directive("benchmark-results", BenchmarkResults)
    return {"parallel_read_safe": True}
