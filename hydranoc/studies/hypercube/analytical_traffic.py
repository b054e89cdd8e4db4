"""Rates of messages on a hypercube channel (Sec. 3, equations (3) to (11) and (26)).

There are two variants of the paper's equations:

``printed``
    As printed in the paper. (3) counts the nodes that forward a broadcast, but (10) is a mean over all nodes that
    receive one, so that only about half of the copies that they send appear in (11) and (26). The weights in (27) add
    up rates of whole nodes and a rate of one channel.
``fixed``
    (10) is a mean over the nodes that forward, and the weights in (27) are the three terms of (26), which are rates of
    one channel. Broadcasts then take as many channels as their trees have edges.

Both have brackets around the denominators of (5) and (9), without which the probabilities do not add up to 1.
"""

from dataclasses import dataclass, replace
from math import comb
from typing import Literal, get_args

Variant = Literal["printed", "fixed"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


@dataclass(frozen=True)
class HypercubeLoad:
    """A hypercube and its traffic: Poisson sources, unicasts to uniform destinations, and broadcasts.

    Parameters:
        dimensions: n, 2 to 10.
        vcs: Virtual channels V of a physical channel, at least 2: one for escape, the others adaptive.
        flits: Length M of every message, at least 1.
        broadcast_fraction: Share β of broadcasts among the messages that nodes generate, 0 to 1.
        rate: λ_g, messages that a node generates per cycle, at least 0.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    dimensions: int
    vcs: int
    flits: int
    broadcast_fraction: float
    rate: float = 0.0

    def __post_init__(self):
        if not 2 <= self.dimensions <= 10:
            raise ValueError(f"Dimensions are {self.dimensions!r}; they must be 2 to 10")
        if not self.vcs >= 2:
            raise ValueError(f"vcs is {self.vcs!r}; it must be at least 2")
        if not self.flits >= 1:
            raise ValueError(f"Flits are {self.flits!r}; they must be at least 1")
        if not 0 <= self.broadcast_fraction <= 1:
            raise ValueError(f"Broadcast fraction is {self.broadcast_fraction!r}; it must be 0 to 1")
        if not 0 <= self.rate < float("inf"):
            raise ValueError(f"Rate is {self.rate!r}; it must be at least 0 and finite")

    def at(self, rate: float) -> "HypercubeLoad":
        """Return the same load with another rate."""
        return replace(self, rate=rate)


@dataclass(frozen=True)
class Traffic:
    """Messages that nodes generate and channels carry. Rates are in messages per cycle.

    Members:
        hop_shares: p_1 .. p_n of (5): probability that a unicast crosses that many dimensions.
        mean_hops: Mean number of dimensions that a unicast crosses (6).
        mean_copies: ω, mean number of copies that a node sends on (10): of all nodes that receive a broadcast in the
            printed variant, of those that forward it in the fixed one.
        unicasts, broadcasts, replicas (float): λ_su, λ_sb and λ_sr (3): unicasts and broadcasts that a node generates,
            and broadcasts that it forwards.
        channel_unicasts, channel_broadcasts, channel_replicas (float): λ_cu (7), λ_cb (8) and λ_cr (11), on one
            physical channel.
        channel: λ_c (4), their sum.
        injection: λ_s (26): messages that enter one of the n injection channels of a node.
        channel_broadcast_share: Weight of broadcasts and their replicas among the messages of a channel (17).
        injection_broadcast_share: The same for an injection channel (27).
    """

    hop_shares: tuple[float, ...]
    mean_hops: float
    mean_copies: float
    unicasts: float
    broadcasts: float
    replicas: float
    channel_unicasts: float
    channel_broadcasts: float
    channel_replicas: float
    channel: float
    injection: float
    channel_broadcast_share: float
    injection_broadcast_share: float


def traffic_of(load: HypercubeLoad, variant: Variant) -> Traffic:
    """Return the rates of messages, which are all proportional to the rate of the load.

    Raises:
        ValueError: If there is no such variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"Variant is {variant!r}; it must be {' or '.join(VARIANTS)}")
    n = load.dimensions
    receivers, forwarders = 2**n - 1, 2 ** (n - 1) - 1
    hop_shares = tuple(comb(n, hops) / receivers for hops in range(1, n + 1))
    mean_hops = sum(hops * share for hops, share in enumerate(hop_shares, 1))
    copies = sum(count * 2 ** (n - count - 1) for count in range(n))
    mean_copies = copies / (receivers if variant == "printed" else forwarders)

    # Per message that a node generates, so that the shares exist at rate 0 as well.
    unicasts, broadcasts = 1 - load.broadcast_fraction, load.broadcast_fraction
    replicas = forwarders * broadcasts
    channel_unicasts, channel_broadcasts = unicasts * mean_hops / n, broadcasts
    channel_replicas = mean_copies / n * replicas
    channel = channel_unicasts + channel_broadcasts + channel_replicas
    injection = unicasts / n + broadcasts + channel_replicas
    if variant == "printed":
        injection_share = (broadcasts + replicas) / (unicasts + broadcasts + replicas)
    else:
        injection_share = (broadcasts + channel_replicas) / injection

    rate = load.rate
    return Traffic(
        hop_shares=hop_shares,
        mean_hops=mean_hops,
        mean_copies=mean_copies,
        unicasts=rate * unicasts,
        broadcasts=rate * broadcasts,
        replicas=rate * replicas,
        channel_unicasts=rate * channel_unicasts,
        channel_broadcasts=rate * channel_broadcasts,
        channel_replicas=rate * channel_replicas,
        channel=rate * channel,
        injection=rate * injection,
        channel_broadcast_share=(channel_broadcasts + channel_replicas) / channel,
        injection_broadcast_share=injection_share,
    )


def link_load(load: HypercubeLoad, variant: Variant) -> float:
    """Return λ_c M, flits per cycle on one physical channel, from 0 to 1 within a channel's capacity.

    It counts flits alone, while λ_c S (15) also counts the time for which messages wait. It does not depend on any
    queue and therefore holds, unlike the latency, at every rate at which the network delivers what nodes generate.

    Raises:
        ValueError: If there is no such variant.
    """
    return traffic_of(load, variant).channel * load.flits
