# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The half of a router behind its queues: the crossbar between input buffers and output registers.

Shared by every family with the inputs of ``routed_input``. A family drives the selection of each output's input, and
the outputs that load a flit.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Value
from amaranth.lib.wiring import connect, flipped

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.crossbar import ReplicatingCrossbar
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat


def instantiate_crossbar(m: Any, platform: object, parameters: RouterParameters, buffers: Sequence[Any]) -> Any:
    """Add the crossbar to a router with ``routed_members``.

    Parameters:
        m (Module)
        platform: Argument of ``elaborate``.
        buffers (sequence of InputBuffer): Of the inputs.

    Returns:
        ReplicatingCrossbar: Its ``free`` marks outputs that can load a flit.
    """
    crossbar = ReplicatingCrossbar(parameters.flit_bits, parameters.inputs, parameters.outputs)
    crossbar = instantiate(m, platform, "crossbar", crossbar)
    for i, buffer in enumerate(buffers):
        m.d.comb += crossbar.flits[i].eq(Value.cast(buffer.flit))
    return crossbar


def connect_outputs(m: Any, router: Part, crossbar: Any, select: Sequence[Any], loads: Sequence[Any]) -> None:
    """Connect the crossbar of a router with ``routed_members`` to its outputs, and to the grants.

    Parameters:
        m (Module)
        crossbar (ReplicatingCrossbar)
        select (sequence of Value): By output, a bit per input, one-hot: source of the output's next flit. It is
            independent of the output being free, and of other outputs of the same worm.
        loads (sequence of Value): By input, the outputs that load its flit in this cycle; only those that are ``free``.
    """
    for o, link in enumerate(router.outputs):
        connect(m, crossbar.links[o], flipped(link))
        m.d.comb += [crossbar.select[o].eq(select[o]), crossbar.load[o].eq(concat(load[o] for load in loads).any())]
