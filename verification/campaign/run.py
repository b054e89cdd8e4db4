"""Runs cases: hardware against golden model, with one simulator for all cases over a network."""

import resource
import time
from contextlib import suppress
from dataclasses import dataclass

import yaml

from hydranoc.design.design import QUIET_CYCLES
from hydranoc.lockstep.bench_source import BenchSource, BuiltSimulator, NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import compare_directly
from hydranoc.lockstep.direct.process import DirectBench
from topology.common.errors import MachineTrouble
from verification.campaign.cases import RUNS, Campaign, configuration_of, digest_of, family_of
from verification.campaign.situations.watch import Watch

EQUAL, MISMATCH, TROUBLE = "equal", "mismatch", "trouble"
MAX_TIMES = 2
"""Limit of a run, as a multiple of its intended cycles; later cycles are not compared."""
SAMPLED_CHUNKS = 4
"""Period, in chunks, of the search for situations: a search of all chunks would take a tenth of the time."""
ATTEMPTS = 2
"""Attempts for a simulator that was killed."""


@dataclass
class Found:
    """Result of a case.

    Members:
        case
        family
        configuration: Its digest.
        routers, cycles, messages (int): Cycles that were compared.
        verdict: ``equal``, ``mismatch``, or ``trouble``: an environment failure.
        cpu_seconds: Of all processes, building included.
        situations: Count of each.
        report: Report on a mismatch or an environment failure.
        reproducer: The configuration as YAML, for ``hydranoc compare``; of mismatches alone.
    """

    case: int
    family: str
    configuration: str
    routers: int
    cycles: int
    messages: int
    verdict: str
    cpu_seconds: float
    situations: dict[str, int]
    report: str = ""
    reproducer: str = ""


class Runner:
    """Runs one case after the other; those over one network are best run together."""

    def __init__(self, campaign: Campaign):
        self._campaign = campaign
        self._network = -1
        self._harness: BenchSource | None = None

    def run(self, case: int) -> Found:
        """Run a case."""
        before = _cpu_seconds()
        design = self._campaign.design_of(case)
        harness, built = self._simulator(case)
        cycles = MAX_TIMES * self._campaign.cycles_of(case)
        comparison = Comparison(
            design.model, design.messages, design.startup_cycles, cycles, harness, hosts=design.config.hosts
        )
        found = Found(
            case, family_of(case), digest_of(design), design.network.switches, 0, len(design.messages), TROUBLE, 0, {}
        )
        try:
            _compare(comparison, built, found)
        except NotFromRegisters as error:  # a hardware fault, which is compared all the same
            with suppress(MachineTrouble):
                _compare(comparison, build_directly(harness, allow_blocks=False), found)
            found.report = f"{error}\nwithout blocks: {found.report or found.verdict}"
            found.verdict = MISMATCH
        if found.verdict == MISMATCH:
            found.reproducer = yaml.safe_dump(configuration_of(design), sort_keys=False)
        found.cpu_seconds = _cpu_seconds() - before
        return found

    def _simulator(self, case: int) -> tuple[BenchSource, BuiltSimulator]:
        network = case // RUNS
        if network != self._network or self._harness is None:
            self._harness, self._network = self._campaign.network_of(case).harness(), network
        return self._harness, build_directly(self._harness)


def _compare(comparison: Comparison, built: BuiltSimulator, found: Found) -> None:
    """Compare, and enter the result.

    Raises:
        NotFromRegisters: If a module compiled as a block is none.
    """
    for _ in range(ATTEMPTS):
        try:
            with DirectBench(comparison.harness, built) as bench:
                watch = Watch(found.family, comparison.model.network, SAMPLED_CHUNKS)
                result = compare_directly(comparison, bench, watch, QUIET_CYCLES)
        except NotFromRegisters:
            raise
        except SimulatorFailed as error:
            found.report = str(error)
            continue
        found.cycles, found.verdict = result.compared_cycles, MISMATCH if result.mismatches else EQUAL
        found.report, found.situations = result.report or "", dict(watch.counts)
        return


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its ended children: compilers and simulators."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
