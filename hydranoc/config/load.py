"""A validated configuration, and the network that it describes."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from hydranoc.config import schema
from hydranoc.config.extensions import ExtensionError
from hydranoc.config.former_names import rename_former
from hydranoc.config.hosts import host_behaviour
from hydranoc.config.source import GivenSource, Source, YamlSource
from hydranoc.config.topologies import build_network
from hydranoc.config.validation import choose, validate
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import EAGER, HostBehaviour

NETWORK, TRAFFIC, AXI4 = ("network",), ("traffic",), ("axi4",)


class ConfiguredFamily(Protocol):
    """The part of a router family that configurations need."""

    @property
    def title(self) -> str:
        """Title for display."""
        ...

    @property
    def network_section(self) -> type[schema.NetworkSection]:
        """Schema of ``network`` for this family."""
        ...


FamilyT = TypeVar("FamilyT", bound=ConfiguredFamily)


@dataclass(frozen=True)
class Config(Generic[FamilyT]):
    """A validated configuration.

    Members:
        path
        source: For errors with lines.
        family (ConfiguredFamily)
        network_section (NetworkSection): The family's own section class.
        traffic (Traffic or None)
        network
        hosts: Pauses of sources and stalls of receivers.
        axi4 (Axi4 or None): AXI4 ends.
    """

    path: Path
    source: Source
    family: FamilyT
    network_section: schema.NetworkSection
    traffic: schema.Traffic | None
    network: ChannelNetwork
    hosts: HostBehaviour = EAGER
    axi4: schema.Axi4 | None = None

    def with_traffic(self, traffic: schema.Traffic) -> "Config[FamilyT]":
        """Return the same network with other traffic."""
        return replace(self, traffic=traffic)

    @property
    def name(self) -> str:
        """Name of the file without suffix, for results."""
        return self.path.stem


def load_config(given: str | Path | Mapping[str, Any], families: Mapping[str, FamilyT]) -> Config[FamilyT]:
    """Read and check a configuration.

    Parameters:
        given: A file, or its content; file names in a mapping are relative to the working folder.
        families (mapping of str to ConfiguredFamily): Allowed values of ``family``.

    Raises:
        ConfigError: For the first error, with file and line if it is a file.
    """
    source: Source = GivenSource(given) if isinstance(given, Mapping) else YamlSource(Path(given))
    return checked_config(source, families)


def checked_config(source: Source, families: Mapping[str, FamilyT]) -> Config[FamilyT]:
    """Check a configuration; see ``load_config``."""
    top = validate(source, (), schema.Configuration)
    axi4 = None if top.axi4 is None else validate(source, AXI4, schema.Axi4)
    name = choose(source, NETWORK, "family", families)
    try:
        family = families[name]
    except ExtensionError as error:
        raise source.error((*NETWORK, "family"), f"network.family: {error}") from error
    rename_former(source, NETWORK, family.network_section)
    section = validate(source, NETWORK, family.network_section, partial(_families_with, families, name))
    traffic = None
    if top.traffic is not None:
        kind = choose(source, TRAFFIC, "kind", schema.TRAFFICS)
        traffic = validate(source, TRAFFIC, schema.TRAFFICS[kind])
    network = build_network(source, (*NETWORK, "topology"), family.network_section.OWN_TOPOLOGIES)
    hosts = EAGER if top.hosts is None else host_behaviour(source, network)
    return Config(source.path, source, family, section, traffic, network, hosts, axi4)


def with_given_traffic(config: Config[FamilyT], traffic: Mapping[str, Any]) -> Config[FamilyT]:
    """Return the same network with other traffic, given as the content of a configuration.

    Raises:
        ConfigError: For a wrong key.
    """
    source = GivenSource({**config.source.data, "traffic": dict(traffic)}, config.source.files.folder, config.path.stem)
    kind = choose(source, TRAFFIC, "kind", schema.TRAFFICS)
    return replace(config, source=source, traffic=validate(source, TRAFFIC, schema.TRAFFICS[kind]))


def _families_with(families: Mapping[str, FamilyT], own: str, key: str) -> str:
    """Return the families with a key of ``network`` that one family lacks; an empty string if there are none."""
    having = []
    for name in families:
        with suppress(ExtensionError):
            if key in families[name].network_section.model_fields:
                having.append(name)
    if not having:
        return ""
    return f"; family {own!r} has no such key, {' and '.join(having)} {'have' if having[1:] else 'has'} it"
