"""Mean latency of broadcasts in a hypercube with adaptive routing (Sec. 3, equations (1) to (31)).

Besides the brackets in (5) and (9), both variants read the paper as follows. The probability in (13) is P_V, that all
VCs are busy. Hops in (21) count from 1 to n. A message may take the V - 1 adaptive VCs of every dimension left to it,
so that the exponent in (25) is the number of these dimensions without the lowest.
"""

from dataclasses import dataclass

from sim_model.hypercube.analytical_channel import Channel, channel_at, queue_wait
from sim_model.hypercube.analytical_traffic import HypercubeLoad, Traffic, Variant, link_load, traffic_of

STARTUP_CYCLES = 1
"""Δ of (1), start-up of each step of a broadcast (Sec. 4)."""

RELATIVE_ERROR = 1e-13
"""A service time solves (17) if the right-hand side exceeds it by no more than this share."""

HALVINGS = 48
"""Bisection steps in the search for saturation; the rest is below the precision of the model's roots."""


@dataclass(frozen=True)
class Solution:
    """All quantities of the model. Times are in cycles.

    Members
    -------
    load : HypercubeLoad
    variant : str
    traffic : Traffic
        Rates of messages, (3) to (11) and (26).
    channel : Channel
        A physical channel, (12) to (25), (29) and (30), for the service time that solves (17).
    injection_service_time : float
        S_s (27), mean time for which a message keeps an injection channel.
    injection_wait : float
        W_s (28), mean wait of a message for an injection channel.
    multiplexing : float
        V with a bar (31), mean number of VCs that share a physical channel in use, from 1 to V.
    step_latency : float
        L_b (2), one step of a broadcast, without its start-up.
    latency : float
        Of a broadcast (1), from its generation, waits at the nodes included, until the last node has it.
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

    Parameters
    ----------
    load : HypercubeLoad
    variant : "printed" or "fixed"
        See ``sim_model.hypercube.analytical_traffic`` for both.

    Returns
    -------
    Solution or None
        None beyond saturation, where no service time solves the equations. A latency is never clipped.

    Raises
    ------
    ValueError
        If there is no such variant.
    """
    traffic = traffic_of(load, variant)
    channel = _settled_channel(load, traffic)
    if channel is None:
        return None
    share = traffic.injection_broadcast_share
    injection_service_time = share * channel.broadcast_time + (1 - share) * channel.unicast_time
    injection_wait = queue_wait(traffic.injection, injection_service_time, load.flits)
    multiplexing = _multiplexing(channel.lanes_busy)
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

    Parameters
    ----------
    load : HypercubeLoad
        Its own rate does not matter.
    variant : "printed" or "fixed"

    Raises
    ------
    ValueError
        If there is no such variant.
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


def _multiplexing(lanes_busy: tuple[float, ...]) -> float:
    """Return the mean number of VCs that share a channel (31). It tends to 1 with the load, and is 1 without any."""
    busy = sum(count * share for count, share in enumerate(lanes_busy))
    return sum(count**2 * share for count, share in enumerate(lanes_busy)) / busy if busy else 1.0
