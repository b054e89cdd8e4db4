"""``python -m verification.mutation``: generated faults, and their detection by proofs, lock-step and fast tests.

Results are stored in ``results/mutation/``, so that a run can be stopped at any time and continued.
"""

import argparse
import importlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from hydranoc.exit_codes import TROUBLE
from topology.common.errors import MachineTrouble
from verification.mutation import by_tests, workshop
from verification.mutation.baseline import Baseline, measure, tree_digest
from verification.mutation.judge import ELABORATION, MutantBudget, MutantRunner
from verification.mutation.line_map import read_line_map
from verification.mutation.mutants import Mutant, draw, hardware_files, mutants_of
from verification.mutation.rare import OPERATORS
from verification.mutation.sound import complaints
from verification.mutation.survivors import read_survivors
from verification.mutation.verdicts import COUNTED, SURVIVED, append, read, summary

MUTANTS, SEED = 620, 16
WORKSHOP = Path(tempfile.gettempdir()) / "hydranoc-mutants"
LIBRARIES = (
    *("amaranth.back.rtlil", "amaranth.back.verilog", "cocotb_tools.runner", "networkx", "numba", "pytest"),
    *(f"sim_model.{family}.model" for family in ("harts", "hypercube", "min", "spam", "torus")),
)
RESULTS = Path(os.environ.get(workshop.INSIDE) or workshop.ROOT / "results" / "mutation")
"""``verdicts.jsonl``, initialised from those kept in the tree;
``lines.jsonl``, which ``line_map`` has written; ``baseline.json``."""

KEPT = Path(__file__).with_name("verdicts.jsonl")
"""Verdicts of earlier runs, as reported in docs/understand/mutation.md."""


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m verification.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=MUTANTS, help="number of mutants that change the hardware")
    parser.add_argument("--rare", action="store_true", help="rare faults, in the place of the usual ones")
    parser.add_argument("--seed", type=int, default=SEED, help="which mutants")
    parser.add_argument("--minutes", type=float, help="begin no mutant after this time")
    parser.add_argument("--only", default="rtl/", help="only files with such beginnings, like rtl/torus,rtl/vc")
    parser.add_argument("--references", default="", help="only references whose names match this regular expression")
    parser.add_argument(
        "--again", action="store_true", help="judge the survivors again, by all detectors and with ten times the tests"
    )
    parser.add_argument("--by-tests", action="store_true", help="judge known faults by the tests of `make test` alone")
    parser.add_argument("--stay", action="store_true", help="continue with the existing copy of the tree")
    parser.add_argument("--sound", choices=("proof", "lock-step"), help="run only these, on the unmodified hardware")
    parser.add_argument("--summary", action="store_true", help="print the results, and run nothing")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--workshop", type=Path, default=WORKSHOP, help="folder for the copy")
    return parser.parse_args()


def main() -> int:
    """Judge mutants, or print the results; exit code 1 if the baseline check fails, 3 if the environment does."""
    try:
        return obey(parse())
    except MachineTrouble as error:
        print(f"error: {error}", file=sys.stderr)
        return TROUBLE


def obey(options: argparse.Namespace) -> int:
    """Do what the options say; return the exit code."""
    options.results.mkdir(parents=True, exist_ok=True)
    if KEPT.exists() and not (verdicts := options.results / "verdicts.jsonl").exists():
        shutil.copy(KEPT, verdicts)
    if not options.summary:
        workshop.move_in(options.workshop / "tree", options.results, anew=not options.stay)
        if options.sound:
            return ask_about_the_sound(options)
        if options.by_tests:
            return ask_the_tests(options)
        run(options)
    report(options)
    return 0


def ask_about_the_sound(options: argparse.Namespace) -> int:
    """Print complaints about the references; return 1 if there are any."""
    import_libraries()
    shutil.rmtree(folder := options.workshop / "asked", ignore_errors=True)
    wrong = 0
    for name, said in complaints(references_of_the_tree, complaint_about, options.sound, folder):
        wrong += said is not None
        print(f"{'WRONG' if said else 'right'}  {options.sound}: {name}  {said or ''}", flush=True)
    return int(wrong > 0)


def ask_the_tests(options: argparse.Namespace) -> int:
    """Judge known faults by the fast tests, and print the number of those found; return 1 if one is not found."""
    import_libraries()
    file, root = options.results / "by_tests.jsonl", Path.cwd()
    if not options.stay:  # rows are of the same copy of the tree
        file.unlink(missing_ok=True)
    rows = map(json.loads, file.read_text().splitlines()) if file.exists() else ()
    judged = {(row["place"], row["start"]): row for row in rows}
    files, kinds = hardware_files(root), (False, True)
    mutants = {m.key: m for name in files for rare in kinds for m in mutants_of(name, files[name], rare=rare)}
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    jury = by_tests.Jury(root, options.workshop / "mutant", by_tests.kept_costs(root))
    known = list(by_tests.faults(read(options.results / "verdicts.jsonl"), read_survivors()))
    if gone := [verdict.place for verdict in known if verdict.key not in mutants]:
        raise SystemExit(f"error: {KEPT} has {len(gone)} lines that have changed since, such as {gone[0]}")
    for verdict in known:
        where = verdict.place, verdict.start  # a line may have the same constant twice
        if where in judged or not verdict.file.startswith(tuple(options.only.split(","))) or time.monotonic() > until:
            continue
        judged[where] = row = jury.judge(mutants[verdict.key], verdict)
        with file.open("a") as kept:
            kept.write(json.dumps(row) + "\n")
        print(f"{row['seconds']:6.1f} s  {row['place']}  {row['said'] or 'NOT FOUND'} {row['error']}", flush=True)
    found = sum(bool(row["said"]) for row in judged.values())
    print(f"{found} of {len(judged)} faults found by the tests")
    return int(found < len(judged))


def run(options: argparse.Namespace) -> None:
    """Judge mutants until there are enough of them or time is over."""
    court, file = prepare(options), options.results / "verdicts.jsonl"
    until = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    for mutant in wanted(options):
        if time.monotonic() > until:
            return
        verdict = court.judge(mutant)
        append(file, verdict)
        court.baseline.save(options.results / "baseline.json")
        print(f"{verdict.verdict:9} {verdict.seconds:6.1f} s  {verdict.place}  {verdict.killer}", flush=True)


def prepare(options: argparse.Namespace) -> MutantRunner:
    """Measure the unmodified hardware, unless this tree has been measured."""
    import_libraries()
    file, root = options.results / "baseline.json", Path.cwd()
    baseline, tree = Baseline.read(file) if file.exists() else Baseline([]), tree_digest(root) + options.references

    def references_in_use():
        return [one for one in references_of_the_tree() if re.search(options.references, one.name)]

    if baseline.tree != tree:
        print("generating the references, once for this tree", flush=True)
        costs = baseline.cpu_seconds
        baseline = measure(root, options.workshop / "sound", references_in_use)
        baseline.tree, baseline.cpu_seconds = tree, costs
        baseline.save(file)
    effort = MutantBudget(900.0, 1_000) if options.again else MutantBudget()
    tests, work = read_line_map(options.results / "lines.jsonl"), options.workshop / "mutant"
    return MutantRunner(root, work, baseline, tests, references_in_use, complaint_about, effort)


def references_of_the_tree():
    """Import ``rtl`` and return its references: only in a process of its own."""
    from verification.mutation.references import references

    return references()


def complaint_about(reference, folder: Path) -> str | None:
    """Import ``rtl`` and return the complaint about a reference: only in a process of its own."""
    from verification.mutation.killers import complaint

    return complaint(reference, folder)


def import_libraries() -> None:
    """Import large libraries outside ``rtl``, so that forked processes share them."""
    for name in LIBRARIES:
        importlib.import_module(name)


def wanted(options: argparse.Namespace):
    """Yield the remaining mutants in the order of judging."""
    sample = draw(hardware_files(Path.cwd()), options.mutants, options.seed, rare=options.rare)
    verdicts = {verdict.key: verdict for verdict in read(options.results / "verdicts.jsonl")}
    if options.again:
        every = [mutant for mutants in sample.candidates.values() for mutant in mutants]
        survivors = {key for key, verdict in verdicts.items() if verdict.verdict == SURVIVED}
        yield from (m for m in every if m.key in survivors and m.file.startswith(tuple(options.only.split(","))))
        return
    pending = {file: iter(mutants) for file, mutants in sample.candidates.items()}
    for file in sample.slots:
        if file.startswith(tuple(options.only.split(","))):
            yield from _fill(pending[file], verdicts, options)


def _fill(candidates, verdicts, options):
    """Judge mutants of a file until one of them has changed the hardware."""
    mutant: Mutant
    for mutant in candidates:
        known = verdicts.get(mutant.key)
        if known is None:
            yield mutant
            known = next(v for v in reversed(read(options.results / "verdicts.jsonl")) if v.key == mutant.key)
        if known.verdict in COUNTED and not (options.rare and known.killer == ELABORATION):
            return


def report(options: argparse.Namespace) -> None:
    """Print counts by folder, and the survivors."""
    verdicts = [v for v in read(options.results / "verdicts.jsonl") if (v.operator in OPERATORS) == options.rare]
    judged = read_survivors()
    print("\n".join(summary(verdicts, {place: looked_at for place, (looked_at, _) in judged.items()})))
    for verdict in verdicts:
        if verdict.verdict == SURVIVED:
            print(f"* {verdict.place}: {': '.join(judged.get(verdict.place, ('not looked at yet', '')))}")
    seconds = sorted(v.seconds for v in verdicts if v.verdict in COUNTED)
    if seconds:
        print(f"CPU seconds of a mutant: median {seconds[len(seconds) // 2]}, all {sum(seconds):.0f}")
    print(dict(Counter(v.verdict for v in verdicts)))


if __name__ == "__main__":
    sys.exit(main())
