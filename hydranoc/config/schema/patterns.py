"""``traffic``: when nodes send, where to, and how much, where a word does not say it."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import Count, Cycles, Flits, Number, Section
from hydranoc.config.schema.fields import Discriminator, Field, Tag

NAME, NUMBER = "name", "number"
"""Tags of values that are no mappings."""


def _kind(value: Any) -> str:
    return str(value.get("kind", "")) if isinstance(value, dict) else NAME


class Gaussian(Section):
    """A number of destinations with a normal distribution, rounded and clipped to what there is.

    Members
    -------
    mean : float
        Its mean.
    stddev : float
        Its standard deviation.
    """

    mean: Annotated[float, Field(ge=1)]
    stddev: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Bursts(Section):
    """Bursts and pauses of every node for itself, with geometric lengths; pauses are as long as the mean rate wants it.

    Members
    -------
    kind : str
        Which process.
    rate_in_bursts : float
        Probability that a node in a burst starts a message in a cycle; more than the mean rate.
    mean_burst_cycles : float
        Mean length of a burst.
    """

    kind: Literal["bursts"]
    rate_in_bursts: Annotated[float, Field(gt=0, le=1)]
    mean_burst_cycles: Annotated[float, Field(ge=1, allow_inf_nan=False)]


class Batches(Section):
    """All nodes start messages at the same time, from cycle 0 on, as often as the mean rate wants it.

    Members
    -------
    kind : str
        Which process.
    messages : int
        Messages of a node in a batch.
    """

    kind: Literal["batches"]
    messages: Count


class HotSpot(Section):
    """A share of the messages goes to some nodes, all of them equally likely, and the rest to any other node.

    Members
    -------
    kind : str
        Which pattern.
    nodes : list of int
        The hot ones.
    share : float
        Part of the messages of every node that goes to them; what is drawn for its own source is not sent.
    """

    kind: Literal["hot-spot"]
    nodes: Annotated[list[Number], Field(min_length=1)]
    share: Annotated[float, Field(gt=0, le=1)]


class Permutation(Section):
    """Every node always sends to the same one.

    Members
    -------
    kind : str
        Which pattern.
    destinations : list of int
        By source; each node once. A node that stands for itself does not send.
    """

    kind: Literal["permutation"]
    destinations: list[Number]


class Local(Section):
    """Nodes that are near, all of them equally likely.

    Members
    -------
    kind : str
        Which pattern.
    distance : int
        At most so many links between switches away.
    """

    kind: Literal["local"]
    distance: Number


class Groups(Section):
    """All other nodes of the source's group.

    Members
    -------
    kind : str
        Which pattern.
    groups : list of list of int
        Nodes of each group; none is in two. What nodes without a group would send is not sent.
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
    """Messages are requests, and their destinations reply.

    Members
    -------
    flits : int or mapping of int to float
        Length of each reply, header included; or several lengths, each with its share of the replies.
    delay_cycles : int
        From the arrival of a request to the start of its reply.
    outstanding : int or None
        Requests of a node that may be without a reply at a time: a node has so many slots, uses them in turn, and a
        request waits for the reply to the one before it in its slot. Default any number.
    """

    flits: Lengths
    delay_cycles: Cycles = 0
    outstanding: Count | None = None
