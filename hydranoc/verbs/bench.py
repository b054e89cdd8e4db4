"""``bench``: a bench project around the network."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.reports.table import table
from hydranoc.verbs.options import (
    NamedPath,
    config_argument,
    json_option,
    network_choices,
    network_options,
    print_summary,
    refuse_with_axi4,
)

if TYPE_CHECKING:
    from hydranoc.design import Design


@click.command()
@config_argument
@click.option(
    "-o",
    "--output",
    "folder",
    type=NamedPath(),
    metavar="DIR",
    help="Folder for the project.  [default: NAME-bench, with the configuration's name]",
)
@network_options
@click.option("--axi4", is_flag=True, help="The networks with the AXI4 ends of the section axi4.")
@click.option(
    "--own-manager",
    "own_managers",
    type=int,
    multiple=True,
    metavar="PROCESSOR",
    help="With --axi4: the manager is a module of yours, and a first version of it is written. Repeatable.",
)
@json_option
def bench(
    config: Path,
    folder: Path | None,
    axi_stream: str | None,
    axi4: bool,
    own_managers: tuple[int, ...],
    as_json: bool,
    **options: Any,
) -> int:
    """Write a small project around CONFIG's network with AXI4-Stream ports, ready to be run and changed: tests in
    cocotb with a Makefile and a runner for pytest, and a bench in plain Verilog; each sends a multicast and checks
    its arrival. With --axi4, the tests have cocotbext-axi's masters and memories at AXI4 ports. The options are those
    of `verilog`. Files in DIR that were changed since they were written are never overwritten or deleted; the others
    are rewritten, or deleted if the new project lacks them.

    \b
    Examples:
      hydranoc bench examples/demo.yaml -o bench
      hydranoc bench examples/demo.yaml -o bench --axi-clocks separate
      hydranoc bench examples/axi4.yaml -o bench --axi4 --own-manager 0
      cd bench; eval "$(hydranoc env)"; make; make verilog
    """
    from hydranoc.benches.project import axi4_bench_project, bench_project, changed_files, stale_files

    if axi4:
        refuse_with_axi4({**options, "axi_stream": axi_stream})
    elif own_managers:
        raise click.UsageError("--own-manager needs --axi4 as well")
    design = load(config)
    folder = folder or Path(f"{design.config.name}-bench")
    stale: list[str] = []
    with result_folder(folder, stale=stale) as scratch, progress_bars("writing Verilog"):
        if axi4:
            _check_managers(design, own_managers)
            files = axi4_bench_project(design, own_managers, arrays=options["arrays"])
        else:
            files = bench_project(design, axi_stream, **network_choices(options))
        stale += stale_files(folder, files)
        if changed := changed_files(folder, [*files, *stale]):
            others = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            text = f"{folder / changed[0]}{others} is changed since it was written; move it, or choose another folder"
            raise click.UsageError(text)
        for name, text in files.items():
            (scratch / name).parent.mkdir(exist_ok=True)
            (scratch / name).write_text(text, encoding="utf-8")
    sizes = {str(folder / name): len(text.encode()) for name, text in files.items()}
    print_summary({"files": list(sizes)}, table((name, f"{size:,} bytes") for name, size in sizes.items()), as_json)
    return 0


def _check_managers(design: "Design", processors: tuple[int, ...]) -> None:
    managers = design.axi4.managers if design.axi4 else processors
    for processor in processors:
        if processor not in managers:
            text = (
                f"--own-manager is {processor}; it must be a processor with a manager: {', '.join(map(str, managers))}"
            )
            raise click.UsageError(text)
