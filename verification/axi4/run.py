"""Runs cases in Verilator, with one simulator for all cases over a network."""

import hashlib
import re
import resource
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hydranoc import load
from hydranoc.lockstep.bench_source import BenchSource, NotFromRegisters, SimulatorFailed
from rtl.axi4.network import Axi4Plan
from tb.common.axi4.job import Axi4Result
from tests.tb.test_axi4 import run_job, source_of
from verification.axi4.cases import MIX, TRANSACTIONS, configuration_of, network_of, phases_of
from verification.campaign.run import EQUAL, MISMATCH, TROUBLE

SIMULATOR = "verilator"
LOG = "simulation.log"
EXCEPTION = re.compile(r" *(\w+\.)*\w+(Error|Exception)(: |$)")
VERILOG_LETTERS = 12
"""Of the digest of Verilog."""


@dataclass(frozen=True)
class Axi4Entry:
    """Result of a case: a line of the ledger.

    Members:
        case
        network: One of ``NETWORKS``.
        verilog: Digest of the hardware under test.
        reads, writes, multicasts, errors (int): Transactions that ended with the right answer; errors have no
            destination.
        cycles: Of all phases.
        cpu_seconds: Of all processes, building included.
        verdict: ``equal``, ``mismatch`` or ``trouble``.
        versions: Of HydraNoC, its sources' digest, and Verilator's.
    """

    case: int
    network: str
    verilog: str
    reads: int
    writes: int
    multicasts: int
    errors: int
    cycles: int
    cpu_seconds: int
    verdict: str
    versions: str

    @property
    def transactions(self) -> int:
        """All of them."""
        return self.reads + self.writes + self.multicasts + self.errors


class Axi4Runner:
    """Runs one case after the other.

    Parameters:
        scale: Factor of the transactions of a case.
        versions: Text for the ledger.
        simulator: ``verilator`` or ``icarus``.
    """

    def __init__(self, scale: float, versions: str, simulator: str = SIMULATOR):
        self._scale = scale
        self._versions = versions
        self._simulator = simulator
        self._networks: dict[str, tuple[Axi4Plan, BenchSource]] = {}

    def run(self, case: int) -> tuple[Axi4Entry, str]:
        """Run a case.

        Returns:
            Entry
            str: Report on a mismatch or an environment failure; empty without.
        """
        name = network_of(case)
        plan, source = self._network(name)
        transactions = max(1, round(TRANSACTIONS * self._scale))
        before, found, verdict = _cpu_seconds(), Axi4Result(), TROUBLE
        with tempfile.TemporaryDirectory() as folder:
            try:
                given = {"transactions": transactions, "phases": phases_of(case), "seed": case, **MIX}
                found = run_job(plan, self._simulator, Path(folder), source, **given)
                verdict = EQUAL if found.report is None else MISMATCH
            except NotFromRegisters as error:  # a hardware fault
                found.report, verdict = str(error), MISMATCH
            except SimulatorFailed as error:
                found.report = str(error)
            except FileNotFoundError:  # no result: cocotbext-axi raised an exception, since it checks what it gets
                found.report, verdict = _exception_in(Path(folder) / LOG), MISMATCH
        seconds = round(_cpu_seconds() - before)
        counts = (found.reads, found.writes, found.multicasts, found.errors, sum(found.cycles))
        verilog = hashlib.sha256(source.verilog.encode()).hexdigest()[:VERILOG_LETTERS]
        entry = Axi4Entry(case, name, verilog, *counts, seconds, verdict, self._versions)
        return entry, found.report or ""

    def _network(self, name: str) -> tuple[Axi4Plan, BenchSource]:
        if name not in self._networks:
            axi4 = load(configuration_of(name)).axi4
            assert axi4 is not None
            plan = axi4.plan
            self._networks[name] = plan, source_of(plan)
        return self._networks[name]


def _exception_in(log: Path) -> str:
    """Return the last exception that a log names, and the simulator's end without one."""
    lines = log.read_text(errors="replace").splitlines()
    named = [line.strip() for line in lines if EXCEPTION.match(line)]
    return named[-1] if named else "\n".join(lines[-3:])


def _cpu_seconds() -> float:
    """Return the CPU seconds of ended child processes: compilers and simulators."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime
