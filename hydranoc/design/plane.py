"""The collective plane of a configured network: tables, golden model and hardware plan."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hydranoc.config.load import Config
from hydranoc.config.plane import PlaneShape, plane_shape
from topology.common.channels import ChannelNetwork

if TYPE_CHECKING:
    from hydranoc.lockstep.bench_source import BenchSource
    from rtl.collectives.plan import PlanePlan
    from sim_model.collective_plane.calls import PlaneModel


@dataclass(frozen=True)
class Plane(PlaneShape):
    """The collective plane of a configured network (docs/understand/collective_plane.md).

    Members:
        tables: Tree and groups, with the tables of all switches.
        operators (tuple of int): Numbers of the operators in hardware, ascending; empty for barriers alone.
        parameters: Parameters of the golden model. Without operators, each group has a plane of its own.
    """

    def __getstate__(self):
        """Return the state without the plan; it is rebuilt on use."""
        return {name: value for name, value in vars(self).items() if name != "plan"}

    @cached_property
    def plan(self) -> "PlanePlan":
        """Hardware plan of the plane."""
        from rtl.collectives.parameters import PlaneParameters
        from rtl.collectives.plan import PlanePlan

        model = self.parameters
        parameters = PlaneParameters(
            groups=len(self.tables.groups),
            word_bits=model.word_bits,
            operators=self.operators,
            buffer_words=model.buffer_words,
            result_words=model.result_words,
            window=model.window,
            link_cycles=model.link_cycles,
            timeouts=model.timeout_cycles > 0,
        )
        return PlanePlan(self.tables, parameters)

    def harness(self) -> "BenchSource":
        """Return the plane as Verilog for a lock-step bench."""
        from hydranoc.lockstep.plane.source import plane_source

        return plane_source(self.plan)

    @property
    def model(self) -> "PlaneModel":
        """Golden model of the plane."""
        from sim_model.collective_plane.calls import PlaneModel

        return PlaneModel(self.tables, self.parameters, self.barriers_only)


def plane_of(config: Config, network: ChannelNetwork, parents: Sequence[int] | None) -> Plane:
    """Return the plane that ``network.collectives`` describes.

    Parameters:
        config: With the section.
        network: Network of the family's tables.
        parents: Of the family's own spanning tree, by switch; None for a family without one.

    Raises:
        ConfigError: For the first error, with its line.
    """
    shape = plane_shape(config, network, parents)
    return Plane(shape.tables, shape.operators, shape.parameters)
