"""Generator: modules of a design, structures, routers of plans, wiring of channels, and refused designs."""

import gc
import re
from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Module, UnusedElaboratable
from amaranth.lib.wiring import In, Out

from rtl.generator.fabric import Fabric
from rtl.generator.network import NetworkTop, generate_network
from rtl.generator.plan import NetworkPlan, RouterInstance, plan_routers
from rtl.generator.structure import Constant, SharedModule, Slice, StructuralPart, Structure
from rtl.generator.structure_verilog import structure_verilog
from rtl.generator.verilog import ModuleLibrary
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.parts.arbiter import AgeMatrix, PairwiseArbiter, RoundRobinArbiter
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.flit import flit_layout
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.monitor import TransferMonitor
from rtl.parts.part import Part, instantiate
from rtl.spam.multicast_key import MulticastKey
from rtl.spam.network import spam_plan
from rtl.spam.ocrq import ConflictQueues, OutputRequestQueues
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.split_enqueue import SplitRequestQueues
from rtl.torus.network import torus_plan
from tests.networks import figure_1, ring
from topology.common.flits import HeaderFormat
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.common.virtual_channels import VcNetwork
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# Modules of a design: one for parts that are the same, several for parts that only look alike.


def tree(*edges: tuple[int, int]) -> SpamLabels:
    """Four switches with a processor each, under root 0."""
    return SpamLabels(Network(4, list(edges), [0, 1, 2, 3]), 0)


CHAIN, STAR = tree((0, 1), (1, 2), (2, 3)), tree((0, 1), (0, 2), (0, 3))


def modules_of(text: str) -> dict[str, str]:
    """Bodies of the modules in Verilog by name."""
    return dict(re.findall(r"^module (\w+)\((.*?)^endmodule", text, re.MULTILINE | re.DOTALL))


def test_keys_of_two_trees_are_two_modules():
    """Same class, same ports, same name; the trees differ, and so do the keys that they find."""
    library = ModuleLibrary()
    names = [library.add(MulticastKey(labels), "multicast_key") for labels in (CHAIN, STAR, CHAIN)]
    assert names == ["multicast_key", "multicast_key_variant2", "multicast_key"]
    assert library.modules == names[:2]
    bodies = modules_of(library.verilog())
    assert bodies[names[0]] != bodies[names[1]]


class Adder(Part):
    """Adds a constant that is not part of its name."""

    def __init__(self, constant: Any):
        self.constant = constant
        super().__init__("adder", {"i": In(8), "o": Out(8)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.o.eq(self.i + (self.constant[0] if isinstance(self.constant, list) else self.constant))
        return m


class Chain(Part):
    """Adders one after the other."""

    def __init__(self, constants: tuple[Any, ...]):
        self.constants = constants
        super().__init__("chain", {"i": In(8), "o": Out(8)})

    def elaborate(self, platform):
        m: Any = Module()
        value = self.i
        for number, constant in enumerate(self.constants):
            adder = instantiate(m, platform, f"adder_{number}", Adder(constant))
            m.d.comb += adder.i.eq(value)
            value = adder.o
        m.d.comb += self.o.eq(value)
        return m


class WrittenChain(StructuralPart):
    """A container without logic of its own."""

    def __init__(self, constants: tuple[int, ...]):
        self.constants = constants
        super().__init__("written_chain", {"i": In(8), "o": Out(8)})

    def structure(self):
        structure = Structure(self)
        value = structure.ports["i"]
        for number, constant in enumerate(self.constants):
            adder = structure.instance(f"adder_{number}", SharedModule(lambda constant=constant: Adder(constant)))
            adder.connect("i", value)
            value = adder.output("o")
        structure.outputs["o"] = value
        return structure


@pytest.mark.parametrize("make", [Chain, WrittenChain])
def test_a_part_that_is_used_gets_the_module_of_its_content(make):
    library = ModuleLibrary(prefix="noc_")
    library.add(make((3, 5, 3)), "noc")
    assert library.modules == ["noc_adder", "noc_adder_variant2", "noc"]
    bodies = modules_of(library.verilog())
    used = re.findall(r"^  (noc_adder\w*) adder_(\d)", bodies["noc"], re.MULTILINE)
    assert sorted(used, key=lambda use: use[1]) == [("noc_adder", "0"), ("noc_adder_variant2", "1"), ("noc_adder", "2")]
    assert "i + 8'h03" in bodies["noc_adder"]
    assert "i + 8'h05" in bodies["noc_adder_variant2"]


def test_users_of_parts_that_differ_differ():
    library = ModuleLibrary()
    names = [library.add(Chain(constants), "chain") for constants in ((1, 2), (1, 3), (1, 2))]
    assert names == ["chain", "chain_variant2", "chain"]


def test_what_cannot_be_compared_is_converted():
    """Two lists that are equal, and one that is not: the content decides."""
    library = ModuleLibrary()
    names = [library.add(Adder(constant), "adder") for constant in ([1], [1], [2], 1)]
    assert names == ["adder", "adder", "adder_variant2", "adder"]


def test_a_new_name_is_nobody_elses():
    library = ModuleLibrary()
    names = [library.add(Adder(number), name) for number, name in ((1, "a_variant2"), (1, "a"), (2, "a"), (3, "a"))]
    assert names == ["a_variant2", "a", "a_variant3", "a_variant4"]


@pytest.mark.parametrize(("value", "width"), [(8, 3), (-1, 3), (1, 0)])
def test_a_constant_that_does_not_fit_is_refused(value, width):
    most = (1 << width) - 1
    with pytest.raises(ValueError, match=rf"^Constant of {width} bits is {value}; it must be from 0 to {most}$"):
        Constant(value, width)


def test_a_constant_that_does_not_fit_its_port_is_refused():
    instance = Structure(TransferMonitor(3)).instance("monitor", SharedModule(lambda: TransferMonitor(3)))
    instance.tie("valid", 7)
    with pytest.raises(ValueError, match=r"^Port ready of monitor must get a constant of 3 bits, not 8$"):
        instance.tie("ready", 8)


def test_a_router_whose_table_is_too_large_is_refused():
    plan = spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16))
    instance = plan.routers[2]
    wrong = replace(instance, constants={**instance.constants, "routes": 1 << 10_000})
    routers = (*plan.routers[:2], wrong, *plan.routers[3:])
    with pytest.raises(ValueError, match=r"^Port routes of router_s2 must get a constant of \d+ bits, not 1995"):
        generate_network(replace(plan, routers=routers))


def test_a_shape_has_the_name_of_its_module():
    """The manifest names the module of each router by it."""
    plan = spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16))
    shapes = {f"other_{name}": make for name, make in plan.shapes.items()}
    routers = tuple(replace(instance, shape=f"other_{instance.shape}") for instance in plan.routers)
    with pytest.raises(ValueError, match=r"^Router shape 'other_\w+' must be the module name of its part, not '\w+'$"):
        generate_network(replace(plan, shapes=shapes, routers=routers))


def test_a_part_may_be_made_for_its_parameters_alone(recwarn, monkeypatch):
    monkeypatch.setattr(UnusedElaboratable, "_MustUse__silence", False)  # as it is once something is elaborated
    gc.collect()
    recwarn.clear()  # of parts that earlier tests have left
    RoundRobinArbiter(3)
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


# Structures: refused parameters, and their text.

TEXT = """\
module top(
  clk,
  rst,
  valid,
  ready,
  moved
);
  input clk;
  input rst;
  input [2:0] valid;
  input [2:0] ready;
  output [2:0] moved;
  wire [2:0] unused_0;
  wire [2:0] arbiter__chosen;
  wire [4:0] \\release ;
  assign \\release  = {3'h5, valid[1:0]};
  round_robin_arbiter_3 silent (
    .chosen(unused_0),
    .clk(clk),
    .eligible(valid),
    .rst(rst)
  );
  round_robin_arbiter_3 arbiter (
    .chosen(arbiter__chosen),
    .clk(clk),
    .eligible({\\release [4], ready[0], valid[2]}),
    .rst(rst)
  );
  assign moved = arbiter__chosen;
endmodule
"""


def module_of(part):
    return part.module_name, ("clk", "rst")


@pytest.fixture
def structure():
    return Structure(TransferMonitor(3))


@pytest.fixture
def arbiter():
    return SharedModule(lambda: RoundRobinArbiter(3))


def test_text(structure, arbiter):
    valid, ready = structure.ports["valid"], structure.ports["ready"]
    structure.instance("silent", arbiter).connect("eligible", valid)
    instance = structure.instance("arbiter", arbiter)
    keyword = structure.name("release", (Slice(valid, 0, 2), Constant(5, 3)))
    instance.connect("eligible", (Slice(valid, 2, 1), Slice(ready, 0, 1), Slice(keyword, 4, 1)))
    structure.outputs["moved"] = instance.output("chosen")
    assert structure_verilog("top", structure, module_of) == TEXT


def test_wrong_width(structure, arbiter):
    instance = structure.instance("arbiter", arbiter)
    with pytest.raises(ValueError, match=r"^Port eligible of arbiter must get 3 bits, not 4$"):
        instance.connect("eligible", Constant(0, 4))


def test_something_open(structure, arbiter):
    instance = structure.instance("arbiter", arbiter)
    with pytest.raises(ValueError, match=r"^Input eligible of arbiter must be connected$"):
        structure_verilog("top", structure, module_of)
    instance.connect("eligible", Constant(0, 3))
    with pytest.raises(ValueError, match=r"^Output moved of top must be connected$"):
        structure_verilog("top", structure, module_of)


# Routers of plans: switches that share a shape, the order of shapes, and the constants of each router.


class Named(Part):
    def __init__(self, size: int):
        super().__init__(f"size_{size}", {})


def test_switches_of_one_shape_share_it_and_constants_are_their_own():
    sizes = [30, 2, 2, 30, 7]
    shapes, routers = plan_routers(Named, sizes, lambda switch, size: {"switch": switch, "size": size})
    assert list(shapes) == ["size_30", "size_2", "size_7"]
    assert [make().module_name for make in shapes.values()] == list(shapes)
    assert [router.shape for router in routers] == [f"size_{size}" for size in sizes]
    assert [router.constants for router in routers] == [{"switch": i, "size": size} for i, size in enumerate(sizes)]
    assert list(plan_routers(Named, sizes, lambda _switch, _size: {}, order=int)[0]) == ["size_2", "size_7", "size_30"]


PLANS = {
    "spam": lambda: spam_plan(SpamRouting(SpamLabels(figure_1()), 16)),
    "min": lambda: min_plan(MinRouting(MinNetwork("baseline", 2, 3), 16)),
    "harts": lambda: harts_plan(HartsRouting(HexMesh(2), 40), packet_flits=9),
    "torus": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(3, 3), 2), 16)),
    "hypercube": lambda: hypercube_plan(HypercubeRouting(HypercubeNetwork(3, 2), 16)),
}


@pytest.mark.parametrize("family", PLANS)
def test_nobody_gets_what_nobody_asked_for(family):
    """The fault costs LUTs and changes no compared signal."""
    plan = PLANS[family]()
    assert (plan.counters, plan.loadable_tables, plan.clearable_status) == (False, False, False)


def test_keys_of_processors_are_those_of_unicasts_alone():
    """A unicast's header has no bits of destinations, so no sound one would show the fault."""
    labels = SpamLabels(figure_1())
    parameters = next(iter(spam_plan(SpamRouting(labels, 16)).shapes.values()))().parameters
    network = labels.network
    assert list(parameters.multicast_keys) == list(range(network.switches))
    assert network.processor_vertex(0) not in parameters.multicast_keys


@pytest.mark.parametrize(("family", "tells"), [("spam", False), ("min", True)])
def test_only_multistage_switches_say_which_requests_branch(family, tells):
    parameters = next(iter(PLANS[family]().shapes.values()))().parameters
    assert parameters.tells_branching == tells


# Wiring of channels in the fabric: VCs by their valid bits and credits, everything else by valid and ready.

WITHOUT_VCS = {
    "spam": lambda: spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16)),
    "spam-staged": lambda: spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16), link_cycles=2),
    "min": lambda: min_plan(MinRouting(MinNetwork("omega", 2, 3), 16)),
    "harts": lambda: harts_plan(HartsRouting(HexMesh(2), 40), packet_flits=9),
}
WITH_VCS = {
    "torus": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(2, 3), 2), 16)),
    "one-lane": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(2, 3, wraps=False), 1), 16)),
    "hypercube": lambda: hypercube_plan(HypercubeRouting(HypercubeNetwork(2, 2, 2), 16)),
}
FLOWING = Constant(1, 1)


@pytest.fixture
def vcs_connected(monkeypatch):
    """Channels that the fabric wires as VCs."""
    seen, connect = [], Fabric._connect_vc

    def noted(self, channel):
        seen.append(channel)
        return connect(self, channel)

    monkeypatch.setattr(Fabric, "_connect_vc", noted)
    return seen


def fabric_of(plan: NetworkPlan) -> Fabric:
    return Fabric(Structure(NetworkTop(plan)), plan)


@pytest.mark.parametrize("name", WITHOUT_VCS)
def test_no_other_network_has_vcs(name, vcs_connected):
    plan = WITHOUT_VCS[name]()
    assert not isinstance(plan.network, VcNetwork)
    fabric = fabric_of(plan)
    assert vcs_connected == []
    assert FLOWING not in fabric.ready


@pytest.mark.parametrize("name", WITH_VCS)
def test_vcs_are_the_channels_between_switches(name, vcs_connected):
    plan = WITH_VCS[name]()
    fabric, network = fabric_of(plan), plan.network
    between = [c for c in network.channels if network.is_switch(c.source) and network.is_switch(c.sink)]
    assert vcs_connected == between
    assert [c for c, ready in zip(network.channels, fabric.ready, strict=True) if ready == FLOWING] == between


# Bad parameters are refused with a message that names the value and the limit.

HEADER = HeaderFormat((("lca", 4), ("source", 3)), 8, 16)
ROUTING = SpamRouting(SpamLabels(ring(3)), 16)


def router(**changes):
    return SpamRouterParameters(**{"ports": 3, "vertices": 12, "header": HEADER, **changes})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: flit_layout(7), "Flit width is 7; it must be 8 to 512 bits"),
        (lambda: InputBuffer(16, 0), "Buffer depth is 0; it must be a positive integer"),
        (lambda: InputBuffer(16, 2.0), "Buffer depth is 2.0; it must be a positive integer"),
        (lambda: InputBuffer(16, 4, 0), "Header length is 0; it must be a positive integer"),
        (lambda: InputBuffer(16, 2, 3), "Buffer depth is 2; it must be at least the header length of 3 flits"),
        (lambda: RoundRobinArbiter(0), "Number of requesters is 0; it must be a positive integer"),
        (lambda: RoundRobinArbiter(True), "Number of requesters is True; it must be a positive integer"),
        (lambda: AgeMatrix("3"), "Number of members is '3'; it must be a positive integer"),
        (lambda: ReplicatingCrossbar(16, 0, 1), "Number of inputs is 0; it must be a positive integer"),
        (lambda: ReplicatingCrossbar(16, 1, -1), "Number of outputs is -1; it must be a positive integer"),
        (lambda: OutputRequestQueues(0), "Number of ports is 0; it must be a positive integer"),
        (lambda: SplitRequestQueues(None), "Number of ports is None; it must be a positive integer"),
        (lambda: router(ports=33), "Number of ports is 33; it must be an integer from 1 to 32"),
        (lambda: router(vertices=17), "Number of vertices is 17; it must be an integer from 1 to 16"),
        (lambda: router(buffer_flits=0), "Buffer size in flits is 0; it must be an integer from 1 to 1024"),
        (lambda: router(routing_cycles=0), "Routing delay in cycles is 0; it must be an integer from 1 to 1024"),
        (lambda: router(routing_cycles=1.5), "Routing delay in cycles is 1.5; it must be an integer from 1 to 1024"),
        (lambda: router(fast=True), "Routing delay in cycles is 1; it must be 2 with a fast pipeline"),
        (
            lambda: router(fast=True, routing_cycles=2, atomic_enqueue=False),
            "Atomic enqueue is False; it must be True with a fast pipeline",
        ),
        (lambda: PairwiseArbiter(0), "Number of requesters is 0; it must be a positive integer"),
        (lambda: ConflictQueues(0), "Number of ports is 0; it must be a positive integer"),
        (lambda: router(atomic_enqueue="split"), "Atomic enqueue is 'split'; it must be True or False"),
        (
            lambda: router(header=HeaderFormat((("lca", 4),), 1025, 16)),
            "Number of processors is 1025; it must be an integer from 1 to 1024",
        ),
        (lambda: spam_plan(ROUTING, enqueue="serial"), "Enqueue is 'serial'; it must be one of atomic, split"),
        (
            lambda: generate_network(spam_plan(ROUTING), "3noc"),
            "Name of the top module is '3noc'; it must be a Verilog identifier",
        ),
        (
            lambda: generate_network(spam_plan(ROUTING), "module"),
            "Name of the top module is 'module'; it must be a Verilog identifier",
        ),
        (
            lambda: generate_network(spam_plan(ROUTING), "bit"),
            "Name of the top module is 'bit'; it must be a Verilog identifier",
        ),
        (lambda: TransferMonitor(0), "Number of streams is 0; it must be a positive integer"),
        (lambda: NetworkPlan("spam", ring(3), HEADER, {}, (), {}), "A plan must have 3 routers, one per switch, not 0"),
        (
            lambda: NetworkPlan("spam", ring(3), HEADER, {"p3": lambda: None}, (RouterInstance("p4", {}),) * 3, {}),
            "Router shape is 'p4'; it must be one of p3",
        ),
    ],
)
def test_bad_parameter(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()
