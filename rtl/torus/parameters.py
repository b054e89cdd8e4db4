"""The shape of a switch of a torus or mesh."""

from dataclasses import dataclass

from rtl.generator.router_parameters import check_range
from rtl.vc.parameters import VcRouterShape
from topology.common.flits import HeaderFormat
from topology.common.virtual_channels import NON_ATOMIC, PRIORITY_EQUAL
from topology.torus.grid import DIRECTIONS, along_row, opposite
from topology.torus.routing import BALANCED, DALLY_SEITZ, VC_RULES, VC_RULES_IN_WORDS

MAX_SIDE = 64
"""Limit of rows and columns for hardware; the golden model runs larger networks."""
DIRECTION_WORDS = ("py", "ny", "px", "nx")
"""Directions in names of modules."""


@dataclass(frozen=True)
class TorusRouterParameters:
    """Parameters that determine the logic of a switch; its position is a constant on ports.

    Parameters:
        header: Header format of the network.
        rows, columns (int): Sides of the network.
        wraps: Whether it is a torus.
        directions: Directions of the switch's output channels; input channels have the opposite ones.
        vcs: Virtual channels of each channel between switches.
        buffer_flits: Flits of a virtual channel's buffer.
        routing_cycles: Cycles from a head's arrival to its output register, without contention, at least 1.
        vc_rule: Class of virtual channels for a message, see ``topology.torus.routing``.
        vc_reallocation: Rule of VC reallocation, see ``VcRouterShape``.
        injection_priority: Priority of flits from the processor, see ``VcRouterShape``.

    Raises:
        ValueError: If a value is out of range.
    """

    header: HeaderFormat
    rows: int
    columns: int
    wraps: bool
    directions: tuple[int, ...]
    vcs: int
    buffer_flits: int = 4
    routing_cycles: int = 1
    vc_rule: str = DALLY_SEITZ
    vc_reallocation: str = NON_ATOMIC
    injection_priority: str = PRIORITY_EQUAL

    def __post_init__(self):
        check_range("Number of rows", self.rows, 1, MAX_SIDE)
        check_range("Number of columns", self.columns, 1, MAX_SIDE)
        if self.vc_rule not in VC_RULES:
            raise ValueError(f"vc_rule is {self.vc_rule!r}; it must be {VC_RULES_IN_WORDS}")
        _ = self.shape

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits

    @property
    def arrivals(self) -> tuple[int, ...]:
        """Directions of arrival, by input port."""
        return tuple(direction for direction in range(DIRECTIONS) if opposite(direction) in self.directions)

    @property
    def classed(self) -> bool:
        """True if virtual channels fall into two classes."""
        return self.wraps and self.vcs > 1

    @property
    def low_vcs(self) -> int:
        """Virtual channels of class 0, the first ones."""
        return self.vcs // 2 if self.classed else self.vcs

    @property
    def follows_arrival(self) -> bool:
        """True if the class depends on the virtual channel of a head's arrival."""
        return self.classed and self.vc_rule != DALLY_SEITZ

    @property
    def both_classes(self) -> bool:
        """True if a head may choose among virtual channels of both classes."""
        return self.classed and self.vc_rule == BALANCED

    def reached(self, port: int) -> tuple[int, ...]:
        """Return the output ports that dimension order allows from an input port."""
        host = len(self.directions)
        if port == len(self.arrivals):
            return tuple(range(host))  # no message returns to its own host
        arrival = self.arrivals[port]
        return (
            *(
                o
                for o, direction in enumerate(self.directions)
                if direction == arrival or (along_row(arrival) and not along_row(direction))
            ),
            host,
        )

    @property
    def shape(self) -> VcRouterShape:
        """Virtual channels, buffers and connections."""
        return VcRouterShape(
            self.flit_bits,
            (*(self.vcs for _ in self.arrivals), 1),
            (*(self.vcs for _ in self.directions), 1),
            host_inputs=1,
            host_outputs=1,
            reaches=tuple(self.reached(port) for port in range(len(self.arrivals) + 1)),
            depth=self.buffer_flits,
            routing_cycles=self.routing_cycles,
            vc_reallocation=self.vc_reallocation,
            injection_priority=self.injection_priority,
            several_candidates=self.both_classes or max(self.low_vcs, self.vcs - self.low_vcs) > 1,
        )

    @property
    def name(self) -> str:
        """For names of modules; it has every rule that is not the default."""
        directions = (
            "" if len(self.directions) == DIRECTIONS else "".join(f"_{DIRECTION_WORDS[d]}" for d in self.directions)
        )
        rules = (
            (self.vc_rule if self.follows_arrival else DALLY_SEITZ, DALLY_SEITZ),
            (self.vc_reallocation, NON_ATOMIC),
            (self.injection_priority, PRIORITY_EQUAL),
        )
        return f"{self.shape.name}{directions}" + "".join(f"_{rule}" for rule, usual in rules if rule != usual)
