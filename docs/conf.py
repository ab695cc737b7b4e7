"""Configuration of the site: built offline, every example executed, warnings are errors."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext")]
os.environ.setdefault("MPLBACKEND", "Agg")

import matplotlib as mpl

import gnomon

project = "gnomon"
author = "The gnomon developers"
version = release = gnomon.__version__
project_copyright = author

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "paper_text",
    "reference_pages",
    "solver_table",
    "benchmark_page",
]
exclude_patterns = ["_build", "_ext", "examples"]
nitpicky = False
# A word such as "mean" in the type of a parameter is no reference.
suppress_warnings = ["ref.python"]
# Blocks without a language are formulas.
highlight_language = "none"
# Single backticks in docstrings are code.
default_role = "code"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_custom_sections = [("Fields", "params_style")]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "gnomon"
html_static_path = ["_static"]
html_css_files = ["gnomon.css"]
html_copy_source = False

# The pictures of the gallery, sharp on screen.
mpl.rcParams["figure.dpi"] = 110
mpl.rcParams["savefig.dpi"] = 110
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": "True",
    "write_computation_times": False,
}
