"""The shape of a SPAM router."""

from dataclasses import dataclass

from rtl.generator.router_parameters import RouterParameters, check_range
from rtl.parts.part import MAX_PORT_BITS
from topology.common.ages import STEP_CYCLES, step_shifts
from topology.common.channels import MAX_PORTS
from topology.spam.routing import FAST_ROUTING_CYCLES

CLASSES = 3
"""Classes of arrival channels, each with a routing table of its own: up, cross, tree."""


@dataclass(frozen=True)
class SpamRouterParameters(RouterParameters):
    """The shape of a SPAM router.

    Parameters:
        ports: Links of the switch, 1 to 32.
        vertices: Switches and processors of the network: rows of the routing table, whose keys are numbers of lowest
            common ancestors.
        atomic_enqueue: False builds the negative control that deadlocks.
        fast: Pipeline for a faster clock: decoded headers in registers, and conflicts found when requests are enqueued.
            It has ``routing_cycles`` 2.
        age_step_cycles: Step of ages, one of ``STEPS_CYCLES``; without ages in headers it has no effect.
        header, buffer_flits, routing_cycles, multicast, guarded, watchdog_flits: See ``RouterParameters``.

    Raises:
        ValueError: If a value is out of range.
    """

    ports: int
    vertices: int
    atomic_enqueue: bool = True
    fast: bool = False
    age_step_cycles: int = STEP_CYCLES

    def __post_init__(self):
        check_range("Number of ports", self.ports, 1, MAX_PORTS)
        check_range("Number of vertices", self.vertices, 1, 1 << self.key_bits)
        self._check_table_fits()
        self.check_common()
        step_shifts(self.age_step_cycles)
        flags = ("Atomic enqueue", self.atomic_enqueue), ("Multicast", self.multicast), ("Fast pipeline", self.fast)
        for name, value in flags:
            if not isinstance(value, bool):
                raise ValueError(f"{name} is {value!r}; it must be True or False")
        if self.fast and self.routing_cycles != FAST_ROUTING_CYCLES:
            right = f"it must be {FAST_ROUTING_CYCLES} with a fast pipeline"
            raise ValueError(f"Routing delay in cycles is {self.routing_cycles}; {right}")
        if self.age_bits and (self.fast or not self.atomic_enqueue):
            raise ValueError("Ages need the standard pipeline and atomic enqueue")
        if self.fast and not self.atomic_enqueue:
            raise ValueError("Atomic enqueue is False; it must be True with a fast pipeline")

    def _check_table_fits(self) -> None:
        """Check that the routing table fits into one port."""
        most_vertices = MAX_PORT_BITS // (CLASSES * self.ports)
        if self.vertices > most_vertices:
            raise ValueError(
                f"Routing table of a switch with {self.ports} ports must have at most {MAX_PORT_BITS} bits, "
                f"{CLASSES} per port and vertex: at most {most_vertices} vertices (switches and processors), "
                f"not {self.vertices}"
            )

    @property
    def inputs(self) -> int:
        return self.ports

    @property
    def outputs(self) -> int:
        return self.ports

    @property
    def keys(self) -> int:
        return self.vertices

    @property
    def multicast_keys(self) -> range:
        return range(max(0, self.vertices - self.processors))  # switches; the processors come behind them

    @property
    def registers_headers(self) -> bool:
        return self.fast

    @property
    def classes(self) -> int:
        return CLASSES
