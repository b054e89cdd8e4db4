"""The campaign of AXI4 ends: cases that follow from their number, a ledger that is resumed, verdicts that are right."""

from dataclasses import replace

import pytest

from hydranoc import load
from hydranoc.exit_codes import BAD_INPUT, RIGHT, WRONG
from hydranoc.lockstep.bench_source import BenchSource, NotFromRegisters
from verification.axi4 import run as campaign_run
from verification.axi4.__main__ import main
from verification.axi4.cases import NETWORKS, PHASES, configuration_of, network_of, phases_of
from verification.axi4.run import Axi4Entry
from verification.campaign.ledger import Ledger

CASE, NETWORK = 1, "spam-irregular"
QUICK = ("--sim", "icarus", "--scale", "0.01", "--network", NETWORK)


def test_eight_networks_of_five_families():
    networks = [load(configuration_of(name)) for name in NETWORKS]
    assert len(networks) == 8
    assert {design.family.name for design in networks} == {"spam", "min", "torus", "hypercube", "harts"}
    assert len({str(configuration_of(name)) for name in NETWORKS}) == 8
    assert all(design.config.axi4.multicast for design in networks)


def test_a_number_determines_a_case():
    assert network_of(CASE) == NETWORK
    assert phases_of(CASE) == phases_of(CASE) != phases_of(CASE + len(NETWORKS))
    assert len(phases_of(CASE)) == PHASES


def test_a_call_goes_on_after_the_ledger(tmp_path, require_tool, capsys):
    require_tool("icarus")
    require_tool("verilator")  # its version is in the ledger
    path = tmp_path / "ledger.csv"
    assert main([*QUICK, "--cases", "1", "--ledger", str(path)]) == RIGHT
    (entry,) = Ledger(path, Axi4Entry).entries()
    assert (entry.case, entry.network, entry.verdict) == (CASE, NETWORK, "equal")
    assert min(entry.reads, entry.writes, entry.multicasts, entry.cycles) > 0
    for case in (1, 9, 17):
        Ledger(path, Axi4Entry).add(replace(entry, case=case))
    assert main([*QUICK, "--transactions", "1", "--ledger", str(path)]) == RIGHT
    assert [entry.case for entry in Ledger(path, Axi4Entry).entries()] == [1, 9, 17, 25]
    capsys.readouterr()
    assert main(["--summary", "--ledger", str(path)]) == RIGHT
    assert f"{NETWORK:16}     4 " in capsys.readouterr().out


def test_a_wrong_byte_is_a_mismatch(tmp_path, monkeypatch, capsys):
    """The bench compares memories: `tests/tb/test_mutations.py` has faults that it finds. This one is of its answer."""
    runs = []

    def run_job(*_, **options):
        runs.append(options)
        return campaign_run.Axi4Result(report="phase 0: memory of n1: byte 0x3 is 0x01, not 0x02")

    monkeypatch.setattr(campaign_run, "run_job", run_job)
    monkeypatch.setattr(campaign_run.Axi4Runner, "_network", lambda *_: (None, BenchSource("noc", "", (), ())))
    path = tmp_path / "ledger.csv"
    assert main([*QUICK, "--cases", "2", "--ledger", str(path)]) == WRONG
    assert [options["seed"] for options in runs] == [1, 9]
    assert [entry.verdict for entry in Ledger(path, Axi4Entry).entries()] == ["mismatch", "mismatch"]
    assert "mismatch in case 9; again: --case 9" in capsys.readouterr().err


def test_outputs_that_are_not_from_registers_are_a_mismatch(monkeypatch, capsys):
    def run_job(*_, **_options):
        raise NotFromRegisters("module part: outputs depend on inputs within a cycle")

    monkeypatch.setattr(campaign_run, "run_job", run_job)
    monkeypatch.setattr(campaign_run.Axi4Runner, "_network", lambda *_: (None, BenchSource("noc", "", (), ())))
    assert main([*QUICK, "--case", "1"]) == WRONG
    assert "within a cycle\nmismatch in case 1; again: --case 1" in capsys.readouterr().err


def test_an_exception_in_the_simulation_is_a_mismatch(monkeypatch, capsys):
    """cocotbext-axi checks what it gets; the bench then leaves a log and no result."""

    def run_job(_plan, _simulator, folder, *_, **_options):
        (folder / "simulation.log").write_text("    assert self.active\n  AssertionError: unexpected burst ID\n")
        return (folder / "result.json").read_text()

    monkeypatch.setattr(campaign_run, "run_job", run_job)
    monkeypatch.setattr(campaign_run.Axi4Runner, "_network", lambda *_: (None, BenchSource("noc", "", (), ())))
    assert main([*QUICK, "--case", "1"]) == WRONG
    assert "AssertionError: unexpected burst ID\nmismatch in case 1; again: --case 1" in capsys.readouterr().err


def test_another_file_is_no_ledger(tmp_path, capsys):
    (tmp_path / "ledger.csv").write_text("case,family\n")
    assert main(["--summary", "--ledger", str(tmp_path / "ledger.csv")]) == BAD_INPUT
    assert "a ledger must begin with the columns case,network," in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("case", range(len(NETWORKS)))
def test_a_case_of_each_network(case, require_tool):
    require_tool("verilator")
    assert main(["--case", str(case)]) == RIGHT
