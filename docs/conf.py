"""Sphinx's configuration of the site: the repository's own Markdown files, and the API page from the docstrings.

Called from the top of the checkout (``make docs``), so that README.md and ARCHITECTURE.md are pages beside docs/.
"""

from rtl.version import VERSION
from tests.proofs.catalog import MARK, table

project = "HydraNoC"
author = project_copyright = "HydraNoC developers"
release = version = VERSION
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "docs/*/*.md", "examples/**/*.md"]
exclude_patterns = [".*", "results", "build"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4  # headings have the anchors that they have on GitHub
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Members", "params_style")]
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"{project} {VERSION}"
templates_path = ["site"]
html_additional_pages = {"index": "forward.html"}  # the first file that somebody opens
html_show_sphinx = False


def _add_faults(_app, docname, source):
    """Put the table of faults into the page of proofs."""
    if docname == "docs/understand/proofs":
        source[0] = source[0].replace(MARK, table())


def setup(app):
    """Connect the function above to Sphinx."""
    app.connect("source-read", _add_faults)
