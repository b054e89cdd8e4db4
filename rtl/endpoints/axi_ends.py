# (specimens of parts only provide their ports)
"""Parts between a network's stream endpoints and its AXI4-Stream ports: byte counts, and clock-domain crossings.

From a user: port, ``KeepPacker``, ``StreamCrossing``, injector; to a user in reverse order. Packer and crossing are
optional.
"""

from dataclasses import dataclass
from typing import Any

from amaranth.lib.wiring import In

from rtl.generator.structure import Bits, Constant, ModuleInstance, SharedModule, Slice, Structure, Wire, width_of
from rtl.parts.byte_count import KeepPacker, KeepUnpacker, kept_bytes
from rtl.parts.stream_crossing import StreamCrossing

NETWORK, SHARED, SEPARATE = "network", "shared", "separate"
CLOCKS = (NETWORK, SHARED, SEPARATE)
"""The endpoints' ports have the network's clock, one other clock, or one for each node."""

Beat = dict[str, Bits]


@dataclass(frozen=True)
class StreamOptions:
    """Options of the AXI4-Stream ports.

    Parameters:
        clocks: One of ``CLOCKS``.
        tkeep: Words may have fewer bytes than fit, and have one bit less than flits.

    Raises:
        ValueError: If ``clocks`` is not one of ``CLOCKS``.
    """

    clocks: str = NETWORK
    tkeep: bool = False

    def __post_init__(self):
        if self.clocks not in CLOCKS:
            raise ValueError(f"Clocks are {self.clocks!r}; they must be one of {', '.join(CLOCKS)}")

    def clock_of(self, node: int) -> str:
        """Return the name of the clock port of a node's streams."""
        return {NETWORK: "clk", SHARED: "axis_clk", SEPARATE: f"axis_n{node}_clk"}[self.clocks]

    def clock_members(self, nodes: int) -> dict[str, Any]:
        """Return the members of a top for the clocks besides the network's."""
        return {} if self.clocks == NETWORK else {self.clock_of(node): In(1) for node in range(nodes)}

    def word_bits(self, flit_bits: int) -> int:
        """Return the width of ``tdata``.

        Raises:
            ValueError: If the flit width does not suit byte counts.
        """
        return 8 * kept_bytes(flit_bits) if self.tkeep else flit_bits

    def data_widths(self, flit_bits: int) -> dict[str, int]:
        """Return the widths of ``tdata`` and, if there is one, ``tkeep``."""
        bits = self.word_bits(flit_bits)
        return {"tdata": bits, **({"tkeep": bits // 8} if self.tkeep else {})}


class StreamEnds:
    """Puts the parts between endpoints and ports into a top."""

    def __init__(self, structure: Structure, options: StreamOptions):
        self._structure = structure
        self._options = options
        self._modules: dict[tuple[int, bool], SharedModule] = {}

    def packed(self, name: str, beat: Beat) -> Beat:
        """Return a beat from a user, with its byte count in ``tdata``."""
        if not self._options.tkeep:
            return beat
        packer = self._structure.instance(f"packer_{name}", SharedModule(lambda: KeepPacker(width_of(beat["tkeep"]))))
        others = dict(beat)
        for port in ("tdata", "tkeep"):
            packer.connect(port, others.pop(port))
        return {"tdata": packer.output("word"), **others}

    def unpacked(self, name: str, beat: Beat) -> Beat:
        """Return a beat to a user, with its byte count in ``tkeep``."""
        if not self._options.tkeep:
            return beat
        count = kept_bytes(width_of(beat["tdata"]))
        unpacker = self._structure.instance(f"unpacker_{name}", SharedModule(lambda: KeepUnpacker(count)))
        unpacker.connect("word", beat["tdata"])
        return {**beat, "tdata": unpacker.output("tdata"), "tkeep": unpacker.output("tkeep")}

    def crossed(
        self, name: str, node: int, *, inward: bool, beat: Beat, valid: Bits
    ) -> tuple[Beat, Wire, ModuleInstance]:
        """Return a stream in the other clock domain: beat, valid, and the crossing, whose ``o__ready`` is open."""
        crossing = self._crossing(name, node, sum(map(width_of, beat.values())), inward=inward)
        crossing.connect("i__valid", valid)
        crossing.connect("i__payload", tuple(beat.values()))
        word, low, fields = crossing.output("o__payload"), 0, {}
        for field, value in beat.items():
            fields[field] = Slice(word, low, width_of(value))
            low += width_of(value)
        return fields, crossing.output("o__valid"), crossing

    def pulse(self, name: str, node: int, wire: Wire) -> Wire:
        """Return a pulse in the user's clock domain: one for each pulse at the input, at most one per clock cycle."""
        if self._options.clocks == NETWORK:
            return wire
        crossing = self._crossing(name, node, 1, inward=False)
        crossing.connect("i__valid", wire)
        crossing.connect("i__payload", Constant(0, 1))
        crossing.connect("o__ready", Constant(1, 1))
        return crossing.output("o__valid")

    def _crossing(self, name: str, node: int, bits: int, *, inward: bool) -> ModuleInstance:
        module = self._modules.setdefault((bits, inward), SharedModule(lambda: StreamCrossing(bits, inward=inward)))
        crossing = self._structure.instance(name, module)
        crossing.connect("user_clk", self._structure.ports[self._options.clock_of(node)])
        return crossing
