"""Alterations that leave the claim true, each with the reason; all others have to be refused."""

import json
import re
from collections.abc import Callable

from hydranoc import load
from tests.alterations.hardware import Alteration
from tests.alterations.networks import NETWORKS, Offer, offer
from tests.alterations.oracle import verdict
from topology.torus.deadlock import torus_dependencies

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
