"""Bad parameters are refused with a message that names the value and the limit."""

import re

import pytest

from rtl.generator.network import generate_network
from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.parts.arbiter import AgeMatrix, RoundRobinArbiter
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.flit import flit_layout
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.monitor import TransferMonitor
from rtl.spam.network import spam_plan
from rtl.spam.ocrq import OutputRequestQueues
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.split_enqueue import SplitRequestQueues
from tests.networks import ring
from topology.common.flits import HeaderFormat
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

HEADER = HeaderFormat((("lca", 4), ("source", 3)), 8, 16)
ROUTING = SpamRouting(SpamLabels(ring(3)), 16)


def router(**changes):
    return SpamRouterParameters(**{"ports": 3, "vertices": 12, "header": HEADER, **changes})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: flit_layout(7), "Flit width must be 8 to 512 bits, not 7"),
        (lambda: InputBuffer(16, 0), "Buffer depth must be a positive integer, not 0"),
        (lambda: InputBuffer(16, 2.0), "Buffer depth must be a positive integer, not 2.0"),
        (lambda: InputBuffer(16, 4, 0), "Header length must be a positive integer, not 0"),
        (lambda: InputBuffer(16, 2, 3), "Buffer depth must be at least the header length of 3 flits, not 2"),
        (lambda: RoundRobinArbiter(0), "Number of requesters must be a positive integer, not 0"),
        (lambda: RoundRobinArbiter(True), "Number of requesters must be a positive integer, not True"),
        (lambda: AgeMatrix("3"), "Number of members must be a positive integer, not '3'"),
        (lambda: ReplicatingCrossbar(16, 0, 1), "Number of inputs must be a positive integer, not 0"),
        (lambda: ReplicatingCrossbar(16, 1, -1), "Number of outputs must be a positive integer, not -1"),
        (lambda: OutputRequestQueues(0), "Number of ports must be a positive integer, not 0"),
        (lambda: SplitRequestQueues(None), "Number of ports must be a positive integer, not None"),
        (lambda: router(ports=33), "Number of ports must be an integer from 1 to 32, not 33"),
        (lambda: router(vertices=17), "Number of vertices must be an integer from 1 to 16, not 17"),
        (lambda: router(buffer_flits=0), "Buffer size in flits must be an integer from 1 to 1024, not 0"),
        (lambda: router(routing_cycles=0), "Routing delay in cycles must be an integer from 1 to 1024, not 0"),
        (lambda: router(routing_cycles=1.5), "Routing delay in cycles must be an integer from 1 to 1024, not 1.5"),
        (lambda: router(atomic_enqueue="split"), "Atomic enqueue must be True or False, not 'split'"),
        (
            lambda: router(header=HeaderFormat((("lca", 4),), 1025, 16)),
            "Number of processors must be an integer from 1 to 1024, not 1025",
        ),
        (lambda: spam_plan(ROUTING, enqueue="serial"), "Enqueue must be one of atomic, split, not 'serial'"),
        (
            lambda: generate_network(spam_plan(ROUTING), "3noc"),
            "Name of the top module must be a Verilog identifier, not '3noc'",
        ),
        (
            lambda: generate_network(spam_plan(ROUTING), "module"),
            "Name of the top module must be a Verilog identifier, not 'module'",
        ),
        (lambda: TransferMonitor(0), "Number of streams must be a positive integer, not 0"),
        (lambda: NetworkPlan("spam", ring(3), HEADER, {}, (), {}), "A plan must have 3 routers, one per switch, not 0"),
        (
            lambda: NetworkPlan("spam", ring(3), HEADER, {"p3": lambda: None}, (RouterInstance("p4", {}),) * 3, {}),
            "Router shape must be one of p3, not 'p4'",
        ),
    ],
)
def test_bad_parameter(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()
