"""docs/understand/figures.md agrees with the kept figures."""

import json

import pytest

from benchmarks import figures_page
from benchmarks.figures_page import MARK, PAGE, page_with_tables
from hydranoc.families.registry import OWN_FAMILIES
from hydranoc.studies.common import measured
from hydranoc.studies.common.measured import MEASURED, measured_names


def test_the_page_is_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_tables(page) == page, "python -m benchmarks.figures_page --write"


def test_every_kept_figure_stands_on_the_page_once():
    names = [name for mark in MARK.finditer(PAGE.read_text(encoding="utf-8")) for name in mark["names"].split()]
    assert sorted(names) == measured_names()


@pytest.mark.parametrize("name", measured_names())
def test_kept_figures_are_full_runs_of_figures_that_there_are(name):
    assert any(name in family.reproductions for family in OWN_FAMILIES.values())
    assert json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))["quick"] is False


@pytest.fixture
def one_kept(tmp_path, monkeypatch):
    claims = [
        {"claim": "less", "measured": "more", "holds": False, "note": "The cause is unknown."},
        {"claim": "more", "measured": "more", "holds": True, "note": ""},
    ]
    (tmp_path / "one.json").write_text(json.dumps({"title": "One", "quick": False, "claims": claims}))
    (tmp_path / "one.csv").write_text("x\n1\n")
    monkeypatch.setattr(measured, "MEASURED", tmp_path)


@pytest.mark.usefixtures("one_kept")
def test_tables_are_made_of_what_is_kept():
    old = "# Page\n\n<!-- measured: one -->\n| name |\n|---|\n| old |\n\nText.\n"
    new = page_with_tables(old)
    assert new == (
        "# Page\n\n<!-- measured: one -->\n| name | claim of the paper | measured |\n|---|---|---|\n"
        "| `one` | less | **does not hold**: more. The cause is unknown |\n| | more | more |\n\nText.\n"
    )
    assert page_with_tables(new) == new


@pytest.mark.usefixtures("one_kept")
def test_a_figure_that_is_not_kept_is_refused():
    with pytest.raises(ValueError, match=r"figures.md must name figures that are kept, not 'two'"):
        page_with_tables("<!-- measured: two -->\n")


@pytest.mark.usefixtures("one_kept")
def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    page = tmp_path / "figures.md"
    page.write_text("<!-- measured: one -->\n")
    monkeypatch.setattr(figures_page, "PAGE", page)
    for arguments in ([], ["--write"]):
        monkeypatch.setattr("sys.argv", ["figures_page", *arguments])
        figures_page.main()
    assert page.read_text() == capsys.readouterr().out
    assert "| `one` | less |" in page.read_text()
