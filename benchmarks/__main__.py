"""Prints the project's figures: ``python -m benchmarks [--quick]``."""

import argparse

from benchmarks import end_to_end, lockstep_speed, model_speed, router_cost

FIGURES = {
    "Golden model, end to end with the run alone beside it: mesh of 8 x 8 nodes, uniform unicasts": end_to_end,
    "Golden model, all families": model_speed,
    "Lock-step under Verilator, overload": lockstep_speed,
    "Router on ECP5: 5 ports, 32-bit flits, 64 nodes, buffers of 2": router_cost,
}


def main() -> None:
    """Run every benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Figures of HydraNoC.")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    quick = parser.parse_args().quick
    for title, benchmark in FIGURES.items():
        print(title, flush=True)
        benchmark.main(quick=quick)


if __name__ == "__main__":
    main()
