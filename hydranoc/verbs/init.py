"""``init``: a first configuration."""

import json
from pathlib import Path

import click

from hydranoc.errors import ConfigError
from hydranoc.families.registry import FAMILIES
from hydranoc.reports.output import write_whole
from hydranoc.verbs.options import NamedPath

SCHEMA = "hydranoc.schema.json"


@click.command()
@click.argument("config", type=NamedPath(), default="network.yaml")
@click.option("--family", type=click.Choice(list(FAMILIES)), default="spam", show_default=True, help="Router family.")
def init(config: Path, family: str) -> int:
    """Write a first configuration to CONFIG (network.yaml), with every key of the family and its meaning, and beside
    it hydranoc.schema.json, for completion in editors. A configuration is never overwritten.

    \b
    Example:
      hydranoc init
      hydranoc check network.yaml
      hydranoc model network.yaml
    """
    from hydranoc.config.reference.commented import commented_configuration
    from hydranoc.config.reference.page import json_schema

    if config.name == SCHEMA:
        raise ConfigError("is the name of the JSON Schema that is written beside; name another file", file=config)
    if config.exists():
        raise ConfigError("is there already; name another file, or move it away", file=config)
    beside, names = config.parent / SCHEMA, {"name": config.name, "schema": SCHEMA}
    text = commented_configuration(json_schema(FAMILIES, former=False), family, FAMILIES[family].first, names)
    write_whole({config: text, beside: json.dumps(json_schema(FAMILIES), indent=2) + "\n"})
    click.echo(f"{config}\n{beside}\n\nnext: hydranoc check {config}")
    return 0
