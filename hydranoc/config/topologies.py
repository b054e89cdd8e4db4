"""Construction of the network that ``network.topology`` describes."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hydranoc.config import schema
from hydranoc.config.added_topology import added_network, is_added
from hydranoc.config.extensions import TOPOLOGIES, added_names
from hydranoc.config.source import KeyPath, Source, unreadable
from hydranoc.config.validation import choose, validate
from hydranoc.errors import ConfigError, shown
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.files import read_network
from topology.common.graph import Network
from topology.common.lattice import irregular_network, lattice_network
from topology.common.named_graph import NAME_RULE, LinkRules, is_name
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network, tree_network
from topology.harts.graph import HexMesh
from topology.min.graph import KINDS, MinNetwork
from topology.torus.graph import TorusLinks
from topology.torus.grid import Grid

GENERATORS: dict[str, Callable[..., ChannelNetwork]] = {
    "lattice": lattice_network,
    "irregular": irregular_network,
    "mesh": mesh_network,
    "torus": torus_network,
    "hypercube": hypercube_network,
    "tree": tree_network,
    "ring": ring_network,
    **{kind: partial(MinNetwork, kind) for kind in KINDS},
    "hexmesh": HexMesh,
}
WRAPS = {"mesh": False, "torus": True}
"""Kinds that may have ``rows`` and ``columns`` in place of a ``shape``."""
NO_OWN: Mapping[str, schema.OwnTopology] = {}


def build_network(source: Source, key_path: KeyPath, own: Mapping[str, schema.OwnTopology] = NO_OWN) -> ChannelNetwork:
    """Return the network of a topology section.

    Parameters:
        key_path (sequence of str): Place of the section.
        own (mapping of str to OwnTopology): Kinds with a schema of the family's own.

    Raises:
        ConfigError: With the line in the configuration, or in the network file that it names.
    """
    section: Any = source.data
    for step in key_path:
        section = section[step]
    if "file" in section:
        return _from_file(source, key_path)
    if "edges" in section:
        return _written_out(source, key_path)
    if "kind" not in section:
        raise source.error(key_path, "a topology must have 'kind', 'file' or 'edges'")
    if not (isinstance(section["kind"], str) and section["kind"] in schema.TOPOLOGIES):
        if is_added(section["kind"]):
            return _made(source, key_path, lambda: added_network(source, key_path, section))
        choose(source, key_path, "kind", (*schema.TOPOLOGIES, *added_names(TOPOLOGIES)))
    kind = section["kind"]
    if kind in own:
        parameters = validate(source, key_path, own[kind].section).model_dump(exclude={"kind"})
        return _made(source, key_path, partial(own[kind].build, **parameters))
    if kind in WRAPS and not section.keys().isdisjoint(("rows", "columns")):
        return _rows_and_columns(source, key_path)
    section = validate(source, key_path, schema.TOPOLOGIES[kind])
    parameters = section.model_dump(exclude={"kind"})
    if isinstance(section, schema.Topology):  # the others are small, or refused when they are made
        _check_size(source, key_path, kind, parameters)
    positional = {
        name: parameters.pop(name)
        for name in ("switches", "shape", "dimensions", "arity", "levels")
        if name in parameters
    }
    return _made(source, key_path, partial(GENERATORS[kind], *positional.values(), **parameters))


def _made(source: Source, key_path: KeyPath, build: Callable[[], ChannelNetwork]) -> ChannelNetwork:
    try:
        return build()
    except TopologyError as error:
        raise located(source, key_path, error) from None


def _rows_and_columns(source: Source, key_path: KeyPath) -> ChannelNetwork:
    section = validate(source, key_path, schema.RowsAndColumns)
    return _made(source, key_path, lambda: TorusLinks(Grid(section.rows, section.columns, wraps=WRAPS[section.kind])))


def _check_size(source: Source, key_path: KeyPath, kind: str, parameters: dict[str, Any]) -> None:
    """Refuse a mistyped size before it exhausts memory."""
    key, switches = "switches", parameters.get("switches", 1)
    if "shape" in parameters:
        key, switches = "shape", math.prod(parameters["shape"])
    elif kind == "tree":
        key, switches = "levels", sum(parameters["arity"] ** level for level in range(parameters["levels"]))
    elif kind == "hypercube":
        key, switches = "dimensions", 2 ** parameters["dimensions"]
    if switches > schema.MAX_SWITCHES:
        raise source.error(
            (*key_path, key), f"a network must have at most {schema.MAX_SWITCHES:,} switches, not {shown(switches)}"
        )
    processors = switches * parameters["processors_per_switch"]
    if processors > schema.MAX_PROCESSORS:
        raise source.error(
            (*key_path, "processors_per_switch"),
            f"a network must have at most {schema.MAX_PROCESSORS:,} processors, not {processors}",
        )


def _from_file(source: Source, key_path: KeyPath) -> Network:
    section = validate(source, key_path, schema.FileTopology)
    path = source.files.path(section.file)
    try:
        rules = LinkRules(section.parallel_links, section.one_way_links)
        return read_network(path, ports=section.ports, format=section.format, rules=rules)
    except TopologyError as error:
        if error.line is None:
            raise source.error((*key_path, "file"), str(error)) from None
        raise ConfigError(str(error), file=path, line=error.line) from None
    except (OSError, ValueError) as error:
        raise unreadable(source, (*key_path, "file"), f"network file {shown(section.file)}", error) from None


def _written_out(source: Source, key_path: KeyPath) -> Network:
    section = validate(source, key_path, schema.InlineTopology)
    if section.names is not None and len({str(name) for name in section.names}) != section.switches:
        raise source.error(
            (*key_path, "names"),
            f"names is {shown(section.names)}; it must be {section.switches} different names, one per switch",
        )
    for position, name in enumerate(section.names or ()):
        if not is_name(str(name)):
            raise source.error((*key_path, "names", position), f"a name is {shown(name)}; {NAME_RULE}")
    edges = [(a, b) for a, b in section.edges]
    if section.parallel_links == "merge":
        edges = list({frozenset(edge): edge for edge in edges}.values())
    try:
        return Network(
            section.switches,
            edges,
            list(range(section.switches)) if section.processors is None else section.processors,
            ports=section.ports,
            switch_names=None if section.names is None else [str(name) for name in section.names],
            parallel_links=section.parallel_links == "channels",
        )
    except TopologyError as error:
        raise located(source, key_path, error) from None


def located(source: Source, key_path: KeyPath, error: TopologyError) -> ConfigError:
    """Return the error for a broken rule of the network, with the line of the value that breaks it if known."""
    found = None
    if error.item is not None and "ports" not in str(error):
        found = source.find(key_path, error.item)
    if found is None and "ports" in str(error) and "ports" in _section(source, key_path):
        found = (*key_path, "ports")
    return source.error(found or key_path, str(error))


def _section(source: Source, key_path: KeyPath) -> Any:
    section: Any = source.data
    for step in key_path:
        section = section[step]
    return section
