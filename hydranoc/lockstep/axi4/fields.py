"""Inputs and observed fields of networks with AXI4 ends, in parts of at most 64 bits."""

from hydranoc.lockstep.rows.packing import LANE_BITS, Field, RowPacking
from rtl.axi4.network import MANAGER, REQUESTS, RESPONSES, SUBORDINATE, Axi4Plan
from rtl.axi4.ports import channels
from rtl.axi4.subordinate import ID_BITS

MOVED = {REQUESTS: f"{REQUESTS}_moved", RESPONSES: f"{RESPONSES}_moved"}


def lanes_of(name: str, bits: int) -> list[Field]:
    """Return the parts of a field, the lowest first; a field of up to 64 bits is its only part."""
    if bits <= LANE_BITS:
        return [(name, bits)]
    return [(f"{name}.{low // LANE_BITS}", min(LANE_BITS, bits - low)) for low in range(0, bits, LANE_BITS)]


def error_of(processor: int) -> str:
    """Return the name of the output that tells that a subordinate has stopped."""
    return f"{SUBORDINATE}_n{processor}_error"


class Axi4Fields:
    """Ports of networks with AXI4 ends.

    Observed payloads are 0 without ``valid``.

    Parameters:
        plan

    Members:
        inputs (list of (str, int)): Inputs without the clock, in the order of a row.
        observed (list of (str, int)): Outputs, lowest first.
        valid (dict of str to str): ``valid`` of the channel of each observed payload.
        input_packing, observed_packing (RowPacking): Places of their parts.
    """

    def __init__(self, plan: Axi4Plan):
        self.plan = plan
        self.inputs: list[Field] = [("rst", 1)]
        self.observed: list[Field] = []
        self.valid: dict[str, str] = {}
        for prefix, processors, id_bits in self.ends:
            for i in processors:
                self._add_port(prefix, i, id_bits)
        if plan.timeout_cycles:
            self.observed += [(error_of(processor), 1) for processor in plan.subordinates]
        self.observed += [(MOVED[name], getattr(plan, name).links.moved_bits) for name in MOVED]
        self.input_packing, self.observed_packing = (
            RowPacking([part for name, bits in fields for part in lanes_of(name, bits)])
            for fields in (self.inputs, self.observed)
        )

    @property
    def ends(self) -> tuple[tuple[str, tuple[int, ...], int], ...]:
        """Prefix, processors and width of IDs of the ports of managers, and of those of subordinates."""
        plan = self.plan
        return (MANAGER, plan.managers, plan.axi.id_bits), (SUBORDINATE, plan.subordinates, ID_BITS)

    def _add_port(self, prefix: str, processor: int, id_bits: int) -> None:
        port, own = f"{prefix}_n{processor}", self.plan.members(prefix, processor)
        faces_manager = prefix == MANAGER
        masks = faces_manager and self.plan.axi.masks
        for channel, (forward, signals) in channels(self.plan.axi, id_bits, masks=masks).items():
            is_input = forward == faces_manager
            payload = [(f"{port}_{name}", bits) for name, bits in signals.items() if name in own]
            valid, ready = f"{port}_{channel}valid", f"{port}_{channel}ready"
            to, back = (self.inputs, self.observed) if is_input else (self.observed, self.inputs)
            to += [(valid, 1), *payload]
            back.append((ready, 1))
            if not is_input:
                self.valid |= {name: valid for name, _ in payload}
