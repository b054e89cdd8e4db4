"""SPAM: from its configuration to tables, model, hardware and pictures."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from hydranoc.config import schema
from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema.fields import WithJsonSchema
from hydranoc.errors import KeyWrong
from hydranoc.families.reports import CheckReport, LinkClasses, TableNames
from hydranoc.families.routed import (
    RoutedFamily,
    RoutedSection,
    check_headers,
    flit_sizes,
    plan_guards,
    router_settings,
)
from topology.common.ages import ROUND_ROBIN, STEP_CYCLES
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.graph import Network
from topology.common.total_order import NO_ORDER, check_order
from topology.spam.graph import CLASS_NAMES, SpamLabels
from topology.spam.routing import FAST_ROUTING_CYCLES, SpamRouting

if TYPE_CHECKING:
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model

NON_ATOMIC, UP_AFTER_DOWN = "non-atomic-enqueue", "up-after-down"
FAST = "fast"


class SpamSection(RoutedSection):
    """``network`` of SPAM.

    Members:
        root (int, str or None): Root of the spanning tree: name or number of a switch; default a centre of the network.
        pipeline (str): Pipeline of routers: ``standard``; or ``fast``, for a faster clock, where ``routing_cycles`` are
            always 2 (docs/understand/design_hardware.md).
        arbitration (str): Choice among messages that wait for one output: ``round-robin`` over inputs; or ``age``, the
            message first that has waited longest in switches (docs/look_up/arbitration.md).
        age_step_cycles (int): Step of ages, with ``arbitration: age``; best about half of the flits of a message.
        negative_control (str or None): A router or routing that is wrong on purpose and deadlocks.
    """

    TOPOLOGIES: ClassVar = (
        schema.Lattice,
        schema.Irregular,
        schema.GridTopology,
        schema.Hypercube,
        schema.Tree,
        schema.Ring,
        schema.FileTopology,
        schema.InlineTopology,
    )

    root: Annotated[Any, WithJsonSchema({"type": ["integer", "string", "null"]})] = None
    pipeline: Literal["standard", "fast"] = "standard"
    arbitration: Literal["round-robin", "age"] = ROUND_ROBIN
    age_step_cycles: Literal[4, 8, 16, 32, 64, 128, 256] = STEP_CYCLES
    negative_control: Literal["non-atomic-enqueue", "up-after-down"] | None = None


def _root(root: Any, network: Network) -> int:
    """Return a switch by name or, in networks without names of their own, by number."""
    if str(root) in network.switch_names:
        return network.switch_names.index(str(root))
    numbered = network.switch_names[0] == "s0"
    if numbered and isinstance(root, int) and not isinstance(root, bool) and 0 <= root < network.switches:
        return root
    names = f"0 to {network.switches - 1}" if numbered else _some(network.switch_names)
    raise KeyWrong("root", f"root is {root!r}; it must be a switch ({names})")


def _some(names: tuple[str, ...], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _router_settings(section: SpamSection) -> dict[str, Any]:
    """Return ``router_settings`` with the routing cycles of the pipeline and the step of ages."""
    fast = {"routing_cycles": FAST_ROUTING_CYCLES} if section.pipeline == FAST else {}
    return router_settings(section) | fast | {"age_step_cycles": section.age_step_cycles}


def _check_router(section: SpamSection) -> None:
    """Refuse what the fast pipeline and ages do not have.

    Raises:
        KeyWrong: For ``arbitration``, ``age_step_cycles``, ``routing_cycles`` or ``negative_control``.
    """
    split = section.negative_control == NON_ATOMIC
    if section.arbitration != ROUND_ROBIN and (split or section.pipeline == FAST):
        other = f"negative_control: {NON_ATOMIC}" if split else f"pipeline: {FAST}"
        raise KeyWrong("arbitration", f"arbitration is {section.arbitration}; it must be {ROUND_ROBIN} with {other}")
    if section.arbitration == ROUND_ROBIN and "age_step_cycles" in section.model_fields_set:
        text = f"age_step_cycles is {section.age_step_cycles}; it must be left out with arbitration: {ROUND_ROBIN}"
        raise KeyWrong("age_step_cycles", text)
    if section.pipeline != FAST:
        return
    cycles = section.routing_cycles
    if cycles != FAST_ROUTING_CYCLES and "routing_cycles" in section.model_fields_set:
        right = f"it must be {FAST_ROUTING_CYCLES}, or left out, with pipeline: {FAST}"
        raise KeyWrong("routing_cycles", f"routing_cycles is {cycles}; {right}")
    if split:
        text = f"negative_control is {NON_ATOMIC}; it must be left out, or {UP_AFTER_DOWN}, with pipeline: {FAST}"
        raise KeyWrong("negative_control", text)


def _enqueue(section: SpamSection) -> str:
    return "split" if section.negative_control == NON_ATOMIC else "atomic"


class SpamFamily(RoutedFamily[SpamSection, SpamRouting]):
    """SPAM: worms split into trees in irregular networks."""

    name = "spam"
    title = "SPAM: tree multicast in irregular networks (Libeskind-Hadas et al., 1998)"
    network_section = SpamSection
    first = FirstConfiguration(
        topology={"kind": "mesh", "shape": [4, 4]},
        multicast={"multicast_fraction": 0.1, "destinations": 4},
    )

    def build_routing(self, section: SpamSection, network: ChannelNetwork) -> SpamRouting:
        """Return the tables of the network.

        Raises:
            KeyWrong: If the root is no switch, flits or watchdog do not suit the headers, a key does not suit the
                router, or tables that are wrong on purpose should order messages.
            TopologyError: If the network is too large for SPAM's routers, or has links that lead one way.
        """
        if not isinstance(network, Network):
            raise TopologyError(
                "Family 'spam' needs a network whose links lead both ways, with one channel per processor; a mesh or "
                "torus has a shape, and no rows and columns"
            )
        _check_router(section)
        root = None if section.root is None else _root(section.root, network)
        labels = SpamLabels(network, root)
        up_after_down = section.negative_control == UP_AFTER_DOWN
        if up_after_down and section.ordering != NO_ORDER:
            raise KeyWrong(
                "ordering", f"ordering is {section.ordering}; it must be none with negative_control: {UP_AFTER_DOWN}"
            )
        routing = SpamRouting(
            labels,
            section.flit_bits,
            up_after_down=up_after_down,
            header_kind=section.header,
            ordering=section.ordering,
            arbitration=section.arbitration,
        )
        check_headers(section, routing)
        return routing

    def check(self, section: SpamSection, routing: SpamRouting) -> CheckReport:
        """Return sizes, reachability and freedom from deadlock (Sec. 3, theorems 1 and 2)."""
        from topology.common.deadlock import check_deadlock  # loads NetworkX: only where a network is checked
        from topology.spam.deadlock import branch_channels, spam_dependencies
        from topology.spam.reachability import unreached_pairs

        network = routing.network
        processors = len(network.processors)
        links = len(network.edges)
        most_ports = routing.most_ports
        sizes = {
            "switches": network.switches,
            "processors": processors,
            "links": links,
            "tree_links": network.switches - 1,
            "cross_links": links - network.switches + 1,
            "tree_depth": int(routing.labels.level[: network.switches].max()),
            "most_ports": most_ports,
            **flit_sizes(section, routing),
            "route_table_bits": sum(3 * network.vertices * network.degree(s) for s in range(network.switches)),
            "reach_table_bits": sum(processors * network.degree(s) for s in range(network.switches)),
        }
        atomic = section.negative_control != NON_ATOMIC
        dependencies = spam_dependencies(routing, atomic=atomic)
        return CheckReport(
            sizes=sizes,
            unreached=tuple(unreached_pairs(routing)),
            pairs=processors * (processors - 1),
            deadlock=check_deadlock(dependencies),
            ordering=check_order(
                network, dependencies.path, branch_channels(routing), atomic=atomic, pairs=routing.keeps_pairs
            ),
            promised_ordering=section.ordering,
        )

    def evidence(self, section: SpamSection, routing: SpamRouting) -> dict[str, Any]:
        """Return the evidence for a certificate."""
        from topology.spam.deadlock import spam_evidence

        return spam_evidence(routing, atomic=section.negative_control != NON_ATOMIC)

    def build_model(self, section: SpamSection, routing: SpamRouting) -> "Model":
        """Return the golden model."""
        from sim_model.spam.model import SpamModel  # loads the engines: only where a network is run

        return SpamModel(routing, **_router_settings(section), enqueue=_enqueue(section))

    def build_plan(self, section: SpamSection, routing: SpamRouting) -> "NetworkPlan":
        """Return the hardware plan."""
        from rtl.spam.network import spam_plan  # loads Amaranth: only where hardware is made

        return spam_plan(
            routing,
            **_router_settings(section),
            enqueue=_enqueue(section),
            fast=section.pipeline == FAST,
            **plan_guards(section),
        )

    def link_classes(self, routing: SpamRouting) -> LinkClasses:
        """Return root, tree and levels for a picture."""
        labels, network = routing.labels, routing.network
        children = np.arange(network.switches) != labels.root
        tree = frozenset(
            (min(switch, int(labels.parent[switch])), max(switch, int(labels.parent[switch])))
            for switch in np.flatnonzero(children).tolist()
        )
        return LinkClasses(labels.root, tree, tuple(labels.level[: network.switches].tolist()))

    def spanning_tree(self, routing: SpamRouting) -> list[int]:
        """Return the parent of each switch in the tree of the labels."""
        return routing.labels.parent[: routing.network.switches].tolist()

    def table_names(self, routing: SpamRouting) -> TableNames:
        """Return names of keys: a header's target vertex, its destination or the lowest common ancestor of several."""
        network = routing.network
        return TableNames(tuple(map(network.vertex_name, range(network.vertices))), CLASS_NAMES)


FAMILY = SpamFamily()
