"""The site of the documents: built without warnings, whole without a network, with every public name described."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import hydranoc
from tests.api_page import API, ROOT, described, named_objects, own_docstring, public_members, sections
from tests.each import each
from tests.proofs.faults import FAULTS

NETWORK = """network: {family: spam, topology: {kind: mesh, shape: [3, 3]}}
traffic: {kind: random, cycles: 1000, messages_per_node_per_cycle: 0.002, flits: 8}
"""
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Attributes that a browser fetches by itself, by element; links in the text may have any target."""


@pytest.fixture(scope="module")
def site(tmp_path_factory, require_package):
    """The folder that ``make docs`` fills, and the output of the build."""
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
    """Anchors of a page, targets of its links, and addresses that it fetches by itself."""

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


@pytest.mark.slow
def test_nothing_comes_from_another_host(site, pages):
    fetched = {one for page in pages.values() for one in page.fetched}
    assert len(fetched) > 5
    assert [one for one in fetched if urlsplit(one).scheme not in ("", "data") or one.startswith("//")] == []
    for path in site.rglob("*.css"):
        assert re.findall(r"""(?:url\(|@import )\s*["']?(?:https?:)?//""", path.read_text()) == [], path


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_page_of_proofs_has_a_row_for_each_fault(site):
    page = (site / "docs" / "understand" / "proofs.html").read_text()
    assert page.count("→") >= len(FAULTS) > 400


@pytest.mark.slow
def test_the_site_begins_where_a_newcomer_does(site, pages):
    assert "docs/index.html" in (site / "index.html").read_text()
    first = pages[site / "docs" / "index.html"].links
    pages_in_order = (
        "../README",
        "learn/first_network",
        "do/choosing",
        "look_up/configuration",
        "look_up/api",
        "understand/proofs",
    )
    places = [first.index(f"{page}.html") for page in pages_in_order]
    assert places == sorted(places)


NAMED = named_objects()


@pytest.mark.slow
def test_every_public_name_is_on_the_page(site, pages):
    anchors = pages[site / "docs" / "look_up" / "api.html"].anchors
    assert {f"hydranoc.{name}" for name in hydranoc.__all__} <= anchors
    assert set(NAMED) <= anchors
    members = public_members(hydranoc.Design)
    assert {f"hydranoc.Design.{name}" for name, function in members.items() if own_docstring(function)} <= anchors


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


@each("name", NAMED)
def test_everything_has_a_docstring(name):
    called = NAMED[name]
    members = public_members(called) if inspect.isclass(called) else {}
    told = described(sections(own_docstring(called)).get("Members", ""))
    assert inspect.getdoc(called)
    assert [member for member, function in members.items() if not inspect.getdoc(function) and member not in told] == []
