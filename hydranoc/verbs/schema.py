"""``schema``: reference of the configuration, as JSON Schema or as a page."""

import json
from pathlib import Path

import click

from hydranoc.reports.output import write_whole
from hydranoc.verbs.options import NamedPath


@click.command()
@click.option("--markdown", is_flag=True, help="Print the reference page: every key, value, default, unit, meaning.")
@click.option(
    "-o",
    "--output",
    "path",
    type=NamedPath(),
    metavar="FILE",
    help="File to write to.  [default: stdout]",
)
def schema(markdown: bool, path: Path | None) -> int:
    """Print the JSON Schema of configurations, for completion and help in editors: with
    `# yaml-language-server: $schema=FILE` in the first line of a configuration, or by a setting of the editor.

    \b
    Examples:
      hydranoc schema -o hydranoc.schema.json
      hydranoc schema --markdown
    """
    from hydranoc.config.reference.page import json_schema, reference_page
    from hydranoc.families.registry import FAMILIES

    content = json_schema(FAMILIES, former=not markdown)
    text = reference_page(content) if markdown else json.dumps(content, indent=2) + "\n"
    if path is None:
        click.echo(text, nl=False)
        return 0
    write_whole({path: text})
    click.echo(str(path))
    return 0
