"""Deadlock reports: a cycle of input channels that wait for each other."""

from collections.abc import Sequence

from sim_model.engines.model import Wait
from topology.common.channels import ChannelNetwork


def waiting_cycle(waits: Sequence[Wait]) -> list[Wait]:
    """Return a cycle in the relation "waits for", first blocker first; empty if there is none."""
    by_channel = {wait.channel: wait for wait in waits}
    done: set[int] = set()
    for start in by_channel:
        path: list[int] = []
        found = _search(start, by_channel, path, done)
        if found:
            return [by_channel[channel] for channel in found]
    return []


def _search(start: int, by_channel: dict[int, Wait], path: list[int], done: set[int]) -> list[int]:
    """Search depth first, without recursion: networks may be deep."""
    stack = [(start, iter(by_channel[start].blockers))]
    path.append(start)
    while stack:
        channel, blockers = stack[-1]
        following = next((blocker for blocker in blockers if blocker in by_channel and blocker not in done), None)
        if following is None:
            done.add(channel)
            stack.pop()
            path.pop()
        elif following in path:
            return path[path.index(following) :]
        else:
            path.append(following)
            stack.append((following, iter(by_channel[following].blockers)))
    return []


def deadlock_report(network: ChannelNetwork, waits: Sequence[Wait], cycle: int) -> str:
    """Return a readable cycle of waiting, one line per input channel."""
    ring = waiting_cycle(waits)
    lines = [f"deadlock in cycle {cycle}: {len(ring)} input channels wait for each other"]
    for wait in ring:
        message = "no flit" if wait.message < 0 else f"message {wait.message}"
        lines.append(f"  {network.channels[wait.channel].name} ({message}) waits {wait.reason}")
    return "\n".join(lines)
