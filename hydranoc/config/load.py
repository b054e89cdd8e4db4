"""A validated configuration, and the network that it describes."""

from dataclasses import dataclass
from pathlib import Path

from hydranoc.config import schema
from hydranoc.config.source import YamlSource
from hydranoc.config.topologies import build_network
from hydranoc.config.validation import choose, validate
from hydranoc.families import FAMILIES, Family
from topology.common.channels import ChannelNetwork

NETWORK, TRAFFIC = ("network",), ("traffic",)


@dataclass(frozen=True)
class Config:
    """What a configuration file says.

    Members
    -------
    path : Path
    source : YamlSource
        For errors with lines.
    family : Family
    network_section : NetworkSection
        The family's own section class.
    traffic : Traffic or None
    network : ChannelNetwork
    """

    path: Path
    source: YamlSource
    family: Family
    network_section: schema.NetworkSection
    traffic: schema.Traffic | None
    network: ChannelNetwork

    @property
    def name(self) -> str:
        """Name of the file without suffix, for results."""
        return self.path.stem


def load_config(path: str | Path) -> Config:
    """Read and check a configuration file.

    Raises
    ------
    ConfigError
        For the first thing wrong, with file and line.
    """
    source = YamlSource(Path(path))
    top = validate(source, (), schema.Configuration)
    family = FAMILIES[choose(source, NETWORK, "family", FAMILIES)]
    section = validate(source, NETWORK, family.network_section)
    traffic = None
    if top.traffic is not None:
        kind = choose(source, TRAFFIC, "kind", schema.TRAFFICS)
        traffic = validate(source, TRAFFIC, schema.TRAFFICS[kind])
    network = build_network(source, (*NETWORK, "topology"))
    return Config(source.path, source, family, section, traffic, network)
