"""Parameters of an ideal hypercube."""

from dataclasses import dataclass
from functools import cached_property

from hydranoc.studies.hypercube.analytical_traffic import HypercubeLoad
from topology.common.virtual_channels import ATOMIC, VC_REALLOCATION
from topology.hypercube.graph import HypercubeNetwork

MAX_BUFFER_FLITS = 64
MAX_DELAY_CYCLES = 63
CHOICE_OF_VCS, CHOICE_OF_DIMENSIONS = CHOICES = ("lanes", "dimensions")


@dataclass(frozen=True)
class IdealCube:
    """A hypercube of ideal routers. The delays make it less ideal: with them it has a real router's pipeline.

    Parameters:
        dimensions: n, 2 to 16.
        vcs: Virtual channels V of a link, 2 to 8: one for escape, the others adaptive. A node has at most 61 VCs and
            injection channels together.
        flits: Length M of every message, at least 1.
        buffer_flits: Flits that the buffer of a VC holds, 1 to 64.
        hop_cycles: Cycles, 0 to 63, between a header's VC and the first flit over it, in every router, and in that of
            its destination between its turn and the first flit that the node takes. The VC is taken for as long.
        link_cycles, credit_cycles (int): Cycles, 0 to 63, by which a flit arrives later, and by which the news of room
            in a buffer arrives later. A worm alone moves one flit in each cycle if buffers hold 2 flits and one more
            for each of both.
        host_cycles: Cycles, 0 to 63, by which a node has a message, and sends copies of it, later than it has taken the
            tail.
        injection_channels: Queues of a node, 1 to n; 0 stands for n. Each sends one flit per cycle at most. A copy for
            dimension d is in queue d modulo their number.
        vc_reallocation: VC reallocation: "empty", when the buffer behind is known to be empty; or "tail", as soon as
            the tail before it has left and there is room for a flit.
        choice: Uniform random choice of a header among the free adaptive VCs: by "VCs", so that a dimension with more
            of them has more; or "dimensions", in which it then takes the first free one.
        delivery_vcs: Worms that a node takes at a time, one flit of each in a cycle; 0 stands for all that are there,
            so that delivery never blocks.
        single_requests: An input sends one flit per cycle at most: it requests one of its worms in turn, and until that
            worm's flit has left for no other one. Without, each VC of an input sends on its own.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    dimensions: int
    vcs: int
    flits: int
    buffer_flits: int = 2
    hop_cycles: int = 0
    link_cycles: int = 0
    credit_cycles: int = 0
    host_cycles: int = 0
    injection_channels: int = 0
    vc_reallocation: str = ATOMIC
    choice: str = CHOICE_OF_VCS
    delivery_vcs: int = 0
    single_requests: bool = False

    def __post_init__(self):
        if not self.dimensions >= 2:
            raise ValueError(f"Dimensions are {self.dimensions!r}; they must be at least 2")
        if not self.vcs >= 2:
            raise ValueError(f"vcs is {self.vcs!r}; it must be at least 2")
        if not self.flits >= 1:
            raise ValueError(f"Flits are {self.flits!r}; they must be at least 1")
        if not 1 <= self.buffer_flits <= MAX_BUFFER_FLITS:
            raise ValueError(f"Buffer must hold 1 to {MAX_BUFFER_FLITS} flits, not {self.buffer_flits!r}")
        for name in ("hop", "link", "credit", "host"):
            cycles = getattr(self, f"{name}_cycles")
            if not 0 <= cycles <= MAX_DELAY_CYCLES:
                raise ValueError(f"{name.capitalize()} cycles is {cycles!r}; it must be 0 to {MAX_DELAY_CYCLES}")
        if self.choice not in CHOICES:
            raise ValueError(f"Choice is {self.choice!r}; it must be among {' or '.join(CHOICES)}")
        if not self.delivery_vcs >= 0:
            raise ValueError(f"delivery_vcs is {self.delivery_vcs!r}; it must be at least 0")
        if self.vc_reallocation not in VC_REALLOCATION:
            raise ValueError(f"vc_reallocation is {self.vc_reallocation!r}; it must be {' or '.join(VC_REALLOCATION)}")
        if self.injection_channels == 0:
            object.__setattr__(self, "injection_channels", self.dimensions)
        _ = self.network

    @classmethod
    def of(cls, load: HypercubeLoad, **options) -> "IdealCube":
        """Return the cube of a load of the analytical model; options are the parameters that a load does not have."""
        return cls(load.dimensions, load.vcs, load.flits, **options)

    @cached_property
    def network(self) -> HypercubeNetwork:
        """The cube as a network. Output VCs, and inputs of nodes, are numbered as its VC ports."""
        return HypercubeNetwork(self.dimensions, self.vcs, self.injection_channels)

    @property
    def nodes(self) -> int:
        """2^n."""
        return 1 << self.dimensions
