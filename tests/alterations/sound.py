"""Alterations that leave the claim true, and why."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import networkx as nx

from hydranoc import load
from tests.alterations.hardware import Alteration, instances
from tests.alterations.networks import NETWORKS, Offer, offer
from topology.torus.deadlock import torus_dependencies

CLASSES = {"spam": 3, "min": 2}


class Unsound(Exception):
    """Reason that tables are no sound routing."""


@dataclass
class Tables:
    """Routing tables of all switches, and the rows that headers look up."""

    manifest: dict
    routes: dict[tuple[int, int, int], int] = field(default_factory=dict)
    reach: dict[int, int] = field(default_factory=dict)
    arrival: dict[int, int] = field(default_factory=dict)
    used: set[tuple[int, int, int]] = field(default_factory=set)
    edges: set[tuple[int, int]] = field(default_factory=set)
    known: dict[tuple[int, int, int], tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self):
        channels = self.manifest["channels"]
        self.switches, self.processors = len(self.manifest["switch_names"]), len(self.manifest["nodes"])
        self.sink = [channel["sink"] for channel in channels]
        self.outputs: dict[int, list[int]] = {}
        self.inputs: dict[int, list[int]] = {}
        for side, found in (("source", self.outputs), ("sink", self.inputs)):
            for channel in sorted(channels, key=lambda one: one[f"{side}_port"]):
                found.setdefault(channel[side], []).append(channel["index"])
        self.injections = [c["index"] for c in channels if c["source"] >= self.switches]

    def delivered(self, channel: int, key: int, wanted: int, before: tuple[int, ...] = ()) -> tuple[int, ...]:
        """The processors that get a header, by any of its routes."""
        switch = self.sink[channel]
        if switch >= self.switches:
            return (switch - self.switches,)
        if channel in before:
            raise Unsound("a header comes back")
        state = (channel, key, wanted)
        if state not in self.known:
            self.known[state] = self._behind(channel, switch, key, wanted, (*before, channel))
        return self.known[state]

    def _behind(self, channel: int, switch: int, key: int, wanted: int, before: tuple[int, ...]) -> tuple[int, ...]:
        place = (switch, self.arrival.get(channel, 0), key)
        self.used.add(place)
        row = self.routes.get(place, 0)
        if row:
            following = [c for port, c in enumerate(self.outputs[switch]) if row >> port & 1]
            self.edges |= {(channel, c) for c in following}
            ends = {self.delivered(c, key, wanted, before) for c in following}
            if len(ends) != 1:
                raise Unsound("a header gets to one processor or another")
            return ends.pop()
        masks = {c: self.reach[c] & wanted for c in self.outputs[switch] if self.reach[c] & wanted}
        if key not in self.multicast or not masks or sum(masks.values()) != wanted:
            raise Unsound("a header has no way, or branches do not cover its destinations once")
        self.edges |= {(channel, c) for c in self.outputs[switch] if self.reach[c]}
        return tuple(sorted(p for c, mask in masks.items() for p in self.delivered(c, key, mask, before)))

    @property
    def multicast(self) -> range:
        """Keys of headers to several processors."""
        last = 1 + max(key for _, _, key in self.routes)
        return range(self.switches) if self.manifest["family"] == "spam" else range(self.processors, last)


def read_tables(offered: Offer) -> Tables:
    """The tables of an offer, in the Verilog or among the words that are loaded."""
    manifest = json.loads(offered.manifest)
    tables = Tables(manifest)
    pins = {placed.name: {pin.name: pin.net for pin in placed.pins} for placed in instances(offered.verilog)}
    stores = _stores(manifest, offered.tables)
    for switch in range(tables.switches):
        constants = {
            port: int(found[1], 16)
            for port, net in pins[f"router_s{switch}"].items()
            if (found := re.fullmatch(r"\d+'h([0-9a-f]+)", net))
        } | stores.get(switch, {})
        outputs, inputs = tables.outputs[switch], tables.inputs[switch]
        for port, channel in enumerate(outputs):
            tables.reach[channel] = constants["reach"] >> port * tables.processors & (1 << tables.processors) - 1
        classes = CLASSES[manifest["family"]] if "port_class" in constants else 1
        width = _width(pins[f"router_s{switch}"]["routes"], manifest, switch)
        keys = width // (classes * len(outputs))
        for row in range(classes * keys):
            mask = constants["routes"] >> row * len(outputs) & (1 << len(outputs)) - 1
            tables.routes[switch, row // keys, row % keys] = mask
        bits = (classes - 1).bit_length()
        for port, channel in enumerate(inputs):
            tables.arrival[channel] = constants.get("port_class", 0) >> port * bits & (1 << bits) - 1
    return tables


def _width(net: str, manifest: dict, switch: int) -> int:
    if "tables" in manifest:
        return manifest["tables"]["switches"][switch]["routes"]["bits"]
    return int(net.partition("'")[0])


def _stores(manifest: dict, words: str) -> dict[int, dict[str, int]]:
    """Values of loadable tables by switch; the last switch's highest word comes first."""
    found: dict[int, dict[str, int]] = {}
    if "tables" not in manifest:
        return found
    loaded = words.split()
    for switch, about in enumerate(manifest["tables"]["switches"]):
        count = -(-sum(one["bits"] for one in about.values()) // 8)
        value, loaded = int("".join(loaded[-count:]), 16), loaded[:-count]
        found[switch] = {name: value >> one["offset"] & (1 << one["bits"]) - 1 for name, one in about.items()}
    return found


def follow(tables: Tables) -> None:
    """Follow every header; raise ``Unsound`` if one does not get to exactly its destinations, or channels wait in a
    circle, or a worm leaves the branches.
    """
    spam, switches = tables.manifest["family"] == "spam", tables.switches
    for channel in tables.injections:
        for processor in range(tables.processors):
            key = switches + processor if spam else processor
            if tables.delivered(channel, key, 1 << processor) != (processor,):
                raise Unsound("a header to one processor gets to another")
        for key in tables.multicast:
            for wanted in _sets(tables, channel, key):
                processors = tuple(p for p in range(tables.processors) if wanted >> p & 1)
                if tables.delivered(channel, key, wanted) != processors:
                    raise Unsound("a header does not get to exactly its destinations")
    branches = {channel for channel, mask in tables.reach.items() if mask}
    if any(held in branches and wanted not in branches for held, wanted in tables.edges):
        raise Unsound("a worm leaves the branches")
    if not nx.is_directed_acyclic_graph(nx.DiGraph(tables.edges)):
        raise Unsound("channels wait in a circle")


def _sets(tables: Tables, channel: int, key: int) -> list[int]:
    """Sets of destinations that a sender may give a key: those behind the switch where it branches."""
    turn = _turn(tables, channel, key)
    behind = [p for p in range(tables.processors) if turn >> p & 1]
    return [sum(1 << p for p in some) for size in range(2, len(behind) + 1) for some in combinations(behind, size)]


def _turn(tables: Tables, channel: int, key: int) -> int:
    """The processors behind the first switch where a header branches, on its first route."""
    if tables.manifest["family"] == "spam":
        return sum(tables.reach[c] for c in tables.outputs[key])
    for _ in range(2 * len(tables.sink)):
        switch = tables.sink[channel]
        if switch >= tables.switches:
            return 0
        row = tables.routes.get((switch, tables.arrival.get(channel, 0), key), 0)
        if row == 0:
            return sum(tables.reach[c] for c in tables.outputs[switch])
        channel = tables.outputs[switch][(row & -row).bit_length() - 1]
    raise Unsound("a header goes round")


@cache
def used_rows(sound: Offer) -> frozenset[tuple[int, int, int]]:
    """Rows of the tables of a sound network that headers look up."""
    tables = read_tables(sound)
    follow(tables)
    return frozenset(tables.used)


def verdict(sound: Offer, altered: Offer) -> str:
    """``unused`` if only rows differ that no header looks up, ``sound`` if the tables are another sound routing; else
    empty.
    """
    before, after = read_tables(sound), read_tables(altered)
    changed = {place for place, row in after.routes.items() if before.routes[place] != row}
    others = (before.reach, before.arrival) != (after.reach, after.arrival)
    try:
        if changed and not others and not changed & used_rows(sound):
            return "unused"
        follow(after)
    except Unsound:
        return ""
    return "sound" if changed or others else ""


VALUES = ("constant's bit", "pin tied to 0", "pin tied to 1", "loaded bit")
"""Kinds of alterations that give a constant another value."""


def _tables(wanted: str) -> Callable[[Offer, Alteration], bool]:
    def holds(sound: Offer, made: Alteration) -> bool:
        table = made.kind == "loaded bit" or re.search(r"\.(routes|reach|port_class)\b", made.where)
        return bool(table) and made.kind in VALUES and verdict(sound, made.make()) == wanted

    return holds


def _kept_longer(sound: Offer, made: Alteration) -> bool:
    def flits(offered: Offer) -> list[int]:
        return [int(found, 16) for found in re.findall(r"\.release_flits\(\d+'h(\w+)\)", offered.verilog)]

    if ".release_flits" not in made.where or made.kind not in VALUES:
        return False
    pairs = list(zip(flits(sound), flits(made.make()), strict=True))
    return any(after > before for before, after in pairs) and all(after >= before for before, after in pairs)


def _information(key: str) -> Callable[[Offer, Alteration], bool]:
    def holds(sound: Offer, made: Alteration) -> bool:
        if made.kind.endswith("key doubled") or made.where.partition(".")[0] != key:
            return False
        before, after = json.loads(sound.manifest), json.loads(made.make().manifest)
        return {**before, key: 0} == {**after, key: 0}

    return holds


def _for_senders(_sound: Offer, made: Alteration) -> bool:
    keys = ("axi_stream.destination_mode", "axi_stream.leading_words", "axi_stream.key_cycles")
    return made.where in keys and made.kind in ("manifest: value changed", "manifest: value of another type")


def _another_order(sound: Offer, made: Alteration) -> bool:
    """The order of a torus' certificate is another one in which all dependencies of the library's own check rise."""
    if not made.kind.endswith("items in another order") or made.where != "order" or sound != offer("torus"):
        return False
    design = load({"network": NETWORKS["torus"][0]})
    place = {name: rank for rank, name in enumerate(json.loads(made.make().certificate)["order"])}
    ranks = [place[channel.name] for channel in design.network.channels]
    return all(ranks[held] < ranks[wanted] for held, wanted in torus_dependencies(design.routing)[0].edges)


def _reordered(key: str) -> Callable[[Offer, Alteration], bool]:
    return lambda _, made: made.kind.endswith("items in another order") and made.where == key


REASONS: list[tuple[str, Callable[[Offer, Alteration], bool]]] = [
    ("only rows of tables differ that no header looks up", _tables("unused")),
    (
        "the tables are another sound routing: followed by brute force, every header gets to exactly its destinations "
        "over every way, and no channels wait in a circle",
        _tables("sound"),
    ),
    ("the token is kept for longer than it must be", _kept_longer),
    ("files of the manifest informs people; the theorem does not use it", _information("files")),
    ("counters of the manifest informs software; the theorem does not use it", _information("counters")),
    ("registers of the manifest informs software; the theorem does not use it", _information("registers")),
    ("port_arrays of the manifest informs people; the theorem does not use it", _information("port_arrays")),
    (
        "constraints of the manifest names files for synthesis tools; the theorem does not use them",
        _information("constraints"),
    ),
    ("how packets name destinations is said to senders; the theorem takes any sound header", _for_senders),
    ("the order of modules in the manifest says nothing", _reordered("modules")),
    ("the order is another one in which all dependencies rise", _another_order),
    ("the escapes of a certificate are a set: their order says nothing", _reordered("escapes")),
    ("the order of shapes in the manifest says nothing", _reordered("router_shapes")),
]
"""Each reason, with the test that finds it in a sound network and an alteration of it."""


def reason(sound: Offer, made: Alteration) -> str:
    """The reason that an alteration leaves the claim true; empty if it breaks it."""
    return next((why for why, holds in REASONS if holds(sound, made)), "")
