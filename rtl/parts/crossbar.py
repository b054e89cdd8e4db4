"""Crossbar that copies one flit to any set of outputs in one cycle (asynchronous replication; SPAM Sec. 3.2)."""

from typing import Any

from amaranth.hdl import Module, Mux, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.output_register import OutputRegister
from rtl.parts.part import Part


class ReplicatingCrossbar(Part):
    """Output registers, each fed by any one input; one input may feed several at once.

    Latency 1 cycle from ``flits`` to the links; throughput 1 flit per cycle and output.

    Parameters:
        flit_bits: Data bits of a flit.
        inputs, outputs (int): Numbers of inputs and outputs, at least 1 each.

    Members:
        flits (In(flit_layout).array(inputs)): The flit that each input offers.
        select (In(inputs).array(outputs)): One-hot: the input whose flit an output takes when it loads.
        load (In(outputs)): Whether an output takes it in this cycle. Only outputs that are ``free`` may load.
        free (Out(outputs)): Whether an output register is empty or being emptied in this cycle.
        links (Out(link_signature).array(outputs)): The links that start here; ``valid`` and ``payload`` are registers.
    """

    def __init__(self, flit_bits: int, inputs: int, outputs: int):
        check_count("Number of inputs", inputs)
        check_count("Number of outputs", outputs)
        self.inputs = inputs
        self.outputs = outputs
        super().__init__(
            f"crossbar_{inputs}x{outputs}",
            {
                "flits": In(flit_layout(flit_bits)).array(inputs),
                "select": In(inputs).array(outputs),
                "load": In(outputs),
                "free": Out(outputs),
                "links": Out(link_signature(flit_bits)).array(outputs),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        flits = [Value.cast(flit) for flit in self.flits]
        for output, link in enumerate(self.links):
            select = self.select[output]
            # AND-OR: the selection is one-hot, so no priority logic is needed
            choice = Mux(select[0], flits[0], 0)
            for i in range(1, self.inputs):
                choice = choice | Mux(select[i], flits[i], 0)
            register = OutputRegister(m, link, f"output_{output}")
            m.d.comb += [
                Value.cast(register.following).eq(choice),
                self.free[output].eq(register.free),
                register.load.eq(self.load[output]),
            ]
        return m
