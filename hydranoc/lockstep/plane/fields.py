"""Inputs and observed fields of a plane's hardware, in parts of at most 64 bits."""

from functools import cached_property

from hydranoc.lockstep.rows.packing import Field, RowPacking
from rtl.collectives.plan import PlanePlan
from rtl.collectives.plane import PlaneTop, observed_fields
from rtl.generator.manifest import port_list

LAST_AND_ERROR_BITS = 2


class PlaneFields:
    """Ports and observed fields of a plane.

    A word has the parts ``word``, ``marks`` (last, error and group) and ``valid``. The down bank of a plane that has
    barriers alone has a part per branch.

    Parameters:
        plan

    Members:
        ports (list of (str, int)): Inputs of the plane without its clock, in the order of a row.
        observed (list of (str, int)): Observed fields, lowest first.
        input_packing, observed_packing (RowPacking): Places of the inputs, and of the parts of observed fields.
    """

    def __init__(self, plan: PlanePlan):
        self.plan, self.plane = plan, plan.parameters
        ports = port_list(PlaneTop(plan))
        self.ports: list[Field] = [
            (port["name"], port["bits"]) for port in ports if port["direction"] == "input" and port["name"] != "clk"
        ]
        self.observed: list[Field] = observed_fields(plan)
        self.input_packing = RowPacking(self.ports)
        self.observed_packing = RowPacking([part for name, bits in self.observed for part in self._parts(name, bits)])

    @cached_property
    def words(self) -> frozenset[str]:
        """Observed fields that are words; none in a plane that has barriers alone."""
        if self.plane.barriers_only:
            return frozenset()
        tree, stages = self.plan.tree, range(1, self.plane.link_cycles)
        children = [branch.number for branch in tree.branches if not branch.is_processor]
        names = [f"p{number}_{field}" for number in self.plan.processor_branches for field in ("up", "result")]
        names += [f"s{number}_up" for number in children]
        names += [f"s{switch}_down" for switch in tree.switches]
        names += [f"link_{way}_s{number}_{k}" for number in children for way in ("up", "down") for k in stages]
        return frozenset(names)

    def parts_of_word(self, bits: int) -> list[Field]:
        """Return the parts of a word.

        Parameters:
            bits: Width of the field.
        """
        marks = LAST_AND_ERROR_BITS + self.plane.group_bits
        return [
            ("word", self.plane.word_bits),
            ("marks", marks),
            ("valid", bits - self.plane.word_bits - marks),
        ]

    def _parts(self, name: str, bits: int) -> list[Field]:
        if name in self.words:
            return [(f"{name}.{part}", width) for part, width in self.parts_of_word(bits)]
        if self.plane.barriers_only and name.endswith("_down"):
            groups = self.plane.groups
            return [(f"{name}.{port}", groups) for port in range(bits // groups)]
        return [(name, bits)]
