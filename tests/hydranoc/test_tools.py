"""Programs are found in one place, and a missing one is named with a remedy."""

import pytest

from hydranoc.lockstep import tools
from hydranoc.lockstep.tools import ToolMissing, find_tool, needed_for, version_of


def test_verilator_comes_with_its_root_and_path():
    tool = find_tool("verilator")
    assert tool.environment["VERILATOR_ROOT"] in tool.environment["PATH"]
    assert version_of(tool).startswith("Verilator 5.")


def test_every_missing_program_is_named_with_a_remedy(monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing) as missing:
        needed_for("verilator")
    for name, remedy in (("make", "install GNU make"), ("c++", "install a C++17 compiler"), ("perl", "install perl")):
        assert f"{name} was not found: {remedy}" in str(missing.value)


def test_missing_icarus(monkeypatch):
    monkeypatch.setattr(tools.shutil, "which", lambda *_, **__: None)
    with pytest.raises(ToolMissing, match="icarus was not found: install Icarus Verilog 11 or newer"):
        needed_for("icarus")
