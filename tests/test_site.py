"""The site of the documents: built without warnings, whole without a network, with every public name described."""

import importlib
import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import hydranoc
from tests.test_layers import LAYERS

ROOT = Path(__file__).parent.parent
API = (ROOT / "docs" / "api.md").read_text()
NETWORK = """network: {family: spam, topology: {kind: mesh, shape: [3, 3]}}
traffic: {kind: random, cycles: 1000, messages_per_node_per_cycle: 0.002, flits: 8}
"""
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""What a browser fetches by itself, by element; a link in the text may lead anywhere."""


@pytest.fixture(scope="module")
def site(tmp_path_factory, require_package):
    """The folder that ``make docs`` fills, and what the build says."""
    for package in ("sphinx", "myst_parser", "furo"):
        require_package(package)
    folder = tmp_path_factory.mktemp("site")
    recipe = re.search(r"^docs: .*\n\t\$\(BIN\)/sphinx-build (.*) results/site$", (ROOT / "Makefile").read_text(), re.M)
    assert recipe
    command = [sys.executable, "-m", "sphinx", *recipe[1].split(), str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert built.stdout + built.stderr == ""
    return folder


class Page(HTMLParser):
    """Anchors of a page, where its links lead, and what it fetches by itself."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors, self.links, self.fetched = {""}, [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in LOADS and LOADS[tag] in found:
            self.fetched.append(found[LOADS[tag]])


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html")}


def test_nothing_comes_from_another_host(site, pages):
    fetched = {one for page in pages.values() for one in page.fetched}
    assert len(fetched) > 5
    assert [one for one in fetched if urlsplit(one).scheme not in ("", "data") or one.startswith("//")] == []
    for path in site.rglob("*.css"):
        assert re.findall(r"""(?:url\(|@import )\s*["']?(?:https?:)?//""", path.read_text()) == [], path


def test_every_link_leads_somewhere_from_disk(pages):
    broken = []
    for path, page in pages.items():
        for link in (*page.links, *page.fetched):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages.get(target)
            if not target.is_file() or (known and unquote(parts.fragment) not in known.anchors):
                broken.append((path.name, link))
    assert broken == []


def test_the_site_begins_where_a_newcomer_does(site, pages):
    assert "docs/index.html" in (site / "index.html").read_text()
    first = pages[site / "docs" / "index.html"].links
    ways = ("../README", "tutorial", "traffic", "harts", "configuration", "api", "assurance")
    places = [first.index(f"{way}.html") for way in ways]
    assert places == sorted(places)


def named_objects() -> dict[str, Any]:
    """What the API page lists, by its whole name."""
    found, module = {}, ""
    for directive, name in re.findall(r"^\.\. (currentmodule|auto\w+):: (\S+)$", API, re.M):
        if directive == "currentmodule":
            module = name
            continue
        whole = name if "." in name else f"{module}.{name}"
        home, _, attribute = whole.rpartition(".")
        found[whole] = getattr(importlib.import_module(home), attribute)
    return found


NAMED = named_objects()
FRONT = [name for name in NAMED if name.startswith("hydranoc.") and not name.startswith("hydranoc.measurement.")]
"""What users of the front door meet first: nothing is left to be guessed from a name or from a sentence above it."""


def test_every_public_name_is_on_the_page(site, pages):
    anchors = pages[site / "docs" / "api.html"].anchors
    assert {f"hydranoc.{name}" for name in hydranoc.__all__} <= anchors
    assert set(NAMED) <= anchors
    assert {f"hydranoc.Design.{name}" for name in public_methods(hydranoc.Design)} <= anchors


def test_its_programs_run(tmp_path):
    programs = re.findall(r"```python\n(.*?)```", API, flags=re.DOTALL)
    assert len(programs) == 2
    (tmp_path / "network.yaml").write_text(NETWORK)
    for program in programs:
        command = [sys.executable, "-P", "-c", program]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout


def sections(docstring: str) -> dict[str, str]:
    """Text by numpydoc heading."""
    parts = re.split(r"^(\w+)\n-{3,}$", docstring, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(docstring: str) -> set[str]:
    """Names that a docstring's parameters and members have."""
    told = sections(docstring)
    text = told.get("Parameters", "") + told.get("Members", "")
    heads = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :.*)?$", text, re.M)
    return {name.strip(" *") for head in heads for name in head.split(",")}


def public_methods(called: Any) -> dict[str, Any]:
    """Methods of a class by name; those of a dataclass that are values of its fields are none."""
    fields = getattr(called, "__dataclass_fields__", {})
    own = [base for base in getattr(called, "__mro__", ()) if base.__module__.partition(".")[0] in LAYERS]
    members = [pair for base in reversed(own) for pair in vars(base).items()]
    return {
        name: member
        for name, member in members
        if inspect.isfunction(member) and not name.startswith("_") and name not in fields
    }


@pytest.mark.parametrize("name", NAMED)
def test_everything_has_a_docstring(name):
    silent = [method for method, member in public_methods(NAMED[name]).items() if not inspect.getdoc(member)]
    assert inspect.getdoc(NAMED[name])
    assert silent == []


@pytest.mark.parametrize("name", FRONT)
def test_parameters_are_described(name):
    called = NAMED[name]
    told = described(inspect.getdoc(called) or "")
    missing = [(name, one) for one in inspect.signature(called).parameters if one not in told]
    for method, member in public_methods(called).items():
        told = described(inspect.getdoc(member) or "") | {"self"}
        missing += [(method, one) for one in inspect.signature(member).parameters if one not in told]
    assert missing == []
