"""``draw``: a picture of a network."""

from pathlib import Path

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.verbs.options import RESULTS, config_argument, json_option, output_option, say


@click.command(short_help="Draw the network as SVG and PNG.")
@config_argument
@output_option("the pictures")
@json_option
def draw(config: Path, folder: Path | None, as_json: bool) -> int:
    """Draw CONFIG's network as NAME.svg and NAME.png: switches as circles, the root in red, tree links solid, cross
    links dashed, links around other switches as arcs, links that would lie across the picture, such as those that close
    a ring of a torus, as ends with the switch that they lead to, processors as small squares.

    \b
    Example:
      hydranoc draw examples/mesh.yaml -o pictures
    """
    design = load(config)
    folder = folder or RESULTS / design.config.name
    with progress_bars("drawing"):
        pictures = design.draw()
    with result_folder(folder) as scratch:
        for suffix, content in pictures.items():
            (scratch / f"{design.config.name}.{suffix}").write_bytes(content)
    files = [str(folder / f"{design.config.name}.{suffix}") for suffix in pictures]
    say({"files": files}, "\n".join(files), as_json)
    return 0
