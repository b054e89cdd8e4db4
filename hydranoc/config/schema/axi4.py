"""``axi4``: AXI4 managers and subordinates at the processors of a network, and their transactions as traffic."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import MAX_CYCLES, Count, Cycles, Seed
from hydranoc.config.schema.fields import Discriminator, Field, Tag
from hydranoc.config.schema.section import Section
from hydranoc.config.schema.traffic import Traffic
from topology.axi4.words import MAX_BEATS, MAX_DATA_BITS, MIN_CUT_BEATS, MIN_DATA_BITS

MAX_BEATS_STORED = 4096
MAX_TIMEOUT_CYCLES = 1 << 24
MAX_BUFFER_FLITS = 1 << 16
Beats = Annotated[int, Field(ge=1, le=MAX_BEATS)]
Processor = Annotated[int, Field(ge=0)]
Address = Annotated[int, Field(ge=0, lt=2**64)]
Bytes = Annotated[int, Field(ge=1, le=2**64)]
Processors = Annotated[
    Annotated[list[Processor], Field(min_length=1), Tag("list")] | Annotated[Literal["all", "others"], Tag("word")],
    Discriminator(lambda value: "list" if isinstance(value, list) else "word"),
]


class Axi4Region(Section):
    """Addresses of one subordinate.

    Members:
        processor: Processor of the subordinate, which may have several regions.
        base: First address, a multiple of ``size``.
        size: Bytes, a power of two, at least 4,096.
    """

    processor: Processor
    base: Address
    size: Bytes


class Axi4Window(Section):
    """Addresses whose writes go to several subordinates at once, to the same offset in the first region of each.

    Members:
        processors: Those of the subordinates. A writer among them does not receive its own write.
        base: First address, a multiple of ``size``.
        size: Bytes, a power of two, at least 4,096.
    """

    processors: Annotated[list[Processor], Field(min_length=1)]
    base: Address
    size: Bytes


class Axi4(Section):
    """AXI4 ends (docs/do/axi4.md). ``network`` carries the requests; a second network carries the responses.

    Members:
        regions: The address map; every processor in it has a subordinate.
        multicast: Windows of multicast writes. In families without multicast in hardware a write is sent to one
            receiver after the other, and ``store_writes`` must be true.
        multicast_mask (str or None): ``awuser``, in the place of windows: the low ``address_bits`` bits of a manager's
            AWUSER are a mask. A write goes to all regions that have its address in the other bits. The regions must
            have one size and different processors; default none.
        managers: Processors with a manager: a list, ``all``, or ``others``, those without a subordinate.
        address_bits: Width of addresses.
        data_bits: Width of data, a power of two.
        id_bits: Width of the managers' IDs.
        user_bits: Width of the sideband ``user`` of all channels but B.
        outstanding: Transactions that a manager has under way, in each direction.
        same_id: Transactions of one ID: ``serial``, one under way in each direction; or ``pipelined``, several to one
            region's processor or window, for which both networks must keep the order of messages of a pair
            (``ordering: pair`` or a family with one path, see docs/look_up/ordering.md).
        pending: Transactions that a subordinate has under way, in each direction.
        store_writes: A manager's write is complete before it enters the network. Otherwise a manager that gives data
            only after it has read something can block itself.
        write_beats: Beats of writes that a manager's interface stores.
        lite: Processors with AXI4-Lite ports, for 32 or 64 bits of data. Bursts to them are answered with DECERR.
        max_burst_flits: Most beats of a message: 16, 32, 64 or 128. Longer bursts become several transactions of their
            subordinate. 256 for whole bursts.
        timeout_cycles: Cycles after which a subordinate that does nothing has stopped; 0 for never. From then on, until
            reset, its interface answers with SLVERR in its place. At least the longest time that it needs.
        delivery_buffer_flits: Flits of a buffer in front of each manager and each subordinate: 0 for none, or at least
            4. A receiver that stalls holds no messages of others while its buffer has room for those to it.
        responses: Network of the responses, with the keys of ``network``; default the one of the requests again.
    """

    regions: Annotated[list[Axi4Region], Field(min_length=1)]
    multicast: list[Axi4Window] = []
    multicast_mask: Literal["awuser"] | None = None
    managers: Processors = "others"
    address_bits: Annotated[int, Field(ge=12, le=64)] = 32
    data_bits: Annotated[int, Field(ge=MIN_DATA_BITS, le=MAX_DATA_BITS)] = 32
    id_bits: Annotated[int, Field(ge=0, le=16)] = 4
    user_bits: Annotated[int, Field(ge=0, le=64)] = 0
    outstanding: Annotated[int, Field(ge=1, le=16)] = 4
    same_id: Literal["serial", "pipelined"] = "serial"
    pending: Annotated[int, Field(ge=1, le=16)] = 4
    store_writes: bool = True
    write_beats: Annotated[int, Field(ge=8, le=MAX_BEATS_STORED)] = 512
    lite: list[Processor] = []
    max_burst_flits: Annotated[int, Field(ge=MIN_CUT_BEATS, le=MAX_BEATS)] = MAX_BEATS
    timeout_cycles: Annotated[int, Field(ge=0, le=MAX_TIMEOUT_CYCLES)] = 0
    delivery_buffer_flits: Annotated[int, Field(ge=0, le=MAX_BUFFER_FLITS)] = 0
    responses: dict[Any, Any] | None = None


class Axi4Transaction(Section):
    """One transaction of a list.

    Members:
        manager: Processor of the manager.
        kind: ``read`` or ``write``; a write to a window reaches all of its processors.
        address: First address. A WRAP burst begins at a multiple of the bytes of a beat.
        beats: Number of beats: of INCR bursts as many as do not cross a boundary of 4,096 bytes, of WRAP bursts 2, 4, 8
            or 16, of FIXED bursts at most 16.
        start_cycle (int): The manager does not offer it before.
        id: AXI4 ID.
        burst: ``incr``, ``wrap`` or ``fixed``.
        beat_bytes: Bytes of a beat, a power of two; default those of ``data_bits``.
        mask: Of a write, with ``multicast_mask``: address bits in which its subordinates differ.
    """

    manager: Processor
    kind: Literal["read", "write"]
    address: Address
    beats: Beats = 1
    start_cycle: Cycles = 0
    id: Annotated[int, Field(ge=0)] = 0
    burst: Literal["incr", "wrap", "fixed"] = "incr"
    beat_bytes: Annotated[int, Field(ge=1, le=MAX_DATA_BITS // 8)] | None = None
    mask: Address = 0


def _tag(value: Any) -> str:
    return "list" if isinstance(value, list) else "number"


class Axi4Traffic(Traffic):
    """Transactions of the managers of ``axi4``; memories answer them.

    A manager offers its transactions in order, in a cycle at most one, and its data as soon as they can be taken.

    Members:
        kind (str): Source of the traffic.
        transactions: Number of random transactions of each manager, or a list of transactions.
        read_fraction: Fraction of reads.
        multicast_fraction: Fraction of the writes that go to a window, or have a mask.
        unmapped_fraction: Fraction of addresses in no region or window.
        beats: Number of beats, or the least and the largest number. One with AXI4-Lite.
        other_bursts_fraction: Fraction of bursts that have a type (INCR, WRAP or FIXED), a size of beats and an
            alignment at random; WRAP and FIXED bursts have at most 16 beats. All others are INCR bursts of whole beats.
        interval_cycles: Mean time between the starts of a manager's transactions, which is exponential; 0 starts all in
            cycle 0, so that the manager always has ``outstanding`` transactions under way.
        seed (int): Random seed for the traffic.
        outstanding: Transactions that a manager has under way, reads and writes together.
        memory_cycles: Cycles from a request, with all of its data, to the first response of a memory.
        error_fraction: Fraction of responses of memories that are SLVERR.
    """

    kind: Literal["axi4"]
    transactions: Annotated[
        Annotated[Count, Tag("number")] | Annotated[list[Axi4Transaction], Field(min_length=1), Tag("list")],
        Discriminator(_tag),
    ]
    read_fraction: Annotated[float, Field(ge=0, le=1)] = 0.5
    multicast_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    unmapped_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    beats: Annotated[
        Annotated[Beats, Tag("number")] | Annotated[list[Beats], Field(min_length=2, max_length=2), Tag("list")],
        Discriminator(_tag),
    ] = 16
    other_bursts_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    interval_cycles: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    seed: Seed = 0
    outstanding: Annotated[int, Field(ge=1, le=256)] = 8
    memory_cycles: Annotated[int, Field(ge=1, le=MAX_CYCLES)] = 1
    error_fraction: Annotated[float, Field(ge=0, lt=1)] = 0.0
