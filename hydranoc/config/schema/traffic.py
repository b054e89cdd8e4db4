"""``traffic``: the kinds of messages."""

from typing import Annotated, Literal

from hydranoc.config.schema.base import MAX_CYCLES, Count, Cycles, Flits, Section, Seed
from hydranoc.config.schema.fields import Field
from hydranoc.config.schema.patterns import Destinations, Injection, Lengths, MulticastPattern, Pattern, Reply


class Traffic(Section):
    """Keys of every traffic.

    Members:
        startup_cycles (int): Start-up cycles of a host per message.
        warmup_cycles (int): Warm-up: messages that start earlier are left out of the statistics. At most the start of
            the last message.
        software: Software multicast, by unicasts from host to host: ``binomial``, a chain, also called ``cmin`` in
            unidirectional and ``umin`` in bidirectional multistage networks; ``separate``, all from the source; and the
            family's own schemes. The seed of random traffic also drives software with random choices, and the choice of
            injection channels where hosts have several.
    """

    startup_cycles: Cycles = 0
    warmup_cycles: Cycles = 0
    software: str | None = None


class RandomTraffic(Traffic):
    """Random messages of every processor.

    Members:
        kind (str): Source of the messages.
        seed (int): Random seed for the traffic.
        cycles: Cycles in which messages start; the run ends when all have arrived.
        messages_per_node_per_cycle: Mean injection rate of each processor.
        injection (str, Bursts or Batches): Injection process: ``poisson``; ``bernoulli``, in each cycle with the same
            probability; ``periodic``, at a constant interval from a random cycle on; or bursts and pauses, or batches.
        pattern (str, HotSpot, Permutation or Local): Destinations of unicasts: ``uniform``, any other node; a
            permutation such as ``transpose`` (docs/look_up/traffic.md has all); ``MODULE:FUNCTION`` or
            ``FILE.py:FUNCTION``, a function of your own; a pattern that a package adds; or a mapping. Messages to their
            own source are not sent.
        multicast_fraction: Fraction of messages to several ``destinations``.
        broadcast_fraction: Fraction of messages to all other processors.
        destinations (int or Gaussian): Number of destinations of a multicast, all different and random.
        multicast_pattern (str, Local or Groups): Destinations of multicasts: ``uniform``, any other nodes; ``row`` or
            ``column``, all other nodes of the source's; or a mapping. Rows, columns and groups need no
            ``destinations``.
        flits (int or mapping of int to float): Length of each message, header included; or several lengths, each with
            its fraction of the messages.
        reply: Replies to messages, which are then requests; for unicasts only, without software.
        algorithm: Broadcast procedure in families that have such (harts): multicasts are broadcasts by it, to all other
            processors.
    """

    kind: Literal["random"]
    seed: Seed = 0
    cycles: Annotated[int, Field(ge=1, le=MAX_CYCLES)]
    messages_per_node_per_cycle: Annotated[float, Field(gt=0, le=1)]
    injection: Injection = "poisson"
    pattern: Pattern = "uniform"
    multicast_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    broadcast_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    destinations: Destinations = 2
    multicast_pattern: MulticastPattern = "uniform"
    flits: Lengths
    reply: Reply | None = None
    algorithm: str | None = None


class ListedMessage(Section):
    """One message of a list, with destinations or, in families with broadcast procedures, the name of one.

    Members:
        source: The processor that sends it.
        destinations (list of int, or None): The destinations: all different, and none of them the source.
        algorithm: Broadcast procedure (harts) that brings it to all others, in place of destinations.
        flits (int): Its length, header included.
        start_cycle (int): Cycle in which its host begins to prepare it.
        injection_channel: Injection channel of the source, from 0 on; default any. For unicasts of a software multicast
            the software chooses it.
    """

    source: int
    destinations: Annotated[list[int], Field(min_length=1)] | None = None
    algorithm: str | None = None
    flits: Flits
    start_cycle: Cycles = 0
    injection_channel: Annotated[int, Field(ge=0)] | None = None


class ListTraffic(Traffic):
    """Messages listed in the configuration.

    Members:
        kind (str): Source of the messages.
        messages: The messages.
    """

    kind: Literal["list"]
    messages: Annotated[list[ListedMessage], Field(min_length=1)]


class BroadcastTraffic(Traffic):
    """A single message to all other processors.

    Members:
        kind (str): Source of the messages.
        algorithm: Broadcast procedure, in families that have such (harts); others send a multicast, by ``software`` if
            needed.
        source: The processor that sends it.
        bytes (int or None): Length of the body; one of ``bytes`` and ``flits`` is needed.
        flits (int or None): Length of the message, header included.
        start_cycle (int): Cycle in which its host begins to prepare it.
    """

    kind: Literal["broadcast"]
    algorithm: str | None = None
    source: int
    bytes: Count | None = None
    flits: Flits | None = None
    start_cycle: Cycles = 0


class TraceTraffic(Traffic):
    """Messages from a CSV file, relative to the configuration.

    Members:
        kind (str): Source of the messages.
        file: File name. The columns are ``cycle,source,destinations,flits``, with blanks between destinations, which
            are all different and none of them the source.
    """

    kind: Literal["trace"]
    file: str


class MultinodeTraffic(Traffic):
    """Multi-node multicast: many simultaneous sources, each with its own multicast.

    Members:
        kind (str): Source of the messages.
        scheme: Another name of ``software``.
        sources (int): Number of sources, all different and random.
        destinations (int): Number of destinations per source, all different and random.
        hot_spot: Fraction of destinations shared by all multicasts.
        flits (int): Length of each message, header included.
        seed (int): Random seed for sources and destinations.
    """

    kind: Literal["multinode"]
    scheme: str | None = None
    sources: Count
    destinations: Count
    hot_spot: Annotated[float, Field(ge=0, le=1)] = 0.0
    flits: Flits
    seed: Seed = 0


OWN_TRAFFICS: dict[str, type[Traffic]] = {
    "random": RandomTraffic,
    "list": ListTraffic,
    "trace": TraceTraffic,
    "broadcast": BroadcastTraffic,
    "multinode": MultinodeTraffic,
}
