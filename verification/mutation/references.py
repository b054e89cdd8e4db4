"""References for mutants: parts and networks that ``rtl`` generates, and the detectors of each.

A mutant that leaves the text of every reference unchanged has not changed the observable hardware. If a text has
changed, its detectors run: the proof of the part, the golden model in lock-step, or the named tests. They import
``rtl``, so this file is imported only in processes that judge one mutant.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from hydranoc import load
from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.plane.comparison import PlaneComparison
from rtl.axi4.export import generate_axi4
from rtl.collectives.generate import generate_plane
from rtl.collectives.register_top import generate_plane_with_registers
from rtl.endpoints.axi_injector import TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.harts.network import harts_plan
from tests.networks import five_port_network
from tests.proofs.catalog import PROOFS
from tests.proofs.claims import rtlil_of
from tests.rtl import test_axi_network, test_plane_registers, test_plane_verilog, test_port_arrays, test_verilog
from tests.rtl.test_harts_streams import ALL_COPIES
from tests.tb import test_axi4, test_axi_streams, workloads
from tests.tb import test_plane_lockstep as planes
from tests.tb import test_registers as registers
from tests.tb.comparisons import from_anything
from tests.tb.test_headers_lockstep import WIDE_HEADERS, WIDE_JOBS, loadable_min, loadable_spam, with_loaded_tables
from tests.tb.test_hosts_lockstep import spam_job as long_links
from tests.tb.test_resets import ROUTED, busy, counted
from tests.tb.workloads import FAULTS, Shape, every_broadcast, loaded, spam_comparison, staged_traffic
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC, PRIORITY_LOW
from topology.harts.graph import HexMesh
from topology.harts.reception import FIRST, VOTE
from topology.harts.routing import HartsRouting
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE
from topology.torus.routing import BALANCED, DALLY_SEITZ, DATELINE

PROOF, LOCKSTEP, TESTS = "proof", "lock-step", "test"


class Reference:
    """A part or a network.

    Members:
        name
        kind (str): Kind of detector: ``proof``, ``lock-step``, ``test``.
        text: The generated text.
    """

    kind = TESTS

    def __init__(self, name: str):
        self.name = name

    @cached_property
    def text(self) -> str:
        raise NotImplementedError


class ProvedPart(Reference):
    """A part with its claims, as in the catalogue of proofs."""

    kind = PROOF

    @property
    def proof(self):
        return PROOFS[self.name]

    @cached_property
    def text(self) -> str:
        return rtlil_of(self.proof.describe)


class ComparedNetwork(Reference):
    """A network that is compared with its golden model."""

    kind = LOCKSTEP

    def __init__(self, name: str, make: Callable[[], Comparison]):
        super().__init__(name)
        self._make = make

    @cached_property
    def comparison(self) -> Comparison:
        return self._make()

    @cached_property
    def text(self) -> str:
        harness = self.comparison.harness
        return f"{harness.verilog}\n{harness.table_words}"  # loaded tables are not in the Verilog


class ComparedPlane(Reference):
    """A collective plane that is compared with its golden model, and with the plain reference for inputs of no host."""

    kind = LOCKSTEP

    def __init__(self, name: str, make: Callable[[], tuple[PlaneComparison, Any]]):
        super().__init__(name)
        self._make = make

    @cached_property
    def job(self) -> tuple[PlaneComparison, Any]:
        return self._make()

    @cached_property
    def text(self) -> str:
        return generate_plane(self.job[0].plan, observes=True).files["plane.v"]


class TestedDesign(Reference):
    """Files of a design, and its pytest tests."""

    def __init__(self, name: str, files: Callable[[], Mapping[str, str]], *tests: str):
        super().__init__(name)
        self._files, self.tests = files, tests

    @cached_property
    def text(self) -> str:
        return "".join(f"{name}\n{text}" for name, text in self._files().items())


def _spam_job(cycles: int = 400, **settings: Any) -> Comparison:
    shape = Shape(**settings)
    routing = shape.routing(five_port_network(), root=0)
    return spam_comparison(routing, shape, staged_traffic(routing, cycles, seed=2, flits=12, loads=(0.3, 0.9)))


def _torus_job(*shape: Any, cycles: int = 500, **more: Any) -> Comparison:
    """Return a comparison from rows, columns, wraps, VCs, rule, then buffer and routing delay."""
    rows, columns, wraps, vcs, rule, buffer_flits, routing_cycles = shape
    routing = workloads.torus_routing(rows, columns, vcs, wraps=wraps, flit_bits=16, rule=rule)
    return workloads.torus_job(routing, buffer_flits, routing_cycles, cycles, **more)


def _hypercube_job(dimensions: int, vcs: int, buffer_flits: int, channels: int = 1, **more: Any) -> Comparison:
    routing = workloads.hypercube_routing(dimensions, vcs, injection_channels=channels)
    return workloads.hypercube_job(routing, buffer_flits, 700, **more)


def _held_back(family: str) -> Comparison:
    return workloads.holding_back(workloads.SMALL[family](), workloads.BEHAVIOURS["0.3"])


COMPARED: dict[str, Callable[[], Comparison]] = {
    "harts broadcasts": lambda: every_broadcast(3),  # in smaller ones no leg of a broadcast is longer than a step
    "harts algorithm a": lambda: every_broadcast(2, algorithm_a=True),
    **{f"{family} with resets": lambda family=family: from_anything(busy(family)) for family in (*ROUTED, "harts")},
    **{f"{name} wide": WIDE_JOBS[name] for name in WIDE_HEADERS},
    **{f"{family} held back": lambda family=family: _held_back(family) for family in workloads.SMALL},
    "spam narrow": lambda: _spam_job(flit_bits=8, buffer_flits=5, routing_cycles=3),
    "spam split": lambda: _spam_job(flit_bits=16, buffer_flits=1, enqueue="split"),
    "spam long links": lambda: long_links(3),
    "spam deep": lambda: _spam_job(flit_bits=16, buffer_flits=40, cycles=300),
    "spam counted": lambda: from_anything(counted(None, 300)),
    "spam loaded tables": lambda: with_loaded_tables(loadable_spam)[0],
    "min loaded tables": lambda: with_loaded_tables(loadable_min)[0],
    "min two channels": lambda: workloads.min_job("bi-butterfly", 2, 2, 2, 8, 3, 2, cycles=500),
    "min wide switches": lambda: workloads.min_job("baseline", 4, 1, 1, 16, 1, 1, cycles=500),
    "min printed release": lambda: workloads.min_job("omega", 2, 2, 1, 32, 1, 1, cycles=500, token="printed"),
    "harts faulty": lambda: loaded(2, 200, faults=FAULTS[2], guard=True),
    "harts slow": lambda: loaded(2, 200, buffer_flits=3, gap_frames=2, relay_frames=2),
    "torus dateline": lambda: _torus_job(2, 4, True, 2, DATELINE, 1, 1),
    "torus yields": lambda: _torus_job(2, 3, True, 2, DALLY_SEITZ, 4, 1, injection_priority=PRIORITY_LOW),
    "torus balanced": lambda: _torus_job(1, 5, True, 3, BALANCED, 3, 3),
    "mesh one lane": lambda: _torus_job(2, 3, False, 1, DALLY_SEITZ, 2, 1),
    "mesh empty lanes": lambda: _torus_job(1, 4, False, 4, DALLY_SEITZ, 8, 1, vc_reallocation=ATOMIC),
    "hypercube one lane": lambda: _hypercube_job(2, 1, 1),
    "hypercube tails": lambda: _hypercube_job(2, 3, 3, vc_reallocation=NON_ATOMIC, most_body_flits=3),
    "hypercube escape tails": lambda: _hypercube_job(2, 2, 4, 2, vc_reallocation=NON_ATOMIC_ESCAPE),
}

PLANES: dict[str, Callable[[], tuple[PlaneComparison, Any]]] = {
    **{f"plane {name}": make for name, make in planes.FAULTY.items()},
    **{f"plane {seed}": lambda seed=seed: (planes.random_job(seed), ()) for seed in planes.BY_DAY},
}

_REGISTERS = "tests/tb/test_registers.py::test_registers_do_what_the_map_says[icarus-{}]"
_MAPS = "tests/rtl/test_register_maps.py"
_STREAMS = {
    "narrow-tuser": ("tests/tb/test_axi_streams.py::test_pair[tuser-8]",),
    "pair": ("tests/tb/test_axi_streams.py::test_pair[leading_word-8]", "tests/tb/test_axi_streams.py"),
    "min-b-channels": ("tests/tb/test_axi_streams.py",),
    "mesh": ("tests/tb/test_axi_torus.py",),
    "torus": ("tests/tb/test_axi_torus.py", "tests/rtl/test_keys.py"),
    "hypercube": ("tests/tb/test_axi_torus.py",),
}
_NETWORKS = (
    *("smallest", "min-bi", "loadable", "harts", "harts-guarded", "mesh-line", "torus-ring"),
    *("hypercube-channels", "staged-harts", "staged"),
)


_MESH_STREAMS = "tests/rtl/test_harts_streams.py::test_every_packet_comes_out_as_often_as_it_should[{}]"
_RECEPTIONS = {"copies": ALL_COPIES, "first": FIRST, "vote": VOTE}


_AXI4_TESTS = (
    *("tests/rtl/test_axi4.py", "tests/rtl/test_axi4_manager.py", "tests/rtl/test_axi4_timeout.py"),
    *("tests/tb/test_axi4.py", "tests/hydranoc/test_axi4.py", "tests/proofs/test_axi4_paths.py"),
)


def _axi4(variant: str) -> Mapping[str, str]:
    return generate_axi4(test_axi4.plan_of_variant(variant)).files


def _streams_of_meshes(reception: str) -> Mapping[str, str]:
    settings: dict[str, Any] = {} if reception == "copies" else {"reception_entries": 8, "least_copies": 3}
    routing = HartsRouting(HexMesh(2), 40)
    plan = harts_plan(routing, packet_flits=9, reception=_RECEPTIONS[reception], **settings)
    return generate_axi_network(plan, TUSER).files


def _streams_of_other_clocks() -> Mapping[str, str]:
    source, _ = test_axi_streams.options_case(*test_axi_streams.OPTIONS["bytes-and-clocks"], packets=1)
    return {"noc.v": source.verilog}


def _port_arrays() -> Mapping[str, str]:
    return load(test_port_arrays.NETWORK).verilog("noc", TUSER, arrays=True, registers=True).files


def _plane_registers(name: str) -> Mapping[str, str]:
    return generate_plane_with_registers(test_plane_registers.registers_of(name, counters=True)).files


def _tested() -> list[Reference]:
    made: list[Reference] = []
    for name in registers.TESTS:
        tests = _REGISTERS.format(name), _MAPS
        made.append(TestedDesign(f"{name} registers", lambda name=name: registers.generated(name).files, *tests))
    for name, tests in _STREAMS.items():
        make = test_axi_network.design
        made.append(TestedDesign(f"{name} streams", lambda name=name, make=make: make(name).files, *tests))
    for name in _RECEPTIONS:
        tests = [_MESH_STREAMS.format("vote" if name == "first" else name), "tests/rtl/test_harts_streams.py"]
        tests += ["tests/tb/test_copy_collector.py"] if name != "copies" else []
        made.append(TestedDesign(f"harts {name} streams", lambda name=name: _streams_of_meshes(name), *tests))
    clocked = "tests/tb/test_axi_streams.py::test_bytes_and_clocks[bytes-and-clocks]"
    made.append(TestedDesign("clocks streams", _streams_of_other_clocks, "tests/rtl/test_axi_ends.py", clocked))
    made.append(TestedDesign("port arrays", _port_arrays, "tests/rtl/test_port_arrays.py"))
    for name in test_plane_verilog.PLANES:
        tests = "tests/rtl/test_plane_verilog.py", "tests/rtl/test_plane.py"
        made.append(TestedDesign(f"{name} plane", lambda name=name: test_plane_verilog.plane(name).files, *tests))
    for name in test_plane_registers.PLANES:
        test = "tests/rtl/test_plane_registers.py"
        made.append(TestedDesign(f"{name} plane registers", lambda name=name: _plane_registers(name), test))
    for name in test_axi4.VARIANTS | test_axi4.OPTION_VARIANTS:
        made.append(TestedDesign(f"axi4 {name}", lambda name=name: _axi4(name), *_AXI4_TESTS))
    for name in _NETWORKS:
        tests = ("tests/rtl/test_verilog.py",)
        made.append(TestedDesign(f"{name} network", lambda name=name: test_verilog.design(name).files, *tests))
    return made


def references() -> list[Reference]:
    """Return all references, proofs first."""
    proved = [ProvedPart(name) for name, proof in PROOFS.items() if proof.quick]
    compared = [ComparedNetwork(name, make) for name, make in COMPARED.items()]
    compared_planes = [ComparedPlane(name, make) for name, make in PLANES.items()]
    return [*proved, *compared, *compared_planes, *_tested()]
