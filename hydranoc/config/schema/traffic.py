"""``traffic``: the kinds of messages."""

from typing import Annotated, Literal

from hydranoc.config.schema.base import MAX_CYCLES, Count, Cycles, Flits, Section, Seed
from hydranoc.config.schema.fields import Field
from hydranoc.config.schema.patterns import Destinations, Injection, Lengths, MulticastPattern, Pattern, Reply


class Traffic(Section):
    """Keys of every traffic.

    Members
    -------
    startup_cycles : int
        Cycles that a host prepares each message.
    warmup_cycles : int
        Messages that start earlier are left out of the statistics; at most the start of the last message.
    software : str or None
        Send each multicast as unicasts from host to host: ``binomial``, a chain, in multistage networks also by the
        names that it has there, ``cmin`` in unidirectional and ``umin`` in bidirectional ones; ``separate``, all from
        the source; and whatever else the family has. The seed of random traffic is also that of software with random
        choices, and of injection channels where hosts have several.
    """

    startup_cycles: Cycles = 0
    warmup_cycles: Cycles = 0
    software: str | None = None


class RandomTraffic(Traffic):
    """Random messages of every processor.

    Members
    -------
    kind : str
        Where the messages come from.
    seed : int
        Which messages.
    cycles : int
        Messages start in so many cycles; the run ends when all have arrived.
    messages_per_node_per_cycle : float
        Mean rate of each processor.
    injection : str, Bursts or Batches
        When they start: ``poisson``, a Poisson process; ``bernoulli``, in each cycle with the same probability;
        ``periodic``, every so many cycles, from a random moment on; or bursts and pauses, or batches.
    pattern : str, HotSpot, Permutation or Local
        Where unicasts go: ``uniform``, any other node; a permutation, ``transpose``, ``bit-complement``,
        ``bit-reverse``, ``shuffle``, ``tornado`` or ``neighbour`` (docs/traffic.md); ``MODULE:FUNCTION`` or
        ``FILE.py:FUNCTION``, a function of your own; a pattern that a package adds; or a mapping. What would go to its
        own source is not sent.
    multicast_fraction : float
        Share of messages to several ``destinations``.
    broadcast_fraction : float
        Share of messages to all other processors.
    destinations : int or Gaussian
        Destinations of a multicast, all different and random.
    multicast_pattern : str, Local or Groups
        Which they are: ``uniform``, any other nodes; ``row`` or ``column``, all other nodes of the source's; or a
        mapping. Rows, columns and groups leave ``destinations`` out.
    flits : int or mapping of int to float
        Length of each message, header included; or several lengths, each with its share of the messages.
    reply : Reply or None
        Messages are requests that are replied to; unicasts alone, and no software.
    algorithm : str or None
        What multicasts are in families with broadcast procedures (harts): broadcasts by this one, to all other
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
    """One message of a list: its destinations, or in families with broadcast procedures the name of one.

    Members
    -------
    source : int
        The processor that sends it.
    destinations : list of int, or None
        The processors that get it: all different, and none of them the source.
    algorithm : str or None
        Broadcast procedure (harts) that brings it to all others, in place of destinations.
    flits : int
        Its length, header included.
    start_cycle : int
        When its host begins to prepare it.
    injection_channel : int or None
        Which of the source's injection channels it takes, from 0 on; any one if it is left out. The unicasts that
        software makes of a multicast take those that the software says.
    """

    source: int
    destinations: Annotated[list[int], Field(min_length=1)] | None = None
    algorithm: str | None = None
    flits: Flits
    start_cycle: Cycles = 0
    injection_channel: Annotated[int, Field(ge=0)] | None = None


class ListTraffic(Traffic):
    """Messages written out.

    Members
    -------
    kind : str
        Where the messages come from.
    messages : list of ListedMessage
        Each of them.
    """

    kind: Literal["list"]
    messages: Annotated[list[ListedMessage], Field(min_length=1)]


class BroadcastTraffic(Traffic):
    """A single message to all other processors.

    Members
    -------
    kind : str
        Where the messages come from.
    algorithm : str or None
        By which procedure, in families that have such (harts); others send it as a multicast, by ``software`` if need
        be.
    source : int
        The processor that sends it.
    bytes : int or None
        Length of the body; ``flits`` says the same in another way, and one of the two is needed.
    flits : int or None
        Length of the message, header included.
    start_cycle : int
        When its host begins to prepare it.
    """

    kind: Literal["broadcast"]
    algorithm: str | None = None
    source: int
    bytes: Count | None = None
    flits: Flits | None = None
    start_cycle: Cycles = 0


class TraceTraffic(Traffic):
    """Messages from a CSV file, relative to the configuration.

    Members
    -------
    kind : str
        Where the messages come from.
    file : str
        Its name. Its columns are ``cycle,source,destinations,flits``, with blanks between destinations, which are all
        different and none of them the source.
    """

    kind: Literal["trace"]
    file: str


class MultinodeTraffic(Traffic):
    """Many sources at once, each with a multicast of its own (multi-node multicast).

    Members
    -------
    kind : str
        Where the messages come from.
    scheme : str or None
        The same as ``software``.
    sources : int
        How many nodes send, all different and random.
    destinations : int
        To how many others each of them sends, all different and random.
    hot_spot : float
        So large a share of the destinations is common to all multicasts.
    flits : int
        Length of each message, header included.
    seed : int
        Which nodes.
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
