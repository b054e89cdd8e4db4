# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The half of a router behind its queues: the crossbar between input buffers and output registers.

It is the same in every family with the inputs of ``routed_input``. A family says which input an output is about to
take a flit from, and drives which outputs take one.
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
    """Put the crossbar into a router with ``routed_members``.

    Parameters
    ----------
    m : Module
    platform : object
        What ``elaborate`` was given.
    parameters : RouterParameters
    buffers : sequence of InputBuffer
        Of the inputs.

    Returns
    -------
    ReplicatingCrossbar
        Its ``free`` says which outputs can take a flit.
    """
    crossbar = ReplicatingCrossbar(parameters.flit_bits, parameters.inputs, parameters.outputs)
    crossbar = instantiate(m, platform, "crossbar", crossbar)
    for i, buffer in enumerate(buffers):
        m.d.comb += crossbar.flits[i].eq(Value.cast(buffer.flit))
    return crossbar


def connect_outputs(m: Any, router: Part, crossbar: Any, select: Sequence[Any], loads: Sequence[Any]) -> None:
    """Connect the crossbar of a router with ``routed_members`` to its outputs, and to what decides about them.

    Parameters
    ----------
    m : Module
    router : Part
    crossbar : ReplicatingCrossbar
    select : sequence of Value
        By output, a bit per input, one-hot: from which one it would take a flit. It need not wait for the output to be
        free, nor for other outputs of the same worm.
    loads : sequence of Value
        By input, the outputs that take its flit in this cycle; only those that are ``free``.
    """
    for o, link in enumerate(router.outputs):
        connect(m, crossbar.links[o], flipped(link))
        m.d.comb += [crossbar.select[o].eq(select[o]), crossbar.load[o].eq(concat(load[o] for load in loads).any())]
