"""Mean latency of broadcasts in a hypercube with adaptive routing (Sec. 3, equations (1) to (31)).

Besides the brackets in (5) and (9), both variants read the paper as follows. The probability in (13) is P_V, that all
VCs are busy. Hops in (21) count from 1 to n. A message may take the V - 1 adaptive VCs of every dimension left to it,
so that the exponent in (25) is the number of these dimensions without the lowest.
"""

from dataclasses import dataclass
from math import comb

from hydranoc.studies.hypercube.analytical_traffic import HypercubeLoad, Traffic, Variant, link_load, traffic_of


@dataclass(frozen=True)
class Channel:
    """A physical channel for a given mean service time. Times are in cycles.

    Members:
        service_time: S, the mean time for which a message keeps the channel.
        utilisation: ρ = λ_c S (15).
        vcs_busy: P_0 .. P_V of (30): probability that that many VCs are busy. P_V is P_d (24).
        adaptive_busy: P_a (23): probability that all adaptive VCs are busy.
        blocking: P_b (25) by the number of dimensions, 0 .. n - 1, that a message may cross instead of the lowest one
            that is left to it. The first is that of a broadcast, whose copies have no choice. This is i - j at the j-th
            of i hops.
        wait: W_c (19), mean time until a VC is free for a message that is blocked.
        broadcast_blocking: B_b (13), mean time for which a copy of a broadcast is blocked.
        broadcast_time: S_b (12), mean time for one step of a broadcast.
        unicast_times: S_u,i (21) for 1 .. n hops.
        unicast_time: S_u (20), their mean.
        mean_time: Right-hand side of (17). The service time of the model is the one that this equals.
    """

    service_time: float
    utilisation: float
    vcs_busy: tuple[float, ...]
    adaptive_busy: float
    blocking: tuple[float, ...]
    wait: float
    broadcast_blocking: float
    broadcast_time: float
    unicast_times: tuple[float, ...]
    unicast_time: float
    mean_time: float


def queue_wait(rate: float, service_time: float, flits: int) -> float:
    """Return the mean wait of an M/G/1 queue in cycles ((19) and (28)). No message takes less than its flits (18)."""
    deviation = service_time - flits
    return rate * (service_time**2 + deviation**2) / (2 * (1 - rate * service_time))


def vcs_busy(vcs: int, utilisation: float) -> tuple[float, ...]:
    """Return the probabilities P_0 .. P_V of 0 .. V busy VCs (29, 30), for a utilisation below 1."""
    weights = [utilisation**busy for busy in range(vcs)]
    weights.append(weights[-1] * utilisation / (1 - utilisation))
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def channel_at(load: HypercubeLoad, traffic: Traffic, service_time: float) -> Channel:
    """Return the channel for a given mean service time, less than 1 / λ_c."""
    n, flits = load.dimensions, load.flits
    utilisation = traffic.channel * service_time
    busy = vcs_busy(load.vcs, utilisation)
    adaptive_busy = busy[-2] / comb(load.vcs, load.vcs - 1) + busy[-1]
    blocking = tuple(adaptive_busy**others * busy[-1] for others in range(n))
    wait = queue_wait(traffic.channel, service_time, flits)

    broadcast_blocking = blocking[0] * wait
    broadcast_time = flits + broadcast_blocking
    unicast_times = tuple(flits + hops + sum(blocking[:hops]) * wait for hops in range(1, n + 1))
    unicast_time = sum(share * time for share, time in zip(traffic.hop_shares, unicast_times, strict=True))
    share = traffic.channel_broadcast_share
    return Channel(
        service_time=service_time,
        utilisation=utilisation,
        vcs_busy=busy,
        adaptive_busy=adaptive_busy,
        blocking=blocking,
        wait=wait,
        broadcast_blocking=broadcast_blocking,
        broadcast_time=broadcast_time,
        unicast_times=unicast_times,
        unicast_time=unicast_time,
        mean_time=share * broadcast_time + (1 - share) * unicast_time,
    )


STARTUP_CYCLES = 1
"""Δ of (1), start-up of each step of a broadcast (Sec. 4)."""

RELATIVE_ERROR = 1e-13
"""A service time solves (17) if the right-hand side exceeds it by no more than this share."""

HALVINGS = 48
"""Bisection steps in the search for saturation; the rest is below the precision of the model's roots."""


@dataclass(frozen=True)
class Solution:
    """All quantities of the model. Times are in cycles.

    Members:
        load
        variant (str)
        traffic: Rates of messages, (3) to (11) and (26).
        channel: A physical channel, (12) to (25), (29) and (30), for the service time that solves (17).
        injection_service_time: S_s (27), mean time for which a message keeps an injection channel.
        injection_wait: W_s (28), mean wait of a message for an injection channel.
        multiplexing: V with a bar (31), mean number of VCs that share a physical channel in use, from 1 to V.
        step_latency: L_b (2), one step of a broadcast, without its start-up.
        latency: Of a broadcast (1), from its generation, waits at the nodes included, until the last node has it.
    """

    load: HypercubeLoad
    variant: Variant
    traffic: Traffic
    channel: Channel
    injection_service_time: float
    injection_wait: float
    multiplexing: float
    step_latency: float
    latency: float


def solve(load: HypercubeLoad, variant: Variant) -> Solution | None:
    """Return the model's latency and its components.

    Parameters:
        variant ("printed" or "fixed"): See ``hydranoc.studies.hypercube.analytical_traffic`` for both.

    Returns:
        None beyond saturation, where no service time solves the equations. A latency is never clipped.

    Raises:
        ValueError: If there is no such variant.
    """
    traffic = traffic_of(load, variant)
    channel = _settled_channel(load, traffic)
    if channel is None:
        return None
    share = traffic.injection_broadcast_share
    injection_service_time = share * channel.broadcast_time + (1 - share) * channel.unicast_time
    injection_wait = queue_wait(traffic.injection, injection_service_time, load.flits)
    multiplexing = _multiplexing(channel.vcs_busy)
    step_latency = (channel.broadcast_time + injection_wait) * multiplexing
    return Solution(
        load=load,
        variant=variant,
        traffic=traffic,
        channel=channel,
        injection_service_time=injection_service_time,
        injection_wait=injection_wait,
        multiplexing=multiplexing,
        step_latency=step_latency,
        latency=load.dimensions * (step_latency + STARTUP_CYCLES),
    )


def saturation_rate(load: HypercubeLoad, variant: Variant) -> float:
    """Return the highest rate λ_g at which the model has a latency, in messages per node and cycle.

    At lower rates two service times solve (17), of which the smaller one counts. They meet at saturation, long before
    λ_c S is 1; beyond it there are none. All sides of (17) grow with the rate, so rates can be searched by halves.

    Parameters:
        load: Its own rate does not matter.
        variant ("printed" or "fixed")

    Raises:
        ValueError: If there is no such variant.
    """
    low, high = 0.0, 1 / link_load(load.at(1.0), variant)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _settled_channel(load, traffic_of(load.at(middle), variant)) is None:
            high = middle
        else:
            low = middle
    return low


def _settled_channel(load: HypercubeLoad, traffic: Traffic) -> Channel | None:
    """Return the channel whose service time is the smallest that solves (17), or None if there is none.

    The right-hand side of (17) grows with S, and ever faster: it is a power series in S - M without a negative term.
    Right-hand side minus S, the way still to go, is therefore a convex curve, and not below zero at S = M. A secant
    through two of its points below the smallest root meets zero at that root or below it, so the search cannot step
    over the root. Where there is none, the curve turns upwards on the way, or S reaches 1 / λ_c.
    """
    if traffic.channel * load.flits >= 1:
        return None
    behind = channel_at(load, traffic, load.flits)
    ahead_time = behind.mean_time
    while traffic.channel * ahead_time < 1:
        ahead = channel_at(load, traffic, ahead_time)
        way_behind = behind.mean_time - behind.service_time
        way_ahead = ahead.mean_time - ahead.service_time
        if way_ahead <= RELATIVE_ERROR * ahead_time:
            return ahead
        if way_ahead >= way_behind:
            return None
        step = way_ahead * (ahead_time - behind.service_time) / (way_behind - way_ahead)
        behind, ahead_time = ahead, ahead_time + step
    return None


def _multiplexing(vcs_busy: tuple[float, ...]) -> float:
    """Return the mean number of VCs that share a channel (31). It tends to 1 with the load, and is 1 without any."""
    busy = sum(count * share for count, share in enumerate(vcs_busy))
    return sum(count**2 * share for count, share in enumerate(vcs_busy)) / busy if busy else 1.0
