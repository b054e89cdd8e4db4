"""Compiled loops in the package, for baselines of processors: ``python -m release.loops``.

The loops are those of the examples, of lock-step comparisons and of the papers' figures. Each baseline is compiled in a
separate process, because Numba generates code for one processor. Each loop is run for a cycle, so a machine compiles
loops only for baselines that it can run.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim_model.loops import kept, notices
from sim_model.loops.folders import SHIPPED_FOLDER
from sim_model.loops.processors import baselines

EXAMPLES = Path(__file__).parents[1] / "examples"
ENGINES = {
    "demo.yaml": ("worm", "cycle"),
    "min.yaml": ("worm", "cycle"),
    "harts.yaml": ("cycle",),
    "torus-lanes.yaml": ("planes", "cycle"),
    "hypercube.yaml": ("planes", "cycle"),
}
"""Examples, one of each family, and the engines that run them."""
RECORDED_CYCLES = 3


def main() -> int:
    """Compile all loops into the package, or those of one baseline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", help="compile for this processor alone; Numba's variables must name it")
    parser.add_argument("--example", choices=sorted(ENGINES), help="compile the loops of this example alone")
    chosen = parser.parse_args()
    if chosen.baseline:
        _compile_here(chosen.example)
        return 0
    SHIPPED_FOLDER.mkdir(exist_ok=True)
    for path in SHIPPED_FOLDER.glob("*.o"):
        path.unlink()
    for baseline in baselines():
        print(f"compiling loops for {baseline.name}", flush=True)
        environment = {**os.environ, "NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": baseline.features}
        own = ["--example", chosen.example] if chosen.example else []
        command = [sys.executable, "-m", "release.loops", "--baseline", baseline.name, *own]
        subprocess.run(command, env=environment, check=True)
    files = list(SHIPPED_FOLDER.glob("*.o"))
    print(f"{len(files)} loops, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB, in {SHIPPED_FOLDER}")
    return 0


def _compile_here(example: str | None) -> None:
    """Run code that needs the loops, in a process that compiles for the baseline."""
    kept.ship()
    notices.set_notice(_said)
    for name, engines in ENGINES.items():
        if example in (None, name):
            _run_example(name, engines)
    if example is None:
        for run in (_run_packed_rows, _run_software_multicast, _run_torus_of_the_paper, _run_ideal_cube):
            run()


@contextmanager
def _said(name: str) -> Iterator[None]:
    begin = time.process_time()
    yield
    print(f"  {name}: {time.process_time() - begin:.1f} CPU s", flush=True)


def _run_example(name: str, engines: tuple[str, ...]) -> None:
    from hydranoc import load

    design = load(EXAMPLES / name)
    for engine in engines:
        design.simulation(engine=engine).run(1)


def _run_packed_rows() -> None:
    """Run a chunk of a lock-step comparison."""
    from hydranoc import load
    from rtl.endpoints.harness import observed_layout
    from tb.common.expectation import Expectation
    from tb.common.host_rules import HostRules
    from tb.common.message_flits import MessageFlits

    design = load(EXAMPLES / "demo.yaml")
    layout = observed_layout(design.plan)
    recording = design.simulation().record(RECORDED_CYCLES)
    Expectation(MessageFlits(design.model, design.messages), layout).packed_rows(recording, layout.bits // 8 + 1)
    HostRules(design.network, design.messages, design.startup_cycles, design.config.hosts).offers(0, recording)


def _run_software_multicast() -> None:
    from hydranoc import load

    assert len(load(EXAMPLES / "torus-multinode.yaml").messages)


def _run_torus_of_the_paper() -> None:
    from hydranoc.studies.torus.multicasts import paper_model
    from sim_model.engines.engine import PLANES
    from sim_model.engines.simulation import Simulation
    from sim_model.messages.messages import Message, Messages

    model = paper_model()
    processors = len(model.network.processors)
    messages = Messages.build([Message(0, [1], 5)], processors=processors, header_flits=model.header_flits)
    Simulation(model, messages, engine=PLANES).run(1)


def _run_ideal_cube() -> None:
    from hydranoc.studies.hypercube.ideal.cube import IdealCube
    from hydranoc.studies.hypercube.ideal.run import simulate

    simulate(IdealCube(3, 2, 4), rate=0.01, broadcast_fraction=0.1, seed=1, cycles=10)


if __name__ == "__main__":
    sys.exit(main())
