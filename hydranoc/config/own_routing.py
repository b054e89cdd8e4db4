"""Routing tables of a function from outside, in place of a family's own."""

from dataclasses import dataclass
from typing import Any

from hydranoc.config.extensions import ROUTINGS, ExtensionError, find_function
from hydranoc.config.load import NETWORK, Config
from hydranoc.errors import KeyWrong
from topology.common.errors import TopologyError

WHERE = "network.routing"


@dataclass(frozen=True)
class OwnRouting:
    """Makes the tables of a network as a function from outside has it.

    Parameters
    ----------
    config : Config
    name : str
        Of the function, as the configuration says it.
    """

    config: Config
    name: str

    def __call__(self, section: Any, network: Any) -> Any:
        """Tables by network section and network, like ``Family.build_routing``.

        Raises
        ------
        ConfigError
            If there is no such function, or it fails or makes no tables of the family.
        TopologyError, KeyWrong
            For what the function itself refuses.
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
        except Exception as error:  # a function from outside may fail in any way
            text = f"{WHERE}: {self.name!r} fails: {type(error).__name__}: {error}"
            raise source.error(key_path, text) from error
        missing = [part for part in ("network", "header", "header_flits") if not hasattr(routing, part)]
        if missing:
            text = f"{WHERE}: {self.name!r} must give tables with {', '.join(missing)}, not {type(routing).__name__}"
            raise source.error(key_path, text)
        return routing
