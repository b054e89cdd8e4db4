"""Costs of routers on Xilinx 7: the document has a line for every family, which is what is measured."""

from pathlib import Path

import pytest

from benchmarks.xilinx_table import line, measured, reference_rows
from fpga.common.devices import NO_CLOCK

DOCUMENT = (Path(__file__).parents[2] / "docs" / "understand" / "fpga.md").read_text()
ROWS = reference_rows()
QUICK = "spam"
OTHERS = [family for family in ROWS if family != QUICK]


def hold(family: str, require_tool) -> None:
    require_tool("yosys")
    assert f"\n{line(ROWS[family], measured(ROWS[family]))}\n" in DOCUMENT


def test_the_spam_router_costs_what_the_document_says(require_tool):
    hold(QUICK, require_tool)


@pytest.mark.slow
@pytest.mark.parametrize("family", OTHERS)
def test_the_other_routers_cost_what_the_document_says(family, require_tool):
    hold(family, require_tool)


def test_the_document_has_all_lines_and_says_that_there_is_no_clock():
    assert all(f"\n| `{row.name}` | " in DOCUMENT for row in ROWS.values())
    assert NO_CLOCK.removeprefix("not given, ") in " ".join(DOCUMENT.split())
