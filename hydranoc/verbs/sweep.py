"""``sweep``: a configuration measured with many values of its keys."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydranoc.errors import reason
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import counted_in, progress_bars
from hydranoc.verbs.options import RESULTS, config_argument, json_option, output_option, print_summary
from sim_model.loops.folders import cache_folder
from topology.common.errors import MachineTrouble

if TYPE_CHECKING:
    from pandas import DataFrame

    from hydranoc.sweeps.run import Sweep

SHOWN = (
    *("verdict", "needed_cycles", "unicast_mean", "unicast_half_width", "multicast_mean", "multicast_half_width"),
    *("unicast_accepted", "multicast_accepted"),
)
MAX_SHOWN = 30


@click.command()
@config_argument
@click.option(
    "--over",
    "axes",
    multiple=True,
    required=True,
    metavar="KEY=VALUES",
    help="A key and its values: 1,2,4 or FIRST:LAST:COUNT (with :log for a logarithmic range). Repeat for each further "
    "key; the last one varies fastest.",
)
@click.option("--seeds", default=5, show_default=True, type=click.IntRange(5), help="Replications of each point.")
@click.option(
    "--most-seeds", type=click.IntRange(5), help="Maximum replications, for narrow intervals.  [default: --seeds]"
)
@click.option(
    "--precision",
    default=0.05,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Half width of the 95 % intervals, as a fraction of the mean, at which replication ends.",
)
@click.option(
    "--doublings",
    default=4,
    show_default=True,
    type=click.IntRange(0, 10),
    help="Maximum repetitions at twice the length of runs without a clear verdict.",
)
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one for each core]")
@click.option("--dask", metavar="ADDRESS", help="Measure on the workers of this Dask scheduler.")
@click.option("--anew", is_flag=True, help="Drop the stored points of an interrupted run.")
@output_option("the table and its plots")
@json_option
def sweep(
    config: Path,
    axes: tuple[str, ...],
    seeds: int,
    most_seeds: int | None,
    precision: float,
    doublings: int,
    jobs: int | None,
    dask: str | None,
    anew: bool,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Measure CONFIG with every combination of the given values. Writes sweep.csv and sweep.parquet, a row for each
    point with means, their 95 % intervals, percentiles and throughput by kind of message, and plots of latency and
    throughput against the first key. The column "verdict" separates loads with and without a mean. The same
    command resumes an interrupted one.

    \b
    Examples:
      hydranoc sweep examples/mesh.yaml --over traffic.messages_per_node_per_cycle=0.001:0.01:10
      hydranoc sweep examples/mesh.yaml --over traffic.messages_per_node_per_cycle=0.001:0.01:10 \\
          --over network.buffer_flits=1,2,4 --jobs 8
    """
    from hydranoc.sweeps.axes import parse_axis
    from hydranoc.sweeps.measure import SweepSettings
    from hydranoc.sweeps.run import Sweep, sharing

    effort = SweepSettings(seeds, most_seeds, precision, doublings)
    planned = Sweep(config, [parse_axis(text) for text in axes], effort)
    folder = folder or RESULTS / f"{config.stem}-sweep"
    with result_folder(folder) as scratch:
        try:
            _begin(planned, anew)
            with progress_bars("measuring the first points") as progress:
                table = planned.run(sharing(jobs, dask), counted_in("points", progress))
        except OSError as error:
            raise MachineTrouble(f"cannot keep measured points: {reason(error)}", file=cache_folder()) from None
        with progress_bars("writing tables and drawing plots"):
            _write(planned, table, scratch, config.stem)
    planned.kept.drop()
    print_summary(_summary(table), f"{_text(planned, table)}\n\n{folder / 'sweep.csv'}", as_json)
    return 0


def _begin(planned: "Sweep", anew: bool) -> None:
    """Drop stored points, or report them."""
    from hydranoc.measurement.kept import kept_text

    if anew:
        planned.kept.drop()
    elif len(planned.kept):
        click.echo(f"goes on with {kept_text(planned.kept)}; --anew begins from nothing", err=True)


def _write(planned: "Sweep", table: "DataFrame", folder: Path, name: str) -> None:
    from hydranoc.pictures.plots import plot_figure  # loads matplotlib
    from hydranoc.sweeps.table import sweep_figures, write_tables

    write_tables(table, folder, "sweep")
    for plot, figure in sweep_figures(table, tuple(axis.key for axis in planned.axes), name).items():
        for suffix, content in plot_figure(figure).items():
            (folder / f"{plot}.{suffix}").write_bytes(content)


def _summary(table: "DataFrame") -> dict[str, Any]:
    rows = table.astype(object).where(table.notna(), None).to_dict(orient="records")
    return {"points": len(table), "rows": [{key: _plain(value) for key, value in row.items()} for row in rows]}


def _plain(value: Any) -> Any:
    """Return a value of a table as JSON has it; pandas would round it to ten decimals."""
    return value.item() if hasattr(value, "item") else value


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _text(planned: "Sweep", table: "DataFrame") -> str:
    """Return the main columns for the first points."""
    wanted = [axis.key for axis in planned.axes] + [name for name in SHOWN if name in table]
    first = table[wanted].head(MAX_SHOWN)
    shown = first.astype(object).where(first.notna(), "-").map(_cell).to_string(index=False)
    more = len(table) - MAX_SHOWN
    return shown + (f"\n... and {more:,} more" if more > 0 else "")
