# (specimens of parts only provide their ports)
"""Parts between a network's stream endpoints and its AXI4-Stream ports: byte counts, buffers, clock-domain crossings.

From a user: port, ``KeepPacker``, ``StreamCrossing``, injector; to a user in reverse order, with a ``PacketBuffer``
behind the ejector. All are optional. Sideband bits of the users are the highest bits of ``tuser``, and travel above the
word in each flit.
"""

from dataclasses import dataclass
from typing import Any

from amaranth.lib.wiring import In

from rtl.endpoints.packet_buffer import MAX_BEATS, MIN_BEATS, PacketBuffer
from rtl.generator.structure import Bits, Constant, ModuleInstance, SharedModule, Slice, Structure, Wire, width_of
from rtl.parts.byte_count import KeepPacker, KeepUnpacker, kept_bytes
from rtl.parts.stream_crossing import StreamCrossing

NETWORK, SHARED, SEPARATE = "network", "shared", "separate"
CLOCKS = (NETWORK, SHARED, SEPARATE)
"""The endpoints' ports have the network's clock, one other clock, or one for each node."""

MAX_USER_BITS = 64

Beat = dict[str, Bits]


@dataclass(frozen=True)
class StreamOptions:
    """Options of the AXI4-Stream ports.

    Parameters:
        clocks: One of ``CLOCKS``.
        tkeep: Words may have fewer bytes than fit, and have one bit less than flits.
        user_bits: Sideband of each word, from the source's ``tuser`` to the receiver's; words have as many bits less.
        delivery_buffer_flits: Capacity of a buffer in front of each receiver; 0 for none.

    Raises:
        ValueError: If ``clocks`` is not one of ``CLOCKS``, or a number is out of range.
    """

    clocks: str = NETWORK
    tkeep: bool = False
    user_bits: int = 0
    delivery_buffer_flits: int = 0

    def __post_init__(self):
        if self.clocks not in CLOCKS:
            raise ValueError(f"Clocks are {self.clocks!r}; they must be one of {', '.join(CLOCKS)}")
        if not 0 <= self.user_bits <= MAX_USER_BITS:
            raise ValueError(f"user_bits is {self.user_bits!r}; it must be from 0 to {MAX_USER_BITS}")
        if self.delivery_buffer_flits and not MIN_BEATS <= self.delivery_buffer_flits <= MAX_BEATS:
            text = (
                f"delivery_buffer_flits is {self.delivery_buffer_flits!r}; it must be from {MIN_BEATS} to {MAX_BEATS}"
            )
            raise ValueError(text)

    def clock_of(self, node: int) -> str:
        """Return the name of the clock port of a node's streams."""
        return {NETWORK: "clk", SHARED: "axis_clk", SEPARATE: f"axis_n{node}_clk"}[self.clocks]

    def clock_members(self, nodes: int) -> dict[str, Any]:
        """Return the members of a top for the clocks besides the network's."""
        return {} if self.clocks == NETWORK else {self.clock_of(node): In(1) for node in range(nodes)}

    def word_bits(self, flit_bits: int) -> int:
        """Return the width of ``tdata``.

        Raises:
            ValueError: If the flit width does not suit byte counts, or leaves no bit beside the sideband.
        """
        bits = flit_bits - self.user_bits
        if bits < 1:
            raise ValueError(
                f"flit_bits is {flit_bits}; it must be more than the {self.user_bits} bits of the sideband"
            )
        return 8 * kept_bytes(bits) if self.tkeep else bits

    def data_widths(self, flit_bits: int) -> dict[str, int]:
        """Return the widths of ``tdata`` and, if there is one, ``tkeep``."""
        bits = self.word_bits(flit_bits)
        return {"tdata": bits, **({"tkeep": bits // 8} if self.tkeep else {})}


class StreamEnds:
    """Puts the parts between endpoints and ports into a top.

    Members:
        options (StreamOptions)
    """

    def __init__(self, structure: Structure, options: StreamOptions):
        self._structure = structure
        self.options = options
        self._modules: dict[tuple[int, bool], SharedModule] = {}
        self._buffers: dict[int, SharedModule] = {}

    def packed(self, name: str, beat: Beat) -> Beat:
        """Return a beat from a user, with its byte count and its sideband in ``tdata``."""
        others, user_bits = dict(beat), self.options.user_bits
        if self.options.tkeep:
            count = width_of(beat["tkeep"])
            packer = self._structure.instance(f"packer_{name}", SharedModule(lambda: KeepPacker(count)))
            for port in ("tdata", "tkeep"):
                packer.connect(port, others.pop(port))
            others = {"tdata": packer.output("word"), **others}
        if user_bits:
            tuser = others.pop("tuser")
            own = width_of(tuser) - user_bits
            others["tdata"] = (others["tdata"], _piece(tuser, own, user_bits))
            others |= {"tuser": _piece(tuser, 0, own)} if own else {}
        return others

    def unpacked(self, name: str, beat: Beat) -> Beat:
        """Return a beat to a user, with its byte count in ``tkeep`` and its sideband in ``tuser``."""
        if user_bits := self.options.user_bits:
            word, own = beat["tdata"], (beat["tuser"],) if "tuser" in beat else ()
            bits = width_of(word) - user_bits
            beat = {**beat, "tdata": _piece(word, 0, bits), "tuser": (*own, _piece(word, bits, user_bits))}
        if not self.options.tkeep:
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
        return _fields(crossing.output("o__payload"), beat), crossing.output("o__valid"), crossing

    def buffered(self, name: str, beat: Beat, valid: Bits) -> tuple[Beat, Wire, ModuleInstance]:
        """Return a stream behind a packet buffer: beat, valid, and the buffer, whose ``o__ready`` is open."""
        bits, beats = sum(map(width_of, beat.values())), self.options.delivery_buffer_flits
        module = self._buffers.setdefault(bits, SharedModule(lambda: PacketBuffer(bits, beats)))
        buffer = self._structure.instance(name, module)
        buffer.connect("i__valid", valid)
        buffer.connect("i__payload", tuple(beat.values()))
        return _fields(buffer.output("o__payload"), beat), buffer.output("o__valid"), buffer

    def pulse(self, name: str, node: int, wire: Wire) -> Wire:
        """Return a pulse in the user's clock domain: one for each pulse at the input, at most one per clock cycle."""
        if self.options.clocks == NETWORK:
            return wire
        crossing = self._crossing(name, node, 1, inward=False)
        crossing.connect("i__valid", wire)
        crossing.connect("i__payload", Constant(0, 1))
        crossing.connect("o__ready", Constant(1, 1))
        return crossing.output("o__valid")

    def _crossing(self, name: str, node: int, bits: int, *, inward: bool) -> ModuleInstance:
        module = self._modules.setdefault((bits, inward), SharedModule(lambda: StreamCrossing(bits, inward=inward)))
        crossing = self._structure.instance(name, module)
        crossing.connect("user_clk", self._structure.ports[self.options.clock_of(node)])
        return crossing


def _fields(word: Wire, beat: Beat) -> Beat:
    """Return the fields of a beat that has become a word."""
    low, fields = 0, {}
    for field, value in beat.items():
        fields[field] = Slice(word, low, width_of(value))
        low += width_of(value)
    return fields


def _piece(bits: Bits, low: int, width: int) -> Slice:
    """Return a piece of a wire, or of a piece of one."""
    assert isinstance(bits, Wire | Slice)
    return Slice(bits, low, width) if isinstance(bits, Wire) else Slice(bits.wire, bits.low + low, width)
