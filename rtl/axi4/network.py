# (a top that is written as text is not elaborated)
"""Two networks with AXI4 ends: one for requests, one for responses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.axi4.manager import ManagerInterface
from rtl.axi4.ports import axi4_members, lite_constants, lite_members
from rtl.axi4.subordinate import ID_BITS, SubordinateInterface
from rtl.axi4.timeout import INSIDE, OUTSIDE, SubordinateTimeout
from rtl.axi4.window_key import WindowKey
from rtl.endpoints.axi_ends import Beat, StreamEnds, StreamOptions
from rtl.endpoints.axi_network import AxiStreamTop, plan_modes
from rtl.generator.plan import Addressing, NetworkPlan
from rtl.generator.structure import ModuleInstance, SharedModule, StructuralPart, Structure
from topology.axi4.address_map import AddressMap
from topology.axi4.words import Axi4Format

MANAGER, SUBORDINATE = "s_axi", "m_axi"
REQUESTS, RESPONSES = "requests", "responses"


@dataclass(frozen=True)
class Axi4Plan:
    """Everything that determines the hardware.

    Parameters:
        requests, responses: Networks with the same processors.
        axi: Widths.
        areas: The address map.
        managers: Processors with a manager.
        write_beats: Capacity of the store of writes of a manager.
        whole: Writes are stored until they are complete.
        pipelined: An ID may have several transactions to one target, see ``ManagerInterface``.
        pending: Transactions that a subordinate may have under way, in each direction.
        cut_beats: Most beats of a piece of a burst, see ``ManagerInterface``; 0 for whole bursts.
        lite: Processors with AXI4-Lite ports. Their regions are single.
        timeout_cycles: Before a subordinate has stopped, see ``SubordinateTimeout``; 0 for never.
        delivery_buffer_flits: Capacity of a ``PacketBuffer`` in front of each interface, in both networks; 0 for none.

    Raises:
        ValueError: If the networks do not fit the widths, or each other.
    """

    requests: NetworkPlan
    responses: NetworkPlan
    axi: Axi4Format
    areas: AddressMap
    managers: tuple[int, ...]
    write_beats: int = 512
    whole: bool = True
    pipelined: bool = False
    pending: int = 4
    cut_beats: int = 0
    lite: tuple[int, ...] = ()
    timeout_cycles: int = 0
    delivery_buffer_flits: int = 0

    def __post_init__(self):
        least = {REQUESTS: self.axi.min_request_bits, RESPONSES: self.axi.min_response_bits}
        for name, bits in least.items():
            plan: NetworkPlan = getattr(self, name)
            if plan.flit_bits < bits:
                raise ValueError(f"flit_bits of the {name} is {plan.flit_bits!r}; it must be at least {bits}")
            if len(plan.network.processors) != self.axi.processors:
                raise ValueError(f"Network of the {name} has {len(plan.network.processors)} processors, not as many")
        if self.axi.windows != len(self.areas.windows):
            raise ValueError(f"windows is {self.axi.windows!r}; it must be {len(self.areas.windows)}")
        if self.axi.masks and not isinstance(self.requests.addressing, Addressing):
            raise ValueError(f"Family of the requests is {self.requests.family}; it must have multicasts for masks")
        if self.copies and not self.whole:
            text = f"Family of the requests is {self.requests.family}; without whole writes it must have multicasts"
            raise ValueError(f"{text} for windows")

    @property
    def copies(self) -> bool:
        """True if writes to windows are sent to one receiver after the other: the network has no multicasts."""
        return self.axi.windows > 0 and not isinstance(self.requests.addressing, Addressing)

    @cached_property
    def keyed_requests(self) -> NetworkPlan:
        """The network of the requests. Its senders look up the keys of windows, and compute none."""
        plan, addressing = self.requests, self.requests.addressing
        if not (self.axi.windows and isinstance(addressing, Addressing)):
            return plan
        ends = (self.areas, self.managers, self.axi.processors, plan.header.fields[0][1], addressing.set_key)
        return replace(plan, addressing=replace(addressing, key=lambda: WindowKey(*ends), key_cycles=0))

    @property
    def header_word_bits(self) -> int:
        """Bits of a response's first word that its header has, see ``Axi4Format``."""
        return self.axi.header_word_bits(self.responses.header)

    @property
    def subordinates(self) -> tuple[int, ...]:
        """Processors with a subordinate."""
        return self.areas.subordinates

    def members(self, prefix: str, processor: int) -> dict[str, Any]:
        """Return the port of a processor's manager or subordinate."""
        is_manager = prefix == MANAGER
        if processor in self.lite:
            return lite_members(self.axi, faces_manager=is_manager)
        id_bits, masks = (self.axi.id_bits, self.axi.masks) if is_manager else (ID_BITS, False)
        return axi4_members(self.axi, id_bits, faces_manager=is_manager, masks=masks)

    def make_manager(self) -> ManagerInterface:
        """Return the interface of a manager."""
        return ManagerInterface(
            *(self.axi, self.areas, self.requests.flit_bits, self.responses.flit_bits),
            write_beats=self.write_beats,
            whole=self.whole,
            pipelined=self.pipelined,
            copies=self.copies,
            cut_beats=self.cut_beats,
        )

    def make_subordinate(self) -> SubordinateInterface:
        """Return the interface of a subordinate."""
        return SubordinateInterface(
            *(self.axi, self.requests.flit_bits, self.responses.flit_bits), pending=self.pending
        )

    def make_timeout(self) -> SubordinateTimeout:
        """Return the part between the interface of a subordinate and the subordinate. Only with a timeout."""
        return SubordinateTimeout(self.axi, self.timeout_cycles, self.pending)

    def manager_constants(self, processor: int) -> dict[str, int]:
        """Return the constants of a manager's interface."""
        areas, axi = self.areas, self.axi
        receivers = [len(areas.receivers(target, processor)) for target in range(len(areas.areas))]
        constants = {"node": processor, "reachable": sum(bool(count) << i for i, count in enumerate(receivers))}
        if axi.windows:
            bits = axi.processors.bit_length()
            constants["receivers"] = sum(n << i * bits for i, n in enumerate(receivers[len(areas.regions) :]))
        return constants


class Axi4Top(StructuralPart):
    """Networks, and the interfaces of all managers and subordinates.

    Parameters:
        plan
        moved: With the outputs ``requests_moved`` and ``responses_moved``.

    Members:
        s_axi_n{i}_awid, ..., s_axi_n{i}_rready: For the manager of processor i.
        m_axi_n{i}_awid, ..., m_axi_n{i}_rready: For the subordinate of processor i.
        m_axi_n{i}_error (Out(1)): It has stopped. Only with a timeout.
        requests_moved, responses_moved (Out(channels and stages)): ``moved`` of the networks; only if ``moved``.
    """

    def __init__(self, plan: Axi4Plan, *, moved: bool = False):
        self.plan = plan
        self.moved = moved
        self._manager = SharedModule(plan.make_manager)
        self._subordinate = SharedModule(plan.make_subordinate)
        self._timeout = SharedModule(plan.make_timeout)
        self._networks = {
            REQUESTS: SharedModule(_network(plan.keyed_requests, 0, moved=moved)),
            RESPONSES: SharedModule(_network(plan.responses, plan.header_word_bits, moved=moved)),
        }
        members: dict[str, Any] = {}
        for prefix, processors, _ in self._ends():
            for i in processors:
                members |= {f"{prefix}_n{i}_{name}": member for name, member in plan.members(prefix, i).items()}
                if prefix == SUBORDINATE and plan.timeout_cycles:
                    members[f"{prefix}_n{i}_error"] = Out(1)
        if moved:
            members |= {f"{name}_moved": Out(getattr(plan, name).links.moved_bits) for name in self._networks}
        super().__init__("axi4_network", members)

    def _ends(self) -> tuple[tuple[str, Sequence[int], int], ...]:
        plan = self.plan
        return (MANAGER, plan.managers, plan.axi.id_bits), (SUBORDINATE, plan.subordinates, ID_BITS)

    def structure(self):
        structure = Structure(self)
        networks = {name: structure.instance(name, module) for name, module in self._networks.items()}
        users: dict[tuple[str, str, int], ModuleInstance] = {}
        for prefix, processors, id_bits in self._ends():
            is_manager = prefix == MANAGER
            masks = is_manager and self.plan.axi.masks
            ports = axi4_members(self.plan.axi, id_bits, faces_manager=is_manager, masks=masks)
            for i in processors:
                module = self._manager if is_manager else self._subordinate
                end = structure.instance(f"{'manager' if is_manager else 'subordinate'}_n{i}", module)
                constants = self.plan.manager_constants(i) if is_manager else {"base": self.plan.areas.first_base(i)}
                for name, value in constants.items():
                    if name in module.inputs:
                        end.tie(name, value)
                guarded = not is_manager and self.plan.timeout_cycles > 0
                outer, outside = (self._add_timeout(structure, i, end, ports), OUTSIDE) if guarded else (end, "")
                own = self.plan.members(prefix, i)
                for name, member in ports.items():
                    port = f"{prefix}_n{i}_{name}"
                    if name not in own and member.flow == In:
                        outer.tie(f"{outside}{name}", lite_constants(self.plan.axi).get(name, 0))
                    elif member.flow == In:
                        outer.connect(f"{outside}{name}", structure.ports[port])
                    elif name in own:
                        structure.outputs[port] = outer.output(f"{outside}{name}")
                into, out = (REQUESTS, RESPONSES) if is_manager else (RESPONSES, REQUESTS)
                users[into, "s", i] = users[out, "m", i] = end
        ends = StreamEnds(structure, StreamOptions(delivery_buffer_flits=self.plan.delivery_buffer_flits))
        for name, network in networks.items():
            if self.moved:
                structure.outputs[f"{name}_moved"] = network.output("moved")
            for i in range(self.plan.axi.processors):
                _connect_source(network, i, users.get((name, "s", i)), name)
                _connect_sink(network, i, users.get((name, "m", i)), name, ends)
        return structure

    def _add_timeout(self, structure: Structure, i: int, end: ModuleInstance, ports: dict[str, Any]) -> ModuleInstance:
        """Place the timeout of a subordinate before its interface."""
        timeout = structure.instance(f"timeout_n{i}", self._timeout)
        for name, member in ports.items():
            if member.flow == Out:
                timeout.connect(f"{INSIDE}{name}", end.output(name))
            else:
                end.connect(name, timeout.output(f"{INSIDE}{name}"))
        structure.outputs[f"{SUBORDINATE}_n{i}_error"] = timeout.output("error")
        return timeout


def _network(plan: NetworkPlan, header_word_bits: int, *, moved: bool):
    mode = plan_modes(plan)[0]
    plain = replace(plan, moved=moved)
    return lambda: AxiStreamTop(plain, mode, header_word_bits=header_word_bits)


def _connect_source(network: ModuleInstance, i: int, end: ModuleInstance | None, name: str) -> None:
    """Connect an end, or none, to a network's input for packets."""
    inputs, prefix, own = network.module.inputs, f"s_axis_n{i}", name.removesuffix("s")
    for port in ("tdata", "tvalid", "tlast", "tdest", "tuser"):
        if f"{prefix}_{port}" not in inputs:
            continue
        if end is None or f"{own}_{port}" not in end.module.outputs:
            network.tie(f"{prefix}_{port}", 0)
        else:
            network.connect(f"{prefix}_{port}", end.output(f"{own}_{port}"))
    if end is not None:
        end.connect(f"{own}_tready", network.output(f"{prefix}_tready"))


def _connect_sink(network: ModuleInstance, i: int, end: ModuleInstance | None, name: str, ends: StreamEnds) -> None:
    """Connect an end, or none, to a network's output of packets."""
    prefix, own = f"m_axis_n{i}", name.removesuffix("s")
    if end is None:
        network.tie(f"{prefix}_tready", 1)
        return
    beat: Beat = {port: network.output(f"{prefix}_{port}") for port in ("tdata", "tlast")}
    valid, ready = network.output(f"{prefix}_tvalid"), end.output(f"{own}_tready")
    if ends.options.delivery_buffer_flits:
        beat, valid, buffer = ends.buffered(f"{own}_buffer_n{i}", beat, valid)
        buffer.connect("o__ready", ready)
        ready = buffer.output("i__ready")
    for port, bits in {**beat, "tvalid": valid}.items():
        end.connect(f"{own}_{port}", bits)
    network.connect(f"{prefix}_tready", ready)
