"""Multistage networks: from their configuration to tables, model, hardware and pictures."""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema import Multistage
from hydranoc.errors import KeyWrong
from hydranoc.families.reports import CheckReport, TableNames
from hydranoc.families.routed import (
    RoutedFamily,
    RoutedSection,
    check_headers,
    flit_sizes,
    plan_guards,
    router_settings,
)
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.total_order import TOTAL, check_order
from topology.min.graph import KINDS, MinNetwork
from topology.min.groups import AS_PUBLISHED, EXACT, NO_TOKEN
from topology.min.routing import ARRIVAL_CLASSES, MinRouting

if TYPE_CHECKING:
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model

TOKENS = {None: EXACT, "no-token": NO_TOKEN, "published-release": AS_PUBLISHED}


class MinSection(RoutedSection):
    """``network`` of multistage networks.

    Members:
        negative_control (str or None): Switches that are wrong on purpose and deadlock: without tokens, or with the
            paper's token rule.
    """

    TOPOLOGIES: ClassVar = (Multistage,)
    FORMER_VALUES: ClassVar = {"negative_control": {"printed-release": "published-release"}}

    negative_control: Literal["no-token", "published-release"] | None = None


def _depth_flits(section: MinSection, routing: MinRouting) -> int:
    return routing.header.buffer_depth_flits(section.buffer_flits)


class MinFamily(RoutedFamily[MinSection, MinRouting]):
    """Multistage networks: worms split into trees, with tokens against deadlock."""

    name = "min"
    title = "MIN: asynchronous tree multicast in multistage networks (Varavithya and Mohapatra)"
    network_section = MinSection
    first = FirstConfiguration(
        topology={"kind": "bi-butterfly", "radix": 2, "stages": 4},
        multicast={"multicast_fraction": 0.1, "destinations": 4},
    )

    def build_routing(self, section: MinSection, network: ChannelNetwork) -> MinRouting:
        """Return the tables of the network.

        Raises:
            KeyWrong: If flits or watchdog do not suit the headers, or no switch can order all messages.
            TopologyError: If it is no multistage network.
        """
        if not isinstance(network, MinNetwork):
            raise TopologyError(f"Family 'min' needs a multistage topology: kind must be one of {', '.join(KINDS)}")
        if section.ordering == TOTAL and not network.bidirectional and network.stages > 1:
            text = (
                "ordering is total; no switch sees all messages of a unidirectional network with "
                f"{network.stages} stages, kind: bi-butterfly or family: spam can order them"
            )
            raise KeyWrong("ordering", text)
        routing = MinRouting(network, section.flit_bits, section.header, section.ordering)
        check_headers(section, routing)
        return routing

    def check(self, section: MinSection, routing: MinRouting) -> CheckReport:
        """Return sizes, reachability and freedom from deadlock (Sec. 3)."""
        # loads NetworkX: only where a network is checked
        from topology.min.deadlock import branch_channels, check_min_deadlock, min_dependencies
        from topology.min.reachability import unreached_pairs

        network, depth_flits = routing.network, _depth_flits(section, routing)
        processors = len(network.processors)
        groups = routing.groups.groups
        dependencies = min_dependencies(routing)
        outputs = [len(channels) for channels in network.output_channel[: network.switches]]
        sizes = {
            "switches": network.switches,
            "processors": processors,
            "stages": network.stages,
            "radix": network.radix,
            "channels": len(network.channels),
            "links": len(network.edges),
            "most_ports": routing.most_ports,
            "token_groups": len(groups),
            "largest_token_group": max((len(group.switches) for group in groups), default=0),
            "largest_release_flits": max(
                (routing.groups.release_flits(group.switches[0], depth_flits, section.link_cycles) for group in groups),
                default=0,
            ),
            **flit_sizes(section, routing),
            "route_table_bits": sum(routing.keys * routing.classes * ports for ports in outputs),
            "reach_table_bits": sum(processors * ports for ports in outputs),
        }
        return CheckReport(
            sizes=sizes,
            unreached=tuple(unreached_pairs(routing)),
            pairs=processors * (processors - 1),
            deadlock=check_min_deadlock(
                routing, depth_flits, TOKENS[section.negative_control], section.link_cycles, dependencies
            ),
            ordering=check_order(network, dependencies[0], branch_channels(routing), pairs=routing.keeps_pairs),
            promised_ordering=section.ordering,
        )

    def evidence(self, section: MinSection, routing: MinRouting) -> dict[str, Any]:
        """Return the evidence for a certificate."""
        from topology.min.deadlock import min_evidence

        token = TOKENS[section.negative_control]
        return min_evidence(routing, _depth_flits(section, routing), token, section.link_cycles)

    def build_model(self, section: MinSection, routing: MinRouting) -> "Model":
        """Return the golden model."""
        from sim_model.min.model import MinModel  # loads the engines: only where a network is run

        return MinModel(routing, **router_settings(section), token=TOKENS[section.negative_control])

    def build_plan(self, section: MinSection, routing: MinRouting) -> "NetworkPlan":
        """Return the hardware plan."""
        from rtl.min.network import min_plan  # loads Amaranth: only where hardware is made

        token = TOKENS[section.negative_control]
        return min_plan(routing, **router_settings(section), token=token, **plan_guards(section))

    def table_names(self, routing: MinRouting) -> TableNames:
        """Return names of keys: a unicast's destination, or the stage at which a multicast turns round."""
        network = routing.network
        unicasts = (network.vertex_name(vertex) for vertex in range(network.switches, network.vertices))
        multicasts = (f"turn{turn}" for turn in range(routing.keys - len(network.processors)))
        return TableNames((*unicasts, *multicasts), tuple(ARRIVAL_CLASSES[one] for one in range(routing.classes)))

    def software_names(self, network: MinNetwork) -> tuple[str, ...]:
        """Return the paper's names of the common chain (its references 15 and 16)."""
        return ("umin" if network.bidirectional else "cmin",)


FAMILY = MinFamily()
