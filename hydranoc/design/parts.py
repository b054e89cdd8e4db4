"""The parts of a configured network: tables, model, messages, hardware plan.

Each is built on first use, so that a check does not load the simulator, nor a simulation Amaranth.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hydranoc.config.load import NETWORK, Config
from hydranoc.config.own_routing import OwnRouting
from hydranoc.config.topologies import located
from hydranoc.errors import KeyWrong
from hydranoc.families.registry import AnyFamily
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError

if TYPE_CHECKING:
    from sim_model.messages.messages import Messages


class Parts:
    """The parts of a design; see ``Design``.

    Parameters
    ----------
    config : Config
        Result of ``load_config``.
    """

    def __init__(self, config: Config):
        self.config = config
        self.family: AnyFamily = config.family

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the plan, whose functions cannot be pickled; it is rebuilt on use."""
        return {name: value for name, value in vars(self).items() if name != "plan"}

    @cached_property
    def network(self) -> ChannelNetwork:
        return self.routing.network

    @cached_property
    def routing(self) -> Any:
        source = self.config.source
        try:
            return self._build_routing(self.config.network_section, self.config.network)
        except KeyWrong as error:
            raise source.error((*NETWORK, error.key), str(error)) from None
        except TopologyError as error:
            raise located(source, (*NETWORK, "topology"), error) from None

    @property
    def _build_routing(self) -> Callable[[Any, Any], Any]:
        """Builder of the tables: the family's, or the one that the configuration names."""
        name = self.config.network_section.routing
        if name is None:
            return self.family.build_routing
        from hydranoc.families.table_files import SUFFIX, FileRouting

        return FileRouting(self.config) if name.endswith(SUFFIX) else OwnRouting(self.config, name)

    @cached_property
    def model(self) -> Any:
        return self.family.build_model(self.config.network_section, self.routing)

    @cached_property
    def plan(self) -> Any:
        routing = self.routing  # reports its own errors
        try:
            plan = self.family.build_plan(self.config.network_section, routing)
            loadable = self.config.network_section.tables == "loadable"
            return replace(plan, counters=self.counts_channels, loadable_tables=loadable)
        except ValueError as error:  # sizes that the hardware generator cannot write
            raise self.config.source.error((*NETWORK, "topology"), str(error)) from None

    @cached_property
    def messages(self) -> "Messages":
        if self.config.traffic is None:
            raise self.config.source.error((), "key 'traffic' is missing; there is nothing to send")
        from hydranoc.config.traffic import build_messages

        return build_messages(self.config, self.routing)

    @property
    def startup_cycles(self) -> int:
        """Start-up cycles of a host per message."""
        return self.config.traffic.startup_cycles if self.config.traffic else 0

    @property
    def counts_channels(self) -> bool:
        """True if hardware and model count flits, stalls and bubbles of each channel."""
        return self.config.network_section.counters

    @property
    def warmup_cycles(self) -> int:
        """First cycle of messages in the latency figures."""
        return self.config.traffic.warmup_cycles if self.config.traffic else 0
