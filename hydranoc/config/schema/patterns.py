"""``traffic``: injection processes, patterns and lengths that are mappings."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import Count, Cycles, Flits, Number, Section
from hydranoc.config.schema.fields import Discriminator, Field, Tag

NAME, NUMBER = "name", "number"
"""Tags of values that are no mappings."""


def _kind(value: Any) -> str:
    return str(value.get("kind", "")) if isinstance(value, dict) else NAME


class Gaussian(Section):
    """A normally distributed number of destinations, rounded and clipped to the size of the network.

    Members:
        mean: Its mean.
        stddev: Its standard deviation.
    """

    mean: Annotated[float, Field(ge=1)]
    stddev: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Bursts(Section):
    """Bursts and pauses of geometric lengths, independent for every node; the mean rate determines the pauses.

    Members:
        kind (str): Injection process.
        rate_in_bursts: Probability that a node in a burst starts a message in a cycle; greater than the mean rate.
        mean_burst_cycles: Mean length of a burst.
    """

    kind: Literal["bursts"]
    rate_in_bursts: Annotated[float, Field(gt=0, le=1)]
    mean_burst_cycles: Annotated[float, Field(ge=1, allow_inf_nan=False)]


class Batches(Section):
    """Simultaneous messages of all nodes, from cycle 0 on; the mean rate determines the interval.

    Members:
        kind (str): Injection process.
        messages (int): Messages per node in a batch.
    """

    kind: Literal["batches"]
    messages: Count


class HotSpot(Section):
    """Hot spots: a fraction of the messages goes to some nodes, uniformly, and the rest to any other node.

    Members:
        kind (str): Traffic pattern.
        nodes (list of int): The hot-spot nodes.
        share: Fraction of each node's messages to the hot-spot nodes; messages to their own source are not sent.
    """

    kind: Literal["hot-spot"]
    nodes: Annotated[list[Number], Field(min_length=1)]
    share: Annotated[float, Field(gt=0, le=1)]


class Permutation(Section):
    """A fixed destination for every source.

    Members:
        kind (str): Traffic pattern.
        destinations (list of int): Destination of each source; each node once. A node with itself as destination does
            not send.
    """

    kind: Literal["permutation"]
    destinations: list[Number]


class Local(Section):
    """Nearby nodes, uniformly.

    Members:
        kind (str): Traffic pattern.
        distance (int): Maximum distance in links between switches.
    """

    kind: Literal["local"]
    distance: Number


class Groups(Section):
    """All other nodes of the source's group.

    Members:
        kind (str): Traffic pattern.
        groups (list of list of int): Nodes of each group; no node is in two. Nodes without a group do not send.
    """

    kind: Literal["groups"]
    groups: Annotated[list[Annotated[list[Number], Field(min_length=2)]], Field(min_length=1)]


def _destinations_tag(value: Any) -> str:
    return "distribution" if isinstance(value, dict) else NUMBER


Injection = Annotated[
    Annotated[Literal["poisson", "bernoulli", "periodic"], Tag(NAME)]
    | Annotated[Bursts, Tag("bursts")]
    | Annotated[Batches, Tag("batches")],
    Discriminator(_kind),
]
Pattern = Annotated[
    Annotated[str, Tag(NAME)]
    | Annotated[HotSpot, Tag("hot-spot")]
    | Annotated[Permutation, Tag("permutation")]
    | Annotated[Local, Tag("local")],
    Discriminator(_kind),
]
MulticastPattern = Annotated[
    Annotated[Literal["uniform", "row", "column"], Tag(NAME)]
    | Annotated[Local, Tag("local")]
    | Annotated[Groups, Tag("groups")],
    Discriminator(_kind),
]
Destinations = Annotated[
    Annotated[Count, Tag(NUMBER)] | Annotated[Gaussian, Tag("distribution")], Discriminator(_destinations_tag)
]
Lengths = Annotated[
    Annotated[Flits, Tag(NUMBER)]
    | Annotated[dict[Flits, Annotated[float, Field(gt=0, le=1)]], Field(min_length=1), Tag("distribution")],
    Discriminator(_destinations_tag),
]


class Reply(Section):
    """Requests and replies: messages are requests, and their destinations reply.

    Members:
        flits (int or mapping of int to float): Length of each reply, header included; or several lengths, each with its
            fraction of the replies.
        delay_cycles (int): Cycles from the arrival of a request to the start of its reply.
        outstanding (int or None): Maximum outstanding requests per node. A node uses its slots in turn, and a request
            waits for the reply to the previous request in its slot. Default unlimited.
    """

    flits: Lengths
    delay_cycles: Cycles = 0
    outstanding: Count | None = None
