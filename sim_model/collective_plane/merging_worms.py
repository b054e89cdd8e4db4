"""Negative control: worms that merge on shared channels, which deadlock, and do not on a plane of their own.

A reduction takes a tree of channels. A switch sends a word on when the word has come over all channels below. Each
channel has one buffer, which a worm holds from its first word to its last. With shared channels, reductions and other
worms wait for buffers of each other. On a plane each group has buffers of its own, which other worms do not take.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

BUFFER_WORDS = 2


@dataclass(frozen=True)
class Worm:
    """A message that holds each of its channels until its last word has left it.

    Parameters:
        name: For reports.
        channels (mapping of str to tuple of str): Channels, each with those that it gets words from: of a reduction the
            channels of all children, otherwise one. None for a channel of a source.
        words: Number of words.
        starts (mapping of str to int): Cycle of the first word on channels of sources, if not 0.
        group: Group of a reduction; None for other messages.
    """

    name: str
    channels: Mapping[str, tuple[str, ...]]
    words: int
    starts: Mapping[str, int] = field(default_factory=dict)
    group: int | None = None


@dataclass(frozen=True)
class Outcome:
    """End of a run.

    Members:
        cycles (int): Cycles until the last word has arrived, or nothing can move any more.
        circle (tuple of str): Worms on channels, each waiting for the next, and the last for the first; empty without a
            deadlock.
    """

    cycles: int
    circle: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The circle in one line."""
        return " -> ".join((*self.circle, self.circle[0])) if self.circle else "no deadlock"


def run_worms(worms: Sequence[Worm], *, plane: bool = False) -> Outcome:
    """Run worms until all words have arrived, or nothing can move any more.

    Parameters:
        worms: Of several that request a channel in one cycle, the first gets it.
        plane: Give each group channels of its own.
    """
    run = _Run(worms, plane)
    while any(run.left[worm.name, channel] < worm.words for worm in worms for channel in worm.channels):
        if not run.step():
            return Outcome(run.cycle, run.circle())
    return Outcome(run.cycle)


class _Run:
    """Words of each worm that have arrived over each channel and left its buffer, and the holders of channels."""

    def __init__(self, worms: Sequence[Worm], plane: bool):
        self.worms = {worm.name: worm for worm in worms}
        self.cycle = 0
        self.arrived = {(worm.name, channel): 0 for worm in worms for channel in worm.channels}
        self.left = dict(self.arrived)
        self.holder: dict[tuple[str, int | None], str] = {}
        self._plane = plane

    def _key(self, name: str, channel: str) -> tuple[str, int | None]:
        return channel, self.worms[name].group if self._plane else None

    def _behind(self, name: str, channel: str) -> list[str]:
        return [after for after, before in self.worms[name].channels.items() if channel in before]

    def step(self) -> bool:
        """Go on by one cycle. Returns whether anything has moved, or will."""
        waiting = any(self.cycle < start for worm in self.worms.values() for start in worm.starts.values())
        moves = [move for move in self.arrived if self.arrived[move] < self.worms[move[0]].words]
        moves = [move for move in moves if not self.blockers(*move)]
        for name, channel in moves:
            if self.holder.setdefault(self._key(name, channel), name) == name:
                self.arrived[name, channel] += 1
        for name, channel in self.arrived:
            behind = self._behind(name, channel)
            self.left[name, channel] = min((self.arrived[name, after] for after in behind), default=0)
            if not behind:
                self.left[name, channel] = self.arrived[name, channel]
            key = self._key(name, channel)
            if self.left[name, channel] == self.worms[name].words and self.holder.get(key) == name:
                del self.holder[key]
        self.cycle += 1
        return bool(moves) or waiting

    def blockers(self, name: str, channel: str) -> list[str]:
        """Return what a worm waits for on a channel: its next word there, or if all have come, the last to leave."""
        worm, sent, gone = self.worms[name], self.arrived[name, channel], self.left[name, channel]
        full = [f"{name} on {after}" for after in self._behind(name, channel) if self.arrived[name, after] == gone]
        if sent == worm.words:
            return full
        if self.cycle < worm.starts.get(channel, 0):
            return [f"start of {name}"]
        missing = [before for before in worm.channels[channel] if self.arrived[name, before] == sent]
        if missing:
            return [f"{name} on {before}" for before in missing]
        holder = self.holder.get(self._key(name, channel), name)
        if holder != name:
            return [f"{holder} on {channel}"]
        return full if sent - gone == BUFFER_WORDS else []

    def circle(self) -> tuple[str, ...]:
        """Return a circle of waits: where nothing moves, each worm on a channel waits for another one, or itself."""
        waits = {
            f"{name} on {channel}": self.blockers(name, channel)[0]
            for name, channel in self.arrived
            if self.left[name, channel] < self.worms[name].words
        }
        path = [next(iter(waits))]
        while (following := waits[path[-1]]) not in path:
            path.append(following)
        return tuple(path[path.index(following) :])


def crossing_reductions(words: int = 4) -> tuple[Worm, ...]:
    """Return two reductions over two children of one switch, which they reach in different orders.

    Parameters:
        words: Words of each.
    """

    def reduction(name: str, group: int, late: str) -> Worm:
        channels = {f"{name}1->X": (), f"{name}2->Y": (), "X->T": (f"{name}1->X",), "Y->T": (f"{name}2->Y",)}
        return Worm(name, {**channels, "T->root": ("X->T", "Y->T")}, words, {late: 2}, group)

    return reduction("A", 0, "A2->Y"), reduction("B", 1, "B1->X")


def crossing_multicast(words: int = 4) -> tuple[Worm, ...]:
    """Return a reduction that holds a channel while it waits, a unicast behind it, and a multicast behind that.

    The multicast's other branch holds the channel that the reduction's second member needs.

    Parameters:
        words: Words of each.
    """
    reduction = Worm(
        "R",
        {
            "r1->X": (),
            "X->T": ("r1->X",),
            "r2->W": (),
            "W->Y": ("r2->W",),
            "Y->T": ("W->Y",),
            "T->root": ("X->T", "Y->T"),
        },
        words,
        {"r2->W": 6},
        0,
    )
    unicast = Worm("U", {"u->W": (), "W->X": ("u->W",), "X->T": ("W->X",), "T->d": ("X->T",)}, words, {"u->W": 1})
    multicast = Worm(
        "M",
        {"m->W": (), "W->X": ("m->W",), "X->e": ("W->X",), "W->Y": ("m->W",), "Y->f": ("W->Y",)},
        words,
        {"m->W": 2},
    )
    return reduction, unicast, multicast
