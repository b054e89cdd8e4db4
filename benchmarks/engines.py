"""Comparison of the golden model's engines: ``python -m benchmarks.engines [--quick]``.

For each family the fastest engine for its network, and the one that moves flit by flit.

Both run the same messages in turn, without setup; million flit-hops per CPU second of one core.
"""

import argparse
import time
from statistics import median

from benchmarks.workload import LOADS, changed, loaded, networks, random_traffic
from hydranoc.design import Design
from sim_model.engines.engine import CYCLE_ENGINE
from sim_model.engines.simulation import Simulation

LENGTHS = (8, 16, 64, 128, 512)
REPEATS = 5
ROW = "{:>8} {:>16} {:>7} {:>7} {:>6}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    cycles = 20_000 if parser.parse_args().quick else 200_000
    for title, network in networks():
        first = loaded(network, "light", 1_000)
        fast = _fast_engine(first)
        if fast is None:
            continue
        print(title)
        print(ROW.format("flits", "load", fast, CYCLE_ENGINE, "times"))
        for engine in (fast, CYCLE_ENGINE):
            Simulation(first.model, first.messages, engine=engine).run()  # compiles, or loads compiled loops
        for flits in LENGTHS:
            for load_name in LOADS:
                design = _with_length(loaded(network, load_name, cycles), flits)
                speeds = zip(*(_speeds(design, fast) for _ in range(REPEATS)), strict=True)
                quick, cycle = (median(of_engine) for of_engine in speeds)
                numbers = (f"{quick / 1e6:.1f}", f"{cycle / 1e6:.1f}", f"{quick / cycle:.1f}")
                print(ROW.format(flits, load_name, *numbers), flush=True)


def _fast_engine(design: Design) -> str | None:
    """Return the one that does more than a flit at a time, if there is one."""
    return next((engine.name for engine in design.model.engines), None)


def _with_length(design: Design, flits: int) -> Design:
    """Return a design with as many flits in messages of another length."""
    traffic = random_traffic(design)
    lengths = traffic.flits
    if not isinstance(lengths, int):
        raise TypeError(f"Messages must be of one length, not {lengths}")
    rate = traffic.messages_per_node_per_cycle * lengths / flits
    return changed(design, flits=flits, messages_per_node_per_cycle=rate)


def _speeds(design: Design, fast: str) -> list[float]:
    """Return the speeds of both engines; a run ends with the traffic."""
    speeds = []
    for engine in (fast, CYCLE_ENGINE):
        simulation = Simulation(design.model, design.messages, design.startup_cycles, engine=engine)
        begin = time.process_time()
        results = simulation.run(random_traffic(design).cycles)
        speeds.append(results.flit_hops / (time.process_time() - begin))
    return speeds


if __name__ == "__main__":
    main()
