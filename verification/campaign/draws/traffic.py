"""Traffic of a network, and host back-pressure."""

from dataclasses import dataclass
from typing import Any

from verification.campaign.draws.random import Draw, Section

SATURATION = {"spam": 0.25, "min": 0.4, "harts": 0.06, "torus": 0.4, "hypercube": 0.5}
"""Approximate saturation of small networks, in flits per node and cycle: loads are drawn around it."""
LOADS = (0.1, 0.4, 0.8, 1.2, 3.0)
"""Loads as fractions of saturation: from light to far beyond."""
SHORT, MEDIUM, LONG = "short", "medium", "long"
BODY_FLITS = {SHORT: (0, 3), MEDIUM: (4, 24), LONG: (32, 200)}
SOFTWARE = {
    "min": ("binomial", "separate"),
    "torus": ("u-mesh", "spu", "recursive-doubling", "binomial", "separate"),
    "hypercube": ("recursive-doubling", "recursive-doubling-one-base", "binomial", "separate"),
}
ALGORITHMS = ("sbcast", "2-bcast", "3-bcast", "4-bcast", "5-bcast", "6-bcast", "sfbcast")


@dataclass(frozen=True)
class Room:
    """Properties of a network that limit its traffic.

    Members:
        family
        processors
        header_flits: Of the longest header.
        most_flits: Of a message.
        cycles, messages: Approximate limits of the case.
        silent: Processors that neither send nor receive.
    """

    family: str
    processors: int
    header_flits: int
    most_flits: int
    cycles: int
    messages: int
    silent: tuple[int, ...] = ()


def traffic(draw: Draw, room: Room) -> Section:
    """Return a section ``traffic``."""
    if room.silent:
        return _listed(draw, room)
    flits = _lengths(draw, room)
    load = SATURATION[room.family] * draw.one_of(LOADS)
    multicasts = _multicasts(draw, room)
    mean = sum(length * share for length, share in flits.items())
    copies = _copies(multicasts, room)
    rate = min(0.5, load / (mean * copies))
    sends = room.processors * rate * (copies if "software" in multicasts else 1.0)
    cycles = min(room.cycles * min(1.0, SATURATION[room.family] / load), room.messages / sends)
    section: Section = {
        "kind": "random",
        "seed": draw.whole(0, 1 << 30),
        "cycles": max(200, round(cycles)),
        "messages_per_node_per_cycle": float(f"{rate:.4g}"),
        "startup_cycles": draw.one_of((0, 1, 7, 100), (6, 1, 1, 1)),
        "pattern": _pattern(draw, room),
        "injection": _injection(draw, rate),
        "flits": flits,
        **multicasts,
    }
    if draw.chance(0.1) and not multicasts and room.family != "harts":
        section["reply"] = {"flits": room.header_flits + 4, "delay_cycles": draw.whole(0, 20), "outstanding": 4}
    return section


def _lengths(draw: Draw, room: Room) -> dict[int, float]:
    """Return one length, or two with their shares."""
    kinds = [draw.one_of((SHORT, MEDIUM, LONG), (1, 3, 2)) for _ in range(draw.one_of((1, 2)))]
    lengths = {min(room.most_flits, room.header_flits + draw.whole(*BODY_FLITS[kind])) for kind in kinds}
    shares = (1.0,) if len(lengths) == 1 else (0.75, 0.25)
    return dict(zip(sorted(lengths), shares, strict=True))


def _multicasts(draw: Draw, room: Room) -> Section:
    others = room.processors - 1
    if others < 2 or draw.chance(0.25):
        return {}
    if room.family == "harts":
        shares = {"multicast_fraction": draw.one_of((0.02, 0.1, 0.5, 1.0), (2, 3, 1, 1))}
        return {**shares, "algorithm": draw.one_of(ALGORITHMS)}
    section: Section = {"multicast_fraction": draw.one_of((0.05, 0.2, 0.5, 1.0), (2, 3, 2, 1))}
    section["destinations"] = draw.one_of((2, max(2, others // 2), {"mean": max(1, others // 2), "stddev": 3}))
    if isinstance(section["destinations"], int):
        section["destinations"] = min(section["destinations"], others)
    if draw.chance(0.2):
        section["broadcast_fraction"] = min(0.1, 1 - section["multicast_fraction"])
    if room.family in ("torus", "hypercube") or (room.family == "min" and draw.chance(0.15)):
        section["software"] = draw.one_of(SOFTWARE[room.family])
    return section


def _copies(multicasts: Section, room: Room) -> float:
    """Return the mean deliveries of a message; broadcasts in hexagonal meshes have several for each node."""
    fraction = multicasts.get("multicast_fraction", 0.0)
    if room.family == "harts":
        algorithm = multicasts.get("algorithm", "")
        per_node = int(algorithm[0]) if algorithm[:1].isdigit() else 1
        return 1 - fraction + fraction * per_node * (room.processors - 1)
    wanted = multicasts.get("destinations", 1)
    destinations = wanted["mean"] if isinstance(wanted, dict) else wanted
    broadcasts = multicasts.get("broadcast_fraction", 0.0)
    return 1 - fraction - broadcasts + fraction * destinations + broadcasts * (room.processors - 1)


def _pattern(draw: Draw, room: Room) -> Any:
    if room.processors < 3 or draw.chance(0.6):
        return "uniform"
    hot = {"kind": "hot-spot", "nodes": draw.some_of(range(room.processors), draw.whole(1, 2)), "share": 0.5}
    permutation = {"kind": "permutation", "destinations": draw.some_of(range(room.processors), room.processors)}
    return draw.one_of((hot, hot, permutation))


def _injection(draw: Draw, rate: float) -> Any:
    bursts = {"kind": "bursts", "rate_in_bursts": min(1.0, 4 * rate), "mean_burst_cycles": draw.one_of((50, 500))}
    return draw.one_of(
        ("poisson", "bernoulli", "periodic", bursts, {"kind": "batches", "messages": 4}), (4, 1, 1, 2, 1)
    )


def _listed(draw: Draw, room: Room) -> Section:
    """Return listed messages: packets between working nodes, and broadcasts by any algorithm."""
    live = [node for node in range(room.processors) if node not in room.silent]
    gap = 20 / (len(live) * SATURATION[room.family] * draw.one_of(LOADS))
    messages, start = [], 0.0
    while start < room.cycles and len(messages) < 20_000:
        source, destination = draw.some_of(live, 2)
        message: Section = {"source": source, "flits": draw.whole(1, room.most_flits), "start_cycle": int(start)}
        broadcast = draw.chance(0.1)
        message |= {"algorithm": draw.one_of(ALGORITHMS)} if broadcast else {"destinations": [destination]}
        messages.append(message)
        start += draw.exponential(gap * (2 * len(live) if broadcast else 1))
    return {"kind": "list", "messages": messages}


def hosts(draw: Draw, room: Room) -> Section:
    """Return a section ``hosts``; empty without back-pressure."""
    if draw.chance(0.4):
        return {}
    section: Section = {
        "pause": draw.one_of((0.0, 0.1, 0.5, 0.9)),
        "stall": draw.one_of((0.0, 0.1, 0.3, 0.7)),
        "seed": draw.whole(0, 65535),
    }
    if draw.chance(0.4):
        section["blocked"] = [_blockade(draw, room) for _ in range(draw.whole(1, 3))]
    return section


def _blockade(draw: Draw, room: Room) -> Section:
    cycles = max(1, room.cycles // draw.one_of((20, 100, 1000)))
    start = draw.whole(0, max(1, room.cycles // 2))
    return {"processor": draw.whole(0, room.processors - 1), "start_cycle": start, "cycles": cycles}
