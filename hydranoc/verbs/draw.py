"""``draw``: a picture of a network."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import Progress, progress_bars
from hydranoc.verbs.options import RESULTS, NamedPath, config_argument, json_option, output_option, print_summary

if TYPE_CHECKING:
    from hydranoc.design import Design
    from hydranoc.replay.use import Use


@click.command()
@config_argument
@output_option("the pictures")
@click.option(
    "--load",
    "messages",
    type=NamedPath(),
    metavar="MESSAGES.csv",
    help="Colour channels by their flits per cycle in this run of CONFIG.",
)
@json_option
def draw(config: Path, folder: Path | None, messages: Path | None, as_json: bool) -> int:
    """Draw CONFIG's network as NAME.svg and NAME.png: switches as circles, the root in red, tree links solid, cross
    links dashed, links around other switches as arcs, links that would lie across the picture, such as those that close
    a ring of a torus, as ends with the switch that they lead to, processors as small squares. Links of a collective
    plane are wide and green, the tops of its groups have rings. With --load the golden model runs CONFIG's traffic once
    more, which must give the same messages.csv, and each direction of a link is a line in the colour of what it
    carried.

    \b
    Examples:
      hydranoc draw examples/mesh.yaml -o pictures
      hydranoc model examples/mesh.yaml
      hydranoc draw examples/mesh.yaml --load results/mesh/messages.csv
    """
    design = load(config)
    folder = folder or RESULTS / design.config.name
    with progress_bars("drawing") as progress:
        pictures = design.draw(load=_load_of(design, messages, progress) if messages else None)
    with result_folder(folder) as scratch:
        for suffix, content in pictures.items():
            (scratch / f"{design.config.name}.{suffix}").write_bytes(content)
    files = [str(folder / f"{design.config.name}.{suffix}") for suffix in pictures]
    print_summary({"files": files}, "\n".join(files), as_json)
    return 0


def _load_of(design: "Design", messages: Path, progress: Progress) -> "Use":
    """Return the load of channels in the run of a file."""
    from hydranoc.reports.same_run import check_same_run

    results = design.simulate(progress).results
    check_same_run(results, messages)
    use, _ = design.channel_use(results, progress)
    progress("drawing", 0, 0)
    return use
