"""Measured designs, and the invocation of the tools."""

import subprocess

import pytest

from fpga.common import flow
from fpga.common.devices import DEVICES
from fpga.common.subject import TOP, network_subject, representative_switches, router_subject
from hydranoc.lockstep.tools import tool_environment
from rtl.spam.network import spam_plan
from tests.networks import figure_1
from topology.common.regular import mesh_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

TIMED = [device for device in DEVICES.values() if device.has_clock]


def plan_of(network, **settings):
    return spam_plan(SpamRouting(SpamLabels(network), 16), **settings)


def test_one_switch_per_shape_and_the_root_for_its_own():
    plan = plan_of(mesh_network((4, 4)))
    root = plan.parameters["root"]
    chosen = representative_switches(plan)
    assert list(chosen) == ["spam_router_p3", "spam_router_p4", "spam_router_p5"]
    assert chosen["spam_router_p5"] == root
    for shape, switch in chosen.items():
        assert plan.routers[switch].shape == shape

    def ones(switch: int) -> int:
        return sum(value.bit_count() for value in plan.routers[switch].constants.values())

    for switch, instance in enumerate(plan.routers):
        if instance.shape != "spam_router_p5":
            assert ones(switch) <= ones(chosen[instance.shape])


@pytest.mark.parametrize("switch", [-1, 6])
def test_a_switch_that_is_not_there(switch):
    with pytest.raises(ValueError, match=f"Switch must be 0 to 5, not {switch}"):
        router_subject(plan_of(figure_1()), switch)


@pytest.mark.parametrize("device", ["ecp5", "ice40-hx8k"])
@pytest.mark.parametrize("whole", [False, True])
def test_the_verilog_is_clean(device, whole, require_tool, tmp_path):
    verilator = require_tool("verilator")
    plan = plan_of(figure_1())
    subject = network_subject(plan) if whole else router_subject(plan, 3)
    (tmp_path / "design.v").write_text(subject.verilog(DEVICES[device]))
    command = [*verilator.command, "--lint-only", "-Wall", "--top-module", TOP, "design.v"]
    answer = subprocess.run(
        command, cwd=tmp_path, env=tool_environment(verilator), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert f"module {subject.module}(" in (tmp_path / "design.v").read_text()


@pytest.mark.parametrize("device", TIMED, ids=lambda device: device.name)
def test_scripts_name_files_without_a_path(device):
    script = flow.synthesis_script(device, "router", TOP)
    assert f"{device.synthesis} -top router\n" in script
    assert script.index("-top router") < script.index("design -reset") < script.index(f"-top {TOP}")
    arguments = flow.place_and_route_arguments(device, 7)
    assert arguments[arguments.index("--seed") + 1] == "7"
    assert "/" not in script + "".join(arguments)
    build = flow.build_script(device, [1, 7])
    assert build.count(f"\n{device.place_and_route} ") == 2
    assert "--seed 7 " in build


def test_whole_networks_have_options_of_their_own():
    device = DEVICES["ecp5"]
    usual, network = (flow.place_and_route_arguments(device, 1, network=whole) for whole in (False, True))
    assert "router2" not in usual
    assert network[network.index("--router") + 1] == "router2"
    assert "--router router2" in flow.build_script(device, [1], network=True)
