"""Shape of a router with virtual channels."""

from dataclasses import dataclass
from itertools import accumulate

from rtl.generator.router_parameters import MAX_ROUTING_CYCLES, check_range
from topology.common.virtual_channels import (
    INJECTION_PRIORITY,
    MAX_VCS,
    NON_ATOMIC,
    PRIORITY_EQUAL,
    PRIORITY_LOW,
    VC_REALLOCATION,
)

MAX_DEPTH = 16
MAX_PORTS = 32


@dataclass(frozen=True)
class InputShape:
    """Shape of an input, which determines its logic.

    Parameters:
        flit_bits: Data bits of a flit.
        vcs: 1 to 8.
        depth: Flits of each virtual channel's buffer, 1 to 16.
        routing_cycles: Cycles from a head's arrival to its output register, without contention.
        from_host: The link has ``valid`` and ``ready``, and one VC; otherwise it is a link with virtual channels.
        several_candidates: Routing may give a head more than one candidate.
        outputs: Virtual channels of each output that is reached from here, in the order of the outputs.

    Raises:
        ValueError: If a value is out of range.
    """

    flit_bits: int
    vcs: int
    depth: int
    routing_cycles: int
    from_host: bool
    several_candidates: bool
    outputs: tuple[int, ...]

    def __post_init__(self):
        check_range("Number of VCs", self.vcs, 1, 1 if self.from_host else MAX_VCS)
        check_range("Buffer size in flits", self.depth, 1, MAX_DEPTH)
        check_range("Routing delay in cycles", self.routing_cycles, 1, MAX_ROUTING_CYCLES)
        check_range("Number of outputs of an input", len(self.outputs), 1, MAX_PORTS)

    @property
    def ways(self) -> int:
        """Output VCs that routing may select."""
        return sum(self.outputs)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Range of each output among the route candidates."""
        ends = list(accumulate(self.outputs))
        return list(zip([0, *ends], ends, strict=False))

    @property
    def slots(self) -> int:
        """Places of a VC's buffer in the memory, a power of two."""
        return 1 << (self.depth - 1).bit_length()

    @property
    def name(self) -> str:
        """For names of modules."""
        vcs = "host" if self.from_host else str(self.vcs)
        return f"{vcs}x{self.depth}_to_{'_'.join(map(str, self.outputs))}"


@dataclass(frozen=True)
class VcRouterShape:
    """Virtual channels, buffers and connections of a router.

    Parameters:
        flit_bits: Data bits of a flit.
        input_vcs, output_vcs (tuple of int): Virtual channels of each port, 1 to 8.
        host_inputs, host_outputs (int): Number of ports, the last ones, that lead from and to processors. They have one
            virtual channel each.
        reaches (tuple of tuple of int): By input, the outputs that routing may select, ascending.
        depth: Flits of a virtual channel's buffer, here and in the next switches, 1 to 16.
        routing_cycles: Cycles from a head's arrival to its output register, without contention, at least 1.
        vc_reallocation: Rule of VC reallocation: with ``tail`` (non-atomic) as soon as the tail of the previous worm
            has left, with ``empty`` (atomic) when all credits are back.
        injection_priority: Priority of inputs from processors: with ``equal`` round robin with all others, with ``low``
            below all others.
        several_candidates: Routing may give a head more than one candidate.

    Raises:
        ValueError: If a value is out of range.
    """

    flit_bits: int
    input_vcs: tuple[int, ...]
    output_vcs: tuple[int, ...]
    host_inputs: int
    host_outputs: int
    reaches: tuple[tuple[int, ...], ...]
    depth: int
    routing_cycles: int = 1
    vc_reallocation: str = NON_ATOMIC
    injection_priority: str = PRIORITY_EQUAL
    several_candidates: bool = False

    def __post_init__(self):
        check_range("Number of inputs", self.inputs, 1, MAX_PORTS)
        check_range("Number of outputs", self.outputs, 1, MAX_PORTS)
        for vcs in (*self.input_vcs, *self.output_vcs):
            check_range("Number of VCs", vcs, 1, MAX_VCS)
        check_range("Buffer size in flits", self.depth, 1, MAX_DEPTH)
        check_range("Routing delay in cycles", self.routing_cycles, 1, MAX_ROUTING_CYCLES)
        if self.vc_reallocation not in VC_REALLOCATION:
            raise ValueError(f"vc_reallocation is {self.vc_reallocation!r}; it must be {' or '.join(VC_REALLOCATION)}")
        if self.injection_priority not in INJECTION_PRIORITY:
            wanted = " or ".join(INJECTION_PRIORITY)
            raise ValueError(f"Priority of injection is {self.injection_priority!r}; it must be {wanted}")
        if len(self.reaches) != self.inputs:
            raise ValueError(f"Outputs must be given for {self.inputs} inputs, not {len(self.reaches)}")

    @property
    def inputs(self) -> int:
        """Input ports."""
        return len(self.input_vcs)

    @property
    def outputs(self) -> int:
        """Output ports."""
        return len(self.output_vcs)

    def is_host_input(self, port: int) -> bool:
        """Return whether an input comes from a processor."""
        return port >= self.inputs - self.host_inputs

    def is_host_output(self, port: int) -> bool:
        """Return whether an output leads to a processor."""
        return port >= self.outputs - self.host_outputs

    def input_shape(self, port: int) -> InputShape:
        """Return the shape of an input."""
        return InputShape(
            self.flit_bits,
            self.input_vcs[port],
            self.depth,
            self.routing_cycles,
            self.is_host_input(port),
            self.several_candidates,
            tuple(self.output_vcs[output] for output in self.reaches[port]),
        )

    def inputs_of(self, output: int) -> list[tuple[int, int]]:
        """Return the inputs that reach an output, each with the position of the output among those it reaches."""
        return [(i, reached.index(output)) for i, reached in enumerate(self.reaches) if output in reached]

    def yielding_inputs(self, output: int) -> int:
        """Return the number of inputs, the last of those that reach an output, with the lowest priority."""
        low = self.injection_priority == PRIORITY_LOW
        return sum(low and self.is_host_input(i) for i, _ in self.inputs_of(output))

    @property
    def name(self) -> str:
        """For names of modules."""
        size = f"p{self.inputs}" if self.inputs == self.outputs else f"p{self.inputs}x{self.outputs}"
        vcs = max(*self.input_vcs, *self.output_vcs)
        return f"{size}_l{vcs}_b{self.depth}_r{self.routing_cycles}"
