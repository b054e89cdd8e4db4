"""Rule 4 of a link: every output of a router, ready included, comes from a register of that router alone."""

import pytest

from hydranoc import load
from rtl.collectives.endpoint import PlaneEndpoint
from rtl.collectives.parameters import PlaneParameters, switch_shape
from rtl.collectives.plan import make_switch
from rtl.harts.parameters import PORTS
from rtl.harts.router import HartsNode
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from rtl.min.parameters import MinRouterParameters
from rtl.min.router import MinRouter
from rtl.min.tokens import TokenStation
from rtl.parts.ejector import MessageEjector
from rtl.parts.injector import MessageInjector
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.router import SpamRouter
from rtl.torus.network import torus_plan
from rtl.vc.delivery_buffer import DeliveryBuffer
from rtl.vc.parameters import InputShape
from rtl.vc.vc_input import VcInput
from tests.proofs.harts_pages import smallest_node
from tests.proofs.prove import REGISTERS, netlist_source, output_drivers, unregistered
from tests.proofs.route_unit import HEADERS
from tests.sampled import sampled
from tests.tb.mutations import ROOT, Mutation, copy_hardware, python_in_copy
from topology.common.side_wires import SideWire
from topology.common.virtual_channels import ATOMIC, PRIORITY_LOW
from topology.harts.graph import DIRECTIONS
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import DATELINE, TorusRouting

HEADER = HEADERS["three-flit"]
SHAPES = {
    "fast": {"ports": 3},
    "one-port": {"ports": 1},
    "five-ports-small-buffers": {"ports": 5, "header": HEADERS["one-flit"], "buffer_flits": 1},
    "delay": {"ports": 3, "routing_cycles": 4},
    "negative-control": {"ports": 3, "atomic_enqueue": False},
}
FAULT = Mutation(
    "makes ready combinational", "parts/input_buffer.py", "link.ready.eq(ready)", "link.ready.eq(ready | self.pop)"
)
CREDITS_AT_ONCE = Mutation(
    "makes credits combinational", "vc/vc_input.py", "m.d.sync += self.credits.eq", "m.d.comb += self.credits.eq"
)
WRITE = """
import sys
from tests.proofs import test_registered_outputs as parts
from tests.proofs.prove import netlist_source

sys.stdout.write(netlist_source(getattr(parts, sys.argv[1])(*sys.argv[2:])))
"""


def router(shape):
    return SpamRouter(SpamRouterParameters(**{"vertices": 4, "header": HEADER, **SHAPES[shape]}))


@pytest.mark.parametrize("shape", sampled(SHAPES, ("fast", "delay", "negative-control")))
def test_router_outputs_are_registers(shape, tmp_path):
    part = router(shape)
    drivers = output_drivers(netlist_source(part), tmp_path)
    assert len(drivers) == 3 * part.parameters.ports + 1  # discarding
    assert unregistered(drivers) == {}


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted(path.name for path in (ROOT / "examples").glob("*.yaml")))
def test_routers_of_examples_have_registered_outputs(example, tmp_path):
    plan = load(ROOT / "examples" / example).plan
    uses = [use for status in plan.status for of_input in status.watched.values() for use in of_input]
    watched = {use[1] for use in uses if not isinstance(use, SideWire)}
    for name, make in plan.shapes.items():
        folder = tmp_path / name
        folder.mkdir()
        # outputs that only a monitor reads may come out of logic, but only of logic behind registers
        drivers = output_drivers(netlist_source(make()), folder, watched)
        assert unregistered(drivers) == {}, name


@pytest.mark.parametrize("most_release_flits", sampled([0, 3], [3]))
def test_outputs_of_multistage_switches_are_registers(most_release_flits, tmp_path):
    part = MinRouter(MinRouterParameters(2, 3, 4, 2, most_release_flits, header=HEADER))
    drivers = output_drivers(netlist_source(part), tmp_path, ["here"])
    assert len(drivers) == 2 + 2 * 3 + 1 + (2 if most_release_flits else 0)  # discarding; token_out and here
    assert unregistered(drivers) == {}


def test_outputs_of_nodes_of_hexagonal_meshes_are_registers(tmp_path):
    drivers = output_drivers(netlist_source(HartsNode(smallest_node())), tmp_path)
    # ready; valid and payload; kept and wish; discarding
    assert len(drivers) == PORTS + 2 * PORTS + 2 * DIRECTIONS + 1
    assert unregistered(drivers) == {}


GRIDS = {
    "mesh": (Grid(3, 3, wraps=False), 2, {}, {}),
    "torus": (Grid(3, 3), 2, {}, {}),
    "torus-dateline-delay": (Grid(2, 3), 4, {"vc_rule": DATELINE}, {"routing_cycles": 3}),
    "torus-empty": (Grid(3, 3), 2, {}, {"vc_reallocation": ATOMIC, "buffer_flits": 1}),
    "torus-low-injection": (Grid(3, 3), 2, {}, {"injection_priority": PRIORITY_LOW}),
    "torus-one-lane": (Grid(3, 3), 1, {}, {"buffer_flits": 3}),
}


@pytest.mark.parametrize("name", sampled(GRIDS, ("torus-dateline-delay", "torus-empty")))
def test_outputs_of_switches_of_tori_and_meshes_are_registers(name, tmp_path):
    grid, vcs, rule, settings = GRIDS[name]
    plan = torus_plan(TorusRouting(TorusNetwork(grid, vcs), 16, **rule), **settings)
    for shape, make in plan.shapes.items():
        part, folder = make(), tmp_path / shape
        folder.mkdir()
        drivers = output_drivers(netlist_source(part), folder)
        links = part.shape.inputs - 1
        # valid, payload; credits; the host's ready; discarding
        assert len(drivers) == 2 * part.shape.outputs + links + 1 + 1
        assert unregistered(drivers) == {}, shape


@pytest.mark.parametrize("shape", sampled([(1, 1, 1), (2, 2, 1), (2, 3, 2)], [(2, 3, 2)]), ids=str)
def test_outputs_of_switches_of_hypercubes_are_registers(shape, tmp_path):
    dimensions, vcs, channels = shape
    part = HypercubeRouter(HypercubeRouterParameters(8, dimensions, vcs, 2, channels))
    drivers = output_drivers(netlist_source(part), tmp_path)
    # valid, payload; credits and releases; the hosts' ready; discarding
    assert len(drivers) == 2 * (dimensions + 1) + 2 * dimensions + channels + 1
    assert unregistered(drivers) == {}


def mesh_switch():
    """The middle one of three in a row."""
    plan = torus_plan(TorusRouting(TorusNetwork(Grid(1, 3, wraps=False), 2), 8), buffer_flits=1)
    return plan.shapes[plan.routers[1].shape]()


def test_combinational_credits_are_found(tmp_path):
    copy_hardware(tmp_path, CREDITS_AT_ONCE)
    found = unregistered(output_drivers(python_in_copy(tmp_path, WRITE, "mesh_switch").decode(), tmp_path))
    assert sorted(found) == ["credits_0", "credits_1"]


def test_what_vcs_tell_other_switches_comes_out_of_registers(tmp_path):
    link = VcInput(InputShape(8, 2, 2, 1, from_host=False, several_candidates=True, outputs=(2, 1)))
    host = VcInput(InputShape(8, 1, 2, 1, from_host=True, several_candidates=True, outputs=(2, 1)))
    for part, ports in (
        (link, ("credits", "discarding")),
        (host, ("link__ready", "discarding")),
        (DeliveryBuffer(8, 2), ("credit", "link__")),
    ):
        folder = tmp_path / part.module_name
        folder.mkdir()
        drivers = output_drivers(netlist_source(part), folder)
        assert all(any(port.startswith(prefix) for port in drivers) for prefix in ports)
        assert unregistered(drivers, ports) == {}


PLANES = {
    "all": PlaneParameters(2, 8),
    "sum": PlaneParameters(1, 8, (0,), timeouts=False),
    "barriers": PlaneParameters(2, 8, ()),
}


@pytest.mark.parametrize("name", sampled(PLANES, ("all", "barriers")))
def test_outputs_of_the_collective_plane_are_registers(name, tmp_path):
    plane = PLANES[name]
    endpoints = [] if plane.barriers_only else [PlaneEndpoint(plane)]
    switches = [make_switch(switch_shape(plane, 1, 1, has_parent=has_parent)) for has_parent in (False, True)]
    for part in (*switches, *endpoints):
        folder = tmp_path / part.module_name
        folder.mkdir()
        assert unregistered(output_drivers(netlist_source(part), folder)) == {}, part.module_name


def test_logic_is_looked_through(tmp_path):
    source = netlist_source(TokenStation(MinRouterParameters(2, 3, 4, 2, 3, header=HEADER)))
    assert not output_drivers(source, tmp_path)["here"] & REGISTERS
    through = output_drivers(source, tmp_path, ["here", "granted"])
    assert through["here"] <= REGISTERS
    assert "input" in through["granted"]


def test_injector_and_ejector_have_registered_links(tmp_path):
    for part, ports in ((MessageInjector(HEADER), ("link__",)), (MessageEjector(8), ("link__", "user__"))):
        folder = tmp_path / part.module_name
        folder.mkdir()
        assert unregistered(output_drivers(netlist_source(part), folder), ports) == {}


def test_combinational_ready_is_found(tmp_path):
    copy_hardware(tmp_path, FAULT)
    found = unregistered(output_drivers(python_in_copy(tmp_path, WRITE, "router", "fast").decode(), tmp_path))
    assert sorted(found) == ["inputs__0__ready", "inputs__1__ready", "inputs__2__ready"]
    assert not REGISTERS & {kind for kinds in found.values() for kind in kinds}
