"""Routing tables of an external function, in place of a family's own."""

from dataclasses import dataclass
from typing import Any

from hydranoc.config.extensions import ROUTINGS, ExtensionError, find_function
from hydranoc.config.load import NETWORK, Config
from hydranoc.errors import KeyWrong
from topology.common.errors import TopologyError
from topology.common.outside import FAILURES, failure_text

WHERE = "network.routing"
NEEDED = ("network", "header", "header_flits")
MAX_SHOWN = 4


@dataclass(frozen=True)
class OwnRouting:
    """Builder of the tables of a network by an external function.

    Parameters:
        name: Name of the function in the configuration.
    """

    config: Config
    name: str

    def __call__(self, section: Any, network: Any) -> Any:
        """Return tables by network section and network, like ``Family.build_routing``.

        Raises:
            ConfigError: If there is no such function, or it fails or returns no tables of the family.
            TopologyError, KeyWrong: For errors of the function itself.
        """
        source, key_path = self.config.source, (*NETWORK, "routing")
        try:
            build = find_function(WHERE, self.name, ROUTINGS, source.files)
        except ExtensionError as error:
            raise source.error(key_path, str(error)) from error
        try:
            routing = build(section, network)
        except (TopologyError, KeyWrong):
            raise
        except FAILURES as error:  # an external function may fail in any way
            text = f"{WHERE}: {self.name!r} fails: {failure_text(error)}"
            raise source.error(key_path, text) from error
        wrong = self._wrong(section, network, routing)
        if wrong:
            raise source.error(key_path, f"{WHERE}: {self.name!r} must give {wrong}")
        return routing

    def _wrong(self, section: Any, network: Any, routing: Any) -> str:
        """Return why custom tables are unusable, or an empty string."""
        missing = [part for part in NEEDED if part not in dir(routing)]
        if missing:
            return f"tables with {', '.join(missing)}, not {type(routing).__name__}"
        try:
            own = self.config.family.build_routing(section, network)
        except (TopologyError, KeyWrong):  # external tables may be for networks that the family's own do not support
            return ""
        missing = [part for part in dir(own) if not part.startswith("_") and part not in dir(routing)]
        if missing:
            some = ", ".join(missing[:MAX_SHOWN]) + (", ..." if len(missing) > MAX_SHOWN else "")
            return f"tables of family {self.config.family.name!r} with {some}, not {type(routing).__name__}"
        if not _alike(routing.network, own.network):
            text = f"{len(own.network.channels)} channels and {len(own.network.processors)} processors"
            return f"tables of this network, a {type(own.network).__name__} with {text}, not those of another one"
        kind = getattr(section, "header", None)
        if kind is not None and type(routing.header) is not type(own.header):
            return f"tables with headers of 'header: {kind}' (header_kind=section.header), not others"
        return ""


def _alike(network: Any, own: Any) -> bool:
    """Return True if a network has the type and the sizes of another one."""
    return isinstance(network, type(own)) and all(
        len(getattr(network, part)) == len(getattr(own, part)) for part in ("channels", "processors")
    )
