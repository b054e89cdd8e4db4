"""Networks built by external functions: of a package that adds a kind of topology, or that a configuration names."""

import inspect
from collections.abc import Callable
from typing import Any

from hydranoc.config.extensions import TOPOLOGIES, ExtensionError, added_names, find_function, is_function_name
from hydranoc.config.source import KeyPath, Source, name_of
from hydranoc.errors import nearest
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.outside import FAILURES, failure_text


def is_added(kind: Any) -> bool:
    """Return True for a kind of topology from an external function."""
    return isinstance(kind, str) and (kind in added_names(TOPOLOGIES) or is_function_name(kind))


def added_network(source: Source, key_path: KeyPath, section: dict[str, Any]) -> ChannelNetwork:
    """Return the network of an external kind; its keys besides ``kind`` are the function's parameters.

    Raises:
        ConfigError: If there is no such function, a key is none of its parameters, or it returns no network.
        TopologyError: For errors of the function itself.
    """
    kind_path = (*key_path, "kind")
    given = {key: value for key, value in section.items() if key != "kind"}
    try:
        build = find_function(name_of(kind_path), section["kind"], TOPOLOGIES, source.files)
    except ExtensionError as error:
        raise source.error(kind_path, str(error)) from error
    _check_keys(source, key_path, build, given)
    try:
        network = build(**given)
    except TopologyError:
        raise
    except FAILURES as error:  # an external function may fail in any way
        text = f"{name_of(kind_path)}: {section['kind']!r} fails: {failure_text(error)}"
        raise source.error(kind_path, text) from error
    if not isinstance(network, ChannelNetwork):
        text = f"{name_of(kind_path)}: {section['kind']!r} must give a ChannelNetwork, not {type(network).__name__}"
        raise source.error(kind_path, text)
    return network


def _check_keys(source: Source, key_path: KeyPath, build: Callable[..., Any], given: dict[str, Any]) -> None:
    try:
        parameters = [part for part in inspect.signature(build).parameters.values() if part.kind != part.VAR_POSITIONAL]
    except (ValueError, TypeError):  # some functions that are not written in Python have no signature
        return
    if any(parameter.kind == inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    names = [parameter.name for parameter in parameters]
    for key in given:
        if key not in names:
            hint = nearest(key, names) or f"; known keys are {', '.join(names) or 'none'}"
            raise source.error((*key_path, key), f"unknown key {key!r} in {name_of(key_path)}{hint}")
    for parameter in parameters:
        if parameter.default is inspect.Parameter.empty and parameter.name not in given:
            raise source.error(key_path, f"key {parameter.name!r} is missing in {name_of(key_path)}")
