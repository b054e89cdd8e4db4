"""Service time of a hypercube channel per message (Sec. 3, equations (12) to (25), (29) and (30))."""

from dataclasses import dataclass
from math import comb

from sim_model.hypercube.analytical_traffic import HypercubeLoad, Traffic


@dataclass(frozen=True)
class Channel:
    """A physical channel for a given mean service time. Times are in cycles.

    Members
    -------
    service_time : float
        S, the mean time for which a message keeps the channel.
    utilisation : float
        ρ = λ_c S (15).
    lanes_busy : tuple of float
        P_0 .. P_V of (30): probability that that many VCs are busy. P_V is P_d (24).
    adaptive_busy : float
        P_a (23): probability that all adaptive VCs are busy.
    blocking : tuple of float
        P_b (25) by the number of dimensions, 0 .. n - 1, that a message may cross instead of the lowest one that is
        left to it. The first is that of a broadcast, whose copies have no choice. This is i - j at the j-th of i hops.
    wait : float
        W_c (19), mean time until a VC is free for a message that is blocked.
    broadcast_blocking : float
        B_b (13), mean time for which a copy of a broadcast is blocked.
    broadcast_time : float
        S_b (12), mean time for one step of a broadcast.
    unicast_times : tuple of float
        S_u,i (21) for 1 .. n hops.
    unicast_time : float
        S_u (20), their mean.
    mean_time : float
        Right-hand side of (17). The service time of the model is the one that this equals.
    """

    service_time: float
    utilisation: float
    lanes_busy: tuple[float, ...]
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


def lanes_busy(lanes: int, utilisation: float) -> tuple[float, ...]:
    """Return the probabilities P_0 .. P_V of 0 .. V busy VCs (29, 30), for a utilisation below 1."""
    weights = [utilisation**busy for busy in range(lanes)]
    weights.append(weights[-1] * utilisation / (1 - utilisation))
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def channel_at(load: HypercubeLoad, traffic: Traffic, service_time: float) -> Channel:
    """Return the channel for a given mean service time, less than 1 / λ_c."""
    n, flits = load.dimensions, load.flits
    utilisation = traffic.channel * service_time
    busy = lanes_busy(load.lanes, utilisation)
    adaptive_busy = busy[-2] / comb(load.lanes, load.lanes - 1) + busy[-1]
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
        lanes_busy=busy,
        adaptive_busy=adaptive_busy,
        blocking=blocking,
        wait=wait,
        broadcast_blocking=broadcast_blocking,
        broadcast_time=broadcast_time,
        unicast_times=unicast_times,
        unicast_time=unicast_time,
        mean_time=share * broadcast_time + (1 - share) * unicast_time,
    )
