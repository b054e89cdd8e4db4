# (a specimen of a router only provides its ports)
"""Description of a network that a family passes to the network generator, and its routers: one shape for equal ones."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeVar

from rtl.parts.part import MAX_PORT_BITS, Part
from topology.common.channels import ChannelNetwork
from topology.common.flits import HeaderFormat
from topology.common.link_stages import LinkStages
from topology.common.side_wires import SideWire


@dataclass(frozen=True)
class RouterInstance:
    """The router of one switch.

    Parameters:
        shape: Key into ``NetworkPlan.shapes``.
        constants (mapping of str to int): Values of the router's constant input ports.
    """

    shape: str
    constants: Mapping[str, int]


@dataclass(frozen=True)
class Addressing:
    """Rule by which a sender's hardware encodes a destination set as a header.

    Parameters:
        key: Makes the part that computes the routing key. It has the members ``destinations`` (In, a bit per
            processor), ``key`` (Out, the header's first field) and ``multicast`` (Out(1), whether the header carries
            the bit string). It works for every set that is not empty, one destination included. If the key depends on
            the sender, it has a member ``node`` (In, the sender's number, a constant) as well.
        key_cycles: The key is valid this many cycles after ``destinations`` has changed, if it is stable until then; 0
            for a combinational part.
        unicast_keys: Key of a message to one processor alone, by processor. No multicast that reaches a processor has
            this key.
        node_fields: The header's fields after the first, packed, by sending processor.
        set_key: Sender and its destinations, as ``destinations_of`` of the routing gives them -> key.
        parameters: Manifest entries about the keys, for networks with AXI4-Stream ports.
    """

    key: Callable[[], Part]
    key_cycles: int
    unicast_keys: tuple[int, ...]
    node_fields: tuple[int, ...]
    set_key: Callable[[int, Sequence[int]], int]
    parameters: Mapping[str, object] = field(default_factory=dict)

    sender_bits = 0


@dataclass(frozen=True)
class UnicastAddressing:
    """Rule by which a sender's hardware builds a header that has one destination and no bit string.

    Parameters:
        key: Makes the combinational part that computes the key. It has the members ``destination`` (In, a processor's
            number), ``key`` (Out, the header's first field) and ``exists`` (Out(1), whether there is such a processor).
            If the key depends on the sender, it has a member ``node`` (In, the sender's number, a constant) as well.
        unicast_keys: Key of a message to each processor, with zeros in ``sender_bits``.
        sender_bits: Mask of the bits of a key that differ from sender to sender; the others name the destination.
        node_fields: The header's fields after the first, packed, by sending processor.
    """

    key: Callable[[], Part]
    unicast_keys: tuple[int, ...]
    sender_bits: int
    node_fields: tuple[int, ...]

    key_cycles = 0


@dataclass(frozen=True)
class StreamEndpoints:
    """AXI4-Stream endpoints that a family builds itself.

    Parameters:
        injector, ejector (function): Make parts with the members of ``AxiStreamInjector`` and ``AxiStreamEjector``, but
            without constants besides ``node``. Other outputs of the ejector become outputs of the network,
            ``m_axis_{name}_{output}``.
        parameters: Manifest entries about them.
    """

    injector: Callable[[], Part]
    ejector: Callable[[], Part]
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class StatusPart:
    """A part that monitors routers, and whose outputs are outputs of the network.

    Parameters:
        name: Instance name, and prefix of the network's ports.
        make: Makes the part. If it is called with True, the part has an input ``clear_{output}`` for each output in
            ``meanings``: bits that are 1 clear bits of the output, unless the event recurs in this cycle.
        watched (mapping of str to sequence of ((int, str) or SideWire)): Per input, the lowest bits first: switches
            with output ports, and side wires, of which the register stages are seen.
        meanings (mapping of str to str): Outputs that can change, and their meanings. An output whose ``clear_`` has
            one bit is a number.
    """

    name: str
    make: Callable[[bool], Part]
    watched: Mapping[str, Sequence[tuple[int, str] | SideWire]]
    meanings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NetworkPlan:
    """A network of routers of one family.

    Parameters:
        family: Name of the family.
        shapes (mapping of str to function): For each router shape a function that makes the router. A router has the
            members ``inputs`` and ``outputs``, one link per port, in the order of the network's port numbers.
        routers (sequence of RouterInstance): One per switch.
        parameters: Manifest entries about the family's parameters.
        addressing (Addressing, UnicastAddressing or None): Needed for endpoints that make headers themselves.
        endpoints: AXI4-Stream endpoints in place of those that ``addressing`` makes.
        moved: Exported tops have the output ``moved``. The lock-step harness always has.
        counters: Count the events on every channel.
        loadable_tables: The routers' tables are registers that have to be loaded, not constants.
        clearable_status: Tops have an input for each output of a status part that clears it.
        most_flits: The longest message that injectors send; None without a limit.
        link_cycles: Cycles from one router to the next: all links and side wires between routers have one register
            stage less.
    """

    family: str
    network: ChannelNetwork
    header: HeaderFormat
    shapes: Mapping[str, Callable[[], Part]]
    routers: tuple[RouterInstance, ...]
    parameters: Mapping[str, object]
    addressing: Addressing | UnicastAddressing | None = None
    endpoints: StreamEndpoints | None = None
    moved: bool = True
    counters: bool = False
    loadable_tables: bool = False
    clearable_status: bool = False
    most_flits: int | None = None
    side_wires: Sequence[SideWire] = ()
    status: Sequence[StatusPart] = ()
    link_cycles: int = 1

    def __post_init__(self):
        channels = self.links.moved_bits
        if channels > MAX_PORT_BITS:
            counted = "channels and stages of links" if self.links.hops else "channels"
            raise ValueError(f"A network must have at most {MAX_PORT_BITS} {counted} to be hardware, not {channels}")
        switches = self.network.switches
        if len(self.routers) != switches:
            raise ValueError(f"A plan must have {switches} routers, one per switch, not {len(self.routers)}")
        for router in self.routers:
            if router.shape not in self.shapes:
                raise ValueError(f"Router shape is {router.shape!r}; it must be one of {', '.join(self.shapes)}")

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits

    @cached_property
    def links(self) -> LinkStages:
        """The stages of the links."""
        return LinkStages(self.network, self.link_cycles)


Shape = TypeVar("Shape", bound=Hashable)


def plan_routers(
    make: Callable[[Shape], Part],
    parameters: Sequence[Shape],
    constants: Callable[[int, Shape], Mapping[str, int]],
    order: Callable[[Shape], int] = lambda _shape: 0,
) -> tuple[dict[str, Callable[[], Part]], tuple[RouterInstance, ...]]:
    """Return ``shapes`` and ``routers`` of a ``NetworkPlan``.

    Parameters:
        make: Makes a router from its parameters. Routers of one network with different parameters have different names.
        parameters: By switch: all parameters that determine the logic of its router.
        constants: (switch, its parameters) -> values of the router's constant input ports.
        order: Sort key of the shapes, for printed lists; equal ones are in the order of their first switch.
    """
    names = {shape: make(shape).module_name for shape in sorted(dict.fromkeys(parameters), key=order)}
    shapes = {name: partial(make, shape) for shape, name in names.items()}
    routers = (RouterInstance(names[shape], constants(switch, shape)) for switch, shape in enumerate(parameters))
    return shapes, tuple(routers)
