"""The shape of a switch of a hypercube."""

from dataclasses import dataclass

from rtl.generator.router_parameters import check_range
from rtl.vc.parameters import MAX_DEPTH
from topology.common.choice_orders import order_size, vc_order_size
from topology.common.virtual_channels import ATOMIC, MAX_VCS, MIN_ROOM_BUFFER_FLITS
from topology.hypercube.diagonals import code_bits, input_codes
from topology.hypercube.routing import ADAPTIVE_ONLY, RULES, RULES_IN_WORDS
from topology.hypercube.vc_reallocation import check_reuse, unshared_vcs

MAX_DIMENSIONS = 12
"""Limit for hardware; the golden model runs larger networks."""


@dataclass(frozen=True)
class HypercubeRouterParameters:
    """Parameters that determine the logic of a switch; its number is a constant on a port.

    Inputs and outputs have the numbers of the dimensions. Behind them come the injection channels on the input side,
    and the delivery channel on the output side. An input has no connection to the output of its own dimension.

    Parameters:
        flit_bits: Data bits of a flit.
        vcs: Virtual channels of each channel between switches, 1 to 8.
        buffer_flits: Flits of a virtual channel's buffer, 1 to 16.
        rule: Virtual channels that a head may take, see ``topology.hypercube.routing``.
        vc_reallocation: Rule of VC reallocation, see ``topology.hypercube.vc_reallocation``.

    Raises:
        ValueError: If a value is out of range.
    """

    flit_bits: int
    dimensions: int
    vcs: int
    buffer_flits: int = 4
    injection_channels: int = 1
    rule: str = RULES[0]
    vc_reallocation: str = ATOMIC

    def __post_init__(self):
        check_range("Number of dimensions", self.dimensions, 1, MAX_DIMENSIONS)
        check_range("Number of VCs", self.vcs, 1, MAX_VCS)
        check_range("Buffer size in flits", self.buffer_flits, 1, MAX_DEPTH)
        check_range("Number of injection channels", self.injection_channels, 1, self.dimensions)
        if self.rule not in RULES:
            raise ValueError(f"Rule is {self.rule!r}; it must be {RULES_IN_WORDS}")
        check_reuse(self.vc_reallocation)

    @property
    def input_vcs(self) -> list[int]:
        """Virtual channels of each input."""
        return [self.vcs] * self.dimensions + [1] * self.injection_channels

    @property
    def output_vcs(self) -> list[int]:
        """Virtual channels of each output."""
        return [self.vcs] * self.dimensions + [1]

    @property
    def delivery(self) -> int:
        """Number of the output that leads to the processor."""
        return self.dimensions

    @property
    def adaptive_vcs(self) -> int:
        """Adaptive virtual channels of a channel, its first ones: any head that can use the channel may take them."""
        return self.vcs if self.rule == ADAPTIVE_ONLY else self.vcs - 1

    @property
    def adaptive_outputs(self) -> list[int]:
        """Outputs with adaptive VCs: all, or only the delivery if each channel has just an escape channel."""
        return [*(range(self.dimensions) if self.adaptive_vcs else ()), self.delivery]

    @property
    def has_escapes(self) -> bool:
        """True if the last virtual channel of a channel is an escape channel."""
        return self.rule != ADAPTIVE_ONLY

    @property
    def unshared_vcs(self) -> int:
        """Virtual channels of a channel, its first ones, that have one worm at a time."""
        return unshared_vcs(self.vcs, self.rule, self.vc_reallocation)

    @property
    def outputs_count_credits(self) -> bool:
        """True if credits are counted at the outputs: a worm may follow another before all credits are back."""
        return self.unshared_vcs < self.vcs

    @property
    def order_size(self) -> int:
        """Size of the priority order of inputs."""
        return order_size(len(self.input_vcs))

    @property
    def vc_order_size(self) -> int:
        """Size of the priority order of an input's virtual channels."""
        return vc_order_size(self.vcs, self.order_size)

    @property
    def input_codes(self) -> tuple[int, ...]:
        """Numbers of the inputs on diagonals; outputs have their own."""
        return input_codes(self.dimensions, self.injection_channels)

    @property
    def code_bits(self) -> int:
        """Bits of a port's number on diagonals."""
        return code_bits(self.dimensions, self.injection_channels)

    @property
    def delivery_flits(self) -> int:
        """Flits of the delivery buffer."""
        return max(self.buffer_flits, MIN_ROOM_BUFFER_FLITS)

    def is_host_input(self, port: int) -> bool:
        """Return whether an input comes from the processor."""
        return port >= self.dimensions

    def reaches(self, port: int, output: int) -> bool:
        """Return whether an input has a connection to an output; one from the processor has none to the processor."""
        return output != port if not self.is_host_input(port) else output != self.delivery

    def outputs_of(self, port: int) -> list[int]:
        """Return the outputs with a connection to an input."""
        return [output for output in range(len(self.output_vcs)) if self.reaches(port, output)]

    def inputs_of(self, output: int) -> list[int]:
        """Return the inputs with a connection to an output."""
        return [port for port in range(len(self.input_vcs)) if self.reaches(port, output)]

    def is_contested(self, output: int) -> bool:
        """Return whether two inputs can request an output at the same time: each for its own virtual channel."""
        return min(self.output_vcs[output], len(self.inputs_of(output))) > 1

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Range of each input's virtual channels among all input VCs."""
        ends = [sum(self.input_vcs[: port + 1]) for port in range(len(self.input_vcs))]
        return list(zip([0, *ends], ends, strict=False))

    @property
    def name(self) -> str:
        """Name for Verilog modules."""
        ports = f"n{self.dimensions}_l{self.vcs}_b{self.buffer_flits}"
        channels = "" if self.injection_channels == 1 else f"_i{self.injection_channels}"
        options = ((self.rule, RULES[0]), (self.vc_reallocation, ATOMIC))
        return ports + channels + "".join(f"_{name.replace('-', '_')}" for name, usual in options if name != usual)
