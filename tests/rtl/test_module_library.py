"""Modules of a design: one for parts that are the same, several for parts that only look alike."""

import gc
import re
from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Module, UnusedElaboratable
from amaranth.lib.wiring import In, Out

from rtl.generator.network import generate_network
from rtl.generator.structure import Constant, SharedModule, StructuralPart, Structure
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.monitor import TransferMonitor
from rtl.parts.part import Part, instantiate
from rtl.spam.multicast_key import MulticastKey
from rtl.spam.network import spam_plan
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


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


def test_ports_of_one_name_and_two_widths():
    library = ModuleLibrary()
    assert library.add(RoundRobinArbiter(2), "arbiter") == "arbiter"
    assert library.add(RoundRobinArbiter(3), "arbiter") == "arbiter_variant2"


@pytest.mark.parametrize(("value", "width"), [(8, 3), (-1, 3), (1, 0)])
def test_a_constant_that_does_not_fit_is_refused(value, width):
    most = (1 << width) - 1
    with pytest.raises(ValueError, match=rf"^Constant of {width} bits must be from 0 to {most}, not {value}$"):
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
    RoundRobinArbiter(3)
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []
