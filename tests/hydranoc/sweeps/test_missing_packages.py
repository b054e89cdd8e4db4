"""Without the packages of the extra the tables of sweeps are refused in one line with the command to install them."""

import sys

import pytest

from hydranoc.report_page.given import read_sweep
from hydranoc.sweeps.table import data_frame
from topology.common.trouble import MachineTrouble


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_packages_of_tables_are_named(package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    table = tmp_path / "table.csv"
    table.write_text("cycles\n1\n")
    for needs_them in (lambda: read_sweep(table), lambda: data_frame([], [], [])):
        with pytest.raises(MachineTrouble, match=r"pip install 'hydranoc\[sweep\]'"):
            needs_them()
